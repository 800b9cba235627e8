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

use super::CommandError;
use crate::uci::Output;
pub(super) use arguments::PlayArguments;

pub(super) fn run(arguments: &PlayArguments, output: &Output) -> Result<(), CommandError> {
    session::PlaySession::new(arguments, output)?.play()
}
