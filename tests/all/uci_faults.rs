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
fn finished_games_have_a_score() {
    for (fen, score) in [(MATED, "mate 0"), (STALEMATED, "cp 0")] {
        let mut session = Session::start();
        for go in ["go depth 5", "go nodes 10", "go movetime 10", "go wtime 100 btime 100", "go mate 1"] {
            session.send(&format!("position fen {fen}"));
            let lines = session.search(go);
            assert_eq!(lines.last().unwrap(), "bestmove (none)");
            assert!(
                lines[lines.len() - 2].starts_with(&format!("info depth 0 seldepth 0 multipv 1 score {score} ")),
                "{lines:?}"
            );
        }
        session.send("go infinite");
        session.until("info depth 0 ");
        session.send("stop");
        session.until("bestmove (none)");
        session.quit();
    }
}

/// Each slightly wrong FEN is searched, with a note, and the move is one of its own.
#[test]
fn slightly_wrong_fens_are_searched() {
    let mut session = Session::start();
    for (fen, note, moves) in [
        ("5rk1/pp1n1pbp/1q2rnp1/2p3B1/P3P3/2N1QB1P/1PP3P1/R4R1K b - a6 0 16", "a6", ""),
        ("k7/8/8/3pP3/8/7n/5K2/8 w - d6 0 1", "d6", "f2f1 f2e2 f2e3 f2f3 f2g3 f2h3 f2g2"),
        ("7k/8/8/8/8/8/P7/7K w KQkq - 0 1", "castling", "a2a3 a2a4 h1g1 h1g2 h1h2"),
        ("7k/8/8/8/8/8/P7/7K w - - 0 1 a2a4", "", "h8g8 h8g7 h8h7"),
        ("k7/8/8/8/8/8/P7/3K3R w K - 0 1", "Chess960", ""),
        ("7k/8/8/8/8/8/P7/7K w", "fields", "a2a3 a2a4 h1g1 h1g2 h1h2"),
        ("7k/8/8/8/8/8/P7/7K w - - - -", "clock", "a2a3 a2a4 h1g1 h1g2 h1h2"),
        ("7k/8/8/8/8/8/P7/7K w - - bm a4; id \"x\";", "clock", "a2a3 a2a4 h1g1 h1g2 h1h2"),
        ("7k/pp6/pp6/pp6/pp6/p7/8/7K b - - 0 1", "", ""),
    ] {
        session.send("position startpos");
        session.send(&format!("position fen {fen}"));
        let notes = session.sync();
        if moves.is_empty() && note.is_empty() {
            assert!(notes[0].contains("not set"), "{fen}: {notes:?}");
            assert_eq!(session.best_move("go depth 2"), "(none)");
            continue;
        }
        assert!(
            note.is_empty() || notes[0].starts_with("info string position: ") && notes[0].contains(note),
            "{fen}: {notes:?}"
        );
        let best = session.best_move("go depth 2");
        assert!(moves.is_empty() || moves.split(' ').any(|mv| mv == best), "{fen}: {best}");
    }
    session.quit();
}

#[test]
fn refused_positions_give_no_move_of_another_one() {
    let mut session = Session::start();
    for position in ["fen 8/8/8/8/8/8/8/K7 w - - 0 1", "fen x", "startpos moves e2e4 e2e4", "fem 8/8", ""] {
        session.send("position startpos moves e2e4");
        session.send(&format!("position {position}"));
        assert!(session.sync()[0].starts_with("info string position not set: "), "{position}");
        for go in ["go depth 3", "go movetime 5", "go perft 2"] {
            session.send(go);
            let lines = session.sync();
            assert!(lines[0].starts_with("info string there is no position: "), "{lines:?}");
            assert_eq!(lines.get(1).map(String::as_str), (!go.contains("perft")).then_some("bestmove (none)"));
        }
        for (held, release) in [
            ("go infinite", "stop"),
            ("go ponder wtime 1000", "stop"),
            ("go ponder wtime 1000", "ponderhit"),
            ("go infinite\nponderhit\nsetoption name MultiPV value 1", "stop"),
        ] {
            session.send(held);
            assert_eq!(session.sync().len(), 1, "{held}");
            session.send(release);
            assert_eq!(session.sync(), ["bestmove (none)"], "{held}");
        }
        session.send("position startpos");
        assert!(is_opening_move(&session.best_move("go depth 2")));
    }
    session.quit();
}

