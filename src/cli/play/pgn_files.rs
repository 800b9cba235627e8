//! PGN files to which a session appends its game.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::games::Content;
use crate::games::pgn::{PgnGame, Reader};
use sesame_command::files::{self, Replaces};

pub(super) struct PgnFiles {
    /// The text of the last save, by file. A later save replaces it. All other content stays, also what other processes save.
    saved: HashMap<PathBuf, String>,
    /// The time for which a save waits for another process.
    patience: Duration,
}

impl PgnFiles {
    pub(super) fn new(patience: Duration) -> Self {
        Self { saved: HashMap::new(), patience }
    }

    /// Forgets the saved texts, so that the next save appends a game and replaces none.
    pub(super) fn end_game(&mut self) {
        self.saved.clear();
    }

    pub(super) fn has(&self, game: &PgnGame) -> bool {
        let text = game.to_string();
        self.saved.values().any(|saved| *saved == text)
    }

    pub(super) fn check(path: &Path) -> io::Result<()> {
        read_text(path)?;
        files::check_output(path, Replaces::Everything)
    }

    pub(super) fn save(&mut self, path: &Path, game: &PgnGame) -> io::Result<()> {
        let _lock = files::lock(path, self.patience)?;
        let mut content = read_text(path)?;
        let text = game.to_string();
        let find = |saved: &String| {
            let start = content.windows(saved.len()).rposition(|part| part == saved.as_bytes())?;
            Some(start..start + saved.len())
        };
        match self.saved.get(path).and_then(find) {
            Some(place) => drop(content.splice(place, text.bytes())),
            None => {
                // An empty line between games.
                if !content.is_empty() {
                    let line_feeds = content.iter().rev().take_while(|&&byte| byte == b'\n').count();
                    content.resize(content.len() + 2usize.saturating_sub(line_feeds), b'\n');
                }
                content.extend(text.bytes());
            }
        }
        files::replace(path, &content)?;
        self.saved.insert(path.to_owned(), text);
        Ok(())
    }
}

fn has_game(text: &[u8]) -> bool {
    Reader::new(text).flatten().any(|game| !game.tags.is_empty() || !game.plies.is_empty())
}

fn read_text(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match files::open(path).and_then(|mut file| file.read_to_end(&mut bytes)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(bytes),
        Err(error) => Err(error),
        Ok(_) => match Content::of(bytes.get(..4096).unwrap_or(&bytes)) {
            Content::Text if bytes.trim_ascii().is_empty() || has_game(&bytes) => Ok(bytes),
            Content::Text => Err(io::Error::other("it has no game, and games are appended to files of games only")),
            other => Err(io::Error::other(format!("it is {}, and games are appended as plain text", other.name()))),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::games::pgn::{Ply, Reader};

    /// Saves the first plies of a game by this player.
    fn save(pgn_files: &mut PgnFiles, path: &Path, white: &str, plies: usize) {
        let mut game = PgnGame::default();
        game.set_tag("White", white);
        let sans = ["e4", "e5", "Nf3", "Nc6"].map(str::to_owned).into_iter().take(plies);
        game.plies = sans.map(|san| Ply { san, ..Ply::default() }).collect();
        pgn_files.save(path, &game).unwrap();
    }

    /// Returns the players and the numbers of plies, sorted.
    fn saved(path: &Path) -> Vec<(String, usize)> {
        let text = fs::read_to_string(path).unwrap();
        let games = Reader::new(text.as_bytes()).map(Result::unwrap);
        let mut saved: Vec<_> = games.map(|game| (game.tag("White").unwrap().to_owned(), game.plies.len())).collect();
        saved.sort();
        saved
    }

    #[test]
    fn two_sessions_save_each_game_once_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        // The games may be equal, too.
        for names in [["A", "B"], ["A", "A"]] {
            // Each bit says who saves next.
            for order in (0u32..64).filter(|order| order.count_ones() == 3) {
                fs::write(&path, "[White \"M\"]\n\n1. e4 *\n").unwrap();
                let mut sessions = [(PgnFiles::new(Duration::MAX), 1), (PgnFiles::new(Duration::MAX), 1)];
                for step in 0..6 {
                    let who = (order >> step & 1) as usize;
                    let (pgn_files, plies) = &mut sessions[who];
                    save(pgn_files, &path, names[who], *plies);
                    *plies += 1;
                }
                let [a, b] = names.map(|name| (name.to_owned(), 3));
                assert_eq!(saved(&path), [a, b, ("M".to_owned(), 1)], "{order:b}");
            }
        }
    }

    #[test]
    fn sessions_that_save_at_once_lose_no_game() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        std::thread::scope(|scope| {
            for name in ["A", "B", "C"] {
                let path = &path;
                scope.spawn(move || {
                    let mut pgn_files = PgnFiles::new(Duration::MAX);
                    (0..20).for_each(|step| save(&mut pgn_files, path, name, step % 5));
                });
            }
        });
        assert_eq!(saved(&path), ["A", "B", "C"].map(|name| (name.to_owned(), 4)));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "the lock goes");
    }

    #[test]
    fn only_files_of_games_are_appended_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        assert!(PgnFiles::check(&path).is_ok() && PgnFiles::check(&folder.path().join("missing/games.pgn")).is_err());
        assert!(PgnFiles::check(folder.path()).is_err());
        let prose = "1. Introduction\n\nA thesis [1] on (chess).\n";
        for content in
            [prose.as_bytes(), &b"\x1F\x8B\x08\0"[..], b"\x28\xB5\x2F\xFD\0", b"\xFF\xFE1\0.\0", b"PK\x03\x04"]
        {
            fs::write(&path, content).unwrap();
            assert!(PgnFiles::check(&path).is_err());
            assert!(PgnFiles::new(Duration::MAX).save(&path, &PgnGame::default()).is_err());
            assert_eq!(fs::read(&path).unwrap(), content);
        }
    }
}
