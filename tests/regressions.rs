//! The fuzz targets' bodies on every file that was worth keeping (`tests/data/fuzz/TARGET/`: seeds, and what was found once), and on
//! a few random changes of each. `SESAME_MUTATIONS=1000` makes more of these, where no fuzzer can be had.

#[path = "../fuzz/bodies/mod.rs"]
mod bodies;

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Random changes of each file, unless the environment says otherwise.
const MUTATIONS: usize = 6;

/// Panics in any thread. Those of a search would otherwise pass unseen, as the engine outlives them.
static PANICS: AtomicUsize = AtomicUsize::new(0);

fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fuzz").join(target)
}

/// What a target begins with: the files in its folder, in order.
fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder(target)).unwrap_or_else(|error| panic!("{target}: {error}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut seeds: Vec<_> = paths.iter().map(|path| (path.display().to_string(), fs::read(path).unwrap())).collect();
    if target == "syzygy_file" {
        // The tables that come with the sources need not be there twice.
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
    static COUNT_PANICS: Once = Once::new();
    COUNT_PANICS.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            PANICS.fetch_add(1, Ordering::SeqCst);
            usual(panic);
        }));
    });
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

/// Runs a body; if it panics, or a thread that it started does, the bytes are kept and named.
fn run(body: bodies::Body, bytes: &[u8], origin: &str) {
    let before = PANICS.load(Ordering::SeqCst);
    let result = panic::catch_unwind(AssertUnwindSafe(|| body(bytes)));
    if result.is_err() || PANICS.load(Ordering::SeqCst) != before {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("finding-{}", std::process::id()));
        fs::write(&kept, bytes).unwrap();
        panic!("found from {origin}; once mended, {} belongs into tests/data/fuzz", kept.display());
    }
}

/// The bytes with one to four changes: a bit, a byte, a part left out, doubled, or taken from elsewhere.
fn mutated(bytes: &[u8], other: &[u8], random: &mut impl Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut below = |limit: usize| random.next_u32() as usize % limit.max(1);
    for _ in 0..=below(4) {
        let at = below(bytes.len());
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
fn every_folder_has_its_target() {
    let mut folders: Vec<String> =
        fs::read_dir(folder("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let mut targets: Vec<&str> = bodies::ALL.iter().map(|(name, _)| *name).collect();
    folders.sort();
    targets.sort_unstable();
    assert_eq!(folders, targets);
    for name in targets {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fuzz/fuzz_targets/{name}.rs"));
        assert!(fs::read_to_string(file).unwrap().contains(&format!("bodies::{name}(")), "{name}");
    }
}

#[test]
fn uci_session() {
    check("uci_session");
}

#[test]
fn fen() {
    check("fen");
}

#[test]
fn epd() {
    check("epd");
}

#[test]
fn pgn() {
    check("pgn");
}

#[test]
fn table_file() {
    check("table_file");
}

#[test]
fn network_file() {
    check("network_file");
}

#[test]
fn training_data() {
    check("training_data");
}

#[test]
fn syzygy_file() {
    check("syzygy_file");
}
