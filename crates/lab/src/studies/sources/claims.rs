//! The page on the claims of other sources, with their verdicts.

use std::collections::HashMap;

use super::super::page::{self, PageFiles, difference, settings};
use super::super::panel::Panel;
use super::super::record::StudyRow;
use super::super::{Study, StudyError};
use super::{DEFAULT_SIZE, LARGE, ODD_SIZE, SIZES};
use sesame_report::markdown::{DASH, Table, grouped, or_dash, percent};
use sesame_report::statistics::{Estimate, Interval};

/// A claim of a source with its verdict.
struct SourceClaim {
    source: &'static str,
    claim: &'static str,
    /// The searches that test it.
    test: String,
    found: String,
    verdict: String,
}

pub(in crate::studies) fn page(rows: &[StudyRow], program: &str) -> Result<PageFiles, StudyError> {
    let mut table = Table::new(["source", "claim", "tested by", "found", "verdict"]).with_text_columns(5);
    for SourceClaim { source, claim, test, found, verdict } in claims(rows) {
        table.row([source.to_owned(), claim.to_owned(), test, found, verdict]);
    }
    let mut text = page::head("Claims of other sources", Study::Sources.name(), Some(program));
    text += INTRODUCTION;
    text += page::INTERVALS;
    text += &format!("{table}\n## Terms\n\n{DEFINITIONS}\n## The figures\n\n");
    for setting in settings(rows) {
        let arms = setting.panel.arms();
        // Rates are in the table above; nodes are compared with the first arm's.
        let Some(base) = arms.first().filter(|_| ["replacement", "age", "index"].contains(&setting.name)) else {
            continue;
        };
        let size = page::size_label(setting.positions);
        text += &format!("### {}, {size} positions\n\n{}.\n\n", setting.name, setting.extent());
        text += &format!("{}\n", page::ratios(&setting, base));
    }
    Ok(vec![("sources.md".to_owned(), text)])
}

fn claims(rows: &[StudyRow]) -> Vec<SourceClaim> {
    let mut claims = vec![by_type(rows), halved(rows), stable(rows), unstable(rows)];
    claims.extend([always(rows), aged(rows), transpositions(rows)]);
    claims.extend([hits(rows), cut_offs(rows), hints(rows)]);
    claims.extend(gains(rows));
    claims.extend([zobrist(rows), index(rows)]);
    claims
}

/// Returns the rows of a setting at a size.
fn at<'a>(rows: &'a [StudyRow], setting: &str, positions: usize) -> Vec<&'a StudyRow> {
    rows.iter().filter(|row| row.setting == setting && row.positions == positions).collect()
}

fn ratio(rows: &[StudyRow], setting: &str, positions: usize, arm: &str, base: &str) -> String {
    difference(Panel::new(at(rows, setting, positions)).ratio(arm, base))
}

/// Formats the ratio at each size: `1K: +2.0 % (..); 4K: ..`.
fn ratios(rows: &[StudyRow], setting: &str, sizes: &[usize], arm: &str, base: &str) -> String {
    let one = |&size: &usize| format!("{}: {}", page::size_label(size), ratio(rows, setting, size, arm, base));
    sizes.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// The comparison of an arm's nodes with another's over several sizes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Side {
    /// Fewer at every size.
    Fewer,
    /// More at every size.
    More,
    /// A difference of at most [`LITTLE`] at every size.
    Alike,
    CannotTell,
    NotRun,
}

/// The greatest difference from 1 that an interval may reach to count as none.
const LITTLE: f64 = 0.02;

const NOT_RUN: &str = "was not run";
const CANNOT_TELL: &str = "cannot tell";

fn side(rows: &[StudyRow], setting: &str, sizes: &[usize], arm: &str, base: &str) -> Side {
    let ratio = |&size: &usize| Panel::new(at(rows, setting, size)).ratio(arm, base).map(|ratio| ratio.interval);
    let Some(intervals) = sizes.iter().map(ratio).collect::<Option<Vec<Interval>>>().filter(|all| !all.is_empty())
    else {
        return Side::NotRun;
    };
    match () {
        () if intervals.iter().all(|interval| interval.high < 1.0) => Side::Fewer,
        () if intervals.iter().all(|interval| interval.low > 1.0) => Side::More,
        () if intervals.iter().all(is_little) => Side::Alike,
        () => Side::CannotTell,
    }
}

