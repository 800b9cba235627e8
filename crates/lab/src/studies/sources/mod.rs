//! The study of claims about tables from three sources other than the paper.
//!
//! The sources are the diary of ViperMate's author on its first table, a guide to writing a chess engine, and
//! a page on the table of the engine Otter.

mod claims;
mod otter_keys;
mod tables;

use std::sync::Arc;

use super::runner::{Measurement, SearchSeries};
use super::set::PositionSet;
use super::{StudyArgs, StudyError};
use crate::alibaba::{Choices, Searcher};
use crate::engine_search::EngineSearch;
pub(super) use claims::page;
use otter_keys::{KeyCounts, OtterKeys};
use sesame::position::Game;
use sesame::search::{SearchTable, TranspositionTable, TtEntry};
use sesame_table::{Counters, Scheme, Stats, Table, TableOptions, Update};
use tables::{Index, Replacement, SingleLevelTable, TranspositionCounter, TranspositionCounts};

/// The number of sequences that ALIBABA searches, and its depth in plies.
const SEQUENCES: usize = 8;
const DEPTH: u32 = 5;
/// ALIBABA's depth for the claims of ViperMate's author.
const VIPER_DEPTH: u32 = 6;
/// The sizes of full tables for ALIBABA, in positions.
const SIZES: [usize; 2] = [1 << 10, 4 << 10];
/// The size of a table that is hardly full at that depth.
const LARGE: usize = 256 << 10;
/// The depths at which events in Sesame's search are counted, and the number of sequences.
const RATE_DEPTHS: [u32; 3] = [6, 9, 12];
const RATE_SEQUENCES: usize = 4;
/// The engine's default size, 16 MiB, in positions.
const DEFAULT_SIZE: usize = 1 << 20;
/// The guide's sizes in MiB, the depth of the searches, and the number of sequences whose first positions are
/// searched.
const GUIDE_MIB: [usize; 4] = [16, 64, 256, 1024];
const GUIDE_DEPTH: u32 = 24;
const GUIDE_SEQUENCES: usize = 6;
/// The plies to which Otter's keys are computed.
const WALK_DEPTH: u32 = 3;
/// A table size in positions that is not a power of two.
const ODD_SIZE: usize = 5_000;

pub(super) fn plan<'a>(set: &'a PositionSet, args: &'a StudyArgs) -> Result<Vec<SearchSeries<'a>>, StudyError> {
    let mut plan = Vec::new();
    replacement(&mut plan, set, args);
    without_moves(&mut plan, set, args);
    age(&mut plan, set, args);
    modulo(&mut plan, set, args);
    rates(&mut plan, set, args);
    transpositions(&mut plan, set, args);
    otter_keys(&mut plan, set, args);
    sizes(&mut plan, set, args);
    Ok(plan)
}

/// The treatment of the table between two positions of a game. Between games it is always emptied.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum BetweenPositions {
    /// A new generation begins.
    Stamp,
    /// The table is emptied.
    Clear,
}

/// Searches the sequences one after the other.
fn search_sequences<T: SearchTable>(
    searcher: &mut Searcher<T>,
    set: &PositionSet,
    depth: u32,
    between: BetweenPositions,
) -> Vec<Measurement> {
    let mut measures = Vec::new();
    for sequence in &set.sequences {
        for ((ply, position), index) in sequence.positions.iter().zip(0..) {
            if let Some(table) = searcher.table_mut() {
                if index == 0 || between == BetweenPositions::Clear {
                    table.clear_exclusive(1);
                } else {
                    table.new_search();
                }
            }
            let iterations = searcher.search(&Game::new(position.clone()), depth);
            let Some(last) = iterations.last() else { continue };
            let best = position.to_uci(last.mv, false);
            measures.push(Measurement {
                game: sequence.number,
                ply: *ply,
                depth,
                nodes: last.nodes,
                score: last.score,
                best,
            });
        }
    }
    measures
}

/// Returns the searches of ALIBABA over the sequences with the table that `make` returns.
fn alibaba<'a, T: SearchTable>(
    set: PositionSet,
    depth: u32,
    between: BetweenPositions,
    choices: Choices,
    make: impl FnOnce() -> Result<Option<T>, StudyError> + Send + 'a,
) -> impl FnOnce() -> Result<Vec<Measurement>, StudyError> + Send + 'a {
    move || Ok(search_sequences(&mut Searcher::new(choices, make()?), &set, depth, between))
}

/// Returns Sesame's table with the update rule of 1994.
fn table(positions: usize, scheme: Scheme, stamps: bool) -> Result<Option<TranspositionTable>, StudyError> {
    let options = TableOptions { positions, scheme, update: Update::Overwrite, stamps, ..TableOptions::default() };
    Ok(Some(TranspositionTable::with_options(&options)?))
}

