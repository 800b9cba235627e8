//! Syzygy tablebase probes inside the search tree (<https://www.chessprogramming.org/Syzygy_Bases>).

use std::sync::Arc;

use super::pvs::NodeType;
use super::score::{DRAW, MAX_DEPTH, tb_loss, tb_win};
use super::tt::Bound;
use super::tt::SearchTable;
use super::tt::TtStore;
use super::worker::Worker;
use crate::position::{Move, Position};
use crate::syzygy::{RootRanking, Tablebases, Wdl};

/// Added to the node's depth when a tablebase score is stored.
const DEPTH_BONUS: i32 = 6;

#[derive(Debug, Clone)]
pub struct SyzygyProbe {
    pub tables: Arc<Tablebases>,
    /// Most pieces of a probed position; 0 turns probing off.
    pub max_pieces: usize,
    /// Least remaining depth, in plies, at which positions with exactly `max_pieces` pieces are probed.
    pub min_depth: i32,
    /// A win that the fifty-move rule prevents is a draw.
    pub fifty_move_rule: bool,
    pub ranking: Option<Arc<RootRanking>>,
}

impl SyzygyProbe {
    /// Higher is better. Root moves of different ranks are never compared by score.
    pub(super) fn rank(&self, mv: Move) -> i32 {
        self.ranking.as_ref().map_or(0, |ranking| ranking.rank(mv))
    }

    /// A bound: tablebases know the winner, not the distance to mate.
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

pub(super) enum TbBound {
    Cutoff(i32),
    Lower(i32),
    Upper(i32),
}

impl<T: SearchTable> Worker<T> {
    /// Stores a decided score in the table. Only positions right after a capture or pawn move are probed: tablebases
    /// assume a halfmove clock of zero.
    #[cold]
    pub(super) fn probe_syzygy<N: NodeType>(
        &mut self,
        position: &Position,
        alpha: i32,
        beta: i32,
        depth: i32,
        ply: usize,
    ) -> Option<TbBound> {
        let syzygy = self.context.syzygy.as_ref()?;
        let pieces = position.occupied().len() as usize;
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
            let depth = (depth + DEPTH_BONUS).min(MAX_DEPTH as i32);
            let result = TtStore { mv: None, score, depth, bound, pv: N::PV, raw_eval: None };
            self.store_tt(position, ply, result, self.work());
            return Some(TbBound::Cutoff(score));
        }
        match bound {
            Bound::Lower if N::PV => Some(TbBound::Lower(score)),
            Bound::Upper if N::PV => Some(TbBound::Upper(score)),
            _ => None,
        }
    }
}
