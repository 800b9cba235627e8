//! Faults that users of engines have reported: finished games, wrong FENs, commands before `quit`, scores, final figures.

use crate::support::{MATED, STALEMATED, Session, best_move, infos, is_opening_move};

/// Returns the output of the engine for all of `input`, which then ends.
fn output_of(input: &str) -> Vec<String> {
    let mut session = Session::start();
    session.send(input);
    session.close_input();
    session.end_well()
}

#[test]
fn finished_games_have_a_score_and_no_move() {
    let mut session = Session::start();
    for threads in [1, 2] {
        session.send(&format!("setoption name Threads value {threads}"));
        for (fen, score) in [(MATED, "mate 0"), (STALEMATED, "cp 0")] {
            session.send(&format!("position fen {fen}"));
            let info = format!("info depth 0 seldepth 0 multipv 1 score {score} ");
            for limit in
                ["depth 5", "nodes 10", "movetime 10", "wtime 100 btime 100", "mate 1", "depth 3 searchmoves e2e4"]
            {
                let lines = session.search(&format!("go {limit}"));
                assert_eq!(best_move(&lines), "(none)");
                assert!(lines[lines.len() - 2].starts_with(&info), "{lines:?}");
            }
            session.send("go infinite");
            session.until("info depth 0 ");
            session.send("stop");
            session.until("bestmove (none)");
        }
        session.send("position startpos");
        assert!(is_opening_move(&session.best_move("go depth 4")));
    }
    session.quit();
}

#[test]
fn slightly_wrong_fens_are_searched_with_a_note() {
    let mut session = Session::start();
    for (fen, note) in [
        ("5rk1/pp1n1pbp/1q2rnp1/2p3B1/P3P3/2N1QB1P/1PP3P1/R4R1K b - a6 0 16", "a6"),
        ("7k/8/8/8/8/8/P7/7K w KQkq - 0 1", "castling"),
        ("k7/8/8/8/8/8/P7/3K3R w K - 0 1", "Chess960"),
    ] {
        session.send(&format!("position fen {fen}"));
        let notes = session.sync();
        assert!(notes[0].starts_with("info string position: ") && notes[0].contains(note), "{fen}: {notes:?}");
        assert_ne!(session.best_move("go depth 2"), "(none)", "{fen}");
    }
    session.quit();
}

#[test]
fn file_of_a_rook_means_chess960() {
    let mut session = Session::start();
    session.set("position fen 4k3/8/8/8/8/8/8/5KR1 w G - 0 1 moves f1g1");
    assert!(session.warning("position fen 4k3/8/8/8/8/8/8/5KR1 w K - 0 1").contains("UCI_Chess960 is off"));
    session.set("setoption name UCI_Chess960 value true\nposition fen 4k3/8/8/8/8/8/8/5KR1 w K - 0 1 moves f1g1");
    session.quit();
}

#[test]
fn refused_positions_give_no_move_of_another_one() {
    let mut session = Session::start();
    for position in
        ["fen 8/8/8/8/8/8/8/K7 w - - 0 1", "fen 7k/pp6/pp6/pp6/pp6/p7/8/7K b - - 0 1", "startpos moves e2e4 e2e4", ""]
    {
        session.send("position startpos moves e2e4");
        let warning = session.warning(&format!("position {position}"));
        assert!(warning.starts_with("position not set: "), "{position}: {warning}");
        assert_eq!(warning.contains("move 2: "), position.contains("moves"), "{warning}");
        for go in ["go depth 3", "go movetime 5"] {
            let lines = session.search(go);
            assert!(lines[0].starts_with("info string there is no position: "), "{lines:?}");
            assert_eq!(lines[1..], ["bestmove (none)"]);
        }
        for command in ["go perft 2", "d", "eval"] {
            assert!(session.warning(command).starts_with("there is no position: "), "{command}");
        }
        session.send("position startpos");
        assert!(is_opening_move(&session.best_move("go depth 2")));
    }
    session.quit();
}

#[test]
fn go_without_a_position_holds_its_answer() {
    let mut session = Session::start();
    session.warning("position fen x");
    for (held, release) in [
        ("go infinite", "stop"),
        ("go ponder wtime 1000", "stop"),
        ("go ponder wtime 1000", "ponderhit"),
        ("go infinite\nponderhit\nsetoption name MultiPV value 1", "stop"),
    ] {
        assert!(session.warning(held).starts_with("there is no position: "), "{held}");
        session.send(release);
        assert_eq!(session.sync(), ["bestmove (none)"], "{held}");
    }
    session.quit();
}

#[test]
fn refused_position_leaves_a_running_search() {
    let mut session = Session::start();
    session.send("go infinite\nposition startpos moves e2e5\nposition fen x");
    let lines = session.sync();
    assert_eq!(lines.iter().filter(|line| line.starts_with("info string ")).count(), 2, "{lines:?}");
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "{lines:?}");
    let lines = session.search("stop");
    assert!(is_opening_move(best_move(&lines)));
    assert_eq!(session.best_move("go depth 1"), "(none)");
    session.quit();
}

