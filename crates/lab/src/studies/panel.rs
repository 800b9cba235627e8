//! Paired comparisons of searches of the same positions, and their tables and pictures.

use std::collections::BTreeMap;

use super::StudyRow;
use crate::report::tables::{in_words, style};
use sesame_report::ChartError;
use sesame_report::chart::{Axis, Chart, Curve, Reference};
use sesame_report::markdown::fill;
use sesame_report::markdown::{DASH, Table, Unit, grouped, or_dash, percent, size};
use sesame_report::statistics::{Estimate, bootstrap};
use sesame_table::Scheme;

pub(super) type PageFiles = Vec<(String, String)>;

pub(super) const INTERVALS: &str = include_str!("../pages/intervals.md");

/// Logarithms of the nodes of several arms on the same positions, by game. Intervals resample whole games: the positions of a
/// game resemble each other, so resampled positions would give too narrow intervals.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// In the order of the rows.
    arms: Vec<String>,
    /// By game and position: the mean logarithm of each arm.
    games: Vec<Vec<Vec<f64>>>,
    /// By arm, on all positions: a mean over the repetitions.
    totals: Vec<f64>,
}

#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Rank {
    /// Share of the resamples in which the arm needs the fewest nodes.
    pub best: f64,
    pub best_two: f64,
}

/// One arm on one position: sum of logarithms, sum of nodes, repetitions.
type Sums = (f64, f64, u32);

impl Panel {
    /// Uses the positions that all arms of `rows` have, and averages repetitions. Leaves out rows of 0 nodes.
    pub fn new<'a>(rows: impl IntoIterator<Item = &'a StudyRow>) -> Self {
        let mut arms: Vec<String> = Vec::new();
        // By game and ply, for each arm.
        let mut cells: BTreeMap<(u32, u32), Vec<Sums>> = BTreeMap::new();
        for row in rows.into_iter().filter(|row| row.nodes > 0) {
            let arm = arms.iter().position(|arm| *arm == row.arm).unwrap_or_else(|| {
                arms.push(row.arm.clone());
                arms.len() - 1
            });
            let cell = cells.entry((row.game, row.ply)).or_default();
            cell.resize(cell.len().max(arm + 1), (0.0, 0.0, 0));
            let (logarithms, nodes, count) = &mut cell[arm];
            *logarithms += (row.nodes as f64).ln();
            *nodes += row.nodes as f64;
            *count += 1;
        }
        cells.retain(|_, cell| cell.len() == arms.len() && cell.iter().all(|&(_, _, count)| count > 0));
        let mut totals = vec![0.0; arms.len()];
        let mut games: BTreeMap<u32, Vec<Vec<f64>>> = BTreeMap::new();
        for ((game, _), cell) in cells {
            for (total, &(_, nodes, count)) in totals.iter_mut().zip(&cell) {
                *total += nodes / f64::from(count);
            }
            let logarithms = cell.iter().map(|&(sum, _, count)| sum / f64::from(count)).collect();
            games.entry(game).or_default().push(logarithms);
        }
        Self { arms, games: games.into_values().collect(), totals }
    }

    pub fn arms(&self) -> &[String] {
        &self.arms
    }

    pub fn positions(&self) -> usize {
        self.games.iter().map(Vec::len).sum()
    }

    pub fn games(&self) -> usize {
        self.games.len()
    }

    pub fn total(&self, arm: &str) -> Option<f64> {
        self.totals.get(self.index(arm)?).copied()
    }

    fn index(&self, arm: &str) -> Option<usize> {
        self.arms.iter().position(|name| name == arm)
    }

    /// Geometric mean over all positions.
    pub fn ratio(&self, arm: &str, base: &str) -> Option<Estimate> {
        let (arm, base) = (self.index(arm)?, self.index(base)?);
        let game = |positions: &Vec<Vec<f64>>| {
            (positions.iter().map(|logs| logs[arm] - logs[base]).sum::<f64>(), positions.len() as f64)
        };
        let sums: Vec<(f64, f64)> = self.games.iter().map(game).collect();
        bootstrap(sums.len(), |picks| {
            let add = |(sum, count), &game: &usize| (sum + sums[game].0, count + sums[game].1);
            let (sum, count) = picks.iter().fold((0.0, 0.0), add);
            (sum / count).exp()
        })
    }

    /// In the order of [`Panel::arms`].
    pub fn ranks(&self) -> Vec<Rank> {
        let arms = 0..self.arms.len();
        let game = |positions: &Vec<Vec<f64>>| -> Vec<f64> {
            arms.clone().map(|arm| positions.iter().map(|logs| logs[arm]).sum()).collect()
        };
        let sums: Vec<Vec<f64>> = self.games.iter().map(game).collect();
        let mut wins = vec![(0u32, 0u32); self.arms.len()];
        let mut calls = 0;
        bootstrap(self.games.len(), |picks| {
            calls += 1;
            // The first call passes the data themselves.
            if calls > 1 {
                let total = |arm: usize| picks.iter().map(|&game| sums[game][arm]).sum::<f64>();
                let mut order: Vec<(f64, usize)> = arms.clone().map(|arm| (total(arm), arm)).collect();
                order.sort_by(|a, b| a.0.total_cmp(&b.0));
                for (place, &(_, arm)) in order.iter().take(2).enumerate() {
                    wins[arm].0 += u32::from(place == 0);
                    wins[arm].1 += 1;
                }
            }
            0.0
        });
        let share = |count: u32| f64::from(count) / f64::from((calls - 1).max(1));
        wins.iter().map(|&(best, best_two)| Rank { best: share(best), best_two: share(best_two) }).collect()
    }

    /// From the fewest nodes (geometric mean) to the most.
    pub(super) fn order(&self) -> Vec<&str> {
        let mut arms: Vec<&str> = self.arms.iter().map(String::as_str).collect();
        let value = |arm: &str| self.ratio(arm, &self.arms[0]).map_or(1.0, |ratio| ratio.value);
        arms.sort_by(|a, b| value(a).total_cmp(&value(b)));
        arms
    }

    /// No other arm beats these with an interval that excludes 0 %.
    pub(super) fn unbeaten(&self) -> Vec<&str> {
        let beats = |arm: &str, other: &String| self.ratio(arm, other).is_some_and(|ratio| ratio.interval.low > 1.0);
        let mut arms = self.order();
        arms.retain(|arm| !self.arms.iter().any(|other| beats(arm, other)));
        arms
    }
}

