//! `sesame analyse`: analysis of a position, of test suites (EPD) or of games (PGN).

mod accuracy;
mod annotate;
mod games;
mod input;
mod output;
mod position;
mod report;
mod results;
mod suites;

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::CommandError;
use super::arguments::{EngineArguments, seconds};
use crate::engine::{Engine, Limits, Options};
use crate::output::Output;
use crate::uci::MAX_MULTI_PV;
use accuracy::Thresholds;
use input::{FileKind, all_files};
use sesame_command::files;
use sesame_command::whole_number;

pub(super) fn run(arguments: &AnalyseArguments, output: &Output) -> Result<(), CommandError> {
    match arguments.subject()? {
        Subject::Position(fen) => position::run(&fen, arguments, output),
        Subject::Suites(paths) => suites::run(&paths, arguments, output),
        Subject::Games(paths) => games::run(&paths, arguments, output),
    }
}

/// Analyse a position, the positions of EPD files, or the games of PGN files
///
/// Sesame shows the best lines of a position at each depth, solves EPD positions with a summary, and annotates PGN
/// games. Name files that end in .epd or .pgn, or name other files after --epd or --pgn. Sesame also reads files
/// compressed by gzip or zstd (.gz, .zst). A folder stands for its files. Unless you set a limit, Sesame thinks for
/// ten seconds about a position, five seconds about each EPD position, and half a second about each position of a
/// game. If you set several limits, the first one reached ends a search. Ctrl-C or SIGTERM ends the analysis and shows
/// the results so far.
#[derive(Debug, Args)]
#[command(override_usage = "sesame analyse [OPTIONS] [FEN | FILE.epd... | FILE.pgn... | DIR...]")]
pub(in crate::cli) struct AnalyseArguments {
    /// A position, with or without quotes, or files [default: the start position]
    #[arg(num_args = 0.., value_name = "FEN | FILE")]
    words: Vec<OsString>,
    /// Solve the positions of these EPD files; - is standard input
    #[arg(long, num_args = 1.., value_name = "FILE", conflicts_with_all = ["words", "pgn"])]
    epd: Vec<PathBuf>,
    /// Annotate the games of these PGN files; - is standard input
    #[arg(long, num_args = 1.., value_name = "FILE", conflicts_with = "words")]
    pgn: Vec<PathBuf>,
    /// Limit the time of each search
    #[arg(long, value_parser = seconds, value_name = "SECONDS")]
    time: Option<Duration>,
    /// Limit the depth of each search
    #[arg(long, value_parser = whole_number(1_u32..), value_name = "PLIES")]
    depth: Option<u32>,
    /// Limit the nodes of each search
    #[arg(long, value_parser = whole_number(1_u64..))]
    nodes: Option<u64>,
    #[command(flatten)]
    engine: EngineArguments,
    /// Show this many lines
    #[arg(long, default_value_t = 1, value_parser = whole_number(1..=MAX_MULTI_PV as u16), value_name = "LINES")]
    multipv: u16,
    /// Draw the board with letters instead of figurines
    #[arg(long)]
    ascii: bool,
    /// Write the results to standard output as JSON, one object on each line
    #[arg(long, conflicts_with = "ascii")]
    json: bool,
    /// EPD: write the results to this CSV file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// PGN: annotate only the game with this number, counted from 1
    #[arg(long, value_parser = whole_number(1_u64..), value_name = "N")]
    game: Option<u64>,
    /// PGN: annotate only these moves, such as 12, 10-30, -20 or 15-
    #[arg(long, value_parser = move_range, value_name = "FROM-TO", allow_hyphen_values = true)]
    moves: Option<RangeInclusive<u16>>,
    /// PGN: call a move an inaccuracy, a mistake or a blunder if it loses A, B or C percent of the winning chances
    #[arg(long, default_value_t, value_name = "A,B,C")]
    thresholds: Thresholds,
    /// PGN: write the annotated games to this file [default: standard output, or with --report a file beside the report]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// PGN: write an evaluation chart of each game, game-N.svg, to this folder
    #[arg(long, value_name = "DIR")]
    graphs: Option<PathBuf>,
    /// PGN: write a page with board, moves and evaluation chart of each game to this HTML file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Subject {
    Position(String),
    Suites(Vec<PathBuf>),
    Games(Vec<PathBuf>),
}

impl AnalyseArguments {
    /// Without a move overhead.
    fn options(&self) -> Result<Options, CommandError> {
        let multi_pv = usize::from(self.multipv);
        Ok(Options { multi_pv, move_overhead: Duration::ZERO, ..self.engine.options()? })
    }

    /// Loads the Syzygy tables.
    fn engine(&self, options: Options) -> Result<Engine, CommandError> {
        let mut engine = Engine::new(options).map_err(CommandError::failed)?;
        self.engine.load_syzygy(&mut engine)?;
        Ok(engine)
    }

