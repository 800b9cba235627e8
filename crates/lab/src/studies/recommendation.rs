//! The recommendation of the engine's default scheme, from nodes, moves and scores of two studies and from
//! matches.

use super::modern::{self, ReferenceSearches};
use super::page::{self, Setting};
use super::panel::Panel;
use super::record::StudyRow;
use sesame_report::markdown::{Table as MarkdownTable, or_dash};
use sesame_report::statistics::Estimate;
use sesame_table::Scheme;

/// The engine's default.
const BASE: Scheme = Scheme::TwoBig1;

/// The greatest loss of reference moves that counts as not worse, as a share of the positions.
const MOVES_MARGIN: f64 = 0.01;
/// The greatest excess of score differences that counts as not worse, in centipawns.
const SCORES_MARGIN: f64 = 1.0;

/// A match of a scheme against the default at equal nodes, from `docs/results/strength-log.md`.
struct SchemeMatch {
    scheme: Scheme,
    games: u32,
    /// The Elo difference for the scheme, with its 95 % error.
    elo: i32,
    error: i32,
}

/// The matches played: 10,000 nodes a move, tables of 32 KiB (2,048 positions).
const MATCHES: [SchemeMatch; 2] = [
    SchemeMatch { scheme: Scheme::New, games: 500, elo: -36, error: 23 },
    SchemeMatch { scheme: Scheme::TwoDeep, games: 340, elo: 0, error: 31 },
];

impl SchemeMatch {
    fn is_won(&self) -> bool {
        self.elo > self.error
    }

    fn description(&self) -> String {
        let Self { scheme, games, elo, error } = self;
        let elo = if *elo == 0 { "0".to_owned() } else { format!("{elo:+}").replace('-', "−") };
        format!("{scheme} against {BASE} {elo} ± {error} Elo ({games} games)")
    }
}

/// The comparison of a loss with its margin.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Worse {
    Yes,
    No,
    CannotTell,
}

impl Worse {
    /// Classifies a loss: worse if its interval is above 0, not worse if it ends below the margin.
    fn of(loss: Option<Estimate>, margin: f64) -> Self {
        match loss {
            Some(loss) if loss.interval.low > 0.0 => Worse::Yes,
            Some(loss) if loss.interval.high <= margin => Worse::No,
            _ => Worse::CannotTell,
        }
    }
}

/// The comparison of a scheme with the default.
#[derive(Clone, PartialEq, Debug)]
struct SchemeComparison {
    scheme: Scheme,
    /// The number of settings of both studies in which it needs fewer nodes, and more, with an interval that
    /// excludes 0 %.
    fewer: u32,
    more: u32,
    /// Over all table sizes of Sesame's search with one thread: the ratio of the nodes, the loss of reference
    /// moves, and the excess of score differences.
    nodes: Option<Estimate>,
    moves_lost: Option<Estimate>,
    further_off: Option<Estimate>,
}

impl SchemeComparison {
    fn new(scheme: Scheme, settings: &[&Setting<'_>], modern: &[StudyRow], reference: &ReferenceSearches) -> Self {
        let of_arm = |arm: Scheme| -> Vec<&StudyRow> {
            modern.iter().filter(|row| row.setting == modern::MERGE && row.arm == arm.name()).collect()
        };
        let (own, base) = (of_arm(scheme), of_arm(BASE));
        let ratios = || settings.iter().filter_map(|setting| setting.panel.ratio(scheme.name(), BASE.name()));
        Self {
            scheme,
            fewer: ratios().filter(|ratio| ratio.interval.high < 1.0).count() as u32,
            more: ratios().filter(|ratio| ratio.interval.low > 1.0).count() as u32,
            nodes: pooled(own.iter().chain(&base).copied()).ratio(scheme.name(), BASE.name()),
            moves_lost: reference.moves_lost(&own, &base),
            further_off: reference.further_off(&own, &base),
        }
    }

    fn saves_nodes(&self) -> bool {
        self.more == 0 && self.nodes.is_some_and(|nodes| nodes.interval.high < 1.0)
    }

    /// Returns the reasons against it as the default.
    fn obstacles(&self) -> Vec<&'static str> {
        let mut obstacles = Vec::new();
        if !self.saves_nodes() {
            obstacles.push("does not save nodes");
        }
        match Worse::of(self.moves_lost, MOVES_MARGIN) {
            Worse::Yes => obstacles.push("moves are worse"),
            Worse::No => (),
            Worse::CannotTell => obstacles.push("moves: cannot tell"),
        }
        match Worse::of(self.further_off, SCORES_MARGIN) {
            Worse::Yes => obstacles.push("scores are worse"),
            Worse::No => (),
            Worse::CannotTell => obstacles.push("scores: cannot tell"),
        }
        obstacles
    }
}

