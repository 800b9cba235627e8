//! The shared, lock-free transposition table.
