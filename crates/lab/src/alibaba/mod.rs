//! ALIBABA, the test program of Breuker et al. (1994), section 4: a simple chess program, "designed to be
//! easily reproducible".
//!
//! Iterative deepening with an aspiration window of plus and minus a pawn; principal-variation search with
//! minimal windows; a quiescence search of captures and promotions; refutation tables and the history
//! heuristic; material and piece-square tables. No extensions, no pruning beyond alpha-beta. Where the paper
//! is silent there is a switch: [`OpenChoices`].

mod evaluation;
mod moves;
mod search;
#[cfg(test)]
mod tests;

use sesame::position::Move;

pub use evaluation::{PieceSquares, VALUES};
pub use moves::{History, Picker};
pub use search::{Iteration, Searcher};

pub const INFINITE: i32 = 32_500;

/// A mate n plies away scores n less.
pub const MATE: i32 = 32_000;

/// Scores above this are mates.
pub const MATE_IN_MAX: i32 = MATE - 1_000;

/// In plies.
pub const MAX_DEPTH: u32 = 30;

#[derive(Copy, Clone, Debug)]
pub struct Variation {
    moves: [u16; MAX_DEPTH as usize + 1],
    len: u8,
}

impl Variation {
    const EMPTY: Variation = Variation { moves: [0; MAX_DEPTH as usize + 1], len: 0 };

    /// Returns the move at `ply`, if the line is so long.
    fn get(&self, ply: usize) -> Option<Move> {
        let bits = if ply < usize::from(self.len) { *self.moves.get(ply)? } else { 0 };
        Move::from_bits(bits)
    }

    fn set(&mut self, mv: Move) {
        self.moves[0] = mv.bits();
        self.len = 1;
    }

    fn extend(&mut self, mv: Move, rest: &Variation) {
        let len = usize::from(rest.len).min(MAX_DEPTH as usize);
        self.moves[0] = mv.bits();
        self.moves[1..=len].copy_from_slice(&rest.moves[..len]);
        self.len = len as u8 + 1;
    }
}

/// When quiescence search is "terminated early, viz. as soon as it becomes clear that all moves to be generated will be
/// disadvantageous" (section 4.1).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum EarlyEnd {
    /// The quiescence score is then a function of the position alone, whatever the window.
    Never,
    /// When static evaluation, most valuable piece left to capture and this margin in centipawns do not exceed alpha.
    Margin(i32),
}

/// From one iteration to the next.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum RootOrder {
    /// A new best move moves to the front; the others keep their order.
    BestToFront,
    /// By the last iteration; equals keep their order.
    ByScore,
}

/// Block mobility for the piece-square tables.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Blockers {
    /// The board is empty.
    None,
    Pawns,
    /// Of the root position.
    All,
}

/// "Every time a move is found to be best in a search".
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum HistoryUpdate {
    /// Also where all moves failed low.
    Every,
    AboveAlpha,
    /// Each time a move becomes the best one so far of its node.
    EachImprovement,
}

/// "An amount proportional to the depth of the subtree".
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum HistoryBonus {
    Depth,
    /// As Schaeffer (1989) recommends.
    PowerOfTwo,
    /// Quiet moves keep the order of generation.
    None,
}

/// In centipawns.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PositionalWeights {
    /// By square that a knight, bishop, rook or queen can move to.
    pub mobility: i32,
    /// By square that a piece or pawn controls, of four.
    pub centre: i32,
    /// By square that a piece or pawn controls, of twelve.
    pub around: i32,
    /// By square that the king can move to.
    pub king: i32,
}

/// Left open by section 4 of the paper; they change node counts. The default is the experiment's choice.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct OpenChoices {
    pub early_end: EarlyEnd,
    pub root_order: RootOrder,
    pub blockers: Blockers,
    pub weights: PositionalWeights,
    pub history_update: HistoryUpdate,
    pub history_bonus: HistoryBonus,
    /// Each colour has its own table.
    pub history_by_color: bool,
    /// Half of the window, in centipawns; the paper's is a pawn. `None` means an open window.
    pub aspiration: Option<i32>,
    /// Followed plies of the lines: 0 is without tables, 1 tries only the reply to the root move.
    pub refutation_plies: u32,
    /// Every root move keeps the line of its last search, if only the reply that refuted it. Otherwise only principal variations
    /// are kept.
    pub refutations_of_all: bool,
    /// A second search starts from the score found, as in Marsland (1986), and not from alpha. If that score was exact, the
    /// second search fails and returns no line.
    pub research_above_score: bool,
    /// Lines continue below nodes where all moves failed low, with the move of the highest bound.
    pub lines_below_alpha: bool,
    /// On the path, not only the third occurrence.
    pub second_occurrence_draws: bool,
    /// In quiescence an upper bound from the table may end the node, not only lower the evaluation.
    pub quiescence_cut_offs: bool,
    /// With depth 0.
    pub store_leaves: bool,
    /// As in the paper.
    pub probe_quiescence: bool,
    /// As in the paper.
    pub tt_moves: bool,
    /// Only entries of exactly the remaining depth change the window, as Altavilla (ViperMate) tried; the paper accepts deeper ones.
    pub exact_depth_only: bool,
}

impl Default for OpenChoices {
    fn default() -> Self {
        Self {
            early_end: EarlyEnd::Never,
            root_order: RootOrder::BestToFront,
            blockers: Blockers::Pawns,
            weights: PositionalWeights { mobility: 8, centre: 16, around: 1, king: 0 },
            history_update: HistoryUpdate::Every,
            history_bonus: HistoryBonus::Depth,
            history_by_color: true,
            aspiration: Some(100),
            refutation_plies: MAX_DEPTH,
            refutations_of_all: false,
            research_above_score: false,
            lines_below_alpha: false,
            second_occurrence_draws: false,
            quiescence_cut_offs: false,
            store_leaves: false,
            probe_quiescence: true,
            tt_moves: true,
            exact_depth_only: false,
        }
    }
}
