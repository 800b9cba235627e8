//! Report: a page of Markdown with its charts, the same as one HTML page, and tables for the terminal.

use std::collections::BTreeMap;

use super::analysis::{Curve, CurvePoint, Panel};
use super::pictures::{Against, ChartLine, ratios};
use super::record::{Purpose, Recording, ResultsFile};
use super::writer_table::SharingStats;
use super::{ScalingError, warnings};
use crate::engine::{SmpStrategy, StrategyWord};
use sesame_report::html;
use sesame_report::markdown::{DASH, Table, Unit, grouped, or_dash, percent};
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
    let lockstep = simulated.map(|recording| Panel::new(&recording.rows, Purpose::Lockstep, 1));
    if let Some(real) = &real {
        report.real(real)?;
    }
    if let (Some(recording), Some(panel)) = (simulated, &lockstep) {
        report.simulated(recording, panel)?;
    }
    if let (Some(real), Some(panel)) = (&real, &lockstep) {
        report.both(real, panel)?;
    }
    report.positions(real.as_ref().map(|real| &real.depth), lockstep.as_ref());
    let ReportWriter { text, pictures, terminal } = report;
    let page = html::page(TITLE, &[html::Part { file: "README.md", markdown: &text }], &pictures);
    let mut files: Vec<(String, String)> = pictures.into_iter().collect();
    files.push(("README.md".to_owned(), text));
    files.push(("report.html".to_owned(), page));
    Ok(ScalingReport { files, terminal })
}

/// The searches by the clock.
struct Real<'a> {
    recording: &'a Recording,
    depth: Panel<'a>,
    table: Panel<'a>,
    solution: Panel<'a>,
    curves: Vec<Curve>,
}

impl<'a> Real<'a> {
    fn new(recording: &'a Recording) -> Self {
        let cores = recording.conditions.get("cores").and_then(|cores| cores.parse().ok()).unwrap_or(1);
        let panel = |run| Panel::new(&recording.rows, run, cores);
        let depth = panel(Purpose::Depth);
        let curves = depth.curves();
        Self { recording, depth, table: panel(Purpose::Table), solution: panel(Purpose::Solution), curves }
    }
}

