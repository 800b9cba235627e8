//! Test suites: positions of EPD files, solved or not.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use super::arguments::AnalyseArguments;
use super::files::{check_outputs, write};
use super::inputs::open_all;
use super::interrupt::Interrupt;
use super::json::{self, WhiteScore};
use super::source::Source;
use crate::cli::CommandError;
use crate::cli::assessment::{Assessment, white_score};
use crate::engine::{Engine, Info, Limits, Score, SearchReport};
use crate::games::epd::{self, Epd, settled_from};
use crate::position::Game;
use crate::uci::Output;
use sesame_report::Progress;
use sesame_report::command::print_status;
use sesame_report::markdown::{Table, grouped, or_dash};

/// Default search time for each position.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

/// An EPD file.
struct Suite {
    path: PathBuf,
    /// The positions with their line numbers.
    positions: Vec<(usize, Epd)>,
    /// Number of invalid lines.
    bad: usize,
}

pub(super) fn run(paths: &[PathBuf], arguments: &AnalyseArguments, output: &Output) -> Result<(), CommandError> {
    check_outputs(paths, &arguments.csv.iter().collect::<Vec<_>>(), arguments.force)?;
    let network = arguments.network.read(None)?;
    let (suites, bad_files) = open_all(paths, Suite::read)?;
    let total: usize = suites.iter().map(|suite| suite.positions.len()).sum();
    let progress = Progress::new(total as u64, 0);
    let mut engine = arguments.engine(1, network)?;
    let interrupt = Interrupt::watch(output.clone())?;
    let limits = arguments.limits_or(DEFAULT_TIME);
    let mut csv = CSV_HEADINGS.to_owned();
    let mut totals = Vec::new();
    let mut done = 0;
    for suite in &suites {
        let mut sum = SuiteTotals::default();
        for (line, epd) in &suite.positions {
            let name = epd.id.clone().unwrap_or_else(|| format!("line {line}"));
            progress.set_message(name.clone());
            let result = SuiteResult::find(&mut engine, epd, &limits, &interrupt)?;
            // A search that was broken off solves nothing.
            if interrupt.is_over() {
                break;
            }
            done += 1;
            progress.advance(1, name.clone());
            if arguments.json {
                let object = result.json(&suite.path, *line, &name, epd);
                progress.suspend(|| json::write(output, &object))?;
            } else {
                progress.suspend(|| output.line(&format!("{done:>4}/{total}  {name:<16}  {}", result.text(epd))));
            }
            csv += &result.csv(&suite.path, *line, &name, epd);
            sum.add(&result, epd);
        }
        totals.push(sum);
        if interrupt.is_over() {
            break;
        }
    }
    progress.finish();
    if output.is_closed() {
        return Ok(());
    }
    let table = summary(&suites, &totals);
    if arguments.json {
        print_status(table.trim_end());
    } else {
        output.line(&format!("\n{}", table.trim_end()));
    }
    if let Some(path) = &arguments.csv {
        write(path, &csv)?;
    }
    if done < total {
        return Err(CommandError::Failed(format!("interrupted after {done} of {total} positions")));
    }
    match (suites.iter().map(|suite| suite.bad).sum(), bad_files) {
        (0, 0) => Ok(()),
        (1, 0) => Err(CommandError::failed("a line could not be used: see above")),
        (bad, 0) => Err(CommandError::Failed(format!("{bad} lines could not be used: see above"))),
        (bad, files) => {
            Err(CommandError::Failed(format!("{files} files and {bad} lines could not be used: see above")))
        }
    }
}

