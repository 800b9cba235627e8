//! The games of a PGN file, annotated.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::annotate::{Annotated, annotate, place};
use super::files::{Source, check_output, write};
use super::graph;
use super::judge::Tally;
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

/// How long to think on a position when nobody says.
const DEFAULT_TIME: Duration = Duration::from_millis(500);

pub(super) fn run(path: &Path, arguments: &AnalyseArguments, output: &Output) -> Result<(), CommandError> {
    let network = arguments.network.read(None)?;
    let source = Source::open(path)?;
    let (games, positions) = count(&source, path, arguments.game)?;
    let mut results = Results::new(path, arguments, games, output.clone())?;
    let limits = arguments.limits_or(DEFAULT_TIME);
    let engine = arguments.engine(1, network)?;
    let mut analyst = Analyst { engine, limits, progress: Progress::new(positions, 0), bad: 0 };
    for game in Reader::new(source.read()?) {
        if !is_wanted(&game, arguments.game) {
            continue;
        }
        let (replay, record) = match game.map(|record| (record.replay(), record)) {
            Ok((Ok(replay), record)) => (replay, record),
            Ok((Err(error), record)) => {
                analyst.complain(path, &error);
                // No loss for who keeps only what is written.
                analyst.progress.suspend(|| results.write(&record))?;
                continue;
            }
            Err(error) => {
                analyst.complain(path, &error);
                continue;
            }
        };
        let assessments = analyst.assess(&record, &replay, &results.output)?;
        if results.output.is_closed() {
            break;
        }
        let mut annotated = annotate(&record, &replay, &assessments);
        sign(&mut annotated.record, &analyst.limits);
        analyst.progress.suspend(|| results.add(&record, &replay, &annotated))?;
    }
    analyst.progress.finish();
    results.conclude();
    match analyst.bad {
        0 => Ok(()),
        1 => Err(CommandError::failed("a game could not be read: see above")),
        bad => Err(CommandError::Failed(format!("{bad} games could not be read: see above"))),
    }
}

fn is_wanted(game: &Result<PgnGame, PgnError>, wanted: Option<u64>) -> bool {
    let number = match game {
        Ok(record) => record.number,
        Err(error) => error.game,
    };
    wanted.is_none_or(|wanted| wanted == number)
}

/// Which games there are to annotate, and how many positions to search: a first, fast reading tells.
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

/// Says in the game who annotated it and how, unless somebody else has signed it.
fn sign(record: &mut PgnGame, limits: &Limits) {
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

/// The engine at work on games.
struct Analyst {
    engine: Engine,
    limits: Limits,
    progress: Progress,
    /// Games that are none.
    bad: u64,
}

impl Analyst {
    fn complain(&mut self, path: &Path, error: &PgnError) {
        self.bad += 1;
        self.progress.suspend(|| drop(writeln!(io::stderr(), "{}: {error}", path.display())));
    }

    /// What each position of a game is worth. It goes from the end to the beginning: what the table has kept of the later positions helps to see
    /// in the earlier ones what was to come.
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

/// Where the annotated games and their summary go.
struct Results {
    output: Output,
    /// The file for the games, if they do not go to the standard output.
    file: Option<PathBuf>,
    /// What is to be in that file so far.
    text: String,
    graphs: Option<PathBuf>,
    players: BTreeMap<String, (u32, Tally)>,
    games: u32,
}

impl Results {
    /// Makes sure, before the work, that all of these games can be written.
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
            // True if something can be written there the first tells; the others could only be in the way.
            let first = *games.start();
            for game in games {
                let path = graph_file(folder, game);
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

    /// Takes up a game that was annotated.
    fn add(&mut self, record: &PgnGame, replay: &Replay, annotated: &Annotated) -> Result<(), CommandError> {
        self.write(&annotated.record)?;
        if let Some(folder) = &self.graphs {
            let path = graph_file(folder, record.number);
            write(&path, &graph::draw(record, replay, &annotated.course).map_err(CommandError::failed)?)?;
        }
        self.summarise(record, annotated);
        Ok(())
    }

    /// Writes a game as text. A file is complete with every game.
    fn write(&mut self, record: &PgnGame) -> Result<(), CommandError> {
        let text = record.to_string();
        match &self.file {
            None => self.output.line(&text),
            Some(path) => {
                self.text += &text;
                self.text.push('\n');
                write(path, &self.text)?;
            }
        }
        Ok(())
    }

    /// Tells what the players did. The summary goes where the games do not.
    fn summarise(&mut self, record: &PgnGame, annotated: &Annotated) {
        let names = ["White", "Black"].map(|side| match record.tag(side) {
            Some(name) if !name.starts_with('?') && !name.is_empty() => name.to_owned(),
            _ => side.to_owned(),
        });
        let mut table = Table::new(["player"].into_iter().chain(Tally::HEADINGS));
        for (name, tally) in names.iter().zip(&annotated.tallies) {
            table.row([name.clone()].into_iter().chain(tally.row()));
            let (games, sum) = self.players.entry(name.clone()).or_default();
            *games += 1;
            sum.join(tally);
        }
        self.games += 1;
        let [white, black] = names;
        let mut text = format!("Game {}: {white} – {black}, {}\n\n{}", record.number, record.result, table.aligned());
        if !annotated.remarks.is_empty() {
            text.push('\n');
            text += &annotated.remarks.iter().map(|remark| format!("{remark}\n")).collect::<String>();
        }
        self.tell(&text);
    }

    fn tell(&self, text: &str) {
        match self.file {
            None => drop(writeln!(io::stderr(), "{text}")),
            Some(_) => self.output.line(text),
        }
    }

    /// The players' sums over all games, if there were several.
    fn conclude(&self) {
        if self.games < 2 {
            return;
        }
        let mut table = Table::new(["player", "games"].into_iter().chain(Tally::HEADINGS));
        for (name, (games, tally)) in &self.players {
            table.row([name.clone(), games.to_string()].into_iter().chain(tally.row()));
        }
        self.tell(&format!("All {} games\n\n{}", self.games, table.aligned()));
    }
}

/// The file for the course of a game.
fn graph_file(folder: &Path, game: u64) -> PathBuf {
    folder.join(format!("game-{game}.svg"))
}
