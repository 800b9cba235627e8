//! Report: a page of Markdown with its charts, the same as one HTML page, and tables for the terminal.

use std::collections::BTreeMap;

mod families;
mod real;
mod simulated;

use super::ScalingError;
use super::analysis::{Curve, CurvePoint, Panel};
use super::pictures::{Against, ChartLine, ratios};
use super::record::{Purpose, Recording, ResultsFile, SESAME};
use families::families;
use real::Real;
use sesame_report::html;
use sesame_report::markdown::{DASH, Table, Unit, grouped, or_dash};
use sesame_report::statistics::Estimate;

/// The files of a report.
pub(super) struct ScalingReport {
    /// Names and contents.
    pub(super) files: Vec<(String, String)>,
    /// The tables as plain text.
    pub(super) terminal: String,
}

const TITLE: &str = "Speed-up by threads";

/// Generates the report of the results.
pub(super) fn report(real: Option<&Recording>, simulated: Option<&Recording>) -> Result<ScalingReport, ScalingError> {
    let mut report = ReportWriter { text: format!("# {TITLE}\n\n{INTRODUCTION}\n\n"), ..ReportWriter::default() };
    let real = real.map(Real::new);
    let lockstep = simulated.map(|recording| Panel::new(&recording.rows, SESAME, Purpose::Lockstep, 1));
    if let Some(real) = &real {
        report.real(real)?;
    }
    if let (Some(recording), Some(panel)) = (simulated, &lockstep) {
        report.simulated(recording, panel)?;
    }
    if let (Some(real), Some(panel)) = (&real, &lockstep) {
        report.both(real, panel)?;
    }
    report.positions(real.as_ref(), lockstep.as_ref());
    let ReportWriter { text, long_tables, pictures, terminal } = report;
    let mut pages = vec![("README.md".to_owned(), text)];
    if !long_tables.is_empty() {
        pages.push((
            LONG_TABLES_FILE.to_owned(),
            format!("# {LONG_TABLES_TITLE}\n\n{LONG_TABLES_INTRODUCTION}\n\n{long_tables}"),
        ));
    }
    let parts: Vec<html::Part<'_>> = pages.iter().map(|(file, markdown)| html::Part { file, markdown }).collect();
    let page = html::page(TITLE, &parts, &pictures);
    let mut files: Vec<(String, String)> = pictures.into_iter().collect();
    files.extend(pages);
    files.push(("report.html".to_owned(), page));
    Ok(ScalingReport { files, terminal })
}

#[derive(Default)]
struct ReportWriter {
    text: String,
    /// The page of long tables by variant, without its title; empty if the first page has them.
    long_tables: String,
    pictures: BTreeMap<String, String>,
    terminal: String,
}

impl ReportWriter {
    fn heading(&mut self, heading: &str) {
        self.text += &format!("## {heading}\n\n");
        self.terminal += &format!("\n{heading}\n");
    }

    fn table(&mut self, table: &Table) {
        self.text += &format!("{table}\n");
        self.terminal += &format!("\n{}", table.aligned());
    }

    /// Moves what `section` writes to the page of long tables, if there are so many variants that their curves
    /// take several figures, too.
    fn by_variant(
        &mut self,
        panel: &Panel<'_>,
        heading: &str,
        section: impl FnOnce(&mut Self) -> Result<(), ScalingError>,
    ) -> Result<(), ScalingError> {
        let start = self.text.len();
        section(self)?;
        if families(panel.variants()).len() > 1 {
            let moved = self.text.split_off(start);
            self.long_tables += &format!("## {heading}\n\n{moved}");
        }
        Ok(())
    }

    fn picture(
        &mut self,
        file: &str,
        title: &str,
        y_title: &str,
        lines: &[ChartLine],
        against: Against,
    ) -> Result<(), ScalingError> {
        if lines.iter().any(|line| line.points.len() > 1) {
            self.pictures.insert(file.to_owned(), ratios(title, y_title, lines, against)?);
            self.text += &format!("![{title}]({file})\n\n");
        }
        Ok(())
    }

    /// Writes the conditions of a results file, and its path.
    fn conditions(&mut self, kind: ResultsFile, recording: &Recording) {
        let (searches, file) = (grouped(recording.rows.len() as u64), kind.name());
        self.text += &format!("{searches} lines in [{file}]({file}).\n\n");
        let mut table = Table::new(["condition", "value"]).with_text_columns(2);
        for (name, value) in recording.conditions.iter() {
            // A bar would end the cell.
            table.row([name.to_owned(), value.replace('|', "/")]);
        }
        self.text += &format!("{table}\n");
    }

    fn warnings(&mut self, lines: impl IntoIterator<Item = String>) {
        for line in lines {
            self.text += &format!("**Warning**: {line}.\n\n");
            self.terminal += &format!("warning: {line}\n");
        }
    }

    /// Draws the curves of all variants, one figure for each family.
    fn variants(
        &mut self,
        curves: &[ChartLine],
        names: &[&str],
        file: &str,
        [title, y_title]: [&str; 2],
        against: Against,
    ) -> Result<(), ScalingError> {
        for family in families(names) {
            let of_family = |(style, &number): (usize, &usize)| {
                let line = curves.iter().find(|line| line.number == number)?;
                Some(ChartLine { style, ..line.clone() })
            };
            let lines: Vec<ChartLine> = family.members.iter().enumerate().filter_map(of_family).collect();
            let title = if family.title.is_empty() { title.to_owned() } else { format!("{title}: {}", family.title) };
            self.picture(&format!("{file}{}.svg", family.suffix), &title, y_title, &lines, against)?;
        }
        Ok(())
    }

