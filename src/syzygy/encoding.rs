//! From the squares of the pieces to an index into a table.

use arrayvec::ArrayVec;

use super::MAX_MEN;
use super::geometry::{
    BELOW_DIAGONAL, BINOMIAL, KING_PAIRS, KINGS, LEADING, LEADING_SIZE, PAWN_ORDER, TRIANGLE, TRIPLES, file,
    off_diagonal, rank, transpose,
};
use super::material::Material;
use crate::position::{Color, Piece, Position};

/// The squares of a position's men in the order in which a table wants them.
pub(super) type Squares = ArrayVec<usize, MAX_MEN>;

/// Pieces that are encoded together: the leading ones, or several of the same kind.
#[derive(Clone, Copy, Debug)]
struct Group {
    men: usize,
    /// What the number of their arrangement is multiplied with.
    factor: u64,
}

/// The kind of the leading group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaders {
    /// Pawns of one colour.
    Pawns,
    /// Three different pieces.
    Three,
    /// The kings.
    Kings,
}

/// The numbering of positions in one part of a table.
#[derive(Debug)]
pub(super) struct Encoding {
    pieces: ArrayVec<(Color, Piece), MAX_MEN>,
    groups: ArrayVec<Group, MAX_MEN>,
    leaders: Leaders,
    /// True if the second group is the other side's pawns.
    other_pawns: bool,
    size: u64,
}

impl Encoding {
    /// The encoding that a file asks for: its nibbles for `pieces`, and the places in the index of the leading group and of the
    /// other side's pawns. `column` is the leading pawn's file. `None` if a table for this material cannot be like that.
    pub(super) fn new(material: &Material, pieces: &[u8], order: [u8; 2], column: usize) -> Option<Encoding> {
        let pieces: ArrayVec<(Color, Piece), MAX_MEN> =
            pieces.iter().map(|&code| decode(code)).collect::<Option<_>>()?;
        for color in Color::ALL {
            for piece in Piece::ALL {
                let wanted = (color, piece);
                let count = pieces.iter().filter(|&&found| found == wanted).count();
                // Those of a kind stand together.
                let runs = pieces.chunk_by(|a, b| a == b).filter(|run| run[0] == wanted).count();
                if count != material.count(color, piece) || runs > 1 {
                    return None;
                }
            }
        }
        let leaders = match () {
            () if material.has_pawns() => Leaders::Pawns,
            () if material.has_unique_piece() => Leaders::Three,
            () => Leaders::Kings,
        };
        let first_color = pieces[0].0;
        let pawns = |color| material.count(color, Piece::Pawn);
        let mut sizes: ArrayVec<usize, MAX_MEN> = ArrayVec::new();
        sizes.push(match leaders {
            Leaders::Pawns => pawns(first_color),
            Leaders::Three => 3,
            Leaders::Kings => 2,
        });
        let other_pawns = leaders == Leaders::Pawns && pawns(!first_color) > 0;
        let leading_kinds = match leaders {
            Leaders::Pawns => pieces[0].1 == Piece::Pawn,
            Leaders::Three => true,
            Leaders::Kings => pieces[..2].iter().all(|&(_, piece)| piece == Piece::King),
        };
        if !leading_kinds || other_pawns && pieces.get(sizes[0]) != Some(&(!first_color, Piece::Pawn)) {
            return None;
        }
        sizes.extend(pieces.get(sizes[0]..)?.chunk_by(|a, b| a == b).map(<[_]>::len));
        let (groups, size) = place_groups(&sizes, leaders, other_pawns, order.map(usize::from), column)?;
        Some(Encoding { pieces, groups, leaders, other_pawns, size })
    }

    /// Returns the number of indices.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// The squares of `position`'s men. `flip` exchanges the colours, and with pawns the ranks too.
    pub(super) fn squares(&self, position: &Position, flip: bool) -> Squares {
        let mirror = if flip && self.leaders == Leaders::Pawns { 56 } else { 0 };
        let mut squares = Squares::new();
        for kind in self.pieces.chunk_by(|a, b| a == b) {
            let (color, piece) = kind[0];
            let color = if flip { !color } else { color };
            for square in position.colored(color, piece).into_iter().take(MAX_MEN - squares.len()) {
                squares.push(square as usize ^ mirror);
            }
        }
        squares
    }

    /// The file of the leading pawn, a to d after mirroring: which part of a table with pawns is meant. 0 without pawns.
    pub(super) fn leading_file(&self, squares: &Squares) -> usize {
        if self.leaders != Leaders::Pawns {
            return 0;
        }
        let pawns = &squares[..self.groups[0].men.min(squares.len())];
        let leading = pawns.iter().copied().max_by_key(|&square| PAWN_ORDER[square]).unwrap_or(0);
        file(leading).min(7 - file(leading))
    }

