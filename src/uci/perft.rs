//! Perft: counts the leaves of the game tree (<https://www.chessprogramming.org/Perft>).

use std::sync::atomic::{AtomicBool, Ordering};

use crate::position::{Move, Position};

/// Depth of subtrees that are counted without a check of the stop flag: a fraction of a second.
const UNINTERRUPTED: u32 = 4;

/// Counts the leaves of each legal move of `position`, and calls `each` with the move's UCI text and its
/// leaves.
///
/// Moves are sorted by their text. With `chess960`, castling is written as king takes rook. Returns the sum, or
/// `None` if `stop` was set before the end. Depth 0 has one leaf and no moves.
pub fn divide(
    position: &Position,
    depth: u32,
    chess960: bool,
    stop: &AtomicBool,
    mut each: impl FnMut(&str, u64),
) -> Option<u64> {
    if depth == 0 {
        return Some(1);
    }
    let mut moves: Vec<(String, Move)> =
        position.legal_moves().iter().map(|&mv| (position.to_uci(mv, chess960), mv)).collect();
    moves.sort();
    let mut sum: u64 = 0;
    for (text, mv) in moves {
        let mut child = position.clone();
        child.play(mv);
        let leaves = count(&child, depth - 1, stop)?;
        each(&text, leaves);
        sum = sum.saturating_add(leaves);
    }
    Some(sum)
}

fn count(position: &Position, depth: u32, stop: &AtomicBool) -> Option<u64> {
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    if depth <= UNINTERRUPTED {
        return Some(position.perft(depth));
    }
    let mut sum: u64 = 0;
    for &mv in position.legal_moves().iter() {
        let mut child = position.clone();
        child.play(mv);
        sum = sum.saturating_add(count(&child, depth - 1, stop)?);
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_perfts() {
        let position = Position::startpos();
        let stop = AtomicBool::new(false);
        for (depth, leaves) in [(0, 1), (1, 20), (2, 400), (3, 8902), (4, 197_281), (5, 4_865_609)] {
            let mut sum = 0;
            let total = divide(&position, depth, false, &stop, |_, leaves| sum += leaves);
            assert_eq!(total, Some(leaves));
            assert_eq!(sum, if depth == 0 { 0 } else { leaves });
        }
    }

    #[test]
    fn moves_are_sorted_and_stoppable() {
        let mut moves = Vec::new();
        divide(&Position::startpos(), 1, false, &AtomicBool::new(false), |text, _| moves.push(text.to_owned()));
        assert!(moves.is_sorted());
        assert_eq!(moves.len(), 20);
        assert_eq!(divide(&Position::startpos(), 30, false, &AtomicBool::new(true), |_, _| {}), None);
    }
}
