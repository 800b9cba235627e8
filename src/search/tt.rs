//! Transposition-table probes and stores of the search.

use super::exchange::ExchangedEntry;
use super::history::{PieceTo, Quiet, bonus};
use super::params::{tt_cutoff_bonus, tt_cutoff_clock};
use super::score::{from_tt, to_tt};
use super::search_table::SearchTable;
use super::threats::Threats;
use super::tt_entry::{Bound, TtEntry};
use super::worker::Worker;
use crate::position::{Move, Position};
use sesame_table::{EntryUse, Work};

/// The stored evaluation of a position in check: none.
const STORED_NO_EVAL: i16 = i16::MIN;

/// A table entry as it applies to the probing node.
#[derive(Clone, Copy)]
pub(super) struct TtHit {
    pub(super) mv: Option<Move>,
    pub(super) score: i32,
    pub(super) depth: i32,
    pub(super) bound: Bound,
    pub(super) pv: bool,
    pub(super) work: Work,
    pub(super) eval: Option<i32>,
}

impl TtHit {
    /// Returns whether the score decides a null-window search against `beta`.
    #[inline]
    pub(super) fn cuts(&self, beta: i32) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score >= beta,
            Bound::Upper => self.score < beta,
        }
    }

    /// Returns whether the score is a better estimate than `eval`: it is exact, or a bound on the right side
    /// of `eval`.
    #[inline]
    pub(super) fn improves(&self, eval: i32) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score > eval,
            Bound::Upper => self.score < eval,
        }
    }
}

/// A result to store in the table.
pub(super) struct TtStore {
    pub(super) mv: Option<Move>,
    pub(super) score: i32,
    pub(super) depth: i32,
    pub(super) bound: Bound,
    pub(super) pv: bool,
    pub(super) raw_eval: Option<i32>,
}

impl<T: SearchTable> Worker<T> {
    /// Probes the table for `position`.
    ///
    /// An entry with an illegal move belongs to another position (a type-1 error, Breuker et al. 1994,
    /// section 3) and is rejected.
    #[inline]
    pub(super) fn probe_tt(&self, position: &Position, ply: usize) -> Option<TtHit> {
        let (entry, work) = self.context.table.probe(position.key())?;
        let mv = Move::from_bits(entry.mv);
        if entry.mv != 0 && !mv.is_some_and(|mv| position.is_legal(mv)) {
            self.context.table.record_use(EntryUse::Rejected);
            return None;
        }
        Some(TtHit {
            mv,
            score: from_tt(entry.score, ply, position.halfmove_clock()),
            depth: i32::from(entry.depth),
            bound: entry.bound,
            pv: entry.pv,
            work,
            eval: (entry.eval != STORED_NO_EVAL).then_some(i32::from(entry.eval)),
        })
    }

    /// Stores a result of the position at `ply`. Its work is the growth of [`work`](Self::work) since
    /// `work_before`, at least 1.
    #[inline]
    pub(super) fn store_tt(&self, position: &Position, ply: usize, result: TtStore, work_before: u64) {
        let TtStore { mv, score, depth, bound, pv, raw_eval } = result;
        let entry = TtEntry {
            mv: mv.map_or(0, Move::bits),
            score: to_tt(score, ply),
            depth: depth.clamp(0, 255) as u8,
            bound,
            pv,
            eval: raw_eval.map_or(STORED_NO_EVAL, |eval| eval as i16),
        };
        let work = (self.work() - work_before).max(1);
        self.context.table.store(position.key(), &entry, work);
        if let Some(exchange) = &self.context.exchange {
            exchange.offer(self.count.worker(), self.nodes(), ExchangedEntry { key: position.key(), entry, work });
        }
    }

    /// Returns the score of a deep enough table entry that decides a null-window node.
    ///
    /// Near the fifty-move limit there is no cutoff: the halfmove clock is not part of the key. A quiet table
    /// move that fails high gets a history bonus.
    #[inline(always)]
    pub(super) fn tt_cutoff(
        &mut self,
        position: &Position,
        tt_hit: TtHit,
        beta: i32,
        depth: i32,
        ply: usize,
    ) -> Option<i32> {
        if tt_hit.depth < depth || !tt_hit.cuts(beta) || i32::from(position.halfmove_clock()) >= tt_cutoff_clock() {
            return None;
        }
        if tt_hit.score >= beta
            && let Some(mv) = tt_hit.mv
            && !position.is_noisy(mv)
        {
            let color = position.side_to_move();
            let piece_to = PieceTo::new(color, position.moved(mv), mv);
            let (before, threats) = (self.played_before(ply), Threats::of(position).all);
            let quiet = Quiet { color, mv, piece_to, before, threats };
            self.thread.histories.update_quiet(quiet, bonus(depth) * tt_cutoff_bonus() / 100);
        }
        self.record_cutoff(tt_hit);
        Some(tt_hit.score)
    }

    /// Records that `tt_hit` has ended a node. The node itself is counted already.
    #[inline]
    pub(super) fn record_cutoff(&mut self, tt_hit: TtHit) {
        self.context.table.record_use(EntryUse::Cutoff);
        if self.context.table.counts_hits_in_full() {
            // Work adds up from hit to hit: saturate far below overflow.
            let behind = tt_hit.work.nodes().saturating_sub(1);
            self.nodes_behind_hits = self.nodes_behind_hits.saturating_add(behind).min(1 << 62);
        }
    }

    /// Returns the work of this worker so far, which size-based replacement schemes compare.
    ///
    /// It is the number of nodes. Under BIGALL the nodes behind table hits that ended other nodes are added
    /// (Breuker et al. 1994, section 6.1).
    #[inline]
    pub(super) fn work(&self) -> u64 {
        self.nodes() + self.nodes_behind_hits
    }
}
