//! The search as a whole.
