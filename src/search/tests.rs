//! Tests of the whole search: mates, draws by every rule, repetition, pruning, table entries, iterations.

use std::sync::Arc;

use parking_lot::Mutex;

use super::history::{Histories, Quiet};
use super::node::{NonPv, Pv};
use super::ordering::Quiets;
use super::params::null_depth;
use super::score::{DRAW, INFINITE, MATE, MAX_PLY, is_mate, mate_in, mated_in};
use super::threats::Threats;
use super::{
    Bound, Control, Iteration, IterationResult, NodeCount, STORED_NO_EVAL, SearchContext, SearchTable, ThreadData,
    TranspositionTable, TtEntry, WORKER_STACK_BYTES, Worker,
};
use crate::eval::Network;
use crate::eval::tests::random_weights;
use crate::position::{Game, Move, Position};
use sesame_table::Scheme;

fn table() -> Arc<TranspositionTable> {
    Arc::new(TranspositionTable::with_mib(4, Scheme::TwoBig1).unwrap())
}

fn context(game: &Game, table: &Arc<TranspositionTable>) -> SearchContext {
    SearchContext::alone(game, table, &Network::embedded(), Control::new(1, None))
}

fn worker(game: &Game, table: &Arc<TranspositionTable>) -> Worker {
    Worker::new(0, ThreadData::default(), context(game, table))
}

fn search_context(context: SearchContext, depth: u32) -> (Iteration, u64) {
    let mut worker = Worker::new(0, ThreadData::default(), context);
    let mut last = None;
    for depth in 1..=depth {
        match worker.iterate(depth, |_, _| {}) {
            IterationResult::Complete(iteration) => last = Some(iteration),
            IterationResult::Stopped(_) => panic!("not stopped"),
        }
    }
    (last.unwrap(), worker.nodes())
}

fn search_game(game: &Game, depth: u32) -> Iteration {
    search_context(context(game, &table()), depth).0
}

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).unwrap())
}

fn game_after(fen: &str, moves: &[&str]) -> Game {
    let mut game = game(fen);
    for mv in moves {
        let mv = game.position().from_uci(mv).unwrap();
        game.play(mv);
    }
    game
}

fn score(fen: &str, depth: u32) -> i32 {
    search_game(&game(fen), depth).lines[0].score
}

/// Searches a position with a null window, whose beta depends on the static evaluation. Returns the depth of the node's
/// TT entry; `None` if the node was pruned.
fn searched_depth(fen: &str, depth: i32, beta: fn(i32) -> i32) -> Option<i32> {
    let (game, table) = (game(fen), table());
    let mut worker = worker(&game, &table);
    worker.root_depth = depth;
    let beta = beta(worker.node_evals(game.position(), 0, false, None).corrected);
    worker.search::<NonPv>(game.position(), 0, beta - 1, beta, depth, false).unwrap();
    table.probe(game.position().key()).map(|entry| entry.plies())
}

#[test]
fn known_positions_have_their_score() {
    for (fen, depth, expected) in [
        ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", 3, mate_in(1)),
        ("7k/8/5K2/6Q1/8/8/8/8 b - - 0 1", 4, mated_in(2)),
        // The rook offers itself on each move, and taking it is stalemate.
        ("7k/8/6QK/8/8/8/8/6r1 b - - 0 1", 6, DRAW),
        // White is hopelessly behind and has a perpetual check on e8 and h5.
        ("6k1/6p1/8/7Q/8/1q6/1r4PP/7K w - - 0 1", 10, DRAW),
        // A mate on the hundredth ply counts, a lead does not. With two plies left, a mate in two is too slow.
        ("7k/8/5K2/8/8/8/8/6Q1 w - - 99 120", 4, mate_in(1)),
        ("7k/8/8/8/8/8/8/R5K1 w - - 99 120", 4, DRAW),
        ("7k/8/5K2/8/8/8/8/R7 w - - 98 120", 14, DRAW),
        ("7k/8/5K2/8/8/8/8/R7 w - - 97 120", 14, mate_in(3)),
    ] {
        assert_eq!(score(fen, depth), expected, "{fen}");
    }
    // Philidor's smothered mate: Nh6+ Kh8 Qg8+ Rxg8 Nf7.
    let smothered = "r5k1/1p3Npp/8/3Q4/8/8/8/7K w - - 0 1";
    assert_eq!((8..40).map(|depth| score(smothered, depth)).find(|&score| is_mate(score)), Some(mate_in(5)));
}

