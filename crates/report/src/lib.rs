//! Measurement reports: intervals, tables, charts, pages of Markdown and HTML, and the files that hold the
//! results.
//!
//! Nothing here knows chess. The engine, the laboratory and the tuner share these modules:
//!
//! | module | contents |
//! |---|---|
//! | [`statistics`] | means with bootstrap intervals |
//! | [`markdown`], [`html`] | pages |
//! | [`chart`] | line charts as SVG |
//! | [`journal`] | results on disk, one CSV line each, resumable after a kill |
//! | [`files`] | files replaced atomically |
//! | [`random`] | seeded choices and shuffles |
//! | [`command`] | the frame of a command-line program: errors and exit codes |
//! | [`Shard`] | the part `I/N` of an experiment that is spread over processes or machines |
//! | [`Progress`] | a progress bar |

pub mod chart;
pub mod command;
pub mod files;
pub mod html;
pub mod journal;
pub mod markdown;
mod progress;
pub mod random;
mod shard;
pub mod statistics;

pub use chart::ChartError;
pub use progress::Progress;
pub use shard::{Shard, ShardError};
