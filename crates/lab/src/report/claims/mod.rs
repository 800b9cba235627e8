//! What the paper says in sections 7 and 8, asked of our results one by one.
//!
//! Every claim is turned into one number, a range in which that number must lie for the claim to hold, and the number's bootstrap
//! interval. That gives the verdict by one rule for all: see [`Question::answer`]. The number is made as the paper's are, from
//! nodes summed over the 18 positions; beneath it the details compare position by position.

mod merit;
mod size;
mod stamp;

use std::fmt;
use std::ops::RangeInclusive;

use super::cells::{Cell, Line, Results, SIZES, TESTS};
use super::paper::Paper;
use crate::experiment::DEEP_SIZES;
use sesame_report::markdown::{self, Table, Unit, signed_percent};
use sesame_report::statistics::{self, Comparison, Estimate};

/// Whether our results say what the paper says.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    Agrees,
    Disagrees,
    CannotTell,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Agrees => "agrees",
            Verdict::Disagrees => "disagrees",
            Verdict::CannotTell => "cannot tell",
        })
    }
}

/// A claim with our answer.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    /// A short name, for tests.
    pub(super) name: &'static str,
    /// Where the paper says it.
    pub(super) source: &'static str,
    /// What it says, in our words.
    pub(super) statement: &'static str,
    /// What we count, and when the claim holds.
    pub(super) criterion: String,
    /// The paper's figure.
    pub(super) paper: String,
    /// Ours.
    pub(super) ours: String,
    pub(super) verdict: Verdict,
    /// Whether the verdict goes beyond the chance of which 18 positions were taken. Never for [`Verdict::CannotTell`].
    pub(super) is_certain: bool,
    /// Whether the results lack the searches that would answer it.
    pub(super) is_missing: bool,
    /// Where we differ: what else our results say about it, in sentences; may be empty.
    pub(super) context: String,
    /// The numbers behind it, in Markdown; may be empty.
    pub(super) details: String,
}

impl Claim {
    /// Whether the paper's text does not say so, and we read it from the tables.
    pub(super) fn is_read_from_tables(&self) -> bool {
        self.source.starts_with("Table")
    }

    fn with_context(self, context: String) -> Claim {
        Claim { context, ..self }
    }
}

/// The ratios that mean fewer nodes; no difference is not fewer.
const FEWER: RangeInclusive<f64> = 0.0..=1.0f64.next_down();

/// The ratios that mean more nodes.
const MORE: RangeInclusive<f64> = 1.0f64.next_up()..=f64::INFINITY;

/// A claim before its answer.
struct Question {
    name: &'static str,
    source: &'static str,
    statement: &'static str,
    criterion: String,
    paper: String,
    /// Where our number must lie for the claim to hold.
    holds: RangeInclusive<f64>,
    unit: Unit,
    /// The results without which there is no answer.
    needs: &'static str,
}

impl Question {
    /// The claim, judged.
    ///
    /// It agrees if the number lies in the range, and surely so if its whole interval does. It disagrees if not even the interval
    /// reaches the range. Between the two, and without the number, we cannot tell.
    fn answer(self, number: Option<Estimate>, details: String) -> Claim {
        let (verdict, is_certain) = number.map_or((Verdict::CannotTell, false), |number| judge(number, &self.holds));
        let ours = match number {
            Some(number) => self.unit.write_estimate_beside(number, &self.marks()),
            None => format!("not in the results, which would need {}", self.needs),
        };
        let is_missing = number.is_none();
        let Question { name, source, statement, criterion, paper, .. } = self;
        let context = String::new();
        Claim { name, source, statement, criterion, paper, ours, verdict, is_certain, is_missing, context, details }
    }

    /// What a reader compares our number with: the ends of the range, and no difference.
    fn marks(&self) -> Vec<f64> {
        let ends = [*self.holds.start(), *self.holds.end()].into_iter().filter(|end| end.is_finite());
        ends.chain((self.unit == Unit::Difference).then_some(1.0)).collect()
    }
}

