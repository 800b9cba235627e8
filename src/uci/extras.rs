//! Commands beyond the protocol, as Stockfish has them: `help`, `flip`, `compiler`.

use crate::position::{Position, Rank, Square};

/// The answer to `help`.
pub(super) const HELP: &str = "\
Sesame is a chess engine. A GUI talks to it by the UCI protocol:
  uci, isready, setoption name NAME [value VALUE], ucinewgame,
  position (startpos | fen FEN) [moves MOVE...],
  go [depth N] [nodes N] [movetime MS] [mate N] [wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N]
     [searchmoves MOVE...] [infinite] [ponder], stop, ponderhit, quit
More commands:
  d                     show the position
  eval                  show the static evaluation
  flip                  exchange the colours
  go perft N            count the leaves of the game tree
  bench [depth N] [threads N] [hash N], or bench [HASH [THREADS [DEPTH]]]
                        search the bench positions
  compiler              show how the program was built
Lines that begin with # are comments. `sesame --help` lists the subcommands for people.";

/// Returns the answer to `compiler`: target, kernels of the network, build profile.
pub(super) fn compiler(simd: &str) -> String {
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    format!(
        "Sesame {} by rustc for {} on {}, {profile} build; the network is computed with {simd} kernels",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS
    )
}

/// Returns `position` with the colours exchanged and the board turned upside down; `None` for a position that has no such twin.
pub(super) fn flip(position: &Position) -> Option<Position> {
    let exchange = |text: &str| -> String {
        let other = |c: char| if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
        text.chars().map(other).collect()
    };
    let fen = position.fen(true);
    let mut fields = fen.split(' ');
    let board: Vec<String> = fields.next()?.rsplit('/').map(exchange).collect();
    let side = if fields.next()? == "w" { "b" } else { "w" };
    let castling = exchange(fields.next()?);
    let en_passant = fields.next()?.parse::<Square>().ok().map(|square| {
        let rank = if square.rank() == Rank::Third { Rank::Sixth } else { Rank::Third };
        Square::new(square.file(), rank).to_string()
    });
    let rest: Vec<&str> = fields.collect();
    let en_passant = en_passant.as_deref().unwrap_or("-");
    let flipped = format!("{} {side} {castling} {en_passant} {}", board.join("/"), rest.join(" "));
    Position::from_lenient_fen(&flipped).ok().map(|(position, _)| position)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_position_flipped_twice_is_itself() {
        for fen in [
            "r3k2r/8/8/8/8/8/8/4K2R w Kkq - 3 9",
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 40",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let flipped = flip(&position).unwrap();
            assert_eq!(flipped.side_to_move(), !position.side_to_move());
            assert_eq!(flipped.legal_moves().len(), position.legal_moves().len());
            assert_eq!(flip(&flipped), Some(position));
        }
    }

    #[test]
    fn compiler_names_version_target_and_kernels() {
        let text = compiler("AVX2");
        assert!(text.starts_with(concat!("Sesame ", env!("CARGO_PKG_VERSION"), " ")), "{text}");
        assert!(text.contains(std::env::consts::ARCH) && text.ends_with(" AVX2 kernels"), "{text}");
    }
}
