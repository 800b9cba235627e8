//! Line charts and bar charts as SVG, drawn with plotters.
//!
//! A chart has a light, opaque background, on dark pages too. The colours are those of M. Okabe and K. Ito ("Color Universal
//! Design", 2008), which colour-blind readers can tell apart. Each line also has its own marker and dashes.

use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::MARK;

// Lengths are in pixels.
const WIDTH: u32 = 680;
const HEIGHT: u32 = 540;
const HEADING: u32 = 48;
/// Width at the right, unless a name needs more.
const LEGEND: u32 = 220;
const LEGEND_LINE: u32 = 60;
const LETTER: u32 = 9;
const PANEL: (u32, u32) = (300, 230);
const PANEL_COLUMNS: usize = 3;
const BAR_HEIGHT: u32 = 52;

const PAPER: RGBColor = RGBColor(252, 252, 250);
const INK: RGBColor = RGBColor(38, 38, 38);
const GRID: RGBColor = RGBColor(221, 221, 217);
const BEHIND: RGBColor = RGBColor(190, 190, 186);

#[derive(Debug, thiserror::Error)]
#[error("a picture could not be drawn: {0}")]
pub struct ChartError(String);

impl ChartError {
    fn new(error: impl std::fmt::Display) -> ChartError {
        ChartError(error.to_string())
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Marker {
    Disc,
    Ring,
    Square,
    Frame,
    Up,
    Down,
    Diamond,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CurveStyle {
    pub colour: RGBColor,
    pub marker: Marker,
    /// Lengths of dash and gap in pixels; `None` for a solid line.
    pub dashes: Option<(u32, u32)>,
}

// The palette of M. Okabe and K. Ito, without yellow: it is too light for a line on a light background.
const BLACK: RGBColor = RGBColor(0, 0, 0);
const ORANGE: RGBColor = RGBColor(230, 159, 0);
const SKY: RGBColor = RGBColor(86, 180, 233);
const GREEN: RGBColor = RGBColor(0, 158, 115);
const BLUE: RGBColor = RGBColor(0, 114, 178);
const VERMILION: RGBColor = RGBColor(213, 94, 0);
const PURPLE: RGBColor = RGBColor(204, 121, 167);

impl CurveStyle {
    /// The first two are solid lines.
    pub const ALL: [CurveStyle; 7] = [
        CurveStyle { colour: BLUE, marker: Marker::Disc, dashes: None },
        CurveStyle { colour: SKY, marker: Marker::Ring, dashes: None },
        CurveStyle { colour: VERMILION, marker: Marker::Square, dashes: Some((9, 4)) },
        CurveStyle { colour: ORANGE, marker: Marker::Frame, dashes: Some((4, 4)) },
        CurveStyle { colour: BLACK, marker: Marker::Up, dashes: Some((14, 4)) },
        CurveStyle { colour: GREEN, marker: Marker::Down, dashes: Some((9, 4)) },
        CurveStyle { colour: PURPLE, marker: Marker::Diamond, dashes: Some((4, 4)) },
    ];

    pub fn nth(number: usize) -> CurveStyle {
        CurveStyle::ALL[number % CurveStyle::ALL.len()]
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum PlotMode {
    #[default]
    LineAndMarkers,
    Line,
    Markers,
}

#[derive(Clone, Debug)]
pub struct Curve {
    pub name: String,
    pub style: CurveStyle,
    pub points: Vec<(f64, f64)>,
    /// (x, lower end, upper end).
    pub error_bars: Vec<(f64, f64, f64)>,
    pub mode: PlotMode,
}

impl Curve {
    pub fn new(name: impl Into<String>, style: CurveStyle, points: Vec<(f64, f64)>) -> Curve {
        Curve { name: name.into(), style, points, error_bars: Vec::new(), mode: PlotMode::LineAndMarkers }
    }
}

#[derive(Clone, Debug)]
pub enum Reference {
    Level(f64, String),
    Line([(f64, f64); 2], String),
}

impl Reference {
    fn points(&self, across: &std::ops::Range<f64>) -> [(f64, f64); 2] {
        match self {
            Reference::Level(height, _) => [(across.start, *height), (across.end, *height)],
            Reference::Line(points, _) => *points,
        }
    }

    fn name(&self) -> &str {
        let (Reference::Level(_, name) | Reference::Line(_, name)) = self;
        name
    }
}

#[derive(Clone, Debug)]
pub struct Axis {
    pub title: String,
    /// Values and labels of the grid lines.
    pub ticks: Vec<(f64, String)>,
    pub range: std::ops::Range<f64>,
}

impl Axis {
    /// Labels round numbers. `write` gets a value and the distance between labels.
    pub fn round(title: &str, values: impl Iterator<Item = f64>, write: impl Fn(f64, f64) -> String) -> Axis {
        let (low, high) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = if low < high { (low, high) } else { (low - 0.5, low + 0.5) };
        let step = round_step((high - low) / 6.0);
        let (first, last) = ((low / step).floor(), (high / step).ceil());
        let count = (last - first) as i64;
        let ticks =
            (0..=count).map(|tick| (first + tick as f64) * step).map(|value| (value, write(value, step))).collect();
        Axis { title: title.to_owned(), ticks, range: first * step..last * step }
    }
}

/// Uses [`Axis::ticks`]; the axes of plotters choose their own.
impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = (value - self.range.start) / (self.range.end - self.range.start);
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // No grid lines between the labelled ones.
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.iter().map(|tick| tick.0).collect() }
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        let tick = self.ticks.iter().find(|tick| tick.0 == *value);
        tick.map_or_else(String::new, |tick| tick.1.clone())
    }
}

/// Returns 1, 2 or 5 times a power of ten, not below `step`.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= step * 0.999_999);
    factor.unwrap_or(10.0) * power
}

#[derive(Clone, Debug)]
pub struct Chart {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub curves: Vec<Curve>,
    pub reference: Option<Reference>,
}

impl Chart {
    pub fn draw(&self) -> Result<String, ChartError> {
        let longest = longest(self.curves.iter().map(|curve| curve.name.as_str()));
        let size = (WIDTH + LEGEND.max(LEGEND_LINE + LETTER * longest), HEIGHT);
        picture(&self.title, size, |area| {
            let (plot, legend) = area.split_horizontally(WIDTH);
            self.draw_plot(&plot, None)?;
            self.draw_legend(&legend)
        })
    }

