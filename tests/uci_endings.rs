//! How the program ends when nobody says `quit`, or nobody listens: soon, without a word, and without leaving anything behind.

#![cfg(unix)]

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use support::folder::Folder;
use support::{PATIENCE, Session};

/// What the program may be doing.
const WORK: [&str; 5] =
    ["isready", "go infinite", "setoption name Threads value 4\ngo infinite", "bench depth 50", "go perft 20"];

/// So many times `eval`, some 2 KiB each, is more than a pipe holds, and no more commands than the engine reads ahead.
const FLOOD: usize = 60;

fn engine() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sesame"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Waits for the end and says how long it took. Reads nothing that the program writes.
fn end_of(child: &mut Child, what: &str) -> (ExitStatus, Duration) {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().unwrap() {
            return (status, start.elapsed());
        }
        sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    panic!("{what}: the engine does not end");
}

fn errors_of(child: &mut Child) -> String {
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    errors
}

fn signal(process: u32, name: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill -s {name} {process}")]).status().unwrap();
    assert!(status.success(), "kill -s {name} {process}");
}

/// Whether a process is there and no zombie.
fn is_alive(process: u32) -> bool {
    match fs::read_to_string(format!("/proc/{process}/stat")) {
        Ok(stat) => !stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z')),
        Err(_) => false,
    }
}

/// Whether this process ignores a signal, and so the programs that it starts: shells do that to what runs in their background, `nohup` to
/// what it starts.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(str::trim);
    mask.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask >> (signal - 1) & 1 != 0)
}

#[test]
fn signals_end_it_at_once_whatever_it_does() {
    for work in WORK {
        for (name, number) in [("TERM", 15), ("INT", 2), ("HUP", 1), ("KILL", 9)] {
            if is_ignored(number) {
                eprintln!("{name} is ignored by whoever runs these tests: not tried");
                continue;
            }
            let mut session = Session::start();
            session.send(work);
            session.sync();
            signal(session.id(), name);
            let (status, _) = session.end();
            assert_eq!(status.signal(), Some(number), "{work}: {status}");
            assert_eq!(session.errors(), "", "{work}, {name}");
        }
    }
}

#[test]
fn a_signal_while_the_table_is_saved_costs_no_file() {
    let folder = Folder::new("ending-save");
    let file = folder.0.join("kept");
    fs::write(&file, "what was there").unwrap();
    let mut session = Session::start();
    session.send(&format!("setoption name Hash value 64\nsetoption name Hash File value {}", file.display()));
    session.send("go nodes 1000");
    session.until("bestmove");
    session.send("setoption name Save Hash");
    // In the middle of the work as a rule; the file is whole at any time.
    sleep(Duration::from_millis(20));
    signal(session.id(), "TERM");
    let (status, _) = session.end();
    assert_eq!(status.signal(), Some(15), "{status}");
    let length = fs::metadata(&file).unwrap().len();
    assert!(length == 14 || length > 64 << 20, "{length} bytes");
}

/// A reader that goes away in the middle of a search: SIGPIPE is not what ends the program, but it ends.
#[test]
fn a_reader_that_goes_away() {
    for work in WORK {
        let mut child = engine().spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "isready\n{work}\nuci").unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "uciok"), "{work}");
        drop(lines);
        // The input stays open. What has nothing to say is asked something.
        let _ = writeln!(input, "isready");
        let (status, _) = end_of(&mut child, work);
        assert!(status.success() && errors_of(&mut child).is_empty(), "{work}: {status}");
    }
}

/// Without a standard output from the start.
#[test]
fn no_output_at_all() {
    let mut session = Session::start_in_shell("exec >&-");
    session.send("uci\nisready\ngo depth 3\nquit");
    session.end_well();
}

/// A GUI that reads no more but says `quit`, and then waits for the end: the pipe is full, and stays so.
#[test]
fn a_gui_that_stops_reading_and_quits() {
    for work in ["isready", "setoption name MultiPV value 100\ngo infinite"] {
        let mut child = engine().spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "{work}\n{}", "eval\n".repeat(FLOOD)).unwrap();
        // Until the program stands still, or nearly.
        sleep(Duration::from_millis(500));
        assert_eq!(child.try_wait().unwrap(), None, "{work}: it waits to be read");
        writeln!(input, "quit").unwrap();
        let (status, time) = end_of(&mut child, work);
        assert!(status.success() && errors_of(&mut child).is_empty(), "{work}: {status}");
        assert!(time < Duration::from_secs(20), "{work}: {time:?}");
    }
}

/// One who reads late gets every line, as long as he reads at all.
#[test]
fn a_gui_that_reads_late_loses_nothing() {
    let mut child = engine().spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    write!(input, "{}", "eval\n".repeat(5 * FLOOD)).unwrap();
    sleep(Duration::from_millis(300));
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in 0..5 * FLOOD {
        assert!(lines.any(|line| line.unwrap().starts_with("Evaluation:")));
    }
    writeln!(input, "quit").unwrap();
    assert!(end_of(&mut child, "late").0.success());
}

/// A GUI that is killed leaves no engine behind, whether it had been reading or not.
#[cfg(target_os = "linux")]
#[test]
fn a_gui_that_is_killed_leaves_no_orphan() {
    for flood in [1, FLOOD] {
        let script = format!(
            "coproc E {{ exec \"$0\"; }}; for i in $(seq {flood}); do echo eval; done >&\"${{E[1]}}\"; echo go infinite >&\"${{E[1]}}\"; \
             echo $E_PID; sleep 1000"
        );
        let mut gui = Command::new("bash");
        gui.args(["-c", &script, env!("CARGO_BIN_EXE_sesame")]).stdout(Stdio::piped()).process_group(0);
        let mut gui = gui.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(gui.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let engine: u32 = line.trim().parse().unwrap();
        assert!(is_alive(engine), "{flood}");
        // The shell alone, as when a GUI crashes; its `sleep` has the engine's pipes too, and goes with it.
        let sleeper = children_of(gui.id()).into_iter().find(|&child| child != engine);
        gui.kill().unwrap();
        gui.wait().unwrap();
        sleeper.into_iter().for_each(|sleeper| signal(sleeper, "KILL"));
        let start = Instant::now();
        while is_alive(engine) {
            if start.elapsed() > PATIENCE {
                signal(engine, "KILL");
                panic!("{flood}: the engine has outlived its GUI");
            }
            sleep(Duration::from_millis(5));
        }
    }
}

#[cfg(target_os = "linux")]
fn children_of(process: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    children.split_whitespace().filter_map(|child| child.parse().ok()).collect()
}

/// The program is one process: there is nothing that could be left behind.
#[cfg(target_os = "linux")]
#[test]
fn it_has_no_children() {
    let mut session = Session::start();
    session.send("setoption name Threads value 4\ngo infinite");
    session.sync();
    assert_eq!(children_of(session.id()), Vec::<u32>::new());
    session.quit();
}
