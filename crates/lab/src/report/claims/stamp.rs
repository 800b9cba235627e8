//! Claims about time stamps, and about the saving by a table (Figures 2 and 3).

use super::super::cells::{Cell, CellResults, DEPTHS, Grid, LARGEST, SCHEMES, SIZES, SchemeVariant, TESTS};
use super::super::paper::Paper;
use super::{Claim, ClaimTest, Pairing, number, paired, paragraphs, variant_name};
use sesame_report::markdown::{self, Table, Unit, or_dash, signed_percent};
use sesame_report::statistics::{Estimate, Interval, geometric_mean};
use sesame_table::Scheme;

const DEPTH: u32 = 7;

/// Returns all schemes cleared, then all schemes stamped, at every size that has them.
fn both(results: &CellResults) -> Option<Grid> {
    let variants: Vec<SchemeVariant> =
        SCHEMES.map(SchemeVariant::cleared).into_iter().chain(SCHEMES.map(SchemeVariant::stamped)).collect();
    Grid::new(results, &variants, DEPTH, &SIZES)
}

pub(super) fn shapes(results: &CellResults) -> Claim {
    let test = ClaimTest::named("same shapes");
    let ours = both(results).filter(|grid| grid.sizes.len() >= 2).and_then(|grid| {
        number(|picks| {
            let totals = grid.totals(picks);
            let pairs = totals.iter().flat_map(|row| {
                let (cleared, stamped) = row.split_at(SCHEMES.len());
                cleared.iter().zip(stamped).map(|(cleared, stamped)| (cleared.ln(), stamped.ln()))
            });
            correlation(&pairs.collect::<Vec<_>>())
        })
    });
    test.judge(ours, ratios(results))
}

/// Returns a table of stamped against cleared for each scheme and size. Empty if there is nothing to compare.
fn ratios(results: &CellResults) -> String {
    let mut table =
        Table::new(std::iter::once("stamped against cleared, 7 ply".to_owned()).chain(SIZES.map(markdown::size)));
    let mut is_empty = true;
    for scheme in SCHEMES {
        let total = |variant, size| results.total(Cell::of(variant, size, DEPTH));
        let entries = SIZES.map(|size| {
            let ratio = total(SchemeVariant::stamped(scheme), size).zip(total(SchemeVariant::cleared(scheme), size));
            is_empty &= ratio.is_none();
            or_dash(ratio, |(stamped, cleared)| signed_percent(stamped / cleared - 1.0))
        });
        table.row(std::iter::once(scheme.name().to_owned()).chain(entries));
    }
    if is_empty { String::new() } else { table.to_string() }
}

/// Returns Pearson's correlation coefficient.
fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let count = pairs.len() as f64;
    let mean = pairs.iter().fold((0.0, 0.0), |mean, pair| (mean.0 + pair.0 / count, mean.1 + pair.1 / count));
    let moment = |product: &dyn Fn(f64, f64) -> f64| {
        pairs.iter().map(|pair| product(pair.0 - mean.0, pair.1 - mean.1)).sum::<f64>()
    };
    moment(&|x, y| x * y) / (moment(&|x, _| x * x) * moment(&|_, y| y * y)).sqrt()
}

/// Returns Kendall's coefficient of two rankings: the share of pairs in the same order less the share in the
/// opposite order.
fn concordance(one: &[f64], other: &[f64]) -> f64 {
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (place, (a, b)) in one.iter().zip(other).enumerate() {
        for (c, d) in one.iter().zip(other).take(place) {
            let product = (a - c) * (b - d);
            sum += f64::from(i8::from(product > 0.0) - i8::from(product < 0.0));
            pairs += 1.0;
        }
    }
    sum / pairs
}

pub(super) fn same_order(results: &CellResults) -> Claim {
    let test = ClaimTest::named("same order");
    let Some(grid) = both(results) else { return test.judge(None, String::new()) };
    let ours = number(|picks| {
        let merits = grid.merits(picks);
        let (cleared, stamped) = merits.split_at(SCHEMES.len());
        concordance(cleared, stamped)
    });
    test.judge(ours, orders(&grid))
}

