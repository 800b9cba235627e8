//! Games: a position with its history, outcomes, repetition.

use super::board::Position;
use super::moves::Move;

/// The way a game ended under the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The side to move is checkmated.
    Checkmate,
    /// A draw.
    Stalemate,
    /// The third occurrence of a position.
    Repetition,
    /// Fifty moves of both players without a capture or a pawn move.
    FiftyMoves,
    /// Neither side can mate; see [`Position::insufficient_material`].
    InsufficientMaterial,
}

/// A position with the keys of all earlier positions of its game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    position: Position,
    keys: Vec<u64>,
}

impl Game {
    /// Starts a game at `position`.
    pub fn new(position: Position) -> Self {
        Self { position, keys: Vec::new() }
    }

    /// Returns the current position.
    #[inline]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Plays a legal move, as [`Position::play`].
    pub fn play(&mut self, mv: Move) {
        self.keys.push(self.position.key());
        self.position.play(mv);
    }

    /// Returns to the position after the first `plies` moves, which the caller kept.
    pub fn rewind(&mut self, plies: usize, position: Position) {
        self.keys.truncate(plies);
        self.position = position;
    }

    /// Returns the keys of the positions before the current one, oldest first.
    #[inline]
    pub fn previous_keys(&self) -> &[u64] {
        &self.keys
    }

    /// Returns `None` while the game goes on. Checkmate takes precedence over draws, which need no claim.
    pub fn outcome(&self) -> Option<Outcome> {
        let position = &self.position;
        if !position.has_legal_move() {
            Some(if position.in_check() { Outcome::Checkmate } else { Outcome::Stalemate })
        } else if position.insufficient_material() {
            Some(Outcome::InsufficientMaterial)
        } else if position.halfmove_clock() >= 100 {
            Some(Outcome::FiftyMoves)
        } else if is_repetition(&self.keys, position.key(), position.reversible_plies(), self.keys.len()) {
            Some(Outcome::Repetition)
        } else {
            None
        }
    }
}

impl Default for Game {
    fn default() -> Self {
        Self::new(Position::startpos())
    }
}

/// Returns true if a search may score the position with `key` as a draw by repetition.
///
/// `path` has the keys of all earlier positions, oldest first, of which [`Position::reversible_plies`] limits the last
/// ones to look at. One earlier occurrence at index `once_from` or later is enough: a search that passes the index after
/// its root's has let the opponent avoid it. Before that, two are needed, as in the rule.
#[inline]
pub fn is_repetition(path: &[u64], key: u64, reversible_plies: u8, once_from: usize) -> bool {
    let reach = path.len().min(usize::from(reversible_plies));
    let mut occurrences = 0;
    // The same side is to move at even distances only, and two plies cannot repeat a position.
    for distance in (4..=reach).step_by(2) {
        let index = path.len() - distance;
        if path[index] == key {
            occurrences += 1;
            if index >= once_from || occurrences == 2 {
                return true;
            }
        }
    }
    false
}
