//! The network: loaded from a file as a whole or not at all, and the same search with every SIMD kernel.

use std::fs;

use sesame::eval::{HIDDEN, INPUTS, OUTPUT_BUCKETS, Simd, Weights};

use crate::support::folder::Folder;
use crate::support::program::{run, sesame};
use crate::support::{Session, nodes};

/// Returns the file of a network with small pseudo-random weights.
pub(crate) fn small_network() -> Vec<u8> {
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
        output: numbers(OUTPUT_BUCKETS * 2 * HIDDEN, 60),
        output_biases: numbers(OUTPUT_BUCKETS, 100),
        scale: 150,
    };
    weights.to_bytes()
}

/// Tests for vector registers that the network has a kernel for.
fn has_vectors() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    let has = cfg!(target_arch = "aarch64");
    has
}

/// Returns the nodes of a bench, or its error message.
fn bench(arguments: &[&str]) -> Result<u64, String> {
    let (code, output, errors) = run(&[&["bench", "5"], arguments].concat());
    if code != 0 {
        return Err(errors);
    }
    let last = output.lines().last().unwrap();
    Ok(last.split(' ').next().unwrap().parse().unwrap())
}

#[test]
fn all_kernels_search_the_same_nodes() {
    let folder = Folder::new().with("a network.nnue", &small_network());
    let path = folder.join("a network.nnue");
    let file = path.to_str().unwrap();
    let embedded = bench(&[]).unwrap();
    let mut nodes = Vec::new();
    for simd in Simd::available() {
        let simd = simd.to_string();
        nodes.push(bench(&["--eval-file", file, "--simd", &simd]).unwrap());
        assert_eq!(bench(&["--simd", &simd]), Ok(embedded));
    }
    assert!(nodes.len() > 1 || !has_vectors(), "{nodes:?}");
    assert!(nodes.iter().all(|&count| count == nodes[0] && count != embedded), "{nodes:?} {embedded}");
    assert_eq!(bench(&["--eval-file", file]), Ok(nodes[0]));
    let foreign = Simd::ALL.into_iter().find(|&simd| Simd::available().all(|has| has != simd)).unwrap().to_string();
    let refused = bench(&["--eval-file", file, "--simd", &foreign]).unwrap_err();
    assert!(refused.contains(&foreign), "{refused}");
    assert!(bench(&["--eval-file", "no such file"]).unwrap_err().contains("no such file"));
}

#[test]
fn bad_network_files_leave_the_network_unchanged() {
    let folder = Folder::new().with("a network.nnue", &small_network());
    let set = |path: &str| format!("setoption name EvalFile value {path}");
    let mut session = Session::start();
    let of = |session: &mut Session| nodes(&session.search("go depth 7"));
    let embedded = of(&mut session);
    assert!(session.warning(&set(folder.join("a network.nnue").to_str().unwrap())).contains("loaded"));
    session.send("ucinewgame");
    let loaded = of(&mut session);
    assert_ne!(loaded, embedded);
    session.send("eval");
    let with_loaded = session.until("Evaluation:").pop();

    let damaged = folder.join("damaged");
    let mut bytes = small_network();
    bytes[5_000] ^= 1;
    fs::write(&damaged, bytes).unwrap();
    for (file, reason) in [
        (damaged.to_str().unwrap(), "damaged"),
        ("/no/such/file", "/no/such/file"),
        ("Cargo.toml", "not a network"),
        // A device has no end.
        (if cfg!(unix) { "/dev/zero" } else { "src" }, "not a regular file"),
    ] {
        let warning = session.warning(&set(file));
        assert!(warning.contains(reason) && warning.contains("stays"), "{warning}");
        session.send("ucinewgame");
        assert_eq!(of(&mut session), loaded);
    }
    // An empty name selects the embedded network.
    session.send("setoption name EvalFile value <empty>\nucinewgame");
    session.until("info string network");
    assert_eq!(of(&mut session), embedded);
    session.send("eval");
    assert_ne!(session.until("Evaluation:").pop(), with_loaded);
    session.quit();
}

#[test]
fn networks_are_exported_to_new_files() {
    let folder = Folder::new().with("small.nnue", &small_network());
    let mut command = sesame();
    command.current_dir(folder.path());
    let mut session = Session::run(command);
    let exported = |session: &mut Session, line: &str, file: &str| {
        assert_eq!(session.warning(line), format!("network written to {file}"));
        fs::read(folder.join(file)).unwrap()
    };
    let embedded = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/networks/sesame.nnue")).unwrap();
    assert!(exported(&mut session, "export_net", "sesame.nnue") == embedded);
    session.warning("setoption name EvalFile value small.nnue");
    assert!(exported(&mut session, "export_net  my net.nnue ", "my net.nnue") == small_network());
    // An existing file is not replaced.
    for (file, reason) in [("sesame.nnue", "the file exists already: name another"), ("none/x.nnue", "No such file")] {
        let warning = session.warning(&format!("export_net {file}"));
        assert!(warning.starts_with(&format!("network not written to {file}: {reason}")), "{warning}");
    }
    assert!(fs::read(folder.join("sesame.nnue")).unwrap() == embedded);
    session.quit();
}
