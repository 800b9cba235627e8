//! The commands of the protocol and their answers. Malformed input is in `uci_input.rs`, the order of answers
//! in `uci_order.rs`.

use crate::support::referee::Referee;
use crate::support::{InfoLine, MATED, Session, best_move, board, infos, is_one_machine, parse_info};

const KIWIPETE: &str = "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Checks that two searches have the same lines with the same nodes. Bounds are left out: only slow searches
/// show them.
fn same_search(first: &[String], second: &[String]) {
    // The search goes on while the use of the table is measured.
    let exact = |lines: &[String]| -> Vec<_> {
        infos(lines).into_iter().filter(|info| info.exact).map(|info| InfoLine { hashfull: 0, ..info }).collect()
    };
    assert!(!exact(first).is_empty());
    assert_eq!(exact(first), exact(second));
    assert_eq!(first.last(), second.last());
}

#[test]
fn uci_lists_name_author_and_options() {
    let mut session = Session::start();
    session.send("uci");
    let lines = session.until("uciok");
    assert!(lines[0].starts_with("id name Sesame "));
    assert!(lines[1].starts_with("id author "));
    for option in ["Hash type spin default 16 min 1 max 33554432", "Threads type spin default 1 min 1 max 1024"] {
        assert!(lines.contains(&format!("option name {option}")), "{lines:#?}");
    }
    session.quit();
}

#[test]
fn info_lines_are_complete() {
    let mut session = Session::start();
    session.send("position startpos moves e2e4 e7e5");
    let mut lines = session.search("go depth 9");
    // Shown on a slow machine.
    lines.retain(|line| !line.contains(" currmove "));
    let infos = infos(&lines);
    assert_eq!(infos.len(), lines.len() - 1, "every line is an info line with a line of play: {lines:#?}");
    let mut referee = Referee::new();
    for mv in ["e2e4", "e7e5"] {
        referee.play(mv).unwrap();
    }
    for info in &infos {
        referee.check_line(&info.pv).unwrap();
    }
    assert!(infos.windows(2).all(|pair| pair[0].nodes <= pair[1].nodes));
    assert_eq!(infos.last().unwrap().depth, 9);
    assert_eq!(infos.last().unwrap().pv[0], best_move(&lines));
    session.quit();
}

#[test]
fn drawn_root_still_gets_a_move() {
    let mut session = Session::start();
    for position in [
        "startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8",
        "fen 8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 100 120",
        "fen 8/8/4k3/8/8/3NK3/8/8 w - - 0 1",
    ] {
        session.send(&format!("position {position}"));
        for limit in ["depth 6", "nodes 500", "movetime 10"] {
            assert_ne!(session.best_move(&format!("go {limit}")), "(none)", "{limit} in {position}");
        }
    }
    session.quit();
}

#[test]
fn new_game_makes_searches_repeatable() {
    if !is_one_machine() {
        return;
    }
    let mut session = Session::start();
    for position in ["startpos", KIWIPETE] {
        for go in ["go depth 10", "go nodes 20000"] {
            session.send(&format!("ucinewgame\nposition {position}"));
            let first = session.search(go);
            session.search("go depth 5");
            session.send(&format!("position startpos moves e2e4\nucinewgame\nposition {position}"));
            same_search(&first, &session.search(go));
        }
    }
    session.quit();
}

#[test]
fn bench_is_repeatable() {
    let mut session = Session::start();
    let bench = |session: &mut Session| {
        session.send("bench depth 6");
        let mut lines = session.until_contains(" nps");
        let last = lines.pop().unwrap();
        (last.split_once(" nodes ").unwrap().0.to_owned(), lines)
    };
    let first = bench(&mut session);
    assert_eq!(first.1.len(), 50);
    // Earlier searches make no difference.
    session.send("setoption name Hash value 1\nposition startpos moves e2e4");
    session.search("go depth 8");
    assert_eq!(bench(&mut session), first);
    session.quit();
}

#[test]
fn searchmoves_are_obeyed() {
    let mut session = Session::start();
    for threads in [1, 2] {
        session.send(&format!("setoption name Threads value {threads}"));
        for (limit, allowed) in [
            ("depth 6 searchmoves a2a3 h2h4", &["a2a3", "h2h4"][..]),
            ("searchmoves b1a3 nodes 3000", &["b1a3"]),
            ("searchmoves a2a3 wtime 200 btime 200", &["a2a3"]),
            ("movetime 1 searchmoves g2g4 f2f3", &["g2g4", "f2f3"]),
            ("nodes 1 searchmoves g2g4", &["g2g4"]),
        ] {
            let lines = session.search(&format!("go {limit}"));
            assert!(allowed.contains(&best_move(&lines)), "{limit}: {lines:#?}");
            for info in infos(&lines) {
                assert!(allowed.contains(&info.pv[0].as_str()), "{limit}: {info:?}");
            }
        }
        // The next search ignores them. With two threads, an odd move may be best at low depth for once.
        let mut moves = (6..10).map(|depth| session.best_move(&format!("go depth {depth}")));
        assert!(moves.any(|mv| !["a2a3", "b1a3", "g2g4", "h2h4", "f2f3"].contains(&mv.as_str())));
    }
    session.quit();
}

