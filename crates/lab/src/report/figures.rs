//! Figures 1 to 3 of the paper, drawn again.

use super::counts::{Counts, DEPTHS, Variant, between, paper_share, variants};
use super::tables::{DEPTH, share};
use crate::experiment::SIZES;
use sesame_report::chart::{Axis, Chart, ChartError, Curve, CurveStyle, Reference};
use sesame_report::markdown;
use sesame_table::Scheme;

#[derive(Debug)]
pub(super) struct Figure {
    pub(super) file: &'static str,
    pub(super) title: String,
    pub(super) caption: &'static str,
    /// `None` without results.
    pub(super) svg: Option<String>,
}

impl Figure {
    fn draw(file: &'static str, caption: &'static str, chart: Chart) -> Result<Figure, ChartError> {
        let is_ours = |curve: &Curve| !curve.name.starts_with("paper") && !curve.points.is_empty();
        let svg = chart.curves.iter().any(is_ours).then(|| chart.draw()).transpose()?;
        Ok(Figure { file, title: chart.title, caption, svg })
    }
}

pub(super) fn figures(counts: &Counts) -> Result<[Figure; 3], ChartError> {
    let [figure_1, figure_2] = [false, true].map(|stamped| nodes_by_size(counts, stamped));
    Ok([figure_1?, figure_2?, shares_by_depth(counts)?])
}

fn in_words(scheme: Scheme) -> String {
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

fn curve(name: String, style: CurveStyle, points: impl IntoIterator<Item = (f64, f64)>) -> Curve {
    Curve::new(name, style, points.into_iter().filter(|point| !point.1.is_nan()).collect())
}

/// Has labels with as many decimals as the distance between them needs.
fn vertical(title: &str, curves: &[Curve], more: &[f64]) -> Axis {
    let heights = curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.1));
    Axis::round(title, heights.chain(more.iter().copied()), |value, step| {
        let digits = (-(step * 1.000_001).log10().floor()).max(0.0) as usize;
        // Adding 0 turns a rounded -0 into 0.
        format!("{:.digits$}", value + 0.0).replace('-', "−")
    })
}

fn nodes_by_size(counts: &Counts, stamped: bool) -> Result<Figure, ChartError> {
    let (file, number, between) = if stamped {
        ("figure-2.svg", 2, "entries time-stamped between positions")
    } else {
        ("figure-1.svg", 1, "table cleared between positions")
    };
    let title = format!("Figure {number}. Nodes by table size, 7 ply, {between}");
    let log2 = |size: usize| f64::from(size.ilog2());
    // Each scheme has the same style in all figures; lines of two-level schemes are solid.
    let curve = |(variant, style): (Variant, CurveStyle)| {
        let point = |size| (log2(size), counts.all().total(variant.at(size, DEPTH)) / 1e6);
        curve(in_words(variant.scheme), style, SIZES.map(point))
    };
    let mut curves: Vec<Curve> = variants(stamped).into_iter().zip(CurveStyle::ALL).map(curve).collect();
    curves.retain(|curve| !curve.points.is_empty());
    let caption = "Nodes visited, summed over the 18 positions. The vertical axis does not begin at 0. The \
                   paper prints no numbers for this figure, only its trends; the numbers of its 1024K end are \
                   in Tables 2 and 3.";
    let ticks = SIZES.into_iter().map(|size| (log2(size), markdown::size(size))).collect();
    let x = Axis { title: "table size in positions (K = 1024)".to_owned(), ticks, range: 12.7..20.3 };
    let y = vertical("nodes in millions (fewer is better)", &curves, &[]);
    Figure::draw(file, caption, Chart { title, x, y, curves, reference: None })
}

fn shares_by_depth(counts: &Counts) -> Result<Figure, ChartError> {
    let curves = [(0, true), (1, false)].into_iter().flat_map(|(number, stamped)| {
        let variant = Variant { scheme: Scheme::TwoBig1, stamped };
        let curve = |whose: &str, style: usize, share: &dyn Fn(u32) -> f64| {
            let points = DEPTHS.map(|depth| (f64::from(depth), share(depth)));
            curve(format!("{whose}, {}", between(stamped)), CurveStyle::ALL[style], points)
        };
        [
            curve("ours", number, &|depth| share(counts.all(), variant, depth)),
            curve("paper", number + 2, &|depth| paper_share(variant, depth)),
        ]
    });
    let curves: Vec<Curve> = curves.collect();
    let title = "Figure 3. Nodes with a 1024K table, relative to none (TWOBIG1)".to_owned();
    let caption = "The paper's figure is the line \"paper, stamped\"; here computed from its Tables 1 to 3.";
    let ticks = DEPTHS.into_iter().map(|depth| (f64::from(depth), depth.to_string())).collect();
    let x = Axis { title: "search depth in plies".to_owned(), ticks, range: 2.8..8.2 };
    let y = vertical("nodes, without a table = 1", &curves, &[0.0, 1.0]);
    let reference = Some(Reference::Level(1.0, "without a table".to_owned()));
    Figure::draw("figure-3.svg", caption, Chart { title, x, y, curves, reference })
}
