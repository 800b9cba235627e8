//! `sesame analyse`: a position explained, test positions solved, games annotated.

mod annotate;
mod files;
mod games;
mod graph;
mod judge;
mod position;
mod suites;

use super::Failure;
use super::arguments::{AnalyseArguments, Subject};

pub(super) fn run(arguments: &AnalyseArguments) -> Result<(), Failure> {
    match arguments.subject().map_err(Failure::Usage)? {
        Subject::Position(fen) => position::run(&fen, arguments),
        Subject::Suites(paths) => suites::run(&paths, arguments),
        Subject::Games(path) => games::run(&path, arguments),
    }
}
