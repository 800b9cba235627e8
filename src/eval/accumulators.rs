//! Incrementally updated accumulators along the search path, with a refresh table.

use std::sync::Arc;

use super::Network;
use super::features::{FeatureChanges, Perspective, PieceChanges, PiecePlacement};
use super::kernels::Row;
use crate::position::{Color, Position};

/// A board within this distance is close enough to update from: one move away, of any kind.
const CLOSE: u32 = 4;

/// The accumulators along the path of a search.
///
/// Each ply keeps the board that was evaluated there last, with its accumulators. A position is evaluated
/// from the closest kept board, mostly its parent's, by their difference. Moves made and unmade need no
/// notification, only evaluated positions cost time, and the value does not depend on the kept boards.
///
/// When a king crosses between the files d and e, all squares of its player's perspective change. The refresh
/// table ("Finny table") covers this case: per player and mirroring, it keeps the last board and its
/// accumulator.
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
    /// Creates accumulators for paths of up to `plies` plies, without any position.
    pub fn new(network: Arc<Network>, plies: usize) -> Self {
        let accumulator = network.feature_biases;
        let board = PiecePlacement::EMPTY;
        let ply = PlyEntry { board, mirrored: [false; 2], accumulators: [accumulator; 2] };
        let entry = RefreshEntry { board, accumulator };
        let refresh_table = [[entry.clone(), entry.clone()], [entry.clone(), entry]];
        let plies = vec![ply; plies.max(1)].into_boxed_slice();
        Self { network, plies, refresh_table: Box::new(refresh_table) }
    }

    /// Returns the network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Evaluates the position `ply` plies from the root. The value equals [`Network::evaluate`].
    pub fn evaluate(&mut self, position: &Position, ply: usize) -> i32 {
        let ply = ply.min(self.plies.len() - 1);
        let board = PiecePlacement::of(position);
        let mut closest = None;
        for back in 1..=ply.min(2) {
            let distance = self.plies[ply - back].board.distance(&board);
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
            ply.board.write_changes_to(&board, &mut from_ply);
        }
        let weights = &self.network.feature_weights;
        for player in Color::ALL {
            let perspective = Perspective::of(position, player);
            let index = player as usize;
            let target = &mut current.accumulators[index];
            let refresh = &mut self.refresh_table[index][usize::from(perspective.mirrored)];
            let usable = closest.filter(|&(distance, ply)| {
                ply.mirrored[index] == perspective.mirrored
                    && (distance <= CLOSE || distance <= refresh.board.distance(&board))
            });
            if let Some((_, ply)) = usable {
                from_ply.write_features(perspective, &mut features);
                self.network.kernels.update(weights, &ply.accumulators[index], target, &features);
            } else {
                refresh.board.write_changes_to(&board, &mut from_refresh);
                from_refresh.write_features(perspective, &mut features);
                self.network.kernels.update(weights, &refresh.accumulator, target, &features);
                (refresh.board, refresh.accumulator) = (board, *target);
            }
            current.mirrored[index] = perspective.mirrored;
        }
        current.board = board;
        self.network.output(position, &current.accumulators)
    }
}