/// Returns one panel over all table sizes, in which each search counts once.
fn pooled<'a>(rows: impl Iterator<Item = &'a StudyRow>) -> Panel {
    let mut sizes: Vec<usize> = Vec::new();
    let apart = |row: &StudyRow| {
        let size = sizes.iter().position(|&size| size == row.positions).unwrap_or_else(|| {
            sizes.push(row.positions);
            sizes.len() - 1
        });
        // A panel identifies positions by game and ply; no game has so many plies.
        StudyRow { ply: row.ply + 10_000 * size as u32, ..row.clone() }
    };
    let rows: Vec<StudyRow> = rows.map(apart).collect();
    Panel::new(&rows)
}

/// Returns the recommendation from the settings of the study with threads, the results of Sesame's search
/// (`modern`) and the matches.
pub(super) fn recommendation(threads: &[Setting<'_>], modern: Option<&[StudyRow]>) -> String {
    let Some(modern) = modern else {
        return "The recommendation needs the results of `sesame-lab modern`.\n".to_owned();
    };
    let all = page::settings(modern);
    let own: Vec<&Setting<'_>> = all.iter().filter(|setting| setting.name == modern::MERGE).collect();
    let settings: Vec<&Setting<'_>> = threads.iter().chain(own.iter().copied()).collect();
    let reference = ReferenceSearches::new(modern.iter().filter(|row| row.setting == modern::REFERENCE));
    let rivals = Scheme::ALL.into_iter().filter(|&scheme| scheme != BASE);
    let comparisons: Vec<SchemeComparison> =
        rivals.map(|scheme| SchemeComparison::new(scheme, &settings, modern, &reference)).collect();
    let matches: Vec<String> = MATCHES.iter().map(SchemeMatch::description).collect();
    format!(
        "{RULE}{}\n{}\n\nMatches at equal nodes, from the [strength log](../strength-log.md) (10,000 nodes a \
         move, tables of 32 KiB, which are 2,048 positions): {}.\n\n{}{NO_MEASURE}",
        table(&comparisons, settings.len()),
        verdict(&comparisons),
        matches.join("; "),
        at_the_largest(&own),
    )
}

fn table(comparisons: &[SchemeComparison], settings: usize) -> MarkdownTable {
    let header = [
        "scheme".to_owned(),
        format!("fewer nodes in, of {settings}"),
        "more nodes in".to_owned(),
        "nodes, pooled".to_owned(),
        "reference's move, pooled, in points".to_owned(),
        "further off its score, pooled".to_owned(),
        format!("against replacing {BASE}"),
    ];
    let mut table = MarkdownTable::new(header);
    for comparison in comparisons {
        let obstacles = comparison.obstacles();
        let points = or_dash(comparison.moves_lost, |lost| {
            let [value, low, high] =
                [lost.value, lost.interval.high, lost.interval.low].map(|share| 0.0 - 100.0 * share);
            modern::signed(value, low, high)
        });
        table.row([
            comparison.scheme.name().to_owned(),
            comparison.fewer.to_string(),
            comparison.more.to_string(),
            page::difference(comparison.nodes),
            points,
            modern::centipawns(comparison.further_off),
            if obstacles.is_empty() { "nothing".to_owned() } else { obstacles.join("; ") },
        ]);
    }
    table
}

fn verdict(comparisons: &[SchemeComparison]) -> String {
    let nodes = |comparison: &&SchemeComparison| comparison.nodes.map_or(1.0, |nodes| nodes.value);
    let rivals = comparisons.iter().filter(|comparison| comparison.obstacles().is_empty());
    let Some(SchemeComparison { scheme, .. }) = rivals.min_by(|a, b| nodes(a).total_cmp(&nodes(b))) else {
        return format!("No scheme is shown to save nodes without worse moves or scores: {BASE} stays the default.");
    };
    match MATCHES.iter().find(|played| played.scheme == *scheme) {
        Some(played) if played.is_won() => {
            format!("{scheme} saves nodes, is not worse, and has won its match: it is to be the default.")
        }
        Some(_) => {
            format!("{scheme} saves nodes and is not worse, but has not won its match: {BASE} stays the default.")
        }
        None => format!("{scheme} saves nodes and is not worse: until it has won a match {BASE} stays the default."),
    }
}

/// Describes the rank of the default at the largest table, the one of the engine at play.
fn at_the_largest(own: &[&Setting<'_>]) -> String {
    let Some(setting) = own.iter().max_by_key(|setting| setting.positions) else { return String::new() };
    let (panel, size) = (&setting.panel, page::size_label(setting.positions));
    let order = page::order(panel);
    let Some(place) = order.iter().position(|&arm| arm == BASE.name()) else { return String::new() };
    let ratio = |arm: &str| panel.ratio(arm, BASE.name());
    let fewer: Vec<String> = order
        .iter()
        .filter(|arm| ratio(arm).is_some_and(|ratio| ratio.interval.high < 1.0))
        .map(|arm| format!("{arm} {}", page::difference(ratio(arm))))
        .collect();
    let rank = if place + 1 == order.len() {
        "needs the most nodes of all schemes".to_owned()
    } else {
        format!("is at place {} of {} by nodes", place + 1, order.len())
    };
    let fewer = if fewer.is_empty() { "no scheme clearly needs fewer".to_owned() } else { fewer.join(", ") };
    format!(
        "In [modern.md](modern.md), at {size} positions and one thread (`{}`), {BASE} {rank}: {fewer}; of {} \
         games. That is a reason to play matches of long searches at that size, which has not been done. It \
         is no proof, as the next paragraph says.\n\n",
        setting.name,
        panel.games(),
    )
}

const RULE: &str = "A scheme can replace TWOBIG1 only if, pooled over all table sizes of \
     [modern.md](modern.md) (`merge`), it saves nodes and is not worse in moves and scores. *Not worse* has \
     to be shown: the interval of the loss of the reference's moves must end at 1 point (of 100 positions) or \
     before, and that of the scores at 1 centipawn or before. An interval that contains 0 and reaches beyond \
     the margin is \"cannot tell\". *Saves nodes*: the pooled interval lies below 0 %, and in no setting of \
     this page or of modern.md does the scheme need more nodes with an interval wholly above 0 %. *Pooled*: \
     each search counts once, and games are resampled; at 1024K positions there are 6 games instead of 16. \
     The reference is TWOBIG1's own search, which may favour TWOBIG1 in moves and scores. The matches have no \
     such bias.\n\n";

const NO_MEASURE: &str = "Nodes to a depth do not measure the strength of a selective search. A table that \
     loses entries makes the same nominal depth cheaper, because the search reduces more where it has no \
     move. Overwriting instead of merging saves a third of the nodes (modern.md) and loses 50 ± 26 Elo in 500 \
     games at equal nodes (strength log).\n";

#[cfg(test)]
mod tests {
    use super::*;
    use sesame_report::statistics::Interval;

    fn estimate(value: f64, low: f64, high: f64) -> Option<Estimate> {
        Some(Estimate { value, interval: Interval { low, high } })
    }

    #[test]
    fn losses_are_classified_by_their_interval() {
        assert_eq!(Worse::of(estimate(0.04, 0.01, 0.07), 0.01), Worse::Yes);
        assert_eq!(Worse::of(estimate(0.04, -0.01, 0.09), 0.01), Worse::CannotTell);
        assert_eq!(Worse::of(estimate(0.0, -0.03, 0.03), 0.01), Worse::CannotTell);
        assert_eq!(Worse::of(estimate(-0.01, -0.03, 0.01), 0.01), Worse::No);
        assert_eq!(Worse::of(None, 0.01), Worse::CannotTell);
    }

    #[test]
    fn match_is_won_beyond_its_error() {
        let played = |elo| SchemeMatch { scheme: Scheme::New, games: 500, elo, error: 23 };
        assert!(played(24).is_won() && !played(23).is_won() && !played(-36).is_won());
        assert_eq!(played(-36).description(), "NEW against TWOBIG1 −36 ± 23 Elo (500 games)");
        assert_eq!(MATCHES[1].description(), "TWODEEP against TWOBIG1 0 ± 31 Elo (340 games)");
    }

    #[test]
    fn pooling_counts_each_search_once() {
        let row = |arm, positions, nodes| StudyRow { positions, ..super::super::panel::tests::row(arm, 1, 20, nodes) };
        let rows =
            [row("a", 1, 100), row("b", 1, 200), row("a", 2, 100), row("b", 2, 50), row("a", 3, 100), row("b", 3, 800)];
        let panel = pooled(rows.iter());
        assert_eq!((panel.positions(), panel.games()), (3, 1));
        assert!((panel.ratio("b", "a").unwrap().value - 2.0).abs() < 1e-12);
    }
}
