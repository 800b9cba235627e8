//! Arguments of `sesame analyse`.

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::accuracy::Thresholds;
use super::input::{FileKind, all_files};
use crate::cli::arguments::{EngineArguments, seconds};
use crate::cli::terminal::BoardArguments;
use crate::engine::{Engine, Limits, Options};
use crate::uci::MAX_MULTI_PV;
use sesame_command::{CommandError, whole_number};

/// Analyse a position, the positions of EPD files, or the games of PGN files
///
/// Sesame shows the best lines of a position at each depth, solves EPD positions with a summary, and annotates PGN
/// games. Name files that end in .epd or .pgn, or name other files after --epd or --pgn. Sesame also reads files
/// compressed by gzip or zstd (.gz, .zst). Give a folder to read all its files. Unless you set a limit, Sesame thinks for
/// ten seconds about a position, five seconds about each EPD position, and half a second about each position of a
/// game. If you set several limits, the first one reached ends a search. Ctrl-C or SIGTERM ends the analysis and shows
/// the results so far.
#[derive(Debug, Args)]
#[command(override_usage = "sesame analyse [OPTIONS] [POSITION | FILE.epd... | FILE.pgn... | DIR...]")]
pub(in crate::cli) struct AnalyseArguments {
    /// A FEN or startpos, also with moves, as in: startpos moves e2e4 e7e5; or files [default: the start position]
    #[arg(num_args = 0.., value_name = "POSITION | FILE")]
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
    pub(super) multipv: u16,
    #[command(flatten)]
    pub(super) board: BoardArguments,
    /// Write the results to standard output as JSON, one object on each line; the first names the program and the schema
    #[arg(long, conflicts_with = "ascii")]
    pub(super) json: bool,
    /// EPD: write the results to this CSV file
    #[arg(long, value_name = "FILE")]
    pub(super) csv: Option<PathBuf>,
    /// PGN: annotate only the game with this number, counted from 1
    #[arg(long, value_parser = whole_number(1_u64..), value_name = "N")]
    pub(super) game: Option<u64>,
    /// PGN: annotate only these moves, such as 12, 10-30, -20 or 15-
    #[arg(long, value_parser = move_range, value_name = "FROM-TO", allow_hyphen_values = true)]
    pub(super) moves: Option<RangeInclusive<u16>>,
    /// PGN: call a move an inaccuracy, a mistake or a blunder if it loses A, B or C percent of the winning chances
    #[arg(long, default_value_t, value_name = "A,B,C")]
    pub(super) thresholds: Thresholds,
    /// PGN: write the annotated games to this file [default: standard output, or with --report a file beside the report]
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// PGN: write an evaluation chart of each game, game-N.svg, to this folder
    #[arg(long, value_name = "DIR")]
    pub(super) graphs: Option<PathBuf>,
    /// PGN: write a page with board, moves and evaluation chart of each game to this HTML file
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    pub(super) force: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Position(String),
    Suites(Vec<PathBuf>),
    Games(Vec<PathBuf>),
}

impl AnalyseArguments {
    pub(super) fn options(&self) -> Result<Options, CommandError> {
        let multi_pv = usize::from(self.multipv);
        Ok(Options { multi_pv, move_overhead: Duration::ZERO, ..self.engine.options()? })
    }

    pub(super) fn engine(&self, options: Options) -> Result<Engine, CommandError> {
        let mut engine = Engine::new(options).map_err(CommandError::failed)?;
        self.engine.load_syzygy(&mut engine)?;
        Ok(engine)
    }

