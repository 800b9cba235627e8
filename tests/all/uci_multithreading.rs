//! Many threads, more than there are cores, and fewer than were asked for: what the real binary makes of them.

#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{available_parallelism, sleep};
use std::time::{Duration, Instant};

use support::{Session, best_move, is_opening_move};

/// These tests measure time, so they run one after the other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The processor time that the process has used, in hundredths of a second: user and system, fields 14 and 15 of `stat`.
fn processor_time(session: &Session) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", session.id())).unwrap();
    // The name before is in brackets and may hold anything.
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

/// The cores that each worker thread may use, in the order of the workers' numbers.
fn cores_of_workers(session: &Session) -> Vec<String> {
    let mut workers: Vec<(usize, String)> = fs::read_dir(format!("/proc/{}/task", session.id()))
        .unwrap()
        .filter_map(|task| {
            let status = fs::read_to_string(task.unwrap().path().join("status")).ok()?;
            let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
            let worker = field("Name:")?.strip_prefix("worker-")?.parse().ok()?;
            Some((worker, field("Cpus_allowed_list:")?.to_owned()))
        })
        .collect();
    workers.sort();
    workers.into_iter().map(|(_, cores)| cores).collect()
}

/// Whether this user may run `command`; if not, the test says that it was skipped.
fn can_run(test: &str, command: &str, arguments: &[&str]) -> bool {
    let mut run = Command::new(command);
    run.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let can = run.status().is_ok_and(|status| status.success());
    if !can {
        eprintln!("{test}: skipped, as this system cannot run {command} {arguments:?}");
    }
    can
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[test]
fn threads_that_have_nothing_to_do_use_no_processor() {
    let _alone = alone();
    let mut session = Session::start();
    session.send("setoption name Threads value 64");
    let idle = |session: &mut Session, when: &str| {
        // What the last search leaves to do is done at once.
        sleep(Duration::from_millis(300));
        let before = processor_time(session);
        sleep(Duration::from_secs(1));
        let used = processor_time(session) - before;
        assert!(used <= 1, "{when}: {used} hundredths of a second");
    };
    session.sync();
    idle(&mut session, "before a search");
    session.search("go movetime 200");
    idle(&mut session, "after a search");
    // Searches that end by themselves and hold their move.
    for (position, go) in [
        ("startpos", "go infinite depth 3"),
        ("startpos", "go ponder depth 3"),
        ("fen 7k/8/8/8/8/8/8/K6r w - - 0 1", "go infinite depth 5"),
        ("fen rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "go infinite"),
    ] {
        session.send(&format!("position {position}\n{go}"));
        session.never("bestmove", Duration::from_millis(500));
        idle(&mut session, go);
        session.send("stop");
        session.until("bestmove");
    }
    session.quit();
}

/// How long it takes from `stop` to `bestmove`, and `go movetime 100`, with so many threads.
fn answer_times(session: &mut Session, threads: usize) -> (Duration, Duration) {
    session.send(&format!("setoption name Threads value {threads}"));
    session.sync();
    let (mut stops, mut searches) = (Vec::new(), Vec::new());
    for _ in 0..9 {
        session.send("go infinite");
        session.until("info");
        sleep(Duration::from_millis(30));
        let told = Instant::now();
        session.send("stop");
        session.until("bestmove");
        stops.push(told.elapsed());
        let go = Instant::now();
        session.search("go movetime 100");
        searches.push(go.elapsed());
    }
    (median(stops), median(searches))
}

#[test]
fn more_threads_than_cores_answer_in_time() {
    let _alone = alone();
    let mut session = Session::start();
    // What this machine is like at the moment: other programs may be running.
    let (stop, search) = answer_times(&mut session, available_parallelism().unwrap().get());
    for threads in [64, 256] {
        let (crowded_stop, crowded_search) = answer_times(&mut session, threads);
        // Far more than it takes on a quiet machine (`examples/latency.rs`), less than where all threads run at once.
        let (stop_at_most, search_at_most) =
            (stop * 4 + Duration::from_millis(40), search * 2 + Duration::from_millis(150));
        assert!(crowded_stop < stop_at_most, "{threads} threads: {crowded_stop:?} from stop to bestmove");
        assert!(crowded_search < search_at_most, "{threads} threads: {crowded_search:?} with movetime 100");
    }
    session.quit();
}

#[test]
fn all_of_more_threads_than_cores_get_their_turn() {
    let _alone = alone();
    let mut session = Session::start();
    session.send("setoption name Threads value 12");
    // A limit that no thread alone would reach much before the others: 12 turns and more for each.
    let lines = session.search("go nodes 600000");
    assert!(is_opening_move(best_move(&lines)));
    let switches = |task: fs::DirEntry| {
        let status = fs::read_to_string(task.path().join("status")).unwrap();
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let worker = field("Name:").unwrap().starts_with("worker-");
        worker.then(|| field("voluntary_ctxt_switches:").unwrap().parse::<u64>().unwrap())
    };
    let tasks = fs::read_dir(format!("/proc/{}/task", session.id())).unwrap();
    let slept: Vec<u64> = tasks.filter_map(|task| switches(task.unwrap())).collect();
    if available_parallelism().unwrap().get() < 12 {
        assert!(slept.len() == 12 && slept.iter().all(|&times| times > 5), "{slept:?}");
    }
    session.quit();
}

#[test]
fn threads_changed_hundreds_of_times() {
    let _alone = alone();
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
            // In the middle of a search, the change waits.
            session.send("go infinite\nsetoption name Threads value 3\nsetoption name Threads value 40\nstop");
            session.until("bestmove");
            // `readyok` may come while the end of the search is still being told, and the change after it.
            let patience = Instant::now();
            while cores_of_workers(&session).len() != 40 {
                assert!(patience.elapsed() < Duration::from_secs(20), "{:?}", cores_of_workers(&session));
                session.sync();
                sleep(Duration::from_millis(1));
            }
        }
    }
    session.quit();
}

