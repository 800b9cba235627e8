//! Manual pages and shell completions, generated from the definition of the arguments: `sesame man` and
//! `sesame completions`.

use std::path::PathBuf;
use std::{fs, io};

use clap::{Args, Command};
use clap_complete::Shell;
use sesame_command::CommandError;

use crate::output::Output;

/// Write manual pages for the program and each subcommand
#[derive(Debug, Args)]
pub(super) struct ManArguments {
    /// Folder for the pages, created if needed
    #[arg(long, default_value = "man", value_name = "DIR")]
    pub(super) out: PathBuf,
}

/// Print a shell's completion script
///
/// Example: sesame completions bash > ~/.local/share/bash-completion/completions/sesame
#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub(super) shell: Shell,
}

pub(super) fn write_pages(program: Command, arguments: &ManArguments, output: &Output) -> Result<(), CommandError> {
    let folder = &arguments.out;
    let write = || -> io::Result<usize> {
        fs::create_dir_all(folder)?;
        clap_mangen::generate_to(program, folder)?;
        let names = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name()));
        let names = names.collect::<io::Result<Vec<_>>>()?;
        let is_page = |name: &str| name.starts_with("sesame") && name.ends_with(".1");
        Ok(names.iter().filter(|name| name.to_str().is_some_and(is_page)).count())
    };
    let pages = write().map_err(|error| CommandError::Failed(format!("{}: {error}", folder.display())))?;
    output.line(&format!("{pages} pages in {}", folder.display()));
    Ok(())
}

pub(super) fn print_completions(mut program: Command, arguments: &CompletionsArguments, output: &Output) {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, "sesame", &mut text);
    output.line(String::from_utf8_lossy(&text).trim_end());
}
