//! What a worker keeps so that the network need not sum all men for every position.

use std::sync::Arc;

use super::Network;
use super::features::{Board, Changes, RowChanges, View};
use super::kernels::Row;
use crate::position::{Color, Position};

/// A board so near is taken without looking for a nearer one: one move away, whatever move.
const NEAR: u32 = 4;

/// The accumulators along the path of a search.
///
/// Each ply remembers the last board that was evaluated there, with its accumulators. A position is evaluated from the nearest
/// board that is remembered, mostly its parent's, by what differs. So nothing need be told of moves made and taken back, only
/// positions that are evaluated cost anything, and the value never depends on what is remembered.
///
/// When a king crosses to the other half, all squares of his player's view change. For that, each player has two more
/// boards, one for each half, with the last position of that kind. (Known as a refresh table or Finny table.)
pub struct Accumulators {
    network: Arc<Network>,
    plies: Box<[Ply]>,
    /// By player and by whether his view is mirrored.
    halves: Box<[[Half; 2]; Color::NUM]>,
}

#[derive(Clone)]
struct Ply {
    board: Board,
    mirrored: [bool; Color::NUM],
    rows: [Row; Color::NUM],
}

#[derive(Clone)]
struct Half {
    board: Board,
    row: Row,
}

impl Accumulators {
    /// Nothing is remembered yet. `plies` is how long a path may be.
    pub fn new(network: Arc<Network>, plies: usize) -> Self {
        let row = network.biases;
        let ply = Ply { board: Board::EMPTY, mirrored: [false; 2], rows: [row; 2] };
        let half = Half { board: Board::EMPTY, row };
        let halves = [[half.clone(), half.clone()], [half.clone(), half]];
        Self { network, plies: vec![ply; plies.max(1)].into_boxed_slice(), halves: Box::new(halves) }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The value of the position `ply` plies from the root, as [`Network::evaluate`] would compute it.
    pub fn evaluate(&mut self, position: &Position, ply: usize) -> i32 {
        let ply = ply.min(self.plies.len() - 1);
        let board = Board::of(position);
        let mut nearest = None;
        for back in 1..=ply.min(2) {
            let distance = self.plies[ply - back].board.distance(&board);
            if nearest.is_none_or(|(nearest, _)| distance < nearest) {
                nearest = Some((distance, ply - back));
            }
            if distance <= NEAR {
                break;
            }
        }
        let (before, now) = self.plies.split_at_mut(ply);
        let now = &mut now[0];
        let nearest = nearest.map(|(distance, ply)| (distance, &before[ply]));
        let (mut path, mut others, mut changed) = (Changes::default(), Changes::default(), RowChanges::default());
        if let Some((_, ply)) = nearest {
            ply.board.write_changes_to(&board, &mut path);
        }
        let rows = &self.network.rows;
        for player in Color::ALL {
            let view = View::of(position, player);
            let index = player as usize;
            let target = &mut now.rows[index];
            let half = &mut self.halves[index][usize::from(view.mirrored)];
            let usable = nearest.filter(|&(distance, ply)| {
                ply.mirrored[index] == view.mirrored && (distance <= NEAR || distance <= half.board.distance(&board))
            });
            if let Some((_, ply)) = usable {
                path.write_rows(view, &mut changed);
                self.network.kernels.update(rows, &ply.rows[index], target, &changed.added, &changed.removed);
            } else {
                half.board.write_changes_to(&board, &mut others);
                others.write_rows(view, &mut changed);
                self.network.kernels.update(rows, &half.row, target, &changed.added, &changed.removed);
                (half.board, half.row) = (board, *target);
            }
            now.mirrored[index] = view.mirrored;
        }
        now.board = board;
        self.network.output(position, &now.rows)
    }
}
