//! The search as a whole: mates, draws by every rule, and the traps that engines have fallen into.

use std::sync::Arc;

use super::history::{PieceTo, Quiet};
use super::ordering::Quiets;
use super::params::*;
use super::pvs::{NonPv, Pv};
use super::reductions::PLY;
use super::score::{DRAW, INFINITE, MATE, MAX_PLY, is_mate, mate_in, mated_in};
use super::search_table::SearchTable;
use super::search_table::TranspositionTable;
use super::selectivity::Passing;
use super::tt_entry::Bound;
use super::tt_entry::TtEntry;
use super::worker::by_material;
use super::{Control, Iteration, Outcome, SearchContext, ThreadData, WORKER_STACK_BYTES, Worker};
use crate::eval::Network;
use crate::eval::tests::random_weights;
use crate::position::{BitBoard, Color, Game, Move, Piece, Position};
use sesame_table::Scheme;

fn table() -> Arc<TranspositionTable> {
    Arc::new(TranspositionTable::with_mib(4, Scheme::TwoBig1).unwrap())
}

fn job(game: &Game, table: &Arc<TranspositionTable>) -> SearchContext {
    SearchContext {
        game: game.clone(),
        root_moves: game.position().legal_moves().to_vec(),
        multi_pv: 1,
        table: Arc::clone(table),
        control: Arc::new(Control::new(1, None)),
        syzygy: None,
        evaluator: Evaluator::default(),
    }
}

fn search_job(job: SearchContext, depth: u32) -> (Iteration, u64) {
    let mut worker = Worker::new(0, ThreadData::new(), job);
    let mut last = None;
    for depth in 1..=depth {
        match worker.iterate(depth, |_, _| {}) {
            Outcome::Complete(iteration) => last = Some(iteration),
            Outcome::Stopped(_) => panic!("nobody stopped it"),
        }
    }
    (last.unwrap(), worker.nodes())
}

