//! Test suites: positions of EPD files, solved or not.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use super::arguments::AnalyseArguments;
use super::input::{Text, at, open_all};
use super::output::{check_files, write, write_json};
use crate::cli::assessment::{Assessment, WhiteScore};
use crate::cli::interrupt::Interrupt;
use crate::cli::json;
use crate::engine::{Engine, Info, Limits, Score, SearchReport};
use crate::games::epd::{self, Epd, settled_from};
use crate::output::Output;
use crate::position::Game;
use sesame_command::files::printable;
use sesame_command::{CommandError, Progress, print_status};
use sesame_report::markdown::{Table, grouped, or_dash};

const DEFAULT_TIME: Duration = Duration::from_secs(5);

struct Suite {
    path: PathBuf,
    positions: Vec<(usize, Epd)>,
    /// Lines that are left out, or whose solution is not understood.
    bad: u64,
}

pub(super) fn run(paths: &[PathBuf], arguments: &AnalyseArguments, output: &Output) -> Result<(), CommandError> {
    check_files(paths, &arguments.csv.iter().collect::<Vec<_>>(), arguments.force)?;
    let options = arguments.options()?;
    let (suites, bad_files) = open_all(paths, Suite::read)?;
    let total: usize = suites.iter().map(|suite| suite.positions.len()).sum();
    let mut engine = arguments.engine(options)?;
    let interrupt = Interrupt::watch(output.clone())?;
    if arguments.json {
        json::begin(output, &engine.options().network);
    }
    let progress = Progress::new(total as u64, 0);
    let mut results: Vec<Vec<SuiteResult>> = Vec::new();
    let mut done = 0;
    for suite in &suites {
        let mut of_suite = Vec::new();
        for (line, epd) in &suite.positions {
            let name = epd.id.clone().unwrap_or_else(|| format!("line {line}"));
            progress.set_message(name.clone());
            let report = search(&mut engine, epd, &arguments.limits_or(DEFAULT_TIME), &interrupt)?;
            // A search that was broken off solves nothing.
            if interrupt.is_over() {
                break;
            }
            done += 1;
            progress.advance(1, name.clone());
            let result = SuiteResult::new(&suite.path, *line, name, epd, &report);
            progress.suspend(|| match arguments.json {
                true => write_json(output, &result),
                false => {
                    output.line(&format!("{done:>4}/{total}  {:<16}  {}", result.id, result.text()));
                    Ok(())
                }
            })?;
            of_suite.push(result);
        }
        results.push(of_suite);
        if interrupt.is_over() {
            break;
        }
    }
    progress.finish();
    if output.is_closed() {
        return Ok(());
    }
    let table = summary(&suites, &results);
    match arguments.json {
        true => print_status(table.trim_end()),
        false => output.line(&format!("\n{}", table.trim_end())),
    }
    if let Some(path) = &arguments.csv {
        write(path, csv(results.iter().flatten()).map_err(CommandError::failed)?)?;
    }
    if done < total {
        return Err(CommandError::Failed(format!("interrupted after {done} of {total} positions")));
    }
    let bad_lines: u64 = suites.iter().map(|suite| suite.bad).sum();
    let faults = [(bad_files, "file", "used"), (bad_lines, "line", "read as a whole")];
    let faults = faults.into_iter().filter(|&(count, ..)| count > 0).map(|(count, what, aim)| {
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} {what}{plural} could not be {aim}")
    });
    match faults.collect::<Vec<_>>().join(" and ") {
        none if none.is_empty() => Ok(()),
        faults => Err(CommandError::Failed(format!("{faults}: see above"))),
    }
}

fn search(
    engine: &mut Engine,
    epd: &Epd,
    limits: &Limits,
    interrupt: &Interrupt,
) -> Result<SearchReport, CommandError> {
    // A new game: the result does not depend on the order of the positions.
    engine.new_game();
    // A position that asks only for a mate ends with its proof.
    let mate = epd.mate_in.filter(|_| epd.solution.is_none());
    let (game, limits) = (Game::new(epd.position.clone()), Limits { mate, ..limits.clone() });
    let report = engine.search_with(&game, limits, |_| interrupt.flow()).map_err(CommandError::failed)?;
    report.messages.iter().for_each(|text| print_status(text));
    Ok(report)
}