#[test]
fn quiescence_searches_quiet_checks_at_its_first_ply() {
    // After Kg8 the rook mates on d8: one ply of search, then quiescence.
    let game = game("7k/5ppp/8/8/8/8/6PP/3R2K1 b - - 0 1");
    let mut context = context(&game, &table());
    context.root_moves = vec![game.position().from_uci("h8g8").unwrap()];
    assert_eq!(search_context(context, 1).0.lines[0].score, mated_in(2));
}

#[test]
fn pawn_endings_have_no_null_move() {
    // Mutual zugzwang (trebuchet): whoever moves loses the pawn. A null move would call it good for the side
    // to move.
    assert!(score("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1", 14) < -100);
    assert!(score("8/8/8/3pK3/2kP4/8/8/8 b - - 0 1", 14) < -100);
}

#[test]
fn threats_of_the_opponent_stop_pruning() {
    // A null move cuts off, unless it is refuted: Rd1 mates, unless the king has h2. The depth excludes reverse futility.
    assert_eq!(searched_depth("3r2k1/Q4ppp/8/8/8/8/5PPP/6K1 w - - 0 1", 10, |eval| eval / 2), Some(10));
    assert_eq!(searched_depth("3r2k1/Q4ppp/8/8/8/7P/5PP1/6K1 w - - 0 1", 10, |eval| eval / 2), None);
    // Reverse futility: Qxg2 mates, unless the knight guards g2. Both evaluations are far above beta.
    assert_eq!(searched_depth("6k1/5ppp/8/8/8/5p1q/QR3P1P/6K1 w - - 0 1", 2, |eval| eval - 400), Some(2));
    assert_eq!(searched_depth("6k1/5ppp/8/8/8/5p1q/QR3P1P/4N1K1 w - - 0 1", 2, |eval| eval - 400), None);
}

#[test]
fn quiescence_stores_an_upper_bound_off_the_pv() {
    // A pawn can be captured: a score inside the window, with a move.
    let (game, table) = (game("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"), table());
    let mut worker = worker(&game, &table);
    let score = worker.quiescence::<Pv>(game.position(), 0, -INFINITE, INFINITE, Quiets::None).unwrap();
    let entry = table.probe(game.position().key()).unwrap();
    let taken = game.position().from_uci("e4d5").unwrap();
    assert_eq!((i32::from(entry.score), Move::from_bits(entry.mv)), (score, Some(taken)));
    assert_eq!((entry.bound, entry.pv), (Bound::Upper, false));
}

#[test]
fn quiet_checks_need_an_entry_that_had_them() {
    // Rd8 mates; without quiet checks the score is a bound below alpha, which the table keeps.
    let game = game("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1");
    let mut worker = worker(&game, &table());
    let alpha = worker.node_evals(game.position(), 0, false, None).corrected + 1000;
    let scores = [Quiets::None, Quiets::Checks, Quiets::None]
        .map(|quiets| worker.quiescence::<NonPv>(game.position(), 0, alpha, alpha + 1, quiets).unwrap());
    assert!(scores[0] <= alpha && scores[1..] == [mate_in(1); 2], "{scores:?}");
}

#[test]
fn futility_raises_the_score_only_for_pruned_moves() {
    // The bishop can only capture a protected pawn; the knight has quiet moves.
    for (fen, is_raised) in
        [("5r1k/8/8/8/8/7p/5p1P/6BK w - - 0 1", false), ("5r1k/8/8/8/8/N6p/5p1P/6BK w - - 0 1", true)]
    {
        let game = game(fen);
        let mut worker = worker(&game, &table());
        let alpha = worker.node_evals(game.position(), 0, false, None).corrected + 200;
        let score = worker.search::<NonPv>(game.position(), 0, alpha, alpha + 1, 1, false).unwrap();
        let mut child = game.position().clone();
        child.play(child.from_uci("g1f2").unwrap());
        let capture = -worker.quiescence::<NonPv>(&child, 1, -alpha - 1, -alpha, Quiets::Checks).unwrap();
        assert!(score <= alpha && (score > capture) == is_raised, "{fen}: {score} {capture}");
    }
}

#[test]
fn a_move_that_raised_alpha_gets_no_malus() {
    // The TT move is searched first and raises alpha, then Rd8 mates.
    let game = game("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1");
    let [first, mate] = ["d1d2", "d1d8"].map(|mv| game.position().from_uci(mv).unwrap());
    let table = table();
    let entry = TtEntry { mv: first.bits(), score: 0, depth: 0, bound: Bound::Lower, pv: false, eval: 500 };
    table.store(game.position().key(), &entry, 1);
    let histories = Arc::new(Histories::default());
    let mut worker = Worker::new(0, ThreadData::new(Some(&histories)), context(&game, &table));
    worker.search::<Pv>(game.position(), 0, -INFINITE, INFINITE, 4, false).unwrap();
    let threats = Threats::of(game.position()).all;
    let [first, mate] = [first, mate].map(|mv| histories.quiet(Quiet::new(game.position(), mv, [None; 3], threats)));
    assert!(first >= 0 && mate > 0, "{first} {mate}");
}

