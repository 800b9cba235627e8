//! The claims: the size of the table (Figure 1), the order of the schemes, time stamps, and the saving by a table
//! (Figures 2 and 3).

use super::super::cells::{
    Cell, CellResults, DEPTHS, Grid, LARGEST, Paper, SCHEMES, SIZES, SchemeVariant, TESTS, between,
};
use super::super::tables::{by_size, extremes, spread};
use super::{Claim, ClaimTest, Pairing, greatest, least, number, one_ply_deeper, paired, paragraphs};
use crate::experiment::DEEP_SIZES;
use sesame_report::markdown::{self, DASH, Table, Unit, or_dash, percent, signed_percent};
use sesame_report::statistics::{Estimate, Interval, geometric_mean};
use sesame_table::Scheme;

const DEPTH: u32 = 7;

/// `None` if a scheme is missing.
fn cleared(results: &CellResults, sizes: &[usize]) -> Option<Grid> {
    Grid::whole(results, &SCHEMES.map(SchemeVariant::cleared), DEPTH, sizes)
}

/// Of the schemes' totals, geometric, by size.
fn means(grid: &Grid, picks: &[usize]) -> Vec<f64> {
    let mean = |row: &Vec<f64>| (row.iter().map(|total| total.ln()).sum::<f64>() / row.len() as f64).exp();
    grid.totals(picks).iter().map(mean).collect()
}

pub(super) fn constancy(results: &CellResults) -> Claim {
    let test = ClaimTest::named("constancy");
    let last = cleared(results, &[LARGEST / 2, LARGEST]);
    let saving = last.and_then(|grid| {
        number(|picks| match means(&grid, picks)[..] {
            [before, after] => 1.0 - after / before,
            _ => f64::NAN,
        })
    });
    let elsewhere = "For doublings at 8 ply see the statement \"doubling\".".to_owned();
    test.judge(saving, paragraphs([doublings(results), elsewhere]))
}

/// Savings by each doubling, by scheme.
fn doublings(results: &CellResults) -> String {
    let steps: Vec<(usize, usize)> = SIZES.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let labels = steps.iter().map(|&(from, to)| format!("{}–{}", from / 1024, markdown::size(to)));
    let mut table =
        Table::new(std::iter::once("saved by doubling".to_owned()).chain(labels).chain(["mean".to_owned()]));
    let mut has_any = false;
    for (stamped, scheme) in [false, true].into_iter().flat_map(|stamped| SCHEMES.map(|scheme| (stamped, scheme))) {
        let total = |size| results.total(Cell::of(SchemeVariant { scheme, stamped }, size, DEPTH));
        let saved = |from, to| Some(1.0 - total(to)? / total(from)?);
        has_any |= steps.iter().any(|&(from, to)| saved(from, to).is_some());
        let whole = total(SIZES[0])
            .zip(total(LARGEST))
            .map(|(first, last)| 1.0 - (last / first).powf(1.0 / steps.len() as f64));
        let name = SchemeVariant { scheme, stamped }.to_string();
        let entries = steps.iter().map(|&(from, to)| or_dash(saved(from, to), percent));
        table.row(std::iter::once(name).chain(entries).chain([or_dash(whole, percent)]));
    }
    if has_any { table.to_string() } else { String::new() }
}

pub(super) fn doubling(results: &CellResults, paper: &Paper) -> Claim {
    let test = ClaimTest::named("doubling");
    let saving = |depth, first, last| number(|picks| saved_per_doubling(results, depth, first, last, picks));
    let from = |first| move |depth| saving(depth, first, LARGEST);
    let context = one_ply_deeper(results, paper, (&test.holds, test.unit), from(DEEP_SIZES[0]));
    let ends = [DEEP_SIZES[0], LARGEST];
    let details = paragraphs([
        doublings_by_depth(results, "saved by doubling", SIZES.windows(2)),
        doublings_by_depth(results, "saved per doubling", DEEP_SIZES.windows(2).chain([&ends[..]])),
    ]);
    test.judge(from(SIZES[0])(DEPTH), details).with_context(context)
}

/// Between two sizes, in the mean of the schemes, cleared. NaN if one of the sizes is missing.
fn saved_per_doubling(results: &CellResults, depth: u32, first: usize, last: usize, picks: &[usize]) -> f64 {
    let grid = Grid::whole(results, &SCHEMES.map(SchemeVariant::cleared), depth, &[first, last]);
    let doublings = f64::from(last.ilog2() - first.ilog2());
    match grid.map(|grid| means(&grid, picks)).as_deref() {
        Some(&[before, after]) => 1.0 - (after / before).powf(1.0 / doublings),
        _ => f64::NAN,
    }
}

