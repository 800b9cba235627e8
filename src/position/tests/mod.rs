//! Rules, draws and exchanges: along random games, on random boards, and against slow references.

mod notation;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::{BTreeSet, HashMap};

use super::*;

/// The positions of the perft suite.
fn suite() -> impl Iterator<Item = Position> {
    let lines = include_str!("../../../tests/data/positions.fen").lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| position(line.split(" ; ").next().unwrap()))
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// Calls `check` with every position of `games` random games and the move played there, if any. The games
/// start from standard chess, Chess960 and the positions of the suite in turn.
pub(crate) fn random_games(seed: u64, games: u32, mut check: impl FnMut(&Position, Option<Move>)) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let suite: Vec<Position> = suite().collect();
    for game in 0..games {
        let mut position = match game % 3 {
            0 => Position::startpos(),
            1 => Position::chess960(random.next_u32() % 960),
            _ => suite[random.next_u32() as usize % suite.len()].clone(),
        };
        for _ in 0..200 {
            let moves = position.legal_moves();
            if moves.is_empty() || position.insufficient_material() {
                break;
            }
            let mv = moves[random.next_u32() as usize % moves.len()];
            check(&position, Some(mv));
            position.play(mv);
        }
        check(&position, None);
    }
}

/// Calls `check` with `count` valid positions of random pieces on random squares.
fn random_boards(seed: u64, count: u32, mut check: impl FnMut(&Position)) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut left = count;
    while left > 0 {
        let mut squares = ['1'; 64];
        for _ in 0..8 + random.next_u32() % 20 {
            let letters = *b"PPPNBRQpppnbrq";
            squares[random.next_u32() as usize % 64] = char::from(letters[random.next_u32() as usize % letters.len()]);
        }
        squares[random.next_u32() as usize % 64] = 'K';
        squares[random.next_u32() as usize % 64] = 'k';
        let ranks: Vec<String> = squares.chunks(8).map(|rank| rank.iter().collect()).collect();
        let side = ["w", "b"][random.next_u32() as usize % 2];
        if let Ok(position) = Position::from_fen(&format!("{} {side} - -", ranks.join("/"))) {
            check(&position);
            left -= 1;
        }
    }
}

#[test]
fn incremental_keys_mailbox_and_counts_are_exact() {
    let (mut castlings, mut en_passants, mut promotions) = (0, 0, 0);
    random_games(1, 5000, |position, mv| {
        assert_eq!(position.keys, position.keys_from_scratch(), "{position}");
        for square in Square::ALL {
            assert_eq!(position.piece_on(square), position.board.piece_on(square), "{square} in {position}");
        }
        assert_eq!(position.piece_count(), position.occupied().len(), "{position}");
        let points = [(Piece::Knight, 3), (Piece::Bishop, 3), (Piece::Rook, 5), (Piece::Queen, 9)];
        let sum: u32 = points.into_iter().map(|(piece, points)| points * position.pieces(piece).len()).sum();
        assert_eq!(position.non_pawn_points(), sum, "{position}");
        if let Some(mv) = mv {
            castlings += u32::from(position.is_castling(mv));
            en_passants += u32::from(position.is_en_passant(mv));
            promotions += u32::from(mv.promotion().is_some());
        }
    });
    assert!(castlings > 100 && en_passants > 50 && promotions > 100, "{castlings}, {en_passants}, {promotions}");
}

#[test]
fn null_move_changes_only_the_side() {
    random_games(5, 300, |position, _| {
        if !position.in_check() {
            let mut null = position.clone();
            null.play_null();
            assert_eq!((null.en_passant(), null.reversible_plies()), (None, 0));
            assert_eq!(null.squares(), position.squares());
            // The board keeps its en passant file after a double step without a legal capture; the key has
            // none.
            let side = char::from(null.side_to_move());
            let fields = position.fen(true);
            let fields: Vec<&str> = fields.split(' ').collect();
            let turned = Position::from_fen(&format!("{} {side} {} - 0 1", fields[0], fields[2]));
            assert_eq!(turned.map(|position| position.keys), Ok(null.keys));
        }
    });
}

#[test]
fn key_includes_en_passant_only_if_legal() {
    // No capturing pawn; a capturing pawn; a pinned one.
    for (before, mv, after, legal) in [
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1", false),
        ("4k3/8/8/8/5p2/8/4P3/4K3 w - - 0 1", "e2e4", "4k3/8/8/8/4Pp2/8/8/4K3 b - - 0 1", true),
        ("8/8/8/8/R4p1k/8/4P3/4K3 w - - 0 1", "e2e4", "8/8/8/8/R3Pp1k/8/8/4K3 b - - 0 1", false),
    ] {
        let mut stepped = position(before);
        stepped.play(stepped.from_uci(mv).unwrap());
        assert_eq!(stepped.en_passant(), legal.then_some(Square::E3), "{before}");
        assert_eq!(stepped.key() == position(after).key(), !legal, "{before}");
    }
}

