//! `sesame-lab run` and `sesame-lab choices`.

use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, value_parser};

use sesame::uci::Output;
use sesame_lab::experiment::{self, Selection};
use sesame_lab::report::meta_path;
use sesame_lab::run::{self, RunOptions};
use sesame_lab::{results, validation};
use sesame_report::Shard;
use sesame_report::command::CommandError;
use sesame_table::Scheme;

/// Run the experiment of 1994: seven schemes, eight table sizes, 18 positions, 3 to 8 plies
///
/// Without options these are the paper's 11,088 searches and those without a table. Each search is written to
/// the results file as soon as it is done, so a run can be stopped at any time and continued with --resume.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The results file
    #[arg(long, default_value = "results.csv", value_name = "FILE")]
    output: PathBuf,
    /// Continue an existing results file: make only the missing searches
    #[arg(long)]
    resume: bool,
    /// Only these replacement schemes; "none" is the search without a table
    #[arg(long, value_delimiter = ',', value_parser = scheme, value_name = "SCHEMES")]
    schemes: Vec<SchemeOrNone>,
    /// Time-stamp the table between positions (yes), clear it (no), or both
    #[arg(long, value_enum, default_value_t = Stamping::Both)]
    stamping: Stamping,
    /// Only these table sizes in positions, such as 8K,1024K
    #[arg(long, value_delimiter = ',', value_parser = size, value_name = "SIZES")]
    sizes: Vec<usize>,
    /// Only these depths in plies, such as 3..5 [default: 3..7, and 8 at 16K, 64K, 256K, 1024K and without a
    /// table]
    #[arg(long, value_parser = depths, value_name = "DEPTHS")]
    depths: Option<RangeInclusive<u32>>,
    /// Search the test positions of an EPD file, with an empty line between games, instead of the paper's
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Number of searches at a time [default: one for each core]
    #[arg(long, value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Only part I of N of the searches, for a process or machine of its own; --merge joins the files of all
    /// parts
    #[arg(long, default_value_t = Shard::WHOLE, value_name = "I/N")]
    shard: Shard,
    /// Make no search: join the results files of all parts of a run into --output
    #[arg(
        long,
        num_args = 1..,
        value_name = "FILES",
        conflicts_with_all = ["resume", "schemes", "stamping", "sizes", "depths", "positions", "threads", "shard"]
    )]
    merge: Vec<PathBuf>,
}

/// Print ALIBABA's node counts under each alternative that the paper leaves open, as a Markdown table
#[derive(Debug, Args)]
pub(crate) struct ChoicesArguments {
    /// Depth of each search in plies
    #[arg(long, default_value_t = 6, value_parser = value_parser!(u32).range(3..=12), value_name = "PLIES")]
    depth: u32,
    /// Only the choices whose description contains one of these words; "experiment" selects the experiment's
    /// own
    #[arg(long, value_delimiter = ',', value_name = "WORDS")]
    only: Vec<String>,
}

/// A scheme, or none for the search without a table. A bare `Option` would make the argument optional for clap.
#[derive(Copy, Clone, Debug)]
struct SchemeOrNone(Option<Scheme>);

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Stamping {
    Yes,
    No,
    Both,
}

fn scheme(text: &str) -> Result<SchemeOrNone, String> {
    if text.eq_ignore_ascii_case(results::NO_TABLE) {
        return Ok(SchemeOrNone(None));
    }
    let scheme = text.parse::<Scheme>().map_err(|error| format!("{error}, and none"))?;
    Ok(SchemeOrNone(Some(scheme)))
}

/// Parses a number of positions; K stands for 1,024 and M for 1,048,576.
fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.trim() {
        text if text.ends_with(['K', 'k']) => (text.trim_end_matches(['K', 'k']), 1 << 10),
        text if text.ends_with(['M', 'm']) => (text.trim_end_matches(['M', 'm']), 1 << 20),
        text => (text, 1),
    };
    let number = digits.parse::<usize>().ok().and_then(|number| number.checked_mul(unit));
    // The table rounds odd numbers up; the results file would name another size.
    match number {
        Some(number) if number >= 2 && number % 2 == 0 => Ok(number),
        _ => Err("not an even number of positions such as 8K".to_owned()),
    }
}

/// Parses a depth or a range of depths.
fn depths(text: &str) -> Result<RangeInclusive<u32>, String> {
    const DEEPEST: u32 = 20;
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.trim_start_matches('=').trim().parse::<u32>().ok();
    match (number(first), number(last)) {
        (Some(first), Some(last)) if 1 <= first && first <= last && last <= DEEPEST => Ok(first..=last),
        _ => Err(format!("not a range of depths from 1 to {DEEPEST} such as 3..8")),
    }
}

/// Removes the record of an earlier run beside the results file, unless this run is refused because that
/// exists. Returns the path of the record.
fn remove_record(results: &Path, resume: bool) -> Result<PathBuf, CommandError> {
    let meta = meta_path(results);
    if resume || !results.exists() {
        match std::fs::remove_file(&meta) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(meta_failed(&meta)(error)),
            _ => {}
        }
    }
    Ok(meta)
}

fn meta_failed(meta: &Path) -> impl Fn(std::io::Error) -> CommandError {
    move |error| CommandError::Failed(format!("{}: {error}", meta.display()))
}

