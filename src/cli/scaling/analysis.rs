//! Analysis: speed-ups of N workers against one, as geometric means over positions with bootstrap intervals.

use std::collections::{BTreeMap, BTreeSet};

use super::record::{Purpose, ScalingRow};
use sesame_report::statistics::{Estimate, bootstrap, compare};

/// The results of a number of workers with one variant.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct CurvePoint {
    pub(super) threads: u32,
    /// Number of positions compared.
    pub(super) positions: usize,
    /// One worker's time to the depth over these workers' time; `None` in lockstep.
    pub(super) speed_up: Option<Estimate>,
    /// One worker's nodes to the depth over the nodes of each of these workers.
    pub(super) per_worker: Option<Estimate>,
    /// Nodes of all these workers over one worker's.
    pub(super) nodes: Option<Estimate>,
    /// Nodes per second over one worker's.
    pub(super) rate: Option<Estimate>,
    /// Nodes per second.
    pub(super) speed: Option<Estimate>,
    /// Share of searches with one worker's best move, 0 to 1.
    pub(super) agreement: Option<Estimate>,
    /// Share of the cores that the process had, 0 to 1.
    pub(super) cores_had: Option<f64>,
    /// Share of all processors' time that other programs had, 0 to 1.
    pub(super) others: Option<f64>,
}

impl CurvePoint {
    /// Returns the main result: time to depth by the clock, nodes per worker in lockstep.
    pub(super) fn main(&self) -> Option<Estimate> {
        self.speed_up.or(self.per_worker)
    }
}

/// The points of one variant, by workers.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Curve {
    pub(super) variant: String,
    pub(super) points: Vec<CurvePoint>,
}

impl Curve {
    pub(super) fn at(&self, threads: u32) -> Option<&CurvePoint> {
        self.points.iter().find(|point| point.threads == threads)
    }
}

/// The searches of one variant with one number of workers, by position.
type Arm<'a> = BTreeMap<&'a str, Vec<&'a ScalingRow>>;

/// All searches of one purpose.
pub(super) struct Panel<'a> {
    run: Purpose,
    arms: BTreeMap<(String, u32), Arm<'a>>,
    /// The variants in the order of the file.
    variants: Vec<&'a str>,
    cores: usize,
}

impl<'a> Panel<'a> {
    /// Creates the panel of an engine's searches for `run`, on a machine of `cores` cores.
    pub(super) fn new(rows: &'a [ScalingRow], engine: &str, run: Purpose, cores: usize) -> Self {
        let mut panel = Self { run, arms: BTreeMap::new(), variants: Vec::new(), cores };
        for row in rows.iter().filter(|row| row.run == run && row.engine == engine) {
            let arm = panel.arms.entry((row.variant.clone(), row.threads)).or_default();
            arm.entry(&row.position).or_default().push(row);
            if !panel.variants.contains(&row.variant.as_str()) {
                panel.variants.push(&row.variant);
            }
        }
        panel
    }

    pub(super) fn is_empty(&self) -> bool {
        self.arms.is_empty()
    }

    pub(super) fn variants(&self) -> &[&'a str] {
        &self.variants
    }

    /// Returns the numbers of workers, ascending.
    pub(super) fn threads(&self) -> Vec<u32> {
        self.arms.keys().map(|(_, threads)| *threads).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Returns the positions.
    pub(super) fn positions(&self) -> BTreeSet<&'a str> {
        self.arms.values().flat_map(|arm| arm.keys().copied()).collect()
    }

