//! Charts of speed-ups: lines by threads, or bars.

use std::collections::BTreeSet;

use sesame_report::ChartError;
use sesame_report::chart::{self, Axis, Bar, BarChart, Chart, CurveStyle, PlotMode, Reference};
use sesame_report::statistics::{Estimate, Interval};

use super::curves::{Curve, CurvePoint};
use super::results::SESAME;

/// Returns title and picture: bars for one number of threads, lines for more; `None` without several threads.
pub(super) fn speed_up(
    measure: &str,
    curves: &[Curve<'_>],
    value: fn(&CurvePoint) -> Option<Estimate>,
) -> Result<Option<(String, String)>, ChartError> {
    let line = |curve: &Curve<'_>| ChartLine {
        name: curve.engine.to_owned(),
        points: curve.points.iter().filter_map(|point| Some((point.threads, value(point)?))).collect(),
    };
    let lines: Vec<ChartLine> = curves.iter().map(line).collect();
    let threads: BTreeSet<u32> = lines.iter().flat_map(|line| &line.points).map(|point| point.0).collect();
    let threads: Vec<u32> = threads.into_iter().filter(|&threads| threads > 1).collect();
    let title = match threads[..] {
        [] => return Ok(None),
        [2] => format!("Speed-up with two threads: {measure}"),
        [threads] => format!("Speed-up with {threads} threads: {measure}"),
        _ => format!("Speed-up by threads: {measure}"),
    };
    let svg = match threads[..] {
        [threads] => speed_up_bars(&title, threads, &lines)?,
        _ => speed_ups(&title, &lines)?,
    };
    Ok(Some((title, svg)))
}

struct ChartLine {
    name: String,
    points: Vec<(u32, Estimate)>,
}

/// Ratios to one thread, beside a line of N for N threads. Both axes are logarithmic.
fn speed_ups(title: &str, lines: &[ChartLine]) -> Result<String, ChartError> {
    let in_panels = lines.len() > DISTINCT;
    let points = || lines.iter().flat_map(|line| &line.points);
    let mut ticks: Vec<u32> = points().map(|point| point.0).collect();
    ticks.sort_unstable();
    ticks.dedup();
    let first = f64::from(ticks.first().copied().unwrap_or(1)).log2();
    let last = f64::from(ticks.last().copied().unwrap_or(1).max(2)).log2();
    let curve = |(number, line): (usize, &ChartLine)| {
        // Slightly shifted, so that intervals do not overlap.
        let width = if in_panels { 0.0 } else { last * 0.06 / lines.len().max(3) as f64 };
        let shift = (number as f64 - (lines.len() as f64 - 1.0) / 2.0) * width;
        let x = |threads: u32| f64::from(threads).log2() + shift;
        let bar = |&(threads, estimate): &(u32, Estimate)| {
            let Interval { low, high } = estimate.interval.filter(|ends| ends.high > ends.low * 1.000_001)?;
            Some((x(threads), low.log2(), high.log2()))
        };
        chart::Curve {
            name: line.name.clone(),
            style: CurveStyle::nth(number),
            points: line.points.iter().map(|&(threads, estimate)| (x(threads), estimate.value.log2())).collect(),
            error_bars: line.points.iter().filter_map(bar).collect(),
            mode: PlotMode::LineAndMarkers,
        }
    };
    let ends = |point: &(u32, Estimate)| point.1.interval.map_or([point.1.value; 2], |ends| [ends.low, ends.high]);
    let low = points().map(|point| ends(point)[0]).fold(1.0, f64::min);
    let high = points().map(|point| ends(point)[1]).fold(last.exp2(), f64::max);
    let margin = 0.05 * (last - first).max(1.0);
    let x = Axis {
        title: "threads".to_owned(),
        ticks: ticks.into_iter().map(|threads| (f64::from(threads).log2(), threads.to_string())).collect(),
        range: first - margin..last + margin,
    };
    let ideal = Reference::Line([first, last].map(|end| (end, end)), "ideal: N times".to_owned());
    let curves = lines.iter().enumerate().map(curve).collect();
    let chart = Chart { title: title.to_owned(), x, y: ratio_axis(low, high), curves, reference: Some(ideal) };
    if in_panels { chart.draw_panels() } else { chart.draw() }
}

/// More lines are hard to tell apart in one plot.
const DISTINCT: usize = 4;

const RATIO: &str = "times as fast as one thread";

fn speed_up_bars(title: &str, threads: u32, lines: &[ChartLine]) -> Result<String, ChartError> {
    let bar = |line: &ChartLine| {
        let &(_, Estimate { value, interval }) = line.points.iter().find(|point| point.0 == threads)?;
        Some(Bar {
            name: line.name.clone(),
            value,
            interval: interval.map(|ends| (ends.low, ends.high)),
            text: format!("{value:.2}"),
            is_highlighted: line.name == SESAME,
        })
    };
    let bars: Vec<Bar> = lines.iter().filter_map(bar).collect();
    let ends = bars.iter().map(|bar| bar.interval.map_or(bar.value, |(_, high)| high)).chain([0.0, f64::from(threads)]);
    let write = |value: f64, step: f64| format!("{value:.*}", usize::from(step < 1.0));
    let axis = Axis::round(&format!("{RATIO} (longer is faster)"), ends, write);
    BarChart { title: title.to_owned(), axis, bars, mark: (1.0, "one thread".to_owned()) }.draw()
}

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
        title: RATIO.to_owned(),
        ticks: within.map(|tick| (tick.log2(), write(tick))).collect(),
        range: first.log2()..last.log2(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let estimate =
            |value: f64| Estimate { value, interval: Some(Interval { low: value * 0.9, high: value * 1.1 }) };
        let points = [1, 2, 4, 64].map(|threads| (threads, estimate(f64::from(threads).sqrt()))).into();
        let svg = speed_ups("Title", &[ChartLine { name: "Rival".into(), points }]).unwrap();
        for part in ["<title>Title</title>", "Rival", "ideal: N times", "\n64\n"] {
            assert!(svg.contains(part), "{part} not in {svg}");
        }
    }
}