/// Runs the experiment and prints a summary, or joins the files of its parts.
pub(crate) fn run(arguments: &RunArguments, output: &Output) -> Result<(), CommandError> {
    if !arguments.merge.is_empty() {
        remove_record(&arguments.output, false)?;
        let observations = results::merge(&arguments.merge, &arguments.output).map_err(CommandError::failed)?;
        let (parts, file) = (arguments.merge.len(), arguments.output.display());
        output.line(&format!("{observations} observations of {parts} parts in {file}"));
        return Ok(());
    }
    let mut selection = Selection { depths: arguments.depths.clone(), ..Selection::default() };
    if !arguments.schemes.is_empty() {
        selection.schemes = arguments.schemes.iter().map(|choice| choice.0).collect();
    }
    if !arguments.sizes.is_empty() {
        selection.sizes = arguments.sizes.clone();
    }
    match arguments.stamping {
        Stamping::Yes => selection.stamping = vec![true],
        Stamping::No => selection.stamping = vec![false],
        Stamping::Both => {}
    }
    let positions = match &arguments.positions {
        Some(path) => experiment::read_positions(path).map_err(CommandError::failed)?,
        None => experiment::positions(),
    };
    let cores = sesame_report::parallel::cores();
    let options = RunOptions {
        selection,
        positions,
        output: arguments.output.clone(),
        shard: arguments.shard,
        resume: arguments.resume,
        threads: arguments.threads.map_or(cores, usize::from),
    };
    let meta = remove_record(&options.output, options.resume)?;
    let summary = run::run(&options).map_err(CommandError::failed)?;
    let seconds = summary.time.as_secs_f64();
    if summary.found == 0 {
        // The report quotes the duration, which a resumed run does not know. The number of observations ties
        // the record to this file.
        let (threads, made) = (options.threads, summary.observations);
        let text = format!("seconds={seconds:.1}\nthreads={threads}\nobservations={made}\n");
        std::fs::write(&meta, text).map_err(meta_failed(&meta))?;
    }
    output.line(&format!(
        "{} observations in {}, {} of them from an earlier run; {} nodes in {:.1} s, {:.1} million per second",
        summary.observations,
        options.output.display(),
        summary.found,
        summary.nodes,
        seconds,
        summary.nodes as f64 / seconds.max(1e-9) / 1e6,
    ));
    Ok(())
}

/// Prints the table of choices.
pub(crate) fn choices(arguments: &ChoicesArguments, output: &Output) -> Result<(), CommandError> {
    let positions = experiment::positions();
    let variants = validation::variants();
    let is_wanted = |name: &str| arguments.only.is_empty() || arguments.only.iter().any(|word| name.contains(word));
    if !variants.iter().any(|(name, _)| is_wanted(name)) {
        return Err(CommandError::Usage("no choice has one of these words in its description".to_owned()));
    }
    output.line(&validation::heading(arguments.depth));
    for (name, choices) in variants.into_iter().filter(|(name, _)| is_wanted(name)) {
        let sums = validation::measure(choices, &positions, arguments.depth).map_err(CommandError::failed)?;
        output.line(&validation::ChoiceRow { name, sums: &sums }.to_string());
        if output.is_closed() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A resumed run removes the record of the duration; a refused one keeps it.
    #[test]
    fn recorded_duration_belongs_to_one_whole_run() {
        let output = std::env::temp_dir().join(format!("sesame-lab-run-{}.csv", std::process::id()));
        let meta = meta_path(&output);
        let arguments = |resume, depths| RunArguments {
            output: output.clone(),
            resume,
            schemes: vec![SchemeOrNone(None)],
            stamping: Stamping::Both,
            sizes: Vec::new(),
            depths: Some(depths),
            positions: None,
            threads: Some(1),
            shard: Shard::WHOLE,
            merge: Vec::new(),
        };
        let run = |arguments| run(&arguments, &Output::new(std::io::sink()));
        let record = || std::fs::read_to_string(&meta).ok();
        std::fs::write(&meta, "seconds=1\nthreads=9\nobservations=18\n").unwrap();
        let first = run(arguments(false, 1..=1)).is_ok();
        let of_first = record();
        let again = run(arguments(false, 1..=1)).is_err();
        let of_refused = record();
        let resumed = run(arguments(true, 1..=2)).is_ok();
        let of_resumed = record();
        std::fs::remove_file(&output).unwrap();

        assert!(first && again && resumed);
        let of_first = of_first.unwrap();
        assert!(of_first.starts_with("seconds=") && of_first.ends_with("\nthreads=1\nobservations=18\n"), "{of_first}");
        assert_eq!(of_refused, Some(of_first));
        assert_eq!(of_resumed, None);
    }

    #[test]
    fn sizes_schemes_and_depths_are_parsed() {
        assert_eq!((size("8K"), size("1M"), size(" 64k"), size("100")), (Ok(8192), Ok(1 << 20), Ok(65_536), Ok(100)));
        for text in ["", "K", "0", "3", "-8K", "8KB", "99999999999999999999", "18446744073709551615K"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert_eq!((depths("3..8"), depths("5"), depths("3..=4")), (Ok(3..=8), Ok(5..=5), Ok(3..=4)));
        for text in ["", "..", "0..3", "8..3", "3..99", "x"] {
            assert!(depths(text).is_err(), "{text}");
        }
        assert!(scheme("none").is_ok_and(|choice| choice.0.is_none()));
        assert!(scheme("twobig1").is_ok_and(|choice| choice.0 == Some(Scheme::TwoBig1)));
        assert!(scheme("BIG2").is_err());
    }
}
