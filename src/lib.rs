//! Sesame: a UCI chess engine whose threads share one lock-free, model-checked transposition table.
//!
//! The package is `sesame-chess`, the library `sesame`. The program `sesame` is `cli::main` (feature `cli`, on by
//! default). With `default-features = false` this crate is the engine library only: no command line, no charts, no
//! terminal. The network is part of the library; no file is needed.
//!
//! # Search a position
//!
//! ```
//! use sesame::engine::{Engine, Limits, Options};
//! use sesame::position::{Game, Position};
//!
//! let mut engine = Engine::new(Options { threads: 2, ..Options::default() })?;
//! let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1")?;
//! let report = engine.search(&Game::new(position.clone()), Limits { depth: Some(5), ..Limits::default() })?;
//! assert_eq!(position.to_uci(report.best.unwrap(), false), "d1d8");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Set up and play
//!
//! A [`Position`](position::Position) is always legal. A [`Game`](position::Game) is a position with its
//! history, which draws by repetition need. Errors of parsers explain the mistake in the text.
//!
//! ```
//! use sesame::position::{Game, Outcome, Position};
//!
//! let mut game = Game::new(Position::startpos());
//! for san in ["f3", "e5", "g4", "Qh4"] {
//!     let mv = game.position().from_san(san)?;
//!     game.play(mv);
//! }
//! assert_eq!(game.outcome(), Some(Outcome::Checkmate));
//! let error = Position::from_fen("8/8/8/8/8/8/8/K7 w - - 0 1").unwrap_err();
//! assert_eq!(error.to_string(), "Black has 0 kings instead of one");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! A module uses only modules below it in this table.
//!
//! | module | content | begin with |
//! |---|---|---|
//! | `cli` | the program's subcommands | `cli::main` |
//! | [`uci`] | the UCI protocol | [`uci::run`] |
//! | [`engine`] | the library's API: options, positions, searches, a sink, the bench | [`engine::Engine`] |
//! | `cluster` | several machines as one engine (feature `mpi`) | |
//! | [`smp`] | Lazy SMP: the owner of a search, thread pool, clock, strategy, vote | [`smp::SmpStrategy`] |
//! | [`search`] | one worker's search | [`search::Worker`] |
//! | [`eval`] | the network (NNUE) | [`eval::Network`] |
//! | [`syzygy`] | Syzygy tablebases | [`syzygy::Tablebases`] |
//! | [`games`] | games and positions in files: PGN, EPD | [`games::pgn::Reader`] |
//! | [`position`] | the rules of chess | [`position::Position`] |
//! | [`output`] | whole lines on the standard output | [`output::Output`] |
//!
//! # Where to go next
//!
//! - [`engine::Engine`]: blocking and asynchronous searches, options, several lines. The package's example `engine` plays a
//!   game against itself.
//! - [`games::pgn::Reader`]: games from PGN files.
//! - `sesame-table`: the transposition table, a crate of its own without chess.
//! - `docs/` of the repository, also as a book: commands and options for users, the search and the threads for contributors,
//!   results. Experiments with replacement schemes (`sesame-lab`) and network training (`sesame-tuner`) are crates beside
//!   this one.

// The program `sesame` alone calls it.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(any(test, feature = "mpi"))]
mod cluster;
#[deny(missing_docs)]
pub mod engine;
pub mod eval;
pub mod games;
mod locks;
// Used by the crates of this repository.
#[doc(hidden)]
pub mod output;
#[deny(missing_docs)]
pub mod position;
pub mod search;
pub mod smp;
pub mod syzygy;
pub mod uci;

pub use engine::build_info::VERSION;
