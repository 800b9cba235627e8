//! Tables 1 to 3 of the paper with the new results beside them, and the differences.

use super::cells::{Cell, CellResults, DEPTHS, LARGEST, SCHEMES, SchemeVariant};
use super::paper::Paper;
use sesame_report::markdown::{DASH, Table, or_dash, percent, signed_percent, size as size_label, thousands};

/// Returns Table 1, the nodes without a table: the new results, the paper's and their ratio; then the growth
/// from ply to ply.
pub(super) fn without_table(results: &CellResults, paper: &Paper) -> Table {
    let mut table = Table::new(header("without a table"));
    let ours = |depth| results.total(Cell::without_table(depth));
    let theirs = |depth| paper.total(Cell::without_table(depth));
    rows(&mut table, "", ours, theirs);
    let growth = |total: &dyn Fn(u32) -> Option<f64>, depth: u32| Some(total(depth)? / total(depth - 1)?);
    table
        .row(table_row("growth per ply, ours", |depth| or_dash(growth(&ours, depth), |growth| format!("{growth:.2}"))));
    table.row(table_row("growth per ply, paper", |depth| {
        or_dash(growth(&theirs, depth), |growth| format!("{growth:.2}"))
    }));
    table
}

/// Returns Table 2 or 3, the nodes with the largest table, with three rows for each scheme.
pub(super) fn largest(results: &CellResults, paper: &Paper, stamped: bool) -> Table {
    let mut table = Table::new(header("scheme"));
    for scheme in SCHEMES {
        let cell = |depth| Cell::of(SchemeVariant { scheme, stamped }, LARGEST, depth);
        rows(&mut table, scheme.name(), |depth| results.total(cell(depth)), |depth| paper.total(cell(depth)));
    }
    table
}

/// Returns the share of the nodes that a table of 1024K positions leaves, for each cell of Tables 2 and 3,
/// beside the paper's.
pub(super) fn savings(results: &CellResults, paper: &Paper) -> Table {
    let mut table = Table::new(header("nodes with / without a table")).with_text_columns(1);
    for (scheme, stamped) in SCHEMES.into_iter().flat_map(|scheme| [(scheme, false), (scheme, true)]) {
        let name = format!("{scheme}, {}", if stamped { "stamped" } else { "cleared" });
        table.row(table_row(&name, |depth| {
            or_dash(saving(results, paper, SchemeVariant { scheme, stamped }, depth), |(ours, theirs)| {
                format!("{ours:.2} / {theirs:.2} ({})", signed_percent(ours / theirs - 1.0))
            })
        }));
    }
    table
}

/// Returns the share of the nodes that a table of 1024K positions leaves, in the results and in the paper.
fn saving(results: &CellResults, paper: &Paper, variant: SchemeVariant, depth: u32) -> Option<(f64, f64)> {
    let (cell, none) = (Cell::of(variant, LARGEST, depth), Cell::without_table(depth));
    Some((results.total(cell)? / results.total(none)?, paper.ratio(cell, none)?))
}

