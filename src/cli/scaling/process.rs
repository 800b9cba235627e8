//! Process of another UCI engine, driven over its pipes.
//!
//! A thread reads the engine's lines and notes the time of each; every wait has a time limit. Lines that are not
//! UCI are ignored, as the protocol demands. Nothing that an engine writes panics or blocks.

use std::io::{self, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{self as channel, Receiver, RecvTimeoutError};

use super::noise;
use super::trace::{CompletedDepth, SearchTrace};
use crate::position::Position;
use crate::uci::read_line;

/// Bytes of a line. The rest is dropped.
const MAX_LINE: usize = 1 << 18;

/// Lines. An engine that writes more has to wait.
const QUEUE: usize = 4096;
/// Time for an engine to end after `quit` or the end of its input.
const FAREWELL: Duration = Duration::from_secs(1);

/// The option that makes an engine read castling rights, and write castling moves, of Chess960.
pub(super) const CHESS960: &str = "UCI_Chess960";

#[derive(Debug, thiserror::Error)]
pub(super) enum ProcessError {
    #[error("cannot be started: {0}")]
    Start(#[source] io::Error),
    /// The awaited answer, the time limit and the last command.
    #[error("no {0} within {1:?} of {2:?}")]
    Silent(&'static str, Duration, String),
    /// The exit status and the last command. The process may only have closed its output.
    #[error("it ended ({0}) after {1:?}")]
    Ended(String, String),
    #[error("{0:?} cannot be sent: {1}")]
    Unsent(String, #[source] io::Error),
    #[error("{} is not a legal move in {fen}", if best.is_empty() { "no move".to_owned() } else { format!("{best:?}") })]
    Illegal { best: String, fen: String },
    #[error("it has no option {0}")]
    NoOption(String),
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct DeclaredOption {
    pub(super) name: String,
    pub(super) min: Option<i64>,
    pub(super) max: Option<i64>,
}

impl DeclaredOption {
    fn parse(rest: &str) -> Option<Self> {
        let mut option = Self::default();
        let mut part = "";
        for word in rest.split_whitespace() {
            match word {
                "name" if part.is_empty() => part = "name",
                "type" | "default" | "min" | "max" | "var" if !part.is_empty() => part = word,
                _ => match part {
                    "name" if option.name.is_empty() => option.name = word.to_owned(),
                    "name" => option.name.extend([" ", word]),
                    "min" => option.min = word.parse().ok(),
                    "max" => option.max = word.parse().ok(),
                    _ => {}
                },
            }
        }
        (!option.name.is_empty()).then_some(option)
    }
}

/// Parses the words after `info`. Returns the nodes, or 0, and the depth completed by an exact score and line of rank 1.
fn parse_info(rest: &str, position: &Position, elapsed: Duration) -> (u64, Option<CompletedDepth>) {
    let (mut depth, mut nodes, mut is_best, mut best) = (0, 0, true, None);
    let mut words = rest.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "string" => break,
            "depth" => depth = words.next().and_then(|word| word.parse().ok()).unwrap_or(0),
            "nodes" => nodes = words.next().and_then(|word| word.parse().ok()).unwrap_or(0),
            "multipv" => is_best &= words.next() == Some("1"),
            "lowerbound" | "upperbound" => is_best = false,
            "pv" => {
                best = words.next().and_then(|word| position.from_uci(word).ok());
                break;
            }
            _ => {}
        }
    }
    let best = best.filter(|_| is_best && depth > 0);
    (nodes, best.map(|best| CompletedDepth { depth, best, nodes, elapsed }))
}

/// Each call fails if the engine ends, or is silent for too long. Dropping it ends the process.
#[derive(Debug)]
pub(super) struct EngineProcess {
    child: Child,
    pub(super) id: u32,
    input: Option<ChildStdin>,
    lines: Receiver<(String, Instant)>,
    answer_limit: Duration,
    pub(super) name: Option<String>,
    options: Vec<DeclaredOption>,
    command: String,
}

impl EngineProcess {
    /// Answers other than `bestmove` may take `answer_limit`.
    pub(super) fn start(command: &mut Command, answer_limit: Duration) -> Result<Self, ProcessError> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(ProcessError::Start)?;
        let (sender, lines) = channel::bounded(QUEUE);
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (id, command) = (child.id(), String::new());
        let mut engine = Self { child, id, input, lines, answer_limit, name: None, options: Vec::new(), command };
        let output = output.ok_or_else(|| ProcessError::Start(io::ErrorKind::BrokenPipe.into()))?;
        let read = move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            while read_line(&mut output, &mut line, MAX_LINE).is_some() {
                let text = String::from_utf8_lossy(&line).trim().to_owned();
                if sender.send((text, Instant::now())).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("engine-reader".into()).spawn(read).map_err(ProcessError::Start)?;
        engine.send("uci")?;
        let start = Instant::now();
        loop {
            let (line, _) = engine.line("uciok", start, answer_limit)?;
            match line.split_once(char::is_whitespace) {
                Some(("id", rest)) => {
                    if let Some(name) = rest.trim_start().strip_prefix("name ") {
                        engine.name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
                    }
                }
                Some(("option", rest)) => engine.options.extend(DeclaredOption::parse(rest)),
                None if line == "uciok" => return Ok(engine),
                _ => {}
            }
        }
    }

    pub(super) fn option(&self, name: &str) -> Option<&DeclaredOption> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    pub(super) fn send(&mut self, command: &str) -> Result<(), ProcessError> {
        self.command = command.replace(['\n', '\r'], " ");
        let line = format!("{}\n", self.command);
        let sent = match &mut self.input {
            Some(input) => input.write_all(line.as_bytes()).and_then(|()| input.flush()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        match sent {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(self.ended()),
            Err(error) => Err(ProcessError::Unsent(self.command.clone(), error)),
        }
    }

    pub(super) fn set_option(&mut self, name: &str, value: &str) -> Result<(), ProcessError> {
        self.send(&format!("setoption name {name} value {value}"))
    }

    pub(super) fn wait_until_ready(&mut self) -> Result<(), ProcessError> {
        self.send("isready")?;
        let start = Instant::now();
        while self.line("readyok", start, self.answer_limit)?.0 != "readyok" {}
        Ok(())
    }

    pub(super) fn new_game(&mut self) -> Result<(), ProcessError> {
        self.send("ucinewgame")?;
        self.wait_until_ready()
    }

    pub(super) fn search(
        &mut self,
        position: &Position,
        go: &str,
        limit: Duration,
    ) -> Result<SearchTrace, ProcessError> {
        let fen = position.fen(position.is_chess960());
        let cpu_before = noise::cpu_time_of(self.id);
        self.send(&format!("position fen {fen}"))?;
        let start = Instant::now();
        self.send(go)?;
        let (mut steps, mut nodes) = (Vec::new(), 0);
        loop {
            let (text, at) = self.line("bestmove", start, limit)?;
            let elapsed = at.saturating_duration_since(start);
            let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((&text, ""));
            if word == "bestmove" {
                let cpu = noise::cpu_time_of(self.id);
                let cpu = cpu.zip(cpu_before).map(|(now, before)| now.saturating_sub(before));
                let best = rest.split_whitespace().next().unwrap_or_default();
                return match position.from_uci(best) {
                    Ok(best) => Ok(SearchTrace { steps, best: Some(best), nodes, elapsed, cpu }),
                    Err(_) => Err(ProcessError::Illegal { best: best.to_owned(), fen }),
                };
            }
            if word == "info" {
                let (counted, step) = parse_info(rest, position, elapsed);
                nodes = if counted > 0 { counted } else { nodes };
                steps.extend(step);
            }
        }
    }

    fn line(
        &mut self,
        answer: &'static str,
        start: Instant,
        limit: Duration,
    ) -> Result<(String, Instant), ProcessError> {
        let rest = limit.saturating_sub(start.elapsed());
        // An engine that writes without a pause must not outrun the limit.
        let received = if rest.is_zero() { Err(RecvTimeoutError::Timeout) } else { self.lines.recv_timeout(rest) };
        match received {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err(ProcessError::Silent(answer, limit, self.command.clone())),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    fn ended(&mut self) -> ProcessError {
        self.input = None;
        let status = self.wait(FAREWELL).unwrap_or_else(|| "it closed a pipe and runs on".to_owned());
        ProcessError::Ended(status, self.command.clone())
    }

    fn wait(&mut self, time: Duration) -> Option<String> {
        let start = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status.to_string()),
                Err(error) => return Some(error.to_string()),
                Ok(None) if start.elapsed() >= time => return None,
                Ok(None) => thread::sleep(Duration::from_millis(2)),
            }
        }
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        // The reader may wait for room in the queue, and the engine for the reader.
        self.lines = channel::never();
        let _ = self.send("quit");
        self.input = None;
        if self.wait(FAREWELL).is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

#[cfg(all(test, unix))]
pub(super) mod tests {
    use super::*;

    /// The watchdog of waits that succeed.
    const ANSWER_LIMIT: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(100);
    const LONG: Duration = Duration::from_secs(60);

    /// Returns the arguments of `sh` for an engine that runs shell commands for the lines it gets.
    pub(in super::super) fn script(cases: &str) -> [String; 2] {
        let script = format!("while read -r line; do case \"$line\" in {cases} quit) exit 0 ;; esac; done");
        ["-c".to_owned(), script]
    }

    fn engine(cases: &str, answer_limit: Duration) -> Result<EngineProcess, ProcessError> {
        EngineProcess::start(Command::new("sh").args(script(cases)), answer_limit)
    }

    const UCI: &str = "uci) echo uciok ;; isready) echo readyok ;;";

    fn go(engine: &mut EngineProcess, limit: Duration) -> Result<SearchTrace, ProcessError> {
        engine.search(&Position::startpos(), "go depth 2", limit)
    }

    #[test]
    fn declarations_are_parsed() {
        let parse = |text| DeclaredOption::parse(text).map(|DeclaredOption { name, min, max }| (name, min, max));
        assert_eq!(parse("name Use NNUE type check default true"), Some(("Use NNUE".to_owned(), None, None)));
        let threads = Some(("Threads".to_owned(), Some(1), Some(8)));
        assert_eq!(parse("name Threads type spin default 1 min 1 max 8"), threads);
        assert_eq!(parse("type spin min 1"), None);
    }

    #[test]
    fn silent_engines_are_given_up() {
        let error = engine("never) ;;", SHORT).unwrap_err();
        assert!(matches!(error, ProcessError::Silent("uciok", ..)), "{error}");
        let mut mute = engine(UCI.replace("isready", "never").as_str(), ANSWER_LIMIT).unwrap();
        mute.answer_limit = SHORT;
        assert!(matches!(mute.wait_until_ready(), Err(ProcessError::Silent("readyok", ..))));
        let error = go(&mut mute, SHORT).unwrap_err();
        assert_eq!(error.to_string(), "no bestmove within 100ms of \"go depth 2\"");
        // Endless output is no answer.
        let mut flood = engine(&format!("{UCI} go*) while :; do echo info depth 1; done ;;"), ANSWER_LIMIT).unwrap();
        assert!(matches!(go(&mut flood, SHORT), Err(ProcessError::Silent("bestmove", ..))));
    }

    #[test]
    fn ended_engines_are_reported() {
        let error = EngineProcess::start(&mut Command::new("/nonexistent/engine"), ANSWER_LIMIT).unwrap_err();
        assert!(matches!(error, ProcessError::Start(_)), "{error}");
        let error = engine("uci) exit 3 ;;", ANSWER_LIMIT).unwrap_err();
        assert!(error.to_string().contains("exit status: 3) after \"uci\""), "{error}");
        let mut dying = engine(&format!("{UCI} go*) echo info depth 1; kill -9 $$ ;;"), ANSWER_LIMIT).unwrap();
        let error = go(&mut dying, LONG).unwrap_err();
        assert!(error.to_string().contains("signal: 9"), "{error}");
        assert!(matches!(dying.send("isready"), Err(ProcessError::Ended(..))));
    }
}
