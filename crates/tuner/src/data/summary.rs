//! The summary of the games of a store.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use sesame::eval::{OUTPUT_BUCKETS, output_bucket};
use sesame::search::score::is_mate;
use sesame_command::{CommandError, parallel};

use crate::game_record::GameRecord;
use crate::store::{NumberedGames, read_blocks};

/// One position in so many is counted for the share of distinct positions.
const KEY_SAMPLING: u64 = 16;

pub(super) fn summarize(path: &Path) -> Result<Vec<String>, CommandError> {
    let mut summary = Summary::default();
    let read = |_: &_, games: NumberedGames| {
        let mut part = Summary::default();
        games.iter().for_each(|(_, game)| part.add(game));
        part
    };
    for part in read_blocks(path, parallel::cores(), read)? {
        summary.extend(part?);
    }
    Ok(summary.lines())
}

#[derive(Debug, Default)]
struct Summary {
    /// Games that White lost, drew and won.
    results: [u64; 3],
    starts: HashSet<u64>,
    keys: HashSet<u64>,
    scores: BTreeSet<i16>,
    /// Training positions by output bucket.
    positions: [u64; OUTPUT_BUCKETS],
}

impl Summary {
    fn add(&mut self, game: &GameRecord) {
        self.results[usize::from(game.result)] += 1;
        self.starts.insert(game.start.key());
        self.scores.extend(game.moves.iter().map(|&(_, score)| score).filter(|&score| !is_mate(score.into())));
        game.for_each_training_position(|position, _| {
            self.positions[output_bucket(position.piece_count())] += 1;
            if position.key().is_multiple_of(KEY_SAMPLING) {
                self.keys.insert(position.key());
            }
        });
    }

    fn extend(&mut self, other: Self) {
        self.results.iter_mut().zip(other.results).for_each(|(sum, more)| *sum += more);
        self.starts.extend(other.starts);
        self.keys.extend(other.keys);
        self.scores.extend(other.scores);
        self.positions.iter_mut().zip(other.positions).for_each(|(sum, more)| *sum += more);
    }

    fn lines(&self) -> Vec<String> {
        let (games, positions) = (self.results.iter().sum(), self.positions.iter().sum());
        if games == 0 {
            return Vec::new();
        }
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let [lost, drawn, won] = self.results.map(|count| share(count, games));
        let distinct = share(KEY_SAMPLING * self.keys.len() as u64, positions).min(100.0);
        let [low, high] = [self.scores.first(), self.scores.last()].map(|score| score.copied().unwrap_or_default());
        let buckets = self.positions.map(|count| format!("{:.1}", share(count, positions))).join(" ");
        let starts = self.starts.len();
        vec![
            format!("  White won {won:.1} %, drew {drawn:.1} %, lost {lost:.1} %"),
            format!(
                "  {starts} distinct openings; about {distinct:.1} % of the positions are distinct; scores {low} to {high}"
            ),
            format!("  positions by pieces (2 to 5, 6 to 9, ... 30 to 32): {buckets} %"),
        ]
    }
}
