//! Where the weights begin: a simple principle instead of tables.
//!
//! Breuker et al. (1994, section 4.3) fill their piece-square tables from mobility and centre control. So do we: a piece is worth
//! more where it sees more of an empty board and more of its centre. The other terms begin with round guesses of their sign
//! and size; the tuner does the rest.

use super::Weight;
use crate::eval::{COUNT, GROUPS};
use crate::position::attacks::attacks_of;
use crate::position::{BitBoard, Color, Piece, Square};

/// The sixteen squares in the middle; the inner four count twice.
const CENTRE: BitBoard = BitBoard(0x0000_3c3c_3c3c_0000);
const INNER: BitBoard = BitBoard(0x0000_0018_1800_0000);

/// The first weights, all from rules of a line or two.
pub fn prior() -> Vec<Weight> {
    let mut weights = vec![[0.0; 2]; COUNT];
    for group in GROUPS {
        for i in 0..group.len {
            let (row, column) = ((i / group.columns) as f32, (i % group.columns) as f32);
            weights[group.start + i] = if group.name == "PIECE_SQUARES" {
                piece_square(Piece::index(i / 64 % 6), Square::index(i % 64))
            } else {
                guess(group.name, row, column)
            };
        }
    }
    weights
}

/// Mobility on the empty board and control of its centre, less the average square's.
fn piece_square(piece: Piece, square: Square) -> Weight {
    let sight = |square| attacks_of(piece, Color::White, square, BitBoard::EMPTY);
    let centre = |square| ((sight(square) & CENTRE).len() + (sight(square) & INNER).len()) as f32;
    let mobility = |square| sight(square).len() as f32;
    let mean = |of: &dyn Fn(Square) -> f32| Square::ALL.into_iter().map(of).sum::<f32>() / 64.0;
    let (more_centre, more_mobility) = (centre(square) - mean(&centre), mobility(square) - mean(&mobility));
    let rank = (square as usize / 8) as f32;
    match piece {
        Piece::Pawn if rank == 0.0 || rank == 7.0 => [0.0, 0.0],
        Piece::Pawn => [4.0 * more_centre + 2.0 * (rank - 2.5), 6.0 * (rank - 2.5)],
        // In the middle game the king hides: the less he sees the better, and best on his own rank.
        Piece::King => [-5.0 * more_centre - 8.0 * rank, 4.0 * more_centre + 2.0 * more_mobility],
        Piece::Knight => [3.0 * more_centre + 2.0 * more_mobility, 2.0 * more_centre + 2.0 * more_mobility],
        Piece::Bishop | Piece::Rook | Piece::Queen => [1.5 * more_centre + more_mobility, more_centre + more_mobility],
    }
}

