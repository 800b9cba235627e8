//! The claims of the paper's sections 7 and 8, tested on the results one by one.
//!
//! Each claim becomes one number with its bootstrap interval and a range in which the number must lie for the
//! claim to hold. The same rule gives every verdict: see [`ClaimTest::judge`]. The number comes from nodes
//! summed over the 18 positions, as in the paper; the details compare position by position.

mod list;

use std::fmt;
use std::ops::RangeInclusive;

use super::cells::{Cell, CellResults, Paper, SIZES, SchemeVariant, TESTS};
use crate::experiment::DEEP_SIZES;
use sesame_report::markdown::{self, Table, Unit, signed_percent};
use sesame_report::statistics::{self, Comparison, Estimate};

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

#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) name: &'static str,
    pub(super) source: &'static str,
    pub(super) statement: &'static str,
    pub(super) criterion: String,
    pub(super) paper: String,
    pub(super) ours: String,
    pub(super) verdict: Verdict,
    /// The verdict does not depend on the choice of the 18 positions. Never true for [`Verdict::CannotTell`].
    pub(super) is_certain: bool,
    /// The results lack the searches for the number.
    pub(super) is_missing: bool,
    /// For a claim that is not confirmed, in sentences; may be empty.
    pub(super) context: String,
    /// Numbers behind the verdict, in Markdown; may be empty.
    pub(super) details: String,
}

impl Claim {
    /// The claim is not in the paper's text.
    pub(super) fn is_read_from_tables(&self) -> bool {
        self.source.starts_with("Table")
    }

    fn with_context(self, context: String) -> Claim {
        Claim { context, ..self }
    }
}

/// Blocks of a name and fields.
const STATEMENTS: &str = include_str!("statements.txt");

#[derive(Clone, Debug)]
struct ClaimTest {
    name: &'static str,
    source: &'static str,
    statement: &'static str,
    criterion: String,
    paper: String,
    /// Range of the number in which the claim holds.
    holds: RangeInclusive<f64>,
    unit: Unit,
    needs: &'static str,
}

impl ClaimTest {
    fn named(name: &str) -> Self {
        let mut blocks = STATEMENTS.split("\n\n").filter_map(|block| block.split_once('\n'));
        let (name, fields) = blocks.find(|block| block.0 == name).unwrap_or_default();
        let field = |field: &str| {
            let mut fields = fields.lines().filter_map(|line| line.split_once(": "));
            fields.find(|(name, _)| *name == field).map_or("", |(_, text)| text)
        };
        let holds = match field("holds").split_once(" to ") {
            Some((low, high)) => low.parse().unwrap_or(f64::NAN)..=high.parse().unwrap_or(f64::NAN),
            None if field("holds") == "more" => 1.0f64.next_up()..=f64::INFINITY,
            None => 0.0..=1.0f64.next_down(),
        };
        let unit = match field("unit") {
            "difference" => Unit::Difference,
            "share" => Unit::Share,
            _ => Unit::Number,
        };
        let (source, statement, needs) = (field("source"), field("statement"), field("needs"));
        let [criterion, paper] = ["criterion", "paper"].map(|name| field(name).to_owned());
        Self { name, source, statement, criterion, paper, holds, unit, needs }
    }

    /// The verdict is agreement if the number lies in the range, and certain if its whole interval does. It is disagreement if
    /// the interval lies outside the range. Otherwise, and without the number, there is no verdict.
    fn judge(self, number: Option<Estimate>, details: String) -> Claim {
        let (verdict, is_certain) = number.map_or((Verdict::CannotTell, false), |number| verdict(number, &self.holds));
        let ours = match number {
            Some(number) => self.unit.write_estimate_beside(number, &self.marks()),
            None => format!("not in the results, which would need {}", self.needs),
        };
        let is_missing = number.is_none();
        let ClaimTest { name, source, statement, criterion, paper, .. } = self;
        let context = String::new();
        Claim { name, source, statement, criterion, paper, ours, verdict, is_certain, is_missing, context, details }
    }

    /// The ends of the range, and no difference.
    fn marks(&self) -> Vec<f64> {
        let ends = [*self.holds.start(), *self.holds.end()].into_iter().filter(|end| end.is_finite());
        ends.chain((self.unit == Unit::Difference).then_some(1.0)).collect()
    }
}

fn verdict(number: Estimate, holds: &RangeInclusive<f64>) -> (Verdict, bool) {
    let interval = number.interval;
    if holds.contains(&number.value) {
        (Verdict::Agrees, holds.contains(&interval.low) && holds.contains(&interval.high))
    } else if interval.high < *holds.start() || interval.low > *holds.end() {
        (Verdict::Disagrees, true)
    } else {
        (Verdict::CannotTell, false)
    }
}

