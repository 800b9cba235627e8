//! The manual pages and the shells' completions, from the real binary.

use std::fs;
use std::process::{Command, Stdio};

use crate::support::folder::Folder;
use crate::support::program::{run, succeed};

/// Returns the subcommands that `--help` lists.
fn subcommands() -> Vec<String> {
    let help = succeed(&["--help"]);
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names: Vec<String> = lines
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect();
    assert!(names.len() >= 8, "{help}");
    names
}

#[test]
fn each_subcommand_has_a_manual_page() {
    let folder = Folder::new();
    let path = folder.join("new/man1");
    let output = succeed(&["man", "--out", path.to_str().unwrap()]);
    let names = || fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(output.trim_end(), format!("{} pages in {}", names().count(), path.display()));
    for name in subcommands() {
        assert!(path.join(format!("sesame-{name}.1")).is_file(), "{name}");
    }
    let main = fs::read_to_string(path.join("sesame.1")).unwrap();
    assert!(main.contains(".TH sesame 1") && main.contains("UCI protocol"), "{main}");
    let bench = fs::read_to_string(path.join("sesame-bench.1")).unwrap();
    assert!(bench.contains("lockstep") && bench.contains("MIB"), "{bench}");

    // groff accepts the pages without a warning.
    for name in names() {
        let page = path.join(&name);
        let groff = Command::new("groff").args(["-man", "-Tutf8", "-ww", "-z"]).arg(page).stdin(Stdio::null()).output();
        let Ok(groff) = groff else {
            eprintln!("skipped: no groff");
            return;
        };
        assert!(groff.status.success() && groff.stderr.is_empty(), "{name}: {groff:?}");
    }
}

#[test]
fn unwritable_pages_are_a_failure() {
    let folder = Folder::new().with("occupied", b"");
    let (code, output, errors) = run(&["man", "--out", folder.join("occupied").to_str().unwrap()]);
    assert!(code == 1 && errors.contains("occupied"), "{output}{errors}");
}

#[cfg(unix)]
#[test]
fn bash_completes_subcommands_and_options() {
    let folder = Folder::new();
    let file = folder.join("sesame.bash");
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
    assert_eq!(complete("sesame compl"), "completions");
}

#[test]
fn completions_for_other_shells() {
    for shell in ["zsh", "fish", "powershell", "elvish"] {
        assert!(succeed(&["completions", shell]).contains("perft"), "{shell}");
    }
    assert_eq!(run(&["completions", "csh"]).0, 2);
}
