//! The Syzygy tables of the tests.

use std::path::{Path, PathBuf};

/// Returns the folder with KPvK, all that it leads to, and KRvKR: WDL and DTZ of six endings.
pub(crate) fn small() -> PathBuf {
    data("syzygy")
}

/// Returns the folders for the comparison with the oracle: all tables of the project, or the folder named by the environment variable
/// `SESAME_SYZYGY` instead.
pub(crate) fn all() -> Vec<PathBuf> {
    match std::env::var_os("SESAME_SYZYGY") {
        Some(folder) => vec![folder.into()],
        None => vec![small(), data("syzygy-4")],
    }
}

fn data(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(folder)
}