/// Rows of one setting at one table size.
#[derive(Debug)]
pub(super) struct Setting<'a> {
    pub(super) name: &'a str,
    /// Of the table.
    pub(super) positions: usize,
    depth: u32,
    pub(super) panel: Panel,
}

impl Setting<'_> {
    /// `224 positions of 16 games to depth 6`.
    pub(super) fn extent(&self) -> String {
        format!("{} positions of {} games to depth {}", self.panel.positions(), self.panel.games(), self.depth)
    }

    /// Nodes, ratio to `base`, and ranks.
    pub(super) fn ratios(&self, base: &str) -> Table {
        let against = format!("against {base}");
        let mut table = Table::new(["scheme", "nodes", &against, "best in", "of the best two in"]);
        for (arm, rank) in self.panel.arms.iter().zip(self.panel.ranks()) {
            let ratio = if arm == base { DASH.to_owned() } else { difference(self.panel.ratio(arm, base)) };
            let nodes = or_dash(self.panel.total(arm), |nodes| grouped(nodes.round() as u64));
            table.row([arm.clone(), nodes, ratio, percent(rank.best), percent(rank.best_two)]);
        }
        table
    }
}

/// By setting and table size, in their order.
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

/// The command that wrote the page, the file with every search, the engine.
pub(super) fn origin(command: &str, program: &str) -> String {
    let engine = match program {
        "0.1.0" => "0.1.0 with its hand-written evaluation (commit 8a0604f or earlier)",
        program => program,
    };
    fill(include_str!("../pages/origin.md"), &[("command", &command), ("engine", &engine)])
}

