//! Zobrist keys (A. L. Zobrist, 1970): the random numbers that the build script generates.

use cozy_chess::{CastleRights, Color, File, Piece, Square};

struct FeatureKeys {
    pieces: [[[u64; Square::NUM]; Piece::NUM]; Color::NUM],
    castles: [[u64; File::NUM]; Color::NUM],
    en_passant: [u64; File::NUM],
    black_to_move: u64,
}

static KEYS: FeatureKeys = include!(concat!(env!("OUT_DIR"), "/zobrist_keys.rs"));

#[inline]
pub(super) fn piece(color: Color, piece: Piece, square: Square) -> u64 {
    KEYS.pieces[color as usize][piece as usize][square as usize]
}

#[inline]
pub(super) fn castles(white: &CastleRights, black: &CastleRights) -> u64 {
    let right = |color: Color, file: Option<File>| file.map_or(0, |file| KEYS.castles[color as usize][file as usize]);
    right(Color::White, white.short)
        ^ right(Color::White, white.long)
        ^ right(Color::Black, black.short)
        ^ right(Color::Black, black.long)
}

/// Returns the key of a legal en passant capture on `file`; 0 for none.
#[inline]
pub(super) fn en_passant(file: Option<File>) -> u64 {
    file.map_or(0, |file| KEYS.en_passant[file as usize])
}

#[inline]
pub(super) fn black_to_move() -> u64 {
    KEYS.black_to_move
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::Xoshiro256StarStar;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    #[test]
    fn keys_are_the_numbers_of_rand_xoshiro() {
        let mut keys = vec![KEYS.black_to_move];
        for color in 0..Color::NUM {
            keys.extend(KEYS.pieces[color].as_flattened());
            keys.extend(KEYS.castles[color]);
        }
        keys.extend(KEYS.en_passant);
        let mut random = Xoshiro256StarStar::seed_from_u64(0x005E_5A3E);
        assert!(keys.into_iter().all(|key| key == random.next_u64()));
    }
}