    /// Draws each curve in a panel of its own, with the others behind it in grey.
    pub fn draw_panels(&self) -> Result<String, ChartError> {
        let rows = self.curves.len().div_ceil(PANEL_COLUMNS);
        let (subtitle, foot) = (24, 34);
        let (width, height) = (PANEL.0 * PANEL_COLUMNS as u32, PANEL.1 * rows as u32);
        picture(&self.title, (width, HEADING + subtitle + height + foot), |area| {
            let text = ("sans-serif", 16, &INK).into_text_style(area).pos(Pos::new(HPos::Left, VPos::Center));
            let black =
                self.reference.as_ref().map(|line| format!("; black line: {}", line.name())).unwrap_or_default();
            area.draw_text(&format!("{}; grey: the others{black}", self.y.title), &text, (24, 8))?;
            let middle = ((width / 2) as i32, (subtitle + height + foot / 2) as i32 - 4);
            area.draw_text(&self.x.title, &text.pos(Pos::new(HPos::Center, VPos::Center)), middle)?;
            let panels = area.margin(subtitle, foot, 0, 0).split_evenly((rows, PANEL_COLUMNS));
            panels.iter().zip(0..self.curves.len()).try_for_each(|(panel, number)| self.draw_plot(panel, Some(number)))
        })
    }

