//! Accumulators that are updated along the search path, with a refresh table.

use std::sync::Arc;

use super::features::{FeatureChanges, Perspective, PieceChanges, PiecePlacement};
use super::kernels::Row;
use super::network::Network;
use crate::position::{BitBoard, Color, Position};

/// Returns true for at most four squares, which one move can change. Counting them would take longer.
#[inline]
fn is_close(changed: BitBoard) -> bool {
    (0..4).fold(changed.0, |rest, _| rest & rest.wrapping_sub(1)) == 0
}

/// Each ply keeps the board that was evaluated there last, with its accumulators. A position is evaluated by its
/// difference from the closest kept board, mostly its parent's, so moves need no notification.
///
/// When a king crosses between the files d and e, all squares of its player's perspective change. For this case the
/// refresh table ("Finny table") keeps the last board and its accumulator per player and mirroring.
pub struct Accumulators {
    network: Arc<Network>,
    plies: Box<[PlyEntry]>,
    /// Player, mirroring of the perspective.
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

impl RefreshEntry {
    #[cold]
    #[inline(never)]
    fn refresh(&mut self, network: &Network, position: &Position, perspective: Perspective, target: &mut Row) {
        let (mut pieces, mut features) = (PieceChanges::default(), FeatureChanges::default());
        self.board.write_changes_to(position, self.board.changed_squares(position), &mut pieces);
        pieces.write_features(perspective, &mut features);
        network.kernels.update(&network.feature_weights, &self.accumulator, target, &features);
        (self.board, self.accumulator) = (PiecePlacement::of(position), *target);
    }
}

impl Accumulators {
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

    /// Returns the value of [`Network::evaluate`].
    pub fn evaluate(&mut self, position: &Position, ply: usize) -> i32 {
        let ply = ply.min(self.plies.len() - 1);
        let mut closest: Option<(BitBoard, usize)> = None;
        for back in 1..=ply.min(2) {
            let changed = self.plies[ply - back].board.changed_squares(position);
            if is_close(changed) {
                closest = Some((changed, ply - back));
                break;
            }
            if closest.is_none_or(|(closest, _)| changed.len() < closest.len()) {
                closest = Some((changed, ply - back));
            }
        }
        let (before, current) = self.plies.split_at_mut(ply);
        let current = &mut current[0];
        let closest = closest.map(|(changed, ply)| (changed, &before[ply]));
        let (mut pieces, mut features) = (PieceChanges::default(), FeatureChanges::default());
        if let Some((changed, ply)) = closest {
            ply.board.write_changes_to(position, changed, &mut pieces);
        }
        let weights = &self.network.feature_weights;
        for player in Color::ALL {
            let perspective = Perspective::of(position, player);
            let index = player as usize;
            let target = &mut current.accumulators[index];
            let entry = &mut self.refresh_table[index][usize::from(perspective.mirrored)];
            let usable = closest.filter(|&(changed, ply)| {
                ply.mirrored[index] == perspective.mirrored
                    && (is_close(changed) || changed.len() <= entry.board.changed_squares(position).len())
            });
            if let Some((_, ply)) = usable {
                pieces.write_features(perspective, &mut features);
                self.network.kernels.update(weights, &ply.accumulators[index], target, &features);
            } else {
                entry.refresh(&self.network, position, perspective, target);
            }
            current.mirrored[index] = perspective.mirrored;
        }
        current.board = PiecePlacement::of(position);
        self.network.output(position, &current.accumulators)
    }
}
