//! Speed-ups of N threads against one, as geometric means over positions with bootstrap intervals.

use std::collections::BTreeMap;

use sesame_report::statistics::{Estimate, Interval, bootstrap, compare};

use super::results::{Measurement, Row};

#[derive(Clone, PartialEq, Debug)]
pub(super) struct CurvePoint {
    pub(super) threads: u32,
    pub(super) positions: usize,
    /// One thread's time to the depth over these threads' time; `None` in lockstep.
    pub(super) speed_up: Option<Estimate>,
    /// One thread's nodes to the depth over the nodes of each of these threads.
    pub(super) per_thread: Option<Estimate>,
    /// Nodes of all these threads over one thread's.
    pub(super) nodes: Option<Estimate>,
    /// Nodes per second over one thread's; `None` in lockstep.
    pub(super) rate: Option<Estimate>,
    pub(super) speed: Option<Estimate>,
    /// `per_thread` over that of half as many threads.
    pub(super) against_half: Option<Estimate>,
    /// Share of searches with one thread's best move.
    pub(super) agreement: Option<Estimate>,
    /// Share of the cores that the process had.
    pub(super) cores_had: Option<f64>,
    pub(super) others: Option<f64>,
}

pub(super) struct Curve<'a> {
    pub(super) engine: &'a str,
    pub(super) points: Vec<CurvePoint>,
    /// The first search of one thread at each position.
    pub(super) baseline: BTreeMap<&'a str, &'a Row>,
}

type Arm<'a> = BTreeMap<&'a str, Vec<&'a Row>>;

/// Leaves out engines without results. The machine has `cores` cores.
pub(super) fn curves<'a>(measurement: &'a Measurement, cores: usize) -> Vec<Curve<'a>> {
    let curve = |engine: &'a String| {
        let mut arms: BTreeMap<u32, Arm<'_>> = BTreeMap::new();
        for row in measurement.rows.iter().filter(|row| row.engine == *engine) {
            arms.entry(row.threads).or_default().entry(&row.position).or_default().push(row);
        }
        let alone = arms.get(&1)?;
        let point = |(&threads, arm): (&u32, &Arm<'_>)| {
            let half = arms.get(&(threads / 2)).filter(|_| threads.is_multiple_of(2));
            CurvePoint::new(threads, arm, alone, half, cores)
        };
        let baseline = alone.iter().filter_map(|(&position, rows)| Some((position, *rows.first()?))).collect();
        Some(Curve { engine, points: arms.iter().map(point).collect(), baseline })
    };
    measurement.engines.iter().filter_map(curve).collect()
}

impl CurvePoint {
    fn new(threads: u32, arm: &Arm<'_>, alone: &Arm<'_>, half: Option<&Arm<'_>>, cores: usize) -> Self {
        let by_clock = arm.values().flatten().any(|row| row.micros.is_some());
        let time = |row: &Row| row.micros.map_or(1.0, |micros| micros as f64);
        let nodes = |row: &Row| row.nodes.max(1) as f64;
        let per_thread = |row: &Row| nodes(row) / f64::from(row.threads);
        let cores = f64::from(threads).min(cores as f64);
        let share_of_cores = |row: &&Row| Some(row.cpu_micros? as f64 / row.micros? as f64 / cores);
        let had: Option<Vec<f64>> = arm.values().flatten().map(share_of_cores).collect();
        Self {
            threads,
            positions: arm.keys().filter(|position| alone.contains_key(*position)).count(),
            speed_up: ratio(alone, arm, time).filter(|_| by_clock),
            per_thread: ratio(alone, arm, per_thread),
            nodes: ratio(alone, arm, nodes).map(inverse),
            rate: ratio(alone, arm, |row| nodes(row) / time(row)).filter(|_| by_clock).map(inverse),
            speed: absolute(arm, |row| 1e6 * nodes(row) / time(row)).filter(|_| by_clock),
            against_half: half.and_then(|half| ratio(half, arm, per_thread)),
            agreement: agreement(alone, arm),
            cores_had: had.map(|had| had.iter().sum::<f64>() / had.len().max(1) as f64),
            others: others(arm.values().flatten().copied()),
        }
    }
}

fn ratio(above: &Arm<'_>, below: &Arm<'_>, measure: impl Fn(&Row) -> f64) -> Option<Estimate> {
    let of_position = |(position, rows): (&&str, &Vec<&Row>)| {
        Some((log_mean(above.get(position)?, &measure) - log_mean(rows, &measure)).exp())
    };
    Some(compare(&below.iter().filter_map(of_position).collect::<Vec<f64>>())?.mean)
}

fn absolute(arm: &Arm<'_>, measure: impl Fn(&Row) -> f64) -> Option<Estimate> {
    Some(compare(&arm.values().map(|rows| log_mean(rows, &measure).exp()).collect::<Vec<f64>>())?.mean)
}

fn log_mean(rows: &[&Row], measure: impl Fn(&Row) -> f64) -> f64 {
    rows.iter().map(|row| measure(row).ln()).sum::<f64>() / rows.len() as f64
}

