//! The study of Sesame's own search with several threads that share a table.

use std::sync::Arc;

use super::panel::{self, PageFiles, Panel, Setting, size_label};
use super::{SearchSeries, Study, StudyRow, Trial};
use crate::positions::Sequence;
use sesame::engine::{Engine, EngineError, Limits, NullSink, Options, Score};
use sesame::position::Game;
use sesame::search::TranspositionTable;
use sesame_report::ChartError;
use sesame_report::command::CommandError;
use sesame_report::markdown::Table;
use sesame_report::markdown::fill;
use sesame_table::{Scheme, TableOptions};

/// The conditions are equal but for the scheme.
struct Group {
    threads: u32,
    lockstep: bool,
    /// In the table.
    positions: usize,
    depth: u32,
    sequences: usize,
    schemes: &'static [Scheme],
}

/// In positions: a full table, and the default size, which these searches do not fill.
const FULL: usize = 8 << 10;
const LARGE: usize = 1 << 20;

const fn full(threads: u32, lockstep: bool) -> Group {
    let sequences = if lockstep { 12 } else { 4 };
    Group { threads, lockstep, positions: FULL, depth: 12, sequences, schemes: Scheme::ALL }
}

const fn large(threads: u32) -> Group {
    const SCHEMES: &[Scheme] = &[Scheme::Deep, Scheme::New, Scheme::Big1, Scheme::TwoDeep, Scheme::TwoBig1];
    Group { threads, lockstep: true, positions: LARGE, depth: 14, sequences: 4, schemes: SCHEMES }
}

const GROUPS: [Group; 9] = [
    full(1, true),
    full(2, true),
    full(4, true),
    full(8, true),
    full(2, false),
    full(4, false),
    full(8, false),
    large(1),
    large(8),
];

impl Group {
    fn name(&self) -> String {
        match (self.threads, self.lockstep) {
            (1, _) => "1 thread".to_owned(),
            (threads, true) => format!("{threads} in lockstep"),
            (threads, false) => format!("{threads} free"),
        }
    }

    /// In lockstep every repetition gives the same nodes.
    fn repeats(&self) -> u32 {
        if self.lockstep { 1 } else { 2 }
    }
}

/// For comparison with the other schemes.
const BASE: &str = Scheme::TwoBig1.name();

/// A mate in n moves counts as this less n, in centipawns.
const MATE: i32 = 32_000;

pub(super) fn plan(trial: &Trial) -> Vec<SearchSeries> {
    let mut plan = Vec::new();
    for group in &GROUPS {
        let (set, depth) = (trial.set(group.sequences), trial.depth(group.depth));
        // Each repetition runs all schemes, so that other load on the machine affects all schemes equally.
        let arms = (1..=group.repeats()).flat_map(|repeat| group.schemes.iter().map(move |&scheme| (repeat, scheme)));
        for (repeat, scheme) in arms {
            let Group { threads, lockstep, positions, .. } = *group;
            let (setting, arm) = (group.name(), scheme.name().to_owned());
            let of = StudyRow { setting, positions, arm, threads, repeat, depth, ..StudyRow::default() };
            let searches = set.iter().map(|sequence| sequence.positions.len()).sum();
            let set = set.clone();
            let work = move |of: &StudyRow| {
                let table = TableOptions::default().positions(positions).rule(scheme);
                let options = Options { threads: threads as usize, lockstep, ..Options::default() };
                let table = TranspositionTable::with_options(table).map_err(CommandError::failed)?;
                let engine = Engine::with_table(table, options, Arc::new(NullSink));
                engine.and_then(|mut engine| search(&mut engine, &set, of)).map_err(CommandError::failed)
            };
            plan.push(SearchSeries { of, searches, work: Box::new(work) });
        }
    }
    plan
}

