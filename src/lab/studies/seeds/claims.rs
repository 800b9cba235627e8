//! The page: what each seed says, and what was found.

use std::collections::HashMap;

use super::super::page::{self, Files, difference, settings};
use super::super::panel::Panel;
use super::super::record::Row;
use super::super::{Study, StudyError};
use super::{DEFAULT_SIZE, ODD_SIZE, ROOMY, SIZES};
use crate::lab::report::markdown::{Table, grouped, or_dash, percent};

/// A claim and its answer.
struct Claim {
    seed: &'static str,
    says: &'static str,
    /// How it was put to the test.
    test: String,
    found: String,
    verdict: String,
}

pub(in crate::lab::studies) fn page(rows: &[Row]) -> Result<Files, StudyError> {
    let mut table = Table::new(["seed", "says", "tested by", "found", "so it"]).with_text_columns(5);
    for Claim { seed, says, test, found, verdict } in claims(rows) {
        table.row([seed.to_owned(), says.to_owned(), test, found, verdict]);
    }
    let mut text = page::head("What the other seeds say", Study::Seeds.name());
    text += INTRODUCTION;
    text += page::INTERVALS;
    text += &format!("{table}\n## What the words mean\n\n{DEFINITIONS}\n## The figures\n\n");
    for setting in settings(rows) {
        let arms = setting.panel.arms();
        // Rates are told in the table above; nodes are compared with the first arm's.
        let Some(base) = arms.first().filter(|_| ["replacement", "age", "index"].contains(&setting.name)) else {
            continue;
        };
        let size = page::size_label(setting.positions);
        text += &format!("### {}, {size} positions\n\n{}.\n\n", setting.name, setting.extent());
        text += &format!("{}\n", page::ratios(&setting, base));
    }
    Ok(vec![("seeds.md".to_owned(), text)])
}

fn claims(rows: &[Row]) -> Vec<Claim> {
    let mut claims = vec![by_type(rows), halved(rows), stable(rows), unstable(rows)];
    claims.extend([always(rows), aged(rows), transpositions(rows)]);
    claims.extend([hits(rows), cut_offs(rows), hints(rows)]);
    claims.extend(gains(rows));
    claims.extend([zobrist(rows), index(rows)]);
    claims
}

/// The rows of a setting at a size.
fn at<'a>(rows: &'a [Row], setting: &str, positions: usize) -> Vec<&'a Row> {
    rows.iter().filter(|row| row.setting == setting && row.positions == positions).collect()
}

fn ratio(rows: &[Row], setting: &str, positions: usize, arm: &str, base: &str) -> String {
    difference(Panel::new(at(rows, setting, positions)).ratio(arm, base))
}

/// The same at each size: `1K: +2.0 % (..), 4K: ..`.
fn ratios(rows: &[Row], setting: &str, sizes: &[usize], arm: &str, base: &str) -> String {
    let one = |&size: &usize| format!("{}: {}", page::size_label(size), ratio(rows, setting, size, arm, base));
    sizes.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// Whether `arm` needs fewer nodes than `base` at every size, by intervals; none if it is not clear, or not the same everywhere.
fn is_better(rows: &[Row], setting: &str, sizes: &[usize], arm: &str, base: &str) -> Option<bool> {
    let mut sides = sizes.iter().map(|&size| {
        let ratio = Panel::new(at(rows, setting, size)).ratio(arm, base)?;
        (!ratio.interval.contains(1.0)).then_some(ratio.value < 1.0)
    });
    let first = sides.next()??;
    sides.all(|side| side == Some(first)).then_some(first)
}

fn by_type(rows: &[Row]) -> Claim {
    let sizes = &SIZES;
    let verdict = match is_better(rows, "replacement", sizes, "type then depth", "DEEP") {
        Some(true) => "saves nodes against depth alone",
        Some(false) => "costs nodes against depth alone",
        None => "makes no clear difference to depth alone",
    };
    Claim {
        seed: "ViperMate",
        says: "The type of the score decides what stays (exact before lower before upper bound), then the depth",
        test: "ALIBABA, table emptied between positions: this rule, and the very condition in its source, against DEEP"
            .to_owned(),
        found: format!(
            "by type: {}. The source's condition: {}",
            ratios(rows, "replacement", sizes, "type then depth", "DEEP"),
            ratios(rows, "replacement", sizes, "ViperMate", "DEEP"),
        ),
        verdict: verdict.to_owned(),
    }
}

fn viper<'a>(rows: &'a [Row], arm: &str) -> Vec<&'a Row> {
    rows.iter().filter(|row| row.setting == "ViperMate" && row.arm == arm).collect()
}

