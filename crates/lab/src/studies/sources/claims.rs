//! The page on the claims of other sources, with their verdicts.

use std::collections::HashMap;
use std::fmt::Display;
use std::ops::RangeInclusive;

use super::super::panel::{self, PageFiles, Panel, difference, size_label};
use super::super::{Study, StudyRow};
use super::{GUIDE_MIB, LARGE, ODD_SIZE, SIZES};
use sesame_report::markdown::fill;
use sesame_report::markdown::{DASH, grouped, or_dash, percent};
use sesame_report::statistics::{Estimate, Interval};

pub(in crate::studies) fn page(rows: &[StudyRow], program: &str) -> PageFiles {
    let claims: Vec<(&str, String)> = claims(rows).into_iter().map(|claim| (claim.key, claim.cells())).collect();
    let sizes = Panel::new(rows.iter().filter(|row| row.setting == "sizes"));
    let nodes = sizes.arms().first().and_then(|arm| sizes.total(arm));
    let nodes = or_dash(nodes, |nodes| grouped((nodes / sizes.positions().max(1) as f64) as u64));
    let (origin, settings) = (panel::origin(Study::Sources.name(), program), settings(rows));
    let mut values: Vec<(&str, &dyn Display)> =
        vec![("origin", &origin), ("intervals", &panel::INTERVALS), ("settings", &settings)];
    let positions = sizes.positions();
    values.extend([("guide positions", &positions as &dyn Display), ("guide nodes", &nodes)]);
    values.extend(claims.iter().map(|(key, cells)| (*key, cells as &dyn Display)));
    vec![("sources.md".to_owned(), fill(include_str!("../../pages/sources.md"), &values))]
}

/// Nodes of the settings whose arms are compared with the first.
fn settings(rows: &[StudyRow]) -> String {
    let section = |setting: panel::Setting<'_>| {
        let base = setting.panel.arms().first().filter(|_| ["replacement", "age", "index"].contains(&setting.name))?;
        let (size, ratios) = (size_label(setting.positions), setting.ratios(base));
        Some(format!("### {}, {size} positions\n\n{}.\n\n{ratios}\n", setting.name, setting.extent()))
    };
    panel::settings(rows).into_iter().filter_map(section).collect::<String>().trim_end().to_owned()
}

/// The claim's text is in the template of the page.
struct SourceClaim {
    key: &'static str,
    found: String,
    verdict: String,
}

impl SourceClaim {
    fn new(key: &'static str, found: String, verdict: impl Into<String>) -> Self {
        Self { key, found, verdict: verdict.into() }
    }

    fn cells(&self) -> String {
        format!("{} | {}", self.found, self.verdict)
    }
}

fn claims(rows: &[StudyRow]) -> Vec<SourceClaim> {
    let mut claims = vec![by_type(rows), halved(rows), stable(rows), unstable(rows), always(rows), aged(rows)];
    claims.extend(shared(rows));
    claims.extend(gains(rows));
    claims.extend([zobrist(rows), index(rows)]);
    claims
}

const NOT_RUN: &str = "was not run";
const CANNOT_TELL: &str = "cannot tell";

/// Greatest difference from 1 of an interval that counts as none.
const LITTLE: f64 = 0.02;

fn is_little(interval: &Interval) -> bool {
    interval.low >= 1.0 - LITTLE && interval.high <= 1.0 + LITTLE
}

/// Of an arm's nodes with another's over several sizes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Side {
    /// At every size.
    Fewer,
    /// At every size.
    More,
    /// At most [`LITTLE`] at every size.
    Alike,
    CannotTell,
    NotRun,
}

struct Arms<'a> {
    rows: &'a [StudyRow],
    setting: &'static str,
    arm: &'static str,
    base: &'static str,
}

impl Arms<'_> {
    fn ratio(&self, positions: usize) -> Option<Estimate> {
        let rows = self.rows.iter().filter(|row| row.setting == self.setting && row.positions == positions);
        Panel::new(rows).ratio(self.arm, self.base)
    }

    /// `1K: +2.0 % (..); 4K: ..`.
    fn ratios(&self, sizes: &[usize]) -> String {
        let one = |&size: &usize| format!("{}: {}", size_label(size), difference(self.ratio(size)));
        sizes.iter().map(one).collect::<Vec<_>>().join("; ")
    }

    fn side(&self, sizes: &[usize]) -> Side {
        let intervals = sizes.iter().map(|&size| Some(self.ratio(size)?.interval)).collect::<Option<Vec<Interval>>>();
        match intervals {
            None => Side::NotRun,
            Some(all) if all.iter().all(|interval| interval.high < 1.0) => Side::Fewer,
            Some(all) if all.iter().all(|interval| interval.low > 1.0) => Side::More,
            Some(all) if all.iter().all(is_little) => Side::Alike,
            Some(_) => Side::CannotTell,
        }
    }
}

