//! State that commands and options act on: the engine, the position, the output, and the task beside the engine loop.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use crossbeam_channel::Sender;

use super::background::{self, BackgroundTask, TaskKind};
use super::sink::UciSink;
use crate::engine::bench::BenchOptions;
use crate::engine::{Engine, EngineError, Options, Sink, build_info};
use crate::output::Output;
use crate::position::{Color, Game, Position};

pub(super) const DEFAULT_HASH_FILE: &str = "sesame.hash";
pub(super) const DEFAULT_ELO: u32 = 2000;
/// No limit, as in Stockfish.
pub(super) const FULL_SKILL: u32 = 20;

pub(super) struct Strength {
    pub(super) limited: bool,
    pub(super) elo: u32,
    /// Without `limited`. The levels below [`FULL_SKILL`] divide the range of Elo evenly.
    pub(super) skill: u32,
    /// 0 for none.
    pub(super) seed: u64,
    /// Analysis is at full strength.
    pub(super) analysing: bool,
}

impl Default for Strength {
    fn default() -> Self {
        Self { limited: false, elo: DEFAULT_ELO, skill: FULL_SKILL, seed: 0, analysing: false }
    }
}

pub(super) struct Session {
    pub(super) output: Output,
    pub(super) sink: Arc<UciSink>,
    pub(super) engine: Engine,
    pub(super) strength: Strength,
    pub(super) game: Game,
    pub(super) task: Option<BackgroundTask>,
    pub(super) hash_file: String,
}

impl Session {
    /// `wake` gets a message at the end of each search.
    pub(super) fn new(
        output: Output,
        wake: Sender<()>,
        engine: fn(Options, Arc<dyn Sink>) -> Result<Engine, EngineError>,
    ) -> Result<Self, EngineError> {
        let sink = Arc::new(UciSink::new(output.clone(), wake));
        Ok(Session {
            engine: engine(Options::default(), Arc::clone(&sink) as _)?,
            output,
            sink,
            strength: Strength::default(),
            game: Game::new(Position::startpos()),
            task: None,
            hash_file: DEFAULT_HASH_FILE.to_owned(),
        })
    }

    pub(super) fn show_build(&self) {
        self.output.line(&build_info::description(&self.engine.options().network));
    }

    /// Replaces no file.
    pub(super) fn export_network(&self, file: &str) {
        let bytes = self.engine.options().network.to_bytes();
        let written = File::create_new(file).and_then(|mut new| {
            // Half a network is of no use.
            new.write_all(&bytes).inspect_err(|_| drop(fs::remove_file(file)))
        });
        self.output.info(&match written {
            Ok(()) => format!("network written to {file}"),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                format!("network not written to {file}: the file exists already: name another with export_net FILE")
            }
            Err(error) => format!("network not written to {file}: {error}"),
        });
    }

    pub(super) fn show_evaluation(&self) {
        let position = self.game.position();
        if position.in_check() {
            return self.output.line("Evaluation: none, the side to move is in check");
        }
        let network = &self.engine.options().network;
        let value = f64::from(network.evaluate(position)) / 100.0;
        let value = if position.side_to_move() == Color::White { value } else { -value };
        self.output.line(&format!("Evaluation: {value:+.2} pawns for White ({network})"));
    }

    pub(super) fn perft(&mut self, depth: u32) {
        let position = self.game.position().clone();
        self.start_task(background::perft(position, self.sink.chess960(), self.output.clone(), depth));
    }

    pub(super) fn bench(&mut self, options: BenchOptions) {
        let options = BenchOptions { network: Arc::clone(&self.engine.options().network), ..options };
        self.start_task(background::bench(options, self.output.clone()));
    }

    /// Later commands wait. `stop` ends it, and `quit` waits until the file is complete.
    pub(super) fn save_hash(&mut self) {
        self.transfer_hash(TaskKind::SaveHash);
    }

    /// Later commands wait. `stop` and `quit` end it.
    pub(super) fn load_hash(&mut self) {
        self.transfer_hash(TaskKind::LoadHash);
    }

    fn transfer_hash(&mut self, kind: TaskKind) {
        if self.hash_file.is_empty() {
            return self.output.info("no file to save the table to or load it from: set `Hash File`");
        }
        let (hash, path) = (self.engine.hash_file(), PathBuf::from(&self.hash_file));
        self.start_task(background::transfer_hash(kind, hash, path, self.output.clone()));
    }

    fn start_task(&mut self, started: io::Result<BackgroundTask>) {
        match started {
            Ok(task) => self.task = Some(task),
            Err(error) => self.output.info(&format!("cannot start a thread: {error}")),
        }
    }
}
