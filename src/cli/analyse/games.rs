//! Annotation of the games of PGN files, one after the other as they are read.

use std::io::BufReader;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::annotate::{AnalysedGame, move_number};
use super::arguments::AnalyseArguments;
use super::game_writer::GameWriter;
use super::input::{Text, open_all};
use crate::cli::assessment::assess;
use crate::cli::interrupt::{Interrupt, UntilInterrupt};
use crate::cli::json;
use crate::engine::{Engine, Limits};
use crate::games::pgn::{PgnError, PgnGame, Reader};
use crate::output::Output;
use crate::position::{Color, Position};
use sesame_command::{CommandError, Progress, print_status};

const DEFAULT_TIME: Duration = Duration::from_millis(500);

pub(super) fn run(paths: &[PathBuf], arguments: &AnalyseArguments, output: &Output) -> Result<(), CommandError> {
    let options = arguments.options()?;
    let limits = arguments.limits_or(DEFAULT_TIME);
    let (files, bad) = open_all(paths, |path| Ok((path.to_owned(), Text::check(path)?)))?;
    let writer = GameWriter::new(paths, arguments, output.clone(), &limits)?;
    let engine = arguments.engine(options)?;
    if arguments.json {
        json::begin(output, &engine.options().network);
    }
    // The progress is in bytes, without percentage if a size is unknown.
    let size = files.iter().map(|(_, size)| *size).sum::<Option<u64>>().unwrap_or(0);
    let mut analyser = GameAnalyser {
        engine,
        limits,
        arguments,
        interrupt: Interrupt::watch(output.clone())?,
        progress: Progress::new(size, 0),
        writer,
        earlier: 0,
        is_single: paths.len() == 1,
        bad,
        cut: None,
    };
    let annotated = files.iter().try_for_each(|(path, _)| analyser.annotate_file(path));
    analyser.progress.finish();
    // The output is completed after a failure, too.
    analyser.writer.conclude().and(annotated)?;
    analyser.verdict()
}

struct GameAnalyser<'a> {
    engine: Engine,
    limits: Limits,
    arguments: &'a AnalyseArguments,
    interrupt: Interrupt,
    progress: Progress,
    writer: GameWriter<'a>,
    /// Games in earlier files.
    earlier: u64,
    is_single: bool,
    /// Games and files that could not be read as a whole.
    bad: u64,
    /// The place where an interrupt ended the analysis, unless it was finished.
    cut: Option<String>,
}

