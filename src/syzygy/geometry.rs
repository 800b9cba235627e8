//! Lookup tables of the encoding: numbers of squares and king pairs up to symmetry, binomial coefficients.
//!
//! Squares are numbers here: a1 is 0, b1 is 1, h8 is 63. All tables are computed at compile time.

/// Returns the file of a square, 0 to 7.
pub(super) const fn file(square: usize) -> usize {
    square & 7
}

/// Returns the rank of a square, 0 to 7.
pub(super) const fn rank(square: usize) -> usize {
    square >> 3
}

/// Returns a positive number above the diagonal a1-h8, a negative one below it, 0 on it.
pub(super) const fn off_diagonal(square: usize) -> i32 {
    rank(square) as i32 - file(square) as i32
}

/// Reflects a square across the diagonal a1-h8.
pub(super) const fn transpose(square: usize) -> usize {
    file(square) << 3 | rank(square)
}

/// Numbers of the ten squares of the triangle a1-d1-d4: first those below the diagonal, then those on it.
pub(super) static TRIANGLE: [u8; 64] = {
    let mut numbers = [0; 64];
    let mut next = 0;
    let mut on_diagonal = false;
    loop {
        let mut square = 0;
        while square <= 27 {
            let wanted = if on_diagonal { off_diagonal(square) == 0 } else { off_diagonal(square) < 0 };
            if file(square) < 4 && wanted {
                numbers[square] = next;
                next += 1;
            }
            square += 1;
        }
        if on_diagonal {
            break numbers;
        }
        on_diagonal = true;
    }
};

/// Numbers of the 28 squares below the diagonal.
pub(super) static BELOW_DIAGONAL: [u8; 64] = {
    let mut numbers = [0; 64];
    let (mut square, mut next) = (0, 0);
    while square < 64 {
        if off_diagonal(square) < 0 {
            numbers[square] = next;
            next += 1;
        }
        square += 1;
    }
    numbers
};

/// Numbers of the 462 placements of two kings, by the first king's number in [`TRIANGLE`] and the second's
/// square.
///
/// The first king is in the triangle; the second is not above the diagonal if the first is on it. Placements
/// with both kings on the diagonal come last. Impossible placements have 0.
pub(super) static KINGS: [[u16; 64]; 10] = {
    let mut squares = [0; 10];
    let mut square = 0;
    while square <= 27 {
        if file(square) < 4 && off_diagonal(square) <= 0 {
            squares[TRIANGLE[square] as usize] = square;
        }
        square += 1;
    }
    let mut numbers = [[0; 64]; 10];
    let mut next = 0;
    let mut both_on_diagonal = false;
    loop {
        let mut first = 0;
        while first < 10 {
            let king = squares[first];
            let mut other = 0;
            while other < 64 {
                let adjacent = file(king).abs_diff(file(other)) <= 1 && rank(king).abs_diff(rank(other)) <= 1;
                let king_on = off_diagonal(king) == 0;
                let wanted = if both_on_diagonal {
                    king_on && off_diagonal(other) == 0
                } else {
                    !king_on || off_diagonal(other) < 0
                };
                if wanted && !adjacent {
                    numbers[first][other] = next;
                    next += 1;
                }
                other += 1;
            }
            first += 1;
        }
        if both_on_diagonal {
            break numbers;
        }
        both_on_diagonal = true;
    }
};

/// Number of placements of two kings, and of three different pieces, up to symmetry.
pub(super) const KING_PAIRS: u64 = 462;
pub(super) const TRIPLES: u64 = 31_332;

/// Binomial coefficients: `BINOMIAL[k][n]` is n over k.
pub(super) static BINOMIAL: [[u64; 64]; 7] = {
    let mut table = [[0; 64]; 7];
    let mut n = 0;
    while n < 64 {
        table[0][n] = 1;
        let mut k = 1;
        while k < 7 && n > 0 {
            table[k][n] = table[k - 1][n - 1] + table[k][n - 1];
            k += 1;
        }
        n += 1;
    }
    table
};

/// Numbers of the pawn squares: 47 on a2, 46 on h2, 45 on a3, and down to 0 on e7. The leading pawn has the
/// greatest number.
pub(super) static PAWN_ORDER: [u8; 64] = {
    let mut numbers = [0; 64];
    let (mut column, mut next) = (0, 47);
    while column < 4 {
        let mut row = 1;
        while row < 7 {
            numbers[row << 3 | column] = next;
            numbers[row << 3 | (7 - column)] = next - 1;
            next = if next > 1 { next - 2 } else { 0 };
            row += 1;
        }
        column += 1;
    }
    numbers
};

/// First number of the placements of `n` leading pawns with the leading one on a square of the files a to d, by
/// `n` and square.
pub(super) static LEADING: [[u64; 64]; 6] = leading().0;
/// Number of placements of `n` leading pawns with the leading one on a file, by `n` and file.
pub(super) static LEADING_SIZE: [[u64; 4]; 6] = leading().1;

const fn leading() -> ([[u64; 64]; 6], [[u64; 4]; 6]) {
    let mut starts = [[0; 64]; 6];
    let mut sizes = [[0; 4]; 6];
    let mut pawns = 1;
    while pawns < 6 {
        let mut column = 0;
        while column < 4 {
            let (mut row, mut next) = (1, 0);
            while row < 7 {
                let square = row << 3 | column;
                starts[pawns][square] = next;
                next += BINOMIAL[pawns - 1][PAWN_ORDER[square] as usize];
                row += 1;
            }
            sizes[pawns][column] = next;
            column += 1;
        }
        pawns += 1;
    }
    (starts, sizes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn numbers_are_complete_and_unique() {
        let pairs: HashSet<u16> = KINGS.as_flattened().iter().copied().collect();
        assert_eq!((pairs.len() as u64, u64::from(*pairs.iter().max().unwrap())), (KING_PAIRS, KING_PAIRS - 1));
        let pawns: HashSet<u8> = PAWN_ORDER[8..56].iter().copied().collect();
        assert_eq!((pawns.len(), PAWN_ORDER[8], PAWN_ORDER[15], PAWN_ORDER[16]), (48, 47, 46, 45));
        assert_eq!((TRIANGLE[1], TRIANGLE[27], TRIANGLE[0]), (0, 9, 6));
        assert_eq!(BELOW_DIAGONAL[62], 0, "above");
        assert_eq!(BELOW_DIAGONAL[55], 27);
        assert_eq!(BINOMIAL[3][10], 120);
        // One leading pawn: each of the six squares of a file.
        assert_eq!(LEADING_SIZE[1], [6; 4]);
    }
}
