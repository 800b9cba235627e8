//! The laboratory.

pub mod check_bits;
pub mod crowding;
pub mod report;
pub mod results;
pub mod statistics;
