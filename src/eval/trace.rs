//! Watching the evaluation at work: nothing in play, a full record for tuning and explaining.

use super::layout::{COUNT, GROUPS, WEIGHTS};
use super::score::Pair;
#[cfg(test)]
use super::{danger_penalty, taper};
use crate::position::Color;

/// Is told each weight that the evaluation uses. The evaluation is written once over this trait; with [`Silent`] the calls
/// compile to nothing.
pub(crate) trait Trace {
    /// Whether anything is recorded. If so, cached parts are computed anew so that they are seen.
    const RECORDS: bool;

    /// The weight with this flat index counts `count` times for `color` (for the danger of `color`'s king, if it is such).
    fn count(&mut self, color: Color, index: usize, count: i32);

    /// How the two phases are blended in the end: see [`Record`].
    fn blend(&mut self, phase: i32, scale: [i32; 2], extra: i32);
}

/// Records nothing, costs nothing.
pub(crate) struct Silent;

impl Trace for Silent {
    const RECORDS: bool = false;
    #[inline(always)]
    fn count(&mut self, _: Color, _: usize, _: i32) {}
    #[inline(always)]
    fn blend(&mut self, _: i32, _: [i32; 2], _: i32) {}
}

/// Everything that one evaluation used.
pub(crate) struct Record {
    /// How often each weight counted, for White and Black.
    pub(crate) counts: [Vec<i16>; 2],
    /// The phase, 0 (bare kings) to [`super::PHASE_MAX`] (all pieces).
    pub(crate) phase: i32,
    /// The end-game scale, in 1/128, if White or if Black is better in the end game.
    pub(crate) scale: [i32; 2],
    /// Added at the end, from White's side, by rules that have no weights.
    pub(crate) extra: i32,
}

impl Record {
    /// An empty record.
    pub(crate) fn new() -> Self {
        Self { counts: [vec![0; COUNT], vec![0; COUNT]], phase: 0, scale: [128; 2], extra: 0 }
    }

    /// The totals per side and group: packed sums, before danger is squared.
    pub(crate) fn group_sum(&self, color: Color, group: usize) -> Pair {
        let group = &GROUPS[group];
        let counts = &self.counts[color as usize];
        (group.start..group.start + group.len).fold(Pair::ZERO, |sum, i| sum + WEIGHTS[i] * i32::from(counts[i]))
    }

    /// The evaluation put together again from the record alone, from White's side.
    #[cfg(test)]
    pub(crate) fn recombine(&self) -> i32 {
        let side = |color| {
            let mut score = Pair::ZERO;
            let mut danger = Pair::ZERO;
            for (i, group) in GROUPS.iter().enumerate() {
                *(if group.danger { &mut danger } else { &mut score }) += self.group_sum(color, i);
            }
            score - danger_penalty(danger)
        };
        taper(side(Color::White) - side(Color::Black), self.phase, self.scale) + self.extra
    }
}

impl Trace for Record {
    const RECORDS: bool = true;

    fn count(&mut self, color: Color, index: usize, count: i32) {
        self.counts[color as usize][index] += count as i16;
    }

    fn blend(&mut self, phase: i32, scale: [i32; 2], extra: i32) {
        (self.phase, self.scale, self.extra) = (phase, scale, extra);
    }
}

/// Adds up weights as they are used and tells the trace.
pub(super) struct Sum<'t, T> {
    /// White minus Black.
    pub(super) score: Pair,
    /// The danger of each side's king, before it is squared.
    pub(super) danger: [Pair; 2],
    pub(super) trace: &'t mut T,
}

impl<'t, T: Trace> Sum<'t, T> {
    pub(super) fn new(trace: &'t mut T) -> Self {
        Self { score: Pair::ZERO, danger: [Pair::ZERO; 2], trace }
    }

    /// Counts a weight `count` times for `us`.
    #[inline(always)]
    pub(super) fn add(&mut self, us: Color, index: usize, count: i32) {
        self.trace.count(us, index, count);
        let value = WEIGHTS[index] * count;
        match us {
            Color::White => self.score += value,
            Color::Black => self.score -= value,
        }
    }

    /// Counts a weight `count` times in the danger of the king of `us`.
    #[inline(always)]
    pub(super) fn endanger(&mut self, us: Color, index: usize, count: i32) {
        self.trace.count(us, index, count);
        self.danger[us as usize] += WEIGHTS[index] * count;
    }
}