#[test]
fn commands_before_the_end_are_carried_out_in_order() {
    for end in ["\nquit", ""] {
        let lines = output_of(&format!("go perft 3\nisready\nd\nbench 2{end}"));
        let place = |start: &str| {
            lines.iter().position(|line| line.starts_with(start)).unwrap_or_else(|| panic!("no {start}: {lines:#?}"))
        };
        // `isready` does not wait, but the small perft may still be faster.
        assert!(place("readyok") < place("Fen: "));
        assert!(place("Nodes searched: 8902") < place("Fen: "));
        assert!(place("Fen: ") < place("info string bench"));
        assert!(lines.last().unwrap().ends_with(" nps"), "{lines:#?}");
    }
}

#[test]
fn end_of_input_lets_a_search_reach_its_limit() {
    for input in ["go nodes 30000", "go ponder nodes 30000\nponderhit"] {
        let lines = output_of(input);
        assert!(infos(&lines).last().unwrap().nodes >= 30_000, "{input}: {lines:?}");
    }
}

#[test]
fn quit_and_end_of_input_end_unlimited_searches() {
    for input in
        ["go infinite", "go infinite\nquit", "go mate 1", "go ponder wtime 1000 btime 1000", "go depth 200\nquit"]
    {
        let lines = output_of(input);
        assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove")).count(), 1, "{input}: {lines:?}");
        assert!(is_opening_move(best_move(&lines)), "{input}");
    }
}

#[test]
fn second_quit_or_stop_ends_a_long_task() {
    // The last has a `go` between the tasks and the stop.
    for task in ["go perft 60", "bench depth 50", "bench depth 50\ngo depth 1\ngo perft 60"] {
        for last in ["stop", "quit"] {
            let mut session = Session::start();
            session.send(&format!("{task}\nquit\n{last}"));
            session.end_well();
        }
    }
}

#[test]
fn scores_are_in_the_documented_range() {
    let mut session = Session::start();
    session.send("position fen 8/8/8/4k3/8/3R4/8/4K3 w - - 0 1");
    for info in infos(&session.search("go nodes 1000000")) {
        assert!(info.kind == "mate" || info.score.abs() <= 15_000, "{info:?}");
    }
    session.quit();
}

#[test]
fn last_lines_have_the_final_figures() {
    let mut session = Session::start();
    for multi_pv in [1, 3] {
        session.send(&format!("setoption name MultiPV value {multi_pv}"));
        for (go, nodes) in [("go nodes 50000", 50_000), ("go depth 6", 1)] {
            let lines = session.search(go);
            let infos = infos(&lines);
            let last = &infos[infos.len() - multi_pv..];
            assert!(last.iter().all(|info| info.nodes >= nodes), "{last:?}");
            let ranks: Vec<u64> = last.iter().map(|info| info.multipv).collect();
            assert_eq!(ranks, (1..=multi_pv as u64).rev().collect::<Vec<_>>());
            assert_eq!(last[multi_pv - 1].pv[0], best_move(&lines), "the played line comes last");
        }
    }
    session.quit();
}

#[test]
fn limited_strength_shows_each_move_once() {
    let mut session = Session::start();
    session.send("setoption name MultiPV value 3\nsetoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 1320");
    let mut others = 0;
    for seed in 0..20 {
        session.send(&format!("setoption name Strength Seed value {seed}"));
        let lines = session.search("go nodes 3000");
        let infos = infos(&lines);
        let last = &infos[infos.len() - 3..];
        let mut moves: Vec<&str> = last.iter().map(|info| info.pv[0].as_str()).collect();
        assert_eq!((last[2].multipv, moves[2]), (1, best_move(&lines)), "{lines:#?}");
        others += u32::from(infos.iter().rev().filter(|info| info.multipv == 1).nth(1).unwrap().pv[0] != moves[2]);
        moves.sort_unstable();
        moves.dedup();
        assert_eq!(moves.len(), 3, "{lines:#?}");
    }
    assert!(others > 0, "some choices differ from the best line");
    session.quit();
}

#[test]
fn mate_in_an_unfinished_iteration_is_a_mate() {
    let mut session = Session::start();
    session.send("position fen 6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1");
    let mut mates = 0;
    for nodes in 1..40 {
        let lines = session.search(&format!("ucinewgame\ngo nodes {nodes}"));
        let last = infos(&lines).pop().unwrap();
        if last.pv == ["b1b8"] {
            assert_eq!((last.kind.as_str(), last.score), ("mate", 1), "{lines:?}");
            mates += 1;
        }
    }
    assert!(mates > 0);
    session.quit();
}

#[test]
fn testers_commands_are_understood() {
    let mut session = Session::start();
    session.send("# a comment\nhelp");
    assert!(session.until_contains("--help").len() > 5);
    session.send("compiler");
    assert!(session.until("Sesame ").pop().unwrap().contains("rustc"));
    session.send("bench 1 1 2 default depth");
    assert!(session.until_contains(" nps").pop().unwrap().contains("nodes"));
    // The increment alone is a clock.
    assert!(is_opening_move(&session.best_move("go winc 20 binc 20")));
    session.quit();
}
