//! Paired comparisons of measurements on the same positions.

use std::collections::BTreeMap;

use super::record::StudyRow;
use sesame_report::statistics::{Estimate, bootstrap};

/// The logarithms of the nodes of several arms on the same positions, by game.
///
/// Intervals resample whole games, since the positions of a game resemble each other: resampled positions
/// would give too narrow intervals.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// The names of the arms, in the order of the rows.
    arms: Vec<String>,
    /// For each game, for each of its positions, the mean logarithm of each arm.
    games: Vec<Vec<Vec<f64>>>,
    /// The nodes of each arm on all positions, a mean over the repetitions.
    totals: Vec<f64>,
}

/// The ranks of an arm in the resamples.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Rank {
    /// The share of the resamples in which it needs the fewest nodes.
    pub best: f64,
    /// The share in which it is one of the best two.
    pub best_two: f64,
}

/// One arm on one position: the sum of logarithms, the sum of nodes, the repetitions.
type Sums = (f64, f64, u32);

impl Panel {
    /// Compares the arms of `rows` on the positions that all of them have, with repetitions averaged. Rows of
    /// 0 nodes are left out.
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
        let mut games: Vec<(u32, Vec<Vec<f64>>)> = Vec::new();
        for ((game, _), cell) in cells {
            for (total, &(_, nodes, count)) in totals.iter_mut().zip(&cell) {
                *total += nodes / f64::from(count);
            }
            let logarithms = cell.iter().map(|&(sum, _, count)| sum / f64::from(count)).collect();
            match games.last_mut() {
                Some((last, positions)) if *last == game => positions.push(logarithms),
                _ => games.push((game, vec![logarithms])),
            }
        }
        Self { arms, games: games.into_iter().map(|(_, positions)| positions).collect(), totals }
    }

    /// Returns the arms, in the order of the rows.
    pub fn arms(&self) -> &[String] {
        &self.arms
    }

    /// Returns the number of positions compared.
    pub fn positions(&self) -> usize {
        self.games.iter().map(Vec::len).sum()
    }

    /// Returns the number of games that they come from.
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// Returns the nodes of an arm on all positions.
    pub fn total(&self, arm: &str) -> Option<f64> {
        self.totals.get(self.index(arm)?).copied()
    }

    fn index(&self, arm: &str) -> Option<usize> {
        self.arms.iter().position(|name| name == arm)
    }

    /// Returns the geometric mean of the ratios of `arm` to `base` over all positions, with its interval.
    pub fn ratio(&self, arm: &str, base: &str) -> Option<Estimate> {
        let (arm, base) = (self.index(arm)?, self.index(base)?);
        let sums: Vec<(f64, f64)> = self
            .games
            .iter()
            .map(|positions| (positions.iter().map(|logs| logs[arm] - logs[base]).sum(), positions.len() as f64))
            .collect();
        bootstrap(self.games.len(), |picks| {
            let (sum, count) =
                picks.iter().fold((0.0, 0.0), |(sum, count), &game| (sum + sums[game].0, count + sums[game].1));
            (sum / count).exp()
        })
    }

    /// Returns the ranks of each arm, in the order of [`Panel::arms`].
    pub fn ranks(&self) -> Vec<Rank> {
        let sums: Vec<Vec<f64>> = self
            .games
            .iter()
            .map(|positions| (0..self.arms.len()).map(|arm| positions.iter().map(|logs| logs[arm]).sum()).collect())
            .collect();
        let mut wins = vec![(0u32, 0u32); self.arms.len()];
        let mut calls = 0;
        bootstrap(self.games.len(), |picks| {
            calls += 1;
            // The first call passes the data themselves.
            if calls > 1 {
                let total = |arm: usize| picks.iter().map(|&game| sums[game][arm]).sum::<f64>();
                let mut order: Vec<(f64, usize)> = (0..wins.len()).map(|arm| (total(arm), arm)).collect();
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
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a row of the setting `nodes` at 8192 positions.
    pub(in crate::studies) fn row(arm: &str, game: u32, ply: u32, nodes: u64) -> StudyRow {
        StudyRow {
            setting: "nodes".into(),
            positions: 8192,
            arm: arm.into(),
            threads: 1,
            repeat: 1,
            game,
            ply,
            depth: 5,
            nodes,
            score: 0,
            best: "e2e4".into(),
        }
    }

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
        let mut rows = Vec::new();
        for game in 1..20 {
            let other = if game % 2 == 0 { 90 } else { 110 };
            rows.extend([row("best", game, 0, 50), row("x", game, 0, 100), row("y", game, 0, other)]);
        }
        let ranks = Panel::new(&rows).ranks();
        assert_eq!(ranks[0], Rank { best: 1.0, best_two: 1.0 });
        assert!((0.2..0.8).contains(&ranks[1].best_two), "{ranks:?}");
        assert!((ranks[1].best_two + ranks[2].best_two - 1.0).abs() < 1e-9);
    }
}
