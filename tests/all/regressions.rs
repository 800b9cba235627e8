//! The bodies of the fuzz targets on seeds and former findings (`tests/data/fuzz/TARGET/`), and on a few random mutations of each.
//!
//! `SESAME_MUTATIONS=1000` tries more mutations, for machines without a fuzzer.

#[path = "../../fuzz/bodies/mod.rs"]
mod bodies;

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Thread};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Mutations of each file, unless the environment says otherwise.
const MUTATIONS: usize = 6;

/// Panics in threads that the engine started: the engine survives them, so that they would pass unseen.
static PANICS: AtomicUsize = AtomicUsize::new(0);

fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fuzz").join(target)
}

/// Returns the seeds of a target: the files in its folder, sorted.
fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder(target)).unwrap_or_else(|error| panic!("{target}: {error}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut seeds: Vec<_> = paths.iter().map(|path| (path.display().to_string(), fs::read(path).unwrap())).collect();
    if target == "syzygy_file" {
        // The Syzygy tables of the project are seeds as well.
        for (kind, name) in [(0, "KPvK.rtbw"), (4, "KPvK.rtbz"), (1, "KRvK.rtbw"), (5, "KRvK.rtbz"), (2, "KRvKR.rtbw")]
        {
            let mut bytes = vec![kind];
            bytes.extend(fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy").join(name)).unwrap());
            seeds.push((name.to_owned(), bytes));
        }
    }
    seeds
}

fn check(target: &str) {
    count_panics();
    let (_, body) = bodies::ALL.into_iter().find(|(name, _)| *name == target).expect("a target");
    let mutations =
        std::env::var("SESAME_MUTATIONS").ok().map_or(MUTATIONS, |number| number.parse().expect("a number"));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1994);
    let seeds = seeds(target);
    assert!(seeds.len() > 1, "{target} has seeds");
    for (name, bytes) in &seeds {
        run(body, bytes, name);
        for _ in 0..mutations {
            let other = &seeds[random.next_u32() as usize % seeds.len()].1;
            run(body, &mutated(bytes, other, &mut random), name);
        }
    }
}

/// Tells the thread of a test from one that the engine started. The harness names a test's thread after the test, as in `module::test`, or runs
/// the test on the main thread.
fn runs_a_test(thread: &Thread) -> bool {
    thread.name().is_some_and(|name| name == "main" || name.contains("::"))
}

/// Counts the panics of the engine's threads from now on. The hook belongs to the process, in which other tests may panic on purpose.
fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !runs_a_test(&thread::current()) {
                PANICS.fetch_add(1, Ordering::SeqCst);
            }
            usual(panic);
        }));
    });
}

/// Runs a body. If it or a thread of the engine panics, the bytes are kept in a file and the test fails.
fn run(body: bodies::Body, bytes: &[u8], origin: &str) {
    let before = PANICS.load(Ordering::SeqCst);
    let result = panic::catch_unwind(AssertUnwindSafe(|| body(bytes)));
    if result.is_err() || PANICS.load(Ordering::SeqCst) != before {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("finding-{}", std::process::id()));
        fs::write(&kept, bytes).unwrap();
        panic!("a mutation of {origin} panics; after the fix, {} belongs into tests/data/fuzz", kept.display());
    }
}

/// Applies one to four changes: a bit, a byte, a part left out, doubled, or taken from elsewhere.
fn mutated(bytes: &[u8], other: &[u8], random: &mut impl Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut below = |limit: usize| random.next_u32() as usize % limit.max(1);
    for _ in 0..=below(4) {
        // Half of the changes are in the header of a file.
        let reach = [bytes.len(), bytes.len().min(160)][below(2)];
        let at = below(reach);
        let end = (at + 1 + below(16)).min(bytes.len());
        match below(5) {
            _ if bytes.is_empty() => bytes.push(below(256) as u8),
            0 => bytes[at] ^= 1 << below(8),
            1 => bytes[at] = [0, 1, b' ', b'\n', b'0', b'9', 0x7f, 0x80, 0xff][below(9)],
            2 => drop(bytes.drain(at..end)),
            3 => {
                let part = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, part));
            }
            _ => {
                let from = below(other.len());
                let part = other[from..(from + 1 + below(32)).min(other.len())].to_vec();
                drop(bytes.splice(at..end, part));
            }
        }
    }
    bytes
}

#[test]
fn each_fuzz_target_has_seeds() {
    let mut folders: Vec<String> =
        fs::read_dir(folder("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let mut targets: Vec<&str> = bodies::ALL.iter().map(|(name, _)| *name).collect();
    folders.sort();
    targets.sort_unstable();
    assert_eq!(folders, targets);
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/Cargo.toml");
    let manifest = fs::read_to_string(manifest).unwrap();
    for name in targets {
        assert!(manifest.contains(&format!("name = \"{name}\"\npath = \"target.rs\"")), "{name}");
    }
}

#[test]
fn threads_of_tests_and_engine_are_told_apart() {
    assert!(runs_a_test(&thread::current()));
    let started = thread::Builder::new().name("worker-0".to_owned());
    assert!(!started.spawn(|| runs_a_test(&thread::current())).unwrap().join().unwrap());
    assert!(!thread::spawn(|| runs_a_test(&thread::current())).join().unwrap());
}

macro_rules! targets {
    ($($target:ident)*) => {
        $(
            #[test]
            fn $target() {
                check(stringify!($target));
            }
        )*
    };
}

targets! { uci_session fen epd pgn table_file network_file training_data syzygy_file }
