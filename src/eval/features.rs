//! Input features of the network, and differences of two boards.

use arrayvec::ArrayVec;

use super::INPUTS;
use crate::position::{BitBoard, Color, File, Piece, Position, Square};

const OPPONENT: usize = INPUTS / 2;
const PER_KIND: usize = Square::NUM;
/// Exclusive or with these flips the rank of a square, or mirrors its file.
const FLIP_RANK: usize = 56;
const MIRROR_FILE: usize = 7;

/// A player's view of the board: flipped for Black, mirrored while the player's king is on the files e to h.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Perspective {
    player: Color,
    flip: usize,
    pub(super) mirrored: bool,
}

impl Perspective {
    #[inline]
    pub(super) fn of(position: &Position, player: Color) -> Self {
        let mirrored = position.king(player).file() > File::D;
        let flip = if player == Color::Black { FLIP_RANK } else { 0 };
        Self { player, flip: flip ^ if mirrored { MIRROR_FILE } else { 0 }, mirrored }
    }

    /// `piece` is the feature of White's perspective, not mirrored.
    #[inline]
    fn feature(self, piece: u16) -> u16 {
        let piece = usize::from(piece);
        let opposite = if piece < OPPONENT { piece + OPPONENT } else { piece - OPPONENT };
        let of_player = if self.player == Color::White { piece } else { opposite };
        (of_player ^ self.flip) as u16
    }
}

/// Returns the row of the feature's weights. `kind` is 0 for a pawn to 5 for a king. `square` is 0 (a1) to 63 (h8) after
/// flipping and mirroring.
#[inline]
pub fn feature_index(own: bool, kind: usize, square: usize) -> u16 {
    ((if own { 0 } else { OPPONENT }) + kind * PER_KIND + square) as u16
}

pub fn active_features(position: &Position, player: Color) -> Vec<u16> {
    let (mut pieces, mut features) = (PieceChanges::default(), FeatureChanges::default());
    PiecePlacement::EMPTY.write_changes_to(position, position.occupied(), &mut pieces);
    pieces.write_features(Perspective::of(position, player), &mut features);
    features.added.to_vec()
}

/// Features of White's perspective, not mirrored; at most 32 each.
#[derive(Default)]
pub(super) struct PieceChanges {
    added: ArrayVec<u16, 32>,
    removed: ArrayVec<u16, 32>,
}

#[derive(Default)]
pub(super) struct FeatureChanges {
    pub(super) added: ArrayVec<u16, 32>,
    pub(super) removed: ArrayVec<u16, 32>,
}

impl PieceChanges {
    /// Overwrites `features`. A returned list would be copied right after it was written, in other sizes, which defeats
    /// store forwarding.
    #[inline(always)]
    pub(super) fn write_features(&self, perspective: Perspective, features: &mut FeatureChanges) {
        for (pieces, list) in [(&self.added, &mut features.added), (&self.removed, &mut features.removed)] {
            list.clear();
            list.extend(pieces.iter().map(|&piece| perspective.feature(piece)));
        }
    }
}

#[derive(Clone)]
pub(super) struct PiecePlacement {
    colors: [BitBoard; Color::NUM],
    pieces: [BitBoard; Piece::NUM],
    squares: [Option<Piece>; Square::NUM],
}

impl PiecePlacement {
    pub(super) const EMPTY: Self = Self {
        colors: [BitBoard::EMPTY; Color::NUM],
        pieces: [BitBoard::EMPTY; Piece::NUM],
        squares: [None; Square::NUM],
    };

    #[inline]
    pub(super) fn of(position: &Position) -> Self {
        Self {
            colors: Color::ALL.map(|color| position.colors(color)),
            pieces: Piece::ALL.map(|piece| position.pieces(piece)),
            squares: *position.squares(),
        }
    }

    #[inline]
    pub(super) fn changed_squares(&self, new: &Position) -> BitBoard {
        let colors = Color::ALL.map(|color| self.colors[color as usize] ^ new.colors(color));
        let pieces = Piece::ALL.map(|piece| self.pieces[piece as usize] ^ new.pieces(piece));
        colors.into_iter().chain(pieces).fold(BitBoard::EMPTY, |changed, set| changed | set)
    }

    /// `changed` are the [changed squares](Self::changed_squares), which callers have at hand.
    #[inline(always)]
    pub(super) fn write_changes_to(&self, new: &Position, changed: BitBoard, changes: &mut PieceChanges) {
        changes.added.clear();
        changes.removed.clear();
        let feature = |white: BitBoard, kind, square| feature_index(white.has(square), kind as usize, square as usize);
        for square in changed {
            let white = self.colors[Color::White as usize];
            changes.removed.extend(self.squares[square as usize].map(|kind: Piece| feature(white, kind, square)));
            let white = new.colors(Color::White);
            changes.added.extend(new.piece_on(square).map(|kind| feature(white, kind, square)));
        }
    }
}
