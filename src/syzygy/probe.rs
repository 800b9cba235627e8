//! WDL and DTZ probes of a position, and the ranking of the root moves by them.
//!
//! A table's value is valid only if no capture is better, so a probe searches the captures first.

use std::collections::HashSet;

use super::file::DtzProbe;
use super::{Tablebases, Wdl};
use crate::position::{CastleRights, Color, Game, Move, Outcome, Piece, Position};

#[derive(Clone, Copy)]
struct WdlProbe {
    wdl: Wdl,
    /// A capture or a searched pawn move reaches the value.
    by_zeroing: bool,
}

impl Tablebases {
    /// Assumes a fifty-move counter of zero. Returns `None` if a table is missing or damaged, a side has castling rights,
    /// or the position has too many pieces.
    pub fn probe_wdl(&self, position: &Position) -> Option<Wdl> {
        self.covers(position).then(|| self.search_wdl(position, false))?.map(|probe| probe.wdl)
    }

    /// Returns the plies to the next capture or pawn move with best play: positive for the winning side, 0 for a draw, -1 for
    /// checkmate; or `None` like [`Tablebases::probe_wdl`]. From 101 on, the fifty-move rule makes the position a draw. A
    /// table that counts in moves can give one ply too few.
    pub fn probe_dtz(&self, position: &Position) -> Option<i32> {
        if self.covers(position) { self.dtz(position) } else { None }
    }

    fn covers(&self, position: &Position) -> bool {
        let cannot_castle = |color| *position.castles(color) == CastleRights::EMPTY;
        position.piece_count() as usize <= self.max_pieces() && Color::ALL.into_iter().all(cannot_castle)
    }

    /// Searches the captures, and with `pawn_moves` the pawn moves, before it probes the table.
    fn search_wdl(&self, position: &Position, pawn_moves: bool) -> Option<WdlProbe> {
        let mut best = None;
        let mut all_searched = true;
        let mut has_move = false;
        for &mv in &position.legal_moves() {
            has_move = true;
            let zeroing = position.captured(mv).is_some() || pawn_moves && position.moved(mv) == Piece::Pawn;
            if !zeroing {
                all_searched = false;
                continue;
            }
            let mut child = position.clone();
            child.play(mv);
            let wdl = -self.search_wdl(&child, false)?.wdl;
            if wdl == Wdl::Win {
                return Some(WdlProbe { wdl, by_zeroing: true });
            }
            best = best.max(Some(wdl));
        }
        if has_move
            && all_searched
            && let Some(wdl) = best
        {
            // Tables ignore en passant: without it this position can be a stalemate.
            return Some(WdlProbe { wdl, by_zeroing: true });
        }
        let wdl = self.table_wdl(position)?;
        Some(match best {
            Some(best) if best >= wdl => WdlProbe { wdl: best, by_zeroing: best > Wdl::Draw },
            _ => WdlProbe { wdl, by_zeroing: false },
        })
    }

    fn table_wdl(&self, position: &Position) -> Option<Wdl> {
        if position.piece_count() == 2 {
            return Some(Wdl::Draw);
        }
        let (tables, mirrored) = self.find(position)?;
        tables.wdl.wdl(position, mirrored)
    }

    fn dtz(&self, position: &Position) -> Option<i32> {
        let WdlProbe { wdl, by_zeroing } = self.search_wdl(position, true)?;
        if wdl == Wdl::Draw {
            return Some(0);
        }
        if by_zeroing {
            return Some(before_zeroing(wdl));
        }
        let (tables, mirrored) = self.find(position)?;
        match tables.dtz.as_ref()?.dtz(position, mirrored, wdl)? {
            DtzProbe::Plies(plies) => Some(before_zeroing(wdl) + plies * wdl.value().signum()),
            DtzProbe::OtherSide => self.search_dtz(position, wdl),
        }
    }