fn inverse(estimate: Estimate) -> Estimate {
    let inverse = |Interval { low, high }| Interval { low: high.recip(), high: low.recip() };
    Estimate { value: estimate.value.recip(), interval: estimate.interval.map(inverse) }
}

fn agreement(alone: &Arm<'_>, arm: &Arm<'_>) -> Option<Estimate> {
    let of_position = |(position, rows): (&&str, &Vec<&Row>)| {
        let best = &alone.get(position)?.first()?.best;
        Some(rows.iter().filter(|row| row.best == *best).count() as f64 / rows.len().max(1) as f64)
    };
    let shares: Vec<f64> = arm.iter().filter_map(of_position).collect();
    bootstrap(shares.len(), |picks| picks.iter().filter_map(|&pick| shares.get(pick)).sum::<f64>() / picks.len() as f64)
}

/// Share of all processors' time that other programs had; `None` if the system has no figure.
pub(super) fn others<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<f64> {
    let known = rows.filter_map(|row| Some((row.others?, row.micros? as f64)));
    let (share, time) = known.fold((0.0, 0.0), |(sum, all), (share, time)| (sum + share * time, all + time));
    // Rounding to ticks can make it negative.
    (time > 0.0).then(|| (share / time).max(0.0))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::results::{RunKind, SESAME};
    use super::*;

    /// Returns a search of 9 plies, in lockstep if it has no time.
    pub(in super::super) fn row(engine: &str, threads: u32, position: &str, nodes: u64, micros: u64) -> Row {
        let is_timed = micros > 0;
        Row {
            run: if is_timed { RunKind::Clock } else { RunKind::Lockstep },
            engine: engine.into(),
            threads,
            round: 1,
            position: position.into(),
            depth: 9,
            nodes,
            best: if threads == 1 || position == "a" { "e2e4".into() } else { "d2d4".into() },
            micros: is_timed.then_some(micros),
            cpu_micros: is_timed.then_some(micros * u64::from(threads) * 9 / 10),
            others: is_timed.then_some(if threads == 1 { 0.0 } else { 0.1 }),
        }
    }

    fn measurement(engines: &[&str], rows: Vec<Row>) -> Measurement {
        let engines = engines.iter().map(|&name| name.to_owned()).collect();
        Measurement { engines, rows, ..Measurement::default() }
    }

    fn near(estimate: Option<Estimate>, value: f64) {
        let found = estimate.unwrap();
        assert!((found.value - value).abs() < 1e-9, "{found:?}, not {value}");
        let contains = |ends: Interval| ends.low <= value + 1e-9 && value <= ends.high + 1e-9;
        assert!(found.interval.is_none_or(contains), "{found:?}");
    }

    #[test]
    fn speed_ups_by_the_clock() {
        // Twice as fast on one position, four times on the other; the nodes equal and doubled.
        let rows = vec![
            row(SESAME, 1, "a", 1000, 8000),
            row(SESAME, 1, "b", 1000, 8000),
            row(SESAME, 4, "a", 1000, 4000),
            row(SESAME, 4, "b", 2000, 2000),
            // A position without a search of one thread, and an engine without one.
            row(SESAME, 4, "c", 1, 1000),
            row("other", 4, "a", 9, 9),
        ];
        let measurement = measurement(&[SESAME, "other"], rows);
        let curves = curves(&measurement, 4);
        assert_eq!(curves.len(), 1);
        let [one, four] = curves[0].points.as_slice() else { panic!("{:?}", curves[0].points) };
        assert_eq!((one.threads, four.threads, four.positions), (1, 4, 2));
        near(one.speed_up, 1.0);
        near(four.speed_up, 8f64.sqrt());
        near(four.nodes, 2f64.sqrt());
        near(four.per_thread, 4.0 / 2f64.sqrt());
        near(four.rate, 4.0);
        near(four.agreement, 0.5);
        near(one.speed, 125_000.0);
        assert!((four.others.unwrap() - 0.1).abs() < 1e-9 && one.others == Some(0.0));
        assert!((four.cores_had.unwrap() - 0.9).abs() < 1e-9);
    }

    #[test]
    fn lockstep_speed_ups_by_nodes() {
        let rows = vec![row(SESAME, 1, "a", 1000, 0), row(SESAME, 2, "a", 1600, 0), row(SESAME, 4, "a", 2000, 0)];
        let measurement = measurement(&[SESAME], rows);
        let points = &curves(&measurement, 1)[0].points;
        near(points[2].per_thread, 2.0);
        near(points[2].against_half, 1.6);
        assert_eq!((points[2].speed_up, points[2].rate, points[2].cores_had), (None, None, None));
    }

    #[test]
    fn noise_is_weighted_by_time() {
        let with = |micros, others| Row { others, ..row(SESAME, 1, "a", 1, micros) };
        let rows = [with(1000, Some(0.4)), with(3000, Some(0.0)), with(9000, None)];
        assert!((others(rows.iter()).unwrap() - 0.1).abs() < 1e-9);
        assert_eq!(others([with(5, Some(-0.05))].iter()), Some(0.0));
        assert_eq!(others([with(5, None)].iter()), None);
    }
}
