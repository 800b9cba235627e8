//! The laboratory: the experiment of Breuker, Uiterwijk and van den Herik (1994), "Replacement Schemes for Transposition Tables",
//! run again on the engine's own table, and other measurements of that table.
//!
//! [`alibaba`] is the paper's test program, [`experiment`] the plan of its 11,088 observations, [`mod@run`] carries the plan out on
//! all cores, [`results`] keeps every observation on disk, [`validation`] holds ALIBABA against the paper's node counts, one open choice
//! at a time, [`report`] sets the results beside the paper's, claim by claim. What the paper leaves open, what was chosen, and what each choice does to the node counts: `docs/lab.md`.

pub mod alibaba;
pub mod check_bits;
pub mod crowding;
pub mod experiment;
pub mod report;
pub mod results;
pub mod run;
pub mod studies;
pub mod validation;
