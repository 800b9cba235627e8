//! A driver of the engine process over its pipes.
//!
//! Every wait has a watchdog, so that an engine that hangs fails a test instead of blocking it. A failure shows
//! the end of the transcript.

pub(crate) mod folder;
pub(crate) mod judge;
pub(crate) mod program;
pub(crate) mod referee;
pub(crate) mod tables;
#[cfg(unix)]
pub(crate) mod terminal;
pub(crate) mod transcript;

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write, stderr};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

/// The watchdog of every wait: far longer than anything takes on a slow or busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(180);

/// A position in which White is mated.
pub(crate) const MATED: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";

/// Returns a command that starts the engine: by itself, or by the words of `SESAME_LAUNCHER`, such as `mpirun -n 2`. The tests of the
/// protocol hold for several machines as well.
fn launched() -> Command {
    let launcher = std::env::var("SESAME_LAUNCHER").unwrap_or_default();
    let mut words = launcher.split_whitespace().chain([env!("CARGO_BIN_EXE_sesame")]);
    let mut command = Command::new(words.next().expect("the engine at least"));
    command.args(words);
    command
}

/// Returns false if `SESAME_LAUNCHER` starts several machines, for the few tests that hold for one alone.
pub(crate) fn is_one_machine() -> bool {
    std::env::var_os("SESAME_LAUNCHER").is_none()
}

/// Reports that this system cannot run a test, or a part of it. The message passes the capture of the test harness; `.ci/run` counts such lines.
pub(crate) fn skip(reason: &str) {
    let test = thread::current();
    let _ = writeln!(stderr(), "skipped: {}: {reason}", test.name().unwrap_or("a test"));
}

/// Tests for a signal that this process ignores, and so do the programs that it starts. Shells ignore some for background
/// jobs, `nohup` for its command.
#[cfg(unix)]
pub(crate) fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(str::trim);
    mask.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask >> (signal - 1) & 1 != 0)
}

/// Tests for a process that is no zombie.
#[cfg(target_os = "linux")]
pub(crate) fn is_alive(process: u32) -> bool {
    match fs::read_to_string(format!("/proc/{process}/stat")) {
        Ok(stat) => !stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z')),
        Err(_) => false,
    }
}

/// Waits for the end of a process; `None` if the watchdog comes first.
pub(crate) fn end_in_time(child: &mut Child) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().expect("the process can be waited for") {
            return Some(status);
        }
        thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    None
}

/// An engine process.
pub(crate) struct Session {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// The standard error.
    errors: NamedTempFile,
    transcript: Vec<String>,
}

impl Session {
    /// Starts the engine as a GUI does, without arguments.
    pub(crate) fn start() -> Session {
        Session::start_with(&[])
    }

    /// Starts the program with `arguments`.
    pub(crate) fn start_with(arguments: &[&str]) -> Session {
        let mut command = launched();
        command.args(arguments);
        Session::run(command)
    }

    /// Starts the engine with an address space of so many KiB.
    #[cfg(target_os = "linux")]
    pub(crate) fn start_within(kib: u64) -> Session {
        Session::start_in_shell(&format!("ulimit -v {kib}"))
    }

