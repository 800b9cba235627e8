//! Self-play data and Texel tuning for the evaluation.
//!
//! `sesame datagen` plays games against itself and keeps quiet positions with their results ([`selfplay`]); `sesame tune` fits
//! the weights of the evaluation to them ([`texel`]) and prints `src/eval/weights.rs`. `docs/tuning.md` shows the way from
//! nothing to the weights in play.

mod prior;
mod render;

pub use prior::prior;
pub use render::render;

/// A weight in floating point: middle game and end game.
pub type Weight = [f32; 2];
