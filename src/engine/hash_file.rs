//! Hash file: saving and loading the transposition table.

use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};

use twox_hash::XxHash3_64;

use super::bench_positions::POSITIONS;
use crate::eval::Network;
use crate::position::Position;
use crate::search::score::{DECISIVE_BOUND, MATE, TB_WIN};
use crate::search::{Bound, QS_NO_CHECKS, STORED_NO_EVAL, TranspositionTable, TtEntry};
use sesame_table::{Generation, Payload, TABLE_MAGIC, TableFileOptions};
pub use sesame_table::{TableFileError, TableFileReport};

/// A handle to save or load the engine's table from another thread. No search may run meanwhile. Once the engine has another table
/// or network, the handle does neither.
#[derive(Debug, Clone)]
pub struct HashFile {
    table: Arc<TranspositionTable>,
    /// The engine drops it with the table or the network.
    fingerprint: Weak<u64>,
}

impl HashFile {
    pub(super) fn new(table: Arc<TranspositionTable>, fingerprint: &Arc<u64>) -> Self {
        Self { table, fingerprint: Arc::downgrade(fingerprint) }
    }

    /// Saves the table to the file at `path` with all processors, as [`sesame_table::Table::save`] does.
    /// Calls `progress` with the percentage. Fails if the file cannot be written, is no saved table, or `stop` is set; the old file
    /// stays.
    pub fn save(
        &self,
        path: &Path,
        stop: &AtomicBool,
        progress: &(dyn Fn(u32) + Sync),
    ) -> Result<TableFileReport, TableFileError> {
        sesame_files::check_own(path, &TABLE_MAGIC)?;
        self.table.save(path, self.work(stop, progress)?)
    }

    /// Loads the table from the file at `path` with all processors, as [`sesame_table::Table::load`] does.
    /// Fails if the file is damaged or from another evaluation, or `stop` is set during the check; the table stays.
    pub fn load(
        &self,
        path: &Path,
        stop: &AtomicBool,
        progress: &(dyn Fn(u32) + Sync),
    ) -> Result<TableFileReport, TableFileError> {
        let report = self.table.load(path, self.work(stop, progress)?)?;
        // The engine may have replaced the table meanwhile.
        self.fingerprint().map(|_| report)
    }

    fn work<'a>(
        &self,
        stop: &'a AtomicBool,
        progress: &'a (dyn Fn(u32) + Sync),
    ) -> Result<TableFileOptions<'a>, TableFileError> {
        let options = TableFileOptions::default().fingerprint(self.fingerprint()?).threads(num_cpus::get());
        Ok(options.stop(stop).progress(progress))
    }

    fn fingerprint(&self) -> Result<u64, TableFileError> {
        let replaced = || io::Error::other("the engine's table or network has been replaced");
        Ok(self.fingerprint.upgrade().map(|fingerprint| *fingerprint).ok_or_else(replaced)?)
    }
}

/// Tables of engines with another fingerprint hold other entries: in files, and on other machines.
pub(super) fn fingerprint_of(network: &Network) -> u64 {
    fingerprint(network, TtEntry::pack, QS_NO_CHECKS)
}

/// Covers everything that the meaning of stored entries depends on: their packing, Zobrist keys and evaluations of the
/// bench positions, the scale of decisive scores, and the minimum depth.
fn fingerprint(network: &Network, pack: fn(&TtEntry, Generation) -> u64, min_depth: i32) -> u64 {
    let mut bytes = network.to_string().into_bytes();
    for (bound, pv) in [(Bound::Upper, false), (Bound::Lower, true), (Bound::Exact, false)] {
        let entry = TtEntry { mv: 0x1234, score: 0x5678, depth: 0x9a, bound, pv, eval: STORED_NO_EVAL };
        bytes.extend(pack(&entry, Generation::from_bits(11)).to_le_bytes());
    }
    for fen in POSITIONS {
        // A test shows that every FEN is legal.
        let Ok(position) = Position::from_fen(fen) else { continue };
        bytes.extend(position.key().to_le_bytes());
        if !position.in_check() {
            bytes.extend(network.evaluate(&position).to_le_bytes());
        }
    }
    bytes.extend([MATE, TB_WIN, DECISIVE_BOUND, min_depth].into_iter().flat_map(i32::to_le_bytes));
    XxHash3_64::oneshot(&bytes)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use sesame_table::Scheme;

    use super::*;

    /// Each packing exchanges two fields, moves one, or has other numbers for the bounds.
    #[test]
    fn every_packing_has_its_own_fingerprint() {
        let packings: [fn(&TtEntry, Generation) -> u64; 6] = [
            TtEntry::pack,
            |entry, generation| TtEntry { mv: entry.score as u16, score: entry.mv as i16, ..*entry }.pack(generation),
            |entry, generation| TtEntry { mv: entry.eval as u16, eval: entry.mv as i16, ..*entry }.pack(generation),
            |entry, generation| TtEntry { pv: !entry.pv, ..*entry }.pack(generation),
            |entry, generation| entry.pack(generation.next()),
            |entry, generation| {
                let bound = [Bound::Upper, Bound::Exact, Bound::Lower][entry.bound as usize - 1];
                TtEntry { bound, ..*entry }.pack(generation)
            },
        ];
        let fingerprints = packings.map(|pack| fingerprint(&Network::embedded(), pack, QS_NO_CHECKS));
        assert_eq!(HashSet::from(fingerprints).len(), packings.len());
    }

    /// Stored depths count from the minimum.
    #[test]
    fn a_file_with_another_min_depth_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (path, stop) = (folder.path().join("hash"), AtomicBool::new(false));
        let table = Arc::new(TranspositionTable::with_mib(1, Scheme::TwoBig1).unwrap());
        let [ours, other] = [QS_NO_CHECKS, QS_NO_CHECKS - 1]
            .map(|min_depth| Arc::new(fingerprint(&Network::embedded(), TtEntry::pack, min_depth)));
        let own = HashFile::new(Arc::clone(&table), &ours);
        own.save(&path, &stop, &|_| {}).unwrap();
        own.load(&path, &stop, &|_| {}).unwrap();
        HashFile::new(table, &other).save(&path, &stop, &|_| {}).unwrap();
        assert!(own.load(&path, &stop, &|_| {}).is_err());
    }
}
