//! Singular extensions, with multi-cut and negative extensions.
//!
//! Sources: <https://www.chessprogramming.org/Singular_Extensions> (Anantharaman, Campbell and Hsu 1988),
//! <https://www.chessprogramming.org/Multi-Cut>.

use super::control::Aborted;
use super::node::{Node, NodeState, NonPv};
use super::params::*;
use super::score::is_decisive;
use super::search_table::SearchTable;
use super::tt::TtHit;
use super::tt_entry::Bound;
use super::worker::Worker;
use crate::position::Move;

/// The result of the extension step.
pub(super) enum Extension {
    /// Extend the move by so many plies (negative: reduce).
    Plies(i32),
    /// Multi-cut: several moves beat beta, so the node fails high with this score.
    MultiCut(i32),
}

impl<T: SearchTable> Worker<T> {
    /// Decides the extension of `mv`. Only the table's move can be extended.
    #[inline(always)]
    pub(super) fn extension<N: Node>(&mut self, node: &NodeState, mv: Move) -> Result<Extension, Aborted> {
        if !N::ROOT
            && Some(mv) == node.tt_move
            && let Some(tt_hit) = node.tt_hit
            && node.depth >= singular_depth()
            && tt_hit.bound != Bound::Upper
            && tt_hit.depth >= node.depth - singular_tt_depth()
            && !is_decisive(tt_hit.score)
            && self.may_extend(node.ply)
        {
            self.singular_search::<N>(node, mv, tt_hit)
        } else {
            Ok(Extension::Plies(0))
        }
    }

    /// Searches the node without its table move, at reduced depth, against a bound below the table's score.
    /// The table move is singular if all others fail low.
    fn singular_search<N: Node>(&mut self, node: &NodeState, mv: Move, tt_hit: TtHit) -> Result<Extension, Aborted> {
        let &NodeState { position, beta, depth, ply, cut_node, .. } = node;
        let singular_beta = tt_hit.score - depth * singular_margin() / 16;
        let singular_depth = (depth - 1) * singular_share() / 16;
        let saved = *self.stack(ply);
        self.stack(ply).excluded = Some(mv);
        let score = self.search::<NonPv>(position, singular_beta - 1, singular_beta, singular_depth, ply, cut_node)?;
        *self.stack(ply) = saved;
        Ok(if score < singular_beta {
            let is_double = !N::PV
                && score < singular_beta - singular_double_margin()
                && saved.double_extensions < singular_double_limit();
            Extension::Plies(if is_double { 2 } else { 1 })
        } else if singular_beta >= beta {
            Extension::MultiCut(singular_beta)
        } else if tt_hit.score >= beta {
            Extension::Plies(-singular_negative())
        } else if cut_node {
            Extension::Plies(-singular_negative_cut())
        } else {
            Extension::Plies(0)
        })
    }
}
