//! `sesame analyse`: analysis of a position, of test suites (EPD) or of games (PGN).

mod annotate;
mod arguments;
mod files;
mod games;
mod graph;
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
use interrupt::Interrupt;

pub(super) fn run(arguments: &AnalyseArguments, output: &Output) -> Result<(), CommandError> {
    let subject = arguments.subject()?;
    let interrupt = Interrupt::watch(output.clone())?;
    match subject {
        Subject::Position(fen) => position::run(&fen, arguments, output, &interrupt),
        Subject::Suites(paths) => suites::run(&paths, arguments, output, &interrupt),
        Subject::Games(paths) => games::run(&paths, arguments, output, &interrupt),
    }
}
