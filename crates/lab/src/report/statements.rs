//! The statements of the paper's sections 7 and 8 and of its tables.
//!
//! Each becomes one number with a range in which it must lie for the statement to hold. The number comes from nodes summed
//! over the 18 positions, as in the paper; the tables behind it compare position by position.

use super::claims::{Details, Range, Statement};
use super::counts::{
    Counts, DEPTHS, LARGEST, SCHEMES, Sample, Variant, all_variants, between, cleared, geometric_mean, maximum,
    minimum, paper, paper_share, spread, stamped, variants, without_table,
};
use super::tables::{self, DEPTH, Pairing, against_no_table, against_others, paired, paragraphs, saved, share};
use crate::experiment::{DEEP_SIZES, SIZES};
use crate::positions::TESTS;
use sesame_report::markdown::{self, Unit, signed_percent};
use sesame_report::statistics::Estimate;
use sesame_table::Scheme;

const FEWER: Range = Range::new(Unit::Difference, 0.0, 1.0_f64.next_down());
const MORE: Range = Range::new(Unit::Difference, 1.0_f64.next_up(), f64::INFINITY);
const DOUBLING: Range = Range::new(Unit::Share, 0.05, 0.07);
const TWO_DEEP: Range = Range::new(Unit::Share, 0.05, 0.10);

const PAPER_FACTOR: f64 = 610_696.0 / 191_687.0;

