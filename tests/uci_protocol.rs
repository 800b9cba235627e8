//! The protocol, told to the real binary: what GUIs do in a session, and in which order they should not do it but do all the
//! same. What they should not say at all is in `uci_input.rs`.

mod support;

use std::time::{Duration, Instant};

use support::referee::Referee;
use support::{Session, best_move, board, infos, is_opening_move, parse_info};

const MATED: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
const STALEMATED: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";

/// Checks that two searches found the same lines with the same numbers of nodes. Bounds are left out, as they are only shown
/// when a search takes long.
fn same_search(first: &[String], second: &[String]) {
    let exact = |lines: &[String]| -> Vec<_> { infos(lines).into_iter().filter(|info| info.exact).collect() };
    assert!(!exact(first).is_empty());
    assert_eq!(exact(first), exact(second));
    assert_eq!(first.last(), second.last());
}

#[test]
fn identification() {
    let mut session = Session::start();
    session.send("uci");
    let lines = session.until("uciok");
    assert!(lines[0].starts_with("id name Sesame "));
    assert!(lines[1].starts_with("id author "));
    for option in ["Hash", "Threads", "Clear Hash", "Ponder", "MultiPV", "Move Overhead", "UCI_Chess960", "Replacement"]
    {
        let start = format!("option name {option} type ");
        assert_eq!(lines.iter().filter(|line| line.starts_with(&start)).count(), 1, "{option}");
    }
    for line in lines.iter().filter(|line| line.contains(" type spin ")) {
        assert!(line.contains(" min ") && line.contains(" max "), "{line}");
    }
    session.quit();
}

#[test]
fn info_lines_are_complete() {
    let mut session = Session::start();
    session.send("position startpos moves e2e4 e7e5");
    let mut lines = session.search("go depth 9");
    // Told on a machine that is slow.
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
fn mate_scores_have_the_right_sign() {
    let mut session = Session::start();
    session.send("position fen 7k/8/6K1/8/8/8/8/R7 w - - 0 1");
    let lines = session.search("go depth 5");
    let last = infos(&lines).pop().unwrap();
    assert_eq!((last.kind.as_str(), last.score, best_move(&lines)), ("mate", 1, "a1a8"));
    session.send("position fen 7k/8/6K1/8/8/8/8/R7 b - - 0 1");
    let lines = session.search("go depth 6");
    let last = infos(&lines).pop().unwrap();
    assert_eq!((last.kind.as_str(), last.score), ("mate", -1), "{lines:#?}");
    session.quit();
}

#[test]
fn isready_is_answered_during_a_search() {
    let mut session = Session::start();
    session.send("go infinite");
    for _ in 0..20 {
        let before = session.sync();
        assert!(!before.iter().any(|line| line.starts_with("bestmove")));
    }
    session.send("stop");
    session.until("bestmove");
    session.quit();
}

#[test]
fn stop_and_ponderhit_without_a_search_are_ignored() {
    let mut session = Session::start();
    session.send("stop\nponderhit\nstop");
    assert_eq!(session.sync(), Vec::<String>::new());
    session.search("go depth 3");
    session.send("stop\nponderhit");
    assert_eq!(session.sync(), Vec::<String>::new());
    // A stop that came late must not end the next search.
    session.send("stop\ngo depth 6");
    let lines = session.until("bestmove");
    assert_eq!(infos(&lines).last().map(|info| info.depth), Some(6));
    session.quit();
}

#[test]
fn five_hundred_searches_stopped_at_once() {
    let mut session = Session::start();
    for round in 0..500 {
        if round == 250 {
            session.send("setoption name Threads value 2");
        }
        let lines = session.search("go infinite\nstop");
        assert!(is_opening_move(best_move(&lines)), "round {round}");
    }
    assert_eq!(session.sync(), Vec::<String>::new());
    session.quit();
}

#[test]
fn each_go_has_one_bestmove_whatever_interrupts_it() {
    let mut session = Session::start();
    let mut commands = String::new();
    for interruption in
        ["position startpos moves e2e4", "ucinewgame", "go infinite\nstop", "position startpos", "stop\nstop"]
    {
        for _ in 0..10 {
            commands += &format!("go infinite\n{interruption}\n");
        }
    }
    // 50 searches, and 10 more inside.
    session.send(&format!("{commands}go depth 1"));
    let mut lines = Vec::new();
    for _ in 0..61 {
        lines.extend(session.until("bestmove"));
    }
    assert!(!lines.iter().any(|line| line.ends_with("(none)")));
    assert_eq!(session.sync(), Vec::<String>::new());
    assert_eq!(board(&mut session), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    session.quit();
}

#[test]
fn settings_during_a_search_wait_for_its_end() {
    let mut session = Session::start();
    let settings = "setoption name MultiPV value 3\nsetoption name Hash value 2\nsetoption name Threads value 2\n\
                    setoption name Replacement value TWODEEP\nsetoption name Clear Hash";
    session.send(&format!("go infinite\n{settings}"));
    let before = session.never("bestmove", Duration::from_millis(200));
    assert!(infos(&before).iter().all(|info| info.multipv == 1));
    // A bad value is refused at once.
    session.send("setoption name Hash value 0");
    assert_eq!(session.sync().iter().filter(|line| line.starts_with("info string ")).count(), 1);
    let rest = session.search("stop");
    assert!(infos(&rest).iter().all(|info| info.multipv == 1));
    let lines = session.search("go depth 4");
    assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(3));
    // They are in force for a search that interrupts, too.
    session.send("go infinite\nsetoption name MultiPV value 2");
    let lines = session.search("go depth 3");
    assert!(best_move(&lines).len() >= 4);
    let lines = session.until("bestmove");
    assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(2));
    session.quit();
}

