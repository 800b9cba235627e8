//! ALIBABA, the test program of Breuker et al. (1994), section 4, "designed to be easily reproducible".
//!
//! Iterative deepening with an aspiration window of plus and minus a pawn; principal-variation search with
//! minimal windows; a quiescence search of captures and promotions; refutation tables and the history
//! heuristic; material and piece-square tables. No extensions, no pruning beyond alpha-beta. Where the paper
//! is silent, `docs/contributors/lab.md` lists the choices.

mod evaluation;
mod moves;
mod search;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use evaluation::VALUES;
pub use search::{Iteration, Searcher};
