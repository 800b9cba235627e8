//! Upcoming repetitions: positions with a move to an earlier position, found by keys alone.
//!
//! Source: M. N. J. van Kervinck, "The design and implementation of the Rookie 2.0 chess playing program" (2002). Two
//! positions with one reversible move between them differ by a key that a cuckoo hash table holds, as in Stockfish.

use std::sync::LazyLock;

use cozy_chess::{BitBoard, Color, Piece, Square};

use super::board::Position;
use super::{attacks, zobrist};

const SIZE: usize = 1 << 13;

/// Key differences of all reversible moves on an empty board, with their squares; 0 is none.
static MOVES: LazyLock<Box<[(u64, Square, Square)]>> = LazyLock::new(|| {
    let mut table = vec![(0, Square::A1, Square::A1); SIZE].into_boxed_slice();
    for color in Color::ALL {
        for piece in Piece::ALL.into_iter().filter(|&piece| piece != Piece::Pawn) {
            for from in Square::ALL {
                let targets = attacks::attacks_of(piece, color, from, BitBoard::EMPTY);
                for to in targets.into_iter().filter(|&to| to > from) {
                    let key = zobrist::piece(color, piece, from) ^ zobrist::piece(color, piece, to);
                    insert(&mut table, (key ^ zobrist::black_to_move(), from, to));
                }
            }
        }
    }
    table
});

fn places(key: u64) -> [usize; 2] {
    [key as usize % SIZE, (key >> 16) as usize % SIZE]
}

fn insert(table: &mut [(u64, Square, Square)], mut entry: (u64, Square, Square)) {
    let mut place = places(entry.0)[0];
    loop {
        std::mem::swap(&mut table[place], &mut entry);
        if entry.0 == 0 {
            return;
        }
        let [first, second] = places(entry.0);
        place = if place == first { second } else { first };
    }
}

/// Returns true if a move of `position` leads to a draw by [`is_repetition`](super::is_repetition), with its arguments.
#[inline]
pub fn has_upcoming_repetition(position: &Position, path: &[u64], once_from: usize) -> bool {
    let reach = path.len().min(usize::from(position.reversible_plies()));
    if reach < 3 {
        return false;
    }
    let (key, side) = (position.key(), zobrist::black_to_move());
    let back = |distance: usize| path[path.len() - distance];
    // The key difference of the opponent's moves since then. It must be 0.
    let mut opponent = key ^ back(1) ^ side;
    (3..=reach).step_by(2).any(|distance| {
        opponent ^= back(distance - 1) ^ back(distance) ^ side;
        if opponent != 0 || !is_possible(position, key ^ back(distance)) {
            return false;
        }
        path.len() - distance >= once_from
            || (distance + 2..=reach).step_by(2).any(|earlier| back(earlier) == back(distance))
    })
}

fn is_possible(position: &Position, difference: u64) -> bool {
    places(difference).into_iter().any(|place| {
        let (key, from, to) = MOVES[place];
        key == difference && (attacks::get_between_rays(from, to) & position.occupied()).is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::{Game, is_repetition};
    use rand_xoshiro::Xoshiro256StarStar;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    #[test]
    fn upcoming_repetitions_are_moves_to_earlier_positions() {
        let mut random = Xoshiro256StarStar::seed_from_u64(1);
        let mut found = [0; 2];
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1",
            "8/8/4k3/8/2r5/8/3K1R2/8 w - - 0 1",
            "k7/1n6/8/8/8/8/6N1/7K b - - 0 1",
        ] {
            for _ in 0..60 {
                let mut game = Game::new(Position::from_fen(fen).unwrap());
                for _ in 0..60 {
                    let (position, path) = (game.position(), game.previous_keys());
                    let moves = position.legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    let extended = [path, &[position.key()]].concat();
                    for once_from in [0, path.len().saturating_sub(5), path.len()] {
                        let expected = moves.iter().any(|&mv| {
                            let mut child = position.clone();
                            child.play(mv);
                            is_repetition(&extended, child.key(), child.reversible_plies(), once_from)
                        });
                        assert_eq!(has_upcoming_repetition(position, path, once_from), expected, "{position}");
                        found[usize::from(expected)] += 1;
                    }
                    // Every other move goes back, if it can.
                    let back = moves.iter().find(|mv| {
                        let mut child = position.clone();
                        child.play(**mv);
                        path.contains(&child.key())
                    });
                    let any = moves[random.next_u64() as usize % moves.len()];
                    game.play(back.copied().filter(|_| random.next_u64() % 4 == 0).unwrap_or(any));
                }
            }
        }
        assert!(found.into_iter().all(|count| count > 1000), "{found:?}");
    }
}
