//! The claims of the seeds other than the paper, each run and answered: ViperMate's, a guide's, Otter's.

mod claims;
mod keys;
mod tables;

use super::larger::{Between, search_sequences};
use super::own::{Limit, OwnSearch};
use super::runner::{Measure, Task};
use super::set::PositionSet;
use super::{StudyArgs, StudyError};
use crate::alibaba::{Choices, Searcher};
pub(super) use claims::page;
use keys::{OtterKeys, Walk};
use sesame::position::Game;
use sesame::search::{SearchTable, TtEntry};
use sesame_table::{Counters, Scheme, Stats, Table, TableOptions, Update};
use tables::{Index, PlainTable, Replacement, Seen, Witness};

/// Sequences that ALIBABA searches, and its depth.
const SEQUENCES: usize = 8;
const DEPTH: u32 = 5;
/// Its depth for what ViperMate's author saw, the deeper the clearer.
const VIPER_DEPTH: u32 = 6;
/// Crowded tables for it.
const SIZES: [usize; 2] = [1 << 10, 4 << 10];
/// A table that is hardly crowded at that depth.
const ROOMY: usize = 256 << 10;
/// Depths at which Sesame's search is watched, and how many sequences.
const RATE_DEPTHS: [u32; 3] = [6, 9, 12];
const RATE_SEQUENCES: usize = 4;
/// The engine's default, 16 MiB.
const DEFAULT_SIZE: usize = 1 << 20;
/// The guide's sizes in MiB, the depth of the searches there, and on the first positions of how many sequences.
const GUIDE_MIB: [usize; 4] = [16, 64, 256, 1024];
const GUIDE_DEPTH: u32 = 24;
const GUIDE_SEQUENCES: usize = 6;
/// Plies to which Otter's keys are computed.
const WALK_DEPTH: u32 = 3;
/// A number of positions that is no power of two.
const ODD_SIZE: usize = 5_000;

pub(super) fn tasks<'a>(set: &'a PositionSet, args: &'a StudyArgs) -> Result<Vec<Task<'a>>, StudyError> {
    let mut tasks = Vec::new();
    replacement(&mut tasks, set, args);
    without_moves(&mut tasks, set, args);
    age(&mut tasks, set, args);
    modulo(&mut tasks, set, args);
    rates(&mut tasks, set, args);
    transpositions(&mut tasks, set, args);
    otter_keys(&mut tasks, set, args);
    sizes(&mut tasks, set, args);
    Ok(tasks)
}

/// ALIBABA over the sequences at a table that `make` makes.
fn alibaba<'a, T: SearchTable>(
    set: PositionSet,
    depth: u32,
    between: Between,
    choices: Choices,
    make: impl FnOnce() -> Result<Option<T>, StudyError> + Send + 'a,
) -> impl FnOnce() -> Result<Vec<Measure>, StudyError> + Send + 'a {
    move || Ok(search_sequences(&mut Searcher::new(choices, make()?), &set, depth, between))
}

/// The engine's table with the update of 1994.
fn table(positions: usize, scheme: Scheme, stamps: bool) -> Result<Option<Table>, StudyError> {
    let options = TableOptions { positions, scheme, update: Update::Overwrite, stamps, ..TableOptions::default() };
    Ok(Some(Table::with_options(&options)?))
}

/// ViperMate's replacement, and the guide's, in a table that is emptied between positions.
fn replacement<'a>(tasks: &mut Vec<Task<'a>>, set: &PositionSet, args: &StudyArgs) {
    let (set, depth) = (set.first(args.sequences(SEQUENCES)), args.depth(DEPTH));
    let choices = Choices::default();
    for size in SIZES {
        for scheme in [Scheme::TwoBig1, Scheme::Deep, Scheme::New] {
            let make = move || table(size, scheme, true);
            let work = alibaba(set.clone(), depth, Between::Clear, choices, make);
            tasks.push(Task::single("replacement", size, scheme.name(), (depth, set.len()), work));
        }
        let rules = [("type then depth", Replacement::TypeThenDepth), ("ViperMate", Replacement::ViperMate)];
        for (name, rule) in rules {
            let make = move || Ok(Some(PlainTable::new(size, rule, Index::Product)));
            let work = alibaba(set.clone(), depth, Between::Clear, choices, make);
            tasks.push(Task::single("replacement", size, name, (depth, set.len()), work));
        }
    }
}

