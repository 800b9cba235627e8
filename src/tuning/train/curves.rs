//! The errors by epoch, as a picture.

use crate::report::chart::{Axis, Chart, Curve, Look};
use crate::tuning::TuningError;

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

/// The errors in training and held out.
pub(super) fn draw(points: &[Point]) -> Result<String, TuningError> {
    let line = |of: fn(&Point) -> Option<f64>| {
        points.iter().filter_map(|point| Some((f64::from(point.epoch), of(point)?))).collect()
    };
    let curves = vec![
        Curve::new("in training", Look::nth(0), line(|point| point.training.map(|(error, _)| error))),
        Curve::new("held out", Look::nth(2), line(|point| Some(point.held_out))),
    ];
    let epochs = points.iter().map(|point| f64::from(point.epoch));
    let errors = curves.iter().flat_map(|curve: &Curve| curve.points.iter().map(|point| point.1));
    let chart = Chart {
        title: "Mean squared error by epoch".to_owned(),
        x: Axis::round("epoch", epochs, |epoch, step| format!("{epoch:.*}", usize::from(step < 1.0))),
        y: Axis::round("error", errors, |error, step| format!("{error:.*}", (-step.log10().floor()).max(0.0) as usize)),
        curves,
        reference: None,
    };
    Ok(chart.draw()?)
}
