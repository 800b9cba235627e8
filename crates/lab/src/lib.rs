//! The laboratory of replacement schemes for transposition tables.
//!
//! It repeats the experiment of Breuker, Uiterwijk and van den Herik (1994), "Replacement Schemes for
//! Transposition Tables", on the table that Sesame ships, and measures further designs. The program
//! `sesame-lab` runs all of it; `docs/contributors/lab.md` lists what the paper leaves open and the choice
//! made for each point.
//!
//! | module | contents |
//! |---|---|
//! | [`alibaba`] | the paper's test program |
//! | [`experiment`] | the plan of the 11,088 searches |
//! | [`mod@run`] | execution of the plan on all cores |
//! | [`results`] | the results file |
//! | [`validation`] | ALIBABA's node counts beside the paper's |
//! | [`report`] | the report: the paper's tables, figures and claims beside the new ones |
//! | [`studies`] | several threads, claims of other sources |
//! | [`check_bits`], [`crowding`] | type-1 errors and full tables in Sesame's own search |
//! | [`cluster`] | a rival table design |
//! | [`engine_search`] | Sesame's search on any table |
//!
//! ALIBABA searches the paper's first position, without a table and with one:
//!
//! ```
//! use sesame::position::Game;
//! use sesame::search::TranspositionTable;
//! use sesame_lab::alibaba::{Choices, Searcher};
//! use sesame_lab::experiment;
//! use sesame_table::{Scheme, Table};
//!
//! let game = Game::new(experiment::positions()[0].position.clone());
//! let nodes = |table: Option<TranspositionTable>| {
//!     Searcher::new(Choices::default(), table).search(&game, 5).last().map(|iteration| iteration.nodes)
//! };
//! assert!(nodes(Some(Table::with_mib(1, Scheme::TwoBig1)?)) < nodes(None));
//! # Ok::<(), sesame_table::TableError>(())
//! ```
//!
//! The results are pages of `docs/results/replacement-schemes` and `docs/results/table`.

pub mod alibaba;
pub mod check_bits;
pub mod cluster;
pub mod crowding;
pub mod engine_search;
pub mod experiment;
mod parallel;
pub mod report;
pub mod results;
pub mod run;
pub mod studies;
pub mod validation;

/// The folder of the pages about replacement schemes, in the root folder of the project.
pub const SCHEMES_FOLDER: &str = "docs/results/replacement-schemes";

/// The folder of the pages about the table, in the root folder of the project.
pub const TABLE_FOLDER: &str = "docs/results/table";

/// The error of a measurement in Sesame's search.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The system refused a thread.
    #[error("no thread to search in: {0}")]
    Thread(#[from] std::io::Error),
    /// Sesame's table could not be allocated.
    #[error(transparent)]
    Table(#[from] sesame_table::TableError),
    /// The rival table could not be allocated.
    #[error(transparent)]
    Cluster(#[from] cluster::NoMemory),
}

/// The name of this engine in results files and pages. "0.1.0" alone is an engine with a hand-written
/// evaluation.
pub(crate) const ENGINE: &str = concat!(env!("CARGO_PKG_VERSION"), " (network)");

/// Returns the path of the committed `file` about replacement schemes.
#[cfg(test)]
pub(crate) fn committed(file: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(SCHEMES_FOLDER).join(file)
}