#[test]
fn the_pv_search_keeps_the_depth_of_the_null_window_search() {
    // Rxb7 comes late and beats the other moves by far, so its null-window search is one ply deeper than its node less
    // two (one for the move, one for internal iterative reduction).
    let (game, table) = (game("1R6/1brk2p1/4p2p/p1P1Pp2/P7/6P1/1P4P1/2R3K1 w - - 0 1"), table());
    let mut worker = worker(&game, &table);
    worker.root_depth = 5;
    worker.search::<Pv>(game.position(), 0, -INFINITE, INFINITE, 5, false).unwrap();
    let mut child = game.position().clone();
    child.play(child.from_uci("b8b7").unwrap());
    let entry = table.probe(child.key()).unwrap();
    assert_eq!((entry.bound, entry.plies()), (Bound::Exact, 5 - 2 + 1));
}

#[test]
fn an_upcoming_repetition_is_a_draw() {
    // White is lost, but Kh1 comes to the position after the first move again.
    let game = game("6k1/8/8/8/8/8/q4P2/6K1 w - - 0 1");
    let mut worker = worker(&game, &table());
    let mut position = game.position().clone();
    for (ply, mv) in ["g1h1", "g8h8", "h1g1", "h8g8"].into_iter().enumerate() {
        position = worker.make(&position, ply, position.from_uci(mv).unwrap());
    }
    let quiescence = worker.quiescence::<NonPv>(&position, 4, -200, -199, Quiets::None).unwrap();
    let search = worker.search::<NonPv>(&position, 4, -200, -199, 4, false).unwrap();
    assert_eq!((quiescence, search, worker.nodes()), (DRAW, DRAW, 0));
}

#[test]
fn first_return_to_the_root_is_no_draw() {
    // After Nf7+ Kg8 Nh6+ Kh8 White has another move, which was not searched.
    let game = game("5r1k/6n1/B1b4N/8/8/8/P4P2/1K5R w - - 0 1");
    let only = vec![game.position().from_uci("h6f7").unwrap()];
    let (iteration, _) = search_context(SearchContext { root_moves: only, ..context(&game, &table()) }, 11);
    assert!(iteration.lines[0].score > 150, "{:?}", iteration.lines);
}

#[test]
fn positions_of_the_game_draw_at_threefold_repetition() {
    let shuffle = ["g1f1", "g8f8", "f1g1", "f8g8"];
    let won = "6k1/8/8/8/8/8/8/1Q4K1 w - - 0 1";
    // The start has occurred twice; Kg1 Kg8 would repeat it for the third time.
    let twice = game_after(won, &[&shuffle[..], &["g1f1", "g8f8"]].concat());
    let mv = twice.position().from_uci("f1g1").unwrap();
    let back = SearchContext { root_moves: vec![mv], ..context(&twice, &table()) };
    // Black, to move after Kg1, completes the repetition with Kg8 at once.
    assert_eq!(search_context(back, 6).0.lines[0].score, DRAW);
    // A position that occurred only once is no draw yet.
    let once = game_after(won, &["g1f1", "g8f8"]);
    let back = SearchContext { root_moves: vec![mv], ..context(&once, &table()) };
    assert!(search_context(back, 6).0.lines[0].score > 300);
}

#[test]
fn a_drawn_root_still_has_a_move() {
    let shuffle = ["g1f1", "g8f8", "f1g1", "f8g8"];
    let game = game_after("6k1/8/8/8/8/8/8/1Q4K1 w - - 0 1", &[shuffle, shuffle].concat());
    assert!(search_game(&game, 4).lines[0].score > 300);
    let fifty = search_game(&self::game("6k1/8/8/8/8/8/8/1Q4K1 w - - 100 120"), 4);
    assert!(!fifty.lines[0].pv.is_empty());
}

#[test]
fn a_root_entry_without_a_move_is_harmless() {
    let game = game("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1");
    let table = table();
    let entry = TtEntry { mv: 0, score: -500, depth: 60, bound: Bound::Exact, pv: true, eval: 0 };
    table.store(game.position().key(), &entry, 1_000_000);
    let (iteration, _) = search_context(context(&game, &table), 3);
    assert_eq!(iteration.lines[0].score, mate_in(1));
}

