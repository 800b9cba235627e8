//! The network from outside: it comes from a file or not at all, and every way to compute it plays the same.

mod support;

use std::path::PathBuf;
use std::process::Command;

use sesame::eval::{BUCKETS, HIDDEN, INPUTS, Simd, Weights};
use support::Session;

/// Writes a network of small numbers that look random into a folder of its own.
fn network(name: &str) -> PathBuf {
    let mut state = 1_u32;
    let mut numbers = |count: usize, limit: i32| -> Vec<i16> {
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 16) as i32 % (2 * limit + 1) - limit) as i16
        };
        (0..count).map(|_| next()).collect()
    };
    let weights = Weights {
        features: numbers(INPUTS * HIDDEN, 40),
        biases: numbers(HIDDEN, 60),
        output: numbers(BUCKETS * 2 * HIDDEN, 60),
        output_biases: numbers(BUCKETS, 100),
        scale: 150,
    };
    let folder = std::env::temp_dir().join(format!("sesame-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a network.nnue");
    std::fs::write(&path, weights.to_bytes()).unwrap();
    path
}

/// Whether this machine has vector registers that the network can be computed with.
fn has_vectors() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    let has = cfg!(target_arch = "aarch64");
    has
}

fn bench(arguments: &[&str]) -> Result<u64, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_sesame")).args(["bench", "5"]).args(arguments).output().unwrap();
    if !output.status.success() {
        return Err(String::from_utf8(output.stderr).unwrap());
    }
    let output = String::from_utf8(output.stdout).unwrap();
    let last = output.lines().last().unwrap();
    Ok(last.split(' ').next().unwrap().parse().unwrap())
}

#[test]
fn every_way_to_compute_it_searches_the_same_nodes() {
    let path = network("paths");
    let file = path.to_str().unwrap();
    let (own, classical) = (bench(&[]).unwrap(), bench(&["--evaluation", "classical"]).unwrap());
    assert_ne!(own, classical);
    let mut nodes = Vec::new();
    for simd in Simd::available() {
        let simd = simd.to_string();
        nodes.push(bench(&["--eval-file", file, "--simd", &simd]).unwrap());
        assert_eq!(bench(&["--simd", &simd]), Ok(own));
    }
    assert!(nodes.len() > 1 || !has_vectors(), "{nodes:?}");
    assert!(nodes.iter().all(|&count| count == nodes[0] && count != own), "{nodes:?} {own}");
    assert_eq!(bench(&["--evaluation", "network", "--eval-file", file]), Ok(nodes[0]));
    let hybrid = bench(&["--evaluation", "hybrid", "--eval-file", file]).unwrap();
    assert!(![own, classical, nodes[0]].contains(&hybrid), "{hybrid}");
    let foreign = Simd::ALL.into_iter().find(|&simd| Simd::available().all(|has| has != simd)).unwrap().to_string();
    let refused = bench(&["--evaluation", "network", "--eval-file", file, "--simd", &foreign]).unwrap_err();
    assert!(refused.contains(&foreign), "{refused}");
    assert!(bench(&["--evaluation", "network", "--eval-file", "no such file"]).unwrap_err().contains("no such file"));
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
}

#[test]
fn a_network_is_taken_from_a_file_or_not_at_all() {
    let path = network("options");
    let set = |path: &str| format!("setoption name EvalFile value {path}");
    let mut session = Session::start();
    let of = |session: &mut Session| session.search("go depth 7").iter().map(|line| nodes(line)).max();
    let own = of(&mut session);
    session.send("setoption name Evaluation value classical\nucinewgame");
    let classical = of(&mut session);
    assert_ne!(own, classical);

    // In either order.
    assert!(session.complaint(&set(path.to_str().unwrap())).contains("loaded"));
    session.send("ucinewgame");
    assert_eq!(of(&mut session), classical, "the classical evaluation plays on");
    session.send("setoption name Evaluation value network\nucinewgame");
    let with_network = of(&mut session);
    assert!(with_network != classical && with_network != own);

    // What is no network costs nothing.
    let damaged = path.with_extension("damaged");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[5_000] ^= 1;
    std::fs::write(&damaged, bytes).unwrap();
    for (file, reason) in [
        (damaged.to_str().unwrap(), "damaged"),
        ("/no/such/file", "/no/such/file"),
        ("Cargo.toml", "not a network"),
        // A device has no end.
        (if cfg!(unix) { "/dev/zero" } else { "src" }, "no regular file"),
    ] {
        let complaint = session.complaint(&set(file));
        assert!(complaint.contains(reason) && complaint.contains("stays"), "{complaint}");
        session.send("ucinewgame");
        assert_eq!(of(&mut session), with_network);
    }
    session.send("position startpos moves e2e4\neval");
    let lines = session.until("Evaluation:");
    let value = |name: &str| {
        let line = lines.iter().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().to_owned()
    };
    assert!(value("Evaluation:") == value("Network:") && value("Network:") != value("Classical:"), "{lines:?}");
    session.send("setoption name Evaluation value hybrid\neval");
    let lines = session.until("Evaluation:");
    let value = |name: &str| {
        let line = lines.iter().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap()
    };
    let mean = f64::midpoint(value("Network:"), value("Classical:"));
    assert!((value("Evaluation:") - mean).abs() < 0.02, "{lines:?}");
    session.send("position startpos\nsetoption name Evaluation value classical\nucinewgame");
    assert_eq!(of(&mut session), classical);
    // An empty name is that of this build's network.
    session.send("setoption name EvalFile value <empty>\nsetoption name Evaluation value network\nucinewgame");
    session.until("info string network");
    assert_eq!(of(&mut session), own);
    session.quit();
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
}

/// The nodes that an info line tells.
fn nodes(line: &str) -> u64 {
    let mut words = line.split(' ').skip_while(|&word| word != "nodes");
    words.nth(1).and_then(|word| word.parse().ok()).unwrap_or(0)
}