/// Searches each sequence as a game of its own: keeps histories and stamped table from position to position.
fn search(engine: &mut Engine, set: &[Sequence], of: &StudyRow) -> Result<Vec<StudyRow>, EngineError> {
    let limits = Limits { depth: Some(of.depth), ..Limits::default() };
    let mut rows = Vec::new();
    for sequence in set {
        engine.new_game();
        for (ply, position) in &sequence.positions {
            let report = engine.search(&Game::new(position.clone()), limits.clone())?;
            let Some(best) = report.best else { continue };
            let score = match report.lines.first().map(|line| line.score) {
                Some(Score::Centipawns(score)) => score,
                Some(Score::Mate(moves)) => moves.signum() * (MATE - moves.abs()),
                None => 0,
            };
            let (nodes, best) = (report.nodes, position.to_uci(best, false));
            rows.push(StudyRow { game: sequence.number, ply: *ply, nodes, score, best, ..of.clone() });
        }
    }
    Ok(rows)
}

pub(super) fn page(rows: &[StudyRow], program: &str) -> Result<PageFiles, ChartError> {
    let settings = panel::settings(rows);
    let large = if settings.iter().any(|setting| setting.positions == LARGE) {
        format!("The same at {} positions:\n\n{}", size_label(LARGE), overhead(rows, LARGE))
    } else {
        "Searches with several threads at a table that is not full were not run.\n".to_owned()
    };
    let text = fill(
        include_str!("../pages/threads.md"),
        &[
            ("origin", &panel::origin(Study::Threads.name(), program)),
            ("intervals", &panel::INTERVALS),
            ("summary", &summary(&settings)),
            ("overhead", &overhead(rows, FULL)),
            ("large", &large),
            ("settings", &settings.iter().map(section).collect::<String>().trim_end()),
        ],
    );
    let in_lockstep = settings.iter().filter(|setting| setting.positions == FULL && !setting.name.ends_with("free"));
    let threads = |setting: &Setting<'_>| setting.name.split(' ').next().unwrap_or_default().to_owned();
    let labelled: Vec<(String, &Setting<'_>)> = in_lockstep.map(|setting| (threads(setting), setting)).collect();
    let title = "Replacement schemes with several threads, table of 8K positions";
    let picture = panel::picture(title, "threads", &labelled, Scheme::TwoBig1)?;
    Ok(vec![("threads.md".to_owned(), text), ("threads.svg".to_owned(), picture)])
}

fn section(setting: &Setting<'_>) -> String {
    let Setting { name, positions, ref panel, .. } = *setting;
    let crowding = panel.total(BASE).map_or_else(String::new, |nodes| {
        let crowding = nodes / panel.positions() as f64 / positions as f64;
        format!("; {crowding:.1} nodes of a search per position of the table")
    });
    let (size, extent) = (size_label(positions), setting.extent());
    format!("## {name}, {size} positions\n\n{extent}{crowding}.\n\n{}\n", setting.ratios(BASE))
}

fn summary(settings: &[Setting<'_>]) -> Table {
    let header = ["threads", "table", "from the fewest nodes to the most", "beaten by none"];
    let mut table = Table::new(header).with_text_columns(4);
    for Setting { name, positions, panel, .. } in settings {
        let unbeaten = match panel.unbeaten()[..] {
            [] => "none".to_owned(),
            [arm] => arm.to_owned(),
            [ref arms @ .., last] => format!("{} and {last}", arms.join(", ")),
        };
        table.row([(*name).to_owned(), size_label(*positions), panel.order().join(", "), unbeaten]);
    }
    table
}

/// Nodes of several threads against one, in lockstep at a table of this size.
fn overhead(rows: &[StudyRow], positions: usize) -> Table {
    let many: Vec<String> = GROUPS
        .iter()
        .filter(|group| group.positions == positions && group.lockstep && group.threads > 1)
        .map(Group::name)
        .collect();
    let mut table = Table::new(std::iter::once("scheme").chain(many.iter().map(String::as_str)));
    for &scheme in Scheme::ALL {
        let of_scheme = rows.iter().filter(|row| row.arm == scheme.name() && row.positions == positions);
        let by_threads: Vec<StudyRow> =
            of_scheme.map(|row| StudyRow { arm: row.setting.clone(), ..row.clone() }).collect();
        if !by_threads.is_empty() {
            let panel = Panel::new(&by_threads);
            let cells = many.iter().map(|threads| panel::difference(panel.ratio(threads, "1 thread")));
            table.row(std::iter::once(scheme.name().to_owned()).chain(cells));
        }
    }
    table
}
