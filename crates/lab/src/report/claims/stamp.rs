//! Claims about time stamps, and about what a table is worth at all: Figures 2 and 3.

use super::super::cells::{Cell, DEPTHS, Grid, LARGEST, Line, Results, SCHEMES, SIZES, TESTS};
use super::super::paper::Paper;
use super::{Claim, FEWER, MORE, Pairing, Question, greatest, line_name, number, paired, paragraphs};
use sesame_report::markdown::{self, Table, Unit, or_dash, signed_percent};
use sesame_report::statistics::{Estimate, geometric_mean};
use sesame_table::Scheme;

const DEPTH: u32 = 7;

/// All schemes cleared, then all schemes stamped, at every size that has them.
fn both(results: &Results) -> Option<Grid> {
    let lines: Vec<Line> = SCHEMES.map(Line::cleared).into_iter().chain(SCHEMES.map(Line::stamped)).collect();
    Grid::new(results, &lines, DEPTH, &SIZES)
}

const BOTH: &str = "all schemes, cleared and stamped, at one size at least, 7 ply";

pub(super) fn shapes(results: &Results) -> Claim {
    let question = Question {
        name: "same shapes",
        source: "section 7, Figure 2",
        statement: "The graphs with and without time stamps have highly similar shapes.",
        criterion: "Correlation of the logarithms of the totals, stamped with cleared, over all schemes and sizes (7 ply): 0.95 or more."
            .to_owned(),
        paper: "\"highly similar\"".to_owned(),
        holds: 0.95..=1.0,
        unit: Unit::Number,
        needs: "all schemes, cleared and stamped, at two sizes at least, 7 ply",
    };
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
    question.answer(ours, ratios(results))
}

/// Stamped against cleared, for each scheme and size. Empty if there is nothing to compare.
fn ratios(results: &Results) -> String {
    let mut table =
        Table::new(std::iter::once("stamped against cleared, 7 ply".to_owned()).chain(SIZES.map(markdown::size)));
    let mut is_empty = true;
    for scheme in SCHEMES {
        let total = |line, size| results.total(Cell::of(line, size, DEPTH));
        let entries = SIZES.map(|size| {
            let ratio = total(Line::stamped(scheme), size).zip(total(Line::cleared(scheme), size));
            is_empty &= ratio.is_none();
            or_dash(ratio, |(stamped, cleared)| signed_percent(stamped / cleared - 1.0))
        });
        table.row(std::iter::once(scheme.name().to_owned()).chain(entries));
    }
    if is_empty { String::new() } else { table.to_string() }
}

/// Pearson's coefficient.
fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let count = pairs.len() as f64;
    let mean = pairs.iter().fold((0.0, 0.0), |mean, pair| (mean.0 + pair.0 / count, mean.1 + pair.1 / count));
    let moment = |product: &dyn Fn(f64, f64) -> f64| {
        pairs.iter().map(|pair| product(pair.0 - mean.0, pair.1 - mean.1)).sum::<f64>()
    };
    moment(&|x, y| x * y) / (moment(&|x, _| x * x) * moment(&|_, y| y * y)).sqrt()
}

/// Kendall's coefficient of two rankings of the same things: the share of pairs in the same order less the share in the other.
fn concordance(one: &[f64], other: &[f64]) -> f64 {
    let mut sum = 0.0;
    let mut pairs = 0.0;
    for (place, (a, b)) in one.iter().zip(other).enumerate() {
        for (c, d) in one.iter().zip(other).take(place) {
            let product = (a - c) * (b - d);
            sum += if product > 0.0 {
                1.0
            } else if product < 0.0 {
                -1.0
            } else {
                0.0
            };
            pairs += 1.0;
        }
    }
    sum / pairs
}

pub(super) fn same_order(results: &Results, paper: &Paper) -> Claim {
    let theirs = |depth| {
        let totals =
            |line: &dyn Fn(Scheme) -> Line| SCHEMES.iter().map(|&scheme| paper.largest(line(scheme), depth)).collect();
        let (cleared, stamped): (Option<Vec<f64>>, Option<Vec<f64>>) = (totals(&Line::cleared), totals(&Line::stamped));
        or_dash(cleared.zip(stamped), |(cleared, stamped)| Unit::Number.write(concordance(&cleared, &stamped)))
    };
    let question = Question {
        name: "same order",
        source: "section 7, Figure 2",
        statement: "The order of merit of the schemes is the same with time stamps as without.",
        criterion: "Kendall's coefficient of the two orders, by geometric mean over the sizes (7 ply): 0.8 or more, which is at most 2 \
                    of the 21 pairs in another order."
            .to_owned(),
        paper: format!("\"invariant\"; {} at 1024K, 7 ply, {} at 8 ply (Tables 2, 3)", theirs(7), theirs(8)),
        holds: 0.8..=1.0,
        unit: Unit::Number,
        needs: BOTH,
    };
    let Some(grid) = both(results) else { return question.answer(None, String::new()) };
    let ours = number(|picks| {
        let merits = grid.merits(picks);
        let (cleared, stamped) = merits.split_at(SCHEMES.len());
        concordance(cleared, stamped)
    });
    question.answer(ours, orders(&grid))
}

