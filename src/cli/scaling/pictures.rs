//! Speed-up charts with intervals.

use sesame_report::ChartError;
use sesame_report::chart::{Axis, Chart, Curve, CurveStyle, PlotMode, Reference};
use sesame_report::statistics::Estimate;

/// A line of a chart: its values by number of workers.
#[derive(Clone, Debug)]
pub(super) struct ChartLine {
    pub(super) name: String,
    /// The number of the curve among all of its kind, from 0.
    pub(super) number: usize,
    /// The index of the style.
    pub(super) style: usize,
    pub(super) points: Vec<(u32, Estimate)>,
}

/// The reference of a chart.
#[derive(Copy, Clone, Debug)]
pub(super) enum Against {
    /// A linear speed-up.
    Ideal,
    /// The level 1, with this label.
    One(&'static str),
    /// The level 1 of shares from 0 to 1, with this label. The axis is linear.
    All(&'static str),
}

impl Against {
    /// Returns the height of a value.
    fn height(self, value: f64) -> f64 {
        if matches!(self, Against::All(_)) { value } else { value.log2() }
    }
}

/// Draws ratios or shares by number of workers. The axes of workers and ratios are logarithmic.
pub(super) fn ratios(title: &str, y_title: &str, lines: &[ChartLine], against: Against) -> Result<String, ChartError> {
    let threads = || lines.iter().flat_map(|line| line.points.iter().map(|point| point.0));
    let (least, most) = (threads().min().unwrap_or(1), threads().max().unwrap_or(1).max(2));
    let dodge = |number: usize| {
        // Slightly shifted, so that intervals do not overlap.
        let middle = (lines.len() as f64 - 1.0) / 2.0;
        (number as f64 - middle) * f64::from(most).log2() * 0.06 / lines.len().max(3) as f64
    };
    let curve = |(line, number): (&ChartLine, usize)| {
        let x = |threads: u32| f64::from(threads).log2() + dodge(number);
        let spans = |point: &&(u32, Estimate)| point.1.interval.high > point.1.interval.low * 1.000_001;
        let span = |&(threads, estimate): &(u32, Estimate)| {
            (x(threads), against.height(estimate.interval.low), against.height(estimate.interval.high))
        };
        Curve {
            name: line.name.clone(),
            style: CurveStyle::nth(line.style),
            points: line
                .points
                .iter()
                .map(|&(threads, estimate)| (x(threads), against.height(estimate.value)))
                .collect(),
            error_bars: line.points.iter().filter(spans).map(span).collect(),
            mode: PlotMode::LineAndMarkers,
        }
    };
    let curves: Vec<Curve> = lines.iter().zip(0..).map(curve).collect();
    let ends = lines.iter().flat_map(|line| &line.points).flat_map(|point| {
        [point.1.value, point.1.interval.low, point.1.interval.high].into_iter().filter(|value| *value > 0.0)
    });
    let (low, high) =
        ends.chain([1.0]).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), end| (low.min(end), high.max(end)));
    let high = if matches!(against, Against::Ideal) { high.max(f64::from(most)) } else { high };
    let ends_of_x = (f64::from(least).log2(), f64::from(most).log2());
    let margin = 0.05 * (ends_of_x.1 - ends_of_x.0).max(1.0);
    let mut ticks: Vec<u32> = threads().collect();
    ticks.sort_unstable();
    ticks.dedup();
    let x = Axis {
        title: "workers".to_owned(),
        ticks: ticks.into_iter().map(|threads| (f64::from(threads).log2(), threads.to_string())).collect(),
        range: ends_of_x.0 - margin..ends_of_x.1 + margin,
    };
    let reference = match against {
        Against::Ideal => Reference::Line([ends_of_x.0, ends_of_x.1].map(|end| (end, end)), "ideal".to_owned()),
        Against::One(meaning) => Reference::Level(0.0, meaning.to_owned()),
        Against::All(meaning) => Reference::Level(1.0, meaning.to_owned()),
    };
    let y = if matches!(against, Against::All(_)) { share_axis(y_title) } else { ratio_axis(y_title, low, high) };
    Chart { title: title.to_owned(), x, y, curves, reference: Some(reference) }.draw()
}

