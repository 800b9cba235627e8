//! The experiment of 1994 on a small scale, by the real program: two table sizes, 5 plies; and the fate of
//! its results file.
//!
//! The figures in `tests/data/small_experiment.csv` come from
//! `sesame-lab run --sizes 8K,64K --depths 5 --out tests/data/small_experiment.csv`.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

const FIGURES: &str = include_str!("data/small_experiment.csv");

/// A results file of its own for each test.
struct Results {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Results {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { path: folder.path().join("results.csv"), _folder: folder }
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.path).unwrap_or_default()
    }

    fn command(&self, options: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sesame-lab"));
        command.args(["run", "--out"]).arg(&self.path).args(options.split_whitespace());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, options: &str) -> Output {
        self.command(options).output().unwrap()
    }
}

fn assert_success(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "no progress without a terminal: {}", String::from_utf8_lossy(&output.stderr));
}

/// The committed figures of these series, with both heading lines.
fn figures(wanted: impl Fn(&str) -> bool) -> String {
    FIGURES
        .lines()
        .enumerate()
        .filter(|(index, line)| *index < 2 || wanted(line))
        .map(|(_, line)| format!("{line}\n"))
        .collect()
}

#[test]
fn the_small_experiment_gives_the_committed_figures() {
    let results = Results::new();
    assert_success(&results.run("--sizes 8K,64K --depths 5"));
    assert!(results.text() == FIGURES, "{} differs from tests/data/small_experiment.csv", results.text());
}

#[test]
fn killed_and_resumed_gives_the_same_file() {
    let results = Results::new();
    let options = "--sizes 8K --depths 5 --schemes none,DEEP,TWOBIG1 --jobs 1";
    let expected = figures(|line| {
        line.starts_with("none,")
            || line.contains(",8192,") && (line.starts_with("DEEP,") || line.starts_with("TWOBIG1,"))
    });
    for lines in [6, 25, 60] {
        let mut child = results.command(&format!("{options} --resume")).spawn().unwrap();
        while results.text().lines().count() < lines && child.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(2));
        }
        // SIGKILL: the program cannot put anything in order.
        child.kill().unwrap();
        child.wait().unwrap();
        // A kill in the middle of a write cuts off the last line. The file is cut even if the run was
        // complete by then.
        let text = results.text();
        let cut = text.match_indices('\n').nth(lines - 1).map_or(text.len(), |(end, _)| end) - 3;
        fs::write(&results.path, &text[..cut]).unwrap();
        assert!(!results.run(options).status.success(), "without --resume the file is left alone");
    }
    assert_success(&results.run(&format!("{options} --resume")));
    assert!(results.text() == expected, "{}", results.text());
    // Complete, it stays as it is.
    assert_success(&results.run(&format!("{options} --resume")));
    assert!(results.text() == expected);
}

#[test]
fn foreign_and_damaged_files_are_refused() {
    let results = Results::new();
    let options = "--sizes 8K --depths 3 --schemes NEW";
    let foreign = figures(|_| true).replacen("1 alibaba 1 ", "1 alibaba 9 ", 1);
    let other_positions = FIGURES.replacen("alibaba 1 ", "alibaba 1 0123456789abcdef ", 1);
    let damaged = FIGURES.replacen(",8192,", ",8192x,", 1);
    for text in ["nonsense\n", foreign.as_str(), other_positions.as_str(), damaged.as_str()] {
        fs::write(&results.path, text).unwrap();
        for options in [options.to_owned(), format!("{options} --resume")] {
            let output = results.run(&options);
            assert_eq!(output.status.code(), Some(1), "{options}");
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(message.starts_with("error: ") && !message.contains("panicked"), "{message}");
            assert_eq!(results.text(), text, "it is left as it was");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_device_is_no_results_file() {
    let output = Command::new(env!("CARGO_BIN_EXE_sesame-lab"))
        .args(["run", "--depths", "3", "--schemes", "none", "--resume", "--out", "/dev/full"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: "), "{output:?}");
}

#[test]
fn bad_options_are_bad_usage() {
    let results = Results::new();
    for options in ["--sizes 7", "--sizes 0K", "--depths 8..3", "--schemes BIG2", "--stamping perhaps", "--jobs 0"] {
        assert_eq!(results.run(options).status.code(), Some(2), "{options}");
    }
    assert!(!results.path.exists());
}

#[test]
fn old_options_keep_working_with_a_notice() {
    for (subcommand, old, new) in [
        ("run", "--output", "--out"),
        ("run", "--threads", "--jobs"),
        ("report", "--output", "--out"),
        ("crowding", "--output", "--out"),
    ] {
        let output =
            Command::new(env!("CARGO_BIN_EXE_sesame-lab")).args([subcommand, old, "1", "--help"]).output().unwrap();
        let notice = format!("{old} is now {new}; the old form keeps working in this version\n");
        assert!(output.status.success() && output.stderr == notice.as_bytes(), "{output:?}");
    }
}

#[test]
fn a_report_needs_the_source_or_a_named_folder() {
    let folder = tempfile::tempdir().unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_sesame-lab")).current_dir(folder.path()).arg("report").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        message.starts_with("error: there is no folder docs/") && message.trim_end().ends_with("--out"),
        "{message}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_page_that_cannot_be_replaced_is_refused_before_the_measurement() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("pages/crowding.md")).unwrap();
    let named = ["crowding", "--depth", "20", "--out", "pages"];
    let output =
        Command::new(env!("CARGO_BIN_EXE_sesame-lab")).current_dir(folder.path()).args(named).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

/// Neither report nor run replaces a file of someone else. The own ones are replaced.
#[test]
fn files_of_others_stay() {
    let results = Results::new();
    fs::write(&results.path, FIGURES).unwrap();
    let pages = results.path.with_file_name("pages");
    let report = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sesame-lab"));
        command.args(["report", "--results"]).arg(&results.path).arg("--out").arg(&pages).output().unwrap()
    };
    let names = || fs::read_dir(&pages).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let is_refused = |output: &Output| {
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        output.status.code() == Some(1) && message.contains("it was not written by Sesame")
    };
    assert_success(&report());
    assert_success(&report());
    assert!(names().len() >= 5, "{:?}", names());
    for path in names() {
        let page = fs::read(&path).unwrap();
        fs::write(&path, "my own").unwrap();
        assert!(is_refused(&report()), "{}", path.display());
        assert_eq!(fs::read(&path).unwrap(), b"my own");
        fs::write(&path, page).unwrap();
    }
    fs::remove_file(&results.path).unwrap();
    let record = results.path.with_extension("csv.meta");
    fs::write(&record, "my own").unwrap();
    assert!(is_refused(&results.run("--sizes 8K --depths 3 --schemes NEW")) && !results.path.exists());
    assert_eq!(fs::read(&record).unwrap(), b"my own");
}
