//! WDL and DTZ probes of a position.
//!
//! A table's value is valid only if no capture is better, so a probe searches the captures first.

use super::file::DtzProbe;
use super::{Tablebases, Wdl};
use crate::position::{Color, Piece, Position};

/// The WDL value of a position.
#[derive(Clone, Copy)]
struct WdlProbe {
    wdl: Wdl,
    /// A capture or a searched pawn move reaches the value.
    by_zeroing: bool,
}

impl Tablebases {
    /// Returns the WDL value for the side to move with the fifty-move counter at zero.
    ///
    /// Returns `None` if a table is missing or damaged, a side has castling rights, or the position has too
    /// many pieces.
    pub fn probe_wdl(&self, position: &Position) -> Option<Wdl> {
        self.covers(position).then(|| self.search_wdl(position, false))?.map(|probe| probe.wdl)
    }

    /// Returns the distance to zeroing: the plies to the next capture or pawn move with best play.
    ///
    /// It is positive for the winning side, 0 for a draw, -1 for checkmate. From 101 on, the fifty-move rule
    /// makes the position a draw, with the counter at zero. A table that counts in moves can give one ply too
    /// few. Returns `None` like [`Tablebases::probe_wdl`].
    pub fn probe_dtz(&self, position: &Position) -> Option<i32> {
        if self.covers(position) { self.dtz(position) } else { None }
    }

    /// Returns true for a position without castling rights and with few enough pieces.
    fn covers(&self, position: &Position) -> bool {
        let can_castle = |color| {
            let rights = position.castles(color);
            rights.short.is_some() || rights.long.is_some()
        };
        position.occupied().len() as usize <= self.max_pieces() && !Color::ALL.into_iter().any(can_castle)
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

    /// Reads the WDL value from the table.
    fn table_wdl(&self, position: &Position) -> Option<Wdl> {
        if position.occupied().len() == 2 {
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

    /// Returns the best DTZ value of the moves, for a table that has only positions with the other side to
    /// move.
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
            // The least value is best for both sides: a winner's is positive, a loser's negative.
            if dtz.signum() == wdl.value().signum() && best.is_none_or(|best| dtz < best) {
                best = Some(dtz);
            }
        }
        // Without a move the position is checkmate.
        Some(best.unwrap_or(-1))
    }
}

/// Returns the DTZ value of a position with the value `wdl` whose best move is a capture or pawn move.
pub(super) const fn before_zeroing(wdl: Wdl) -> i32 {
    match wdl {
        Wdl::Loss => -1,
        Wdl::BlessedLoss => -101,
        Wdl::Draw => 0,
        Wdl::CursedWin => 101,
        Wdl::Win => 1,
    }
}