#[test]
fn entries_with_illegal_moves_are_ignored() {
    let game = game("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1");
    let mv = game.position().from_uci("d1d2").unwrap();
    let mut child = game.position().clone();
    child.play(mv);
    let table = table();
    // An entry of another position at the child: its mate must be ignored.
    let illegal = Move::from_bits(0x0fc1).unwrap().bits();
    let entry = TtEntry { mv: illegal, score: -(MATE as i16), depth: 60, bound: Bound::Exact, pv: false, eval: 0 };
    table.store(child.key(), &entry, 1_000_000);
    let only = SearchContext { root_moves: vec![mv], ..context(&game, &table) };
    let (iteration, _) = search_context(only, 2);
    assert!(!is_mate(iteration.lines[0].score));
}

/// A mate counts from the position in the table, from the root in the search, and within the fifty-move limit.
#[test]
fn mates_in_the_table_count_from_their_position() {
    let fen = |clock| format!("7k/8/5K2/8/8/8/8/R7 w - - {clock} 120");
    let (game, table) = (game(&fen(0)), table());
    let score = worker(&game, &table).search::<Pv>(game.position(), 6, -INFINITE, INFINITE, 8, false).unwrap();
    assert_eq!(score, mate_in(6 + 3));
    assert_eq!(i32::from(table.probe(game.position().key()).unwrap().score), mate_in(3));
    let read = |clock, ply| table.probe_tt(self::game(&fen(clock)).position(), ply).unwrap().score;
    assert_eq!((read(0, 2), read(97, 2)), (mate_in(2 + 3), mate_in(2 + 3)));
    assert!(!is_mate(read(98, 2)));
}

/// The halfmove clock is not part of the key.
#[test]
fn stored_scores_do_not_cut_near_the_fifty_move_limit() {
    // White is in check, and a draw comes with the next move at 99.
    for (clock, expected) in [(0, 500), (99, DRAW)] {
        let game = game(&format!("4r1k1/8/8/8/8/8/8/QR2K3 w - - {clock} 120"));
        let entry = TtEntry { mv: 0, score: 500, depth: 60, bound: Bound::Lower, pv: false, eval: STORED_NO_EVAL };
        let worker = || {
            let table = table();
            table.store(game.position().key(), &entry, 1_000);
            worker(&game, &table)
        };
        let search = worker().search::<NonPv>(game.position(), 0, 299, 300, 4, false).unwrap();
        let quiescence = worker().quiescence::<NonPv>(game.position(), 0, 299, 300, Quiets::None).unwrap();
        assert_eq!((search, quiescence), (expected, expected), "{clock}");
    }
}

/// A restricted root and later lines have other scores than their position. No move here comes back to it.
#[test]
fn the_table_keeps_the_score_of_all_root_moves() {
    let game = game("4k3/4p3/8/3q4/4P3/8/4P3/4K3 w - - 0 1");
    let mv = |text| game.position().from_uci(text).unwrap();
    let table = table();
    let restricted = SearchContext { root_moves: vec![mv("e4e5"), mv("e2e3")], ..context(&game, &table) };
    search_context(restricted, 6);
    assert_eq!(table.probe(game.position().key()), None);
    let (iteration, _) = search_context(SearchContext { multi_pv: 3, ..context(&game, &table) }, 6);
    let entry = table.probe(game.position().key()).unwrap();
    assert_eq!((Move::from_bits(entry.mv), i32::from(entry.score)), (Some(mv("e4d5")), iteration.lines[0].score));
}