fn halved(rows: &[Row]) -> Claim {
    let panel = Panel::new(rows.iter().filter(|row| row.setting == "ViperMate"));
    let bare = panel.ratio("no moves", "no table");
    let whole = panel.ratio("moves and deeper entries", "no table");
    let verdict = match bare {
        Some(bare) if bare.interval.contains(0.5) => "holds",
        Some(bare) if bare.value < 0.5 => "holds: it saves more",
        Some(_) => "is too much for ALIBABA at this depth",
        None => "was not run",
    };
    Claim {
        seed: "ViperMate",
        says: "A table that stores no moves halves the nodes",
        test: format!("ALIBABA with {} positions whose moves are not used, against no table", page::size_label(ROOMY)),
        found: format!("{}; with moves {}", difference(bare), difference(whole)),
        verdict: verdict.to_owned(),
    }
}

/// On how many positions the arm's score, and move, are those of the search without a table.
fn agreement(rows: &[Row], arm: &str) -> (usize, usize, usize) {
    let without: HashMap<(u32, u32), &Row> =
        viper(rows, "no table").into_iter().map(|row| ((row.game, row.ply), row)).collect();
    let pairs: Vec<(&Row, &Row)> =
        viper(rows, arm).into_iter().filter_map(|row| Some((row, *without.get(&(row.game, row.ply))?))).collect();
    let scores = pairs.iter().filter(|(row, other)| row.score == other.score).count();
    let moves = pairs.iter().filter(|(row, other)| row.best == other.best).count();
    (scores, moves, pairs.len())
}

fn same(rows: &[Row], arm: &str) -> String {
    let (scores, moves, all) = agreement(rows, arm);
    format!("same score in {scores}, same move in {moves} of {all}")
}

fn unstable(rows: &[Row]) -> Claim {
    let (scores, moves, all) = agreement(rows, "moves and deeper entries");
    Claim {
        seed: "ViperMate",
        says: "A table that cuts off by deeper entries can change the move",
        test: "ALIBABA as in 1994 against no table".to_owned(),
        found: same(rows, "moves and deeper entries"),
        verdict: if all == 0 {
            "was not run"
        } else if scores.min(moves) < all {
            "holds"
        } else {
            "was not seen"
        }
        .to_owned(),
    }
}

fn stable(rows: &[Row]) -> Claim {
    let (scores, _, all) = agreement(rows, "exact depth");
    let (bare_scores, bare_moves, _) = agreement(rows, "exact depth and no moves");
    let verdict = match () {
        () if all == 0 => "was not run",
        () if bare_scores == all && bare_moves == all && scores == all => "holds",
        () if scores == all => "holds for the score; of equal moves the table's can come first",
        () => "holds but for positions whose score depends on the way to them (repetition)",
    };
    Claim {
        seed: "ViperMate",
        says: "With cut-offs only from entries of exactly the depth needed, the search returns what it returns without a table",
        test: "ALIBABA so against no table".to_owned(),
        found: format!(
            "{}; without the table's moves {}",
            same(rows, "exact depth"),
            same(rows, "exact depth and no moves")
        ),
        verdict: verdict.to_owned(),
    }
}

fn always(rows: &[Row]) -> Claim {
    let (crowded, roomy) = (&SIZES[..], &[ROOMY][..]);
    let verdict = match is_better(rows, "age", crowded, "always replace", "TWOBIG1 stamped") {
        Some(false) => "holds only where the table is not crowded",
        _ => "holds",
    };
    Claim {
        seed: "guide",
        says: "Collisions are rare enough that always replacing will do",
        test: "ALIBABA over games, table kept: NEW against TWOBIG1".to_owned(),
        found: format!(
            "{}; {}",
            ratios(rows, "age", crowded, "always replace", "TWOBIG1 stamped"),
            ratios(rows, "age", roomy, "always replace", "TWOBIG1 stamped"),
        ),
        verdict: verdict.to_owned(),
    }
}

fn aged(rows: &[Row]) -> Claim {
    let verdict = match is_better(rows, "age", &SIZES, "depth-preferred with age", "depth-preferred") {
        Some(true) => "holds: without age, deep entries of earlier searches block the table",
        Some(false) => "does not hold",
        None => "makes no clear difference",
    };
    Claim {
        seed: "guide",
        says: "Depth-preferred replacement; by age, old entries give way",
        test: "The same: DEEP never aged against NEW, and DEEP stamped against never aged".to_owned(),
        found: format!(
            "never aged against always replacing {}; stamped against never aged {}",
            ratios(rows, "age", &SIZES, "depth-preferred", "always replace"),
            ratios(rows, "age", &SIZES, "depth-preferred with age", "depth-preferred"),
        ),
        verdict: verdict.to_owned(),
    }
}

