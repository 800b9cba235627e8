//! A node of the search tree: its types, its start, and its lookups (transposition table, Syzygy, evaluation).

use sesame_table::EntryUse;

use super::params::{material_even, material_slope, tt_cutoff_clock};
use super::remote_entries::RemoteEntry;
use super::score::{DECISIVE_BOUND, DRAW, INFINITE, MAX_DEPTH, MAX_PLY, mated_in, tb_loss, tb_win, to_tt};
use super::tt::{Bound, QS_NO_CHECKS, STORED_NO_EVAL, SearchTable, TtEntry, TtHit, TtStore};
use super::worker::{NO_EVAL, SyzygyProbe, ThreadData, Worker};
use crate::position::{Move, Position};
use crate::syzygy::Wdl;

/// See <https://www.chessprogramming.org/Node_Types>. Each type has a search function of its own.
pub(super) trait NodeType {
    const PV: bool = true;
    const ROOT: bool = false;
}

pub(super) struct Root;
pub(super) struct Pv;
pub(super) struct NonPv;

impl NodeType for Root {
    const ROOT: bool = true;
}
impl NodeType for Pv {}
impl NodeType for NonPv {
    const PV: bool = false;
}

pub(super) struct Node<'a> {
    pub(super) position: &'a Position,
    pub(super) ply: usize,
    pub(super) beta: i32,
    /// Remaining plies; from step 8 on, after the internal iterative reduction.
    pub(super) depth: i32,
    pub(super) cut_node: bool,
    pub(super) in_check: bool,
    pub(super) tt_hit: Option<TtHit>,
    /// The first root move at the root.
    pub(super) tt_move: Option<Move>,
    pub(super) tt_capture: bool,
    /// The node is or was on a principal variation.
    pub(super) tt_pv: bool,
    pub(super) evals: NodeEvals,
    /// The static evaluation has risen since the last own move.
    pub(super) improving: bool,
}

#[derive(Clone, Copy)]
pub(super) struct NodeEvals {
    /// As the table stores it; `None` in check.
    pub(super) raw: Option<i32>,
    /// Scaled and corrected; [`NO_EVAL`] in check.
    pub(super) corrected: i32,
    /// The corrected evaluation, or the TT score if that is the better estimate.
    pub(super) best: i32,
}

impl<T: SearchTable> Worker<T> {
    /// Begins a node of either search. Returns a score that ends it: a draw or mate by rule, the evaluation at the maximum
    /// ply, or an upcoming repetition, which raises `alpha` to a draw.
    #[inline(always)]
    pub(super) fn enter_node<N: NodeType>(
        &mut self,
        position: &Position,
        ply: usize,
        alpha: &mut i32,
        beta: i32,
    ) -> Option<i32> {
        debug_assert!(-INFINITE <= *alpha && *alpha < beta && beta <= INFINITE, "window {alpha} {beta}");
        debug_assert!(N::PV || *alpha == beta - 1, "an open window {alpha} {beta} off the PV");
        self.thread.pv.clear(ply);
        self.seldepth = self.seldepth.max(ply);
        if N::ROOT {
            return None;
        }
        if let Some(score) = self.draw_or_mate_by_rule(position, ply) {
            return Some(score);
        }
        if ply >= MAX_PLY - 1 {
            return Some(if position.in_check() { DRAW } else { self.evaluate(position, ply) });
        }
        if *alpha < DRAW && self.can_repeat(position) {
            *alpha = DRAW;
        }
        (*alpha >= beta).then_some(*alpha)
    }

    #[inline(always)]
    fn draw_or_mate_by_rule(&self, position: &Position, ply: usize) -> Option<i32> {
        // A mate may coincide with the fifty-move limit.
        if position.halfmove_clock() >= 100 {
            let is_mate = position.in_check() && position.legal_moves().is_empty();
            return Some(if is_mate { mated_in(ply) } else { DRAW });
        }
        (position.insufficient_material() || self.repeats(position)).then_some(DRAW)
    }
}

impl<T: SearchTable> Worker<T> {
    /// Returns a score that decides a null-window node. Near the fifty-move limit there is no cutoff: the halfmove clock
    /// is not part of the key.
    #[inline(always)]
    pub(super) fn tt_cutoff(
        &mut self,
        position: &Position,
        beta: i32,
        depth: i32,
        tt_hit: Option<TtHit>,
    ) -> Option<i32> {
        let tt_hit = tt_hit.filter(|tt_hit| tt_hit.depth >= depth && tt_hit.cuts(beta))?;
        if i32::from(position.halfmove_clock()) >= tt_cutoff_clock() {
            return None;
        }
        self.context.table.record_use(EntryUse::Cutoff);
        // The move to this node is counted already; a null move has none.
        if self.context.table.counts_hits_in_full() {
            // Work adds up from hit to hit: saturate far below overflow.
            let behind = tt_hit.work.nodes().saturating_sub(1);
            self.nodes_behind_hits = self.nodes_behind_hits.saturating_add(behind).min(1 << 62);
        }
        Some(tt_hit.score)
    }

    /// Stores the work since `work_before`, and one node for the position itself.
    #[inline(always)]
    pub(super) fn store_tt(&self, position: &Position, ply: usize, work_before: u64, result: TtStore) {
        let TtStore { mv, score, depth, bound, pv, raw_eval } = result;
        let entry = TtEntry {
            mv: mv.map_or(0, Move::bits),
            score: to_tt(score, ply),
            depth: (depth - QS_NO_CHECKS).clamp(0, 255) as u8,
            bound,
            pv,
            eval: raw_eval.map_or(STORED_NO_EVAL, |eval| eval as i16),
        };
        let work = self.work() - work_before + 1;
        self.context.table.store(position.key(), &entry, work);
        if let Some(exchange) = &self.context.exchange {
            exchange.offer(RemoteEntry { key: position.key(), entry, work });
        }
    }

