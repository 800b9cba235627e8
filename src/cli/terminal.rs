//! The terminal: colours, board diagrams, the status line of a search.

use std::env;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use crate::position::{Color, File, Move, Position, Rank, Square};
use crate::uci::{Style, symbol};
use sesame_command::{ProgressBar, status_line};

#[derive(Debug, Args)]
pub(super) struct BoardArguments {
    /// When to use colours
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Colours,
    /// Draw a coloured board with letters instead of figurines
    #[arg(long)]
    ascii: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Colours {
    /// On a terminal, unless the variable NO_COLOR is set or the terminal is dumb
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Colours {
    /// `NO_COLOR` has the meaning of <https://no-color.org>.
    fn are_used(self) -> bool {
        let set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
        match self {
            Colours::Always => true,
            Colours::Never => false,
            Colours::Auto => io::stdout().is_terminal() && !set("NO_COLOR") && !is_dumb_terminal(),
        }
    }
}

/// Emacs and Acme have terminals that cannot move the cursor.
fn is_dumb_terminal() -> bool {
    env::var_os("TERM").is_some_and(|term| term == "dumb")
}

fn is_utf8_locale() -> bool {
    let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default().to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BoardStyle {
    style: Style,
    coloured: bool,
    pub(super) below: Color,
}

/// Backgrounds in the 256-colour palette: light and dark squares, the last move's, a king in check. All pieces are readable.
const SQUARES: [u8; 2] = [103, 60];
const MOVED: [u8; 2] = [101, 58];
const CHECK: u8 = 124;

impl BoardStyle {
    /// Without colours, letters tell the sides apart on a light and on a dark background.
    pub(super) fn new(arguments: &BoardArguments, below: Color) -> BoardStyle {
        let coloured = arguments.color.are_used();
        let style = if coloured && !arguments.ascii && is_utf8_locale() { Style::Unicode } else { Style::Ascii };
        BoardStyle { style, coloured, below }
    }

    /// Nine lines with colours, eleven with a frame of characters; no trailing line feed.
    pub(super) fn draw(self, position: &Position, last: Option<Move>) -> String {
        const EDGE: &str = "  +-----------------+\n";
        let (mut ranks, mut files) = (Rank::ALL, File::ALL);
        match self.below {
            Color::White => ranks.reverse(),
            Color::Black => files.reverse(),
        }
        let mut text = if self.coloured { String::new() } else { EDGE.to_owned() };
        for rank in ranks {
            let squares = files.iter().map(|&file| self.square(position, Square::new(file, rank), last));
            let squares: String = squares.collect();
            text += &match self.coloured {
                true => format!(" {rank} {squares}\x1b[0m\n"),
                false => format!("{rank} |{squares} |\n"),
            };
        }
        let (edge, gap) = if self.coloured { ("", "  ") } else { (EDGE, " ") };
        text + edge + "    " + &files.map(|file| file.to_string()).join(gap)
    }

    fn square(self, position: &Position, square: Square, last: Option<Move>) -> String {
        let piece = position.piece_on(square).zip(position.color_on(square));
        if !self.coloured {
            return format!(" {}", piece.map_or('.', |(piece, color)| symbol(piece, color, self.style)));
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
        // The symbols differ, too: a pasted board has no colours.
        let symbol = piece.map_or(' ', |(piece, color)| symbol(piece, color, self.style));
        let ink = if piece.is_some_and(|(_, color)| color == Color::Black) { 16 } else { 231 };
        format!("\x1b[48;5;{ground};38;5;{ink};1m {symbol} ")
    }
}

pub(super) struct SearchStatus {
    start: Instant,
    time: Option<Duration>,
    pub(super) depth: u32,
    line: Option<ProgressBar>,
}

impl SearchStatus {
    pub(super) fn new(time: Option<Duration>) -> SearchStatus {
        SearchStatus { start: Instant::now(), time, depth: 0, line: None }
    }

    pub(super) fn show(&mut self) {
        let elapsed = self.start.elapsed().as_secs_f64();
        let of = self.time.map_or_else(String::new, |time| format!(" of {:.1}", time.as_secs_f64()));
        let line = self.line.get_or_insert_with(status_line);
        line.set_message(format!("depth {} done, {elapsed:.1}{of} s", self.depth));
    }

    pub(super) fn clear(&mut self) {
        self.line = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_board_equals_uci_board() {
        let position = Position::startpos();
        for style in [Style::Ascii, Style::Unicode] {
            let board = BoardStyle { style, coloured: false, below: Color::White };
            assert_eq!(board.draw(&position, None), crate::uci::draw(&position, style));
        }
        let flipped = BoardStyle { style: Style::Ascii, coloured: false, below: Color::Black }.draw(&position, None);
        assert_eq!(flipped.lines().nth(1), Some("1 | R N B K Q B N R |"));
        assert_eq!(flipped.lines().last(), Some("    h g f e d c b a"));
    }

    #[test]
    fn coloured_board_has_a_background_on_every_square() {
        let position = Position::from_fen("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3").unwrap();
        let last = Move::new(Square::D8, Square::H4, None);
        let style = BoardStyle { style: Style::Unicode, coloured: true, below: Color::White };
        let board = style.draw(&position, Some(last));
        assert_eq!(board.lines().count(), 9);
        assert!(board.lines().take(8).all(|line| line.ends_with("\x1b[0m") && line.matches("\x1b[48;5;").count() == 8));
        let count = |ground: u8| board.matches(&format!("48;5;{ground};")).count();
        assert_eq!((count(CHECK), MOVED.map(count).iter().sum::<usize>()), (1, 2));
        // a1 is dark, h1 light.
        assert!(board.lines().nth(7).unwrap().starts_with(" 1 \x1b[48;5;60;38;5;231;1m ♖ "));
    }
}
