//! The study of Sesame's own search: nodes to a fixed depth under every scheme, at tables as full as in 1994
//! and at a usual size.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::engine_search::{EngineSearch, to_depth};
use super::page::{self, PageFiles, Setting};
use super::panel::Panel;
use super::record::StudyRow;
use super::runner::{Measurement, SearchSeries};
use super::set::PositionSet;
use super::{Study, StudyArgs, StudyError};
use crate::dyn_table::DynTable;
use sesame::position::Game;
use sesame::search::TranspositionTable;
use sesame_report::markdown::{DASH, Table as MarkdownTable, grouped, or_dash, percent};
use sesame_report::statistics::{Estimate, bootstrap};
use sesame_table::{Scheme, TableOptions, Update};

/// A table size in positions, the depth of the searches with it, and the number of sequences.
struct SizePlan {
    positions: usize,
    depth: u32,
    sequences: usize,
}

/// The table sizes. The last one is 16 MiB, the engine's default, with deeper searches to fill it.
const PLANS: [SizePlan; 4] = [
    SizePlan { positions: 8 << 10, depth: 13, sequences: 16 },
    SizePlan { positions: 32 << 10, depth: 13, sequences: 16 },
    SizePlan { positions: 128 << 10, depth: 13, sequences: 16 },
    SizePlan { positions: 1 << 20, depth: 17, sequences: 6 },
];

/// The name of the reference for scores and moves: searches with a larger table, deeper than at all but the
/// last table size.
pub(super) const REFERENCE: &str = "reference";
const REFERENCE_POSITIONS: usize = 4 << 20;
const REFERENCE_DEPTH: u32 = 17;

/// The scheme that the others are compared with.
const BASE: &str = Scheme::TwoBig1.name();

/// The names of the update rules for a position that is stored again: the engine's and that of 1994.
pub(super) const MERGE: &str = "merge";
const OVERWRITE: &str = "overwrite";

pub(super) fn plan<'a>(set: &'a PositionSet, args: &'a StudyArgs) -> Vec<SearchSeries<'a>> {
    let mut plan = Vec::new();
    for setting in &PLANS {
        for (name, update) in [(MERGE, Update::Merge), (OVERWRITE, Update::Overwrite)] {
            for scheme in Scheme::ALL {
                let options = TableOptions { positions: setting.positions, scheme, update, ..TableOptions::default() };
                let depth = args.depth(setting.depth);
                let set = set.first(args.sequences(setting.sequences));
                let size = (depth, set.len());
                let work = move || search_sequences(&mut engine_on(&options)?, &set, depth);
                plan.push(SearchSeries::single(name, setting.positions, scheme.name(), size, work));
            }
        }
    }
    let options = TableOptions { positions: REFERENCE_POSITIONS, ..TableOptions::default() };
    let (depth, set) = (args.depth(REFERENCE_DEPTH), set.first(args.sequences(set.sequences.len())));
    let size = (depth, set.len());
    let work = move || search_sequences(&mut engine_on(&options)?, &set, depth);
    plan.push(SearchSeries::single(REFERENCE, REFERENCE_POSITIONS, BASE, size, work));
    plan
}

/// Returns the engine on a table with these options.
fn engine_on(options: &TableOptions) -> Result<EngineSearch, StudyError> {
    Ok(EngineSearch::new(DynTable::new(&Arc::new(TranspositionTable::with_options(options)?)))?)
}

/// Searches the sequences one after the other, each as a game of its own: histories and stamped table are
/// kept from position to position.
pub(super) fn search_sequences(
    search: &mut EngineSearch,
    set: &PositionSet,
    depth: u32,
) -> Result<Vec<Measurement>, StudyError> {
    let mut measures = Vec::new();
    for sequence in &set.sequences {
        search.new_game();
        for (ply, position) in &sequence.positions {
            let Some(found) = search.search(&Game::new(position.clone()), &to_depth(depth))? else { continue };
            let best = position.to_uci(found.mv, false);
            let (game, ply) = (sequence.number, *ply);
            measures.push(Measurement { game, ply, depth, nodes: found.nodes, score: found.centipawns(), best });
        }
    }
    Ok(measures)
}

