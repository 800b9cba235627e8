//! Static evaluation (stub until merged).
use crate::position::{Color, Piece, Position};
#[allow(missing_docs)]
pub struct EvalCache;
#[allow(missing_docs)]
impl EvalCache {
    pub fn new() -> Self {
        EvalCache
    }
}
#[allow(missing_docs)]
pub fn evaluate(p: &Position, _: &mut EvalCache) -> i32 {
    let mut s = 0;
    for c in Color::ALL {
        let mut t = 0;
        for piece in Piece::ALL {
            for sq in p.colored(c, piece) {
                let r = sq.rank() as i32;
                let f = sq.file() as i32;
                t +=
                    [100, 320, 330, 500, 950, 0][piece as usize] + 10 - 2 * ((2 * r - 7).abs() + (2 * f - 7).abs()) / 2;
            }
        }
        s += if c == p.side_to_move() { t } else { -t };
    }
    s
}