fn is_little(interval: &Interval) -> bool {
    interval.low >= 1.0 - LITTLE && interval.high <= 1.0 + LITTLE
}

fn by_type(rows: &[StudyRow]) -> SourceClaim {
    let sizes = &SIZES;
    let words = |arm| match side(rows, "replacement", sizes, arm, "DEEP") {
        Side::Fewer => "saves nodes against depth alone",
        Side::More => "costs nodes against depth alone",
        Side::Alike => "is within 2 % of depth alone",
        Side::CannotTell => CANNOT_TELL,
        Side::NotRun => NOT_RUN,
    };
    SourceClaim {
        source: "ViperMate",
        claim: "The type of the score decides what stays (exact before lower before upper bound), then the depth",
        test: "ALIBABA, table emptied between positions: this rule, and the condition in its source code, against DEEP"
            .to_owned(),
        found: format!(
            "by type: {}. The condition in its source: {}",
            ratios(rows, "replacement", sizes, "type then depth", "DEEP"),
            ratios(rows, "replacement", sizes, "ViperMate", "DEEP"),
        ),
        verdict: both(words("type then depth"), "by type", words("ViperMate"), "the condition in its source"),
    }
}

/// Joins two verdicts, each with its subject.
fn both(first: &str, first_of: &str, second: &str, second_of: &str) -> String {
    if first == NOT_RUN && second == NOT_RUN {
        return NOT_RUN.to_owned();
    }
    format!("{first_of}: {first}; {second_of}: {second}")
}

fn viper<'a>(rows: &'a [StudyRow], arm: &str) -> Vec<&'a StudyRow> {
    rows.iter().filter(|row| row.setting == "ViperMate" && row.arm == arm).collect()
}

fn halved(rows: &[StudyRow]) -> SourceClaim {
    let panel = Panel::new(rows.iter().filter(|row| row.setting == "ViperMate"));
    let bare = panel.ratio("no moves", "no table");
    let whole = panel.ratio("moves and deeper entries", "no table");
    let words = |ratio: Option<Estimate>| match ratio.map(|ratio| ratio.interval) {
        None => NOT_RUN,
        Some(interval) if interval.high < 0.5 => "holds: it saves more",
        Some(interval) if interval.low > 0.5 => "is too much for ALIBABA at this depth",
        Some(interval) if interval.low >= 0.45 && interval.high <= 0.55 => "holds",
        Some(_) => CANNOT_TELL,
    };
    // The table with moves matters only if the table without moves saves too little.
    let verdict = match (words(bare), words(whole)) {
        (few @ "is too much for ALIBABA at this depth", many) if few == many => format!("{few}, even with moves"),
        (few, _) => few.to_owned(),
    };
    SourceClaim {
        source: "ViperMate",
        claim: "A table that stores no moves halves the nodes",
        test: format!("ALIBABA with {} positions whose moves are not used, against no table", page::size_label(LARGE)),
        found: format!("{}; with moves {}", difference(bare), difference(whole)),
        verdict,
    }
}

/// Counts the positions with the same score, and with the same move, as without a table, and all positions.
fn agreement(rows: &[StudyRow], arm: &str) -> (usize, usize, usize) {
    let without: HashMap<(u32, u32), &StudyRow> =
        viper(rows, "no table").into_iter().map(|row| ((row.game, row.ply), row)).collect();
    let pairs: Vec<(&StudyRow, &StudyRow)> =
        viper(rows, arm).into_iter().filter_map(|row| Some((row, *without.get(&(row.game, row.ply))?))).collect();
    let scores = pairs.iter().filter(|(row, other)| row.score == other.score).count();
    let moves = pairs.iter().filter(|(row, other)| row.best == other.best).count();
    (scores, moves, pairs.len())
}

fn same(rows: &[StudyRow], arm: &str) -> String {
    let (scores, moves, all) = agreement(rows, arm);
    format!("same score in {scores}, same move in {moves} of {all}")
}