pub(super) fn page(rows: &[StudyRow], program: &str) -> Result<PageFiles, StudyError> {
    let all = page::settings(rows);
    let settings: Vec<&Setting<'_>> = all.iter().filter(|setting| setting.name != REFERENCE).collect();
    let reference = ReferenceSearches::new(rows.iter().filter(|row| row.setting == REFERENCE));
    let mut text = page::head("Sesame's own search", Study::Modern.name(), Some(program));
    text += INTRODUCTION;
    text += page::INTERVALS;
    text += MEASURES;
    text += "![Nodes by scheme and table size](modern.svg)\n\n";
    for setting in &settings {
        text += &section(setting, rows, &reference);
    }
    text += "## Merging against overwriting\n\n";
    text += UPDATES;
    text += &updates(&settings, rows, &reference).to_string();
    let labelled: Vec<(String, &Setting<'_>)> = settings
        .iter()
        .filter(|setting| setting.name == MERGE)
        .map(|&setting| (page::size_label(setting.positions), setting))
        .collect();
    let picture = page::picture("Sesame's search", "table size in positions (K = 1024)", &labelled, BASE)?;
    Ok(vec![("modern.md".to_owned(), text), ("modern.svg".to_owned(), picture)])
}

fn section(setting: &Setting<'_>, rows: &[StudyRow], reference: &ReferenceSearches) -> String {
    let (size, panel) = (page::size_label(setting.positions), &setting.panel);
    let crowding = setting.crowding(BASE).unwrap_or_default();
    let mut text = format!(
        "## {size} positions, `{}`\n\n{}; {crowding:.1} nodes of a search per position of the table. From \
         the fewest nodes to the most: {}. Beaten by none: {}.\n\n",
        setting.name,
        setting.extent(),
        page::order(panel).join(", "),
        page::list(&page::unbeaten(panel)),
    );
    let of_setting = |arm: &str| in_setting(rows, setting.name, setting.positions, arm);
    let base = of_setting(BASE);
    let against = format!("nodes against {BASE}");
    let further = format!("further off than {BASE}");
    let mut table = MarkdownTable::new(["scheme", "nodes", &against, "reference's move", "off its score", &further]);
    for arm in panel.arms() {
        let own = of_setting(arm);
        let ratio = if arm == BASE { DASH.to_owned() } else { page::difference(panel.ratio(arm, BASE)) };
        let off = if arm == BASE { None } else { reference.further_off(&own, &base) };
        table.row([
            arm.clone(),
            or_dash(panel.total(arm), |nodes| grouped(nodes.round() as u64)),
            ratio,
            or_dash(reference.agreement(&own), percent),
            or_dash(reference.error(&own), |error| format!("{error:.1}")),
            centipawns(off),
        ]);
    }
    text += &format!("{table}\n");
    text
}

pub(super) fn in_setting<'a>(rows: &'a [StudyRow], setting: &str, positions: usize, arm: &str) -> Vec<&'a StudyRow> {
    rows.iter().filter(|row| row.setting == setting && row.positions == positions && row.arm == arm).collect()
}

/// Formats a difference in centipawns with its interval, in bold if the interval excludes 0.
pub(super) fn centipawns(estimate: Option<Estimate>) -> String {
    or_dash(estimate, |Estimate { value, interval }| signed(value, interval.low, interval.high))
}

/// Formats a difference and the ends of its interval with their signs, in bold if the interval excludes 0.
pub(super) fn signed(value: f64, low: f64, high: f64) -> String {
    let text = format!("{value:+.1} ({low:+.1} to {high:+.1})").replace('-', "−");
    if low <= 0.0 && high >= 0.0 { text } else { format!("**{text}**") }
}

