//! Many threads: more than cores, fewer than requested, and bound to cores.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{fs, io};

use crate::support::{PATIENCE, Session, is_opening_move, skip};

/// Returns fields of `/proc/PROCESS/task/TASK/status` for each thread, by the names of the threads.
fn threads(session: &Session, name: &str) -> BTreeMap<String, String> {
    let tasks = fs::read_dir(format!("/proc/{}/task", session.id())).unwrap();
    let thread = |task: io::Result<fs::DirEntry>| {
        // A thread may have ended.
        let status = fs::read_to_string(task.unwrap().path().join("status")).ok()?;
        let field = |name: &str| Some(status.lines().find_map(|line| line.strip_prefix(name))?.trim().to_owned());
        Some((field("Name:")?, field(name)?))
    };
    tasks.filter_map(thread).collect()
}

/// Returns a field of each worker, in the order of their numbers.
fn field_of_workers(session: &Session, name: &str) -> Vec<String> {
    let number = |name: &str| name.strip_prefix("worker-")?.parse::<usize>().ok();
    let mut workers: Vec<_> =
        threads(session, name).into_iter().filter_map(|(name, field)| Some((number(&name)?, field))).collect();
    workers.sort();
    workers.into_iter().map(|(_, field)| field).collect()
}

/// Returns the allowed cores of each worker.
fn cores_of_workers(session: &Session) -> Vec<String> {
    field_of_workers(session, "Cpus_allowed_list:")
}

/// Returns the number of processors in a list of the kernel, such as `0-3,8`.
fn processors_of(list: &str) -> usize {
    let number = |text: &str| text.parse::<usize>().unwrap();
    let size = |range: &str| range.split_once('-').map_or(1, |(first, last)| number(last) + 1 - number(first));
    list.split(',').map(size).sum()
}

/// Waits until no thread wakes for a while. A process that never rests runs into the watchdog.
fn wait_until_idle(session: &Session, when: &str) {
    let start = Instant::now();
    let wakes = || ["voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"].map(|field| threads(session, field));
    loop {
        let before = wakes();
        sleep(Duration::from_millis(100));
        if wakes() == before {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "{when}: {before:?}");
    }
}

