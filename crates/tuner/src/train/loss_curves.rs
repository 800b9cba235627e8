//! The losses by epoch, as a table and as a chart.

use std::fmt::Write as _;

use sesame_report::chart::{Axis, Chart, Curve, CurveStyle};

use crate::TunerError;

/// The losses of one epoch. Epoch 0 is the state before training.
#[derive(Debug, Clone, Copy)]
pub(super) struct EpochLosses {
    pub(super) epoch: u32,
    /// The mean loss over the epoch, each sample before its step, and the speed.
    pub(super) training: Option<TrainingLoss>,
    /// The loss on the validation set after the epoch.
    pub(super) validation: f64,
    /// The same against the results of the games alone.
    pub(super) results: f64,
}

/// The loss and the speed of training over an epoch.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrainingLoss {
    /// Mean squared error.
    pub(super) loss: f64,
    /// Positions per second.
    pub(super) speed: f64,
}

/// The losses of all epochs so far.
#[derive(Debug, Default)]
pub(super) struct LossCurves(pub(super) Vec<EpochLosses>);

impl LossCurves {
    /// The first column of the table.
    pub(super) const FIRST_COLUMN: &'static str = "epoch,";

    /// Returns comma-separated values.
    pub(super) fn table(&self) -> String {
        let mut table = format!("{}training,validation,results,positions_per_second\n", Self::FIRST_COLUMN);
        for EpochLosses { epoch, training, validation, results } in &self.0 {
            let (loss, speed) = training.map_or_else(Default::default, |TrainingLoss { loss, speed }| {
                (format!("{loss:.7}"), format!("{speed:.0}"))
            });
            let _ = writeln!(table, "{epoch},{loss},{validation:.7},{results:.7},{speed}");
        }
        table
    }

    /// Returns the chart as SVG.
    pub(super) fn draw(&self) -> Result<String, TunerError> {
        let line = |of: fn(&EpochLosses) -> Option<f64>| {
            self.0.iter().filter_map(|losses| Some((f64::from(losses.epoch), of(losses)?))).collect()
        };
        let training = line(|losses| losses.training.map(|training| training.loss));
        let curves = vec![
            Curve::new("training", CurveStyle::nth(0), training),
            Curve::new("validation", CurveStyle::nth(2), line(|losses| Some(losses.validation))),
        ];
        let all = || curves.iter().flat_map(|curve: &Curve| &curve.points);
        let (epochs, losses) = (all().map(|point| point.0), all().map(|point| point.1));
        let decimals = |step: f64| (-step.log10().floor()).max(0.0) as usize;
        let chart = Chart {
            title: "Mean squared error by epoch".to_owned(),
            x: Axis::round("epoch", epochs, |epoch, step| format!("{epoch:.*}", usize::from(step < 1.0))),
            y: Axis::round("loss", losses, |loss, step| format!("{loss:.*}", decimals(step))),
            curves,
            reference: None,
        };
        Ok(chart.draw()?)
    }
}