pub(super) static STATEMENTS: [Statement; 22] = [
    Statement {
        name: "constancy",
        source: "section 7, Figure 1",
        text: "As the table grows, the number of nodes tends to a constant, possibly before 1024K.",
        criterion: "The saving by the last doubling, 512K to 1024K, in the mean of the schemes (7 ply, cleared): at most 2 %.",
        paper: "no figure",
        holds: Range::new(Unit::Share, -1.0, 0.02),
        needs: "all schemes at 512K and 1024K, 7 ply, cleared",
        figure: |counts| counts.estimate(|sample| saved(sample, LARGEST / 2, LARGEST, DEPTH)),
        details: Details::new(|counts| {
            paragraphs([tables::doublings(counts), "For doublings at 8 ply see the statement \"doubling\".".to_owned()])
        }),
    },
    Statement {
        name: "spread at 8K",
        source: "section 7, Figure 1",
        text: "At 8K positions the best and the worst scheme are 23 % apart.",
        criterion: "Worst over best total (7 ply, cleared): within a third of the paper's figure, 15 to 31 %.",
        paper: "23 %",
        holds: Range::new(Unit::Share, 0.15, 0.31),
        needs: "all schemes at 8K, 7 ply, cleared",
        figure: |counts| mean_spread(counts, &SIZES[..1]),
        details: Details::new(tables::spreads),
    },
    Statement {
        name: "spread from 512K",
        source: "section 7, Figure 1",
        text: "From 512K positions up the schemes are only about 3 % apart.",
        criterion: "Worst over best total at 512K and 1024K, averaged (7 ply, cleared): at most 4 %.",
        paper: "3 %; 3.3 % in Table 2",
        holds: Range::new(Unit::Share, 0.0, 0.04),
        needs: "all schemes at 512K and 1024K, 7 ply, cleared",
        figure: |counts| mean_spread(counts, &SIZES[6..]),
        details: Details::new(spread_at_1024k),
    },
    Statement {
        name: "spread shrinks",
        source: "section 7, Figure 1",
        text: "As the table grows, the spread between the schemes shrinks.",
        criterion: "The spread at 1024K as part of the spread at 8K (7 ply, cleared): less than 1.",
        paper: "3 / 23 = 0.13",
        holds: Range::new(Unit::Number, 0.0, 1.0_f64.next_down()),
        needs: "all schemes at 8K and 1024K, 7 ply, cleared",
        figure: |counts| counts.estimate(|sample| cleared_spread(sample, LARGEST) / cleared_spread(sample, SIZES[0])),
        details: Details::new(|_| {
            "The statement \"spread at 8K\" has the spread at every size and depth.\n".to_owned()
        }),
    },
    Statement {
        name: "best at 8K",
        source: "section 7, Figure 1",
        text: "At 8K positions TWOBIG1 is best.",
        criterion: "TWOBIG1's total against the best of the others (7 ply, cleared): fewer.",
        paper: "best",
        holds: FEWER,
        needs: "all schemes at 8K, 7 ply, cleared",
        figure: |counts| against(minimum, counts, cleared(Scheme::TwoBig1), &SIZES[..1], DEPTH),
        details: Details::new(|counts| at_8k(counts, Scheme::TwoBig1)),
    },
    Statement {
        name: "worst at 8K",
        source: "section 7, Figure 1",
        text: "At 8K positions NEW is worst.",
        criterion: "NEW's total against the worst of the others (7 ply, cleared): more.",
        paper: "worst",
        holds: MORE,
        needs: "all schemes at 8K, 7 ply, cleared",
        figure: |counts| against(maximum, counts, cleared(Scheme::New), &SIZES[..1], DEPTH),
        details: Details::new(|counts| at_8k(counts, Scheme::New)),
    },
    Statement {
        name: "doubling",
        source: "section 6.3",
        text: "Each doubling of the table saves 5 % (Schaeffer) to 7 % (Ebeling) of the nodes.",
        criterion: "The mean saving of the seven doublings from 8K to 1024K, in the mean of the schemes (7 ply, cleared): 5 to 7 %.",
        paper: "5 to 7 %, from others",
        holds: DOUBLING,
        needs: "all schemes at 8K and 1024K, 7 ply, cleared",
        figure: |counts| counts.estimate(|sample| saved(sample, SIZES[0], LARGEST, DEPTH)),
        details: Details { tables: tables::doublings_by_depth, context: doubling_context },
    },
    Statement {
        name: "two levels",
        source: "sections 7 and 8, Figure 1",
        text: "The two-level schemes outperform those with one level.",
        criterion: "The worse of the two-level totals against the best of the one-level totals, geometric mean over the sizes (7 ply, cleared): fewer.",
        paper: "fewer; +1.3 % at 1024K (Table 2)",
        holds: FEWER,
        needs: "all schemes at one size at least, 7 ply, cleared",
        figure: two_levels,
        details: Details::new(tables::two_levels),
    },
    Statement {
        name: "TWODEEP saves",
        source: "section 7, Figure 1",
        text: "TWODEEP saves 5 to 10 % of DEEP's search.",
        criterion: "The share of DEEP's total that TWODEEP saves, geometric mean over the sizes (7 ply, cleared): 5 to 10 %.",
        paper: "5 to 10 %; 3.2 % at 1024K (Table 2)",
        holds: TWO_DEEP,
        needs: "TWODEEP and DEEP at one size at least, 7 ply, cleared",
        figure: |counts| saved_by_two_deep(counts, &counts.sizes(&TWO_DEEP_AND_DEEP, DEPTH), DEPTH),
        details: Details {
            tables: |counts| tables::compared(counts, Scheme::TwoDeep, Scheme::Deep),
            context: two_deep_context,
        },
    },
    Statement {
        name: "TWOBIG1 best, cleared",
        source: "abstract, section 7, Figure 1",
        text: "TWOBIG1 is the best of the seven schemes.",
        criterion: "TWOBIG1's total against the best of the others, geometric mean over the sizes (7 ply, cleared): fewer.",
        paper: "fewer; +1.4 % at 1024K (Table 2)",
        holds: FEWER,
        needs: "all schemes at one size at least, 7 ply",
        figure: |counts| against_best(counts, cleared(Scheme::TwoBig1)),
        details: Details::new(|counts| two_big_best(counts, false)),
    },
    Statement {
        name: "TWOBIG1 best, stamped",
        source: "section 7, Figure 2",
        text: "TWOBIG1 is best also where entries are time-stamped: a persistent edge.",
        criterion: "TWOBIG1's total against the best of the others, geometric mean over the sizes (7 ply, stamped): fewer.",
        paper: "fewer; −0.8 % at 1024K (Table 3)",
        holds: FEWER,
        needs: "all schemes at one size at least, 7 ply",
        figure: |counts| against_best(counts, stamped(Scheme::TwoBig1)),
        details: Details::new(|counts| two_big_best(counts, true)),
    },
    Statement {
        name: "nodes over depth",
        source: "section 8",
        text: "The number of nodes of a subtree is a better criterion than its depth.",
        criterion: "TWOBIG1 against TWODEEP and BIG1 against DEEP, geometric mean of both over the sizes (7 ply, cleared): fewer.",
        paper: "fewer; +0.0 % at 1024K (Table 2)",
        holds: FEWER,
        needs: "TWOBIG1, TWODEEP, BIG1 and DEEP at one size at least, 7 ply, cleared",
        figure: nodes_over_depth,
        details: Details::new(nodes_over_depth_tables),
    },
    Statement {
        name: "DEEP not best",
        source: "section 8",
        text: "DEEP, the most widely used scheme, is not best.",
        criterion: "DEEP's total against the best of the others, geometric mean over the sizes (7 ply, cleared): more.",
        paper: "more; +3.3 % at 1024K (Table 2)",
        holds: MORE,
        needs: "all schemes at one size at least, 7 ply, cleared",
        figure: |counts| against_best(counts, cleared(Scheme::Deep)),
        details: Details::new(|counts| tables::one_by_one(counts, cleared(Scheme::Deep))),
    },
    Statement {
        name: "TWOBIG1 at the largest",
        source: "Table 3",
        text: "At the largest size and depth, stamped, TWOBIG1 is best.",
        criterion: "TWOBIG1's total against the best of the others (8 ply, 1024K, stamped): fewer.",
        paper: "−6.0 %; but cleared (Table 2) +3.4 %",
        holds: FEWER,
        needs: "all schemes at 1024K, 8 ply, stamped",
        figure: |counts| against(minimum, counts, stamped(Scheme::TwoBig1), &[LARGEST], 8),
        details: Details::new(at_the_largest),
    },
    Statement {
        name: "NEW and OLD last",
        source: "Tables 2 and 3",
        text: "At the largest size and depth NEW and OLD, which compare nothing, are the last two.",
        criterion: "The better of NEW's and OLD's totals against the worst of the others (8 ply, 1024K, cleared): more.",
        paper: "+2.8 % cleared, +2.1 % stamped",
        holds: MORE,
        needs: "all schemes at 1024K, 8 ply, cleared",
        figure: new_and_old,
        details: Details::new(new_and_old_tables),
    },
    Statement {
        name: "BIGALL and BIG1",
        source: "Tables 2 and 3",
        text: "Whether a table hit counts as one node (BIG1) or as all behind it (BIGALL) matters little.",
        criterion: "BIGALL's total against BIG1's, geometric mean over the sizes (7 ply, cleared): within 2 %.",
        paper: "+0.4 % cleared, +4.2 % stamped (7 ply, 1024K)",
        holds: Range::new(Unit::Difference, 0.98, 1.02),
        needs: "BIGALL and BIG1 at one size at least, 7 ply, cleared",
        figure: big_all,
        details: Details::new(|counts| tables::compared(counts, Scheme::BigAll, Scheme::Big1)),
    },
    Statement {
        name: "same shapes",
        source: "section 7, Figure 2",
        text: "The graphs with and without time stamps have highly similar shapes.",
        criterion: "Correlation of the logarithms of the totals, stamped with cleared, over all schemes and sizes (7 ply): 0.95 or more.",
        paper: "\"highly similar\"",
        holds: Range::new(Unit::Number, 0.95, 1.0),
        needs: "all schemes, cleared and stamped, at two sizes at least, 7 ply",
        figure: shapes,
        details: Details::new(tables::stamped_against_cleared),
    },
    Statement {
        name: "same order",
        source: "section 7, Figure 2",
        text: "The order of merit of the schemes is the same with time stamps as without.",
        criterion: "Kendall's coefficient of the two orders, by geometric mean over the sizes (7 ply): 0.8 or more, which is at most 2 of the 21 pairs in another order.",
        paper: "\"invariant\"; 0.05 at 1024K, 7 ply, 0.81 at 8 ply (Tables 2, 3)",
        holds: Range::new(Unit::Number, 0.8, 1.0),
        needs: "all schemes, cleared and stamped, at one size at least, 7 ply",
        figure: order,
        details: Details::new(tables::orders),
    },
    Statement {
        name: "stamps' edge",
        source: "section 7",
        text: "At first sight time stamps have a slight edge over clearing.",
        criterion: "Totals stamped against cleared, geometric mean over schemes and sizes (7 ply): fewer.",
        paper: "fewer; −2.3 % at 1024K, −1.2 % at 8 ply (Tables 2, 3)",
        holds: FEWER,
        needs: "all schemes, cleared and stamped, at one size at least, 7 ply",
        figure: edge,
        details: Details::new(edge_tables),
    },
    Statement {
        name: "3 ply",
        source: "section 7, Figure 3",
        text: "At 3 ply a table is counterproductive: it prolongs the search.",
        criterion: "TWOBIG1's total against none (3 ply, 1024K, stamped): more.",
        paper: "+3.2 %; cleared +4.9 %",
        holds: MORE,
        needs: "TWOBIG1 at 1024K, stamped, and the runs without a table, 3 ply",
        figure: |counts| counts.estimate(|sample| share(sample, stamped(Scheme::TwoBig1), 3)),
        details: Details { tables: at_3_ply, context: at_3_ply_context },
    },
    Statement {
        name: "over 3 ply",
        source: "section 7, Figure 3",
        text: "Over 3 ply a table is definitely advantageous.",
        criterion: "The greatest of TWOBIG1's totals against none, 4 to 8 ply (1024K, stamped): fewer.",
        paper: "−15.5 % at most",
        holds: FEWER,
        needs: "TWOBIG1 at 1024K, stamped, and the runs without a table, 4 to 8 ply",
        figure: over_3_ply,
        details: Details::new(by_ply),
    },
    Statement {
        name: "factor at 8 ply",
        source: "Tables 1 and 2",
        text: "At 8 ply a table of 1024K positions saves a factor of 3.2.",
        criterion: "Nodes without a table over TWOBIG1's (8 ply, 1024K, cleared): within 15 % of the paper's factor, 2.71 to 3.66.",
        paper: "3.19",
        holds: Range::new(Unit::Number, 0.85 * PAPER_FACTOR, 1.15 * PAPER_FACTOR),
        needs: "TWOBIG1 at 1024K, cleared, and the runs without a table, 8 ply",
        figure: |counts| factor(counts, cleared(Scheme::TwoBig1), 8),
        details: Details { tables: tables::factors, context: factor_context },
    },
];

