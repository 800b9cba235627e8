//! Arguments of `sesame analyse`.

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, value_parser};

use super::inputs::{FileKind, all_files};
use super::judge::Thresholds;
use crate::cli::CommandError;
use crate::cli::arguments::thread_count;
use crate::cli::arguments::{NetworkArguments, seconds};
use crate::engine::{Engine, Limits, Options};
use crate::eval::Network;
use crate::uci::{MAX_HASH_MIB, MAX_MULTI_PV};

/// Analyse a position, the positions of EPD files, or the games of PGN files
///
/// The names of files end in .epd or .pgn, or follow --epd or --pgn; files compressed by gzip or zstd (.gz, .zst) are
/// read too. A folder stands for its files. A position is shown with its best lines, depth by depth. EPD positions
/// are solved, with a summary. PGN games are annotated. Without a limit, the search takes ten seconds for a position,
/// five for each EPD position, and half a second for each position of a game. The first of several limits ends a
/// search. Ctrl-C ends the analysis and shows what there is.
#[derive(Debug, Args)]
#[command(override_usage = "sesame analyse [OPTIONS] [FEN | FILE.epd... | FILE.pgn... | DIR...]")]
pub(in crate::cli) struct AnalyseArguments {
    /// The position, in quotes or not, or the files [default: the start position]
    #[arg(num_args = 0.., value_name = "FEN | FILE")]
    words: Vec<OsString>,
    /// Solve the positions of these EPD files; - is the standard input
    #[arg(long, num_args = 1.., value_name = "FILE", conflicts_with_all = ["words", "pgn"])]
    epd: Vec<PathBuf>,
    /// Annotate the games of these PGN files; - is the standard input
    #[arg(long, num_args = 1.., value_name = "FILE", conflicts_with = "words")]
    pgn: Vec<PathBuf>,
    /// Time of each search
    #[arg(long, value_parser = seconds, value_name = "SECONDS")]
    pub(super) time: Option<Duration>,
    /// Depth of each search
    #[arg(long, value_parser = value_parser!(u32).range(1..), value_name = "PLIES")]
    pub(super) depth: Option<u32>,
    /// Nodes of each search
    #[arg(long, value_parser = value_parser!(u64).range(1..))]
    pub(super) nodes: Option<u64>,
    /// Search threads: a number, or auto for one on each physical core
    #[arg(long, default_value_t = 1, value_parser = thread_count, value_name = "N")]
    threads: u16,
    /// Number of lines to show
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(1..=MAX_MULTI_PV), value_name = "LINES")]
    pub(super) multipv: u16,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = 64, value_parser = value_parser!(u32).range(1..=MAX_HASH_MIB), value_name = "MIB")]
    hash: u32,
    #[command(flatten)]
    pub(super) network: NetworkArguments,
    /// Draw the board with letters instead of figurines
    #[arg(long)]
    pub(super) ascii: bool,
    /// Write the results to the standard output as JSON, one object on each line
    #[arg(long, conflicts_with = "ascii")]
    pub(super) json: bool,
    /// EPD: write the results to this CSV file
    #[arg(long, value_name = "FILE")]
    pub(super) csv: Option<PathBuf>,
    /// PGN: annotate only the game of this number, from 1
    #[arg(long, value_parser = value_parser!(u64).range(1..), value_name = "N")]
    pub(super) game: Option<u64>,
    /// PGN: annotate only these moves, such as 12, 10-30, -20 or 15-
    #[arg(long, value_parser = move_range, value_name = "FROM-TO", allow_hyphen_values = true)]
    pub(super) moves: Option<RangeInclusive<u16>>,
    /// PGN: losses of winning chances in percent from which a move is an inaccuracy, a mistake, a blunder
    #[arg(long, default_value_t, value_name = "A,B,C")]
    pub(super) thresholds: Thresholds,
    /// PGN: write the annotated games to this file [default: the standard output]
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

/// The input of an analysis.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// A position: a FEN, or nothing for the start position.
    Position(String),
    /// EPD files.
    Suites(Vec<PathBuf>),
    /// PGN files.
    Games(Vec<PathBuf>),
}

