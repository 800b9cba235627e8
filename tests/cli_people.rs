//! `sesame play`, and `sesame analyse` on files of positions and games, through the real binary.

mod support;

use std::ffi::OsStr;
use std::fmt::Debug;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::Session;

/// Runs the program with this input to its end: exit code, standard output, standard error.
fn run<S: AsRef<OsStr> + Debug>(arguments: &[S], input: &str) -> (i32, String, String) {
    run_into(Stdio::piped(), arguments, input)
}

/// The same with another standard output.
fn run_into<S: AsRef<OsStr> + Debug>(output: Stdio, arguments: &[S], input: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sesame"));
    command.args(arguments).stdin(Stdio::piped()).stdout(output).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // Whoever ends before all was said hears no more.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, errors) = (text(output.stdout), text(output.stderr));
    assert!(!errors.contains("panicked"), "{arguments:?}: {errors}");
    (output.status.code().expect("an exit code"), out, errors)
}

fn succeed(arguments: &[&str], input: &str) -> String {
    let (code, output, errors) = run(arguments, input);
    assert_eq!((code, errors.as_str()), (0, ""), "{arguments:?}: {output}");
    output
}

/// A game against one that sees two plies.
fn play(arguments: &[&str], input: &str) -> String {
    let arguments: Vec<&str> = ["play", "--depth", "2"].iter().chain(arguments).copied().collect();
    succeed(&arguments, input)
}

fn path(folder: &tempfile::TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Each in turn, in this order.
fn assert_in_order(output: &str, parts: &[&str]) {
    let mut rest = output;
    for part in parts {
        let place = rest.find(part).unwrap_or_else(|| panic!("{part:?} is not, or not in its place, in:\n{output}"));
        rest = &rest[place + part.len()..];
    }
}

#[test]
fn a_short_game_with_everything_that_can_be_typed() {
    let folder = tempfile::tempdir().unwrap();
    let (kept, saved) = (path(&folder, "kept.pgn"), path(&folder, "saved games.pgn"));
    let input = format!(
        "help\nmoves\nundo\ne5\nKe2\nxyzzy\n\ne4\nmoves\nundo\nmoves\nd2d4\nhint\neval\nflip\nfen\nclock\npgn\nsave\nsave {}\nresign\nd4\nquit\nNf3\n",
        text(&saved)
    );
    let output = play(&["--pgn", text(&kept), "--ascii", "--name", "Ada"], &input);
    assert_in_order(
        &output,
        &[
            "You have White.",
            "8 | r n b q k b n r |",
            "> help\n",
            "take back your last move",
            "No moves yet.",
            "There is no move of yours to take back.",
            "\"e5\" is not one legal move",
            "\"Ke2\" is not one legal move",
            "\"xyzzy\" is not one legal move",
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
            "at a glance ",
            "    h g f e d c b a",
            "/3P4/",
            "There is no clock.",
            "[White \"Ada\"]",
            "Which file?",
            "Saved to ",
            "White resigns: Black has won. 0-1",
            "> d4\nThe game is over.",
            "> quit\n",
        ],
    );
    assert!(!output.contains("> Nf3"), "after quit nothing is read");
    assert!(!output.contains('\x1b'), "no colours through a pipe");
    let (kept, saved) = (fs::read_to_string(kept).unwrap(), fs::read_to_string(saved).unwrap());
    assert!(kept.contains("[White \"Ada\"]") && kept.contains("[Result \"0-1\"]") && kept.contains("1. d4 "), "{kept}");
    assert!(saved.contains("[Result \"*\"]") && saved.trim_end().ends_with('*'), "{saved}");
}

#[test]
fn games_end_by_the_rules_and_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "games.pgn");
    fs::write(&file, "[White \"Morphy\"]\n\n1. e4 *\n").unwrap();
    let play_from = |fen: &str, input: &str| play(&["--fen", fen, "--pgn", text(&file)], input);
    let mate = "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1";
    assert_in_order(
        &play_from(mate, "Rd8\nundo\nd1d8\n"),
        &["Checkmate: White has won. 1-0", "> undo", "Checkmate: White"],
    );
    let output = play_from("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "Qf7\n");
    assert_in_order(&output, &["Stalemate: a draw. 1/2-1/2"]);
    // The input ends in the middle of a game.
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
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no drafts are left");
    // Nothing was played: nothing is written.
    play(&["--pgn", text(&path(&folder, "none.pgn"))], "");
    assert!(!path(&folder, "none.pgn").exists());
    assert_in_order(&play(&["--fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"], "e4\n"), &["Stalemate", "The game is over."]);
}