fn cleared_spread(sample: Sample, size: usize) -> f64 {
    spread(&sample.totals(false, size, DEPTH))
}

fn mean_spread(counts: &Counts, sizes: &[usize]) -> Option<Estimate> {
    counts.estimate(|sample| sizes.iter().map(|&size| cleared_spread(sample, size)).sum::<f64>() / sizes.len() as f64)
}

fn spread_at_1024k(counts: &Counts) -> String {
    let two_big = cleared(Scheme::TwoBig1);
    let pairings = two_big.others().map(|other| {
        let label = format!("{} against TWOBIG1, 1024K", other.scheme);
        Pairing::new(label, other.at(LARGEST, DEPTH), two_big.at(LARGEST, DEPTH))
    });
    paired(counts, "7 ply, cleared", pairings)
}

type Extreme = fn([f64; 6]) -> f64;

/// A variant's merit relative to the best, or worst, of the others.
fn against(best: Extreme, counts: &Counts, variant: Variant, sizes: &[usize], depth: u32) -> Option<Estimate> {
    let others: Vec<Variant> = variant.others().collect();
    counts.estimate(|sample| {
        let merits = std::array::from_fn(|index| sample.merit(others[index], sizes, depth));
        sample.merit(variant, sizes, depth) / best(merits)
    })
}

