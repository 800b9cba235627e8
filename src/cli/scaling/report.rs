//! Report: a Markdown page with charts, the same page as HTML, the figures as JSON, and tables for the terminal.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::curves::{Curve, CurvePoint, curves, others};
use super::results::{CSV, Measurement, SESAME};
use super::{charts, warnings};
use crate::cli::arguments::logical_cores;
use crate::cli::json;
use crate::engine::Network;
use sesame_report::markdown::{DASH, Table, Unit, grouped, or_dash, percent};
use sesame_report::statistics::{Estimate, Interval};
use sesame_report::{ChartError, html};

pub(super) struct ScalingReport {
    pub(super) files: Vec<(String, String)>,
    pub(super) terminal: String,
    pub(super) json: String,
}

/// All files that a report can have.
pub(super) const FILES: [&str; 6] = [PAGE, HTML, JSON, RATES, TIMES, SIMULATED_TIMES];

const PAGE: &str = "README.md";
const HTML: &str = "report.html";
const JSON: &str = "results.json";
const RATES: &str = "nodes-per-second.svg";
const TIMES: &str = "time-to-depth.svg";
const SIMULATED_TIMES: &str = "simulated.svg";

const TITLE: &str = "Speed-up by threads";

pub(super) fn report(real: Option<&Measurement>, simulated: Option<&Measurement>) -> Result<ScalingReport, ChartError> {
    let [real_curves, simulated_curves] =
        [real, simulated].map(|found| found.map_or_else(Vec::new, |found| curves(found, logical_cores())));
    let disturbed = real.and_then(|found| others(found.rows.iter())).filter(|&share| share > warnings::NOISY);
    let verdict = verdict(&real_curves, simulated_curves.first(), disturbed);
    let mut report = ReportWriter {
        text: format!("# {TITLE}\n\n{verdict}\n\n{INTRODUCTION}\n\n"),
        terminal: format!("{verdict}\n"),
        ..ReportWriter::default()
    };
    let program = json::program(&Network::embedded());
    let figures = [("schema", json!(json::SCHEMA)), ("program", json!(program)), ("verdict", json!(verdict))];
    let mut figures: Map<String, Value> = figures.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    if let Some(measurement) = real {
        report.real(measurement, &real_curves)?;
        figures.insert("real".to_owned(), report.figures(measurement, &real_curves));
    }
    if let (Some(measurement), Some(curve)) = (simulated, simulated_curves.first()) {
        report.simulated(measurement, curve)?;
        figures.insert("simulated".to_owned(), report.figures(measurement, &simulated_curves));
        if let Some(real) = real_curves.iter().find(|curve| curve.engine == SESAME) {
            report.both(real, curve);
        }
    }
    report.positions(&real_curves, simulated_curves.first());
    let ReportWriter { text, pictures, terminal, .. } = report;
    let page = html::page(TITLE, &text, &pictures);
    let mut files: Vec<(String, String)> = pictures.into_iter().collect();
    files.push((PAGE.to_owned(), text));
    files.push((HTML.to_owned(), page));
    let json = format!("{:#}\n", Value::Object(figures));
    files.push((JSON.to_owned(), json.clone()));
    Ok(ScalingReport { files, terminal, json })
}

/// Says in one sentence how much faster the most threads are, after the share of processor time that disturbed the run.
fn verdict(real: &[Curve<'_>], simulated: Option<&Curve<'_>>, disturbed: Option<f64>) -> String {
    let clause = |curve: &Curve<'_>, verb: &str, value: fn(&CurvePoint) -> Option<Estimate>| {
        let point = curve.points.last().filter(|point| point.threads > 1)?;
        let (engine, threads, ratio) = (curve.engine, point.threads, times(Some(value(point)?)));
        Some(format!("{engine} {verb} the same depth {ratio} times as fast with {threads} threads as with one"))
    };
    let caution = disturbed.map_or_else(String::new, |share| {
        format!("Not reliable, as other programs used {} of the processor time: ", percent(share))
    });
    let real: Vec<String> = real.iter().filter_map(|curve| clause(curve, "reaches", |point| point.speed_up)).collect();
    let real = (!real.is_empty()).then(|| format!("{caution}{}", real.join("; ")));
    let simulated = simulated.and_then(|curve| clause(curve, "in the simulation reaches", |point| point.per_thread));
    match real.into_iter().chain(simulated).collect::<Vec<_>>().as_slice() {
        [] => "No engine has results with more than one thread.".to_owned(),
        sentences => format!("{}.", sentences.join(". ")),
    }
}

