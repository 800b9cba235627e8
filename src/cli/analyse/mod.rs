//! `sesame analyse`: analysis of a position, of test suites (EPD) or of games (PGN).

mod annotate;
mod files;
mod games;
mod graph;
mod judge;
mod position;
mod suites;

use super::CommandError;
use super::arguments::{AnalyseArguments, Subject};
use crate::uci::Output;

pub(super) fn run(arguments: &AnalyseArguments, output: &Output) -> Result<(), CommandError> {
    match arguments.subject().map_err(CommandError::Usage)? {
        Subject::Position(fen) => position::run(&fen, arguments, output),
        Subject::Suites(paths) => suites::run(&paths, arguments, output),
        Subject::Games(path) => games::run(&path, arguments, output),
    }
}
