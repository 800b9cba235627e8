//! Manual pages and shell completions: `sesame man` and `sesame completions`.
//!
//! Both are generated from the definition of the arguments.

use std::fs;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use super::CommandError;
use super::arguments::{Arguments, CompletionsArguments, ManArguments};
use crate::uci::Output;

/// Writes a manual page for the program and each subcommand. Creates the folder if needed.
pub(super) fn write_pages(arguments: &ManArguments, output: &Output) -> Result<(), CommandError> {
    let folder = &arguments.out;
    let failed = |error| CommandError::Failed(format!("{}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(Arguments::command(), folder).map_err(failed)?;
    let pages = count_pages(folder).map_err(failed)?;
    output.line(&format!("{pages} pages in {}", folder.display()));
    Ok(())
}

fn count_pages(folder: &Path) -> std::io::Result<usize> {
    let mut pages = 0;
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        pages += usize::from(name.to_str().is_some_and(|name| name.starts_with("sesame") && name.ends_with(".1")));
    }
    Ok(pages)
}

/// Prints the completion script of a shell.
pub(super) fn print_completions(arguments: &CompletionsArguments, output: &Output) -> Result<(), CommandError> {
    output.line(completions(arguments.shell)?.trim_end());
    Ok(())
}

fn completions(shell: Shell) -> Result<String, CommandError> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "sesame", &mut text);
    String::from_utf8(text).map_err(CommandError::failed)
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn completions_have_every_subcommand() {
        for &shell in Shell::value_variants() {
            let text = completions(shell).unwrap();
            for command in Arguments::command().get_subcommands() {
                assert!(text.contains(command.get_name()), "{shell}: {}", command.get_name());
            }
            assert!(text.contains("lockstep"), "{shell}");
        }
    }
}