#[derive(Default)]
struct ReportWriter {
    text: String,
    pictures: BTreeMap<String, String>,
    terminal: String,
    warnings: Vec<String>,
}

impl ReportWriter {
    fn section(&mut self, heading: &str, measurement: &Measurement, curves: &[Curve<'_>]) {
        self.heading(heading);
        self.text += &format!("{} searches in [{CSV}]({CSV}).\n\n", grouped(measurement.rows.len() as u64));
        let mut table = Table::new(["condition", "value"]).with_text_columns(2);
        for (name, value) in &measurement.conditions {
            // A bar would end the cell.
            table.row([(*name).to_owned(), value.replace('|', "/")]);
        }
        self.text += &format!("{table}\n");
        self.warnings = warnings::of(measurement, curves);
        for line in &self.warnings {
            self.text += &format!("**Warning**: {line}.\n\n");
            self.terminal += &format!("warning: {line}\n");
        }
    }

    fn heading(&mut self, heading: &str) {
        self.text += &format!("## {heading}\n\n");
        self.terminal += &format!("\n{heading}\n");
    }

    fn table(&mut self, table: &Table, explanation: &str) {
        self.text += &format!("{table}\n{explanation}\n\n");
        self.terminal += &format!("\n{}", table.aligned());
    }

    fn chart(
        &mut self,
        file: &str,
        measure: &str,
        curves: &[Curve<'_>],
        value: fn(&CurvePoint) -> Option<Estimate>,
    ) -> Result<(), ChartError> {
        if let Some((title, svg)) = charts::speed_up(measure, curves, value)? {
            self.pictures.insert(file.to_owned(), svg);
            self.text += &format!("![{title}]({file})\n\n");
        }
        Ok(())
    }

    fn real(&mut self, measurement: &Measurement, curves: &[Curve<'_>]) -> Result<(), ChartError> {
        self.section("Real threads", measurement, curves);
        let mut table = Table::new(["engine"].into_iter().chain(REAL.iter().map(|column| column.0)));
        for curve in curves {
            for point in &curve.points {
                let cells = REAL.iter().map(|(_, cell)| cell(point));
                table.row([curve.engine.to_owned()].into_iter().chain(cells));
            }
        }
        self.table(&table, REAL_COLUMNS);
        self.chart(RATES, "nodes per second", curves, |point| point.rate)?;
        self.chart(TIMES, "time to the same depth", curves, |point| point.speed_up)
    }

    fn simulated(&mut self, measurement: &Measurement, curve: &Curve<'_>) -> Result<(), ChartError> {
        let curves = std::slice::from_ref(curve);
        self.section("Simulated threads", measurement, curves);
        let mut table = Table::new(SIMULATED.iter().map(|column| column.0));
        for point in &curve.points {
            table.row(SIMULATED.iter().map(|(_, cell)| cell(point)));
        }
        self.table(&table, SIMULATED_COLUMNS);
        self.chart(SIMULATED_TIMES, "simulated, to the same depth", curves, |point| point.per_thread)
    }

    fn both(&mut self, real: &Curve<'_>, simulated: &Curve<'_>) {
        self.heading("The simulation beside real threads");
        let mut table = Table::new(["threads", "real, nodes per thread", "simulated", "real, time to depth"]);
        for point in &real.points {
            let other = simulated.points.iter().find(|other| other.threads == point.threads);
            table.row([
                point.threads.to_string(),
                times(point.per_thread),
                or_dash(other, |other| times(other.per_thread)),
                times(point.speed_up),
            ]);
        }
        self.table(&table, BOTH);
    }

    fn positions(&mut self, real: &[Curve<'_>], simulated: Option<&Curve<'_>>) {
        self.text += "## Positions\n\nDepth in plies, and the nodes and the time that one thread needs.\n\n";
        let mut header = vec!["position".to_owned()];
        for curve in real {
            header.extend([format!("{}: depth", curve.engine), "nodes".to_owned(), "seconds".to_owned()]);
        }
        if simulated.is_some() {
            header.extend(["simulated: depth".to_owned(), "nodes".to_owned()]);
        }
        let mut table = Table::new(header);
        let names: BTreeSet<&str> =
            real.iter().chain(simulated).flat_map(|curve| curve.baseline.keys().copied()).collect();
        for name in names {
            let mut cells = vec![name.to_owned()];
            for curve in real.iter().chain(simulated) {
                let row = curve.baseline.get(name);
                cells.push(or_dash(row, |row| row.depth.to_string()));
                cells.push(or_dash(row, |row| grouped(row.nodes)));
                if simulated.is_none_or(|simulated| !std::ptr::eq(curve, simulated)) {
                    let micros = row.and_then(|row| row.micros);
                    cells.push(or_dash(micros, |micros| format!("{:.2}", micros as f64 / 1e6)));
                }
            }
            table.row(cells);
        }
        self.text += &table.to_string();
    }

    fn figures(&self, measurement: &Measurement, curves: &[Curve<'_>]) -> Value {
        let estimate = |estimate: Option<Estimate>| {
            estimate.map(|Estimate { value, interval }| {
                json!({"value": value, "low": interval.map(|ends| ends.low), "high": interval.map(|ends| ends.high)})
            })
        };
        let point = |point: &CurvePoint| {
            json!({
                "threads": point.threads,
                "positions": point.positions,
                "nodes_per_second": estimate(point.speed),
                "nodes_per_second_ratio": estimate(point.rate),
                "time_to_depth": estimate(point.speed_up),
                "nodes_in_all": estimate(point.nodes),
                "nodes_per_thread": estimate(point.per_thread),
                "same_move": estimate(point.agreement),
                "cores_had": point.cores_had,
                "others": point.others,
            })
        };
        let engine = |curve: &Curve<'_>| json!({"name": curve.engine, "points": curve.points.iter().map(point).collect::<Vec<_>>()});
        let conditions = measurement.conditions.iter().map(|(name, value)| json!({"name": name, "value": value}));
        let dropped = measurement.dropped.iter().map(|(name, reason)| json!({"engine": name, "reason": reason}));
        json!({
            "conditions": conditions.collect::<Vec<_>>(),
            "engines": curves.iter().map(engine).collect::<Vec<_>>(),
            "dropped": dropped.collect::<Vec<_>>(),
            "warnings": self.warnings,
        })
    }
}

type Column = (&'static str, fn(&CurvePoint) -> String);

const REAL: &[Column] = &[
    ("threads", |point| point.threads.to_string()),
    ("positions", |point| point.positions.to_string()),
    ("million nodes per second", |point| or_dash(point.speed, |speed| Unit::Number.write_estimate(millions(speed)))),
    ("nodes per second", |point| times(point.rate)),
    ("time to depth", |point| times(point.speed_up)),
    ("nodes in all", |point| times(point.nodes)),
    ("nodes per thread", |point| times(point.per_thread)),
    ("same move", |point| or_dash(point.agreement, share)),
    ("cores had", |point| or_dash(point.cores_had, percent)),
    ("others", |point| or_dash(point.others, percent)),
];

const SIMULATED: &[Column] = &[
    ("threads", |point| point.threads.to_string()),
    ("positions", |point| point.positions.to_string()),
    ("speed-up", |point| times(point.per_thread)),
    ("against half", |point| times(point.against_half)),
    ("nodes in all", |point| times(point.nodes)),
    ("same move", |point| or_dash(point.agreement, share)),
];

/// Includes an interval, unless the ratio is exactly 1.
fn times(estimate: Option<Estimate>) -> String {
    match estimate {
        None => DASH.to_owned(),
        Some(Estimate { value, interval })
            if interval.map_or(value == 1.0, |ends| ends.low == 1.0 && ends.high == 1.0) =>
        {
            "1".to_owned()
        }
        Some(estimate) => Unit::Number.write_estimate(estimate),
    }
}

fn share(estimate: Estimate) -> String {
    match estimate.interval.filter(|ends| ends.low != ends.high) {
        None => percent(estimate.value),
        Some(ends) => format!("{} ({:.0} to {:.0})", percent(estimate.value), 100.0 * ends.low, 100.0 * ends.high),
    }
}

fn millions(mut speed: Estimate) -> Estimate {
    speed.value /= 1e6;
    speed.interval = speed.interval.map(|Interval { low, high }| Interval { low: low / 1e6, high: high / 1e6 });
    speed
}

const INTRODUCTION: &str = "Written by `sesame scaling`. `docs/users/scaling.md` of the sources describes the method. Ratios are geometric means \
    over positions, against one thread. Brackets have 95 % intervals, from 4,000 bootstrap resamples of the positions; one position gives none. `results.json` has \
    the figures for programs.";

const REAL_COLUMNS: &str = "Each engine searches to depths of its own, and is compared with its own single thread. \
    *Million nodes per second*: geometric mean over the positions; engines count nodes differently. *Time to depth*: one \
    thread's time over that of N, to the same depth. *Nodes per second*, *nodes in all*: those of N threads over one \
    thread's. *Ideal*: N threads are N times as fast. An engine can be above it, because several threads search other nodes \
    than one, and some nodes take less time than others. *Nodes per thread*: one thread's nodes over those of each of N; \
    time to depth is about this times the speed of each thread. *Same move*: share of the searches with one thread's best \
    move. *Cores had*: the processor time of the threads over the time of their cores; the rest went to other programs or to \
    waiting. *Others*: share of all processors' time that other programs had meanwhile.";

const SIMULATED_COLUMNS: &str = "N threads take turns of 512 nodes: a search is one sequence of steps, the same on every machine. *Speed-up*: \
    the nodes that one thread needs to the depth, over those that each of N needs. N equally fast cores without contention for memory \
    would have this speed-up. *Against half*: the gain of the last doubling of the threads.";

const BOTH: &str = "The first two columns have the same measure: one thread's nodes over the nodes of each of N. They are comparable for \
    similar depths (below): more threads gain more in deeper searches. Real threads can do worse if they do not get equal shares of the \
    machine.";

#[cfg(test)]
mod tests {
    use super::super::curves::tests::row;
    use super::super::results::Row;
    use super::*;

    fn text<'a>(report: &'a ScalingReport, name: &str) -> &'a str {
        &report.files.iter().find(|(file, _)| file == name).unwrap_or_else(|| panic!("no {name}")).1
    }

    /// Returns results of two threads with 1.6 times the nodes in half the time, beside an engine with half the
    /// time again and a broken one.
    fn real() -> Measurement {
        let engines = [SESAME, "Rival 1.0", "Broken"].map(str::to_owned).to_vec();
        let mut measurement = Measurement { engines, ..Measurement::default() };
        for (position, scale) in [("a", 1), ("b", 10)] {
            measurement.rows.push(row(SESAME, 1, position, 1_000_000 * scale, 1_000_000 * scale));
            measurement.rows.push(row(SESAME, 2, position, 1_600_000 * scale, 500_000 * scale));
            measurement.rows.push(row("Rival 1.0", 1, position, 1_000_000 * scale, 1_000_000 * scale));
            measurement.rows.push(row("Rival 1.0", 2, position, 1_600_000 * scale, 250_000 * scale));
        }
        measurement.conditions.push(("engine", "Rival 1.0 (rival --uci; A|B=c)".to_owned()));
        measurement.dropped.push(("Broken".to_owned(), "no bestmove within 9 s".to_owned()));
        measurement
    }

    fn simulated() -> Measurement {
        let rows = [(1, 100_000), (2, 125_000), (4, 200_000)].into_iter().flat_map(|(threads, nodes)| {
            [row(SESAME, threads, "a", nodes, 0), row(SESAME, threads, "b", 2 * nodes, 0)]
        });
        Measurement { engines: vec![SESAME.to_owned()], rows: rows.collect(), ..Measurement::default() }
    }

    #[test]
    fn page_has_all_tables_and_warnings() {
        let report = report(Some(&real()), Some(&simulated())).unwrap();
        let page = text(&report, "README.md");
        for wanted in [
            "| engine | Rival 1.0 (rival --uci; A/B=c) |",
            "| Sesame | 2 | 2 | 3.20 (3.20 to 3.20) | 3.20 (3.20 to 3.20) | 2.00 (2.00 to 2.00) | 1.60 (1.60 to 1.60) | 1.25 (1.25 to 1.25) | 50.0 % (0 to 100) | 90.0 % | 10.0 % |",
            "| Rival 1.0 | 2 | 2 | 6.40 (6.40 to 6.40) | 6.40 (6.40 to 6.40) | 4.00 (4.00 to 4.00) |",
            "| 4 | 2 | 2.00 (2.00 to 2.00) | 1.25 (1.25 to 1.25) | 2.00 (2.00 to 2.00) |",
            "| 2 | 1.25 (1.25 to 1.25) | 1.60 (1.60 to 1.60) | 2.00 (2.00 to 2.00) |",
            "| b | 9 | 10,000,000 | 10.00 | 9 | 10,000,000 | 10.00 | 9 | 200,000 |",
            "**Warning**: Broken was dropped: no bestmove within 9 s",
            "# Speed-up by threads\n\nSesame reaches the same depth 2.00 (2.00 to 2.00) times as fast with 2 threads as with one; \
             Rival 1.0 reaches the same depth 4.00 (4.00 to 4.00) times as fast with 2 threads as with one. \
             Sesame in the simulation reaches the same depth 2.00 (2.00 to 2.00) times as fast with 4 threads as with one.\n\n",
            "share of the cores that remained: 1 thread of Sesame (90 %), 2 threads of Sesame (90 %), 1 thread of Rival 1.0 (90 %)",
            "**Warning**: too few positions for reliable intervals: 2 threads of Sesame (2), 2 threads of Rival 1.0 (2)",
        ] {
            assert!(page.contains(wanted), "{wanted} not in\n{page}");
        }
        assert!(!page.contains("NaN") && !page.contains("inf") && !page.contains("| Broken |"), "{page}");
        assert!(
            report.terminal.starts_with("Sesame reaches") && !report.terminal.contains("**"),
            "{}",
            report.terminal
        );
    }

    #[test]
    fn the_verdict_on_a_busy_machine_says_so() {
        let mut busy = real();
        for row in &mut busy.rows {
            row.others = Some(0.5);
        }
        let terminal = report(Some(&busy), Some(&simulated())).unwrap().terminal;
        assert!(
            terminal.starts_with("Not reliable, as other programs used 50.0 % of the processor time: Sesame reaches")
        );
        assert!(terminal.contains(" as with one. Sesame in the simulation reaches"));
    }

    #[test]
    fn json_has_the_figures() {
        let report = report(Some(&real()), Some(&simulated())).unwrap();
        let json: Value = serde_json::from_str(text(&report, "results.json")).unwrap();
        let two = &json["real"]["engines"][0]["points"][1];
        assert_eq!((two["threads"].as_u64(), two["time_to_depth"]["value"].as_f64()), (Some(2), Some(2.0)));
        assert_eq!(json["real"]["dropped"][0]["engine"], "Broken");
        let four = &json["simulated"]["engines"][0]["points"][2];
        assert_eq!((four["nodes_per_thread"]["value"].as_f64(), &four["time_to_depth"]), (Some(2.0), &Value::Null));
    }

    #[test]
    fn two_numbers_of_threads_are_drawn_as_bars() {
        let report = report(Some(&real()), Some(&simulated())).unwrap();
        let bars = text(&report, "time-to-depth.svg");
        let title = "Speed-up with two threads: time to the same depth";
        for part in [title, "Sesame", "Rival 1.0", "2.00", "4.00", "one thread"] {
            assert!(bars.contains(&format!("\n{part}\n")), "{part} not in {bars}");
        }
        assert!(!bars.contains("<polygon") && text(&report, "simulated.svg").contains("ideal: N times"));
        assert!(text(&report, "README.md").contains(&format!("![{title}](time-to-depth.svg)")));
    }

    /// Set `REDRAW` to draw the pictures of new searches.
    #[test]
    fn committed_pictures_show_the_committed_searches() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/results/scaling");
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        let committed = read("engines-time.svg");
        let csv = csv::Reader::from_path(folder.join("engines.csv")).unwrap();
        let rows: Vec<Row> = csv.into_deserialize().map(Result::unwrap).collect();
        let mut engines: Vec<String> =
            rows.iter().map(|row| row.engine.clone()).collect::<BTreeSet<_>>().into_iter().collect();
        engines.sort_by_key(|name| committed.find(&format!("\n{name}\n")));
        let report = report(Some(&Measurement { engines, rows, ..Measurement::default() }), None).unwrap();
        for (name, drawn) in [("engines-time.svg", "time-to-depth.svg"), ("engines-rate.svg", "nodes-per-second.svg")] {
            let drawn = text(&report, drawn);
            if std::env::var_os("REDRAW").is_some() {
                std::fs::write(folder.join(name), drawn).unwrap();
            }
            assert!(read(name) == drawn, "{name} is not drawn from engines.csv");
        }
    }
}