/// Returns a table of the schemes from best to worst, cleared and stamped, at each size.
fn orders(grid: &Grid) -> String {
    let picks: Vec<usize> = (0..TESTS).collect();
    let mut table = Table::new(["7 ply", "cleared, from best to worst", "stamped, from best to worst", "Kendall"])
        .with_text_columns(3);
    let ranked = |totals: &[f64]| {
        let mut order: Vec<(f64, Scheme)> = totals.iter().copied().zip(SCHEMES).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        order.iter().map(|(_, scheme)| scheme.name()).collect::<Vec<_>>().join(", ")
    };
    let labels = grid.sizes.iter().map(|&size| markdown::size(size)).chain(["all sizes".to_owned()]);
    for (label, totals) in labels.zip(grid.totals(&picks).into_iter().chain([grid.merits(&picks)])) {
        let (cleared, stamped) = totals.split_at(SCHEMES.len());
        table.row([label, ranked(cleared), ranked(stamped), Unit::Number.write(concordance(cleared, stamped))]);
    }
    table.to_string()
}

pub(super) fn edge(results: &CellResults) -> Claim {
    let test = ClaimTest::named("stamps' edge");
    let ours = both(results).and_then(|grid| {
        number(|picks| {
            let merits = grid.merits(picks);
            let (cleared, stamped) = merits.split_at(SCHEMES.len());
            let ratios: Vec<f64> = stamped.iter().zip(cleared).map(|(stamped, cleared)| stamped / cleared).collect();
            geometric_mean(&ratios).unwrap_or(f64::NAN)
        })
    });
    let by_scheme = SCHEMES.into_iter().map(|scheme| {
        let (stamped, cleared) = (SchemeVariant::stamped(scheme), SchemeVariant::cleared(scheme));
        Pairing::over_sizes(results, scheme.name().to_owned(), stamped, cleared, DEPTH)
    });
    let all_schemes = |label: String, size: usize, depth: u32| {
        let cell = |variant| Cell::of(variant, size, depth);
        let pair = |scheme| (cell(SchemeVariant::stamped(scheme)), cell(SchemeVariant::cleared(scheme)));
        Pairing { label, pairs: SCHEMES.into_iter().map(pair).collect() }
    };
    let by_size = SIZES.into_iter().map(|size| all_schemes(markdown::size(size), size, DEPTH));
    let by_depth = DEPTHS.into_iter().map(|depth| all_schemes(format!("{depth} ply"), LARGEST, depth));
    let details = [
        paired(results, "stamped against cleared, 7 ply, all sizes", by_scheme),
        paired(results, "stamped against cleared, 7 ply, all schemes", by_size),
        paired(results, "stamped against cleared, 1024K, all schemes", by_depth),
    ];
    test.judge(ours, paragraphs(details))
}

/// Returns a variant's nodes at the largest size over those without a table.
fn ratio_to_no_table(results: &CellResults, variant: SchemeVariant, depth: u32) -> Option<Estimate> {
    let table = results.nodes(Cell::of(variant, LARGEST, depth))?;
    let none = results.nodes(Cell::without_table(depth))?;
    number(|picks| {
        let sum = |nodes: &[f64; TESTS]| picks.iter().filter_map(|&pick| nodes.get(pick)).sum::<f64>();
        sum(table) / sum(none)
    })
}

fn paper_ratio_to_no_table(paper: &Paper, variant: SchemeVariant, depth: u32) -> Option<f64> {
    paper.ratio(Cell::of(variant, LARGEST, depth), Cell::without_table(depth))
}

pub(super) fn three_plies(results: &CellResults, paper: &Paper) -> Claim {
    let (test, stamped) = (ClaimTest::named("3 ply"), SchemeVariant::stamped(Scheme::TwoBig1));
    let rows =
        SCHEMES.map(SchemeVariant::stamped).into_iter().chain(SCHEMES.map(SchemeVariant::cleared)).map(|variant| {
            Pairing::single(variant_name(variant), Cell::of(variant, LARGEST, 3), Cell::without_table(3))
        });
    let on = results.ratios(Cell::of(stamped, LARGEST, 3), Cell::without_table(3)).map(|ratios| {
        let fewer = ratios.iter().filter(|&&ratio| ratio < 1.0).count();
        format!("At 3 ply the table saves nodes on {fewer} of {TESTS} positions. ")
    });
    let deeper =
        ratio_to_no_table(results, stamped, 4).zip(paper_ratio_to_no_table(paper, stamped, 4)).map(|(ours, theirs)| {
            let ours = Unit::Difference.write_estimate_beside(ours, &[1.0]);
            format!("One ply deeper, at 4 ply: {ours}; the paper {}.", signed_percent(theirs - 1.0))
        });
    let context = [on, deeper].into_iter().flatten().collect();
    let details = paired(results, "against no table, 3 ply, 1024K", rows);
    test.judge(ratio_to_no_table(results, stamped, 3), details).with_context(context)
}