/// ViperMate's replacement rules, in a table that is emptied between positions.
fn replacement<'a>(plan: &mut Vec<SearchSeries<'a>>, set: &PositionSet, args: &StudyArgs) {
    let (set, depth) = (set.first(args.sequences(SEQUENCES)), args.depth(DEPTH));
    let choices = Choices::default();
    for size in SIZES {
        for scheme in [Scheme::TwoBig1, Scheme::Deep, Scheme::New] {
            let make = move || table(size, scheme, true);
            let work = alibaba(set.clone(), depth, BetweenPositions::Clear, choices, make);
            plan.push(SearchSeries::single("replacement", size, scheme.name(), (depth, set.len()), work));
        }
        let rules = [("type then depth", Replacement::TypeThenDepth), ("ViperMate", Replacement::ViperMate)];
        for (name, rule) in rules {
            let make = move || Ok(Some(SingleLevelTable::new(size, rule, Index::Product)));
            let work = alibaba(set.clone(), depth, BetweenPositions::Clear, choices, make);
            plan.push(SearchSeries::single("replacement", size, name, (depth, set.len()), work));
        }
    }
}

/// ViperMate's table without moves, and its claims about search instability.
fn without_moves<'a>(plan: &mut Vec<SearchSeries<'a>>, set: &PositionSet, args: &StudyArgs) {
    let (set, depth) = (set.first(args.sequences(SEQUENCES)), args.depth(VIPER_DEPTH));
    let choices = Choices::default();
    let none = || Ok(None::<TranspositionTable>);
    let work = alibaba(set.clone(), depth, BetweenPositions::Clear, choices, none);
    let size = (depth, set.len());
    plan.push(SearchSeries::single("ViperMate", 0, "no table", size, work));
    let arms = [
        ("moves and deeper entries", choices),
        ("no moves", Choices { tt_moves: false, ..choices }),
        ("exact depth", Choices { exact_depth_only: true, ..choices }),
        ("exact depth and no moves", Choices { exact_depth_only: true, tt_moves: false, ..choices }),
    ];
    for (name, choices) in arms {
        let make = || table(LARGE, Scheme::TwoBig1, true);
        let work = alibaba(set.clone(), depth, BetweenPositions::Clear, choices, make);
        plan.push(SearchSeries::single("ViperMate", LARGE, name, size, work));
    }
}

/// The guide's three strategies over a game with a kept table.
fn age<'a>(plan: &mut Vec<SearchSeries<'a>>, set: &PositionSet, args: &StudyArgs) {
    let (set, depth) = (set.first(args.sequences(SEQUENCES)), args.depth(DEPTH));
    let arms = [
        ("TWOBIG1 stamped", Scheme::TwoBig1, true),
        ("always replace", Scheme::New, false),
        ("depth-preferred", Scheme::Deep, false),
        ("depth-preferred with age", Scheme::Deep, true),
    ];
    for size in SIZES.into_iter().chain([LARGE]) {
        for (name, scheme, stamps) in arms {
            let make = move || table(size, scheme, stamps);
            let work = alibaba(set.clone(), depth, BetweenPositions::Stamp, Choices::default(), make);
            plan.push(SearchSeries::single("age", size, name, (depth, set.len()), work));
        }
    }
}

/// Otter's table: one slot by the remainder of the key, always overwritten.
fn modulo<'a>(plan: &mut Vec<SearchSeries<'a>>, set: &PositionSet, args: &StudyArgs) {
    let (set, depth) = (set.first(args.sequences(SEQUENCES)), args.depth(DEPTH));
    for size in [SIZES[1], ODD_SIZE] {
        for (name, index) in [("product", Index::Product), ("modulo", Index::Modulo)] {
            let make = move || Ok(Some(SingleLevelTable::new(size, Replacement::Always, index)));
            let work = alibaba(set.clone(), depth, BetweenPositions::Clear, Choices::default(), make);
            plan.push(SearchSeries::single("index", size, name, (depth, set.len()), work));
        }
    }
}

/// A counted number with its name.
type NamedCount<T> = (&'static str, fn(&T) -> u64);

/// Counts events at the table in Sesame's search. Each number is an arm of its own, for which the searches
/// are repeated.
fn rates<'a>(plan: &mut Vec<SearchSeries<'a>>, set: &PositionSet, args: &StudyArgs) {
    let set = set.first(args.sequences(RATE_SEQUENCES));
    let numbers: [NamedCount<Stats>; 4] = [
        ("probes", |stats| stats.probes),
        ("hits", |stats| stats.hits),
        ("cut-offs", |stats| stats.cutoffs),
        ("move hints", |stats| stats.hints),
    ];
    for depth in RATE_DEPTHS.map(|depth| args.depth(depth)) {
        for (name, number) in numbers {
            let set = set.clone();
            let size = (depth, set.len());
            let work = move || {
                let options = TableOptions { positions: DEFAULT_SIZE, ..TableOptions::default() };
                let table = Arc::new(Table::<TtEntry, Counters>::with_options(&options)?);
                let mut search = EngineSearch::new(&table);
                let mut measures = Vec::new();
                for_each_position(&set, usize::MAX, |is_first, game, measure| {
                    if is_first {
                        search.new_game();
                    }
                    table.recorder().reset();
                    if search.search(game, depth).is_some() {
                        measures.push(Measurement { depth, nodes: number(&table.recorder().stats()), ..measure });
                    }
                    Ok(())
                })?;
                Ok(measures)
            };
            plan.push(SearchSeries::single(&format!("rates at depth {depth}"), DEFAULT_SIZE, name, size, work));
        }
    }
}