/// Each with its subject.
fn both(first: &str, first_of: &str, second: &str, second_of: &str) -> String {
    if first == NOT_RUN && second == NOT_RUN {
        return NOT_RUN.to_owned();
    }
    format!("{first_of}: {first}; {second_of}: {second}")
}

fn by_type(rows: &[StudyRow]) -> SourceClaim {
    let against_deep = |arm| Arms { rows, setting: "replacement", arm, base: "DEEP" };
    let (by_type, viper) = (against_deep("type then depth"), against_deep("ViperMate"));
    let words = |arms: &Arms| match arms.side(&SIZES) {
        Side::Fewer => "saves nodes against depth alone",
        Side::More => "costs nodes against depth alone",
        Side::Alike => "is within 2 % of depth alone",
        Side::CannotTell => CANNOT_TELL,
        Side::NotRun => NOT_RUN,
    };
    let found = format!("by type: {}. The condition in its source: {}", by_type.ratios(&SIZES), viper.ratios(&SIZES));
    let verdict = both(words(&by_type), "by type", words(&viper), "the condition in its source");
    SourceClaim::new("by type", found, verdict)
}

fn halved(rows: &[StudyRow]) -> SourceClaim {
    const TOO_MUCH: &str = "is too much for ALIBABA at this depth";
    let panel = Panel::new(rows.iter().filter(|row| row.setting == "ViperMate"));
    let bare = panel.ratio("no moves", "no table");
    let whole = panel.ratio("moves and deeper entries", "no table");
    let words = |ratio: Option<Estimate>| match ratio.map(|ratio| ratio.interval) {
        None => NOT_RUN,
        Some(interval) if interval.high < 0.5 => "holds: it saves more",
        Some(interval) if interval.low > 0.5 => TOO_MUCH,
        Some(interval) if interval.low >= 0.45 && interval.high <= 0.55 => "holds",
        Some(_) => CANNOT_TELL,
    };
    // The table with moves matters only if the table without moves saves too little.
    let verdict = match (words(bare), words(whole)) {
        (TOO_MUCH, TOO_MUCH) => format!("{TOO_MUCH}, even with moves"),
        (few, _) => few.to_owned(),
    };
    SourceClaim::new("halved", format!("{}; with moves {}", difference(bare), difference(whole)), verdict)
}

/// With the searches without a table.
struct Agreement {
    scores: usize,
    moves: usize,
    all: usize,
}

impl Agreement {
    fn of(rows: &[StudyRow], arm: &str) -> Self {
        let of_arm = |arm: &str| -> HashMap<(u32, u32), &StudyRow> {
            let rows = rows.iter().filter(|row| row.setting == "ViperMate" && row.arm == arm);
            rows.map(|row| ((row.game, row.ply), row)).collect()
        };
        let (with, without) = (of_arm(arm), of_arm("no table"));
        let pairs: Vec<_> = with.iter().filter_map(|(place, row)| Some((row, without.get(place)?))).collect();
        Self {
            scores: pairs.iter().filter(|(row, other)| row.score == other.score).count(),
            moves: pairs.iter().filter(|(row, other)| row.best == other.best).count(),
            all: pairs.len(),
        }
    }
}

impl Display for Agreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "same score in {}, same move in {} of {}", self.scores, self.moves, self.all)
    }
}

fn unstable(rows: &[StudyRow]) -> SourceClaim {
    let found = Agreement::of(rows, "moves and deeper entries");
    let verdict = match &found {
        Agreement { all: 0, .. } => NOT_RUN,
        Agreement { moves, all, .. } if moves < all => "holds",
        Agreement { scores, all, .. } if scores < all => "was not seen: scores change, moves do not",
        _ => "was not seen",
    };
    SourceClaim::new("unstable", found.to_string(), verdict)
}