impl GameAnalyser<'_> {
    fn annotate_file(&mut self, path: &Path) -> Result<(), CommandError> {
        if self.cut.is_some() {
            return Ok(());
        }
        let mut reader = match Text::open(path) {
            Ok(text) => {
                let input = UntilInterrupt { input: text.reader, interrupt: self.interrupt.clone() };
                Reader::new(BufReader::new(input))
            }
            Err(error) => return self.refuse(error),
        };
        let (mut games, mut offset) = (0, 0);
        while let Some(game) = reader.next() {
            games += 1;
            let bytes = reader.offset() - offset;
            offset += bytes;
            if self.arguments.game.is_some_and(|wanted| wanted != games) {
                continue;
            }
            if self.interrupt.is_over() {
                self.cut = Some("interrupted".to_owned());
                return Ok(());
            }
            if self.arguments.game.is_some() {
                self.progress = Progress::new(bytes, 0);
            }
            self.take(path, self.earlier + games, bytes, game, || reader.raw_text())?;
            if self.arguments.game.is_some() || self.cut.is_some() {
                return Ok(());
            }
        }
        // The input also ends at an interrupt.
        if self.interrupt.is_over() {
            self.cut = Some("interrupted".to_owned());
            return Ok(());
        }
        self.earlier += games;
        match (games, self.arguments.game) {
            (0, _) => self.refuse(CommandError::Failed(format!("{} has no games", path.display()))),
            (_, None) => Ok(()),
            (_, Some(wanted)) => {
                Err(CommandError::Failed(format!("{} has no game {wanted}, only {games}", path.display())))
            }
        }
    }

    /// Ends the run only if the file is the only one.
    fn refuse(&mut self, error: CommandError) -> Result<(), CommandError> {
        if self.is_single {
            return Err(error);
        }
        self.bad += 1;
        self.progress.print(&error.to_string());
        Ok(())
    }

    fn take(
        &mut self,
        path: &Path,
        number: u64,
        bytes: u64,
        game: Result<PgnGame, PgnError>,
        raw_text: impl FnOnce() -> Option<String>,
    ) -> Result<(), CommandError> {
        let error = match game.map(|record| (record.replay_legal(), record)) {
            Ok((Ok((replay, error)), record)) => {
                for warning in record.warnings.iter().chain(&replay.notes) {
                    self.progress.print(&format!("{}: game {}: {warning}", path.display(), record.number));
                }
                if !replay.moves.is_empty() {
                    if let Some(error) = error {
                        self.report_error(path, &error, "annotated up to this move");
                    }
                    return self.annotate(path, bytes, AnalysedGame::new(number, record, replay), raw_text);
                }
                error
            }
            Ok((Err(error), _)) | Err(error) => Some(error),
        };
        let raw = raw_text();
        if let Some(error) = error {
            let consequence = if raw.is_some() { "copied, not annotated" } else { "too long, left out" };
            self.report_error(path, &error, consequence);
        }
        self.copy(number, bytes, raw)
    }

    fn copy(&mut self, number: u64, bytes: u64, raw: Option<String>) -> Result<(), CommandError> {
        self.progress.advance(bytes, format!("game {number}"));
        let Some(raw) = raw else { return Ok(()) };
        self.progress.suspend(|| self.writer.write(&format!("{}\n", raw.trim())))
    }

    fn report_error(&mut self, path: &Path, error: &PgnError, consequence: &str) {
        self.bad += 1;
        self.progress.print(&format!("{}: {error}: {consequence}", path.display()));
    }

    fn annotate(
        &mut self,
        path: &Path,
        bytes: u64,
        mut game: AnalysedGame,
        raw_text: impl FnOnce() -> Option<String>,
    ) -> Result<(), CommandError> {
        let start = &game.positions.first().map_or_else(Position::startpos, |first| first.position.clone());
        let wanted = wanted_positions(start, game.positions.len() - 1, self.arguments.moves.as_ref());
        let count = wanted.clone().count();
        let searched = self.assess(&mut game, wanted, bytes)?;
        if searched < count {
            self.cut = Some(match searched {
                0 => "interrupted".to_owned(),
                _ => format!("interrupted in game {}, which is annotated in part", game.number),
            });
        }
        match (searched, count) {
            (0, 1..) => Ok(()),
            // None of the wanted moves is in this game.
            (0, 0) => self.copy(game.number, bytes, raw_text().or_else(|| Some(game.record.to_string()))),
            _ => {
                game.annotate(self.arguments.thresholds);
                self.progress.suspend(|| self.writer.add(path, &mut game))
            }
        }
    }

    /// Goes backwards: the table then helps with earlier positions. Returns the number of positions before an interrupt.
    fn assess(
        &mut self,
        game: &mut AnalysedGame,
        wanted: RangeInclusive<usize>,
        bytes: u64,
    ) -> Result<usize, CommandError> {
        self.engine.new_game();
        let (number, count) = (game.number, wanted.clone().count() as u64);
        let share = |done: u64| bytes * done / count.max(1);
        for (done, plies) in (0..).zip(wanted.rev()) {
            let Some(analysed) = game.positions.get_mut(plies) else { continue };
            game.history.rewind(plies, analysed.position.clone());
            let place = format!("game {number}, move {}", move_number(&analysed.position));
            self.progress.set_message(place.clone());
            let found = assess(&mut self.engine, &game.history, &self.limits, |_| self.interrupt.flow());
            let found = found.map_err(CommandError::failed)?;
            if self.interrupt.is_over() {
                return Ok(done as usize);
            }
            analysed.assessment = Some(found);
            self.progress.advance(share(done + 1) - share(done), place);
        }
        Ok(count as usize)
    }

    fn verdict(self) -> Result<(), CommandError> {
        if self.arguments.moves.is_some() && self.writer.annotated == 0 && self.cut.is_none() {
            print_status("no game has a move in the range of --moves");
        }
        Err(CommandError::Failed(match (self.cut, self.bad) {
            // Nobody reading the output is no failure.
            (Some(place), _) if self.interrupt.is_requested() => {
                format!("{place}; games in the output: {}", self.writer.written)
            }
            (_, 0) => return Ok(()),
            (_, 1) => "a game or file could not be read as a whole: see above".to_owned(),
            (_, bad) => format!("{bad} games or files could not be read as a whole: see above"),
        }))
    }
}

/// Returns the positions before and after each wanted move, as numbers of plies.
fn wanted_positions(start: &Position, plies: usize, moves: Option<&RangeInclusive<u16>>) -> RangeInclusive<usize> {
    let Some(moves) = moves else { return 0..=plies };
    // The ply of the first move with the number of the start position, if White had it.
    let first = 2 * i64::from(start.fullmove_number()) + i64::from(start.side_to_move() == Color::Black);
    let ply = |number: u16| 2 * i64::from(number) - first;
    let from = usize::try_from(ply(*moves.start()).max(0)).unwrap_or(usize::MAX);
    let to = usize::try_from((ply(*moves.end()) + 2).max(-1)).unwrap_or(0).min(plies);
    #[allow(clippy::reversed_empty_ranges)]
    if from < to { from..=to } else { 1..=0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_a_range_of_moves() {
        let start = Position::startpos();
        assert_eq!(wanted_positions(&start, 9, None), 0..=9);
        assert_eq!(wanted_positions(&start, 9, Some(&(1..=1))), 0..=2);
        assert_eq!(wanted_positions(&start, 9, Some(&(2..=3))), 2..=6);
        assert_eq!(wanted_positions(&start, 9, Some(&(4..=u16::MAX))), 6..=9);
        assert!(wanted_positions(&start, 9, Some(&(6..=8))).is_empty());
        assert!(wanted_positions(&start, 0, Some(&(1..=1))).is_empty());
        // Black's 30th move comes first.
        let later = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 b - - 0 30").unwrap();
        assert_eq!(wanted_positions(&later, 4, Some(&(30..=30))), 0..=1);
        assert_eq!(wanted_positions(&later, 4, Some(&(31..=31))), 1..=3);
        assert!(wanted_positions(&later, 4, Some(&(1..=29))).is_empty());
    }
}