/// Savings per doubling between pairs of sizes in the mean of the schemes: deeper searches fill the table more.
fn doublings_by_depth<'a>(results: &CellResults, what: &str, steps: impl Iterator<Item = &'a [usize]>) -> String {
    let picks: Vec<usize> = (0..TESTS).collect();
    let steps: Vec<&[usize]> = steps.collect();
    let labels = steps.iter().map(|step| format!("{}–{}", step[0] / 1024, markdown::size(step[1])));
    by_depth(std::iter::once(format!("{what}, cleared")).chain(labels), |depth| {
        let saved = |step: &&[usize]| {
            Some(saved_per_doubling(results, depth, step[0], step[1], &picks)).filter(|saved| saved.is_finite())
        };
        steps.iter().map(saved).collect()
    })
}

fn spreads_by_depth(results: &CellResults) -> String {
    let heading = std::iter::once("spread, cleared".to_owned()).chain(SIZES.map(markdown::size));
    by_depth(heading, |depth| {
        let at = |size| {
            let total = |scheme| results.total(Cell::of(SchemeVariant::cleared(scheme), size, depth));
            Some(spread(&SCHEMES.into_iter().map(total).collect::<Option<Vec<f64>>>()?))
        };
        SIZES.into_iter().map(at).collect()
    })
}

/// In percent, with a row for each depth that has values. Empty without a row.
fn by_depth(heading: impl Iterator<Item = String>, row: impl Fn(u32) -> Vec<Option<f64>>) -> String {
    let mut table = Table::new(heading);
    let mut is_empty = true;
    for depth in DEPTHS {
        let entries = row(depth);
        if entries.iter().any(Option::is_some) {
            is_empty = false;
            let entries = entries.into_iter().map(|entry| or_dash(entry, percent));
            table.row(std::iter::once(format!("{depth} ply")).chain(entries));
        }
    }
    if is_empty { String::new() } else { table.to_string() }
}

fn mean_spread(results: &CellResults, sizes: &[usize]) -> Option<Estimate> {
    let grid = cleared(results, sizes)?;
    number(|picks| {
        let totals = grid.totals(picks);
        totals.iter().map(|row| spread(row)).sum::<f64>() / totals.len() as f64
    })
}

pub(super) fn spread_at_8k(results: &CellResults) -> Claim {
    let test = ClaimTest::named("spread at 8K");
    let details = paragraphs([spreads(results), spreads_by_depth(results)]);
    test.judge(mean_spread(results, &SIZES[..1]), details)
}

/// Best, worst and spread at each size.
fn spreads(results: &CellResults) -> String {
    let mut table =
        Table::new(["table", "best, cleared", "worst, cleared", "spread", "best, stamped", "worst, stamped", "spread"]);
    let mut has_any = false;
    for size in SIZES {
        let entries = [false, true].into_iter().flat_map(|stamped| {
            let variants = SCHEMES.map(|scheme| SchemeVariant { scheme, stamped });
            let totals: Option<Vec<f64>> =
                variants.iter().map(|&variant| results.total(Cell::of(variant, size, DEPTH))).collect();
            let Some(totals) = totals else { return vec![DASH.to_owned(); 3] };
            has_any = true;
            let (best, worst) = extremes(&totals);
            let name_of = |wanted: f64| {
                let found = SCHEMES.iter().zip(&totals).find(|(_, total)| **total == wanted);
                or_dash(found, |(scheme, _)| scheme.name().to_owned())
            };
            vec![name_of(best), name_of(worst), percent(spread(&totals))]
        });
        let row: Vec<String> = std::iter::once(markdown::size(size)).chain(entries).collect();
        table.row(row);
    }
    if has_any { table.to_string() } else { String::new() }
}

pub(super) fn spread_from_512k(results: &CellResults) -> Claim {
    let test = ClaimTest::named("spread from 512K");
    let pairs = SCHEMES.into_iter().skip(1).map(|scheme| {
        let cell = |scheme| Cell::of(SchemeVariant::cleared(scheme), LARGEST, DEPTH);
        Pairing::single(format!("{scheme} against TWOBIG1, 1024K"), cell(scheme), cell(Scheme::TwoBig1))
    });
    test.judge(mean_spread(results, &SIZES[6..]), paired(results, "7 ply, cleared", pairs))
}

