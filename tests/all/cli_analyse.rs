//! `sesame analyse` on files of positions and games.

#[cfg(target_os = "linux")]
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

#[cfg(unix)]
use nix::sys::signal::{Signal, kill};
#[cfg(unix)]
use nix::unistd::Pid;

use crate::support::folder::Folder;
use crate::support::program::{assert_in_order, run, run_with_input, succeed, succeed_with_input};
#[cfg(unix)]
use crate::support::{MATED, is_ignored};
use crate::support::{Session, skip, tables};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Writes a file into the folder and returns its path.
fn file(folder: &Folder, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    fs::write(folder.join(name), content).unwrap();
    folder.join(name)
}

/// Runs the program, expects success, and returns the standard output.
fn succeed_quietly(arguments: &[&str]) -> String {
    let (code, output, errors) = run(arguments);
    assert_eq!(code, 0, "{errors}");
    output
}

/// Runs the program and expects a failure with these parts on the standard error. Returns the standard output.
#[track_caller]
fn fail(arguments: &[&str], parts: &[&str]) -> String {
    let (code, output, errors) = run(arguments);
    assert_eq!(code, 1, "{output}{errors}");
    assert_in_order(&errors, parts);
    output
}

/// Returns the games in a page.
fn games_of(page: &Path) -> serde_json::Value {
    let html = fs::read_to_string(page).unwrap();
    let data = html.split_once("id=\"games\">").unwrap().1.split_once("</script>").unwrap().0;
    serde_json::from_str(data).unwrap()
}

const MATES: &str = "\
# three mates and a position without a solution
6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Rd8#; id \"back rank\";
7k/8/6K1/8/8/8/8/R7 w - - dm 1; id \"rook, alone\";
r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - bm Qxf7#; dm 1; id \"scholar\";
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -
";

#[test]
fn positions_of_a_suite_are_solved() {
    let folder = Folder::new();
    let mates = file(&folder, "mates.epd", MATES);
    let wrong = file(&folder, "wrong.epd", "6k1/5ppp/8/8/8/8/8/K2R4 w - - am Rd8#; id \"not so\";\n");
    let csv = folder.join("a.csv");
    let output = succeed(&["analyse", text(&mates), text(&wrong), "--depth", "4", "--csv", text(&csv)]);
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
    let rows = fs::read_to_string(&csv).unwrap();
    assert_eq!(rows.lines().count(), 6);
    assert!(rows.contains(",\"rook, alone\",7k/8/6K1/8/8/8/8/R7 w - - 0 1,mate in 1,Ra8#,#1,yes,0."), "{rows}");
    let piped = succeed_with_input(&["analyse", "--depth", "1", "--epd", "-"], MATES);
    assert!(piped.contains("\n-              4  3 of 3"), "{piped}");
    // An existing file is replaced with --force only.
    let again = ["analyse", "--epd", text(&mates), "--depth", "1", "--csv", text(&csv)];
    fail(&again, &["--force"]);
    succeed(&[&again[..], &["--force"]].concat());
    assert_eq!(fs::read_to_string(&csv).unwrap().lines().count(), 5);
}

#[test]
fn malformed_epd_lines_are_reported() {
    let folder = Folder::new();
    let bad = format!("{MATES}nonsense\n8/8 w - -\n6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Qh8;\n\0\u{1}\n");
    let bad = file(&folder, "bad.epd", bad);
    let output = fail(
        &["analyse", text(&bad), "--nodes", "2000"],
        // Line 9 has control characters only.
        &["line 6: ", "line 7: ", "line 8: \"Qh8\" fits no legal move", "3 lines could not be read as a whole"],
    );
    assert_in_order(&output, &["  not read  ", "bad.epd          4  3 of 3  100.0 %         3  "]);
    // Only a lost solution is a failure: the standard allows operations of one's own.
    let odd = "6k1/5ppp/8/8/8/8/8/K2R4 w - - bm: Rd8#; own 7;\n6k1/5ppp/8/8/8/8/8/K2R4 w - - best Rd8#;\n";
    fail(
        &["analyse", text(&file(&folder, "odd.epd", odd)), "--nodes", "2000"],
        &[
            "odd.epd, line 1: not understood: own\n",
            "line 2: not understood: best, so there is no solution\n",
            "1 line could not be read as a whole",
        ],
    );
    for (name, content) in [("empty.epd", ""), ("nonsense.epd", "x\n")] {
        fail(&["analyse", text(&file(&folder, name, content))], &["has no position to search"]);
    }
    fail(&["analyse", "missing.epd"], &["missing.epd"]);
    fail(&["analyse", "missing.pgn", "missing.pgn"], &["missing.pgn: ", "none of the files can be used"]);
}

