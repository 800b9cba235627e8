//! The report: a page of Markdown with its pictures, the same as one HTML page, and its tables for a terminal.

use std::collections::BTreeMap;

use super::analysis::{Curve, Panel, Point};
use super::pictures::{Against, Line, ratios};
use super::record::{Kind, Recording, Run};
use super::writer_table::Traffic;
use super::{ScalingError, warnings};
use crate::engine::{SmpStrategy, StrategyWord};
use sesame_report::html;
use sesame_report::markdown::{DASH, Table, Unit, grouped, or_dash, percent};
use sesame_report::statistics::Estimate;

/// The files of a report.
pub(super) struct Report {
    /// Names and contents.
    pub(super) files: Vec<(String, String)>,
    /// The tables as plain text.
    pub(super) terminal: String,
}

const TITLE: &str = "What many threads are worth";

/// The report on what there is.
pub(super) fn report(real: Option<&Recording>, simulated: Option<&Recording>) -> Result<Report, ScalingError> {
    let mut report = Writer { text: format!("# {TITLE}\n\n{INTRODUCTION}\n\n"), ..Writer::default() };
    let real = real.map(Real::new);
    let lockstep = simulated.map(|recording| Panel::new(&recording.rows, Run::Lockstep, 1));
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
    let Writer { text, pictures, terminal } = report;
    let page = html::page(TITLE, &[html::Part { file: "README.md", markdown: &text }], &pictures);
    let mut files: Vec<(String, String)> = pictures.into_iter().collect();
    files.push(("README.md".to_owned(), text));
    files.push(("report.html".to_owned(), page));
    Ok(Report { files, terminal })
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
        let depth = panel(Run::Depth);
        let curves = depth.curves();
        Self { recording, depth, table: panel(Run::Table), solution: panel(Run::Solution), curves }
    }
}

#[derive(Default)]
struct Writer {
    text: String,
    pictures: BTreeMap<String, String>,
    terminal: String,
}

