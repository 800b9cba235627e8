//! Material: the pieces of a position, which select a table.

use std::fmt;

use super::MAX_PIECES;
use crate::position::{Color, Piece, Position};

/// The order of a table's name, after the king.
const NAMED: [(Piece, char); 5] =
    [(Piece::Queen, 'Q'), (Piece::Rook, 'R'), (Piece::Bishop, 'B'), (Piece::Knight, 'N'), (Piece::Pawn, 'P')];

/// The numbers of pieces, without the kings.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Material {
    /// Colour, [`Piece`]. White is the first side of a name.
    counts: [[u8; 5]; 2],
}

impl Material {
    #[inline]
    pub(super) fn of(position: &Position) -> Material {
        Material {
            counts: Color::ALL.map(|color| {
                [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen]
                    .map(|piece| position.colored(color, piece).len() as u8)
            }),
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Material> {
        let (white, black) = name.split_once('v')?;
        let mut counts = [[0_u8; 5]; 2];
        for (side, counts) in [white, black].iter().zip(&mut counts) {
            for letter in side.strip_prefix('K')?.chars() {
                let (piece, _) = NAMED.into_iter().find(|&(_, name)| name == letter)?;
                let count = &mut counts[piece as usize];
                *count = count.checked_add(1)?;
            }
        }
        let material = Material { counts };
        // The pieces of a name have a fixed order.
        ((3..=MAX_PIECES).contains(&material.piece_count()) && material.to_string() == name).then_some(material)
    }

    pub(super) fn piece_count(&self) -> usize {
        2 + self.counts.as_flattened().iter().map(|&count| usize::from(count)).sum::<usize>()
    }

    /// 1 for a king.
    pub(super) fn count(&self, color: Color, piece: Piece) -> usize {
        self.counts[color as usize].get(piece as usize).map_or(1, |&count| usize::from(count))
    }

    pub(super) fn mirrored(&self) -> Material {
        Material { counts: [self.counts[1], self.counts[0]] }
    }

    pub(super) fn is_symmetric(&self) -> bool {
        self.counts[0] == self.counts[1]
    }

    pub(super) fn has_pawns(&self) -> bool {
        self.counts.iter().any(|side| side[Piece::Pawn as usize] > 0)
    }

    /// A piece is unique if it is the only one of its kind and colour. Kings do not count.
    pub(super) fn has_unique_piece(&self) -> bool {
        self.counts.as_flattened().contains(&1)
    }

    /// Unique for up to 15 pieces of a kind.
    #[inline]
    pub(super) fn signature(&self) -> u64 {
        self.counts.as_flattened().iter().fold(0, |sum, &count| sum << 4 | u64::from(count))
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (counts, start) in self.counts.iter().zip(["K", "vK"]) {
            f.write_str(start)?;
            for (piece, letter) in NAMED {
                for _ in 0..counts[piece as usize] {
                    write!(f, "{letter}")?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_names_round_trip() {
        for name in ["KRvK", "KQPvKRB", "KPPPPPvK", "KBNvKBN", "KvKQ"] {
            let material = Material::from_name(name).unwrap();
            assert_eq!(material.to_string(), name);
            assert_eq!(material.mirrored().mirrored(), material);
            assert_eq!(material.signature() == material.mirrored().signature(), material.is_symmetric());
        }
        for name in ["", "v", "KvK", "KRK", "KPRvK", "QKvK", "KRvKv", "KXvK", "krvk", "KQQQQQQvK", "KRvK.rtbw"] {
            assert_eq!(Material::from_name(name), None, "{name}");
        }
        let position = Position::from_fen("8/8/8/4k3/8/8/1pP5/K5rR w - - 0 1").unwrap();
        assert_eq!(Material::of(&position).to_string(), "KRPvKRP");
        assert_eq!(Material::of(&position).piece_count(), 6);
    }
}
