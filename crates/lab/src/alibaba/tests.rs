//! Tests of the search as a whole.

use super::evaluation::PieceSquares;
use super::search::{INFINITE, Iteration, MATE, Node, Searcher};
use sesame::position::{Game, Position};
use sesame::search::TranspositionTable;
use sesame_table::{Scheme, Table, TableOptions, Update};

fn table(positions: usize, scheme: Scheme) -> TranspositionTable {
    Table::with_options(TableOptions::default().positions(positions).rule(scheme).update(Update::Overwrite)).unwrap()
}

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).unwrap())
}

fn search(table: Option<TranspositionTable>, game: &Game, depth: u32) -> Vec<Iteration> {
    Searcher::new(table).search(game, depth)
}

/// Middle games, an endgame, checks, promotions, en passant, castling.
const POSITIONS: [&str; 8] = [
    "r1bq1rk1/3n2pp/p3pp2/3pP3/Np1Q1P1P/7R/PPP3P1/2KR1B2 w - - 0 16",
    "6k1/1r2q2p/pn1Rb1p1/4Q1N1/7P/2p2P2/PP6/1K6 w - - 0 32",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
    "k7/2Q5/8/8/8/8/8/K1R5 b - - 0 1",
];

/// Plain alpha-beta: all legal moves in the order of the generator, everything computed from scratch.
fn plain_alpha_beta(
    position: &Position,
    weights: &PieceSquares,
    mut alpha: i32,
    beta: i32,
    depth: u32,
    ply: i32,
) -> i32 {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return if position.in_check() { -MATE + ply } else { 0 };
    }
    if position.halfmove_clock() >= 100 {
        return 0;
    }
    let is_quiet = |mv| position.captured(mv).is_none() && mv.promotion().is_none();
    let mut best = -INFINITE;
    let mut wanted = moves.to_vec();
    if depth == 0 && !position.in_check() {
        best = weights.evaluate(position);
        wanted.retain(|&mv| !is_quiet(mv));
    }
    for mv in wanted {
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
        let mut child = position.clone();
        child.play(mv);
        best = best.max(-plain_alpha_beta(&child, weights, -beta, -alpha, depth.saturating_sub(1), ply + 1));
    }
    best
}

#[test]
fn without_a_table_scores_match_plain_alpha_beta() {
    for (index, fen) in POSITIONS.into_iter().enumerate() {
        let game = game(fen);
        let weights = PieceSquares::fill(game.position());
        // Plain alpha-beta does not order moves: positions with many captures take it a minute at 3 plies.
        let depth = if [3, 6, 7].contains(&index) { 3 } else { 2 };
        for iteration in search(None, &game, depth) {
            let expected = plain_alpha_beta(game.position(), &weights, -INFINITE, INFINITE, iteration.depth, 0);
            assert_eq!(iteration.score, expected, "{fen} at depth {}", iteration.depth);
            let mut child = game.position().clone();
            child.play(iteration.mv);
            let score = -plain_alpha_beta(&child, &weights, -INFINITE, INFINITE, iteration.depth - 1, 1);
            assert_eq!(score, expected, "{fen}: {} is not the best move", iteration.mv);
        }
    }
}

#[test]
fn mate_scores_count_the_plies() {
    // Mate in one, mate in two, and being mated: the aspiration window of the first such iteration fails.
    let mates = [("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", 1), ("7k/8/8/8/8/8/R7/1R5K w - - 0 1", 3)];
    for (fen, plies) in mates {
        for scheme in [None, Some(Scheme::TwoBig1)] {
            let iterations = search(scheme.map(|scheme| table(1 << 16, scheme)), &game(fen), 5);
            for iteration in &iterations[plies as usize..] {
                assert_eq!(iteration.score, MATE - plies, "{fen} at depth {}", iteration.depth);
            }
        }
    }
    let mated = search(None, &game("7k/R7/8/8/8/8/8/1R5K b - - 0 1"), 4);
    assert_eq!(mated.last().unwrap().score, -MATE + 2);
    assert!(search(None, &game("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"), 3).is_empty());
}

#[test]
fn stalemate_is_a_draw_at_leaves() {
    let leaf = |fen: &str| {
        let node = Node { position: Position::from_fen(fen).unwrap(), ply: 1, depth: 0 };
        Searcher::new(None).leaf(&node, (-INFINITE, INFINITE))
    };
    assert_eq!(leaf("k7/2Q5/8/8/8/8/8/K7 b - - 0 1"), 0);
    assert!(leaf("k7/3Q4/8/8/8/8/8/K7 b - - 0 1") < -800);
}

#[test]
fn repetition_and_fifty_moves_are_draws() {
    let score = |game: &Game, depth| search(None, game, depth).last().unwrap().score;
    // A reversible move of White, or one of each side, completes a hundred plies.
    assert_eq!(score(&game("7k/8/8/8/8/8/1r5P/K7 w - - 99 80"), 1).signum(), 1, "the king takes the rook");
    assert_eq!(score(&game("7k/8/8/8/2q5/8/8/K7 w - - 99 80"), 2), 0);
    // The position occurred twice already. The third occurrence is a draw, though Black is a rook ahead.
    let mut shuffled = Game::new(Position::from_fen("7k/8/8/8/8/5r2/8/K7 b - - 0 1").unwrap());
    for uci in ["h8g8", "a1b1", "g8h8", "b1a1", "h8g8", "a1b1", "g8h8"] {
        let mv = shuffled.position().from_uci(uci).unwrap();
        shuffled.play(mv);
    }
    let mut searcher = Searcher::new(None);
    searcher.path.extend_from_slice(shuffled.previous_keys());
    assert!(!searcher.is_draw(shuffled.position()));
    searcher.path.push(shuffled.position().key());
    let mut third = shuffled.position().clone();
    third.play(third.from_uci("b1a1").unwrap());
    assert!(searcher.is_draw(&third));
}

#[test]
fn kept_and_stamped_entries_shorten_the_next_search() {
    let game = game(POSITIONS[0]);
    let mut searcher = Searcher::new(Some(table(1 << 16, Scheme::TwoBig1)));
    let nodes = searcher.search(&game, 5).last().unwrap().nodes;
    let without = search(None, &game, 5).last().unwrap().nodes;
    assert!(nodes < without, "{nodes} with a table, {without} without");
    searcher.table_mut().unwrap().next_generation();
    let again = searcher.search(&game, 5).last().unwrap().nodes;
    assert!(again * 2 < nodes, "{again} after {nodes}");
}

#[test]
fn bigall_counts_nodes_behind_hits() {
    let behind_hits = |scheme| {
        let mut searcher = Searcher::new(Some(table(1 << 16, scheme)));
        searcher.search(&game(POSITIONS[0]), 5);
        searcher.behind_hits
    };
    assert!(behind_hits(Scheme::Big1) == 0 && behind_hits(Scheme::BigAll) > 0);
}