/// Returns a linear axis for shares from 0 to 1.
fn share_axis(title: &str) -> Axis {
    let ticks = (0..=10).map(|tenth| (f64::from(tenth) / 10.0, format!("{} %", 10 * tenth))).collect();
    Axis { title: title.to_owned(), ticks, range: 0.0..1.02 }
}

/// Returns a logarithmic axis for ratios, with more labels for a smaller range.
fn ratio_axis(title: &str, low: f64, high: f64) -> Axis {
    let width = (high / low).log2();
    let all: Vec<f64> = match width {
        _ if width > 3.3 => (-8..=10).map(|power| 2f64.powi(power)).collect(),
        _ if width > 1.4 => {
            vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0]
        }
        _ if width > 0.5 => (1..100).map(|tenth| f64::from(tenth) / 10.0).collect(),
        _ => (1..200).map(|step| f64::from(step) / 20.0).collect(),
    };
    let first = all.iter().rev().find(|&&tick| tick <= low * 1.001).copied().unwrap_or(low);
    let last = all.iter().find(|&&tick| tick >= high * 0.999 && tick > first).copied().unwrap_or(high);
    let write = |value: f64| {
        let text = format!("{value:.2}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    let within = all.into_iter().filter(|tick| (first..=last).contains(tick));
    Axis {
        title: title.to_owned(),
        ticks: within.map(|tick| (tick.log2(), write(tick))).collect(),
        range: first.log2()..last.log2().max(first.log2() + 0.01),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sesame_report::statistics::Interval;

    fn estimate(value: f64) -> Estimate {
        Estimate { value, interval: Interval { low: value * 0.9, high: value * 1.1 } }
    }

    #[test]
    fn axes_include_their_values() {
        for (low, high) in [(1.0, 1.0), (0.97, 1.04), (1.0, 2.0), (0.8, 3.9), (1.0, 8.0), (0.4, 256.0), (0.5, 1.0)] {
            let axis = ratio_axis("", low, high);
            assert!(axis.range.start <= low.log2() + 0.01 && high.log2() - 0.01 <= axis.range.end, "{low} {high}");
            let labels: Vec<&str> = axis.ticks.iter().map(|tick| tick.1.as_str()).collect();
            assert!((2..=22).contains(&labels.len()), "{low} {high}: {labels:?}");
            assert!(axis.ticks.windows(2).all(|pair| pair[0].0 < pair[1].0), "{labels:?}");
            assert!(labels.contains(&"1"), "{labels:?}");
        }
    }

    #[test]
    fn charts_of_each_kind() {
        let lines = [
            ChartLine {
                name: "measured".into(),
                number: 0,
                style: 0,
                points: vec![(1, estimate(1.0)), (2, estimate(1.5))],
            },
            ChartLine {
                name: "simulated".into(),
                number: 9,
                style: 9,
                points: [1, 2, 4, 64].map(|n| (n, estimate(f64::from(n).sqrt()))).into(),
            },
        ];
        for against in [Against::Ideal, Against::One("default")] {
            let svg = ratios("Title", "times", &lines, against).unwrap();
            assert!(
                svg.contains("<title>Title</title>") && svg.contains("simulated") && svg.contains("\n64\n"),
                "{svg}"
            );
        }
        assert!(ratios("Title", "times", &[], Against::Ideal).is_ok());
        let never = Estimate { value: 0.0, interval: Interval { low: 0.0, high: 0.0 } };
        let lines =
            [ChartLine { name: "never".into(), number: 0, style: 0, points: vec![(1, estimate(0.9)), (2, never)] }];
        let svg = ratios("Title", "share", &lines, Against::All("always")).unwrap();
        assert!(svg.contains("\n50 %\n") && svg.contains("\nalways\n"), "{svg}");
    }
}