fn unstable(rows: &[StudyRow]) -> SourceClaim {
    let (scores, moves, all) = agreement(rows, "moves and deeper entries");
    SourceClaim {
        source: "ViperMate",
        claim: "A table that cuts off by deeper entries can change the move",
        test: "ALIBABA as in 1994 against no table".to_owned(),
        found: same(rows, "moves and deeper entries"),
        verdict: match () {
            () if all == 0 => NOT_RUN,
            () if moves < all => "holds",
            () if scores < all => "was not seen: scores change, moves do not",
            () => "was not seen",
        }
        .to_owned(),
    }
}

fn stable(rows: &[StudyRow]) -> SourceClaim {
    let (scores, _, all) = agreement(rows, "exact depth");
    let (bare_scores, bare_moves, bare_all) = agreement(rows, "exact depth and no moves");
    let verdict = match () {
        () if all == 0 || bare_all == 0 => NOT_RUN.to_owned(),
        () if scores < all || bare_scores < bare_all => {
            format!(
                "does not hold for the score in {} of {} searches",
                all - scores + bare_all - bare_scores,
                all + bare_all
            )
        }
        () if bare_moves == bare_all => "holds".to_owned(),
        () => "holds for the score, not for the move".to_owned(),
    };
    SourceClaim {
        source: "ViperMate",
        claim: "With cut-offs only from entries of exactly the depth needed, the search has the same result \
             as without a table",
        test: "ALIBABA with that rule against no table".to_owned(),
        found: format!(
            "{}; without the table's moves {}",
            same(rows, "exact depth"),
            same(rows, "exact depth and no moves")
        ),
        verdict,
    }
}

fn always(rows: &[StudyRow]) -> SourceClaim {
    let (crowded, roomy) = (&SIZES[..], &[LARGE][..]);
    let of = |sizes| side(rows, "age", sizes, "always replace", "TWOBIG1 stamped");
    let is_little_roomy = Panel::new(at(rows, "age", LARGE))
        .ratio("always replace", "TWOBIG1 stamped")
        .is_some_and(|ratio| is_little(&ratio.interval));
    let verdict = match (of(crowded), of(roomy)) {
        (Side::NotRun, _) | (_, Side::NotRun) => NOT_RUN,
        (Side::Fewer | Side::Alike, Side::Fewer | Side::Alike) => "holds",
        (Side::More, _) if is_little_roomy => "holds only where the table is not crowded",
        (Side::More, Side::More) => "does not hold",
        (Side::More, _) => "does not hold where the table is crowded",
        _ => CANNOT_TELL,
    };
    SourceClaim {
        source: "guide",
        claim: "Collisions are rare enough that always replacing will do",
        test: "ALIBABA over games, table kept: NEW against TWOBIG1".to_owned(),
        found: format!(
            "{}; {}",
            ratios(rows, "age", crowded, "always replace", "TWOBIG1 stamped"),
            ratios(rows, "age", roomy, "always replace", "TWOBIG1 stamped"),
        ),
        verdict: verdict.to_owned(),
    }
}

fn aged(rows: &[StudyRow]) -> SourceClaim {
    let of = |arm, base| side(rows, "age", &SIZES, arm, base);
    let (stamped, never) = (of("depth-preferred with age", "depth-preferred"), of("depth-preferred", "always replace"));
    let verdict = match (stamped, never) {
        (Side::NotRun, _) | (_, Side::NotRun) => NOT_RUN,
        (Side::Fewer, Side::More) => {
            "holds: without age, deep entries of earlier searches block the table, and always replacing is better"
        }
        (Side::Fewer, _) => "holds for age",
        (Side::More, _) => "does not hold: age costs nodes",
        (Side::Alike, _) => "does not hold: age changes less than 2 %",
        (Side::CannotTell, _) => CANNOT_TELL,
    };
    SourceClaim {
        source: "guide",
        claim: "Depth-preferred replacement; by age, old entries give way",
        test: "The same: DEEP never aged against NEW, and DEEP stamped against never aged".to_owned(),
        found: format!(
            "never aged against always replacing {}; stamped against never aged {}",
            ratios(rows, "age", &SIZES, "depth-preferred", "always replace"),
            ratios(rows, "age", &SIZES, "depth-preferred with age", "depth-preferred"),
        ),
        verdict: verdict.to_owned(),
    }
}