/// ViperMate's table without moves, and its discovery about instability.
fn without_moves<'a>(tasks: &mut Vec<Task<'a>>, set: &PositionSet, args: &StudyArgs) {
    let (set, depth) = (set.first(args.sequences(SEQUENCES)), args.depth(VIPER_DEPTH));
    let choices = Choices::default();
    let none = || Ok(None::<Table>);
    let work = alibaba(set.clone(), depth, Between::Clear, choices, none);
    let size = (depth, set.len());
    tasks.push(Task::single("ViperMate", 0, "no table", size, work));
    let arms = [
        ("moves and deeper entries", choices),
        ("no moves", Choices { tt_moves: false, ..choices }),
        ("exact depth", Choices { exact_depth_only: true, ..choices }),
        ("exact depth and no moves", Choices { exact_depth_only: true, tt_moves: false, ..choices }),
    ];
    for (name, choices) in arms {
        let make = || table(ROOMY, Scheme::TwoBig1, true);
        let work = alibaba(set.clone(), depth, Between::Clear, choices, make);
        tasks.push(Task::single("ViperMate", ROOMY, name, size, work));
    }
}

/// The guide's three strategies over a game, the table kept: what is never aged stays.
fn age<'a>(tasks: &mut Vec<Task<'a>>, set: &PositionSet, args: &StudyArgs) {
    let (set, depth) = (set.first(args.sequences(SEQUENCES)), args.depth(DEPTH));
    let arms = [
        ("TWOBIG1 stamped", Scheme::TwoBig1, true),
        ("always replace", Scheme::New, false),
        ("depth-preferred", Scheme::Deep, false),
        ("depth-preferred with age", Scheme::Deep, true),
    ];
    for size in SIZES.into_iter().chain([ROOMY]) {
        for (name, scheme, stamps) in arms {
            let make = move || table(size, scheme, stamps);
            let work = alibaba(set.clone(), depth, Between::Stamp, Choices::default(), make);
            tasks.push(Task::single("age", size, name, (depth, set.len()), work));
        }
    }
}

/// Otter's table: one slot, found by the remainder, always overwritten.
fn modulo<'a>(tasks: &mut Vec<Task<'a>>, set: &PositionSet, args: &StudyArgs) {
    let (set, depth) = (set.first(args.sequences(SEQUENCES)), args.depth(DEPTH));
    for size in [SIZES[1], ODD_SIZE] {
        for (name, index) in [("product", Index::Product), ("modulo", Index::Modulo)] {
            let make = move || Ok(Some(PlainTable::new(size, Replacement::Always, index)));
            let work = alibaba(set.clone(), depth, Between::Clear, Choices::default(), make);
            tasks.push(Task::single("index", size, name, (depth, set.len()), work));
        }
    }
}

/// A number by its name, and how to get it.
type Number<T> = (&'static str, fn(&T) -> u64);

/// What is counted at the engine's table in Sesame's search. Each number is an arm of its own, and its searches are made again for it.
fn rates<'a>(tasks: &mut Vec<Task<'a>>, set: &PositionSet, args: &StudyArgs) {
    let set = set.first(args.sequences(RATE_SEQUENCES));
    let numbers: [Number<Stats>; 4] = [
        ("probes", |stats| stats.probes),
        ("hits", |stats| stats.hits),
        ("cut-offs", |stats| stats.cut_offs),
        ("move hints", |stats| stats.move_hints),
    ];
    for depth in RATE_DEPTHS.map(|depth| args.depth(depth)) {
        for (name, number) in numbers {
            let set = set.clone();
            let size = (depth, set.len());
            let work = move || {
                let options = TableOptions { positions: DEFAULT_SIZE, ..TableOptions::default() };
                let mut search = OwnSearch::new(Table::<TtEntry, Counters>::with_options(&options)?);
                let mut measures = Vec::new();
                for_each_position(&set, usize::MAX, |is_first, game, measure| {
                    if is_first {
                        search.new_game();
                    }
                    search.table().recorder().reset();
                    if search.search(game, Limit::Depth(depth)).is_some() {
                        measures.push(Measure { depth, nodes: number(&search.table().recorder().stats()), ..measure });
                    }
                });
                Ok(measures)
            };
            tasks.push(Task::single(&format!("rates at depth {depth}"), DEFAULT_SIZE, name, size, work));
        }
    }
}

