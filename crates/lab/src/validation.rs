//! ALIBABA's node counts beside the paper's Tables 1 and 2, and the effect of each choice that the paper
//! leaves open.

use std::fmt;
use std::thread;

use crate::alibaba::{
    Blockers, Choices, EarlyEnd, HistoryBonus, HistoryUpdate, PositionalWeights, RootOrder, Searcher,
};
use crate::experiment::TestPosition;
use sesame::position::Game;
use sesame_table::{Scheme, Table, TableError, TableOptions, Update};

/// The paper's Table 1: thousands of nodes without a table, summed over the 18 positions, for 3 to 8 plies.
pub const TABLE_1: [u64; 6] = [185, 1_083, 3_847, 23_573, 96_969, 610_696];

/// The paper's Table 2, TWOBIG1: the same with 1024K positions, cleared between the test positions.
pub const TABLE_2: [u64; 6] = [194, 897, 2_791, 12_591, 40_161, 191_687];

/// The least depth in those tables.
pub const FIRST_DEPTH: u32 = 3;

/// The size of the table behind [`TABLE_2`], in positions.
const POSITIONS: usize = 1024 << 10;

/// Nodes summed over the test positions, by depth from [`FIRST_DEPTH`] on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeSums {
    /// Without a table.
    pub without: Vec<u64>,
    /// With 1024K positions under TWOBIG1, cleared between the test positions.
    pub with: Vec<u64>,
}

impl NodeSums {
    /// Returns the nodes with the table per node without.
    pub fn ratios(&self) -> Vec<f64> {
        self.with.iter().zip(&self.without).map(|(&with, &without)| with as f64 / without as f64).collect()
    }
}

/// Returns the paper's ratios of nodes with and without a table, for 3 to 8 plies.
pub fn paper_ratios() -> [f64; 6] {
    std::array::from_fn(|index| TABLE_2[index] as f64 / TABLE_1[index] as f64)
}

/// Searches all positions to `depth`, without and with a table.
///
/// # Errors
/// If the system refuses the memory of the table.
pub fn measure(choices: Choices, positions: &[TestPosition], depth: u32) -> Result<NodeSums, TableError> {
    let table = Table::with_options(&TableOptions {
        positions: POSITIONS,
        scheme: Scheme::TwoBig1,
        update: Update::Overwrite,
        stamps: false,
        huge_pages: true,
    })?;
    let sum = |mut searcher: Searcher| {
        let mut sums = vec![0; (depth + 1).saturating_sub(FIRST_DEPTH) as usize];
        for test in positions {
            if let Some(table) = searcher.table_mut() {
                table.clear_exclusive(1);
            }
            for iteration in searcher.search(&Game::new(test.position.clone()), depth) {
                if let Some(sum) = iteration.depth.checked_sub(FIRST_DEPTH).and_then(|at| sums.get_mut(at as usize)) {
                    *sum += iteration.nodes;
                }
            }
        }
        sums
    };
    let (without, with) = thread::scope(|scope| {
        let without = scope.spawn(|| sum(Searcher::new(choices, None)));
        let with = sum(Searcher::new(choices, Some(table)));
        (without.join(), with)
    });
    // A panic of the other thread goes on here.
    let without = without.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    Ok(NodeSums { without, with })
}

/// Returns the experiment's choices and, one at a time, the alternative to each, with descriptions.
pub fn variants() -> Vec<(&'static str, Choices)> {
    let usual = Choices::default();
    let weights = usual.weights;
    let weighted = |mobility, centre, around, king| Choices {
        weights: PositionalWeights { mobility, centre, around, king },
        ..usual
    };
    vec![
        ("the experiment's choices", usual),
        ("quiescence ends early at a margin of a pawn", Choices { early_end: EarlyEnd::Margin(100), ..usual }),
        ("quiescence ends early at a margin of five pawns", Choices { early_end: EarlyEnd::Margin(500), ..usual }),
        ("upper bounds cut off in quiescence", Choices { quiescence_cut_offs: true, ..usual }),
        ("no table in quiescence", Choices { probe_quiescence: false, ..usual }),
        ("leaves are stored", Choices { store_leaves: true, ..usual }),
        ("no refutation tables", Choices { refutation_plies: 0, ..usual }),
        ("refutation tables of one move", Choices { refutation_plies: 1, ..usual }),
        (
            "refutation tables hold refutations, not only principal variations",
            Choices { refutations_of_all: !usual.refutations_of_all, ..usual },
        ),
        (
            "second searches from the score or from alpha, the other way",
            Choices { research_above_score: !usual.research_above_score, ..usual },
        ),
        ("lines go on below alpha", Choices { lines_below_alpha: !usual.lines_below_alpha, ..usual }),
        ("no history", Choices { history_bonus: HistoryBonus::None, ..usual }),
        ("history grows by 2^depth", Choices { history_bonus: HistoryBonus::PowerOfTwo, ..usual }),
        ("history only for moves above alpha", Choices { history_update: HistoryUpdate::AboveAlpha, ..usual }),
        ("history for every improvement", Choices { history_update: HistoryUpdate::EachImprovement, ..usual }),
        ("one history for both colours", Choices { history_by_color: !usual.history_by_color, ..usual }),
        ("root moves ordered by score", Choices { root_order: RootOrder::ByScore, ..usual }),
        ("open window at the root", Choices { aspiration: None, ..usual }),
        ("the second occurrence is a draw", Choices { second_occurrence_draws: true, ..usual }),
        ("mobility on the empty board", Choices { blockers: Blockers::None, ..usual }),
        ("mobility among all pieces", Choices { blockers: Blockers::All, ..usual }),
        (
            "positional weights halved",
            weighted(weights.mobility / 2, weights.centre / 2, weights.around / 2, weights.king / 2),
        ),
        (
            "positional weights doubled",
            weighted(weights.mobility * 2, weights.centre * 2, weights.around * 2, weights.king * 2),
        ),
        ("table moves are not tried", Choices { tt_moves: false, ..usual }),
        ("cut-offs only at exactly the depth needed", Choices { exact_depth_only: true, ..usual }),
    ]
}

/// A row of the Markdown table of choices: see [`heading`].
#[derive(Clone, Debug)]
pub struct ChoiceRow<'a> {
    /// The description of the choice.
    pub name: &'a str,
    /// The node counts under it.
    pub sums: &'a NodeSums,
}

/// Returns the heading of the Markdown table of choices, to `depth` plies.
pub fn heading(depth: u32) -> String {
    let depths = || FIRST_DEPTH..=depth;
    let columns: String = depths().map(|depth| format!(" {depth} ply |")).collect();
    let rule: String = depths().map(|_| "---:|").collect();
    format!("| choice |{columns}{columns}\n|---|{rule}{rule}")
}

/// Nodes without a table in thousands, with their ratio to Table 1; then the ratio of nodes with and without
/// a table, with the deviation from the paper's.
impl fmt::Display for ChoiceRow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| {} |", self.name)?;
        for (index, &nodes) in self.sums.without.iter().enumerate() {
            write!(f, " {}", nodes.div_ceil(1000))?;
            match TABLE_1.get(index) {
                Some(&paper) => write!(f, " (x{:.2}) |", nodes as f64 / 1000.0 / paper as f64)?,
                None => write!(f, " |")?,
            }
        }
        for (index, ratio) in self.sums.ratios().into_iter().enumerate() {
            write!(f, " {ratio:.3}")?;
            match paper_ratios().get(index) {
                Some(paper) => write!(f, " ({:+.0} %) |", 100.0 * (ratio / paper - 1.0))?,
                None => write!(f, " |")?,
            }
        }
        Ok(())
    }
}
