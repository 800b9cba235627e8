//! A line chart as SVG, drawn with plotters.
//!
//! Each chart brings its own light, opaque ground: in a dark page it stands like a sheet of paper, and no colour
//! has to be read against two grounds. The colours are those of M. Okabe and K. Ito ("Color Universal Design", 2008), which remain
//! distinct for the colour-blind; each line also has its own marker and dashes, so it can be told apart without any colour.

use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Width of the plot in pixels.
const WIDTH: u32 = 680;
/// Height of a picture in pixels.
const HEIGHT: u32 = 540;
/// Height of the title in pixels.
const HEADING: u32 = 48;
/// Width of the legend at the right in pixels, unless a name needs more.
const LEGEND: u32 = 220;
/// Width of the lines in the legend, and of a letter, about.
const LEGEND_LINE: u32 = 60;
const LETTER: u32 = 9;

const PAPER: RGBColor = RGBColor(252, 252, 250);
const INK: RGBColor = RGBColor(38, 38, 38);
const GRID: RGBColor = RGBColor(221, 221, 217);

/// Why a chart could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("a picture could not be drawn: {0}")]
pub struct ChartError(String);

impl ChartError {
    fn new(error: impl std::fmt::Display) -> ChartError {
        ChartError(error.to_string())
    }
}

/// What marks the points of a line.
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

/// How a line looks.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Look {
    pub colour: RGBColor,
    pub marker: Marker,
    /// Lengths of dash and gap in pixels; none for an unbroken line.
    pub dashes: Option<(u32, u32)>,
}

/// The palette of M. Okabe and K. Ito, without yellow, which is too light for a line on paper.
const BLACK: RGBColor = RGBColor(0, 0, 0);
const ORANGE: RGBColor = RGBColor(230, 159, 0);
const SKY: RGBColor = RGBColor(86, 180, 233);
const GREEN: RGBColor = RGBColor(0, 158, 115);
const BLUE: RGBColor = RGBColor(0, 114, 178);
const VERMILION: RGBColor = RGBColor(213, 94, 0);
const PURPLE: RGBColor = RGBColor(204, 121, 167);

impl Look {
    /// Seven looks that can be told apart, without colour too. The first two are unbroken lines.
    pub const ALL: [Look; 7] = [
        Look { colour: BLUE, marker: Marker::Disc, dashes: None },
        Look { colour: SKY, marker: Marker::Ring, dashes: None },
        Look { colour: VERMILION, marker: Marker::Square, dashes: Some((9, 4)) },
        Look { colour: ORANGE, marker: Marker::Frame, dashes: Some((4, 4)) },
        Look { colour: BLACK, marker: Marker::Up, dashes: Some((14, 4)) },
        Look { colour: GREEN, marker: Marker::Down, dashes: Some((9, 4)) },
        Look { colour: PURPLE, marker: Marker::Diamond, dashes: Some((4, 4)) },
    ];

    /// The look of a chart's curve number `number`, from 0. Beyond the seventh the colours come again with other markers and dashes.
    pub fn nth(number: usize) -> Look {
        let count = Look::ALL.len();
        let (look, round) = (Look::ALL[number % count], number / count);
        // Three places on, with dashes half as long again each time: no two of the first 49 are alike.
        let other = Look::ALL[(number + 3 * round) % count];
        let dashes = if round == 0 { look.dashes } else { Some((2 + 5 * round as u32, 3)) };
        Look { colour: look.colour, marker: other.marker, dashes }
    }
}

/// What is drawn of a curve.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Drawn {
    /// The line, with a marker at each point.
    #[default]
    Both,
    /// The line alone: for points so many that markers would hide it.
    Line,
    /// The markers alone: for points that are no course of anything.
    Markers,
}

/// One line of a chart.
#[derive(Clone, Debug)]
pub struct Curve {
    pub name: String,
    pub look: Look,
    pub points: Vec<(f64, f64)>,
    /// For each point that has one the ends of its interval: place, lower end, upper end.
    pub spans: Vec<(f64, f64, f64)>,
    pub drawn: Drawn,
}

impl Curve {
    /// A curve without intervals.
    pub fn new(name: impl Into<String>, look: Look, points: Vec<(f64, f64)>) -> Curve {
        Curve { name: name.into(), look, points, spans: Vec::new(), drawn: Drawn::Both }
    }
}