/// A first guess at a weight of a group, in its row and column.
fn guess(name: &str, row: f32, column: f32) -> Weight {
    let passer = (column - 1.0).max(0.0);
    match name {
        "MATERIAL" => [[80.0, 100.0], [320.0, 310.0], [330.0, 320.0], [480.0, 530.0], [970.0, 980.0]][column as usize],
        "MOBILITY_KNIGHT" => [5.0 * (column - 4.0), 5.0 * (column - 4.0)],
        "MOBILITY_BISHOP" => [5.0 * (column - 6.0), 5.0 * (column - 6.0)],
        "MOBILITY_ROOK" => [2.5 * (column - 7.0), 5.0 * (column - 7.0)],
        "MOBILITY_QUEEN" => [1.5 * (14.0 * row + column - 13.0), 3.0 * (14.0 * row + column - 13.0)],
        "KNIGHT_PAWNS" => [3.0 * (column - 5.0), 3.0 * (column - 5.0)],
        "ROOK_PAWNS" => [-3.0 * (column - 5.0), -2.0 * (column - 5.0)],
        "BISHOP_PAIR" => [30.0, 50.0],
        "BISHOP_OWN_PAWNS" => [-3.0 * (column - 3.0), -4.0 * (column - 3.0)],
        "BISHOP_BLOCKED_PAWNS" => [-2.0, -4.0],
        "BISHOP_LONG_DIAGONAL" => [15.0, 5.0],
        "KNIGHT_OUTPOST" => [10.0 + 15.0 * column, 5.0 + 10.0 * column],
        "BISHOP_OUTPOST" => [5.0 + 15.0 * column, 5.0 * column],
        "KNIGHT_REACHES_OUTPOST" => [10.0, 5.0],
        "MINOR_BEHIND_PAWN" => [8.0, 4.0],
        "KNIGHT_KING_DISTANCE" | "BISHOP_KING_DISTANCE" => [-3.0 * (column - 3.0), -3.0 * (column - 3.0)],
        "ROOK_OPEN_FILE" => [30.0, 10.0],
        "ROOK_HALF_OPEN_FILE" => [12.0, 8.0],
        "ROOK_SEVENTH" => [5.0, 25.0],
        "ROOK_SHUT_IN" => [-20.0 - 20.0 * column, -10.0],
        "QUEEN_EXPOSED" => [-20.0, -10.0],
        "SPACE" => [(column - 8.0).max(0.0) * 0.4, 0.0],
        "PAWN_ISOLATED" => [-8.0 - 6.0 * row, -10.0 - 4.0 * row],
        "PAWN_DOUBLED" => [-8.0 + 5.0 * row, -18.0 + 8.0 * row],
        "PAWN_BACKWARD" => [-6.0 - 8.0 * row, -8.0 - 6.0 * row],
        "PAWN_PHALANX" => [2.0 * column + 2.0, 2.0 * column],
        "PAWN_SUPPORTED" => [3.0 * column + 4.0, 2.0 * column + 2.0],
        "PAWN_CANDIDATE" => [3.0 * passer, 6.0 * passer],
        "PAWN_BLOCKED" => [-4.0, -4.0],
        "PAWN_ISLANDS" => [-2.0, -4.0],
        "PASSED_RANK" => [1.2 * passer * passer, 3.5 * passer * passer],
        "PASSED_FILE" => [-2.0 * column, -4.0 * column],
        "PASSED_CONNECTED" => [2.0 * passer, 4.0 * passer],
        "PASSED_OWN_KING" => [0.0, -1.2 * row * (column - 3.0)],
        "PASSED_ENEMY_KING" => [0.0, 2.0 * row * (column - 3.0)],
        "PASSED_BLOCKED_BY_ENEMY" => [-2.0 * passer, -6.0 * passer],
        "PASSED_BLOCKED_BY_OWN" => [0.0, -3.0 * passer],
        "PASSED_SAFE_PUSH" | "PASSED_FREE_PATH" => [passer, 4.0 * passer],
        "PASSED_SAFE_PATH" => [2.0 * passer, 6.0 * passer],
        "PASSED_HELD_PUSH" => [2.0 * passer, 3.0 * passer],
        "PASSED_ROOK_BEHIND" => [10.0 - 25.0 * column, 20.0 - 40.0 * column],
        "PASSED_UNSTOPPABLE" => [0.0, 400.0],
        "THREAT_BY_PAWN" => {
            [[5.0, 60.0, 60.0, 80.0, 70.0][column as usize], [5.0, 30.0, 50.0, 30.0, 20.0][column as usize]]
        }
        "THREAT_BY_PUSH" => [[0.0, 18.0, 18.0, 20.0, 20.0][column as usize], 10.0],
        "THREAT_BY_MINOR" => [[5.0, 25.0, 30.0, 50.0, 45.0][column as usize] - 8.0 * row, 25.0 - 10.0 * row],
        "THREAT_BY_ROOK" => [[0.0, 20.0, 25.0, 0.0, 50.0][column as usize] - 8.0 * row, 25.0 - 15.0 * row],
        "THREAT_BY_QUEEN" => [[0.0, 10.0, 10.0, 5.0, 0.0][column as usize] * (1.0 - row), 15.0 * (1.0 - row)],
        "THREAT_BY_KING" => [10.0, 35.0],
        "HANGING" => [10.0 + 20.0 * column, 10.0 + 10.0 * column],
        "ATTACKED_TWICE_WEAK" => [5.0, 10.0],
        "RESTRICTED" => [3.0, 3.0],
        "QUEEN_STEP_THREAT" => [12.0 + 15.0 * column, 6.0],
        "SHELTER" => [[-15.0, 15.0, 12.0, 5.0, 2.0, 0.0, 0.0, 0.0][column as usize], 0.0],
        "STORM" => {
            [[0.0, -5.0, -20.0, -12.0, -5.0, 0.0, 0.0, 0.0][column as usize] * if row < 4.0 { 1.0 } else { 0.3 }, 0.0]
        }
        "KING_FLANK_EMPTY" => [-15.0, -40.0],
        "KING_PAWN_DISTANCE" => [0.0, -7.0 * column],
        "TEMPO" => [25.0, 20.0],
        "DANGER_BASE" => [60.0 * (1.0 - column) + 40.0 * column, 20.0],
        "DANGER_ATTACKER" => [[60.0, 45.0, 50.0, 30.0][column as usize], 15.0],
        "DANGER_RING_HITS" => [25.0, 8.0],
        "DANGER_PAWN_HITS" => [15.0, 5.0],
        "DANGER_SAFE_CHECK" => [[160.0, 120.0, 190.0, 150.0][row as usize] + 60.0 * column, 60.0],
        "DANGER_UNSAFE_CHECK" => [20.0, 8.0],
        "DANGER_WEAK_RING" => [45.0, 15.0],
        "DANGER_NO_QUEEN" => [-250.0, -80.0],
        "DANGER_PINNED" => [30.0, 15.0],
        "DANGER_KNIGHT_DEFENDS" => [-30.0, -10.0],
        "DANGER_BISHOP_DEFENDS" => [-15.0, -5.0],
        "DANGER_FLANK_ATTACKS" => [5.0 + 3.0 * column, 2.0],
        "DANGER_FLANK_HELD" => [-5.0, -2.0],
        "DANGER_SHELTER" => [[25.0, -15.0, -10.0, 0.0, 5.0, 5.0, 5.0, 5.0][column as usize], 0.0],
        "DANGER_STORM" => {
            [[0.0, 5.0, 15.0, 10.0, 4.0, 0.0, 0.0, 0.0][column as usize] * if row < 4.0 { 1.0 } else { 0.3 }, 0.0]
        }
        other => unreachable!("no first guess for the weights {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_has_a_sane_first_guess() {
        for weight in prior() {
            assert!(weight.iter().all(|w| w.is_finite() && w.abs() < 1_000.0));
        }
    }
}
