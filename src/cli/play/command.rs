//! Commands of a player.

use super::illegal_move::explain;
use crate::position::{Move, Position};

/// A command or a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PlayCommand {
    Nothing,
    Undo,
    Hint,
    Eval,
    Board,
    Moves,
    Fen,
    Pgn,
    Flip,
    Clock,
    Resign,
    Draw,
    /// Stop the engine's search and play its move.
    Now,
    /// The file, if there is one.
    Save(Option<String>),
    Help,
    Quit,
    /// Any other text, read as a move.
    Move(String),
}

pub(super) const HELP: &str = "\
Nf3, g1f3    a move
undo         take back your last move and the reply; after resign or a draw, only that
hint         Sesame's move for you
eval         Sesame's evaluation of the position
board        show the board; flip turns it round
moves        the moves so far; fen and pgn show the position and the game as text
clock        the clocks
draw?        offer a draw
resign       give up
save FILE    append the game to a PGN file
now          make Sesame move at once
quit         end";

impl PlayCommand {
    pub(super) fn read(line: &str) -> PlayCommand {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let command = match word.to_ascii_lowercase().as_str() {
            "" => PlayCommand::Nothing,
            "save" => return PlayCommand::Save((!rest.is_empty()).then(|| rest.to_owned())),
            "undo" | "takeback" | "u" => PlayCommand::Undo,
            "hint" => PlayCommand::Hint,
            "eval" => PlayCommand::Eval,
            "board" | "show" => PlayCommand::Board,
            "moves" => PlayCommand::Moves,
            "fen" => PlayCommand::Fen,
            "pgn" => PlayCommand::Pgn,
            "flip" => PlayCommand::Flip,
            "clock" => PlayCommand::Clock,
            "resign" => PlayCommand::Resign,
            "draw" | "draw?" => PlayCommand::Draw,
            "now" => PlayCommand::Now,
            "help" | "?" => PlayCommand::Help,
            "quit" | "exit" | "q" => PlayCommand::Quit,
            _ => PlayCommand::Move(line.to_owned()),
        };
        // Commands other than `save` have no arguments.
        if rest.is_empty() { command } else { PlayCommand::Move(line.to_owned()) }
    }
}

/// Parses a move in standard algebraic notation, also with a lower-case letter for the piece, in UCI notation, or
/// in long algebraic notation.
///
/// # Errors
/// The reason for the player.
pub(super) fn read_move(position: &Position, text: &str) -> Result<Move, String> {
    // Move numbers as in `12. Nf3` or `12...Nf6` are skipped.
    let digits_gone = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = if digits_gone.starts_with('.') { digits_gone.trim_start_matches('.').trim() } else { text };
    let capital: String = text.chars().take(1).flat_map(char::to_uppercase).chain(text.chars().skip(1)).collect();
    position.from_san(text).or_else(|_| {
        let lower = text.to_ascii_lowercase();
        let head: String = text.chars().take(text.chars().count().saturating_sub(1)).collect();
        let promotion: String = head.chars().chain(text.chars().last().map(|c| c.to_ascii_uppercase())).collect();
        let castling = text.to_ascii_uppercase();
        let read = [
            position.from_uci(&lower),
            position.from_san(&capital),
            position.from_san(&promotion),
            position.from_san(&castling),
            position.from_lan(text),
            position.from_lan(&capital),
        ];
        read.into_iter().find_map(Result::ok).ok_or_else(|| explain(position, text))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commands() {
        assert_eq!(PlayCommand::read("  UNDO "), PlayCommand::Undo);
        assert_eq!(PlayCommand::read("draw?"), PlayCommand::Draw);
        assert_eq!(PlayCommand::read("save my game.pgn "), PlayCommand::Save(Some("my game.pgn".into())));
        assert_eq!(PlayCommand::read("save"), PlayCommand::Save(None));
        assert_eq!(PlayCommand::read(""), PlayCommand::Nothing);
        assert_eq!(PlayCommand::read("e4"), PlayCommand::Move("e4".into()));
        assert_eq!(PlayCommand::read("undo it"), PlayCommand::Move("undo it".into()));
        // Every word of the help is a command.
        for line in HELP.lines().skip(1) {
            let word = line.split_whitespace().next().unwrap();
            assert!(!matches!(PlayCommand::read(word), PlayCommand::Move(_)), "{word}");
        }
    }

    #[test]
    fn moves_in_several_notations() {
        let position = Position::from_fen("r3k2r/8/8/2n5/8/1N3N2/1P5P/R3K2R w KQkq - 0 1").unwrap();
        let read = |text: &str| read_move(&position, text).map(|mv| position.to_uci(mv, false));
        for (text, uci) in [
            ("Nxc5", "b3c5"),
            ("nc5", "b3c5"),
            ("b3c5", "b3c5"),
            ("B3C5", "b3c5"),
            ("O-O", "e1g1"),
            ("0-0-0", "e1c1"),
            ("o-o", "e1g1"),
            ("e1g1", "e1g1"),
            ("e1h1", "e1g1"),
            ("12. Nfd4", "f3d4"),
            ("Nb3d4", "b3d4"),
            ("h4", "h2h4"),
            ("h2-h4", "h2h4"),
            ("nb3-d4", "b3d4"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(uci), "{text}");
        }
        let pawn = Position::from_fen("8/P6k/8/8/8/8/8/K7 w - - 0 1").unwrap();
        for text in ["a8=Q", "a8q", "a8=q", "a7a8q", "A7A8Q"] {
            assert_eq!(read_move(&pawn, text).map(|mv| mv.to_string()).as_deref(), Ok("a7a8q"), "{text}");
        }
        assert_eq!(read("Nd4").unwrap_err(), "Which one: Nbd4 or Nfd4?");
        assert_eq!(read("Nd5").unwrap_err(), "No knight can move to d5.");
    }

    proptest! {
        #[test]
        fn no_line_panics(line in ".{0,12}|[a-hNBRQKO0-9x=+#-]{1,6}") {
            if let PlayCommand::Move(text) = PlayCommand::read(&line) {
                let _ = read_move(&Position::startpos(), &text);
            }
        }
    }
}
