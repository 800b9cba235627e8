//! Common parts of the pages of the studies.

use super::StudyError;
use super::panel::Panel;
use super::record::StudyRow;
use crate::report::figures::style;
use sesame_report::chart::{Axis, Chart, Curve};
use sesame_report::markdown::{DASH, Table, Unit, grouped, or_dash, percent, size};
use sesame_report::statistics::Estimate;
use sesame_table::Scheme;

/// The files of a page by name: the page and its pictures.
pub(super) type PageFiles = Vec<(String, String)>;

/// All rows of one setting at one table size.
#[derive(Debug)]
pub(super) struct Setting<'a> {
    pub(super) name: &'a str,
    /// The table's size in positions.
    pub(super) positions: usize,
    pub(super) depth: u32,
    pub(super) panel: Panel,
}

impl Setting<'_> {
    /// Describes the searches compared: `224 positions of 16 games to depth 6`.
    pub(super) fn extent(&self) -> String {
        format!("{} positions of {} games to depth {}", self.panel.positions(), self.panel.games(), self.depth)
    }

    /// Returns the mean nodes of the base arm per position, divided by the number of positions that the table
    /// holds.
    pub(super) fn crowding(&self, base: &str) -> Option<f64> {
        Some(self.panel.total(base)? / self.panel.positions() as f64 / self.positions as f64)
    }
}

/// Groups the rows by setting and table size, in their order.
pub(super) fn settings(rows: &[StudyRow]) -> Vec<Setting<'_>> {
    let mut groups: Vec<(&str, usize, Vec<&StudyRow>)> = Vec::new();
    for row in rows {
        match groups.iter_mut().find(|(name, positions, _)| *name == row.setting && *positions == row.positions) {
            Some((_, _, group)) => group.push(row),
            None => groups.push((&row.setting, row.positions, vec![row])),
        }
    }
    let setting = |(name, positions, group): (_, _, Vec<&StudyRow>)| {
        let depth = group.iter().map(|row| row.depth).max().unwrap_or(0);
        Setting { name, positions, depth, panel: Panel::new(group) }
    };
    groups.into_iter().map(setting).collect()
}

/// Returns the head of a page: its title, the command that wrote it, the file with every search, and the
/// engine if its search was used.
pub(super) fn head(title: &str, command: &str, program: Option<&str>) -> String {
    format!(
        "# {title}\n\nWritten by `sesame-lab {command}`, which also makes the searches; `--page` writes the \
         page alone. Each search is a line of [{command}.csv]({command}.csv).{}\n\n",
        program.map_or_else(String::new, engine)
    )
}

/// Names the engine of the searches, with its evaluation.
fn engine(program: &str) -> String {
    match program {
        "0.1.0" => " Sesame's searches are those of version 0.1.0 with its hand-written evaluation (commit \
                    8a0604f or earlier)."
            .to_owned(),
        program => format!(" Sesame's searches are those of version {program}."),
    }
}

/// The explanation of the intervals.
pub(super) const INTERVALS: &str = "Ratios are geometric means over positions; in brackets is the interval \
     that holds 95 % of 4,000 bootstrap resamples of whole games (the positions of a game resemble each \
     other). **Bold**: the interval does not touch 0 %. With 16 games or fewer such intervals are somewhat \
     too narrow: with 18 independent values an interval called 95 % covers some 92 %, \
     and with six games less. A bold figure close to 0 % proves little.\n\n";

/// Formats a ratio as a difference in percent with its interval, in bold if the interval excludes 0 %.
pub(super) fn difference(estimate: Option<Estimate>) -> String {
    or_dash(estimate, |estimate| {
        let text = Unit::Difference.write_estimate(estimate);
        if estimate.interval.contains(1.0) { text } else { format!("**{text}**") }
    })
}

/// Returns a table of the arms: nodes, ratio to `base`, and ranks.
pub(super) fn ratios(setting: &Setting<'_>, base: &str) -> Table {
    let panel = &setting.panel;
    let against = format!("against {base}");
    let mut table = Table::new(["scheme", "nodes", &against, "best in", "of the best two in"]);
    for (arm, rank) in panel.arms().iter().zip(panel.ranks()) {
        let ratio = if arm == base { DASH.to_owned() } else { difference(panel.ratio(arm, base)) };
        let nodes = or_dash(panel.total(arm), |nodes| grouped(nodes.round() as u64));
        table.row([arm.clone(), nodes, ratio, percent(rank.best), percent(rank.best_two)]);
    }
    table
}

/// Returns the arms that no other arm beats with an interval that excludes 0 %, the one with the fewest nodes
/// first.
pub(super) fn unbeaten(panel: &Panel) -> Vec<&str> {
    let is_beaten = |arm: &str| {
        let beats = |other: &String| panel.ratio(arm, other).is_some_and(|ratio| ratio.interval.low > 1.0);
        panel.arms().iter().any(beats)
    };
    let mut arms: Vec<&str> = panel.arms().iter().map(String::as_str).filter(|arm| !is_beaten(arm)).collect();
    let first = panel.arms().first().map_or("", String::as_str);
    let value = |arm: &str| panel.ratio(arm, first).map_or(1.0, |ratio| ratio.value);
    arms.sort_by(|a, b| value(a).total_cmp(&value(b)));
    arms
}

/// Returns the arms from the fewest nodes (geometric mean) to the most.
pub(super) fn order(panel: &Panel) -> Vec<&str> {
    let mut arms: Vec<&str> = panel.arms().iter().map(String::as_str).collect();
    let first = panel.arms().first().map_or("", String::as_str);
    let value = |arm: &str| panel.ratio(arm, first).map_or(1.0, |ratio| ratio.value);
    arms.sort_by(|a, b| value(a).total_cmp(&value(b)));
    arms
}

/// Joins words: `a, b and c`.
pub(super) fn list(words: &[&str]) -> String {
    match words {
        [] => "none".to_owned(),
        [word] => (*word).to_owned(),
        [words @ .., last] => format!("{} and {last}", words.join(", ")),
    }
}

/// Draws one line for each scheme over the labelled settings: the ratio to `base`.
pub(super) fn picture(
    title: &str,
    x_title: &str,
    settings: &[(String, &Setting<'_>)],
    base: &str,
) -> Result<String, StudyError> {
    let curve = |scheme: &Scheme| {
        let point = |((_, setting), x): (&(String, &Setting<'_>), usize)| {
            let ratio = if scheme.name() == base { 1.0 } else { setting.panel.ratio(scheme.name(), base)?.value };
            Some((x as f64, 100.0 * (ratio - 1.0)))
        };
        let points = settings.iter().zip(0..).filter_map(point).collect();
        Curve::new(scheme.name(), style(*scheme), points)
    };
    let curves: Vec<Curve> = Scheme::ALL.iter().map(curve).collect();
    let ticks = settings.iter().zip(0..).map(|((label, _), x)| (f64::from(x), label.clone())).collect();
    let heights = curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.1));
    let chart = Chart {
        title: title.to_owned(),
        x: Axis { title: x_title.to_owned(), ticks, range: -0.3..settings.len() as f64 - 0.7 },
        y: Axis::round(&format!("nodes against {base}, in %"), heights.collect::<Vec<_>>().into_iter(), |value, _| {
            format!("{value:+.0}").replace("+0", "0").replace("-0", "0").replace('-', "−")
        }),
        curves,
        reference: None,
    };
    chart.draw().map_err(|error| StudyError::Picture(error.to_string()))
}

/// Formats a table size.
pub(super) fn size_label(positions: usize) -> String {
    if positions.is_multiple_of(1024) { size(positions) } else { grouped(positions as u64) }
}
