//! The output of annotated games: PGN, charts, report, JSON and summary.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::accuracy::PlayerStats;
use super::annotate::AnalysedGame;
use super::arguments::AnalyseArguments;
use super::input::at;
use super::output::{GrowingFile, check_files, write, write_json};
use super::report;
use crate::engine::Limits;
use crate::engine::build_info::NAME;
use crate::games::decode;
use crate::output::Output;
use sesame_command::files::printable;
use sesame_command::{CommandError, print_status};
use sesame_report::markdown::Table;

pub(super) struct GameWriter<'a> {
    output: Output,
    arguments: &'a AnalyseArguments,
    /// `None` for the standard output.
    file: Option<GrowingFile>,
    report: Option<GrowingFile>,
    annotator: String,
    /// Numbers of games, and statistics.
    players: BTreeMap<String, (u32, PlayerStats)>,
    pub(super) annotated: u32,
    pub(super) written: u64,
}

impl<'a> GameWriter<'a> {
    /// Checks before the work that all output can be written.
    pub(super) fn new(
        inputs: &[PathBuf],
        arguments: &'a AnalyseArguments,
        output: Output,
        limits: &Limits,
    ) -> Result<GameWriter<'a>, CommandError> {
        let games_file = arguments.games_file();
        // Errors name the file that the user named.
        let outputs: Vec<&PathBuf> = arguments.report.iter().chain(&games_file).collect();
        check_files(inputs, &outputs, arguments.force)?;
        if let Some(folder) = &arguments.graphs {
            check_charts(folder, arguments)?;
        }
        let (head, tail) = report::frame();
        Ok(GameWriter {
            output,
            arguments,
            file: games_file.map(|path| GrowingFile::new(path, String::new(), String::new())),
            report: arguments.report.clone().map(|path| GrowingFile::new(path, head, tail)),
            annotator: annotator(limits),
            players: BTreeMap::new(),
            annotated: 0,
            written: 0,
        })
    }

    pub(super) fn add(&mut self, file: &Path, game: &mut AnalysedGame) -> Result<(), CommandError> {
        let record = &mut game.record;
        if record.tag("Annotator").is_none_or(|annotator| annotator.is_empty() || annotator.starts_with("Sesame ")) {
            record.set_tag("Annotator", &self.annotator);
        }
        self.annotated += 1;
        if self.arguments.json {
            self.write_json(&file.display().to_string(), game)?;
        }
        self.write(&game.record.to_string())?;
        // A chart of no moves would be empty.
        if game.moves().any(|(.., after)| after.assessment.is_some()) {
            if let Some(folder) = &self.arguments.graphs {
                let chart = report::chart(game).map_err(CommandError::failed)?;
                write(&chart_file(folder, game.number), &chart)?;
            }
            if let Some(file) = &mut self.report {
                let separator = if file.written().is_some() { "," } else { "" };
                file.add(&format!("{separator}\n{}", report::game(game, &self.annotator)))?;
            }
        }
        self.summarise(game);
        Ok(())
    }

    /// Writes a game, whose text includes the last line feed.
    pub(super) fn write(&mut self, text: &str) -> Result<(), CommandError> {
        match &mut self.file {
            None if self.arguments.json => {}
            // A game that is copied may have control characters.
            None if io::stdout().is_terminal() => self.output.line(&decode(text.into())),
            None => self.output.line(text),
            // An empty line separates games.
            Some(file) => file.add(&format!("{text}\n"))?,
        }
        self.written += 1;
        Ok(())
    }

    fn write_json(&self, file: &str, game: &AnalysedGame) -> Result<(), CommandError> {
        for (ply, (_, played, after)) in (1..).zip(game.moves()) {
            let judged = played.judged.as_ref();
            let object = json!({
                "type": "move",
                "file": file,
                "game": game.number,
                "ply": ply,
                "move": played.uci,
                "san": played.san,
                "fen": after.position.fen(false),
                "score": after.white_score(),
                "judgement": judged.map(|judged| judged.judgement.name.to_lowercase()),
                "best": judged.map(|judged| judged.best_san.as_str()),
                "line": judged.map(|judged| judged.line.as_str()),
            });
            write_json(&self.output, &object)?;
        }
        let ([white, black], [white_stats, black_stats]) = (game.player_names(), game.stats);
        let object = json!({
            "type": "game",
            "file": file,
            "game": game.number,
            "white": player_json(&white, &white_stats),
            "black": player_json(&black, &black_stats),
            "result": game.record.result.to_string(),
        });
        write_json(&self.output, &object)
    }

    fn summarise(&mut self, game: &AnalysedGame) {
        let names = game.player_names();
        let mut table = Table::new(["player"].into_iter().chain(PlayerStats::HEADINGS));
        for (name, stats) in names.iter().zip(&game.stats) {
            table.row([name.clone()].into_iter().chain(stats.row()));
            let (games, sum) = self.players.entry(name.clone()).or_default();
            *games += 1;
            sum.join(stats);
        }
        let ([white, black], result, remarks) = (names, game.record.result, game.remarks());
        let gap = if remarks.is_empty() { "" } else { "\n" };
        self.say(&format!("Game {}: {white} – {black}, {result}\n\n{}{gap}{remarks}", game.number, table.aligned()));
    }

    /// Writes to the standard error if games or JSON go to the standard output.
    fn say(&self, text: &str) {
        match self.file {
            Some(_) if !self.arguments.json => self.output.line(&printable(text)),
            _ => print_status(text),
        }
    }

    pub(super) fn conclude(&mut self) -> Result<(), CommandError> {
        for file in [&self.file, &self.report].into_iter().flatten() {
            file.finish()?;
        }
        // The user has not named this file.
        let unnamed = self.file.as_ref().filter(|_| self.arguments.out.is_none()).and_then(GrowingFile::written);
        if let Some(path) = unnamed {
            self.say(&format!("The annotated games are in {}.\n", path.display()));
        }
        if self.annotated > 1 {
            let mut table = Table::new(["player", "games"].into_iter().chain(PlayerStats::HEADINGS));
            for (name, (games, stats)) in &self.players {
                table.row([name.clone(), games.to_string()].into_iter().chain(stats.row()));
            }
            self.say(&format!("All {} games\n\n{}", self.annotated, table.aligned()));
        }
        if let Some(path) = self.report.as_ref().and_then(GrowingFile::written) {
            print_status(&format!("The report is in {}; open it in a browser.", path.display()));
        }
        Ok(())
    }
}

