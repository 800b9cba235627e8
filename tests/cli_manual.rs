//! The manual pages and the shells' completions, from the real binary.

mod support;

use std::fs;
use std::process::{Command, Output, Stdio};

use support::folder::Folder;

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sesame")).args(arguments).output().unwrap()
}

/// What comes on the standard output when all is well.
fn succeed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The subcommands as `--help` has them.
fn subcommands() -> Vec<String> {
    let help = succeed(&["--help"]);
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names: Vec<String> = lines
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect();
    assert!(names.len() > 8, "{help}");
    names
}

#[test]
fn there_is_a_page_for_each_subcommand() {
    let folder = Folder::new("man");
    let path = folder.0.join("new/man1");
    let told = succeed(&["man", "--out", path.to_str().unwrap()]);
    let names = || fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(told.trim_end(), format!("{} pages in {}", names().count(), path.display()));
    for name in subcommands() {
        assert!(path.join(format!("sesame-{name}.1")).is_file(), "{name}");
    }
    let main = fs::read_to_string(path.join("sesame.1")).unwrap();
    assert!(main.contains(".TH sesame 1") && main.contains("speaks UCI"), "{main}");
    let bench = fs::read_to_string(path.join("sesame-bench.1")).unwrap();
    assert!(bench.contains("lockstep") && bench.contains("MIB"), "{bench}");

    // What typesets pages has nothing to complain about.
    for name in names() {
        let page = path.join(&name);
        let groff = Command::new("groff").args(["-man", "-Tutf8", "-ww", "-z"]).arg(page).stdin(Stdio::null()).output();
        let Ok(groff) = groff else {
            eprintln!("no groff here: the pages are not set");
            return;
        };
        assert!(groff.status.success() && groff.stderr.is_empty(), "{name}: {groff:?}");
    }
}

#[test]
fn pages_that_cannot_be_written_are_a_failure() {
    let folder = Folder::new("man-refused");
    let file = folder.0.join("file");
    fs::write(&file, "in the way").unwrap();
    let output = run(&["man", "--out", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("file"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn bash_completes_subcommands_and_options() {
    let folder = Folder::new("completions");
    let file = folder.0.join("sesame.bash");
    fs::write(&file, succeed(&["completions", "bash"])).unwrap();
    let complete = |words: &str| {
        let last = words.split(' ').count() - 1;
        let script = format!(
            "source '{}'; COMP_WORDS=({words}); COMP_CWORD={last}; _sesame sesame \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; \
             echo \"${{COMPREPLY[@]}}\"",
            file.display()
        );
        let output = Command::new("bash").args(["--norc", "-c", &script]).output().unwrap();
        assert!(output.status.success(), "{words}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    };
    assert_eq!(complete("sesame ben"), "bench");
    assert_eq!(complete("sesame bench --lock"), "--lockstep");
    assert_eq!(complete("sesame comp"), "completions");
}

#[test]
fn other_shells_and_none() {
    for shell in ["zsh", "fish", "powershell", "elvish"] {
        assert!(succeed(&["completions", shell]).contains("perft"), "{shell}");
    }
    assert_eq!(run(&["completions", "csh"]).status.code(), Some(2));
}