fn against_best(counts: &Counts, variant: Variant) -> Option<Estimate> {
    against(minimum, counts, variant, &counts.sizes(&variants(variant.stamped), DEPTH), DEPTH)
}

fn at_8k(counts: &Counts, scheme: Scheme) -> String {
    let pairings = [cleared, stamped].into_iter().flat_map(|of| against_others(of(scheme), SIZES[0], DEPTH));
    paired(counts, &format!("{scheme} at 8K against"), pairings)
}

fn two_levels(counts: &Counts) -> Option<Estimate> {
    let sizes = counts.sizes(&variants(false), DEPTH);
    counts.estimate(|sample| {
        let ratio = |&size| tables::two_levels_against_one(sample.totals(false, size, DEPTH));
        geometric_mean(sizes.iter().map(ratio))
    })
}

const TWO_DEEP_AND_DEEP: [Variant; 2] = [cleared(Scheme::TwoDeep), cleared(Scheme::Deep)];

fn saved_by_two_deep(counts: &Counts, sizes: &[usize], depth: u32) -> Option<Estimate> {
    let [two_deep, deep] = TWO_DEEP_AND_DEEP;
    counts.estimate(|sample| 1.0 - sample.merit(two_deep, sizes, depth) / sample.merit(deep, sizes, depth))
}

