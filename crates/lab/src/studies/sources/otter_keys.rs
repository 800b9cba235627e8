//! Otter's Zobrist keys: 837 numbers, 64 of them for the square passed over by a double step of a pawn, even
//! if no pawn can capture there.

use std::collections::{HashMap, HashSet};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use sesame::position::{Color, Move, Piece, Position, Square};

/// The Zobrist numbers.
#[derive(Debug)]
pub(super) struct OtterKeys {
    pieces: [[[u64; Square::NUM]; Piece::NUM]; Color::NUM],
    turn: u64,
    /// By colour, king's side and queen's side.
    castling: [[u64; 2]; Color::NUM],
    en_passant: [u64; Square::NUM],
}

impl OtterKeys {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut number = || random.next_u64();
        Self {
            pieces: std::array::from_fn(|_| std::array::from_fn(|_| std::array::from_fn(|_| number()))),
            turn: number(),
            castling: std::array::from_fn(|_| std::array::from_fn(|_| number())),
            en_passant: std::array::from_fn(|_| number()),
        }
    }

    /// Returns the key of `position`, reached by a double step over `passed` or another move.
    fn key(&self, position: &Position, passed: Option<Square>) -> u64 {
        let mut key = if position.side_to_move() == Color::White { self.turn } else { 0 };
        for color in Color::ALL {
            for piece in Piece::ALL {
                for square in position.colored(color, piece) {
                    key ^= self.pieces[color as usize][piece as usize][square as usize];
                }
            }
            let rights = position.castles(color);
            for (side, right) in [rights.short, rights.long].into_iter().enumerate() {
                key ^= if right.is_some() { self.castling[color as usize][side] } else { 0 };
            }
        }
        key ^ passed.map_or(0, |square| self.en_passant[square as usize])
    }

    /// Counts in the tree of all moves from `position` to `depth` plies: different positions by the rules of
    /// repetition, Otter's different keys for them, and Otter's keys of more than one position.
    pub(super) fn count(&self, position: &Position, depth: u32) -> [u64; 3] {
        // Sesame's key by Otter's key.
        let mut keys: HashMap<u64, u64> = HashMap::new();
        let mut collisions = HashSet::new();
        self.visit(position, None, depth, &mut keys, &mut collisions);
        let positions: HashSet<u64> = keys.values().copied().collect();
        [positions.len(), keys.len(), collisions.len()].map(|count| count as u64)
    }

    fn visit(
        &self,
        position: &Position,
        passed: Option<Square>,
        depth: u32,
        keys: &mut HashMap<u64, u64>,
        collisions: &mut HashSet<u64>,
    ) {
        let key = self.key(position, passed);
        if *keys.entry(key).or_insert(position.key()) != position.key() {
            collisions.insert(key);
        }
        if depth == 0 {
            return;
        }
        for &mv in &position.legal_moves() {
            let passed = passed_over(position, mv);
            let mut child = position.clone();
            child.play(mv);
            self.visit(&child, passed, depth - 1, keys, collisions);
        }
    }
}

/// Returns the square that a double step passes over.
fn passed_over(position: &Position, mv: Move) -> Option<Square> {
    let (from, to) = (mv.from(), mv.to());
    let is_double = position.moved(mv) == Piece::Pawn && (from as usize).abs_diff(to as usize) == 16;
    is_double.then(|| Square::index((from as usize + to as usize) / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_837_numbers() {
        assert_eq!(size_of::<OtterKeys>(), 837 * 8);
    }

    #[test]
    fn double_step_gives_a_position_two_keys() {
        let keys = OtterKeys::new(1);
        // Without double steps both keys distinguish the same positions.
        let rooks = Position::from_fen("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1").unwrap();
        let [positions, all_keys, collisions] = keys.count(&rooks, 3);
        assert_eq!((positions, collisions), (all_keys, 0));
        // e2-e4 in one step or in two gives the same position by the rules.
        let pawn = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        let [positions, all_keys, collisions] = keys.count(&pawn, 5);
        assert!(all_keys > positions, "{all_keys} {positions}");
        assert_eq!(collisions, 0);
    }
}
