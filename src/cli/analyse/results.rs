//! The output of annotated games: PGN, charts, report, JSON and summary.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::accuracy::PlayerStats;
use super::annotate::Annotated;
use super::input::at;
use super::output::{GrowingFile, write, write_json};
use super::{AnalyseArguments, report};
use crate::cli::CommandError;
use crate::cli::assessment::WhiteScore;
use crate::engine::Limits;
use crate::games::pgn::PgnGame;
use crate::output::Output;
use sesame_command::print_status;
use sesame_report::markdown::Table;

pub(super) struct Results {
    output: Output,
    json: bool,
    /// `None` for the standard output.
    file: Option<GrowingFile>,
    /// The file of the games, if the user has not named it.
    unnamed_file: Option<String>,
    graphs: Option<PathBuf>,
    report: Option<GrowingFile>,
    /// Value of the tag `Annotator`.
    annotator: String,
    /// Number of games and statistics, by player.
    players: BTreeMap<String, (u32, PlayerStats)>,
    pub(super) annotated: u32,
    /// Games in the output.
    pub(super) written: u64,
}

impl Results {
    /// Checks before the work that all output can be written. `numbers` are those of the games.
    pub(super) fn new(
        inputs: &[PathBuf],
        arguments: &AnalyseArguments,
        numbers: RangeInclusive<u64>,
        output: Output,
        limits: &Limits,
    ) -> Result<Results, CommandError> {
        let games_file = arguments.games_file();
        // Errors name the file that the user named.
        let outputs: Vec<&PathBuf> = arguments.report.iter().chain(&games_file).collect();
        arguments.check_outputs(inputs, &outputs)?;
        if let Some(folder) = &arguments.graphs {
            if folder.exists() && !folder.is_dir() {
                return Err(CommandError::Failed(format!("{} is a file: name a folder", folder.display())));
            }
            fs::create_dir_all(folder).map_err(at(folder))?;
            // The first file shows that the folder can be written; the others are checked only if they exist.
            let charts = numbers.enumerate().map(|(place, game)| (place, chart_file(folder, game)));
            for (_, path) in charts.filter(|(place, path)| *place == 0 || path.exists()) {
                arguments.check_outputs(&[], &[&path])?;
            }
        }
        Ok(Results {
            output,
            json: arguments.json,
            unnamed_file: games_file
                .as_ref()
                .filter(|_| arguments.out.is_none())
                .map(|file| file.display().to_string()),
            file: games_file.map(GrowingFile::new),
            graphs: arguments.graphs.clone(),
            report: arguments.report.clone().map(GrowingFile::new),
            annotator: annotator(limits),
            players: BTreeMap::new(),
            annotated: 0,
            written: 0,
        })
    }

    /// Writes game, chart, report page and summary.
    pub(super) fn add(&mut self, file: &Path, number: u64, mut annotated: Annotated) -> Result<(), CommandError> {
        let record = &mut annotated.record;
        if record.tag("Annotator").is_none_or(|annotator| annotator.is_empty() || annotator.starts_with("Sesame ")) {
            record.set_tag("Annotator", &self.annotator);
        }
        self.annotated += 1;
        if self.json {
            write_game_json(&self.output, file, number, &annotated)?;
        }
        self.write(&annotated.record.to_string())?;
        // A chart of no moves would be empty.
        if annotated.moves.iter().any(|step| step.score.is_some()) {
            if let Some(folder) = &self.graphs {
                write(&chart_file(folder, number), &report::chart(&annotated).map_err(CommandError::failed)?)?;
            }
            if let Some(file) = &mut self.report {
                file.add(&report::game(number, &annotated, &self.annotator), report::page)?;
            }
        }
        self.summarise(number, &annotated);
        Ok(())
    }

    /// Includes the last line feed.
    pub(super) fn write(&mut self, text: &str) -> Result<(), CommandError> {
        self.written += 1;
        match &mut self.file {
            None if self.json => {}
            None => self.output.line(text),
            Some(file) => file.add(&format!("{text}\n"), str::to_owned)?,
        }
        Ok(())
    }