/// Returns at each depth the share of one sum of arms in another.
fn shares(rows: &[StudyRow], setting: &str, part: impl Fn(&dyn Fn(&str) -> f64) -> (f64, f64)) -> Vec<(u32, f64)> {
    let mut depths: Vec<u32> =
        rows.iter().filter(|row| row.setting.starts_with(setting)).map(|row| row.depth).collect();
    depths.sort_unstable();
    depths.dedup();
    let share = |depth: u32| {
        let sum = |arm: &str| -> f64 {
            let of_arm = |row: &&StudyRow| row.setting.starts_with(setting) && row.depth == depth && row.arm == arm;
            rows.iter().filter(of_arm).map(|row| row.nodes as f64).sum()
        };
        let (part, whole) = part(&sum);
        (whole > 0.0).then(|| (depth, part / whole))
    };
    depths.into_iter().filter_map(share).collect()
}

fn format_shares(shares: &[(u32, f64)]) -> String {
    if shares.is_empty() {
        return DASH.to_owned();
    }
    shares.iter().map(|(depth, share)| format!("{} at depth {depth}", percent(*share))).collect::<Vec<_>>().join(", ")
}

/// Returns the verdict on a claim that all shares lie in the range.
fn in_range(shares: &[(u32, f64)], range: std::ops::RangeInclusive<f64>) -> &'static str {
    match () {
        () if shares.is_empty() => NOT_RUN,
        () if shares.iter().all(|(_, share)| range.contains(share)) => "holds",
        () if shares.iter().all(|(_, share)| share < range.start()) => "is too high",
        () if shares.iter().all(|(_, share)| share > range.end()) => "is too low",
        () => "holds at some depths only",
    }
}

fn transpositions(rows: &[StudyRow]) -> SourceClaim {
    let looked = shares(rows, "transpositions", |sum| (sum("looked up again"), sum("looked up")));
    let searched = shares(rows, "transpositions", |sum| (sum("searched again"), sum("searched")));
    SourceClaim {
        source: "guide",
        claim: "At depth 6 and more, 30 to 40 % of the positions are transpositions",
        test: "Sesame's search with a table that stores nothing, last iteration only".to_owned(),
        found: format!(
            "of all positions looked up {}; of those searched a ply or more {}",
            format_shares(&looked),
            format_shares(&searched)
        ),
        verdict: both(in_range(&looked, 0.3..=0.4), "of all", in_range(&searched, 0.3..=0.4), "of the searched ones"),
    }
}

fn rate(claim: &'static str, found: String, verdict: String) -> SourceClaim {
    let test =
        format!("Sesame's search over games, {} positions, counted at the table", page::size_label(DEFAULT_SIZE));
    SourceClaim { source: "guide", claim, test, found, verdict }
}

fn hits(rows: &[StudyRow]) -> SourceClaim {
    let shares = shares(rows, "rates", |sum| (sum("hits"), sum("probes")));
    rate(
        "40 to 60 % of the probes hit, at depth 6 and more",
        format_shares(&shares),
        in_range(&shares, 0.4..=0.6).to_owned(),
    )
}

fn cut_offs(rows: &[StudyRow]) -> SourceClaim {
    let of_hits = shares(rows, "rates", |sum| (sum("cut-offs"), sum("hits")));
    let of_probes = shares(rows, "rates", |sum| (sum("cut-offs"), sum("probes")));
    rate(
        "20 to 40 % cut off",
        format!("of the hits {}; of the probes {}", format_shares(&of_hits), format_shares(&of_probes)),
        both(in_range(&of_hits, 0.2..=0.4), "of the hits", in_range(&of_probes, 0.2..=0.4), "of the probes"),
    )
}

fn hints(rows: &[StudyRow]) -> SourceClaim {
    let shares = shares(rows, "rates", |sum| (sum("move hints"), sum("hits") - sum("cut-offs")));
    rate(
        "50 to 80 % of the other hits give a move to try first",
        format_shares(&shares),
        in_range(&shares, 0.5..=0.8).to_owned(),
    )
}

