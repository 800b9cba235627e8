//! UCI client: drives another engine as a process over its pipes.
//!
//! A thread reads the engine's lines and notes the time of each; every wait has a time limit. Lines that are not
//! UCI are ignored, as the protocol demands. Nothing that an engine writes panics or blocks.

use std::io::{self, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{self as channel, Receiver, RecvTimeoutError};

use super::reader::read_line;

/// In lines. An engine that writes more has to wait.
const QUEUE: usize = 4096;
/// For an engine to end after `quit` or the end of its input.
const FAREWELL: Duration = Duration::from_secs(1);

#[derive(Debug, thiserror::Error)]
pub enum ClientError {
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
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DeclaredOption {
    pub name: String,
    /// Such as `spin`.
    pub kind: String,
    pub min: Option<i64>,
    pub max: Option<i64>,
}

impl DeclaredOption {
    /// Starts after the word `option`; `None` without a name.
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
                    "type" => option.kind = word.to_owned(),
                    "min" => option.min = word.parse().ok(),
                    "max" => option.max = word.parse().ok(),
                    _ => {}
                },
            }
        }
        (!option.name.is_empty()).then_some(option)
    }
}

/// Has a depth and a line of play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchInfo {
    /// In plies.
    pub depth: u32,
    /// 1 for the best line.
    pub rank: u32,
    /// False for a bound.
    pub is_exact: bool,
    /// 0 if the line has none.
    pub nodes: u64,
    pub best: String,
    /// Since `go`, by this process's clock.
    pub elapsed: Duration,
}

impl SearchInfo {
    /// Starts after the word `info`. Skips unknown words. A missing depth or number of nodes is 0, a missing move empty.
    fn parse(rest: &str, elapsed: Duration) -> Self {
        let mut info = Self { depth: 0, rank: 1, is_exact: true, nodes: 0, best: String::new(), elapsed };
        let mut words = rest.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "string" => break,
                "depth" => info.depth = words.next().and_then(|word| word.parse().ok()).unwrap_or(0),
                "multipv" => info.rank = words.next().and_then(|word| word.parse().ok()).unwrap_or(1),
                "nodes" => info.nodes = words.next().and_then(|word| word.parse().ok()).unwrap_or(0),
                "lowerbound" | "upperbound" => info.is_exact = false,
                "pv" => {
                    info.best = words.next().unwrap_or_default().to_owned();
                    break;
                }
                _ => {}
            }
        }
        info
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchAnswer {
    /// Only lines with a depth and a line of play.
    pub infos: Vec<SearchInfo>,
    /// First word after `bestmove`; empty for none.
    pub best: String,
    /// 0 if the engine has given none.
    pub nodes: u64,
    /// From `go` to `bestmove`.
    pub elapsed: Duration,
}

/// Each call fails if the engine ends, or is silent for too long. Dropping it ends the process.
#[derive(Debug)]
pub struct EngineProcess {
    child: Child,
    input: Option<ChildStdin>,
    /// With the time of arrival.
    lines: Receiver<(String, Instant)>,
    answer_limit: Duration,
    name: Option<String>,
    options: Vec<DeclaredOption>,
    command: String,
}

