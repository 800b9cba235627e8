//! `sesame play`: a game of a human against the engine in the terminal.

mod arguments;
mod clock;
mod console;
#[cfg(unix)]
mod editor;
mod game;
mod lines;
mod moves;
mod pgn_files;
mod session;

use crate::output::Output;
pub(super) use arguments::PlayArguments;
use sesame_command::CommandError;

pub(super) fn run(arguments: &PlayArguments, output: &Output) -> Result<(), CommandError> {
    session::PlaySession::new(arguments, output)?.play()
}
