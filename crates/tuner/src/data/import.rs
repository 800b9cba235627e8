//! Games of PGN files with a score in the comment after each move, as fastchess writes them.

use std::io::BufReader;
use std::path::Path;

use sesame::games::pgn::{Annotation, GameResult, PgnError, PgnErrorKind, PgnGame, Reader, Replay};
use sesame::position::Color;
use sesame::search::score::{DECISIVE_BOUND, mate_in};
use sesame_command::{CommandError, files};
use twox_hash::XxHash3_64;

use crate::game_record::GameRecord;
use crate::{at, recipe_head};

/// Returns the number of unusable games. The first game and the number name a game, so a grown file can be appended again.
pub(super) fn read_pgn(
    path: &Path,
    mut add: impl FnMut(&str, u64, GameRecord) -> Result<(), CommandError>,
) -> Result<u64, CommandError> {
    let input = files::open(path).map_err(at(path))?;
    let mut skipped = 0;
    let mut recipe = None;
    for (number, game) in (0..).zip(Reader::new(BufReader::new(input))) {
        match game {
            Err(PgnError { kind: PgnErrorKind::Io(error), .. }) => return Err(at(path)(error)),
            Err(_) => skipped += 1,
            Ok(pgn) => match convert(&pgn) {
                None => skipped += 1,
                Some(game) => {
                    let recipe = recipe.get_or_insert_with(|| import_recipe(&pgn, &game));
                    add(recipe, number, game)?;
                }
            },
        }
    }
    Ok(skipped)
}

fn import_recipe(pgn: &PgnGame, first: &GameRecord) -> String {
    let tag = |name: &str| pgn.tag(name).unwrap_or("?").to_owned();
    let moves: String = first.moves.iter().map(|(mv, _)| format!("{mv} ")).collect();
    let hash = XxHash3_64::oneshot(format!("{} {moves}{}", first.start.fen(true), first.result).as_bytes());
    let [event, white, black, date] = ["Event", "White", "Black", "Date"].map(tag);
    format!("{}\n{event}, {date}: {white} - {black}\nfirst game {hash:016x}\n", recipe_head("import"))
}

/// Begins at the first move with a score; `None` without a result or with a later move without a score.
fn convert(game: &PgnGame) -> Option<GameRecord> {
    let result = match game.result {
        GameResult::BlackWins => 0,
        GameResult::Draw => 1,
        GameResult::WhiteWins => 2,
        GameResult::Unknown => return None,
    };
    let Replay { start: mut position, moves, .. } = game.replay().ok()?;
    let mut start = None;
    let mut scored = Vec::new();
    for (ply, mv) in game.plies.iter().zip(moves) {
        let score = ply.annotations.iter().find_map(|note| match note {
            Annotation::Comment(comment) => read_score(comment),
            Annotation::Variation(_) => None,
        });
        match score {
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
    Some(GameRecord { start: start?, moves: scored, result })
}

/// Reads the beginning of a comment: `+0.35/12 0.1s` in pawns, `-M7/20` in plies to mate.
fn read_score(comment: &str) -> Option<i16> {
    let (text, _) = comment.trim_start().split_once('/')?;
    let size = text.strip_prefix(['+', '-']).unwrap_or(text);
    let score = match size.strip_prefix('M') {
        Some(plies) => mate_in(plies.parse::<usize>().ok()?.min(100)),
        None => {
            let pawns = size.parse().ok().filter(|pawns: &f64| pawns.is_finite())?;
            let max = f64::from(DECISIVE_BOUND - 1);
            (100.0 * pawns).round().clamp(-max, max) as i32
        }
    };
    i16::try_from(if text.starts_with('-') { -score } else { score }).ok()
}

#[cfg(test)]
pub(super) mod tests {
    use sesame::search::score::mated_in;

    use super::*;

    pub(in crate::data) const GAMES: &str = r#"[Event "Fastchess [Tournament]"]
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
        let games: Vec<PgnGame> = Reader::new(GAMES.as_bytes()).map(|game| game.unwrap()).collect();
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
