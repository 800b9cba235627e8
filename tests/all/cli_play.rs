//! `sesame play`: a game in the terminal.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::support::Session;
use crate::support::folder::Folder;
use crate::support::program::{assert_in_order, output_in_time, run, run_with_input, sesame, succeed_with_input};
use crate::support::tables;

/// Plays against an opponent that searches two plies.
fn play(arguments: &[&str], input: &str) -> String {
    succeed_with_input(&[&["play", "--depth", "2"], arguments].concat(), input)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn all_commands_in_a_short_game() {
    let folder = Folder::new();
    let (kept, saved) = (folder.join("kept.pgn"), folder.join("saved games.pgn"));
    let input = format!(
        "help\nmoves\nundo\ne5\nKe2\nxyzzy\n\ne4\nmoves\nundo\nmoves\nd2d4\nhint\neval\nflip\nfen\nclock\npgn\nsave\nsave {}\nresign\nd4\nquit\nNf3\n",
        text(&saved)
    );
    let output = play(&["--pgn", text(&kept), "--ascii", "--name", "Ada"], &input);
    assert_in_order(
        &output,
        &[
            "You play White.",
            "8 | r n b q k b n r |",
            "> help\n",
            "take back your last move",
            "No moves yet.",
            "You have no move to take back.",
            "The pawn on e2 cannot move to e5.",
            "Your own pawn is on e2.",
            "\"xyzzy\" is not a move.",
            "> e4\n",
            "4 | . . . . P . . . |",
            "Sesame plays 1... ",
            "> moves\n1. e4 ",
            "> undo\n",
            "2 | P P P P P P P P |",
            "> moves\nNo moves yet.",
            "> d2d4\n",
            "Sesame plays 1... ",
            "Sesame would play 2. ",
            " for White at depth ",
            "static evaluation ",
            "    h g f e d c b a",
            "/3P4/",
            "There is no clock.",
            "[White \"Ada\"]",
            "Name a file",
            "Saved to ",
            "White resigns: Black has won. 0-1",
            "> d4\nThe game is over.",
            "> quit\n",
        ],
    );
    assert!(!output.contains("> Nf3"), "quit ends the game");
    assert!(!output.contains('\x1b'), "a pipe gets no colours");
    let (kept, saved) = (fs::read_to_string(kept).unwrap(), fs::read_to_string(saved).unwrap());
    assert!(kept.contains("[White \"Ada\"]") && kept.contains("[Result \"0-1\"]") && kept.contains("1. d4 "), "{kept}");
    assert!(saved.contains("[Result \"*\"]") && saved.trim_end().ends_with('*'), "{saved}");
}

#[cfg(target_os = "linux")]
#[test]
fn missing_threads_are_reported() {
    let mut command = std::process::Command::new("sh");
    let line = r#"ulimit -v 800000 && exec "$0" play --side black --depth 2 --threads 512"#;
    command.args(["-c", line, env!("CARGO_BIN_EXE_sesame")]);
    let output = String::from_utf8(output_in_time(command).stdout).unwrap();
    assert_in_order(&output, &["You play ", "the system granted ", " of 512 threads\n", "Sesame plays 1. "]);
}

#[test]
fn undo_after_resignation_continues_the_game() {
    let folder = Folder::new();
    let file = folder.join("game.pgn");
    let output = play(&["--pgn", text(&file)], "d4\nresign\nundo\nmoves\nundo\nmoves\nd4\nresign\nundo\n");
    assert_in_order(
        &output,
        &[
            "> resign\nWhite resigns: Black has won. 0-1",
            "> undo\nThe game goes on.",
            "> moves\n1. d4 ",
            // Without a resignation, a move is taken back.
            "> undo\n",
            "> moves\nNo moves yet.",
            "The game goes on.",
            &format!("Saved to {}.", text(&file)),
        ],
    );
    let game = fs::read_to_string(file).unwrap();
    assert!(game.contains("[Result \"*\"]") && game.contains("1. d4 ") && game.trim_end().ends_with('*'), "{game}");
}

#[test]
fn finished_games_are_appended_to_the_file() {
    let folder = Folder::new().with("games.pgn", b"[White \"Morphy\"]\n\n1. e4 *");
    let file = folder.join("games.pgn");
    let play_from = |fen: &str, input: &str| play(&[fen, "--pgn", text(&file)], input);
    let mate = "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1";
    let output = play_from(mate, "Rd8\nundo\nd1d8\n");
    assert_in_order(&output, &["Checkmate: White has won. 1-0", "> undo", "Checkmate: White"]);
    assert!(play_from("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "Qf7\n").contains("Stalemate: a draw. 1/2-1/2"));
    // The end of the input interrupts a game.
    play_from("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e4");
    let games = fs::read_to_string(&file).unwrap();
    assert_in_order(
        &games,
        &[
            "\"Morphy\"",
            "1. e4 *\n\n[Event",
            mate,
            "1. Rd8# 1-0\n\n[Event",
            "1. Qf7 1/2-1/2\n\n[Event",
            "[Result \"*\"]",
            "1. e4 K",
        ],
    );
    assert_eq!(games.matches("[Event ").count(), 3);
    assert_eq!(folder.names(), ["games.pgn"], "temporary files are removed");
    // A game without a move is not written.
    play(&["--pgn", text(&folder.join("none.pgn"))], "");
    assert!(!folder.join("none.pgn").exists());
    assert_in_order(&play(&["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"], "e4\n"), &["Stalemate", "The game is over."]);
}

#[test]
fn game_with_a_clock() {
    // The increment is longer than any move takes.
    let output = play(&["--side", "black", "--clock", "5+3000"], "e5\nclock\ndraw?\npgn\n");
    assert_in_order(
        &output,
        &[
            "You play Black.",
            "    h g f e d c b a",
            "Sesame plays 1. ",
            "> e5",
            "Sesame plays 2. ",
            "White ",
            ", Black ",
            "[TimeControl \"300+3000\"]",
            "{[%clk 0:",
        ],
    );
    // A player without a move loses on time.
    let mut session = Session::start_with(&["play", "--clock", "0.01", "--depth", "1"]);
    session.until("White has no time left: Black has won. 0-1");
    session.send("e4");
    session.until("The game is over.");
    session.close_input();
    session.end_well();
}

/// Returns Sesame's first moves as White with the seeds 0 to 7.
fn first_moves(arguments: &[&str]) -> Vec<String> {
    let first_move = |seed: u32| {
        let output = play(&[&["--side", "black", "--seed", &seed.to_string()], arguments].concat(), "quit\n");
        output.split_once("Sesame plays 1. ").unwrap().1.lines().next().unwrap().to_owned()
    };
    (0..8).map(first_move).collect()
}

#[test]
fn opening_varies_by_the_seed() {
    let moves = first_moves(&[]);
    assert!(moves.iter().any(|mv| *mv != moves[0]), "{moves:?}");
    assert_eq!(first_moves(&[]), moves);
    // A given position is played as well as possible.
    let moves = first_moves(&["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]);
    assert!(moves.iter().all(|mv| *mv == moves[0]), "{moves:?}");
}

#[test]
fn elo_limits_the_strength() {
    // A knight can be taken.
    let fen = "rnbqkb1r/pppppppp/8/8/4n3/3P4/PPP1PPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(first_moves(&[fen]), ["dxe4"; 8]);
    let equal = "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1";
    let moves = first_moves(&["--elo", "1320", equal]);
    assert!(moves.iter().any(|mv| *mv != moves[0]), "{moves:?}");
    let output = play(&["--elo", "1500"], "pgn\n");
    assert_in_order(&output, &["You play White. Sesame plays at about 1500 Elo.", "[BlackElo \"1500\"]"]);
}

#[test]
fn endgame_tables_are_used() {
    let eval = |arguments: &[&str]| {
        let arguments = [&["play", "--depth", "2", "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1"], arguments].concat();
        let (code, output, errors) = run_with_input(&arguments, "eval\n");
        assert_eq!(code, 0, "{errors}");
        let score = output.split_once("> eval\n").unwrap().1.split(' ').next().unwrap().parse::<f64>().unwrap();
        (score, errors)
    };
    let (plain, _) = eval(&[]);
    let (exact, errors) = eval(&["--syzygy", text(&tables::small())]);
    assert!(plain < 100.0 && exact > 190.0, "{plain} {exact}");
    assert!(errors.contains("Syzygy tables: 6 WDL"), "{errors}");
    let (code, _, errors) = run(&["play", "--syzygy", "/no/such/folder"]);
    assert!(code == 1 && errors.contains("no Syzygy tables found"), "{errors}");
}

/// The sides of a pasted board, which has no colours, differ by letters or figurines.
#[test]
fn boards_tell_the_sides_apart() {
    let board = |locale: &str, arguments: &[&str]| {
        let mut command = sesame();
        command.args(["play", "--color"]).args(arguments).env("LC_ALL", locale);
        String::from_utf8(output_in_time(command).stdout).unwrap()
    };
    for (locale, arguments, rooks) in [
        ("C.UTF-8", &["always"][..], ["\x1b[48;5;103;38;5;16;1m ♜ ", "\x1b[48;5;60;38;5;231;1m ♖ "]),
        ("C.UTF-8", &["always", "--ascii"], ["\x1b[48;5;103;38;5;16;1m r ", "\x1b[48;5;60;38;5;231;1m R "]),
        ("C", &["always"], ["\x1b[48;5;103;38;5;16;1m r ", "\x1b[48;5;60;38;5;231;1m R "]),
        ("C.UTF-8", &["never"], ["8 | r n b q k b n r |", "1 | R N B Q K B N R |"]),
        ("C.UTF-8", &["auto"], ["8 | r n b q k b n r |", "1 | R N B Q K B N R |"]),
    ] {
        let shown = board(locale, arguments);
        assert_in_order(&shown, &rooks);
        assert_eq!(shown.contains('\x1b'), arguments[0] == "always", "{shown}");
    }
}

#[test]
fn rematches_swap_the_sides() {
    let folder = Folder::new();
    let file = folder.join("games.pgn");
    let input = "rematch\nNf3\nresign\nrematch\nmoves\nresign\n";
    let output = play(&["--chess960", "0", "--pgn", text(&file), "--name", "Ada"], input);
    assert_in_order(
        &output,
        &[
            "You play White. Chess960 position 0.",
            "1 | B B Q N N R K R |",
            "> rematch\nThe game is not over",
            "> resign\nWhite resigns",
            "> rematch\nYou play Black. Chess960 position 0.",
            "1 | R K R N N Q B B |",
            "Sesame plays 1. ",
            "> moves\n1. ",
            "Black resigns",
        ],
    );
    let games = fs::read_to_string(&file).unwrap();
    let tags = ["[White \"Ada\"]", "[Variant \"Chess960\"]", "[FEN \"bbqnnrkr/", "0-1\n", "[Black \"Ada\"]", "1-0\n"];
    assert_in_order(&games, &tags);
    assert_eq!(games.matches("[Event ").count(), 2, "{games}");
}

#[test]
fn several_moves_are_undone() {
    let given = ["startpos", "moves", "e2e4", "e7e5"];
    let output = play(&given, "Nf3\nBc4\nundo 3\nundo 0\nundo two\nundo 2\nmoves\nundo\n");
    assert_in_order(
        &output,
        &[
            "> Bc4\n",
            "> undo 3\nYou have only 2 moves to take back.",
            "> undo 0\nName a number of moves",
            "> undo two\nName a number of moves",
            "> undo 2\n",
            "> moves\n1. e4 e5\n",
            "> undo\nYou have no move to take back.",
        ],
    );
    // Resigning and the moves before it.
    assert_in_order(&play(&[], "e4\nresign\nundo 1\nmoves\n"), &["White resigns", "> moves\nNo moves yet."]);
}

/// Without a file, the game is shown: at the end of the input, and before a rematch.
#[test]
fn unsaved_games_are_shown() {
    let folder = Folder::new();
    let file = folder.join("game.pgn");
    let saving = format!("save {}\n", text(&file));
    let unsaved = "This game is not saved; --pgn FILE saves each game. As PGN:\n\n[Event ";
    for (input, games) in [
        ("quit\n".to_owned(), 0),
        ("e4\nundo\nquit\n".to_owned(), 0),
        ("e4\nquit\n".to_owned(), 1),
        ("e4\n".to_owned(), 1),
        ("e4\nresign\nrematch\nquit\n".to_owned(), 2),
        (format!("e4\n{saving}quit\n"), 0),
        (format!("e4\n{saving}d4\nquit\n"), 1),
        (format!("e4\nresign\n{saving}rematch\nresign\n{saving}"), 0),
    ] {
        let output = play(&[], &input);
        assert_eq!(output.matches(unsaved).count(), games, "{input}: {output}");
    }
    let output = play(&[], "e4\nresign\n");
    assert_in_order(&output, &[unsaved, "[Result \"0-1\"]", "1. e4 ", "0-1\n"]);
}

/// A file whose lock another program keeps costs neither the game nor the player's attention.
#[test]
fn locked_game_files() {
    let folder = Folder::new();
    let file = folder.join("game.pgn");
    let lock = || sesame_command::files::lock(&file, Duration::ZERO).unwrap().unwrap();
    let held = lock();
    let mut session = Session::start_with(&["play", "--depth", "1", "--pgn", text(&file)]);
    session.send("e4");
    let warning = session.until("The game could not be saved to ").pop().unwrap();
    assert!(warning.contains("another program") && warning.ends_with("It goes on."), "{warning}");
    session.until("Sesame plays 1... ");
    drop(held);
    session.send("d4");
    session.until("Sesame plays 2... ");
    session.send("moves");
    session.until("1. e4 ");
    let saved = || fs::read_to_string(&file).unwrap();
    assert!(saved().contains("2. d4 "), "{}", saved());
    let held = lock();
    session.send("resign\nquit");
    // The game is not lost.
    session.until_contains("2. d4 ");
    assert_eq!(session.end().0.code(), Some(1));
    assert!(session.errors().contains("the game could not be saved"), "{}", session.errors());
    drop(held);
}

#[test]
fn unwritable_game_files() {
    let folder = Folder::new();
    let here = text(folder.path());
    let (code, _, errors) = run(&["play", "--pgn", here]);
    assert!(code == 1 && errors.starts_with(&format!("error: games cannot be saved to {here}: ")), "{errors}");
    // An unwritable file is reported before the first move.
    let file = folder.join("sub/game.pgn");
    let arguments = ["play", "--depth", "1", "--pgn", text(&file)];
    let (code, output, errors) = run_with_input(&arguments, "e4\n");
    assert!(code == 1 && output.is_empty() && errors.contains("sub/game.pgn: "), "{output}{errors}");
    // A file that becomes unwritable does not end the game.
    fs::create_dir(folder.join("sub")).unwrap();
    let mut session = Session::start_with(&arguments);
    session.send("fen");
    session.until("rnbqkbnr/pppppppp/");
    fs::remove_dir_all(folder.join("sub")).unwrap();
    session.send(&format!("e4\nsave {here}"));
    let warning = "The game could not be saved to ";
    assert!(session.until(warning).last().unwrap().ends_with("It goes on."));
    session.until("Sesame plays 1... ");
    session.until(warning);
    session.until("> save ");
    session.until(warning);
    session.close_input();
    assert_eq!(session.end().0.code(), Some(1));
    assert!(session.errors().contains("the game could not be saved"));
    if cfg!(target_os = "linux") {
        let output = play(&[], "e4\nsave /dev/full\n");
        assert!(output.contains("could not be saved to /dev/full"), "{output}");
    }
    // Long lines are truncated.
    let output = play(&[], &"x".repeat(3000));
    let echo = output.lines().find(|line| line.starts_with("> ")).unwrap();
    assert_eq!(echo, format!("> {}…", "x".repeat(80)));
    assert!(output.lines().all(|line| line.chars().count() < 200), "{output}");
    assert_eq!(run(&["play", "8/8"]).0, 2);
}
