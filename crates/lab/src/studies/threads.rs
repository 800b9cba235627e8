//! Sesame's own search with several threads at one table: does the order of the schemes hold?

use std::sync::Arc;

use crossbeam::channel::{self, Sender};

use super::page::{self, Files, Setting};
use super::panel::Panel;
use super::record::Row;
use super::runner::{Measure, Task};
use super::set::PositionSet;
use super::standing::recommendation;
use super::{Study, StudyArgs, StudyError};
use sesame::engine::{BestMove, Engine, Info, Limits, Options, Score, Sink};
use sesame::eval::Evaluator;
use sesame::position::Game;
use sesame::search::TtEntry;
use sesame_report::markdown::Table as MarkdownTable;
use sesame_table::{Scheme, Table, TableOptions};

/// Search threads.
const THREADS: [u32; 4] = [1, 2, 4, 8];
/// A crowded table, so that replacement matters.
const CROWDED: usize = 8 << 10;
/// The depth of each search.
const DEPTH: u32 = 12;
/// How many of the sequences are searched in lockstep, and by free threads.
const SEQUENCES: [usize; 2] = [12, 4];
/// How often a search by free threads is repeated; in lockstep it is the same every time.
const REPEATS: u32 = 2;
/// The scheme that the others are compared with.
const BASE: &str = Scheme::TwoBig1.name();

/// A table as large as the engine's default, which these searches do not fill; fewer of everything, for the time it takes.
const ROOMY: usize = 1 << 20;
const ROOMY_DEPTH: u32 = 14;
const ROOMY_SEQUENCES: usize = 4;
const ROOMY_THREADS: [u32; 2] = [1, 8];
const ROOMY_SCHEMES: [Scheme; 5] = [Scheme::Deep, Scheme::New, Scheme::Big1, Scheme::TwoDeep, Scheme::TwoBig1];

pub(super) fn tasks<'a>(set: &'a PositionSet, args: &'a StudyArgs) -> Vec<Task<'a>> {
    let task = |scheme: Scheme, positions, (threads, lockstep), repeat, sequences, depth| {
        let (set, depth) = (set.first(args.sequences(sequences)), args.depth(depth));
        Task {
            setting: name(threads, lockstep),
            positions,
            arm: scheme.name().to_owned(),
            threads,
            repeat,
            depth,
            searches: set.len(),
            work: Box::new(move || search_sequences(scheme, positions, threads, lockstep, &set, depth)),
        }
    };
    let mut tasks = Vec::new();
    for (lockstep, sequences) in [(true, SEQUENCES[0]), (false, SEQUENCES[1])] {
        for &threads in if lockstep { &THREADS[..] } else { &THREADS[1..] } {
            // Whatever else the machine does, it does to all schemes alike: each repetition goes through all of them.
            for repeat in 1..=if lockstep { 1 } else { REPEATS } {
                let of = |scheme| task(scheme, CROWDED, (threads, lockstep), repeat, sequences, DEPTH);
                tasks.extend(Scheme::ALL.into_iter().map(of));
            }
        }
    }
    for threads in ROOMY_THREADS {
        let of = |scheme| task(scheme, ROOMY, (threads, true), 1, ROOMY_SEQUENCES, ROOMY_DEPTH);
        tasks.extend(ROOMY_SCHEMES.into_iter().map(of));
    }
    tasks
}