    fn draw_plot<'a>(&self, area: &Area<'a>, panel: Option<usize>) -> DrawResult<(), SVGBackend<'a>> {
        let mut chart = match panel {
            None => axes(area, [&self.x, &self.y], [56, 70], 17)?,
            Some(panel) => {
                let curve = &self.curves[panel];
                let style = ("sans-serif", 15, &curve.style.colour).into_text_style(area);
                area.draw_text(&curve.name, &style, (50, 4))?;
                let untitled = |axis: &Axis| Axis { title: String::new(), ..axis.clone() };
                axes(&area.margin(16, 0, 0, 0), [&untitled(&self.x), &untitled(&self.y)], [24, 44], 13)?
            }
        };
        if let Some(reference) = &self.reference {
            chart.draw_series(LineSeries::new(reference.points(&self.x.range), INK.stroke_width(1)))?;
        }
        // All of them without a panel.
        let drawn = panel.map_or(0..self.curves.len(), |number| number..number + 1);
        for curve in self.curves[..drawn.start].iter().chain(&self.curves[drawn.end..]) {
            chart.draw_series(LineSeries::new(curve.points.iter().copied(), BEHIND.stroke_width(1)))?;
        }
        let drawn = &self.curves[drawn];
        for curve in drawn.iter().filter(|curve| curve.mode != PlotMode::Markers) {
            let style = curve.style.colour.stroke_width(2);
            let points = curve.points.iter().copied();
            match curve.style.dashes {
                None => chart.draw_series(LineSeries::new(points, style))?,
                Some((dash, gap)) => chart.draw_series(DashedLineSeries::new(points, dash, gap, style))?,
            };
        }
        // All markers are drawn above all lines.
        let pixel = pixels(area, &chart);
        for curve in drawn {
            for &(x, low, high) in &curve.error_bars {
                draw_error_bar(area, curve.style.colour, [pixel(x, low), pixel(x, high)])?;
            }
            for &(x, y) in curve.points.iter().filter(|_| curve.mode != PlotMode::Line) {
                draw_marker(area, curve.style, pixel(x, y))?;
            }
        }
        Ok(())
    }

    fn draw_legend<'a>(&self, area: &Area<'a>) -> DrawResult<(), SVGBackend<'a>> {
        let text = ("sans-serif", 17, &INK).into_text_style(area).pos(Pos::new(HPos::Left, VPos::Center));
        let mut y = 24;
        for curve in &self.curves {
            let ends = vec![(6, y), (50, y)];
            let style = curve.style.colour.stroke_width(2);
            match curve.style.dashes {
                _ if curve.mode == PlotMode::Markers => {}
                None => area.draw(&PathElement::new(ends, style))?,
                Some((dash, gap)) => area.draw(&DashedPathElement::new(ends, dash, gap, style))?,
            }
            if curve.mode != PlotMode::Line {
                draw_marker(area, curve.style, (28, y))?;
            }
            area.draw_text(&curve.name, &text, (60, y))?;
            y += 26;
        }
        if let Some(reference) = &self.reference {
            area.draw(&PathElement::new(vec![(6, y), (50, y)], INK.stroke_width(1)))?;
            area.draw_text(reference.name(), &text, (60, y))?;
        }
        Ok(())
    }
}

#[derive(Clone, Debug)]
pub struct Bar {
    pub name: String,
    pub value: f64,
    pub interval: Option<(f64, f64)>,
    pub text: String,
    pub is_highlighted: bool,
}

#[derive(Clone, Debug)]
pub struct BarChart {
    pub title: String,
    pub axis: Axis,
    pub bars: Vec<Bar>,
    pub mark: (f64, String),
}

