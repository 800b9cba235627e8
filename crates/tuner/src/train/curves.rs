//! The errors by epoch, as a table and as a picture.

use std::fmt::Write as _;

use super::model::Model;
use sesame_report::chart::{Axis, Chart, Curve, Look};
use crate::TuningError;

/// What is told of a training while it goes on.
pub(super) enum Report<'a> {
    /// A part of the warm-up is over.
    WarmUp(Taught),
    /// An epoch is over, and the network is this.
    Epoch(&'a Model, Point),
}

/// A part of the warm-up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Taught {
    /// How much of the warm-up was done in the end (above 0, up to 1).
    pub(super) done: f64,
    /// The mean squared error against what the teacher says, over the part as it went.
    pub(super) error: f64,
    /// Positions learnt from in a second.
    pub(super) rate: f64,
}

/// What one epoch came to; epoch 0 is what was before the games.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) epoch: u32,
    /// The mean squared error over the epoch as it went, and the positions learnt from in a second.
    pub(super) training: Option<(f64, f64)>,
    /// The error then on the positions held out, ...
    pub(super) held_out: f64,
    /// ... and there against the results of the games alone.
    pub(super) results: f64,
}

/// All errors so far. The warm-up lies between the epochs -1 and 0.
#[derive(Debug, Default)]
pub(super) struct Curves {
    pub(super) warm_up: Vec<Taught>,
    pub(super) points: Vec<Point>,
}

impl Curves {
    /// As comma-separated values.
    pub(super) fn table(&self) -> String {
        let mut table = String::from("epoch,warm_up,training,held_out,results,positions_per_second\n");
        for Taught { done, error, rate } in &self.warm_up {
            let _ = writeln!(table, "{:.2},{error:.7},,,,{rate:.0}", done - 1.0);
        }
        for Point { epoch, training, held_out, results } in &self.points {
            let (error, rate) =
                training.map_or_else(Default::default, |(error, rate)| (format!("{error:.7}"), format!("{rate:.0}")));
            let _ = writeln!(table, "{epoch},,{error},{held_out:.7},{results:.7},{rate}");
        }
        table
    }

    /// As a picture.
    pub(super) fn draw(&self) -> Result<String, TuningError> {
        let line = |of: fn(&Point) -> Option<f64>| {
            self.points.iter().filter_map(|point| Some((f64::from(point.epoch), of(point)?))).collect()
        };
        let mut curves = vec![
            Curve::new("in training", Look::nth(0), line(|point| point.training.map(|(error, _)| error))),
            Curve::new("held out", Look::nth(2), line(|point| Some(point.held_out))),
        ];
        let mut title = "Mean squared error by epoch".to_owned();
        if !self.warm_up.is_empty() {
            let taught = self.warm_up.iter().map(|part| (part.done - 1.0, part.error)).collect();
            curves.insert(0, Curve::new("warm-up, to the teacher", Look::nth(1), taught));
            title += ", the warm-up before 0";
        }
        let all = || curves.iter().flat_map(|curve: &Curve| &curve.points);
        let (epochs, errors) = (all().map(|point| point.0), all().map(|point| point.1));
        let decimals = |step: f64| (-step.log10().floor()).max(0.0) as usize;
        let chart = Chart {
            title,
            x: Axis::round("epoch", epochs, |epoch, step| format!("{epoch:.*}", usize::from(step < 1.0))),
            y: Axis::round("error", errors, |error, step| format!("{error:.*}", decimals(step))),
            curves,
            reference: None,
        };
        Ok(chart.draw()?)
    }
}
