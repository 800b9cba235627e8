//! Sessions under Open MPI's `mpirun` while a process is killed or stopped. Without `mpirun` they pass at once.

use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::referee::Referee;
use crate::support::{Session, best_move, skip};

/// Returns a command that starts `processes`; `None` without Open MPI.
fn mpirun(processes: usize, options: &[&str]) -> Option<Command> {
    let version = Command::new("mpirun").arg("--version").output();
    if !version.is_ok_and(|version| String::from_utf8_lossy(&version.stdout).contains("Open MPI")) {
        skip("there is no mpirun of Open MPI");
        return None;
    }
    let mut command = Command::new("mpirun");
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.args(["--quiet", "--bind-to", "none", "--oversubscribe"]).args(options);
    command.args(["-n", &processes.to_string(), env!("CARGO_BIN_EXE_sesame")]);
    Some(command)
}

struct Job {
    session: Session,
    /// The second process.
    follower: Pid,
}

impl Job {
    fn start(processes: usize, options: &[&str]) -> Option<Job> {
        let mut session = Session::run(mpirun(processes, options)?);
        session.send("isready");
        session.until("readyok");
        let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", session.id())).unwrap();
        let is_follower = |id: &&str| {
            let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|variable| variable == b"OMPI_COMM_WORLD_RANK=1")
        };
        let follower = children.split_whitespace().find(is_follower).expect("a second process");
        Some(Job { session, follower: Pid::from_raw(follower.parse().unwrap()) })
    }

    fn signal(&self, signal: Signal) {
        kill(self.follower, signal).unwrap();
    }

    /// Expects a move of the start position. Returns the lines of the search.
    fn expect_move(&mut self) -> String {
        let lines = self.session.until("bestmove");
        Referee::new().play(best_move(&lines)).unwrap_or_else(|error| panic!("{error}: {lines:?}"));
        lines.join("\n")
    }
}

#[test]
fn process_that_dies_ends_the_search_with_its_best_move() {
    for go in ["go movetime 900000", "go wtime 90000000 btime 90000000", "go infinite"] {
        // mpirun does not write lines before this time, and kills the leader after it.
        let Some(mut job) = Job::start(2, &["--mca", "odls_base_sigkill_timeout", "4"]) else { return };
        job.session.send(go);
        job.session.until("info depth");
        job.signal(Signal::SIGKILL);
        assert!(job.expect_move().contains("does not answer"), "{go}");
    }
}

#[test]
fn process_that_dies_costs_no_move_where_mpirun_lets_the_others_live() {
    for moment in ["idle", "start", "middle", "deadline", "quit"] {
        let Some(mut job) = Job::start(3, &["--enable-recovery"]) else { return };
        if moment == "idle" {
            job.signal(Signal::SIGKILL);
        }
        job.session.send("go movetime 400");
        match moment {
            "middle" => _ = job.session.until("info depth"),
            "deadline" => sleep(Duration::from_millis(370)),
            _ => {}
        }
        if ["start", "middle", "deadline"].contains(&moment) {
            job.signal(Signal::SIGKILL);
        }
        job.expect_move();
        if moment == "middle" {
            job.session.send("setoption name Hash value 2\nisready");
            job.session.until("readyok");
        }
        job.session.send("go movetime 50");
        job.expect_move();
        if moment == "quit" {
            job.signal(Signal::SIGKILL);
            job.session.send("quit");
            job.session.end();
        }
    }
}

#[test]
fn stopped_process_costs_no_move() {
    let Some(mut job) = Job::start(2, &[]) else { return };
    for moment in ["idle", "start", "middle", "deadline", "stop"] {
        if moment == "idle" {
            job.signal(Signal::SIGSTOP);
        }
        job.session.send(if moment == "stop" { "go infinite" } else { "go movetime 400" });
        match moment {
            "middle" | "stop" => _ = job.session.until("info depth"),
            "deadline" => sleep(Duration::from_millis(370)),
            _ => {}
        }
        job.signal(Signal::SIGSTOP);
        if moment == "stop" {
            job.session.send("stop");
        }
        job.expect_move();
        // Alone.
        job.session.send("go movetime 50");
        job.expect_move();
        job.signal(Signal::SIGCONT);
        job.session.send("isready");
        job.session.until("readyok");
    }
    job.session.send("go movetime 100");
    job.expect_move();
    job.signal(Signal::SIGSTOP);
    job.session.send("quit");
    job.session.end();
}

#[test]
fn messages_of_the_second_process_go_to_the_standard_error() {
    let Some(mut job) = Job::start(2, &[]) else { return };
    job.session.send("setoption name EvalFile value /missing.nnue\nisready");
    job.session.until("readyok");
    job.session.send("quit");
    job.session.end();
    assert!(job.session.errors().contains("sesame: ") && job.session.errors().contains("/missing.nnue"));
}