    /// Counts nodes; under BIGALL, also those behind TT hits that ended other nodes (Breuker et al. 1994, section 6.1).
    #[inline]
    pub(super) fn work(&self) -> u64 {
        self.nodes() + self.nodes_behind_hits
    }
}

impl SyzygyProbe {
    /// Returns a bound: tablebases know the winner, not the distance to mate.
    fn score(&self, wdl: Wdl, ply: usize) -> (i32, Bound) {
        let wdl = match wdl {
            Wdl::CursedWin if !self.fifty_move_rule => Wdl::Win,
            Wdl::BlessedLoss if !self.fifty_move_rule => Wdl::Loss,
            wdl => wdl,
        };
        match wdl {
            Wdl::Win => (tb_win(ply), Bound::Lower),
            Wdl::Loss => (tb_loss(ply), Bound::Upper),
            // Draws differ slightly, in case the opponent errs.
            Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => (DRAW + wdl.value(), Bound::Exact),
        }
    }
}

const TB_DEPTH_BONUS: i32 = 6;

pub(super) enum TbBound {
    Cutoff(i32),
    Lower(i32),
    Upper(i32),
}

/// Syzygy tablebases (<https://www.chessprogramming.org/Syzygy_Bases>).
impl<T: SearchTable> Worker<T> {
    /// Stores a decided score in the TT. Only positions right after a capture or pawn move are probed: tablebases assume a
    /// halfmove clock of zero.
    #[cold]
    pub(super) fn probe_syzygy<N: NodeType>(
        &mut self,
        position: &Position,
        ply: usize,
        alpha: i32,
        beta: i32,
        depth: i32,
    ) -> Option<TbBound> {
        let syzygy = self.context.syzygy.as_ref()?;
        let pieces = position.piece_count() as usize;
        if position.halfmove_clock() != 0 || pieces == syzygy.max_pieces && depth < syzygy.min_depth {
            return None;
        }
        let (score, bound) = syzygy.score(syzygy.tables.probe_wdl(position)?, ply);
        self.context.control.count_tb_hit(self.count.worker());
        let is_cutoff = match bound {
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
        };
        if is_cutoff {
            let depth = (depth + TB_DEPTH_BONUS).min(MAX_DEPTH as i32);
            let result = TtStore { mv: None, score, depth, bound, pv: N::PV, raw_eval: None };
            self.store_tt(position, ply, self.work(), result);
            return Some(TbBound::Cutoff(score));
        }
        match bound {
            Bound::Lower if N::PV => Some(TbBound::Lower(score)),
            Bound::Upper if N::PV => Some(TbBound::Upper(score)),
            _ => None,
        }
    }
}

impl<T: SearchTable> Worker<T> {
    #[inline]
    pub(super) fn evaluate(&mut self, position: &Position, ply: usize) -> i32 {
        let ThreadData { accumulators, eval_cache, .. } = &mut self.thread;
        eval_cache.get_or(position.key(), || accumulators.evaluate(position, ply))
    }

    #[inline(always)]
    pub(super) fn node_evals(
        &mut self,
        position: &Position,
        ply: usize,
        in_check: bool,
        tt_hit: Option<TtHit>,
    ) -> NodeEvals {
        if in_check {
            return NodeEvals { raw: None, corrected: NO_EVAL, best: NO_EVAL };
        }
        let raw = tt_hit.and_then(|tt_hit| tt_hit.eval).unwrap_or_else(|| self.evaluate(position, ply));
        let scaled = if self.scales_by_material { scale_by_material(position, raw) } else { raw };
        let corrected =
            (scaled + self.thread.histories.corrections.get(position)).clamp(-DECISIVE_BOUND + 1, DECISIVE_BOUND - 1);
        let best = match tt_hit {
            Some(tt_hit) if tt_hit.improves(corrected) => tt_hit.score,
            _ => corrected,
        };
        NodeEvals { raw: Some(raw), corrected, best }
    }

    /// Compares with two plies before or, if that node was in check, four plies before.
    #[inline]
    pub(super) fn is_improving(&self, ply: usize, static_eval: i32) -> bool {
        [2, 4]
            .into_iter()
            .map(|back| self.stack_before(ply, back).static_eval)
            .find(|&earlier| earlier != NO_EVAL)
            .is_none_or(|earlier| static_eval > earlier)
    }
}

/// Raises evaluations with many pieces and lowers those with few: the side ahead then avoids trades of pieces.
#[inline]
fn scale_by_material(position: &Position, raw_eval: i32) -> i32 {
    raw_eval * (1024 + material_slope() * (position.non_pawn_points() as i32 - material_even())) / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_grow_with_material() {
        // 62 points of pieces, 40, and none.
        let positions = ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", "1nbqkb2/8/8/8/8/8/8/1NBQKB2 w - -"];
        let pawns = Position::from_fen("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - -").unwrap();
        let [full, even] = positions.map(|fen| Position::from_fen(fen).unwrap());
        for raw in [-30_000, -120, 0, 120, 30_000] {
            let sizes = [&full, &even, &pawns].map(|position| scale_by_material(position, raw) * raw.signum());
            assert!(raw == 0 && sizes == [0; 3] || sizes[0] > sizes[1] && sizes[1] > sizes[2] && sizes[2] > 0, "{raw}");
        }
    }
}
