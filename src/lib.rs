//! Sesame: a UCI chess engine whose threads share one lock-free transposition table, and the laboratory for that table.
//!
//! This is the front page of its book. Each room of the house is a module, and its page begins with what the room is for; what was measured,
//! and which test shows what, is in the `docs/` folder beside the sources. Who only wants to play needs none of it: the program `sesame` is
//! [`cli::main`] and nothing else.
//!
//! # The house
//!
//! Arrows go down only: a room knows those below it.
//!
//! | room | what it does | begin with |
//! |---|---|---|
//! | [`cli`] | subcommands for people and testers | [`cli::main`] |
//! | [`uci`] | the protocol, from lines to typed commands and back | [`uci::run`] |
//! | [`lab`], [`scaling`], [`tuning`] | measurements of the table and of many threads; games against itself, weights, networks | their pages |
//! | [`report`] | how measurements are told | |
//! | [`engine`] | the library's interface: options, games, searches, a sink | [`engine::Engine`] |
//! | [`smp`] | many workers, one search | [`smp::Limits`], [`smp::Sink`] |
//! | [`search`] | one worker's search | [`search::score`] |
//! | [`eval`] | what a position is worth, by hand-written terms or by a network | [`eval::evaluate`], [`eval::Network`] |
//! | [`table`] | the shared table; knows nothing of chess | [`table::Table`] |
//! | [`tablebase`] | Syzygy endgame tables | [`tablebase::Tablebases`] |
//! | [`games`] | games and positions in files: PGN, EPD | [`games::pgn::Reader`] |
//! | [`position`] | the rules | [`position::Position`], [`position::Game`] |
//!
//! # Chapter 1: positions and games
//!
//! A [`Position`](position::Position) is always valid: it begins as the start position, one of Chess960 or a FEN that makes sense, and changes
//! by legal moves. A [`Game`](position::Game) is a position with its past, which draws by repetition need. All text that comes from people
//! goes through functions that explain what is wrong with it.
//!
//! ```
//! use sesame::position::{Game, Outcome, Position};
//!
//! let mut game = Game::new(Position::startpos());
//! for san in ["f3", "e5", "g4", "Qh4"] {
//!     let mv = game.position().from_san(san)?;
//!     game.play(mv);
//! }
//! assert_eq!(game.legal_result(), Some(Outcome::Checkmate));
//! let error = Position::from_fen("8/8/8/8/8/8/8/K7 w - - 0 1").unwrap_err();
//! assert_eq!(error.to_string(), "Black has 0 kings instead of one");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Chapter 2: the engine as a library
//!
//! An [`Engine`](engine::Engine) searches a game within [`Limits`](engine::Limits) and tells a [`Sink`](engine::Sink), from a thread of its own,
//! what it finds; its page has a whole program. `examples/engine.rs` plays a game with it. What it thinks with can be changed at any time
//! between searches: threads, the table's size and scheme, endgame tables, the network.
//!
//! # Chapter 3: the table
//!
//! The heart. A [`Table`](table::Table) is shared by any number of threads through `&Table`, and none ever waits: an entry is two atomic words
//! that vouch for each other. It holds whatever implements [`Payload`](table::Payload), of chess or not: `examples/domineering.rs` solves another
//! game with it, `examples/shared_perft.rs` counts moves.
//!
//! ```
//! use crate::search::{Bound, TtEntry};
use sesame_table::{Scheme, Table};
//!
//! let table = Table::new(1, Scheme::TwoBig1)?;
//! let entry = TtEntry { mv: 0, score: 25, depth: 8, bound: Bound::Exact, pv: true, eval: 20 };
//! std::thread::scope(|scope| {
//!     // The key is a hash of all 64 bits; the work is what finding the entry took, in nodes.
//!     scope.spawn(|| table.store(0x0123_4567_89ab_cdef, &entry, 4711));
//! });
//! assert_eq!(table.probe(0x0123_4567_89ab_cdef), Some(entry));
//! assert_eq!(table.probe(0xfedc_ba98_7654_3210), None);
//! # Ok::<(), sesame_table::TableError>(())
//! ```
//!
//! Which of two positions gives way is decided by a [`Scheme`](table::Scheme), the seven of Breuker, Uiterwijk and van den Herik (1994), or by
//! any [`Rule`](table::Rule): `examples/custom_scheme.rs` writes one and runs the engine's search on it, for the search takes any
//! [`SearchTable`](table::SearchTable). That the protocol of the words holds is shown by models (`docs/table.md`), not by argument alone.
//!
//! # Chapter 4: what thinks
//!
//! [`search`] is one worker's search, [`eval`] what it thinks of a leaf, and [`smp`] lets many workers search one position: each claims its next
//! depth from a shared board, the coordinator alone decides when it is over, and with one thread, or in lockstep with many, a search by depth
//! or nodes is the same each time. [`tablebase`] ends the thinking where few men are left.
//!
//! # Chapter 5: the laboratory
//!
//! [`lab`] repeats the experiment of 1994 and goes on where it ended, [`scaling`] says what many threads are worth on this machine and on others,
//! and [`tuning`] plays the games from which weights and networks are learnt. They are run by subcommands (`sesame lab --help`), and their
//! reports are committed under `docs/`.

pub mod cli;
pub mod engine;
pub mod eval;
mod files;
pub mod games;
pub mod lab;
mod plain;
pub mod position;
mod prefetch;
mod prompt;
mod random;
pub mod report;
pub mod scaling;
pub mod search;
pub mod smp;
pub mod table;
pub mod tablebase;
pub mod tuning;
pub mod uci;
