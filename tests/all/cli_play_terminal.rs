//! `sesame play` at a terminal: keys of the line editor, output above the line.

use std::fs;

use nix::sys::signal::Signal;

use crate::support::folder::Folder;
use crate::support::terminal::Terminal;

const UP: &str = "\x1b[A";
const LEFT: &str = "\x1b[D";
const BACKSPACE: &str = "\x7f";
const END_OF_INPUT: &str = "\x04";
const INTERRUPT: &str = "\x03";

/// Starts a game against an opponent that searches one ply.
fn play(arguments: &[&str]) -> Terminal {
    start("xterm", &[&["--depth", "1"], arguments].concat())
}

fn start(term: &str, arguments: &[&str]) -> Terminal {
    Terminal::start(&[&["play", "--color", "never"], arguments].concat(), term)
}

#[test]
fn lines_are_edited_and_repeated() {
    let folder = Folder::new();
    let file = folder.join("game.pgn");
    let mut terminal = play(&["--pgn", file.to_str().unwrap(), "--clock", "500+3"]);
    terminal.until("a b c d e f g h");
    terminal.until("White 8:20:00, Black 8:20:00");
    terminal.until("White> ");
    terminal.send("e2e5\r");
    terminal.until("The pawn on e2 cannot move to e5.");
    // The line before, with another last character.
    terminal.send(UP);
    terminal.until("e2e5");
    terminal.send(format!("{BACKSPACE}4\r"));
    terminal.until("4 | . . . . P . . . |");
    terminal.until("Sesame plays 1... ");
    // A character in the middle is inserted.
    terminal.send(format!("reign{LEFT}{LEFT}{LEFT}s\r"));
    terminal.until("White resigns: Black has won. 0-1");
    terminal.send("undo\r");
    terminal.until("The game goes on.");
    terminal.until("4 | . . . . P . . . |");
    // Several lines at once.
    terminal.send("xyzzy\rfen\r");
    terminal.until("/4P3/");
    terminal.send("quit\r");
    assert!(terminal.end().0.success());
    let game = fs::read_to_string(file).unwrap();
    assert!(game.contains("1. e4 ") && game.contains("[Result \"*\"]"), "{game}");
}

#[test]
fn commands_are_read_while_the_engine_thinks() {
    // A search without an end.
    let mut terminal = start("xterm", &["--depth", "200", "--side", "black"]);
    terminal.until("Black> ");
    terminal.send("hint\r");
    terminal.until("Sesame is thinking: now makes it move; resign and quit end the game.");
    terminal.send("now\r");
    terminal.until("Sesame plays 1. ");
    terminal.send("e7e5\r");
    terminal.until("5 | . . . p . . . . |");
    terminal.until("Black> ");
    terminal.send("resign\r");
    terminal.until("Black resigns: White has won. 1-0");
    terminal.until("Type rematch, undo, save FILE or quit.");
    terminal.send("rematch\r");
    terminal.until("You play White.");
    terminal.until("White> ");
    terminal.send("resign\rrematch\r");
    terminal.until("You play Black.");
    terminal.until("Black> ");
    terminal.send("resign\r");
    terminal.until("1-0");
    terminal.send("undo\r");
    terminal.until("The game goes on.");
    // The search goes on, too.
    terminal.send("board\r");
    terminal.until("Sesame is thinking");
    terminal.until("Black> ");
    terminal.send(INTERRUPT);
    assert!(terminal.end().0.success());
}

/// Each pasted line is answered before the next one is read, the last line too.
#[test]
fn pasted_lines_are_answered() {
    for lines in ["fen\rquit\r", "xyzzy\rfen\rq\r", "moves\rhelp\rfen\r\x04"] {
        let mut terminal = play(&["startpos", "moves", "e2e4", "e7e5"]);
        terminal.until("White> ");
        terminal.send(lines);
        let (status, output) = terminal.end();
        assert!(status.success() && output.contains("/4P3/"), "{lines:?}: {output}");
    }
}

#[test]
fn unusual_input_at_a_terminal() {
    let mut terminal = play(&[]);
    terminal.send("fen\r");
    terminal.until("rnbqkbnr/pppppppp/");
    terminal.until("White> ");
    terminal.send(b"caf\xE9\r");
    terminal.until("White> ");
    terminal.send(format!("{}\r", "x".repeat(5000)));
    terminal.until(" is not a move.");
    terminal.send("\t\x1b[5~\x1b[99;99H\x12\x07é\u{265A}\r");
    terminal.send("fen\r");
    terminal.until("rnbqkbnr/pppppppp/");
    terminal.until("White> ");
    terminal.send(INTERRUPT);
    let (status, output) = terminal.end();
    assert!(status.success() && !output.contains("panicked"), "{output}");
}

#[test]
fn dumb_terminal_has_no_editor() {
    let mut terminal = start("dumb", &["--depth", "1"]);
    terminal.until("White> ");
    terminal.send("e2e4\n");
    terminal.until("Sesame plays 1... ");
    terminal.until("White> ");
    terminal.send("resign\n");
    terminal.until("rematch, undo, save FILE or quit> ");
    terminal.send("undo\n");
    terminal.until("The game goes on.");
    terminal.until("White> ");
    terminal.send(END_OF_INPUT);
    let (status, output) = terminal.end();
    assert!(status.success() && !output.contains("\x1b[?"), "{output:?}");
}

/// The game is saved, and the terminal has its mode again ([`Terminal::end`] sees it).
#[test]
fn signals_end_the_game() {
    let folder = Folder::new();
    let ends = [("xterm", "1"), ("xterm", "200"), ("dumb", "1"), ("dumb", "200")];
    for (number, (term, depth)) in ends.into_iter().enumerate() {
        let file = folder.join(&format!("{number}.pgn"));
        let mut terminal = start(term, &["--depth", depth, "--pgn", file.to_str().unwrap()]);
        terminal.until("White> ");
        terminal.send(if term == "dumb" { "e2e4\n" } else { "e2e4\r" });
        terminal.until(if depth == "1" { "Sesame plays 1... " } else { "4 | . . . . P . . . |" });
        terminal.signal(if number == 2 { Signal::SIGINT } else { Signal::SIGTERM });
        let (status, output) = terminal.end();
        assert!(status.success() && output.contains("A signal ends the game."), "{term}, {depth}: {output}");
        assert!(fs::read_to_string(file).unwrap().contains("1. e4 "), "{term}, {depth}");
    }
}
