//! Annotation of the games of PGN files.

use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::AnalyseArguments;
use super::annotate::{annotate, place};
use super::input::{Source, at, open_all};
use super::results::Results;
use crate::cli::CommandError;
use crate::cli::assessment::{Assessment, assess};
use crate::cli::interrupt::Interrupt;
use crate::engine::{Engine, Limits};
use crate::games::pgn::{PgnError, PgnGame, Reader, Replay};
use crate::output::Output;
use crate::position::{Color, Game, Position};
use sesame_command::Progress;
use sesame_command::print_status;

/// For each position.
const DEFAULT_TIME: Duration = Duration::from_millis(500);

struct GameFile {
    path: PathBuf,
    source: Source,
    games: u64,
    /// Number to search.
    positions: u64,
}

pub(super) fn run(paths: &[PathBuf], arguments: &AnalyseArguments, output: &Output) -> Result<(), CommandError> {
    let options = arguments.options()?;
    let limits = arguments.limits_or(DEFAULT_TIME);
    let (files, bad) = open_all(paths, |path| open_file(path, arguments))?;
    let total: u64 = files.iter().map(|file| file.games).sum();
    let positions = files.iter().map(|file| file.positions).sum();
    let numbers = arguments.game.map_or(1..=total, |game| game..=game);
    let results = Results::new(paths, arguments, numbers, output.clone(), &limits)?;
    let engine = arguments.engine(options)?;
    let interrupt = Interrupt::watch(output.clone())?;
    let progress = Progress::new(positions, 0);
    let mut analyser =
        GameAnalyser { engine, limits, arguments, interrupt, progress, results, bad, left_out: 0, partial: None };
    let annotated = analyser.annotate_all(&files);
    let GameAnalyser { mut results, interrupt, progress, bad, left_out, partial, .. } = analyser;
    progress.finish();
    // The files are completed after a failure, too.
    results.conclude().and(annotated)?;
    let wanted = if arguments.game.is_some() { 1 } else { total };
    let (done, is_over) = (results.written + left_out, interrupt.is_requested());
    if arguments.moves.is_some() && results.annotated == 0 && !is_over {
        print_status("no game has a move in the range of --moves");
    }
    let failure = match (partial, bad) {
        (Some(game), _) => format!(
            "interrupted in game {game}, which is annotated in part: {done} of {wanted} games are in the output"
        ),
        (None, _) if is_over && done < wanted => format!("interrupted: {done} of {wanted} games are in the output"),
        (None, 0) => return Ok(()),
        (None, 1) => "a game or file could not be read as a whole: see above".to_owned(),
        (None, bad) => format!("{bad} games or files could not be read as a whole: see above"),
    };
    Err(CommandError::Failed(failure))
}

fn open_file(path: &Path, arguments: &AnalyseArguments) -> Result<GameFile, CommandError> {
    let mut file = GameFile { path: path.to_owned(), source: Source::open(path)?, games: 0, positions: 0 };
    for game in Reader::new(file.source.reader().map_err(at(path))?) {
        file.games += 1;
        if let (true, Ok(record)) = (is_wanted(&game, arguments.game), &game) {
            let plies = record.plies.len();
            let in_range = arguments.moves.as_ref().map_or(plies, |moves| plies.min(2 * moves.len()));
            file.positions += in_range as u64 + 1;
        }
    }
    let (path, games) = (path.display(), file.games);
    match arguments.game {
        _ if games == 0 => Err(CommandError::Failed(format!("{path} has no games"))),
        Some(wanted) if wanted > games => {
            Err(CommandError::Failed(format!("{path} has no game {wanted}, only {games}")))
        }
        _ => Ok(file),
    }
}

fn is_wanted(game: &Result<PgnGame, PgnError>, wanted: Option<u64>) -> bool {
    let number = game.as_ref().map_or_else(|error| error.game, |record| record.number);
    wanted.is_none_or(|wanted| wanted == number)
}

struct GameAnalyser<'a> {
    engine: Engine,
    limits: Limits,
    arguments: &'a AnalyseArguments,
    interrupt: Interrupt,
    progress: Progress,
    results: Results,
    /// Games and files that could not be read as a whole.
    bad: u64,
    /// Games that are too long for the output.
    left_out: u64,
    /// The game in which a signal ended the analysis, if it is partly annotated.
    partial: Option<u64>,
}