fn stable(rows: &[StudyRow]) -> SourceClaim {
    let (with, bare) = (Agreement::of(rows, "exact depth"), Agreement::of(rows, "exact depth and no moves"));
    let (all, other) = (with.all + bare.all, with.all - with.scores + bare.all - bare.scores);
    let verdict = match other {
        _ if with.all == 0 || bare.all == 0 => NOT_RUN.to_owned(),
        0 if bare.moves == bare.all => "holds".to_owned(),
        0 => "holds for the score, not for the move".to_owned(),
        other => format!("does not hold for the score in {other} of {all} searches"),
    };
    SourceClaim::new("stable", format!("{with}; without the table's moves {bare}"), verdict)
}

fn always(rows: &[StudyRow]) -> SourceClaim {
    let arms = Arms { rows, setting: "age", arm: "always replace", base: "TWOBIG1 stamped" };
    let is_little_roomy = arms.ratio(LARGE).is_some_and(|ratio| is_little(&ratio.interval));
    let verdict = match (arms.side(&SIZES), arms.side(&[LARGE])) {
        (Side::NotRun, _) | (_, Side::NotRun) => NOT_RUN,
        (Side::Fewer | Side::Alike, Side::Fewer | Side::Alike) => "holds",
        (Side::More, _) if is_little_roomy => "holds only where the table is not crowded",
        (Side::More, Side::More) => "does not hold",
        (Side::More, _) => "does not hold where the table is crowded",
        _ => CANNOT_TELL,
    };
    SourceClaim::new("always", arms.ratios(&[SIZES[0], SIZES[1], LARGE]), verdict)
}

fn aged(rows: &[StudyRow]) -> SourceClaim {
    let of = |arm, base| Arms { rows, setting: "age", arm, base };
    let never = of("depth-preferred", "always replace");
    let stamped = of("depth-preferred with age", "depth-preferred");
    let verdict = match (stamped.side(&SIZES), never.side(&SIZES)) {
        (Side::NotRun, _) | (_, Side::NotRun) => NOT_RUN,
        (Side::Fewer, Side::More) => {
            "holds: without age, deep entries of earlier searches block the table, and always replacing is better"
        }
        (Side::Fewer, _) => "holds for age",
        (Side::More, _) => "does not hold: age costs nodes",
        (Side::Alike, _) => "does not hold: age changes less than 2 %",
        (Side::CannotTell, _) => CANNOT_TELL,
    };
    let found = format!(
        "never aged against always replacing {}; stamped against never aged {}",
        never.ratios(&SIZES),
        stamped.ratios(&SIZES)
    );
    SourceClaim::new("aged", found, verdict)
}

/// Of one sum of arms in another, at each depth.
struct Shares(Vec<(u32, f64)>);

impl Shares {
    fn of(rows: &[StudyRow], setting: &str, part: &str, whole: &[(&str, f64)]) -> Self {
        let rows: Vec<&StudyRow> = rows.iter().filter(|row| row.setting.starts_with(setting)).collect();
        let mut depths: Vec<u32> = rows.iter().map(|row| row.depth).collect();
        depths.sort_unstable();
        depths.dedup();
        let share = |depth: u32| {
            let sum = |arm: &str| -> f64 {
                let of_arm = rows.iter().filter(|row| row.depth == depth && row.arm == arm);
                of_arm.map(|row| row.nodes as f64).sum()
            };
            let whole: f64 = whole.iter().map(|(arm, sign)| sign * sum(arm)).sum();
            (whole > 0.0).then(|| (depth, sum(part) / whole))
        };
        Self(depths.into_iter().filter_map(share).collect())
    }

    /// For a claim that all shares lie in the range.
    fn judge(&self, range: &RangeInclusive<f64>) -> &'static str {
        match &self.0[..] {
            [] => NOT_RUN,
            all if all.iter().all(|(_, share)| range.contains(share)) => "holds",
            all if all.iter().all(|(_, share)| share < range.start()) => "is too high",
            all if all.iter().all(|(_, share)| share > range.end()) => "is too low",
            _ => "holds at some depths only",
        }
    }
}

impl Display for Shares {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let one = |(depth, share): &(u32, f64)| format!("{} at depth {depth}", percent(*share));
        let all: Vec<String> = self.0.iter().map(one).collect();
        f.write_str(if all.is_empty() { DASH } else { "" })?;
        f.write_str(&all.join(", "))
    }
}