impl AnalyseArguments {
    /// Creates the engine, without a move overhead.
    pub(super) fn engine(&self, multi_pv: usize, network: Arc<Network>) -> Result<Engine, CommandError> {
        let options = Options {
            hash_mib: self.hash.try_into().map_err(CommandError::failed)?,
            threads: usize::from(self.threads),
            multi_pv,
            move_overhead: Duration::ZERO,
            network,
            ..Options::default()
        };
        Engine::new(options).map_err(CommandError::failed)
    }

    /// Returns the input, with the files of folders. Arguments that do not belong to it are an error.
    pub(super) fn subject(&self) -> Result<Subject, CommandError> {
        const FOR_GAMES: &str = "--game, --moves, --thresholds, --out, --graphs and --report are for PGN files";
        let subject = self.named_subject()?;
        let for_games = self.game.is_some()
            || self.moves.is_some()
            || self.thresholds != Thresholds::default()
            || self.out.is_some()
            || self.graphs.is_some()
            || self.report.is_some();
        let for_suites = self.csv.is_some();
        let dash = Path::new("-");
        if [&self.out, &self.csv, &self.report, &self.graphs].into_iter().flatten().any(|path| path == dash) {
            return Err(CommandError::usage("- is the standard input, not a file to write"));
        }
        let wrong = |text: &str| Err(CommandError::usage(text));
        match &subject {
            Subject::Position(_) if for_suites || for_games || self.force => {
                wrong(&format!("no file is named: --csv is for EPD files; {FOR_GAMES}; --force is for both"))
            }
            Subject::Suites(_) if for_games => wrong(FOR_GAMES),
            Subject::Games(_) if for_suites => wrong("--csv is for EPD files"),
            Subject::Suites(_) | Subject::Games(_) if self.multipv > 1 => wrong("--multipv is for a single position"),
            Subject::Games(files) if files.len() > 1 && self.game.is_some() => wrong("--game is for a single PGN file"),
            _ => Ok(subject),
        }
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
        let Some(first) = self.words.first().filter(|&first| is_named(first)) else {
            if let Some(path) = self.words.first().map(Path::new).filter(|path| path.is_file()) {
                let text = format!("is {0} a suite or a file of games? --epd {0} or --pgn {0} says so", path.display());
                return Err(CommandError::Usage(text));
            }
            let words: Vec<_> = self.words.iter().map(|word| word.to_string_lossy()).collect();
            return match words.as_slice() {
                [dash] if dash == "-" => {
                    Err(CommandError::usage("is the input a suite or games? --epd - or --pgn - says so"))
                }
                [word] if !word.contains(['/', ' ']) && word != "startpos" => {
                    Err(CommandError::Usage(format!("'{word}' is neither a file nor a FEN")))
                }
                words => Ok(Subject::Position(words.join(" "))),
            };
        };
        if let Some(other) = self.words.iter().find(|&word| !is_named(word)) {
            let text = format!("behind {first:?}, {other:?} is neither a folder nor ends in .pgn or .epd");
            return Err(CommandError::Usage(text));
        }
        let files = all_files(&self.words.iter().map(PathBuf::from).collect::<Vec<_>>(), None)?;
        let is_suite = |file: &PathBuf| FileKind::of(file) == Some(FileKind::Epd);
        match files.iter().filter(|&file| is_suite(file)).count() {
            0 => Ok(Subject::Games(files)),
            suites if suites == files.len() => Ok(Subject::Suites(files)),
            _ => Err(CommandError::usage("EPD and PGN files in one run: --epd or --pgn says which")),
        }
    }

    /// Returns the limits of the arguments.
    pub(super) fn limits(&self) -> Limits {
        Limits { depth: self.depth, nodes: self.nodes, move_time: self.time, ..Limits::default() }
    }

    /// Returns the limits of the arguments, or `time` without any.
    pub(super) fn limits_or(&self, time: Duration) -> Limits {
        let limits = self.limits();
        if limits == Limits::default() { Limits { move_time: Some(time), ..limits } } else { limits }
    }
}

/// Parses a range of move numbers: `12`, `10-30`, `-20`, `15-`.
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
    }
}
