//! Claims about the order of the schemes.

use super::super::cells::{Cell, CellResults, DEPTHS, Grid, LARGEST, SCHEMES, SIZES, SchemeVariant};
use super::super::paper::Paper;
use super::super::tables::{by_size, extremes};
use super::{Claim, ClaimTest, Pairing, greatest, least, number, one_ply_deeper, paired, paragraphs, variant_name};
use crate::experiment::DEEP_SIZES;
use sesame_report::markdown::{self, Table, or_dash, signed_percent};
use sesame_report::statistics::Estimate;
use sesame_table::Scheme;

const DEPTH: u32 = 7;

/// Returns `ratio` of the merits of the variants over all sizes in the grid.
fn of_merits(grid: Option<Grid>, ratio: impl Fn(&[f64]) -> f64) -> Option<Estimate> {
    let grid = grid?;
    number(|picks| ratio(&grid.merits(picks)))
}

/// Returns the first value relative to the least of the others.
fn first_over_best(values: &[f64]) -> f64 {
    values.split_first().map_or(f64::NAN, |(first, rest)| first / least(rest.iter().copied()))
}

fn first_over_second(values: &[f64]) -> f64 {
    match values {
        [first, second] => first / second,
        _ => f64::NAN,
    }
}

/// Returns all other variants with the same treatment of the table.
fn others(variant: SchemeVariant) -> impl Iterator<Item = SchemeVariant> {
    let others = SCHEMES.into_iter().filter(move |&scheme| scheme != variant.scheme);
    others.map(move |scheme| SchemeVariant { scheme, ..variant })
}

/// Returns the merit of a variant over all sizes, relative to the best of all others.
fn against_best(results: &CellResults, variant: SchemeVariant) -> Option<Estimate> {
    let variants: Vec<SchemeVariant> = std::iter::once(variant).chain(others(variant)).collect();
    of_merits(Grid::new(results, &variants, DEPTH, &SIZES), first_over_best)
}

/// Returns a table that compares a variant with each other, over all sizes.
fn one_by_one(results: &CellResults, variant: SchemeVariant) -> String {
    let rows = others(variant).map(|other| {
        let label = format!("{} against {}", variant.scheme, other.scheme);
        Pairing::over_sizes(results, label, variant, other, DEPTH)
    });
    paired(results, &format!("7 ply, {}, all sizes", variant.between()), rows)
}

/// Returns a table that compares two variants size by size, and over all sizes.
fn size_by_size(results: &CellResults, variant: SchemeVariant, base: SchemeVariant) -> String {
    let rows = SIZES
        .map(|size| Pairing::single(markdown::size(size), Cell::of(variant, size, DEPTH), Cell::of(base, size, DEPTH)));
    let all = Pairing::over_sizes(results, "all sizes".to_owned(), variant, base, DEPTH);
    paired(results, &format!("{} against {}, 7 ply", variant_name(variant), base.scheme), rows.into_iter().chain([all]))
}

/// Returns a table that compares two variants depth by depth, over all sizes of the depth.
fn depth_by_depth(results: &CellResults, variant: SchemeVariant, base: SchemeVariant) -> String {
    let rows = DEPTHS.map(|depth| Pairing::over_sizes(results, format!("{depth} ply"), variant, base, depth));
    paired(results, &format!("{} against {}, all sizes", variant_name(variant), base.scheme), rows)
}

/// Returns the three tables that compare one scheme with another.
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
    let test = ClaimTest::named(&format!("TWOBIG1 best, {}", best.between()));
    let details = [
        order(results, stamped, 7),
        order(results, stamped, 8),
        one_by_one(results, best),
        depth_by_depth(results, best, second),
    ];
    test.judge(against_best(results, best), paragraphs(details))
}

/// Returns a table of the ranks of the schemes at each size. Empty if no size has all schemes.
fn order(results: &CellResults, stamped: bool, depth: u32) -> String {
    let variants = SCHEMES.map(|scheme| SchemeVariant { scheme, stamped });
    let Some(grid) = Grid::new(results, &variants, depth, &SIZES) else { return String::new() };
    let picks: Vec<usize> = (0..super::TESTS).collect();
    let labels = grid.sizes.iter().map(|&size| markdown::size(size));
    let heading = format!("place, {depth} ply, {}", variants[0].between());
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
        others(best).map(move |other| Pairing::single(variant_name(other), cell(best), cell(other)))
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
    let details = [(false, "cleared"), (true, "stamped")].map(|(stamped, between)| {
        let table = by_size(results, stamped, 8);
        table.map_or_else(String::new, |table| format!("Nodes at 8 ply in thousands, {between}:\n\n{table}"))
    });
    ClaimTest::named("NEW and OLD last").judge(ours, paragraphs(details))
}

pub(super) fn big_all(results: &CellResults) -> Claim {
    let variants = [Scheme::BigAll, Scheme::Big1].map(SchemeVariant::cleared);
    let ours = of_merits(Grid::new(results, &variants, DEPTH, &SIZES), first_over_second);
    ClaimTest::named("BIGALL and BIG1").judge(ours, compared(results, Scheme::BigAll, Scheme::Big1))
}
