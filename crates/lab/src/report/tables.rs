//! Tables 1 to 3 of the paper with the new results beside them, and the differences; Figures 1 to 3 drawn again, and
//! three more.

use super::cells::{Cell, CellResults, DEPTHS, LARGEST, Paper, SCHEMES, SIZES, SchemeVariant};
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
    Ok(vec![
        nodes_by_size(results, false)?,
        against_best(results, false)?,
        nodes_by_size(results, true)?,
        against_best(results, true)?,
        shares_by_depth(results, paper)?,
        nodes_by_depth(results, paper)?,
    ])
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

/// One curve for each scheme over the table sizes. `value` maps the scheme's cell at a size to a height.
fn scheme_curves(stamped: bool, value: impl Fn(Cell) -> Option<f64>) -> Vec<Curve> {
    let curve = |scheme: Scheme| {
        let point = |size: usize| Some((log2(size), value(Cell::of(SchemeVariant { scheme, stamped }, size, 7))?));
        let points = SIZES.into_iter().filter_map(point).collect();
        Curve::new(in_words(scheme), style(scheme), points)
    };
    SCHEMES.into_iter().map(curve).filter(|curve| !curve.points.is_empty()).collect()
}

fn log2(size: usize) -> f64 {
    f64::from(size.ilog2())
}

fn size_axis() -> Axis {
    let ticks: Vec<(f64, String)> = SIZES.into_iter().map(|size| (log2(size), markdown::size(size))).collect();
    Axis { title: "table size in positions (K = 1024)".to_owned(), ticks, range: 12.7..20.3 }
}

fn depth_axis() -> Axis {
    let ticks = DEPTHS.into_iter().map(|depth| (f64::from(depth), depth.to_string())).collect();
    Axis { title: "search depth in plies".to_owned(), ticks, range: 2.8..8.2 }
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

fn table_between(stamped: bool) -> &'static str {
    if stamped { "entries time-stamped between positions" } else { "table cleared between positions" }
}

fn nodes_by_size(results: &CellResults, stamped: bool) -> Result<Figure, ChartError> {
    let (file, number) = if stamped { ("figure-2.svg", 2) } else { ("figure-1.svg", 1) };
    let curves = scheme_curves(stamped, |cell| Some(results.total(cell)? / 1e6));
    let title = format!("Figure {number}. Nodes by table size, 7 ply, {}", table_between(stamped));
    let caption = "Nodes visited, summed over the 18 positions. The vertical axis does not begin at 0. The \
                   paper prints no numbers for this figure, only its trends; the numbers of its 1024K end are \
                   in Tables 2 and 3.";
    let y = Axis::round("nodes in millions (fewer is better)", heights(&curves), decimals);
    Figure::draw(file, caption, Chart { title, x: size_axis(), y, curves, reference: None })
}

/// Figure 1 or 2, relative to TWOBIG1.
fn against_best(results: &CellResults, stamped: bool) -> Result<Figure, ChartError> {
    let (file, number) = if stamped { ("figure-2-relative.svg", "2a") } else { ("figure-1-relative.svg", "1a") };
    let best = SchemeVariant { scheme: Scheme::TwoBig1, stamped };
    let base = |cell: Cell| results.total(Cell::of(best, cell.series.positions, cell.depth));
    let curves = scheme_curves(stamped, |cell| Some((results.total(cell)? / base(cell)? - 1.0) * 100.0));
    let title = format!("Figure {number}. Nodes against TWOBIG1, 7 ply, {}", table_between(stamped));
    let caption =
        "The same numbers as differences from TWOBIG1 at the same size, in per cent: above 0 means more nodes.";
    let y = Axis::round("nodes more than TWOBIG1, in %", heights(&curves), decimals);
    Figure::draw(file, caption, Chart { title, x: size_axis(), y, curves, reference: None })
}

/// Two pairs by depth, ours and the paper's.
fn beside_paper(
    names: [&str; 2],
    ours: impl Fn(usize, u32) -> Option<f64>,
    theirs: impl Fn(usize, u32) -> Option<f64>,
) -> Vec<Curve> {
    let points = |height: &dyn Fn(u32) -> Option<f64>| {
        DEPTHS.into_iter().filter_map(|depth| Some((f64::from(depth), height(depth)?))).collect()
    };
    let pair = |(number, name): (usize, &str)| {
        let [of_ours, of_paper] = [CurveStyle::ALL[number], CurveStyle::ALL[number + 2]];
        [
            Curve::new(format!("ours, {name}"), of_ours, points(&|depth| ours(number, depth))),
            Curve::new(format!("paper, {name}"), of_paper, points(&|depth| theirs(number, depth))),
        ]
    };
    names.into_iter().enumerate().flat_map(pair).collect()
}

fn shares_by_depth(results: &CellResults, paper: &Paper) -> Result<Figure, ChartError> {
    let variants = [SchemeVariant::stamped(Scheme::TwoBig1), SchemeVariant::cleared(Scheme::TwoBig1)];
    let cells = |number: usize, depth| (Cell::of(variants[number], LARGEST, depth), Cell::without_table(depth));
    let ours = |number, depth| {
        let (table, none) = cells(number, depth);
        Some(results.total(table)? / results.total(none)?)
    };
    let theirs = |number, depth| paper.ratio(cells(number, depth).0, cells(number, depth).1);
    let curves = beside_paper(["stamped", "cleared"], ours, theirs);
    let title = "Figure 3. Nodes with a 1024K table, relative to none (TWOBIG1)".to_owned();
    let caption = "The paper's figure is the line \"paper, stamped\"; here computed from its Tables 1 to 3.";
    let y = Axis::round("nodes, without a table = 1", heights(&curves).chain([0.0, 1.0]), decimals);
    let reference = Some(Reference::Level(1.0, "without a table".to_owned()));
    Figure::draw("figure-3.svg", caption, Chart { title, x: depth_axis(), y, curves, reference })
}

/// Table 1, beside the nodes with the largest table.
fn nodes_by_depth(results: &CellResults, paper: &Paper) -> Result<Figure, ChartError> {
    let variant = SchemeVariant::cleared(Scheme::TwoBig1);
    let cell = |number, depth| match number {
        0 => Cell::without_table(depth),
        _ => Cell::of(variant, LARGEST, depth),
    };
    let ours = |number, depth| results.total(cell(number, depth)).map(f64::log10);
    let theirs = |number, depth| paper.total(cell(number, depth)).map(f64::log10);
    let curves = beside_paper(["no table", "TWOBIG1"], ours, theirs);
    let title = "Figure 4. Nodes by depth, without a table and with 1024K positions (cleared)".to_owned();
    let caption = "Nodes visited, summed over the 18 positions, on a logarithmic scale. Not in the paper; its \
                   numbers are those of Tables 1 and 2.";
    let y = decades(heights(&curves));
    Figure::draw("figure-4.svg", caption, Chart { title, x: depth_axis(), y, curves, reference: None })
}

/// For decimal logarithms of node counts.
fn decades(values: impl Iterator<Item = f64>) -> Axis {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let (first, last) = if low <= high { (low.floor() as i32, high.ceil() as i32) } else { (5, 9) };
    let label = |power: i32| format!("{}", 10f64.powi(power - 6));
    let ticks = (first..=last).map(|power| (f64::from(power), label(power))).collect();
    Axis {
        title: "nodes in millions (logarithmic)".to_owned(),
        ticks,
        range: f64::from(first)..f64::from(last.max(first + 1)),
    }
}
