//! Sesame's own search with several threads at one table: does the order of the schemes hold?

use std::sync::Arc;

use crossbeam::channel::{self, Sender};

use super::page::{self, Files};
use super::record::Row;
use super::runner::{Measure, Task};
use super::set::PositionSet;
use super::{StudyArgs, StudyError};
use crate::engine::{BestMove, Engine, Info, Limits, Options, Score, Sink};
use crate::position::Game;
use crate::table::{Entry, Scheme, Table, TableOptions};

/// Search threads.
const THREADS: [u32; 4] = [1, 2, 4, 8];
/// A crowded table, so that replacement matters.
const POSITIONS: usize = 8 << 10;
/// The depth of each search.
const DEPTH: u32 = 12;
/// How many of the sequences are searched.
const SEQUENCES: usize = 8;
/// How often a search by several threads is repeated; one by one thread is the same every time.
const REPEATS: u32 = 3;
/// The scheme that the others are compared with.
const BASE: &str = Scheme::TwoBig1.name();

pub(super) fn tasks<'a>(set: &'a PositionSet, args: &'a StudyArgs) -> Vec<Task<'a>> {
    let mut tasks = Vec::new();
    for threads in THREADS {
        // Whatever else the machine does, it does to all schemes alike: each repetition goes through all of them.
        for repeat in 1..=if threads == 1 { 1 } else { REPEATS } {
            for scheme in Scheme::ALL {
                let (set, depth) = (set.first(args.sequences(SEQUENCES)), args.depth(DEPTH));
                tasks.push(Task {
                    setting: format!("{threads} threads"),
                    positions: POSITIONS,
                    arm: scheme.name().to_owned(),
                    threads,
                    repeat,
                    work: Box::new(move || search_sequences(scheme, threads, &set, depth)),
                });
            }
        }
    }
    tasks
}

/// What the engine tells of one search.
enum News {
    Score(i32),
    End(BestMove),
}

/// Hands the last score and the end of each search on.
struct Ends(Sender<News>);

impl Sink for Ends {
    fn info(&self, info: &Info) {
        let score = match info.line.score {
            Score::Centipawns(score) => score,
            Score::Mate(moves) => moves.signum() * (32_000 - moves.abs()),
        };
        let _ = self.0.send(News::Score(score));
    }

    fn best_move(&self, best: &BestMove) {
        let _ = self.0.send(News::End(best.clone()));
    }

    fn message(&self, _: &str) {}
}

/// As [`super::modern::search_sequences`], by the engine with all its threads. The search ends when the first thread has reached the
/// depth; counted are the nodes of all.
fn search_sequences(
    scheme: Scheme,
    threads: u32,
    set: &PositionSet,
    depth: u32,
) -> Result<Vec<Measure>, StudyError> {
    let table = Table::<Entry>::with_options(&TableOptions { positions: POSITIONS, scheme, ..TableOptions::default() })?;
    let (sender, news) = channel::unbounded();
    let options = Options { threads: threads as usize, ..Options::default() };
    let mut engine = Engine::with_table(table, options, Arc::new(Ends(sender)))?;
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let mut measures = Vec::new();
    for sequence in &set.sequences {
        engine.new_game();
        for (ply, position) in &sequence.positions {
            engine.go(&Game::new(position.clone()), limits.clone());
            let mut score = 0;
            let end = loop {
                match news.recv() {
                    Ok(News::Score(last)) => score = last,
                    Ok(News::End(end)) => break Some(end),
                    Err(_) => break None,
                }
            };
            let Some(BestMove { best: Some(mv), nodes, .. }) = end else { continue };
            let best = position.to_uci(mv, false);
            measures.push(Measure { game: sequence.number, ply: *ply, depth, nodes, score, best });
        }
    }
    Ok(measures)
}

pub(super) fn page(rows: &[Row]) -> Result<Files, StudyError> { page::stub(rows) }