fn judge(number: Estimate, holds: &RangeInclusive<f64>) -> (Verdict, bool) {
    let interval = number.interval;
    if holds.contains(&number.value) {
        (Verdict::Agrees, holds.contains(&interval.low) && holds.contains(&interval.high))
    } else if interval.high < *holds.start() || interval.low > *holds.end() {
        (Verdict::Disagrees, true)
    } else {
        (Verdict::CannotTell, false)
    }
}

/// All claims, in the order of the paper.
pub(super) fn all(results: &Results, paper: &Paper) -> Vec<Claim> {
    vec![
        size::constancy(results),
        size::spread_at_8k(results),
        size::spread_from_512k(results, paper),
        size::spread_shrinks(results),
        size::best_at_8k(results),
        size::worst_at_8k(results),
        size::doubling(results, paper),
        merit::two_levels(results, paper),
        merit::two_deep_saves(results, paper),
        merit::two_big_best(results, paper, false),
        merit::two_big_best(results, paper, true),
        merit::nodes_over_depth(results, paper),
        merit::deep_not_best(results, paper),
        merit::largest_and_deepest(results, paper),
        merit::forgetful_are_last(results, paper),
        merit::big_all(results, paper),
        stamp::shapes(results),
        stamp::same_order(results, paper),
        stamp::edge(results, paper),
        stamp::three_plies(results, paper),
        stamp::deeper(results, paper),
        stamp::eight_plies(results, paper),
    ]
}

/// The number of any statistic of the 18 positions.
fn number(statistic: impl FnMut(&[usize]) -> f64) -> Option<Estimate> {
    statistics::bootstrap(TESTS, statistic)
}

/// The figure of a claim about 7 ply at 8 ply, and how our trees compare with the paper's: what a table of some size is worth depends
/// on how crowded it is. `figure` gives the number at a depth over [`DEEP_SIZES`]. Empty if the results lack 8 ply.
fn one_ply_deeper(
    results: &Results,
    paper: &Paper,
    (holds, unit): (&RangeInclusive<f64>, Unit),
    figure: impl Fn(u32) -> Option<Estimate>,
) -> String {
    let (Some(seven), Some(eight)) = (figure(7), figure(8)) else { return String::new() };
    let write = |estimate| unit.write_estimate_beside(estimate, &[*holds.start(), *holds.end()]);
    let place = |estimate: Estimate| if holds.contains(&estimate.value) { "inside" } else { "outside" };
    let mut text = format!(
        "Over the sizes that were also searched to 8 ply ({}): {} at 7 ply, {} the range; {} at 8 ply, {} it.",
        markdown::sizes(&DEEP_SIZES),
        write(seven),
        place(seven),
        write(eight),
        place(eight)
    );
    let trees = |depth| Some(results.total(Cell::without_table(depth))? / paper.total(Cell::without_table(7))?);
    if let (Some(seven), Some(eight)) = (trees(7), trees(8)) {
        let crowded = |trees: f64| if trees < 1.0 { "less" } else { "more" };
        text.push_str(&format!(
            " Without a table we visit {seven:.2} times the nodes of the paper's 7 ply at 7 ply and {eight:.2} times at 8 ply: against \
             the paper's Figure 1 our tables are {} crowded at 7 ply and {} crowded at 8.",
            crowded(seven),
            crowded(eight)
        ));
    }
    text
}

/// Two things to be compared, wherever they were measured: pairs of cells whose ratios are taken together.
struct Pairing {
    label: String,
    pairs: Vec<(Cell, Cell)>,
}

impl Pairing {
    /// Compares one cell with another.
    fn single(label: String, cell: Cell, base: Cell) -> Pairing {
        Pairing { label, pairs: vec![(cell, base)] }
    }