    /// Starts the engine in a shell, after `command`.
    #[cfg(unix)]
    pub(crate) fn start_in_shell(command: &str) -> Session {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{command} && exec \"$0\""), env!("CARGO_BIN_EXE_sesame")]);
        Session::run(shell)
    }

    /// Starts any command that ends up as the engine.
    pub(crate) fn run(mut command: Command) -> Session {
        let errors = NamedTempFile::new().expect("a temporary file");
        let standard_error = errors.reopen().expect("the file is there");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(standard_error);
        let mut child = command.spawn().expect("the engine starts");
        let output = child.stdout.take().expect("piped");
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let line = line.expect("the engine writes UTF-8");
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Session { child, input, lines, errors, transcript: Vec::new() }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends lines, with a line feed after the last.
    pub(crate) fn send(&mut self, lines: &str) {
        self.transcript.push(format!("> {lines}"));
        let input = self.input.as_mut().expect("the input is open");
        if let Err(error) = input.write_all(format!("{lines}\n").as_bytes()) {
            self.fail(&format!("cannot write: {error}"));
        }
    }

    /// Waits for the next line; `None` if none comes in time. The end of the output is a failure.
    pub(crate) fn line_within(&mut self, time: Duration) -> Option<String> {
        match self.lines.recv_timeout(time) {
            Ok(line) => {
                assert_eq!(line, line.trim_end(), "blanks at the end of a line");
                self.transcript.push(line.clone());
                Some(line)
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => self.fail("the engine has ended its output"),
        }
    }

    /// Returns all lines up to the first that starts with `start`, this one included.
    pub(crate) fn until(&mut self, start: &str) -> Vec<String> {
        self.until_line(&format!("no line starts with {start:?}"), |line| line.starts_with(start))
    }

    /// Returns all lines up to the first that contains `part`, this one included.
    pub(crate) fn until_contains(&mut self, part: &str) -> Vec<String> {
        self.until_line(&format!("no line contains {part:?}"), |line| line.contains(part))
    }

    fn until_line(&mut self, missing: &str, is_last: impl Fn(&str) -> bool) -> Vec<String> {
        let deadline = Instant::now() + PATIENCE;
        let mut lines = Vec::new();
        loop {
            let Some(line) = self.line_within(deadline.saturating_duration_since(Instant::now())) else {
                self.fail(missing);
            };
            let found = is_last(&line);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// Sends `command` and returns the lines up to `bestmove`.
    pub(crate) fn search(&mut self, command: &str) -> Vec<String> {
        self.send(command);
        self.until("bestmove")
    }

    /// Sends `command`, waits for the search to end and returns the move.
    pub(crate) fn best_move(&mut self, command: &str) -> String {
        let lines = self.search(command);
        best_move(&lines).to_owned()
    }

    /// Sends `isready` and returns the lines before its answer.
    pub(crate) fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// Sends lines that have no answer.
    pub(crate) fn set(&mut self, lines: &str) {
        self.send(lines);
        assert_eq!(self.sync(), Vec::<String>::new());
    }

    /// Sends wrong input and expects a single `info string`. Returns its text.
    pub(crate) fn warning(&mut self, lines: &str) -> String {
        self.send(lines);
        let answer = self.sync();
        match &answer[..] {
            [line] if line.starts_with("info string ") => line["info string ".len()..].to_owned(),
            _ => self.fail(&format!("expected one info string for {:.200?}, found {answer:#?}", lines)),
        }
    }

    /// Ends the input.
    pub(crate) fn close_input(&mut self) {
        self.transcript.push("> (end of input)".to_owned());
        self.input = None;
    }

    /// Waits for the process to end by itself. Returns the rest of its output.
    pub(crate) fn end(&mut self) -> (ExitStatus, Vec<String>) {
        let Some(status) = end_in_time(&mut self.child) else { self.fail("the engine does not end") };
        let rest: Vec<String> = self.lines.iter().collect();
        self.transcript.extend(rest.iter().cloned());
        (status, rest)
    }

    /// Waits for a successful end without any output on the standard error but the messages of other machines.
    pub(crate) fn end_well(&mut self) -> Vec<String> {
        let (status, rest) = self.end();
        let is_message = |line: &str| !is_one_machine() && line.starts_with("sesame: ");
        if !status.success() || !self.errors().lines().all(is_message) {
            self.fail(&format!("the engine ended badly: {status}"));
        }
        rest
    }

    /// Sends `quit` and expects a good end.
    pub(crate) fn quit(mut self) {
        self.send("quit");
        self.end_well();
    }

    /// Returns the standard error so far.
    pub(crate) fn errors(&self) -> String {
        fs::read_to_string(self.errors.path()).expect("UTF-8")
    }

    /// Fails the test and shows the end of the transcript.
    pub(crate) fn fail(&self, reason: &str) -> ! {
        let mut text = format!("{reason}\nThe session (its end):\n");
        for line in self.transcript.iter().skip(self.transcript.len().saturating_sub(40)) {
            let _ = writeln!(text, "    {line:.200}");
        }
        let _ = write!(text, "Standard error: {}", self.errors());
        panic!("{text}");
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the move of the `bestmove` line, the last of `lines`.
pub(crate) fn best_move(lines: &[String]) -> &str {
    let line = lines.last().expect("lines");
    line.strip_prefix("bestmove ").and_then(|rest| rest.split(' ').next()).expect("a bestmove line")
}

/// An `info` line with a line of play.
#[derive(Debug)]
pub(crate) struct InfoLine {
    pub(crate) multipv: u64,
    /// `cp` or `mate`.
    pub(crate) kind: String,
    pub(crate) score: i64,
    pub(crate) nodes: u64,
    pub(crate) tb_hits: u64,
    pub(crate) pv: Vec<String>,
}

/// Parses an `info` line; `None` for `info string` and `currmove` lines, and for those of finished games. All
/// other fields must be there once, with whole numbers.
pub(crate) fn parse_info(line: &str) -> Option<InfoLine> {
    let rest = line.strip_prefix("info ").filter(|_| is_search_line(line))?;
    if rest.contains(" currmove ") || rest.starts_with("depth 0 ") {
        return None;
    }
    let (fields, pv) = rest.split_once(" pv ").unwrap_or_else(|| panic!("no pv in {line:?}"));
    let words: Vec<&str> = fields.split(' ').collect();
    let value = |name: &str, offset: usize| -> i64 {
        let places: Vec<usize> = (0..words.len()).filter(|&place| words[place] == name).collect();
        let [place] = places[..] else { panic!("{name} in {line:?}") };
        words.get(place + offset).and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{name} of {line:?}"))
    };
    let count = |name: &str| u64::try_from(value(name, 1)).unwrap_or_else(|_| panic!("negative {name} in {line:?}"));
    let kind = words[words.iter().position(|word| *word == "score").expect("a score") + 1];
    assert!(kind == "cp" || kind == "mate", "score of {line:?}");
    let [depth, seldepth, multipv] = ["depth", "seldepth", "multipv"].map(count);
    assert!(depth >= 1 && seldepth >= 1 && multipv >= 1 && count("hashfull") <= 1000, "{line:?}");
    count("nps");
    count("time");
    Some(InfoLine {
        multipv,
        kind: kind.to_owned(),
        score: value("score", 2),
        nodes: count("nodes"),
        tb_hits: count("tbhits"),
        pv: pv.split(' ').map(str::to_owned).collect(),
    })
}

/// Tests for a line of a running search, which comes at any time.
pub(crate) fn is_search_line(line: &str) -> bool {
    line.starts_with("info ") && !line.starts_with("info string")
}

/// Parses all `info` lines with a line of play.
pub(crate) fn infos(lines: &[String]) -> Vec<InfoLine> {
    lines.iter().filter_map(|line| parse_info(line)).collect()
}

/// Returns the nodes of the last `info` line.
pub(crate) fn nodes(lines: &[String]) -> u64 {
    infos(lines).last().expect("an info line").nodes
}

/// Tests for a legal move of the start position.
pub(crate) fn is_opening_move(mv: &str) -> bool {
    referee::Referee::new().legal_moves().iter().any(|legal| legal == mv)
}