#[test]
fn nodes_are_the_moves_made() {
    // Six moves; captures and checks cannot follow.
    let (_, nodes) = search_context(context(&game("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), &table()), 1);
    assert_eq!(nodes, 6);
    // A null move cuts off: no move is made.
    let game = game("4k3/4p3/8/8/8/8/8/QR2K3 w - - 0 1");
    let mut worker = worker(&game, &table());
    let beta = worker.node_evals(game.position(), 0, false, None).corrected - 100;
    let score = worker.search::<NonPv>(game.position(), 0, beta - 1, beta, null_depth(), false).unwrap();
    assert!(score >= beta && worker.nodes() == 0, "{score} {}", worker.nodes());
}

#[test]
fn bigall_counts_the_nodes_behind_hits() {
    let game = game("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let work_of_a_second_search = |scheme| {
        let table = Arc::new(TranspositionTable::with_mib(16, scheme).unwrap());
        search_context(context(&game, &table), 10);
        let (_, nodes) = search_context(context(&game, &table), 10);
        let (_, work) = table.probe_with_work(game.position().key()).unwrap();
        (work.nodes(), nodes)
    };
    let (own, nodes) = work_of_a_second_search(Scheme::Big1);
    assert!(own <= nodes);
    // The search is almost the same: work beyond its own nodes comes from table hits.
    let (work, _) = work_of_a_second_search(Scheme::BigAll);
    assert!(work > own, "{work} is no more than the {own} nodes of a search that lives on table hits");
}

/// A score far away is inside the window soon: each window is wider than the one that failed before.
#[test]
fn aspiration_windows_grow() {
    for fen in [
        "b4r1k/pq2rp2/1p1bpn1p/3PN2n/2P2P2/P2B3K/1B2Q2N/3R2R1 w - - 0 1",
        "2rq1bk1/p4p1p/1p4p1/3b4/3B1Q2/8/P4PpP/3RR1K1 w - - 0 1",
    ] {
        let mut worker = worker(&game(fen), &table());
        for depth in 1..=8 {
            let mut bounds = 0;
            worker.iterate(depth, |_, _| bounds += 1);
            assert!(bounds <= 12, "{fen}: {bounds} bounds at depth {depth}");
        }
    }
}

#[test]
fn multi_pv_lines_are_legal_distinct_and_sorted() {
    let game = game("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let several = SearchContext { multi_pv: 5, ..context(&game, &table()) };
    let (iteration, _) = search_context(several, 7);
    assert_eq!(iteration.lines.len(), 5);
    for (rank, line) in iteration.lines.iter().enumerate() {
        line.pv.iter().fold(game.position().clone(), |mut position, &mv| {
            assert!(position.is_legal(mv));
            position.play(mv);
            position
        });
        assert!(iteration.lines[..rank].iter().all(|better| better.pv[0] != line.pv[0] && better.score >= line.score));
    }
}

#[test]
fn a_stopped_iteration_returns_its_partial_result() {
    let game = game("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let stopped_at = |nodes| {
        let limited = SearchContext { control: Arc::new(Control::new(1, Some(nodes))), ..context(&game, &table()) };
        let mut worker = Worker::new(0, ThreadData::default(), limited);
        let partial = (1..).find_map(|depth| match worker.iterate(depth, |_, _| {}) {
            IterationResult::Stopped(partial) => Some(partial),
            IterationResult::Complete(_) => None,
        });
        assert_eq!(worker.nodes(), nodes);
        partial.unwrap()
    };
    let found: Vec<_> = (20..60).filter_map(|thousand| stopped_at(1_000 * thousand)).collect();
    assert!(!found.is_empty(), "some stop follows a first root move");
    assert!(found.iter().all(|partial| game.position().is_legal(partial.lines[0].pv[0])));
}

#[test]
fn a_turn_lasts_its_quantum() {
    let control = Control::new(2, None).with_turns(1, 100);
    let order = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (control, order) = (&control, &order);
            scope.spawn(move || {
                control.enter(worker);
                let mut count = NodeCount::new(worker, control);
                for _ in 0..300 {
                    count.count(control).unwrap();
                    order.lock().push(worker);
                }
                control.leave(worker);
            });
        }
    });
    let turns: Vec<usize> = order.into_inner().chunk_by(|a, b| a == b).map(<[_]>::len).collect();
    assert_eq!(turns, [100; 6]);
}

#[test]
fn the_deepest_recursion_fits_the_stack() {
    // Fine 70: locked pawns make lines as long as the depth. An eighth of MAX_PLY must fit an eighth of the
    // stack.
    let search = || search_game(&game("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"), 26);
    let thread = std::thread::Builder::new().stack_size(WORKER_STACK_BYTES / 8).spawn(search).unwrap();
    let longest = thread.join().unwrap().lines[0].seldepth;
    assert!(longest >= MAX_PLY / 8, "the line was only {longest} plies long");
}

#[test]
fn a_new_network_clears_the_evaluation_cache() {
    let game = game("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let position = game.position();
    let other = Arc::new(Network::new(&random_weights(1)).unwrap());
    let mut thread = ThreadData::default();
    let mut found = Vec::new();
    for network in [Network::embedded(), other] {
        let context = SearchContext { network: Arc::clone(&network), ..context(&game, &table()) };
        let mut worker = Worker::new(0, thread, context);
        let values = [(); 2].map(|()| worker.evaluate(position, 0));
        assert_eq!(values, [network.evaluate(position); 2]);
        found.push(values[0]);
        thread = worker.finish();
    }
    assert_ne!(found[0], found[1], "the networks differ");
}