/// The name of a setting.
fn name(threads: u32, lockstep: bool) -> String {
    match (threads, lockstep) {
        (1, _) => "1 thread".to_owned(),
        (_, true) => format!("{threads} in lockstep"),
        (_, false) => format!("{threads} free"),
    }
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
    positions: usize,
    threads: u32,
    lockstep: bool,
    set: &PositionSet,
    depth: u32,
) -> Result<Vec<Measure>, StudyError> {
    let table = Table::<TtEntry>::with_options(&TableOptions { positions, scheme, ..TableOptions::default() })?;
    let (sender, news) = channel::unbounded();
    let options =
        Options { threads: threads as usize, lockstep, evaluator: Evaluator::Classical, ..Options::default() };
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

/// The page; `modern` are the results of `sesame lab modern`, if they are there, for the recommendation.
pub(super) fn page(rows: &[Row], modern: Option<&[Row]>) -> Result<Files, StudyError> {
    let settings = page::settings(rows);
    let mut text = page::head("Many threads", Study::Threads.name());
    text += INTRODUCTION;
    text += page::INTERVALS;
    text += "![Nodes by scheme and number of threads](threads.svg)\n\n## Does the order hold\n\n";
    text += &summary(&settings).to_string();
    text += "\nOne scheme's nodes with several threads against its own with one:\n\n";
    text += &format!("{}\n", overhead(rows, CROWDED, &THREADS));
    if settings.iter().any(|setting| setting.positions == ROOMY) {
        text += &format!("The same at {}:\n\n", size_label(ROOMY));
        text += &format!("{}\n", overhead(rows, ROOMY, &ROOMY_THREADS));
    } else {
        text += "Searches with several threads at a roomy table were not run.\n\n";
    }
    for setting in &settings {
        let size = size_label(setting.positions);
        text += &format!("## {}, {size}\n\n{}{}.\n\n", setting.name, setting.extent(), crowding(setting));
        text += &format!("{}\n", page::ratios(setting, BASE));
    }
    text += "## The engine's default scheme\n\n";
    text += &recommendation(&settings, modern);
    let in_lockstep = settings.iter().filter(|setting| setting.positions == CROWDED && !setting.name.ends_with("free"));
    let labelled: Vec<(String, &Setting<'_>)> =
        in_lockstep.map(|setting| (setting.name.split(' ').next().unwrap_or_default().to_owned(), setting)).collect();
    let picture = page::picture("Sesame's search, 8K positions, in lockstep", "search threads", &labelled, BASE)?;
    Ok(vec![("threads.md".to_owned(), text), ("threads.svg".to_owned(), picture)])
}

fn size_label(positions: usize) -> String {
    format!("{} positions", page::size_label(positions))
}

fn crowding(setting: &Setting<'_>) -> String {
    let crowding = |nodes| format!("; {nodes:.1} nodes of a search for each place in the table");
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

/// What several threads cost in nodes at a table of this size, in lockstep.
fn overhead(rows: &[Row], positions: usize, threads: &[u32]) -> MarkdownTable {
    let name = |&threads: &u32| name(threads, true);
    let many = || threads.iter().filter(|&&threads| threads > 1);
    let mut table = MarkdownTable::new(std::iter::once("scheme".to_owned()).chain(many().map(name)));
    for scheme in Scheme::ALL {
        let of_scheme = rows.iter().filter(|row| row.arm == scheme.name() && row.positions == positions);
        let by_threads: Vec<Row> = of_scheme.map(|row| Row { arm: row.setting.clone(), ..row.clone() }).collect();
        if by_threads.is_empty() {
            continue;
        }
        let panel = Panel::new(&by_threads);
        let cells = many().map(|threads| page::difference(panel.ratio(&name(threads), &name(&1))));
        table.row(std::iter::once(scheme.name().to_owned()).chain(cells));
    }
    table
}

const INTRODUCTION: &str = "Sesame's search with 1, 2, 4 and 8 threads at one table of 8K positions, to a fixed depth (at 1024K, the engine's default, only with 1 and 8, in \
     lockstep, and only five of the schemes): the search ends when the first thread \
     has reached it, and the nodes of all threads are counted. In *lockstep* (`docs/smp.md`) the threads take turns of 512 nodes: 8 threads \
     crowd the table as they would on 8 cores that are equally fast, and a search is the same in every run on any machine. *Free* threads run \
     as they do at play, and their nodes differ from run to run: each such search is made twice and the logarithms averaged, and another run gives other \
     figures. On the machine of these figures, which has 2 cores and had other work to do, \
     4 and 8 free threads wait for each other in slices of milliseconds, thousands of nodes long; the free figures show whether lockstep \
     misleads, no more.\n\n";
