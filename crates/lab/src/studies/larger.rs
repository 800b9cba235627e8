//! The study of ALIBABA over the larger set of positions.

use super::page::{self, PageFiles, Setting};
use super::panel::Panel;
use super::record::StudyRow;
use super::runner::{Measurement, SearchSeries};
use super::set::PositionSet;
use super::{Study, StudyArgs, StudyError};
use crate::alibaba::{Choices, Searcher};
use sesame::position::Game;
use sesame::search::{SearchTable, TranspositionTable};
use sesame_report::markdown::Table as MarkdownTable;
use sesame_table::{Scheme, TableOptions, Update};

/// Table sizes in positions.
const SIZES: [usize; 3] = [2 << 10, 8 << 10, 32 << 10];
/// The depth of each search in plies: one less than in the paper's figures, whose trees are about four times
/// as large and whose tables begin at 8K. So a table of 2K here is about as full as one of 8K there.
const DEPTH: u32 = 6;
/// The name of setting and arm of the searches without a table.
const WITHOUT: &str = "none";
/// The scheme that the others are compared with.
const BASE: &str = Scheme::TwoBig1.name();

pub(super) fn plan<'a>(set: &'a PositionSet, args: &'a StudyArgs) -> Vec<SearchSeries<'a>> {
    let depth = args.depth(DEPTH);
    let mut plan = Vec::new();
    for positions in SIZES {
        for scheme in Scheme::ALL {
            let options = TableOptions { positions, scheme, update: Update::Overwrite, ..TableOptions::default() };
            let set = set.first(args.sequences(set.sequences.len()));
            let searches = set.len();
            let work = move || {
                let mut searcher = Searcher::new(Choices::default(), Some(TranspositionTable::with_options(&options)?));
                Ok(search_sequences(&mut searcher, &set, depth, BetweenPositions::Stamp))
            };
            plan.push(SearchSeries::single("stamped", positions, scheme.name(), (depth, searches), work));
        }
    }
    let set = set.first(args.sequences(set.sequences.len()));
    plan.push(SearchSeries::single(WITHOUT, 0, WITHOUT, (depth, set.len()), move || {
        let mut searcher = Searcher::<TranspositionTable>::new(Choices::default(), None);
        Ok(search_sequences(&mut searcher, &set, depth, BetweenPositions::Clear))
    }));
    plan
}

/// The treatment of the table between two positions of a game. Between games it is always emptied.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum BetweenPositions {
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

pub(super) fn page(rows: &[StudyRow]) -> Result<PageFiles, StudyError> {
    let all = page::settings(rows);
    let settings: Vec<&Setting<'_>> = all.iter().filter(|setting| setting.name != WITHOUT).collect();
    let mut text = page::head("A larger set of positions", Study::Larger.name(), None);
    text += INTRODUCTION;
    text += page::INTERVALS;
    text += "## The best schemes\n\n![Nodes by scheme and table size](larger.svg)\n\n";
    text += &summary(&settings, rows).to_string();
    text += EXPLANATION;
    for setting in &settings {
        let size = page::size_label(setting.positions);
        text += &format!("## {size} positions\n\n{}.\n\n", setting.extent());
        text += &format!("{}\nThe row's nodes against the column's:\n\n", page::ratios(setting, BASE));
        text += &format!("{}\n", page::matrix(&setting.panel));
    }
    let labelled: Vec<(String, &Setting<'_>)> =
        settings.iter().map(|&setting| (page::size_label(setting.positions), setting)).collect();
    let picture = page::picture("ALIBABA, larger set", "table size in positions (K = 1024)", &labelled, BASE)?;
    Ok(vec![("larger.md".to_owned(), text), ("larger.svg".to_owned(), picture)])
}

/// Returns a table of the sizes: the order of the schemes, the unbeaten ones, and the saving against no table.
fn summary(settings: &[&Setting<'_>], rows: &[StudyRow]) -> MarkdownTable {
    let header = ["table", "from the fewest nodes to the most", "beaten by none", "TWOBIG1 against no table"];
    let mut table = MarkdownTable::new(header).with_text_columns(4);
    for setting in settings {
        let pair = rows.iter().filter(|row| {
            row.setting == WITHOUT
                || row.positions == setting.positions && row.setting == setting.name && row.arm == BASE
        });
        let saved = page::difference(Panel::new(pair).ratio(BASE, WITHOUT));
        let panel = &setting.panel;
        let order = page::order(panel).join(", ");
        table.row([page::size_label(setting.positions), order, page::list(&page::unbeaten(panel)), saved]);
    }
    table
}

const INTRODUCTION: &str = "The paper's 18 positions are of one game, and its authors asked for a repetition \
     \"on a much larger set of data\". Here ALIBABA, with the choices of the experiment, searches 224 \
     positions: 14 consecutive positions of one player from each of 16 games. Eight sequences begin at move \
     15 (middle games, as in the paper), eight where a side has fewer than 18 points (the paper's endgames). \
     Sesame played the games at 20,000 nodes a move from random openings; `sesame lab positions` of Sesame \
     0.1.0 made the set. Entries are stamped between the positions of a game, and the table is emptied \
     between games.\n\n\
     Two parts of the paper's experiment are not repeated here: the series in which the table is cleared \
     between positions, and the depths of 7 and 8 plies. The searches are of 6 plies, at tables smaller in \
     proportion.\n\n";

const EXPLANATION: &str = "\n\"Beaten by none\": no other scheme needs fewer nodes with an interval that lies \
     wholly below 0 %. Of 21 pairs of schemes one is expected to be decided by chance alone. \"Best in\" \
     below is the share of the resamples in which a scheme needs the fewest nodes. It shows how much \"best\" \
     depends on the choice of games.\n\n";
