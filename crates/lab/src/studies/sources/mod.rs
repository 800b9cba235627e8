//! The study of claims about tables from three sources other than the paper.
//!
//! The sources are the diary of ViperMate's author on its first table, a guide to writing a chess engine, and
//! a page on the table of the engine Otter.

mod claims;
mod tables;

use std::sync::Arc;

use super::{SearchSeries, StudyRow, Trial};
use crate::alibaba::{OpenChoices, Searcher};
use crate::engine_search::{DynTable, EngineSearch};
use crate::experiment::table_of_1994;
use crate::positions::Sequence;
pub(super) use claims::page;
use sesame::position::Game;
use sesame::search::{SearchTable, TranspositionTable, TtEntry};
use sesame_report::command::CommandError;
use sesame_table::{Counters, Scheme, Table, TableError, TableOptions};
use tables::{Index, OtterKeys, Replacement, SingleLevelTable, TranspositionCounter};

/// Of ALIBABA, in plies, also for the claims of ViperMate's author.
const DEPTH: u32 = 5;
const VIPER_DEPTH: u32 = 6;
/// Searched by ALIBABA.
const SEQUENCES: usize = 8;
/// In positions, for ALIBABA: full tables, and one that is hardly full.
const SIZES: [usize; 2] = [1 << 10, 4 << 10];
const LARGE: usize = 256 << 10;
/// Depths at which events in Sesame's search are counted, and the number of sequences.
const RATE_DEPTHS: [u32; 3] = [6, 9, 12];
const RATE_SEQUENCES: usize = 4;
/// 16 MiB, in positions.
const DEFAULT_SIZE: usize = 1 << 20;
/// The guide's sizes in MiB, the depth of the searches, and the number of sequences whose first positions are searched.
const GUIDE_MIB: [usize; 4] = [16, 64, 256, 1024];
const GUIDE_DEPTH: u32 = 24;
const GUIDE_SEQUENCES: usize = 6;
/// For Otter's keys, in plies.
const WALK_DEPTH: u32 = 3;
/// In positions; not a power of two.
const ODD_SIZE: usize = 5_000;

#[derive(Copy, Clone)]
enum AlibabaTable {
    None,
    /// With the update rule of 1994; true with time stamps.
    Scheme(Scheme, bool),
    SingleLevel(Replacement, Index),
}

impl AlibabaTable {
    fn make(self, positions: usize) -> Result<Option<DynTable>, TableError> {
        Ok(match self {
            Self::None => None,
            Self::Scheme(scheme, stamps) => Some(DynTable::new(&Arc::new(table_of_1994(positions, scheme, stamps)?))),
            Self::SingleLevel(rule, index) => {
                Some(DynTable::new(&Arc::new(SingleLevelTable::new(positions, rule, index))))
            }
        })
    }
}

/// Between games the table is always emptied.
#[derive(Copy, Clone, PartialEq, Eq)]
enum BetweenPositions {
    Stamp,
    Clear,
}

