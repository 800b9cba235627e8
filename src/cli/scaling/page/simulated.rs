//! The simulated searches, and their comparison with real ones.

use super::super::ScalingError;
use super::super::analysis::{Curve, CurvePoint, Panel};
use super::super::pictures::{Against, ChartLine};
use super::super::record::{Recording, ResultsFile};
use super::real::Real;
use super::{LONG_TABLES_FILE, LONG_TABLES_TITLE, ReportWriter, line, rows_of, times};
use sesame_report::markdown::{Table, or_dash, percent};

impl ReportWriter {
    pub(super) fn simulated(&mut self, recording: &Recording, panel: &Panel<'_>) -> Result<(), ScalingError> {
        self.heading("Simulated");
        self.conditions(ResultsFile::Simulated, recording);
        let curves = panel.curves();
        if curves.len() > 1 {
            self.table(&matrix(&panel.threads(), &curves));
        }
        let mut table =
            Table::new(["variant", "workers", "positions", "speed-up", "against half", "nodes in all", "same move"]);
        for (curve, point) in rows_of(&curves) {
            let half = point.threads / 2;
            let gain =
                (point.threads.is_multiple_of(2)).then(|| panel.gain(&curve.variant, half, point.threads)).flatten();
            table.row([
                curve.variant.clone(),
                point.threads.to_string(),
                point.positions.to_string(),
                times(point.per_worker),
                times(gain),
                times(point.nodes),
                or_dash(point.agreement, |share| percent(share.value)),
            ]);
        }
        self.by_variant(panel, "Speed-up", |report| {
            report.table(&table);
            Ok(())
        })?;
        self.text += SIMULATED_COLUMNS;
        let lines: Vec<ChartLine> = curves
            .iter()
            .zip(0..)
            .map(|(curve, number)| line(&curve.variant, number, curve, CurvePoint::main))
            .collect();
        let titles = ["Simulated speed-up to depth", "one worker's nodes / nodes per worker"];
        self.variants(&lines, panel.variants(), "simulated", titles, Against::Ideal)?;
        if curves.len() > 1 {
            self.against(panel, "variants")?;
        }
        if !self.long_tables.is_empty() {
            self.text += &format!("### Complete tables\n\n[{LONG_TABLES_TITLE}]({LONG_TABLES_FILE})\n\n");
        }
        Ok(())
    }

    /// Compares simulated and real results.
    pub(super) fn both(&mut self, real: &Real<'_>, panel: &Panel<'_>) -> Result<(), ScalingError> {
        let simulated = panel.curves();
        let pairs: Vec<(&Curve, &Curve)> = real
            .sesame()
            .iter()
            .flat_map(|engine| &engine.curves)
            .filter_map(|curve| Some((curve, simulated.iter().find(|other| other.variant == curve.variant)?)))
            .collect();
        if pairs.is_empty() {
            return Ok(());
        }
        self.heading("The simulation beside real threads");
        self.text += BOTH;
        let mut table =
            Table::new(["variant", "workers", "real, nodes per worker", "simulated", "real, time to depth"]);
        let mut figures = Vec::new();
        let several = pairs.len() > 1;
        for (curve, other) in pairs {
            for point in &curve.points {
                table.row([
                    curve.variant.clone(),
                    point.threads.to_string(),
                    times(point.per_worker),
                    or_dash(other.at(point.threads), |point| times(point.per_worker)),
                    times(point.speed_up),
                ]);
            }
            let lines = [
                line("simulated", 0, other, |point| point.per_worker),
                line("real, nodes", 1, curve, |point| point.per_worker),
                line("real, time", 2, curve, |point| point.speed_up),
            ];
            figures.push((curve.variant.clone(), lines));
        }
        self.table(&table);
        for ((variant, lines), number) in figures.into_iter().zip(1..) {
            let (file, title) = match several {
                true => (format!("both-{number}.svg"), format!("Simulated and real: {variant}")),
                false => ("both.svg".to_owned(), "Simulated and real".to_owned()),
            };
            self.picture(&file, &title, "times one worker", &lines, Against::Ideal)?;
        }
        Ok(())
    }
}

/// Returns the speed-ups of all variants by number of workers.
fn matrix(threads: &[u32], curves: &[Curve]) -> Table {
    let several = || threads.iter().filter(|&&threads| threads > 1);
    let mut table = Table::new(std::iter::once("speed-up".to_owned()).chain(several().map(u32::to_string)));
    for curve in curves {
        let cells = several().map(|&threads| times(curve.at(threads).and_then(CurvePoint::main)));
        table.row(std::iter::once(curve.variant.clone()).chain(cells));
    }
    table
}

const SIMULATED_COLUMNS: &str = "N workers take turns of 512 nodes: a search is one sequence of steps, the same on every machine. *Speed-up*: the \
    nodes that one worker needs to the depth, over those that each of N needs. N equally fast cores without contention for memory would have this \
    speed-up. *Against half*: the gain of the last doubling of the workers.\n\n";

const BOTH: &str = "The first two columns have the same measure: one thread's nodes over the nodes of each of N. They are comparable for similar \
    depths (below): more workers gain more in deeper searches. Real threads can do worse if they do not get equal shares of the machine.\n\n";
