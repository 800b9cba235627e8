//! Manual pages and shell completions, generated from the definition of the arguments: `sesame man` and
//! `sesame completions`.

use std::io;
use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use sesame_command::CommandError;
use sesame_command::files::{self, Replaces};

use crate::output::Output;

/// Print the program's manual page, or write the pages of the program and of each subcommand to a folder
///
/// Example: sesame man > sesame.1
#[derive(Debug, Args)]
pub(super) struct ManArguments {
    /// Write all pages to this folder, created if needed [default: print the program's page]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
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
    // Pages have the program's name, and say nothing of its build.
    let version = env!("CARGO_PKG_VERSION");
    let mut program =
        program.display_name("sesame").version(version).long_version(version).disable_help_subcommand(true);
    program.build();
    let mut pages = Vec::new();
    render(&program, &mut pages).map_err(CommandError::failed)?;
    let Some(folder) = &arguments.out else {
        // The page of a command follows those of its subcommands.
        let page = pages.pop().map(|(_, text)| text).unwrap_or_default();
        output.line(String::from_utf8_lossy(&page).trim_end());
        return Ok(());
    };
    let count = pages.len();
    files::replace_all(folder, pages, Replaces::Marked(b".TH sesame"), |_| ())?;
    output.line(&files::printable(&format!("{count} pages in {}", folder.display())));
    Ok(())
}

/// Adds the name and the text of the page of each command.
fn render(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        render(subcommand, pages)?;
    }
    let (page, mut text) = (Man::new(command.clone()), Vec::new());
    page.render(&mut text)?;
    pages.push((page.get_filename(), text));
    Ok(())
}

pub(super) fn print_completions(mut program: Command, arguments: &CompletionsArguments, output: &Output) {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, "sesame", &mut text);
    output.line(String::from_utf8_lossy(&text).trim_end());
}
