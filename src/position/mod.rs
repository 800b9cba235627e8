//! The rules of chess: positions, keys, draws, static exchange.