#[test]
fn the_engine_begins_and_a_clock_runs() {
    let output = play(&["--color", "black", "--time", "5+3", "--ascii"], "e5\nclock\ndraw?\npgn\n");
    assert_in_order(
        &output,
        &[
            "You have Black.",
            "    h g f e d c b a",
            "Sesame plays 1. ",
            "> e5",
            "Sesame plays 2. ",
            "White 5:0",
            ", Black 5:0",
        ],
    );
    assert_in_order(&output, &["[TimeControl \"300+3\"]", "{[%clk 0:05:0"]);
    // Who does not move loses on time.
    let mut session = Session::start_with(&["play", "--time", "0.01", "--depth", "1"]);
    session.until("White has no time left: Black has won. 0-1");
    session.send("e4");
    session.until("The game is over.");
    session.close_input();
    session.end_well();
}

#[test]
fn boards_with_and_without_colours() {
    let coloured = play(&["--ansi", "always", "--ascii"], "");
    assert!(coloured.contains("\x1b[48;5;103;38;5;16;1m R ") && coloured.contains("\x1b[0m"), "{coloured:?}");
    assert!(!play(&["--ansi", "never"], "").contains('\x1b'));
    let figurines = |locale: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sesame"));
        let output = command.args(["play"]).env("LC_ALL", locale).stdin(Stdio::null()).output().unwrap();
        String::from_utf8(output.stdout).unwrap().contains('♜')
    };
    assert!(figurines("C.UTF-8") && !figurines("C"));
    let chess960 = play(&["--chess960", "0", "--ascii"], "pgn\n");
    assert_in_order(&chess960, &["1 | B B Q N N R K R |", "[Variant \"Chess960\"]", "[FEN \"bbqnnrkr/"]);
}

#[test]
fn a_game_that_cannot_be_saved() {
    let folder = tempfile::tempdir().unwrap();
    let here = text(folder.path());
    let (code, _, errors) = run(&["play", "--pgn", here], "");
    assert!(code == 1 && errors.starts_with("error: "), "{errors}");
    // What cannot be saved from the start is told before the first move.
    let file = path(&folder, "sub/game.pgn");
    let arguments = ["play", "--depth", "1", "--pgn", text(&file)];
    let (code, output, errors) = run(&arguments, "e4\n");
    assert!(code == 1 && output.is_empty() && errors.contains("sub/game.pgn: "), "{output}{errors}");
    // What can no longer be saved does not end the game.
    fs::create_dir(path(&folder, "sub")).unwrap();
    let mut session = Session::start_with(&arguments);
    session.send("fen");
    session.until("rnbqkbnr/pppppppp/");
    fs::remove_dir_all(path(&folder, "sub")).unwrap();
    session.send(&format!("e4\nsave {here}"));
    let complaint = "The game could not be saved to ";
    assert!(session.until(complaint).last().unwrap().ends_with("It goes on."));
    session.until("Sesame plays 1... ");
    session.until(complaint);
    session.until("> save ");
    session.until(complaint);
    session.close_input();
    assert_eq!(session.end().0.code(), Some(1));
    assert!(session.errors().contains("the game could not be saved"));
    let output = play(&[], "e4\nsave /dev/full\n");
    assert!(output.contains("could not be saved to /dev/full"), "{output}");
    // A line of any length is shown in part.
    let output = play(&[], &"x".repeat(3000));
    let echo = output.lines().find(|line| line.starts_with("> ")).unwrap();
    assert_eq!(echo, format!("> {}…", "x".repeat(80)));
    assert!(output.lines().all(|line| line.chars().count() < 200), "{output}");
    for arguments in [&["play", "--fen", "8/8"][..], &["play", "--color", "green"], &["play", "--time", "0"]] {
        assert_eq!(run(arguments, "").0, 2, "{arguments:?}");
    }
}