impl EngineProcess {
    /// Sends `uci` and waits for `uciok`. Answers other than `bestmove` may take `answer_limit`. The engine shares this process's
    /// standard error.
    pub fn start(command: &mut Command, answer_limit: Duration) -> Result<Self, ClientError> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(ClientError::Start)?;
        let (sender, lines) = channel::bounded(QUEUE);
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let mut engine =
            Self { child, input, lines, answer_limit, name: None, options: Vec::new(), command: String::new() };
        let output = output.ok_or_else(|| ClientError::Start(io::ErrorKind::BrokenPipe.into()))?;
        let read = move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            while read_line(&mut output, &mut line).is_some() {
                let text = String::from_utf8_lossy(&line).trim().to_owned();
                if sender.send((text, Instant::now())).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("engine-reader".into()).spawn(read).map_err(ClientError::Start)?;
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

    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ignores case.
    pub fn option(&self, name: &str) -> Option<&DeclaredOption> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Line feeds become spaces.
    pub fn send(&mut self, command: &str) -> Result<(), ClientError> {
        self.command = command.replace(['\n', '\r'], " ");
        let line = format!("{}\n", self.command);
        let sent = match &mut self.input {
            Some(input) => input.write_all(line.as_bytes()).and_then(|()| input.flush()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        match sent {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(self.ended()),
            Err(error) => Err(ClientError::Unsent(self.command.clone(), error)),
        }
    }

    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), ClientError> {
        self.send(&format!("setoption name {name} value {value}"))
    }

    pub fn wait_until_ready(&mut self) -> Result<(), ClientError> {
        self.send("isready")?;
        let start = Instant::now();
        while self.line("readyok", start, self.answer_limit)?.0 != "readyok" {}
        Ok(())
    }

    /// Sends `ucinewgame`, and waits until it is done.
    pub fn new_game(&mut self) -> Result<(), ClientError> {
        self.send("ucinewgame")?;
        self.wait_until_ready()
    }

    /// `go` is the whole command. The answer may take `limit`.
    pub fn search(&mut self, fen: &str, go: &str, limit: Duration) -> Result<SearchAnswer, ClientError> {
        self.send(&format!("position fen {fen}"))?;
        let start = Instant::now();
        self.send(go)?;
        let mut answer = SearchAnswer { infos: Vec::new(), best: String::new(), nodes: 0, elapsed: Duration::ZERO };
        loop {
            let (text, at) = self.line("bestmove", start, limit)?;
            let elapsed = at.saturating_duration_since(start);
            let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((&text, ""));
            if word == "bestmove" {
                answer.best = rest.split_whitespace().next().unwrap_or_default().to_owned();
                answer.elapsed = elapsed;
                return Ok(answer);
            }
            if word == "info" {
                let info = SearchInfo::parse(rest, elapsed);
                answer.nodes = if info.nodes > 0 { info.nodes } else { answer.nodes };
                if info.depth > 0 && !info.best.is_empty() {
                    answer.infos.push(info);
                }
            }
        }
    }

    /// Waits until `limit` after `start`.
    fn line(
        &mut self,
        answer: &'static str,
        start: Instant,
        limit: Duration,
    ) -> Result<(String, Instant), ClientError> {
        let rest = limit.saturating_sub(start.elapsed());
        // An engine that writes without a pause must not outrun the limit.
        let received = if rest.is_zero() { Err(RecvTimeoutError::Timeout) } else { self.lines.recv_timeout(rest) };
        match received {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err(ClientError::Silent(answer, limit, self.command.clone())),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    /// For an engine that has ended or closed a pipe.
    fn ended(&mut self) -> ClientError {
        self.input = None;
        let status = self.wait(FAREWELL).unwrap_or_else(|| "it closed a pipe and runs on".to_owned());
        ClientError::Ended(status, self.command.clone())
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
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    /// The watchdog of waits that succeed.
    const ANSWER_LIMIT: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(100);
    const LONG: Duration = Duration::from_secs(60);

    /// Returns an engine that runs shell commands for the lines it gets.
    fn engine(cases: &str, answer_limit: Duration) -> Result<EngineProcess, ClientError> {
        let script = format!("while read -r line; do case \"$line\" in {cases} quit) exit 0 ;; esac; done");
        EngineProcess::start(Command::new("sh").args(["-c", &script]), answer_limit)
    }

    const UCI: &str = "uci) echo 'id name  Fake 1.0 '; echo 'option name Use NNUE type check default true'; \
        echo 'option name Threads type spin default 1 min 1 max 8'; echo nonsense; echo uciok ;; isready) echo readyok ;;";

    fn go(engine: &mut EngineProcess, limit: Duration) -> Result<SearchAnswer, ClientError> {
        engine.search(START, "go depth 2", limit)
    }

    #[test]
    fn declarations_and_searches_are_parsed() {
        let search = "go*) printf '%s\\n' 'info string depth 9 pv a1a1' 'info depth 1 score cp 5 lowerbound nodes 7 pv e2e4' \
            'info depth 1 multipv 2 nodes 9 pv d2d4 d7d5' 'info depth 2 currmove e2e4' 'info nodes 30' \
            '  bestmove   g1f3 ponder e7e5' ;;";
        let mut engine = engine(&format!("{UCI} {search}"), ANSWER_LIMIT).unwrap();
        assert_eq!(engine.name(), Some("Fake 1.0"));
        assert_eq!(engine.option("use nnue").map(|option| option.kind.as_str()), Some("check"));
        assert_eq!(engine.option("Threads").map(|option| (option.min, option.max)), Some((Some(1), Some(8))));
        assert_eq!(engine.option("Hash"), None);
        engine.set_option("Threads", "2").unwrap();
        engine.new_game().unwrap();
        let answer = go(&mut engine, LONG).unwrap();
        assert_eq!((answer.best.as_str(), answer.nodes), ("g1f3", 30));
        let infos: Vec<_> = answer
            .infos
            .iter()
            .map(|info| (info.depth, info.rank, info.is_exact, info.nodes, info.best.as_str()))
            .collect();
        assert_eq!(infos, [(1, 1, false, 7, "e2e4"), (1, 2, true, 9, "d2d4")]);
        assert!(answer.infos.iter().all(|info| info.elapsed <= answer.elapsed));
    }

    #[test]
    fn silent_engines_are_given_up() {
        let error = engine("never) ;;", SHORT).unwrap_err();
        assert!(matches!(error, ClientError::Silent("uciok", ..)), "{error}");
        let mut mute = engine(UCI.replace("isready", "never").as_str(), ANSWER_LIMIT).unwrap();
        mute.answer_limit = SHORT;
        assert!(matches!(mute.wait_until_ready(), Err(ClientError::Silent("readyok", ..))));
        let error = go(&mut mute, SHORT).unwrap_err();
        assert_eq!(error.to_string(), "no bestmove within 100ms of \"go depth 2\"");
        // Endless output is no answer.
        let mut flood = engine(&format!("{UCI} go*) while :; do echo info depth 1; done ;;"), ANSWER_LIMIT).unwrap();
        assert!(matches!(go(&mut flood, SHORT), Err(ClientError::Silent("bestmove", ..))));
    }

    #[test]
    fn ended_engines_are_reported() {
        let error = EngineProcess::start(&mut Command::new("/nonexistent/engine"), ANSWER_LIMIT).unwrap_err();
        assert!(matches!(error, ClientError::Start(_)), "{error}");
        let error = engine("uci) exit 3 ;;", ANSWER_LIMIT).unwrap_err();
        assert!(error.to_string().contains("exit status: 3) after \"uci\""), "{error}");
        let mut dying = engine(&format!("{UCI} go*) echo info depth 1; kill -9 $$ ;;"), ANSWER_LIMIT).unwrap();
        let error = go(&mut dying, LONG).unwrap_err();
        assert!(error.to_string().contains("signal: 9"), "{error}");
        assert!(matches!(dying.send("isready"), Err(ClientError::Ended(..))));
    }

    #[test]
    fn garbage_is_skipped() {
        let garbage =
            "head -c 600000 /dev/zero; echo; printf '\\377\\376 info depth\\n\\n info\\ninfo depth x pv\\nbestmove\\n'";
        let mut engine = engine(&format!("{UCI} go*) {garbage} ;;"), ANSWER_LIMIT).unwrap();
        let answer = go(&mut engine, LONG).unwrap();
        assert_eq!((answer.best.as_str(), answer.infos.len()), ("", 0));
        engine.wait_until_ready().unwrap();
    }

    #[test]
    fn dropped_engines_end() {
        for cases in [UCI.to_owned(), format!("{UCI} quit) while :; do sleep 1; done ;;")] {
            let engine = engine(&cases, ANSWER_LIMIT).unwrap();
            let id = engine.id().to_string();
            drop(engine);
            let status = Command::new("sh").args(["-c", "kill -0 $0 2>&1", &id]).output().unwrap().status;
            assert!(!status.success(), "process {id} runs on");
        }
    }
}