    fn search_dtz(&self, position: &Position, wdl: Wdl) -> Option<i32> {
        let mut best = None;
        for &mv in &position.legal_moves() {
            let zeroing = position.captured(mv).is_some() || position.moved(mv) == Piece::Pawn;
            let mut child = position.clone();
            child.play(mv);
            let mut dtz = if zeroing {
                before_zeroing(-self.search_wdl(&child, false)?.wdl)
            } else {
                let dtz = -self.dtz(&child)?;
                dtz + dtz.signum()
            };
            if child.in_check() && !child.has_legal_move() {
                dtz = 1;
            }
            // The minimum is best for both sides: a winner's value is positive, a loser's negative.
            if dtz.signum() == wdl.value().signum() && best.is_none_or(|best| dtz < best) {
                best = Some(dtz);
            }
        }
        // Without a move the position is checkmate.
        Some(best.unwrap_or(-1))
    }
}

/// Returns the DTZ value if the best move is a capture or pawn move.
const fn before_zeroing(wdl: Wdl) -> i32 {
    match wdl {
        Wdl::Loss => -1,
        Wdl::BlessedLoss => -101,
        Wdl::Draw => 0,
        Wdl::CursedWin => 101,
        Wdl::Win => 1,
    }
}

/// Maximum of the fifty-move counter at the next zeroing move of a win: below 100, as a table in moves can be off by one.
const MAX_WIN_PLIES: i32 = 99;

/// Maximum of the same counter for a winning move to be kept. Without such a move, only the fastest are kept.
const RELAXED_PLIES: i32 = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankedMove {
    pub mv: Move,
    /// The mover's result.
    pub wdl: Wdl,
    /// Plies to the next capture or pawn move, this move included, negative for the losing side; `None` without DTZ tables.
    pub dtz: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootRanking {
    pub moves: Vec<RankedMove>,
    /// True with DTZ tables: playing [`RootRanking::best`] moves then wins without a search.
    pub by_dtz: bool,
    halfmove_clock: i32,
    /// A position since the last capture or pawn move has occurred twice.
    repeated: bool,
}

impl RootRanking {
    pub fn wdl(&self, mv: Move) -> Option<Wdl> {
        self.moves.iter().find(|ranked| ranked.mv == mv).map(|ranked| ranked.wdl)
    }

    /// Greater is better: by WDL value, then [`RootRanking::best`] moves first. An unknown move has 0.
    pub fn rank(&self, mv: Move) -> i32 {
        let preferred = self.best().contains(&mv);
        self.wdl(mv).map_or(0, |wdl| 2 * wdl.value() + i32::from(preferred))
    }

    /// Returns the moves that keep the best WDL value, without winning moves that the fifty-move rule forbids.
    pub fn best(&self) -> Vec<Move> {
        let Some(wdl) = self.moves.iter().map(|ranked| ranked.wdl).max() else { return Vec::new() };
        let kept = || self.moves.iter().filter(move |ranked| ranked.wdl == wdl);
        let distance = |ranked: &RankedMove| ranked.dtz.map_or(0, |dtz| dtz + self.halfmove_clock * dtz.signum());
        let minimum = kept().map(distance).min().unwrap_or(0);
        let limit = match wdl {
            Wdl::Win if !self.repeated => minimum.max(RELAXED_PLIES),
            // The most negative distance of a blessed loss reaches the fifty-move rule first.
            Wdl::Win | Wdl::CursedWin | Wdl::BlessedLoss => minimum,
            Wdl::Draw | Wdl::Loss => i32::MAX,
        };
        kept().filter(|ranked| distance(ranked) <= limit).map(|ranked| ranked.mv).collect()
    }
}

impl Tablebases {
    /// Returns `None` if a table of a move is missing. Without `fifty_move_rule`, a cursed win counts as a win.
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

/// Looks at positions since the last capture or pawn move.
fn has_repeated(game: &Game) -> bool {
    let (position, previous) = (game.position(), game.previous_keys());
    let from = previous.len().saturating_sub(usize::from(position.reversible_plies()));
    let mut seen = HashSet::from([position.key()]);
    !previous[from..].iter().all(|&key| seen.insert(key))
}
