//! A lock-free transposition table that many threads share through `&Table`.

mod bucket;
mod file;
mod memory;
mod payload;
mod prefetch;
mod regular_file;
mod scheme;
mod slot;
mod stats;
mod table;
mod word;
mod work;

pub use bucket::{Bucket, Place};
pub use file::{TableFileError, TableFileReport, TableFileWork};
pub use payload::{Generation, Payload};
pub use prefetch::prefetch;
pub use scheme::{Rule, Scheme, SchemeRule, Stored, UnknownScheme, Update};
pub use slot::{CHECK_BITS, RawEntry, Signature, Slot, VerifiedSlot};
pub use stats::{Counters, EntryUse, NoStats, Recorder, Stats};
pub use table::{Table, TableError, TableOptions};
pub use word::Word;
pub use work::Work;
