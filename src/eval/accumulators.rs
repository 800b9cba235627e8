//! Input features, and accumulators that are updated along the search path, with a refresh table.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::kernels::Row;
use super::{INPUTS, Network};
use crate::position::{BitBoard, Color, File, Piece, Position, Square};

const OPPONENT: usize = INPUTS / 2;
const PER_KIND: usize = Square::NUM;
/// Exclusive or with these flips the ranks of a square, or mirrors its file.
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

    /// From the feature of White's perspective, not mirrored.
    #[inline]
    fn feature(self, piece: u16) -> u16 {
        let piece = usize::from(piece);
        let opposite = if piece < OPPONENT { piece + OPPONENT } else { piece - OPPONENT };
        let of_player = if self.player == Color::White { piece } else { opposite };
        (of_player ^ self.flip) as u16
    }
}

/// Returns the row of the feature's weights in the feature transformer. `own` is true for the pieces of the perspective's
/// player. `kind` is 0 for a pawn to 5 for a king. `square` is 0 (a1) to 63 (h8) after flipping and mirroring.
#[inline]
pub fn feature_index(own: bool, kind: usize, square: usize) -> u16 {
    ((if own { 0 } else { OPPONENT }) + kind * PER_KIND + square) as u16
}

/// In no particular order.
pub fn active_features(position: &Position, player: Color) -> Vec<u16> {
    let (mut pieces, mut features) = (PieceChanges::default(), FeatureChanges::default());
    PiecePlacement::EMPTY.write_changes_to(position, &mut pieces);
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
    /// Overwrites `features`. Returned lists would be copied right after they were written, in other sizes, which defeats store
    /// forwarding.
    #[inline]
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
    fn of(position: &Position) -> Self {
        Self {
            colors: Color::ALL.map(|color| position.colors(color)),
            pieces: Piece::ALL.map(|piece| position.pieces(piece)),
            squares: *position.squares(),
        }
    }

    /// Returns the squares whose piece differs.
    #[inline]
    fn changed_squares(&self, new: &Position) -> BitBoard {
        let colors = Color::ALL.map(|color| self.colors[color as usize] ^ new.colors(color));
        let pieces = Piece::ALL.map(|piece| self.pieces[piece as usize] ^ new.pieces(piece));
        colors.into_iter().chain(pieces).fold(BitBoard::EMPTY, |changed, set| changed | set)
    }

    /// Overwrites `changes`.
    #[inline]
    pub(super) fn write_changes_to(&self, new: &Position, changes: &mut PieceChanges) {
        changes.added.clear();
        changes.removed.clear();
        let feature = |white: BitBoard, kind, square| feature_index(white.has(square), kind as usize, square as usize);
        for square in self.changed_squares(new) {
            let white = self.colors[Color::White as usize];
            changes.removed.extend(self.squares[square as usize].map(|kind: Piece| feature(white, kind, square)));
            let white = new.colors(Color::White);
            changes.added.extend(new.piece_on(square).map(|kind| feature(white, kind, square)));
        }
    }
}

/// One move away, of any kind.
const CLOSE: u32 = 4;

/// Each ply keeps the board that was evaluated there last, with its accumulators. A position is evaluated by its
/// difference from the closest kept board, mostly its parent's. Moves made and unmade need no notification, and the
/// value does not depend on the kept boards.
///
/// When a king crosses between the files d and e, all squares of its player's perspective change. For this case the
/// refresh table ("Finny table") keeps the last board and its accumulator per player and mirroring.
pub struct Accumulators {
    network: Arc<Network>,
    plies: Box<[PlyEntry]>,
    /// By player and mirroring of the perspective.
    refresh_table: Box<[[RefreshEntry; 2]; Color::NUM]>,
}

#[derive(Clone)]
struct PlyEntry {
    board: PiecePlacement,
    mirrored: [bool; Color::NUM],
    accumulators: [Row; Color::NUM],
}

#[derive(Clone)]
struct RefreshEntry {
    board: PiecePlacement,
    accumulator: Row,
}

impl Accumulators {
    /// For paths of up to `plies` plies.
    pub fn new(network: Arc<Network>, plies: usize) -> Self {
        let accumulator = network.feature_biases;
        let board = PiecePlacement::EMPTY;
        let ply = PlyEntry { board: board.clone(), mirrored: [false; 2], accumulators: [accumulator; 2] };
        let entry = RefreshEntry { board, accumulator };
        let refresh_table = [[entry.clone(), entry.clone()], [entry.clone(), entry]];
        let plies = vec![ply; plies.max(1)].into_boxed_slice();
        Self { network, plies, refresh_table: Box::new(refresh_table) }
    }

    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// `ply` counts from the root. The value equals [`Network::evaluate`].
    pub fn evaluate(&mut self, position: &Position, ply: usize) -> i32 {
        let ply = ply.min(self.plies.len() - 1);
        let mut closest = None;
        for back in 1..=ply.min(2) {
            let distance = self.plies[ply - back].board.changed_squares(position).len();
            if closest.is_none_or(|(closest, _)| distance < closest) {
                closest = Some((distance, ply - back));
            }
            if distance <= CLOSE {
                break;
            }
        }
        let (before, current) = self.plies.split_at_mut(ply);
        let current = &mut current[0];
        let closest = closest.map(|(distance, ply)| (distance, &before[ply]));
        let (mut from_ply, mut from_refresh) = (PieceChanges::default(), PieceChanges::default());
        let mut features = FeatureChanges::default();
        if let Some((_, ply)) = closest {
            ply.board.write_changes_to(position, &mut from_ply);
        }
        let weights = &self.network.feature_weights;
        for player in Color::ALL {
            let perspective = Perspective::of(position, player);
            let index = player as usize;
            let target = &mut current.accumulators[index];
            let refresh = &mut self.refresh_table[index][usize::from(perspective.mirrored)];
            let usable = closest.filter(|&(distance, ply)| {
                ply.mirrored[index] == perspective.mirrored
                    && (distance <= CLOSE || distance <= refresh.board.changed_squares(position).len())
            });
            if let Some((_, ply)) = usable {
                from_ply.write_features(perspective, &mut features);
                self.network.kernels.update(weights, &ply.accumulators[index], target, &features);
            } else {
                refresh.board.write_changes_to(position, &mut from_refresh);
                from_refresh.write_features(perspective, &mut features);
                self.network.kernels.update(weights, &refresh.accumulator, target, &features);
                (refresh.board, refresh.accumulator) = (PiecePlacement::of(position), *target);
            }
            current.mirrored[index] = perspective.mirrored;
        }
        current.board = PiecePlacement::of(position);
        self.network.output(position, &current.accumulators)
    }
}