#[test]
fn settings_are_applied_in_the_order_in_which_they_came() {
    let mut session = Session::start();
    for _ in 0..10 {
        // The search ends by itself, at any time between or after the settings.
        session.send("go nodes 50000\nsetoption name MultiPV value 3\nsetoption name MultiPV value 2");
        session.send("setoption name MultiPV value 4\nsetoption name MultiPV value 1");
        session.until("bestmove");
        let lines = session.search("go depth 3");
        assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(1));
    }
    // Behind a bench, a setting is for the searches that come after it, and for them only.
    session.send("bench depth 2\ngo depth 3\nsetoption name MultiPV value 3\nsetoption name MultiPV value 2");
    session.until("info string bench 50/50");
    let lines = session.until("bestmove");
    assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(1));
    let lines = session.search("go depth 3");
    assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(2));
    // It does not end the search that it waits for, and neither does a question after it.
    session.send("bench depth 2\ngo ponder depth 3\nsetoption name MultiPV value 1\nd");
    session.until("info string bench 50/50");
    session.until("Fen: ");
    session.never("bestmove", Duration::from_millis(200));
    session.send("ponderhit");
    session.until("bestmove");
    session.quit();
}

#[test]
fn a_stray_ponderhit_changes_nothing() {
    let mut session = Session::start();
    // How soon the move comes depends on the machine; that it comes, once and with the time used, does not.
    session.send("go movetime 300\nponderhit");
    let start = Instant::now();
    session.until("bestmove");
    assert!(start.elapsed() >= Duration::from_millis(200), "the search was cut short");
    assert_eq!(session.sync(), Vec::<String>::new());
    for search in ["go infinite", "go infinite depth 1"] {
        session.send(&format!("{search}\nponderhit"));
        let lines = session.sync();
        assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "{search}: {lines:?}");
        session.never("bestmove", Duration::from_millis(200));
        session.send("stop");
        session.until("bestmove");
        assert_eq!(session.sync(), Vec::<String>::new());
    }
    session.quit();
}

#[test]
fn pondering_holds_the_move_until_ponderhit() {
    let mut session = Session::start();
    session.send("setoption name Ponder value true\nposition startpos moves e2e4 e7e5");
    session.send("go ponder wtime 100 btime 100");
    session.never("bestmove", Duration::from_millis(500));
    assert!(!session.sync().iter().any(|line| line.starts_with("bestmove")));
    session.send("ponderhit");
    session.until("bestmove");
    // The search is over long before.
    session.send("go ponder depth 1");
    session.never("bestmove", Duration::from_millis(300));
    session.send("ponderhit");
    session.until("bestmove");
    // `stop` ends pondering too, and the words may come in any order.
    session.send("go wtime 100 ponder btime 100");
    session.never("bestmove", Duration::from_millis(300));
    session.send("stop");
    session.until("bestmove");
    session.send("ponderhit\nstop");
    assert_eq!(session.sync(), Vec::<String>::new());
    session.quit();
}

