//! Manual pages and shell completions, generated from the definition of the arguments: `sesame man` and
//! `sesame completions`.

use std::{fs, io};

use clap::CommandFactory;

use super::CommandError;
use super::arguments::{CompletionsArguments, ManArguments};
use super::subcommand::Cli;
use crate::uci::Output;

/// Creates the folder if needed.
pub(super) fn write_pages(arguments: &ManArguments, output: &Output) -> Result<(), CommandError> {
    let folder = &arguments.out;
    let write = || -> io::Result<usize> {
        fs::create_dir_all(folder)?;
        clap_mangen::generate_to(Cli::command(), folder)?;
        let names = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name()));
        let names = names.collect::<io::Result<Vec<_>>>()?;
        let is_page = |name: &str| name.starts_with("sesame") && name.ends_with(".1");
        Ok(names.iter().filter(|name| name.to_str().is_some_and(is_page)).count())
    };
    let pages = write().map_err(|error| CommandError::Failed(format!("{}: {error}", folder.display())))?;
    output.line(&format!("{pages} pages in {}", folder.display()));
    Ok(())
}

pub(super) fn print_completions(arguments: &CompletionsArguments, output: &Output) -> Result<(), CommandError> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "sesame", &mut text);
    output.line(String::from_utf8_lossy(&text).trim_end());
    Ok(())
}
