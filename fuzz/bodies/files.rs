//! Files that Sesame writes itself: a saved transposition table, a network.
//!
//! Checksums would reject nearly all input, so the targets also build files with valid checksums around the
//! input.

use std::path::Path;

use sesame::eval::{HIDDEN, INPUTS, Network, NetworkFormatError, OUTPUT_BUCKETS, SCALE_RANGE, Simd, Weights};
use sesame::position::Position;
use sesame::search::{Bound, TranspositionTable as Table, TtEntry};
use sesame_table::{Scheme, TableFileError, TableFileOptions, TableFileReport};
use twox_hash::XxHash3_64;

use super::{repeated, scratch, write};

/// The saved table (`crates/table/src/file.rs`): the bytes of the header and of a bucket, and a fingerprint of
/// the scores.
const TABLE_HEAD: usize = 128;
const BUCKET: usize = 32;
const FINGERPRINT: u64 = 7;

/// The first byte selects the file: the other bytes as they are, or a table of some number of buckets with
/// valid checksums.
pub fn table_file(bytes: &[u8]) {
    let (kind, bytes) = bytes.split_first().unwrap_or((&1, &[]));
    let scheme = Scheme::ALL[usize::from(kind >> 4) % Scheme::ALL.len()];
    let is_whole = !kind.is_multiple_of(4);
    let file = match kind % 4 {
        0 => bytes.to_vec(),
        // The size of the table below, half of it, twice of it.
        1 => whole_table_file(bytes, 1 << 15),
        2 => whole_table_file(bytes, 1 << 14),
        _ => whole_table_file(bytes, 1 << 16),
    };
    let folder = scratch();
    let path = write(&folder, "table", &file);
    let table = Table::with_mib(1, scheme).expect("a table of 1 MiB");
    let known = TtEntry { mv: 1, score: 2, depth: 3, bound: Bound::Exact, pv: false, eval: 4 };
    table.store(5, &known, 6);
    match load(&table, &path) {
        Ok(report) => {
            for key in [0, 5, 1 << 63, u64::MAX] {
                table.probe(key);
                table.store(key, &known, 9);
            }
            table.next_generation();
            assert!(table.hashfull() <= 1000);
            let again = folder.path().join("again");
            table.save(&again, work()).expect("room for a file");
            let copy = Table::with_mib(1, scheme).expect("a table of 1 MiB");
            let of_copy = load(&copy, &again).expect("what was saved can be loaded");
            assert!(of_copy.positions <= 1 << 16 && report.positions <= 1 << 17, "{of_copy:?} {report:?}");
        }
        // A rejected file leaves the table unchanged.
        Err(error) => {
            assert_eq!(table.probe(5), Some(known), "{error}");
            let is_scheme = (1..=7).contains(&file.get(32).copied().unwrap_or(0));
            match error {
                TableFileError::Unplaceable if is_scheme => {}
                TableFileError::Damaged if !is_scheme => {}
                _ => assert!(!is_whole, "{error}"),
            }
        }
    }
}

fn work() -> TableFileOptions<'static> {
    TableFileOptions::default().fingerprint(FINGERPRINT).threads(1)
}

fn load(table: &Table, path: &Path) -> Result<TableFileReport, TableFileError> {
    table.load(path, work())
}

/// Returns the file of a table with right checksums. The first two bytes are scheme and generation.
fn whole_table_file(bytes: &[u8], buckets: usize) -> Vec<u8> {
    let (first, slots) = bytes.split_at(bytes.len().min(2));
    let mut file = vec![0; TABLE_HEAD];
    file[..8].copy_from_slice(b"SESAMEHT");
    (file[8], file[12]) = (1, 1);
    file[16..24].copy_from_slice(&(buckets as u64).to_le_bytes());
    file[24..32].copy_from_slice(&FINGERPRINT.to_le_bytes());
    file[32] = first.first().map_or(1, |scheme| scheme % 9);
    file[33] = first.get(1).copied().unwrap_or(0);
    let sum = XxHash3_64::oneshot(&file[..TABLE_HEAD - 8]).to_le_bytes();
    file[TABLE_HEAD - 8..].copy_from_slice(&sum);
    let of_head = XxHash3_64::oneshot(&file);
    let slots = repeated(slots, buckets * BUCKET);
    // The slots are one chunk.
    let sum = XxHash3_64::oneshot(&slots).to_le_bytes();
    file.extend(slots);
    file.extend(sum);
    file.extend(XxHash3_64::oneshot_with_seed(of_head, &sum).to_le_bytes());
    file
}

