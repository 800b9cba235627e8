//! Figures 1 to 3 of the paper drawn again, and three more.

use super::cells::{Cell, CellResults, DEPTHS, LARGEST, SCHEMES, SIZES, SchemeVariant};
use super::paper::Paper;
use sesame_report::chart::{Axis, Chart, ChartError, Curve, CurveStyle, Reference};
use sesame_report::markdown;
use sesame_table::Scheme;

/// A figure with its title and caption.
#[derive(Debug)]
pub(super) struct Figure {
    pub(super) file: &'static str,
    pub(super) title: String,
    pub(super) caption: String,
    /// The drawing; none without results for it.
    pub(super) svg: Option<String>,
}

/// Draws all figures, in the order of the report.
pub(super) fn all(results: &CellResults, paper: &Paper) -> Result<Vec<Figure>, ChartError> {
    Ok(vec![
        by_size(results, false)?,
        against_best(results, false)?,
        by_size(results, true)?,
        against_best(results, true)?,
        saving(results, paper)?,
        growth(results, paper)?,
    ])
}

/// Returns a scheme's colour, marker and dashes, the same in all figures. Lines of two-level schemes are solid.
pub(crate) fn style(scheme: Scheme) -> CurveStyle {
    let number = match scheme {
        Scheme::TwoBig1 => 0,
        Scheme::TwoDeep => 1,
        Scheme::Big1 => 2,
        Scheme::BigAll => 3,
        Scheme::Deep => 4,
        Scheme::New => 5,
        Scheme::Old => 6,
    };
    CurveStyle::ALL[number]
}