#[test]
fn multipv_lines_differ_and_are_sorted() {
    let mut session = Session::start();
    session.send("setoption name MultiPV value 4");
    for (position, wanted) in [
        ("startpos", 4),
        (KIWIPETE, 4),
        // Three legal moves.
        ("fen 7k/8/8/8/8/8/8/K7 w - - 0 1", 3),
    ] {
        session.send(&format!("position {position}"));
        let lines = session.search("go depth 6");
        let exact: Vec<_> = infos(&lines).into_iter().filter(|info| info.exact).collect();
        let mut last: Vec<_> = exact[exact.len() - wanted..].to_vec();
        // The played line comes last.
        last.reverse();
        let ranks: Vec<u64> = last.iter().map(|info| info.multipv).collect();
        assert_eq!(ranks, (1..=wanted as u64).collect::<Vec<_>>(), "{lines:#?}");
        assert!(last.iter().all(|info| info.depth == 6));
        let mut first_moves: Vec<&str> = last.iter().map(|info| info.pv[0].as_str()).collect();
        assert_eq!(first_moves[0], best_move(&lines));
        first_moves.sort_unstable();
        first_moves.dedup();
        assert_eq!(first_moves.len(), wanted, "{lines:#?}");
        let scores: Vec<i64> = last.iter().filter(|info| info.kind == "cp").map(|info| info.score).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    }
    session.send("setoption name MultiPV value 3\nposition startpos");
    let lines = session.search("go depth 3 searchmoves e2e4 d2d4");
    assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(2));
    session.quit();
}

#[test]
fn castling_notation_follows_the_option() {
    let mut session = Session::start();
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for (chess960, short, long) in [("false", "e1g1", "e1c1"), ("true", "e1h1", "e1a1")] {
        session.send(&format!("setoption name UCI_Chess960 value {chess960}\nposition fen {fen}"));
        assert_eq!(board(&mut session).contains("HAha"), chess960 == "true");
        // Both notations are understood.
        for notation in ["e1g1", "e1h1"] {
            assert_eq!(session.best_move(&format!("go depth 3 searchmoves {notation}")), short);
        }
        for notation in ["e1c1", "e1a1"] {
            assert_eq!(session.best_move(&format!("go depth 3 searchmoves {notation}")), long);
        }
        session.send("go perft 1");
        let perft = session.until("Nodes searched: 26");
        assert!(perft.contains(&format!("{short}: 1")) && perft.contains(&format!("{long}: 1")), "{perft:?}");
        session.sync();
        session.send(&format!("position fen {fen} moves {short} e8c8"));
        assert!(board(&mut session).starts_with("2kr3r/8/8/8/8/8/8/R4RK1 w"));
    }
    session.quit();
}

#[test]
fn display_and_eval_commands() {
    let mut session = Session::start();
    session.send("position startpos moves e2e4\nd\neval");
    let lines = session.sync();
    assert!(lines.iter().any(|line| line == "8 | r n b q k b n r |"));
    assert!(lines.iter().any(|line| line.starts_with("Key: ")));
    assert!(lines.last().is_some_and(|line| line.starts_with("Evaluation: ")), "{lines:#?}");
    session.send(&format!("position fen {MATED}\neval"));
    assert!(session.sync()[0].starts_with("Evaluation: none"));
    session.quit();
}

#[test]
fn perft_answers_and_can_be_stopped() {
    let mut session = Session::start();
    session.send("go perft 3");
    let lines = session.until("Nodes searched: 8902");
    assert_eq!(lines.iter().filter(|line| line.contains(": ") && line.len() < 12).count(), 20, "{lines:?}");
    session.until("info string perft took");
    session.send("go perft 20");
    assert!(!session.sync().iter().any(|line| line.starts_with("Nodes")));
    session.send("stop");
    session.until("info string perft stopped");
    // A stop also ends the tasks that wait.
    session.send("bench 16 1 40\ngo perft 20\nbench 16 1 40\nstop\ngo perft 1");
    for answer in ["info string bench stopped", "info string perft stopped", "info string bench stopped"] {
        session.until(answer);
    }
    session.until("Nodes searched: 20");
    session.until("info string");
    session.send("go perft 0");
    session.until("Nodes searched: 1");
    session.until("info string");
    // A perft ends a running search first.
    session.search("go infinite\ngo perft 2");
    session.until("Nodes searched: 400");
    session.until("info string");
    session.expect_silence();
    session.quit();
}

#[test]
fn mate_limit_ends_the_search() {
    let mut session = Session::start();
    // Two rooks mate in two; Black is mated in one, or in two.
    for (fen, go, score) in [
        ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", "go mate 2", 2),
        ("7k/R7/8/8/8/8/8/1R4K1 b - - 0 1", "go mate 3", -1),
        ("6k1/8/1R6/8/8/8/R7/6K1 b - - 0 1", "go mate 2", -2),
    ] {
        for threads in [1, 2] {
            session.send(&format!("setoption name Threads value {threads}\nucinewgame\nposition fen {fen}"));
            let lines = session.search(go);
            let last = lines.iter().rev().find_map(|line| parse_info(line)).unwrap();
            assert_eq!((last.kind.as_str(), last.score), ("mate", score), "{lines:#?}");
            assert!(!lines.iter().any(|line| line.starts_with("info string")), "{lines:#?}");
        }
    }
    // Workers may finish all depths before the stop; the mate is reported once all the same.
    session.send("position fen 6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1");
    for _ in 0..20 {
        let lines = session.search("go mate 1");
        let mates = lines.iter().filter(|line| line.contains(" score mate 1 ")).count();
        // Once, and perhaps again with the final nodes.
        assert!((1..=2).contains(&mates) && best_move(&lines) == "d1d8", "{lines:#?}");
    }
    session.quit();
}
