//! What the room claims, checked along random games.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::BTreeSet;

use super::*;

/// Calls `check` with every position of `games` random games, half of them Chess960, and the move played there, if any.
fn random_games(seed: u64, games: u32, mut check: impl FnMut(&Position, Option<Move>)) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    for game in 0..games {
        let mut position = match game % 2 {
            0 => Position::startpos(),
            _ => Position::chess960((random.next_u64() % 960) as u32),
        };
        for _ in 0..200 {
            let moves = position.legal_moves();
            if moves.is_empty() || position.insufficient_material() {
                break;
            }
            let mv = moves[random.next_u64() as usize % moves.len()];
            check(&position, Some(mv));
            position.play(mv);
        }
        check(&position, None);
    }
}

#[test]
fn keys_equal_keys_from_scratch() {
    random_games(1, 2000, |position, mv| {
        assert_eq!(position.keys, position.keys_from_scratch(), "{position}");
        if let (Some(mv), false) = (mv, position.in_check()) {
            let mut null = position.clone();
            null.play_null();
            assert_eq!(null.keys, null.keys_from_scratch(), "{position}");
            let mut after = position.clone();
            after.play(mv);
            let castles = Color::ALL.map(|color| position.castles(color) == after.castles(color));
            if castles == [true, true] && !position.is_en_passant(mv) && after.en_passant().is_none() {
                assert_eq!(position.key_after(mv), after.key(), "{mv} in {position}");
            }
        }
    });
}

#[test]
fn noisy_and_quiet_moves_are_the_legal_ones() {
    random_games(2, 400, |position, _| {
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
    });
}
