//! Subcommands that are programs of their own.

use std::ffi::OsString;

use clap::Args;

use super::CommandError;

/// The words behind the name of another program's subcommand.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(super) struct OtherProgram {
    /// Any words
    #[arg(num_args = 0.., trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

impl OtherProgram {
    /// Returns the message that names `command` as the one to run, with the same words.
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

/// `sesame lab ...` is `sesame-lab ...`.
pub(super) fn lab(words: &OtherProgram) -> CommandError {
    words.run_instead("lab", "sesame-lab", "sesame-lab")
}

/// `sesame datagen|data|train ...` is `sesame-tuner datagen|data|train ...`.
pub(super) fn tuner(subcommand: &str, words: &OtherProgram) -> CommandError {
    words.run_instead(subcommand, "sesame-tuner", &format!("sesame-tuner {subcommand}"))
}

/// `sesame tune` fitted the hand-written evaluation, which is gone.
pub(super) fn tune() -> CommandError {
    CommandError::Usage(
        "the hand-written evaluation is gone, and `sesame tune` with it; `sesame-tuner train` trains a network"
            .to_owned(),
    )
}

/// `man` and `completions` belong to releases.
#[cfg(not(feature = "manual"))]
pub(super) fn manual() -> CommandError {
    CommandError::usage("manual pages and completions are built by `cargo build --release --features manual`")
}