impl Suite {
    fn read(path: &Path) -> Result<Suite, CommandError> {
        let text = Text::open(path)?.whole().map_err(at(path))?;
        let mut suite = Suite { path: path.to_owned(), positions: Vec::new(), bad: 0 };
        for (line, epd) in epd::read_all(&text) {
            let report = |text: &str| print_status(&format!("{}, line {line}: {text}", path.display()));
            let epd = match epd {
                Ok(epd) => epd,
                Err(error) => {
                    suite.bad += 1;
                    report(&error.to_string());
                    continue;
                }
            };
            epd.repairs.iter().for_each(|repair| report(&repair.to_string()));
            if !epd.unread.is_empty() {
                let is_lost = epd.has_unread_solution && epd.solution.is_none() && epd.mate_in.is_none();
                suite.bad += u64::from(is_lost);
                let loss = if is_lost { ", so there is no solution" } else { "" };
                report(&format!("not understood: {}{loss}", epd.unread.join(", ")));
            }
            suite.positions.push((line, epd));
        }
        if suite.positions.is_empty() {
            return Err(CommandError::Failed(format!("{} has no position to search", path.display())));
        }
        Ok(suite)
    }
}

#[derive(Serialize)]
struct SuiteResult {
    r#type: &'static str,
    file: String,
    line: usize,
    id: String,
    fen: String,
    /// `Qd1+, mate in 3`, or `not Qxb2`.
    wanted: String,
    answer: Option<String>,
    score: Option<WhiteScore>,
    /// `None` for a position without a known solution.
    solved: Option<bool>,
    seconds_to_solution: Option<f64>,
    depth_of_solution: Option<u32>,
    points: Option<u32>,
    #[serde(skip)]
    max_points: u32,
    seconds: f64,
    nodes: u64,
}

impl SuiteResult {
    fn new(path: &Path, line: usize, id: String, epd: &Epd, report: &SearchReport) -> SuiteResult {
        let moves = epd.solution.as_ref().map(|solution| solution.text(&epd.position));
        let mate = epd.mate_in.map(|moves| format!("mate in {moves}"));
        let solved = solved(epd, report);
        let solved_at = solved.flatten();
        let points_of = |best| epd.points.iter().find(|(mv, _)| *mv == best).map_or(0, |&(_, points)| points);
        SuiteResult {
            r#type: "position",
            file: path.display().to_string(),
            line,
            id,
            fen: epd.position.fen(false),
            wanted: moves.into_iter().chain(mate).collect::<Vec<_>>().join(", "),
            answer: report.best.map(|mv| epd.position.to_san(mv)),
            score: Assessment::of(report).map(|found| WhiteScore::new(found.score, epd.position.side_to_move())),
            solved: solved.map(|solved_at| solved_at.is_some()),
            seconds_to_solution: solved_at.map(|(after, _)| after.as_secs_f64()),
            depth_of_solution: solved_at.map(|(_, depth)| depth),
            points: (!epd.points.is_empty()).then(|| report.best.map_or(0, points_of)),
            max_points: epd.points.iter().map(|&(_, points)| points).max().unwrap_or(0),
            seconds: report.elapsed.as_secs_f64(),
            nodes: report.nodes,
        }
    }

    fn text(&self) -> String {
        let mut answer = self.answer.clone().unwrap_or_else(|| "nothing".to_owned());
        if let Some(score) = self.score {
            answer += &format!(" ({score})");
        }
        if let Some(points) = self.points {
            answer += &format!(", {points} of {} points", self.max_points);
        }
        match (self.solved, self.seconds_to_solution, self.depth_of_solution) {
            (_, Some(seconds), Some(depth)) => format!("solved      {answer} after {seconds:.2} s at depth {depth}"),
            (None, ..) => format!("            {answer}"),
            _ => format!("not solved  {answer}, wanted {}", self.wanted),
        }
    }

    fn fields(&self) -> [String; CSV_HEADINGS.len()] {
        fn text(value: Option<impl ToString>) -> String {
            value.map_or_else(String::new, |value| value.to_string())
        }
        [
            self.file.clone(),
            self.line.to_string(),
            self.id.clone(),
            self.fen.clone(),
            self.wanted.clone(),
            text(self.answer.as_ref()),
            text(self.score),
            text(self.solved.map(|solved| if solved { "yes" } else { "no" })),
            text(self.seconds_to_solution.map(|seconds| format!("{seconds:.3}"))),
            text(self.depth_of_solution),
            text(self.points),
            format!("{:.3}", self.seconds),
            self.nodes.to_string(),
        ]
    }
}

#[rustfmt::skip]
const CSV_HEADINGS: [&str; 13] = [
    "file", "line", "id", "fen", "wanted", "answer", "score", "solved", "seconds_to_solution", "depth_of_solution",
    "points", "seconds", "nodes",
];

fn csv<'a>(results: impl Iterator<Item = &'a SuiteResult>) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(CSV_HEADINGS)?;
    for result in results {
        writer.write_record(result.fields())?;
    }
    writer.into_inner().map_err(csv::IntoInnerError::into_error)
}

