//! `sesame-tuner data import`: games from PGN files with a score in the comment after each move, as fastchess and cutechess write them.

use std::io::BufReader;
use std::path::PathBuf;

use clap::Args;

use sesame::games::pgn::{self, Annotation, GameResult, PgnError, PgnErrorKind, Reader, Replay};
use sesame::position::Color;
use sesame::regular_file;
use sesame::search::score::{DECISIVE_BOUND, mate_in, mated_in};
use sesame_report::files;

use crate::TunerError;
use crate::game_record::{GameRecord, MAX_PLIES};
use crate::outputs::check_new_games;

#[derive(Debug, Clone, Args)]
pub struct ImportArgs {
    /// PGN files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// File to write; it must not exist
    #[arg(long, short)]
    pub output: PathBuf,
}

pub(super) fn run(args: &ImportArgs, mut print: impl FnMut(&str) -> bool) -> Result<(), TunerError> {
    check_new_games(&args.output)?;
    let mut all = Vec::new();
    for path in &args.files {
        let input = regular_file::open(path).map_err(TunerError::file(path))?;
        let (mut kept, mut skipped) = (0, 0);
        for game in Reader::new(BufReader::new(input)) {
            match game {
                Err(PgnError { kind: PgnErrorKind::Io(error), .. }) => return Err(TunerError::file(path)(error)),
                Err(_) => skipped += 1,
                Ok(game) => match convert(&game) {
                    None => skipped += 1,
                    Some(game) => {
                        all.extend(game.to_bytes());
                        kept += 1;
                    }
                },
            }
        }
        print(&format!(
            "{}: {kept} games; {skipped} skipped, without a result or scores, or with errors",
            path.display()
        ));
    }
    if all.is_empty() {
        return Err(TunerError::NothingToWrite(args.output.clone()));
    }
    files::create(&args.output, [all.as_slice()]).map_err(TunerError::file(&args.output))
}

/// Returns the game from its first move with a score on; `None` if it has no result, or a later move has no score.
fn convert(game: &pgn::PgnGame) -> Option<GameRecord> {
    let result = match game.result {
        GameResult::BlackWins => 0,
        GameResult::Draw => 1,
        GameResult::WhiteWins => 2,
        GameResult::Unknown => return None,
    };
    let Replay { start: mut position, moves } = game.replay().ok()?;
    let mut start = None;
    let mut scored = Vec::new();
    for (ply, mv) in game.plies.iter().zip(moves) {
        let mut comments = ply.annotations.iter().filter_map(|note| match note {
            Annotation::Comment(comment) => Some(comment),
            Annotation::Variation(_) => None,
        });
        match comments.find_map(|comment| read_score(comment)) {
            Some(score) => {
                start.get_or_insert_with(|| position.clone());
                let white = position.side_to_move() == Color::White;
                scored.push((mv, if white { score } else { -score }));
            }
            // Book moves come first; every later move was searched.
            None if start.is_some() => return None,
            None => {}
        }
        position.play(mv);
    }
    (scored.len() <= MAX_PLIES).then_some(GameRecord { start: start?, moves: scored, result })
}

/// Returns the score at the beginning of a comment: `+0.35/12 0.1s` in pawns, `-M7/20` in plies to mate.
fn read_score(comment: &str) -> Option<i16> {
    let (text, _) = comment.trim_start().split_once('/')?;
    let (negative, size) = match text.strip_prefix('-') {
        Some(size) => (true, size),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let score = match size.strip_prefix('M') {
        Some(plies) => {
            let plies = plies.parse::<usize>().ok()?.min(100);
            if negative { mated_in(plies) } else { mate_in(plies) }
        }
        None => {
            let pawns: f64 = size.parse().ok().filter(|pawns: &f64| pawns.is_finite())?;
            let most = f64::from(DECISIVE_BOUND - 1);
            let score = (100.0 * pawns).round().clamp(-most, most) as i32;
            if negative { -score } else { score }
        }
    };
    i16::try_from(score).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: &str = r#"[Event "Fastchess [Tournament]"]
[White "a"]
[Result "1-0"]

1. e4 {book} e5 {book} 2. Nf3 {+0.30/9 0.010s} (2. f4 {+9.99/1}) 2... Nc6 {-0.25/9
0.010s} 3. Bb5 {0.00/9 0.1s, a comment with [brackets
in it] } a6 $1 {+1.05/8 0.2s} 1-0

[Event "2"]
[Result "1/2-1/2"]
[FEN "7k/8/6K1/8/8/8/8/R3R3 b - - 0 40"]

40... h8g8 {-M2/5 0.0s} 41. a1a8 {+M1/9 0.0s, White mates} 1/2-1/2

[Event "3"]
[Result "*"]

1. e4 {+0.30/9 0.010s} *

[Event "4"]
[Result "0-1"]

1. e4 {+0.30/9 0.010s} Ke4 {0.00/1 0s} 0-1
"#;

    #[test]
    fn games_of_fastchess_are_imported() {
        let games: Vec<pgn::PgnGame> = Reader::new(GAMES.as_bytes()).map(|game| game.unwrap()).collect();
        assert_eq!(games.len(), 4);
        let first = convert(&games[0]).unwrap();
        assert_eq!(first.result, 2);
        assert_eq!(first.start.fen(false), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
        let scores: Vec<i16> = first.moves.iter().map(|&(_, score)| score).collect();
        assert_eq!(scores, [30, 25, 0, -105], "from White's point of view");
        let second = convert(&games[1]).unwrap();
        assert_eq!((second.result, second.moves.len()), (1, 2));
        assert!(second.moves.iter().all(|&(_, score)| sesame::search::score::is_mate(score.into()) && score > 0));
        assert!(convert(&games[2]).is_none() && convert(&games[3]).is_none());
        for game in [first, second] {
            assert_eq!(GameRecord::from_bytes(&game.to_bytes()).unwrap(), game);
        }
    }

    #[test]
    fn failed_imports_write_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (good, useless) = (path("good.pgn"), path("useless.pgn"));
        std::fs::write(&good, GAMES).unwrap();
        std::fs::write(&useless, "[Result \"*\"]\n\n1. e4 *\n").unwrap();
        let import = |files: &[&PathBuf], output: &str| {
            run(&ImportArgs { files: files.iter().copied().cloned().collect(), output: path(output) }, |_| true)
        };
        assert!(matches!(import(&[&useless], "none"), Err(TunerError::NothingToWrite(_))));
        assert!(matches!(import(&[&good, &path("nowhere.pgn")], "none"), Err(TunerError::File(_))));
        assert!(!path("none").exists());
        import(&[&good, &useless], "some").unwrap();
        let bytes = std::fs::read(path("some")).unwrap();
        assert!(!bytes.is_empty());
        assert!(import(&[&good], "some").is_err() && std::fs::read(path("some")).unwrap() == bytes, "the file stays");
    }

    #[test]
    fn scores_in_comments() {
        assert_eq!(read_score("+12.34/5 1s"), Some(1234));
        assert_eq!(read_score("-0.00/5 1s"), Some(0));
        assert_eq!(read_score("--99999999999/1"), Some(DECISIVE_BOUND as i16 - 1));
        assert_eq!(read_score("-M4/5 1s"), Some(mated_in(4) as i16));
        for text in ["book", "", "+x/3", "nan/3", "1.0"] {
            assert_eq!(read_score(text), None, "{text}");
        }
    }
}