/// A refused position does not cost the search that is running.
#[test]
fn refused_position_leaves_a_running_search() {
    let mut session = Session::start();
    session.send("go infinite\nposition fen x\nstop");
    let lines = session.until("bestmove");
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
    // The end of the input lets a search reach its limit; `quit` and unlimited searches end at once.
    let lines = output_of("go nodes 30000");
    assert!(infos(&lines).last().unwrap().nodes >= 30_000, "{lines:?}");
    let lines = output_of("go ponder nodes 30000\nponderhit");
    assert!(infos(&lines).last().unwrap().nodes >= 30_000, "{lines:?}");
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
    for last in ["stop", "quit"] {
        let mut session = Session::start();
        session.send(&format!("go perft 60\nquit\n{last}"));
        session.end_well();
    }
}

#[test]
fn isready_is_answered_during_a_perft() {
    let mut session = Session::start();
    session.send("go perft 60");
    assert!(session.sync().is_empty());
    session.send("stop");
    session.quit();
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
    for multi_pv in [1, 3] {
        let mut session = Session::start();
        session.send(&format!("setoption name MultiPV value {multi_pv}"));
        for (go, nodes) in [("go nodes 50000", 50_000), ("go depth 6", 1)] {
            let lines = session.search(go);
            let infos = infos(&lines);
            let last = &infos[infos.len() - multi_pv..];
            assert!(last.iter().all(|info| info.nodes >= nodes), "{last:?}");
            let ranks: Vec<u64> = last.iter().map(|info| info.multipv).collect();
            assert_eq!(ranks, (1..=multi_pv as u64).rev().collect::<Vec<_>>());
            let mut moves: Vec<&str> = last.iter().map(|info| info.pv[0].as_str()).collect();
            assert_eq!(*moves.last().unwrap(), best_move(&lines), "the played line comes last");
            moves.sort_unstable();
            moves.dedup();
            assert_eq!(moves.len(), multi_pv, "each move once");
        }
        session.quit();
    }
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
    session.send("position startpos moves e2e4\nflip\nd");
    session.until("Fen: rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w ");
    session.until("Checkers");
    session.send("bench 1 1 2 default depth");
    assert!(session.until_contains(" nps").pop().unwrap().contains("nodes"));
    // The increment alone is a clock.
    session.send("position startpos");
    assert!(is_opening_move(&session.best_move("go winc 20 binc 20")));
    session.quit();
}

#[test]
fn uci_commands_work_as_arguments() {
    for (arguments, end) in [
        (&["go", "depth", "3"][..], "bestmove "),
        (&["d"][..], "Checkers: "),
        (&["go", "perft", "2"][..], "info string perft took"),
        (&["eval"][..], "Evaluation: "),
        (&["compiler"][..], "Sesame "),
    ] {
        let lines = Session::start_with(arguments).end_well();
        assert!(lines.last().map_or("", String::as_str).starts_with(end), "{arguments:?}: {lines:?}");
    }
    let lines = Session::start_with(&["bench", "1", "1", "2", "default", "depth"]).end_well();
    assert!(lines.last().unwrap().ends_with(" nps"), "{lines:?}");
    for wrong in [&["go", "depht", "3"][..], &["bench", "16", "1", "x"], &["position", "fem"]] {
        assert_eq!(Session::start_with(wrong).end().0.code(), Some(2), "{wrong:?}");
    }
}