/// Returns the time and depth since which the solution was held; `Some(None)` if unsolved, `None` if it is unknown.
fn solved(epd: &Epd, report: &SearchReport) -> Option<Option<(Duration, u32)>> {
    if epd.solution.is_none() && epd.mate_in.is_none() {
        return None;
    }
    let is_right = |mv| epd.solution.as_ref().is_none_or(|solution| solution.accepts(mv));
    let is_mate = |info: &Info| match (epd.mate_in, info.line.score) {
        (None, _) => true,
        (Some(wanted), Score::Mate(moves)) => u32::try_from(moves).is_ok_and(|moves| (1..=wanted).contains(&moves)),
        (Some(_), Score::Centipawns(_)) => false,
    };
    let holds = |info: &Info| info.line.pv.first().is_some_and(|&mv| is_right(mv)) && is_mate(info);
    let last = report.iterations.last();
    if !report.best.is_some_and(is_right) || !last.map_or(epd.mate_in.is_none(), is_mate) {
        return Some(None);
    }
    let first = report.iterations.get(settled_from(&report.iterations, holds));
    let depth = first.or(last).map_or(0, |info| info.line.depth);
    Some(Some((first.map_or(report.elapsed, |info| info.elapsed), depth)))
}

const NOT_READ: &str = "not read";
const POINTS: &str = "points";

fn summary(suites: &[Suite], results: &[Vec<SuiteResult>]) -> String {
    let has_points = results.iter().flatten().any(|result| result.points.is_some_and(|points| points > 0));
    let bad = suites.iter().map(|suite| suite.bad).sum();
    let mut rows = Vec::new();
    for (suite, results) in suites.iter().zip(results) {
        let name = suite.path.file_name().unwrap_or(suite.path.as_os_str()).to_string_lossy();
        rows.push(summary_row(&name, suite.bad, results.iter()));
    }
    if results.len() > 1 {
        rows.push(summary_row("all", bad, results.iter().flatten()));
    }
    let is_shown = |(heading, _): &(&str, String)| match *heading {
        POINTS => has_points,
        NOT_READ => bad > 0,
        _ => true,
    };
    let headings = summary_row("", 0, [].iter()).into_iter().filter(is_shown).map(|(heading, _)| heading);
    let mut table = Table::new(headings);
    for row in rows {
        table.row(row.into_iter().filter(is_shown).map(|(_, text)| text));
    }
    printable(&table.aligned())
}