/// The steps between the guide's sizes, with their gain in Elo.
fn gains(rows: &[StudyRow]) -> Vec<SourceClaim> {
    const STEPS: [(&str, &str, f64, &str); 3] = [
        ("16 MiB", "64 MiB", 50.0, "From 16 to 64 MiB: about 50 Elo"),
        ("64 MiB", "256 MiB", 30.0, "From 64 to 256 MiB: about 30 Elo"),
        ("256 MiB", "1024 MiB", 20.0, "From 256 to 1024 MiB: about 20 Elo"),
    ];
    let sizes: Vec<&StudyRow> = rows.iter().filter(|row| row.setting == "sizes").collect();
    let panel = Panel::new(sizes);
    let nodes = or_dash(panel.arms().first().and_then(|arm| panel.total(arm)), |nodes| {
        grouped((nodes / panel.positions().max(1) as f64) as u64)
    });
    let claim = |(small, large, elo, says): (&str, &str, f64, &'static str)| {
        let ratio = panel.ratio(large, small);
        let elo_of = |ratio: f64| 0.0 - ELO_PER_DOUBLING * ratio.log2();
        // Fewer nodes are worth more, so the ends of the interval are exchanged.
        let worth = ratio.map(|Estimate { value, interval }| {
            let interval = Interval { low: elo_of(interval.high), high: elo_of(interval.low) };
            Estimate { value: elo_of(value), interval }
        });
        SourceClaim {
            source: "guide",
            claim: says,
            test: format!(
                "Sesame's search on {} positions, {nodes} nodes each at 16 MiB: nodes to the same depth",
                panel.positions()
            ),
            found: format!(
                "{}, worth {} Elo",
                difference(ratio),
                or_dash(worth, |Estimate { value, interval: Interval { low, high } }| {
                    format!("{value:+.0} ({low:+.0} to {high:+.0})").replace('-', "−")
                })
            ),
            verdict: worth_verdict(worth.map(|worth| worth.interval), elo, panel.games()).to_owned(),
        }
    };
    STEPS.into_iter().map(claim).collect()
}

/// The least number of games for a verdict on a few Elo: the intervals of fewer games are too narrow.
const ENOUGH_GAMES: usize = 12;

/// Returns the verdict on a gain of `elo`.
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

/// The assumed gain of a doubling of the nodes in Elo.
const ELO_PER_DOUBLING: f64 = 70.0;

fn zobrist(rows: &[StudyRow]) -> SourceClaim {
    let sum =
        |arm: &str| rows.iter().filter(|row| row.setting == "keys" && row.arm == arm).map(|row| row.nodes).sum::<u64>();
    let (positions, keys, collisions) = (sum("positions"), sum("Otter's keys"), sum("Otter's collisions"));
    let split = keys.saturating_sub(positions) as f64 / positions.max(1) as f64;
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
    SourceClaim {
        source: "Otter",
        claim: "837 Zobrist numbers give equal positions equal keys and different ones different keys",
        test: "all positions within three plies of the first of each sequence".to_owned(),
        found: format!(
            "{} positions have {} keys ({} more than needed); {collisions} keys belong to two positions",
            grouped(positions),
            grouped(keys),
            percent(split)
        ),
        verdict: verdict.to_owned(),
    }
}

fn index(rows: &[StudyRow]) -> SourceClaim {
    let sizes = [SIZES[1], ODD_SIZE];
    let verdict = match side(rows, "index", &sizes, "modulo", "product") {
        Side::Fewer => "is better than the product",
        Side::More => "is worse than the product",
        Side::Alike => "is as good as the product, within 2 %",
        Side::CannotTell => CANNOT_TELL,
        Side::NotRun => NOT_RUN,
    };
    let one = |&size: &usize| {
        format!("{} positions: {}", grouped(size as u64), ratio(rows, "index", size, "modulo", "product"))
    };
    SourceClaim {
        source: "Otter",
        claim: "An entry is found by the remainder of the key, and always overwritten",
        test: "ALIBABA: that index against the engine's product, both always overwritten".to_owned(),
        found: sizes.iter().map(one).collect::<Vec<_>>().join("; "),
        verdict: verdict.to_owned(),
    }
}

