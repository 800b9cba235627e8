//! What the table knows of a node, in the node's own terms, and what a node leaves there.

use super::score::{from_tt, to_tt};
use super::search_table::SearchTable;
use super::tt_entry::Bound;
use super::tt_entry::TtEntry;
use super::worker::Worker;
use crate::position::{Move, Position};
use sesame_table::{EntryUse, Work};

/// The table's word for "no static evaluation": the position is in check.
const STORED_NO_EVAL: i16 = i16::MIN;

/// What a table entry says about a node, in the node's own terms.
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
    /// Whether the score settles a null-window search against `beta`.
    #[inline]
    pub(super) fn cuts(&self, beta: i32) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score >= beta,
            Bound::Upper => self.score < beta,
        }
    }

    /// Whether the score is a better estimate than `eval`: an exact one, or a bound on the right side of it.
    #[inline]
    pub(super) fn improves(&self, eval: i32) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score > eval,
            Bound::Upper => self.score < eval,
        }
    }
}

impl<T: SearchTable> Worker<T> {
    /// Looks the position up. An entry whose move is illegal here belongs to another position with the same check bits (a
    /// type-1 error, Breuker et al. 1994, section 3) and is ignored whole.
    #[inline]
    pub(super) fn probe(&self, position: &Position, ply: usize) -> Option<TtHit> {
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

    #[inline]
    #[expect(clippy::too_many_arguments, reason = "the fields of an entry")]
    pub(super) fn remember(
        &self,
        position: &Position,
        ply: usize,
        mv: Option<Move>,
        score: i32,
        depth: i32,
        bound: Bound,
        pv: bool,
        raw_eval: Option<i32>,
        work_before: u64,
    ) {
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
    }

    /// What the schemes that go by size compare: nodes searched so far and, under BIGALL alone, the nodes behind the table hits
    /// that ended other nodes (Breuker et al. 1994, section 6.1).
    #[inline]
    pub(super) fn work(&self) -> u64 {
        self.nodes() + self.nodes_behind_hits
    }

    /// Notes that `known` has ended a node. The node itself is counted already.
    #[inline]
    pub(super) fn note_cut_off(&mut self, known: TtHit) {
        self.context.table.record_use(EntryUse::Cutoff);
        if self.context.table.counts_hits_in_full() {
            // Works feed on works: saturate far below overflow.
            let behind = known.work.nodes().saturating_sub(1);
            self.nodes_behind_hits = self.nodes_behind_hits.saturating_add(behind).min(1 << 62);
        }
    }
}
