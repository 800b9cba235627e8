//! A lock-free hash table of fixed size for search programs, better known as a transposition table.
//!
//! A program that searches (a game, a puzzle, a formula) meets the same position or subproblem again and again.
//! [`Table`] remembers a result of up to 64 bits for a key of 64 bits. Any number of threads probe and store through
//! `&Table`; none ever waits for another. When two keys compete for a slot, a replacement scheme keeps the entry that
//! cost more to compute.
//!
//! ```
//! use sesame_table::{Scheme, Table, mix64};
//! use std::num::NonZeroU64;
//!
//! /// Counts the ways to write `n` as a sum of parts that are at most `max`.
//! fn partitions(n: u64, max: u64, table: &Table<NonZeroU64>) -> NonZeroU64 {
//!     if n == 0 || max == 1 {
//!         return NonZeroU64::MIN;
//!     }
//!     let key = mix64(n << 32 | max);
//!     table.probe(key).unwrap_or_else(|| {
//!         let parts = 1..=max.min(n);
//!         let ways = parts.map(|part| partitions(n - part, part, table));
//!         let count = ways.reduce(|sum, ways| sum.saturating_add(ways.get())).unwrap();
//!         table.store(key, &count, 1);
//!         count
//!     })
//! }
//!
//! let table = Table::with_mib(1, Scheme::TwoBig1)?;
//! std::thread::scope(|scope| {
//!     (0..4).for_each(|_| _ = scope.spawn(|| assert_eq!(partitions(100, 100, &table).get(), 190_569_292)));
//! });
//! # Ok::<(), sesame_table::TableError>(())
//! ```
//!
//! # In a program
//!
//! - **Keys** are hashes of 64 random bits: the high bits choose the bucket, the low 48 are verified. Use Zobrist keys as they
//!   are; [`mix64`] turns a packed position into a key.
//! - **Values** implement [`Payload`]: they pack into 64 bits that are never 0. [`NonZeroU64`] and [`u32`] do. The
//!   documentation of [`Payload`] shows the entry of an alpha-beta search.
//! - **Work** is the cost of a value, such as the nodes searched for it: the default scheme keeps the more expensive entry. Pass
//!   1 if you count nothing.
//! - **The table** comes from [`Table::with_mib`], or from [`Table::with_options`] for all options.
//!   [`Table::next_generation`] before each search lets old entries give way first, and [`Table::prefetch`] hides the
//!   latency of the memory.
//! - **Replacement** is a type parameter: a [`Scheme`], or a [`Rule`] of your own.
//! - **Statistics** are a type parameter: [`Table<P, Counters>`](Counters) counts hits, misses, replacements and
//!   torn reads; the default, [`NoStats`], costs nothing.
//! - **Files**: `Table::save` and `Table::load` keep the table in a file. They are the feature `file`, which is on by default.
//!
//! The table is [`Send`] and [`Sync`] for every payload, because it holds bits. Nothing in it panics but your own code: the
//! methods of a payload, a rule or a recorder.
//!
//! The examples `domineering` (threads that solve a game together) and `custom_scheme` (a replacement rule of your own) are
//! complete programs.
//!
//! # What it is not for
//!
//! The table forgets: any entry can be replaced at any time. It finds wrong entries: two keys that agree in 48 bits and in the
//! bucket are taken for the same key. With random keys, a probe for an absent key of a full table does so with a chance of
//! 2^-47 up to 2 MiB, and of entries / 2^64 above, which is 2^-38 for 1 GiB. If that matters, check the payload, as chess engines
//! check that a stored move is legal. If every entry must be found again, use a concurrent map.
//!
//! # Guarantees
//!
//! 1. A probe returns only a payload that some thread stored, whole, for a key with the same verified bits, together with
//!    the work of that same store. Clearing, replacing, moving and merging entries on other threads cannot break this. A
//!    payload that [`Payload::merge`] returned counts as stored. One exception: words of two stores into one slot at the same
//!    time are accepted, if they are read together, for one pair of random payloads in 2^48. For counters, fields, single
//!    bits and repeated parts there is [no such pair](#payloads-that-collide).
//! 2. An empty slot, or one that is being cleared, matches no key, 0 included.
//! 3. Probes and stores are wait-free: at most five loads and four stores, no read-modify-write, no retry. ([`Counters`]
//!    add read-modify-writes of their own.)
//! 4. Without concurrent stores each scheme does what the paper says, and a key is in the table at most once.
//! 5. A table for which there is not enough memory is an error, not an abort.
//!
//! The README names the tests of each. Models in loom and shuttle explore the shipped code of slots, buckets and schemes, and have to
//! fail for slots that are broken on purpose.
//!
//! # Limits
//!
//! - Two stores into one bucket at the same time can lose an entry, or leave a key in both slots until one of them is replaced.
//! - During concurrent stores a probe can return an older payload than an earlier probe of the same key.
//! - [`Payload::merge`] is not atomic: of two stores of one key at the same time one can be lost.
//! - Two writers that pass each other in a slot can leave a mixture of their words, with a random key and a random work. No
//!   probe accepts it. The next store of another key takes its slot if the key cannot live there: with n buckets (under a
//!   scheme of one level, n slots) all but 65,536 / n of the mixtures are recognised, and none in a table of 2 MiB (1 MiB) or
//!   less, where every key that a slot can hold is possible. Such a mixture stays until the scheme prefers another entry, in
//!   the worst case until its generation is over or the table is cleared.
//! - Loads and stores are relaxed. If a payload is an index or pointer to other data, synchronize the access to that data.
//! - The size is fixed. A larger table is a new [`Table`]; saving and loading move the entries, through a file of at least
//!   2 MiB: a smaller table can be loaded only into one of its own size.
//! - Each table is checked against the memory of the machine by itself. Several tables together can exceed it.
//! - A file does not know the type of its payloads: give each type a fingerprint of its own.
//! - Processors need 64-bit atomics. The order of their bytes does not matter, to files neither.
//!
//! # Design
//!
//! **Slot.** An entry is 128 bits: two `AtomicU64`, read and written with relaxed loads and stores. The first holds the
//! packed payload, the second a check word:
//!
//! ```text
//! signature = low 48 bits of the key << 16 | work
//! check     = signature ^ (data * an odd constant)
//! ```
//!
//! A writer stores `data`, then `check`. A reader loads both, undoes the XOR and compares 48 bits with its key. Two words
//! of different writes give a signature that matches no key, except by a coincidence of 48 bits, so a torn read is a miss.
//! The idea is from Hyatt and Mann, "A lock-less transposition table implementation for parallel search chess engines"
//! (ICGA Journal 25(1), 2002). The multiplication is this crate's: 64 bits of data in 48 compared bits must collide for some
//! pairs, and it moves these away from the patterns that programs store.
//!
//! **Bucket.** Two slots in 32 bytes, aligned to 32, so that a probe touches one cache line. The bucket's index is the high
//! half of key x buckets: any number of buckets will do, and from 65,536 buckets (2 MiB) up every bit of the key is
//! verified, by place or by check. A probe reads both slots, compares them, and selects one with a conditional move; its only
//! branch tells a hit from a miss.
//!
//! **Replacement.** The seven schemes of Breuker, Uiterwijk and van den Herik, "Replacement Schemes for Transposition
//! Tables" (ICCA Journal 17(4), 1994): [`Scheme`] lists them. Under the default, TWOBIG1, a new entry takes the first slot if its
//! searched subtree is no smaller than that of the entry there, which moves to the second slot; otherwise it takes the
//! second. The same key is updated in place, in either slot; [`Update`] and [`Payload::merge`] say how. [`Work`] is the size
//! of the subtree as a 16-bit floating-point number.
//!
//! **Generations.** Entries are stamped with the number of the search, modulo 32, if the payload has five bits for it. A
//! stamped entry of an earlier search is still found; at the first collision it is overwritten (section 6.2 of the
//! paper).
//!
//! **Memory** comes from one anonymous mapping, on huge pages where the system has them.
//!
//! ## Payloads that collide
//!
//! A mixture of two stores, the data of the first and the check word of the second, is accepted for the second key if the two
//! products agree in their upper 48 bits. Such data exist, as for every map of 64 bits to 48: for each word 65,535 of the 2^64 - 1
//! others, one in 2^48. They are the words at a distance of `e / MIX` modulo 2^64 with 0 < |e| < 65,536, where `MIX` is the
//! constant, which is far from the patterns that programs store. Two data never collide
//!
//! - if their low 16 bits agree,
//! - if they differ by less than 2^47 as numbers, such as counters, or only within 45 consecutive bits, such as a field,
//! - if each of their 32-bit halves differs by less than 2^23, or each 16-bit part by less than 2^11,
//! - if they differ in at most 12 bits,
//! - if both have equal 32-bit halves, four equal 16-bit parts included.
//!
//! [`NonZeroU64`]: std::num::NonZeroU64

#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(missing_docs)]

#[cfg(not(target_has_atomic = "64"))]
compile_error!("sesame-table needs a processor with 64-bit atomics");

#[cfg(feature = "file")]
mod file;
mod payload;
mod scheme;
mod slot;
mod stats;
mod table;

#[cfg(feature = "file")]
pub use file::{TableFileError, TableFileOptions, TableFileReport};
pub use payload::{Generation, Payload, mix64};
pub use scheme::{Rule, Scheme, Stored, UnknownScheme, Update, Work};
pub use slot::{CHECK_BITS, RawEntry};
pub use stats::{Counters, EntryUse, NoStats, Recorder, Stats};
pub use table::{Table, TableError, TableOptions, prefetch};

/// The parts of the table, for its own tests and studies. They are not covered by semantic versioning.
#[doc(hidden)]
pub mod raw {
    pub use crate::scheme::StoreContext;
    pub use crate::slot::{Found, Signature, Slot, VerifiedSlot, Word};
    pub use crate::table::{Bucket, Place};
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
