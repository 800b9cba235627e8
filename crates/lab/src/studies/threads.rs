//! The study of Sesame's own search with several threads that share a table.

use std::sync::Arc;

use super::page::{self, PageFiles, Setting};
use super::panel::Panel;
use super::record::StudyRow;
use super::runner::{Measurement, SearchSeries};
use super::set::PositionSet;
use super::{Study, StudyArgs, StudyError};
use sesame::engine::{Engine, Limits, NullSink, Options, Score};
use sesame::position::Game;
use sesame::search::TranspositionTable;
use sesame_report::markdown::Table as MarkdownTable;
use sesame_table::{Scheme, TableOptions};

/// Search threads.
const THREADS: [u32; 4] = [1, 2, 4, 8];
/// The size of a full table in positions.
const FULL: usize = 8 << 10;
/// The depth of each search in plies.
const DEPTH: u32 = 12;
/// The number of sequences searched in lockstep, and by free threads.
const SEQUENCES: [usize; 2] = [12, 4];
/// Repetitions of a search by free threads. In lockstep every repetition gives the same nodes.
const REPEATS: u32 = 2;
/// A mate in n moves counts as this score in centipawns less n.
const MATE: i32 = 32_000;

/// The scheme that the others are compared with.
const BASE: &str = Scheme::TwoBig1.name();

/// The default table size, which these searches do not fill. They are fewer, since they take longer.
const LARGE: usize = 1 << 20;
const LARGE_DEPTH: u32 = 14;
const LARGE_SEQUENCES: usize = 4;
const LARGE_THREADS: [u32; 2] = [1, 8];
const LARGE_SCHEMES: [Scheme; 5] = [Scheme::Deep, Scheme::New, Scheme::Big1, Scheme::TwoDeep, Scheme::TwoBig1];

pub(super) fn plan<'a>(set: &'a PositionSet, args: &'a StudyArgs) -> Vec<SearchSeries<'a>> {
    let series = |scheme: Scheme, positions, (threads, lockstep), repeat, sequences, depth| {
        let (set, depth) = (set.first(args.sequences(sequences)), args.depth(depth));
        SearchSeries {
            setting: name(threads, lockstep),
            positions,
            arm: scheme.name().to_owned(),
            threads,
            repeat,
            depth,
            searches: set.len(),
            work: Box::new(move || {
                let options = TableOptions { positions, scheme, ..TableOptions::default() };
                let table = TranspositionTable::with_options(&options)?;
                let options = Options { threads: threads as usize, lockstep, ..Options::default() };
                search_sequences(&mut Engine::with_table(table, options, Arc::new(NullSink))?, &set, depth)
            }),
        }
    };
    let mut plan = Vec::new();
    for (lockstep, sequences) in [(true, SEQUENCES[0]), (false, SEQUENCES[1])] {
        for &threads in if lockstep { &THREADS[..] } else { &THREADS[1..] } {
            // Each repetition runs all schemes, so that other load on the machine affects all schemes equally.
            for repeat in 1..=if lockstep { 1 } else { REPEATS } {
                let of = |scheme| series(scheme, FULL, (threads, lockstep), repeat, sequences, DEPTH);
                plan.extend(Scheme::ALL.into_iter().map(of));
            }
        }
    }
    for threads in LARGE_THREADS {
        let of = |scheme| series(scheme, LARGE, (threads, true), 1, LARGE_SEQUENCES, LARGE_DEPTH);
        plan.extend(LARGE_SCHEMES.into_iter().map(of));
    }
    plan
}

/// Searches the sequences one after the other, each as a game of its own: histories and stamped table are
/// kept from position to position.
fn search_sequences(engine: &mut Engine, set: &PositionSet, depth: u32) -> Result<Vec<Measurement>, StudyError> {
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let mut measures = Vec::new();
    for sequence in &set.sequences {
        engine.new_game();
        for (ply, position) in &sequence.positions {
            let report = engine.search(&Game::new(position.clone()), limits.clone())?;
            let Some(best) = report.best else { continue };
            let score = match report.lines.first().map(|line| line.score) {
                Some(Score::Centipawns(score)) => score,
                Some(Score::Mate(moves)) => moves.signum() * (MATE - moves.abs()),
                None => 0,
            };
            let best = position.to_uci(best, false);
            measures.push(Measurement { game: sequence.number, ply: *ply, depth, nodes: report.nodes, score, best });
        }
    }
    Ok(measures)
}