/// Returns one curve for each scheme over the table sizes. `value` maps the scheme's cell at a size to a
/// height.
fn scheme_curves(stamped: bool, value: impl Fn(Cell) -> Option<f64>) -> Vec<Curve> {
    let curve = |scheme: Scheme| {
        let point = |size: usize| Some((log2(size), value(Cell::of(SchemeVariant { scheme, stamped }, size, 7))?));
        let points = SIZES.into_iter().filter_map(point).collect();
        Curve::new(scheme.name(), style(scheme), points)
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

/// Formats an axis label with as many decimals as the distance between labels needs.
fn decimals(value: f64, step: f64) -> String {
    let digits = (-(step * 1.000_001).log10().floor()).max(0.0) as usize;
    // Adding 0 turns a rounded -0 into 0.
    format!("{:.digits$}", value + 0.0).replace('-', "−")
}

fn between(stamped: bool) -> &'static str {
    if stamped { "entries time-stamped between positions" } else { "table cleared between positions" }
}

fn by_size(results: &CellResults, stamped: bool) -> Result<Figure, ChartError> {
    let (file, number) = if stamped { ("figure-2.svg", 2) } else { ("figure-1.svg", 1) };
    let curves = scheme_curves(stamped, |cell| Some(results.total(cell)? / 1e6));
    let title = format!("Figure {number}. Nodes by table size, 7 ply, {}", between(stamped));
    let caption = "Nodes visited, summed over the 18 positions. The vertical axis does not begin at 0. The \
                   paper prints no numbers for this figure, only its trends; the numbers of its 1024K end are \
                   in Tables 2 and 3."
        .to_owned();
    let chart = Chart {
        title: title.clone(),
        x: size_axis(),
        y: Axis::round("nodes in millions", heights(&curves), decimals),
        curves,
        reference: None,
    };
    Ok(Figure { file, title, caption, svg: drawn(&chart)? })
}

/// Draws Figure 1 or 2 relative to TWOBIG1.
fn against_best(results: &CellResults, stamped: bool) -> Result<Figure, ChartError> {
    let (file, number) = if stamped { ("figure-2-relative.svg", "2a") } else { ("figure-1-relative.svg", "1a") };
    let base =
        |cell: Cell| Cell::of(SchemeVariant { scheme: Scheme::TwoBig1, stamped }, cell.series.positions, cell.depth);
    let curves = scheme_curves(stamped, |cell| Some((results.total(cell)? / results.total(base(cell))? - 1.0) * 100.0));
    let title = format!("Figure {number}. Nodes against TWOBIG1, 7 ply, {}", between(stamped));
    let caption =
        "The same numbers as differences from TWOBIG1 at the same size, in per cent: above 0 means more nodes."
            .to_owned();
    let chart = Chart {
        title: title.clone(),
        x: size_axis(),
        y: Axis::round("nodes more than TWOBIG1, in %", heights(&curves), decimals),
        curves,
        reference: None,
    };
    Ok(Figure { file, title, caption, svg: drawn(&chart)? })
}

fn saving(results: &CellResults, paper: &Paper) -> Result<Figure, ChartError> {
    let variants = [SchemeVariant::stamped(Scheme::TwoBig1), SchemeVariant::cleared(Scheme::TwoBig1)];
    let cells = |variant: SchemeVariant, depth: u32| (Cell::of(variant, LARGEST, depth), Cell::without_table(depth));
    let ours = |variant: SchemeVariant| {
        let height = |depth| {
            let (table, none) = cells(variant, depth);
            Some(results.total(table)? / results.total(none)?)
        };
        by_depth(height)
    };
    let theirs =
        |variant: SchemeVariant| by_depth(|depth| paper.ratio(cells(variant, depth).0, cells(variant, depth).1));
    let [stamped, cleared] = variants;
    let curves = vec![
        Curve::new("ours, stamped", CurveStyle::ALL[0], ours(stamped)),
        Curve::new("paper, stamped", CurveStyle::ALL[2], theirs(stamped)),
        Curve::new("ours, cleared", CurveStyle::ALL[1], ours(cleared)),
        Curve::new("paper, cleared", CurveStyle::ALL[3], theirs(cleared)),
    ];
    let title = "Figure 3. Nodes with a 1024K table, relative to none (TWOBIG1)".to_owned();
    let caption = "The paper's figure is the line \"paper, stamped\"; here computed from its Tables 1 to 3.".to_owned();
    let chart = Chart {
        title: title.clone(),
        x: depth_axis(),
        y: Axis::round("nodes, without a table = 1", heights(&curves).chain([0.0, 1.0]), decimals),
        reference: Some(Reference::Level(1.0, "without a table".to_owned())),
        curves,
    };
    let has_ours = chart.curves.iter().any(|curve| curve.name.starts_with("ours") && !curve.points.is_empty());
    Ok(Figure { file: "figure-3.svg", title, caption, svg: if has_ours { drawn(&chart)? } else { None } })
}

/// Draws Table 1, beside the nodes with the largest table.
fn growth(results: &CellResults, paper: &Paper) -> Result<Figure, ChartError> {
    let with_table = |depth| Cell::of(SchemeVariant::cleared(Scheme::TwoBig1), LARGEST, depth);
    let log = |nodes: Option<f64>| nodes.map(f64::log10);
    let curves = vec![
        Curve::new(
            "ours, no table",
            CurveStyle::ALL[0],
            by_depth(|depth| log(results.total(Cell::without_table(depth)))),
        ),
        Curve::new(
            "paper, no table",
            CurveStyle::ALL[2],
            by_depth(|depth| log(paper.total(Cell::without_table(depth)))),
        ),
        Curve::new("ours, TWOBIG1", CurveStyle::ALL[1], by_depth(|depth| log(results.total(with_table(depth))))),
        Curve::new("paper, TWOBIG1", CurveStyle::ALL[3], by_depth(|depth| log(paper.total(with_table(depth))))),
    ];
    let title = "Figure 4. Nodes by depth, without a table and with 1024K positions (cleared)".to_owned();
    let caption = "Nodes visited, summed over the 18 positions, on a logarithmic scale. Not in the paper; its \
                   numbers are those of Tables 1 and 2."
        .to_owned();
    let chart = Chart { title: title.clone(), x: depth_axis(), y: decades(heights(&curves)), curves, reference: None };
    let has_ours = chart.curves.iter().any(|curve| curve.name.starts_with("ours") && !curve.points.is_empty());
    Ok(Figure { file: "figure-4.svg", title, caption, svg: if has_ours { drawn(&chart)? } else { None } })
}

/// Returns an axis for decimal logarithms of node counts.
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

fn by_depth(height: impl Fn(u32) -> Option<f64>) -> Vec<(f64, f64)> {
    DEPTHS.into_iter().filter_map(|depth| Some((f64::from(depth), height(depth)?))).collect()
}

fn drawn(chart: &Chart) -> Result<Option<String>, ChartError> {
    if chart.curves.iter().all(|curve| curve.points.is_empty()) { Ok(None) } else { chart.draw().map(Some) }
}
