//! `sesame play`: a game of a human against the engine in the terminal.

mod arguments;
mod clock;
mod command;
mod console;
#[cfg(unix)]
mod editor;
mod game_match;
mod illegal_move;
mod input;
mod pgn_files;
mod session;

use jiff::Zoned;

pub(super) use arguments::PlayArguments;
use game_match::Match;
use session::PlaySession;

use super::CommandError;
use crate::uci::Output;
use clock::ChessClock;

pub(super) fn run(arguments: &PlayArguments, output: &Output) -> Result<(), CommandError> {
    let start = arguments.start()?;
    let game_match = Match::new(start, arguments.side(), arguments.time.map(ChessClock::new));
    let date = Zoned::now().strftime("%Y.%m.%d").to_string();
    PlaySession::new(arguments, game_match, output, date)?.play()
}

/// Systems without a line editor.
#[cfg(not(unix))]
mod editor {
    use super::console::Console;

    pub(super) fn start(_prompt: String) -> std::io::Result<Option<Console>> {
        Ok(None)
    }
}
