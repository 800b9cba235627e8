//! All tables that were found in some folders.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::Path;

use super::MAX_MEN;
use super::file::{Kind, TableFile};
use super::material::Material;
use crate::position::Position;

/// The separator of folders in a path.
pub const PATH_SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// The most files that [`LoadReport::problems`] names.
const MOST_PROBLEMS: usize = 10;

/// A set of tables. It never changes, so that any number of threads can probe it.
#[derive(Debug, Default)]
pub struct Tablebases {
    tables: Vec<Tables>,
    /// By [`Material::signature`], also that of the colours exchanged: which tables, and whether the colours are.
    index: HashMap<u64, (usize, bool)>,
    most_men: usize,
}

/// The tables for one material.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) wdl: TableFile,
    pub(super) dtz: Option<TableFile>,
}

/// The report of loading, displayed as one line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadReport {
    /// Tables that say who wins.
    pub wdl: usize,
    /// Tables of distances, of those for which there is one that says who wins.
    pub dtz: usize,
    /// The most men of a table, 0 without any.
    pub most_men: usize,
    /// What is wrong, a line each: folders that cannot be read, files that are no tables or damaged. The first few, and how many more.
    pub problems: Vec<String>,
}

impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.wdl {
            0 => write!(f, "no endgame tables found"),
            wdl => write!(f, "endgame tables: {wdl} WDL and {} DTZ, up to {} men", self.dtz, self.most_men),
        }
    }
}

impl Tablebases {
    /// No tables.
    pub fn none() -> Tablebases {
        Tablebases::default()
    }

    /// The tables in the folders of `path`, which [`PATH_SEPARATOR`] separates. Where two folders have the same table, the first counts. Each
    /// file is opened and its layout checked, but read only as far as that needs. What cannot be used is left out and reported.
    pub fn load(path: &str) -> (Tablebases, LoadReport) {
        let mut set = Tablebases::none();
        let mut report = LoadReport::default();
        let mut complaints = Vec::new();
        for folder in path.split(PATH_SEPARATOR).map(str::trim).filter(|folder| !folder.is_empty()) {
            set.add_folder(Path::new(folder), &mut complaints);
        }
        report.wdl = set.tables.len();
        report.dtz = set.tables.iter().filter(|tables| tables.dtz.is_some()).count();
        report.most_men = set.most_men;
        let more = complaints.len().saturating_sub(MOST_PROBLEMS);
        complaints.truncate(MOST_PROBLEMS);
        if more > 0 {
            complaints.push(format!("{more} more files cannot be used"));
        }
        report.problems = complaints;
        (set, report)
    }

    fn add_folder(&mut self, folder: &Path, complaints: &mut Vec<String>) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return complaints.push(format!("folder {}: {error}", folder.display())),
        };
        let mut found = Vec::new();
        for path in entries.flatten().map(|entry| entry.path()) {
            let Some(extension) = path.extension().and_then(|extension| extension.to_str()) else { continue };
            let Some(kind) = [Kind::Wdl, Kind::Dtz].into_iter().find(|kind| kind.extension() == extension) else {
                continue;
            };
            match path.file_stem().and_then(|stem| stem.to_str()).and_then(Material::from_name) {
                Some(material) => found.push((kind, material, path)),
                None => complaints.push(format!("{}: this is no table's name", path.display())),
            }
        }
        // The order of a folder is arbitrary: without this, so would be that of the complaints.
        found.sort_by(|a, b| a.2.cmp(&b.2));
        // Distances are of use only beside who wins: first all tables of that kind.
        for wanted in [Kind::Wdl, Kind::Dtz] {
            for (_, material, path) in found.iter().filter(|(kind, ..)| *kind == wanted) {
                self.add_file(path, *material, wanted, complaints);
            }
        }
    }

    fn add_file(&mut self, path: &Path, material: Material, kind: Kind, complaints: &mut Vec<String>) {
        let known = self.index.get(&material.signature()).copied();
        let slot = known.and_then(|(number, _)| self.tables.get_mut(number));
        if kind == Kind::Wdl && slot.is_some() {
            return;
        }
        if kind == Kind::Dtz && slot.as_ref().is_none_or(|tables| tables.dtz.is_some()) {
            return;
        }
        match (TableFile::open(path, material, kind), slot) {
            (Ok(dtz), Some(tables)) => tables.dtz = Some(dtz),
            (Ok(wdl), None) => {
                let number = self.tables.len();
                self.tables.push(Tables { wdl, dtz: None });
                // White's own way last: of a symmetric table it is the one.
                self.index.insert(material.mirrored().signature(), (number, true));
                self.index.insert(material.signature(), (number, false));
                self.most_men = self.most_men.max(material.men());
            }
            (Err(fault), _) => complaints.push(format!("{} {fault}", path.display())),
        }
    }

    /// The most men of a position that there is a table for, 0 without tables.
    pub fn most_men(&self) -> usize {
        self.most_men
    }

    /// True if there are no tables.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// The tables for what is on the board, and whether they have the colours exchanged.
    pub(super) fn find(&self, position: &Position) -> Option<(&Tables, bool)> {
        debug_assert!(position.occupied().len() as usize <= MAX_MEN);
        let (number, mirrored) = *self.index.get(&Material::of(position).signature())?;
        Some((self.tables.get(number)?, mirrored))
    }
}
