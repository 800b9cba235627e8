//! Commands of a player.

use crate::position::{Move, MoveError, Position};

/// A line that was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
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
    /// The engine is to move now.
    Now,
    /// The file, if it was named.
    Save(Option<String>),
    Help,
    Quit,
    /// Anything else: a move, if it is one.
    Move(String),
}

pub(super) const HELP: &str = "\
Nf3, g1f3    a move
undo         take back your last move, and the answer to it
hint         what Sesame would play
eval         what Sesame thinks of the position
board        show the board; flip turns it round
moves        the moves so far; fen and pgn show the position and the game as text
clock        the clocks
draw?        offer a draw
resign       give up
save FILE    save the game as PGN, behind the games that are there already
now          while Sesame thinks: let it move at once
quit         end";

impl Command {
    pub(super) fn read(line: &str) -> Command {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let command = match word.to_ascii_lowercase().as_str() {
            "" => Command::Nothing,
            "save" => return Command::Save((!rest.is_empty()).then(|| rest.to_owned())),
            "undo" | "takeback" | "u" => Command::Undo,
            "hint" => Command::Hint,
            "eval" => Command::Eval,
            "board" | "show" => Command::Board,
            "moves" => Command::Moves,
            "fen" => Command::Fen,
            "pgn" => Command::Pgn,
            "flip" => Command::Flip,
            "clock" => Command::Clock,
            "resign" => Command::Resign,
            "draw" | "draw?" => Command::Draw,
            "now" => Command::Now,
            "help" | "?" => Command::Help,
            "quit" | "exit" | "q" => Command::Quit,
            _ => Command::Move(line.to_owned()),
        };
        // A command with something behind it is none.
        if rest.is_empty() { command } else { Command::Move(line.to_owned()) }
    }
}

/// Reads a move as people type it: in standard algebraic notation, also with a small letter for the piece, or in UCI notation.
///
/// # Errors
/// A message that tells what is wrong with it.
pub(super) fn read_move(position: &Position, text: &str) -> Result<Move, String> {
    // A number before it, as in `12. Nf3` or `12...Nf6`, does no harm.
    let digits_gone = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = if digits_gone.starts_with('.') { digits_gone.trim_start_matches('.').trim() } else { text };
    let capital: String = text.chars().take(1).flat_map(char::to_uppercase).chain(text.chars().skip(1)).collect();
    let found = position.from_san(text).or_else(|error| {
        let lower = text.to_ascii_lowercase();
        let head: String = text.chars().take(text.chars().count().saturating_sub(1)).collect();
        let promotion: String = head.chars().chain(text.chars().last().map(|c| c.to_ascii_uppercase())).collect();
        let castling = text.to_ascii_uppercase();
        let read = [
            position.from_uci(&lower),
            position.from_san(&capital),
            position.from_san(&promotion),
            position.from_san(&castling),
        ];
        read.into_iter().find_map(Result::ok).ok_or(error)
    });
    found.map_err(|error| complaint(position, &capital, &error))
}

/// Several moves that may be meant are named.
fn complaint(position: &Position, text: &str, error: &MoveError) -> String {
    let plain: Vec<char> = text.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    let meant: Vec<String> = match plain.as_slice() {
        [piece @ ('N' | 'B' | 'R' | 'Q' | 'K'), .., file, rank] => {
            let to = format!("{file}{rank}");
            let fits = |mv: &Move| mv.to().to_string() == to && position.to_san(*mv).starts_with(*piece);
            position.legal_moves().iter().filter(|mv| fits(mv)).map(|&mv| position.to_san(mv)).collect()
        }
        _ => Vec::new(),
    };
    match meant.as_slice() {
        [_, .., _] => format!("Which one: {}?", meant.join(" or ")),
        _ => format!("{error}. Type help for what can be typed."),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commands() {
        assert_eq!(Command::read("  UNDO "), Command::Undo);
        assert_eq!(Command::read("draw?"), Command::Draw);
        assert_eq!(Command::read("save my game.pgn "), Command::Save(Some("my game.pgn".into())));
        assert_eq!(Command::read("save"), Command::Save(None));
        assert_eq!(Command::read(""), Command::Nothing);
        assert_eq!(Command::read("e4"), Command::Move("e4".into()));
        assert_eq!(Command::read("undo it"), Command::Move("undo it".into()));
        // Whatever the help names is understood.
        for line in HELP.lines().skip(1) {
            let word = line.split_whitespace().next().unwrap();
            assert!(!matches!(Command::read(word), Command::Move(_)), "{word}");
        }
    }

    #[test]
    fn moves_as_people_type_them() {
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
        ] {
            assert_eq!(read(text).as_deref(), Ok(uci), "{text}");
        }
        let pawn = Position::from_fen("8/P6k/8/8/8/8/8/K7 w - - 0 1").unwrap();
        for text in ["a8=Q", "a8q", "a8=q", "a7a8q", "A7A8Q"] {
            assert_eq!(read_move(&pawn, text).map(|mv| mv.to_string()).as_deref(), Ok("a7a8q"), "{text}");
        }
        assert_eq!(read("Nd4").unwrap_err(), "Which one: Nbd4 or Nfd4?");
        for text in ["Nd5", "e1e5", "hello", "Ke4", "\u{265A}", "h9"] {
            assert!(read(text).unwrap_err().contains("is not one legal move"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_line_panics(line in ".{0,12}|[a-hNBRQKO0-9x=+#-]{1,6}") {
            if let Command::Move(text) = Command::read(&line) {
                let _ = read_move(&Position::startpos(), &text);
            }
        }
    }
}
