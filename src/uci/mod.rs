//! The UCI protocol: text to typed commands, typed answers to text.
//!
//! A reader thread parses the input into commands; the [engine loop](run) alone carries them out, one after the
//! other, and never waits for a search to end by itself. So `isready`, `stop`, `ponderhit` and `quit` are answered at once,
//! whatever is going on. Lines go out through one [`Output`].
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod background;
mod board;
mod debug_log;
mod extras;
mod format;
mod go;
mod options;
mod output;
mod parse;
mod perft;
mod reader;
mod session;
mod settings;
mod sink;
mod stdout;

#[cfg(feature = "cli")]
pub(crate) use board::symbol;
pub use board::{Style, draw};
#[cfg(feature = "cli")]
pub(crate) use options::{MAX_HASH_MIB, MAX_MULTI_PV, MAX_THREADS};
pub use output::Output;
pub use perft::divide;
pub use session::{StartError, run};
