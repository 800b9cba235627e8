//! Repetition, the fifty-move rule, insufficient material and outcomes.

use super::*;

fn game(fen: &str, moves: &str) -> Game {
    let mut game = Game::new(position(fen));
    for mv in moves.split_whitespace() {
        let mv = game.position().from_uci(mv).unwrap_or_else(|error| panic!("{error}: {}", game.position()));
        game.play(mv);
    }
    game
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const SHUFFLE: &str = "g1f3 g8f6 f3g1 f6g8 ";

#[test]
fn third_occurrence_is_a_draw() {
    assert_eq!(game(START, SHUFFLE).outcome(), None);
    assert_eq!(game(START, &SHUFFLE.repeat(2)).outcome(), Some(Outcome::Repetition));
    assert_eq!(game(START, &(SHUFFLE.repeat(2) + "e2e4")).outcome(), None);
}

#[test]
fn lost_castling_rights_prevent_repetition() {
    // The kings return to their squares twice, but castling was legal in the first position.
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let shuffle = "e1e2 e8e7 e2e1 e7e8 ";
    assert_eq!(game(fen, &shuffle.repeat(2)).outcome(), None);
    assert_eq!(game(fen, &shuffle.repeat(3)).outcome(), Some(Outcome::Repetition));
}

#[test]
fn legal_en_passant_prevents_repetition() {
    let shuffle = "g8f6 g1f3 f6g8 f3g1 ";
    assert_eq!(game(START, &("e2e4 ".to_owned() + &shuffle.repeat(2))).outcome(), Some(Outcome::Repetition));
    let fen = "rnbqkbnr/ppp1pppp/8/8/3p4/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(game(fen, &("e2e4 ".to_owned() + &shuffle.repeat(2))).outcome(), None);
    assert_eq!(game(fen, &("e2e4 ".to_owned() + &shuffle.repeat(3))).outcome(), Some(Outcome::Repetition));
}

#[test]
fn repetition_needs_one_occurrence_after_the_root_or_two() {
    // The earlier keys are 10, 20, 30, 40; the current one is 10 or 20.
    let path = [10, 20, 30, 40];
    assert!(is_repetition(&path, 10, 4, 0), "the root itself");
    assert!(!is_repetition(&path, 10, 4, 1), "once before the root");
    assert!(!is_repetition(&path, 20, 4, 0), "the other side was to move");
    assert!(!is_repetition(&path, 10, 3, 0), "before the last capture");
    assert!(!is_repetition(&[], 10, 100, 0), "a FEN with a clock, without a game");
    let path = [10, 20, 30, 40, 10, 20, 30, 40];
    assert!(is_repetition(&path, 10, 8, 8), "twice before the root");
    assert!(is_repetition(&path, 10, 8, 4), "the later one is the root");
    assert!(!is_repetition(&path, 10, 7, 8), "one of them is before the last capture");
}

/// Random games with many repetitions, against a comparison of the FENs.
#[test]
fn repetition_agrees_with_counting_positions() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    let (mut threefold, mut twofold) = (0, 0);
    for start in suite().chain((0..200).map(|n| Position::chess960(n * 4))) {
        let mut game = Game::new(start);
        let mut positions: Vec<String> = Vec::new();
        for _ in 0..150 {
            let position = game.position();
            let fen = position.fen(true);
            let same = fen.rsplitn(3, ' ').last().unwrap().to_owned();
            let earlier = positions.iter().filter(|&other| *other == same).count();
            let keys = game.previous_keys();
            assert_eq!(keys.len(), positions.len());
            for clock in [position.halfmove_clock(), position.reversible_plies()] {
                assert_eq!(is_repetition(keys, position.key(), clock, keys.len()), earlier >= 2, "{position}");
                assert_eq!(is_repetition(keys, position.key(), clock, 0), earlier >= 1, "{position}");
            }
            threefold += u32::from(earlier >= 2);
            twofold += u32::from(earlier >= 1);
            positions.push(same);
            // The first quiet moves of pieces, so that positions repeat.
            let mut quiet = MoveList::new();
            position.quiet_moves(&mut quiet);
            quiet.sort_by_key(|&mv| position.moved(mv) == Piece::Pawn);
            let moves = if quiet.is_empty() { position.legal_moves() } else { quiet };
            if moves.is_empty() || position.halfmove_clock() == 100 {
                break;
            }
            let mv = moves[random.next_u32() as usize % moves.len().min(3)];
            game.play(mv);
        }
    }
    assert!(threefold > 500 && twofold > threefold, "{threefold}, {twofold}");
}

