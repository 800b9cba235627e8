//! What the tables say of a position. A table leaves out what a capture decides, so that captures have to be looked at first.

use super::file::Dtz;
use super::{Tablebases, Wdl};
use crate::position::{Color, Piece, Position};

/// What a position is, and whether a capture (or pawn move, where those were asked for) alone makes it so.
#[derive(Clone, Copy)]
struct Verdict {
    wdl: Wdl,
    by_zeroing: bool,
}

impl Tablebases {
    /// Win, draw or loss for the side to move, if the clock of the fifty-move rule stood at zero. `None` when a table is missing or damaged,
    /// somebody may castle, or there are too many men.
    pub fn probe_wdl(&self, position: &Position) -> Option<Wdl> {
        self.covers(position).then(|| self.verdict(position, false))?.map(|verdict| verdict.wdl)
    }

    /// Distance to zeroing: the plies to the next capture or pawn move with best play, positive for the side that wins, 0 for a draw, -1 for
    /// checkmate. From 101 on the fifty-move rule makes a draw of it, if the clock stood at zero. It can be one less than the truth, where the
    /// table counts in moves. `None` as in [`Tablebases::probe_wdl`].
    pub fn probe_dtz(&self, position: &Position) -> Option<i32> {
        if self.covers(position) { self.dtz(position) } else { None }
    }

    fn covers(&self, position: &Position) -> bool {
        let may_castle = |color| {
            let rights = position.castles(color);
            rights.short.is_some() || rights.long.is_some()
        };
        position.occupied().len() as usize <= self.most_men() && !Color::ALL.into_iter().any(may_castle)
    }

    /// Looks at the captures, and at the pawn moves too where `pawn_moves` asks for them, before the table.
    fn verdict(&self, position: &Position, pawn_moves: bool) -> Option<Verdict> {
        let mut best = None;
        let mut all_tried = true;
        let mut any = false;
        for &mv in &position.legal_moves() {
            any = true;
            let zeroing = position.captured(mv).is_some() || pawn_moves && position.moved(mv) == Piece::Pawn;
            if !zeroing {
                all_tried = false;
                continue;
            }
            let mut child = position.clone();
            child.play(mv);
            let wdl = -self.verdict(&child, false)?.wdl;
            if wdl == Wdl::Win {
                return Some(Verdict { wdl, by_zeroing: true });
            }
            best = best.max(Some(wdl));
        }
        if any
            && all_tried
            && let Some(wdl) = best
        {
            // The table does not know of en passant and might take this for stalemate.
            return Some(Verdict { wdl, by_zeroing: true });
        }
        let wdl = self.table_wdl(position)?;
        Some(match best {
            Some(best) if best >= wdl => Verdict { wdl: best, by_zeroing: best > Wdl::Draw },
            _ => Verdict { wdl, by_zeroing: false },
        })
    }

    fn table_wdl(&self, position: &Position) -> Option<Wdl> {
        if position.occupied().len() == 2 {
            return Some(Wdl::Draw);
        }
        let (tables, mirrored) = self.find(position)?;
        tables.wdl.wdl(position, mirrored)
    }

    fn dtz(&self, position: &Position) -> Option<i32> {
        let Verdict { wdl, by_zeroing } = self.verdict(position, true)?;
        if wdl == Wdl::Draw {
            return Some(0);
        }
        if by_zeroing {
            return Some(before_zeroing(wdl));
        }
        let (tables, mirrored) = self.find(position)?;
        match tables.dtz.as_ref()?.dtz(position, mirrored, wdl)? {
            Dtz::Plies(plies) => Some(before_zeroing(wdl) + plies * wdl.value().signum()),
            Dtz::OtherSide => self.dtz_by_search(position, wdl),
        }
    }

    /// The best of the moves, where the table has only the positions after them. A winner hurries, a loser tarries.
    fn dtz_by_search(&self, position: &Position, wdl: Wdl) -> Option<i32> {
        let mut best = None;
        for &mv in &position.legal_moves() {
            let zeroing = position.captured(mv).is_some() || position.moved(mv) == Piece::Pawn;
            let mut child = position.clone();
            child.play(mv);
            let mut dtz = if zeroing {
                before_zeroing(-self.verdict(&child, false)?.wdl)
            } else {
                let dtz = -self.dtz(&child)?;
                dtz + dtz.signum()
            };
            if child.in_check() && !child.has_legal_move() {
                dtz = 1;
            }
            // Least is best for both: the winner's is positive, the loser's negative.
            if dtz.signum() == wdl.value().signum() && best.is_none_or(|best| dtz < best) {
                best = Some(dtz);
            }
        }
        // No move at all: checkmate.
        Some(best.unwrap_or(-1))
    }
}

/// The distance when the next move is a capture or pawn move after which things stand so.
pub(super) const fn before_zeroing(wdl: Wdl) -> i32 {
    match wdl {
        Wdl::Loss => -1,
        Wdl::BlessedLoss => -101,
        Wdl::Draw => 0,
        Wdl::CursedWin => 101,
        Wdl::Win => 1,
    }
}