#[derive(Default)]
struct ReportWriter {
    text: String,
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
        let conditions: Vec<String> =
            recording.conditions.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let (searches, file) = (grouped(recording.rows.len() as u64), kind.name());
        self.text += &format!("{searches} searches, each a line of [{file}]({file}). {}.\n\n", conditions.join("; "));
    }

    fn real(&mut self, real: &Real<'_>) -> Result<(), ScalingError> {
        self.heading("Real threads");
        self.conditions(ResultsFile::Real, real.recording);
        for line in warnings::after(&real.recording.conditions, &real.depth, &real.curves) {
            self.text += &format!("**Warning**: {line}.\n\n");
            self.terminal += &format!("warning: {line}\n");
        }
        let mut table = Table::new([
            "variant",
            "threads",
            "positions",
            "time to depth",
            "nodes per second",
            "nodes in all",
            "nodes per thread",
            "same move",
            "cores had",
        ]);
        for (curve, point) in rows_of(&real.curves) {
            table.row([
                curve.variant.clone(),
                point.threads.to_string(),
                point.positions.to_string(),
                times(point.speed_up),
                times(point.rate),
                times(point.nodes),
                times(point.per_worker),
                or_dash(point.agreement, |share| percent(share.value)),
                or_dash(point.cores_had, percent),
            ]);
        }
        self.table(&table);
        self.text += REAL_COLUMNS;
        if let [curve] = real.curves.as_slice() {
            let lines = [
                line("time to depth", 0, curve, |point| point.speed_up),
                line("nodes per second", 1, curve, |point| point.rate),
                line("nodes per thread", 2, curve, |point| point.per_worker),
            ];
            self.picture("real.svg", "Real threads against one", "times one thread", &lines, Against::Ideal)?;
        } else {
            let lines: Vec<ChartLine> = real
                .curves
                .iter()
                .zip(0..)
                .map(|(curve, style)| line(&curve.variant, style, curve, |point| point.speed_up))
                .collect();
            self.picture("real.svg", "Time to depth against one thread", "times one thread", &lines, Against::Ideal)?;
            self.against(&real.depth, "real-against.svg")?;
        }
        self.solutions(&real.solution);
        if !real.table.is_empty() {
            self.text +=
                "### Transposition table\n\nFrom separate searches, because the statistics slow the search.\n\n";
            self.sharing(&real.table)?;
        }
        Ok(())
    }

    fn simulated(&mut self, recording: &Recording, panel: &Panel<'_>) -> Result<(), ScalingError> {
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
        self.table(&table);
        self.text += SIMULATED_COLUMNS;
        let lines: Vec<ChartLine> =
            curves.iter().zip(0..).map(|(curve, style)| line(&curve.variant, style, curve, CurvePoint::main)).collect();
        self.picture(
            "simulated.svg",
            "Simulated speed-up to depth",
            "one worker's nodes / nodes per worker",
            &lines,
            Against::Ideal,
        )?;
        if curves.len() > 1 {
            self.against(panel, "variants.svg")?;
        }
        if recording.rows.iter().all(|row| row.sharing.is_none()) {
            return Ok(());
        }
        self.text += "### Transposition table\n\n";
        self.sharing(panel)
    }

    /// Compares every variant with the first.
    fn against(&mut self, panel: &Panel<'_>, picture: &str) -> Result<(), ScalingError> {
        let (Some(&base), threads) = (panel.variants().first(), panel.threads()) else { return Ok(()) };
        self.text += &format!("### Variants against {base}\n\n");
        let used = |word: &&StrategyWord| {
            panel.variants().iter().any(|variant| variant.split('+').any(|name| name == word.name))
        };
        for StrategyWord { name, meaning, .. } in SmpStrategy::WORDS.iter().filter(used) {
            self.text += &format!("- `{name}`: {meaning}\n");
        }
        self.text += "\n**Bold**: the interval does not touch 0 %.\n\n";
        self.terminal += &format!("\nVariants against {base}\n");
        let several: Vec<u32> = threads.into_iter().filter(|&threads| threads > 1).collect();
        let heading = std::iter::once("variant".to_owned()).chain(several.iter().map(u32::to_string));
        let mut table = Table::new(heading);
        let mut lines = Vec::new();
        for (style, variant) in panel.variants().iter().enumerate().skip(1) {
            let against = |&threads: &u32| panel.against(variant, base, threads);
            table.row(
                std::iter::once((*variant).to_owned())
                    .chain(several.iter().map(|threads| difference(against(threads)))),
            );
            let points = several.iter().filter_map(|threads| Some((*threads, against(threads)?))).collect();
            lines.push(ChartLine { name: (*variant).to_owned(), style, points });
        }
        self.table(&table);
        let title = format!("Variants against {base}");
        self.picture(picture, &title, &format!("times {base}"), &lines, Against::One("the same"))
    }

    fn sharing(&mut self, panel: &Panel<'_>) -> Result<(), ScalingError> {
        let mut table = Table::new([
            "variant",
            "workers",
            "hits",
            "cutoffs",
            "another's hits",
            "another's cutoffs",
            "writer unknown",
        ]);
        for variant in panel.variants() {
            for threads in panel.threads() {
                if threads == 1 && Some(variant) != panel.variants().first() {
                    continue;
                }
                let Some(SharingStats { probes, hits, foreign_hits, cut_offs, foreign_cut_offs, unknown_cut_offs }) =
                    panel.sharing(variant, threads)
                else {
                    continue;
                };
                let share = |part: u64, whole: u64| percent(part as f64 / whole.max(1) as f64);
                table.row([
                    (*variant).to_owned(),
                    threads.to_string(),
                    share(hits, probes),
                    share(cut_offs, probes),
                    share(foreign_hits, hits),
                    share(foreign_cut_offs, cut_offs),
                    share(unknown_cut_offs, cut_offs),
                ]);
            }
        }
        self.terminal += "\nTransposition table\n";
        self.table(&table);
        self.text += SHARING_COLUMNS;
        Ok(())
    }

    fn solutions(&mut self, panel: &Panel<'_>) {
        if panel.is_empty() {
            return;
        }
        self.text += "### Solutions\n\n";
        self.terminal += "\nSolutions\n";
        let mut table = Table::new(["variant", "threads", "positions", "solved", "compared", "time to solution"]);
        for variant in panel.variants() {
            for threads in panel.threads() {
                let Some(solving) = panel.solving(variant, threads) else { continue };
                table.row([
                    (*variant).to_owned(),
                    threads.to_string(),
                    solving.positions.to_string(),
                    percent(solving.solved),
                    solving.compared.to_string(),
                    times(solving.speed_up),
                ]);
            }
        }
        self.table(&table);
        self.text += SOLUTION_COLUMNS;
    }

    /// Compares simulated and real results.
    fn both(&mut self, real: &Real<'_>, panel: &Panel<'_>) -> Result<(), ScalingError> {
        let simulated = panel.curves();
        let pairs: Vec<(&Curve, &Curve)> = real
            .curves
            .iter()
            .filter_map(|curve| Some((curve, simulated.iter().find(|other| other.variant == curve.variant)?)))
            .collect();
        if pairs.is_empty() {
            return Ok(());
        }
        self.heading("The simulation beside real threads");
        self.text += BOTH;
        let mut table =
            Table::new(["variant", "workers", "real, nodes per worker", "simulated", "real, time to depth"]);
        let mut lines = Vec::new();
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
            let name =
                |text: &str| if real.curves.len() > 1 { format!("{}, {text}", curve.variant) } else { text.to_owned() };
            let first = lines.len();
            lines.push(line(&name("simulated"), first, other, |point| point.per_worker));
            lines.push(line(&name("real, nodes"), first + 1, curve, |point| point.per_worker));
            lines.push(line(&name("real, time"), first + 2, curve, |point| point.speed_up));
        }
        self.table(&table);
        self.picture("both.svg", "Simulated and real", "times one worker", &lines, Against::Ideal)
    }

    fn positions(&mut self, real: Option<&Panel<'_>>, simulated: Option<&Panel<'_>>) {
        self.text += "## Positions\n\nDepth in plies, and the nodes and the time that one worker needs.\n\n";
        let mut table = Table::new(["position", "depth", "nodes", "seconds", "simulated: depth", "nodes"]);
        let panels = [real, simulated];
        let names: std::collections::BTreeSet<&str> =
            panels.iter().flatten().flat_map(|panel| panel.positions()).collect();
        for name in names {
            let row = |panel: Option<&Panel<'_>>| panel?.baseline()?.get(name)?.first().map(|row| (*row).clone());
            let (real, simulated) = (row(real), row(simulated));
            let time = |micros: u64| format!("{:.2}", micros as f64 / 1e6);
            table.row([
                name.to_owned(),
                or_dash(real.as_ref(), |row| row.depth.to_string()),
                or_dash(real.as_ref(), |row| grouped(row.nodes)),
                or_dash(real.as_ref().and_then(|row| row.micros), time),
                or_dash(simulated.as_ref(), |row| row.depth.to_string()),
                or_dash(simulated.as_ref(), |row| grouped(row.nodes)),
            ]);
        }
        self.text += &table.to_string();
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

/// Returns all points of all curves, with one worker only once.
fn rows_of<'a>(curves: &'a [Curve]) -> impl Iterator<Item = (&'a Curve, &'a CurvePoint)> {
    let points = |(curve, number): (&'a Curve, usize)| {
        curve.points.iter().filter(move |point| number == 0 || point.threads > 1).map(move |point| (curve, point))
    };
    curves.iter().zip(0..).flat_map(points)
}