/// Positions to evaluate: the start, bare kings, many queens, a middlegame.
const POSITIONS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "4k3/8/8/8/8/8/8/4K3 b - - 0 1",
    "3k4/8/8/8/8/8/1QQ5/KQQ5 w - - 0 1",
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8",
];

/// The network (`src/eval/file.rs`): the bytes of the header, and the rows of one number for each neuron.
const NETWORK_HEAD: usize = 64;
const NETWORK_ROWS: usize = INPUTS + 1 + 2 * OUTPUT_BUCKETS;

/// Returns the file of a network with its first `hidden` neurons only.
fn narrow(file: &[u8], hidden: usize) -> Vec<u8> {
    let (head, body) = file.split_at(NETWORK_HEAD);
    let (rows, output_biases) = body.split_at(2 * NETWORK_ROWS * HIDDEN);
    let body: Vec<u8> =
        rows.chunks(2 * HIDDEN).flat_map(|row| &row[..2 * hidden]).chain(output_biases).copied().collect();
    let mut file = head.to_vec();
    file[14..16].copy_from_slice(&(hidden as u16).to_le_bytes());
    file[32..40].copy_from_slice(&XxHash3_64::oneshot(&body).to_le_bytes());
    let sum = XxHash3_64::oneshot(&file[..40]).to_le_bytes();
    file[40..48].copy_from_slice(&sum);
    file.extend(body);
    file
}

/// The first byte selects the file: the other bytes as they are, or weights of some magnitude from the bytes.
/// The last byte selects the number of neurons.
pub fn network_file(bytes: &[u8]) {
    let (kind, bytes) = bytes.split_first().unwrap_or((&1, &[]));
    if *kind == 0 {
        let _ = Network::from_bytes(bytes).map(|network| network.hash());
        return;
    }
    let (scale, bytes) = bytes.split_at(bytes.len().min(2));
    let number = |&byte: &u8| i16::from(byte as i8);
    let numbers = |from: usize, count: usize, shift: u8| -> Vec<i16> {
        let part = bytes.get(from.min(bytes.len())..).unwrap_or_default();
        repeated(part, count).iter().map(|byte| number(byte) << shift).collect()
    };
    let weights = Weights {
        features: numbers(0, INPUTS * HIDDEN, kind % 10),
        biases: numbers(7, HIDDEN, kind % 11 % 9),
        // Half of the networks have output weights small enough to be accepted.
        output: numbers(13, OUTPUT_BUCKETS * 2 * HIDDEN, 0).iter().map(|number| number >> (kind >> 4 & 1)).collect(),
        output_biases: numbers(29, OUTPUT_BUCKETS, kind % 9),
        scale: u16::from_le_bytes([scale.first().copied().unwrap_or(1), scale.get(1).copied().unwrap_or(1)]),
    };
    let file = weights.to_bytes();
    if !SCALE_RANGE.contains(&weights.scale) {
        assert_eq!(Weights::from_bytes(&file), Err(NetworkFormatError::Scale(weights.scale)));
    }
    let weights = Weights { scale: weights.scale.clamp(*SCALE_RANGE.start(), *SCALE_RANGE.end()), ..weights };
    let file = weights.to_bytes();
    assert_eq!(Weights::from_bytes(&file).as_ref(), Ok(&weights));
    let hidden = bytes.last().map_or(HIDDEN, |&part| usize::from(part) * HIDDEN / 256 + 1);
    let file = narrow(&file, hidden);
    let fewer = Weights::from_bytes(&file).expect("a file of fewer neurons");
    let rows = |weights: &Weights| [&weights.features[..], &weights.biases, &weights.output].concat();
    for (row, whole) in rows(&fewer).chunks(HIDDEN).zip(rows(&weights).chunks(HIDDEN)) {
        assert!(row[..hidden] == whole[..hidden] && row[hidden..].iter().all(|&number| number == 0));
    }
    if Network::from_bytes(&file).is_err() {
        return;
    }
    for fen in POSITIONS {
        let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let values: Vec<_> = Simd::available()
            .map(|simd| {
                let network = Network::from_bytes(&file).expect("it was one before");
                network.with_simd(simd).expect("available").evaluate(&position)
            })
            .collect();
        assert!(values.windows(2).all(|pair| pair[0] == pair[1]), "{fen}: {values:?}");
    }
}
