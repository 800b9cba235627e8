//! The test positions: the paper's 18, and a larger set from games of Sesame.

use sesame::position::Position;

/// White's positions from move 15 on in Kasparov-Short, Amsterdam 1994 (section 5, appendix A).
const PAPER: &str = include_str!("positions.epd");

/// Sixteen sequences of 14 positions from self-play games, by Sesame 0.1.0 with its hand-written evaluation. Middle games, as
/// in the paper, and endgames take turns.
const LARGER: &str = include_str!("larger.epd");

/// From the paper.
#[derive(Clone, Debug)]
pub struct TestPosition {
    pub number: u32,
    /// Without earlier moves.
    pub position: Position,
}

/// Of one player in one game.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// From 1.
    pub number: u32,
    /// With the plies played before each.
    pub positions: Vec<(u32, Position)>,
}

pub fn paper() -> Vec<TestPosition> {
    let positions = PAPER.lines().filter_map(parse);
    (1..).zip(positions).map(|(number, position)| TestPosition { number, position }).collect()
}

pub fn larger() -> Vec<Sequence> {
    let mut sequences: Vec<Sequence> = Vec::new();
    for line in LARGER.lines() {
        let id = operand(line, "id").trim_matches('"').split(' ');
        let numbers: Vec<u32> = id.filter_map(|word| word.parse().ok()).collect();
        let (Some(position), &[game, ply]) = (parse(line), &numbers[..]) else { continue };
        match sequences.last_mut() {
            Some(last) if last.number == game => last.positions.push((ply, position)),
            _ => sequences.push(Sequence { number: game, positions: vec![(ply, position)] }),
        }
    }
    sequences
}

/// Identifies the paper's positions in results files.
pub(crate) fn paper_hash() -> u64 {
    let fens: String = paper().iter().map(|test| format!("{}\n", test.position.fen(true))).collect();
    fnv1a(&format!("\n{fens}"))
}

pub(crate) fn larger_hash() -> u64 {
    fnv1a(LARGER)
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

    /// The greater and the lesser sum of piece values, as the paper defines middle game and endgame.
    fn points(position: &Position) -> (u32, u32) {
        let value = |color, piece| position.colored(color, piece).len() * crate::alibaba::VALUES[piece as usize] as u32;
        let [one, other]: [u32; 2] =
            Color::ALL.map(|color| Piece::ALL.into_iter().map(|piece| value(color, piece)).sum());
        (one.max(other), one.min(other))
    }

    #[test]
    fn paper_positions_are_eighteen_middle_game_positions() {
        let positions = paper();
        assert_eq!(positions.len(), 18);
        for (test, number) in positions.iter().zip(1..) {
            assert_eq!((test.number, test.position.fullmove_number()), (number, 14 + number as u16));
            assert!(points(&test.position).1 >= 1800, "{}", test.position);
        }
        assert_eq!(positions[13].position.halfmove_clock(), 8);
    }

    #[test]
    fn larger_set_alternates_middle_games_and_endgames() {
        let set = larger();
        assert_eq!(set.len(), 16);
        for (sequence, number) in set.iter().zip(1..) {
            assert_eq!((sequence.number, sequence.positions.len()), (number, 14));
            assert!(sequence.positions.windows(2).all(|pair| pair[0].0 + 2 == pair[1].0));
            for (_, position) in &sequence.positions {
                assert!(position.has_legal_move());
                assert_eq!(points(position).1 < 1800, number % 2 == 0, "{position}");
            }
        }
    }
}
