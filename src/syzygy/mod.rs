//! Syzygy tablebases: win/draw/loss (WDL) and distance to zeroing (DTZ).
//!
//! The tables and their format are Ronald de Man's (<https://github.com/syzygy1/tb>). This is an independent implementation
//! in safe Rust except for the memory mapping. Every offset, index and symbol of a file is checked: a truncated or damaged
//! file can give no result or a wrong one, but neither a panic nor a read out of bounds.
//!
//! A loaded set of tables ([`Tablebases`]) is immutable: any number of threads probe it without a lock.

mod encoding;
mod file;
mod material;
mod pairs;
mod probe;
mod reader;
mod set;

use std::ops::Neg;

pub use probe::{RankedMove, RootRanking};
pub use set::{PATH_SEPARATOR, Tablebases, TablebasesLoaded};

/// Maximum of pieces in any table, kings included.
pub const MAX_PIECES: usize = 7;

/// The result with best play for the side to move. Greater is better.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wdl {
    Loss,
    /// The fifty-move rule makes it a draw.
    BlessedLoss,
    Draw,
    CursedWin,
    Win,
}

impl Wdl {
    /// Returns -2 (loss) to 2 (win).
    pub const fn value(self) -> i32 {
        self as i32 - 2
    }

    const ALL: [Wdl; 5] = [Wdl::Loss, Wdl::BlessedLoss, Wdl::Draw, Wdl::CursedWin, Wdl::Win];

    fn from_table(value: u16) -> Option<Wdl> {
        Wdl::ALL.get(usize::from(value)).copied()
    }
}

impl Neg for Wdl {
    type Output = Wdl;

    fn neg(self) -> Wdl {
        Wdl::ALL[4 - self as usize]
    }
}
