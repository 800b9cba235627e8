//! Node types and node state of the main search.

use super::tt::TtHit;
use crate::position::{Move, Position};

/// A node type (<https://www.chessprogramming.org/Node_Types>). Each has a search function of its own.
pub(super) trait Node {
    /// Searched with an open window.
    const PV: bool;
    /// The root.
    const ROOT: bool;
}

/// The root.
pub(super) struct Root;
/// A node of the principal variation below the root.
pub(super) struct Pv;
/// A node searched with a null window.
pub(super) struct NonPv;

impl Node for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}
impl Node for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}
impl Node for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// The state of a node that the steps of its search share.
pub(super) struct NodeState<'a> {
    pub(super) position: &'a Position,
    pub(super) ply: usize,
    /// Remaining depth in plies, after reductions and extensions of the node itself.
    pub(super) depth: i32,
    pub(super) beta: i32,
    /// The node is expected to fail high.
    pub(super) cut_node: bool,
    pub(super) in_check: bool,
    pub(super) tt_hit: Option<TtHit>,
    /// The move to try first: at the root the first root move, elsewhere the table's.
    pub(super) tt_move: Option<Move>,
    /// `tt_move` is a capture or promotion.
    pub(super) tt_capture: bool,
    /// The node is or was on a principal variation.
    pub(super) tt_pv: bool,
    /// The static evaluation as the table stores it; `None` in check.
    pub(super) raw_eval: Option<i32>,
    /// The corrected static evaluation; [`NO_EVAL`](super::thread_data::NO_EVAL) in check.
    pub(super) static_eval: i32,
    /// The static evaluation, or the table's score where that is the better estimate.
    pub(super) eval: i32,
    /// The static evaluation has risen since the last own move.
    pub(super) improving: bool,
}
