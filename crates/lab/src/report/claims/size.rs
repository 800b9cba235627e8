//! Claims about the size of the table (Figure 1).

use super::super::cells::{Cell, CellResults, DEPTHS, Grid, LARGEST, SCHEMES, SIZES, SchemeVariant, TESTS};
use super::super::paper::Paper;
use super::super::tables::{extremes, spread};
use super::{Claim, ClaimTest, Pairing, greatest, least, number, one_ply_deeper, paired, paragraphs, variant_name};
use crate::experiment::DEEP_SIZES;
use sesame_report::markdown::{self, DASH, Table, or_dash, percent};
use sesame_report::statistics::Estimate;
use sesame_table::Scheme;

const DEPTH: u32 = 7;

/// Returns all schemes, cleared, at `sizes`, if none is missing.
fn cleared(results: &CellResults, sizes: &[usize]) -> Option<Grid> {
    Grid::whole(results, &SCHEMES.map(SchemeVariant::cleared), DEPTH, sizes)
}

/// Returns the geometric mean of the schemes' totals at each size.
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

/// Returns a table of the savings by each doubling, by scheme.
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
        let name = variant_name(SchemeVariant { scheme, stamped });
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

/// Returns the mean saving per doubling between two sizes in the mean of the schemes, cleared. NaN if one of
/// the sizes is missing.
fn saved_per_doubling(results: &CellResults, depth: u32, first: usize, last: usize, picks: &[usize]) -> f64 {
    let grid = Grid::whole(results, &SCHEMES.map(SchemeVariant::cleared), depth, &[first, last]);
    let doublings = f64::from(last.ilog2() - first.ilog2());
    match grid.map(|grid| means(&grid, picks)).as_deref() {
        Some(&[before, after]) => 1.0 - (after / before).powf(1.0 / doublings),
        _ => f64::NAN,
    }
}

/// Returns a table of the savings per doubling between pairs of sizes in the mean of the schemes, by depth: deeper
/// searches fill the table more.
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

/// Returns a table of percentages with a row for each depth that has any. Empty if there is none.
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

/// Returns a table of best, worst and spread at each size.
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
        let label = move |other| variant_name(SchemeVariant { scheme: other, stamped });
        others.map(move |other| Pairing::single(label(other), cell(scheme, stamped), cell(other, stamped)))
    };
    paired(results, &format!("{scheme} at 8K against"), others(false).chain(others(true)))
}