impl Suite {
    /// Reads a file, or the standard input for `-`. Invalid lines and repairs are reported on the standard error.
    fn read(path: &Path) -> Result<Suite, CommandError> {
        let text = Source::open(path)?.text();
        let text = text.map_err(|error| CommandError::Failed(format!("{}: {error}", path.display())))?;
        let mut suite = Suite { path: path.to_owned(), positions: Vec::new(), bad: 0 };
        for (line, epd) in epd::read_all(&text) {
            match epd {
                Ok(epd) => {
                    for repair in &epd.repairs {
                        print_status(&format!("{}, line {line}: {repair}", path.display()));
                    }
                    suite.positions.push((line, epd));
                }
                Err(error) => {
                    suite.bad += 1;
                    print_status(&format!("{}, line {line}: {error}", path.display()));
                }
            }
        }
        if suite.positions.is_empty() {
            return Err(CommandError::Failed(format!("{} has no position to search", path.display())));
        }
        Ok(suite)
    }

    fn name(&self) -> String {
        self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned()
    }
}

/// The time and depth from which the solution was held to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SolvedAt {
    after: Duration,
    depth: u32,
}

/// The result of a position as JSON.
#[derive(Serialize)]
struct JsonResult<'a> {
    r#type: &'a str,
    file: String,
    line: usize,
    id: &'a str,
    fen: String,
    wanted: String,
    answer: Option<String>,
    score: Option<WhiteScore>,
    /// None for a position without a known solution.
    solved: Option<bool>,
    seconds_to_solution: Option<f64>,
    depth_of_solution: Option<u32>,
    /// None for a position without points.
    points: Option<u32>,
    seconds: f64,
    nodes: u64,
}

/// The result of a position.
struct SuiteResult {
    /// The solution, or an error if it was not found; `None` for a position without a known solution.
    solved: Option<Result<SolvedAt, ()>>,
    report: SearchReport,
}

impl SuiteResult {
    fn find(
        engine: &mut Engine,
        epd: &Epd,
        limits: &Limits,
        interrupt: &Interrupt,
    ) -> Result<SuiteResult, CommandError> {
        // A new game: the result does not depend on the order of the positions.
        engine.new_game();
        // A position that asks only for a mate ends with its proof.
        let mate = epd.mate_in.filter(|_| epd.solution.is_none());
        let game = Game::new(epd.position.clone());
        let limits = Limits { mate, ..limits.clone() };
        let report = engine.search_with(&game, limits, |_| interrupt.flow()).map_err(CommandError::failed)?;
        report.messages.iter().for_each(|text| print_status(text));
        Ok(SuiteResult { solved: solved(epd, &report), report })
    }

    fn text(&self, epd: &Epd) -> String {
        let side = epd.position.side_to_move();
        let mv = self.report.best.map_or_else(|| "nothing".to_owned(), |mv| epd.position.to_san(mv));
        let mut score = self.score().map_or_else(String::new, |score| format!(" ({})", white_score(score, side)));
        if let Some(points) = self.points(epd) {
            score += &format!(", {points} of {} points", most_points(epd));
        }
        match self.solved {
            None => format!("            {mv}{score}"),
            Some(Ok(SolvedAt { after, depth })) => {
                format!("solved      {mv}{score} after {:.2} s at depth {depth}", after.as_secs_f64())
            }
            Some(Err(())) => format!("not solved  {mv}{score}, wanted {}", wanted(epd)),
        }
    }

    fn score(&self) -> Option<Score> {
        Assessment::of(&self.report).map(|assessment| assessment.score)
    }

    /// Returns the points of the best move; `None` for a position without points.
    fn points(&self, epd: &Epd) -> Option<u32> {
        let points = |mv| epd.points.iter().find(|(listed, _)| *listed == mv).map_or(0, |&(_, points)| points);
        (!epd.points.is_empty()).then(|| self.report.best.map_or(0, points))
    }

