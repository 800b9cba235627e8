//! ALIBABA over the larger set of positions.

use super::page::{self, Files};
use super::record::Row;
use super::runner::{Measure, Task};
use super::set::PositionSet;
use super::{StudyArgs, StudyError};
use crate::lab::alibaba::{Choices, Searcher};
use crate::position::Game;
use crate::table::{Entry, Scheme, SearchTable, Table, TableOptions, Update};

/// Table sizes in positions.
const SIZES: [usize; 3] = [4 << 10, 16 << 10, 64 << 10];
/// The depth of each search. A ply less than the paper's figures, at tables smaller by as much as that makes the trees: about
/// as crowded.
const DEPTH: u32 = 6;
/// The scheme that the others are compared with.
const BASE: &str = Scheme::TwoBig1.name();

pub(super) fn tasks<'a>(set: &'a PositionSet, args: &'a StudyArgs) -> Vec<Task<'a>> {
    let mut tasks = Vec::new();
    for positions in SIZES {
        for scheme in Scheme::ALL {
            let options = TableOptions { positions, scheme, update: Update::Overwrite, stamps: true };
            let (set, depth) = (set.first(args.sequences(set.sequences.len())), args.depth(DEPTH));
            tasks.push(Task {
                setting: "stamped".to_owned(),
                positions,
                arm: scheme.name().to_owned(),
                threads: 1,
                repeat: 1,
                work: Box::new(move || {
                    let mut searcher = Searcher::new(Choices::default(), Some(Table::<Entry>::with_options(&options)?));
                    Ok(search_sequences(&mut searcher, &set, depth, Between::Stamp))
                }),
            });
        }
    }
    tasks
}

/// What becomes of the table between two positions of a game. Between games it is always emptied.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Between {
    /// A new generation begins.
    Stamp,
    /// The table is emptied.
    Clear,
}

/// Searches the sequences one after the other.
pub(super) fn search_sequences<T: SearchTable>(
    searcher: &mut Searcher<T>,
    set: &PositionSet,
    depth: u32,
    between: Between,
) -> Vec<Measure> {
    let mut measures = Vec::new();
    for sequence in &set.sequences {
        for ((ply, position), index) in sequence.positions.iter().zip(0..) {
            if let Some(table) = searcher.table_mut() {
                if index == 0 || between == Between::Clear {
                    table.wipe(1);
                } else {
                    table.next_generation();
                }
            }
            let iterations = searcher.search(&Game::new(position.clone()), depth);
            let Some(last) = iterations.last() else { continue };
            let best = position.to_uci(last.mv, false);
            measures.push(Measure { game: sequence.number, ply: *ply, depth, nodes: last.nodes, score: last.score, best });
        }
    }
    measures
}

pub(super) fn page(rows: &[Row]) -> Result<Files, StudyError> { page::stub(rows) }