const MATES: &str = "\
# three mates and a position that nobody asks anything of
6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Rd8#; id \"back rank\";
7k/8/6K1/8/8/8/8/R7 w - - dm 1; id \"rook, alone\";
r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - bm Qxf7#; dm 1; id \"scholar\";
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -
";

#[test]
fn a_suite_is_solved() {
    let folder = tempfile::tempdir().unwrap();
    let (mates, wrong, csv) = (path(&folder, "mates.epd"), path(&folder, "wrong.epd"), path(&folder, "a.csv"));
    fs::write(&mates, MATES).unwrap();
    fs::write(&wrong, "6k1/5ppp/8/8/8/8/8/K2R4 w - - am Rd8#; id \"not so\";\n").unwrap();
    let output = succeed(&["analyse", text(&mates), text(&wrong), "--depth", "4", "--csv", text(&csv)], "");
    assert_in_order(
        &output,
        &[
            "   1/5  back rank         solved      Rd8# (#1) after ",
            "   2/5  rook, alone       solved      Ra8# (#1) after ",
            "   3/5  scholar           solved      Qxf7# (#1) after ",
            "   4/5  line 5 ",
            "   5/5  not so            not solved  Rd8# (#1), wanted not Rd8#",
            "suite      positions  solved",
            "mates.epd          4  3 of 3  100.0 %",
            "wrong.epd          1  0 of 1    0.0 %",
            "all                5  3 of 4   75.0 %",
        ],
    );
    let csv_text = fs::read_to_string(&csv).unwrap();
    assert_eq!(csv_text.lines().count(), 6);
    assert!(csv_text.contains(",\"rook, alone\",7k/8/6K1/8/8/8/8/R7 w - - 0 1,mate in 1,Ra8#,#1,yes,0."), "{csv_text}");
    // What is there is not replaced unasked.
    let again = ["analyse", "--epd", text(&mates), "--depth", "1", "--csv", text(&csv)];
    let (code, _, errors) = run(&again, "");
    assert!(code == 1 && errors.contains("--force"), "{errors}");
    // Where nothing can be written is told before the work.
    let nowhere = path(&folder, "missing/a.csv");
    let (code, output, errors) = run(&["analyse", text(&mates), "--depth", "1", "--csv", text(&nowhere)], "");
    assert!(code == 1 && output.is_empty() && errors.contains("missing/a.csv cannot be written: "), "{output}{errors}");
    assert!(succeed(&["analyse", "--depth", "1", "--epd", "-"], MATES).contains("\n-              4  3 of 3"));
    let forced: Vec<&str> = again.iter().chain(&["--force"]).copied().collect();
    succeed(&forced, "");
    assert_eq!(fs::read_to_string(&csv).unwrap().lines().count(), 5);
}

#[test]
fn lines_that_are_no_positions() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "bad.epd");
    fs::write(&file, format!("{MATES}nonsense\n8/8 w - -\n6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Qh8;\n\0\u{1}\n")).unwrap();
    let (code, output, errors) = run(&["analyse", text(&file), "--nodes", "2000"], "");
    assert_eq!(code, 1, "{errors}");
    assert!(output.contains("bad.epd          4  3 of 3"), "{output}");
    assert_in_order(
        &errors,
        &["line 6: ", "line 7: ", "line 8: \"Qh8\" is not one legal move", "line 9: ", "4 lines could not be used"],
    );
    for (name, content) in [("empty.epd", ""), ("nonsense.epd", "x\n")] {
        let file = path(&folder, name);
        fs::write(&file, content).unwrap();
        let (code, _, errors) = run(&["analyse", text(&file)], "");
        assert!(code == 1 && errors.contains("has no position to search"), "{errors}");
    }
    let (code, _, errors) = run(&["analyse", "missing.epd"], "");
    assert!(code == 1 && errors.contains("missing.epd"), "{errors}");
}

/// White gives the queen for a pawn; then White lets himself be mated.
const GAMES: &str = r#"[Event "Blunders & co"]
[White "Ada"]
[Black "Bob <b>"]
[Result "0-1"]

