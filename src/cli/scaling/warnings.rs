//! Warnings about a measurement: a busy machine, too few cores, too few positions.

use sesame_report::markdown::percent;
use sesame_report::statistics::Estimate;

use super::curves::{Curve, others};
use super::results::Measurement;

/// More of the processor time disturbs a measurement.
pub(super) const NOISY: f64 = 0.03;
/// Share of the cores. With less, other programs have disturbed the search: locks and page faults take below 1 %.
const ALMOST_ALL: f64 = 0.97;
/// A bootstrap interval of fewer positions is unreliable.
const FEW: usize = 8;
/// Ratio of a wide interval's ends.
const WIDE: f64 = 1.35;

/// Checks the machine before the first search by the clock with at most `max_threads` threads.
pub(super) fn before(max_threads: u32, cores: usize, physical: usize, others: Option<f64>) -> Vec<String> {
    let mut lines = Vec::new();
    let plural = |cores: usize| if cores > 1 { "s" } else { "" };
    if max_threads as usize > cores {
        lines.push(format!(
            "{max_threads} threads on {cores} core{}: beyond the cores, the results show the cost of waiting; --simulate shows \
             the speed-up of more cores",
            plural(cores)
        ));
    } else if max_threads as usize > physical {
        lines.push(format!(
            "{max_threads} threads on {physical} physical core{}: hyper-threads that share a core are each slower than one that \
             has it alone",
            plural(physical)
        ));
    }
    if let Some(share) = others.filter(|&share| share > NOISY) {
        lines.push(format!(
            "the machine was busy before the measurement: other programs used {} of the processor time",
            percent(share)
        ));
    }
    lines
}

pub(super) fn of(measurement: &Measurement, curves: &[Curve<'_>]) -> Vec<String> {
    let mut lines = measurement.warnings.clone();
    lines.extend(measurement.dropped.iter().map(|(engine, reason)| format!("{engine} was dropped: {reason}")));
    if let Some(share) = others(measurement.rows.iter()).filter(|&share| share > NOISY) {
        lines.push(format!(
            "the machine was busy during the measurement: other programs used {} of the processor time",
            percent(share)
        ));
    }
    let [mut short, mut few, mut unclear, mut wide] = [const { Vec::new() }; 4];
    for curve in curves {
        for point in &curve.points {
            let plural = if point.threads == 1 { "" } else { "s" };
            let label = format!("{} thread{plural} of {}", point.threads, curve.engine);
            if let Some(had) = point.cores_had.filter(|&had| had < ALMOST_ALL) {
                short.push(format!("{label} ({:.0} %)", 100.0 * had));
            }
            let speed_up = point.speed_up.or(point.per_thread).filter(|_| point.threads > 1);
            let Some(Estimate { interval, .. }) = speed_up else { continue };
            if point.positions < FEW {
                few.push(format!("{label} ({})", point.positions));
            }
            let Some(interval) = interval else { continue };
            if interval.contains(1.0) {
                unclear.push(label);
            } else if interval.high / interval.low > WIDE {
                wide.push(format!("{label} ({:.2} to {:.2})", interval.low, interval.high));
            }
        }
    }
    for (labels, problem) in [
        (short, "other programs ran, so the results are too low; share of the cores that remained"),
        (few, "too few positions for reliable intervals"),
        (unclear, "the intervals contain 1, so these may be no faster than one thread: use more positions"),
        (wide, "the intervals are wide: use more positions"),
    ] {
        if !labels.is_empty() {
            lines.push(format!("{problem}: {}", labels.join(", ")));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreliable_machines_are_warned_of() {
        let warning = |threads, cores, physical, others| before(threads, cores, physical, others).join("");
        assert!(warning(4, 2, 1, None).contains("4 threads on 2 cores: beyond"));
        assert!(warning(8, 8, 4, None).contains("4 physical cores: hyper-threads"));
        assert_eq!(warning(4, 8, 4, Some(0.03)), "");
        assert!(warning(1, 1, 1, Some(0.034)).contains("other programs used 3.4 %"));
    }
}
