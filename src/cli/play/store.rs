//! Where games are saved.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::games::pgn::PgnGame;
use sesame_report::files;

/// The files that a game is saved to. A file keeps what is in it, also what others add meanwhile: the game stands behind what was there first, and is replaced each
/// time that it is saved again.
#[derive(Default)]
pub(super) struct Store {
    files: Vec<Saved>,
}

/// A file that the game has been saved to.
struct Saved {
    path: PathBuf,
    /// The file's content before the game.
    before: Vec<u8>,
    /// The whole content as saved last.
    whole: Vec<u8>,
}

impl Store {
    /// Makes sure, before the game, that it can be saved there.
    ///
    /// # Errors
    /// If what is there is something else than a file or cannot be read, or nothing can be written.
    pub(super) fn check(path: &Path) -> io::Result<()> {
        read(path)?;
        files::check_replaceable(path)
    }

    /// Saves the game.
    ///
    /// # Errors
    /// If the file cannot be written; what was in it, a state of this game included, is still there.
    pub(super) fn save(&mut self, path: &Path, game: &PgnGame) -> io::Result<()> {
        let there = read(path)?;
        let known = self.files.iter().position(|saved| saved.path == path);
        let saved = known.and_then(|known| self.files.get(known));
        let kept = saved.and_then(|saved| Some((saved.before.clone(), there.strip_prefix(&saved.whole[..])?.to_vec())));
        // Changes by others stay.
        let (before, after) = kept.unwrap_or((there, Vec::new()));
        let mut whole = before.clone();
        // An empty line between games.
        if !before.is_empty() {
            let line_feeds = before.iter().rev().take_while(|&&byte| byte == b'\n').count();
            whole.resize(whole.len() + 2usize.saturating_sub(line_feeds), b'\n');
        }
        whole.extend(game.to_string().bytes());
        files::replace(path, &[&whole[..], &after].concat())?;
        self.files.retain(|saved| saved.path != path);
        self.files.push(Saved { path: path.to_owned(), before, whole });
        Ok(())
    }
}

/// Returns the content of a file; nothing if it does not exist.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(io::Error::other("what is there is no file"));
    }
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read,
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
        let mut game = PgnGame::default();
        for san in ["d4", "d5"] {
            game.plies.push(Ply { san: san.to_owned(), ..Ply::default() });
            store.save(&path, &game).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap();
        let games: Vec<_> = Reader::new(text.as_bytes()).collect::<Result<_, _>>().unwrap();
        assert_eq!(games.iter().map(|game| game.plies.len()).collect::<Vec<_>>(), [1, 2]);
        assert!(text.contains("1. e4 *\n\n[Event"), "{text}");
        // Somebody adds a game while this one goes on.
        fs::write(&path, format!("{text}\n[White \"Anderssen\"]\n\n1. e4 e5 2. f4 *\n")).unwrap();
        game.plies.push(Ply { san: "c4".to_owned(), ..Ply::default() });
        store.save(&path, &game).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let games: Vec<_> = Reader::new(text.as_bytes()).collect::<Result<_, _>>().unwrap();
        assert_eq!(games.iter().map(|game| game.plies.len()).collect::<Vec<_>>(), [1, 3, 3]);
        assert!(Store::check(&path).is_ok() && Store::check(&folder.path().join("missing/games.pgn")).is_err());
        assert!(Store::check(folder.path()).is_err() && store.save(folder.path(), &game).is_err());
    }
}
