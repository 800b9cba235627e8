//! The end of the program by a signal, a closed pipe or a GUI that stops reading: silent, and without leftovers.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
#[cfg(target_os = "linux")]
use std::os::unix::process::CommandExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::support::folder::Folder;
#[cfg(target_os = "linux")]
use crate::support::is_alive;
use crate::support::program::sesame;
use crate::support::{Session, end_in_time, is_ignored, skip};

/// Commands that keep the program busy, or idle.
const WORK: [&str; 5] =
    ["isready", "go infinite", "setoption name Threads value 4\ngo infinite", "bench depth 50", "go perft 20"];

/// So many commands have more output than a pipe holds (64 KiB), and are no more than the engine reads ahead.
const FLOOD: usize = 60;

/// A command with an answer of some 2 KiB.
const TALKATIVE: &str = "uci\n";

fn engine() -> Command {
    let mut command = sesame();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Waits for a good end without reading the output.
fn expect_good_end(mut child: Child, what: &str) {
    let status = end_in_time(&mut child).unwrap_or_else(|| panic!("{what}: the engine does not end"));
    let errors = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
    assert!(status.success() && errors.is_empty(), "{what}: {status}, {errors}");
}

fn signal(process: u32, name: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill -s {name} {process}")]).status().unwrap();
    assert!(status.success(), "kill -s {name} {process}");
}

#[test]
fn signals_end_the_program_during_any_work() {
    for work in WORK {
        for (name, number) in [("TERM", 15), ("INT", 2), ("HUP", 1), ("KILL", 9)] {
            if is_ignored(number) {
                skip(&format!("{name} is ignored here"));
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
fn signal_during_a_save_keeps_a_whole_file() {
    let folder = Folder::new().with("kept", b"the old file.\n");
    let file = folder.join("kept");
    let mut session = Session::start();
    session.send(&format!("setoption name Hash value 64\nsetoption name Hash File value {}", file.display()));
    session.send("go nodes 1000");
    session.until("bestmove");
    session.send("setoption name Save Hash");
    // Usually in the middle of the save; the file is whole at any time.
    sleep(Duration::from_millis(20));
    signal(session.id(), "TERM");
    let (status, _) = session.end();
    assert_eq!(status.signal(), Some(15), "{status}");
    let length = fs::metadata(&file).unwrap().len();
    assert!(length == 14 || length > 64 << 20, "{length} bytes");
}

/// A closed output ends the program, though not by SIGPIPE.
#[test]
fn closed_output_ends_the_program_during_any_work() {
    for work in WORK {
        let mut child = engine().spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "isready\n{work}\nuci").unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "uciok"), "{work}");
        drop(lines);
        // The input stays open. A silent program notices at its next answer.
        let _ = writeln!(input, "isready");
        expect_good_end(child, work);
    }
}

#[test]
fn missing_standard_output_is_survived() {
    let mut session = Session::start_in_shell("exec >&-");
    session.send("uci\nisready\ngo depth 3\nquit");
    session.end_well();
}

/// The GUI stops reading, sends `quit` and waits for the end. The pipe stays full.
#[test]
fn quit_works_with_a_full_pipe() {
    for work in ["isready", "setoption name MultiPV value 100\ngo infinite"] {
        let mut child = engine().spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "{work}\n{}", TALKATIVE.repeat(FLOOD)).unwrap();
        // Time for the pipe to fill up.
        sleep(Duration::from_millis(500));
        assert_eq!(child.try_wait().unwrap(), None, "{work}: it waits for the reader");
        writeln!(input, "quit").unwrap();
        expect_good_end(child, work);
    }
}

#[test]
fn late_reader_gets_every_line() {
    let mut child = engine().spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    write!(input, "{}", TALKATIVE.repeat(5 * FLOOD)).unwrap();
    sleep(Duration::from_millis(300));
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in 0..5 * FLOOD {
        assert!(lines.any(|line| line.unwrap() == "uciok"));
    }
    writeln!(input, "quit").unwrap();
    expect_good_end(child, "late");
}

/// The engine ends with its GUI, even if the GUI had stopped reading.
#[cfg(target_os = "linux")]
#[test]
fn killed_gui_leaves_no_engine() {
    for flood in [1, FLOOD] {
        // The engine has answered before the flood: its start is over. A shell that ends with `wait` keeps the pipes: it
        // would replace itself by another last command.
        let script = format!(
            "coproc E {{ exec \"$0\"; }}; echo isready >&\"${{E[1]}}\"; \
             while read -r answer <&\"${{E[0]}}\" && [[ $answer != readyok ]]; do :; done; \
             for i in $(seq {flood}); do echo uci; done >&\"${{E[1]}}\"; echo go infinite >&\"${{E[1]}}\"; \
             echo \"$answer $E_PID\"; wait"
        );
        let mut gui = Command::new("bash");
        gui.args(["-c", &script, env!("CARGO_BIN_EXE_sesame")]).stdout(Stdio::piped()).process_group(0);
        let mut gui = gui.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(gui.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let engine = line.trim().strip_prefix("readyok ").and_then(|engine| engine.parse().ok());
        let engine: u32 = engine.unwrap_or_else(|| panic!("{flood}: the engine did not start: {line:?}"));
        assert!(is_alive(engine), "{flood}: {:?}", fs::read_to_string(format!("/proc/{engine}/stat")));
        // As in a crash, the shell alone is killed.
        gui.kill().unwrap();
        gui.wait().unwrap();
        let start = std::time::Instant::now();
        while is_alive(engine) {
            if start.elapsed() > crate::support::PATIENCE {
                signal(engine, "KILL");
                panic!("{flood}: the engine outlives its GUI");
            }
            sleep(Duration::from_millis(5));
        }
    }
}
