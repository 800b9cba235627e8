//! Syzygy tablebases: win/draw/loss (WDL) and distance to zeroing (DTZ).
//!
//! The tables and their format are Ronald de Man's (<https://github.com/syzygy1/tb>). His generator and the
//! probing code derived from it (Fathom, Stockfish) define the layout. This is an independent implementation,
//! in safe Rust except for the memory mapping. Every offset, index and symbol of a file is checked: a truncated
//! or damaged file can give no result or a wrong one, but neither a panic nor a read out of bounds.
//!
//! A loaded set of tables ([`Tablebases`]) is immutable: any number of threads probe it without a lock.

mod encoding;
mod file;
mod material;
mod pairs;
mod probe;
mod set;

use std::ops::Neg;

pub use probe::{RankedMove, RootRanking};
pub use set::{PATH_SEPARATOR, Tablebases, TablebasesLoaded};

/// The largest number of pieces of a table, kings included.
pub const MAX_PIECES: usize = 7;

/// The value of a position with best play, from the side to move's view. Greater is better.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wdl {
    /// A loss, with the fifty-move counter at zero.
    Loss,
    /// A loss that the fifty-move rule makes a draw.
    BlessedLoss,
    /// A draw.
    Draw,
    /// A win that the fifty-move rule makes a draw.
    CursedWin,
    /// A win, with the fifty-move counter at zero.
    Win,
}

impl Wdl {
    /// Returns the value as a number, from -2 (loss) to 2 (win).
    pub const fn value(self) -> i32 {
        self as i32 - 2
    }

    const ALL: [Wdl; 5] = [Wdl::Loss, Wdl::BlessedLoss, Wdl::Draw, Wdl::CursedWin, Wdl::Win];

    /// Decodes a table's value, 0 to 4; `None` for any other.
    fn from_table(value: u16) -> Option<Wdl> {
        Wdl::ALL.get(usize::from(value)).copied()
    }
}

/// The value from the other side's view.
impl Neg for Wdl {
    type Output = Wdl;

    fn neg(self) -> Wdl {
        Wdl::ALL[4 - self as usize]
    }
}
