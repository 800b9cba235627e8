//! The laboratory of replacement schemes.

pub mod report;
pub mod results;
pub mod statistics;
