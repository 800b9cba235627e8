//! The paper's 18 test positions.

use sesame::position::Position;

/// White's positions from move 15 on in Kasparov-Short, Amsterdam 1994 (section 5, appendix A).
const PAPER: &str = include_str!("positions.epd");

#[derive(Clone, Debug)]
pub struct TestPosition {
    pub number: u32,
    /// Without earlier moves.
    pub position: Position,
}

pub fn paper() -> Vec<TestPosition> {
    let positions = PAPER.lines().filter_map(parse);
    (1..).zip(positions).map(|(number, position)| TestPosition { number, position }).collect()
}

/// Identifies the paper's positions in results files.
pub(crate) fn paper_hash() -> u64 {
    let fens: String = paper().iter().map(|test| format!("{}\n", test.position.fen(true))).collect();
    fnv1a(&format!("\n{fens}"))
}

fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3))
}

/// With its clocks. `None` never comes of the committed files.
fn parse(line: &str) -> Option<Position> {
    let board: Vec<&str> = line.split_ascii_whitespace().take(4).collect();
    Position::from_fen(&format!("{} {} {}", board.join(" "), operand(line, "hmvc"), operand(line, "fmvn"))).ok()
}

fn operand<'a>(line: &'a str, operation: &str) -> &'a str {
    let rest = line.split_once(&format!(" {operation} ")).map_or("", |(_, rest)| rest);
    rest.split(';').next().unwrap_or("")
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
        assert_eq!(positions.len(), 18);
        for (test, number) in positions.iter().zip(1..) {
            assert_eq!((test.number, test.position.fullmove_number()), (number, 14 + number as u16));
            assert!(points(&test.position) >= 1800, "{}", test.position);
        }
        assert_eq!(positions[13].position.halfmove_clock(), 8);
    }
}