    /// Returns one worker's searches.
    pub(super) fn baseline(&self) -> Option<&Arm<'a>> {
        self.arms.iter().find(|((_, threads), _)| *threads == 1).map(|(_, arm)| arm)
    }

    /// Returns the searches of a variant. With one worker all variants are equal.
    fn arm(&self, variant: &str, threads: u32) -> Option<&Arm<'a>> {
        if threads == 1 { self.baseline() } else { self.arms.get(&(variant.to_owned(), threads)) }
    }

    pub(super) fn curves(&self) -> Vec<Curve> {
        let curve = |variant: &&str| {
            let point = |threads| self.point(variant, threads);
            Curve { variant: (*variant).to_owned(), points: self.threads().into_iter().filter_map(point).collect() }
        };
        self.variants.iter().map(curve).collect()
    }

    fn point(&self, variant: &str, threads: u32) -> Option<CurvePoint> {
        let (arm, alone) = (self.arm(variant, threads)?, self.baseline()?);
        let by_clock = self.run != Purpose::Lockstep;
        let against = |measure: fn(&ScalingRow) -> f64| ratio(alone, arm, measure);
        let share_of_cores = |row: &ScalingRow| {
            let cores = f64::from(threads).min(self.cores as f64);
            Some(row.cpu_micros? as f64 / row.micros?.max(1) as f64 / cores)
        };
        let had: Option<Vec<f64>> = arm.values().flatten().map(|row| share_of_cores(row)).collect();
        Some(CurvePoint {
            threads,
            positions: arm.keys().filter(|position| alone.contains_key(*position)).count(),
            speed_up: against(time).filter(|_| by_clock),
            per_worker: against(|row| nodes(row) / f64::from(row.threads)),
            nodes: against(nodes).map(inverse),
            rate: against(|row| nodes(row) / time(row)).filter(|_| by_clock).map(inverse),
            speed: absolute(arm, |row| 1e6 * nodes(row) / time(row)).filter(|_| by_clock),
            agreement: agreement(alone, arm),
            cores_had: had
                .filter(|had| by_clock && !had.is_empty())
                .map(|had| had.iter().sum::<f64>() / had.len() as f64),
            others: others(arm.values().flatten().copied()),
        })
    }

    /// Compares two variants with equal numbers of workers: the factor in time, or in nodes. Above 1 the first
    /// is better.
    pub(super) fn against(&self, variant: &str, other: &str, threads: u32) -> Option<Estimate> {
        ratio(self.arm(other, threads)?, self.arm(variant, threads)?, self.measure())
    }

    /// Returns the gain from `fewer` workers to `more`.
    pub(super) fn gain(&self, variant: &str, fewer: u32, more: u32) -> Option<Estimate> {
        let measure = self.measure();
        let per_worker =
            |row: &ScalingRow| measure(row) / if self.run == Purpose::Lockstep { f64::from(row.threads) } else { 1.0 };
        ratio(self.arm(variant, fewer)?, self.arm(variant, more)?, per_worker)
    }

    fn measure(&self) -> fn(&ScalingRow) -> f64 {
        if self.run == Purpose::Lockstep { nodes } else { time }
    }

    /// Returns the noise of the machine: the standard deviation of the logarithm of the time of equal searches
    /// with one worker. `None` without repetitions.
    pub(super) fn noise(&self) -> Option<f64> {
        let (mut squares, mut freedom) = (0.0, 0usize);
        for rows in self.baseline()?.values().filter(|rows| rows.len() > 1) {
            let times: Vec<f64> = rows.iter().map(|row| time(row).ln()).collect();
            let mean = times.iter().sum::<f64>() / times.len() as f64;
            squares += times.iter().map(|time| (time - mean).powi(2)).sum::<f64>();
            freedom += times.len() - 1;
        }
        (freedom > 0).then(|| (squares / freedom as f64).sqrt())
    }

    /// Results at positions with a solution.
    pub(super) fn solving(&self, variant: &str, threads: u32) -> Option<Solving> {
        let (arm, alone) = (self.arm(variant, threads)?, self.baseline()?);
        let searches = arm.values().map(Vec::len).sum::<usize>();
        let solved = arm.values().flatten().filter(|row| row.solved_micros.is_some()).count();
        let comparable = self.comparable();
        let compared: Arm<'a> = arm
            .iter()
            .filter(|(position, _)| comparable.contains(*position))
            .map(|(&id, rows)| (id, rows.clone()))
            .collect();
        Some(Solving {
            solved: solved as f64 / searches.max(1) as f64,
            positions: arm.len(),
            compared: compared.len(),
            speed_up: ratio(alone, &compared, until_solved),
        })
    }

    /// Returns the positions whose times to the solution are compared, equal for all numbers of workers.
    /// Positions that one worker solves at once, or that are never solved, are excluded.
    fn comparable(&self) -> BTreeSet<&'a str> {
        let at_once = |rows: &[&ScalingRow]| median(rows.iter().map(|row| until_solved(row))) < AT_ONCE;
        let seen: BTreeSet<&str> = self
            .arms
            .values()
            .flatten()
            .filter(|(_, rows)| rows.iter().any(|row| row.solved_micros.is_some()))
            .map(|(position, _)| *position)
            .collect();
        let alone = self.baseline().into_iter().flatten();
        alone
            .filter(|(position, rows)| seen.contains(**position) && !at_once(rows))
            .map(|(position, _)| *position)
            .collect()
    }
}

/// Results at positions with a solution.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Solving {
    /// Share of solved searches, 0 to 1.
    pub(super) solved: f64,
    /// Positions with a solution.
    pub(super) positions: usize,
    /// Number of positions whose times are compared.
    pub(super) compared: usize,
    /// One worker's time to the solution over these workers' time. A search without a solution counts with its
    /// whole time.
    pub(super) speed_up: Option<Estimate>,
}

/// Time below which a solution is found at once, in microseconds.
const AT_ONCE: f64 = 10_000.0;

fn time(row: &ScalingRow) -> f64 {
    row.micros.unwrap_or(0).max(1) as f64
}