    fn summarise(&mut self, number: u64, annotated: &Annotated) {
        let names = player_names(&annotated.record);
        let mut table = Table::new(["player"].into_iter().chain(PlayerStats::HEADINGS));
        for (name, stats) in names.iter().zip(&annotated.stats) {
            table.row([name.clone()].into_iter().chain(stats.row()));
            let (games, sum) = self.players.entry(name.clone()).or_default();
            *games += 1;
            sum.join(stats);
        }
        let ([white, black], result) = (names, annotated.record.result);
        let remarks = annotated.remarks();
        let gap = if remarks.is_empty() { "" } else { "\n" };
        self.say(&format!("Game {number}: {white} – {black}, {result}\n\n{}{gap}{remarks}", table.aligned()));
    }

    /// Goes to the standard error if games or JSON go to the standard output.
    fn say(&self, text: &str) {
        match self.file {
            Some(_) if !self.json => self.output.line(text),
            _ => drop(writeln!(io::stderr(), "{text}")),
        }
    }

    /// Also writes the players' statistics over several games, and where the report is.
    pub(super) fn conclude(&mut self) -> Result<(), CommandError> {
        if let Some(file) = &mut self.file {
            file.complete(str::to_owned)?;
        }
        if let Some(file) = &mut self.report {
            file.complete(report::page)?;
        }
        if let Some(file) = self.unnamed_file.as_ref().filter(|_| self.written > 0) {
            self.say(&format!("The annotated games are in {file}.\n"));
        }
        if self.annotated > 1 {
            self.summarise_all();
        }
        if let Some(path) = self.report.as_ref().and_then(GrowingFile::written) {
            print_status(&format!("The report is in {}; open it in a browser.", path.display()));
        }
        Ok(())
    }

    fn summarise_all(&self) {
        let mut table = Table::new(["player", "games"].into_iter().chain(PlayerStats::HEADINGS));
        for (name, (games, stats)) in &self.players {
            table.row([name.clone(), games.to_string()].into_iter().chain(stats.row()));
        }
        self.say(&format!("All {} games\n\n{}", self.annotated, table.aligned()));
    }
}

pub(super) fn player_names(record: &PgnGame) -> [String; 2] {
    ["White", "Black"].map(|side| match record.tag(side) {
        Some(name) if !name.starts_with('?') && !name.is_empty() => name.to_owned(),
        _ => side.to_owned(),
    })
}

/// Program and effort, for the tag `Annotator`.
fn annotator(limits: &Limits) -> String {
    let effort = [
        limits.move_time.map(|time| format!("{} s", time.as_secs_f64())),
        limits.depth.map(|depth| format!("depth {depth}")),
        limits.nodes.map(|nodes| format!("{nodes} nodes")),
    ];
    let effort: Vec<String> = effort.into_iter().flatten().collect();
    format!("{}, {} per position", concat!("Sesame ", env!("CARGO_PKG_VERSION")), effort.join(", "))
}

fn chart_file(folder: &Path, game: u64) -> PathBuf {
    folder.join(format!("game-{game}.svg"))
}

/// Writes the moves, then the game.
fn write_game_json(output: &Output, file: &Path, game: u64, annotated: &Annotated) -> Result<(), CommandError> {
    let file = file.display().to_string();
    for (ply, step) in (1..).zip(&annotated.moves) {
        let judged = step.judged.as_ref();
        let object = json!({
            "type": "move",
            "file": file,
            "game": game,
            "ply": ply,
            "move": step.before.to_uci(step.mv, false),
            "san": step.before.to_san(step.mv),
            // Position and score after the move; null if not searched.
            "fen": step.after.fen(false),
            "score": step.score.map(|score| WhiteScore::new(score, step.after.side_to_move())),
            "judgement": judged.map(|judged| judged.judgement.name().to_lowercase()),
            "best": judged.map(|judged| judged.best.as_str()),
            "line": judged.map(|judged| judged.line.as_str()),
        });
        write_json(output, &object)?;
    }
    let [white, black] = player_names(&annotated.record);
    let [white_stats, black_stats] = &annotated.stats;
    let (white, black) = (player_json(&white, white_stats), player_json(&black, black_stats));
    let result = annotated.record.result.to_string();
    let object = json!({"type": "game", "file": file, "game": game, "white": white, "black": black, "result": result});
    write_json(output, &object)
}

fn player_json(name: &str, stats: &PlayerStats) -> Value {
    let [inaccuracies, mistakes, blunders] = stats.judged;
    json!({
        "name": name,
        "moves": stats.moves,
        // In percent, and in centipawns a move.
        "accuracy": stats.mean_accuracy(),
        "average_loss": stats.mean_loss(),
        "inaccuracies": inaccuracies,
        "mistakes": mistakes,
        "blunders": blunders,
    })
}
