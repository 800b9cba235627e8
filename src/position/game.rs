//! A game: a position, what came before it, and how it may have ended.

use super::{Move, Position};

/// How a game ended under the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The side to move is checkmated.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// The position stands on the board for the third time.
    Repetition,
    /// Fifty moves of each player without a capture or a pawn move.
    FiftyMoves,
    /// Neither side can mate; see [`Position::insufficient_material`].
    Material,
}

/// A position with the keys of all positions of its game before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    position: Position,
    keys: Vec<u64>,
}

impl Game {
    /// A game that begins at `position`.
    pub fn new(position: Position) -> Self {
        Self { position, keys: Vec::new() }
    }

    /// The position now.
    #[inline]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Plays a move, which must be legal.
    pub fn play(&mut self, mv: Move) {
        self.keys.push(self.position.key());
        self.position.play(mv);
    }

    /// The keys of the positions before the current one, oldest first.
    #[inline]
    pub fn previous_keys(&self) -> &[u64] {
        &self.keys
    }

    /// How the game has ended, or `None` while it goes on. Mate comes before all draws; repetition and fifty moves count
    /// without anybody claiming them.
    pub fn legal_result(&self) -> Option<Outcome> {
        let position = &self.position;
        if !position.has_legal_move() {
            Some(if position.in_check() { Outcome::Checkmate } else { Outcome::Stalemate })
        } else if position.insufficient_material() {
            Some(Outcome::Material)
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

/// Whether a search may take the position with `key` for a draw by repetition.
///
/// `path` holds the keys of all positions before it, those of the game and then those of the search line, and `root_len` is how
/// many of them lie before the root of the search. One earlier occurrence from the root on is enough, for the side that could
/// avoid it has seen it; of those before the root it takes two, as the rule says.
///
/// `halfmove_clock` tells how far back to look: the plies since the last capture or pawn move, or better
/// [`Position::reversible_plies`], which does not look past a null move.
#[inline]
pub fn is_repetition(path: &[u64], key: u64, halfmove_clock: u8, root_len: usize) -> bool {
    let reach = path.len().min(usize::from(halfmove_clock));
    let mut before_root = 0;
    // The same side is to move only at even distances, and two plies cannot bring a position back.
    for distance in (4..=reach).step_by(2) {
        let index = path.len() - distance;
        if path[index] == key {
            before_root += 1;
            if index >= root_len || before_root == 2 {
                return true;
            }
        }
    }
    false
}