pub(super) fn deeper(results: &CellResults) -> Claim {
    let (test, variant) = (ClaimTest::named("over 3 ply"), SchemeVariant::stamped(Scheme::TwoBig1));
    let ratios: Option<Vec<Estimate>> =
        DEPTHS[1..].iter().map(|&depth| ratio_to_no_table(results, variant, depth)).collect();
    let worst = ratios.and_then(|ratios| ratios.into_iter().max_by(|a, b| a.value.total_cmp(&b.value)));
    let rows = DEPTHS.map(|depth| {
        Pairing::single(format!("{depth} ply"), Cell::of(variant, LARGEST, depth), Cell::without_table(depth))
    });
    test.judge(worst, paired(results, "TWOBIG1, 1024K, stamped, against no table", rows))
}

pub(super) fn eight_plies(results: &CellResults, paper: &Paper) -> Claim {
    let variant = SchemeVariant::cleared(Scheme::TwoBig1);
    let inverse = |estimate: Estimate| Estimate {
        value: 1.0 / estimate.value,
        interval: Interval { low: 1.0 / estimate.interval.high, high: 1.0 / estimate.interval.low },
    };
    let theirs = paper_ratio_to_no_table(paper, variant, 8).map_or(f64::NAN, |ratio| 1.0 / ratio);
    let test = ClaimTest { holds: theirs * 0.85..=theirs * 1.15, ..ClaimTest::named("factor at 8 ply") };
    let mut table = Table::new(["depth", "ours, cleared (95 %)", "paper", "ours, stamped (95 %)", "paper"]);
    let stamped = SchemeVariant::stamped(Scheme::TwoBig1);
    for depth in DEPTHS {
        let ours = |variant| {
            or_dash(ratio_to_no_table(results, variant, depth).map(inverse), |factor| {
                Unit::Number.write_estimate(factor)
            })
        };
        let theirs =
            |variant| or_dash(paper_ratio_to_no_table(paper, variant, depth), |ratio| Unit::Number.write(1.0 / ratio));
        table.row([format!("{depth} ply"), ours(variant), theirs(variant), ours(stamped), theirs(stamped)]);
    }
    let ours = ratio_to_no_table(results, variant, 8).map(inverse);
    let beside = |what: &str, variant, depth| {
        let ours = ratio_to_no_table(results, variant, depth).map(inverse)?;
        let theirs = 1.0 / paper_ratio_to_no_table(paper, variant, depth)?;
        Some(format!("{what}: {}; the paper {theirs:.2}.", Unit::Number.write_estimate(ours)))
    };
    let none = Cell::without_table(8);
    let context = [
        ours.map(|ours| {
            let contains = if ours.interval.contains(theirs) { "contains" } else { "does not contain" };
            format!("Our interval {contains} the paper's figure itself.")
        }),
        beside("Stamped", stamped, 8),
        beside("At 7 ply, cleared", variant, 7),
        results.total(none).zip(paper.total(none)).map(|(ours, theirs)| {
            format!("At 8 ply without a table we visit {:.2} times the paper's nodes.", ours / theirs)
        }),
    ];
    let context = context.into_iter().flatten().collect::<Vec<_>>().join(" ");
    test.judge(ours, format!("Nodes without a table over nodes of TWOBIG1 at 1024K:\n\n{table}")).with_context(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlation_coefficients() {
        assert_eq!(concordance(&[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0]), 1.0);
        assert_eq!(concordance(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), -1.0);
        assert!((concordance(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0]) - 1.0 / 3.0).abs() < 1e-12);
        assert!((correlation(&[(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]) - 1.0).abs() < 1e-12);
        assert!((correlation(&[(1.0, 6.0), (2.0, 4.0), (3.0, 2.0)]) + 1.0).abs() < 1e-12);
    }
}
