//! Self-play data and Texel tuning for the evaluation.
