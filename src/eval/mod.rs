//! Static evaluation: how good a position is without looking ahead.
//!
//! There are two, the classical evaluation and the network ([`nnue`]), and an [`Evaluator`] says which one plays, or that both do.
//!
//! The classical one, [`evaluate`], is a tapered, hand-written sum of terms whose weights
//! (`weights.rs`) the tuner of this crate fits to games that Sesame played against itself. The sum is written once, over a
//! `trace::Trace`: silent in play, recording when [`explain`] or the tuner want to know which weight counted how often.
//! `docs/eval.md` describes the terms.

mod endgame;
mod explain;
mod king;
mod layout;
mod masks;
pub mod nnue;
pub mod outlook;
mod passed;
mod pawns;
mod pieces;
mod score;
#[cfg(test)]
mod tests;
mod threats;
mod trace;
mod weights;

pub use explain::{Explanation, explain};
pub use layout::{COUNT, GROUPS, Group};
pub(crate) use masks::pawn_attacks;
pub use pawns::EvalCache;
pub use score::Pair;
pub(crate) use trace::Record;

use std::fmt;
use std::sync::Arc;

use crate::position::{Color, Piece, Position};
use nnue::Network;
use pieces::Eval;
use trace::{Silent, Trace};

/// No evaluation reaches this absolute value.
pub const VALUE_LIMIT: i32 = 20_000;

/// The phase of a board with all its pieces: a minor counts 1, a rook 2, a queen 4.
pub const PHASE_MAX: i32 = 24;

/// The danger at which it stops to grow, before squaring.
pub(crate) const DANGER_MAX: i32 = 2_000;

/// What the squared danger is divided by.
pub(crate) const DANGER_DIVISOR: i32 = 1_024;

/// A kind of evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Evaluation {
    /// The classical, hand-written evaluation
    Classical,
    /// A network
    Network,
    /// Both: the mean of what they say
    Hybrid,
}

impl Evaluation {
    /// An evaluator of this kind, with `network` where it needs one.
    pub fn with(self, network: Arc<Network>) -> Evaluator {
        match self {
            Evaluation::Classical => Evaluator::Classical,
            Evaluation::Network => Evaluator::Network(network),
            Evaluation::Hybrid => Evaluator::Hybrid(network),
        }
    }
}

/// What evaluates positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evaluator {
    /// The classical, hand-written evaluation.
    Classical,
    /// A network.
    Network(Arc<Network>),
    /// Both: the mean of what they say, in which errors that they do not share partly cancel out.
    Hybrid(Arc<Network>),
}

/// The network of this build.
impl Default for Evaluator {
    fn default() -> Self {
        Evaluator::Network(Network::embedded())
    }
}

impl Evaluator {
    /// The value of a single position in which the side to move is not in check, from its side. Searches have faster ways.
    pub fn evaluate(&self, position: &Position) -> i32 {
        self.evaluate_with(position, &mut EvalCache::new())
    }

    /// The same, with a cache for many positions.
    pub fn evaluate_with(&self, position: &Position, cache: &mut EvalCache) -> i32 {
        match self {
            Evaluator::Classical => evaluate(position, cache),
            Evaluator::Network(network) => network.evaluate(position),
            Evaluator::Hybrid(network) => hybrid(network.evaluate(position), evaluate(position, cache)),
        }
    }

    /// The network that it needs, if any.
    pub fn network(&self) -> Option<&Arc<Network>> {
        match self {
            Evaluator::Classical => None,
            Evaluator::Network(network) | Evaluator::Hybrid(network) => Some(network),
        }
    }
}

/// The hybrid evaluation, given what the network and the classical evaluation say.
#[inline]
pub(crate) fn hybrid(network: i32, classical: i32) -> i32 {
    (network + classical) / 2
}

/// `classical`; or `network`, or `hybrid`, with the hash of the network's numbers.
impl fmt::Display for Evaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evaluator::Classical => f.write_str("classical"),
            Evaluator::Network(network) => write!(f, "network {:016x}", network.hash()),
            Evaluator::Hybrid(network) => write!(f, "hybrid {:016x}", network.hash()),
        }
    }
}

/// Evaluates a position in which the side to move is not in check.
///
/// The value is from the side to move, in centipawn-like units (a pawn is worth about 100 in the end game), and its absolute
/// value is below [`VALUE_LIMIT`]. It depends on the position alone, not on what the cache holds; a position and its
/// colour-mirrored twin have the same value.
pub fn evaluate(position: &Position, cache: &mut EvalCache) -> i32 {
    let white = evaluate_white(position, cache, &mut Silent);
    if position.side_to_move() == Color::White { white } else { -white }
}

/// The evaluation from White's side, watched by `trace`.
pub(crate) fn evaluate_white<T: Trace>(position: &Position, cache: &mut EvalCache, trace: &mut T) -> i32 {
    let pawns = cache.pawns(position, trace);
    let mut eval = Eval::new(position, pawns, trace);
    eval.pieces(Color::White);
    eval.pieces(Color::Black);
    for us in [Color::White, Color::Black] {
        eval.king(us);
        eval.threats(us);
        eval.passed_pawns(us);
    }
    eval.sum.add(position.side_to_move(), layout::TEMPO.at(0), 1);

    let danger = eval.sum.danger.map(danger_penalty);
    let score = eval.sum.score - danger[Color::White as usize] + danger[Color::Black as usize];
    let phase = phase(position);
    let scale = if T::RECORDS {
        [Color::White, Color::Black].map(|strong| endgame::scale(position, strong))
    } else {
        let strong = if score.eg() >= 0 { Color::White } else { Color::Black };
        [endgame::scale(position, strong); 2]
    };
    let extra = endgame::bare_king(position);
    eval.sum.trace.blend(phase, scale, extra);
    (taper(score, phase, scale) + extra).clamp(1 - VALUE_LIMIT, VALUE_LIMIT - 1)
}

/// The weights in play, as the tuner takes them: for each the middle game and the end game.
pub(crate) fn current_weights() -> Vec<[f32; 2]> {
    layout::WEIGHTS.iter().map(|weight| [weight.mg() as f32, weight.eg() as f32]).collect()
}

/// How much of the opening's pieces is left, 0 to [`PHASE_MAX`].
#[inline]
fn phase(position: &Position) -> i32 {
    let minors = position.pieces(Piece::Knight) | position.pieces(Piece::Bishop);
    let (rooks, queens) = (position.pieces(Piece::Rook).len(), position.pieces(Piece::Queen).len());
    ((minors.len() + 2 * rooks + 4 * queens) as i32).min(PHASE_MAX)
}

/// The price of a danger to the own king: its square in each phase, so that attackers count for more the more there are.
#[inline(always)]
pub(crate) fn danger_penalty(danger: Pair) -> Pair {
    let square = |value: i32| {
        let value = value.clamp(0, DANGER_MAX);
        (value * value / DANGER_DIVISOR) as i16
    };
    Pair::new(square(danger.mg()), square(danger.eg()))
}

/// Blends middle game and end game. `scale` holds what is kept of the end game, in 1/128, if White or if Black is ahead there;
/// nothing means a draw, whatever the middle game says.
#[inline(always)]
pub(crate) fn taper(score: Pair, phase: i32, scale: [i32; 2]) -> i32 {
    let scale = scale[usize::from(score.eg() < 0)];
    if scale == 0 {
        return 0;
    }
    let eg = score.eg() * scale / endgame::FULL;
    (score.mg() * phase + eg * (PHASE_MAX - phase)) / PHASE_MAX
}