pub(super) fn all(results: &CellResults, paper: &Paper) -> Vec<Claim> {
    vec![
        list::constancy(results),
        list::spread_at_8k(results),
        list::spread_from_512k(results),
        list::spread_shrinks(results),
        list::best_at_8k(results),
        list::worst_at_8k(results),
        list::doubling(results, paper),
        list::two_levels(results),
        list::two_deep_saves(results, paper),
        list::two_big_best(results, false),
        list::two_big_best(results, true),
        list::nodes_over_depth(results),
        list::deep_not_best(results),
        list::largest_and_deepest(results),
        list::forgetful_are_last(results),
        list::big_all(results),
        list::shapes(results),
        list::same_order(results),
        list::edge(results),
        list::three_plies(results, paper),
        list::deeper(results),
        list::eight_plies(results, paper),
    ]
}

/// Of the 18 positions.
fn number(statistic: impl FnMut(&[usize]) -> f64) -> Option<Estimate> {
    statistics::bootstrap(TESTS, statistic)
}

/// Describes the number at 8 ply of a claim about 7 ply, and the size of the search trees beside the paper's: the effect of a
/// table depends on how full it is. `figure` is over [`DEEP_SIZES`]. Empty without 8 ply.
fn one_ply_deeper(
    results: &CellResults,
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
            " Without a table we visit {seven:.2} times the nodes of the paper's 7 ply at 7 ply and \
             {eight:.2} times at 8 ply: against the paper's Figure 1 our tables are {} crowded at 7 ply and \
             {} crowded at 8.",
            crowded(seven),
            crowded(eight)
        ));
    }
    text
}

/// Pairs of cells whose ratios are averaged.
struct Pairing {
    label: String,
    pairs: Vec<(Cell, Cell)>,
}

impl Pairing {
    fn single(label: String, cell: Cell, base: Cell) -> Pairing {
        Pairing { label, pairs: vec![(cell, base)] }
    }

    /// Of two variants, over all sizes that the results have for both.
    fn over_sizes(
        results: &CellResults,
        label: String,
        variant: SchemeVariant,
        base: SchemeVariant,
        depth: u32,
    ) -> Pairing {
        let cells = SIZES.map(|size| (Cell::of(variant, size, depth), Cell::of(base, size, depth)));
        let has_both = |(cell, base): &(Cell, Cell)| results.total(*cell).is_some() && results.total(*base).is_some();
        Pairing { label, pairs: cells.into_iter().filter(has_both).collect() }
    }

    fn total_ratio(&self, results: &CellResults) -> Option<f64> {
        let ratio = |&(cell, base): &(Cell, Cell)| Some(results.total(cell)? / results.total(base)?);
        statistics::geometric_mean(&self.pairs.iter().map(ratio).collect::<Option<Vec<f64>>>()?)
    }

    /// Over the positions, each with the geometric mean of its ratios.
    fn compare(&self, results: &CellResults) -> Option<Comparison> {
        let ratios = |&(cell, base): &(Cell, Cell)| results.ratios(cell, base);
        let rows = self.pairs.iter().map(ratios).collect::<Option<Vec<_>>>()?;
        let of_test = |test: usize| {
            statistics::geometric_mean(&rows.iter().filter_map(|row| row.get(test).copied()).collect::<Vec<f64>>())
        };
        statistics::compare(&(0..TESTS).map(of_test).collect::<Option<Vec<f64>>>()?)
    }
}

/// By position, with a row for each pairing in the results. Empty without a row.
fn paired(results: &CellResults, what: &str, pairings: impl IntoIterator<Item = Pairing>) -> String {
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

fn wins(comparison: &Comparison) -> String {
    let equal = if comparison.equal > 0 { format!(", {} equal", comparison.equal) } else { String::new() };
    format!("{} of {}{equal}", comparison.below, comparison.count)
}

fn least(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::INFINITY, f64::min)
}

fn greatest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// Leaves out empty ones.
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
    fn verdicts_follow_number_and_interval() {
        let verdict =
            |value, low, high| super::verdict(Estimate { value, interval: Interval { low, high } }, &(0.05..=0.10));
        assert_eq!(verdict(0.07, 0.06, 0.08), (Verdict::Agrees, true));
        assert_eq!(verdict(0.07, 0.04, 0.08), (Verdict::Agrees, false));
        assert_eq!(verdict(0.07, 0.06, 0.12), (Verdict::Agrees, false));
        assert_eq!(verdict(0.04, 0.02, 0.06), (Verdict::CannotTell, false));
        assert_eq!(verdict(0.12, 0.09, 0.14), (Verdict::CannotTell, false));
        assert_eq!(verdict(0.04, 0.02, 0.049), (Verdict::Disagrees, true));
        assert_eq!(verdict(0.12, 0.101, 0.14), (Verdict::Disagrees, true));
    }
}