impl BarChart {
    pub fn draw(&self) -> Result<String, ChartError> {
        let count = self.bars.len() as f64;
        let height = |number: usize| count - 0.5 - number as f64;
        // The names are no ticks: no grid line crosses a label.
        let rows = Axis { title: String::new(), ticks: Vec::new(), range: 0.0..count };
        let longest = longest(self.bars.iter().map(|bar| bar.name.as_str()));
        let (above, foot) = (26, 66);
        let size = (WIDTH + LEGEND, HEADING + above + BAR_HEIGHT * self.bars.len() as u32 + foot);
        picture(&self.title, size, |area| {
            let plot = area.margin(above - 10, 0, 0, 90);
            let mut chart = axes(&plot, [&self.axis, &rows], [foot - 10, 24 + LETTER * longest], 17)?;
            for (number, bar) in self.bars.iter().enumerate() {
                let colour = if bar.is_highlighted { SKY } else { BEHIND };
                let corners = [(0.0, height(number) - 0.3), (bar.value, height(number) + 0.3)];
                chart.draw_series([Rectangle::new(corners, colour.filled())])?;
            }
            let pixel = pixels(area, &chart);
            let text = ("sans-serif", 17, &INK).into_text_style(area);
            let (mark, name) = &self.mark;
            for (value, name) in [(0.0, ""), (*mark, name)] {
                let [bottom, top] = [pixel(value, 0.0), pixel(value, count)];
                area.draw(&PathElement::new(vec![bottom, top], INK.stroke_width(1)))?;
                let above = text.pos(Pos::new(HPos::Center, VPos::Bottom));
                area.draw_text(name, &above, (top.0, top.1 - 4))?;
            }
            for (number, bar) in self.bars.iter().enumerate() {
                if let Some((low, high)) = bar.interval {
                    draw_error_bar(area, INK, [low, high].map(|end| pixel(end, height(number))))?;
                }
                let right = pixel(bar.interval.map_or(bar.value, |(_, high)| bar.value.max(high)), height(number));
                let beside = text.pos(Pos::new(HPos::Left, VPos::Center));
                area.draw_text(&bar.text, &beside, (right.0 + 12, right.1))?;
                let left = pixel(self.axis.range.start, height(number));
                let before = text.pos(Pos::new(HPos::Right, VPos::Center));
                area.draw_text(&bar.name, &before, (left.0 - 10, left.1))?;
            }
            Ok(())
        })
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Axes<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<Axis, Axis>>;

fn longest<'a>(names: impl Iterator<Item = &'a str>) -> u32 {
    names.map(|name| name.chars().count() as u32).max().unwrap_or(0)
}

fn picture(
    title: &str,
    size: (u32, u32),
    draw: impl for<'a> FnOnce(&Area<'a>) -> DrawResult<(), SVGBackend<'a>>,
) -> Result<String, ChartError> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&PAPER).map_err(ChartError::new)?;
        let (heading, rest) = root.split_vertically(HEADING);
        let style = ("sans-serif", 22, &INK).into_text_style(&root).pos(Pos::new(HPos::Left, VPos::Center));
        heading.draw_text(title, &style, (24, HEADING as i32 / 2)).map_err(ChartError::new)?;
        draw(&rest).map_err(ChartError::new)?;
        root.present().map_err(ChartError::new)?;
    }
    Ok(with_title(&svg, title))
}

fn axes<'a>(
    area: &Area<'a>,
    [x, y]: [&Axis; 2],
    [below, left]: [u32; 2],
    text: u32,
) -> DrawResult<Axes<'a>, SVGBackend<'a>> {
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .x_label_area_size(below)
        .y_label_area_size(left)
        .build_cartesian_2d(x.clone(), y.clone())?;
    chart
        .configure_mesh()
        .x_desc(&x.title)
        .y_desc(&y.title)
        .x_labels(x.ticks.len())
        .y_labels(y.ticks.len())
        .axis_desc_style(("sans-serif", text + 1, &INK))
        .label_style(("sans-serif", text, &INK))
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .draw()?;
    Ok(chart)
}

fn pixels(area: &Area<'_>, chart: &Axes<'_>) -> impl Fn(f64, f64) -> (i32, i32) {
    let (left, top) = area.get_base_pixel();
    let coordinates = chart.as_coord_spec().clone();
    move |x, y| {
        let (x, y) = coordinates.translate(&(x, y));
        (x - left, y - top)
    }
}

fn draw_error_bar<'a>(
    area: &Area<'a>,
    colour: RGBColor,
    [low, high]: [(i32, i32); 2],
) -> DrawResult<(), SVGBackend<'a>> {
    let (dx, dy) = if low.0 == high.0 { (5, 0) } else { (0, 5) };
    let cap = |(x, y): (i32, i32)| vec![(x - dx, y - dy), (x + dx, y + dy)];
    for line in [vec![low, high], cap(low), cap(high)] {
        area.draw(&PathElement::new(line, colour.stroke_width(1)))?;
    }
    Ok(())
}

/// Hollow markers are filled with the background and hide the line below.
fn draw_marker<'a>(area: &Area<'a>, style: CurveStyle, (x, y): (i32, i32)) -> DrawResult<(), SVGBackend<'a>> {
    let around = |offsets: &[(i32, i32)]| offsets.iter().map(|(dx, dy)| (x + dx, y + dy)).collect::<Vec<_>>();
    let square = [(-4, -4), (4, -4), (4, 4), (-4, 4), (-4, -4)];
    let filled = style.colour.filled();
    let hollow = style.colour.stroke_width(2);
    match style.marker {
        Marker::Disc => area.draw(&Circle::new((x, y), 5, filled)),
        Marker::Ring => {
            area.draw(&Circle::new((x, y), 5, PAPER.filled()))?;
            area.draw(&Circle::new((x, y), 5, hollow))
        }
        Marker::Square => area.draw(&Polygon::new(around(&square), filled)),
        Marker::Frame => {
            area.draw(&Polygon::new(around(&square), PAPER.filled()))?;
            area.draw(&PathElement::new(around(&square), hollow))
        }
        Marker::Up => area.draw(&Polygon::new(around(&[(0, -6), (6, 5), (-6, 5)]), filled)),
        Marker::Down => area.draw(&Polygon::new(around(&[(0, 6), (6, -5), (-6, -5)]), filled)),
        Marker::Diamond => area.draw(&Polygon::new(around(&[(0, -7), (6, 0), (0, 7), (-6, 0)]), filled)),
    }
}

