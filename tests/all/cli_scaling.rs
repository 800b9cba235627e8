//! `sesame scaling` on a small scale.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::PATIENCE;
use crate::support::folder::Folder;
use crate::support::program::{output_in_time, sesame};

/// Two positions, one with a solution, and a malformed line.
const POSITIONS: &str = "# two\n\
    r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - bm Nb3; id \"BK.18\";\n\
    8/2k5/p1p2n2/1p1p1pp1/3P4/1PP1KPN1/P5P1/8 w - - 0 1\n\
    nonsense\n";

/// A folder with the positions, in which the program runs.
fn folder() -> Folder {
    Folder::new().with("two.epd", POSITIONS.as_bytes())
}

/// Returns a run in `folder` with its results in a folder `out` there.
fn command(folder: &Folder, options: &str) -> Command {
    let mut command = sesame();
    command.current_dir(folder.path()).args(["scaling", "--out", "out", "--hash", "1"]);
    if !options.contains("--page") {
        command.args(["--wait-for-quiet", "0"]);
    }
    command.args(options.split_whitespace());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(folder: &Folder, options: &str) -> Output {
    command(folder, options).output().unwrap()
}

fn succeed(folder: &Folder, options: &str) -> String {
    let output = run(folder, options);
    assert!(output.status.success(), "{options}: {}", message(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn message(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!text.contains("panicked"), "{text}");
    text
}

const SIMULATION: &str = "--positions two.epd --simulate 1,2,5 --nodes 3000";

#[test]
fn simulations_are_repeatable_and_resume() {
    let folder = folder();
    let tables = succeed(&folder, &format!("{SIMULATION} --jobs 1"));
    assert!(tables.contains("speed-up") && tables.contains("Simulated"), "{tables}");
    let first = folder.text("out/simulated.csv");
    assert_eq!(first.lines().filter(|line| line.starts_with("lockstep,")).count(), 6, "{first}");
    assert!(first.contains("BK.18") && first.contains("line-3"), "{first}");
    succeed(&folder, &format!("{SIMULATION} --jobs 2 --force"));
    assert_eq!(folder.text("out/simulated.csv"), first);

    // A run that was killed within a line resumes there.
    let lines: Vec<&str> = first.split_inclusive('\n').collect();
    let (head, rows) = lines.split_at(lines.len() - 6);
    let cut = format!("{}{}{}", head.concat(), rows[4], &rows[1][..20]);
    fs::write(folder.join("out/simulated.csv"), cut).unwrap();
    succeed(&folder, &format!("{SIMULATION} --resume"));
    assert_eq!(folder.text("out/simulated.csv"), first);
    assert!(!run(&folder, &format!("{SIMULATION} --resume --hash 2")).status.success());
    assert!(!run(&folder, SIMULATION).status.success(), "existing results are kept");
    assert_eq!(folder.text("out/simulated.csv"), first);

    let page = folder.text("out/README.md");
    for part in ["## Simulated", "simulated.svg", "BK.18"] {
        assert!(page.contains(part), "{part} not in\n{page}");
    }
    let html = folder.text("out/report.html");
    assert!(html.contains("<svg") && !html.contains("<img") && !html.contains("src="), "the page is self-contained");
}

#[test]
fn real_threads_beside_the_simulation() {
    let folder = folder();
    succeed(&folder, SIMULATION);
    let output = run(&folder, "--positions two.epd --threads 2 --rounds 2 --time 0.2");
    assert!(output.status.success(), "{}", message(&output));
    assert!(message(&output).contains("line 4 is left out"), "{}", message(&output));
    let rows = folder.text("out/real.csv");
    let count = |run: &str| rows.lines().filter(|line| line.starts_with(run)).count();
    assert_eq!((count("depth,"), count("solution,")), (8, 4), "{rows}");
    let page = folder.text("out/README.md");
    for part in ["## Real threads", "### Solutions", "## The simulation beside real threads", "both.svg", "cores had"] {
        assert!(page.contains(part), "{part} not in\n{page}");
    }
    // The report can be made again from the results alone.
    fs::remove_file(folder.join("out/README.md")).unwrap();
    succeed(&folder, "--page");
    assert_eq!(folder.text("out/README.md"), page);
}

#[test]
fn results_survive_a_kill() {
    let folder = folder().with("plain.epd", POSITIONS.replace("bm Nb3; ", "").as_bytes());
    // A thousand rounds of 100,000 nodes for each of four searches: far more than is searched before the kill.
    let options = "--positions plain.epd --threads 1,2 --rounds 1000 --nodes 100000";
    let mut child = command(&folder, options).spawn().unwrap();
    let start = Instant::now();
    while folder.text("out/real.csv").matches("\ndepth,").count() < 4 {
        assert!(start.elapsed() < PATIENCE, "{}", folder.text("out/real.csv"));
        sleep(Duration::from_millis(5));
    }
    assert!(child.try_wait().unwrap().is_none(), "the kill comes in the middle");
    child.kill().unwrap();
    child.wait().unwrap();
    let tables = succeed(&folder, "--page");
    assert!(tables.contains("time to depth"), "{tables}");
    assert!(!folder.text("out/report.html").is_empty());
}

#[test]
fn wrong_arguments_are_reported_before_the_first_search() {
    let folder = folder().with("empty.epd", b"# nothing\n").with("bad.epd", b"hello\nworld\n").with("file", b"");
    // Should a search begin, it takes a day, and the watchdog ends it.
    let long = "--time 86400 --threads 1 --wait-for-quiet 0";
    for (options, part) in [
        (format!("{long} --positions empty.epd"), "no position"),
        (format!("{long} --positions bad.epd"), "line 1"),
        (format!("{long} --positions missing.epd"), "missing.epd"),
        (format!("{long} --positions ."), "error: .: "),
        (format!("{long} --out file/out"), "file/out"),
        (format!("{long} --hash 33554432"), "a table of"),
        ("--page".to_owned(), "neither"),
    ] {
        let mut command = sesame();
        command.current_dir(folder.path()).arg("scaling").args(options.split_whitespace());
        let output = output_in_time(command);
        let errors = message(&output);
        assert_eq!(output.status.code(), Some(1), "{options}: {errors}");
        assert!(errors.contains("error: ") && errors.contains(part), "{options}: {errors}");
        assert_eq!(folder.text("scaling/real.csv"), "", "{options}");
    }
}
