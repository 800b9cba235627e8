//! The manual pages and the shells' completions, from the real binary.

use std::fs;
use std::process::{Command, Stdio};

use crate::support::folder::Folder;
use crate::support::program::{run, succeed};
use crate::support::skip;

const SUBCOMMANDS: [&str; 10] =
    ["uci", "bench", "speedtest", "analyse", "play", "perft", "scaling", "compiler", "man", "completions"];

#[test]
fn each_subcommand_has_a_manual_page() {
    let folder = Folder::new();
    let path = folder.join("new/man1");
    let output = succeed(&["man", "--out", path.to_str().unwrap()]);
    assert_eq!(output.trim_end(), format!("{} pages in {}", fs::read_dir(&path).unwrap().count(), path.display()));
    let page = |name: &str| fs::read_to_string(path.join(name)).unwrap();
    // Own pages are replaced, and others are not.
    fs::write(path.join("sesame-bench.1"), "my own").unwrap();
    let (code, _, errors) = run(&["man", "--out", path.to_str().unwrap()]);
    assert!(code == 1 && errors.contains("not written by Sesame") && page("sesame-bench.1") == "my own", "{errors}");
    fs::remove_file(path.join("sesame-bench.1")).unwrap();
    succeed(&["man", "--out", path.to_str().unwrap()]);
    assert!(page("sesame.1").contains(".TH sesame 1") && page("sesame-bench.1").contains("MIB"));
    assert_eq!(succeed(&["man"]).trim_end(), page("sesame.1").trim_end());
    // groff accepts the pages without a warning.
    for name in SUBCOMMANDS.map(|name| format!("sesame-{name}.1")) {
        let mut groff = Command::new("groff");
        groff.args(["-man", "-Tutf8", "-ww", "-z"]).arg(path.join(&name)).stdin(Stdio::null());
        let Ok(groff) = groff.output() else { return skip("there is no groff") };
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
    let folder = Folder::new().with("sesame.bash", succeed(&["completions", "bash"]).as_bytes());
    for (words, completion) in
        [("sesame ben", "bench"), ("sesame bench --lock", "--lockstep"), ("sesame compl", "completions")]
    {
        let last = words.split(' ').count() - 1;
        let script = format!(
            "source '{}'; COMP_WORDS=({words}); COMP_CWORD={last}; _sesame sesame \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; \
             echo \"${{COMPREPLY[@]}}\"",
            folder.join("sesame.bash").display()
        );
        let output = Command::new("bash").args(["--norc", "-c", &script]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), completion, "{output:?}");
    }
}

#[test]
fn each_shell_has_completions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = succeed(&["completions", shell]);
        assert!(SUBCOMMANDS.iter().all(|name| text.contains(name)) && text.contains("lockstep"), "{shell}");
    }
    assert_eq!(run(&["completions", "csh"]).0, 2);
}
