//! Speed-up charts with intervals.

use sesame_report::ChartError;
use sesame_report::chart::{Axis, Chart, Curve, CurveStyle, PlotMode, Reference};
use sesame_report::statistics::Estimate;

/// A line of a chart: its values by number of threads.
#[derive(Clone, Debug)]
pub(super) struct ChartLine {
    pub(super) name: String,
    pub(super) points: Vec<(u32, Estimate)>,
}

/// Draws ratios to one thread beside the ideal. Both axes are logarithmic.
pub(super) fn speed_ups(title: &str, lines: &[ChartLine]) -> Result<String, ChartError> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let mut ticks: Vec<u32> = points().map(|point| point.0).collect();
    ticks.sort_unstable();
    ticks.dedup();
    let least = f64::from(ticks.first().copied().unwrap_or(1)).log2();
    let most = f64::from(ticks.last().copied().unwrap_or(1).max(2)).log2();
    let curve = |(number, line): (usize, &ChartLine)| {
        // Slightly shifted, so that intervals do not overlap.
        let shift = (number as f64 - (lines.len() as f64 - 1.0) / 2.0) * most * 0.06 / lines.len().max(3) as f64;
        let x = |threads: u32| f64::from(threads).log2() + shift;
        let has_interval = |point: &&(u32, Estimate)| point.1.interval.high > point.1.interval.low * 1.000_001;
        let bar = |&(threads, estimate): &(u32, Estimate)| {
            (x(threads), estimate.interval.low.log2(), estimate.interval.high.log2())
        };
        Curve {
            name: line.name.clone(),
            style: CurveStyle::nth(number),
            points: line.points.iter().map(|&(threads, estimate)| (x(threads), estimate.value.log2())).collect(),
            error_bars: line.points.iter().filter(has_interval).map(bar).collect(),
            mode: PlotMode::LineAndMarkers,
        }
    };
    let low = points().map(|point| point.1.interval.low).fold(1.0, f64::min);
    let high = points().map(|point| point.1.interval.high).fold(most.exp2(), f64::max);
    let margin = 0.05 * (most - least).max(1.0);
    let x = Axis {
        title: "threads".to_owned(),
        ticks: ticks.into_iter().map(|threads| (f64::from(threads).log2(), threads.to_string())).collect(),
        range: least - margin..most + margin,
    };
    let ideal = Reference::Line([least, most].map(|end| (end, end)), "ideal".to_owned());
    let curves = lines.iter().enumerate().map(curve).collect();
    Chart { title: title.to_owned(), x, y: ratio_axis(low, high), curves, reference: Some(ideal) }.draw()
}

/// Returns a logarithmic axis for ratios, with more labels for a smaller range.
fn ratio_axis(low: f64, high: f64) -> Axis {
    let width = (high / low).log2();
    let all: Vec<f64> = if width > 3.3 {
        (-8..=10).map(|power| 2f64.powi(power)).collect()
    } else if width > 1.4 {
        vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0]
    } else {
        (1..100).map(|tenth| f64::from(tenth) / 10.0).collect()
    };
    let first = all.iter().rev().find(|&&tick| tick <= low * 1.001).copied().unwrap_or(low);
    let last = all.iter().find(|&&tick| tick >= high * 0.999 && tick > first).copied().unwrap_or(high);
    let write = |value: f64| format!("{value:.2}").trim_end_matches('0').trim_end_matches('.').to_owned();
    let within = all.into_iter().filter(|tick| (first..=last).contains(tick));
    Axis {
        title: "times one thread".to_owned(),
        ticks: within.map(|tick| (tick.log2(), write(tick))).collect(),
        range: first.log2()..last.log2(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sesame_report::statistics::Interval;

    #[test]
    fn axes_include_their_values() {
        for (low, high) in [(1.0, 2.0), (0.8, 3.9), (1.0, 8.0), (0.4, 256.0), (0.5, 2.0)] {
            let axis = ratio_axis(low, high);
            assert!(axis.range.start <= low.log2() + 0.01 && high.log2() - 0.01 <= axis.range.end, "{low} {high}");
            let labels: Vec<&str> = axis.ticks.iter().map(|tick| tick.1.as_str()).collect();
            assert!((2..=22).contains(&labels.len()) && labels.contains(&"1"), "{low} {high}: {labels:?}");
        }
    }

    #[test]
    fn charts_have_lines_and_labels() {
        let estimate = |value: f64| Estimate { value, interval: Interval { low: value * 0.9, high: value * 1.1 } };
        let points = [1, 2, 4, 64].map(|threads| (threads, estimate(f64::from(threads).sqrt()))).into();
        let svg = speed_ups("Title", &[ChartLine { name: "Rival".into(), points }]).unwrap();
        for part in ["<title>Title</title>", "Rival", "ideal", "\n64\n"] {
            assert!(svg.contains(part), "{part} not in {svg}");
        }
    }
}
