//! `sesame lab`: the laboratory's experiments.

use clap::{Subcommand, value_parser};

use super::Failure;
use super::lab_run::{self, ChoicesArguments, LabRunArguments};
use crate::lab::{check_bits, crowding};
use crate::uci::Output;

#[derive(Debug, Subcommand)]
pub(super) enum LabCommand {
    Run(LabRunArguments),
    Choices(ChoicesArguments),
    /// What the bits of the table's check are worth: type-1 errors on the bench's traffic, as a Markdown table
    CheckBits {
        /// Depth of each search in plies
        #[arg(long, default_value_t = 15, value_parser = value_parser!(u32).range(1..), value_name = "PLIES")]
        depth: u32,
        /// Size of the table in positions
        #[arg(long, default_value_t = 1 << 16, value_parser = value_parser!(u32).range(2..))]
        positions: u32,
    },
    /// What a crowded table costs, and three entries of 16 check bits beside two of 48: Markdown tables
    Crowding {
        /// Depth of each search in plies
        #[arg(long, default_value_t = 16, value_parser = value_parser!(u32).range(1..), value_name = "PLIES")]
        depth: u32,
        /// Searches at a time
        #[arg(long, default_value_t = 1)]
        jobs: usize,
    },
}

pub(super) fn run(command: &LabCommand) -> Result<(), Failure> {
    let output = Output::stdout();
    match command {
        LabCommand::Run(arguments) => lab_run::run(arguments)?,
        LabCommand::Choices(arguments) => lab_run::choices(arguments)?,
        &LabCommand::CheckBits { depth, positions } => {
            let positions = positions.try_into().map_err(Failure::failed)?;
            let findings = check_bits::measure(depth, positions, |finding| eprintln!("{} bits: done", finding.bits))
                .map_err(Failure::failed)?;
            output.line(&check_bits::table(&findings));
        }
        &LabCommand::Crowding { depth, jobs } => {
            let sizes: Vec<usize> = crowding::SIZES_KIB.into_iter().chain([crowding::AMPLE_KIB]).collect();
            let benches = crowding::measure(depth, &crowding::Design::ALL, &sizes, jobs, |bench| {
                eprintln!("{} with {} KiB: done", bench.design.name(), bench.kib);
            })
            .map_err(Failure::failed)?;
            output.line(&crowding::tables(&benches));
        }
    }
    Ok(())
}