pub(super) fn spread_shrinks(results: &CellResults) -> Claim {
    let test = ClaimTest::named("spread shrinks");
    let part = cleared(results, &[SIZES[0], LARGEST]).and_then(|grid| {
        number(|picks| match &grid.totals(picks)[..] {
            [first, last] => spread(last) / spread(first),
            _ => f64::NAN,
        })
    });
    test.judge(part, "The statement \"spread at 8K\" has the spread at every size and depth.\n".to_owned())
}

pub(super) fn best_at_8k(results: &CellResults) -> Claim {
    let test = ClaimTest::named("best at 8K");
    let against_best = cleared(results, &SIZES[..1]).and_then(|grid| {
        number(|picks| match &grid.totals(picks)[..] {
            // TWOBIG1 is the first of SCHEMES.
            [row] => row[0] / least(row[1..].iter().copied()),
            _ => f64::NAN,
        })
    });
    test.judge(against_best, at_8k(results, Scheme::TwoBig1))
}

pub(super) fn worst_at_8k(results: &CellResults) -> Claim {
    let test = ClaimTest::named("worst at 8K");
    let is_new = |place: usize| SCHEMES.get(place) == Some(&Scheme::New);
    let against_worst = cleared(results, &SIZES[..1]).and_then(|grid| {
        number(|picks| {
            let totals = grid.totals(picks);
            let row = || totals.iter().flatten().copied().enumerate();
            let new = greatest(row().filter(|(place, _)| is_new(*place)).map(|(_, total)| total));
            new / greatest(row().filter(|(place, _)| !is_new(*place)).map(|(_, total)| total))
        })
    });
    test.judge(against_worst, at_8k(results, Scheme::New))
}

fn at_8k(results: &CellResults, scheme: Scheme) -> String {
    let cell = |scheme, stamped| Cell::of(SchemeVariant { scheme, stamped }, SIZES[0], DEPTH);
    let others = move |stamped| {
        let others = SCHEMES.into_iter().filter(move |&other| other != scheme);
        let label = move |other| SchemeVariant { scheme: other, stamped }.to_string();
        others.map(move |other| Pairing::single(label(other), cell(scheme, stamped), cell(other, stamped)))
    };
    paired(results, &format!("{scheme} at 8K against"), others(false).chain(others(true)))
}

/// Of the variants, over all sizes in the grid.
fn of_merits(grid: Option<Grid>, ratio: impl Fn(&[f64]) -> f64) -> Option<Estimate> {
    let grid = grid?;
    number(|picks| ratio(&grid.merits(picks)))
}

/// Relative to the least of the others.
fn first_over_best(values: &[f64]) -> f64 {
    values.split_first().map_or(f64::NAN, |(first, rest)| first / least(rest.iter().copied()))
}

fn first_over_second(values: &[f64]) -> f64 {
    match values {
        [first, second] => first / second,
        _ => f64::NAN,
    }
}

/// With the same treatment of the table.
fn others(variant: SchemeVariant) -> impl Iterator<Item = SchemeVariant> {
    let others = SCHEMES.into_iter().filter(move |&scheme| scheme != variant.scheme);
    others.map(move |scheme| SchemeVariant { scheme, ..variant })
}

/// Over all sizes, relative to the best of all others.
fn against_best(results: &CellResults, variant: SchemeVariant) -> Option<Estimate> {
    let variants: Vec<SchemeVariant> = std::iter::once(variant).chain(others(variant)).collect();
    of_merits(Grid::new(results, &variants, DEPTH, &SIZES), first_over_best)
}

/// Over all sizes.
fn one_by_one(results: &CellResults, variant: SchemeVariant) -> String {
    let rows = others(variant).map(|other| {
        let label = format!("{} against {}", variant.scheme, other.scheme);
        Pairing::over_sizes(results, label, variant, other, DEPTH)
    });
    paired(results, &format!("7 ply, {}, all sizes", between(variant.stamped)), rows)
}

/// Also over all sizes.
fn size_by_size(results: &CellResults, variant: SchemeVariant, base: SchemeVariant) -> String {
    let rows = SIZES
        .map(|size| Pairing::single(markdown::size(size), Cell::of(variant, size, DEPTH), Cell::of(base, size, DEPTH)));
    let all = Pairing::over_sizes(results, "all sizes".to_owned(), variant, base, DEPTH);
    paired(results, &format!("{variant} against {}, 7 ply", base.scheme), rows.into_iter().chain([all]))
}

/// Over all sizes of the depth.
fn depth_by_depth(results: &CellResults, variant: SchemeVariant, base: SchemeVariant) -> String {
    let rows = DEPTHS.map(|depth| Pairing::over_sizes(results, format!("{depth} ply"), variant, base, depth));
    paired(results, &format!("{variant} against {}, all sizes", base.scheme), rows)
}