fn nodes(row: &ScalingRow) -> f64 {
    row.nodes.max(1) as f64
}

fn until_solved(row: &ScalingRow) -> f64 {
    row.solved_micros.map_or_else(|| time(row), |micros| micros.max(1) as f64)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Returns the geometric mean over positions of a ratio of `measure` between two arms, each the geometric mean
/// of its rounds.
fn ratio(above: &Arm<'_>, below: &Arm<'_>, measure: impl Fn(&ScalingRow) -> f64) -> Option<Estimate> {
    let mean = |rows: &Vec<&ScalingRow>| rows.iter().map(|row| measure(row).ln()).sum::<f64>() / rows.len() as f64;
    let of_position =
        |(position, rows): (&&str, &Vec<&ScalingRow>)| Some((mean(above.get(position)?) - mean(rows)).exp());
    Some(compare(&below.iter().filter_map(of_position).collect::<Vec<f64>>())?.mean)
}

/// Returns the geometric mean over positions of `measure`, the geometric mean of the rounds.
fn absolute(arm: &Arm<'_>, measure: impl Fn(&ScalingRow) -> f64) -> Option<Estimate> {
    let mean =
        |rows: &Vec<&ScalingRow>| (rows.iter().map(|row| measure(row).ln()).sum::<f64>() / rows.len() as f64).exp();
    Some(compare(&arm.values().map(mean).collect::<Vec<f64>>())?.mean)
}

/// Returns the share of all processors' time that other programs had during these searches; `None` if it is
/// known of none.
pub(super) fn others<'a>(rows: impl Iterator<Item = &'a ScalingRow>) -> Option<f64> {
    let known = rows.filter_map(|row| Some((row.others? as f64 / 1000.0, time(row))));
    let (share, time) = known.fold((0.0, 0.0), |(sum, all), (share, time)| (sum + share * time, all + time));
    // Rounding to ticks can make it negative.
    (time > 0.0).then(|| (share / time).max(0.0))
}

/// Returns the reciprocal.
fn inverse(estimate: Estimate) -> Estimate {
    let interval = sesame_report::statistics::Interval {
        low: estimate.interval.high.recip(),
        high: estimate.interval.low.recip(),
    };
    Estimate { value: estimate.value.recip(), interval }
}