fn search_game(game: &Game, depth: u32) -> Iteration {
    search_job(job(game, &table()), depth).0
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

fn best(game: &Game, iteration: &Iteration) -> String {
    game.position().to_uci(iteration.lines[0].pv[0], false)
}

#[test]
fn mates_are_found_with_the_right_distance() {
    assert_eq!(score("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", 3), mate_in(1));
    // Philidor's smothered mate: Nh6+ Kh8 Qg8+ Rxg8 Nf7.
    let smothered = game("r5k1/1p3Npp/8/3Q4/8/8/8/7K w - - 0 1");
    let deepening = (8..40).map(|depth| search_game(&smothered, depth).lines[0].score);
    assert_eq!(deepening.into_iter().find(|&score| is_mate(score)), Some(mate_in(5)));
    // The side to move is mated in one whatever it does.
    assert_eq!(score("7k/8/5K2/6Q1/8/8/8/8 b - - 0 1", 4), mated_in(2));
}

#[test]
fn quiescence_sees_a_quiet_check_that_mates_at_its_first_ply() {
    // After Kg8 the rook mates on d8: one ply of search, and the quiescence behind it.
    let game = game("7k/5ppp/8/8/8/8/6PP/3R2K1 b - - 0 1");
    let mut job = job(&game, &table());
    job.root_moves = vec![game.position().from_uci("h8g8").unwrap()];
    assert_eq!(search_job(job, 1).0.lines[0].score, mated_in(2));
}

#[test]
fn the_same_job_takes_the_same_nodes_and_finds_the_same_line() {
    let game = game("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let (one, nodes) = search_job(job(&game, &table()), 8);
    let (two, again) = search_job(job(&game, &table()), 8);
    assert_eq!((one.lines, nodes), (two.lines, again));
}

#[test]
fn stalemate_is_a_draw_and_is_avoided_when_winning() {
    // Qc7 or Qb6 would be stalemate; the queen wins otherwise.
    let game = game("k7/8/2K5/8/8/8/8/1Q6 w - - 0 1");
    let iteration = search_game(&game, 6);
    assert!(is_mate(iteration.lines[0].score));
    // Black saves the draw by forcing stalemate: the rook gives itself up for ever.
    assert_eq!(score("7k/8/6QK/8/8/8/8/6r1 b - - 0 1", 6), DRAW);
}

#[test]
fn only_pawns_left_there_is_no_null_move() {
    // Mutual zugzwang (trebuchet): whoever moves loses the pawn. A null move would call it good for the side to move.
    assert!(score("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1", 14) < -100);
    assert!(score("8/8/8/3pK3/2kP4/8/8/8 b - - 0 1", 14) < -100);
}

#[test]
fn the_more_pieces_are_left_the_larger_the_evaluation() {
    let position = |fen| Position::from_fen(fen).unwrap();
    let (start, pawns) = (Position::startpos(), position("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1"));
    let even = position("1nbqkb2/8/8/8/8/8/8/1NBQKB2 w - - 0 1");
    for raw in [-30_000, -120, 0, 120, 30_000] {
        let [full, none, even] = [&start, &pawns, &even].map(|position| by_material(position, raw));
        assert_eq!((full.signum(), none.signum()), (raw.signum(), raw.signum()));
        assert!(raw == 0 && full == none || full.abs() > even.abs() && even.abs() > none.abs(), "{raw}: {full} {none}");
    }
}

#[test]
fn who_passes_and_is_mated_knows_that_mate_threatens() {
    // Rd1 mates, unless the king has h2.
    for (fen, threatens) in
        [("3r2k1/Q4ppp/8/8/8/8/5PPP/6K1 w - - 0 1", true), ("3r2k1/Q4ppp/8/8/8/7P/5PP1/6K1 w - - 0 1", false)]
    {
        let game = game(fen);
        let mut worker = Worker::new(0, ThreadData::new(), job(&game, &table()));
        let passing = worker.null_move(game.position(), 100, 6, 0, 400, 400, true).unwrap();
        assert_eq!(matches!(passing, Passing::IsMated), threatens, "{fen}");
    }
}

#[test]
fn where_mate_threatens_the_search_is_a_ply_deeper() {
    // The same two positions, too deep for reverse futility. With h2 free passing is good enough, and nothing is searched.
    for (fen, searched) in
        [("3r2k1/Q4ppp/8/8/8/8/5PPP/6K1 w - - 0 1", Some(11)), ("3r2k1/Q4ppp/8/8/8/7P/5PP1/6K1 w - - 0 1", None)]
    {
        let (game, table) = (game(fen), table());
        let mut worker = Worker::new(0, ThreadData::new(), job(&game, &table));
        worker.root_depth = 10;
        let eval = worker.evaluate(game.position(), 0);
        worker.search::<NonPv>(game.position(), eval / 2 - 1, eval / 2, 10, 0, false).unwrap();
        let entry = table.look_up(game.position().key());
        assert_eq!(entry.map(|(entry, _)| entry.depth), searched, "{fen}");
    }
}

#[test]
fn where_mate_threat_no_margin_spares_the_search() {
    // Qxg2 mates, unless the knight guards it. Far above beta as both are, only the second needs no look.
    for (fen, searched) in
        [("6k1/5ppp/8/8/8/5p1q/QR3P1P/6K1 w - - 0 1", Some(2)), ("6k1/5ppp/8/8/8/5p1q/QR3P1P/4N1K1 w - - 0 1", None)]
    {
        let (game, table) = (game(fen), table());
        let mut worker = Worker::new(0, ThreadData::new(), job(&game, &table));
        worker.root_depth = 2;
        let raw = worker.evaluate(game.position(), 1);
        let beta = worker.corrected(game.position(), raw) - 400;
        worker.search::<NonPv>(game.position(), beta - 1, beta, 2, 1, true).unwrap();
        let entry = table.look_up(game.position().key());
        assert_eq!(entry.map(|(entry, _)| entry.depth), searched, "{fen}");
    }
}

#[test]
fn a_quiet_move_after_which_mate_threat_is_hardly_reduced() {
    // Qh6 threatens mate on g7 with the pawn's help, unless the knight guards it.
    let depth = |fen| {
        let (game, table) = (game(fen), table());
        let mut worker = Worker::new(0, ThreadData::new(), job(&game, &table));
        worker.root_depth = 8;
        let raw = worker.evaluate(game.position(), 1);
        let alpha = worker.corrected(game.position(), raw) + 50;
        worker.search::<NonPv>(game.position(), alpha, alpha + 1, 8, 1, true).unwrap();
        let mut child = game.position().clone();
        child.play(child.from_uci("d2h6").unwrap());
        table.look_up(child.key()).unwrap().0.depth
    };
    let looming = depth("r4rk1/p1n2p1p/5Pp1/8/1p6/1P6/P2Q4/1K6 w - - 0 1");
    let harmless = depth("r3nrk1/p4p1p/5Pp1/8/1p6/1P6/P2Q4/1K6 w - - 0 1");
    assert!(looming > harmless, "{looming} {harmless}");
}

#[test]
fn what_quiescence_leaves_is_a_bound_and_no_principal_variation() {
    // A pawn can be taken: a score inside the window, with a move.
    let (game, table) = (game("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"), table());
    let mut worker = Worker::new(0, ThreadData::new(), job(&game, &table));
    let score = worker.quiescence::<Pv>(game.position(), -INFINITE, INFINITE, 0, Quiets::None).unwrap();
    let (entry, _) = table.look_up(game.position().key()).unwrap();
    let taken = game.position().from_uci("e4d5").unwrap();
    assert_eq!((i32::from(entry.score), Move::from_bits(entry.mv)), (score, Some(taken)));
    assert_eq!((entry.bound, entry.pv), (Bound::Upper, false));
}

#[test]
fn a_first_move_that_is_refuted_is_punished_as_an_answer_to_those_before() {
    let game = Game::new(Position::startpos());
    let (earlier, mv) = ["e2e4", "g1f3"].map(|mv| game.position().from_uci(mv).unwrap()).into();
    let piece_to = PieceTo::new(Color::White, Piece::Knight, mv);
    for (is_first, quiet, punished) in [(true, Some(mv), true), (false, Some(mv), false), (true, None, false)] {
        let mut worker = Worker::new(0, ThreadData::new(), job(&game, &table()));
        worker.frame(0).played = Some(PieceTo::new(Color::Black, Piece::Pawn, earlier));
        worker.frame(1).played = Some(piece_to);
        worker.frame(1).quiet = quiet;
        worker.frame(1).is_first = is_first;
        worker.learn_refuted(2, 6);
        let standing = |before| {
            let quiet = Quiet { color: Color::White, mv, piece_to, before, threats: BitBoard::EMPTY };
            worker.memory.histories.quiet(quiet)
        };
        assert_eq!(standing(worker.played_before(1)) < 0, punished);
        assert_eq!(standing([None; 3]), 0, "wherever else it is played it stands as before");
    }
}

#[test]
fn in_a_singular_search_no_move_is_the_one_expected_to_be_best() {
    let (game, table) = (Game::new(Position::startpos()), table());
    for (excluded, is_first) in [(None, true), (Some("e2e4"), false)] {
        let mut worker = Worker::new(0, ThreadData::new(), job(&game, &table));
        worker.root_depth = 2;
        worker.frame(1).excluded = excluded.map(|mv| game.position().from_uci(mv).unwrap());
        // Any move beats this alpha, so that the first is the last.
        worker.search::<Pv>(game.position(), -2_000, -1_999, 2, 1, false).unwrap();
        assert_eq!(worker.frame(1).is_first, is_first);
    }
}

#[test]
fn what_futility_leaves_out_raises_the_score() {
    let game = game("r2q1rk1/ppp2ppp/2np1n2/2b1p3/2B1P1b1/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 8");
    let mut worker = Worker::new(0, ThreadData::new(), job(&game, &table()));
    worker.root_depth = 3;
    let raw = worker.evaluate(game.position(), 1);
    let eval = worker.corrected(game.position(), raw);
    let reduced = 3 - worker.memory.reductions.get(true, 3, 2) / PLY;
    let hoped = eval + futility_base() + futility_margin() * reduced;
    // No more than the second move could hope for: but for what futility says of it, the score would be that of the first, near the evaluation.
    let score = worker.search::<Pv>(game.position(), hoped, hoped + 1, 3, 1, false).unwrap();
    assert!(score < hoped && score > eval + 2 * (hoped - eval) / 3, "{score} of {eval} to {hoped}");
}

#[test]
fn who_stands_above_beta_improves_whatever_was_before() {
    // A pawn forks the knights, so that no move keeps what the evaluation promises.
    let game = game("6k1/ppp2ppp/8/3p4/2N1N3/8/PPP2PPP/6K1 w - - 0 20");
    let nodes = |beta_above_eval: i32, before: i32| {
        let mut worker = Worker::new(0, ThreadData::new(), job(&game, &table()));
        worker.root_depth = 4;
        let raw = worker.evaluate(game.position(), 2);
        let beta = worker.corrected(game.position(), raw) + beta_above_eval;
        worker.frame(0).eval = before;
        worker.search::<Pv>(game.position(), beta - 1, beta, 4, 2, false).unwrap();
        worker.nodes()
    };
    assert_eq!(nodes(0, -5_000), nodes(0, 5_000));
    assert_ne!(nodes(1, -5_000), nodes(1, 5_000));
}

#[test]
fn a_position_repeated_in_the_search_is_a_draw() {
    // White is hopelessly behind and has a perpetual check on e8 and h5.
    assert_eq!(score("6k1/6p1/8/7Q/8/1q6/1r4PP/7K w - - 0 1", 10), DRAW);
}

#[test]
fn a_position_of_the_game_counts_when_it_would_occur_for_the_third_time() {
    let shuffle = ["g1f1", "g8f8", "f1g1", "f8g8"];
    let won = "6k1/8/8/8/8/8/8/1Q4K1 w - - 0 1";
    // The start has occurred twice and comes up again after Kg1: that would be the third time.
    let twice = game_after(won, &[&shuffle[..], &["g1f1", "g8f8"]].concat());
    let mv = twice.position().from_uci("f1g1").unwrap();
    let back = SearchContext { root_moves: vec![mv], ..job(&twice, &table()) };
    // Black, to move after Kg1, completes the repetition with Kg8 at once.
    assert_eq!(search_job(back, 6).0.lines[0].score, DRAW);
    // Seen once before the root only, it is no draw yet.
    let once = game_after(won, &["g1f1", "g8f8"]);
    let back = SearchContext { root_moves: vec![mv], ..job(&once, &table()) };
    assert!(search_job(back, 6).0.lines[0].score > 300);
}

#[test]
fn a_root_that_is_itself_drawn_still_has_a_move() {
    let shuffle = ["g1f1", "g8f8", "f1g1", "f8g8"];
    let game = game_after("6k1/8/8/8/8/8/8/1Q4K1 w - - 0 1", &[shuffle, shuffle].concat());
    assert!(search_game(&game, 4).lines[0].score > 300);
    let fifty = search_game(&self::game("6k1/8/8/8/8/8/8/1Q4K1 w - - 100 120"), 4);
    assert!(!fifty.lines[0].pv.is_empty());
}

#[test]
fn the_fifty_move_rule_ends_the_game_but_mate_comes_first() {
    // Mate on the hundredth ply counts.
    assert_eq!(score("7k/8/5K2/8/8/8/8/6Q1 w - - 99 120", 4), mate_in(1));
    // A quiet winner's lead is worth nothing when every move is the hundredth ply.
    assert_eq!(score("7k/8/8/8/8/8/8/R5K1 w - - 99 120", 4), DRAW);
    // Two plies left, mate in two needs three: a draw.
    assert_eq!(score("7k/8/5K2/8/8/8/8/R7 w - - 98 120", 14), DRAW);
    assert_eq!(score("7k/8/5K2/8/8/8/8/R7 w - - 97 120", 14), mate_in(3));
}

#[test]
fn a_table_entry_without_a_move_at_the_root_does_no_harm() {
    let game = game("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1");
    let table = table();
    let entry = TtEntry { mv: 0, score: -500, depth: 60, bound: Bound::Exact, pv: true, eval: 0 };
    table.store(game.position().key(), &entry, 1_000_000);
    let (iteration, _) = search_job(job(&game, &table), 3);
    assert_eq!((best(&game, &iteration).as_str(), iteration.lines[0].score), ("d1d8", mate_in(1)));
}

#[test]
fn an_entry_whose_move_is_illegal_here_is_ignored_whole() {
    let game = game("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1");
    let mv = game.position().from_uci("d1d2").unwrap();
    let mut child = game.position().clone();
    child.play(mv);
    let table = table();
    // A wrong position's entry at the child: its "mate" must not be believed.
    let illegal = Move::from_bits(0x0fc1).unwrap().bits();
    let entry = TtEntry { mv: illegal, score: -(MATE as i16), depth: 60, bound: Bound::Exact, pv: false, eval: 0 };
    table.store(child.key(), &entry, 1_000_000);
    let only = SearchContext { root_moves: vec![mv], ..job(&game, &table) };
    let (iteration, _) = search_job(only, 2);
    assert!(!is_mate(iteration.lines[0].score));
}

#[test]
fn under_bigall_a_table_hit_counts_as_the_nodes_behind_it() {
    let game = game("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let work_of_a_second_search = |scheme| {
        let table = Arc::new(TranspositionTable::with_mib(16, scheme).unwrap());
        search_job(job(&game, &table), 10);
        let (_, nodes) = search_job(job(&game, &table), 10);
        let (_, work) = table.probe_with_work(game.position().key()).unwrap();
        (work.nodes(), nodes)
    };
    let (own, nodes) = work_of_a_second_search(Scheme::Big1);
    assert!(own <= nodes);
    // Much the same search: what goes beyond the nodes of its last iteration is of searches that left what it found.
    let (work, _) = work_of_a_second_search(Scheme::BigAll);
    assert!(work > own, "{work} is no more than the {own} nodes of a search that lives on table hits");
}

#[test]
fn every_line_is_legal_and_lines_of_multi_pv_differ_and_fall() {
    let game = game("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let several = SearchContext { multi_pv: 5, ..job(&game, &table()) };
    let (iteration, _) = search_job(several, 7);
    assert_eq!(iteration.lines.len(), 5);
    for (rank, line) in iteration.lines.iter().enumerate() {
        let mut position = game.position().clone();
        for &mv in &line.pv {
            assert!(position.is_legal(mv));
            position.play(mv);
        }
        assert!(iteration.lines[..rank].iter().all(|better| better.pv[0] != line.pv[0] && better.score >= line.score));
    }
}

#[test]
fn a_stop_is_obeyed_and_leaves_what_was_found() {
    let game = game("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let stopped_at = |nodes| {
        let limited = SearchContext { control: Arc::new(Control::new(1, Some(nodes))), ..job(&game, &table()) };
        let mut worker = Worker::new(0, ThreadData::new(), limited);
        let partial = (1..).find_map(|depth| match worker.iterate(depth, |_, _| {}) {
            Outcome::Stopped(partial) => Some(partial),
            Outcome::Complete(_) => None,
        });
        assert_eq!(worker.nodes(), nodes);
        partial.unwrap()
    };
    let found: Vec<_> = (20..30).filter_map(|thousand| stopped_at(1_000 * thousand)).collect();
    assert!(!found.is_empty(), "some stop comes after the first move of an iteration");
    assert!(found.iter().all(|partial| game.position().is_legal(partial.lines[0].pv[0])));
}

#[test]
fn an_iteration_that_is_not_wanted_any_more_is_given_up_and_leaves_nothing_begun() {
    let game = game("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let control = Arc::new(Control::new(2, None).with_strategy("same+stop+defer".parse().unwrap()));
    let together = SearchContext { control: Arc::clone(&control), ..job(&game, &table()) };
    let mut worker = Worker::new(1, ThreadData::new(), together);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while control.nodes() < 100_000 {
                std::thread::yield_now();
            }
            control.skip_to(40);
        });
        assert!(matches!(worker.iterate(40, |_, _| {}), Outcome::Stopped(_)));
    });
    assert!(!control.stopped());
    assert!(control.searching().unwrap().is_idle());
    let before = worker.keys.len();
    worker.iterate(39, |_, _| {});
    assert!(before > 0 && worker.keys.is_empty(), "the path that was given up is forgotten");
    assert!(matches!(worker.iterate(39, |_, _| {}), Outcome::Stopped(None)));
    let nodes = worker.nodes();
    control.skip_to(41);
    assert!(matches!(worker.iterate(41, |_, _| {}), Outcome::Stopped(None)) && worker.nodes() == nodes);
}

