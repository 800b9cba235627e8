//! Warnings about unreliable results.

use super::analysis::{Curve, Panel};
use super::record::Conditions;

/// Load of other programs above which the machine counts as busy, in runnable threads.
const BUSY: f64 = 0.3;
/// Standard deviation of repeated searches above which the machine counts as noisy. A mean over 40 positions
/// and three rounds is still accurate to half a per cent, but such noise often differs between one and many
/// threads.
const NOISY: f64 = 0.03;
/// Share of the cores below which other programs have disturbed the search. Waiting for locks and page faults
/// takes well below one per cent.
const ALMOST_ALL: f64 = 0.97;
/// Number of positions below which a bootstrap interval is unreliable.
const FEW: usize = 8;
/// Ratio of an interval's ends above which it counts as wide.
const WIDE: f64 = 1.35;

/// Returns the warnings before the first search.
pub(super) fn before(conditions: &Conditions, threads: impl Iterator<Item = u32>) -> Vec<String> {
    let mut lines = Vec::new();
    let number = |name| conditions.get(name).and_then(|value| value.parse::<f64>().ok());
    let most = f64::from(threads.max().unwrap_or(0));
    let plural = |cores: f64| if cores > 1.0 { "s" } else { "" };
    match (number("cores"), number("physical cores")) {
        (Some(cores), _) if most > cores => lines.push(format!(
            "{most} threads on {cores} core{}: beyond the cores, the results show the cost of waiting; --simulate shows \
             the speed-up of more cores",
            plural(cores)
        )),
        (_, Some(physical)) if most > physical => lines.push(format!(
            "{most} threads on {physical} physical core{}: hyper-threads that share a core are each slower than one that \
             has it alone",
            plural(physical)
        )),
        _ => {}
    }
    if let Some(load) = number("load before").filter(|&load| load > BUSY) {
        lines
            .push(format!("the machine was busy before the measurement: {load:.2} runnable threads of other programs"));
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
        let label = |threads: u32| {
            let variant = if several { format!(" of {}", curve.variant) } else { String::new() };
            format!("{threads} thread{}{variant}", if threads == 1 { "" } else { "s" })
        };
        for point in &curve.points {
            if let Some(had) = point.cores_had.filter(|&had| had < ALMOST_ALL) {
                lines.push(format!(
                    "{} had only {:.0} % of the cores: other programs ran, and the results are too low",
                    label(point.threads),
                    100.0 * had
                ));
            }
            if point.threads > 1 && point.speed_up.is_some() && point.positions < FEW {
                lines.push(format!(
                    "the interval of {} is not reliable: it has only {} position{}",
                    label(point.threads),
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
                    label(point.threads)
                ));
            } else if interval.high / interval.low > WIDE {
                lines.push(format!(
                    "the interval of {} is wide ({:.2} to {:.2}): use more positions",
                    label(point.threads),
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
        assert!(warning(2, Some(1), 4).contains("cost of waiting"));
        assert!(warning(8, Some(4), 8).contains("4 physical cores: hyper-threads"));
        assert_eq!(warning(8, Some(4), 4), "");
        // Results of an older version lack the number of physical cores.
        assert_eq!(warning(8, None, 8), "");
    }
}
