//! Warnings about doubtful figures.

use super::analysis::{Curve, Panel};
use super::record::Conditions;

/// More threads than this want to run before the measurement begins: somebody else is at work.
const BUSY: f64 = 0.3;
/// The same search again, to the node, takes so much more or less time (a standard deviation). Of 40 positions in three rounds the mean
/// still holds to half a per cent; but a machine that wavers so much seldom wavers alike for one thread and for all.
const NOISY: f64 = 0.03;
/// Threads that have less of their cores than this shared them with something else. Their own waiting, for a lock or a page, is well
/// below a per cent (`cores_had` of one thread).
const ALMOST_ALL: f64 = 0.97;
/// Of fewer positions than this a bootstrap interval covers much less than it says; of one it has no width at all.
const FEW: usize = 8;
/// An interval whose ends are further apart than this factor tells little.
const WIDE: f64 = 1.35;

/// Returns the warnings before the first search.
pub(super) fn before(conditions: &Conditions, threads: impl Iterator<Item = u32>) -> Vec<String> {
    let mut lines = Vec::new();
    let number = |name| conditions.get(name).and_then(|value| value.parse::<f64>().ok());
    let most = f64::from(threads.max().unwrap_or(0));
    let plural = |cores: f64| if cores > 1.0 { "s" } else { "" };
    match (number("cores"), number("physical cores")) {
        (Some(cores), _) if most > cores => lines.push(format!(
            "{most} threads were asked for on {cores} core{}: beyond that the figures show what waiting costs, not what more cores would bring; \
             --simulate shows that",
            plural(cores)
        )),
        (_, Some(physical)) if most > physical => lines.push(format!(
            "{most} threads were asked for on {physical} physical core{}: hyper-threads that share a core are each slower than one that has it \
             alone",
            plural(physical)
        )),
        _ => {}
    }
    if let Some(load) = number("load before").filter(|&load| load > BUSY) {
        lines.push(format!(
            "before the measurement {load:.2} threads of other programs wanted to run: the machine is not idle"
        ));
    }
    lines
}

/// Returns the warnings after searches by the clock.
pub(super) fn after(conditions: &Conditions, panel: &Panel<'_>, curves: &[Curve]) -> Vec<String> {
    let mut lines = before(conditions, panel.threads().into_iter());
    if let Some(noise) = panel.noise().filter(|&noise| noise > NOISY) {
        lines.push(format!(
            "the machine is noisy: the same search of one thread, repeated, differed by {:.1} % in time (standard deviation)",
            100.0 * noise
        ));
    }
    for curve in curves {
        let several = curves.len() > 1;
        let who = |threads: u32| {
            let variant = if several { format!(" of {}", curve.variant) } else { String::new() };
            format!("{threads} thread{}{variant}", if threads == 1 { "" } else { "s" })
        };
        for point in &curve.points {
            if let Some(had) = point.cores_had.filter(|&had| had < ALMOST_ALL) {
                lines.push(format!(
                    "{} had only {:.0} % of the cores that they could use: something else ran, and their figures are too low",
                    who(point.threads),
                    100.0 * had
                ));
            }
            if point.threads > 1 && point.speed_up.is_some() && point.positions < FEW {
                lines.push(format!(
                    "the interval of {} rests on {} position{}: so few say little of others, however narrow it is",
                    who(point.threads),
                    point.positions,
                    if point.positions == 1 { "" } else { "s" }
                ));
            }
            let Some(interval) = point.speed_up.filter(|_| point.threads > 1).map(|estimate| estimate.interval) else {
                continue;
            };
            if interval.contains(1.0) {
                lines.push(format!(
                    "too noisy, or too few positions, to tell whether {} are faster than one",
                    who(point.threads)
                ));
            } else if interval.high / interval.low > WIDE {
                lines.push(format!(
                    "the interval of {} is wide ({:.2} to {:.2}): more positions, more than more rounds, would narrow it",
                    who(point.threads),
                    interval.low,
                    interval.high
                ));
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_threads_than_cores_are_warned_of() {
        let warning = |cores: u32, physical: Option<u32>, threads: u32| {
            let conditions = Conditions::default().with("cores", cores);
            let conditions =
                physical.map_or(conditions.clone(), |physical| conditions.with("physical cores", physical));
            before(&conditions, [1, threads].into_iter()).pop().unwrap_or_default()
        };
        assert!(warning(2, Some(1), 4).contains("what waiting costs"));
        assert!(warning(8, Some(4), 8).contains("4 physical cores: hyper-threads"));
        assert_eq!(warning(8, Some(4), 4), "");
        // Results of an older version lack the number of physical cores.
        assert_eq!(warning(8, None, 8), "");
    }
}
