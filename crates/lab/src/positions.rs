//! The paper's 18 test positions.

use sesame::position::Position;

pub const TESTS: usize = 18;

/// Returns White's positions from move 15 on in Kasparov-Short, Amsterdam 1994 (section 5, appendix A), without history.
pub fn paper() -> Vec<Position> {
    include_str!("positions.fen").lines().filter_map(|fen| Position::from_fen(fen).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sesame::position::{Color, Piece};

    /// The lesser sum of piece values, as the paper defines middle game and endgame.
    fn points(position: &Position) -> u32 {
        let value = |color, piece| position.colored(color, piece).len() * crate::alibaba::VALUES[piece as usize] as u32;
        let [one, other]: [u32; 2] =
            Color::ALL.map(|color| Piece::ALL.into_iter().map(|piece| value(color, piece)).sum());
        one.min(other)
    }

    #[test]
    fn paper_positions_are_eighteen_middle_game_positions() {
        let positions = paper();
        assert_eq!(positions.len(), TESTS);
        for (position, move_number) in positions.iter().zip(15..) {
            assert_eq!(position.fullmove_number(), move_number);
            assert!(points(position) >= 1800, "{position}");
        }
        assert_eq!(positions[13].halfmove_clock(), 8);
    }
}