    fn json<'a>(&self, path: &Path, line: usize, id: &'a str, epd: &Epd) -> JsonResult<'a> {
        let solved_at = self.solved.and_then(Result::ok);
        JsonResult {
            r#type: "position",
            file: path.display().to_string(),
            line,
            id,
            fen: epd.position.fen(false),
            wanted: wanted(epd),
            answer: self.report.best.map(|mv| epd.position.to_san(mv)),
            score: self.score().map(|score| WhiteScore::new(score, epd.position.side_to_move())),
            solved: self.solved.map(|solved| solved.is_ok()),
            seconds_to_solution: solved_at.map(|solved_at| solved_at.after.as_secs_f64()),
            depth_of_solution: solved_at.map(|solved_at| solved_at.depth),
            points: self.points(epd),
            seconds: self.report.elapsed.as_secs_f64(),
            nodes: self.report.nodes,
        }
    }

    fn csv(&self, path: &Path, line: usize, name: &str, epd: &Epd) -> String {
        let solved_at = self.solved.and_then(Result::ok);
        let side = epd.position.side_to_move();
        let fields = [
            path.display().to_string(),
            line.to_string(),
            name.to_owned(),
            epd.position.fen(false),
            wanted(epd),
            self.report.best.map_or_else(String::new, |mv| epd.position.to_san(mv)),
            self.score().map_or_else(String::new, |score| white_score(score, side)),
            match self.solved {
                None => "",
                Some(Ok(_)) => "yes",
                Some(Err(())) => "no",
            }
            .to_owned(),
            solved_at.map_or_else(String::new, |solved_at| format!("{:.3}", solved_at.after.as_secs_f64())),
            solved_at.map_or_else(String::new, |solved_at| solved_at.depth.to_string()),
            self.points(epd).map_or_else(String::new, |points| points.to_string()),
            format!("{:.3}", self.report.elapsed.as_secs_f64()),
            self.report.nodes.to_string(),
        ];
        let quoted = fields.map(|field| match field.contains([',', '"', '\n']) {
            true => format!("\"{}\"", field.replace('"', "\"\"")),
            false => field,
        });
        format!("{}\n", quoted.join(","))
    }
}

const CSV_HEADINGS: &str =
    "file,line,id,fen,wanted,answer,score,solved,seconds_to_solution,depth_of_solution,points,seconds,nodes\n";

/// Returns the points of the best answer.
fn most_points(epd: &Epd) -> u32 {
    epd.points.iter().map(|&(_, points)| points).max().unwrap_or(0)
}

/// Returns the expected solution: `Qd1+`, `not Qxb2`, `mate in 3`.
fn wanted(epd: &Epd) -> String {
    let moves = epd.solution.as_ref().map(|solution| solution.text(&epd.position));
    let mate = epd.mate_in.map(|moves| format!("mate in {moves}"));
    moves.into_iter().chain(mate).collect::<Vec<_>>().join(", ")
}

/// Returns the solution if the best move is one and a wanted mate was found. Its time is the first from which
/// it was held to the end.
fn solved(epd: &Epd, report: &SearchReport) -> Option<Result<SolvedAt, ()>> {
    if epd.solution.is_none() && epd.mate_in.is_none() {
        return None;
    }
    let is_right = |mv| epd.solution.as_ref().is_none_or(|solution| solution.accepts(mv));
    let is_mate = |score| {
        epd.mate_in.is_none_or(|wanted| match score {
            Score::Mate(moves) => u32::try_from(moves).is_ok_and(|moves| (1..=wanted).contains(&moves)),
            Score::Centipawns(_) => false,
        })
    };
    let holds = |info: &Info| info.line.pv.first().is_some_and(|&mv| is_right(mv)) && is_mate(info.line.score);
    let ends_well = report.best.is_some_and(is_right)
        && (epd.mate_in.is_none() || report.iterations.last().is_some_and(|info| is_mate(info.line.score)));
    if !ends_well {
        return Some(Err(()));
    }
    let first = report.iterations.get(settled_from(&report.iterations, holds));
    let depth = first.or(report.iterations.last()).map_or(0, |info| info.line.depth);
    Some(Ok(SolvedAt { after: first.map_or(report.elapsed, |info| info.elapsed), depth }))
}

/// The totals of a file.
#[derive(Default)]
struct SuiteTotals {
    positions: u32,
    with_solution: u32,
    solved: Vec<Duration>,
    /// The points of the answers, and the most that could be had.
    points: [u32; 2],
    nodes: u64,
    time: Duration,
}

