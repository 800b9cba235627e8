//! The validation set: games that are held out of training.

use sesame_command::CommandError;

/// One game in so many belongs to the validation set. Whole games, since positions of one game resemble each other.
const VALIDATION_INTERVAL: u64 = 20;

pub(crate) fn is_validation_game(number: u64) -> bool {
    number % VALIDATION_INTERVAL == VALIDATION_INTERVAL - 1
}

pub(crate) fn check_counts(training: usize, needed: usize, validation: usize) -> Result<(), CommandError> {
    if training < needed {
        return Err(CommandError::Failed(format!("{training} training positions; {needed} are needed")));
    }
    if validation == 0 {
        return Err(CommandError::Failed(format!(
            "no validation positions; a file needs {VALIDATION_INTERVAL} games or more, or one for validation a training position"
        )));
    }
    Ok(())
}