    /// Compares every variant with the first.
    fn against(&mut self, panel: &Panel<'_>, picture: &str) -> Result<(), ScalingError> {
        let (Some(&base), threads) = (panel.variants().first(), panel.threads()) else { return Ok(()) };
        self.text += &format!("### Variants against {base}\n\n");
        self.text += "**Bold**: the interval does not touch 0 %.\n\n";
        self.terminal += &format!("\nVariants against {base}\n");
        let several: Vec<u32> = threads.into_iter().filter(|&threads| threads > 1).collect();
        let heading = std::iter::once("variant".to_owned()).chain(several.iter().map(u32::to_string));
        let mut table = Table::new(heading);
        let mut lines = Vec::new();
        for (number, variant) in panel.variants().iter().enumerate().skip(1) {
            let against = |&threads: &u32| panel.against(variant, base, threads);
            table.row(
                std::iter::once((*variant).to_owned())
                    .chain(several.iter().map(|threads| difference(against(threads)))),
            );
            let points = several.iter().filter_map(|threads| Some((*threads, against(threads)?))).collect();
            lines.push(ChartLine { name: (*variant).to_owned(), number, style: number, points });
        }
        self.table(&table);
        let title = format!("Variants against {base}");
        let titles = [title.as_str(), &format!("times {base}")];
        self.variants(&lines, panel.variants(), picture, titles, Against::One("the same"))
    }

    /// Lists the positions with the depths of all engines.
    fn positions(&mut self, real: Option<&Real<'_>>, simulated: Option<&Panel<'_>>) {
        self.text += "## Positions\n\nDepth in plies, and the nodes and the time that one worker needs.\n\n";
        let engines = real.map_or(&[][..], |real| &real.engines);
        let several = engines.len() > 1;
        let name = |engine: &str, what: &str| if several { format!("{engine}: {what}") } else { what.to_owned() };
        let mut header = vec!["position".to_owned()];
        for engine in engines {
            header.extend([name(engine.name, "depth"), "nodes".to_owned(), "seconds".to_owned()]);
        }
        if simulated.is_some() {
            header.extend(["simulated: depth".to_owned(), "nodes".to_owned()]);
        }
        let mut table = Table::new(header);
        let panels = engines.iter().map(|engine| &engine.depth).chain(simulated);
        let names: std::collections::BTreeSet<&str> = panels.flat_map(Panel::positions).collect();
        for name in names {
            let row = |panel: &Panel<'_>| panel.baseline()?.get(name)?.first().map(|row| (*row).clone());
            let time = |micros: u64| format!("{:.2}", micros as f64 / 1e6);
            let mut cells = vec![name.to_owned()];
            for engine in engines {
                let row = row(&engine.depth);
                cells.push(or_dash(row.as_ref(), |row| row.depth.to_string()));
                cells.push(or_dash(row.as_ref(), |row| grouped(row.nodes)));
                cells.push(or_dash(row.as_ref().and_then(|row| row.micros), time));
            }
            if let Some(panel) = simulated {
                let row = row(panel);
                cells.push(or_dash(row.as_ref(), |row| row.depth.to_string()));
                cells.push(or_dash(row.as_ref(), |row| grouped(row.nodes)));
            }
            table.row(cells);
        }
        self.text += &table.to_string();
    }
}

/// Returns all points of all curves, with one worker only once.
fn rows_of<'a>(curves: &'a [Curve]) -> impl Iterator<Item = (&'a Curve, &'a CurvePoint)> {
    let points = |(curve, number): (&'a Curve, usize)| {
        curve.points.iter().filter(move |point| number == 0 || point.threads > 1).map(move |point| (curve, point))
    };
    curves.iter().zip(0..).flat_map(points)
}

fn line(name: &str, number: usize, curve: &Curve, value: impl Fn(&CurvePoint) -> Option<Estimate>) -> ChartLine {
    let points = curve.points.iter().filter_map(|point| Some((point.threads, value(point)?))).collect();
    ChartLine { name: name.to_owned(), number, style: number, points }
}

/// Formats a ratio with its interval; exactly 1 without.
fn times(estimate: Option<Estimate>) -> String {
    match estimate {
        None => DASH.to_owned(),
        Some(estimate) if estimate.interval.low == 1.0 && estimate.interval.high == 1.0 => "1".to_owned(),
        Some(estimate) => Unit::Number.write_estimate(estimate),
    }
}

/// Formats a ratio as a difference in per cent, in bold if its interval excludes 0.
fn difference(estimate: Option<Estimate>) -> String {
    or_dash(estimate, |estimate| {
        let text = Unit::Difference.write_estimate(estimate);
        if estimate.interval.contains(1.0) { text } else { format!("**{text}**") }
    })
}

/// The page of long tables by variant.
const LONG_TABLES_FILE: &str = "variants.md";

const LONG_TABLES_TITLE: &str = "Simulated threads, by variant";

const LONG_TABLES_INTRODUCTION: &str =
    "The complete tables. Summary, figures and conditions: [Speed-up by threads](README.md).";

const INTRODUCTION: &str = "Written by `sesame scaling`; `--page` writes it again from the results in the folder. `docs/users/scaling.md` of \
    the sources describes the method. Ratios are geometric means over positions, against one thread. Brackets have 95 % intervals, from 4,000 \
    bootstrap resamples of the positions.";

#[cfg(test)]
mod tests;
