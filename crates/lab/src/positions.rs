//! The paper's 18 test positions.

use sesame::position::Position;

pub const TESTS: usize = 18;

/// White's positions from move 15 on in Kasparov-Short, Amsterdam 1994 (section 5, appendix A).
const PAPER: &str = include_str!("positions.epd");

/// Returns the positions in the order of their numbers, without earlier moves.
pub fn paper() -> Vec<Position> {
    PAPER.lines().filter_map(parse).collect()
}

/// Identifies the paper's positions in results files: FNV-1a of their FENs.
pub(crate) fn paper_hash() -> u64 {
    let fens: String = paper().iter().map(|position| format!("\n{}", position.fen(true))).collect();
    let fold = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    format!("{fens}\n").bytes().fold(0xCBF2_9CE4_8422_2325, fold)
}

fn parse(line: &str) -> Option<Position> {
    let board: Vec<&str> = line.split_ascii_whitespace().take(4).collect();
    Position::from_fen(&format!("{} {} {}", board.join(" "), operand(line, "hmvc")?, operand(line, "fmvn")?)).ok()
}

fn operand<'a>(line: &'a str, operation: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!(" {operation} "))?;
    rest.split(';').next()
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
