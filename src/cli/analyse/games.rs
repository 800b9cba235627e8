//! Annotation of the games of a PGN file.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::annotate::{Annotated, annotate, place};
use super::files::{Source, check_output, write};
use super::graph;
use super::judge::PlayerStats;
use crate::cli::CommandError;
use crate::cli::arguments::AnalyseArguments;
use crate::cli::assessment::{Assessment, assess};
use crate::engine::{Engine, Limits};
use crate::games::pgn::{PgnError, PgnGame, Reader, Replay};
use crate::position::Game;
use crate::uci::Output;
use sesame_report::Progress;
use sesame_report::files::are_same;
use sesame_report::markdown::Table;

/// Default search time for each position.
const DEFAULT_TIME: Duration = Duration::from_millis(500);

pub(super) fn run(path: &Path, arguments: &AnalyseArguments, output: &Output) -> Result<(), CommandError> {
    let network = arguments.network.read(None)?;
    let source = Source::open(path)?;
    let (games, positions) = count(&source, path, arguments.game)?;
    let mut results = Results::new(path, arguments, games, output.clone())?;
    let limits = arguments.limits_or(DEFAULT_TIME);
    let engine = arguments.engine(1, network)?;
    let mut analyser = GameAnalyser { engine, limits, progress: Progress::new(positions, 0), bad: 0 };
    let mut reader = Reader::new(source.read()?);
    while let Some(game) = reader.next() {
        if !is_wanted(&game, arguments.game) {
            continue;
        }
        let (replay, record) = match game.map(|record| (record.replay_legal(), record)) {
            Ok((Ok((replay, error)), record)) => {
                for warning in &record.warnings {
                    analyser.say(&format!("{}: game {}: {warning}", path.display(), record.number));
                }
                if let Some(error) = error {
                    analyser.report_error(path, &error, "annotated up to this move");
                }
                (replay, record)
            }
            // The output has every game of the input.
            Ok((Err(error), record)) => {
                analyser.report_error(path, &error, "copied, not annotated");
                analyser.progress.suspend(|| results.write(&record))?;
                continue;
            }
            Err(error) => {
                let raw = reader.raw_text();
                let copied = if raw.is_some() { "copied, not annotated" } else { "too long, left out" };
                analyser.report_error(path, &error, copied);
                if let Some(raw) = raw {
                    analyser.progress.suspend(|| results.write_text(&format!("{}\n", raw.trim())))?;
                }
                continue;
            }
        };
        let assessments = analyser.assess(&record, &replay, &results.output)?;
        if results.output.is_closed() {
            break;
        }
        let mut annotated = annotate(&record, &replay, &assessments);
        set_annotator(&mut annotated.record, &analyser.limits);
        analyser.progress.suspend(|| results.add(&record, &replay, &annotated))?;
    }
    analyser.progress.finish();
    results.conclude();
    match analyser.bad {
        0 => Ok(()),
        1 => Err(CommandError::failed("a game could not be read as a whole: see above")),
        bad => Err(CommandError::Failed(format!("{bad} games could not be read as a whole: see above"))),
    }
}

fn is_wanted(game: &Result<PgnGame, PgnError>, wanted: Option<u64>) -> bool {
    let number = match game {
        Ok(record) => record.number,
        Err(error) => error.game,
    };
    wanted.is_none_or(|wanted| wanted == number)
}

/// Returns the numbers of the games to annotate, and the number of positions to search.
fn count(source: &Source, path: &Path, wanted: Option<u64>) -> Result<(RangeInclusive<u64>, u64), CommandError> {
    let (mut games, mut positions) = (0, 0);
    for game in Reader::new(source.read()?) {
        games += 1;
        if let (true, Ok(record)) = (is_wanted(&game, wanted), &game) {
            positions += record.plies.len() as u64 + 1;
        }
    }
    match wanted {
        _ if games == 0 => Err(CommandError::Failed(format!("{} has no games", path.display()))),
        Some(wanted) if wanted > games => {
            Err(CommandError::Failed(format!("{} has no game {wanted}, only {games}", path.display())))
        }
        _ => Ok((wanted.unwrap_or(1)..=wanted.unwrap_or(games), positions)),
    }
}

/// Sets the tag `Annotator`, unless it names somebody else.
fn set_annotator(record: &mut PgnGame, limits: &Limits) {
    let effort = [
        limits.move_time.map(|time| format!("{} s", time.as_secs_f64())),
        limits.depth.map(|depth| format!("depth {depth}")),
        limits.nodes.map(|nodes| format!("{nodes} nodes")),
    ];
    let effort: Vec<String> = effort.into_iter().flatten().collect();
    let name = concat!("Sesame ", env!("CARGO_PKG_VERSION"));
    if record.tag("Annotator").is_none_or(|annotator| annotator.is_empty() || annotator.starts_with("Sesame ")) {
        record.set_tag("Annotator", format!("{name}, {} per position", effort.join(", ")));
    }
}

/// The engine and its progress through the games.
struct GameAnalyser {
    engine: Engine,
    limits: Limits,
    progress: Progress,
    /// Number of unreadable games.
    bad: u64,
}

impl GameAnalyser {
    fn report_error(&mut self, path: &Path, error: &PgnError, consequence: &str) {
        self.bad += 1;
        self.say(&format!("{}: {error}: {consequence}", path.display()));
    }

