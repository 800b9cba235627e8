//! Sesame's own search: nodes to a fixed depth under every scheme, at tables as crowded as in 1994 and at a usual size.

use super::own::{Limit, OwnSearch};
use super::page::{self, Files};
use super::record::Row;
use super::runner::{Measure, Task};
use super::set::PositionSet;
use super::{StudyArgs, StudyError};
use crate::position::Game;
use crate::table::{Entry, Scheme, SearchTable, Table, TableOptions, Update};

/// A table size, the depth searched at it, and how many of the sequences.
struct Setting {
    positions: usize,
    depth: u32,
    sequences: usize,
}

/// From crowded to roomy. The last is 16 MiB, the engine's default; it takes longer searches to fill.
const SETTINGS: [Setting; 4] = [
    Setting { positions: 8 << 10, depth: 13, sequences: 16 },
    Setting { positions: 32 << 10, depth: 13, sequences: 16 },
    Setting { positions: 128 << 10, depth: 13, sequences: 16 },
    Setting { positions: 1 << 20, depth: 17, sequences: 6 },
];

/// The scheme that the others are compared with.
const BASE: &str = Scheme::TwoBig1.name();

fn update_name(update: Update) -> &'static str {
    match update {
        Update::Merge => "merge",
        Update::Overwrite => "overwrite",
    }
}

pub(super) fn tasks<'a>(set: &'a PositionSet, args: &'a StudyArgs) -> Vec<Task<'a>> {
    let mut tasks = Vec::new();
    for setting in &SETTINGS {
        for update in [Update::Merge, Update::Overwrite] {
            for scheme in Scheme::ALL {
                let options = TableOptions { positions: setting.positions, scheme, update, stamps: true };
                let depth = args.depth(setting.depth);
                let set = set.first(args.sequences(setting.sequences));
                tasks.push(Task {
                    setting: update_name(update).to_owned(),
                    positions: setting.positions,
                    arm: scheme.name().to_owned(),
                    threads: 1,
                    repeat: 1,
                    work: Box::new(move || search_sequences(Table::<Entry>::with_options(&options)?, &set, depth)),
                });
            }
        }
    }
    tasks
}

/// Searches the sequences one after the other, each as a game of its own: the table and what the search has learnt are kept from
/// position to position, and stamped.
pub(super) fn search_sequences<T: SearchTable>(
    table: T,
    set: &PositionSet,
    depth: u32,
) -> Result<Vec<Measure>, StudyError> {
    let mut search = OwnSearch::new(table);
    let mut measures = Vec::new();
    for sequence in &set.sequences {
        search.new_game();
        for (ply, position) in &sequence.positions {
            let Some(found) = search.search(&Game::new(position.clone()), Limit::Depth(depth)) else { continue };
            let best = position.to_uci(found.mv, false);
            let (game, ply) = (sequence.number, *ply);
            measures.push(Measure { game, ply, depth, nodes: found.nodes, score: found.score, best });
        }
    }
    Ok(measures)
}

pub(super) fn page(rows: &[Row]) -> Result<Files, StudyError> { page::stub(rows) }