#[test]
fn infinite_holds_the_move_until_stop() {
    let mut session = Session::start();
    // One legal move; a mate found; mated; stalemated: the search has nothing more to do.
    let positions = ["7k/8/8/8/8/8/8/K6r w - - 0 1", "7k/8/6K1/8/8/8/8/R7 w - - 0 1", MATED, STALEMATED];
    for fen in positions {
        session.send(&format!("position fen {fen}\ngo infinite"));
        session.never("bestmove", Duration::from_millis(200));
        session.send("stop");
        session.until("bestmove");
    }
    session.send("position startpos\ngo infinite depth 1");
    session.never("bestmove", Duration::from_millis(200));
    session.send("stop");
    session.until("bestmove");
    session.quit();
}

#[test]
fn mate_and_stalemate_at_the_root() {
    let mut session = Session::start();
    for threads in [1, 2] {
        session.send(&format!("setoption name Threads value {threads}"));
        for fen in [MATED, STALEMATED] {
            session.send(&format!("position fen {fen}"));
            for limit in
                ["depth 5", "movetime 20", "wtime 100 btime 100", "nodes 10", "mate 2", "depth 3 searchmoves e2e4"]
            {
                assert_eq!(session.best_move(&format!("go {limit}")), "(none)", "{limit} in {fen}");
            }
        }
        session.send("position startpos");
        assert!(is_opening_move(&session.best_move("go depth 4")));
    }
    session.quit();
}