fn annotator(limits: &Limits) -> String {
    let effort = [
        limits.move_time.map(|time| format!("{} s", time.as_secs_f64())),
        limits.depth.map(|depth| format!("depth {depth}")),
        limits.nodes.map(|nodes| format!("{nodes} nodes")),
    ];
    let effort: Vec<String> = effort.into_iter().flatten().collect();
    format!("{NAME}, {} per position", effort.join(", "))
}

fn chart_file(folder: &Path, game: u64) -> PathBuf {
    folder.join(format!("game-{game}.svg"))
}

/// Creates the folder. Without `--force`, it must have no chart of the wanted game, or none at all if all games are wanted.
fn check_charts(folder: &Path, arguments: &AnalyseArguments) -> Result<(), CommandError> {
    if folder.exists() && !folder.is_dir() {
        return Err(CommandError::Failed(format!("{} is a file: name a folder", folder.display())));
    }
    fs::create_dir_all(folder).map_err(at(folder))?;
    let number = |entry: io::Result<fs::DirEntry>| -> Option<u64> {
        entry.ok()?.file_name().to_str()?.strip_prefix("game-")?.strip_suffix(".svg")?.parse().ok()
    };
    let first = fs::read_dir(folder).map_err(at(folder))?.filter_map(number).min();
    let game = arguments.game.or(first.filter(|_| !arguments.force)).unwrap_or(1);
    check_files(&[], &[&chart_file(folder, game)], arguments.force)
}

fn player_json(name: &str, stats: &PlayerStats) -> Value {
    let [inaccuracies, mistakes, blunders] = stats.judged;
    json!({
        "name": name,
        "moves": stats.moves,
        // Percent, and centipawns a move.
        "accuracy": stats.mean_accuracy(),
        "average_loss": stats.mean_loss(),
        "inaccuracies": inaccuracies,
        "mistakes": mistakes,
        "blunders": blunders,
    })
}