/// Sums of two arms at each depth as shares of each other.
fn shares(rows: &[Row], setting: &str, part: impl Fn(&dyn Fn(&str) -> f64) -> (f64, f64)) -> Vec<(u32, f64)> {
    let mut depths: Vec<u32> =
        rows.iter().filter(|row| row.setting.starts_with(setting)).map(|row| row.depth).collect();
    depths.sort_unstable();
    depths.dedup();
    let share = |depth: u32| {
        let sum = |arm: &str| -> f64 {
            let of_arm = |row: &&Row| row.setting.starts_with(setting) && row.depth == depth && row.arm == arm;
            rows.iter().filter(of_arm).map(|row| row.nodes as f64).sum()
        };
        let (part, whole) = part(&sum);
        (depth, part / whole.max(1.0))
    };
    depths.into_iter().map(share).collect()
}

fn told(shares: &[(u32, f64)]) -> String {
    shares.iter().map(|(depth, share)| format!("{} at depth {depth}", percent(*share))).collect::<Vec<_>>().join(", ")
}

/// Whether all shares lie in the range.
fn in_range(shares: &[(u32, f64)], range: std::ops::RangeInclusive<f64>) -> String {
    match () {
        () if shares.is_empty() => "was not run",
        () if shares.iter().all(|(_, share)| range.contains(share)) => "holds",
        () if shares.iter().all(|(_, share)| share < range.start()) => "is too high",
        () if shares.iter().all(|(_, share)| share > range.end()) => "is too low",
        () => "holds at some depths",
    }
    .to_owned()
}

fn transpositions(rows: &[Row]) -> Claim {
    let looked = shares(rows, "transpositions", |sum| (sum("looked up again"), sum("looked up")));
    let searched = shares(rows, "transpositions", |sum| (sum("searched again"), sum("searched")));
    Claim {
        seed: "guide",
        says: "At depth 6 and more, 30 to 40 % of the positions are transpositions",
        test: "Sesame's search with a table that remembers nothing, last iteration alone".to_owned(),
        found: format!(
            "of all positions looked up {}; of those searched a ply or more {}",
            told(&looked),
            told(&searched)
        ),
        verdict: format!(
            "{} for all, {} for the searched ones",
            in_range(&looked, 0.3..=0.4),
            in_range(&searched, 0.3..=0.4)
        ),
    }
}

fn rate(says: &'static str, found: String, verdict: String) -> Claim {
    let test =
        format!("Sesame's search over games, {} positions, counted at the table", page::size_label(DEFAULT_SIZE));
    Claim { seed: "guide", says, test, found, verdict }
}

fn hits(rows: &[Row]) -> Claim {
    let shares = shares(rows, "rates", |sum| (sum("hits"), sum("probes")));
    rate("40 to 60 % of the probes hit, at depth 6 and more", told(&shares), in_range(&shares, 0.4..=0.6))
}

fn cut_offs(rows: &[Row]) -> Claim {
    let of_hits = shares(rows, "rates", |sum| (sum("cut-offs"), sum("hits")));
    let of_probes = shares(rows, "rates", |sum| (sum("cut-offs"), sum("probes")));
    rate(
        "20 to 40 % cut off",
        format!("of the hits {}; of the probes {}", told(&of_hits), told(&of_probes)),
        format!("{} of the hits, {} of the probes", in_range(&of_hits, 0.2..=0.4), in_range(&of_probes, 0.2..=0.4)),
    )
}

fn hints(rows: &[Row]) -> Claim {
    let shares = shares(rows, "rates", |sum| (sum("move hints"), sum("hits") - sum("cut-offs")));
    rate("50 to 80 % of the other hits give a move to try first", told(&shares), in_range(&shares, 0.5..=0.8))
}

