//! Build script: generates the Zobrist keys with `rand_xoshiro`, which cannot run in a constant.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use rand_xoshiro::Xoshiro256StarStar;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The seed. Saved tables depend on the keys.
const SEED: u64 = 0x005E_5A3E;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
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
