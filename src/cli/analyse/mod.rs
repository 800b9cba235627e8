//! `sesame analyse`: analysis of a position, of test suites (EPD) or of games (PGN).

mod accuracy;
mod annotate;
mod arguments;
mod game_writer;
mod games;
mod input;
mod output;
mod position;
mod report;
mod suites;

use crate::output::Output;
pub(super) use arguments::AnalyseArguments;
use arguments::Subject;
use sesame_command::CommandError;

pub(super) fn run(arguments: &AnalyseArguments, output: &Output) -> Result<(), CommandError> {
    match arguments.subject()? {
        Subject::Position(words) => position::run(&words, arguments, output),
        Subject::Suites(paths) => suites::run(&paths, arguments, output),
        Subject::Games(paths) => games::run(&paths, arguments, output),
    }
}