/// Each step of the guide's sizes, with its gain in Elo.
fn gains(rows: &[Row]) -> Vec<Claim> {
    const STEPS: [(&str, &str, f64, &str); 3] = [
        ("16 MiB", "64 MiB", 50.0, "From 16 to 64 MiB: about 50 Elo"),
        ("64 MiB", "256 MiB", 30.0, "From 64 to 256 MiB: about 30 Elo"),
        ("256 MiB", "1024 MiB", 20.0, "From 256 to 1024 MiB: about 20 Elo"),
    ];
    let sizes: Vec<&Row> = rows.iter().filter(|row| row.setting == "sizes").collect();
    let panel = Panel::new(sizes);
    let nodes = or_dash(panel.arms().first().and_then(|arm| panel.total(arm)), |nodes| {
        grouped((nodes / panel.positions().max(1) as f64) as u64)
    });
    let claim = |(small, large, elo, says): (&str, &str, f64, &'static str)| {
        let ratio = panel.ratio(large, small);
        let worth = ratio.map(|ratio| -ELO_PER_DOUBLING * ratio.value.log2());
        Claim {
            seed: "guide",
            says,
            test: format!(
                "Sesame's search on {} positions, {nodes} nodes each at 16 MiB: nodes to the same depth",
                panel.positions()
            ),
            found: format!(
                "{}, worth {} Elo",
                difference(ratio),
                or_dash(worth, |worth| format!("{worth:+.0}").replace('-', "−"))
            ),
            verdict: match worth {
                Some(worth) if worth >= 0.75 * elo => "holds at this length of search",
                Some(_) => "is too much at this length of search",
                None => "was not run",
            }
            .to_owned(),
        }
    };
    STEPS.into_iter().map(claim).collect()
}

/// What a doubling of the nodes is taken to be worth, to compare nodes with Elo: an assumption.
const ELO_PER_DOUBLING: f64 = 70.0;

fn zobrist(rows: &[Row]) -> Claim {
    let sum =
        |arm: &str| rows.iter().filter(|row| row.setting == "keys" && row.arm == arm).map(|row| row.nodes).sum::<u64>();
    let (positions, keys, collisions) = (sum("positions"), sum("Otter's keys"), sum("Otter's collisions"));
    let split = keys.saturating_sub(positions) as f64 / positions.max(1) as f64;
    let verdict = match () {
        () if positions == 0 => "was not run".to_owned(),
        () if keys > positions => format!(
            "holds for different positions{}, not for equal ones: a double step that nobody can answer en passant gives another key",
            if collisions == 0 { "" } else { " but for collisions" }
        ),
        () => "holds".to_owned(),
    };
    Claim {
        seed: "Otter",
        says: "837 Zobrist numbers give equal positions equal keys and different ones different keys",
        test: "all positions within three plies of the first of each sequence".to_owned(),
        found: format!(
            "{} positions have {} keys ({} more than needed); {collisions} keys belong to two positions",
            grouped(positions),
            grouped(keys),
            percent(split)
        ),
        verdict,
    }
}

fn index(rows: &[Row]) -> Claim {
    let sizes = [SIZES[1], ODD_SIZE];
    let verdict = match is_better(rows, "index", &sizes, "modulo", "product") {
        Some(true) => "is better than the product",
        Some(false) => "is worse than the product",
        None => "is as good as the product",
    };
    let one = |&size: &usize| {
        format!("{} positions: {}", grouped(size as u64), ratio(rows, "index", size, "modulo", "product"))
    };
    Claim {
        seed: "Otter",
        says: "An entry is found by the remainder of the key, and always overwritten",
        test: "ALIBABA: that index against the engine's product, both always overwritten".to_owned(),
        found: sizes.iter().map(one).collect::<Vec<_>>().join("; "),
        verdict: verdict.to_owned(),
    }
}

const INTRODUCTION: &str = "Three texts besides the paper: ViperMate's diary on its first table, a guide to writing an engine, and Otter's page on its table. Each of \
     their claims about tables is put to the test here, in ALIBABA (the search of 1994, without pruning, 5 and 6 plies) or in Sesame's own search, on \
     sequences of the larger set (`larger.md`).\n\n";

const DEFINITIONS: &str = "- *Looked up again*: a probe, quiescence included, for a position that was probed before in the same iteration; *searched again*: a node \
     of a ply or more that was searched to its end, for a position that was so before in the same iteration. Both count the second searches \
     of principal-variation search and of reduced moves, which are no transpositions.\n\
     - *Hit*: a probe that finds its position. *Cut-off*: a hit whose bound ends the node at once. *Move to try first*: a hit that does not, and whose \
     move is tried first (in quiescence only if it is a capture or a way out of check). Rates are of sums over all positions, all iterations.\n\
     - *Worth*: no match was played; a doubling of the nodes is taken to be worth 70 Elo.\n\
     - *Depth-preferred, never aged*: DEEP over a game without stamps and without emptying the table.\n";