fn with_title(svg: &str, title: &str) -> String {
    let title = title.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    match svg.split_once("<svg ").and_then(|(before, rest)| Some((before, rest.split_once('>')?))) {
        Some((before, (attributes, rest))) => {
            format!("{before}<svg role=\"img\" {attributes}>\n{MARK}\n<title>{title}</title>{rest}")
        }
        None => svg.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axis_labels_are_round() {
        let axis = Axis::round("", [0.93, 1.21].into_iter(), |value, _| format!("{value:.2}"));
        let labels: Vec<&str> = axis.ticks.iter().map(|tick| tick.1.as_str()).collect();
        assert_eq!(labels, ["0.90", "0.95", "1.00", "1.05", "1.10", "1.15", "1.20", "1.25"]);
        assert_eq!(round_step(0.02), 0.02);
        assert_eq!(round_step(3.0), 5.0);
        let single = Axis::round("", [2.0].into_iter(), |value, _| value.to_string());
        assert!(single.range.start < 2.0 && 2.0 < single.range.end);
    }

    #[test]
    fn each_curve_has_a_panel() {
        let axis = |title: &str| Axis::round(title, [0.0, 3.0].into_iter(), |value, _| value.to_string());
        let names = ["first", "second", "third", "fourth"];
        let curve = |(number, name): (usize, &str)| {
            Curve::new(name, CurveStyle::nth(number), vec![(0.0, 1.0), (3.0, number as f64)])
        };
        let curves = names.into_iter().enumerate().map(curve).collect();
        let reference = Some(Reference::Level(1.0, "equal".into()));
        let svg = Chart { title: "T".into(), x: axis("x"), y: axis("y"), curves, reference }.draw_panels().unwrap();
        let xml = roxmltree::Document::parse(&svg).unwrap();
        let count = |text: &str| {
            let is_text = |node: &roxmltree::Node<'_, '_>| node.text().is_some_and(|found| found.trim() == text);
            xml.descendants().filter(|node| node.has_tag_name("text") && is_text(node)).count()
        };
        for text in ["T", "x", "y; grey: the others; black line: equal"].into_iter().chain(names) {
            assert_eq!(count(text), 1, "{text} in {svg}");
        }
        assert_eq!(svg.matches("#BEBEBA").count(), 4 * 3, "each is behind the others");
    }

    #[test]
    fn charts_are_well_formed_xml() {
        let axis = |title: &str| Axis::round(title, [0.0, 3.0].into_iter(), |value, _| value.to_string());
        let mut curves: Vec<Curve> = (0..8)
            .map(|n| Curve::new(format!("<{n}> & more"), CurveStyle::nth(n), vec![(0.0, 1.0), (3.0, n as f64 / 4.0)]))
            .collect();
        curves[0].error_bars = vec![(3.0, 1.0, 2.0)];
        curves[1].mode = PlotMode::Line;
        curves[2].mode = PlotMode::Markers;
        for reference in
            [Reference::Level(1.0, "level".into()), Reference::Line([(0.0, 0.0), (3.0, 3.0)], "ideal".into())]
        {
            let name = reference.name().to_owned();
            let (x, y) = (axis("threads"), axis("speed-up"));
            let chart = Chart { title: "A < B & C".into(), x, y, curves: curves.clone(), reference: Some(reference) };
            let svg = chart.draw().unwrap();
            let xml = roxmltree::Document::parse(&svg).unwrap();
            let has = |text: &str| xml.descendants().any(|node| node.text().is_some_and(|found| found.trim() == text));
            assert!(["A < B & C", "threads", "speed-up", "<7> & more", &name].into_iter().all(has), "{svg}");
        }
    }
}
