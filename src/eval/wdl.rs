//! What a score means for the result: the chances of a win, a draw and a loss, learnt from Sesame's games against itself.
//!
//! The form of the model is Stockfish's (<https://github.com/official-stockfish/WDL_model>): the chance to win is logistic in the
//! score, and where its middle lies and how wide it is depends on the material. The numbers are Sesame's: `sesame data wdl` fits
//! them, `docs/tuning.md` says to which games and how well they fit.

use crate::position::{Piece, Position};

/// The chances of the side to move in permille; together 1000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WdlChances {
    /// That it wins.
    pub win: u16,
    /// That the game is drawn.
    pub draw: u16,
    /// That it loses.
    pub loss: u16,
}

impl WdlChances {
    /// The side to move wins.
    pub const WON: WdlChances = WdlChances { win: 1000, draw: 0, loss: 0 };
    /// The side to move loses.
    pub const LOST: WdlChances = WdlChances { win: 0, draw: 0, loss: 1000 };

    /// What Sesame's own games make of a score of so many centipawns, from the side to move, in `position`.
    pub fn of(centipawns: i32, position: &Position) -> WdlChances {
        let [win, _, loss] = WdlModel::FITTED.chances(centipawns, material(position));
        let permille = |chance: f64| (1000.0 * chance).round() as u16;
        let win = permille(win);
        let loss = permille(loss).min(1000 - win);
        WdlChances { win, draw: 1000 - win - loss, loss }
    }
}

/// The material of both sides by the usual count: pawn 1, knight and bishop 3, rook 5, queen 9; 78 at the start.
pub fn material(position: &Position) -> u32 {
    [(Piece::Pawn, 1), (Piece::Knight, 3), (Piece::Bishop, 3), (Piece::Rook, 5), (Piece::Queen, 9)]
        .into_iter()
        .map(|(piece, worth)| worth * position.pieces(piece).len())
        .sum()
}

/// The material of the start position; what promotions add beyond it makes no difference.
pub const FULL_MATERIAL: u32 = 78;

/// How chances depend on score and material. Both numbers are polynomials, lowest power first, in the material as a share of
/// [`FULL_MATERIAL`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WdlModel {
    /// The score, in centipawns, at which a win is as likely as not.
    pub middle: [f64; 3],
    /// How slowly the chance rises there, in centipawns.
    pub width: [f64; 3],
}

impl WdlModel {
    /// The model in play, fitted to 2,163 games: docs/tuning.md.
    pub const FITTED: WdlModel = WdlModel { middle: [279.7, -525.7, 339.2], width: [86.8, -71.9, 89.6] };

    /// Middle and width for this material; never so small that a chance makes no sense.
    pub fn shape(&self, material: u32) -> (f64, f64) {
        let share = f64::from(material.min(FULL_MATERIAL)) / f64::from(FULL_MATERIAL);
        let value = |[a, b, c]: [f64; 3]| a + share * (b + share * c);
        (value(self.middle).max(LEAST_MIDDLE), value(self.width).max(LEAST_WIDTH))
    }

    /// The chances of a win, a draw and a loss, from 0 to 1.
    pub fn chances(&self, centipawns: i32, material: u32) -> [f64; 3] {
        let (middle, width) = self.shape(material);
        let logistic = |score: f64| 1.0 / (1.0 + ((middle - score) / width).exp());
        let (win, loss) = (logistic(centipawns.into()), logistic((-centipawns).into()));
        // The last digits could make it less than nothing.
        [win, (1.0 - win - loss).max(0.0), loss]
    }
}

/// With a middle of 0 there would be no draws; below it, chances of less than none.
pub(crate) const LEAST_MIDDLE: f64 = 1.0;
pub(crate) const LEAST_WIDTH: f64 = 5.0;

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
    fn material_is_counted_as_usual() {
        assert_eq!(positions().map(|position| material(&position)), [78, 18, 1]);
    }

    #[test]
    fn chances_add_up_rise_with_the_score_and_turn_with_the_side() {
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
            assert_eq!(WdlChances::of(20_000, &position), WdlChances::WON);
            assert_eq!(WdlChances::of(-20_000, &position), WdlChances::LOST);
            let even = WdlChances::of(0, &position);
            assert!(even.win == even.loss && even.draw > 200, "{even:?}");
        }
    }

    /// Whatever numbers a fit should come up with.
    #[test]
    fn a_wild_model_still_gives_chances() {
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