#[test]
fn a_worker_begins_where_another_has_got_to() {
    let game = game("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    // An iteration after which the table has the root's score, not a bound of it: one that ended without failing high.
    let leaves_score = |depth: &u32| {
        let table = table();
        search_job(job(&game, &table), *depth);
        let (entry, _) = table.look_up(game.position().key()).unwrap();
        entry.bound == Bound::Exact && u32::from(entry.depth) >= *depth
    };
    let depth = (5..12).find(leaves_score).unwrap();
    // The score found by the one ahead, and that from which the other set out.
    let scores = |words: &str| {
        let table = table();
        let (ahead, _) = search_job(job(&game, &table), depth);
        let control = Arc::new(Control::new(2, None).with_strategy(words.parse().unwrap()));
        let mut worker = Worker::new(1, ThreadData::new(), SearchContext { control, ..job(&game, &table) });
        worker.job.control.skip_to(depth);
        let Outcome::Complete(iteration) = worker.iterate(depth + 1, |_, _| {}) else { panic!("nobody stopped it") };
        assert_eq!((ahead.depth, iteration.depth), (depth, depth + 1));
        let line = &ahead.lines[0];
        let known = worker.root_moves.iter().find(|root| root.mv == line.pv[0]).unwrap();
        (line.score, known.previous_score)
    };
    let (found, begun) = scores("same+stop");
    assert_eq!(found, begun);
    let (found, begun) = scores("same");
    assert_ne!(found, begun);
}

#[test]
fn the_deepest_recursion_fits_its_stack() {
    // Fine 70: locked pawns, so that lines grow as long as the depth. A line of an eighth of MAX_PLY in an eighth of a worker's
    // stack leaves room for the longest.
    let search = || search_game(&game("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"), 26);
    let thread = std::thread::Builder::new().stack_size(WORKER_STACK_BYTES / 8).spawn(search).unwrap();
    let longest = thread.join().unwrap().lines[0].seldepth;
    assert!(longest >= MAX_PLY / 8, "the line was only {longest} plies long");
}

#[test]
fn a_memory_that_changes_its_evaluator_forgets_its_values() {
    let game = game("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let position = game.position();
    let (network, other) = (Network::embedded(), Arc::new(Network::new(&random_weights(1)).unwrap()));
    let mut memory = ThreadData::new();
    let mut found = Vec::new();
    let networks = [Evaluator::Hybrid(Arc::clone(&network)), Evaluator::Network(network), Evaluator::Network(other)];
    for evaluator in networks.into_iter().chain([Evaluator::Classical]) {
        let mut worker = Worker::new(0, memory, SearchContext { evaluator: evaluator.clone(), ..job(&game, &table()) });
        let values = [(); 2].map(|()| worker.evaluate(position, 0));
        assert_eq!(values, [evaluator.evaluate(position); 2]);
        found.push(values[0]);
        memory = worker.finish();
    }
    assert!(found.windows(2).all(|pair| pair[0] != pair[1]), "{found:?} tell the evaluators apart");
}
