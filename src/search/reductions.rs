//! Late-move reductions: base table and adjustments.
//!
//! [`Worker::late_move_reduction`] decides by how much a late move is reduced. Source:
//! <https://www.chessprogramming.org/Late_Move_Reductions>.

use super::node::{Node, NodeState};
use super::params::*;
use super::search_table::SearchTable;
use super::worker::Worker;
use crate::position::Position;

/// One ply of reduction.
pub const PLY: i32 = 1024;

/// Base reductions by kind of move, depth and move number, in 1/1024 ply.
pub struct Reductions {
    table: Box<[[[i32; 64]; 64]; 2]>,
}

impl Reductions {
    /// Computes the table: base + ln(depth) x ln(number) / divisor.
    pub fn new() -> Self {
        let mut table = Box::new([[[0; 64]; 64]; 2]);
        for (kind, (base, divisor)) in
            [(lmr_noisy_base(), lmr_noisy_divisor()), (lmr_quiet_base(), lmr_quiet_divisor())]
                .map(|(base, divisor)| (f64::from(base) / 100.0, f64::from(divisor) / 100.0))
                .into_iter()
                .enumerate()
        {
            for depth in 1..64 {
                for number in 1..64 {
                    let plies = base + f64::from(depth).ln() * f64::from(number).ln() / divisor;
                    table[kind][depth as usize][number as usize] = (plies * f64::from(PLY)) as i32;
                }
            }
        }
        Self { table }
    }

    /// Returns the base reduction of move `number` (from 1) at `depth`.
    #[inline]
    pub fn get(&self, is_quiet: bool, depth: i32, number: usize) -> i32 {
        self.table[usize::from(is_quiet)][depth.clamp(0, 63) as usize][number.min(63)]
    }
}

/// A move that has been made at a node, with the facts that decide its reduction.
pub(super) struct MadeMove {
    /// Its number in the order, from 1.
    pub(super) number: usize,
    pub(super) is_quiet: bool,
    /// It is a killer or the counter move.
    pub(super) is_refutation: bool,
    pub(super) gives_check: bool,
    /// Its history score.
    pub(super) history: i32,
    /// Its base reduction: see [`Reductions::get`].
    pub(super) base_reduction: i32,
    /// Depth without a reduction, in plies: includes the extension.
    pub(super) new_depth: i32,
}

impl<T: SearchTable> Worker<T> {
    /// Returns whether a move is late enough to be reduced.
    #[inline(always)]
    pub(super) fn is_late_move<N: Node>(node: &NodeState, number: usize) -> bool {
        node.depth >= lmr_depth() && number > 1 + usize::from(N::ROOT)
    }

    /// Returns the reduction of a late move, in 1/1024 ply. `child` is the position after
    /// the move.
    #[inline(always)]
    pub(super) fn late_move_reduction<N: Node>(&mut self, node: &NodeState, made: &MadeMove, child: &Position) -> i32 {
        let next = node.ply + 1;
        let mut reduction = made.base_reduction;
        if node.tt_pv {
            reduction -= lmr_tt_pv();
        }
        if N::PV {
            reduction -= lmr_pv();
        }
        // Sacrifices come late in the order, and matter most at the root.
        if N::ROOT {
            reduction -= lmr_root();
        }
        if node.cut_node {
            reduction += lmr_cut_node();
        }
        if !node.improving {
            reduction += lmr_not_improving();
        }
        if made.gives_check {
            reduction -= lmr_check();
        }
        if node.tt_capture && made.is_quiet {
            reduction += lmr_tt_capture();
        }
        if self.stack(next).cutoffs as i32 > lmr_cutoff_count() {
            reduction += lmr_cutoffs();
        }
        if made.is_refutation {
            reduction -= lmr_refutation();
        }
        reduction -= made.history * PLY / lmr_history_divisor();
        // The mate-threat test is expensive, so it comes last, where it can still matter.
        if made.is_quiet && reduction >= PLY && self.has_mate_threat(child, next) {
            reduction -= lmr_mate_threat();
        }
        reduction
    }
}