    /// Writes a line to the standard error.
    fn say(&self, line: &str) {
        self.progress.suspend(|| drop(writeln!(io::stderr(), "{line}")));
    }

    /// Assesses all positions of a game from the end to the beginning: the transposition table then helps with
    /// the earlier positions.
    fn assess(&mut self, record: &PgnGame, replay: &Replay, output: &Output) -> Result<Vec<Assessment>, CommandError> {
        self.engine.new_game();
        let mut assessments = Vec::with_capacity(replay.moves.len() + 1);
        for plies in (0..=replay.moves.len()).rev() {
            let mut game = Game::new(replay.start.clone());
            for &mv in replay.moves.iter().take(plies) {
                game.play(mv);
            }
            self.progress.set_message(format!("game {}, {}", record.number, place(game.position())));
            assessments.push(assess(&mut self.engine, &game, &self.limits).map_err(CommandError::failed)?);
            self.progress.advance(1, format!("game {}, {}", record.number, place(game.position())));
            if output.is_closed() {
                break;
            }
        }
        assessments.reverse();
        Ok(assessments)
    }
}

/// The output of the annotated games and their summary.
struct Results {
    output: Output,
    /// The file for the games; `None` for the standard output.
    file: Option<PathBuf>,
    /// The content of the file so far.
    text: String,
    graphs: Option<PathBuf>,
    players: BTreeMap<String, (u32, PlayerStats)>,
    games: u32,
}

impl Results {
    /// Checks before the work that all output can be written.
    fn new(
        input: &Path,
        arguments: &AnalyseArguments,
        games: RangeInclusive<u64>,
        output: Output,
    ) -> Result<Results, CommandError> {
        if let Some(path) = &arguments.out {
            if are_same(path, input) {
                return Err(CommandError::failed(
                    "--out names the file that is read: a stop halfway would lose the rest of it",
                ));
            }
            check_output(path, arguments.force)?;
        }
        if let Some(folder) = &arguments.graphs {
            fs::create_dir_all(folder)
                .map_err(|error| CommandError::Failed(format!("{}: {error}", folder.display())))?;
            // The first file shows that the folder can be written; the others are checked only if they exist.
            let first = *games.start();
            for game in games {
                let path = chart_file(folder, game);
                if game == first || path.exists() {
                    check_output(&path, arguments.force)?;
                }
            }
        }
        Ok(Results {
            output,
            file: arguments.out.clone(),
            text: String::new(),
            graphs: arguments.graphs.clone(),
            players: BTreeMap::new(),
            games: 0,
        })
    }

    /// Writes an annotated game, its chart and its summary.
    fn add(&mut self, record: &PgnGame, replay: &Replay, annotated: &Annotated) -> Result<(), CommandError> {
        self.write(&annotated.record)?;
        if let Some(folder) = &self.graphs {
            let path = chart_file(folder, record.number);
            write(&path, &graph::draw(record, replay, &annotated.points).map_err(CommandError::failed)?)?;
        }
        self.summarise(record, annotated);
        Ok(())
    }

    /// Writes a game. The file is complete after every game.
    fn write(&mut self, record: &PgnGame) -> Result<(), CommandError> {
        self.write_text(&record.to_string())
    }

    /// Writes the text of a game, with its last line feed.
    fn write_text(&mut self, text: &str) -> Result<(), CommandError> {
        match &self.file {
            None => self.output.line(text),
            Some(path) => {
                self.text += text;
                self.text.push('\n');
                write(path, &self.text)?;
            }
        }
        Ok(())
    }

    /// Writes the summary, to the standard error if the games go to the standard output.
    fn summarise(&mut self, record: &PgnGame, annotated: &Annotated) {
        let names = ["White", "Black"].map(|side| match record.tag(side) {
            Some(name) if !name.starts_with('?') && !name.is_empty() => name.to_owned(),
            _ => side.to_owned(),
        });
        let mut table = Table::new(["player"].into_iter().chain(PlayerStats::HEADINGS));
        for (name, stats) in names.iter().zip(&annotated.stats) {
            table.row([name.clone()].into_iter().chain(stats.row()));
            let (games, sum) = self.players.entry(name.clone()).or_default();
            *games += 1;
            sum.join(stats);
        }
        self.games += 1;
        let [white, black] = names;
        let mut text = format!("Game {}: {white} – {black}, {}\n\n{}", record.number, record.result, table.aligned());
        if !annotated.remarks.is_empty() {
            text.push('\n');
            text += &annotated.remarks.iter().map(|remark| format!("{remark}\n")).collect::<String>();
        }
        self.print_summary(&text);
    }

    fn print_summary(&self, text: &str) {
        match self.file {
            None => drop(writeln!(io::stderr(), "{text}")),
            Some(_) => self.output.line(text),
        }
    }

    /// Writes the players' statistics over all games, if there are several.
    fn conclude(&self) {
        if self.games < 2 {
            return;
        }
        let mut table = Table::new(["player", "games"].into_iter().chain(PlayerStats::HEADINGS));
        for (name, (games, stats)) in &self.players {
            table.row([name.clone(), games.to_string()].into_iter().chain(stats.row()));
        }
        self.print_summary(&format!("All {} games\n\n{}", self.games, table.aligned()));
    }
}

/// Returns the file of a game's chart.
fn chart_file(folder: &Path, game: u64) -> PathBuf {
    folder.join(format!("game-{game}.svg"))
}
