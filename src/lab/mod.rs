//! The laboratory.

pub mod check_bits;
pub mod crowding;
pub mod statistics;
