//! The output of annotated games: PGN, charts, report, JSON and summary.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use super::annotate::Annotated;
use super::arguments::AnalyseArguments;
use super::files::{GrowingFile, check_output, check_outputs, write};
use super::judge::PlayerStats;
use super::{graph, json, report};
use crate::cli::CommandError;
use crate::engine::Limits;
use crate::games::pgn::PgnGame;
use crate::uci::Output;
use sesame_report::markdown::Table;

/// The output of the annotated games and their summary.
pub(super) struct Results {
    output: Output,
    /// True if the standard output has JSON.
    json: bool,
    /// The file for the games; `None` for the standard output.
    file: Option<GrowingFile>,
    graphs: Option<PathBuf>,
    report: Option<GrowingFile>,
    /// The value of the tag `Annotator`.
    annotator: String,
    players: BTreeMap<String, (u32, PlayerStats)>,
    /// Number of annotated games.
    annotated: u32,
    /// Number of games in the output.
    written: u64,
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
        let outputs: Vec<&PathBuf> = arguments.out.iter().chain(&arguments.report).collect();
        check_outputs(inputs, &outputs, arguments.force)?;
        if let Some(folder) = &arguments.graphs {
            fs::create_dir_all(folder)
                .map_err(|error| CommandError::Failed(format!("{}: {error}", folder.display())))?;
            // The first file shows that the folder can be written; the others are checked only if they exist.
            let first = *numbers.start();
            for game in numbers {
                let path = chart_file(folder, game);
                if game == first || path.exists() {
                    check_output(&path, arguments.force)?;
                }
            }
        }
        Ok(Results {
            output,
            json: arguments.json,
            file: arguments.out.clone().map(GrowingFile::new),
            graphs: arguments.graphs.clone(),
            report: arguments.report.clone().map(GrowingFile::new),
            annotator: annotator(limits),
            players: BTreeMap::new(),
            annotated: 0,
            written: 0,
        })
    }

    /// Returns the number of games in the output.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// Writes the annotated game `number` of `file`, its chart, its page of the report and its summary.
    pub(super) fn add(&mut self, file: &Path, number: u64, mut annotated: Annotated) -> Result<(), CommandError> {
        let record = &mut annotated.record;
        if record.tag("Annotator").is_none_or(|annotator| annotator.is_empty() || annotator.starts_with("Sesame ")) {
            record.set_tag("Annotator", &self.annotator);
        }
        self.annotated += 1;
        if self.json {
            json::game(&self.output, file, number, &annotated)?;
        }
        self.write(&annotated.record)?;
        // A chart of no moves would be empty.
        if annotated.moves.iter().any(|step| step.score.is_some()) {
            if let Some(folder) = &self.graphs {
                write(&chart_file(folder, number), &graph::draw(&annotated).map_err(CommandError::failed)?)?;
            }
            if let Some(file) = &mut self.report {
                file.add(&report::game(number, &annotated)?, report::page)?;
            }
        }
        self.summarise(number, &annotated);
        Ok(())
    }

    /// Writes a game.
    pub(super) fn write(&mut self, record: &PgnGame) -> Result<(), CommandError> {
        self.write_text(&record.to_string())
    }

    /// Writes the text of a game, with its last line feed.
    pub(super) fn write_text(&mut self, text: &str) -> Result<(), CommandError> {
        self.written += 1;
        match &mut self.file {
            None if self.json => {}
            None => self.output.line(text),
            Some(file) => file.add(&format!("{text}\n"), str::to_owned)?,
        }
        Ok(())
    }

    /// Writes the summary, to the standard error if games or JSON go to the standard output.
    fn summarise(&mut self, number: u64, annotated: &Annotated) {
        let record = &annotated.record;
        let names = player_names(record);
        let mut table = Table::new(["player"].into_iter().chain(PlayerStats::HEADINGS));
        for (name, stats) in names.iter().zip(&annotated.stats) {
            table.row([name.clone()].into_iter().chain(stats.row()));
            let (games, sum) = self.players.entry(name.clone()).or_default();
            *games += 1;
            sum.join(stats);
        }
        let [white, black] = names;
        let mut text = format!("Game {number}: {white} – {black}, {}\n\n{}", record.result, table.aligned());
        let remarks = annotated.remarks();
        if !remarks.is_empty() {
            text.push('\n');
            text += &remarks.iter().map(|remark| format!("{remark}\n")).collect::<String>();
        }
        self.print_summary(&text);
    }

    fn print_summary(&self, text: &str) {
        match self.file {
            Some(_) if !self.json => self.output.line(text),
            _ => drop(writeln!(io::stderr(), "{text}")),
        }
    }

    /// Returns the number of annotated games.
    pub(super) fn annotated(&self) -> u32 {
        self.annotated
    }

    /// Completes the files, and writes the players' statistics over all games if there are several.
    pub(super) fn conclude(&mut self) -> Result<(), CommandError> {
        if let Some(file) = &mut self.file {
            file.complete(str::to_owned)?;
        }
        if let Some(file) = &mut self.report {
            file.complete(report::page)?;
        }
        if self.annotated < 2 {
            return Ok(());
        }
        let mut table = Table::new(["player", "games"].into_iter().chain(PlayerStats::HEADINGS));
        for (name, (games, stats)) in &self.players {
            table.row([name.clone(), games.to_string()].into_iter().chain(stats.row()));
        }
        self.print_summary(&format!("All {} games\n\n{}", self.annotated, table.aligned()));
        Ok(())
    }
}

/// Returns the names of both players, or their colours.
pub(super) fn player_names(record: &PgnGame) -> [String; 2] {
    ["White", "Black"].map(|side| match record.tag(side) {
        Some(name) if !name.starts_with('?') && !name.is_empty() => name.to_owned(),
        _ => side.to_owned(),
    })
}

/// Returns the program and its effort, for the tag `Annotator`.
fn annotator(limits: &Limits) -> String {
    let effort = [
        limits.move_time.map(|time| format!("{} s", time.as_secs_f64())),
        limits.depth.map(|depth| format!("depth {depth}")),
        limits.nodes.map(|nodes| format!("{nodes} nodes")),
    ];
    let effort: Vec<String> = effort.into_iter().flatten().collect();
    format!("{}, {} per position", concat!("Sesame ", env!("CARGO_PKG_VERSION")), effort.join(", "))
}

/// Returns the file of a game's chart.
fn chart_file(folder: &Path, game: u64) -> PathBuf {
    folder.join(format!("game-{game}.svg"))
}