#[test]
fn a_root_that_is_a_draw_still_gets_a_move() {
    let mut session = Session::start();
    let repetition = "position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
    let fifty = "position fen 8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 100 120";
    let material = "position fen 8/8/4k3/8/8/3NK3/8/8 w - - 0 1";
    for (position, fen) in [
        (repetition, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 8 5"),
        (fifty, "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 99 120"),
        (material, "8/8/4k3/8/8/3NK3/8/8 w - - 0 1"),
    ] {
        session.send(position);
        let legal = Referee::from_fen(fen).legal_moves();
        for limit in ["depth 6", "nodes 500", "movetime 10"] {
            let mv = session.best_move(&format!("go {limit}"));
            assert!(legal.contains(&mv), "{mv} with {limit} in {fen}");
        }
    }
    session.quit();
}

#[test]
fn the_end_of_the_input_ends_the_program() {
    for commands in ["go infinite", "go ponder wtime 1000 btime 1000", "go depth 100", ""] {
        let mut session = Session::start();
        session.send(commands);
        session.sync();
        session.close_input();
        let rest = session.end_well();
        let moves = rest.iter().filter(|line| line.starts_with("bestmove")).count();
        assert_eq!(moves, usize::from(!commands.is_empty()), "{commands}: {rest:?}");
    }
    // A last line without an end is a command like any other.
    let mut session = Session::start();
    session.send_bytes(b"uci");
    session.close_input();
    assert_eq!(session.end_well().last().map(String::as_str), Some("uciok"));
}

#[test]
fn quit_during_a_search() {
    for threads in [1, 2] {
        let mut session = Session::start();
        session.send(&format!("setoption name Threads value {threads}\ngo infinite\nquit"));
        let rest = session.end_well();
        assert_eq!(rest.iter().filter(|line| line.starts_with("bestmove")).count(), 1);
    }
    let mut session = Session::start();
    session.send("bench depth 50\nquit");
    session.end_well();
}

#[test]
fn the_same_search_after_a_new_game() {
    let mut session = Session::start();
    for position in ["startpos", "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"] {
        session.send("ucinewgame");
        session.send(&format!("position {position}"));
        let first = session.search("go depth 10");
        session.search("go depth 5");
        session.send("position startpos moves e2e4\nucinewgame");
        session.send(&format!("position {position}"));
        let second = session.search("go depth 10");
        same_search(&first, &second);
        // The same with a limit of nodes.
        session.send("ucinewgame");
        let first = session.search("go nodes 20000");
        session.send("ucinewgame");
        let second = session.search("go nodes 20000");
        same_search(&first, &second);
    }
    session.quit();
}

#[test]
fn bench_twice_in_one_process() {
    let mut session = Session::start();
    let mut bench = || {
        session.send("bench depth 6");
        let mut lines = session.until("info string bench 50/50");
        lines.push(session.line());
        let last = lines.pop().unwrap();
        let words: Vec<&str> = last.split(' ').collect();
        let [nodes, "nodes", nps, "nps"] = words[..] else { panic!("{last:?}") };
        nps.parse::<u64>().unwrap();
        (nodes.parse::<u64>().unwrap(), lines)
    };
    let first = bench();
    assert!(first.0 > 10_000);
    assert_eq!(bench(), first);
    // What was searched before makes no difference.
    session.send("setoption name Hash value 1\nposition startpos moves e2e4\ngo depth 8");
    session.until("bestmove");
    session.send("bench depth 6");
    session.until(&format!("{} nodes ", first.0));
    session.complaint("bench quickly");
    assert!(session.complaint("bench depth 1 threads 1025").contains("1024"));
    assert!(session.complaint("bench depth 1 hash 33554433").contains("33554432"));
    session.quit();
}

#[test]
fn what_follows_a_bench_waits_for_it() {
    let mut session = Session::start();
    session.send("bench depth 3\nposition startpos moves e2e4\nsetoption name MultiPV value 2\ngo depth 2\nisready");
    let lines = session.until("readyok");
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")));
    let lines = session.until("bestmove");
    let end_of_bench = lines.iter().position(|line| line.ends_with(" nps")).expect("the bench ends first");
    assert_eq!(infos(&lines[end_of_bench..]).iter().map(|info| info.multipv).max(), Some(2));
    // `stop` is for the last `go`, and what follows a search in the queue interrupts it as always.
    session.send("bench depth 3\ngo infinite\nsetoption name MultiPV value 1\nstop\ngo infinite\ngo depth 2\nd");
    let lines = session.until("bestmove");
    assert!(lines.iter().any(|line| line.ends_with(" nps")));
    session.until("bestmove");
    session.until("bestmove");
    session.sync();
    // In a pipe it is finished, although the input has ended.
    session.send("bench depth 3");
    session.close_input();
    assert!(session.end_well().last().unwrap().ends_with(" nps"));
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
        // Not obeyed any longer. With two threads even a queer move can be best for once, at so little depth.
        let mut moves = (6..10).map(|depth| session.best_move(&format!("go depth {depth}")));
        assert!(moves.any(|mv| !["a2a3", "b1a3", "g2g4", "h2h4", "f2f3"].contains(&mv.as_str())));
    }
    session.quit();
}

