//! The laboratory.

pub mod check_bits;
