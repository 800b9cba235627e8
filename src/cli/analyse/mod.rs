//! `sesame analyse`: analysis of a position, of test suites (EPD) or of games (PGN).

mod annotate;
mod arguments;
mod files;
mod games;
mod graph;
mod inputs;
mod interrupt;
mod json;
mod judge;
mod position;
mod report;
mod results;
mod source;
mod suites;
mod variation;

use super::CommandError;
use crate::uci::Output;
pub(super) use arguments::AnalyseArguments;
use arguments::Subject;

pub(super) fn run(arguments: &AnalyseArguments, output: &Output) -> Result<(), CommandError> {
    match arguments.subject()? {
        Subject::Position(fen) => position::run(&fen, arguments, output),
        Subject::Suites(paths) => suites::run(&paths, arguments, output),
        Subject::Games(paths) => games::run(&paths, arguments, output),
    }
}
