//! `sesame perft`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::Args;
use serde_json::json;
use sesame_command::CommandError;

use super::arguments::position;
use super::json;
use crate::eval::Network;
use crate::output::Output;
use crate::uci;

/// Count the leaves of the game tree, for each move and in total
#[derive(Debug, Args)]
#[command(override_usage = "sesame perft [OPTIONS] [POSITION] <DEPTH>")]
pub(super) struct PerftArguments {
    /// A FEN or startpos, also with moves [default: the start position], then the depth in plies
    #[arg(num_args = 0.., value_names = ["POSITION", "DEPTH"])]
    words: Vec<String>,
    /// Write castling as king takes rook, as with the UCI option UCI_Chess960
    #[arg(long = "king-takes-rook")]
    pub(super) chess960: bool,
    /// Write one JSON object on each line: the program and the schema, the moves, the sum
    #[arg(long)]
    json: bool,
}

impl PerftArguments {
    /// Returns an empty string for the start position.
    pub(super) fn position_and_depth(&self) -> Result<(String, u32), String> {
        const MAX_DEPTH: u32 = 64;
        let (depth, position) = self.words.split_last().ok_or("the depth is missing")?;
        match depth.parse() {
            Ok(number) if number <= MAX_DEPTH => Ok((position.join(" "), number)),
            _ => Err(format!("the depth must be a number up to {MAX_DEPTH}, not '{depth}'")),
        }
    }
}

pub(super) fn run(arguments: &PerftArguments, output: &Output) -> Result<(), CommandError> {
    let (words, depth) = arguments.position_and_depth().map_err(CommandError::Usage)?;
    let position = position(&words)?.game().position().clone();
    let stop = AtomicBool::new(false);
    let start = Instant::now();
    let write = json::line_writer(output, arguments.json, &Network::embedded());
    let sum = uci::divide(&position, depth, arguments.chess960, &stop, |text, leaves| {
        write(format!("{text}: {leaves}"), json!({"type": "move", "move": text, "leaves": leaves}));
        stop.store(output.is_closed(), Ordering::Relaxed);
    });
    if let Some(sum) = sum {
        let seconds = start.elapsed().as_secs_f64();
        let speed = sum as f64 / seconds.max(1e-9);
        let text = format!("\n{sum} leaves at depth {depth}, {seconds:.3} s, {:.1} million per second", speed / 1e6);
        let (fen, speed) = (position.fen(arguments.chess960), speed as u64);
        write(
            text,
            json!({"type": "result", "fen": fen, "depth": depth, "leaves": sum, "seconds": seconds, "leaves_per_second": speed}),
        );
    }
    Ok(())
}