fn doubling_context(counts: &Counts) -> String {
    let figure = |depth| counts.estimate(|sample| saved(sample, DEEP_SIZES[0], LARGEST, depth));
    one_ply_deeper(counts, &DOUBLING, figure)
}

fn two_deep_context(counts: &Counts) -> String {
    one_ply_deeper(counts, &TWO_DEEP, |depth| saved_by_two_deep(counts, &DEEP_SIZES, depth))
}

/// Describes the number at 8 ply of a claim about 7 ply, and the size of the search trees beside the paper's: the effect of a
/// table depends on how full it is. `figure` is over [`DEEP_SIZES`]. Empty without 8 ply.
fn one_ply_deeper(counts: &Counts, holds: &Range, figure: impl Fn(u32) -> Option<Estimate>) -> String {
    let (Some(seven), Some(eight)) = (figure(7), figure(8)) else { return String::new() };
    let place = |estimate: Estimate| if holds.contains(estimate.value) { "inside" } else { "outside" };
    let mut text = format!(
        "Over the sizes that were also searched to 8 ply ({}): {} at 7 ply, {} the range; {} at 8 ply, {} it.",
        markdown::sizes(&DEEP_SIZES),
        holds.write(seven),
        place(seven),
        holds.write(eight),
        place(eight)
    );
    let [seven, eight] = [7, 8].map(|depth| counts.all().total(without_table(depth)) / paper(without_table(7)));
    if !seven.is_nan() && !eight.is_nan() {
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

fn two_big_best(counts: &Counts, is_stamped: bool) -> String {
    let [best, second] = [Scheme::TwoBig1, Scheme::TwoDeep].map(if is_stamped { stamped } else { cleared });
    paragraphs([
        tables::ranks(counts, is_stamped, 7),
        tables::ranks(counts, is_stamped, 8),
        tables::one_by_one(counts, best),
        tables::depth_by_depth(counts, best, second),
    ])
}

const BY_NODES_AND_BY_DEPTH: [Variant; 4] =
    [cleared(Scheme::TwoBig1), cleared(Scheme::TwoDeep), cleared(Scheme::Big1), cleared(Scheme::Deep)];

fn nodes_over_depth(counts: &Counts) -> Option<Estimate> {
    let sizes = counts.sizes(&BY_NODES_AND_BY_DEPTH, DEPTH);
    counts.estimate(|sample| {
        let [two_big, two_deep, big, deep] = BY_NODES_AND_BY_DEPTH.map(|variant| sample.merit(variant, &sizes, DEPTH));
        (two_big / two_deep * (big / deep)).sqrt()
    })
}

fn nodes_over_depth_tables(counts: &Counts) -> String {
    let [two_big, two_deep, big, deep] = BY_NODES_AND_BY_DEPTH;
    paragraphs([
        tables::size_by_size(counts, two_big, two_deep),
        tables::size_by_size(counts, big, deep),
        tables::depth_by_depth(counts, big, deep),
    ])
}

fn at_the_largest(counts: &Counts) -> String {
    let pairings = [stamped, cleared].into_iter().flat_map(|of| against_others(of(Scheme::TwoBig1), LARGEST, 8));
    paired(counts, "TWOBIG1 at 1024K, 8 ply, against", pairings)
}

fn new_and_old(counts: &Counts) -> Option<Estimate> {
    counts.estimate(|sample| {
        // NEW and OLD are the last of the schemes.
        let totals = sample.totals(false, LARGEST, 8);
        let (others, last) = totals.split_at(5);
        minimum(last.iter().copied()) / maximum(others.iter().copied())
    })
}

fn new_and_old_tables(counts: &Counts) -> String {
    paragraphs([false, true].map(|stamped| match tables::by_size(counts, stamped, 8) {
        table if table.is_empty() => table,
        table => format!("Nodes at 8 ply in thousands, {}:\n\n{table}", between(stamped)),
    }))
}

fn big_all(counts: &Counts) -> Option<Estimate> {
    let (all, one) = (cleared(Scheme::BigAll), cleared(Scheme::Big1));
    let sizes = counts.sizes(&[all, one], DEPTH);
    counts.estimate(|sample| sample.merit(all, &sizes, DEPTH) / sample.merit(one, &sizes, DEPTH))
}

fn shapes(counts: &Counts) -> Option<Estimate> {
    let sizes = counts.sizes(&all_variants(), DEPTH);
    let logarithms = |sample: Sample, stamped| -> Vec<f64> {
        sizes.iter().flat_map(|&size| sample.totals(stamped, size, DEPTH)).map(f64::ln).collect()
    };
    let figure = counts.estimate(|sample| correlation(&logarithms(sample, false), &logarithms(sample, true)));
    figure.filter(|_| sizes.len() >= 2)
}

/// Pearson's coefficient.
fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (x, y) = (mean(one), mean(other));
    let moment = |product: fn(f64, f64) -> f64| one.iter().zip(other).map(|(a, b)| product(a - x, b - y)).sum::<f64>();
    moment(|a, b| a * b) / (moment(|a, _| a * a) * moment(|_, b| b * b)).sqrt()
}

fn order(counts: &Counts) -> Option<Estimate> {
    of_merits(counts, |cleared, stamped| tables::concordance(&cleared, &stamped))
}

fn edge(counts: &Counts) -> Option<Estimate> {
    of_merits(counts, |cleared, stamped| geometric_mean(stamped.iter().zip(cleared).map(|(one, other)| one / other)))
}

/// A statistic of the schemes' merits, cleared and stamped. `None` if no size has all.
fn of_merits(counts: &Counts, statistic: fn([f64; 7], [f64; 7]) -> f64) -> Option<Estimate> {
    let sizes = counts.sizes(&all_variants(), DEPTH);
    let merits = |sample: Sample, stamped| sample.merits(stamped, &sizes, DEPTH);
    let figure = counts.estimate(|sample| statistic(merits(sample, false), merits(sample, true)));
    figure.filter(|_| !sizes.is_empty())
}

fn edge_tables(counts: &Counts) -> String {
    let by_scheme =
        SCHEMES.map(|scheme| Pairing::over_sizes(counts, scheme, [stamped(scheme), cleared(scheme)], DEPTH));
    let by_size = SIZES.map(|size| Pairing::of_stamps(markdown::size(size), size, DEPTH));
    let by_depth = DEPTHS.map(|depth| Pairing::of_stamps(format!("{depth} ply"), LARGEST, depth));
    paragraphs([
        paired(counts, "stamped against cleared, 7 ply, all sizes", by_scheme),
        paired(counts, "stamped against cleared, 7 ply, all schemes", by_size),
        paired(counts, "stamped against cleared, 1024K, all schemes", by_depth),
    ])
}

fn at_3_ply(counts: &Counts) -> String {
    let variants = variants(true).into_iter().chain(variants(false));
    paired(counts, "against no table, 3 ply, 1024K", variants.map(|variant| against_no_table(variant, variant, 3)))
}

fn at_3_ply_context(counts: &Counts) -> String {
    let variant = stamped(Scheme::TwoBig1);
    let mut text = String::new();
    if !share(counts.all(), variant, 3).is_nan() {
        let fewer = (0..TESTS).filter(|&test| share(counts.sample(&[test]), variant, 3) < 1.0).count();
        text = format!("At 3 ply the table saves nodes on {fewer} of {TESTS} positions. ");
    }
    if let Some(ours) = counts.estimate(|sample| share(sample, variant, 4)) {
        let ours = Unit::Difference.write_estimate_beside(ours, &[1.0]);
        let theirs = signed_percent(paper_share(variant, 4) - 1.0);
        text += &format!("One ply deeper, at 4 ply: {ours}; the paper {theirs}.");
    }
    text
}

/// The depth with the maximum.
fn over_3_ply(counts: &Counts) -> Option<Estimate> {
    let share = |&depth| counts.estimate(|sample| share(sample, stamped(Scheme::TwoBig1), depth));
    let shares: Option<Vec<Estimate>> = DEPTHS[1..].iter().map(share).collect();
    shares?.into_iter().max_by(|a, b| a.value.total_cmp(&b.value))
}

fn by_ply(counts: &Counts) -> String {
    let at = |depth| against_no_table(format!("{depth} ply"), stamped(Scheme::TwoBig1), depth);
    paired(counts, "TWOBIG1, 1024K, stamped, against no table", DEPTHS.map(at))
}

fn factor(counts: &Counts, variant: Variant, depth: u32) -> Option<Estimate> {
    counts.estimate(|sample| 1.0 / share(sample, variant, depth))
}

fn factor_context(counts: &Counts) -> String {
    let beside = |what: &str, variant, depth| {
        let (ours, theirs) = (factor(counts, variant, depth)?, 1.0 / paper_share(variant, depth));
        Some(format!("{what}: {}; the paper {theirs:.2}.", Unit::Number.write_estimate(ours)))
    };
    let variant = cleared(Scheme::TwoBig1);
    let inside = factor(counts, variant, 8).and_then(|ours| ours.interval).map(|ours| {
        let contains = if ours.contains(PAPER_FACTOR) { "contains" } else { "does not contain" };
        format!("Our interval {contains} the paper's figure itself.")
    });
    let trees = counts.all().total(without_table(8)) / paper(without_table(8));
    let trees = Some(trees).filter(|trees| !trees.is_nan());
    let sentences = [
        inside,
        beside("Stamped", stamped(Scheme::TwoBig1), 8),
        beside("At 7 ply, cleared", variant, 7),
        trees.map(|trees| format!("At 8 ply without a table we visit {trees:.2} times the paper's nodes.")),
    ];
    sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlation_coefficients() {
        let concordance = |other| tables::concordance(&[1.0, 2.0, 3.0], other);
        assert_eq!((concordance(&[10.0, 20.0, 30.0]), concordance(&[3.0, 2.0, 1.0])), (1.0, -1.0));
        assert!((concordance(&[1.0, 3.0, 2.0]) - 1.0 / 3.0).abs() < 1e-12);
        let correlation = |other| correlation(&[1.0, 2.0, 3.0], other);
        assert!((correlation(&[2.0, 4.0, 6.0]) - 1.0).abs() < 1e-12);
        assert!((correlation(&[6.0, 4.0, 2.0]) + 1.0).abs() < 1e-12);
    }
}
