//! Position encoding: from the squares of the pieces to an index into a table.
//!
//! Squares are numbers here: a1 is 0, b1 is 1, h8 is 63. The lookup tables at the end are computed at compile time.

use arrayvec::ArrayVec;

use super::MAX_PIECES;
use super::material::Material;
use crate::position::{Color, Piece, Position};

/// The squares of the pieces in the order of a table.
pub(super) type Squares = ArrayVec<usize, MAX_PIECES>;

/// Leading pieces, or several pieces of one kind.
#[derive(Clone, Copy, Debug)]
struct Group {
    len: usize,
    factor: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeadingGroup {
    Pawns,
    Three,
    Kings,
}

#[derive(Debug)]
pub(super) struct Encoding {
    pieces: ArrayVec<(Color, Piece), MAX_PIECES>,
    groups: ArrayVec<Group, MAX_PIECES>,
    leading_kind: LeadingGroup,
    /// The second group is the other side's pawns.
    opposing_pawns: bool,
    size: u64,
}

impl Encoding {
    /// `pieces` are the nibbles of a file. `order` has the places in the index of the leading group and of the other side's
    /// pawns; `column` is the leading pawn's file. Returns `None` if the data do not fit the material.
    pub(super) fn new(material: &Material, pieces: &[u8], order: [u8; 2], column: usize) -> Option<Encoding> {
        let pieces: ArrayVec<(Color, Piece), MAX_PIECES> =
            pieces.iter().map(|&code| decode(code)).collect::<Option<_>>()?;
        for color in Color::ALL {
            for piece in Piece::ALL {
                let wanted = (color, piece);
                let count = pieces.iter().filter(|&&found| found == wanted).count();
                // Pieces of a kind are adjacent.
                let runs = pieces.chunk_by(|a, b| a == b).filter(|run| run[0] == wanted).count();
                if count != material.count(color, piece) || runs > 1 {
                    return None;
                }
            }
        }
        let leading_kind = match () {
            () if material.has_pawns() => LeadingGroup::Pawns,
            () if material.has_unique_piece() => LeadingGroup::Three,
            () => LeadingGroup::Kings,
        };
        let first_color = pieces[0].0;
        let pawns = |color| material.count(color, Piece::Pawn);
        let mut sizes: ArrayVec<usize, MAX_PIECES> = ArrayVec::new();
        sizes.push(match leading_kind {
            LeadingGroup::Pawns => pawns(first_color),
            LeadingGroup::Three => 3,
            LeadingGroup::Kings => 2,
        });
        let opposing_pawns = leading_kind == LeadingGroup::Pawns && pawns(!first_color) > 0;
        let leading_fit = match leading_kind {
            LeadingGroup::Pawns => pieces[0].1 == Piece::Pawn,
            LeadingGroup::Three => true,
            LeadingGroup::Kings => pieces[..2].iter().all(|&(_, piece)| piece == Piece::King),
        };
        if !leading_fit || opposing_pawns && pieces.get(sizes[0]) != Some(&(!first_color, Piece::Pawn)) {
            return None;
        }
        sizes.extend(pieces.get(sizes[0]..)?.chunk_by(|a, b| a == b).map(<[_]>::len));
        let (groups, size) = place_groups(&sizes, leading_kind, opposing_pawns, order.map(usize::from), column)?;
        Some(Encoding { pieces, groups, leading_kind, opposing_pawns, size })
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Returns the squares of `position`'s pieces. `flip` exchanges the colours, and with pawns the ranks too.
    pub(super) fn squares(&self, position: &Position, flip: bool) -> Squares {
        let mirror = if flip && self.leading_kind == LeadingGroup::Pawns { 56 } else { 0 };
        let mut squares = Squares::new();
        for kind in self.pieces.chunk_by(|a, b| a == b) {
            let (color, piece) = kind[0];
            let color = if flip { !color } else { color };
            for square in position.colored(color, piece).into_iter().take(MAX_PIECES - squares.len()) {
                squares.push(square as usize ^ mirror);
            }
        }
        squares
    }

    /// Returns the leading pawn's file after mirroring, 0 (a) to 3 (d); 0 without pawns. It selects the part of a table.
    pub(super) fn leading_file(&self, squares: &Squares) -> usize {
        if self.leading_kind != LeadingGroup::Pawns {
            return 0;
        }
        let pawns = &squares[..self.groups[0].len.min(squares.len())];
        let leading = pawns.iter().copied().max_by_key(|&square| pawn_order(square)).unwrap_or(0);
        file(leading).min(7 - file(leading))
    }

    /// Returns an index below [`size`](Self::size); 0 if the number of squares is not the table's.
    pub(super) fn index(&self, mut squares: Squares) -> u64 {
        if squares.len() != self.pieces.len() {
            return 0;
        }
        let leading = self.groups[0].len;
        let number = match self.leading_kind {
            LeadingGroup::Pawns => encode_pawns(&mut squares, leading),
            LeadingGroup::Three => encode_three(normalise(&mut squares, leading)),
            LeadingGroup::Kings => encode_kings(normalise(&mut squares, leading)),
        };
        let mut index = number.wrapping_mul(self.groups[0].factor);
        let mut done = leading;
        for (group, place) in self.groups.iter().zip(0..).skip(1) {
            let (before, rest) = squares.split_at_mut(done);
            let group_squares = &mut rest[..group.len];
            group_squares.sort_unstable();
            // Pawns stand on 48 squares only.
            let below = if self.opposing_pawns && place == 1 { 8 } else { 0 };
            let mut number = 0;
            for (&square, nth) in group_squares.iter().zip(1..) {
                let taken = below + before.iter().filter(|&&other| other < square).count();
                number += BINOMIAL[nth][square.saturating_sub(taken)];
            }
            index = index.wrapping_add(number.wrapping_mul(group.factor));
            done += group.len;
        }
        index
    }
}

fn decode(code: u8) -> Option<(Color, Piece)> {
    let color = if code & 8 == 0 { Color::White } else { Color::Black };
    let piece = match code & 7 {
        1 => Piece::Pawn,
        2 => Piece::Knight,
        3 => Piece::Bishop,
        4 => Piece::Rook,
        5 => Piece::Queen,
        6 => Piece::King,
        _ => return None,
    };
    Some((color, piece))
}

fn place_groups(
    sizes: &[usize],
    leading_kind: LeadingGroup,
    opposing_pawns: bool,
    order: [usize; 2],
    column: usize,
) -> Option<(ArrayVec<Group, MAX_PIECES>, u64)> {
    let mut groups: ArrayVec<Group, MAX_PIECES> = sizes.iter().map(|&len| Group { len, factor: 0 }).collect();
    let leading = sizes[0];
    let mut next = if opposing_pawns { 2 } else { 1 };
    let mut free = 64_usize.checked_sub(sizes[..next.min(sizes.len())].iter().sum())?;
    let mut size = 1_u64;
    for place in 0..sizes.len() {
        let (group, ways) = if place == order[0] {
            let ways = match leading_kind {
                LeadingGroup::Pawns => *LEADING_SIZE.get(leading)?.get(column)?,
                LeadingGroup::Three => TRIPLES,
                LeadingGroup::Kings => KING_PAIRS,
            };
            (0, ways)
        } else if opposing_pawns && place == order[1] {
            (1, BINOMIAL[*sizes.get(1)?][48 - leading])
        } else {
            let group = next;
            next += 1;
            let len = *sizes.get(group)?;
            let ways = *BINOMIAL.get(len)?.get(free)?;
            free = free.checked_sub(len)?;
            (group, ways)
        };
        groups[group].factor = size;
        size = size.checked_mul(ways)?;
    }
    // A place beyond the last would omit its group.
    (order[0] < sizes.len() && (!opposing_pawns || order[1] < sizes.len() && order[0] != order[1]))
        .then_some((groups, size))
}

/// Moves the leading piece into the triangle a1-d1-d4, and the first leading piece off the diagonal a1-h8 below it.
fn normalise(squares: &mut Squares, leading: usize) -> &Squares {
    if file(squares[0]) > 3 {
        squares.iter_mut().for_each(|square| *square ^= 7);
    }
    if rank(squares[0]) > 3 {
        squares.iter_mut().for_each(|square| *square ^= 56);
    }
    let off = squares[..leading].iter().copied().map(off_diagonal).find(|&off| off != 0);
    if off.is_some_and(|off| off > 0) {
        squares.iter_mut().for_each(|square| *square = transpose(*square));
    }
    squares
}

fn encode_kings(squares: &Squares) -> u64 {
    u64::from(KINGS[number_in_triangle(squares[0])][squares[1]])
}

/// Four ranges: the first below the diagonal; on it with the second below; both on it and the third below; all on it.
fn encode_three(squares: &Squares) -> u64 {
    let [a, b, c] = [squares[0], squares[1], squares[2]];
    // Occupied squares are not counted.
    let b_taken = usize::from(b > a);
    let c_taken = usize::from(c > a) + usize::from(c > b);
    let number = if off_diagonal(a) != 0 {
        (number_in_triangle(a) * 63 + (b - b_taken)) * 62 + (c - c_taken)
    } else if off_diagonal(b) != 0 {
        (6 * 63 + rank(a) * 28 + number_below_diagonal(b)) * 62 + (c - c_taken)
    } else if off_diagonal(c) != 0 {
        6 * 63 * 62 + 4 * 28 * 62 + rank(a) * 7 * 28 + (rank(b) - b_taken) * 28 + number_below_diagonal(c)
    } else {
        6 * 63 * 62
            + 4 * 28 * 62
            + 4 * 7 * 28
            + rank(a) * 7 * 6
            + (rank(b) - b_taken) * 6
            + rank(c).saturating_sub(c_taken)
    };
    number as u64
}

fn encode_pawns(squares: &mut Squares, pawns: usize) -> u64 {
    let leading = (0..pawns).max_by_key(|&pawn| pawn_order(squares[pawn])).unwrap_or(0);
    squares.swap(0, leading);
    if file(squares[0]) > 3 {
        squares.iter_mut().for_each(|square| *square ^= 7);
    }
    squares[1..pawns].sort_unstable_by_key(|&square| pawn_order(square));
    let others = squares[1..pawns].iter().zip(1..);
    let rest: u64 = others.map(|(&square, nth)| BINOMIAL[nth][pawn_order(square)]).sum();
    LEADING[pawns.min(5)][squares[0]] + rest
}

const fn file(square: usize) -> usize {
    square & 7
}

const fn rank(square: usize) -> usize {
    square >> 3
}

/// Positive above the diagonal a1-h8, negative below it.
const fn off_diagonal(square: usize) -> i32 {
    rank(square) as i32 - file(square) as i32
}

const fn transpose(square: usize) -> usize {
    file(square) << 3 | rank(square)
}

/// The squares of the triangle a1-d1-d4: first those below the diagonal, then those on it.
const TRIANGLE: [usize; 10] = [1, 2, 3, 10, 11, 19, 0, 9, 18, 27];

fn number_in_triangle(square: usize) -> usize {
    TRIANGLE.iter().position(|&other| other == square).unwrap_or(0)
}

const fn number_below_diagonal(square: usize) -> usize {
    rank(square) * (13 - rank(square)) / 2 + file(square) - 1
}

/// The first king's number in [`TRIANGLE`], the second's square: number of the placement, 0 for impossible ones. If the
/// first is on the diagonal, the second is not above it. Placements with both kings on the diagonal come last.
static KINGS: [[u16; 64]; 10] = {
    let mut numbers = [[0; 64]; 10];
    let mut next = 0;
    let mut both_on_diagonal = false;
    loop {
        let mut first = 0;
        while first < 10 {
            let king = TRIANGLE[first];
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
const KING_PAIRS: u64 = 462;
const TRIPLES: u64 = 31_332;

/// `BINOMIAL[k][n]` is n over k.
static BINOMIAL: [[u64; 64]; 7] = {
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

/// Numbers the pawn squares: 47 on a2, 46 on h2, 45 on a3, and down to 0 on e7. The leading pawn has the maximum.
const fn pawn_order(square: usize) -> usize {
    let (column, right) = if file(square) < 4 { (file(square), 0) } else { (7 - file(square), 1) };
    47 - (12 * column + 2 * (rank(square) - 1) + right)
}

/// Number of pawns, square of the leading one: the first number of their placements.
static LEADING: [[u64; 64]; 6] = leading().0;
/// Number of pawns, file of the leading one: the number of their placements.
static LEADING_SIZE: [[u64; 4]; 6] = leading().1;

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
                next += BINOMIAL[pawns - 1][pawn_order(square)];
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
        let pawns: HashSet<usize> = (8..56).map(pawn_order).collect();
        assert_eq!((pawns.len(), [8, 15, 16, 52].map(pawn_order)), (48, [47, 46, 45, 0]));
        let below: HashSet<usize> =
            (0..64).filter(|&square| off_diagonal(square) < 0).map(number_below_diagonal).collect();
        assert_eq!((below.len(), number_below_diagonal(1), number_below_diagonal(55)), (28, 0, 27));
        assert_eq!(BINOMIAL[3][10], 120);
        // One leading pawn: each of the six squares of a file.
        assert_eq!(LEADING_SIZE[1], [6; 4]);
    }
}
