//! UCI protocol: parsing of commands, execution, formatting of answers.
//!
//! A reader thread parses the input into commands. The [engine loop](run) executes them in order and never
//! waits for the natural end of a search, so `isready`, `stop`, `ponderhit` and `quit` are answered at once.
//! All lines go through one [`Output`](crate::output::Output).
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod background;
mod board;
#[cfg(test)]
mod cluster_tests;
mod engine_loop;
mod options;
mod parse;
mod reader;
mod session;
mod setup;
mod sink;
mod words;

#[cfg(feature = "cli")]
pub(crate) use board::symbol;
pub use board::{Style, divide, draw};
pub use engine_loop::{SingleThreadedSession, StartError, run, run_linked};
#[cfg(feature = "cli")]
pub(crate) use options::{MAX_HASH_MIB, MAX_MULTI_PV, MAX_THREADS};
#[cfg(feature = "cli")]
pub(crate) use parse::{fault_of, speedtest};
#[cfg(feature = "cli")]
pub(crate) use reader::read_line;
#[cfg(feature = "cli")]
pub(crate) use setup::SetUp;