/// The schemes from best to worst, cleared and stamped, at each size.
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

pub(super) fn edge(results: &Results, paper: &Paper) -> Claim {
    let theirs = |depth| {
        let ratio =
            |scheme| Some(paper.largest(Line::stamped(scheme), depth)? / paper.largest(Line::cleared(scheme), depth)?);
        let ratios: Option<Vec<f64>> = SCHEMES.into_iter().map(ratio).collect();
        or_dash(ratios.and_then(|ratios| geometric_mean(&ratios)), |ratio| signed_percent(ratio - 1.0))
    };
    let question = Question {
        name: "stamps' edge",
        source: "section 7",
        statement: "At first sight time stamps have a slight edge over clearing.",
        criterion: "Totals stamped against cleared, geometric mean over schemes and sizes (7 ply): fewer.".to_owned(),
        paper: format!("fewer; {} at 1024K, {} at 8 ply (Tables 2, 3)", theirs(7), theirs(8)),
        holds: FEWER,
        unit: Unit::Difference,
        needs: BOTH,
    };
    let ours = both(results).and_then(|grid| {
        number(|picks| {
            let merits = grid.merits(picks);
            let (cleared, stamped) = merits.split_at(SCHEMES.len());
            let ratios: Vec<f64> = stamped.iter().zip(cleared).map(|(stamped, cleared)| stamped / cleared).collect();
            geometric_mean(&ratios).unwrap_or(f64::NAN)
        })
    });
    let by_scheme = SCHEMES.into_iter().map(|scheme| {
        Pairing::over_sizes(results, scheme.name().to_owned(), Line::stamped(scheme), Line::cleared(scheme), DEPTH)
    });
    let all_schemes = |label: String, size: usize, depth: u32| {
        let pair =
            |scheme| (Cell::of(Line::stamped(scheme), size, depth), Cell::of(Line::cleared(scheme), size, depth));
        Pairing { label, pairs: SCHEMES.into_iter().map(pair).collect() }
    };
    let by_size = SIZES.into_iter().map(|size| all_schemes(markdown::size(size), size, DEPTH));
    let by_depth = DEPTHS.into_iter().map(|depth| all_schemes(format!("{depth} ply"), LARGEST, depth));
    let details = [
        paired(results, "stamped against cleared, 7 ply, all sizes", by_scheme),
        paired(results, "stamped against cleared, 7 ply, all schemes", by_size),
        paired(results, "stamped against cleared, 1024K, all schemes", by_depth),
    ];
    question.answer(ours, paragraphs(details))
}

/// What TWOBIG1's nodes are of those without a table, at the largest size.
fn of_none(results: &Results, line: Line, depth: u32) -> Option<Estimate> {
    let table = results.nodes(Cell::of(line, LARGEST, depth))?;
    let none = results.nodes(Cell::without_table(depth))?;
    number(|picks| {
        let sum = |nodes: &[f64; TESTS]| picks.iter().filter_map(|&pick| nodes.get(pick)).sum::<f64>();
        sum(table) / sum(none)
    })
}

fn paper_of_none(paper: &Paper, line: Line, depth: u32) -> Option<f64> {
    paper.ratio(Cell::of(line, LARGEST, depth), Cell::without_table(depth))
}

pub(super) fn three_plies(results: &Results, paper: &Paper) -> Claim {
    let theirs = |line| or_dash(paper_of_none(paper, line, 3), |ratio| signed_percent(ratio - 1.0));
    let (stamped, cleared) = (Line::stamped(Scheme::TwoBig1), Line::cleared(Scheme::TwoBig1));
    let question = Question {
        name: "3 ply",
        source: "section 7, Figure 3",
        statement: "At 3 ply a table is counterproductive: it prolongs the search.",
        criterion: "TWOBIG1's total against none (3 ply, 1024K, stamped): more.".to_owned(),
        paper: format!("{}; cleared {}", theirs(stamped), theirs(cleared)),
        holds: MORE,
        unit: Unit::Difference,
        needs: "TWOBIG1 at 1024K, stamped, and the runs without a table, 3 ply",
    };
    let rows = SCHEMES
        .map(Line::stamped)
        .into_iter()
        .chain(SCHEMES.map(Line::cleared))
        .map(|line| Pairing::single(line_name(line), Cell::of(line, LARGEST, 3), Cell::without_table(3)));
    let on = results.ratios(Cell::of(stamped, LARGEST, 3), Cell::without_table(3)).map(|ratios| {
        let fewer = ratios.iter().filter(|&&ratio| ratio < 1.0).count();
        format!("At 3 ply the table saves nodes on {fewer} of {TESTS} positions. ")
    });
    let deeper = of_none(results, stamped, 4).zip(paper_of_none(paper, stamped, 4)).map(|(ours, theirs)| {
        let ours = Unit::Difference.write_estimate_beside(ours, &[1.0]);
        format!("One ply deeper, at 4 ply: {ours}; the paper {}.", signed_percent(theirs - 1.0))
    });
    let context = [on, deeper].into_iter().flatten().collect();
    let details = paired(results, "against no table, 3 ply, 1024K", rows);
    question.answer(of_none(results, stamped, 3), details).with_context(context)
}

