//! The win/draw/loss (WDL) model: chances of the results by score and material, fitted to self-play games.
//!
//! The model is Stockfish's (<https://github.com/official-stockfish/WDL_model>): the chance of a win is a logistic function
//! of the score, with location and scale polynomials in the material. `sesame-tuner data wdl` fits its numbers.

use crate::position::{Piece, Position};

/// Permille for the side to move. The sum is 1000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WdlChances {
    pub win: u16,
    pub draw: u16,
    pub loss: u16,
}

impl WdlChances {
    pub const WIN: WdlChances = WdlChances { win: 1000, draw: 0, loss: 0 };
    pub const DRAW: WdlChances = WdlChances { win: 0, draw: 1000, loss: 0 };
    pub const LOSS: WdlChances = WdlChances { win: 0, draw: 0, loss: 1000 };

    pub fn of(centipawns: i32, position: &Position) -> WdlChances {
        let [win, _, loss] = WdlModel::FITTED.chances(centipawns, material(position));
        let permille = |chance: f64| (1000.0 * chance).round() as u16;
        let win = permille(win);
        let loss = permille(loss).min(1000 - win);
        WdlChances { win, draw: 1000 - win - loss, loss }
    }
}

/// Returns the material of both sides: pawn 1, knight and bishop 3, rook 5, queen 9.
pub fn material(position: &Position) -> u32 {
    position.pieces(Piece::Pawn).len() + position.non_pawn_points()
}

/// Material of the start position. The model caps material at this value.
pub const FULL_MATERIAL: u32 = 78;

/// Two polynomials, lowest power first, in the material as a share of [`FULL_MATERIAL`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WdlModel {
    /// Location of the logistic function: the score with a winning chance of one half, in centipawns.
    pub middle: [f64; 3],
    /// Scale of the logistic function, in centipawns.
    pub width: [f64; 3],
}

impl WdlModel {
    pub const FITTED: WdlModel = WdlModel { middle: [279.7, -525.7, 339.2], width: [86.8, -71.9, 89.6] };

    pub fn shape(&self, material: u32) -> (f64, f64) {
        let share = f64::from(material.min(FULL_MATERIAL)) / f64::from(FULL_MATERIAL);
        let value = |[a, b, c]: [f64; 3]| a + share * (b + share * c);
        (value(self.middle).max(MIN_MIDDLE), value(self.width).max(MIN_WIDTH))
    }

    pub fn chances(&self, centipawns: i32, material: u32) -> [f64; 3] {
        let (middle, width) = self.shape(material);
        let logistic = |score: f64| 1.0 / (1.0 + ((middle - score) / width).exp());
        let (win, loss) = (logistic(centipawns.into()), logistic((-centipawns).into()));
        // Rounding could make the difference negative.
        [win, (1.0 - win - loss).max(0.0), loss]
    }
}

/// Centipawns. A middle of 0 excludes draws, and a negative one gives negative chances.
pub const MIN_MIDDLE: f64 = 1.0;
pub const MIN_WIDTH: f64 = 5.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn positions() -> [Position; 3] {
        [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "8/5pk1/4p1p1/3r3p/5P1P/4R1P1/5PK1/8 w - - 0 40",
            "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1",
        ]
        .map(|fen| Position::from_fen(fen).unwrap())
    }

    #[test]
    fn chances_are_monotone_and_symmetric() {
        assert_eq!(positions().map(|position| material(&position)), [78, 18, 1]);
        for position in positions() {
            let mut before = 0;
            for score in (-3000..=3000).step_by(7) {
                let wdl = WdlChances::of(score, &position);
                assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000, "{score}");
                assert!(wdl.win >= before, "{score}");
                before = wdl.win;
                let turned = WdlChances::of(-score, &position);
                assert!(wdl.win.abs_diff(turned.loss) <= 1, "{score}: {wdl:?} {turned:?}");
            }
            assert_eq!(WdlChances::of(20_000, &position), WdlChances::WIN);
            assert_eq!(WdlChances::of(-20_000, &position), WdlChances::LOSS);
            let even = WdlChances::of(0, &position);
            assert!(even.win == even.loss && even.draw > 200, "{even:?}");
        }
    }

    #[test]
    fn extreme_parameters_give_valid_chances() {
        for middle in [-500.0, 0.0, 500.0] {
            for width in [-10.0, 0.0, 1000.0] {
                let model = WdlModel { middle: [middle, 3.0, -7.0], width: [width, 0.0, 0.0] };
                for score in [-32_000, -1, 0, 1, 32_000] {
                    let chances = model.chances(score, 40);
                    assert!(chances.iter().all(|chance| (0.0..=1.0).contains(chance)), "{chances:?}");
                    assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                }
            }
        }
    }
}
