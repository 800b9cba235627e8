//! Sesame's own search with several threads at one table: does the order of the schemes hold?

use std::sync::Arc;

use crossbeam::channel::{self, Sender};

use super::modern::{self, Reference};
use super::page::{self, Files, Setting};
use super::panel::Panel;
use super::record::Row;
use super::runner::{Measure, Task};
use super::set::PositionSet;
use super::{Study, StudyArgs, StudyError};
use crate::engine::{BestMove, Engine, Info, Limits, Options, Score, Sink};
use crate::lab::report::markdown::Table as MarkdownTable;
use crate::position::Game;
use crate::table::{Entry, Scheme, Table, TableOptions};

/// Search threads.
const THREADS: [u32; 4] = [1, 2, 4, 8];
/// A crowded table, so that replacement matters.
const POSITIONS: usize = 8 << 10;
/// The depth of each search.
const DEPTH: u32 = 12;
/// How many of the sequences are searched in lockstep, and by free threads.
const SEQUENCES: [usize; 2] = [12, 4];
/// How often a search by free threads is repeated; in lockstep it is the same every time.
const REPEATS: u32 = 2;
/// The scheme that the others are compared with.
const BASE: &str = Scheme::TwoBig1.name();

pub(super) fn tasks<'a>(set: &'a PositionSet, args: &'a StudyArgs) -> Vec<Task<'a>> {
    let mut tasks = Vec::new();
    for (lockstep, sequences) in [(true, SEQUENCES[0]), (false, SEQUENCES[1])] {
        for &threads in if lockstep { &THREADS[..] } else { &THREADS[1..] } {
            // Whatever else the machine does, it does to all schemes alike: each repetition goes through all of them.
            for repeat in 1..=if lockstep { 1 } else { REPEATS } {
                for scheme in Scheme::ALL {
                    let (set, depth) = (set.first(args.sequences(sequences)), args.depth(DEPTH));
                    tasks.push(Task {
                        setting: name(threads, lockstep),
                        positions: POSITIONS,
                        arm: scheme.name().to_owned(),
                        threads,
                        repeat,
                        work: Box::new(move || search_sequences(scheme, threads, lockstep, &set, depth)),
                    });
                }
            }
        }
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
    threads: u32,
    lockstep: bool,
    set: &PositionSet,
    depth: u32,
) -> Result<Vec<Measure>, StudyError> {
    let table =
        Table::<Entry>::with_options(&TableOptions { positions: POSITIONS, scheme, ..TableOptions::default() })?;
    let (sender, news) = channel::unbounded();
    let options = Options { threads: threads as usize, lockstep, ..Options::default() };
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
    text += &format!("{}\n", overhead(rows));
    for setting in &settings {
        text += &format!("## {}\n\n{}.\n\n{}\n", setting.name, setting.extent(), page::ratios(setting, BASE));
    }
    text += "## The engine's default scheme\n\n";
    text += &recommendation(&settings, modern);
    let in_lockstep = settings.iter().filter(|setting| !setting.name.ends_with("free"));
    let labelled: Vec<(String, &Setting<'_>)> =
        in_lockstep.map(|setting| (setting.name.split(' ').next().unwrap_or_default().to_owned(), setting)).collect();
    let picture = page::picture("Sesame's search, 8K positions, in lockstep", "search threads", &labelled, BASE)?;
    Ok(vec![("threads.md".to_owned(), text), ("threads.svg".to_owned(), picture)])
}

fn summary(settings: &[Setting<'_>]) -> MarkdownTable {
    let header = ["", "from the fewest nodes to the most", "beaten by none"];
    let mut table = MarkdownTable::new(header).with_text_columns(3);
    for Setting { name, panel, .. } in settings {
        table.row([(*name).to_owned(), page::order(panel).join(", "), page::list(&page::unbeaten(panel))]);
    }
    table
}

/// What several threads cost in nodes.
fn overhead(rows: &[Row]) -> MarkdownTable {
    let name = |threads| name(threads, true);
    let header = std::iter::once("scheme".to_owned()).chain(THREADS.into_iter().skip(1).map(name));
    let mut table = MarkdownTable::new(header);
    for scheme in Scheme::ALL {
        let of_scheme = rows.iter().filter(|row| row.arm == scheme.name());
        let by_threads: Vec<Row> = of_scheme.map(|row| Row { arm: row.setting.clone(), ..row.clone() }).collect();
        let panel = Panel::new(&by_threads);
        let cells = THREADS.into_iter().skip(1).map(|threads| page::difference(panel.ratio(&name(threads), &name(1))));
        table.row(std::iter::once(scheme.name().to_owned()).chain(cells));
    }
    table
}

/// How a scheme fares against the default over all settings of both studies.
#[derive(Clone, PartialEq, Debug)]
struct Record {
    scheme: Scheme,
    /// Settings in which it needs fewer nodes, by an interval on one side.
    fewer: u32,
    /// Settings in which it needs more.
    more: u32,
    /// Settings in which its scores are nearer to the reference's, and further off.
    nearer: u32,
    further: u32,
}

/// What follows for the engine: a scheme takes the default's place only if it needs fewer nodes where anything can be told,
/// more nowhere, and pays for it with worse scores nowhere.
fn recommendation(settings: &[Setting<'_>], modern: Option<&[Row]>) -> String {
    let Some(modern) = modern else {
        return "For this `sesame lab modern` must have been run first.\n".to_owned();
    };
    let all = page::settings(modern);
    let own: Vec<&Setting<'_>> = all.iter().filter(|setting| setting.name == modern::ENGINES).collect();
    let reference = Reference::new(modern.iter().filter(|row| row.setting == modern::REFERENCE));
    let records: Vec<Record> = Scheme::ALL
        .into_iter()
        .filter(|scheme| scheme.name() != BASE)
        .map(|scheme| judge(scheme, settings.iter().chain(own.iter().copied()), &own, modern, &reference))
        .collect();
    let mut table = MarkdownTable::new(["scheme", "fewer nodes", "more nodes", "nearer scores", "further scores"]);
    for Record { scheme, fewer, more, nearer, further } in &records {
        table.row([
            scheme.name().to_owned(),
            fewer.to_string(),
            more.to_string(),
            nearer.to_string(),
            further.to_string(),
        ]);
    }
    let rivals: Vec<&Record> =
        records.iter().filter(|record| record.more == 0 && record.further == 0 && record.fewer > 0).collect();
    let verdict = match rivals.iter().max_by_key(|record| record.fewer) {
        Some(best) => format!(
            "{} needs fewer nodes than {BASE} in {} of them, more in none, and its scores are further off in none: it is to be the default, \
             if matches agree.",
            best.scheme, best.fewer
        ),
        None => format!(
            "No scheme needs fewer nodes than {BASE} in some of them without needing more, or being further off the reference, in others: \
             {BASE} stays the default."
        ),
    };
    format!(
        "Over the {} settings of this page and of [modern.md](modern.md) (`{}`), in how many each scheme differs from {BASE} by an \
         interval that lies wholly on one side:\n\n{table}\n{verdict}\n",
        settings.len() + own.len(),
        modern::ENGINES,
    )
}

fn judge<'a>(
    scheme: Scheme,
    settings: impl Iterator<Item = &'a Setting<'a>>,
    own: &[&Setting<'_>],
    modern: &[Row],
    reference: &Reference,
) -> Record {
    let mut record = Record { scheme, fewer: 0, more: 0, nearer: 0, further: 0 };
    for ratio in settings.filter_map(|setting| setting.panel.ratio(scheme.name(), BASE)) {
        record.fewer += u32::from(ratio.interval.high < 1.0);
        record.more += u32::from(ratio.interval.low > 1.0);
    }
    for setting in own {
        let of_setting = |arm| modern::in_setting(modern, setting.name, setting.positions, arm);
        if let Some(off) = reference.further_off(&of_setting(scheme.name()), &of_setting(BASE)) {
            record.nearer += u32::from(off.interval.high < 0.0);
            record.further += u32::from(off.interval.low > 0.0);
        }
    }
    record
}

const INTRODUCTION: &str = "Sesame's search with 1, 2, 4 and 8 threads at one table of 8K positions, to a fixed depth: the search ends when the first thread \
     has reached it, and the nodes of all threads are counted. In *lockstep* (`docs/smp.md`) the threads take turns of 512 nodes: 8 threads \
     crowd the table as they would on 8 cores that are equally fast, and a search is the same in every run on any machine. *Free* threads run \
     as they do at play, and their nodes differ from run to run: each such search is made twice and the logarithms averaged, and another run gives other \
     figures. On the machine of these figures, which has 2 cores and had other work to do, \
     4 and 8 free threads wait for each other in slices of milliseconds, thousands of nodes long; the free figures show whether lockstep \
     misleads, no more.\n\n";
