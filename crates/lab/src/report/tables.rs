//! Tables 1 to 3 of the paper with the new results beside them, and the differences; Figures 1 to 3 drawn again.

use super::cells::{Cell, CellResults, DEPTHS, LARGEST, Paper, SCHEMES, SIZES, SchemeVariant, between};
use sesame_report::chart::{Axis, Chart, ChartError, Curve, CurveStyle, Reference};
use sesame_report::markdown::{self, DASH, Table, or_dash, percent, signed_percent, thousands};
use sesame_table::Scheme;

/// Table 1: new results, paper's and ratio; then the growth from ply to ply.
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

/// Table 2 or 3, with three rows for each scheme.
pub(super) fn largest(results: &CellResults, paper: &Paper, stamped: bool) -> Table {
    let mut table = Table::new(header("scheme"));
    for scheme in SCHEMES {
        let cell = |depth| Cell::of(SchemeVariant { scheme, stamped }, LARGEST, depth);
        rows(&mut table, scheme.name(), |depth| results.total(cell(depth)), |depth| paper.total(cell(depth)));
    }
    table
}

/// Share of the nodes that a table of 1024K positions leaves, for each cell of Tables 2 and 3, beside the paper's.
pub(super) fn savings(results: &CellResults, paper: &Paper) -> Table {
    let mut table = Table::new(header("nodes with / without a table")).with_text_columns(1);
    for (scheme, stamped) in SCHEMES.into_iter().flat_map(|scheme| [(scheme, false), (scheme, true)]) {
        let variant = SchemeVariant { scheme, stamped };
        table.row(table_row(&variant.to_string(), |depth| {
            or_dash(saving(results, paper, variant, depth), |(ours, theirs)| {
                format!("{ours:.2} / {theirs:.2} ({})", signed_percent(ours / theirs - 1.0))
            })
        }));
    }
    table
}

/// Share of the nodes that a table of 1024K positions leaves, in the results and in the paper.
fn saving(results: &CellResults, paper: &Paper, variant: SchemeVariant, depth: u32) -> Option<(f64, f64)> {
    let (cell, none) = (Cell::of(variant, LARGEST, depth), Cell::without_table(depth));
    Some((results.total(cell)? / results.total(none)?, paper.ratio(cell, none)?))
}

/// Two sentences: totals of Table 1 within a factor of 2, shares of Tables 2 and 3 within 15 %.
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
        sentences.push(format!(
            "The share of those nodes that a table of 1024K positions leaves is within 15 % of the paper's in \
             {within} of {} entries of Tables 2 and 3; we differ most at {depth} ply, {variant}: {} \
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

/// New results, paper and ratio.
fn rows(table: &mut Table, name: &str, ours: impl Fn(u32) -> Option<f64>, theirs: impl Fn(u32) -> Option<f64>) {
    let named = |what: &str| if name.is_empty() { what.to_owned() } else { format!("{name}, {what}") };
    table.row(table_row(&named("ours"), |depth| or_dash(ours(depth), thousands)));
    table.row(table_row(&named("paper"), |depth| or_dash(theirs(depth), thousands)));
    table.row(table_row(&named("ratio"), |depth| {
        let ratio = ours(depth).zip(theirs(depth)).map(|(ours, theirs)| ours / theirs);
        or_dash(ratio, |ratio| format!("{ratio:.2}"))
    }));
}

/// Totals behind Figure 1 or 2, with the spread between best and worst.
pub(super) fn by_size(results: &CellResults, stamped: bool, depth: u32) -> Option<Table> {
    let total = |scheme, size| results.total(Cell::of(SchemeVariant { scheme, stamped }, size, depth));
    let sizes: Vec<usize> =
        SIZES.into_iter().filter(|&size| SCHEMES.into_iter().any(|scheme| total(scheme, size).is_some())).collect();
    if sizes.is_empty() {
        return None;
    }
    let labels = sizes.iter().map(|&size| markdown::size(size));
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

/// Excess of the greatest over the least, as a fraction of the least.
pub(super) fn spread(totals: &[f64]) -> f64 {
    let (least, greatest) = extremes(totals);
    greatest / least - 1.0
}

pub(super) fn extremes(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| (low.min(value), high.max(value)))
}

#[derive(Debug)]
pub(super) struct Figure {
    pub(super) file: &'static str,
    pub(super) title: String,
    pub(super) caption: String,
    /// `None` without results.
    pub(super) svg: Option<String>,
}

impl Figure {
    /// Draws nothing without a curve of our results.
    fn draw(file: &'static str, caption: &str, chart: Chart) -> Result<Figure, ChartError> {
        let is_ours = |curve: &Curve| !curve.name.starts_with("paper") && !curve.points.is_empty();
        let svg = chart.curves.iter().any(is_ours).then(|| chart.draw()).transpose()?;
        Ok(Figure { file, title: chart.title, caption: caption.to_owned(), svg })
    }
}

pub(super) fn figures(results: &CellResults, paper: &Paper) -> Result<Vec<Figure>, ChartError> {
    Ok(vec![nodes_by_size(results, false)?, nodes_by_size(results, true)?, shares_by_depth(results, paper)?])
}

/// Equal in all figures. Lines of two-level schemes are solid.
fn style(scheme: Scheme) -> CurveStyle {
    let number = SCHEMES.iter().position(|&of| of == scheme);
    CurveStyle::ALL[number.unwrap_or_else(|| panic!("{scheme} has no style"))]
}

/// The scheme's name, and what stays in the table.
pub(super) fn in_words(scheme: Scheme) -> String {
    let stays = match scheme {
        Scheme::Deep => "deeper search stays",
        Scheme::New => "newest stays",
        Scheme::Old => "oldest stays",
        Scheme::Big1 => "bigger subtree stays",
        Scheme::BigAll => "as BIG1, hits in full",
        Scheme::TwoDeep => "two entries, by depth",
        _ => "two entries, by subtree",
    };
    format!("{scheme}: {stays}")
}

fn log2(size: usize) -> f64 {
    f64::from(size.ilog2())
}

fn heights(curves: &[Curve]) -> impl Iterator<Item = f64> {
    curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.1))
}