const INTRODUCTION: &str = "Three sources besides the paper make claims about tables: the diary of \
     ViperMate's author on its first table, a guide to writing an engine, and the page of the engine Otter on \
     its table. Each claim is tested here in ALIBABA (the search of 1994, without pruning, to 5 and 6 plies) \
     or in Sesame's own search, on sequences of the larger set (`larger.md`).\n\n";

const DEFINITIONS: &str = "- *Looked up again*: a probe, quiescence included, for a position that the same \
     iteration has probed before. *Searched again*: a completed search of a ply or more from a position that \
     the same iteration has completed before. Both include the re-searches of principal-variation search and \
     of late-move reductions, which are no transpositions.\n\
     - *Hit*: a probe that finds its position. *Cut-off*: a hit whose bound ends the node at once. *Move to \
     try first*: a hit without a cut-off whose move is tried first (in quiescence only a capture or an \
     evasion). Rates are ratios of sums over all positions and iterations.\n\
     - *Worth*: no match was played. A doubling of the nodes is assumed to be worth 70 Elo.\n\
     - *Depth-preferred, never aged*: DEEP over a game, with neither stamps nor clearing.\n";

#[cfg(test)]
mod tests {
    use super::super::super::panel::tests::row;
    use super::*;

    #[test]
    fn claims_without_searches_have_no_verdict() {
        let claims = claims(&[]);
        assert!(claims.len() >= 15);
        for SourceClaim { claim, verdict, .. } in claims {
            assert_eq!(verdict, NOT_RUN, "{claim}");
        }
    }

    /// Two arms on ten games. `nodes` returns the nodes of the arm; the base needs 1,000.
    fn arms(setting: &str, size: usize, (arm, base): (&str, &str), nodes: impl Fn(u32) -> u64) -> Vec<StudyRow> {
        let rows = (1..=10).flat_map(|game| [row(arm, game, 20, nodes(game)), row(base, game, 20, 1_000)]);
        rows.map(|row| StudyRow { setting: setting.into(), positions: size, ..row }).collect()
    }

    fn at_both_sizes(setting: &str, names: (&str, &str), nodes: impl Fn(u32) -> u64) -> Vec<StudyRow> {
        SIZES.into_iter().flat_map(|size| arms(setting, size, names, &nodes)).collect()
    }

    fn wavering(game: u32) -> u64 {
        if game.is_multiple_of(2) { 800 } else { 1_250 }
    }

    #[test]
    fn unclear_differences_have_no_verdict() {
        let names = ("always replace", "TWOBIG1 stamped");
        let mut rows = at_both_sizes("age", names, wavering);
        assert_eq!(always(&rows).verdict, NOT_RUN, "without the large table");
        rows.extend(arms("age", LARGE, names, |_| 1_001));
        assert_eq!(always(&rows).verdict, CANNOT_TELL);
        let mut rows = at_both_sizes("age", names, |game| 1_080 + u64::from(game));
        rows.extend(arms("age", LARGE, names, |_| 1_003));
        assert_eq!(always(&rows).verdict, "holds only where the table is not crowded");
        let sizes = [SIZES[1], ODD_SIZE];
        let of = |nodes: fn(u32) -> u64| {
            let rows = sizes.map(|size| arms("index", size, ("modulo", "product"), nodes)).concat();
            index(&rows).verdict
        };
        assert_eq!(of(wavering), CANNOT_TELL);
        assert_eq!(of(|game| 995 + u64::from(game)), "is as good as the product, within 2 %");
    }

    #[test]
    fn both_rules_of_vipermate_are_judged() {
        let mut rows = at_both_sizes("replacement", ("type then depth", "DEEP"), |game| 997 + u64::from(game % 7));
        assert_eq!(
            by_type(&rows).verdict,
            "by type: is within 2 % of depth alone; the condition in its source: was not run"
        );
        rows.extend(at_both_sizes("replacement", ("ViperMate", "DEEP"), |game| 985 + u64::from(game % 5)));
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