impl SuiteTotals {
    fn add(&mut self, result: &SuiteResult, epd: &Epd) {
        self.positions += 1;
        let [points, most] = &mut self.points;
        *points += result.points(epd).unwrap_or(0);
        *most += most_points(epd);
        self.with_solution += u32::from(result.solved.is_some());
        self.solved.extend(result.solved.and_then(Result::ok).map(|solved_at| solved_at.after));
        self.nodes += result.report.nodes;
        self.time += result.report.elapsed;
    }

    fn join(mut self, other: &SuiteTotals) -> SuiteTotals {
        self.positions += other.positions;
        self.with_solution += other.with_solution;
        self.solved.extend(&other.solved);
        for (sum, more) in self.points.iter_mut().zip(other.points) {
            *sum += more;
        }
        self.nodes += other.nodes;
        self.time += other.time;
        self
    }

    fn row(&self) -> [String; 7] {
        let [points, most] = self.points;
        let solved = self.solved.len() as u32;
        let share = (self.with_solution > 0).then(|| 100.0 * f64::from(solved) / f64::from(self.with_solution));
        let sum: Duration = self.solved.iter().sum();
        let mean = (solved > 0).then(|| sum.as_secs_f64() / f64::from(solved));
        [
            self.positions.to_string(),
            format!("{solved} of {}", self.with_solution),
            or_dash(share, |share| format!("{share:.1} %")),
            or_dash(mean, |mean| format!("{mean:.2} s")),
            or_dash((most > 0).then_some(points), |points| format!("{points} of {most}")),
            format!("{:.1} s", self.time.as_secs_f64()),
            grouped(self.nodes),
        ]
    }
}

