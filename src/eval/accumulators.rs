//! Accumulators that are updated along the search path, with a refresh table.

use std::sync::Arc;

use super::features::{FeatureChanges, Perspective, PieceChanges, PiecePlacement};
use super::kernels::Row;
use super::network::Network;
use crate::position::{Color, Position};

/// Maximum of squares that one move changes.
const CLOSE: u32 = 4;

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