/// As many as the distance between labels needs.
fn decimals(value: f64, step: f64) -> String {
    let digits = (-(step * 1.000_001).log10().floor()).max(0.0) as usize;
    // Adding 0 turns a rounded -0 into 0.
    format!("{:.digits$}", value + 0.0).replace('-', "−")
}

fn nodes_by_size(results: &CellResults, stamped: bool) -> Result<Figure, ChartError> {
    let (file, number, between) = if stamped {
        ("figure-2.svg", 2, "entries time-stamped between positions")
    } else {
        ("figure-1.svg", 1, "table cleared between positions")
    };
    let curve = |scheme: Scheme| {
        let total = |size: usize| results.total(Cell::of(SchemeVariant { scheme, stamped }, size, 7));
        let points = SIZES.into_iter().filter_map(|size| Some((log2(size), total(size)? / 1e6))).collect();
        Curve::new(in_words(scheme), style(scheme), points)
    };
    let curves: Vec<Curve> = SCHEMES.into_iter().map(curve).filter(|curve| !curve.points.is_empty()).collect();
    let title = format!("Figure {number}. Nodes by table size, 7 ply, {between}");
    let caption = "Nodes visited, summed over the 18 positions. The vertical axis does not begin at 0. The \
                   paper prints no numbers for this figure, only its trends; the numbers of its 1024K end are \
                   in Tables 2 and 3.";
    let ticks = SIZES.into_iter().map(|size| (log2(size), markdown::size(size))).collect();
    let x = Axis { title: "table size in positions (K = 1024)".to_owned(), ticks, range: 12.7..20.3 };
    let y = Axis::round("nodes in millions (fewer is better)", heights(&curves), decimals);
    Figure::draw(file, caption, Chart { title, x, y, curves, reference: None })
}

fn shares_by_depth(results: &CellResults, paper: &Paper) -> Result<Figure, ChartError> {
    let curves_of = |(number, stamped): (usize, bool)| {
        let with_table = |depth| Cell::of(SchemeVariant { scheme: Scheme::TwoBig1, stamped }, LARGEST, depth);
        let ours = |depth| Some(results.total(with_table(depth))? / results.total(Cell::without_table(depth))?);
        let theirs = |depth| paper.ratio(with_table(depth), Cell::without_table(depth));
        let curve = |whose: &str, number: usize, share: &dyn Fn(u32) -> Option<f64>| {
            let points = DEPTHS.into_iter().filter_map(|depth| Some((f64::from(depth), share(depth)?))).collect();
            Curve::new(format!("{whose}, {}", between(stamped)), CurveStyle::ALL[number], points)
        };
        [curve("ours", number, &ours), curve("paper", number + 2, &theirs)]
    };
    let curves: Vec<Curve> = [(0, true), (1, false)].into_iter().flat_map(curves_of).collect();
    let title = "Figure 3. Nodes with a 1024K table, relative to none (TWOBIG1)".to_owned();
    let caption = "The paper's figure is the line \"paper, stamped\"; here computed from its Tables 1 to 3.";
    let ticks = DEPTHS.into_iter().map(|depth| (f64::from(depth), depth.to_string())).collect();
    let x = Axis { title: "search depth in plies".to_owned(), ticks, range: 2.8..8.2 };
    let y = Axis::round("nodes, without a table = 1", heights(&curves).chain([0.0, 1.0]), decimals);
    let reference = Some(Reference::Level(1.0, "without a table".to_owned()));
    Figure::draw("figure-3.svg", caption, Chart { title, x, y, curves, reference })
}
