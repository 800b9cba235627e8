//! Where the tests find endgame tables.

#![allow(dead_code)] // Each test binary uses its own part.

use std::path::{Path, PathBuf};

/// A few three- and four-man tables that come with the sources: KPvK and all that it leads to, and KRvKR.
pub(crate) fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy")
}

/// All tables that there are: in the folder `SESAME_SYZYGY`, in `../shared/syzygy` beside the sources, or else the committed ones.
pub(crate) fn all() -> PathBuf {
    let named = std::env::var_os("SESAME_SYZYGY").map(PathBuf::from);
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/syzygy");
    let folder = named.into_iter().chain([shared]).find(|folder| folder.is_dir()).unwrap_or_else(committed);
    eprintln!("endgame tables in {}", folder.display());
    folder
}

/// Whether the folder of [`all`] has the table; says so if not, and the test has nothing to test.
pub(crate) fn have(name: &str) -> bool {
    let there = all().join(format!("{name}.rtbw")).is_file();
    if !there {
        eprintln!("no {name} there: not tested");
    }
    there
}
