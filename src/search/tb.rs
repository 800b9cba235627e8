//! What the endgame tables say of a node.

use std::sync::Arc;

use super::score::{DRAW, MAX_DEPTH, tb_loss, tb_win};
use super::search_table::SearchTable;
use super::tt_entry::Bound;
use super::worker::Worker;
use crate::position::{Move, Position};
use crate::syzygy::{RootRanking, Tablebases, Wdl};

/// A score from a table is worth a search this much deeper than the node's: only its own depth limits it.
const DEPTH_BONUS: i32 = 6;

/// The endgame tables as a search is to use them.
#[derive(Debug, Clone)]
pub struct SyzygyProbe {
    /// The tables.
    pub tables: Arc<Tablebases>,
    /// Positions with more men are not looked up; with 0 none is.
    pub most_men: usize,
    /// Positions with exactly that many men are looked up only where at least so many plies are left to search.
    pub least_depth: i32,
    /// Whether a win that the fifty-move rule prevents is a draw.
    pub fifty_move_rule: bool,
    /// What the tables say of the root's moves, if they know them.
    pub ranking: Option<Arc<RootRanking>>,
}

impl SyzygyProbe {
    /// The greater the better: root moves of different ranks are never compared by their scores.
    pub(super) fn rank(&self, mv: Move) -> i32 {
        self.ranking.as_ref().map_or(0, |ranking| ranking.rank(mv))
    }

    /// The score at `ply`, and on which side of it the truth can be: the tables know who wins, not how soon.
    fn score(&self, wdl: Wdl, ply: usize) -> (i32, Bound) {
        let wdl = match wdl {
            Wdl::CursedWin if !self.fifty_move_rule => Wdl::Win,
            Wdl::BlessedLoss if !self.fifty_move_rule => Wdl::Loss,
            wdl => wdl,
        };
        match wdl {
            Wdl::Win => (tb_win(ply), Bound::Lower),
            Wdl::Loss => (tb_loss(ply), Bound::Upper),
            // A draw, but one is better than the other against an opponent who errs.
            Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => (DRAW + wdl.value(), Bound::Exact),
        }
    }
}

/// What the tables mean for a node.
pub(super) enum Verdict {
    /// Its score is settled.
    Settled(i32),
    /// It is at least this good.
    AtLeast(i32),
    /// It is at most this good.
    AtMost(i32),
}

impl<T: SearchTable> Worker<T> {
    /// What the tables say of `position`: only right after a capture or pawn move, as they take the clock of the fifty-move rule to stand at
    /// zero. A node that is settled is remembered.
    #[cold]
    pub(super) fn ask_tables(
        &mut self,
        position: &Position,
        alpha: i32,
        beta: i32,
        depth: i32,
        ply: usize,
        pv: bool,
    ) -> Option<Verdict> {
        let syzygy = self.context.syzygy.as_ref()?;
        let men = position.occupied().len() as usize;
        if position.halfmove_clock() != 0 || men == syzygy.most_men && depth < syzygy.least_depth {
            return None;
        }
        let (score, bound) = syzygy.score(syzygy.tables.probe_wdl(position)?, ply);
        self.count_tb_hit();
        let settled = match bound {
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
        };
        if settled {
            let depth = (depth + DEPTH_BONUS).min(MAX_DEPTH as i32);
            self.remember(position, ply, None, score, depth, bound, pv, None, self.work());
            return Some(Verdict::Settled(score));
        }
        match bound {
            Bound::Lower if pv => Some(Verdict::AtLeast(score)),
            Bound::Upper if pv => Some(Verdict::AtMost(score)),
            _ => None,
        }
    }
}