#[test]
fn idle_threads_use_no_processor_time() {
    let mut session = Session::start();
    session.send("setoption name Threads value 64");
    session.sync();
    wait_until_idle(&session, "before a search");
    session.search("go movetime 100");
    wait_until_idle(&session, "after a search");
    // Searches that end by themselves and hold their move.
    for (position, go) in [
        ("startpos", "go infinite depth 3"),
        ("startpos", "go ponder depth 3"),
        ("fen 7k/8/8/8/8/8/8/K6r w - - 0 1", "go infinite depth 5"),
        ("fen rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "go infinite"),
    ] {
        session.send(&format!("position {position}\n{go}"));
        wait_until_idle(&session, go);
        assert!(!session.sync().iter().any(|line| line.starts_with("bestmove")), "{go}");
        session.search("stop");
    }
    session.quit();
}

/// Workers that wait for their turn sleep.
#[test]
fn more_threads_than_cores_take_turns_and_keep_time() {
    let cores = num_cpus::get();
    let threads = (8 * cores).min(1024);
    let mut session = Session::start();
    session.send(&format!("setoption name Threads value {threads}"));
    session.sync();
    for _ in 0..9 {
        session.send("go infinite");
        session.until("info");
        assert!(is_opening_move(&session.best_move("stop")));
        assert!(is_opening_move(&session.best_move("go movetime 100")));
    }
    session.send("go infinite");
    session.until("info");
    // The readings of many threads are not simultaneous, and one that hands over its turn may be counted beside the next.
    let runnable = || field_of_workers(&session, "State:").iter().filter(|state| state.starts_with('R')).count();
    let minimum = (0..50).map(|_| runnable()).min().unwrap();
    assert!(minimum <= 2 * cores, "{minimum} of {threads} workers are runnable on {cores} cores");
    let start = Instant::now();
    loop {
        let sleeps = field_of_workers(&session, "voluntary_ctxt_switches:");
        if sleeps.len() == threads && sleeps.iter().all(|times| times.parse::<u32>().unwrap() > 5) {
            break;
        }
        assert!(start.elapsed() < PATIENCE, "each worker gets turns: {sleeps:?}");
        sleep(Duration::from_millis(20));
    }
    assert!(is_opening_move(&session.best_move("stop")));
    session.quit();
}

/// Workers may finish all depths before the stop: each reports the mate once at most, and the last line may repeat it with the
/// final nodes.
#[test]
fn each_worker_reports_a_mate_once() {
    let mut session = Session::start();
    session.send("setoption name Threads value 2\nposition fen 6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1");
    for _ in 0..20 {
        let lines = session.search("go mate 1");
        let mates = lines.iter().filter(|line| line.contains(" score mate 1 ")).count();
        assert!((1..=3).contains(&mates), "{lines:#?}");
    }
    session.quit();
}

#[test]
fn number_of_threads_changes_often() {
    let mut session = Session::start();
    for round in 0..300 {
        let threads = 1 + round * 7 % 17;
        session.send(&format!("setoption name Threads value {threads}"));
        if round % 10 == 0 {
            assert!(is_opening_move(&session.best_move("go depth 3")));
            session.sync();
            assert_eq!(cores_of_workers(&session).len(), threads);
        }
        if round % 50 == 0 {
            // During a search, the change waits.
            session.search("go infinite\nsetoption name Threads value 3\nsetoption name Threads value 40\nstop");
            session.sync();
            assert_eq!(cores_of_workers(&session).len(), 40);
        }
    }
    session.quit();
}

/// Requests more threads than the system grants. The engine plays on with fewer. Returns their number.
fn plays_on_with_fewer_threads(session: &mut Session, wanted: usize) -> usize {
    // Some machines report bindings.
    session.send("setoption name NumaPolicy value none");
    let warning = session.warning(&format!("setoption name Threads value {wanted}"));
    let granted: usize = warning
        .strip_prefix("the system granted ")
        .and_then(|rest| rest.strip_suffix(&format!(" of {wanted} threads")))
        .and_then(|number| number.parse().ok())
        .unwrap_or_else(|| session.fail(&warning));
    assert!((1..wanted).contains(&granted), "{warning}");
    assert_eq!(cores_of_workers(session).len(), granted);
    for _ in 0..3 {
        assert!(is_opening_move(&session.best_move("go movetime 100")));
    }
    session.set("setoption name Threads value 1");
    assert!(is_opening_move(&session.best_move("go depth 6")));
    granted
}

#[test]
fn small_address_space_limits_the_threads() {
    // Each thread needs 8 MiB of address space for its stack.
    let granted = [600_000, 900_000].map(|kib| {
        let mut session = Session::start_within(kib);
        let granted = plays_on_with_fewer_threads(&mut session, 512);
        session.quit();
        granted
    });
    assert!(granted[0] < granted[1], "memory for more threads is used: {granted:?}");
}

#[test]
fn pinned_threads_have_a_core_each() {
    let mut session = Session::start();
    session.send("setoption name NumaPolicy value none");
    session.sync();
    let before = cores_of_workers(&session);
    let cores = processors_of(&before[0]);
    session.set(&format!("setoption name Threads value {cores}\nsetoption name Pin Threads value true"));
    let mut pinned = cores_of_workers(&session);
    assert!(pinned.iter().all(|core| core.parse::<u32>().is_ok()), "{pinned:?}");
    pinned.sort();
    pinned.dedup();
    assert_eq!(pinned.len(), cores);
    assert!(is_opening_move(&session.best_move("go depth 8")));
    // No thread is bound if there is one more than cores.
    let warning = session.warning(&format!("setoption name Threads value {}", cores + 1));
    assert!(warning.contains("cannot have a core each"), "{warning}");
    assert_eq!(cores_of_workers(&session), vec![before[0].clone(); cores + 1]);
    session.set(&format!("setoption name Threads value {cores}"));
    assert!(cores_of_workers(&session).iter().all(|core| core.parse::<u32>().is_ok()));
    session.set("setoption name Pin Threads value false");
    assert_eq!(cores_of_workers(&session), vec![before[0].clone(); cores]);
    assert!(is_opening_move(&session.best_move("go depth 8")));
    session.quit();
}

#[test]
fn pinning_respects_the_affinity_of_the_process() {
    let taskset = Command::new("taskset").args(["-c", "1", "true"]).output();
    if !taskset.is_ok_and(|output| output.status.success()) {
        return skip("there is no taskset or no processor 1");
    }
    let mut command = Command::new("taskset");
    command.args(["-c", "1", env!("CARGO_BIN_EXE_sesame")]);
    let mut session = Session::run(command);
    session.send("setoption name NumaPolicy value none");
    session.set("setoption name Pin Threads value true");
    assert_eq!(cores_of_workers(&session), ["1"]);
    let warning = session.warning("setoption name Threads value 2");
    assert!(warning.contains("2 threads cannot have a core each: there are 1"), "{warning}");
    session.quit();
}

#[test]
fn numa_policy_binds_workers_to_groups_of_processors() {
    let mut session = Session::start();
    session.sync();
    let unbound = cores_of_workers(&session)[0].clone();
    if !unbound.starts_with("0-") {
        skip("the processors 0 and 1 are not allowed");
        return session.quit();
    }
    session.send("setoption name Threads value 3\nsetoption name NumaPolicy value 1:0");
    assert_eq!(session.sync(), ["info string threads bound to groups of processors: 2 on 1, 1 on 0"]);
    assert_eq!(cores_of_workers(&session), ["1", "0", "1"]);
    session.send("setoption name NumaPolicy value 0-1");
    assert_eq!(session.sync(), ["info string threads bound to groups of processors: 3 on 0-1"]);
    assert_eq!(cores_of_workers(&session), ["0-1"; 3]);
    session.send("setoption name NumaPolicy value 1:0");
    assert_eq!(session.sync().len(), 1);
    assert!(is_opening_move(&session.best_move("go depth 8")));
    // Nothing depends on the machine in lockstep.
    session.set("setoption name Lockstep value true");
    assert_eq!(cores_of_workers(&session), [unbound.as_str(); 3]);
    session.send("setoption name Lockstep value false");
    assert_eq!(session.sync().len(), 1);
    session.set("setoption name NumaPolicy value none");
    assert_eq!(cores_of_workers(&session), [unbound.as_str(); 3]);
    let warning = session.warning("setoption name NumaPolicy value 0:8191");
    assert!(warning.contains("no processor 8191"), "{warning}");
    let warning = session.warning("setoption name NumaPolicy value 0:0");
    assert!(warning.contains("groups of processors such as"), "{warning}");
    session.quit();
}