/// Returns a table of the sizes: every scheme with the update rule of 1994 against the engine's.
fn updates(settings: &[&Setting<'_>], rows: &[StudyRow], reference: &ReferenceSearches) -> MarkdownTable {
    let mut table =
        MarkdownTable::new(["table", "scheme", "nodes, `overwrite` against `merge`", "further off the score"])
            .with_text_columns(2);
    for setting in settings.iter().filter(|setting| setting.name == MERGE) {
        for arm in setting.panel.arms() {
            let merge = in_setting(rows, MERGE, setting.positions, arm);
            let overwrite = in_setting(rows, OVERWRITE, setting.positions, arm);
            let named = |rows: &[&StudyRow]| -> Vec<StudyRow> {
                rows.iter().map(|&row| StudyRow { arm: row.setting.clone(), ..row.clone() }).collect()
            };
            let (both, other) = (named(&merge), named(&overwrite));
            let ratio = Panel::new(both.iter().chain(&other)).ratio(OVERWRITE, MERGE);
            let off = centipawns(reference.further_off(&overwrite, &merge));
            table.row([page::size_label(setting.positions), arm.clone(), page::difference(ratio), off]);
        }
    }
    table
}

/// Score and best move of the reference searches, by game and ply.
pub(super) struct ReferenceSearches {
    found: HashMap<(u32, u32), (i32, String)>,
}

/// The limit of a difference in score in centipawns, so that no mate outweighs all else.
const MOST_OFF: i32 = 200;

impl ReferenceSearches {
    pub(super) fn new<'a>(rows: impl Iterator<Item = &'a StudyRow>) -> Self {
        Self { found: rows.map(|row| ((row.game, row.ply), (row.score, row.best.clone()))).collect() }
    }

    fn get(&self, row: &StudyRow) -> Option<&(i32, String)> {
        self.found.get(&(row.game, row.ply))
    }

    fn off(&self, row: &StudyRow) -> Option<f64> {
        let (score, _) = self.get(row)?;
        Some(f64::from((row.score - score).abs().min(MOST_OFF)))
    }

    /// Returns the share of the positions with the reference's best move.
    fn agreement(&self, rows: &[&StudyRow]) -> Option<f64> {
        let same = rows.iter().filter(|row| self.get(row).is_some_and(|(_, best)| *best == row.best)).count();
        let all = rows.iter().filter(|row| self.get(row).is_some()).count();
        (all > 0).then(|| same as f64 / all as f64)
    }

    /// Returns the mean difference from the reference's scores in centipawns.
    fn error(&self, rows: &[&StudyRow]) -> Option<f64> {
        let errors: Vec<f64> = rows.iter().filter_map(|row| self.off(row)).collect();
        (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
    }

    /// Returns the mean excess of the score differences of `rows` over those of `base` on the same positions;
    /// games are resampled.
    pub(super) fn further_off(&self, rows: &[&StudyRow], base: &[&StudyRow]) -> Option<Estimate> {
        mean_difference(rows, base, |row| self.off(row))
    }

    /// Returns the share of the positions with the reference's move in `base` less that share in `rows`, on
    /// the same positions.
    pub(super) fn moves_lost(&self, rows: &[&StudyRow], base: &[&StudyRow]) -> Option<Estimate> {
        mean_difference(rows, base, |row| self.get(row).map(|(_, best)| if *best == row.best { 0.0 } else { 1.0 }))
    }
}

/// Returns the mean of `measure` over `rows` less that over `base`, on the same positions at the same table
/// size; games are resampled.
fn mean_difference(
    rows: &[&StudyRow],
    base: &[&StudyRow],
    measure: impl Fn(&StudyRow) -> Option<f64>,
) -> Option<Estimate> {
    let place = |row: &StudyRow| (row.positions, row.game, row.ply);
    let other: HashMap<_, &StudyRow> = base.iter().map(|&row| (place(row), row)).collect();
    let mut games: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for row in rows {
        let both = other.get(&place(row)).and_then(|base| Some(measure(row)? - measure(base)?));
        let Some(difference) = both else { continue };
        let (sum, count) = games.entry(row.game).or_default();
        *sum += difference;
        *count += 1.0;
    }
    let games: Vec<(f64, f64)> = games.into_values().collect();
    bootstrap(games.len(), |picks| {
        let (sum, count) =
            picks.iter().fold((0.0, 0.0), |(sum, count), &game| (sum + games[game].0, count + games[game].1));
        sum / count
    })
}

const INTRODUCTION: &str = "The engine's search with one thread to a fixed depth, under each scheme. The \
     tables are as crowded as in 1994, and of the engine's default size of 16 MiB (1024K positions). The \
     positions of a game are searched one after the other as in play: table and histories are kept, and the \
     table is stamped. A search by one thread gives the same nodes in every run. `merge` is the engine's rule \
     for a position that is stored again, `overwrite` is that of 1994 (`docs/contributors/table.md`).\n\n";

const MEASURES: &str = "Fewer nodes to a depth are not the whole measure. This search reduces more where the \
     table has no move, so a table that loses entries can make the same nominal depth cheaper and worse. Each \
     result is therefore compared with a reference, the engine's search of 17 plies at 4096K positions: how \
     often the search has the reference's move, by how many centipawns its score is off (more than 200 count \
     as 200), and how much further off that is than under TWOBIG1. Up to 128K positions the reference is four \
     plies deeper than the searches compared with it. At 1024K both are of 17 plies, and only the reference's \
     table is larger. The reference is itself a search under TWOBIG1 with `merge`. It may favour TWOBIG1 \
     against the other schemes and `merge` against `overwrite`, most of all at 1024K.\n\n";

const UPDATES: &str = "Each scheme with `overwrite` against itself with `merge`, at the same depth.\n\n";
