//! PGN files of the current game.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::games::encoding::Content;
use crate::games::pgn::PgnGame;
use sesame_report::files;

/// Bytes that are looked at to recognise the content of a file.
const SAMPLE: usize = 4096;

/// The files of the current game.
///
/// The game is appended to each file, and replaced at every later save. All other content stays, also games
/// that other programs append meanwhile.
#[derive(Default)]
pub(super) struct PgnFiles {
    files: Vec<PgnFile>,
}

/// A file with the game.
struct PgnFile {
    path: PathBuf,
    /// The file's content before the game.
    before: Vec<u8>,
    /// The content at the last save.
    content: Vec<u8>,
}

impl PgnFiles {
    /// Checks before the game that the file can be written.
    ///
    /// # Errors
    /// If the path is not a regular file, or cannot be read or written.
    pub(super) fn check(path: &Path) -> io::Result<()> {
        read(path)?;
        files::check_replaceable(path)
    }

    /// Saves the game.
    ///
    /// # Errors
    /// If the file cannot be written; its content stays.
    pub(super) fn save(&mut self, path: &Path, game: &PgnGame) -> io::Result<()> {
        let present = read(path)?;
        let known = self.files.iter().position(|saved| saved.path == path);
        let saved = known.and_then(|known| self.files.get(known));
        let kept =
            saved.and_then(|saved| Some((saved.before.clone(), present.strip_prefix(&saved.content[..])?.to_vec())));
        // Changes by other programs stay.
        let (before, after) = kept.unwrap_or((present, Vec::new()));
        let mut content = before.clone();
        // An empty line between games.
        if !before.is_empty() {
            let line_feeds = before.iter().rev().take_while(|&&byte| byte == b'\n').count();
            content.resize(content.len() + 2usize.saturating_sub(line_feeds), b'\n');
        }
        content.extend(game.to_string().bytes());
        files::replace(path, &[&content[..], &after].concat())?;
        self.files.retain(|saved| saved.path != path);
        self.files.push(PgnFile { path: path.to_owned(), before, content });
        Ok(())
    }
}

/// Returns the content of a file; nothing if it does not exist.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    if fs::metadata(path).is_ok_and(|present| !present.is_file()) {
        return Err(io::Error::other("not a regular file"));
    }
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Ok(bytes) => match Content::of(bytes.get(..SAMPLE).unwrap_or(&bytes)) {
            Content::Text => Ok(bytes),
            other => Err(io::Error::other(format!("it is {}, and games are appended as plain text", other.name()))),
        },
        failed => failed,
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
        let mut pgn_files = PgnFiles::default();
        let mut game = PgnGame::default();
        for san in ["d4", "d5"] {
            game.plies.push(Ply { san: san.to_owned(), ..Ply::default() });
            pgn_files.save(&path, &game).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap();
        let games: Vec<_> = Reader::new(text.as_bytes()).collect::<Result<_, _>>().unwrap();
        assert_eq!(games.iter().map(|game| game.plies.len()).collect::<Vec<_>>(), [1, 2]);
        assert!(text.contains("1. e4 *\n\n[Event"), "{text}");
        // Another program appends a game.
        fs::write(&path, format!("{text}\n[White \"Anderssen\"]\n\n1. e4 e5 2. f4 *\n")).unwrap();
        game.plies.push(Ply { san: "c4".to_owned(), ..Ply::default() });
        pgn_files.save(&path, &game).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let games: Vec<_> = Reader::new(text.as_bytes()).collect::<Result<_, _>>().unwrap();
        assert_eq!(games.iter().map(|game| game.plies.len()).collect::<Vec<_>>(), [1, 3, 3]);
        assert!(PgnFiles::check(&path).is_ok() && PgnFiles::check(&folder.path().join("missing/games.pgn")).is_err());
        // Nothing is appended to a file that is not plain text.
        for content in [&b"\x1F\x8B\x08\0"[..], b"\x28\xB5\x2F\xFD\0", b"\xFF\xFE1\0.\0", b"PK\x03\x04"] {
            let path = folder.path().join("binary.pgn");
            fs::write(&path, content).unwrap();
            assert!(PgnFiles::check(&path).is_err() && pgn_files.save(&path, &game).is_err());
            assert_eq!(fs::read(&path).unwrap(), content);
        }
        assert!(PgnFiles::check(folder.path()).is_err() && pgn_files.save(folder.path(), &game).is_err());
    }
}