#[test]
fn null_move_resets_reversible_plies() {
    let mut position = Position::startpos();
    for mv in ["g1f3", "g8f6"] {
        position.play(position.from_uci(mv).unwrap());
    }
    assert_eq!(position.reversible_plies(), 2);
    position.play_null();
    assert_eq!(position.reversible_plies(), 0);
    assert_eq!(position.halfmove_clock(), 3);
}

#[test]
fn checkmate_precedes_the_fifty_move_rule() {
    assert_eq!(game("4k3/8/8/8/8/8/8/R3K3 w - - 99 80", "a1a2").outcome(), Some(Outcome::FiftyMoves));
    assert_eq!(game("4k3/8/8/8/8/8/8/R3K3 w - - 98 80", "a1a2").outcome(), None);
    assert_eq!(game("4k3/8/8/8/8/8/P7/R3K3 w - - 99 80", "a2a3").outcome(), None);
    assert_eq!(game("4k3/8/4K3/8/8/8/8/R7 w - - 99 80", "a1a8").outcome(), Some(Outcome::Checkmate));
    let capped = game("4k3/8/8/8/8/8/8/R3K3 w - - 99 80", "a1a2 e8d8 a2a1");
    assert_eq!(capped.position().halfmove_clock(), 100);
    assert_eq!(position("4k3/8/8/8/8/8/8/R3K3 w - - 12345678901234567890 80").halfmove_clock(), 100);
}

#[test]
fn mate_and_stalemate() {
    assert_eq!(game(START, "f2f3 e7e5 g2g4 d8h4").outcome(), Some(Outcome::Checkmate));
    assert_eq!(game("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "").outcome(), Some(Outcome::Stalemate));
}

#[test]
fn insufficient_material() {
    for (fen, insufficient) in [
        ("4k3/8/8/8/8/8/8/4K3 w - -", true),
        ("4k3/8/8/8/8/8/8/4KN2 w - -", true),
        ("4kb2/8/8/8/8/8/8/4K3 w - -", true),
        ("4k1b1/8/8/8/8/8/8/4KB2 w - -", true),
        ("4kb2/8/8/8/8/8/8/4KB2 w - -", false),
        ("4kn2/8/8/8/8/8/8/4KB2 w - -", false),
        ("4kn2/8/8/8/8/8/8/4KN2 w - -", false),
        ("4k3/8/8/8/8/8/8/4KNN1 w - -", false),
        ("4k3/8/8/8/8/3B4/8/4KB2 w - -", false),
        ("4k3/8/8/8/8/8/4P3/4K3 w - -", false),
        ("4k3/8/8/8/8/8/8/4K2R w - -", false),
        ("4k3/8/8/8/8/8/8/4K2Q w - -", false),
    ] {
        assert_eq!(position(fen).insufficient_material(), insufficient, "{fen}");
        assert_eq!(game(fen, "").outcome(), insufficient.then_some(Outcome::InsufficientMaterial), "{fen}");
    }
}

#[test]
fn non_pawn_material() {
    let position = position("4k3/pppp4/8/8/8/8/PPPP4/4KN2 w - -");
    assert!(position.has_non_pawn_material(Color::White));
    assert!(!position.has_non_pawn_material(Color::Black));
}
