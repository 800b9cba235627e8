//! Positions and moves as text.

use sesame::eval::Network;
use sesame::games::pgn::{PgnGame, Reader};
use sesame::games::{decode, epd};
use sesame::position::{FenError, FenRepair, Game, MAX_MOVES, MoveList, Position};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position as _};

/// More moves after a position only take time.
const MAX_PLAYED: usize = 32;

/// The first line is a FEN, the words of the others are moves.
pub fn fen(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (fen, moves) = text.split_once('\n').unwrap_or((&text, ""));
    let strict = Position::from_fen(fen);
    let (position, repairs) = match Position::from_lenient_fen(fen) {
        Ok(found) => found,
        Err(fault) => return assert_eq!(strict, Err(fault), "{fen:?}"),
    };
    match &strict {
        Ok(strict) => assert!(repairs.is_empty() && *strict == position, "{fen:?}: {repairs:?}"),
        Err(fault) => assert_eq!(repairs.first().map(|repair| &repair.fault), Some(fault), "{fen:?}"),
    }
    for repair in &repairs {
        // A repair is a line of the protocol.
        assert!(!repair.to_string().contains(char::is_control), "{repair:?}");
    }
    check(&position);
    if strict.is_ok() {
        compare_with_shakmaty(fen, &position);
    }
    if let Some(standard) = position.without_chess960_rights() {
        check(&standard);
        assert_eq!(standard.without_chess960_rights(), None, "{fen:?}");
    }
    let mut game = Game::new(position);
    for word in moves.split_whitespace().take(MAX_PLAYED) {
        let position = game.position();
        if let Ok(mv) = position.from_uci(word).or_else(|_| position.from_san(word)) {
            assert!(position.is_legal(mv), "{word} in {}", position.fen(true));
            game.play(mv);
            check(game.position());
        }
    }
    game.outcome();
}

/// Checks the invariants of every position.
fn check(position: &Position) {
    let fen = position.fen(true);
    assert_eq!(position.key(), position.keys_from_scratch().key, "{fen}");
    for shredder in [false, true] {
        let written = position.fen(shredder);
        let (again, repairs) =
            Position::from_lenient_fen(&written).unwrap_or_else(|error| panic!("{written}: {error}"));
        assert_eq!((again.key(), again.fen(shredder)), (position.key(), written.clone()), "{written}");
        // The lenient parser accepts more pieces than a game can give; all else has been repaired.
        let is_unclean = |repair: &FenRepair| !matches!(repair.fault, FenError::TooManyPieces(_));
        assert!(!repairs.iter().any(is_unclean), "{written}: {repairs:?}");
    }
    let moves = position.legal_moves();
    let mut kinds = MoveList::default();
    position.noisy_moves(&mut kinds);
    position.quiet_moves(&mut kinds);
    assert_eq!(kinds.len(), moves.len(), "{fen}");
    // A full list may lack the moves that make a text ambiguous.
    let is_whole = moves.len() < MAX_MOVES;
    for &mv in &moves {
        assert!(position.is_legal(mv), "{mv} in {fen}");
        assert_eq!(position.from_uci(&position.to_uci(mv, true)), Ok(mv), "{fen}");
        let san = position.to_san(mv);
        assert!(!is_whole || position.from_san(&san) == Ok(mv), "{san} in {fen}");
    }
    assert_eq!(position.has_legal_move(), !moves.is_empty(), "{fen}");
    if !position.in_check() {
        Network::embedded().evaluate(position);
    }
}

/// Compares the legal moves of positions that both libraries accept.
fn compare_with_shakmaty(fen: &str, position: &Position) {
    let mode = CastlingMode::Chess960;
    let Ok(fen_of_theirs) = fen.parse::<Fen>() else { return };
    let Ok(theirs) = fen_of_theirs.into_position::<Chess>(mode) else { return };
    let mut wanted: Vec<String> =
        theirs.legal_moves().iter().map(|&mv| UciMove::from_move(mv, mode).to_string()).collect();
    let mut found: Vec<String> = position.legal_moves().iter().map(|&mv| position.to_uci(mv, true)).collect();
    wanted.sort();
    found.sort();
    assert_eq!(found, wanted, "{fen}");
}

/// The bytes are a file of EPD lines.
pub fn read_epd(bytes: &[u8]) {
    let mut last = 0;
    for (number, line) in epd::read_all(&decode(bytes.to_vec())) {
        assert!(number > last, "line {number} after line {last}");
        last = number;
        let Ok(epd) = line else { continue };
        let moves = epd.position.legal_moves();
        assert!(!moves.is_empty(), "{epd:?}");
        if let Some(solution) = &epd.solution {
            assert!(!solution.text(&epd.position).is_empty(), "{epd:?}");
            let _ = moves.iter().filter(|&&mv| solution.accepts(mv)).count();
        }
    }
}

/// The bytes are a file of games.
pub fn pgn(bytes: &[u8]) {
    let (mut number, mut line) = (0, 0);
    for game in Reader::new(bytes) {
        number += 1;
        assert!(number <= bytes.len() as u64, "a game of no bytes");
        let (found, place) = match &game {
            Ok(record) => (record.number, record.line),
            Err(error) => (error.game, error.line),
        };
        assert!(found == number && place >= line, "game {found}, line {place} after game {number}, line {line}");
        line = place;
        let Ok(record) = game else { continue };
        let text = record.to_string();
        let mut again = Reader::new(text.as_bytes());
        let copy = again.next().expect("what was written is a game").unwrap_or_else(|error| panic!("{error}: {text}"));
        assert!(again.next().is_none(), "{text}");
        // The export format is stable.
        assert_eq!(copy.to_string(), text);
        // A game with an illegal move has the same error.
        let played = |record: &PgnGame| {
            let replay = record.replay().map_err(|error| error.kind.to_string())?;
            Ok::<_, String>((replay.start.fen(true), replay.moves))
        };
        assert_eq!(played(&copy), played(&record), "{text}");
    }
}
