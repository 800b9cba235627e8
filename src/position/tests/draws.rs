//! Repetition, fifty moves, material, and the ends of games.

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
fn the_third_occurrence_ends_the_game() {
    assert_eq!(game(START, SHUFFLE).legal_result(), None);
    assert_eq!(game(START, &SHUFFLE.repeat(2)).legal_result(), Some(Outcome::Repetition));
    assert_eq!(game(START, &(SHUFFLE.repeat(2) + "e2e4")).legal_result(), None);
}

#[test]
fn lost_castling_rights_make_another_position() {
    // The kings come back to their squares twice, but the first time they could still castle.
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let shuffle = "e1e2 e8e7 e2e1 e7e8 ";
    assert_eq!(game(fen, &shuffle.repeat(2)).legal_result(), None);
    assert_eq!(game(fen, &shuffle.repeat(3)).legal_result(), Some(Outcome::Repetition));
}

#[test]
fn a_right_to_take_en_passant_makes_another_position_only_if_legal() {
    let shuffle = "g8f6 g1f3 f6g8 f3g1 ";
    assert_eq!(game(START, &("e2e4 ".to_owned() + &shuffle.repeat(2))).legal_result(), Some(Outcome::Repetition));
    let fen = "rnbqkbnr/ppp1pppp/8/8/3p4/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(game(fen, &("e2e4 ".to_owned() + &shuffle.repeat(2))).legal_result(), None);
    assert_eq!(game(fen, &("e2e4 ".to_owned() + &shuffle.repeat(3))).legal_result(), Some(Outcome::Repetition));
}

#[test]
fn once_in_the_search_is_enough_before_the_root_it_takes_two() {
    // Keys of the positions before: A B C D, then A again is asked for.
    let path = [10, 20, 30, 40];
    assert!(is_repetition(&path, 10, 4, 0), "the root itself");
    assert!(!is_repetition(&path, 10, 4, 1), "once, before the root");
    assert!(!is_repetition(&path, 20, 4, 0), "the other side was to move");
    assert!(!is_repetition(&path, 10, 3, 0), "a capture lies between");
    assert!(!is_repetition(&[], 10, 100, 0), "a FEN with a clock, but no game");
    let path = [10, 20, 30, 40, 10, 20, 30, 40];
    assert!(is_repetition(&path, 10, 8, 8), "twice, both before the root");
    assert!(is_repetition(&path, 10, 8, 4), "the nearer one is the root");
    assert!(!is_repetition(&path, 10, 7, 8), "only one of them is near enough");
}

/// Along random games that shuffle a lot: what the rules say, by comparing positions one by one.
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
            // Moves of pieces back and forth, so that positions come back.
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
fn a_repetition_does_not_reach_over_a_null_move() {
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
fn fifty_moves_unless_it_is_mate() {
    assert_eq!(game("4k3/8/8/8/8/8/8/R3K3 w - - 99 80", "a1a2").legal_result(), Some(Outcome::FiftyMoves));
    assert_eq!(game("4k3/8/8/8/8/8/8/R3K3 w - - 98 80", "a1a2").legal_result(), None);
    assert_eq!(game("4k3/8/8/8/8/8/P7/R3K3 w - - 99 80", "a2a3").legal_result(), None);
    assert_eq!(game("4k3/8/4K3/8/8/8/8/R7 w - - 99 80", "a1a8").legal_result(), Some(Outcome::Checkmate));
    let capped = game("4k3/8/8/8/8/8/8/R3K3 w - - 99 80", "a1a2 e8d8 a2a1");
    assert_eq!(capped.position().halfmove_clock(), 100);
    assert_eq!(position("4k3/8/8/8/8/8/8/R3K3 w - - 12345678901234567890 80").halfmove_clock(), 100);
}

#[test]
fn mate_and_stalemate() {
    assert_eq!(game(START, "f2f3 e7e5 g2g4 d8h4").legal_result(), Some(Outcome::Checkmate));
    assert_eq!(game("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "").legal_result(), Some(Outcome::Stalemate));
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
        assert_eq!(game(fen, "").legal_result(), insufficient.then_some(Outcome::Material), "{fen}");
    }
}

#[test]
fn non_pawn_material() {
    let position = position("4k3/pppp4/8/8/8/8/PPPP4/4KN2 w - -");
    assert!(position.has_non_pawn_material(Color::White));
    assert!(!position.has_non_pawn_material(Color::Black));
}
