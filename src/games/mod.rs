//! Games and positions in files: PGN in and out, EPD in.
//!
//! [`pgn`] reads game after game from a stream, however damaged it is, and writes what it has read; [`epd`] reads positions with
//! what their authors say of them. Nothing in such a file can panic: what cannot be used is an error that names its place.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod epd;
pub mod pgn;