1. e4 {[%clk 0:05:00] a good beginning} e5 2. Qh5 Nc6 (2... Ke7) 3. Qxe5+ Nxe5 0-1

[Event "fool's mate"]
[White "Bob <b>"]
[Black "Ada"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1
"#;

#[test]
fn games_are_annotated() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out, graphs) = (path(&folder, "games.pgn"), path(&folder, "out.pgn"), path(&folder, "graphs"));
    fs::write(&file, GAMES).unwrap();
    let arguments = ["analyse", text(&file), "--depth", "7", "--out", text(&out), "--graphs", text(&graphs)];
    let (code, output, errors) = run(&arguments, "");
    assert_eq!((code, errors.as_str()), (0, ""), "{output}");
    assert_in_order(
        &output,
        &[
            "Game 1: Ada – Bob <b>, 0-1",
            "player",
            "accuracy",
            "Ada",
            "Bob <b>",
            "3. Qxe5+?? blunder (",
            "Best: 3. ",
            "Game 2: Bob <b> – Ada, 0-1",
            "2. g4?? blunder (",
            "to #-1). Best: 2. ",
            "All 2 games",
            "Ada          2",
        ],
    );
    let annotated = fs::read_to_string(&out).unwrap().replace('\n', " ");
    assert_in_order(
        &annotated,
        &[
            "[White \"Ada\"]",
            "[Annotator \"Sesame ",
            "1. e4 {[%eval ",
            "{[%clk 0:05:00] a good beginning}",
            "(2... Ke7)",
            "3. Qxe5+ $4 {[%eval ",
            "Blunder. ",
            "was best.} (3. ",
            "Nxe5",
            "0-1",
            "[Event \"fool's mate\"]",
            "2. g4 $4 {[%eval #-1] Blunder. ",
            "2... Qh4# 0-1",
        ],
    );
    for number in [1, 2] {
        let svg = fs::read_to_string(graphs.join(format!("game-{number}.svg"))).unwrap();
        let picture = roxmltree::Document::parse(&svg).unwrap();
        let title = picture.descendants().find(|node| node.has_tag_name("title")).unwrap();
        assert!(title.text().unwrap().contains("Bob <b>"));
        assert!(svg.contains("blunder ??"));
    }
    // Again: what is there stays, the file that is read most of all.
    for target in [&out, &file] {
        let (code, _, errors) = run(&["analyse", text(&file), "--depth", "1", "--out", text(target)], "");
        assert!(code == 1 && errors.starts_with("error: "), "{errors}");
    }
    // One game, to the standard output; what was annotated before is annotated anew.
    let (code, games, summary) = run(&["analyse", text(&out), "--game", "2", "--depth", "7"], "");
    assert_eq!(code, 0, "{summary}");
    let games = games.replace('\n', " ");
    assert_eq!((games.matches("[Event ").count(), games.matches("Blunder. ").count()), (1, 1), "{games}");
    assert!(summary.contains("Game 2: Bob <b> – Ada") && !summary.contains("Game 1"), "{summary}");
    let (code, _, errors) = run(&["analyse", text(&out), "--game", "3"], "");
    assert!(code == 1 && errors.contains("has no game 3, only 2"), "{errors}");
}

/// What is in the way of any graph is told before the first game; what is of other games is not in the way.
#[test]
fn graphs_that_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out, graphs) = (path(&folder, "games.pgn"), path(&folder, "out.pgn"), path(&folder, "graphs"));
    fs::write(&file, GAMES).unwrap();
    fs::create_dir(&graphs).unwrap();
    for game in [2, 3] {
        fs::write(graphs.join(format!("game-{game}.svg")), "old").unwrap();
    }
    let both = ["analyse", text(&file), "--depth", "1", "--out", text(&out), "--graphs", text(&graphs)];
    let with = |more: &[&'static str]| both.iter().chain(more).copied().collect::<Vec<&str>>();
    for arguments in [with(&[]), with(&["--game", "2"])] {
        let (code, output, errors) = run(&arguments, "");
        assert!(code == 1 && output.is_empty() && !out.exists(), "{output}");
        assert!(errors.contains("game-2.svg exists already: replace it with --force"), "{errors}");
    }
    succeed(&with(&["--game", "1"]), "");
    succeed(&with(&["--force"]), "");
    let is_old = |game| fs::read_to_string(graphs.join(format!("game-{game}.svg"))).unwrap() == "old";
    assert_eq!([1, 2, 3].map(is_old), [false, false, true]);
    let nowhere = path(&folder, "missing/out.pgn");
    let (code, output, errors) = run(&["analyse", text(&file), "--depth", "1", "--out", text(&nowhere)], "");
    assert!(code == 1 && output.is_empty() && errors.contains("out.pgn cannot be written: "), "{output}{errors}");
}