    /// Compares two lines at a depth, over all sizes that the results have for both.
    fn over_sizes(results: &Results, label: String, line: Line, base: Line, depth: u32) -> Pairing {
        let cells = SIZES.map(|size| (Cell::of(line, size, depth), Cell::of(base, size, depth)));
        let has_both = |(cell, base): &(Cell, Cell)| results.total(*cell).is_some() && results.total(*base).is_some();
        Pairing { label, pairs: cells.into_iter().filter(has_both).collect() }
    }

    /// The geometric mean of the ratios of the totals.
    fn total_ratio(&self, results: &Results) -> Option<f64> {
        let ratio = |&(cell, base): &(Cell, Cell)| Some(results.total(cell)? / results.total(base)?);
        statistics::geometric_mean(&self.pairs.iter().map(ratio).collect::<Option<Vec<f64>>>()?)
    }

    /// The comparison over the positions, each with the geometric mean of its ratios.
    fn compare(&self, results: &Results) -> Option<Comparison> {
        let ratios = |&(cell, base): &(Cell, Cell)| results.ratios(cell, base);
        let rows = self.pairs.iter().map(ratios).collect::<Option<Vec<_>>>()?;
        let of_test = |test: usize| {
            statistics::geometric_mean(&rows.iter().filter_map(|row| row.get(test).copied()).collect::<Vec<f64>>())
        };
        statistics::compare(&(0..TESTS).map(of_test).collect::<Option<Vec<f64>>>()?)
    }
}

/// Compares position by position: a row for each pairing that the results hold. Empty if there is none.
fn paired(results: &Results, what: &str, pairings: impl IntoIterator<Item = Pairing>) -> String {
    let mut table = Table::new([what, "all nodes", "per position (95 %)", "fewer nodes on", "beyond chance"]);
    let mut is_empty = true;
    for pairing in pairings {
        let (Some(ratio), Some(comparison)) = (pairing.total_ratio(results), pairing.compare(results)) else {
            continue;
        };
        is_empty = false;
        let mean = Unit::Difference.write_estimate_beside(comparison.mean, &[1.0]);
        let decided = if comparison.is_decided() { "yes" } else { "no" };
        table.row([pairing.label, signed_percent(ratio - 1.0), mean, wins(&comparison), decided.to_owned()]);
    }
    if is_empty { String::new() } else { table.to_string() }
}

/// The scheme and what happens between positions: `DEEP, cleared`.
fn line_name(line: Line) -> String {
    format!("{}, {}", line.scheme, if line.stamped { "stamped" } else { "cleared" })
}

fn wins(comparison: &Comparison) -> String {
    let equal = if comparison.equal > 0 { format!(", {} equal", comparison.equal) } else { String::new() };
    format!("{} of {}{equal}", comparison.below, comparison.count)
}

/// The least of some values.
fn least(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::INFINITY, f64::min)
}

/// The greatest of some values.
fn greatest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// Paragraphs of Markdown, the empty ones left out.
fn paragraphs(parts: impl IntoIterator<Item = String>) -> String {
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(|part| format!("{}\n", part.trim_end()))
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sesame_report::statistics::Interval;

    #[test]
    fn one_rule_for_all_verdicts() {
        let verdict = |value, low, high| judge(Estimate { value, interval: Interval { low, high } }, &(0.05..=0.10));
        assert_eq!(verdict(0.07, 0.06, 0.08), (Verdict::Agrees, true));
        assert_eq!(verdict(0.07, 0.04, 0.08), (Verdict::Agrees, false));
        assert_eq!(verdict(0.07, 0.06, 0.12), (Verdict::Agrees, false));
        assert_eq!(verdict(0.04, 0.02, 0.06), (Verdict::CannotTell, false));
        assert_eq!(verdict(0.12, 0.09, 0.14), (Verdict::CannotTell, false));
        assert_eq!(verdict(0.04, 0.02, 0.049), (Verdict::Disagrees, true));
        assert_eq!(verdict(0.12, 0.101, 0.14), (Verdict::Disagrees, true));
    }
}