#[test]
fn multipv_shows_different_lines_in_order() {
    let mut session = Session::start();
    session.send("setoption name MultiPV value 4");
    for (position, wanted) in [
        ("startpos", 4),
        ("fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4),
        // Three legal moves.
        ("fen 7k/8/8/8/8/8/8/K7 w - - 0 1", 3),
    ] {
        session.send(&format!("position {position}"));
        let lines = session.search("go depth 6");
        let exact: Vec<_> = infos(&lines).into_iter().filter(|info| info.exact).collect();
        let last: Vec<_> = exact[exact.len() - wanted..].to_vec();
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
    session.send("setoption name MultiPV value 256\nposition startpos");
    let lines = session.search("go depth 3");
    assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(20));
    session.send("setoption name MultiPV value 3");
    let lines = session.search("go depth 3 searchmoves e2e4 d2d4");
    assert_eq!(infos(&lines).iter().map(|info| info.multipv).max(), Some(2));
    session.quit();
}

#[test]
fn castling_is_written_as_the_option_says() {
    let mut session = Session::start();
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for (chess960, short, long) in [("false", "e1g1", "e1c1"), ("true", "e1h1", "e1a1")] {
        session.send(&format!("setoption name UCI_Chess960 value {chess960}\nposition fen {fen}"));
        // Both ways of writing are understood.
        for asked in ["e1g1", "e1h1"] {
            assert_eq!(session.best_move(&format!("go depth 3 searchmoves {asked}")), short);
        }
        for asked in ["e1c1", "e1a1"] {
            assert_eq!(session.best_move(&format!("go depth 3 searchmoves {asked}")), long);
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
fn chess960_games() {
    let mut session = Session::start();
    session.send("setoption name UCI_Chess960 value true");
    // From a widely used list of Chess960 perfts.
    for (fen, nodes) in [
        ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 326_672),
        ("2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", 667_366),
    ] {
        session.send(&format!("position fen {fen}"));
        assert_eq!(board(&mut session), fen);
        session.send("go perft 4");
        session.until(&format!("Nodes searched: {nodes}"));
        session.sync();
        let referee = Referee::from_chess960_fen(fen);
        let lines = session.search("go depth 7");
        for info in infos(&lines) {
            referee.check_line(&info.pv).unwrap();
        }
    }
    // King and rook change places: the king's step to his own rook.
    session.send("position fen 4k3/8/8/8/8/8/8/5KR1 w G - 0 1 moves f1g1");
    assert!(board(&mut session).starts_with("4k3/8/8/8/8/8/8/5RK1 b"));
    session.quit();
}

#[test]
fn a_closed_output_ends_the_program() {
    use std::io::Write;
    use std::process::{Command, Stdio};

    for commands in ["isready\n", "go infinite\n", "bench depth 6\n", "go perft 6\n", "uci\nuci\nuci\n"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sesame"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        // The input stays open: only the output has gone.
        let mut input = child.stdin.take().unwrap();
        input.write_all(commands.as_bytes()).unwrap();
        let deadline = Instant::now() + support::PATIENCE;
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > deadline {
                let _ = child.kill();
                panic!("{commands:?}: the engine does not end");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        drop(input);
        let errors = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
        assert!(status.success() && errors.is_empty(), "{commands:?}: {status}, {errors}");
    }
}

#[test]
fn helpers() {
    let mut session = Session::start();
    session.send("position startpos moves e2e4\nd");
    let lines = session.sync();
    assert!(lines.iter().any(|line| line == "8 | r n b q k b n r |"));
    assert!(lines.iter().any(|line| line.starts_with("Key: ")));
    session.send("eval");
    let lines = session.sync();
    for start in ["term ", "MATERIAL", "KING_DANGER", "phase ", "Classical: ", "Network: "] {
        assert!(lines.iter().any(|line| line.starts_with(start)), "{start}: {lines:#?}");
    }
    assert!(lines.last().is_some_and(|line| line.starts_with("Evaluation: ")), "{lines:#?}");
    session.send(&format!("position fen {MATED}\neval\nd"));
    let lines = session.sync();
    assert!(lines[0].starts_with("Evaluation: none"));
    assert!(lines.iter().any(|line| line == "Checkers: h4"));
    assert!(lines.iter().any(|line| line == "Result: Checkmate"));
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
    session.complaint("go perft many");
    session.send("go perft 0");
    session.until("Nodes searched: 1");
    session.until("info string");
    // During a search: the search ends first.
    session.send("go infinite\ngo perft 2");
    session.until("bestmove");
    session.until("Nodes searched: 400");
    session.until("info string");
    assert_eq!(session.sync(), Vec::<String>::new());
    session.quit();
}

#[test]
fn mate_is_found_and_ends_the_search() {
    let mut session = Session::start();
    // Two rooks drive the king to the edge: one move of preparation.
    session.send("position fen 7k/8/8/8/8/8/R7/1R4K1 w - - 0 1");
    for threads in [1, 2] {
        session.send(&format!("setoption name Threads value {threads}\nucinewgame"));
        let lines = session.search("go mate 2");
        let last = lines.iter().rev().find_map(|line| parse_info(line)).unwrap();
        assert_eq!((last.kind.as_str(), last.score), ("mate", 2), "{lines:#?}");
    }
    // The workers are through with all depths before they hear that it is enough; nobody else has to.
    session.send("position fen 6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1");
    for _ in 0..20 {
        let lines = session.search("go mate 1");
        let mates = lines.iter().filter(|line| line.contains(" score mate 1 ")).count();
        assert_eq!((mates, best_move(&lines)), (1, "d1d8"), "{lines:#?}");
    }
    session.quit();
}