/// Returns the share of searches with one worker's best move, which is reproducible by depth.
fn agreement(alone: &Arm<'_>, arm: &Arm<'_>) -> Option<Estimate> {
    let of_position = |(position, rows): (&&str, &Vec<&ScalingRow>)| {
        let best = &alone.get(position)?.first()?.best;
        Some(rows.iter().filter(|row| row.best == *best).count() as f64 / rows.len().max(1) as f64)
    };
    let shares: Vec<f64> = arm.iter().filter_map(of_position).collect();
    bootstrap(shares.len(), |picks| picks.iter().filter_map(|&pick| shares.get(pick)).sum::<f64>() / picks.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::super::record::SESAME;
    use super::*;

    fn row(run: Purpose, threads: u32, position: &str, nodes: u64, micros: u64) -> ScalingRow {
        ScalingRow {
            run,
            engine: SESAME.into(),
            variant: "default".into(),
            threads,
            round: 1,
            position: position.into(),
            depth: 9,
            nodes,
            micros: (run != Purpose::Lockstep).then_some(micros),
            cpu_micros: (run != Purpose::Lockstep).then_some(micros * u64::from(threads) * 9 / 10),
            best: if threads == 1 || position == "a" { "e2e4".into() } else { "d2d4".into() },
            solved_micros: None,
            others: Some(if threads == 1 { 0 } else { 100 }),
            note: String::new(),
        }
    }

    fn near(estimate: Option<Estimate>, value: f64) {
        let found = estimate.unwrap();
        assert!((found.value - value).abs() < 1e-9, "{found:?}, not {value}");
        assert!(found.interval.low <= value + 1e-9 && value <= found.interval.high + 1e-9, "{found:?}");
    }

    #[test]
    fn speed_ups_by_the_clock() {
        // Twice as fast on one position, four times on the other; the nodes equal and doubled.
        let rows = [
            row(Purpose::Depth, 1, "a", 1000, 8000),
            row(Purpose::Depth, 1, "b", 1000, 8000),
            row(Purpose::Depth, 4, "a", 1000, 4000),
            row(Purpose::Depth, 4, "b", 2000, 2000),
            // Another purpose, and a position without a search of one worker.
            row(Purpose::Solution, 4, "a", 1, 1),
            row(Purpose::Depth, 4, "c", 1, 1000),
            // Another engine.
            ScalingRow { engine: "other".into(), ..row(Purpose::Depth, 4, "a", 9, 9) },
        ];
        let panel = Panel::new(&rows, SESAME, Purpose::Depth, 4);
        let curves = panel.curves();
        let [one, four] = curves[0].points.as_slice() else { panic!("{curves:?}") };
        assert_eq!((one.threads, four.threads, four.positions), (1, 4, 2));
        near(one.speed_up, 1.0);
        near(four.speed_up, 8f64.sqrt());
        near(four.nodes, 2f64.sqrt());
        near(four.per_worker, 4.0 / 2f64.sqrt());
        near(four.rate, 4.0);
        near(four.agreement, 0.5);
        near(one.speed, 125_000.0);
        assert!((four.others.unwrap() - 0.1).abs() < 1e-9 && one.others == Some(0.0));
        let other = Panel::new(&rows, "other", Purpose::Depth, 4);
        assert_eq!((other.threads(), other.curves()[0].points.len()), (vec![4], 0), "it has no baseline");
        assert!((four.cores_had.unwrap() - 0.9).abs() < 1e-9);
        near(panel.gain("default", 1, 4), 8f64.sqrt());
        assert_eq!(panel.noise(), None);
    }

    #[test]
    fn noise_is_weighted_by_time() {
        let with = |micros, others| ScalingRow { others, ..row(Purpose::Depth, 1, "a", 1, micros) };
        let rows = [with(1000, Some(400)), with(3000, Some(0)), with(9000, None)];
        assert!((others(rows.iter()).unwrap() - 0.1).abs() < 1e-9);
        assert_eq!(others([with(5, Some(-50))].iter()), Some(0.0));
        assert_eq!(others([with(5, None)].iter()), None);
    }

    #[test]
    fn lockstep_speed_ups_by_nodes() {
        let mut rows = vec![
            row(Purpose::Lockstep, 1, "a", 1000, 0),
            row(Purpose::Lockstep, 2, "a", 1600, 0),
            row(Purpose::Lockstep, 4, "a", 2000, 0),
        ];
        rows.push(ScalingRow { variant: "other".into(), nodes: 1000, ..rows[2].clone() });
        let panel = Panel::new(&rows, SESAME, Purpose::Lockstep, 1);
        assert_eq!(panel.variants(), ["default", "other"]);
        let curves = panel.curves();
        near(curves[0].at(4).unwrap().main(), 2.0);
        assert_eq!(curves[0].at(4).unwrap().speed_up, None);
        assert!(curves[0].at(4).unwrap().cores_had.is_none());
        near(curves[1].at(4).unwrap().main(), 4.0);
        assert_eq!(curves[1].points.len(), 2, "one worker is the same in all variants, and two were not searched");
        near(panel.against("other", "default", 4), 2.0);
        near(panel.gain("default", 2, 4), 1.6);
    }

    #[test]
    fn noise_is_the_deviation_of_repetitions() {
        let mut rows = Vec::new();
        for (position, time) in [("a", 1e4), ("b", 1e6)] {
            for (round, sign) in (1..).zip([-1.0f64, 1.0]) {
                let micros = (time * (0.05 * sign).exp()).round() as u64;
                rows.push(ScalingRow { round, ..row(Purpose::Depth, 1, position, 1000, micros) });
            }
        }
        // Two values at a distance of 0.1 have the standard deviation 0.1 / sqrt(2).
        let noise = Panel::new(&rows, SESAME, Purpose::Depth, 1).noise().unwrap();
        assert!((noise - 0.1 / 2f64.sqrt()).abs() < 1e-4, "{noise}");
    }

    #[test]
    fn solution_times_are_compared() {
        let solution = |threads, position, solved: Option<u64>| ScalingRow {
            solved_micros: solved,
            ..row(Purpose::Solution, threads, position, 1, 1_000_000)
        };
        let rows = [
            solution(1, "late", Some(400_000)),
            solution(2, "late", Some(100_000)),
            solution(1, "at once", Some(900)),
            solution(2, "at once", Some(9)),
            solution(1, "never", None),
            solution(2, "never", None),
            solution(1, "only by two", None),
            solution(2, "only by two", Some(500_000)),
        ];
        let panel = Panel::new(&rows, SESAME, Purpose::Solution, 2);
        let solving = panel.solving("default", 2).unwrap();
        assert_eq!((solving.positions, solving.compared, solving.solved), (4, 2, 0.75));
        near(solving.speed_up, 8f64.sqrt());
        assert_eq!(panel.solving("default", 1).unwrap().solved, 0.5);
        // A position that only four workers solve is compared for two as well.
        let with_four = [&rows[..], &[solution(4, "never", Some(500_000))]].concat();
        let panel = Panel::new(&with_four, SESAME, Purpose::Solution, 4);
        let solving = panel.solving("default", 2).unwrap();
        assert_eq!(solving.compared, 3);
        near(solving.speed_up, 2.0);
        assert_eq!(panel.solving("default", 1).unwrap().compared, 3);
    }
}