/// A thin line that curves are read against, with its meaning.
#[derive(Clone, Debug)]
pub enum Reference {
    /// A horizontal line at this height, across the chart.
    Level(f64, String),
    /// A line between two points.
    Line([(f64, f64); 2], String),
}

impl Reference {
    fn points(&self, across: &std::ops::Range<f64>) -> [(f64, f64); 2] {
        match self {
            Reference::Level(height, _) => [(across.start, *height), (across.end, *height)],
            Reference::Line(points, _) => *points,
        }
    }

    fn meaning(&self) -> &str {
        let (Reference::Level(_, meaning) | Reference::Line(_, meaning)) = self;
        meaning
    }
}

/// An axis: what it shows, and where it is labelled.
#[derive(Clone, Debug)]
pub struct Axis {
    pub title: String,
    /// Each label with its place.
    pub ticks: Vec<(f64, String)>,
    pub range: std::ops::Range<f64>,
}

impl Axis {
    /// An axis for `values`, labelled at round numbers; `write` is given the value and the distance between labels.
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

/// plotters' own axes choose their labels themselves; here labels and grid lines stand where the chart wants them.
impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = (value - self.range.start) / (self.range.end - self.range.start);
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // No lines between the labelled ones.
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

/// The smallest of 1, 2, 5 times a power of ten that is not below `step`.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= step * 0.999_999);
    factor.unwrap_or(10.0) * power
}

/// A chart with its legend at the right.
#[derive(Clone, Debug)]
pub struct Chart {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub curves: Vec<Curve>,
    pub reference: Option<Reference>,
}

impl Chart {
    /// Draws the chart.
    ///
    /// # Errors
    /// If plotters refuses, which it has no known reason to.
    pub fn draw(&self) -> Result<String, ChartError> {
        let mut svg = String::new();
        {
            let longest = self.curves.iter().map(|curve| curve.name.chars().count() as u32).max().unwrap_or(0);
            let legend = LEGEND.max(LEGEND_LINE + LETTER * longest);
            let root = SVGBackend::with_string(&mut svg, (WIDTH + legend, HEIGHT)).into_drawing_area();
            root.fill(&PAPER).map_err(ChartError::new)?;
            let (heading, rest) = root.split_vertically(HEADING);
            let style = ("sans-serif", 22, &INK).into_text_style(&root).pos(Pos::new(HPos::Left, VPos::Center));
            heading.draw_text(&self.title, &style, (24, HEADING as i32 / 2)).map_err(ChartError::new)?;
            let (plot, legend) = rest.split_horizontally(WIDTH);
            self.draw_plot(&plot).map_err(ChartError::new)?;
            self.draw_legend(&legend).map_err(ChartError::new)?;
            root.present().map_err(ChartError::new)?;
        }
        Ok(with_title(&svg, &self.title))
    }