    /// Lists the files of folders. Rejects arguments that do not belong to the input.
    fn subject(&self) -> Result<Subject, CommandError> {
        let subject = self.named_subject()?;
        let given = [
            ("--csv", self.csv.is_some(), "EPD files"),
            ("--game", self.game.is_some(), "PGN files"),
            ("--moves", self.moves.is_some(), "PGN files"),
            ("--thresholds", self.thresholds != Thresholds::default(), "PGN files"),
            ("--out", self.out.is_some(), "PGN files"),
            ("--graphs", self.graphs.is_some(), "PGN files"),
            ("--report", self.report.is_some(), "PGN files"),
            ("--force", self.force, "files"),
            ("--multipv", self.multipv > 1, "a single position"),
        ];
        let kinds = match &subject {
            Subject::Position(_) => ["a single position", ""],
            Subject::Suites(_) => ["EPD files", "files"],
            Subject::Games(_) => ["PGN files", "files"],
        };
        if let Some((name, _, kind)) = given.into_iter().find(|(_, given, kind)| *given && !kinds.contains(kind)) {
            return Err(CommandError::Usage(format!("{name} is for {kind}")));
        }
        if self.game.is_some() && matches!(&subject, Subject::Games(files) if files.len() > 1) {
            return Err(CommandError::usage("--game is for a single PGN file"));
        }
        let mut outputs = [&self.out, &self.csv, &self.report, &self.graphs].into_iter().flatten();
        if outputs.any(|path| path == Path::new("-")) {
            return Err(CommandError::usage("- is the standard input, not a file to write"));
        }
        Ok(subject)
    }

    fn named_subject(&self) -> Result<Subject, CommandError> {
        if !self.pgn.is_empty() {
            return Ok(Subject::Games(all_files(&self.pgn, Some(FileKind::Pgn))?));
        }
        if !self.epd.is_empty() {
            return Ok(Subject::Suites(all_files(&self.epd, Some(FileKind::Epd))?));
        }
        // The first word decides: the others of a FEN, such as `b`, may be names of folders.
        let is_named = |word: &OsString| FileKind::of(Path::new(word)).is_some() || Path::new(word).is_dir();
        match self.words.first() {
            Some(first) if is_named(first) => {}
            Some(first) if first == "-" || Path::new(first).is_file() => {
                let name = first.display();
                let text = format!("is {name} a suite or a file of games? --epd {name} or --pgn {name} says so");
                return Err(CommandError::Usage(text));
            }
            _ => {
                let words: Vec<_> = self.words.iter().map(|word| word.to_string_lossy()).collect();
                return match words.as_slice() {
                    [word] if !word.contains(['/', ' ']) && word != "startpos" => {
                        Err(CommandError::Usage(format!("'{word}' is neither a file nor a FEN")))
                    }
                    words => Ok(Subject::Position(words.join(" "))),
                };
            }
        }
        if let Some(other) = self.words.iter().find(|&word| !is_named(word)) {
            return Err(CommandError::Usage(format!("{other:?} is neither a folder nor ends in .pgn or .epd")));
        }
        let files = all_files(&self.words.iter().map(PathBuf::from).collect::<Vec<_>>(), None)?;
        match files.iter().filter(|&file| FileKind::of(file) == Some(FileKind::Epd)).count() {
            0 => Ok(Subject::Games(files)),
            suites if suites == files.len() => Ok(Subject::Suites(files)),
            _ => Err(CommandError::usage("EPD and PGN files need a run of their own each")),
        }
    }

    /// `time` holds without a limit in the arguments.
    fn limits_or(&self, time: Duration) -> Limits {
        let limits = Limits { depth: self.depth, nodes: self.nodes, move_time: self.time, ..Limits::default() };
        if limits == Limits::default() { Limits { move_time: Some(time), ..limits } } else { limits }
    }

    /// With a report, a file beside it: for a person who wants the report, the games on the terminal would hide the summary.
    fn games_file(&self) -> Option<PathBuf> {
        let beside = self.report.as_ref().filter(|_| !self.json).map(|report| report.with_extension("annotated.pgn"));
        self.out.clone().or(beside)
    }

    /// Checks before the work that the files can be written, and that none is an input or written twice. Without `--force`, an
    /// existing file is an error.
    fn check_outputs(&self, inputs: &[PathBuf], outputs: &[&PathBuf]) -> Result<(), CommandError> {
        for (number, path) in outputs.iter().enumerate() {
            let fault = if inputs.iter().any(|input| files::are_same(path, input)) {
                "is one of the files to analyse: write to another".to_owned()
            } else if outputs.iter().take(number).any(|other| place(path) == place(other)) {
                "is named for two outputs".to_owned()
            } else if path.is_dir() {
                "is a folder: name a file".to_owned()
            } else if path.exists() && !self.force {
                "exists already: replace it with --force".to_owned()
            } else {
                match files::check_replaceable(path) {
                    Ok(()) => continue,
                    Err(error) => format!("cannot be written: {error}"),
                }
            };
            return Err(CommandError::Failed(format!("{} {fault}", path.display())));
        }
        Ok(())
    }
}

