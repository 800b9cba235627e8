//! Claims about the order of the schemes.

use super::super::cells::{Cell, CellResults, DEPTHS, Grid, LARGEST, SCHEMES, SIZES, SchemeVariant};
use super::super::paper::Paper;
use super::super::tables::extremes;
use super::{Claim, ClaimTest, Pairing, greatest, least, number, one_ply_deeper, paired, paragraphs, variant_name};
use crate::experiment::DEEP_SIZES;
use sesame_report::markdown::{self, Table, or_dash, signed_percent};
use sesame_report::statistics::Estimate;
use sesame_table::Scheme;

const DEPTH: u32 = 7;

/// Returns the merit of a variant over all sizes, relative to the best of others.
fn against_best(results: &CellResults, variant: SchemeVariant, others: &[SchemeVariant]) -> Option<Estimate> {
    let variants: Vec<SchemeVariant> = std::iter::once(variant).chain(others.iter().copied()).collect();
    let grid = Grid::new(results, &variants, DEPTH, &SIZES)?;
    number(|picks| match &grid.merits(picks)[..] {
        [first, rest @ ..] => first / least(rest.iter().copied()),
        [] => f64::NAN,
    })
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

pub(super) fn two_levels(results: &CellResults, paper: &Paper) -> Claim {
    let (two, one): (Vec<Scheme>, Vec<Scheme>) = SCHEMES.into_iter().partition(|scheme| scheme.has_two_levels());
    let worse_over_better = |total: &dyn Fn(Scheme) -> Option<f64>| {
        let all = |schemes: &[Scheme]| schemes.iter().map(|&scheme| total(scheme)).collect::<Option<Vec<f64>>>();
        Some(extremes(&all(&two)?).1 / extremes(&all(&one)?).0)
    };
    let theirs = worse_over_better(&|scheme| paper.largest(SchemeVariant::cleared(scheme), DEPTH));
    let test = ClaimTest {
        paper: format!("fewer; {} at 1024K (Table 2)", or_dash(theirs, |ratio| signed_percent(ratio - 1.0))),
        ..ClaimTest::named("two levels")
    };
    let variants: Vec<SchemeVariant> = two.iter().chain(&one).map(|&scheme| SchemeVariant::cleared(scheme)).collect();
    let ours = Grid::new(results, &variants, DEPTH, &SIZES).and_then(|grid| {
        number(|picks| {
            let totals = grid.totals(picks);
            let ratio = |row: &Vec<f64>| {
                let (two, one) = row.split_at(two.len());
                (greatest(two.iter().copied()) / least(one.iter().copied())).ln()
            };
            (totals.iter().map(ratio).sum::<f64>() / totals.len() as f64).exp()
        })
    });
    let mut table = Table::new(["worse two-level against best one-level, 7 ply", "cleared", "stamped"]);
    for size in SIZES {
        let entry = |stamped| {
            let ratio =
                worse_over_better(&|scheme| results.total(Cell::of(SchemeVariant { scheme, stamped }, size, DEPTH)));
            or_dash(ratio, |ratio| signed_percent(ratio - 1.0))
        };
        table.row([markdown::size(size), entry(false), entry(true)]);
    }
    let pairs = two.iter().flat_map(|&two| one.iter().map(move |&one| (two, one)));
    let rows = pairs.map(|(two, one)| {
        Pairing::over_sizes(
            results,
            format!("{two} against {one}"),
            SchemeVariant::cleared(two),
            SchemeVariant::cleared(one),
            DEPTH,
        )
    });
    let details = paragraphs([table.to_string(), paired(results, "7 ply, cleared, all sizes", rows)]);
    test.judge(ours, if ours.is_some() { details } else { String::new() })
}

pub(super) fn two_deep_saves(results: &CellResults, paper: &Paper) -> Claim {
    let (two, one) = (SchemeVariant::cleared(Scheme::TwoDeep), SchemeVariant::cleared(Scheme::Deep));
    let theirs = paper.largest(two, DEPTH).zip(paper.largest(one, DEPTH)).map(|(two, one)| 1.0 - two / one);
    let test = ClaimTest {
        paper: format!("5 to 10 %; {} at 1024K (Table 2)", or_dash(theirs, markdown::percent)),
        ..ClaimTest::named("TWODEEP saves")
    };
    let saving = |grid: Option<Grid>| {
        let grid = grid?;
        number(|picks| match grid.merits(picks)[..] {
            [two, one] => 1.0 - two / one,
            _ => f64::NAN,
        })
    };
    let ours = saving(Grid::new(results, &[two, one], DEPTH, &SIZES));
    let context = one_ply_deeper(results, paper, (&test.holds, test.unit), |depth| {
        saving(Grid::whole(results, &[two, one], depth, &DEEP_SIZES))
    });
    let stamped = (SchemeVariant::stamped(Scheme::TwoDeep), SchemeVariant::stamped(Scheme::Deep));
    let details = [
        size_by_size(results, two, one),
        size_by_size(results, stamped.0, stamped.1),
        depth_by_depth(results, two, one),
    ];
    test.judge(ours, paragraphs(details)).with_context(context)
}

pub(super) fn two_big_best(results: &CellResults, paper: &Paper, stamped: bool) -> Claim {
    let variant = |scheme| SchemeVariant { scheme, stamped };
    let others: Vec<SchemeVariant> = SCHEMES.into_iter().skip(1).map(variant).collect();
    let theirs = others.iter().map(|&other| paper.largest(other, DEPTH)).collect::<Option<Vec<f64>>>();
    let theirs = paper.largest(variant(Scheme::TwoBig1), DEPTH).zip(theirs).map(|(best, others)| best / least(others));
    let between = if stamped { "stamped" } else { "cleared" };
    let table = if stamped { 3 } else { 2 };
    let paper = format!("fewer; {} at 1024K (Table {table})", or_dash(theirs, |ratio| signed_percent(ratio - 1.0)));
    let test = ClaimTest { paper, ..ClaimTest::named(&format!("TWOBIG1 best, {between}")) };
    let ours = against_best(results, variant(Scheme::TwoBig1), &others);
    let rows = others.iter().map(|&other| {
        Pairing::over_sizes(
            results,
            format!("TWOBIG1 against {}", other.scheme),
            variant(Scheme::TwoBig1),
            other,
            DEPTH,
        )
    });
    let what = format!("7 ply, {between}, all sizes");
    let runner_up = depth_by_depth(results, variant(Scheme::TwoBig1), variant(Scheme::TwoDeep));
    let places = [order(results, stamped, 7), order(results, stamped, 8)];
    test.judge(ours, paragraphs(places.into_iter().chain([paired(results, &what, rows), runner_up])))
}

/// Returns a table of the ranks of the schemes at each size. Empty if no size has all schemes.
fn order(results: &CellResults, stamped: bool, depth: u32) -> String {
    let variants = SCHEMES.map(|scheme| SchemeVariant { scheme, stamped });
    let Some(grid) = Grid::new(results, &variants, depth, &SIZES) else { return String::new() };
    let picks: Vec<usize> = (0..super::TESTS).collect();
    let between = if stamped { "stamped" } else { "cleared" };
    let labels = grid.sizes.iter().map(|&size| markdown::size(size));
    let heading =
        std::iter::once(format!("place, {depth} ply, {between}")).chain(labels).chain(["all sizes".to_owned()]);
    let mut table = Table::new(heading);
    let columns: Vec<Vec<f64>> = grid.totals(&picks).into_iter().chain([grid.merits(&picks)]).collect();
    for (index, scheme) in SCHEMES.into_iter().enumerate() {
        let place = |column: &Vec<f64>| 1 + column.iter().filter(|&&total| total < column[index]).count();
        table.row(
            std::iter::once(scheme.name().to_owned()).chain(columns.iter().map(|column| place(column).to_string())),
        );
    }
    table.to_string()
}

pub(super) fn nodes_over_depth(results: &CellResults, paper: &Paper) -> Claim {
    let variants = [Scheme::TwoBig1, Scheme::TwoDeep, Scheme::Big1, Scheme::Deep].map(SchemeVariant::cleared);
    let [two_big, two_deep, big, deep] = variants;
    let ratio = |totals: &[f64]| match totals[..] {
        [two_big, two_deep, big, deep] => (two_big / two_deep * (big / deep)).sqrt(),
        _ => f64::NAN,
    };
    let theirs = variants.iter().map(|&variant| paper.largest(variant, DEPTH)).collect::<Option<Vec<f64>>>();
    let test = ClaimTest {
        paper: format!("fewer; {} at 1024K (Table 2)", or_dash(theirs, |totals| signed_percent(ratio(&totals) - 1.0))),
        ..ClaimTest::named("nodes over depth")
    };
    let ours = Grid::new(results, &variants, DEPTH, &SIZES).and_then(|grid| number(|picks| ratio(&grid.merits(picks))));
    let details = [
        size_by_size(results, two_big, two_deep),
        size_by_size(results, big, deep),
        depth_by_depth(results, big, deep),
    ];
    test.judge(ours, paragraphs(details))
}

pub(super) fn deep_not_best(results: &CellResults, paper: &Paper) -> Claim {
    let deep = SchemeVariant::cleared(Scheme::Deep);
    let others: Vec<SchemeVariant> =
        SCHEMES.into_iter().filter(|&scheme| scheme != Scheme::Deep).map(SchemeVariant::cleared).collect();
    let theirs = others.iter().map(|&other| paper.largest(other, DEPTH)).collect::<Option<Vec<f64>>>();
    let theirs = paper.largest(deep, DEPTH).zip(theirs).map(|(deep, others)| deep / least(others));
    let test = ClaimTest {
        paper: format!("more; {} at 1024K (Table 2)", or_dash(theirs, |ratio| signed_percent(ratio - 1.0))),
        ..ClaimTest::named("DEEP not best")
    };
    let rows = others
        .iter()
        .map(|&other| Pairing::over_sizes(results, format!("DEEP against {}", other.scheme), deep, other, DEPTH));
    test.judge(against_best(results, deep, &others), paired(results, "7 ply, cleared, all sizes", rows))
}

pub(super) fn largest_and_deepest(results: &CellResults, paper: &Paper) -> Claim {
    let theirs = |stamped: bool| {
        let total = |scheme| paper.largest(SchemeVariant { scheme, stamped }, 8);
        let others = SCHEMES.into_iter().skip(1).map(total).collect::<Option<Vec<f64>>>()?;
        Some(total(Scheme::TwoBig1)? / least(others))
    };
    let difference = |ratio: Option<f64>| or_dash(ratio, |ratio| signed_percent(ratio - 1.0));
    let test = ClaimTest {
        paper: format!("{}; but cleared (Table 2) {}", difference(theirs(true)), difference(theirs(false))),
        ..ClaimTest::named("TWOBIG1 at the largest")
    };
    let grid = Grid::new(results, &SCHEMES.map(SchemeVariant::stamped), 8, &[LARGEST]);
    let ours = grid.and_then(|grid| {
        number(|picks| match &grid.merits(picks)[..] {
            [first, rest @ ..] => first / least(rest.iter().copied()),
            [] => f64::NAN,
        })
    });
    let rows = [true, false].into_iter().flat_map(|stamped| {
        let cell = move |scheme| Cell::of(SchemeVariant { scheme, stamped }, LARGEST, 8);
        let others = SCHEMES.into_iter().skip(1);
        others.map(move |other| {
            Pairing::single(variant_name(SchemeVariant { scheme: other, stamped }), cell(Scheme::TwoBig1), cell(other))
        })
    });
    test.judge(ours, paired(results, "TWOBIG1 at 1024K, 8 ply, against", rows))
}

pub(super) fn forgetful_are_last(results: &CellResults, paper: &Paper) -> Claim {
    let (forgetful, others): (Vec<Scheme>, Vec<Scheme>) =
        SCHEMES.into_iter().partition(|scheme| matches!(scheme, Scheme::New | Scheme::Old));
    let better_over_worst = |totals: &[f64]| {
        let (forgetful, others) = totals.split_at_checked(forgetful.len()).unwrap_or_default();
        least(forgetful.iter().copied()) / greatest(others.iter().copied())
    };
    let ordered: Vec<Scheme> = forgetful.iter().chain(&others).copied().collect();
    let theirs = |stamped| {
        let totals = ordered
            .iter()
            .map(|&scheme| paper.largest(SchemeVariant { scheme, stamped }, 8))
            .collect::<Option<Vec<f64>>>();
        or_dash(totals, |totals| signed_percent(better_over_worst(&totals) - 1.0))
    };
    let test = ClaimTest {
        paper: format!("{} cleared, {} stamped", theirs(false), theirs(true)),
        ..ClaimTest::named("NEW and OLD last")
    };
    let variants: Vec<SchemeVariant> = ordered.iter().map(|&scheme| SchemeVariant::cleared(scheme)).collect();
    let grid = Grid::new(results, &variants, 8, &[LARGEST]);
    let ours = grid.and_then(|grid| number(|picks| better_over_worst(&grid.merits(picks))));
    let details = [false, true].map(|stamped| {
        super::super::tables::by_size(results, stamped, 8).map_or_else(String::new, |table| {
            let between = if stamped { "stamped" } else { "cleared" };
            format!("Nodes at 8 ply in thousands, {between}:\n\n{table}")
        })
    });
    test.judge(ours, paragraphs(details))
}

pub(super) fn big_all(results: &CellResults, paper: &Paper) -> Claim {
    let theirs = |stamped| {
        let total = |scheme| paper.largest(SchemeVariant { scheme, stamped }, DEPTH);
        or_dash(total(Scheme::BigAll).zip(total(Scheme::Big1)), |(all, one)| signed_percent(all / one - 1.0))
    };
    let test = ClaimTest {
        paper: format!("{} cleared, {} stamped (7 ply, 1024K)", theirs(false), theirs(true)),
        ..ClaimTest::named("BIGALL and BIG1")
    };
    let variant = |scheme, stamped| SchemeVariant { scheme, stamped };
    let (all, one) = (variant(Scheme::BigAll, false), variant(Scheme::Big1, false));
    let ours = against_best(results, all, &[one]);
    let details = [
        size_by_size(results, all, one),
        size_by_size(results, variant(Scheme::BigAll, true), variant(Scheme::Big1, true)),
        depth_by_depth(results, all, one),
    ];
    test.judge(ours, paragraphs(details))
}
