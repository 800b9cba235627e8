//! Integration tests of the table, in one program.
//!
//! `cargo test -p sesame-table --test all -- --nocapture` prints the executions and schedules of the models, and the torn reads of
//! the stress test.
//! Three variables lengthen the search: `SESAME_PREEMPTIONS` (loom), `SESAME_SCHEDULES` (shuttle) and `SESAME_STRESS` (probes on
//! the machine itself).

mod behaviour;
mod entry;
#[cfg(feature = "file")]
mod file;
#[cfg(not(target_family = "wasm"))]
mod loom;
#[cfg(not(target_family = "wasm"))]
mod models;
mod reference;
#[cfg(not(target_family = "wasm"))]
mod shuttle;
mod stress;
