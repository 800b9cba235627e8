//! ALIBABA's node counts beside the paper's Tables 1 and 2, and the effect of each choice that the paper
//! leaves open.

use crate::alibaba::{
    Blockers, EarlyEnd, HistoryBonus, HistoryUpdate, OpenChoices, PositionalWeights, RootOrder, Searcher,
};
use crate::experiment::table_of_1994;
use crate::positions;
use sesame::position::Game;
use sesame_report::parallel;
use sesame_table::{Scheme, TableError};

/// Thousands of nodes without a table, summed over the 18 positions, for 3 to 8 plies.
pub const TABLE_1: [u64; 6] = [185, 1_083, 3_847, 23_573, 96_969, 610_696];

/// TWOBIG1: like Table 1 with 1024K positions, cleared between the test positions.
pub const TABLE_2: [u64; 6] = [194, 897, 2_791, 12_591, 40_161, 191_687];

/// In both tables.
pub const FIRST_DEPTH: u32 = 3;

/// Over the test positions, by depth from [`FIRST_DEPTH`] on: without a table, and with 1024K positions under TWOBIG1, cleared
/// between the test positions.
pub type NodeSums = [Vec<u64>; 2];

/// All positions, without and with a table.
pub fn measure(choices: OpenChoices, depth: u32) -> Result<NodeSums, TableError> {
    let table = table_of_1994(1024 << 10, Scheme::TwoBig1, false)?;
    let sums = parallel::map([None, Some(table)], 2, |table| {
        let mut searcher = Searcher::new(choices, table);
        let mut sums = vec![0; (depth + 1).saturating_sub(FIRST_DEPTH) as usize];
        for test in positions::paper() {
            searcher.table_mut().into_iter().for_each(|table| table.clear_exclusive(1));
            let iterations = searcher.search(&Game::new(test.position), depth);
            let counted = iterations.iter().skip_while(|iteration| iteration.depth < FIRST_DEPTH);
            sums.iter_mut().zip(counted).for_each(|(sum, iteration)| *sum += iteration.nodes);
        }
        sums
    });
    let mut sums = sums.into_iter();
    Ok(std::array::from_fn(|_| sums.next().unwrap_or_default()))
}

/// The experiment's choices and, one at a time, the alternative to each, with descriptions.
pub fn variants() -> Vec<(&'static str, OpenChoices)> {
    let usual = OpenChoices::default();
    let varied = |change: fn(&mut OpenChoices)| {
        let mut choices = usual;
        change(&mut choices);
        choices
    };
    let weighted = |weigh: fn(i32) -> i32| {
        let PositionalWeights { mobility, centre, around, king } = usual.weights;
        let [mobility, centre, around, king] = [mobility, centre, around, king].map(weigh);
        OpenChoices { weights: PositionalWeights { mobility, centre, around, king }, ..usual }
    };
    vec![
        ("the experiment's choices", usual),
        ("quiescence ends early at a margin of a pawn", varied(|it| it.early_end = EarlyEnd::Margin(100))),
        ("quiescence ends early at a margin of five pawns", varied(|it| it.early_end = EarlyEnd::Margin(500))),
        ("upper bounds cut off in quiescence", varied(|it| it.quiescence_cut_offs = true)),
        ("no table in quiescence", varied(|it| it.probe_quiescence = false)),
        ("leaves are stored", varied(|it| it.store_leaves = true)),
        ("no refutation tables", varied(|it| it.refutation_plies = 0)),
        ("refutation tables of one move", varied(|it| it.refutation_plies = 1)),
        (
            "refutation tables hold refutations, not only principal variations",
            varied(|it| it.refutations_of_all = true),
        ),
        ("second searches from the score or from alpha, the other way", varied(|it| it.research_above_score = true)),
        ("lines go on below alpha", varied(|it| it.lines_below_alpha = true)),
        ("no history", varied(|it| it.history_bonus = HistoryBonus::None)),
        ("history grows by 2^depth", varied(|it| it.history_bonus = HistoryBonus::PowerOfTwo)),
        ("history only for moves above alpha", varied(|it| it.history_update = HistoryUpdate::AboveAlpha)),
        ("history for every improvement", varied(|it| it.history_update = HistoryUpdate::EachImprovement)),
        ("one history for both colours", varied(|it| it.history_by_color = false)),
        ("root moves ordered by score", varied(|it| it.root_order = RootOrder::ByScore)),
        ("open window at the root", varied(|it| it.aspiration = None)),
        ("the second occurrence is a draw", varied(|it| it.second_occurrence_draws = true)),
        ("mobility on the empty board", varied(|it| it.blockers = Blockers::None)),
        ("mobility among all pieces", varied(|it| it.blockers = Blockers::All)),
        ("positional weights halved", weighted(|weight| weight / 2)),
        ("positional weights doubled", weighted(|weight| weight * 2)),
        ("table moves are not tried", varied(|it| it.tt_moves = false)),
        ("cut-offs only at exactly the depth needed", varied(|it| it.exact_depth_only = true)),
    ]
}

/// Of the Markdown table of choices.
pub fn heading(depth: u32) -> String {
    let depths = || FIRST_DEPTH..=depth;
    let columns: String = depths().map(|depth| format!(" {depth} ply |")).collect();
    let rule: String = depths().map(|_| "---:|").collect();
    format!("| choice |{columns}{columns}\n|---|{rule}{rule}")
}

/// Nodes without a table in thousands, with their ratio to Table 1; then the ratio of nodes with and without a table, with the
/// deviation from the paper's.
pub fn row(name: &str, [without, with]: &NodeSums) -> String {
    let of_paper = |index: usize, text: &dyn Fn(f64, f64) -> String| match (TABLE_1.get(index), TABLE_2.get(index)) {
        (Some(&one), Some(&two)) => text(one as f64, two as f64 / one as f64),
        _ => String::new(),
    };
    let nodes = without.iter().enumerate().map(|(index, &nodes)| {
        let beside = of_paper(index, &|paper, _| format!(" (x{:.2})", nodes as f64 / 1000.0 / paper));
        format!(" {}{beside} |", nodes.div_ceil(1000))
    });
    let ratios = with.iter().zip(without).enumerate().map(|(index, (&with, &without))| {
        let ratio = with as f64 / without as f64;
        let beside = of_paper(index, &|_, paper| format!(" ({:+.0} %)", 100.0 * (ratio / paper - 1.0)));
        format!(" {ratio:.3}{beside} |")
    });
    format!("| {name} |{}{}", nodes.collect::<String>(), ratios.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_row_of_choices_is_the_committed_one() {
        let page = std::fs::read_to_string(crate::committed("choices.md")).unwrap();
        let sums = measure(OpenChoices::default(), 4).unwrap();
        let row = row("the experiment's choices", &sums);
        let committed = page.lines().find(|line| line.starts_with("| the experiment's choices |")).unwrap();
        assert!(row.split('|').all(|cell| committed.contains(cell)), "{row}");
    }
}
