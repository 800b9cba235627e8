//! Lines in standard algebraic notation, and scores in pawns.

use crate::engine::Score;
use crate::position::{Color, Move, Position};

/// Formats a line in standard algebraic notation with move numbers, as in `12... Nf6 13. Bg5`. It ends before
/// the first illegal move.
pub(super) fn line(root: &Position, moves: &[Move]) -> String {
    let mut position = root.clone();
    let mut text = String::new();
    for &mv in moves {
        if !position.is_legal(mv) {
            break;
        }
        let number = position.fullmove_number();
        match position.side_to_move() {
            Color::White if text.is_empty() => text += &format!("{number}. "),
            Color::White => text += &format!(" {number}. "),
            Color::Black if text.is_empty() => text += &format!("{number}... "),
            Color::Black => text.push(' '),
        }
        text += &position.to_san(mv);
        position.play(mv);
    }
    text
}

/// Formats a score from White's view: pawns, or `#N` for mate in N moves.
pub(super) fn score(score: Score, side_to_move: Color) -> String {
    let sign = if side_to_move == Color::White { 1 } else { -1 };
    match score {
        Score::Centipawns(0) => "0.00".to_owned(),
        Score::Centipawns(score) => format!("{:+.2}", f64::from(sign * score) / 100.0),
        Score::Mate(moves) => format!("#{}", sign * moves),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(root: &Position, moves: &[&str]) -> Vec<Move> {
        let mut position = root.clone();
        let mut line = Vec::new();
        for text in moves {
            let mv = position.from_uci(text).unwrap();
            position.play(mv);
            line.push(mv);
        }
        line
    }

    #[test]
    fn lines() {
        let root = Position::startpos();
        let moves = play(&root, &["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"]);
        assert_eq!(line(&root, &moves), "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#");
        let mut black = root.clone();
        black.play(moves.first().copied().unwrap());
        assert_eq!(line(&black, moves.get(1..4).unwrap()), "1... e5 2. Qh5 Nc6");
        assert_eq!(line(&root, &[]), "");
        assert_eq!(line(&black, &moves), "");
    }

    #[test]
    fn scores() {
        assert_eq!(score(Score::Centipawns(123), Color::White), "+1.23");
        assert_eq!(score(Score::Centipawns(123), Color::Black), "-1.23");
        assert_eq!(score(Score::Centipawns(0), Color::Black), "0.00");
        assert_eq!(score(Score::Mate(3), Color::White), "#3");
        assert_eq!(score(Score::Mate(3), Color::Black), "#-3");
        assert_eq!(score(Score::Mate(-2), Color::Black), "#2");
    }
}
