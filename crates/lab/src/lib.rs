//! The laboratory of replacement schemes for transposition tables.
//!
//! It repeats the experiment of Breuker, Uiterwijk and van den Herik (1994), "Replacement Schemes for
//! Transposition Tables", on the table that Sesame ships. It also measures the engine's table. The program
//! `sesame-lab` runs all of it; `docs/contributors/lab.md` lists what the paper leaves open and the choice
//! made for each point.
//!
//! | module | contents |
//! |---|---|
//! | [`alibaba`] | the paper's test program |
//! | [`experiment`] | the 11,088 searches and their results file |
//! | [`report`] | the report: the paper's tables, figures and claims beside the new ones |
//! | [`check_bits`], [`crowding`] | type-1 errors and full tables in Sesame's own search |
//! | [`engine_search`], [`positions`] | Sesame's search on any table; the paper's positions |
//!
//! ALIBABA searches the paper's first position, without a table and with one:
//!
//! ```
//! use sesame::position::Game;
//! use sesame::search::TranspositionTable;
//! use sesame_lab::alibaba::Searcher;
//! use sesame_lab::positions;
//! use sesame_table::{Scheme, Table};
//!
//! let game = Game::new(positions::paper()[0].position.clone());
//! let nodes = |table: Option<TranspositionTable>| {
//!     Searcher::new(table).search(&game, 5).last().map(|iteration| iteration.nodes)
//! };
//! assert!(nodes(Some(Table::with_mib(1, Scheme::TwoBig1)?)) < nodes(None));
//! # Ok::<(), sesame_table::TableError>(())
//! ```
//!
//! The results are pages of `docs/results`.

pub mod alibaba;
pub mod check_bits;
pub mod crowding;
pub mod engine_search;
pub mod experiment;
pub mod positions;
pub mod report;

/// In the root folder of the project.
pub const SCHEMES_FOLDER: &str = "docs/notebook/replacement-schemes";

pub const TABLE_FOLDER: &str = "docs/results/table";

/// In results files and pages. "0.1.0" alone is an engine with a hand-written evaluation.
pub(crate) const ENGINE: &str = concat!(env!("CARGO_PKG_VERSION"), " (network)");

/// About replacement schemes.
#[cfg(test)]
pub(crate) fn committed(file: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(SCHEMES_FOLDER).join(file)
}