/// Returns two sentences: totals of Table 1 within a factor of 2, shares of Tables 2 and 3 within 15 %.
pub(super) fn nearness(results: &CellResults, paper: &Paper) -> Vec<String> {
    let mut sentences = Vec::new();
    let without = DEPTHS.into_iter().filter_map(|depth| {
        let cell = Cell::without_table(depth);
        Some((depth, results.total(cell)? / paper.total(cell)?))
    });
    if let Some((depth, ratio)) = without.max_by(|a, b| a.1.ln().abs().total_cmp(&b.1.ln().abs())) {
        let verdict = if (0.5..=2.0).contains(&ratio) { "within" } else { "beyond" };
        sentences.push(format!(
            "Without a table we visit {ratio:.2} times the paper's nodes where we differ most ({depth} ply): \
             {verdict} a factor of 2."
        ));
    }
    let variants =
        SCHEMES.into_iter().flat_map(|scheme| [SchemeVariant::cleared(scheme), SchemeVariant::stamped(scheme)]);
    let cells = variants.flat_map(|variant| DEPTHS.map(|depth| (variant, depth)));
    let shares: Vec<(SchemeVariant, u32, f64)> = cells
        .filter_map(|(variant, depth)| {
            let (ours, theirs) = saving(results, paper, variant, depth)?;
            Some((variant, depth, ours / theirs))
        })
        .collect();
    let within = shares.iter().filter(|(.., ratio)| (0.85..=1.15).contains(ratio)).count();
    if let Some((variant, depth, ratio)) = shares.iter().max_by(|a, b| a.2.ln().abs().total_cmp(&b.2.ln().abs())) {
        let scheme = variant.scheme;
        let stamped = if variant.stamped { "stamped" } else { "cleared" };
        sentences.push(format!(
            "The share of those nodes that a table of 1024K positions leaves is within 15 % of the paper's in \
             {within} of {} entries of Tables 2 and 3; we differ most at {depth} ply, {scheme}, {stamped}: {} \
             against the paper.",
            shares.len(),
            signed_percent(ratio - 1.0)
        ));
    }
    sentences
}

fn header(first: &str) -> Vec<String> {
    table_row(first, |depth| format!("{depth} ply"))
}

fn table_row(first: &str, entry: impl Fn(u32) -> String) -> Vec<String> {
    std::iter::once(first.to_owned()).chain(DEPTHS.into_iter().map(entry)).collect()
}

/// Adds the rows for the new results, the paper and their ratio.
fn rows(table: &mut Table, name: &str, ours: impl Fn(u32) -> Option<f64>, theirs: impl Fn(u32) -> Option<f64>) {
    let named = |what: &str| if name.is_empty() { what.to_owned() } else { format!("{name}, {what}") };
    table.row(table_row(&named("ours"), |depth| or_dash(ours(depth), thousands)));
    table.row(table_row(&named("paper"), |depth| or_dash(theirs(depth), thousands)));
    table.row(table_row(&named("ratio"), |depth| {
        let ratio = ours(depth).zip(theirs(depth)).map(|(ours, theirs)| ours / theirs);
        or_dash(ratio, |ratio| format!("{ratio:.2}"))
    }));
}

/// Returns the totals behind Figure 1 or 2, with the spread between best and worst.
pub(super) fn by_size(results: &CellResults, stamped: bool, depth: u32) -> Option<Table> {
    let total = |scheme, size| results.total(Cell::of(SchemeVariant { scheme, stamped }, size, depth));
    let sizes: Vec<usize> = super::cells::SIZES
        .into_iter()
        .filter(|&size| SCHEMES.into_iter().any(|scheme| total(scheme, size).is_some()))
        .collect();
    if sizes.is_empty() {
        return None;
    }
    let labels = sizes.iter().map(|&size| size_label(size));
    let mut table = Table::new(std::iter::once("scheme".to_owned()).chain(labels));
    for scheme in SCHEMES {
        let entries = sizes.iter().map(|&size| or_dash(total(scheme, size), thousands));
        table.row(std::iter::once(scheme.name().to_owned()).chain(entries));
    }
    let spread = |&size: &usize| {
        let totals: Option<Vec<f64>> = SCHEMES.into_iter().map(|scheme| total(scheme, size)).collect();
        totals.map_or_else(|| DASH.to_owned(), |totals| percent(spread(&totals)))
    };
    table.row(std::iter::once("spread".to_owned()).chain(sizes.iter().map(spread)));
    Some(table)
}

/// Returns the excess of the greatest over the least, as a fraction of the least.
pub(super) fn spread(totals: &[f64]) -> f64 {
    let (least, greatest) = extremes(totals);
    greatest / least - 1.0
}

pub(super) fn extremes(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| (low.min(value), high.max(value)))
}