/// White loses the queen for a pawn; in the second game White is mated.
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
    let folder = Folder::new();
    let (pgn, out, graphs) = (file(&folder, "games.pgn", GAMES), folder.join("out.pgn"), folder.join("graphs"));
    let output = succeed(&["analyse", text(&pgn), "--depth", "7", "--out", text(&out), "--graphs", text(&graphs)]);
    assert_in_order(
        &output,
        &[
            "Game 1: Ada – Bob <b>, 0-1",
            "accuracy",
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
    assert_in_order(
        &fs::read_to_string(&out).unwrap().replace('\n', " "),
        &[
            "[White \"Ada\"]",
            "[Annotator \"Sesame ",
            "1. e4 {[%clk 0:05:00] a good beginning [%eval ",
            "(2... Ke7)",
            "3. Qxe5+ $4 {[%eval ",
            "Blunder. ",
            "was best.} (3. ",
            "[Event \"fool's mate\"]",
            "2. g4 $4 {[%eval #-1] Blunder. ",
            "2... Qh4# 0-1",
        ],
    );
    for number in [1, 2] {
        let svg = fs::read_to_string(graphs.join(format!("game-{number}.svg"))).unwrap();
        assert!(svg.contains("Bob &lt;b&gt;") && svg.contains("blunder ??"));
        roxmltree::Document::parse(&svg).unwrap();
    }
    // One game goes to the standard output. Its old annotations are replaced.
    let (code, games, summary) = run(&["analyse", text(&out), "--game", "2", "--depth", "7"]);
    assert_eq!(code, 0, "{summary}");
    let games = games.replace('\n', " ");
    assert_eq!((games.matches("[Event ").count(), games.matches("Blunder. ").count()), (1, 1), "{games}");
    assert!(summary.contains("Game 2: Bob <b> – Ada") && !summary.contains("Game 1"), "{summary}");
    fail(&["analyse", text(&out), "--game", "3"], &["has no game 3, only 2"]);
}

/// Without `--force`, an existing graph is reported before the first search. With `--game`, those of other games are ignored.
#[test]
fn existing_graphs_are_kept() {
    let folder = Folder::new();
    let (pgn, out, graphs) = (file(&folder, "games.pgn", GAMES), folder.join("out.pgn"), folder.join("graphs"));
    fs::create_dir(&graphs).unwrap();
    for game in [2, 3] {
        fs::write(graphs.join(format!("game-{game}.svg")), "old").unwrap();
    }
    let both = ["analyse", text(&pgn), "--depth", "1", "--out", text(&out), "--graphs", text(&graphs)];
    let with = |more: &[&'static str]| [&both[..], more].concat();
    for arguments in [with(&[]), with(&["--game", "2"])] {
        let output = fail(&arguments, &["game-2.svg exists already: replace it with --force"]);
        assert!(output.is_empty() && !out.exists(), "{output}");
    }
    succeed(&with(&["--game", "1"]));
    succeed(&with(&["--force"]));
    let is_old = |game| fs::read_to_string(graphs.join(format!("game-{game}.svg"))).unwrap() == "old";
    assert_eq!([1, 2, 3].map(is_old), [false, false, true]);
}

/// Before the first search.
#[test]
fn outputs_that_cannot_be_written_are_named() {
    let folder = Folder::new();
    #[cfg(unix)]
    std::os::unix::fs::symlink("missing", folder.join("link")).unwrap();
    let (pgn, mates) = (file(&folder, "games.pgn", GAMES), file(&folder, "mates.epd", MATES));
    let (here, other, page) = (text(folder.path()), file(&folder, "other", ""), folder.join("page.html"));
    for (input, outputs, fault) in [
        (&mates, vec!["--csv", text(&folder.join("missing/a.csv"))], "missing/a.csv cannot be written: "),
        (&pgn, vec!["--out", text(&folder.join("missing/a.pgn"))], "missing/a.pgn cannot be written: "),
        (&pgn, vec!["--report", text(&folder.join("missing/a.html"))], "missing/a.html cannot be written: "),
        (&pgn, vec!["--report", here], "is a folder: name a file"),
        (&pgn, vec!["--graphs", text(&other)], "is a file: name a folder"),
        (&pgn, vec!["--out", text(&other)], "other exists already: replace it with --force"),
        #[cfg(unix)]
        (&pgn, vec!["--out", text(&folder.join("link"))], "link exists already: replace it with --force"),
        #[cfg(unix)]
        (&pgn, vec!["--out", text(&folder.join("link")), "--force"], "it is a link to a missing file"),
        (&pgn, vec!["--out", text(&pgn), "--force"], "is one of the files to analyse"),
        (&pgn, vec!["--out", text(&page), "--report", text(&page)], "is named for two outputs"),
    ] {
        let output = fail(&[&["analyse", text(input)], &outputs[..]].concat(), &[fault]);
        assert!(output.is_empty(), "{output}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn file_names_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    for (name, content) in [(&b"\xff.pgn"[..], "1. e4 *"), (b"\xff.epd", MATES)] {
        let file = folder.path().join(OsStr::from_bytes(name));
        fs::write(&file, content).unwrap();
        let (code, output, errors) = run(&[OsStr::new("analyse"), file.as_os_str(), OsStr::new("--depth=1")]);
        assert!(code == 0 && !output.is_empty(), "{errors}");
    }
    let (code, _, errors) = run(&[OsStr::new("analyse"), OsStr::from_bytes(b"\xff")]);
    assert!(code == 2 && errors.contains("is neither a file nor a position"), "{errors}");
}

/// Games are annotated up to an illegal move; what cannot be understood is copied as it is, and all of it is said.
#[test]
fn malformed_games_are_kept_and_reported() {
    let bad = "Games of the club.\n\n[Event \"1\"]\n\n1. e2-e4 e5 2. Ke3 *\n\n[Event \"2\"]\n\n1. e4 {no end *\n\n\
               [Event \"3\"]\n[Result \"0-1\"]\n\n1. e4 1/2-1/2\n\n[Variant \"Atomic\"]\n\n1. e4 *\n\n\
               [FEN \"9/8 b - - 0 7\"]\n\n7... e5 8. e4 *\n\n[White \"C\"]\n\n1. e4 {a {nested} comment} e5 1-0\n";
    let (code, games, errors) = run_with_input(&["analyse", "--pgn", "-", "--nodes", "1000"], bad);
    assert_eq!(code, 1);
    assert_in_order(
        &games,
        &[
            "[Event \"1\"]",
            "1. e4 {[%eval ",
            "2. Ke3 *",
            "[Event \"2\"]\n\n1. e4 {no end *\n",
            "[Event \"3\"]",
            "1. e4 {[%eval ",
            "0-1\n",
            "Atomic",
            "1. e4 *",
            "7... e5 8. e4 *",
            "[White \"C\"]\n\n1. e4 {a {nested} comment} e5 1-0\n",
        ],
    );
    assert_eq!(games.matches("[Annotator ").count(), 2, "{games}");
    assert_in_order(
        &errors,
        &[
            "-: game 1: the text before the first tag is left out",
            "-: game 1, line 5: \"Ke3\" fits no legal move in this position: annotated up to this move",
            "game 2, line 9: the comment that begins here has no end: copied, not annotated",
            "-: game 3: the tag Result says 0-1, the moves end with 1/2-1/2: the tag counts",
            "game 4, line 16: the variant \"Atomic\" is not chess: copied, not annotated",
            "game 6, line 26: unexpected '}': copied, not annotated",
            "5 games or files could not be read as a whole",
        ],
    );
    let (code, _, errors) = run(&["analyse", "--pgn", "-"]);
    assert!(code == 1 && errors.contains("has no games"), "{errors}");
}

/// Games without a legal move to annotate, a game of another variant, and all games if their moves are not wanted.
#[test]
fn games_that_are_not_annotated_are_copied_byte_for_byte() {
    let folder = Folder::new();
    let seirawan = "[Event \"1\"]\n[Variant \"Seirawan\"]\n\n1.d4  Nf6 2.c4/E d6 3.Nc3/H Bf5/H 4.e4 O-O/Ee8 0-1\n\n";
    let others = "[Variant \"Crazyhouse\"]\r\n\r\n1.e4 @e5 {\u{1b}[31m} *\n\n[Result \"1-0\"]\n[White \"A\"]\n\n\
                  [White \"B\"]\n[FEN \"9/8 b - - 0 7\"]\n\n7...e5 8.@e4 *\n\n[Event \"null\"]\n\n1.-- e5 *\n\n";
    for (games, arguments) in
        [(format!("{seirawan}{others}"), &["--depth", "1"]), (GAMES.to_owned() + "\n", &["--moves", "50"])]
    {
        let (pgn, out) = (file(&folder, "in.pgn", &games), folder.join("out.pgn"));
        run(&[&["analyse", text(&pgn), "--force", "--out", text(&out)], &arguments[..]].concat());
        assert_eq!(folder.text("out.pgn"), games);
    }
}

/// Runs the page's script under Node.js, in a document that takes everything and shows nothing.
#[test]
fn the_next_mistake_is_no_praised_move() {
    const SCRIPT: &str = r#"
        const html = require("fs").readFileSync(process.argv[1], "utf8");
        const [games, script] = ['id="games">', "<script>\n"].map(start => html.split(start)[1].split("</script>")[0]);
        const blank = () => new Proxy(function () {}, {
            get: (_, name) => name === "textContent" ? games : name === Symbol.toPrimitive ? () => 0 : blank(),
            set: () => true,
            apply: () => blank(),
        });
        const walk = "; const plies = []; for (let step = 0; step < 3; step++) { go('mistake'); plies.push(ply); } return plies;";
        console.log(new Function("document", script + walk)(blank()).join());
    "#;
    let folder = Folder::new();
    let moves = "1. e4! e5?! 2. Nf3!! Nc6 3. Bb5!? a6 4. Ba4 Nf6 5. Qe2 b5 6. Bb3 Be7 7. Qxb5?? axb5 *\n";
    let (pgn, page) = (file(&folder, "a.pgn", moves), folder.join("a.html"));
    succeed_quietly(&["analyse", text(&pgn), "--depth", "1", "--thresholds", "100,100,100", "--report", text(&page)]);
    match std::process::Command::new("node").args(["-e", SCRIPT, text(&page)]).output() {
        Ok(output) => assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "2,13,2", "{output:?}"),
        Err(error) => skip(&format!("node: {error}")),
    }
}

/// Only replaced letters remain of those that could change a terminal's state.
#[cfg(unix)]
#[test]
fn names_of_files_do_not_change_a_terminals_state() {
    let folder = Folder::new();
    for (name, content, code) in [
        ("\u{1b}[31m.epd", MATES, 0),
        ("\u{1b}c\u{9b}.pgn", GAMES, 0),
        ("\u{7}.pgn", "1. Ke5 *", 1),
        ("\r.epd", "x", 1),
    ] {
        let file = file(&folder, name, content);
        let out = folder.join(&format!("out{name}"));
        for arguments in [
            &["--depth", "1"][..],
            &["--depth", "1", "--report", text(&out)],
            &["--no-such-\u{1b}"],
            &["--depth", "\u{1b}"],
        ] {
            let (found, output, errors) = run(&[&["analyse", text(&file)], arguments].concat());
            let shown = output + &errors;
            assert!(!shown.contains(['\u{1b}', '\u{9b}', '\u{7}', '\r']), "{shown:?}");
            assert!(arguments != ["--depth", "1"] || found == code, "{shown}");
        }
    }
}

/// What stood beside the moves stays.
#[test]
fn games_of_books_and_web_pages_are_annotated() {
    let folder = Folder::new();
    let games = "[FEN \"6k1/5ppp/8/8/8/8/5PPP/R5K1 w K - 0 1\"]\n\n1. ♖a8# best by test ½ - ½\n\n\
                 [Event “2”]\n\n1. e4 e5 2. Sf3 ∓ {So.} (2. Lc4 {Sf3} Dg5) Sc6 3. Lb5 *\n\n\
                 [FEN \"6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1 and more\"]\n\n1. Ra8# *\n";
    let games = file(&folder, "a.pgn", games);
    let (code, output, errors) = run(&["analyse", text(&games), "--depth", "1", "--thresholds", "100,100,100"]);
    assert_eq!(code, 0, "{errors}");
    assert_eq!(output.matches("[%eval ").count(), 5, "{output}");
    assert_in_order(
        &output.replace('\n', " "),
        &[
            "5PPP/R5K1 w - - 0 1\"]",
            "1. Ra8# {best by test} 1/2-1/2",
            "2. Nf3 $17 {So. [%eval ",
            "(2. Bc4 {Sf3} Qg5) 2... Nc6 {",
            "3. Bb5 {",
            "5PPP/R5K1 w - - 0 1\"]",
        ],
    );
    assert_in_order(
        &errors,
        &[
            "a.pgn: game 1: line 3: \"best\" is not a move: kept as a comment",
            "a.pgn: game 1: the FEN tag: castling right 'K' has no king and rook to castle with: dropped",
            "a.pgn: game 2: the piece letters are German (KDTLS)",
        ],
    );
}

fn gzip(content: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn compressed_files_are_read_up_to_a_damage() {
    let folder = Folder::new();
    let suite = file(&folder, "d.epd.gz", gzip(MATES));
    assert!(succeed(&["analyse", text(&suite), "--depth", "1"]).contains("3 of 3"));
    let games: String = (0..3000).map(|number| format!("[Round \"{number}\"]\n\n1. e4 *\n\n")).collect();
    let mut cut = gzip(&games);
    cut.truncate(cut.len() - 40);
    let cut = file(&folder, "f.pgn", cut);
    let games = fail(&["analyse", text(&cut), "--nodes", "1", "--moves", "9"], &["cannot be read"]);
    assert!(games.contains("[Round \"7\"]"));
}

/// The input is read, and the output written, game by game.
#[test]
fn finished_games_survive_a_kill() {
    let folder = Folder::new();
    let (out, page) = (folder.join("out.pgn"), folder.join("page.html"));
    let arguments = ["analyse", "--pgn", "-", "--depth", "1", "--out", text(&out), "--report", text(&page)];
    let mut session = Session::start_with(&arguments);
    let long = "word ".repeat(2000);
    for number in 1..=3 {
        session.send(&format!("[Round \"{number}\"]\n\n1. e4 {{{long}}} e5 *\n"));
        session.until(&format!("Game {number}: "));
        // The summary follows the files.
        let games = fs::read_to_string(&out).unwrap();
        assert_eq!((games.matches("[Round ").count(), games.matches("word").count()), (number, 2000 * number));
        assert!(games.ends_with(" *\n\n"), "{games}");
        assert_eq!(games_of(&page).as_array().unwrap().len(), number);
    }
    drop(session);
    assert!(fs::read_to_string(&out).unwrap().ends_with(" *\n\n"));
}

/// A folder stands for its files; a file that cannot be used does not keep the others from being annotated.
#[test]
fn several_files_and_folders() {
    let folder = Folder::new();
    let (games, graphs) = (folder.join("games"), folder.join("graphs"));
    fs::create_dir(&games).unwrap();
    let a = file(&folder, "games/a.pgn", "[Round \"a\"]\n\n1. e4 *\n");
    file(&folder, "games/b.pgn", GAMES);
    file(&folder, "games/c.pgn", "");
    let output = fail(
        &["analyse", text(&games), "--depth", "1", "--graphs", text(&graphs)],
        &["Game 1: ", "Game 3: Bob <b>", "c.pgn has no games", "All 3 games", "a game or file could not"],
    );
    assert_eq!(output.matches("[Event ").count(), 3, "{output}");
    assert!(graphs.join("game-3.svg").exists() && !graphs.join("game-4.svg").exists());
    // The same file twice, and a folder without files.
    assert_eq!(succeed_quietly(&["analyse", text(&a), text(&a), "--depth", "1"]).matches("[Round \"a\"]").count(), 2);
    fail(&["analyse", text(&graphs)], &["has no file that ends in .pgn or .epd"]);
    // Suites, one of which has nothing: in a folder with games, the kind is named.
    file(&folder, "games/d.epd", "");
    file(&folder, "games/e.epd", MATES);
    let output = fail(
        &["analyse", "--epd", text(&games), "--depth", "4"],
        &["d.epd has no position", "1 file could not be used"],
    );
    assert!(output.contains("3 of 3"), "{output}");
}

#[test]
fn results_are_json_lines() {
    let folder = Folder::new();
    let objects = |arguments: &[&str]| -> Vec<serde_json::Value> {
        succeed_quietly(arguments).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let position = objects(&["analyse", "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "--depth", "3", "--json"]);
    let [_, lines @ .., last] = position.as_slice() else { panic!("{position:?}") };
    assert!(lines.iter().all(|line| line["type"] == "line" && line["pv"].is_array()), "{lines:?}");
    assert_eq!(lines.last().unwrap()["score"]["mate"], 1);
    assert!(last["type"] == "result" && last["best"] == "d1d8" && last["best_san"] == "Rd8#", "{last}");
    let over = objects(&["analyse", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "--json"]);
    assert!(over.len() == 2 && over[1]["best"].is_null() && over[1]["outcome"] == "stalemate", "{over:?}");
    let mates = file(&folder, "mates.epd", MATES);
    let suite = objects(&["analyse", text(&mates), "--depth", "4", "--json"]);
    assert_eq!(suite.iter().filter(|result| result["solved"] == true).count(), 3, "{suite:?}");
    assert!(suite[4]["solved"].is_null() && suite[2]["score"]["mate"] == 1);
    let pgn = file(&folder, "games.pgn", GAMES);
    let games = objects(&["analyse", text(&pgn), "--depth", "7", "--json"]);
    assert_eq!(games.iter().filter(|object| object["type"] == "move").count(), 10);
    let blunder = games.iter().find(|object| object["san"] == "Qxe5+").unwrap();
    assert!(blunder["judgement"] == "blunder" && blunder["move"] == "h5e5", "{blunder}");
    let last = games.last().unwrap();
    assert!(last["type"] == "game" && last["white"]["blunders"] == 1 && last["black"]["name"] == "Ada", "{last}");
}

#[test]
fn ranges_of_moves_and_thresholds() {
    let folder = Folder::new();
    let (pgn, graphs) = (file(&folder, "games.pgn", GAMES), folder.join("graphs"));
    let annotated = succeed_quietly(&["analyse", text(&pgn), "--game", "1", "--depth", "5", "--moves", "2-2"]);
    assert_eq!(annotated.matches("[%eval ").count(), 2, "{annotated}");
    let few = succeed_quietly(&["analyse", text(&pgn), "--depth", "7", "--thresholds", "100,100,100"]);
    assert!(!few.contains("$4") && few.contains("[%eval "), "{few}");
    // Moves that no game has: the games are copied.
    let copied = succeed_quietly(&["analyse", text(&pgn), "--moves", "50-60", "--graphs", text(&graphs)]);
    assert!(copied.contains("[Event ") && !copied.contains("Annotator") && fs::read_dir(&graphs).unwrap().count() == 0);
}

#[test]
fn reports_have_every_game_with_moves() {
    let folder = Folder::new();
    let (pgn, out, page) = (file(&folder, "games.pgn", GAMES), folder.join("out.pgn"), folder.join("report.html"));
    let arguments = ["analyse", text(&pgn), "--depth", "5", "--out", text(&out), "--report", text(&page)];
    succeed_quietly(&arguments);
    let games = games_of(&page);
    assert_eq!([0, 1].map(|game: usize| games[game]["steps"].as_array().unwrap().len()), [7, 5]);
    assert!(games[1]["title"].as_str().unwrap().contains("Bob <b>"));
    assert!(!fs::read_to_string(&page).unwrap().contains("Bob <b>"));
    // Without --out, the games go to a file beside the page, which is not replaced either.
    let page = folder.join("second.html");
    let arguments = ["analyse", text(&pgn), "--depth", "5", "--report", text(&page)];
    let (code, output, errors) = run(&arguments);
    assert!(code == 0 && output.contains("second.annotated.pgn.\n") && !output.contains("[Event "), "{output}");
    assert_eq!(errors, format!("The report is in {}; open it in a browser.\n", text(&page)));
    assert_eq!(fs::read(folder.join("second.annotated.pgn")).unwrap(), fs::read(&out).unwrap());
    fs::remove_file(&page).unwrap();
    fail(&arguments, &["second.annotated.pgn exists already", "--force"]);
    // A game without moves has neither chart nor page.
    let empty = file(&folder, "empty.pgn", "[White \"A\"]\n\n*\n");
    let (nothing, graphs) = (folder.join("nothing.html"), folder.join("graphs"));
    succeed_quietly(&["analyse", text(&empty), "--graphs", text(&graphs), "--report", text(&nothing)]);
    assert!(!graphs.join("game-1.svg").exists() && !nothing.exists());
}

/// Returns a suite and a file of games whose first position or game, `first`, is over at once; the second is searched without
/// an end: its last position is mate, the one before is not.
#[cfg(unix)]
fn endless_files(folder: &Folder) -> (PathBuf, PathBuf) {
    let id = "漢字 long ".repeat(30);
    let epd = format!(
        "7k/8/6K1/8/8/8/8/R7 w - - dm 1; id \"first\";\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm a3; id \"{id}\";\n"
    );
    let games =
        format!("[Event \"first\"]\n[FEN \"{MATED}\"]\n\n0-1\n\n[Event \"begun\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n");
    (file(folder, "two.epd", epd), file(folder, "two.pgn", games))
}

/// Ctrl-C, SIGTERM and SIGHUP end the search and show the results so far, also if they come twice, as from `timeout`.
#[cfg(unix)]
#[test]
fn interrupt_shows_the_results_so_far() {
    let folder = Folder::new();
    let (suite, games) = endless_files(&folder);
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        if is_ignored(signal as i32) {
            skip(&format!("{signal} is ignored here"));
            continue;
        }
        let interrupted = |arguments: &[&str], until: &str| {
            let mut session = Session::start_with(&[&["analyse", "--time", "100000"], arguments].concat());
            let mut lines = session.until_contains(until);
            let process = Pid::from_raw(session.id() as i32);
            kill(process, signal).unwrap();
            // The first may have been handled, and the program may be gone.
            std::thread::sleep(std::time::Duration::from_millis(1));
            let _ = kill(process, signal);
            let (status, rest) = session.end();
            lines.extend(rest);
            assert!(session.errors().contains("\nInterrupted"), "{signal}: {}", session.errors());
            (status.code(), lines.join("\n"), session.errors())
        };
        let (code, output, _) = interrupted(&["--ascii"], "  3/");
        assert!(code == Some(0) && output.contains("Best move: "), "{output}");
        let (code, output, errors) = interrupted(&[text(&suite)], "first");
        assert!(code == Some(1) && output.contains("two.epd          1  1 of 1"), "{output}{errors}");
        assert!(errors.contains("interrupted after 1 of 2 positions"), "{errors}");
        let (code, output, errors) = interrupted(&["--threads", "2", text(&games)], "first");
        let end = match output.contains("begun") {
            true => "interrupted in game 2, which is annotated in part; games in the output: 2",
            false => "interrupted; games in the output: 1",
        };
        assert!(code == Some(1) && errors.contains(end), "{output}{errors}");
    }
}

/// A run under `nohup` outlives its terminal.
#[cfg(unix)]
#[test]
fn ignored_hangup_stays_ignored() {
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "trap '' HUP && exec \"$0\" analyse --time 100000", env!("CARGO_BIN_EXE_sesame")]);
    let mut session = Session::run(command);
    session.until_contains("  3/");
    let process = Pid::from_raw(session.id() as i32);
    kill(process, Signal::SIGHUP).unwrap();
    session.until_contains("  5/");
    assert_eq!(session.errors(), "");
    kill(process, Signal::SIGTERM).unwrap();
    assert_eq!(session.end().0.code(), Some(0));
}

/// The line of progress fits into the terminal. A dumb terminal, which could not erase it, has none.
#[cfg(unix)]
#[test]
fn progress_fits_the_terminal() {
    use crate::support::terminal::Terminal;
    const ERASE: &str = "\r\x1b[2K";
    let folder = Folder::new();
    let (suite, games) = endless_files(&folder);
    for (subject, begun) in [("--ascii", " 7/"), (text(&suite), "first"), (text(&games), "first")] {
        for (term, columns) in [("xterm", 20), ("xterm", 200), ("dumb", 80)] {
            let arguments = ["analyse", "--time", "100000", subject];
            let mut terminal = Terminal::start_with_columns(&arguments, term, columns);
            terminal.until(begun);
            if term != "dumb" {
                terminal.until(ERASE);
            }
            terminal.signal(Signal::SIGTERM);
            let (_, output) = terminal.end();
            if term == "dumb" {
                assert!(output.contains("Interrupted") && !output.contains('\x1b'), "{subject}: {output:?}");
            }
            for line in output.split(ERASE).skip(1) {
                let line = line.split(['\r', '\n']).next().unwrap_or_default();
                let width = line.chars().map(|letter| if letter > '\u{2E80}' { 2 } else { 1 }).sum::<u16>();
                let is_progress = line.contains(" gone, ") || line.starts_with("depth ");
                assert!(!is_progress || width <= columns, "{subject}, {columns}: {line:?}");
            }
        }
    }
}

#[test]
fn endgame_tables_are_used() {
    let hits = |arguments: &[&str]| {
        let position = ["analyse", "--json", "--depth", "3", "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1"];
        let (code, output, errors) = run(&[&position, arguments].concat());
        assert_eq!(code, 0, "{errors}");
        let line: serde_json::Value = serde_json::from_str(output.lines().nth(1).unwrap()).unwrap();
        line["tb_hits"].as_u64().unwrap()
    };
    assert!(hits(&[]) == 0 && hits(&["--syzygy", tables::small().to_str().unwrap()]) > 0);
    let (code, _, errors) = run(&["analyse", "--depth", "1", "--syzygy", "/no/such/folder"]);
    assert!(code == 1 && errors.contains("no Syzygy tables found"), "{errors}");
}

/// A pipe whose second game has no end fills no memory, and one signal ends the run.
#[cfg(target_os = "linux")]
#[test]
fn endless_game_ends_at_a_signal() {
    let folder = Folder::new();
    let pipe = folder.join("endless.pgn");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let writer = "{ printf '[Event \"1\"]\\n\\n1. e4 *\\n\\n[Event \"2\"]\\n\\n'; exec yes e4; } >\"$0\"";
    let mut writer = std::process::Command::new("sh").args(["-c", writer, text(&pipe)]).spawn().unwrap();
    let next = file(&folder, "next.pgn", "1. d4 *\n");
    let line = "ulimit -v 1000000 && exec \"$0\" analyse --depth 1 --pgn \"$1\" \"$2\"";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", line, env!("CARGO_BIN_EXE_sesame"), text(&pipe), text(&next)]);
    let mut session = Session::run(command);
    let mut lines = session.until_contains("1. e4");
    kill(Pid::from_raw(session.id() as i32), Signal::SIGTERM).unwrap();
    let (status, rest) = session.end();
    lines.extend(rest);
    let errors = session.errors();
    assert!(status.code() == Some(1) && errors.contains("interrupted; games in the output: 1"), "{errors}");
    assert!(!errors.contains("no games"), "the next file is not read: {errors}");
    assert!(!lines.join("\n").contains("\"2\""), "{lines:?}");
    let _ = writer.kill();
    writer.wait().unwrap();
}