/// How many of the positions of the last iteration are not new in it, when nothing is remembered.
fn transpositions<'a>(tasks: &mut Vec<Task<'a>>, set: &PositionSet, args: &StudyArgs) {
    let set = set.first(args.sequences(RATE_SEQUENCES));
    let numbers: [Number<Seen>; 4] = [
        ("looked up", |seen| seen.looked_up),
        ("looked up again", |seen| seen.looked_up_again),
        ("searched", |seen| seen.searched),
        ("searched again", |seen| seen.searched_again),
    ];
    for depth in RATE_DEPTHS.map(|depth| args.depth(depth)) {
        for (name, number) in numbers {
            let set = set.clone();
            let size = (depth, set.len());
            let work = move || {
                let mut search = OwnSearch::new(Witness::default());
                let mut measures = Vec::new();
                for_each_position(&set, usize::MAX, |_, game, measure| {
                    search.new_game();
                    let found = search.search_and_tell(game, Limit::Depth(depth), |done, witness| {
                        // Only the last iteration is to be counted.
                        if done + 1 == depth {
                            witness.clear(1);
                        }
                    });
                    if found.is_some() {
                        measures.push(Measure { depth, nodes: number(&search.table().seen()), ..measure });
                    }
                });
                Ok(measures)
            };
            tasks.push(Task::single(&format!("transpositions at depth {depth}"), 0, name, size, work));
        }
    }
}

/// Otter's keys over all moves from some positions.
fn otter_keys<'a>(tasks: &mut Vec<Task<'a>>, set: &PositionSet, args: &StudyArgs) {
    let set = set.first(args.sequences(SEQUENCES));
    let numbers: [Number<Walk>; 3] = [
        ("positions", |walk| walk.positions),
        ("Otter's keys", |walk| walk.keys),
        ("Otter's collisions", |walk| walk.collisions),
    ];
    for (name, number) in numbers {
        let set = set.clone();
        let size = (WALK_DEPTH, set.sequences.len());
        let work = move || {
            let keys = OtterKeys::new(1);
            let mut measures = Vec::new();
            for_each_position(&set, 1, |_, game, measure| {
                let nodes = number(&keys.walk(game.position(), WALK_DEPTH));
                measures.push(Measure { depth: WALK_DEPTH, nodes, ..measure });
            });
            Ok(measures)
        };
        tasks.push(Task::single("keys", 0, name, size, work));
    }
}

/// Sesame's search at the guide's sizes, each position on an empty table.
fn sizes<'a>(tasks: &mut Vec<Task<'a>>, set: &PositionSet, args: &StudyArgs) {
    let (set, depth) = (set.first(args.sequences(GUIDE_SEQUENCES)), args.depth(GUIDE_DEPTH));
    for mib in GUIDE_MIB {
        let set = set.clone();
        let size = (depth, set.sequences.len());
        let work = move || {
            let mut search = OwnSearch::new(Table::new(mib, Scheme::default())?);
            let mut measures = Vec::new();
            for_each_position(&set, 1, |_, game, measure| {
                search.new_game();
                if let Some(found) = search.search(game, Limit::Depth(depth)) {
                    let best = game.position().to_uci(found.mv, false);
                    measures.push(Measure { depth, nodes: found.nodes, score: found.score, best, ..measure });
                }
            });
            Ok(measures)
        };
        tasks.push(Task::single("sizes", mib << 16, &format!("{mib} MiB"), size, work));
    }
}

/// Goes through the first `at_most` positions of each sequence; says whether one is the first of its sequence, and gives a measure
/// with its game and ply.
fn for_each_position(set: &PositionSet, at_most: usize, mut visit: impl FnMut(bool, &Game, Measure)) {
    for sequence in &set.sequences {
        for ((ply, position), index) in sequence.positions.iter().zip(0..at_most) {
            let measure =
                Measure { game: sequence.number, ply: *ply, depth: 0, nodes: 0, score: 0, best: "-".to_owned() };
            visit(index == 0, &Game::new(position.clone()), measure);
        }
    }
}