/// Of probes and positions, by the guide.
fn shared(rows: &[StudyRow]) -> [SourceClaim; 4] {
    let of = |setting, part, whole: &[(&str, f64)]| Shares::of(rows, setting, part, whole);
    let looked = of("transpositions", "looked up again", &[("looked up", 1.0)]);
    let searched = of("transpositions", "searched again", &[("searched", 1.0)]);
    let hits = of("rates", "hits", &[("probes", 1.0)]);
    let of_hits = of("rates", "cut-offs", &[("hits", 1.0)]);
    let of_probes = of("rates", "cut-offs", &[("probes", 1.0)]);
    let hints = of("rates", "move hints", &[("hits", 1.0), ("cut-offs", -1.0)]);
    let pair = |one: &Shares, one_of: &str, other: &Shares, other_of: &str, range| {
        both(one.judge(&range), one_of, other.judge(&range), other_of)
    };
    [
        SourceClaim::new(
            "transpositions",
            format!("of all positions looked up {looked}; of those searched a ply or more {searched}"),
            pair(&looked, "of all", &searched, "of the searched ones", 0.3..=0.4),
        ),
        SourceClaim::new("hits", hits.to_string(), hits.judge(&(0.4..=0.6))),
        SourceClaim::new(
            "cut-offs",
            format!("of the hits {of_hits}; of the probes {of_probes}"),
            pair(&of_hits, "of the hits", &of_probes, "of the probes", 0.2..=0.4),
        ),
        SourceClaim::new("hints", hints.to_string(), hints.judge(&(0.5..=0.8))),
    ]
}

/// Assumed gain in Elo.
const ELO_PER_DOUBLING: f64 = 70.0;

/// For a verdict on a few Elo: the intervals of fewer games are too narrow.
const ENOUGH_GAMES: usize = 12;

/// Between the guide's sizes, in Elo.
fn gains(rows: &[StudyRow]) -> [SourceClaim; 3] {
    let panel = Panel::new(rows.iter().filter(|row| row.setting == "sizes"));
    [("16 MiB", 50.0), ("64 MiB", 30.0), ("256 MiB", 20.0)].map(|(small, elo)| {
        let place = GUIDE_MIB.iter().position(|mib| format!("{mib} MiB") == small).unwrap_or_default();
        let ratio = panel.ratio(&format!("{} MiB", GUIDE_MIB[place + 1]), small);
        let elo_of = |ratio: f64| 0.0 - ELO_PER_DOUBLING * ratio.log2();
        // Fewer nodes are worth more, so the ends of the interval are exchanged.
        let worth = ratio.map(|Estimate { value, interval }| {
            (elo_of(value), Interval { low: elo_of(interval.high), high: elo_of(interval.low) })
        });
        let text = or_dash(worth, |(value, Interval { low, high })| {
            format!("{value:+.0} ({low:+.0} to {high:+.0})").replace('-', "−")
        });
        let verdict = worth_verdict(worth.map(|(_, interval)| interval), elo, panel.games());
        SourceClaim::new(small, format!("{}, worth {text} Elo", difference(ratio)), verdict)
    })
}

fn worth_verdict(worth: Option<Interval>, elo: f64, games: usize) -> &'static str {
    match worth {
        None => NOT_RUN,
        Some(_) if games < ENOUGH_GAMES => "cannot tell from so few positions",
        Some(Interval { low, .. }) if low >= elo => "holds: it is worth more at this length of search",
        Some(Interval { high, .. }) if high < elo => "is too much at this length of search",
        Some(Interval { low, .. }) if low > 0.0 => "may hold: the gain is real, its size is not clear",
        Some(_) => CANNOT_TELL,
    }
}

fn zobrist(rows: &[StudyRow]) -> SourceClaim {
    let sum = |arm: &str| -> u64 {
        rows.iter().filter(|row| row.setting == "keys" && row.arm == arm).map(|row| row.nodes).sum()
    };
    let (positions, keys, collisions) = (sum("positions"), sum("Otter's keys"), sum("Otter's collisions"));
    let split = percent(keys.saturating_sub(positions) as f64 / positions.max(1) as f64);
    let verdict = match (keys > positions, collisions > 0) {
        _ if positions == 0 || keys == 0 => NOT_RUN,
        (true, false) => {
            "holds for different positions, not for equal ones: a double step that cannot be captured en \
             passant gives another key"
        }
        (true, true) => "holds neither for different positions nor for equal ones",
        (false, true) => "does not hold for different positions",
        (false, false) => "holds",
    };
    let (positions, keys) = (grouped(positions), grouped(keys));
    let found = format!(
        "{positions} positions have {keys} keys ({split} more than needed); {collisions} keys belong to two positions"
    );
    SourceClaim::new("keys", found, verdict)
}

