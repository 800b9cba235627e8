//! What the paper leaves open, as switches.

/// The quiescence search "may be terminated early, viz. as soon as it becomes clear that all moves to be generated will be
/// disadvantageous" (section 4.1): when that is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum EarlyEnd {
    /// Never. The quiescence score is then a function of the position alone, whatever the window.
    Never,
    /// When the static evaluation, the most valuable piece that is left to capture and this margin in centipawns together do not
    /// exceed alpha.
    Margin(i32),
}

/// How the moves of the root are ordered from one iteration to the next.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum RootOrder {
    /// Each move that becomes the best one moves to the front; the others keep their order.
    BestToFront,
    /// By the score, or bound, that the last iteration returned; equals keep their order.
    ByScore,
}

/// Which pieces stand in the way when mobility is counted for the piece-square tables.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Blockers {
    /// None: the board is empty.
    None,
    /// The pawns of the root position.
    Pawns,
    /// All pieces of the root position.
    All,
}

/// Which best moves raise their history score: "every time a move is found to be best in a search".
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum HistoryUpdate {
    /// The best move of every node, also of those where all moves failed low.
    Every,
    /// Only a move that exceeded alpha.
    AboveAlpha,
    /// Every move, each time it becomes the best one so far of its node.
    EachImprovement,
}

/// How much a best move's history score grows: "an amount proportional to the depth of the subtree".
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum HistoryBonus {
    /// By the depth, as the paper says.
    Depth,
    /// By two to the power of the depth, as Schaeffer (1989) recommends.
    PowerOfTwo,
    /// Not at all: quiet moves come in the order in which they are generated.
    None,
}

/// The weights of the piece-square tables, in centipawns.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PositionalWeights {
    /// For each square that a knight, bishop, rook or queen can move to from the square in question.
    pub mobility: i32,
    /// For each of the four centre squares that a piece or pawn controls from there.
    pub centre: i32,
    /// For each of the twelve squares around the centre that it controls.
    pub around: i32,
    /// For each square that the king can move to.
    pub king: i32,
}

/// Everything that section 4 of the paper leaves open and that moves the node counts. The default is what the experiment uses.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Choices {
    /// See [`EarlyEnd`].
    pub early_end: EarlyEnd,
    /// See [`RootOrder`].
    pub root_order: RootOrder,
    /// See [`Blockers`].
    pub blockers: Blockers,
    /// See [`PositionalWeights`].
    pub weights: PositionalWeights,
    /// See [`HistoryUpdate`].
    pub history_update: HistoryUpdate,
    /// See [`HistoryBonus`].
    pub history_bonus: HistoryBonus,
    /// Whether the two colours have history tables of their own.
    pub history_by_color: bool,
    /// Half of the aspiration window, in centipawns; the paper's is a pawn. `None` searches with an open window.
    pub aspiration: Option<i32>,
    /// How many plies of the lines in the refutation tables are followed: 0 does without, 1 tries only the reply to the root move.
    pub refutation_plies: u32,
    /// Whether every root move keeps the line that its last search brought back, if only the reply that refuted it; otherwise a line is
    /// kept only when it is a principal variation, that is, when the move exceeded alpha.
    pub refutations_of_all: bool,
    /// Whether a move that exceeds its minimal window is searched again from the score found there, as in Marsland (1986), and not from
    /// alpha. When that score was exact already, the second search fails, and brings back no line.
    pub research_above_score: bool,
    /// Whether the stored lines go on where all moves failed low, with the one of the highest bound, or end there.
    pub lines_below_alpha: bool,
    /// Whether a position's second occurrence on the path is a draw already, and not its third.
    pub second_occurrence_draws: bool,
    /// Whether in quiescence an upper bound from the table may end the node, and not only lower the evaluation.
    pub quiescence_cut_offs: bool,
    /// Whether leaves, too, are stored in the table, with depth 0.
    pub store_leaves: bool,
    /// Whether the table is looked up in the quiescence search, which the paper does.
    pub probe_quiescence: bool,
    /// Whether the table's moves are tried, which the paper does.
    pub table_moves: bool,
    /// Whether only entries of exactly the depth still to be searched may change the window, as Altavilla (ViperMate) tried; the paper
    /// takes deeper ones too.
    pub exact_depth_only: bool,
}

impl Default for Choices {
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
            refutation_plies: super::MAX_DEPTH,
            refutations_of_all: false,
            research_above_score: false,
            lines_below_alpha: false,
            second_occurrence_draws: false,
            quiescence_cut_offs: false,
            store_leaves: false,
            probe_quiescence: true,
            table_moves: true,
            exact_depth_only: false,
        }
    }
}
