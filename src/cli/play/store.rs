//! Where games are saved.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::files;
use crate::games::pgn::Record;

/// The files that a game is saved to. A file keeps the games that were in it: this one stands behind them, and is replaced each time that it is saved again.
#[derive(Default)]
pub(super) struct Store {
    /// Each with what was in it before.
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Store {
    /// Makes sure that a file can be read, if it is there.
    ///
    /// # Errors
    /// If it is something else than a file, or cannot be read.
    pub(super) fn open(&mut self, path: &Path) -> io::Result<()> {
        if self.files.iter().any(|(known, _)| known == path) {
            return Ok(());
        }
        if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            return Err(io::Error::other("what is there is no file"));
        }
        let before = match fs::read(path) {
            Ok(before) => before,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        self.files.push((path.to_owned(), before));
        Ok(())
    }

    /// Saves the game.
    ///
    /// # Errors
    /// If the file cannot be written; what was in it, a state of this game included, is still there.
    pub(super) fn save(&mut self, path: &Path, game: &Record) -> io::Result<()> {
        self.open(path)?;
        let before =
            self.files.iter().find(|(known, _)| known == path).map_or(&[][..], |(_, before)| before.as_slice());
        let mut text = before.to_vec();
        // An empty line between games.
        if !before.is_empty() {
            let line_feeds = before.iter().rev().take_while(|&&byte| byte == b'\n').count();
            text.resize(text.len() + 2usize.saturating_sub(line_feeds), b'\n');
        }
        text.extend(game.to_string().bytes());
        files::replace(path, &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::pgn::{Ply, Reader};

    #[test]
    fn other_games_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        fs::write(&path, "[White \"Morphy\"]\n\n1. e4 *").unwrap();
        let mut store = Store::default();
        let mut game = Record::default();
        for san in ["d4", "d5"] {
            game.plies.push(Ply { san: san.to_owned(), ..Ply::default() });
            store.save(&path, &game).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap();
        let games: Vec<_> = Reader::new(text.as_bytes()).collect::<Result<_, _>>().unwrap();
        assert_eq!(games.iter().map(|game| game.plies.len()).collect::<Vec<_>>(), [1, 2]);
        assert!(text.contains("1. e4 *\n\n[Event"), "{text}");
        assert!(store.open(folder.path()).is_err() && store.save(folder.path(), &game).is_err());
    }
}
