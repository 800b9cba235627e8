//! The laboratory of replacement schemes for transposition tables.
//!
//! It repeats the experiment of Breuker, Uiterwijk and van den Herik (1994), "Replacement Schemes for Transposition Tables",
//! on the table that Sesame ships, and measures the engine's table. The program `sesame-lab` runs all of it;
//! `docs/contributors/lab.md` lists what the paper leaves open, and our choices.
//!
//! | module | contents |
//! |---|---|
//! | [`alibaba`] | the paper's test program |
//! | [`positions`], [`experiment`] | the paper's positions; the 11,088 searches and their results file |
//! | [`report`] | the report: the paper's tables, figures and claims beside the new ones |
//! | [`crowding`] | full tables in Sesame's own search |

pub mod alibaba;
pub mod crowding;
pub mod experiment;
pub mod positions;
pub mod report;
