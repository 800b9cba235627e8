//! The laboratory: the experiment of Breuker, Uiterwijk and van den Herik (1994), "Replacement Schemes for Transposition Tables",
//! run again on the engine's own table.
//!
//! [`alibaba`] is the paper's test program, [`experiment`] the plan of its 11,088 observations, `run` carries the plan out on
//! all cores, [`results`] keeps every observation on disk. What the paper leaves open, what was chosen, and what each choice
//! does to the node counts: `docs/lab.md`.

pub mod alibaba;
pub mod experiment;
pub mod results;
