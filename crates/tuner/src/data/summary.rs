//! The summary of a file of games: counts, results, distinct positions, scores.

use std::collections::HashSet;
use std::path::Path;

use sesame::eval::{OUTPUT_BUCKETS, output_bucket};
use sesame::search::score::is_mate;

use super::{decode, open};
use crate::TunerError;
use crate::game_record::GameRecord;

/// One position in so many is counted for the share of distinct positions.
const KEY_SAMPLING: u64 = 16;

/// The summary of a file of games.
#[derive(Debug, Default)]
pub(crate) struct DataSummary {
    pub(crate) games: u64,
    /// Training positions.
    pub(crate) positions: u64,
    /// Bytes of the complete games. A truncated game may follow.
    pub(crate) length: u64,
    truncated: bool,
    /// Zero bytes at the end of the file.
    pub(crate) trailing_zeros: u64,
    plies: u64,
    /// Games that White lost, drew and won.
    results: [u64; 3],
    starts: HashSet<u64>,
    /// One in [`KEY_SAMPLING`] position keys.
    keys: HashSet<u64>,
    /// The lowest and the highest score.
    scores: [i32; 2],
    /// Training positions by output bucket.
    buckets: [u64; OUTPUT_BUCKETS],
}

/// Reads a whole file and checks every game.
pub(crate) fn summarize(path: &Path) -> Result<DataSummary, TunerError> {
    let mut summary = DataSummary { scores: [i32::MAX, i32::MIN], ..DataSummary::default() };
    let mut reader = open(path)?;
    for (number, bytes) in reader.by_ref().enumerate() {
        summary.add(&decode(path, number, &bytes.map_err(TunerError::file(path))?)?);
    }
    (summary.length, summary.truncated) = (reader.length(), reader.is_truncated());
    summary.trailing_zeros = reader.trailing_zeros();
    Ok(summary)
}

impl DataSummary {
    /// Returns whether the file ends in the middle of a game.
    pub(super) fn is_truncated(&self) -> bool {
        self.truncated
    }

    fn add(&mut self, game: &GameRecord) {
        self.games += 1;
        self.plies += game.moves.len() as u64;
        self.results[usize::from(game.result)] += 1;
        self.starts.insert(game.start.key());
        for &(_, score) in game.moves.iter().filter(|&&(_, score)| !is_mate(score.into())) {
            self.scores = [self.scores[0].min(score.into()), self.scores[1].max(score.into())];
        }
        game.for_each_training_position(|position, _| {
            self.positions += 1;
            self.buckets[output_bucket(position.occupied().len())] += 1;
            if position.key().is_multiple_of(KEY_SAMPLING) {
                self.keys.insert(position.key());
            }
        });
    }

    /// Returns the summary as text.
    pub(super) fn lines(&self, path: &Path) -> Vec<String> {
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let mut lines = vec![format!(
            "{}: {} games, {} plies, {} training positions, {:.1} bytes each",
            path.display(),
            self.games,
            self.plies,
            self.positions,
            self.length as f64 / self.positions.max(1) as f64,
        )];
        if self.trailing_zeros > 0 {
            lines.push(format!(
                "  {} zero bytes at the end, as after a power failure; they and the game before them are left out",
                self.trailing_zeros
            ));
        } else if self.truncated {
            lines.push("  the last game is truncated; datagen continues after the one before".to_owned());
        }
        if self.games == 0 {
            return lines;
        }
        let [lost, drawn, won] = self.results.map(|count| share(count, self.games));
        lines.push(format!("  White won {won:.1} %, drew {drawn:.1} %, lost {lost:.1} %"));
        let distinct = share(KEY_SAMPLING * self.keys.len() as u64, self.positions).min(100.0);
        let [low, high] = self.scores;
        lines.push(format!(
            "  {} distinct openings; about {distinct:.1} % of the positions are distinct; scores {low} to {high}",
            self.starts.len()
        ));
        let buckets = self.buckets.map(|count| format!("{:.1}", share(count, self.positions))).join(" ");
        lines.push(format!("  positions by pieces (2 to 5, 6 to 9, ... 30 to 32): {buckets} %"));
        lines
    }
}
