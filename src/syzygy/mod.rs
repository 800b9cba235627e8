//! Syzygy endgame tables: who wins with best play (WDL), and how far off the next capture or pawn move is (DTZ).
//!
//! The tables and their format are Ronald de Man's (<https://github.com/syzygy1/tb>); the layout is described by his generator and by the
//! probing codes that followed from it (Fathom, Stockfish). This is an implementation of its own, in safe Rust but for the mapping of the
//! files: every offset, index and symbol that comes from a file is checked, so that a truncated or damaged one can give no answer or a
//! wrong one, but never a panic or a read outside of it.
//!
//! A set of tables ([`Tablebases`]) never changes once it is loaded, so that any number of threads probe it without a lock.

mod encoding;
mod file;
mod geometry;
mod material;
mod pairs;
mod probe;
mod root;
mod set;

use std::ops::Neg;

pub use file::TableFault;
pub use root::{RankedMove, RootRanking};
pub use set::{LoadReport, PATH_SEPARATOR, Tablebases};

/// The most men, kings included, that a table is made for.
pub const MAX_MEN: usize = 7;

/// What becomes of a position with best play, from the side to move. Greater is better.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wdl {
    /// Lost.
    Loss,
    /// Lost but for the fifty-move rule.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Won but for the fifty-move rule.
    CursedWin,
    /// Won, when the clock of the fifty-move rule stands at zero.
    Win,
}

impl Wdl {
    /// From -2, a loss, to 2, a win.
    pub const fn value(self) -> i32 {
        self as i32 - 2
    }

    /// What a table's byte stands for, 0 to 4; `None` for any other.
    const fn from_tt(value: u16) -> Option<Wdl> {
        Some(match value {
            0 => Wdl::Loss,
            1 => Wdl::BlessedLoss,
            2 => Wdl::Draw,
            3 => Wdl::CursedWin,
            4 => Wdl::Win,
            _ => return None,
        })
    }
}

/// The other side's view.
impl Neg for Wdl {
    type Output = Wdl;

    fn neg(self) -> Wdl {
        match self {
            Wdl::Loss => Wdl::Win,
            Wdl::BlessedLoss => Wdl::CursedWin,
            Wdl::Draw => Wdl::Draw,
            Wdl::CursedWin => Wdl::BlessedLoss,
            Wdl::Win => Wdl::Loss,
        }
    }
}
