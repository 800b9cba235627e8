//! The errors by epoch, as a picture.

use crate::report::chart::{Axis, Chart, Curve, Look};
use crate::tuning::TuningError;

/// What one epoch came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) epoch: u32,
    /// Mean squared errors: over the epoch as it went, ...
    pub(super) training: f64,
    /// ... then on the positions held out, ...
    pub(super) held_out: f64,
    /// ... and there against the results of the games alone.
    pub(super) results: f64,
    /// Positions learnt from in a second.
    pub(super) rate: f64,
}

/// The errors in training and held out.
pub(super) fn draw(points: &[Point]) -> Result<String, TuningError> {
    let line = |of: fn(&Point) -> f64| points.iter().map(|point| (f64::from(point.epoch), of(point))).collect();
    let curves = vec![
        Curve::new("in training", Look::nth(0), line(|point| point.training)),
        Curve::new("held out", Look::nth(2), line(|point| point.held_out)),
    ];
    let epochs = points.iter().map(|point| f64::from(point.epoch));
    let errors = points.iter().flat_map(|point| [point.training, point.held_out]);
    let chart = Chart {
        title: "Mean squared error by epoch".to_owned(),
        x: Axis::round("epoch", epochs, |epoch, _| format!("{epoch}")),
        y: Axis::round("error", errors, |error, step| format!("{error:.*}", (-step.log10().floor()).max(0.0) as usize)),
        curves,
        reference: None,
    };
    Ok(chart.draw()?)
}
