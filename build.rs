//! Build script: generates the Zobrist keys with `rand_xoshiro`, which cannot run in a constant, and finds out what the build is.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use rand_xoshiro::Xoshiro256StarStar;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The seed. Saved tables depend on the keys.
const SEED: u64 = 0x005E_5A3E;

/// The files and folders from which the engine is built.
const SOURCES: [&str; 9] = [
    "build.rs",
    "Cargo.toml",
    "Cargo.lock",
    "networks",
    "src",
    "crates/command/src",
    "crates/files/src",
    "crates/report/src",
    "crates/table/src",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    write_keys();
    set_facts();
}

/// Sets the variables that `src/engine/build_info.rs` reads.
fn set_facts() {
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let folder = variable("CARGO_MANIFEST_DIR");
    let (folder, profile) = (Path::new(&folder), variable("PROFILE"));
    let commit = commit(folder);
    let suffix = commit.as_ref().map_or_else(String::new, |commit| format!(" ({commit})"));
    for (name, value) in [
        ("VERSION", variable("CARGO_PKG_VERSION") + &suffix),
        ("COMPILER", output_of(Command::new(variable("RUSTC")).arg("--version")).unwrap_or_default()),
        ("TARGET", variable("TARGET")),
        ("CPU_FEATURES", variable("CARGO_CFG_TARGET_FEATURE").replace(',', " ")),
        ("PROFILE", format!("{profile}, optimisation level {}", variable("OPT_LEVEL"))),
        ("COMMIT", commit.unwrap_or_default()),
    ] {
        println!("cargo::rustc-env=SESAME_{name}={value}");
    }
    // Each commit, checkout and reset is in the log of HEAD.
    let git_files =
        ["HEAD", "logs/HEAD"].into_iter().filter_map(|name| git(folder, &["rev-parse", "--git-path", name]));
    // A debug build would be slower if each change of a test ran this script: there, only what has changed when it runs is found.
    let sources = SOURCES.into_iter().filter(|_| profile == "release").map(str::to_owned);
    // A file that is missing would run this script in every build.
    for file in git_files.chain(sources).filter(|file| folder.join(file).exists()) {
        println!("cargo::rerun-if-changed={file}");
    }
}

/// Returns the commit of the sources in `folder`, with `-dirty` if they have changed since. A package or an archive has none, also
/// below the folder of another repository.
pub fn commit(folder: &Path) -> Option<String> {
    git(folder, &["ls-files", "--error-unmatch", "build.rs"])?;
    let commit = git(folder, &["rev-parse", "--short=7", "HEAD"])?;
    let changes = git(folder, &[&["status", "--porcelain", "--"], &SOURCES[..]].concat())?;
    Some(commit + if changes.is_empty() { "" } else { "-dirty" })
}

pub const GIT_FOLDERS: [&str; 3] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];

fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let mut git = Command::new("git");
    // Hooks of git set these: they would lead away from the folder.
    for variable in GIT_FOLDERS {
        git.env_remove(variable);
    }
    output_of(git.arg("--no-optional-locks").arg("-C").arg(folder).args(arguments))
}

/// Returns `None` if the command fails or does not exist.
fn output_of(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn write_keys() {
    let mut random = Xoshiro256StarStar::seed_from_u64(SEED);
    let mut keys = |count: usize| -> String {
        (0..count).fold(String::new(), |mut list, _| {
            let _ = write!(list, "0x{:016x}, ", random.next_u64());
            list
        })
    };
    let mut text = String::from("FeatureKeys {\n");
    let _ = writeln!(text, "black_to_move: {}", keys(1));
    let (mut pieces, mut castles) = (String::new(), String::new());
    for _color in 0..2 {
        let by_piece: Vec<String> = (0..6).map(|_| format!("[{}]", keys(64))).collect();
        let _ = writeln!(pieces, "[{}],", by_piece.join(", "));
        let _ = writeln!(castles, "[{}],", keys(8));
    }
    let _ = writeln!(text, "pieces: [{pieces}],\ncastles: [{castles}],\nen_passant: [{}],\n}}", keys(8));
    let folder = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&folder).join("zobrist_keys.rs"), text).expect("the build folder is writable");
}
