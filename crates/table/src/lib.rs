#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(missing_docs)]

#[cfg(not(target_has_atomic = "64"))]
compile_error!("sesame-table needs a processor with 64-bit atomics");

#[cfg(any(test, not(any(unix, windows))))]
mod block;
#[cfg(feature = "file")]
mod file;
mod memory;
mod payload;
mod scheme;
mod slot;
mod stats;
mod table;

#[cfg(feature = "file")]
pub use file::{TABLE_MAGIC, TableFileError, TableFileOptions, TableFileReport};
pub use memory::{TableError, prefetch};
pub use payload::{Generation, Payload, mix64};
pub use scheme::{Placement, Rule, Scheme, Stored, UnknownScheme, Update};
pub use slot::{RawEntry, Work};
pub use stats::{CountingTable, EntryUse, Stats};
pub use table::{Table, TableOptions};

/// The parts of the table, for its own tests. They are not covered by semantic versioning.
#[doc(hidden)]
pub mod raw {
    pub use crate::scheme::StoreContext;
    pub use crate::slot::{Bucket, Slot, VerifiedSlot, Word, index};
}