/// The conditions are equal but for table and choices.
struct AlibabaGroup {
    setting: &'static str,
    sizes: &'static [usize],
    depth: u32,
    between: BetweenPositions,
    arms: Vec<(&'static str, AlibabaTable, OpenChoices)>,
}

fn alibaba_groups() -> Vec<AlibabaGroup> {
    use AlibabaTable::{Scheme as Of, SingleLevel};
    let usual = OpenChoices::default();
    let two_big = Of(Scheme::TwoBig1, true);
    let exact = OpenChoices { exact_depth_only: true, ..usual };
    let group = |setting, sizes, depth, between, arms| AlibabaGroup { setting, sizes, depth, between, arms };
    vec![
        // ViperMate's replacement rules.
        group(
            "replacement",
            &SIZES[..],
            DEPTH,
            BetweenPositions::Clear,
            vec![
                ("TWOBIG1", two_big, usual),
                ("DEEP", Of(Scheme::Deep, true), usual),
                ("NEW", Of(Scheme::New, true), usual),
                ("type then depth", SingleLevel(Replacement::TypeThenDepth, Index::Product), usual),
                ("ViperMate", SingleLevel(Replacement::ViperMate, Index::Product), usual),
            ],
        ),
        // ViperMate's table without moves, and its claims about search instability.
        group("ViperMate", &[0], VIPER_DEPTH, BetweenPositions::Clear, vec![("no table", AlibabaTable::None, usual)]),
        group(
            "ViperMate",
            &[LARGE],
            VIPER_DEPTH,
            BetweenPositions::Clear,
            vec![
                ("moves and deeper entries", two_big, usual),
                ("no moves", two_big, OpenChoices { tt_moves: false, ..usual }),
                ("exact depth", two_big, exact),
                ("exact depth and no moves", two_big, OpenChoices { tt_moves: false, ..exact }),
            ],
        ),
        // The guide's three strategies over a game with a kept table.
        group(
            "age",
            &[SIZES[0], SIZES[1], LARGE],
            DEPTH,
            BetweenPositions::Stamp,
            vec![
                ("TWOBIG1 stamped", two_big, usual),
                ("always replace", Of(Scheme::New, false), usual),
                ("depth-preferred", Of(Scheme::Deep, false), usual),
                ("depth-preferred with age", Of(Scheme::Deep, true), usual),
            ],
        ),
        // Otter's table: one slot by the remainder of the key, always overwritten.
        group(
            "index",
            &[SIZES[1], ODD_SIZE],
            DEPTH,
            BetweenPositions::Clear,
            vec![
                ("product", SingleLevel(Replacement::Always, Index::Product), usual),
                ("modulo", SingleLevel(Replacement::Always, Index::Modulo), usual),
            ],
        ),
    ]
}

pub(super) fn plan(trial: &Trial) -> Vec<SearchSeries> {
    let mut plan = Vec::new();
    for AlibabaGroup { setting, sizes, depth, between, arms } in alibaba_groups() {
        for (&positions, &(arm, table, choices)) in
            sizes.iter().flat_map(|size| arms.iter().map(move |arm| (size, arm)))
        {
            let set = trial.set(SEQUENCES);
            plan.push(series(setting, positions, arm, trial.depth(depth), set, usize::MAX, move |set, of| {
                Ok(alibaba(
                    &mut Searcher::new(choices, table.make(positions).map_err(CommandError::failed)?),
                    set,
                    between,
                    of,
                ))
            }));
        }
    }
    for depth in RATE_DEPTHS.map(|depth| trial.depth(depth)) {
        let setting = format!("rates at depth {depth}");
        for (number, arm) in ["probes", "hits", "cut-offs", "move hints"].into_iter().enumerate() {
            let set = trial.set(RATE_SEQUENCES);
            plan.push(series(&setting, DEFAULT_SIZE, arm, depth, set, usize::MAX, move |set, of| {
                rates(set, of, number)
            }));
        }
    }
    for depth in RATE_DEPTHS.map(|depth| trial.depth(depth)) {
        let setting = format!("transpositions at depth {depth}");
        let arms = ["looked up", "looked up again", "searched", "searched again"];
        for (number, arm) in arms.into_iter().enumerate() {
            let set = trial.set(RATE_SEQUENCES);
            plan.push(series(&setting, 0, arm, depth, set, usize::MAX, move |set, of| {
                Ok(transpositions(set, of, number))
            }));
        }
    }
    for (number, arm) in ["positions", "Otter's keys", "Otter's collisions"].into_iter().enumerate() {
        plan.push(series("keys", 0, arm, WALK_DEPTH, trial.set(SEQUENCES), 1, move |set, of| {
            let keys = OtterKeys::new(1);
            let counted = |game: &Game, row: StudyRow| {
                Some(StudyRow { nodes: keys.count(game.position(), WALK_DEPTH)[number], ..row })
            };
            Ok(each_position(set, of, 1, |_, game, row| counted(game, row)))
        }));
    }
    for mib in GUIDE_MIB {
        let (depth, set) = (trial.depth(GUIDE_DEPTH), trial.set(GUIDE_SEQUENCES));
        plan.push(series("sizes", mib << 16, &format!("{mib} MiB"), depth, set, 1, move |set, of| {
            let table = Arc::new(TranspositionTable::with_mib(mib, Scheme::default()).map_err(CommandError::failed)?);
            let mut search = EngineSearch::new(&table);
            Ok(each_position(set, of, 1, |_, game, row| {
                search.new_game();
                let found = search.search(game, depth)?;
                let best = game.position().to_uci(found.mv, false);
                Some(StudyRow { nodes: found.nodes, score: found.score, best, ..row })
            }))
        }));
    }
    plan
}

/// Over the first `at_most` positions of each sequence.
fn series(
    setting: &str,
    positions: usize,
    arm: &str,
    depth: u32,
    set: Vec<Sequence>,
    at_most: usize,
    work: impl Fn(&[Sequence], &StudyRow) -> Result<Vec<StudyRow>, CommandError> + Send + Sync + 'static,
) -> SearchSeries {
    let (setting, arm, best) = (setting.to_owned(), arm.to_owned(), "-".to_owned());
    let of = StudyRow { setting, positions, arm, threads: 1, repeat: 1, depth, best, ..StudyRow::default() };
    let searches = set.iter().map(|sequence| sequence.positions.len().min(at_most)).sum();
    SearchSeries { of, searches, work: Box::new(move |of| work(&set, of)) }
}

/// At most `at_most` positions of each sequence. `visit` receives true for the first, and the row to complete.
fn each_position(
    set: &[Sequence],
    of: &StudyRow,
    at_most: usize,
    mut visit: impl FnMut(bool, &Game, StudyRow) -> Option<StudyRow>,
) -> Vec<StudyRow> {
    let mut rows = Vec::new();
    for sequence in set {
        for ((ply, position), index) in sequence.positions.iter().zip(0..at_most) {
            let row = StudyRow { game: sequence.number, ply: *ply, ..of.clone() };
            rows.extend(visit(index == 0, &Game::new(position.clone()), row));
        }
    }
    rows
}

fn alibaba(
    searcher: &mut Searcher<DynTable>,
    set: &[Sequence],
    between: BetweenPositions,
    of: &StudyRow,
) -> Vec<StudyRow> {
    each_position(set, of, usize::MAX, |is_first, game, row| {
        if let Some(table) = searcher.table_mut() {
            if is_first || between == BetweenPositions::Clear { table.clear(1) } else { table.new_search() }
        }
        let last = searcher.search(game, of.depth).pop()?;
        let best = game.position().to_uci(last.mv, false);
        Some(StudyRow { nodes: last.nodes, score: last.score, best, ..row })
    })
}

/// Of probes, hits, cut-offs or move hints in Sesame's search.
fn rates(set: &[Sequence], of: &StudyRow, number: usize) -> Result<Vec<StudyRow>, CommandError> {
    let options = TableOptions::default().positions(DEFAULT_SIZE);
    let table = Arc::new(Table::<TtEntry, Counters>::with_options(options).map_err(CommandError::failed)?);
    let mut search = EngineSearch::new(&table);
    Ok(each_position(set, of, usize::MAX, |is_first, game, row| {
        if is_first {
            search.new_game();
        }
        table.recorder().reset();
        search.search(game, of.depth)?;
        let stats = table.recorder().stats();
        Some(StudyRow { nodes: [stats.probes, stats.hits, stats.cutoffs, stats.hints][number], ..row })
    }))
}

/// Counts positions in the last iteration, with a table that stores nothing: looked up, looked up again, searched, searched
/// again. A first search counts the probes of all but the last iteration; a second one skips them.
fn transpositions(set: &[Sequence], of: &StudyRow, number: usize) -> Vec<StudyRow> {
    let counter = Arc::new(TranspositionCounter::default());
    let mut search = EngineSearch::new(&counter);
    each_position(set, of, usize::MAX, |_, game, row| {
        let mut before_last = 0;
        for depth in (of.depth - 1).max(1)..=of.depth {
            search.new_game();
            counter.restart(before_last);
            search.search(game, depth)?;
            before_last = counter.counts()[0];
        }
        Some(StudyRow { nodes: counter.counts()[number], ..row })
    })
}