fn compared(results: &CellResults, scheme: Scheme, base: Scheme) -> String {
    let [cleared, stamped] = [SchemeVariant::cleared, SchemeVariant::stamped].map(|of| (of(scheme), of(base)));
    paragraphs([
        size_by_size(results, cleared.0, cleared.1),
        size_by_size(results, stamped.0, stamped.1),
        depth_by_depth(results, cleared.0, cleared.1),
    ])
}

pub(super) fn two_levels(results: &CellResults) -> Claim {
    let (two, one): (Vec<Scheme>, Vec<Scheme>) = SCHEMES.into_iter().partition(|scheme| scheme.has_two_levels());
    let worse_over_better = |row: &[f64]| {
        let (two, one) = row.split_at(two.len());
        extremes(two).1 / extremes(one).0
    };
    let schemes: Vec<Scheme> = two.iter().chain(&one).copied().collect();
    let variants: Vec<SchemeVariant> = schemes.iter().map(|&scheme| SchemeVariant::cleared(scheme)).collect();
    let Some(grid) = Grid::new(results, &variants, DEPTH, &SIZES) else {
        return ClaimTest::named("two levels").judge(None, String::new());
    };
    let ours = number(|picks| {
        let totals = grid.totals(picks);
        (totals.iter().map(|row| worse_over_better(row).ln()).sum::<f64>() / totals.len() as f64).exp()
    });
    let mut table = Table::new(["worse two-level against best one-level, 7 ply", "cleared", "stamped"]);
    for size in SIZES {
        let entry = |stamped| {
            let total = |&scheme: &Scheme| results.total(Cell::of(SchemeVariant { scheme, stamped }, size, DEPTH));
            let totals = schemes.iter().map(total).collect::<Option<Vec<f64>>>();
            or_dash(totals, |totals| signed_percent(worse_over_better(&totals) - 1.0))
        };
        table.row([markdown::size(size), entry(false), entry(true)]);
    }
    let pairs = two.iter().flat_map(|&two| one.iter().map(move |&one| (two, one)));
    let rows = pairs.map(|(two, one)| {
        let (label, [two, one]) = (format!("{two} against {one}"), [two, one].map(SchemeVariant::cleared));
        Pairing::over_sizes(results, label, two, one, DEPTH)
    });
    let details = paragraphs([table.to_string(), paired(results, "7 ply, cleared, all sizes", rows)]);
    ClaimTest::named("two levels").judge(ours, details)
}

pub(super) fn two_deep_saves(results: &CellResults, paper: &Paper) -> Claim {
    let test = ClaimTest::named("TWODEEP saves");
    let variants = [Scheme::TwoDeep, Scheme::Deep].map(SchemeVariant::cleared);
    let saving = |grid| of_merits(grid, |merits| 1.0 - first_over_second(merits));
    let ours = saving(Grid::new(results, &variants, DEPTH, &SIZES));
    let context = one_ply_deeper(results, paper, (&test.holds, test.unit), |depth| {
        saving(Grid::whole(results, &variants, depth, &DEEP_SIZES))
    });
    test.judge(ours, compared(results, Scheme::TwoDeep, Scheme::Deep)).with_context(context)
}

pub(super) fn two_big_best(results: &CellResults, stamped: bool) -> Claim {
    let [best, second] = [Scheme::TwoBig1, Scheme::TwoDeep].map(|scheme| SchemeVariant { scheme, stamped });
    let test = ClaimTest::named(&format!("TWOBIG1 best, {}", between(stamped)));
    let details = [
        order(results, stamped, 7),
        order(results, stamped, 8),
        one_by_one(results, best),
        depth_by_depth(results, best, second),
    ];
    test.judge(against_best(results, best), paragraphs(details))
}

/// At each size. Empty if no size has all schemes.
fn order(results: &CellResults, stamped: bool, depth: u32) -> String {
    let variants = SCHEMES.map(|scheme| SchemeVariant { scheme, stamped });
    let Some(grid) = Grid::new(results, &variants, depth, &SIZES) else { return String::new() };
    let picks: Vec<usize> = (0..TESTS).collect();
    let labels = grid.sizes.iter().map(|&size| markdown::size(size));
    let heading = format!("place, {depth} ply, {}", between(stamped));
    let mut table = Table::new(std::iter::once(heading).chain(labels).chain(["all sizes".to_owned()]));
    let columns: Vec<Vec<f64>> = grid.totals(&picks).into_iter().chain([grid.merits(&picks)]).collect();
    for (index, scheme) in SCHEMES.into_iter().enumerate() {
        let place = |column: &Vec<f64>| 1 + column.iter().filter(|&&total| total < column[index]).count();
        let places = columns.iter().map(|column| place(column).to_string());
        table.row(std::iter::once(scheme.name().to_owned()).chain(places));
    }
    table.to_string()
}