/// In percent with its interval, in bold if the interval excludes 0 %.
pub(super) fn difference(estimate: Option<Estimate>) -> String {
    or_dash(estimate, |estimate| {
        let text = Unit::Difference.write_estimate(estimate);
        if estimate.interval.contains(1.0) { text } else { format!("**{text}**") }
    })
}

/// The ratio to `base`, with one panel for each other scheme over the labelled settings.
pub(super) fn picture(
    title: &str,
    x_title: &str,
    settings: &[(String, &Setting<'_>)],
    base: Scheme,
) -> Result<String, ChartError> {
    let curve = |scheme: &Scheme| {
        let point = |((_, setting), x): (&(String, &Setting<'_>), usize)| {
            Some((x as f64, 100.0 * (setting.panel.ratio(scheme.name(), base.name())?.value - 1.0)))
        };
        Curve::new(in_words(*scheme), style(*scheme), settings.iter().zip(0..).filter_map(point).collect())
    };
    let curves: Vec<Curve> = Scheme::ALL.iter().filter(|scheme| **scheme != base).map(curve).collect();
    let ticks = settings.iter().zip(0..).map(|((label, _), x)| (f64::from(x), label.clone())).collect();
    let heights: Vec<f64> =
        curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.1)).chain([0.0]).collect();
    let label = |value: f64, _| format!("{value:+.0}").replace("+0", "0").replace("-0", "0").replace('-', "−");
    Chart {
        title: title.to_owned(),
        x: Axis { title: x_title.to_owned(), ticks, range: -0.3..settings.len() as f64 - 0.7 },
        y: Axis::round(&format!("nodes more than {base}, in %; lower is better"), heights.into_iter(), label),
        curves,
        reference: Some(Reference::Level(0.0, in_words(base))),
    }
    .draw_panels()
}

pub(super) fn size_label(positions: usize) -> String {
    if positions.is_multiple_of(1024) { size(positions) } else { grouped(positions as u64) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::row;
    use super::*;

    #[test]
    fn ratios_are_paired_and_geometric() {
        let rows = [
            row("a", 1, 0, 100),
            row("a", 1, 2, 1000),
            row("a", 2, 0, 50),
            row("b", 1, 0, 200),
            row("b", 1, 2, 500),
            row("b", 2, 0, 400),
            row("b", 2, 2, 7),
            row("b", 3, 0, 0),
        ];
        let panel = Panel::new(&rows);
        assert_eq!((panel.arms(), panel.positions(), panel.games()), (&["a".to_owned(), "b".to_owned()][..], 3, 2));
        assert_eq!(panel.total("b"), Some(1100.0));
        let ratio = panel.ratio("b", "a").unwrap();
        assert!((ratio.value - 2.0).abs() < 1e-12, "{ratio:?}");
        // A resample of one game drawn twice has the ratio of that game, 1 or 8.
        assert!((ratio.interval.low - 1.0).abs() < 1e-12 && (ratio.interval.high - 8.0).abs() < 1e-12, "{ratio:?}");
        assert_eq!(panel.ratio("b", "c"), None);
    }

    #[test]
    fn repetitions_are_averaged() {
        let mut rows = vec![row("a", 1, 0, 100), row("a", 1, 0, 400), row("b", 1, 0, 100)];
        rows[1].repeat = 2;
        let panel = Panel::new(&rows);
        assert_eq!(panel.total("a"), Some(250.0));
        assert!((panel.ratio("a", "b").unwrap().value - 2.0).abs() < 1e-12);
    }

    #[test]
    fn ranks_of_a_winner_and_of_equals() {
        let game = |game| {
            let other = if game % 2 == 0 { 90 } else { 110 };
            [row("best", game, 0, 50), row("x", game, 0, 100), row("y", game, 0, other)]
        };
        let rows: Vec<StudyRow> = (1..20).flat_map(game).collect();
        let ranks = Panel::new(&rows).ranks();
        assert_eq!(ranks[0], Rank { best: 1.0, best_two: 1.0 });
        assert!((0.2..0.8).contains(&ranks[1].best_two), "{ranks:?}");
        assert!((ranks[1].best_two + ranks[2].best_two - 1.0).abs() < 1e-9);
    }
}
