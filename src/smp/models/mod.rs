//! Models of the code that the threads of a search share beside the table: depths, nodes and turns.
//!
//! The code under test is the shipped code, over the words and locks of loom and shuttle ([`primitives`]). Loom explores stale
//! values of relaxed loads as well; shuttle explores the interleavings of code with locks. Each model also runs over broken twins, which have
//! one flaw each, and must then fail. A twin is the shipped code over a broken primitive, or the protocol written again with the
//! flaw; without a flaw the latter must hold.

mod depths;
pub(crate) mod explore;
mod nodes;
mod primitives;
mod round_robin;
