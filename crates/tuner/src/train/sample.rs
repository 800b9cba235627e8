//! A position as the trainer keeps it in memory: 32 bytes, seen from the side to move.

use arrayvec::ArrayVec;

use sesame::eval::{bucket, row};
use sesame::position::{Color, Position, Square};
use crate::model::sigmoid;

/// The rows of the men on the board in one player's view.
pub(super) type Rows = ArrayVec<u16, 32>;

/// A position with what the search said and how its game ended. The board is turned so that the side to move plays up it.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    occupied: u64,
    /// The kinds of men on these squares, two in a byte, with [`OTHERS`] for those of the other side.
    men: [u8; 16],
    /// The search's score for the side to move, in centipawns.
    pub(super) score: i16,
    /// The result for the side to move in half points.
    pub(super) result: u8,
    /// The squares of the side to move's king and of the other one.
    kings: [u8; 2],
}

const OTHERS: u8 = 8;

impl Sample {
    /// The sample of a position; score and result are White's.
    pub(super) fn new(position: &Position, score: i32, result: u8) -> Self {
        let (score, result) =
            if position.side_to_move() == Color::White { (score, result) } else { (-score, 2 - result) };
        Self::of_side_to_move(position, score, result)
    }

    /// The same, where score and result are those of the side to move.
    pub(super) fn of_side_to_move(position: &Position, score: i32, result: u8) -> Self {
        let us = position.side_to_move();
        let turn = if us == Color::White { 0 } else { 56 };
        let occupied = position.occupied().0;
        let occupied = if us == Color::White { occupied } else { occupied.swap_bytes() };
        let mut men = [0; 16];
        for (i, square) in sesame::position::BitBoard(occupied).into_iter().enumerate() {
            let square = Square::index(square as usize ^ turn);
            let kind = position.piece_on(square).map_or(0, |piece| piece as u8);
            let whose = if position.color_on(square) == Some(us) { 0 } else { OTHERS };
            men[i / 2] |= (kind | whose) << (4 * (i % 2));
        }
        let kings = [us, !us].map(|color| position.king(color) as u8 ^ turn as u8);
        Self { occupied, men, score: score as i16, result, kings }
    }

    /// The position, turned so that White is to move, without castling and en passant.
    pub(super) fn position(&self) -> Option<Position> {
        let mut board = [b'1'; 64];
        for (i, square) in sesame::position::BitBoard(self.occupied).into_iter().enumerate() {
            let man = self.men[i / 2] >> (4 * (i % 2)) & 15;
            let letter = b"PNBRQK"[usize::from(man & 7)];
            // The eighth rank comes first.
            board[square as usize ^ 56] = if man & OTHERS == 0 { letter } else { letter.to_ascii_lowercase() };
        }
        let ranks: Vec<&str> = board.chunks(8).filter_map(|rank| std::str::from_utf8(rank).ok()).collect();
        Position::from_fen(&format!("{} w - - 0 1", ranks.join("/"))).ok()
    }

    /// The rows that the network adds up: for the side to move, and for the other one.
    pub(super) fn rows(&self) -> [Rows; 2] {
        let mut rows = [Rows::new(), Rows::new()];
        // The squares are turned for the side to move; the other side sees them turned back.
        let mirrors = self.kings.map(|king| if king & 7 > 3 { 7 } else { 0 });
        for (i, square) in sesame::position::BitBoard(self.occupied).into_iter().enumerate() {
            let man = self.men[i / 2] >> (4 * (i % 2)) & 15;
            let (own, kind, square) = (man & OTHERS == 0, usize::from(man & 7), square as usize);
            rows[0].push(row(own, kind, square ^ mirrors[0]));
            rows[1].push(row(!own, kind, square ^ 56 ^ mirrors[1]));
        }
        rows
    }

    /// The output neuron of the position.
    pub(super) fn bucket(&self) -> usize {
        bucket(self.occupied.count_ones())
    }

    /// What the position should be worth, as an expected result: a blend of the game's and the search's opinion.
    pub(super) fn target(&self, result_share: f32, scale: f32) -> f32 {
        let search = sigmoid(f32::from(self.score) / scale);
        result_share * f32::from(self.result) / 2.0 + (1.0 - result_share) * search
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sesame::eval::rows_from_scratch;

    #[test]
    fn a_sample_has_the_rows_that_the_engine_adds() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/1k6/8/8/3Q4/8/6K1/8 b - - 0 1",
            "1k6/8/8/8/3r4/8/1K6/8 w - - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let sample = Sample::new(&position, 30, 2);
            let us = position.side_to_move();
            for (mut found, color) in sample.rows().into_iter().zip([us, !us]) {
                let mut wanted = rows_from_scratch(&position, color);
                found.sort_unstable();
                wanted.sort_unstable();
                assert_eq!(found, wanted, "{fen}");
            }
            let (score, result) = if us == Color::White { (30, 2) } else { (-30, 0) };
            assert_eq!((sample.score, sample.result), (score, result));
            assert_eq!(sample.bucket(), bucket(position.occupied().len()));
        }
        assert_eq!(size_of::<Sample>(), 32);
    }
}