#[test]
fn prefetch_key_is_exact_for_simple_moves() {
    random_games(6, 300, |position, mv| {
        let Some(mv) = mv else { return };
        let mut after = position.clone();
        after.play(mv);
        let same_rights = Color::ALL.into_iter().all(|color| position.castles(color) == after.castles(color));
        if same_rights && !position.is_en_passant(mv) && after.en_passant().is_none() {
            assert_eq!(position.key_after(mv), after.key(), "{mv} in {position}");
        }
    });
}

#[test]
fn equal_keys_mean_equal_positions() {
    let mut seen = HashMap::new();
    random_games(7, 300, |position, _| {
        // The FEN without the clocks.
        let fen = position.fen(true);
        let same = fen.rsplitn(3, ' ').last().unwrap().to_owned();
        let earlier = seen.entry(position.key()).or_insert_with(|| same.clone());
        assert_eq!(*earlier, same);
    });
    let positions: BTreeSet<&String> = seen.values().collect();
    assert_eq!(positions.len(), seen.len(), "one position with two keys");
    assert!(seen.len() > 20_000);
}

#[test]
fn noisy_and_quiet_moves_partition_legal_moves() {
    let check = |position: &Position| {
        let (mut noisy, mut quiet) = (MoveList::new(), MoveList::new());
        position.noisy_moves(&mut noisy);
        position.quiet_moves(&mut quiet);
        assert!(noisy.iter().all(|&mv| position.is_noisy(mv)), "{position}");
        assert!(!quiet.iter().any(|&mv| position.is_noisy(mv)), "{position}");
        let mut generated = BTreeSet::new();
        position.board.generate_moves(|moves| {
            generated.extend(moves.into_iter().map(|mv| Move::new(mv.from, mv.to, mv.promotion)));
            false
        });
        let listed: Vec<Move> = noisy.iter().chain(&quiet).copied().collect();
        assert_eq!(listed.len(), generated.len(), "{position}");
        assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), generated, "{position}");
        // Arbitrary target squares: another half of the board for each piece, no squares for every other
        // king.
        let squares = |piece: Piece| {
            if piece == Piece::King && position.key().is_multiple_of(2) {
                BitBoard::EMPTY
            } else {
                BitBoard(0xf0f0_3c3c_5555_9669_u64.rotate_left(piece as u32))
            }
        };
        let mut some = MoveList::new();
        let has_others = position.quiet_moves_to(squares, &mut some);
        let wanted: Vec<Move> = quiet.iter().copied().filter(|&mv| squares(position.moved(mv)).has(mv.to())).collect();
        assert_eq!((some.to_vec(), has_others), (wanted.clone(), wanted.len() < quiet.len()), "{position}");
        for &mv in &generated {
            let (moved, captured) = (position.moved(mv), position.captured(mv));
            let noisy = captured.is_some() || mv.promotion() == Some(Piece::Queen);
            assert_eq!(position.is_noisy(mv), noisy, "{mv} in {position}");
            let count = |position: &Position| position.occupied().len();
            let mut after = position.clone();
            after.play(mv);
            assert_eq!(captured.is_some(), count(&after) < count(position), "{mv} in {position}");
            if !position.is_castling(mv) {
                assert_eq!(after.piece_on(mv.to()), Some(mv.promotion().unwrap_or(moved)), "{mv} in {position}");
            }
        }
    };
    random_games(2, 400, |position, _| check(position));
    random_boards(2, 2000, check);
}

#[test]
fn is_legal_agrees_with_legal_moves() {
    let check = |position: &Position| {
        let legal: BTreeSet<Move> = position.legal_moves().iter().copied().collect();
        for mv in (0..1 << 15).filter_map(Move::from_bits) {
            assert_eq!(position.is_legal(mv), legal.contains(&mv), "{mv} in {position}");
        }
    };
    suite().for_each(|position| check(&position));
    random_boards(3, 300, check);
    let mut number = 0;
    random_games(3, 60, |position, _| {
        number += 1;
        if number % 20 == 0 {
            check(position);
        }
    });
}

#[test]
fn positions_are_small() {
    assert!(size_of::<Position>() <= 208, "{} bytes", size_of::<Position>());
}

fn game(fen: &str, moves: &str) -> Game {
    let mut game = Game::new(position(fen));
    for mv in moves.split_whitespace() {
        let mv = game.position().from_uci(mv).unwrap_or_else(|error| panic!("{error}: {}", game.position()));
        game.play(mv);
    }
    game
}

