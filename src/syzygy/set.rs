//! The set of tables found in the folders of `SyzygyPath`.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::Path;

use super::MAX_PIECES;
use super::file::{TableFile, TableKind};
use super::material::Material;
use crate::position::Position;

pub const PATH_SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

const MAX_PROBLEMS: usize = 10;

#[derive(Debug, Default)]
pub struct Tablebases {
    tables: Vec<MaterialTables>,
    /// Index into `tables` by [`Material::signature`], and true for the signature with the colours exchanged.
    index: HashMap<u64, (usize, bool)>,
    max_pieces: usize,
}

#[derive(Debug)]
pub(super) struct MaterialTables {
    pub(super) wdl: TableFile,
    pub(super) dtz: Option<TableFile>,
}

/// The result of loading; displays as one line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TablebasesLoaded {
    pub wdl: usize,
    /// A DTZ table without its WDL table is not loaded.
    pub dtz: usize,
    pub max_pieces: usize,
    /// Unreadable folders and unusable files: the first few, and the number of the others.
    pub problems: Vec<String>,
}

impl fmt::Display for TablebasesLoaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.wdl {
            0 => write!(f, "no Syzygy tables found"),
            wdl => write!(f, "Syzygy tables: {wdl} WDL and {} DTZ, up to {} pieces", self.dtz, self.max_pieces),
        }
    }
}

impl Tablebases {
    pub fn none() -> Tablebases {
        Tablebases::default()
    }

    /// Loads the tables of all folders in `path`. If several files have one table, the first is used. Files are mapped and
    /// their layout is checked; the values are read by probes. Unusable files are skipped and reported.
    pub fn load(path: &str) -> (Tablebases, TablebasesLoaded) {
        let mut set = Tablebases::none();
        let mut problems = Vec::new();
        for folder in path.split(PATH_SEPARATOR).map(str::trim).filter(|folder| !folder.is_empty()) {
            set.add_folder(Path::new(folder), &mut problems);
        }
        let more = problems.len().saturating_sub(MAX_PROBLEMS);
        problems.truncate(MAX_PROBLEMS);
        if more > 0 {
            problems.push(format!("{more} more files cannot be used"));
        }
        let loaded = TablebasesLoaded {
            wdl: set.tables.len(),
            dtz: set.tables.iter().filter(|tables| tables.dtz.is_some()).count(),
            max_pieces: set.max_pieces,
            problems,
        };
        (set, loaded)
    }

    fn add_folder(&mut self, folder: &Path, problems: &mut Vec<String>) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return problems.push(format!("folder {}: {error}", folder.display())),
        };
        let mut found = Vec::new();
        for path in entries.flatten().map(|entry| entry.path()) {
            let Some(extension) = path.extension().and_then(|extension| extension.to_str()) else { continue };
            let Some(kind) = [TableKind::Wdl, TableKind::Dtz].into_iter().find(|kind| kind.extension() == extension)
            else {
                continue;
            };
            match path.file_stem().and_then(|stem| stem.to_str()).and_then(Material::from_name) {
                Some(material) => found.push((kind, material, path)),
                None => problems.push(format!("{}: not the name of a Syzygy table", path.display())),
            }
        }
        // Folders have no order; sorting makes the reported problems reproducible.
        found.sort_by(|a, b| a.2.cmp(&b.2));
        // WDL tables first: a DTZ table is used only with its WDL table.
        for wanted in [TableKind::Wdl, TableKind::Dtz] {
            for (_, material, path) in found.iter().filter(|(kind, ..)| *kind == wanted) {
                self.add_file(path, *material, wanted, problems);
            }
        }
    }

    fn add_file(&mut self, path: &Path, material: Material, kind: TableKind, problems: &mut Vec<String>) {
        let index = self.index.get(&material.signature()).copied();
        let tables = index.and_then(|(index, _)| self.tables.get_mut(index));
        let is_wanted = match &tables {
            None => kind == TableKind::Wdl,
            Some(tables) => kind == TableKind::Dtz && tables.dtz.is_none(),
        };
        if !is_wanted {
            return;
        }
        match (TableFile::open(path, material, kind), tables) {
            (Ok(dtz), Some(tables)) => tables.dtz = Some(dtz),
            (Ok(wdl), None) => {
                let index = self.tables.len();
                self.tables.push(MaterialTables { wdl, dtz: None });
                // Symmetric material has one signature: the second entry replaces the first.
                self.index.insert(material.mirrored().signature(), (index, true));
                self.index.insert(material.signature(), (index, false));
                self.max_pieces = self.max_pieces.max(material.piece_count());
            }
            (Err(error), _) => problems.push(format!("{} {error}", path.display())),
        }
    }

    pub fn max_pieces(&self) -> usize {
        self.max_pieces
    }

    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Also returns true if the colours are exchanged.
    pub(super) fn find(&self, position: &Position) -> Option<(&MaterialTables, bool)> {
        debug_assert!(position.piece_count() as usize <= MAX_PIECES);
        let (index, mirrored) = *self.index.get(&Material::of(position).signature())?;
        Some((self.tables.get(index)?, mirrored))
    }
}
