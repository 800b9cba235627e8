//! The random numbers behind the keys (A. L. Zobrist, 1970), made at compile time: reading one is a plain load.

use cozy_chess::CastleRights;

use super::{Color, File, Piece, Square};

/// The seed of all keys.
const SEED: u64 = 0x005E_5A3E;

/// One random number per fact about a position.
struct Keys {
    pieces: [[[u64; Square::NUM]; Piece::NUM]; Color::NUM],
    castles: [[u64; File::NUM]; Color::NUM],
    en_passant: [u64; File::NUM],
    black_to_move: u64,
}

static KEYS: Keys = Keys::new();

impl Keys {
    const fn new() -> Self {
        let mut random = Xoshiro::new(SEED);
        let mut keys = Self {
            pieces: [[[0; Square::NUM]; Piece::NUM]; Color::NUM],
            castles: [[0; File::NUM]; Color::NUM],
            en_passant: [0; File::NUM],
            black_to_move: random.next(),
        };
        let mut color = 0;
        while color < Color::NUM {
            let mut piece = 0;
            while piece < Piece::NUM {
                let mut square = 0;
                while square < Square::NUM {
                    keys.pieces[color][piece][square] = random.next();
                    square += 1;
                }
                piece += 1;
            }
            let mut file = 0;
            while file < File::NUM {
                keys.castles[color][file] = random.next();
                file += 1;
            }
            color += 1;
        }
        let mut file = 0;
        while file < File::NUM {
            keys.en_passant[file] = random.next();
            file += 1;
        }
        keys
    }
}

/// xoshiro256** (D. Blackman and S. Vigna, 2018) seeded with SplitMix64. The generator of `rand_xoshiro`, which cannot run at
/// compile time; the test below shows that both give the same numbers.
struct Xoshiro([u64; 4]);

impl Xoshiro {
    const fn new(seed: u64) -> Self {
        let mut state = [0; 4];
        let mut mix = seed;
        let mut word = 0;
        while word < 4 {
            mix = mix.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = mix;
            z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            state[word] = z ^ z >> 31;
            word += 1;
        }
        Self(state)
    }

    const fn next(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        result
    }
}

/// The key of a piece on a square.
#[inline]
pub(super) fn piece(color: Color, piece: Piece, square: Square) -> u64 {
    KEYS.pieces[color as usize][piece as usize][square as usize]
}

/// The key of both players' castling rights.
#[inline]
pub(super) fn castles(white: &CastleRights, black: &CastleRights) -> u64 {
    let right = |color: Color, file: Option<File>| file.map_or(0, |file| KEYS.castles[color as usize][file as usize]);
    right(Color::White, white.short)
        ^ right(Color::White, white.long)
        ^ right(Color::Black, black.short)
        ^ right(Color::Black, black.long)
}

/// The key of a pawn on `file` that can legally be taken en passant; 0 for none.
#[inline]
pub(super) fn en_passant(file: Option<File>) -> u64 {
    file.map_or(0, |file| KEYS.en_passant[file as usize])
}

/// The key of Black to move.
#[inline]
pub(super) fn black_to_move() -> u64 {
    KEYS.black_to_move
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::Xoshiro256StarStar;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};
    use std::collections::HashSet;

    fn all() -> Vec<u64> {
        let mut keys = vec![KEYS.black_to_move];
        for color in 0..Color::NUM {
            keys.extend(KEYS.pieces[color].as_flattened());
            keys.extend(KEYS.castles[color]);
        }
        keys.extend(KEYS.en_passant);
        keys
    }

    #[test]
    fn the_keys_are_the_numbers_of_rand_xoshiro() {
        let mut random = Xoshiro256StarStar::seed_from_u64(SEED);
        assert!(all().into_iter().all(|key| key == random.next_u64()));
    }

    #[test]
    fn no_key_is_zero_or_a_combination_of_few_others() {
        let keys = all();
        let mut sums: HashSet<u64> = keys.iter().copied().collect();
        assert_eq!(sums.len(), keys.len());
        assert!(!sums.contains(&0));
        for (i, a) in keys.iter().enumerate() {
            for b in &keys[..i] {
                assert!(sums.insert(a ^ b), "two pairs of keys, or a pair and a key, cancel out");
            }
        }
    }
}
