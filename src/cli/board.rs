//! Board diagrams for the terminal, with colours or without.

use crate::position::{Color, File, Move, Piece, Position, Rank, Square};
use crate::uci::{Style, symbol};

/// The style of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BoardStyle {
    pub(super) style: Style,
    pub(super) coloured: bool,
    /// The side at the bottom.
    pub(super) below: Color,
}

/// Background colours in the 256-colour palette: light and dark squares, the same for the squares of the last
/// move, and the square of a king in check. White and black pieces are readable on all of them.
const SQUARES: [u8; 2] = [103, 60];
const MOVED: [u8; 2] = [101, 58];
const CHECK: u8 = 124;

/// Draws the board: nine lines with colours, eleven with a frame of characters; no trailing line feed.
pub(super) fn draw(position: &Position, last: Option<Move>, board_style: BoardStyle) -> String {
    let (mut ranks, mut files) = (Rank::ALL, File::ALL);
    match board_style.below {
        Color::White => ranks.reverse(),
        Color::Black => files.reverse(),
    }
    let mut lines = Vec::new();
    for rank in ranks {
        let squares: String =
            files.iter().map(|&file| square(position, Square::new(file, rank), last, board_style)).collect();
        lines.push(match board_style.coloured {
            true => format!(" {rank} {squares}\x1b[0m"),
            false => format!("{rank} |{squares} |"),
        });
    }
    let gap = if board_style.coloured { "  " } else { " " };
    let names: Vec<String> = files.iter().map(|file| file.to_string()).collect();
    let names = format!("    {}", names.join(gap));
    if !board_style.coloured {
        const EDGE: &str = "  +-----------------+";
        lines.insert(0, EDGE.to_owned());
        lines.push(EDGE.to_owned());
    }
    lines.push(names);
    lines.join("\n")
}

fn square(position: &Position, square: Square, last: Option<Move>, board_style: BoardStyle) -> String {
    if !board_style.coloured {
        return format!(" {}", symbol(position, square, board_style.style));
    }
    let is_dark = (square.file() as u8 + square.rank() as u8).is_multiple_of(2);
    let in_check = position.in_check() && square == position.king(position.side_to_move());
    let moved = last.is_some_and(|mv| mv.from() == square || mv.to() == square);
    let [light, dark] = if moved { MOVED } else { SQUARES };
    let ground = match (in_check, is_dark) {
        (true, _) => CHECK,
        (false, true) => dark,
        (false, false) => light,
    };
    let (ink, piece) = match (position.color_on(square), position.piece_on(square)) {
        (Some(Color::White), Some(piece)) => (231, solid(piece, board_style.style)),
        (Some(Color::Black), Some(piece)) => (16, solid(piece, board_style.style)),
        _ => (231, ' '),
    };
    format!("\x1b[48;5;{ground};38;5;{ink};1m {piece} ")
}

/// Returns the symbol of a piece. With colours, the filled figurines stand for both sides.
fn solid(piece: Piece, style: Style) -> char {
    match (style, piece) {
        (Style::Unicode, Piece::Pawn) => '♟',
        (Style::Unicode, Piece::Knight) => '♞',
        (Style::Unicode, Piece::Bishop) => '♝',
        (Style::Unicode, Piece::Rook) => '♜',
        (Style::Unicode, Piece::Queen) => '♛',
        (Style::Unicode, Piece::King) => '♚',
        (Style::Ascii, piece) => char::from(piece).to_ascii_uppercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_board_equals_uci_board() {
        let position = Position::startpos();
        for style in [Style::Ascii, Style::Unicode] {
            let board_style = BoardStyle { style, coloured: false, below: Color::White };
            assert_eq!(draw(&position, None, board_style), crate::uci::draw(&position, style));
        }
        let flipped = draw(&position, None, BoardStyle { style: Style::Ascii, coloured: false, below: Color::Black });
        assert_eq!(flipped.lines().nth(1), Some("1 | R N B K Q B N R |"));
        assert_eq!(flipped.lines().last(), Some("    h g f e d c b a"));
    }

    #[test]
    fn coloured_board_has_a_background_on_every_square() {
        let position = Position::from_fen("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3").unwrap();
        let last = Move::new(Square::D8, Square::H4, None);
        let board =
            draw(&position, Some(last), BoardStyle { style: Style::Unicode, coloured: true, below: Color::White });
        assert_eq!(board.lines().count(), 9);
        assert!(board.lines().take(8).all(|line| line.ends_with("\x1b[0m") && line.matches("\x1b[48;5;").count() == 8));
        assert_eq!(board.matches(&format!("48;5;{CHECK};")).count(), 1, "the king in check");
        let moved = MOVED.iter().map(|ground| board.matches(&format!("48;5;{ground};")).count()).sum::<usize>();
        assert_eq!(moved, 2);
        // a1 is dark, h1 light.
        assert!(board.lines().nth(7).unwrap().starts_with(" 1 \x1b[48;5;60;38;5;231;1m ♜ "));
    }
}