fn index(rows: &[StudyRow]) -> SourceClaim {
    let arms = Arms { rows, setting: "index", arm: "modulo", base: "product" };
    let sizes = [SIZES[1], ODD_SIZE];
    let verdict = match arms.side(&sizes) {
        Side::Fewer => "is better than the product",
        Side::More => "is worse than the product",
        Side::Alike => "is as good as the product, within 2 %",
        Side::CannotTell => CANNOT_TELL,
        Side::NotRun => NOT_RUN,
    };
    let one = |size: usize| format!("{} positions: {}", grouped(size as u64), difference(arms.ratio(size)));
    SourceClaim::new("index", sizes.map(one).join("; "), verdict)
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::row;
    use super::*;

    #[test]
    fn claims_without_searches_have_no_verdict() {
        let claims = claims(&[]);
        assert_eq!(claims.len(), 15);
        for SourceClaim { key, verdict, .. } in claims {
            assert_eq!(verdict, NOT_RUN, "{key}");
        }
        assert!(!page(&[], "1")[0].1.contains('{'), "no placeholder is left");
    }

    /// Two arms on ten games at each size. `nodes` returns the nodes of the arm; the base needs 1,000.
    fn arms(setting: &str, sizes: &[usize], (arm, base): (&str, &str), nodes: fn(u32) -> u64) -> Vec<StudyRow> {
        let games = |&size: &usize| (1..=10).map(move |game| (size, game));
        let rows = sizes.iter().flat_map(games).flat_map(|(positions, game)| {
            let rows = [row(arm, game, 20, nodes(game)), row(base, game, 20, 1_000)];
            rows.map(|row| StudyRow { setting: setting.into(), positions, ..row })
        });
        rows.collect()
    }

    fn wavering(game: u32) -> u64 {
        if game.is_multiple_of(2) { 800 } else { 1_250 }
    }

    #[test]
    fn unclear_differences_have_no_verdict() {
        let names = ("always replace", "TWOBIG1 stamped");
        let verdict = |crowded, roomy: fn(u32) -> u64| {
            always(&[arms("age", &SIZES, names, crowded), arms("age", &[LARGE], names, roomy)].concat()).verdict
        };
        assert_eq!(always(&arms("age", &SIZES, names, wavering)).verdict, NOT_RUN, "without the large table");
        assert_eq!(verdict(wavering, |_| 1_001), CANNOT_TELL);
        assert_eq!(verdict(|game| 1_080 + u64::from(game), |_| 1_003), "holds only where the table is not crowded");
        let of = |nodes| index(&arms("index", &[SIZES[1], ODD_SIZE], ("modulo", "product"), nodes)).verdict;
        assert_eq!(of(wavering), CANNOT_TELL);
        assert_eq!(of(|game| 995 + u64::from(game)), "is as good as the product, within 2 %");
    }

    #[test]
    fn both_rules_of_vipermate_are_judged() {
        let mut rows = arms("replacement", &SIZES, ("type then depth", "DEEP"), |game| 997 + u64::from(game % 7));
        let verdict = by_type(&rows).verdict;
        assert_eq!(verdict, "by type: is within 2 % of depth alone; the condition in its source: was not run");
        rows.extend(arms("replacement", &SIZES, ("ViperMate", "DEEP"), |game| 985 + u64::from(game % 5)));
        let verdict = by_type(&rows).verdict;
        assert!(verdict.ends_with("the condition in its source: saves nodes against depth alone"), "{verdict}");
    }

    #[test]
    fn elo_gains_are_judged_by_their_interval() {
        let verdict = |low, high, games| worth_verdict(Some(Interval { low, high }), 30.0, games);
        assert_eq!(verdict(31.0, 50.0, 6), "cannot tell from so few positions");
        assert_eq!(verdict(31.0, 50.0, 16), "holds: it is worth more at this length of search");
        assert_eq!(verdict(-9.0, 12.0, 16), "is too much at this length of search");
        assert_eq!(verdict(5.0, 50.0, 16), "may hold: the gain is real, its size is not clear");
        assert_eq!(verdict(-5.0, 50.0, 16), CANNOT_TELL);
    }
}