impl Writer {
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
        lines: &[Line],
        against: Against,
    ) -> Result<(), ScalingError> {
        if lines.iter().any(|line| line.points.len() > 1) {
            self.pictures.insert(file.to_owned(), ratios(title, y_title, lines, against)?);
            self.text += &format!("![{title}]({file})\n\n");
        }
        Ok(())
    }

    /// The conditions of a file's searches, and its path.
    fn conditions(&mut self, kind: Kind, recording: &Recording) {
        let conditions: Vec<String> =
            recording.conditions.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let (searches, file) = (grouped(recording.rows.len() as u64), kind.file());
        self.text += &format!("{searches} searches, each a line of [{file}]({file}). {}.\n\n", conditions.join("; "));
    }

    fn real(&mut self, real: &Real<'_>) -> Result<(), ScalingError> {
        self.heading("Real threads");
        self.conditions(Kind::Real, real.recording);
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
            let lines: Vec<Line> = real
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
            self.text += "### At the table\n\nFrom searches of their own, as counting slows them.\n\n";
            self.sharing(&real.table)?;
        }
        Ok(())
    }

    fn simulated(&mut self, recording: &Recording, panel: &Panel<'_>) -> Result<(), ScalingError> {
        self.heading("Simulated");
        self.conditions(Kind::Simulated, recording);
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
        let lines: Vec<Line> =
            curves.iter().zip(0..).map(|(curve, style)| line(&curve.variant, style, curve, Point::main)).collect();
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
        if recording.rows.iter().all(|row| row.traffic.is_none()) {
            return Ok(());
        }
        self.text += "### At the table\n\n";
        self.sharing(panel)
    }

    /// Every variant against the first.
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
            lines.push(Line { name: (*variant).to_owned(), style, points });
        }
        self.table(&table);
        let title = format!("Variants against {base}");
        self.picture(picture, &title, &format!("times {base}"), &lines, Against::One("the same"))
    }

    fn sharing(&mut self, panel: &Panel<'_>) -> Result<(), ScalingError> {
        let mut table = Table::new([
            "variant",
            "workers",
            "found",
            "cut off",
            "of what is found another's",
            "of what cuts off another's",
            "author unknown",
        ]);
        for variant in panel.variants() {
            for threads in panel.threads() {
                if threads == 1 && Some(variant) != panel.variants().first() {
                    continue;
                }
                let Some(Traffic { probes, hits, foreign_hits, cut_offs, foreign_cut_offs, unknown_cut_offs }) =
                    panel.traffic(variant, threads)
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
        self.terminal += "\nAt the table\n";
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

    /// The check of the simulation: the same measure from both.
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
            let row = |panel: Option<&Panel<'_>>| panel?.alone()?.get(name)?.first().map(|row| (*row).clone());
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

/// The speed-ups of all variants, by workers.
fn matrix(threads: &[u32], curves: &[Curve]) -> Table {
    let several = || threads.iter().filter(|&&threads| threads > 1);
    let mut table = Table::new(std::iter::once("speed-up".to_owned()).chain(several().map(u32::to_string)));
    for curve in curves {
        let cells = several().map(|&threads| times(curve.at(threads).and_then(Point::main)));
        table.row(std::iter::once(curve.variant.clone()).chain(cells));
    }
    table
}

/// All points of all curves. One worker is the same in all variants, and told once.
fn rows_of<'a>(curves: &'a [Curve]) -> impl Iterator<Item = (&'a Curve, &'a Point)> {
    let points = |(curve, number): (&'a Curve, usize)| {
        curve.points.iter().filter(move |point| number == 0 || point.threads > 1).map(move |point| (curve, point))
    };
    curves.iter().zip(0..).flat_map(points)
}

fn line(name: &str, style: usize, curve: &Curve, value: impl Fn(&Point) -> Option<Estimate>) -> Line {
    let points = curve.points.iter().filter_map(|point| Some((point.threads, value(point)?))).collect();
    Line { name: name.to_owned(), style, points }
}

/// A ratio with its interval; what is exactly 1, as one against itself, without.
fn times(estimate: Option<Estimate>) -> String {
    match estimate {
        None => DASH.to_owned(),
        Some(estimate) if estimate.interval.low == 1.0 && estimate.interval.high == 1.0 => "1".to_owned(),
        Some(estimate) => Unit::Number.write_estimate(estimate),
    }
}

/// A ratio as a difference in per cent, in bold where its interval lies on one side.
fn difference(estimate: Option<Estimate>) -> String {
    or_dash(estimate, |estimate| {
        let text = Unit::Difference.write_estimate(estimate);
        if estimate.interval.contains(1.0) { text } else { format!("**{text}**") }
    })
}

const INTRODUCTION: &str = "Written by `sesame scaling` (`--page` writes it again from the results beside it). What is measured, and how, is in \
    `docs/users/scaling.md` of the program's sources. Ratios are geometric means over positions, against one thread; in brackets the interval that holds \
    95 % of 4,000 bootstrap resamples of the positions.";

const REAL_COLUMNS: &str = "*Time to depth*: one thread's time over that of N, to the same depth. *Nodes per second*, *nodes in all*: those of N threads \
    together over one thread's. *Nodes per thread*: one thread's nodes over those of each of N; time to depth is about this times the speed of each thread. *Same move*: in how many \
    searches the move was one thread's. *Cores had*: the processor time that the threads had of what they could have had; what is missing went to other \
    programs, or to waiting.\n\n";

const SIMULATED_COLUMNS: &str = "N workers take turns of 512 nodes: one search is one sequence of steps, the same on every machine. *Speed-up*: the nodes \
    that one worker needs to the depth, over those that each of N needs. It is what N equally fast cores with a memory that they do not \
    crowd would bring. *Against half*: what the last doubling of the workers has brought.\n\n";

const SHARING_COLUMNS: &str = "*Found*, *cut off*: of all look-ups. *Another's*: the entry had been written by another thread. *Unknown*: the note of \
    who wrote it had been lost.\n\n";

const SOLUTION_COLUMNS: &str = "Each search had the same time. *Time to solution*: one thread's time until it came upon a solution that it then held, over \
    that of N; a search without it counts with its whole time. Compared are positions that somebody solved and one thread did not solve at once (in 10 ms).\n\n";

const BOTH: &str = "The first two columns measure the same thing, one thread's nodes over the nodes of each of N. They are comparable as far as the depths are alike \
    (below): more workers are worth more in deeper searches. Where real threads do worse, they do not share the machine equally.\n\n";

#[cfg(test)]
mod tests {
    use super::super::record::{Conditions, ScalingRow};
    use super::*;

    fn row(run: Run, variant: &str, threads: u32, position: &str, nodes: u64, micros: u64) -> ScalingRow {
        let is_counted = matches!(run, Run::Table | Run::Lockstep);
        let traffic = Traffic {
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
            micros: (run != Run::Lockstep).then_some(micros),
            cpu_micros: (run != Run::Lockstep).then_some(micros * 8 / 10),
            best: "e2e4".into(),
            solved_micros: (run == Run::Solution).then_some(micros / 2),
            traffic: is_counted.then_some(traffic),
        }
    }

    /// Two threads that take 1.6 times the nodes but half the time, on a busy machine of one core.
    fn real() -> Recording {
        let mut rows = Vec::new();
        for (position, scale) in [("a", 1), ("b", 10)] {
            for run in [Run::Depth, Run::Solution, Run::Table] {
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
            rows.push(row(Run::Lockstep, "default", 1, position, nodes, 0));
            rows.push(row(Run::Lockstep, "default", 2, position, nodes * 5 / 4, 0));
            rows.push(row(Run::Lockstep, "default", 4, position, nodes * 2, 0));
            rows.push(row(Run::Lockstep, "same+stop", 2, position, nodes * 5 / 2, 0));
            rows.push(row(Run::Lockstep, "same+stop", 4, position, nodes * 4, 0));
        }
        Recording { conditions: Conditions::default().with("hash", "16 MiB"), rows }
    }

    fn page(report: &Report, name: &str) -> String {
        report.files.iter().find(|(file, _)| file == name).unwrap_or_else(|| panic!("no {name}")).1.clone()
    }

    #[test]
    fn both_kinds_on_one_page() {
        let report = report(Some(&real()), Some(&simulated())).unwrap();
        let text = page(&report, "README.md");
        for wanted in [
            "| default | 2 | 2 | 2.00 (2.00 to 2.00) | 3.20 (3.20 to 3.20) | 1.60 (1.60 to 1.60) | 1.25 (1.25 to 1.25) | 100.0 % | 80.0 % |",
            "**Warning**: 2 threads were asked for on 1 core:",
            "**Warning**: before the measurement 1.50 threads",
            "**Warning**: 1 thread had only 80 %",
            "**Warning**: the interval of 2 threads rests on 2 positions:",
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
    fn pictures_are_files_and_part_of_the_html() {
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
    fn one_kind_alone_and_one_worker_alone() {
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
