//! Moved subcommands: messages that name the program to run.

use std::ffi::OsString;

use clap::Args;

use super::CommandError;

/// The arguments of a moved subcommand.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(super) struct OtherProgram {
    /// Any words
    #[arg(num_args = 0.., trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

impl OtherProgram {
    /// Returns the message to run `command` with the same arguments.
    fn run_instead(&self, typed: &str, program: &str, command: &str) -> CommandError {
        let words = self.words.iter().map(|word| format!(" {}", word.to_string_lossy())).collect::<String>();
        let command = format!("{command}{words}");
        CommandError::Usage(format!(
            "`sesame {typed}` is the program {program} now; run `{command}`, or from the sources `cargo run --release \
             -p {program} --{}`",
            command.strip_prefix(program).unwrap_or_default()
        ))
    }
}

/// Returns the message for `sesame lab`.
pub(super) fn lab(words: &OtherProgram) -> CommandError {
    words.run_instead("lab", "sesame-lab", "sesame-lab")
}

/// Returns the message for `sesame datagen`, `data` and `train`.
pub(super) fn tuner(subcommand: &str, words: &OtherProgram) -> CommandError {
    words.run_instead(subcommand, "sesame-tuner", &format!("sesame-tuner {subcommand}"))
}

/// Returns the message for `sesame tune`, which has no successor.
pub(super) fn tune() -> CommandError {
    CommandError::Usage(
        "the hand-written evaluation is gone, and `sesame tune` with it; `sesame-tuner train` trains a network"
            .to_owned(),
    )
}

/// Returns the message for `man` and `completions` in a build without them.
#[cfg(not(feature = "manual"))]
pub(super) fn manual() -> CommandError {
    CommandError::usage("manual pages and completions are built by `cargo build --release --features manual`")
}