fn line(name: &str, style: usize, curve: &Curve, value: impl Fn(&CurvePoint) -> Option<Estimate>) -> ChartLine {
    let points = curve.points.iter().filter_map(|point| Some((point.threads, value(point)?))).collect();
    ChartLine { name: name.to_owned(), style, points }
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

const INTRODUCTION: &str = "Written by `sesame scaling`; `--page` writes it again from the results in the folder. `docs/users/scaling.md` of \
    the sources describes the method. Ratios are geometric means over positions, against one thread. Brackets have 95 % intervals, from 4,000 \
    bootstrap resamples of the positions.";

const REAL_COLUMNS: &str = "*Time to depth*: one thread's time over that of N, to the same depth. *Nodes per second*, *nodes in all*: those of \
    N threads over one thread's. *Nodes per thread*: one thread's nodes over those of each of N; time to depth is about this times the \
    speed of each thread. *Same move*: share of the searches with one thread's best move. *Cores had*: the processor time of the threads over \
    the time of their cores; the rest went to other programs or to waiting.\n\n";

const SIMULATED_COLUMNS: &str = "N workers take turns of 512 nodes: a search is one sequence of steps, the same on every machine. *Speed-up*: the \
    nodes that one worker needs to the depth, over those that each of N needs. N equally fast cores without contention for memory would have this \
    speed-up. *Against half*: the gain of the last doubling of the workers.\n\n";

const SHARING_COLUMNS: &str = "*Hits*, *cutoffs*: shares of all probes. *Another's*: the share with an entry of another thread. *Writer unknown*: the \
    record of the writer was lost.\n\n";

const SOLUTION_COLUMNS: &str = "All searches had the same time. *Time to solution*: one thread's time until a solution that it then held, over that of \
    N; a search without one counts with its whole time. *Compared* are positions that were solved, but not at once (in 10 ms) by one thread.\n\n";

const BOTH: &str = "The first two columns have the same measure: one thread's nodes over the nodes of each of N. They are comparable for similar \
    depths (below): more workers gain more in deeper searches. Real threads can do worse if they do not get equal shares of the machine.\n\n";

#[cfg(test)]
mod tests {
    use super::super::record::{Conditions, ScalingRow};
    use super::*;

    fn row(run: Purpose, variant: &str, threads: u32, position: &str, nodes: u64, micros: u64) -> ScalingRow {
        let is_counted = matches!(run, Purpose::Table | Purpose::Lockstep);
        let sharing = SharingStats {
            probes: 1000,
            hits: 400,
            foreign_hits: 100,
            cut_offs: 200,
            foreign_cut_offs: 80,
            unknown_cut_offs: 0,
        };
        ScalingRow {
            run,
            variant: variant.into(),
            threads,
            round: 1,
            position: position.into(),
            depth: 9,
            nodes,
            micros: (run != Purpose::Lockstep).then_some(micros),
            cpu_micros: (run != Purpose::Lockstep).then_some(micros * 8 / 10),
            best: "e2e4".into(),
            solved_micros: (run == Purpose::Solution).then_some(micros / 2),
            sharing: is_counted.then_some(sharing),
        }
    }

    /// Returns results of two threads with 1.6 times the nodes in half the time, on a busy machine of one core.
    fn real() -> Recording {
        let mut rows = Vec::new();
        for (position, scale) in [("a", 1), ("b", 10)] {
            for run in [Purpose::Depth, Purpose::Solution, Purpose::Table] {
                rows.push(row(run, "default", 1, position, 1_000_000 * scale, 1_000_000 * scale));
                rows.push(row(run, "default", 2, position, 1_600_000 * scale, 500_000 * scale));
            }
        }
        let conditions = Conditions::default().with("cores", 1).with("load before", "1.50");
        Recording { conditions, rows }
    }

    fn simulated() -> Recording {
        let mut rows = Vec::new();
        for (position, nodes) in [("a", 100_000), ("b", 200_000)] {
            rows.push(row(Purpose::Lockstep, "default", 1, position, nodes, 0));
            rows.push(row(Purpose::Lockstep, "default", 2, position, nodes * 5 / 4, 0));
            rows.push(row(Purpose::Lockstep, "default", 4, position, nodes * 2, 0));
            rows.push(row(Purpose::Lockstep, "same+stop", 2, position, nodes * 5 / 2, 0));
            rows.push(row(Purpose::Lockstep, "same+stop", 4, position, nodes * 4, 0));
        }
        Recording { conditions: Conditions::default().with("hash", "16 MiB"), rows }
    }

    fn page(report: &ScalingReport, name: &str) -> String {
        report.files.iter().find(|(file, _)| file == name).unwrap_or_else(|| panic!("no {name}")).1.clone()
    }

    #[test]
    fn both_kinds_on_one_page() {
        let report = report(Some(&real()), Some(&simulated())).unwrap();
        let text = page(&report, "README.md");
        for wanted in [
            "| default | 2 | 2 | 2.00 (2.00 to 2.00) | 3.20 (3.20 to 3.20) | 1.60 (1.60 to 1.60) | 1.25 (1.25 to 1.25) | 100.0 % | 80.0 % |",
            "**Warning**: 2 threads on 1 core:",
            "**Warning**: the machine was busy before the measurement: 1.50",
            "**Warning**: 1 thread had only 80 %",
            "**Warning**: the interval of 2 threads is not reliable: it has only 2 positions",
            "| default | 2 | 2 | 100.0 % | 2 | 2.00 (2.00 to 2.00) |",
            "| default | 2 | 40.0 % | 20.0 % | 25.0 % | 40.0 % | 0.0 % |",
            "| default | 2 | 2 | 1.60 (1.60 to 1.60) | 1.60 (1.60 to 1.60) | 1.25 (1.25 to 1.25) | 100.0 % |",
            "| same+stop | 0.80 (0.80 to 0.80) | 1 |",
            "| same+stop | **−50.0 % (−50.0 to −50.0)** | **−50.0 % (−50.0 to −50.0)** |",
            "- `stop`: ",
            "| default | 2 | 1.25 (1.25 to 1.25) | 1.60 (1.60 to 1.60) | 2.00 (2.00 to 2.00) |",
            "| b | 9 | 10,000,000 | 10.00 | 9 | 200,000 |",
        ] {
            assert!(text.contains(wanted), "{wanted} not in\n{text}");
        }
        for wrong in ["NaN", "inf"] {
            assert!(!text.contains(wrong), "{wrong} in\n{text}");
        }
        assert!(report.terminal.contains("same+stop") && !report.terminal.contains("**"), "{}", report.terminal);
    }

    #[test]
    fn charts_are_files_and_in_the_html() {
        let report = report(Some(&real()), Some(&simulated())).unwrap();
        let html = page(&report, "report.html");
        for name in ["real.svg", "simulated.svg", "variants.svg", "both.svg"] {
            let svg = page(&report, name);
            let parsed = roxmltree::Document::parse(&svg).unwrap();
            assert_eq!(parsed.root_element().tag_name().name(), "svg");
            assert!(html.contains(svg.trim()), "{name}");
        }
        assert!(
            !html.contains("<img") && !html.contains("src=") && !html.contains("href=\"http"),
            "it needs nothing else"
        );
    }

    #[test]
    fn report_needs_only_one_kind_of_results() {
        let only = |recording: &Recording, threads: u32| {
            let rows = recording.rows.iter().filter(|row| row.threads <= threads).cloned().collect();
            Recording { rows, ..recording.clone() }
        };
        for threads in [1, 2] {
            let real = report(Some(&only(&real(), threads)), None).unwrap();
            assert!(!page(&real, "README.md").contains("## Simulated"));
            assert_eq!(real.files.iter().any(|(name, _)| name == "real.svg"), threads > 1);
            let simulated = report(None, Some(&only(&simulated(), threads))).unwrap();
            assert!(!page(&simulated, "README.md").contains("## Real"));
        }
    }
}
