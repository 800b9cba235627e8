//! The shared, lock-free transposition table.
//!
//! From small to large: a [`Word`] is one atomic word; a [`VerifiedSlot`] two of them that vouch for each other; a [`Bucket`]
//! two slots; a [`Scheme`] says which entry gives way; the [`Table`] is the memory and the clock of generations. A [`Payload`]
//! is what a slot holds, and [`Entry`] is the engine's; a [`Recorder`] counts. The protocol and what shows that it holds: `docs/table.md`.

mod bucket;
mod cluster;
mod entry;
mod file;
mod memory;
mod payload;
mod scheme;
mod search_table;
mod shared;
mod slot;
mod stats;
mod word;
mod work;

pub use crate::prefetch::prefetch;
pub use bucket::{Bucket, Place};
pub use cluster::Cluster;
pub use entry::{Bound, Entry};
pub use file::{TableFileError, TableFileReport, TableFileWork};
pub use payload::{Generation, Payload};
pub use scheme::{Rule, Scheme, SchemeRule, Stored, UnknownScheme, Update};
pub use search_table::SearchTable;
pub use shared::{Table, TableError, TableOptions};
pub use slot::{CHECK_BITS, Image, Slot, Tag, VerifiedSlot};
pub use stats::{Counters, Recorder, Silent, Stats, Usage};
pub use word::Word;
pub use work::Work;