/// A disk that is full is told once; a reader that leaves is none of that (`a_reader_that_leaves`).
#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let (man, epd, pgn) = (path(&folder, "man"), path(&folder, "a.epd"), path(&folder, "a.pgn"));
    fs::write(&epd, MATES).unwrap();
    fs::write(&pgn, "1. e4 *\n").unwrap();
    for arguments in [
        &["analyse", "--depth", "3"][..],
        &["analyse", text(&epd), "--depth", "1"],
        &["analyse", text(&pgn), "--depth", "1", "--out", text(&path(&folder, "b.pgn"))],
        &["bench", "1"],
        &["perft", "2"],
        &["completions", "bash"],
        &["man", "--out", text(&man)],
        &["play"],
        &["uci"],
        &["--help"],
        &["--version"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let (code, _, errors) = run_into(full.into(), arguments, "isready\n");
        assert_eq!(code, 1, "{arguments:?}");
        let told = "error: the standard output cannot be written: No space left on device";
        assert!(errors.starts_with(told) && errors.matches("error").count() == 2, "{arguments:?}: {errors}");
    }
}

/// Names are what the system takes for names.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in [(&b"\xff.pgn"[..], "1. e4 *"), (b"\xff.epd", MATES)] {
        let file = folder.path().join(OsStr::from_bytes(name));
        fs::write(&file, content).unwrap();
        let (code, output, errors) = run(&[OsStr::new("analyse"), file.as_os_str(), OsStr::new("--depth=1")], "");
        assert!(code == 0 && !output.is_empty(), "{errors}");
    }
    let (code, _, errors) = run(&[OsStr::new("analyse"), OsStr::from_bytes(b"\xff")], "");
    assert!(code == 2 && errors.contains("bad FEN"), "{errors}");
}

#[test]
fn games_that_are_none() {
    let bad = "[Event \"1\"]\n\n1. e4 e5 2. Ke3 *\n\n[Event \"2\"]\n\n1. e4 {no end *\n\n[Event \"3\"]\n\n1. e4 *\n\n[Variant \"Atomic\"]\n\n1. e4 *\n\n[FEN \"9/8 b - - 0 7\"]\n\n7... e5 8. e4 *\n";
    let (code, games, errors) = run(&["analyse", "--pgn", "-", "--nodes", "100"], bad);
    assert_eq!(code, 1);
    // What cannot be played through stays as it is; what cannot be read has no moves to write.
    assert_in_order(
        &games,
        &[
            "[Event \"1\"]",
            "1. e4 e5 2. Ke3 *",
            "[Event \"3\"]",
            "1. e4 {[%eval ",
            "Atomic",
            "1. e4 *",
            "7... e5 8. e4 *",
        ],
    );
    assert_eq!((games.matches("[Event ").count(), games.matches("[Annotator ").count()), (4, 1), "{games}");
    assert_in_order(
        &errors,
        &[
            "-: game 1, line 3: \"Ke3\" is not one legal move",
            "game 2, line 7: the comment that begins here has no end",
            "game 4, line 13: the variant \"Atomic\" is not chess",
            "4 games could not be read",
        ],
    );
    let (code, _, errors) = run(&["analyse", "--pgn", "-"], "");
    assert!(code == 1 && errors.contains("has no games"), "{errors}");
    let nested = format!("1. e4 {} e5 *", "(".repeat(200_000));
    let (code, _, errors) = run(&["analyse", "--pgn", "-"], &nested);
    assert!(code == 1 && errors.contains("game 1, line 1: the variation"), "{errors}");
}