    /// The index of these squares, from 0 to below [`size`](Self::size); 0 if they are not of as many men as the table is for.
    pub(super) fn index(&self, mut squares: Squares) -> u64 {
        if squares.len() != self.pieces.len() {
            return 0;
        }
        let leading = self.groups[0].men;
        let number = match self.leaders {
            Leaders::Pawns => number_pawns(&mut squares, leading),
            Leaders::Three | Leaders::Kings => {
                turn(&mut squares, leading);
                if self.leaders == Leaders::Three { number_three(&squares) } else { number_kings(&squares) }
            }
        };
        let mut index = number.wrapping_mul(self.groups[0].factor);
        let mut done = leading;
        for (group, place) in self.groups.iter().zip(0..).skip(1) {
            let (before, rest) = squares.split_at_mut(done);
            let men = &mut rest[..group.men];
            men.sort_unstable();
            // Pawns stand on 48 squares only.
            let below = if self.other_pawns && place == 1 { 8 } else { 0 };
            let mut number = 0;
            for (&square, nth) in men.iter().zip(1..) {
                let taken = below + before.iter().filter(|&&other| other < square).count();
                number += BINOMIAL[nth][square.saturating_sub(taken)];
            }
            index = index.wrapping_add(number.wrapping_mul(group.factor));
            done += group.men;
        }
        index
    }
}

/// Returns the piece of a nibble.
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

/// The groups with their factors, and the product of all: the groups stand in the index as `order` says, the others in their own order.
fn place_groups(
    sizes: &[usize],
    leaders: Leaders,
    other_pawns: bool,
    order: [usize; 2],
    column: usize,
) -> Option<(ArrayVec<Group, MAX_MEN>, u64)> {
    let mut groups: ArrayVec<Group, MAX_MEN> = sizes.iter().map(|&men| Group { men, factor: 0 }).collect();
    let leading = sizes[0];
    let mut next = if other_pawns { 2 } else { 1 };
    let mut free = 64_usize.checked_sub(sizes[..next.min(sizes.len())].iter().sum())?;
    let mut size = 1_u64;
    for place in 0..sizes.len() {
        let (group, ways) = if place == order[0] {
            let ways = match leaders {
                Leaders::Pawns => *LEADING_SIZE.get(leading)?.get(column)?,
                Leaders::Three => TRIPLES,
                Leaders::Kings => KING_PAIRS,
            };
            (0, ways)
        } else if other_pawns && place == order[1] {
            (1, BINOMIAL[*sizes.get(1)?][48 - leading])
        } else {
            let group = next;
            next += 1;
            let men = *sizes.get(group)?;
            let ways = *BINOMIAL.get(men)?.get(free)?;
            free = free.checked_sub(men)?;
            (group, ways)
        };
        groups[group].factor = size;
        size = size.checked_mul(ways)?;
    }
    // A place beyond the last would leave its group out.
    (order[0] < sizes.len() && (!other_pawns || order[1] < sizes.len() && order[0] != order[1]))
        .then_some((groups, size))
}

/// Brings the leading piece into the triangle a1-d1-d4, and the first of the leading ones that is off the diagonal below it.
fn turn(squares: &mut Squares, leading: usize) {
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
}

fn number_kings(squares: &Squares) -> u64 {
    u64::from(KINGS[usize::from(TRIANGLE[squares[0]])][squares[1]])
}

/// Numbers three different men: with the first below the diagonal; on it and the second below; both on it and the third below; all on it.
fn number_three(squares: &Squares) -> u64 {
    let [a, b, c] = [squares[0], squares[1], squares[2]];
    // A square that is taken is not counted.
    let b_taken = usize::from(b > a);
    let c_taken = usize::from(c > a) + usize::from(c > b);
    let number = if off_diagonal(a) != 0 {
        (usize::from(TRIANGLE[a]) * 63 + (b - b_taken)) * 62 + (c - c_taken)
    } else if off_diagonal(b) != 0 {
        (6 * 63 + rank(a) * 28 + usize::from(BELOW_DIAGONAL[b])) * 62 + (c - c_taken)
    } else if off_diagonal(c) != 0 {
        6 * 63 * 62 + 4 * 28 * 62 + rank(a) * 7 * 28 + (rank(b) - b_taken) * 28 + usize::from(BELOW_DIAGONAL[c])
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

/// Brings the leading pawn to the front and onto the files a to d, and numbers the arrangement of the pawns of its colour.
fn number_pawns(squares: &mut Squares, pawns: usize) -> u64 {
    let leading = (0..pawns).max_by_key(|&pawn| PAWN_ORDER[squares[pawn]]).unwrap_or(0);
    squares.swap(0, leading);
    if file(squares[0]) > 3 {
        squares.iter_mut().for_each(|square| *square ^= 7);
    }
    squares[1..pawns].sort_unstable_by_key(|&square| PAWN_ORDER[square]);
    let others = squares[1..pawns].iter().zip(1..);
    let rest: u64 = others.map(|(&square, nth)| BINOMIAL[nth][usize::from(PAWN_ORDER[square])]).sum();
    LEADING[pawns.min(5)][squares[0]] + rest
}