impl GameAnalyser<'_> {
    fn annotate_all(&mut self, files: &[GameFile]) -> Result<(), CommandError> {
        let mut earlier = 0;
        for GameFile { path, source, games, .. } in files {
            let mut reader = Reader::new(source.reader().map_err(at(path))?);
            while let Some(game) = reader.next() {
                if self.interrupt.is_over() {
                    return Ok(());
                }
                if is_wanted(&game, self.arguments.game) {
                    self.take(path, earlier, game, || reader.raw_text())?;
                }
            }
            earlier += games;
        }
        Ok(())
    }

    /// `earlier` counts the games of other files. The output has every game of the input.
    fn take(
        &mut self,
        path: &Path,
        earlier: u64,
        game: Result<PgnGame, PgnError>,
        raw_text: impl FnOnce() -> Option<String>,
    ) -> Result<(), CommandError> {
        match game.map(|record| (record.replay_legal(), record)) {
            Ok((Ok((replay, error)), record)) => {
                for warning in record.warnings.iter().chain(&replay.notes) {
                    self.say(&format!("{}: game {}: {warning}", path.display(), record.number));
                }
                if let Some(error) = error {
                    self.report_error(path, &error, "annotated up to this move");
                }
                self.annotate_game(path, earlier + record.number, &record, &replay)
            }
            Ok((Err(error), record)) => {
                self.report_error(path, &error, "copied, not annotated");
                self.progress.suspend(|| self.results.write(&record.to_string()))
            }
            Err(error) => match raw_text() {
                Some(raw) => {
                    self.report_error(path, &error, "copied, not annotated");
                    self.progress.suspend(|| self.results.write(&format!("{}\n", raw.trim())))
                }
                None => {
                    self.report_error(path, &error, "too long, left out");
                    self.left_out += 1;
                    Ok(())
                }
            },
        }
    }

    fn annotate_game(
        &mut self,
        path: &Path,
        number: u64,
        record: &PgnGame,
        replay: &Replay,
    ) -> Result<(), CommandError> {
        let wanted = wanted_positions(&replay.start, replay.moves.len(), self.arguments.moves.as_ref());
        let assessments = self.assess(replay, number, &wanted)?;
        let searched = assessments.iter().flatten().count();
        if self.interrupt.is_over() {
            if searched == 0 {
                return Ok(());
            }
            self.partial = (searched < wanted.count()).then_some(number);
        }
        // None of the wanted moves is in this game.
        if searched == 0 {
            return self.progress.suspend(|| self.results.write(&record.to_string()));
        }
        let annotated = annotate(record, replay, &assessments, self.arguments.thresholds);
        self.progress.suspend(|| self.results.add(path, number, annotated))
    }

    fn report_error(&mut self, path: &Path, error: &PgnError, consequence: &str) {
        self.bad += 1;
        self.say(&format!("{}: {error}: {consequence}", path.display()));
    }

    fn say(&self, line: &str) {
        self.progress.suspend(|| drop(writeln!(io::stderr(), "{line}")));
    }

    /// Goes from the end to the beginning: the transposition table then helps with the earlier positions. Positions that are
    /// not wanted, and those after an interrupt, have no assessment.
    fn assess(
        &mut self,
        replay: &Replay,
        number: u64,
        wanted: &RangeInclusive<usize>,
    ) -> Result<Vec<Option<Assessment>>, CommandError> {
        self.engine.new_game();
        let mut assessments = vec![None; replay.moves.len() + 1];
        let interrupt = &self.interrupt;
        for (plies, assessment) in assessments.iter_mut().enumerate().rev().filter(|(plies, _)| wanted.contains(plies))
        {
            let mut game = Game::new(replay.start.clone());
            replay.moves.iter().take(plies).for_each(|&mv| game.play(mv));
            let place = format!("game {number}, {}", place(game.position()));
            self.progress.set_message(place.clone());
            let found = assess(&mut self.engine, &game, &self.limits, |_| interrupt.flow());
            let found = found.map_err(CommandError::failed)?;
            if interrupt.is_over() {
                break;
            }
            *assessment = Some(found);
            self.progress.advance(1, place);
        }
        Ok(assessments)
    }
}

/// By the plies before them: the positions before and after each wanted move.
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