/// Returns the name of a setting.
fn name(threads: u32, lockstep: bool) -> String {
    match (threads, lockstep) {
        (1, _) => "1 thread".to_owned(),
        (_, true) => format!("{threads} in lockstep"),
        (_, false) => format!("{threads} free"),
    }
}

pub(super) fn page(rows: &[StudyRow], program: &str) -> Result<PageFiles, StudyError> {
    let settings = page::settings(rows);
    let mut text = page::head("Many threads", Study::Threads.name(), Some(program));
    text += INTRODUCTION;
    text += page::INTERVALS;
    text += "![Nodes by scheme and number of threads](threads.svg)\n\n## The order of the schemes\n\n";
    text += &summary(&settings).to_string();
    text += "\nOne scheme's nodes with several threads against its own with one:\n\n";
    text += &format!("{}\n", overhead(rows, FULL, &THREADS));
    if settings.iter().any(|setting| setting.positions == LARGE) {
        text += &format!("The same at {}:\n\n", size_label(LARGE));
        text += &format!("{}\n", overhead(rows, LARGE, &LARGE_THREADS));
    } else {
        text += "Searches with several threads at a table that is not full were not run.\n\n";
    }
    for setting in &settings {
        let size = size_label(setting.positions);
        text += &format!("## {}, {size}\n\n{}{}.\n\n", setting.name, setting.extent(), crowding(setting));
        text += &format!("{}\n", page::ratios(setting, BASE));
    }
    let in_lockstep = settings.iter().filter(|setting| setting.positions == FULL && !setting.name.ends_with("free"));
    let labelled: Vec<(String, &Setting<'_>)> =
        in_lockstep.map(|setting| (setting.name.split(' ').next().unwrap_or_default().to_owned(), setting)).collect();
    let picture = page::picture("Sesame's search, 8K positions, in lockstep", "search threads", &labelled, BASE)?;
    Ok(vec![("threads.md".to_owned(), text), ("threads.svg".to_owned(), picture)])
}

fn size_label(positions: usize) -> String {
    format!("{} positions", page::size_label(positions))
}

fn crowding(setting: &Setting<'_>) -> String {
    let crowding = |nodes| format!("; {nodes:.1} nodes of a search per position of the table");
    setting.crowding(BASE).map(crowding).unwrap_or_default()
}

fn summary(settings: &[Setting<'_>]) -> MarkdownTable {
    let header = ["threads", "table", "from the fewest nodes to the most", "beaten by none"];
    let mut table = MarkdownTable::new(header).with_text_columns(4);
    for Setting { name, positions, panel, .. } in settings {
        let (order, unbeaten) = (page::order(panel).join(", "), page::list(&page::unbeaten(panel)));
        table.row([(*name).to_owned(), page::size_label(*positions), order, unbeaten]);
    }
    table
}

/// Returns a table of the nodes of several threads against one, in lockstep at a table of this size.
fn overhead(rows: &[StudyRow], positions: usize, threads: &[u32]) -> MarkdownTable {
    let name = |&threads: &u32| name(threads, true);
    let many = || threads.iter().filter(|&&threads| threads > 1);
    let mut table = MarkdownTable::new(std::iter::once("scheme".to_owned()).chain(many().map(name)));
    for scheme in Scheme::ALL {
        let of_scheme = rows.iter().filter(|row| row.arm == scheme.name() && row.positions == positions);
        let by_threads: Vec<StudyRow> =
            of_scheme.map(|row| StudyRow { arm: row.setting.clone(), ..row.clone() }).collect();
        if by_threads.is_empty() {
            continue;
        }
        let panel = Panel::new(&by_threads);
        let cells = many().map(|threads| page::difference(panel.ratio(&name(threads), &name(&1))));
        table.row(std::iter::once(scheme.name().to_owned()).chain(cells));
    }
    table
}

const INTRODUCTION: &str = "Sesame's search with 1, 2, 4 and 8 threads that share a table of 8K positions, to \
     a fixed depth. At 1024K, the engine's default, there are only 1 and 8 threads, in lockstep, and five of \
     the schemes. A search ends when the first thread has reached the depth; the nodes of all threads are \
     counted. In *lockstep* (`docs/contributors/smp.md`) the threads take turns of 512 nodes. 8 threads then \
     fill the table as on 8 equally fast cores, and a search gives the same nodes in every run on any \
     machine. *Free* threads run as in play, and their nodes differ from run to run. Each such search is made \
     twice and the logarithms are averaged; another run gives other figures. The machine of these figures has \
     2 cores and was busy: 4 and 8 free threads took turns in slices of thousands of nodes. The free figures \
     only check that lockstep does not mislead.\n\n";