pub(super) fn nodes_over_depth(results: &CellResults) -> Claim {
    let variants = [Scheme::TwoBig1, Scheme::TwoDeep, Scheme::Big1, Scheme::Deep].map(SchemeVariant::cleared);
    let [two_big, two_deep, big, deep] = variants;
    let ours = of_merits(Grid::new(results, &variants, DEPTH, &SIZES), |merits| match merits[..] {
        [two_big, two_deep, big, deep] => (two_big / two_deep * (big / deep)).sqrt(),
        _ => f64::NAN,
    });
    let details = [
        size_by_size(results, two_big, two_deep),
        size_by_size(results, big, deep),
        depth_by_depth(results, big, deep),
    ];
    ClaimTest::named("nodes over depth").judge(ours, paragraphs(details))
}

pub(super) fn deep_not_best(results: &CellResults) -> Claim {
    let deep = SchemeVariant::cleared(Scheme::Deep);
    ClaimTest::named("DEEP not best").judge(against_best(results, deep), one_by_one(results, deep))
}

pub(super) fn largest_and_deepest(results: &CellResults) -> Claim {
    let ours = of_merits(Grid::new(results, &SCHEMES.map(SchemeVariant::stamped), 8, &[LARGEST]), first_over_best);
    let rows = [true, false].into_iter().flat_map(|stamped| {
        let best = SchemeVariant { scheme: Scheme::TwoBig1, stamped };
        let cell = |variant| Cell::of(variant, LARGEST, 8);
        others(best).map(move |other| Pairing::single(other.to_string(), cell(best), cell(other)))
    });
    ClaimTest::named("TWOBIG1 at the largest").judge(ours, paired(results, "TWOBIG1 at 1024K, 8 ply, against", rows))
}

pub(super) fn forgetful_are_last(results: &CellResults) -> Claim {
    const FORGETFUL: [Scheme; 2] = [Scheme::New, Scheme::Old];
    let others = SCHEMES.into_iter().filter(|scheme| !FORGETFUL.contains(scheme));
    let variants: Vec<SchemeVariant> = FORGETFUL.into_iter().chain(others).map(SchemeVariant::cleared).collect();
    let ours = of_merits(Grid::new(results, &variants, 8, &[LARGEST]), |merits| {
        let (forgetful, others) = merits.split_at(FORGETFUL.len());
        least(forgetful.iter().copied()) / greatest(others.iter().copied())
    });
    let details = [false, true].map(|stamped| {
        let table = by_size(results, stamped, 8);
        table.map_or_else(String::new, |table| format!("Nodes at 8 ply in thousands, {}:\n\n{table}", between(stamped)))
    });
    ClaimTest::named("NEW and OLD last").judge(ours, paragraphs(details))
}

pub(super) fn big_all(results: &CellResults) -> Claim {
    let variants = [Scheme::BigAll, Scheme::Big1].map(SchemeVariant::cleared);
    let ours = of_merits(Grid::new(results, &variants, DEPTH, &SIZES), first_over_second);
    ClaimTest::named("BIGALL and BIG1").judge(ours, compared(results, Scheme::BigAll, Scheme::Big1))
}

/// All schemes cleared, then all stamped, at every size that has them.
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

/// Stamped against cleared, by scheme and size. Empty if there is nothing to compare.
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

/// Pearson's coefficient.
fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let count = pairs.len() as f64;
    let mean = pairs.iter().fold((0.0, 0.0), |mean, pair| (mean.0 + pair.0 / count, mean.1 + pair.1 / count));
    let moment = |product: &dyn Fn(f64, f64) -> f64| {
        pairs.iter().map(|pair| product(pair.0 - mean.0, pair.1 - mean.1)).sum::<f64>()
    };
    moment(&|x, y| x * y) / (moment(&|x, _| x * x) * moment(&|_, y| y * y)).sqrt()
}

/// Kendall's coefficient: the share of pairs in the same order less the share in the opposite order.
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

/// From best to worst, cleared and stamped, at each size.
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

/// At the largest size.
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
    let rows = SCHEMES
        .map(SchemeVariant::stamped)
        .into_iter()
        .chain(SCHEMES.map(SchemeVariant::cleared))
        .map(|variant| Pairing::single(variant.to_string(), Cell::of(variant, LARGEST, 3), Cell::without_table(3)));
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
