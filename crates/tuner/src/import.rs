//! `sesame data import`: games from PGN files with a score in the comment after each move, as fastchess and cutechess write them.

use std::io::BufReader;
use std::path::PathBuf;

use clap::Args;

use super::TuningError;
use super::games::{MOST_PLIES, Record};
use super::outputs::check_new;
use sesame_report::files;
use sesame::games::pgn::{self, Note, PgnError, Problem, Reader, Replay, Termination};
use sesame::regular_file;
use sesame::position::Color;
use sesame::search::score::{DECISIVE_BOUND, mate_in, mated_in};

/// What `sesame data import` is told.
#[derive(Debug, Clone, Args)]
pub struct ImportArgs {
    /// The PGN files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The file to write; there must be none
    #[arg(long, short)]
    pub output: PathBuf,
}

/// Runs `sesame data import`.
pub(super) fn run(args: &ImportArgs, mut line: impl FnMut(&str) -> bool) -> Result<(), TuningError> {
    check_new(&args.output)?;
    let mut all = Vec::new();
    for path in &args.files {
        let input = regular_file::open(path).map_err(TuningError::file(path))?;
        let (mut kept, mut left_out) = (0, 0);
        for game in Reader::new(BufReader::new(input)) {
            match game {
                Err(PgnError { problem: Problem::Io(error), .. }) => return Err(TuningError::file(path)(error)),
                Err(_) => left_out += 1,
                Ok(game) => match record(&game) {
                    None => left_out += 1,
                    Some(record) => {
                        all.extend(record.to_bytes());
                        kept += 1;
                    }
                },
            }
        }
        line(&format!(
            "{}: {kept} games; {left_out} left out, without a result, scores, or with something that cannot be read",
            path.display()
        ));
    }
    if all.is_empty() {
        return Err(TuningError::NothingToKeep(args.output.clone()));
    }
    files::create(&args.output, [all.as_slice()]).map_err(TuningError::file(&args.output))
}

/// The game from its first move with a score on; `None` if it cannot be used.
fn record(game: &pgn::Record) -> Option<Record> {
    let result = match game.termination {
        Termination::Black => 0,
        Termination::Draw => 1,
        Termination::White => 2,
        Termination::Open => return None,
    };
    let Replay { start: mut position, moves } = game.replay().ok()?;
    let mut start = None;
    let mut scored = Vec::new();
    for (ply, mv) in game.plies.iter().zip(moves) {
        let mut comments = ply.notes.iter().filter_map(|note| match note {
            Note::Comment(comment) => Some(comment),
            Note::Variation(_) => None,
        });
        match comments.find_map(|comment| read_score(comment)) {
            Some(score) => {
                start.get_or_insert_with(|| position.clone());
                let white = position.side_to_move() == Color::White;
                scored.push((mv, if white { score } else { -score }));
            }
            // Book moves come first; later every move was thought about.
            None if start.is_some() => return None,
            None => {}
        }
        position.play(mv);
    }
    (scored.len() <= MOST_PLIES).then_some(Record { start: start?, moves: scored, result })
}

/// The score at the beginning of a comment: `+0.35/12 0.1s`, `-M7/20`, centipawns in pawns.
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
    fn games_as_fastchess_writes_them() {
        let games: Vec<pgn::Record> = Reader::new(GAMES.as_bytes()).map(|game| game.unwrap()).collect();
        assert_eq!(games.len(), 4);
        let first = record(&games[0]).unwrap();
        assert_eq!(first.result, 2);
        assert_eq!(first.start.fen(false), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
        let scores: Vec<i16> = first.moves.iter().map(|&(_, score)| score).collect();
        assert_eq!(scores, [30, 25, 0, -105], "White's");
        let second = record(&games[1]).unwrap();
        assert_eq!((second.result, second.moves.len()), (1, 2));
        assert!(second.moves.iter().all(|&(_, score)| sesame::search::score::is_mate(score.into()) && score > 0));
        assert!(record(&games[2]).is_none() && record(&games[3]).is_none());
        for record in [first, second] {
            assert_eq!(Record::from_bytes(&record.to_bytes()).unwrap(), record);
        }
    }

    #[test]
    fn what_cannot_be_imported_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (good, useless) = (path("good.pgn"), path("useless.pgn"));
        std::fs::write(&good, GAMES).unwrap();
        std::fs::write(&useless, "[Result \"*\"]\n\n1. e4 *\n").unwrap();
        let import = |files: &[&PathBuf], output: &str| {
            run(&ImportArgs { files: files.iter().copied().cloned().collect(), output: path(output) }, |_| true)
        };
        assert!(matches!(import(&[&useless], "none"), Err(TuningError::NothingToKeep(_))));
        assert!(matches!(import(&[&good, &path("nowhere.pgn")], "none"), Err(TuningError::File { .. })));
        assert!(!path("none").exists());
        import(&[&good, &useless], "some").unwrap();
        let bytes = std::fs::read(path("some")).unwrap();
        assert!(!bytes.is_empty());
        assert!(import(&[&good], "some").is_err() && std::fs::read(path("some")).unwrap() == bytes, "it is kept");
    }

    #[test]
    fn scores() {
        assert_eq!(read_score("+12.34/5 1s"), Some(1234));
        assert_eq!(read_score("-0.00/5 1s"), Some(0));
        assert_eq!(read_score("--99999999999/1"), Some(DECISIVE_BOUND as i16 - 1));
        assert_eq!(read_score("-M4/5 1s"), Some(mated_in(4) as i16));
        for nothing in ["book", "", "+x/3", "nan/3", "1.0"] {
            assert_eq!(read_score(nothing), None, "{nothing}");
        }
    }
}
