//! The table in a file: what the engine adds to [`sesame_table::Table::save`] and [`sesame_table::Table::load`].

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use twox_hash::XxHash3_64;

use super::Engine;
use super::bench_positions::POSITIONS;
use crate::eval::Network;
use crate::position::Position;
use crate::search::TranspositionTable;
use crate::search::score::{DECISIVE_BOUND, MATE, TB_WIN};
use sesame_table::TableFileOptions;
pub use sesame_table::{TableFileError, TableFileReport};

/// The engine's table, to be saved or loaded from another thread while the engine goes on answering. Nothing may be searched meanwhile.
#[derive(Debug, Clone)]
pub struct HashFile {
    table: Arc<TranspositionTable>,
    fingerprint: u64,
}

impl Engine {
    /// A handle on the table for saving and loading it. A running search is stopped first and reports its best move.
    pub fn hash_file(&mut self) -> HashFile {
        self.finish();
        self.is_touched = true;
        HashFile { table: Arc::clone(&self.table), fingerprint: fingerprint(&self.options.network) }
    }
}

impl HashFile {
    /// Saves the table into the file at `path` with all processors: see [`sesame_table::Table::save`]. `progress` hears of percents done.
    ///
    /// # Errors
    /// When the file cannot be written, or `stop` is set; a file that was there stays as it was.
    pub fn save(
        &self,
        path: &Path,
        stop: &AtomicBool,
        progress: &(dyn Fn(u32) + Sync),
    ) -> Result<TableFileReport, TableFileError> {
        self.table.save(path, self.work(stop, progress))
    }

    /// Loads the table from the file at `path` with all processors: see [`sesame_table::Table::load`].
    ///
    /// # Errors
    /// When the file is not whole, or not from this evaluation, or `stop` is set before it was checked; the table stays as it was.
    pub fn load(
        &self,
        path: &Path,
        stop: &AtomicBool,
        progress: &(dyn Fn(u32) + Sync),
    ) -> Result<TableFileReport, TableFileError> {
        self.table.load(path, self.work(stop, progress))
    }

    fn work<'a>(&self, stop: &'a AtomicBool, progress: &'a (dyn Fn(u32) + Sync)) -> TableFileOptions<'a> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        TableFileOptions { fingerprint: self.fingerprint, threads, stop, progress }
    }
}

/// A number that differs, as good as surely, between builds whose scores mean something else: the keys and evaluations of the bench
/// positions, and the scale of the decisive scores, hashed.
fn fingerprint(network: &Network) -> u64 {
    let mut bytes = network.to_string().into_bytes();
    for fen in POSITIONS {
        // The list is tested: each position can be set.
        let Ok(position) = Position::from_fen(fen) else { continue };
        bytes.extend(position.key().to_le_bytes());
        if !position.in_check() {
            bytes.extend(network.evaluate(&position).to_le_bytes());
        }
    }
    bytes.extend([MATE, TB_WIN, DECISIVE_BOUND].into_iter().flat_map(i32::to_le_bytes));
    XxHash3_64::oneshot(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_stays_the_same() {
        let embedded = fingerprint(&Network::embedded());
        assert_eq!(embedded, fingerprint(&Network::embedded()));
        assert_ne!(embedded, XxHash3_64::oneshot(&[]));
    }
}
