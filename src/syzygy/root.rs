//! The moves of a game's position in the order that the tables put them in.

use super::probe::before_zeroing;
use super::{Tablebases, Wdl};
use crate::position::{Game, Move, Outcome};

/// A win is safe while the next capture or pawn move comes before this ply of the fifty-move clock: the last plies are left out, as a
/// table that counts in moves can be off by one.
const SAFE_PLIES: i32 = 99;

/// Up to here on the clock a winner may play as he likes; beyond, only what makes progress fastest.
const PATIENCE: i32 = 50;

/// A move and what it leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankedMove {
    /// The move.
    pub mv: Move,
    /// The result for the side that moves.
    pub wdl: Wdl,
    /// Plies to the next capture or pawn move, this one counted, negative for the loser; `None` without a table of distances.
    pub dtz: Option<i32>,
}

/// All moves with what they lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootRanking {
    /// The moves, in the order in which they were given.
    pub moves: Vec<RankedMove>,
    /// True if distances were at hand: then [`RootRanking::best`] leads to the win by itself.
    pub by_distance: bool,
    /// The fifty-move clock at the root.
    clock: i32,
    /// Some position since the last capture or pawn move has stood on the board before.
    repeated: bool,
}

impl RootRanking {
    /// Returns the result of `mv`.
    pub fn wdl(&self, mv: Move) -> Option<Wdl> {
        self.moves.iter().find(|ranked| ranked.mv == mv).map(|ranked| ranked.wdl)
    }

    /// The greater the better: what the move leads to and, of equal ones, whether it is among [`RootRanking::best`]. 0 for a move that is not here.
    pub fn rank(&self, mv: Move) -> i32 {
        let preferred = self.best().contains(&mv);
        self.wdl(mv).map_or(0, |wdl| 2 * wdl.value() + i32::from(preferred))
    }

    /// The moves that keep the best result; of a win, those that make progress when that has become urgent. Never empty unless there are none.
    pub fn best(&self) -> Vec<Move> {
        let Some(wdl) = self.moves.iter().map(|ranked| ranked.wdl).max() else { return Vec::new() };
        let kept = || self.moves.iter().filter(move |ranked| ranked.wdl == wdl);
        let distance = |ranked: &RankedMove| ranked.dtz.map_or(0, |dtz| dtz + self.clock * dtz.signum());
        let least = kept().map(distance).min().unwrap_or(0);
        let limit = match wdl {
            Wdl::Win if !self.repeated => least.max(PATIENCE),
            // What is lost but for the fifty-move rule lasts longest where the distance is the most negative.
            Wdl::Win | Wdl::CursedWin | Wdl::BlessedLoss => least,
            Wdl::Draw | Wdl::Loss => i32::MAX,
        };
        kept().filter(|ranked| distance(ranked) <= limit).map(|ranked| ranked.mv).collect()
    }
}

impl Tablebases {
    /// Ranks `moves`, which must be legal in the game's position. Without `fifty_move_rule`, what is won but for that rule counts as won.
    /// `None` when the tables do not know all of them.
    pub fn rank_moves(&self, game: &Game, moves: &[Move], fifty_move_rule: bool) -> Option<RootRanking> {
        let position = game.position();
        // Says at once whether there is a table, and that nobody may castle.
        self.probe_wdl(position)?;
        let clock = i32::from(position.halfmove_clock());
        let repeated = has_repeated(game);
        for by_distance in [true, false] {
            let rank = |&mv: &Move| self.rank_move(game, mv, by_distance, fifty_move_rule);
            if let Some(moves) = moves.iter().map(rank).collect::<Option<Vec<_>>>() {
                return Some(RootRanking { moves, by_distance, clock, repeated });
            }
        }
        None
    }

    fn rank_move(&self, game: &Game, mv: Move, by_distance: bool, fifty_move_rule: bool) -> Option<RankedMove> {
        let mut after = game.clone();
        after.play(mv);
        match after.outcome() {
            Some(Outcome::Checkmate) => return Some(RankedMove { mv, wdl: Wdl::Win, dtz: Some(1) }),
            Some(_) => return Some(RankedMove { mv, wdl: Wdl::Draw, dtz: Some(0) }),
            None => {}
        }
        let child = after.position();
        let wdl = -self.probe_wdl(child)?;
        let dtz = match () {
            () if child.halfmove_clock() == 0 => Some(before_zeroing(wdl)),
            () if by_distance => {
                let dtz = -self.probe_dtz(child)?;
                Some(dtz + dtz.signum())
            }
            () => None,
        };
        // The tables reckon with a clock at zero.
        let clock = i32::from(game.position().halfmove_clock());
        let in_time = dtz.is_none_or(|dtz| dtz.abs() == 1 || dtz.abs() + clock <= SAFE_PLIES);
        let wdl = match wdl {
            Wdl::CursedWin if !fifty_move_rule => Wdl::Win,
            Wdl::BlessedLoss if !fifty_move_rule => Wdl::Loss,
            Wdl::Win if fifty_move_rule && !in_time => Wdl::CursedWin,
            Wdl::Loss if fifty_move_rule && !in_time => Wdl::BlessedLoss,
            wdl => wdl,
        };
        Some(RankedMove { mv, wdl, dtz })
    }
}

/// True if a position since the last capture or pawn move has occurred twice.
fn has_repeated(game: &Game) -> bool {
    let position = game.position();
    let previous = game.previous_keys();
    let from = previous.len().saturating_sub(usize::from(position.reversible_plies()));
    let mut keys: Vec<u64> = previous[from..].to_vec();
    keys.push(position.key());
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}