    fn draw_plot<'a>(&self, area: &DrawingArea<SVGBackend<'a>, Shift>) -> DrawResult<(), SVGBackend<'a>> {
        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .x_label_area_size(56)
            .y_label_area_size(70)
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        chart
            .configure_mesh()
            .x_desc(&self.x.title)
            .y_desc(&self.y.title)
            .x_labels(self.x.ticks.len())
            .y_labels(self.y.ticks.len())
            .axis_desc_style(("sans-serif", 18, &INK))
            .label_style(("sans-serif", 17, &INK))
            .axis_style(INK)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .draw()?;
        if let Some(reference) = &self.reference {
            chart.draw_series(LineSeries::new(reference.points(&self.x.range), INK.stroke_width(1)))?;
        }
        for curve in self.curves.iter().filter(|curve| curve.drawn != Drawn::Markers) {
            let style = curve.look.colour.stroke_width(2);
            let points = curve.points.iter().copied();
            match curve.look.dashes {
                None => chart.draw_series(LineSeries::new(points, style))?,
                Some((dash, gap)) => chart.draw_series(DashedLineSeries::new(points, dash, gap, style))?,
            };
        }
        // All markers above all lines.
        for curve in &self.curves {
            for &(x, low, high) in &curve.spans {
                let ends = [chart.backend_coord(&(x, low)), chart.backend_coord(&(x, high))];
                draw_span(
                    area,
                    curve.look,
                    ends.map(|(x, y)| (x - area.get_base_pixel().0, y - area.get_base_pixel().1)),
                )?;
            }
            for &point in curve.points.iter().filter(|_| curve.drawn != Drawn::Line) {
                let (x, y) = chart.backend_coord(&point);
                let (left, top) = area.get_base_pixel();
                draw_marker(area, curve.look, (x - left, y - top))?;
            }
        }
        Ok(())
    }

    fn draw_legend<'a>(&self, area: &DrawingArea<SVGBackend<'a>, Shift>) -> DrawResult<(), SVGBackend<'a>> {
        let text = ("sans-serif", 17, &INK).into_text_style(area).pos(Pos::new(HPos::Left, VPos::Center));
        let mut y = 24;
        for curve in &self.curves {
            let ends = vec![(6, y), (50, y)];
            let style = curve.look.colour.stroke_width(2);
            match curve.look.dashes {
                _ if curve.drawn == Drawn::Markers => {}
                None => area.draw(&PathElement::new(ends, style))?,
                Some((dash, gap)) => area.draw(&DashedPathElement::new(ends, dash, gap, style))?,
            }
            if curve.drawn != Drawn::Line {
                draw_marker(area, curve.look, (28, y))?;
            }
            area.draw_text(&curve.name, &text, (60, y))?;
            y += 26;
        }
        if let Some(reference) = &self.reference {
            area.draw(&PathElement::new(vec![(6, y), (50, y)], INK.stroke_width(1)))?;
            area.draw_text(reference.meaning(), &text, (60, y))?;
        }
        Ok(())
    }
}

/// Draws an interval: an upright line with a bar at each end.
fn draw_span<'a>(
    area: &DrawingArea<SVGBackend<'a>, Shift>,
    look: Look,
    [(x, low), (_, high)]: [(i32, i32); 2],
) -> DrawResult<(), SVGBackend<'a>> {
    let bar = |y| vec![(x - 5, y), (x + 5, y)];
    for line in [vec![(x, low), (x, high)], bar(low), bar(high)] {
        area.draw(&PathElement::new(line, look.colour.stroke_width(1)))?;
    }
    Ok(())
}

/// Draws a marker around a pixel. Hollow ones are filled with the ground, so that what is below does not shine through.
fn draw_marker<'a>(
    area: &DrawingArea<SVGBackend<'a>, Shift>,
    look: Look,
    (x, y): (i32, i32),
) -> DrawResult<(), SVGBackend<'a>> {
    let around = |offsets: &[(i32, i32)]| offsets.iter().map(|(dx, dy)| (x + dx, y + dy)).collect::<Vec<_>>();
    let square = [(-4, -4), (4, -4), (4, 4), (-4, 4), (-4, -4)];
    let filled = look.colour.filled();
    let hollow = look.colour.stroke_width(2);
    match look.marker {
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

/// The picture with a title that screen readers find.
fn with_title(svg: &str, title: &str) -> String {
    let title = title.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    match svg.split_once("<svg ").and_then(|(before, rest)| Some((before, rest.split_once('>')?))) {
        Some((before, (attributes, rest))) => {
            format!("{before}<svg role=\"img\" {attributes}>\n<title>{title}</title>{rest}")
        }
        None => svg.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_that_can_be_told_apart() {
        let looks: Vec<Look> = (0..28).map(Look::nth).collect();
        assert_eq!(looks[..7], Look::ALL);
        for (number, look) in looks.iter().enumerate() {
            assert!(!looks[..number].contains(look), "{number}");
        }
    }

    #[test]
    fn round_axes() {
        let axis = Axis::round("", [0.93, 1.21].into_iter(), |value, _| format!("{value:.2}"));
        let labels: Vec<&str> = axis.ticks.iter().map(|tick| tick.1.as_str()).collect();
        assert_eq!(labels, ["0.90", "0.95", "1.00", "1.05", "1.10", "1.15", "1.20", "1.25"]);
        assert_eq!(round_step(0.02), 0.02);
        assert_eq!(round_step(3.0), 5.0);
        let single = Axis::round("", [2.0].into_iter(), |value, _| value.to_string());
        assert!(single.range.start < 2.0 && 2.0 < single.range.end);
    }
}
