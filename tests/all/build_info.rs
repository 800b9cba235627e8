//! A build names its commit, compiler and target in all its outputs.

use std::path::Path;
use std::process::Command;

use crate::network::small_network;
use crate::support::folder::Folder;
use crate::support::program::{run, succeed, succeed_with_input};
use crate::support::skip;

#[allow(dead_code)]
#[path = "../../build.rs"]
mod script;

fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let user = ["-c", "user.name=Sesame", "-c", "user.email=sesame@localhost", "-c", "commit.gpgsign=false"];
    let mut git = Command::new("git");
    for variable in script::GIT_FOLDERS {
        git.env_remove(variable);
    }
    git.env("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" });
    let output = git.args(user).arg("-C").arg(folder).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

#[test]
fn commits_are_those_of_the_sources() {
    let folder = Folder::new().with("build.rs", b"");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let commit = |below: &str| script::commit(&folder.join(below));
    let git = |arguments: &[&str]| git(folder.path(), arguments);
    if git(&["init", "--quiet"]).is_none() {
        return skip("there is no git");
    }
    assert_eq!(commit("."), None, "nothing is committed");
    git(&["add", "build.rs"]);
    git(&["commit", "--quiet", "--message", "First"]).unwrap();
    let first = git(&["rev-parse", "--short=7", "HEAD"]);
    assert!(first.is_some() && commit(".") == first);
    // Other files do not count, and a package in the folder of a repository has no commit.
    write("notes", "");
    std::fs::create_dir_all(folder.join("package/src")).unwrap();
    write("package/build.rs", "");
    assert_eq!((commit("."), commit("package")), (first.clone(), None));
    write("build.rs", "fn main() {}");
    assert_eq!(commit("."), first.map(|first| first + "-dirty"));
    git(&["commit", "--quiet", "--all", "--message", "Second"]).unwrap();
    assert_eq!(commit("."), git(&["rev-parse", "--short=7", "HEAD"]));
    std::fs::create_dir(folder.join("src")).unwrap();
    write("src/new.rs", "");
    assert!(commit(".").unwrap().ends_with("-dirty"));
}

#[test]
fn the_name_has_version_and_commit() {
    let name = succeed(&["-V"]);
    let commit = name.trim_end().strip_prefix(concat!("Sesame ", env!("CARGO_PKG_VERSION"))).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    match script::commit(folder) {
        None => assert_eq!(commit, ""),
        // The last build may have been before the last commit.
        Some(_) => {
            let commit = commit.strip_prefix(" (").unwrap().strip_suffix(")").unwrap();
            let commit = commit.strip_suffix("-dirty").unwrap_or(commit);
            assert!(git(folder, &["cat-file", "-e", &format!("{commit}^{{commit}}")]).is_some(), "{name}");
        }
    }
}

#[test]
fn outputs_name_the_build() {
    let folder = Folder::new().with("a.pgn", b"1. e4 *\n");
    let [games, log] = ["a.pgn", "log"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    let name = succeed(&["-V"]);
    let name = name.trim_end();
    let facts = succeed(&["compiler"]);
    for part in [&format!("{name}\n"), "rustc 1.", "\nnetwork      : ", "\nbench        : ", std::env::consts::ARCH] {
        assert!(facts.contains(part), "{part} not in {facts}");
    }
    let uci = |commands: &str| succeed_with_input(&["uci"], commands);
    let logged = uci(&format!("setoption name Debug Log File value {log}\n"));
    for (output, wanted) in [
        (succeed(&["--version"]), facts.clone()),
        (uci("compiler\n"), facts),
        (uci("uci\n"), format!("id name {name}\n")),
        (logged + &folder.text("log"), format!(" -- {name}, process ")),
        (succeed_with_input(&["play"], "pgn\n"), format!("[Black \"{name}\"]\n")),
        (run(&["analyse", &games, "--depth", "1"]).1, format!("[Annotator \"{name}, depth 1 per position\"]\n")),
    ] {
        assert!(output.contains(&wanted), "{wanted} not in {output}");
    }
}

#[test]
fn json_begins_with_program_and_schema() {
    let folder = Folder::new().with("a.pgn", b"1. e4 *\n").with("a.epd", b"7k/8/6K1/8/8/8/8/R7 w - - dm 1;\n");
    let [pgn, epd] = ["a.pgn", "a.epd"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    for arguments in [
        &["bench", "1"][..],
        &["speedtest", "1", "1", "1"],
        &["perft", "1"],
        &["analyse", "--depth", "1"],
        &["analyse", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"],
        &["analyse", &pgn, "--depth", "1"],
        &["analyse", &epd, "--depth", "1"],
    ] {
        let (code, output, errors) = run(&[arguments, &["--json"]].concat());
        assert_eq!(code, 0, "{arguments:?}: {errors}");
        let objects: Vec<serde_json::Value> = output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let programs = objects.iter().filter(|object| object["type"] == "program").count();
        let first = &objects[0];
        assert!(programs == 1 && first["schema"] == 1 && objects.len() > 1, "{arguments:?}: {output}");
        assert!(
            first["version"] == env!("CARGO_PKG_VERSION")
                && first["cpu_features"].is_string()
                && first["bench"].is_u64(),
            "{first}"
        );
    }
}

#[test]
fn the_bench_belongs_to_the_embedded_network() {
    let folder = Folder::new().with("small.nnue", &small_network());
    let file = folder.join("small.nnue");
    let first = |arguments: &[&str]| {
        let output = succeed(&[&["bench", "1", "--json"], arguments].concat());
        output.lines().next().unwrap().to_owned()
    };
    let (embedded, other) = (first(&[]), first(&["--eval-file", file.to_str().unwrap()]));
    assert!(!embedded.contains("\"bench\":null") && other.contains("\"bench\":null"), "{embedded}\n{other}");
}
