//! Static evaluation by an efficiently updatable neural network (NNUE), and win/draw/loss chances.
//!
//! The network is `(768 -> 512)x2 -> 8` with squared clipped ReLU (SCReLU). Its feature transformer sums one
//! row of weights per piece into an accumulator, once from each player's perspective. A feature is the colour
//! (own pieces first), kind and square of a piece. The board is flipped for Black, and mirrored while the own
//! king is on the files e to h. The accumulator of the side to move comes first. The number of pieces selects
//! one of eight output buckets. All arithmetic is in integers, so every kernel returns the same value.
//!
//! Efficient updates are by Yu Nasu (2018). Perspectives, SCReLU, quantisation and output buckets are as in
//! bullet (<https://github.com/jw1912/bullet>). See `docs/contributors/nnue.md`.

mod accumulators;
mod features;
mod file;
mod kernels;
mod network;
#[cfg(test)]
pub(crate) mod tests;
pub mod wdl;

pub use accumulators::Accumulators;
pub use features::{active_features, feature_index};
pub use file::{NETWORK_MAGIC, NetworkFormatError, SCALE_RANGE, Weights};
pub use kernels::Simd;
pub use network::{Network, NetworkError};

/// Exclusive bound of the absolute value of an evaluation, in centipawns.
pub const VALUE_LIMIT: i32 = 20_000;

/// Features of one perspective: 2 colours, 6 kinds of pieces, 64 squares.
pub const INPUTS: usize = 768;
pub const HIDDEN: usize = 512;
/// Output neurons, of which the number of pieces selects one.
pub const OUTPUT_BUCKETS: usize = 8;
/// Quantisation of the feature transformer: the integer for 1.0, and the upper bound of the clipped ReLU.
pub const QA: i32 = 255;
/// Quantisation of the output weights: the integer for 1.0.
pub const QB: i32 = 64;

/// Maximum absolute output weight. Its product with an activation must fit 16 bits.
const OUTPUT_WEIGHT_LIMIT: i32 = 128;

/// Maximum sum of the absolute output weights of one accumulator. Its product with squared activations must fit 32 bits.
const OUTPUT_SUM_LIMIT: i32 = i32::MAX / (QA * QA);

// Whole vectors of every kind.
const _: () = assert!(HIDDEN.is_multiple_of(64));

/// Returns the output bucket of a board with `pieces` pieces, kings included, 2 to 32.
#[inline]
pub fn output_bucket(pieces: u32) -> usize {
    (pieces.saturating_sub(2) as usize / 4).min(OUTPUT_BUCKETS - 1)
}
