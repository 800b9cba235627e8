//! Warnings about unreliable results.

use super::analysis::{Curve, Panel, others};
use super::machine::NOISY as NOISY_MACHINE;
use super::record::{Conditions, Recording};

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
    let share = conditions.get("others before").and_then(|share| share.strip_suffix(" %")?.parse::<f64>().ok());
    if let Some(share) = share {
        if share > 100.0 * NOISY_MACHINE {
            let waited = conditions.get("waited").unwrap_or("0 s");
            lines.push(format!(
                "the machine was busy before the measurement: after {waited} of waiting other programs used {share:.1} % of \
                 the processor time"
            ));
        }
    } else if let Some(load) = number("load before").filter(|&load| load > BUSY) {
        lines
            .push(format!("the machine was busy before the measurement: {load:.2} runnable threads of other programs"));
    }
    lines
}

/// Returns the warnings about the whole run, after searches by the clock.
pub(super) fn after(recording: &Recording, threads: impl Iterator<Item = u32>) -> Vec<String> {
    let mut lines = before(&recording.conditions, threads);
    lines.extend(recording.dropped().map(|(engine, reason)| format!("{engine} was dropped: {reason}")));
    if let Some(share) = others(recording.rows.iter()).filter(|&share| share > NOISY_MACHINE) {
        lines.push(format!(
            "the machine was busy during the measurement: other programs used {:.1} % of the processor time",
            100.0 * share
        ));
    }
    lines
}

/// Returns the warnings about the searches of one engine by the clock. `name` is for several engines.
pub(super) fn of_engine(name: Option<&str>, panel: &Panel<'_>, curves: &[Curve]) -> Vec<String> {
    let mut lines = Vec::new();
    let of_name = name.map_or_else(String::new, |name| format!(" of {name}"));
    if let Some(noise) = panel.noise().filter(|&noise| noise > NOISY) {
        lines.push(format!(
            "the machine is noisy: the same search of one thread{of_name}, repeated, differed by {:.1} % in time (standard \
             deviation)",
            100.0 * noise
        ));
    }
    for curve in curves {
        let several = curves.len() > 1;
        let label = |threads: u32| {
            let variant = match (several, name) {
                (true, Some(name)) => format!(" of {name}, {}", curve.variant),
                (true, None) => format!(" of {}", curve.variant),
                (false, _) => of_name.clone(),
            };
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

    #[test]
    fn busy_machines_are_warned_of() {
        let warning = |others: &str| {
            let conditions =
                Conditions::default().with("load before", "2.50").with("others before", others).with("waited", "60 s");
            before(&conditions, [1].into_iter()).pop().unwrap_or_default()
        };
        assert!(warning("3.4 %").contains("after 60 s of waiting other programs used 3.4 %"));
        assert_eq!(warning("2.9 %"), "", "the load is that of the past minute");
        assert!(warning("unknown").contains("2.50 runnable threads"));
    }
}
