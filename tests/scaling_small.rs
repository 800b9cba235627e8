//! `sesame scaling` on a small scale, by the real program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Two positions, one with a solution, and lines that are none.
const POSITIONS: &str = "# two\n\
    r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - bm Nb3; id \"BK.18\";\n\
    8/2k5/p1p2n2/1p1p1pp1/3P4/1PP1KPN1/P5P1/8 w - - 0 1\n\
    nonsense\n";

/// A folder of its own for each test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("scaling-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("two.epd"), POSITIONS).unwrap();
        Self(path)
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).unwrap_or_default()
    }

    /// Runs in this folder, the results going to a folder `out` in it.
    fn command(&self, options: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sesame"));
        command.current_dir(&self.0).args(["scaling", "--out", "out", "--hash", "1"]).args(options.split_whitespace());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, options: &str) -> Output {
        self.command(options).output().unwrap()
    }

    fn run_well(&self, options: &str) -> String {
        let output = self.run(options);
        assert!(output.status.success(), "{options}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn message(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!text.contains("panicked"), "{text}");
    text
}

const SIMULATION: &str = "--positions two.epd --simulate 1,2,5 --nodes 3000";

#[test]
fn a_simulation_gives_the_same_file_each_time_whatever_the_jobs() {
    let folder = Folder::new("same");
    let tables = folder.run_well(&format!("{SIMULATION} --jobs 1"));
    assert!(tables.contains("speed-up") && tables.contains("Simulated"), "{tables}");
    let first = folder.text("out/simulated.csv");
    assert_eq!(first.lines().filter(|line| line.starts_with("lockstep,")).count(), 6, "{first}");
    assert!(first.contains("BK.18") && first.contains("line-3"), "{first}");
    folder.run_well(&format!("{SIMULATION} --jobs 2 --force"));
    assert_eq!(folder.text("out/simulated.csv"), first);

    // Killed in the middle of a line, it goes on where it was.
    let lines: Vec<&str> = first.split_inclusive('\n').collect();
    let (head, rows) = lines.split_at(lines.len() - 6);
    let cut = format!("{}{}{}", head.concat(), rows[4], &rows[1][..20]);
    fs::write(folder.0.join("out/simulated.csv"), cut).unwrap();
    folder.run_well(&format!("{SIMULATION} --resume"));
    assert_eq!(folder.text("out/simulated.csv"), first);
    assert!(!folder.run(&format!("{SIMULATION} --resume --hash 2")).status.success());
    assert!(!folder.run(SIMULATION).status.success(), "results are not lost");
    assert_eq!(folder.text("out/simulated.csv"), first);

    let page = folder.text("out/README.md");
    for part in ["## Simulated", "simulated.svg", "BK.18", "another's"] {
        assert!(page.contains(part), "{part} not in\n{page}");
    }
    let html = folder.text("out/report.html");
    assert!(html.contains("<svg") && !html.contains("<img") && !html.contains("src="), "it needs nothing else");
}

#[test]
fn real_threads_and_the_simulation_beside_them() {
    let folder = Folder::new("real");
    folder.run_well(SIMULATION);
    let output = folder.run("--positions two.epd --threads 2 --rounds 2 --time 0.2");
    assert!(output.status.success(), "{}", message(&output));
    assert!(message(&output).contains("line 4 is left out"), "{}", message(&output));
    let rows = folder.text("out/real.csv");
    let count = |run: &str| rows.lines().filter(|line| line.starts_with(run)).count();
    assert_eq!((count("depth,"), count("solution,"), count("table,")), (8, 4, 4), "{rows}");
    let page = folder.text("out/README.md");
    for part in ["## Real threads", "### Solutions", "## The simulation beside real threads", "both.svg", "cores had"] {
        assert!(page.contains(part), "{part} not in\n{page}");
    }
    // The report can be made again from the results alone.
    fs::remove_file(folder.0.join("out/README.md")).unwrap();
    folder.run_well("--page");
    assert_eq!(folder.text("out/README.md"), page);
}

#[test]
fn what_was_seen_survives_a_kill() {
    let folder = Folder::new("kill");
    fs::write(folder.0.join("plain.epd"), POSITIONS.replace("bm Nb3; ", "")).unwrap();
    let mut child = folder.command("--positions plain.epd --threads 1,2 --rounds 1000 --nodes 2000").spawn().unwrap();
    let start = Instant::now();
    while folder.text("out/real.csv").lines().count() < 16 && start.elapsed() < Duration::from_secs(60) {
        sleep(Duration::from_millis(5));
    }
    assert!(child.try_wait().unwrap().is_none(), "it was killed in the middle");
    child.kill().unwrap();
    child.wait().unwrap();
    let tables = folder.run_well("--page");
    assert!(tables.contains("time to depth"), "{tables}");
    assert!(!folder.text("out/report.html").is_empty());
}

#[test]
fn mistakes_are_told_before_anything_is_searched() {
    let folder = Folder::new("mistakes");
    fs::write(folder.0.join("empty.epd"), "# nothing\n").unwrap();
    fs::write(folder.0.join("bad.epd"), "hello\nworld\n").unwrap();
    fs::write(folder.0.join("file"), "").unwrap();
    let long = "--time 60 --threads 1";
    for (options, part) in [
        (format!("{long} --positions empty.epd"), "no position"),
        (format!("{long} --positions bad.epd"), "line 1"),
        (format!("{long} --positions missing.epd"), "missing.epd"),
        (format!("{long} --positions ."), "error: .: "),
        (format!("{long} --out file/out"), "file/out"),
        (format!("{long} --hash 33554432"), "a table of"),
        ("--page".to_owned(), "neither"),
    ] {
        let start = Instant::now();
        let mut command = Command::new(env!("CARGO_BIN_EXE_sesame"));
        command.current_dir(&folder.0).arg("scaling").args(options.split_whitespace()).stdin(Stdio::null());
        let output = command.output().unwrap();
        let told = message(&output);
        assert_eq!(output.status.code(), Some(1), "{options}: {told}");
        assert!(told.contains("error: ") && told.contains(part), "{options}: {told}");
        assert!(start.elapsed() < Duration::from_secs(20), "{options}");
    }
}
