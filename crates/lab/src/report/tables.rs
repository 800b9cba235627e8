//! Tables 1 to 3 of the paper, ours beside theirs, and how near the one comes to the other.

use super::cells::{Cell, DEPTHS, LARGEST, Line, Results, SCHEMES};
use super::paper::Paper;
use sesame_report::markdown::{NOTHING, Table, or_dash, percent, thousands};

/// Table 1: without a table. Three rows: ours, the paper's, and their ratio; then the growth from one depth to the next.
pub(super) fn without_table(results: &Results, paper: &Paper) -> Table {
    let mut table = Table::new(header("without a table"));
    let ours = |depth| results.total(Cell::without_table(depth));
    let theirs = |depth| paper.total(Cell::without_table(depth));
    rows(&mut table, "", ours, theirs);
    let growth = |total: &dyn Fn(u32) -> Option<f64>, depth: u32| Some(total(depth)? / total(depth - 1)?);
    table.row(line("growth per ply, ours", |depth| or_dash(growth(&ours, depth), |growth| format!("{growth:.2}"))));
    table.row(line("growth per ply, paper", |depth| or_dash(growth(&theirs, depth), |growth| format!("{growth:.2}"))));
    table
}

/// Tables 2 and 3: the largest table. Three rows for each scheme.
pub(super) fn largest(results: &Results, paper: &Paper, stamped: bool) -> Table {
    let mut table = Table::new(header("scheme"));
    for scheme in SCHEMES {
        let cell = |depth| Cell::of(Line { scheme, stamped }, LARGEST, depth);
        rows(&mut table, scheme.name(), |depth| results.total(cell(depth)), |depth| paper.total(cell(depth)));
    }
    table
}

/// How much a table of 1024K positions leaves of the nodes without one, ours over the paper's: for each cell of Tables 2 and 3.
pub(super) fn savings(results: &Results, paper: &Paper) -> Table {
    let mut table = Table::new(header("nodes with / without a table")).with_text_columns(1);
    for (scheme, stamped) in SCHEMES.into_iter().flat_map(|scheme| [(scheme, false), (scheme, true)]) {
        let name = format!("{scheme}, {}", if stamped { "stamped" } else { "cleared" });
        table.row(line(&name, |depth| {
            or_dash(saving(results, paper, Line { scheme, stamped }, depth), |(ours, theirs)| {
                format!("{ours:.2} / {theirs:.2} ({})", sesame_report::markdown::signed_percent(ours / theirs - 1.0))
            })
        }));
    }
    table
}

/// The share of the nodes that a table of 1024K positions leaves: ours and the paper's.
fn saving(results: &Results, paper: &Paper, line: Line, depth: u32) -> Option<(f64, f64)> {
    let (cell, none) = (Cell::of(line, LARGEST, depth), Cell::without_table(depth));
    Some((results.total(cell)? / results.total(none)?, paper.ratio(cell, none)?))
}

/// In a sentence each: the totals of Table 1 within a factor of 2, the shares of Tables 2 and 3 within 15 %.
pub(super) fn nearness(results: &Results, paper: &Paper) -> Vec<String> {
    let mut sentences = Vec::new();
    let without = DEPTHS.into_iter().filter_map(|depth| {
        let cell = Cell::without_table(depth);
        Some((depth, results.total(cell)? / paper.total(cell)?))
    });
    if let Some((depth, ratio)) = without.max_by(|a, b| a.1.ln().abs().total_cmp(&b.1.ln().abs())) {
        let verdict = if (0.5..=2.0).contains(&ratio) { "within" } else { "beyond" };
        sentences.push(format!(
            "Without a table we visit {ratio:.2} times the paper's nodes where we differ most ({depth} ply): {verdict} a factor of 2."
        ));
    }
    let lines = SCHEMES.into_iter().flat_map(|scheme| [Line::cleared(scheme), Line::stamped(scheme)]);
    let cells = lines.flat_map(|line| DEPTHS.map(|depth| (line, depth)));
    let shares: Vec<(Line, u32, f64)> = cells
        .filter_map(|(line, depth)| {
            let (ours, theirs) = saving(results, paper, line, depth)?;
            Some((line, depth, ours / theirs))
        })
        .collect();
    let within = shares.iter().filter(|(.., ratio)| (0.85..=1.15).contains(ratio)).count();
    if let Some((line, depth, ratio)) = shares.iter().max_by(|a, b| a.2.ln().abs().total_cmp(&b.2.ln().abs())) {
        let scheme = line.scheme;
        let stamped = if line.stamped { "stamped" } else { "cleared" };
        sentences.push(format!(
            "The share of those nodes that a table of 1024K positions leaves is within 15 % of the paper's in {within} of {} entries \
             of Tables 2 and 3; we differ most at {depth} ply, {scheme}, {stamped}: {} against the paper.",
            shares.len(),
            sesame_report::markdown::signed_percent(ratio - 1.0)
        ));
    }
    sentences
}

fn header(first: &str) -> Vec<String> {
    line(first, |depth| format!("{depth} ply"))
}

fn line(first: &str, entry: impl Fn(u32) -> String) -> Vec<String> {
    std::iter::once(first.to_owned()).chain(DEPTHS.into_iter().map(entry)).collect()
}

/// Adds the rows ours, paper and ratio.
fn rows(table: &mut Table, name: &str, ours: impl Fn(u32) -> Option<f64>, theirs: impl Fn(u32) -> Option<f64>) {
    let named = |what: &str| if name.is_empty() { what.to_owned() } else { format!("{name}, {what}") };
    table.row(line(&named("ours"), |depth| or_dash(ours(depth), thousands)));
    table.row(line(&named("paper"), |depth| or_dash(theirs(depth), thousands)));
    table.row(line(&named("ratio"), |depth| {
        let ratio = ours(depth).zip(theirs(depth)).map(|(ours, theirs)| ours / theirs);
        or_dash(ratio, |ratio| format!("{ratio:.2}"))
    }));
}

/// All totals behind Figures 1 and 2, with the spread between best and worst.
pub(super) fn by_size(results: &Results, stamped: bool, depth: u32) -> Option<Table> {
    let total = |scheme, size| results.total(Cell::of(Line { scheme, stamped }, size, depth));
    let sizes: Vec<usize> = super::cells::SIZES
        .into_iter()
        .filter(|&size| SCHEMES.into_iter().any(|scheme| total(scheme, size).is_some()))
        .collect();
    if sizes.is_empty() {
        return None;
    }
    let labels = sizes.iter().map(|&size| sesame_report::markdown::size(size));
    let mut table = Table::new(std::iter::once("scheme".to_owned()).chain(labels));
    for scheme in SCHEMES {
        let entries = sizes.iter().map(|&size| or_dash(total(scheme, size), thousands));
        table.row(std::iter::once(scheme.name().to_owned()).chain(entries));
    }
    let spread = |&size: &usize| {
        let totals: Option<Vec<f64>> = SCHEMES.into_iter().map(|scheme| total(scheme, size)).collect();
        totals.map_or_else(|| NOTHING.to_owned(), |totals| percent(spread(&totals)))
    };
    table.row(std::iter::once("spread".to_owned()).chain(sizes.iter().map(spread)));
    Some(table)
}

/// How much the greatest exceeds the least, as a fraction of the least.
pub(super) fn spread(totals: &[f64]) -> f64 {
    let (least, greatest) = extremes(totals);
    greatest / least - 1.0
}

/// The least and the greatest.
pub(super) fn extremes(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| (low.min(value), high.max(value)))
}