/// Resolves the folder. The file need not exist.
fn place(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// `12`, `10-30`, `-20`, `15-`.
fn move_range(text: &str) -> Result<RangeInclusive<u16>, String> {
    let number = |text: &str, default: u16| match text.trim() {
        "" => Some(default),
        text => text.parse().ok().filter(|&number| number > 0),
    };
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    match (number(from, 1), number(to, u16::MAX)) {
        (Some(from), Some(to)) if from <= to && text.trim() != "" => Ok(from..=to),
        _ => Err("not a range of move numbers, such as 10-30".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::arguments::{Cli, Command};

    fn parse(line: &str) -> Result<AnalyseArguments, clap::Error> {
        let words = ["sesame", "analyse"].into_iter().chain(line.split(' ').filter(|word| !word.is_empty()));
        Cli::try_parse_from(words).map(|cli| match cli.command {
            Some(Command::Analyse(analyse)) => analyse,
            other => panic!("{line}: {other:?}"),
        })
    }

    fn subject(line: &str) -> Result<Subject, String> {
        parse(line).unwrap().subject().map_err(|error| error.to_string())
    }

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn positions() {
        let fen = "8/8/8/4k3/8/8/4K3/8 w - - 0 1";
        let arguments = parse(&format!("{fen} --time 0.5 --multipv 3")).unwrap();
        assert_eq!(arguments.subject(), Ok(Subject::Position(fen.into())));
        assert_eq!(arguments.time, Some(Duration::from_millis(500)));
        assert_eq!(arguments.multipv, 3);
        assert_eq!(subject("--depth 4"), Ok(Subject::Position(String::new())));
        // A file of another name is no position.
        assert!(subject("Cargo.toml").unwrap_err().contains("--pgn Cargo.toml"));
    }

    #[test]
    fn files() {
        assert_eq!(subject("a.epd b.EPD.zst --csv c"), Ok(Subject::Suites(paths(&["a.epd", "b.EPD.zst"]))));
        assert_eq!(subject("--epd a.txt --time 1"), Ok(Subject::Suites(paths(&["a.txt"]))));
        for line in ["a.pgn --game 3 --out b", "--pgn a.pgn --graphs d --report r.html --moves 5-9"] {
            assert_eq!(subject(line), Ok(Subject::Games(paths(&["a.pgn"]))));
        }
        assert_eq!(subject("a.pgn.gz b.pgn --json"), Ok(Subject::Games(paths(&["a.pgn.gz", "b.pgn"]))));
        for line in [
            "a.epd 8/8",
            "a.pgn other",
            "a.pgn b.pgn --game 1",
            "a.epd a.pgn",
            "--csv x",
            "--report x",
            "--moves 3",
            "a.epd --thresholds 1,2,3",
            "a.pgn --csv x",
            "a.epd --out x",
            "a.epd --multipv 2",
            "a.pgn --out -",
            "a.epd --csv -",
            "-",
            "missing",
        ] {
            assert!(subject(line).is_err(), "{line}");
        }
        assert!(parse("--epd a --pgn b").is_err() && parse("x --epd a").is_err());
        // A folder named like a field of a FEN: that of the tests is `src`.
        let fen = "8/8/8/4k3/8/8/4K3/8 w - - 0 src";
        assert_eq!(subject(fen), Ok(Subject::Position(fen.into())));
    }

    #[test]
    fn limits() {
        let time = Duration::from_secs(5);
        assert_eq!(parse("").unwrap().limits_or(time), Limits { move_time: Some(time), ..Limits::default() });
        assert_eq!(parse("--nodes 7").unwrap().limits_or(time), Limits { nodes: Some(7), ..Limits::default() });
        for time in ["0", "-1", "nan", "inf", "1e300", "soon", "1e-30"] {
            assert!(parse(&format!("--time={time}")).is_err(), "{time}");
        }
    }

    #[test]
    fn ranges_and_thresholds() {
        for (text, range) in [("12", 12..=12), ("10-30", 10..=30), ("-20", 1..=20), ("15-", 15..=u16::MAX)] {
            assert_eq!(parse(&format!("a.pgn --moves {text}")).unwrap().moves, Some(range), "{text}");
        }
        for text in ["", "0", "x", "30-10", "-0", "1-2-3", "70000"] {
            assert!(parse(&format!("a.pgn --moves={text}")).is_err(), "{text}");
        }
        for text in ["", "5,10", "10,5,20", "0,1,2", "5,10,101", "a,b,c", "nan,1,2"] {
            assert!(parse(&format!("a.pgn --thresholds={text}")).is_err(), "{text}");
        }
        assert!(parse("a.pgn --thresholds=1,2,3").is_ok());
    }

    #[test]
    fn outputs_are_neither_inputs_nor_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("in.pgn"), "").unwrap();
        let arguments = parse("--force").unwrap();
        let check = |outputs: &[&PathBuf]| {
            arguments.check_outputs(&[path("in.pgn")], outputs).map_err(|error| error.to_string())
        };
        assert_eq!(check(&[&path("a"), &path("b")]), Ok(()));
        assert!(check(&[&path("in.pgn")]).unwrap_err().contains("write to another"));
        let again = folder.path().join(".").join("a");
        assert!(check(&[&path("a"), &again]).unwrap_err().contains("two outputs"));
    }
}