#[test]
fn repetition_needs_two_occurrences_or_a_late_one() {
    // The earlier keys are 10, 20, 30, 40; the current one is 10 or 20.
    let path = [10, 20, 30, 40];
    assert!(is_repetition(&path, 10, 4, 0), "once");
    assert!(!is_repetition(&path, 10, 4, 1), "once, before the index");
    assert!(!is_repetition(&path, 20, 4, 0), "the other side was to move");
    assert!(!is_repetition(&path, 10, 3, 0), "before the last capture");
    assert!(!is_repetition(&[], 10, 100, 0), "a FEN with a clock, without a game");
    let path = [10, 20, 30, 40, 10, 20, 30, 40];
    assert!(is_repetition(&path, 10, 8, 8), "twice before the index");
    assert!(is_repetition(&path, 10, 8, 4), "the later one is at the index");
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
            let outcome = game.outcome();
            let wanted = (earlier >= 2).then_some(Outcome::Repetition);
            // Another rule may end the game first.
            assert!(outcome == wanted || outcome.is_some_and(|other| other != Outcome::Repetition), "{position}");
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

fn worth(piece: Piece) -> i32 {
    SEE_VALUES[piece as usize]
}

/// Returns what `side` wins by captures of a piece worth `prize` on `to`, or 0 by none. Looks at each piece alone.
fn best_captures(position: &Position, to: Square, side: Color, occupied: BitBoard, prize: i32) -> i32 {
    let attackers = |side: Color, occupied: BitBoard| {
        let pieces =
            (position.colors(side) & occupied).into_iter().map(move |from| (position.piece_on(from).unwrap(), from));
        pieces.filter(move |&(piece, from)| attacks::attacks_of(piece, side, from, occupied).has(to))
    };
    let Some((piece, from)) = attackers(side, occupied).min_by_key(|&(piece, _)| piece as usize) else { return 0 };
    let rest = occupied - from.bitboard();
    if piece == Piece::King && attackers(!side, rest).next().is_some() {
        return 0;
    }
    (prize - best_captures(position, to, !side, rest, worth(piece))).max(0)
}

/// Returns the material won by the exchange that a move begins.
fn exchange(position: &Position, mv: Move) -> i32 {
    if position.is_castling(mv) {
        return 0;
    }
    let (from, to, moved) = (mv.from(), mv.to(), position.moved(mv));
    let mut occupied = (position.occupied() - from.bitboard()) | to.bitboard();
    if position.is_en_passant(mv) {
        occupied ^= Square::new(to.file(), from.rank()).bitboard();
    }
    let placed = mv.promotion().unwrap_or(moved);
    let won = position.captured(mv).map_or(0, worth) + worth(placed) - worth(moved);
    won - best_captures(position, to, !position.side_to_move(), occupied, worth(placed))
}

/// All thresholds around possible values, and the extremes.
fn thresholds(value: i32) -> impl Iterator<Item = i32> {
    (-20..=20).map(|hundreds| hundreds * 100).chain([value - 1, value, value + 1, i32::MIN, i32::MAX])
}

#[test]
fn see_ge_agrees_with_the_reference() {
    let mut exchanges = 0;
    let mut check = |position: &Position| {
        for &mv in &position.legal_moves() {
            let value = exchange(position, mv);
            // Equality for every threshold includes monotonicity.
            for threshold in thresholds(value) {
                assert_eq!(position.see_ge(mv, threshold), value >= threshold, "{mv} {threshold} {value} {position}");
            }
            exchanges += 1;
        }
    };
    random_boards(8, 2000, &mut check);
    suite().for_each(|position| check(&position));
    let mut number = 0;
    random_games(8, 200, |position, _| {
        number += 1;
        if number % 10 == 0 {
            check(position);
        }
    });
    assert!(exchanges > 100_000, "{exchanges}");
}

#[test]
fn see_of_known_exchanges() {
    for (fen, mv, value) in [
        // An undefended pawn; a defended one with x-ray attackers.
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -200),
        // Promotion: undefended, with capture.
        ("8/4P3/8/8/8/8/k7/4K3 w - - 0 1", "e7e8q", 800),
        ("3r4/4P3/8/8/8/8/k7/4K3 w - - 0 1", "e7d8n", 700),
        // En passant that opens a file for a rook.
        ("4k3/2p5/8/3pP3/8/8/3R4/4K3 w - d6 0 1", "e5d6", 100),
        // A king captures undefended pieces only.
        ("8/8/8/8/8/3k4/3r4/R3K3 b - - 0 1", "d2e2", 0),
        ("8/8/8/3k4/3p4/8/8/3RK3 w - - 0 1", "d1d4", -400),
        ("8/8/8/3k4/3p4/8/3R4/3RK3 w - - 0 1", "d2d4", 100),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", 0),
    ] {
        let position = position(fen);
        let mv = position.from_uci(mv).unwrap();
        assert_eq!(exchange(&position, mv), value, "{mv} {fen}");
        assert!(position.see_ge(mv, value), "{mv} {fen}");
        assert!(!position.see_ge(mv, value + 1), "{mv} {fen}");
    }
}