/// Counts the positions that occur again in the last iteration, with a table that stores nothing.
///
/// A first search counts the probes of all but the last iteration. A second search skips that number of probes.
fn transpositions<'a>(plan: &mut Vec<SearchSeries<'a>>, set: &PositionSet, args: &StudyArgs) {
    let set = set.first(args.sequences(RATE_SEQUENCES));
    let numbers: [NamedCount<TranspositionCounts>; 4] = [
        ("looked up", |counts| counts.looked_up),
        ("looked up again", |counts| counts.looked_up_again),
        ("searched", |counts| counts.searched),
        ("searched again", |counts| counts.searched_again),
    ];
    for depth in RATE_DEPTHS.map(|depth| args.depth(depth)) {
        for (name, number) in numbers {
            let set = set.clone();
            let size = (depth, set.len());
            let work = move || {
                let counter = Arc::new(TranspositionCounter::default());
                let mut search = EngineSearch::new(&counter);
                let mut measures = Vec::new();
                for_each_position(&set, usize::MAX, |_, game, measure| {
                    let mut before_last = 0;
                    for depth in (depth - 1).max(1)..=depth {
                        search.new_game();
                        counter.restart(before_last);
                        if search.search(game, depth).is_none() {
                            return Ok(());
                        }
                        before_last = counter.counts().looked_up;
                    }
                    measures.push(Measurement { depth, nodes: number(&counter.counts()), ..measure });
                    Ok(())
                })?;
                Ok(measures)
            };
            plan.push(SearchSeries::single(&format!("transpositions at depth {depth}"), 0, name, size, work));
        }
    }
}

/// Computes Otter's keys over all moves from some positions.
fn otter_keys<'a>(plan: &mut Vec<SearchSeries<'a>>, set: &PositionSet, args: &StudyArgs) {
    let set = set.first(args.sequences(SEQUENCES));
    let numbers: [NamedCount<KeyCounts>; 3] = [
        ("positions", |counts| counts.positions),
        ("Otter's keys", |counts| counts.keys),
        ("Otter's collisions", |counts| counts.collisions),
    ];
    for (name, number) in numbers {
        let set = set.clone();
        let size = (WALK_DEPTH, set.sequences.len());
        let work = move || {
            let keys = OtterKeys::new(1);
            let mut measures = Vec::new();
            for_each_position(&set, 1, |_, game, measure| {
                let nodes = number(&keys.count(game.position(), WALK_DEPTH));
                measures.push(Measurement { depth: WALK_DEPTH, nodes, ..measure });
                Ok(())
            })?;
            Ok(measures)
        };
        plan.push(SearchSeries::single("keys", 0, name, size, work));
    }
}

/// Sesame's search at the guide's table sizes, each position on an empty table.
fn sizes<'a>(plan: &mut Vec<SearchSeries<'a>>, set: &PositionSet, args: &StudyArgs) {
    let (set, depth) = (set.first(args.sequences(GUIDE_SEQUENCES)), args.depth(GUIDE_DEPTH));
    for mib in GUIDE_MIB {
        let set = set.clone();
        let size = (depth, set.sequences.len());
        let work = move || {
            let table = Arc::new(TranspositionTable::with_mib(mib, Scheme::default())?);
            let mut search = EngineSearch::new(&table);
            let mut measures = Vec::new();
            for_each_position(&set, 1, |_, game, measure| {
                search.new_game();
                if let Some(found) = search.search(game, depth) {
                    let best = game.position().to_uci(found.mv, false);
                    measures.push(Measurement { depth, nodes: found.nodes, score: found.score, best, ..measure });
                }
                Ok(())
            })?;
            Ok(measures)
        };
        plan.push(SearchSeries::single("sizes", mib << 16, &format!("{mib} MiB"), size, work));
    }
}

/// Visits the first `at_most` positions of each sequence. `visit` receives true for the first position of a
/// sequence, and a measurement with game and ply.
fn for_each_position(
    set: &PositionSet,
    at_most: usize,
    mut visit: impl FnMut(bool, &Game, Measurement) -> Result<(), StudyError>,
) -> Result<(), StudyError> {
    for sequence in &set.sequences {
        for ((ply, position), index) in sequence.positions.iter().zip(0..at_most) {
            let measure =
                Measurement { game: sequence.number, ply: *ply, depth: 0, nodes: 0, score: 0, best: "-".to_owned() };
            visit(index == 0, &Game::new(position.clone()), measure)?;
        }
    }
    Ok(())
}
