//! Static evaluation of a node: the network's value, cached, scaled by material, corrected by history.

use super::params::{material_even, material_slope};
use super::score::DECISIVE_BOUND;
use super::tt::{SearchTable, TtHit};
use super::worker::{NO_EVAL, ThreadData, Worker};
use crate::position::{Piece, Position};
use sesame_table::prefetch;

impl<T: SearchTable> Worker<T> {
    /// Raw: the network's value, which the transposition table stores.
    #[inline]
    pub(super) fn evaluate(&mut self, position: &Position, ply: usize) -> i32 {
        let ThreadData { accumulators, eval_cache, .. } = &mut self.thread;
        eval_cache.get_or(position.key(), || accumulators.evaluate(position, ply))
    }

    /// Returns the raw evaluation, and the one scaled by material and corrected. The side to move is not in check.
    #[inline(always)]
    pub(super) fn static_evals(&mut self, position: &Position, tt_hit: Option<TtHit>, ply: usize) -> (i32, i32) {
        let raw_eval = tt_hit.and_then(|tt_hit| tt_hit.eval).unwrap_or_else(|| self.evaluate(position, ply));
        let scaled = if self.scales_by_material { scale_by_material(position, raw_eval) } else { raw_eval };
        let corrected = scaled + self.thread.histories.corrections.get(position);
        (raw_eval, corrected.clamp(-DECISIVE_BOUND + 1, DECISIVE_BOUND - 1))
    }

    /// Returns raw, static and best evaluation: see [`Node`](super::pvs::Node).
    #[inline(always)]
    pub(super) fn node_evals(
        &mut self,
        position: &Position,
        tt_hit: Option<TtHit>,
        in_check: bool,
        ply: usize,
    ) -> (Option<i32>, i32, i32) {
        if in_check {
            return (None, NO_EVAL, NO_EVAL);
        }
        let (raw_eval, static_eval) = self.static_evals(position, tt_hit, ply);
        let eval = match tt_hit {
            Some(tt_hit) if tt_hit.improves(static_eval) => tt_hit.score,
            _ => static_eval,
        };
        (Some(raw_eval), static_eval, eval)
    }

    /// Compares with two plies before or, if that node was in check, four plies before.
    #[inline]
    pub(super) fn is_improving(&self, static_eval: i32, ply: usize) -> bool {
        [2, 4]
            .into_iter()
            .map(|back| self.stack_before(ply, back).static_eval)
            .find(|&earlier| earlier != NO_EVAL)
            .is_none_or(|earlier| static_eval > earlier)
    }
}

/// Raises evaluations with many pieces and lowers those with few: the side ahead then avoids trades of pieces.
#[inline]
pub(super) fn scale_by_material(position: &Position, raw_eval: i32) -> i32 {
    let minors = (position.pieces(Piece::Knight) | position.pieces(Piece::Bishop)).len();
    let points = 3 * minors + 5 * position.pieces(Piece::Rook).len() + 9 * position.pieces(Piece::Queen).len();
    raw_eval * (1024 + material_slope() * (points as i32 - material_even())) / 1024
}

/// The lowest 14 bits of the key select the slot; its highest 48 are compared.
pub(super) struct EvalCache {
    slots: Box<[u64; EvalCache::SLOTS]>,
}

impl EvalCache {
    /// 128 KiB: fits a core's second-level cache beside the other data.
    const SLOTS: usize = 1 << 14;
    const VALUE: u64 = 0xffff;

    pub(super) fn new() -> Self {
        let slots = vec![0; Self::SLOTS].into_boxed_slice().try_into();
        Self { slots: slots.unwrap_or_else(|_| unreachable!("the vector has this length")) }
    }

    pub(super) fn clear(&mut self) {
        self.slots.fill(0);
    }

    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch(&self.slots[key as usize % Self::SLOTS]);
    }

    /// The value must fit 16 bits.
    #[inline]
    pub(super) fn get_or(&mut self, key: u64, evaluate: impl FnOnce() -> i32) -> i32 {
        let slot = &mut self.slots[key as usize % Self::SLOTS];
        if (*slot ^ key) & !Self::VALUE == 0 {
            return i32::from(*slot as i16);
        }
        let value = evaluate();
        debug_assert_eq!(i32::from(value as i16), value, "evaluations are below VALUE_LIMIT");
        *slot = (key & !Self::VALUE) | u64::from(value as u16);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::VALUE_LIMIT;

    #[test]
    fn evaluations_grow_with_material() {
        let position = |fen| Position::from_fen(fen).unwrap();
        let (start, pawns) = (Position::startpos(), position("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1"));
        let even = position("1nbqkb2/8/8/8/8/8/8/1NBQKB2 w - - 0 1");
        for raw in [-30_000, -120, 0, 120, 30_000] {
            let [full, none, even] = [&start, &pawns, &even].map(|position| scale_by_material(position, raw));
            assert_eq!((full.signum(), none.signum()), (raw.signum(), raw.signum()));
            assert!(
                raw == 0 && full == none || full.abs() > even.abs() && even.abs() > none.abs(),
                "{raw}: {full} {none}"
            );
        }
    }

    #[test]
    fn a_value_is_cached_until_it_is_replaced() {
        let mut cache = EvalCache::new();
        let cached = || unreachable!("cached");
        let (key, same_place) = (0x0123_4567_89ab_cdef, 0x0123_4567_89aa_cdef);
        for value in [0, 1, -1, VALUE_LIMIT - 1, 1 - VALUE_LIMIT] {
            assert_eq!(cache.get_or(key, || value), value);
            assert_eq!(cache.get_or(key, cached), value);
            assert_eq!(cache.get_or(same_place, || 7), 7, "the keys differ in one bit");
            assert_eq!(cache.get_or(same_place, cached), 7);
        }
        assert_eq!(cache.get_or(key + 1, || 3), 3);
        assert_eq!(cache.get_or(same_place, cached), 7, "another slot");
    }
}