/// Returns the final table. It has a column of points if a position has them.
fn summary(suites: &[Suite], totals: &[SuiteTotals]) -> String {
    const HEADINGS: [&str; 8] =
        ["suite", "positions", "solved", "share", "mean time to solution", "points", "time", "nodes"];
    let all = totals.iter().fold(SuiteTotals::default(), SuiteTotals::join);
    let has_points = all.points.iter().any(|&points| points > 0);
    let shown = |column: &usize| has_points || HEADINGS.get(*column) != Some(&"points");
    let columns = |row: Vec<String>| (0..).zip(row).filter(|(column, _)| shown(column)).map(|(_, text)| text);
    let mut table = Table::new(columns(HEADINGS.map(str::to_owned).to_vec()));
    let mut add = |name: String, sum: &SuiteTotals| table.row(columns([vec![name], sum.row().to_vec()].concat()));
    for (suite, sum) in suites.iter().zip(totals) {
        add(suite.name(), sum);
    }
    if totals.len() > 1 {
        add("all".to_owned(), &all);
    }
    table.aligned()
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

    fn after(operations: &str, steps: &[(&str, Score)], best: &str) -> Option<Result<u64, ()>> {
        let epd = Epd::read(&format!("6k1/5ppp/8/8/8/8/8/K2R4 w - - {operations}")).unwrap();
        solved(&epd, &report(&epd, steps, best)).map(|solved_at| solved_at.map(|solved_at| solved_at.after.as_secs()))
    }

    #[test]
    fn solution_time_is_the_first_held_to_the_end() {
        let cp = Score::Centipawns(10);
        assert_eq!(after("bm Rd8#;", &[("Rd8", cp), ("Kb1", cp), ("Rd8", cp), ("Rd8", cp)], "Rd8"), Some(Ok(3)));
        assert_eq!(after("bm Rd8#;", &[("Kb1", cp)], "Rd8"), Some(Ok(9)));
        assert_eq!(after("bm Rd8#;", &[("Rd8", cp)], "Kb1"), Some(Err(())));
        assert_eq!(after("am Rd8#;", &[("Rd8", cp)], "Kb1"), Some(Ok(9)));
        assert_eq!(after("", &[("Rd8", cp)], "Rd8"), None);
    }

    #[test]
    fn mates_must_be_found() {
        let (cp, mate) = (Score::Centipawns(10), Score::Mate);
        assert_eq!(after("dm 1;", &[("Rd8", cp), ("Rd8", mate(1))], "Rd8"), Some(Ok(2)));
        assert_eq!(after("dm 1;", &[("Rd8", mate(2))], "Rd8"), Some(Err(())));
        assert_eq!(after("dm 3;", &[("Kb1", mate(2))], "Kb1"), Some(Ok(1)));
        assert_eq!(after("dm 3; bm Rd8;", &[("Kb1", mate(2))], "Kb1"), Some(Err(())));
        assert_eq!(after("dm 3;", &[("Kb1", mate(-2))], "Kb1"), Some(Err(())));
    }

    #[test]
    fn lines_and_tables() {
        let epd = Epd::read("6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Rd8#; id \"a,b\";").unwrap();
        let result = |best| {
            let report = report(&epd, &[("Rd8", Score::Mate(1)), (best, Score::Centipawns(250))], best);
            SuiteResult { solved: solved(&epd, &report), report }
        };
        assert_eq!(result("Rd8").text(&epd), "solved      Rd8# (+2.50) after 1.00 s at depth 1");
        assert_eq!(result("Kb1").text(&epd), "not solved  Kb1 (+2.50), wanted Rd8#");
        let csv = result("Kb1").csv(Path::new("x.epd"), 3, "a,b", &epd);
        assert_eq!(csv, "x.epd,3,\"a,b\",6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1,Rd8#,Kb1,+2.50,no,,,,9.000,100\n");
        assert_eq!(csv.replace("\"a,b\"", "").split(',').count(), CSV_HEADINGS.split(',').count());
        let mut sum = SuiteTotals::default();
        sum.add(&result("Rd8"), &epd);
        sum.add(&result("Kb1"), &epd);
        assert_eq!(sum.row(), ["2", "1 of 2", "50.0 %", "1.00 s", "–", "18.0 s", "200"]);
        assert_eq!(SuiteTotals::default().row(), ["0", "0 of 0", "–", "–", "–", "0.0 s", "0"]);
        let suite = || Suite { path: "a.epd".into(), positions: Vec::new(), bad: 0 };
        assert!(!summary(&[suite()], &[sum]).contains("points"));
    }

    #[test]
    fn answers_have_points() {
        let epd = Epd::read("6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Rd8#; c0 \"Rd8=10, Rd7=4\";").unwrap();
        let result = |best| {
            let report = report(&epd, &[(best, Score::Centipawns(250))], best);
            SuiteResult { solved: solved(&epd, &report), report }
        };
        assert_eq!(["Rd8", "Rd7", "Kb1"].map(|best| result(best).points(&epd)), [Some(10), Some(4), Some(0)]);
        assert_eq!(result("Rd7").text(&epd), "not solved  Rd7 (+2.50), 4 of 10 points, wanted Rd8#");
        assert!(result("Rd7").csv(Path::new("x.epd"), 3, "a", &epd).ends_with(",no,,,4,9.000,100\n"));
        let mut sum = SuiteTotals::default();
        sum.add(&result("Rd8"), &epd);
        sum.add(&result("Rd7"), &epd);
        assert_eq!(sum.row()[4], "14 of 20");
        let suites = ["a.epd", "b.epd"].map(|path| Suite { path: path.into(), positions: Vec::new(), bad: 0 });
        let table = summary(&suites, &[sum, SuiteTotals::default()]);
        assert_eq!((table.matches("14 of 20").count(), table.matches("points").count()), (2, 1), "{table}");
        let json = json::text(&result("Rd7").json(Path::new("x.epd"), 3, "a", &epd)).unwrap();
        assert!(json.contains(r#""solved":false"#) && json.contains(r#""score":{"cp":250}"#), "{json}");
        assert!(json.contains(r#""points":4"#) && json.starts_with(r#"{"type":"position","file":"x.epd","line":3"#));
    }
}
