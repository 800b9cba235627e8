//! `sesame-tuner init`: a network that counts material, the start of training from nothing.
//!
//! The evaluation is the material of the side to move minus that of the opponent, with a small bonus for central and advanced pieces.
//! The network computes it exactly. A neuron sums `d`, the difference in centipawns from the perspective of its accumulator. A pair of
//! neurons with opposite signs clips to `u` and `QA - u`, and since `u^2 - (QA - u)^2 = QA * (2u - QA)`, the squared activations of a
//! pair with opposite output weights are linear in `u`. Pair number `i` has a bias of about `-QA * i`, so it covers the interval of width
//! [`QA`] around `d = QA * i`. All pairs together are linear in `d` from -[`LINEAR_RANGE`] to [`LINEAR_RANGE`] and constant beyond. Both
//! perspectives count half, so the evaluation changes its sign with the side to move.

use std::path::PathBuf;

use clap::Args;
use sesame::eval::{HIDDEN, INPUTS, OUTPUT_BUCKETS, QA, QB, Weights, feature_index};
use sesame::position::{Piece, Square};
use sesame_command::files;
use sesame_command::{CommandError, print_status};

use crate::at;

/// Centipawns in the order of [`Piece`]. A king has none: both sides have one.
const PIECE_VALUES: [i16; Piece::NUM] = [100, 310, 330, 500, 900, 0];
/// Centipawns for each step towards the centre, 0 to 6 steps.
const CENTRE_BONUS: [i16; Piece::NUM] = [1, 4, 3, 1, 1, 0];
/// Centipawns for each rank beyond the second.
const ADVANCE_BONUS: i16 = 4;

const OUTER_PAIRS: i16 = 12;
const PAIRS: usize = 2 * OUTER_PAIRS as usize + 1;
/// Centipawns. The evaluation is exact up to this difference, and constant beyond.
pub const LINEAR_RANGE: i32 = QA * OUTER_PAIRS as i32 + QA / 2;

const OUTPUT_WEIGHT: i16 = 16;
/// Centipawns of an output of 1.0. Each unit of `d` adds `4 * OUTPUT_WEIGHT * SCALE / (QA * QB)` centipawns, which is one.
const SCALE: u16 = 255;
const _: () = assert!(4 * OUTPUT_WEIGHT as i32 * SCALE as i32 == QA * QB);
const _: () = assert!(2 * PAIRS <= HIDDEN);

/// Write a network that counts material, to play the first games with
#[derive(Debug, Clone, Args)]
pub struct InitArgs {
    /// File to write; it must not exist
    #[arg(default_value = "init.nnue")]
    pub output: PathBuf,
}

pub fn run(args: &InitArgs) -> Result<(), CommandError> {
    let path = &args.output;
    let weights = material_weights();
    files::create(path, [Ok(weights.to_bytes())]).map_err(at(path))?;
    print_status(&format!("{}: network {:016x}, which counts material", path.display(), weights.hash()));
    Ok(())
}

/// Returns centipawns, seen from the piece's own side.
pub fn piece_value(kind: Piece, square: Square) -> i16 {
    let (file, rank) = (square.file() as i16, square.rank() as i16);
    let steps = file.min(7 - file) + rank.min(7 - rank);
    let advance = if kind == Piece::Pawn { ADVANCE_BONUS * (rank - 1) } else { 0 };
    PIECE_VALUES[kind as usize] + CENTRE_BONUS[kind as usize] * steps + advance
}

pub fn material_weights() -> Weights {
    let mut weights = Weights {
        features: vec![0; INPUTS * HIDDEN],
        biases: vec![0; HIDDEN],
        output: vec![0; 2 * OUTPUT_BUCKETS * HIDDEN],
        output_biases: vec![0; OUTPUT_BUCKETS],
        scale: SCALE,
    };
    for kind in Piece::ALL {
        for square in 0..Square::NUM {
            let value = piece_value(kind, Square::index(square));
            // An opponent's piece is on the square as its owner sees it from the other side of the board.
            for (own, square, value) in [(true, square, value), (false, square ^ 56, -value)] {
                let feature = usize::from(feature_index(own, kind as usize, square)) * HIDDEN;
                for pair in weights.features[feature..feature + 2 * PAIRS].chunks_exact_mut(2) {
                    pair.copy_from_slice(&[value, -value]);
                }
            }
        }
    }
    for (pair, interval) in weights.biases.chunks_exact_mut(2).zip(-OUTER_PAIRS..=OUTER_PAIRS) {
        let (half, start) = (QA as i16 / 2, QA as i16 * interval);
        pair.copy_from_slice(&[half - start, half + 1 + start]);
    }
    // The weights of the side to move's accumulator for each bucket, then those of the opponent's.
    for (perspective, sign) in weights.output.chunks_exact_mut(HIDDEN).zip([1, -1].into_iter().cycle()) {
        for pair in perspective[..2 * PAIRS].chunks_exact_mut(2) {
            pair.copy_from_slice(&[sign * OUTPUT_WEIGHT, -sign * OUTPUT_WEIGHT]);
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use sesame::eval::Network;
    use sesame::position::{Color, Position};

    use super::*;
    use crate::fails_with;
    use crate::game_record::tests::positions;

    /// The evaluation by its definition, from the side to move.
    fn expected(position: &Position) -> i32 {
        let side = |color: Color| -> i32 {
            let flip = if color == Color::White { 0 } else { 56 };
            let pieces = position.colors(color).into_iter();
            pieces
                .map(|square| piece_value(position.piece_on(square).unwrap(), Square::index(square as usize ^ flip)))
                .map(i32::from)
                .sum()
        };
        let us = position.side_to_move();
        (side(us) - side(!us)).clamp(-LINEAR_RANGE, LINEAR_RANGE)
    }

    #[test]
    fn the_evaluation_is_exactly_the_material() {
        let network = Network::new(&material_weights()).unwrap();
        let mut largest = 0;
        for position in positions(9_000) {
            let value = network.evaluate(&position);
            assert_eq!(value, expected(&position), "{}", position.fen(false));
            let mut other_side = position.clone();
            other_side.play_null();
            assert_eq!(network.evaluate(&other_side), -value, "{}", position.fen(false));
            largest = largest.max(value.abs());
        }
        assert!(largest > 1_000, "{largest}");
    }

    #[test]
    fn the_evaluation_is_constant_beyond_its_range() {
        let network = Network::new(&material_weights()).unwrap();
        let at = |fen: &str| network.evaluate(&Position::from_fen(fen).unwrap());
        assert!(at("7k/7p/8/8/8/8/8/KQQQ4 w - - 0 1") < LINEAR_RANGE);
        assert_eq!(at("k7/8/8/8/8/8/1RRRRR2/1RRRRR1K w - - 0 1"), LINEAR_RANGE);
        assert_eq!(at("k7/8/8/8/8/8/1RRRRR2/1RRRRR1K b - - 0 1"), -LINEAR_RANGE);
    }

    #[test]
    fn init_writes_a_network_and_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let args = InitArgs { output: folder.path().join("init.nnue") };
        run(&args).unwrap();
        assert_eq!(Network::read(&args.output).unwrap().hash(), material_weights().hash());
        std::fs::write(&args.output, "trained").unwrap();
        assert!(fails_with(run(&args), "exists already"));
        assert_eq!(std::fs::read(&args.output).unwrap(), b"trained");
    }
}
