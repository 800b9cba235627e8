//! The games of a PGN file, annotated.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::annotate::{Annotated, annotate, place};
use super::files::{Source, refuse_to_replace, write};
use super::graph;
use super::judge::Tally;
use crate::cli::Failure;
use crate::cli::arguments::AnalyseArguments;
use crate::cli::thinker::{Assessment, Thinker};
use crate::engine::Limits;
use crate::files::are_same;
use crate::games::pgn::{PgnError, Reader, Record, Replay};
use crate::position::Game;
use crate::report::Progress;
use crate::report::markdown::Table;
use crate::uci::Output;

/// How long to think on a position when nobody says.
const DEFAULT_TIME: Duration = Duration::from_millis(500);

pub(super) fn run(path: &Path, arguments: &AnalyseArguments) -> Result<(), Failure> {
    let source = Source::open(path)?;
    let positions = count(&source, path, arguments.game)?;
    let mut results = Results::new(path, arguments)?;
    let limits = arguments.limits_or(DEFAULT_TIME);
    let thinker = Thinker::new(arguments.threads, arguments.hash, 1, Duration::ZERO)?;
    let mut analyst = Analyst { thinker, limits, progress: Progress::new(positions, 0) };
    let mut bad = 0;
    for game in Reader::new(source.read()?) {
        if !is_wanted(&game, arguments.game) {
            continue;
        }
        let analysed = game.and_then(|record| Ok((record.replay()?, record)));
        let (replay, record) = match analysed {
            Ok(game) => game,
            Err(error) => {
                bad += 1;
                analyst.progress.aside(|| drop(writeln!(io::stderr(), "{}: {error}", path.display())));
                continue;
            }
        };
        let assessments = analyst.assess(&record, &replay, &results.output);
        if results.output.is_closed() {
            break;
        }
        let mut annotated = annotate(&record, &replay, &assessments);
        sign(&mut annotated.record, &analyst.limits);
        analyst.progress.aside(|| results.add(&record, &replay, &annotated))?;
    }
    analyst.progress.finish();
    results.conclude();
    match bad {
        0 => Ok(()),
        1 => Err(Failure::failed("a game could not be read: see above")),
        _ => Err(Failure::Failed(format!("{bad} games could not be read: see above"))),
    }
}

fn is_wanted(game: &Result<Record, PgnError>, wanted: Option<u64>) -> bool {
    let number = match game {
        Ok(record) => record.number,
        Err(error) => error.game,
    };
    wanted.is_none_or(|wanted| wanted == number)
}

/// How many positions there are to search, which a first, fast reading tells.
fn count(source: &Source, path: &Path, wanted: Option<u64>) -> Result<u64, Failure> {
    let (mut games, mut positions) = (0, 0);
    for game in Reader::new(source.read()?) {
        games += 1;
        if let (true, Ok(record)) = (is_wanted(&game, wanted), &game) {
            positions += record.plies.len() as u64 + 1;
        }
    }
    match wanted {
        _ if games == 0 => Err(Failure::Failed(format!("{} has no games", path.display()))),
        Some(wanted) if wanted > games => {
            Err(Failure::Failed(format!("{} has no game {wanted}, only {games}", path.display())))
        }
        _ => Ok(positions),
    }
}

/// Says in the game who annotated it and how, unless somebody else has signed it.
fn sign(record: &mut Record, limits: &Limits) {
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
    thinker: Thinker,
    limits: Limits,
    progress: Progress,
}

impl Analyst {
    /// What each position of a game is worth. It goes from the end to the beginning: what the table has kept of the later positions helps to see
    /// in the earlier ones what was to come.
    fn assess(&mut self, record: &Record, replay: &Replay, output: &Output) -> Vec<Assessment> {
        self.thinker.forget();
        let mut assessments = Vec::with_capacity(replay.moves.len() + 1);
        for plies in (0..=replay.moves.len()).rev() {
            let mut game = Game::new(replay.start.clone());
            for &mv in replay.moves.iter().take(plies) {
                game.play(mv);
            }
            self.progress.tell(format!("game {}, {}", record.number, place(game.position())));
            assessments.push(self.thinker.assess(&game, &self.limits));
            self.progress.advance(1, format!("game {}, {}", record.number, place(game.position())));
            if output.is_closed() {
                break;
            }
        }
        assessments.reverse();
        assessments
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
    force: bool,
    players: BTreeMap<String, (u32, Tally)>,
    games: u32,
}

impl Results {
    fn new(input: &Path, arguments: &AnalyseArguments) -> Result<Results, Failure> {
        if let Some(path) = &arguments.out {
            if are_same(path, input) {
                return Err(Failure::failed(
                    "--out names the file that is read: a stop halfway would lose the rest of it",
                ));
            }
            refuse_to_replace(path, arguments.force)?;
        }
        if let Some(folder) = &arguments.graphs {
            fs::create_dir_all(folder).map_err(|error| Failure::Failed(format!("{}: {error}", folder.display())))?;
        }
        Ok(Results {
            output: Output::stdout(),
            file: arguments.out.clone(),
            text: String::new(),
            graphs: arguments.graphs.clone(),
            force: arguments.force,
            players: BTreeMap::new(),
            games: 0,
        })
    }

    /// Takes up a game. Files are complete with every game.
    fn add(&mut self, record: &Record, replay: &Replay, annotated: &Annotated) -> Result<(), Failure> {
        let text = annotated.record.to_string();
        match &self.file {
            None => self.output.line(&text),
            Some(path) => {
                self.text += &text;
                self.text.push('\n');
                write(path, &self.text)?;
            }
        }
        if let Some(folder) = &self.graphs {
            let path = folder.join(format!("game-{}.svg", record.number));
            refuse_to_replace(&path, self.force)?;
            write(&path, &graph::draw(record, replay, &annotated.course).map_err(Failure::failed)?)?;
        }
        self.summarise(record, annotated);
        Ok(())
    }

    /// Tells what the players did. The summary goes where the games do not.
    fn summarise(&mut self, record: &Record, annotated: &Annotated) {
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
        let mut text =
            format!("Game {}: {white} – {black}, {}\n\n{}", record.number, record.termination, table.aligned());
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
