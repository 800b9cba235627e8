//! Root ranking: the legal moves of a game's position by WDL and DTZ.

use super::probe::before_zeroing;
use super::{Tablebases, Wdl};
use crate::position::{Game, Move, Outcome};

/// Limit of the fifty-move counter at the next capture or pawn move, in plies, for a win to count as one. It is
/// below 100 because a table that counts in moves can be off by one.
const MAX_WIN_PLIES: i32 = 99;

/// A winning move is kept if the fifty-move counter at the next capture or pawn move is at most this, in plies.
/// Without such a move, only the fastest are kept.
const RELAXED_PLIES: i32 = 50;

/// A root move and its tablebase result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankedMove {
    /// The move.
    pub mv: Move,
    /// The WDL value for the side that moves.
    pub wdl: Wdl,
    /// Plies to the next capture or pawn move, this move included, negative for the losing side; `None` without
    /// DTZ tables.
    pub dtz: Option<i32>,
}

/// The tablebase results of all root moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootRanking {
    /// The moves, in the order of the request.
    pub moves: Vec<RankedMove>,
    /// True with DTZ tables: then playing [`RootRanking::best`] moves wins without a search.
    pub by_dtz: bool,
    /// The fifty-move counter at the root, in plies.
    halfmove_clock: i32,
    /// True if a position since the last capture or pawn move has occurred twice.
    repeated: bool,
}

impl RootRanking {
    /// Returns the WDL value of `mv`.
    pub fn wdl(&self, mv: Move) -> Option<Wdl> {
        self.moves.iter().find(|ranked| ranked.mv == mv).map(|ranked| ranked.wdl)
    }

    /// Returns the rank of `mv`, greater is better: by WDL value, and of equal moves those of
    /// [`RootRanking::best`] first. The rank of an unknown move is 0.
    pub fn rank(&self, mv: Move) -> i32 {
        let preferred = self.best().contains(&mv);
        self.wdl(mv).map_or(0, |wdl| 2 * wdl.value() + i32::from(preferred))
    }

    /// Returns the moves that keep the best WDL value; of winning moves, only those that the fifty-move rule
    /// allows.
    ///
    /// The result is empty only if there are no moves.
    pub fn best(&self) -> Vec<Move> {
        let Some(wdl) = self.moves.iter().map(|ranked| ranked.wdl).max() else { return Vec::new() };
        let kept = || self.moves.iter().filter(move |ranked| ranked.wdl == wdl);
        let distance = |ranked: &RankedMove| ranked.dtz.map_or(0, |dtz| dtz + self.halfmove_clock * dtz.signum());
        let least = kept().map(distance).min().unwrap_or(0);
        let limit = match wdl {
            Wdl::Win if !self.repeated => least.max(RELAXED_PLIES),
            // The most negative distance of a blessed loss reaches the fifty-move rule first.
            Wdl::Win | Wdl::CursedWin | Wdl::BlessedLoss => least,
            Wdl::Draw | Wdl::Loss => i32::MAX,
        };
        kept().filter(|ranked| distance(ranked) <= limit).map(|ranked| ranked.mv).collect()
    }
}

impl Tablebases {
    /// Ranks `moves`, which must be legal in the game's position. Without `fifty_move_rule`, a cursed win
    /// counts as a win.
    ///
    /// Returns `None` if a table of a move is missing.
    pub fn rank_moves(&self, game: &Game, moves: &[Move], fifty_move_rule: bool) -> Option<RootRanking> {
        let position = game.position();
        // An early exit for a root without a table or with castling rights.
        self.probe_wdl(position)?;
        let halfmove_clock = i32::from(position.halfmove_clock());
        let repeated = has_repeated(game);
        for by_dtz in [true, false] {
            let rank = |&mv: &Move| self.rank_move(game, mv, by_dtz, fifty_move_rule);
            if let Some(moves) = moves.iter().map(rank).collect::<Option<Vec<_>>>() {
                return Some(RootRanking { moves, by_dtz, halfmove_clock, repeated });
            }
        }
        None
    }

    fn rank_move(&self, game: &Game, mv: Move, by_dtz: bool, fifty_move_rule: bool) -> Option<RankedMove> {
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
            () if by_dtz => {
                let dtz = -self.probe_dtz(child)?;
                Some(dtz + dtz.signum())
            }
            () => None,
        };
        // Tables assume a fifty-move counter of zero.
        let halfmove_clock = i32::from(game.position().halfmove_clock());
        let in_time = dtz.is_none_or(|dtz| dtz.abs() == 1 || dtz.abs() + halfmove_clock <= MAX_WIN_PLIES);
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

/// Returns true if a position since the last capture or pawn move has occurred twice.
fn has_repeated(game: &Game) -> bool {
    let position = game.position();
    let previous = game.previous_keys();
    let from = previous.len().saturating_sub(usize::from(position.reversible_plies()));
    let mut keys: Vec<u64> = previous[from..].to_vec();
    keys.push(position.key());
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}