    /// Lists the files of folders. Rejects arguments that do not belong to the input.
    pub(super) fn subject(&self) -> Result<Subject, CommandError> {
        let subject = self.named_subject()?;
        let (is_position, is_suite, is_game) = match &subject {
            Subject::Position(_) => (true, false, false),
            Subject::Suites(_) => (false, true, false),
            Subject::Games(_) => (false, false, true),
        };
        for (name, is_given, fits, kind) in [
            ("--csv", self.csv.is_some(), is_suite, "EPD files"),
            ("--game", self.game.is_some(), is_game, "PGN files"),
            ("--moves", self.moves.is_some(), is_game, "PGN files"),
            ("--thresholds", self.thresholds != Thresholds::default(), is_game, "PGN files"),
            ("--out", self.out.is_some(), is_game, "PGN files"),
            ("--graphs", self.graphs.is_some(), is_game, "PGN files"),
            ("--report", self.report.is_some(), is_game, "PGN files"),
            ("--force", self.force, !is_position, "files"),
            ("--multipv", self.multipv > 1, is_position, "a single position"),
        ] {
            if is_given && !fits {
                return Err(CommandError::Usage(format!("{name} is for {kind}")));
            }
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
        let is_named = |word: &OsString| FileKind::of(Path::new(word)).is_some() || Path::new(word).is_dir();
        // The first word decides: the others of a FEN, such as `b`, may be names of folders.
        if !self.words.first().is_some_and(is_named) {
            return self.position();
        }
        if let Some(other) = self.words.iter().find(|&word| !is_named(word)) {
            return Err(CommandError::Usage(format!("{other:?} is neither a folder nor ends in .pgn or .epd")));
        }
        let files = all_files(&self.words.iter().map(PathBuf::from).collect::<Vec<_>>(), None)?;
        let is_suite = |file: &PathBuf| FileKind::of(file) == Some(FileKind::Epd);
        match files.iter().filter(|file| is_suite(file)).count() {
            0 => Ok(Subject::Games(files)),
            suites if suites == files.len() => Ok(Subject::Suites(files)),
            _ => Err(CommandError::usage("analyse EPD files and PGN files in separate runs, with --epd or --pgn")),
        }
    }

    fn position(&self) -> Result<Subject, CommandError> {
        let words: Vec<_> = self.words.iter().map(|word| word.to_string_lossy()).collect();
        match words.as_slice() {
            [name, ..] if name == "-" || Path::new(name.as_ref()).is_file() => {
                Err(CommandError::Usage(format!("name the kind of the file: --epd {name} or --pgn {name}")))
            }
            [word] if !word.contains(['/', ' ']) && word != "startpos" => {
                Err(CommandError::Usage(format!("'{word}' is neither a file nor a position")))
            }
            words => Ok(Subject::Position(words.join(" "))),
        }
    }

    /// Returns the limits of the arguments, or `time` if there are none.
    pub(super) fn limits_or(&self, time: Duration) -> Limits {
        let limits = Limits { depth: self.depth, nodes: self.nodes, move_time: self.time, ..Limits::default() };
        if limits == Limits::default() { Limits { move_time: Some(time), ..limits } } else { limits }
    }

    /// The games go to a file beside a report: on the terminal they would hide the summary.
    pub(super) fn games_file(&self) -> Option<PathBuf> {
        let beside = self.report.as_ref().filter(|_| !self.json).map(|report| report.with_extension("annotated.pgn"));
        self.out.clone().or(beside)
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

    #[derive(Debug, Parser)]
    struct TestCli {
        #[command(flatten)]
        analyse: AnalyseArguments,
    }

    fn parse(line: &str) -> Result<AnalyseArguments, clap::Error> {
        TestCli::try_parse_from(["analyse"].into_iter().chain(line.split_whitespace())).map(|cli| cli.analyse)
    }

    #[test]
    fn subjects() {
        let position = |text: &str| Subject::Position(text.to_owned());
        let (suites, games) = (Subject::Suites, Subject::Games);
        let paths = |names: &str| names.split(' ').map(PathBuf::from).collect();
        // A folder named like a field of a FEN: that of the tests is `src`.
        let fen = "8/8/8/4k3/8/8/4K3/8 w - - 0 src";
        for (line, subject) in [
            (format!("{fen} --time 0.5 --multipv 3").as_str(), position(fen)),
            ("--depth 4", position("")),
            ("a.epd b.EPD.zst --csv c", suites(paths("a.epd b.EPD.zst"))),
            ("--epd a.txt --time 1", suites(paths("a.txt"))),
            ("a.pgn --game 3 --out b", games(paths("a.pgn"))),
            ("--pgn a.pgn --graphs d --report r.html --moves 5-9 --thresholds=1,2,3", games(paths("a.pgn"))),
            ("a.pgn.gz b.pgn --json", games(paths("a.pgn.gz b.pgn"))),
        ] {
            assert_eq!(parse(line).unwrap().subject(), Ok(subject), "{line}");
        }
        for (line, fault) in [
            ("a.epd 8/8", "is neither a folder nor ends in"),
            ("a.pgn other", "is neither a folder nor ends in"),
            ("a.pgn b.pgn --game 1", "--game is for a single PGN file"),
            ("a.epd a.pgn", "in separate runs"),
            ("--csv x", "--csv is for EPD files"),
            ("--report x", "--report is for PGN files"),
            ("--moves 3", "--moves is for PGN files"),
            ("--force", "--force is for files"),
            ("a.epd --thresholds 1,2,3", "--thresholds is for PGN files"),
            ("a.pgn --csv x", "--csv is for EPD files"),
            ("a.epd --out x", "--out is for PGN files"),
            ("a.epd --multipv 2", "--multipv is for a single position"),
            ("a.pgn --out -", "- is the standard input"),
            ("a.epd --csv -", "- is the standard input"),
            ("-", "--epd - or --pgn -"),
            ("Cargo.toml", "--epd Cargo.toml or --pgn Cargo.toml"),
            ("missing", "'missing' is neither a file nor a position"),
        ] {
            let error = parse(line).unwrap().subject().unwrap_err().to_string();
            assert!(error.contains(fault), "{line}: {error}");
        }
        assert!(parse("--epd a --pgn b").is_err() && parse("x --epd a").is_err());
    }

    #[test]
    fn limits() {
        let time = Duration::from_secs(5);
        let limits = |line: &str| parse(line).unwrap().limits_or(time);
        assert_eq!(limits(""), Limits { move_time: Some(time), ..Limits::default() });
        assert_eq!(limits("--nodes 7"), Limits { nodes: Some(7), ..Limits::default() });
        assert_eq!(limits("--time 0.5").move_time, Some(Duration::from_millis(500)));
        for time in ["0", "-1", "nan", "inf", "1e300", "soon", "1e-30"] {
            assert!(parse(&format!("--time={time}")).is_err(), "{time}");
        }
    }

    #[test]
    fn ranges_of_moves() {
        for (text, range) in [("12", 12..=12), ("10-30", 10..=30), ("-20", 1..=20), ("15-", 15..=u16::MAX)] {
            assert_eq!(parse(&format!("a.pgn --moves {text}")).unwrap().moves, Some(range), "{text}");
        }
        for text in ["", "0", "x", "30-10", "-0", "1-2-3", "70000"] {
            assert!(move_range(text).is_err(), "{text}");
        }
    }
}