/// Returns headings and texts. `bad` is the number of lines that are not read as a whole.
fn summary_row<'a>(
    name: &str,
    bad: u64,
    results: impl Iterator<Item = &'a SuiteResult> + Clone,
) -> [(&'static str, String); 9] {
    let with_solution = results.clone().filter(|result| result.solved.is_some()).count();
    let times: Vec<f64> = results.clone().filter_map(|result| result.seconds_to_solution).collect();
    let solved = times.len() as f64;
    let share = (with_solution > 0).then(|| 100.0 * solved / with_solution as f64);
    let mean = (!times.is_empty()).then(|| times.iter().sum::<f64>() / solved);
    let points: u32 = results.clone().filter_map(|result| result.points).sum();
    let most: u32 = results.clone().map(|result| result.max_points).sum();
    [
        ("suite", name.to_owned()),
        ("positions", results.clone().count().to_string()),
        ("solved", format!("{solved} of {with_solution}")),
        ("share", or_dash(share, |share| format!("{share:.1} %"))),
        (NOT_READ, or_dash((bad > 0).then_some(bad), |bad| bad.to_string())),
        ("mean time to solution", or_dash(mean, |mean| format!("{mean:.2} s"))),
        (POINTS, or_dash((most > 0).then_some(points), |points| format!("{points} of {most}"))),
        ("time", format!("{:.1} s", results.clone().fold(0.0, |sum, result| sum + result.seconds))),
        ("nodes", grouped(results.map(|result| result.nodes).sum())),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Bound, Line};

    /// Returns the report of a search with these best moves and scores, one second apart, that ended after nine
    /// seconds.
    fn report(epd: &Epd, steps: &[(&str, Score)], best: &str) -> SearchReport {
        let mv = |text: &str| epd.position.from_san(text).unwrap();
        let info = |(depth, &(text, score)): (u32, &(&str, Score))| Info {
            line: Line { rank: 1, depth, seldepth: depth, score, bound: Bound::Exact, pv: vec![mv(text)] },
            nodes: 1,
            elapsed: Duration::from_secs(depth.into()),
            tb_hits: 0,
            hashfull: 0,
        };
        SearchReport {
            best: Some(mv(best)),
            iterations: (1..).zip(steps).map(info).collect(),
            nodes: 100,
            elapsed: Duration::from_secs(9),
            ..SearchReport::default()
        }
    }

    fn after(operations: &str, steps: &[(&str, Score)], best: &str) -> Option<Option<u64>> {
        let epd = Epd::read(&format!("6k1/5ppp/8/8/8/8/8/K2R4 w - - {operations}")).unwrap();
        solved(&epd, &report(&epd, steps, best)).map(|solved_at| solved_at.map(|(after, _)| after.as_secs()))
    }

    #[test]
    fn solution_time_is_the_first_held_to_the_end() {
        let cp = Score::Centipawns(10);
        assert_eq!(after("bm Rd8#;", &[("Rd8", cp), ("Kb1", cp), ("Rd8", cp), ("Rd8", cp)], "Rd8"), Some(Some(3)));
        assert_eq!(after("bm Rd8#;", &[("Kb1", cp)], "Rd8"), Some(Some(9)));
        assert_eq!(after("bm Rd8#;", &[("Rd8", cp)], "Kb1"), Some(None));
        assert_eq!(after("am Rd8#;", &[("Rd8", cp)], "Kb1"), Some(Some(9)));
        assert_eq!(after("", &[("Rd8", cp)], "Rd8"), None);
    }

    #[test]
    fn mates_must_be_found() {
        let (cp, mate) = (Score::Centipawns(10), Score::Mate);
        assert_eq!(after("dm 1;", &[("Rd8", cp), ("Rd8", mate(1))], "Rd8"), Some(Some(2)));
        assert_eq!(after("dm 1;", &[("Rd8", mate(2))], "Rd8"), Some(None));
        assert_eq!(after("dm 3;", &[("Kb1", mate(2))], "Kb1"), Some(Some(1)));
        assert_eq!(after("dm 3; bm Rd8;", &[("Kb1", mate(2))], "Kb1"), Some(None));
        assert_eq!(after("dm 3;", &[("Kb1", mate(-2))], "Kb1"), Some(None));
    }

    fn result(operations: &str, best: &str, score: Score) -> SuiteResult {
        let epd = Epd::read(&format!("6k1/5ppp/8/8/8/8/8/K2R4 w - - {operations}")).unwrap();
        let report = report(&epd, &[("Rd8", Score::Mate(1)), (best, score)], best);
        SuiteResult::new(Path::new("x.epd"), 3, "a,b".to_owned(), &epd, &report)
    }

    #[test]
    fn results_are_a_line_and_a_row() {
        let (right, wrong) = ["Rd8", "Kb1"].map(|best| result("bm Rd8#;", best, Score::Centipawns(250))).into();
        assert_eq!(right.text(), "solved      Rd8# (+2.50) after 1.00 s at depth 1");
        assert_eq!(wrong.text(), "not solved  Kb1 (+2.50), wanted Rd8#");
        let csv = String::from_utf8(csv([&wrong].into_iter()).unwrap()).unwrap();
        let (headings, row) = csv.split_once('\n').unwrap();
        assert!(headings.starts_with("file,line,id,fen,wanted,answer,score,solved,"), "{headings}");
        assert_eq!(row, "x.epd,3,\"a,b\",6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1,Rd8#,Kb1,+2.50,no,,,,9.000,100\n");
        let row = summary_row("x", 2, [right, wrong].iter()).map(|(_, text)| text);
        assert_eq!(row, ["x", "2", "1 of 2", "50.0 %", "2", "1.00 s", "–", "18.0 s", "200"]);
        let none = summary_row("x", 0, [].iter()).map(|(_, text)| text);
        assert_eq!(none, ["x", "0", "0 of 0", "–", "–", "–", "–", "0.0 s", "0"]);
    }

    #[test]
    fn answers_have_points() {
        let result = |best| result("bm Rd8#; c0 \"Rd8=10, Rd7=4\";", best, Score::Centipawns(250));
        assert_eq!(["Rd8", "Rd7", "Kb1"].map(|best| result(best).points), [Some(10), Some(4), Some(0)]);
        assert_eq!(result("Rd7").text(), "not solved  Rd7 (+2.50), 4 of 10 points, wanted Rd8#");
        assert_eq!(result("Rd7").fields()[10], "4");
        let suites = ["a.epd", "b.epd"].map(|path| Suite { path: path.into(), positions: Vec::new(), bad: 0 });
        let table = summary(&suites, &[vec![result("Rd8"), result("Rd7")], Vec::new()]);
        assert_eq!((table.matches("14 of 20").count(), table.matches("points").count()), (2, 1), "{table}");
        assert!(!summary(&suites, &[Vec::new(), Vec::new()]).contains("points"));
        let json = serde_json::to_string(&result("Rd7")).unwrap();
        assert!(json.starts_with(r#"{"type":"position","file":"x.epd","line":3"#), "{json}");
        assert!(json.contains(r#""solved":false"#) && json.contains(r#""score":{"cp":250}"#), "{json}");
    }
}