pub(super) fn deeper(results: &Results, paper: &Paper) -> Claim {
    let line = Line::stamped(Scheme::TwoBig1);
    let theirs: Option<Vec<f64>> = DEPTHS[1..].iter().map(|&depth| paper_of_none(paper, line, depth)).collect();
    let question = Question {
        name: "over 3 ply",
        source: "section 7, Figure 3",
        statement: "Over 3 ply a table is definitely advantageous.",
        criterion: "The greatest of TWOBIG1's totals against none, 4 to 8 ply (1024K, stamped): fewer.".to_owned(),
        paper: or_dash(theirs, |ratios| format!("{} at most", signed_percent(greatest(ratios) - 1.0))),
        holds: FEWER,
        unit: Unit::Difference,
        needs: "TWOBIG1 at 1024K, stamped, and the runs without a table, 4 to 8 ply",
    };
    let ratios: Option<Vec<Estimate>> = DEPTHS[1..].iter().map(|&depth| of_none(results, line, depth)).collect();
    let worst = ratios.and_then(|ratios| ratios.into_iter().max_by(|a, b| a.value.total_cmp(&b.value)));
    let rows = DEPTHS.map(|depth| {
        Pairing::single(format!("{depth} ply"), Cell::of(line, LARGEST, depth), Cell::without_table(depth))
    });
    question.answer(worst, paired(results, "TWOBIG1, 1024K, stamped, against no table", rows))
}

pub(super) fn eight_plies(results: &Results, paper: &Paper) -> Claim {
    let line = Line::cleared(Scheme::TwoBig1);
    let inverse = |estimate: Estimate| Estimate {
        value: 1.0 / estimate.value,
        interval: sesame_report::statistics::Interval {
            low: 1.0 / estimate.interval.high,
            high: 1.0 / estimate.interval.low,
        },
    };
    let theirs = paper_of_none(paper, line, 8).map_or(f64::NAN, |ratio| 1.0 / ratio);
    let question = Question {
        name: "factor at 8 ply",
        source: "Tables 1 and 2",
        statement: "At 8 ply a table of 1024K positions saves a factor of 3.2.",
        criterion: format!(
            "Nodes without a table over TWOBIG1's (8 ply, 1024K, cleared): within 15 % of the paper's factor, {:.2} to {:.2}.",
            theirs * 0.85,
            theirs * 1.15
        ),
        paper: format!("{theirs:.2}"),
        holds: theirs * 0.85..=theirs * 1.15,
        unit: Unit::Number,
        needs: "TWOBIG1 at 1024K, cleared, and the runs without a table, 8 ply",
    };
    let mut table = Table::new(["depth", "ours, cleared (95 %)", "paper", "ours, stamped (95 %)", "paper"]);
    let stamped = Line::stamped(Scheme::TwoBig1);
    for depth in DEPTHS {
        let ours =
            |line| or_dash(of_none(results, line, depth).map(inverse), |factor| Unit::Number.write_estimate(factor));
        let theirs = |line| or_dash(paper_of_none(paper, line, depth), |ratio| Unit::Number.write(1.0 / ratio));
        table.row([format!("{depth} ply"), ours(line), theirs(line), ours(stamped), theirs(stamped)]);
    }
    let ours = of_none(results, line, 8).map(inverse);
    let context = [
        ours.map(|ours| {
            let contains = if ours.interval.contains(theirs) { "contains" } else { "does not contain" };
            format!("Our interval {contains} the paper's figure itself.")
        }),
        of_none(results, stamped, 8).map(inverse).zip(paper_of_none(paper, stamped, 8)).map(|(ours, theirs)| {
            format!("Stamped: {}; the paper {:.2}.", Unit::Number.write_estimate(ours), 1.0 / theirs)
        }),
        of_none(results, line, 7).map(inverse).zip(paper_of_none(paper, line, 7)).map(|(ours, theirs)| {
            format!("At 7 ply, cleared: {}; the paper {:.2}.", Unit::Number.write_estimate(ours), 1.0 / theirs)
        }),
        results.total(Cell::without_table(8)).zip(paper.total(Cell::without_table(8))).map(|(ours, theirs)| {
            format!("At 8 ply without a table we visit {:.2} times the paper's nodes.", ours / theirs)
        }),
    ];
    let context = context.into_iter().flatten().collect::<Vec<_>>().join(" ");
    question
        .answer(ours, format!("Nodes without a table over nodes of TWOBIG1 at 1024K:\n\n{table}"))
        .with_context(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients() {
        assert_eq!(concordance(&[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0]), 1.0);
        assert_eq!(concordance(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), -1.0);
        assert!((concordance(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0]) - 1.0 / 3.0).abs() < 1e-12);
        assert!((correlation(&[(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]) - 1.0).abs() < 1e-12);
        assert!((correlation(&[(1.0, 6.0), (2.0, 4.0), (3.0, 2.0)]) + 1.0).abs() < 1e-12);
    }
}
