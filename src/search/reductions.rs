//! The base table of late-move reductions (<https://www.chessprogramming.org/Late_Move_Reductions>).

use super::params::{lmr_noisy_base, lmr_noisy_divisor, lmr_quiet_base, lmr_quiet_divisor};

/// One ply of reduction.
pub const PLY: i32 = 1024;

/// Reductions by kind of move, depth and number in the order, in 1/1024 ply.
pub struct Reductions {
    table: Box<[[[i32; 64]; 64]; 2]>,
}

impl Reductions {
    /// Computes the table.
    pub fn new() -> Self {
        let mut table = Box::new([[[0; 64]; 64]; 2]);
        for (kind, (base, divisor)) in
            [(lmr_noisy_base(), lmr_noisy_divisor()), (lmr_quiet_base(), lmr_quiet_divisor())]
                .map(|(base, divisor)| (f64::from(base) / 100.0, f64::from(divisor) / 100.0))
                .into_iter()
                .enumerate()
        {
            for depth in 1..64 {
                for number in 1..64 {
                    let plies = base + f64::from(depth).ln() * f64::from(number).ln() / divisor;
                    table[kind][depth as usize][number as usize] = (plies * f64::from(PLY)) as i32;
                }
            }
        }
        Self { table }
    }

    /// The reduction of the move that comes as number `number` (1 is the first) at `depth`.
    #[inline]
    pub fn get(&self, quiet: bool, depth: i32, number: usize) -> i32 {
        self.table[usize::from(quiet)][depth.clamp(0, 63) as usize][number.min(63)]
    }
}
