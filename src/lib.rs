//! Sesame: a UCI chess engine whose threads share one lock-free transposition table, and the laboratory for that table.
//!
//! The rooms, from the ground up (arrows go down only; see `docs/architecture.md`):
//! [`position`], [`table`], [`tablebase`], [`eval`], [`search`], [`smp`], [`engine`], [`uci`], [`cli`]; [`tuning`], [`scaling`] and [`lab`] stand beside `uci`; [`report`] is how the last two tell what they measure.

pub mod cli;
pub mod engine;
pub mod eval;
mod files;
pub mod lab;
pub mod position;
mod random;
pub mod report;
pub mod scaling;
pub mod search;
pub mod smp;
pub mod table;
pub mod tablebase;
pub mod tuning;
pub mod uci;
