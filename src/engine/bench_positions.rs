//! Bench positions, chosen for variety: all game phases, quiet and tactical, and difficult for a search.

pub(super) static POSITIONS: [&str; 50] = [
    // Openings: the first moves, and the tabiyas of well-known lines.
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", // Start position
    "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 9", // Ruy Lopez, closed
    "r1bqk2r/1pp2ppp/p1np1n2/2b1p3/P1B1P3/2PP1N2/1P3PPP/RNBQ1RK1 b kq - 0 7", // Italian
    "rnbqkbnr/pppp1p1p/8/4N3/4PppP/8/PPPP2P1/RNBQKB1R b KQkq - 1 5", // King's Gambit
    "rnb1kb1r/1p3ppp/pq1ppn2/6B1/3NPP2/2N5/PPP3PP/R2QKB1R w KQkq - 1 8", // Sicilian, Najdorf
    "r1bq1rk1/pp2ppbp/2n2np1/3p4/3NP3/2N1BP2/PPPQ2PP/2KR1B1R w - - 0 10", // Sicilian, Dragon
    "rnbqk2r/pp2nppp/4p3/3pP3/3p2Q1/P1P5/2P2PPP/R1B1KBNR w KQkq - 0 8", // French, Winawer
    "r2qkbnr/pp1nppp1/2p4p/7P/3P4/3Q1NN1/PPP2PP1/R1B1K2R b KQkq - 0 10", // Caro-Kann
    "rnbq1rk1/p1p1bpp1/1p2p2p/3n4/3P3B/2N1PN2/PP3PPP/R2QKB1R w KQ - 0 9", // Queen's Gambit, Tartakower
    "r1bqkb1r/3n1ppp/p3pn2/1pp5/3PP3/2NB1N2/PP3PPP/R1BQK2R w KQkq - 0 10", // Semi-Slav, Meran
    "r1bq1rk1/pppnnpbp/3p2p1/3Pp3/2P1P3/2N5/PP2BPPP/R1BQNRK1 w - - 3 10", // King's Indian
    "r1bq1rk1/pp2ppbp/2n3p1/2p5/2BPP3/2P1B3/P3NPPP/R2Q1RK1 b - - 5 10", // Grünfeld, exchange
    "rnbqk2r/pp3pbp/3p1np1/1BpP4/4PP2/2N5/PP4PP/R1BQK1NR b KQkq - 2 8", // Benoni
    "r1bq1rk1/pp1pnpbp/2n1p1p1/2p5/2P5/2NP1NP1/PP1BPPBP/R2Q1RK1 b - - 2 8", // English, symmetrical
    // Middle games: of Bratko and Kopec's test of 1982, which the paper of 1994 discusses too.
    "3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - 0 1", // BK.02
    "2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1", // BK.03
    "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 1", // BK.05
    "1nk1r1r1/pp2n1pp/4p3/q2pPp1N/b1pP1P2/B1P2R2/2P1B1PP/R2Q2K1 w - - 0 1", // BK.07
    "3rr1k1/pp3pp1/1qn2np1/8/3p4/PP1R1P2/2P1NQPP/R1B3K1 b - - 0 1", // BK.10
    "2r1nrk1/p2q1ppp/bp1p4/n1pPp3/P1P1P3/2PBB1N1/4QPPP/R4RK1 w - - 0 1", // BK.11
    "rnb2r1k/pp2p2p/2pp2p1/q2P1p2/8/1Pb2NP1/PB2PPBP/R2Q1RK1 w - - 0 1", // BK.14
    "r2q1rk1/1ppnbppp/p2p1nb1/3Pp3/2P1P1P1/2N2N1P/PPB1QP2/R1B2RK1 b - - 0 1", // BK.17
    "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 0 1", // BK.18
    "r4k2/pb2bp1r/1p1qp2p/3pNp2/3P1P2/2N3P1/PPP1Q2P/2KRR3 w - - 0 1", // BK.20
    "2r2rk1/1bqnbpp1/1p1ppn1p/pP6/N1P1P3/P2B1N1P/1B2QPP1/R2R2K1 b - - 0 1", // BK.22
    "r2qnrnk/p2b2b1/1p1p2pp/2pPpp2/1PP1P3/PRNBB3/3QNPPP/5RK1 w - - 0 1", // BK.24
    // Tactics: from Reinfeld's "Win at Chess" of 1945, and a position that is hard on move generators.
    "8/7p/5k2/5p2/p1p2P2/Pr1pPK2/1P1R3P/8 b - - 0 1", // WAC.002
    "r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1", // WAC.004
    "r4q1k/p2bR1rp/2p2Q1N/5p2/5p2/2P5/PP3PPP/R5K1 w - - 0 1", // WAC.008
    "r2rb1k1/pp1q1p1p/2n1p1p1/2bp4/5P2/PP1BPR1Q/1BPN2PP/R5K1 w - - 0 1", // WAC.014
    "r1bqk2r/ppp1nppp/4p3/n5N1/2BPp3/P1P5/2P2PPP/R1BQK2R w KQkq - 0 1", // WAC.022
    "rb3qk1/pQ3ppp/4p3/3P4/8/1P3N2/1P3PPP/3R2K1 w - - 0 1", // WAC.031
    "2b3k1/4rrpp/p2p4/2pP2RQ/1pP1Pp1N/1P3P1P/1q6/6RK w - - 0 1", // WAC.049
    "r3r1k1/pp1q1pp1/4b1p1/3p2B1/3Q1R2/8/PPP3PP/4R1K1 w - - 0 1", // WAC.055
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", // all kinds of moves
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",        // promotions
    // SyzygyProbe: studies, theory, and practical ones.
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", // Lasker and Reichhelm, 1901: corresponding squares
    "7K/8/k1P5/7p/8/8/8/8 w - - 0 1",          // Reti, 1921: both diagonals
    "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1",         // Saavedra, 1895: underpromotion
    "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1",      // Lucena: the bridge
    "8/8/8/4k3/R7/8/3pK3/2r5 w - - 0 1",       // rook against pawn and rook
    "8/8/4k3/8/8/2BNK3/8/8 w - - 0 1",         // bishop and knight mate
    "8/8/8/8/4k3/8/1Q6/K2r4 w - - 0 1",        // queen against rook
    "4k3/8/4p1p1/3pP1P1/p1pP4/P1P1K3/8/8 w - - 0 1", // a fortress of pawns
    "8/5bk1/p3p1p1/1p1pP2p/1P1P1P1P/P3K1P1/4B3/8 w - - 0 1", // bishops, good and bad
    "8/2k5/p1p2n2/1p1p1pp1/3P4/1PP1KPN1/P5P1/8 w - - 0 1", // knights
    "3r2k1/p4pp1/1p2p2p/2p5/2P1P3/1P3P2/P3K1PP/3R4 b - - 0 1", // rooks
    "8/1p3pk1/p2q2p1/3p3p/3P3P/1Q2P1P1/PP3PK1/8 w - - 0 1", // queens
    // Zugzwang, where passing the turn would help.
    "8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1", // the rook must not check
    "8/8/8/3k4/2pP4/2P5/1K6/8 w - - 0 1",           // pawns
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::position::{Game, Position};

    #[test]
    fn every_position_is_sound_unfinished_and_listed_once() {
        let mut seen = HashSet::new();
        for fen in POSITIONS {
            let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
            assert_eq!(position.fen(false), fen);
            assert!(seen.insert(position.key()), "twice: {fen}");
            assert_eq!(Game::new(position).outcome(), None, "{fen}");
        }
    }
}
