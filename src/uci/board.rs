//! Text diagrams of the board, and perft.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::position::{Color, File, Game, Move, Piece, Position, Rank, Square};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Letters, as in a FEN.
    Ascii,
    Unicode,
}

/// Draws the board with White below: eleven lines, without a trailing line feed.
pub fn draw(position: &Position, style: Style) -> String {
    const EDGE: &str = "  +-----------------+\n";
    let mut text = EDGE.to_owned();
    for (rank, &name) in Rank::ALL.iter().zip(b"12345678").rev() {
        text.push(char::from(name));
        text.push_str(" |");
        for &file in &File::ALL {
            text.push(' ');
            let square = Square::new(file, *rank);
            let piece = position.piece_on(square).zip(position.color_on(square));
            text.push(piece.map_or('.', |(piece, color)| symbol(piece, color, style)));
        }
        text.push_str(" |\n");
    }
    text.push_str(EDGE);
    text.push_str("    a b c d e f g h");
    text
}

pub(crate) fn symbol(piece: Piece, color: Color, style: Style) -> char {
    let (letter, white, black) = match piece {
        Piece::Pawn => ('p', '♙', '♟'),
        Piece::Knight => ('n', '♘', '♞'),
        Piece::Bishop => ('b', '♗', '♝'),
        Piece::Rook => ('r', '♖', '♜'),
        Piece::Queen => ('q', '♕', '♛'),
        Piece::King => ('k', '♔', '♚'),
    };
    match (style, color) {
        (Style::Ascii, Color::White) => letter.to_ascii_uppercase(),
        (Style::Ascii, Color::Black) => letter,
        (Style::Unicode, Color::White) => white,
        (Style::Unicode, Color::Black) => black,
    }
}

/// Answers the command `d`: board, FEN, key, checking pieces, and the result of a finished game.
pub(super) fn describe(game: &Game, chess960: bool) -> String {
    let position = game.position();
    let checkers: Vec<String> = position.checkers().into_iter().map(|square| square.to_string()).collect();
    let checkers = if checkers.is_empty() { "-".to_owned() } else { checkers.join(" ") };
    let (board, fen, key) = (draw(position, Style::Ascii), position.fen(chess960), position.key());
    let result = game.outcome().map(|outcome| format!("\nResult: {outcome:?}")).unwrap_or_default();
    format!("{board}\n\nFen: {fen}\nKey: {key:016X}\nCheckers: {checkers}{result}")
}

/// Subtrees of this depth are counted without a look at the stop flag, in a fraction of a second.
const UNINTERRUPTED: u32 = 4;

/// Counts leaves (perft, <https://www.chessprogramming.org/Perft>): `each` receives each legal move's UCI text and leaves, sorted by
/// the text. With `chess960`, castling is written as king takes rook. Returns the sum, or `None` if `stop` was set before the
/// end. Depth 0 has one leaf and no moves.
pub fn divide(
    position: &Position,
    depth: u32,
    chess960: bool,
    stop: &AtomicBool,
    mut each: impl FnMut(&str, u64),
) -> Option<u64> {
    fn ignore(_: &str, _: u64) {}
    if depth == 0 {
        return Some(1);
    }
    let legal = position.legal_moves();
    let mut moves: Vec<(String, Move)> = legal.iter().map(|&mv| (position.to_uci(mv, chess960), mv)).collect();
    moves.sort();
    let mut sum: u64 = 0;
    for (text, mv) in moves {
        let mut child = position.clone();
        child.play(mv);
        let leaves = match depth - 1 {
            _ if stop.load(Ordering::Relaxed) => return None,
            left @ ..=UNINTERRUPTED => child.perft(left),
            left => divide(&child, left, chess960, stop, ignore)?,
        };
        each(&text, leaves);
        sum = sum.saturating_add(leaves);
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagrams_have_both_styles() {
        let position = Position::startpos();
        let ascii = draw(&position, Style::Ascii);
        assert_eq!(ascii.lines().count(), 11);
        assert_eq!(ascii.lines().nth(1), Some("8 | r n b q k b n r |"));
        assert_eq!(ascii.lines().nth(4), Some("5 | . . . . . . . . |"));
        assert_eq!(ascii.lines().nth(8), Some("1 | R N B Q K B N R |"));
        let unicode = draw(&position, Style::Unicode);
        assert_eq!(unicode.lines().nth(1), Some("8 | ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜ |"));
        assert_eq!(unicode.lines().nth(8), Some("1 | ♖ ♘ ♗ ♕ ♔ ♗ ♘ ♖ |"));
    }

    #[test]
    fn description_names_check_and_result() {
        let fen = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
        let text = describe(&Game::new(Position::from_fen(fen).unwrap()), false);
        assert!(text.contains(&format!("Fen: {fen}")));
        assert!(text.contains("Checkers: h4"));
        assert!(text.ends_with("Result: Checkmate"));
    }

    #[test]
    fn sums_are_perfts() {
        let position = Position::startpos();
        let stop = AtomicBool::new(false);
        for (depth, leaves) in [(0, 1), (1, 20), (4, 197_281), (5, 4_865_609)] {
            let mut sum = 0;
            let total = divide(&position, depth, false, &stop, |_, leaves| sum += leaves);
            assert_eq!(total, Some(leaves));
            assert_eq!(sum, if depth == 0 { 0 } else { leaves });
        }
        let pawn = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        assert_eq!(divide(&pawn, 7, false, &stop, |_, _| {}), Some(pawn.perft(7)));
    }

    #[test]
    fn moves_are_sorted_and_stoppable() {
        let mut moves = Vec::new();
        divide(&Position::startpos(), 1, false, &AtomicBool::new(false), |text, _| moves.push(text.to_owned()));
        assert!(moves.is_sorted());
        assert_eq!(moves.len(), 20);
        assert_eq!(divide(&Position::startpos(), 30, false, &AtomicBool::new(true), |_, _| {}), None);
    }
}
