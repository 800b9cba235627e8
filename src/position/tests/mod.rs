//! Properties of positions and moves, along random games and on random boards.

mod draws;
mod fen;
mod notation;
mod see;

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
fn random_games(seed: u64, games: u32, mut check: impl FnMut(&Position, Option<Move>)) {
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
fn incremental_keys_and_mailbox_are_exact() {
    let (mut castlings, mut en_passants, mut promotions) = (0, 0, 0);
    random_games(1, 5000, |position, mv| {
        assert_eq!(position.keys, position.keys_from_scratch(), "{position}");
        for square in Square::ALL {
            assert_eq!(position.piece_on(square), position.board.piece_on(square), "{square} in {position}");
        }
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
            assert_eq!(null.keys, null.keys_from_scratch(), "{position}");
            assert_eq!(null.side_to_move(), !position.side_to_move());
            assert_eq!(null.en_passant(), None);
            assert_eq!(null.reversible_plies(), 0);
            assert!(Square::ALL.into_iter().all(|square| null.piece_on(square) == position.piece_on(square)));
            // The board keeps its en passant file after a double step without a legal capture; the key has
            // none.
            let fields = position.fen(true);
            let mut fields: Vec<&str> = fields.split(' ').collect();
            fields[1] = if position.side_to_move() == Color::White { "b" } else { "w" };
            fields[3] = "-";
            assert_eq!(Position::from_fen(&fields.join(" ")).map(|position| position.keys), Ok(null.keys));
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
        position.quiet_moves_to(squares, &mut some);
        let wanted: Vec<Move> = quiet.iter().copied().filter(|&mv| squares(position.moved(mv)).has(mv.to())).collect();
        assert_eq!(some.to_vec(), wanted, "{position}");
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