/// Asks for more threads than there can be, and plays on with what there is.
fn plays_on_with_fewer_threads(session: &mut Session, wanted: usize) {
    let complaint = session.complaint(&format!("setoption name Threads value {wanted}"));
    let granted: usize = complaint
        .strip_prefix("the system granted ")
        .and_then(|rest| rest.strip_suffix(&format!(" of {wanted} threads; playing on with those")))
        .and_then(|number| number.parse().ok())
        .unwrap_or_else(|| session.fail(&complaint));
    assert!((1..wanted).contains(&granted), "{complaint}");
    assert_eq!(cores_of_workers(session).len(), granted);
    for _ in 0..3 {
        assert!(is_opening_move(&session.best_move("go movetime 100")));
    }
    session.send("setoption name Threads value 1");
    assert_eq!(session.sync(), Vec::<String>::new());
    assert!(is_opening_move(&session.best_move("go depth 6")));
}

#[test]
fn threads_that_the_address_space_has_no_room_for() {
    let _alone = alone();
    // Each thread needs 8 MiB for its stack, and room for its memory.
    for kib in [600_000, 900_000] {
        let mut session = Session::start_within(kib);
        plays_on_with_fewer_threads(&mut session, 512);
        session.quit();
    }
}

#[test]
fn threads_that_the_user_may_not_have() {
    let _alone = alone();
    // The limit counts all processes of the user and does not bind root, so another user is needed, of whom there are no others.
    let user = "54321";
    let binary = env!("CARGO_BIN_EXE_sesame");
    let identity = ["--reuid", user, "--regid", user, "--clear-groups"];
    let arguments = [&identity[..], &["prlimit", "--nproc=12", binary, "perft", "1"]].concat();
    if !can_run("threads_that_the_user_may_not_have", "setpriv", &arguments) {
        return;
    }
    let mut command = Command::new("setpriv");
    command.args(identity).args(["prlimit", "--nproc=12", binary]);
    let mut session = Session::run(command);
    plays_on_with_fewer_threads(&mut session, 64);
    session.quit();
}

#[test]
fn pinned_threads_have_a_core_each_and_get_them_all_back() {
    let _alone = alone();
    let cores = available_parallelism().unwrap().get();
    let mut session = Session::start();
    session.sync();
    let before = cores_of_workers(&session);
    session.send(&format!("setoption name Threads value {cores}\nsetoption name Pin Threads value true"));
    assert_eq!(session.sync(), Vec::<String>::new());
    let mut pinned = cores_of_workers(&session);
    assert!(pinned.iter().all(|core| core.parse::<u32>().is_ok()), "{pinned:?}");
    pinned.sort();
    pinned.dedup();
    assert_eq!(pinned.len(), cores);
    assert!(is_opening_move(&session.best_move("go depth 8")));
    // One more than there are cores: nobody is bound.
    let complaint = session.complaint(&format!("setoption name Threads value {}", cores + 1));
    assert!(complaint.contains("stay unbound"), "{complaint}");
    assert_eq!(cores_of_workers(&session), vec![before[0].clone(); cores + 1]);
    session.send(&format!("setoption name Threads value {cores}"));
    assert_eq!(session.sync(), Vec::<String>::new());
    assert!(cores_of_workers(&session).iter().all(|core| core.parse::<u32>().is_ok()));
    session.send("setoption name Pin Threads value false");
    assert_eq!(session.sync(), Vec::<String>::new());
    assert_eq!(cores_of_workers(&session), vec![before[0].clone(); cores]);
    assert!(is_opening_move(&session.best_move("go depth 8")));
    session.quit();
}

#[test]
fn only_cores_that_the_process_may_use_are_pinned_to() {
    let _alone = alone();
    if !can_run("only_cores_that_the_process_may_use_are_pinned_to", "taskset", &["-c", "1", "true"]) {
        return;
    }
    let mut command = Command::new("taskset");
    command.args(["-c", "1", env!("CARGO_BIN_EXE_sesame")]);
    let mut session = Session::run(command);
    session.send("setoption name Pin Threads value true");
    assert_eq!(session.sync(), Vec::<String>::new());
    assert_eq!(cores_of_workers(&session), ["1"]);
    let complaint = session.complaint("setoption name Threads value 2");
    assert!(complaint.contains("2 threads cannot be bound to 1 cores"), "{complaint}");
    session.quit();
}
