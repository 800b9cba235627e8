//! The engine's public API: options, positions, searches, an output sink.
