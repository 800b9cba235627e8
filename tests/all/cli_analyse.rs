//! `sesame analyse` on files of positions and games.

#[cfg(target_os = "linux")]
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
#[cfg(unix)]
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::process::{Child, Stdio};

#[cfg(unix)]
use nix::sys::signal::{Signal, kill};
#[cfg(unix)]
use nix::unistd::Pid;

use crate::support::folder::Folder;
#[cfg(unix)]
use crate::support::program::sesame;
use crate::support::program::{assert_in_order, run, run_with_input, succeed, succeed_with_input};
#[cfg(unix)]
use crate::support::{MATED, PATIENCE};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Writes a file into the folder and returns its path.
fn file(folder: &Folder, name: &str, content: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    path
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
    let csv_text = fs::read_to_string(&csv).unwrap();
    assert_eq!(csv_text.lines().count(), 6);
    assert!(csv_text.contains(",\"rook, alone\",7k/8/6K1/8/8/8/8/R7 w - - 0 1,mate in 1,Ra8#,#1,yes,0."), "{csv_text}");
    // An existing file is replaced with --force only.
    let again = ["analyse", "--epd", text(&mates), "--depth", "1", "--csv", text(&csv)];
    let (code, _, errors) = run(&again);
    assert!(code == 1 && errors.contains("--force"), "{errors}");
    // An unwritable file is reported before the first search.
    let nowhere = folder.join("missing/a.csv");
    let (code, output, errors) = run(&["analyse", text(&mates), "--depth", "1", "--csv", text(&nowhere)]);
    assert!(code == 1 && output.is_empty() && errors.contains("missing/a.csv cannot be written: "), "{output}{errors}");
    let piped = succeed_with_input(&["analyse", "--depth", "1", "--epd", "-"], MATES);
    assert!(piped.contains("\n-              4  3 of 3"), "{piped}");
    let forced: Vec<&str> = again.iter().chain(&["--force"]).copied().collect();
    succeed(&forced);
    assert_eq!(fs::read_to_string(&csv).unwrap().lines().count(), 5);
}

#[test]
fn malformed_epd_lines_are_reported() {
    let folder = Folder::new();
    let bad = format!("{MATES}nonsense\n8/8 w - -\n6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Qh8;\n\0\u{1}\n");
    let bad = file(&folder, "bad.epd", &bad);
    let (code, output, errors) = run(&["analyse", text(&bad), "--nodes", "2000"]);
    assert_eq!(code, 1, "{errors}");
    assert!(output.contains("bad.epd          4  3 of 3"), "{output}");
    assert_in_order(
        &errors,
        // Line 9 has control characters only.
        &["line 6: ", "line 7: ", "line 8: \"Qh8\" is not one legal move", "3 lines could not be used"],
    );
    for (name, content) in [("empty.epd", ""), ("nonsense.epd", "x\n")] {
        let path = file(&folder, name, content);
        let (code, _, errors) = run(&["analyse", text(&path)]);
        assert!(code == 1 && errors.contains("has no position to search"), "{errors}");
    }
    let (code, _, errors) = run(&["analyse", "missing.epd"]);
    assert!(code == 1 && errors.contains("missing.epd"), "{errors}");
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
    let arguments = ["analyse", text(&pgn), "--depth", "7", "--out", text(&out), "--graphs", text(&graphs)];
    let (code, output, errors) = run(&arguments);
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
            "1. e4 {[%clk 0:05:00] a good beginning [%eval ",
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
    // Existing files stay, the input among them.
    for target in [&out, &pgn] {
        let (code, _, errors) = run(&["analyse", text(&pgn), "--depth", "1", "--out", text(target)]);
        assert!(code == 1 && errors.starts_with("error: "), "{errors}");
    }
    // One game goes to the standard output. Its old annotations are replaced.
    let (code, games, summary) = run(&["analyse", text(&out), "--game", "2", "--depth", "7"]);
    assert_eq!(code, 0, "{summary}");
    let games = games.replace('\n', " ");
    assert_eq!((games.matches("[Event ").count(), games.matches("Blunder. ").count()), (1, 1), "{games}");
    assert!(summary.contains("Game 2: Bob <b> – Ada") && !summary.contains("Game 1"), "{summary}");
    let (code, _, errors) = run(&["analyse", text(&out), "--game", "3"]);
    assert!(code == 1 && errors.contains("has no game 3, only 2"), "{errors}");
}

/// An existing graph of a game to be analysed is reported before the first search; graphs of other games are ignored.
#[test]
fn existing_graphs_are_kept() {
    let folder = Folder::new();
    let (pgn, out, graphs) = (file(&folder, "games.pgn", GAMES), folder.join("out.pgn"), folder.join("graphs"));
    fs::create_dir(&graphs).unwrap();
    for game in [2, 3] {
        fs::write(graphs.join(format!("game-{game}.svg")), "old").unwrap();
    }
    let both = ["analyse", text(&pgn), "--depth", "1", "--out", text(&out), "--graphs", text(&graphs)];
    let with = |more: &[&'static str]| both.iter().chain(more).copied().collect::<Vec<&str>>();
    for arguments in [with(&[]), with(&["--game", "2"])] {
        let (code, output, errors) = run(&arguments);
        assert!(code == 1 && output.is_empty() && !out.exists(), "{output}");
        assert!(errors.contains("game-2.svg exists already: replace it with --force"), "{errors}");
    }
    succeed(&with(&["--game", "1"]));
    succeed(&with(&["--force"]));
    let is_old = |game| fs::read_to_string(graphs.join(format!("game-{game}.svg"))).unwrap() == "old";
    assert_eq!([1, 2, 3].map(is_old), [false, false, true]);
    let nowhere = folder.join("missing/out.pgn");
    let (code, output, errors) = run(&["analyse", text(&pgn), "--depth", "1", "--out", text(&nowhere)]);
    assert!(code == 1 && output.is_empty() && errors.contains("out.pgn cannot be written: "), "{output}{errors}");
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
    assert!(code == 2 && errors.contains("is neither a file nor a FEN"), "{errors}");
}

#[test]
fn malformed_games_are_reported() {
    let bad = "[Event \"1\"]\n\n1. e4 e5 2. Ke3 *\n\n[Event \"2\"]\n\n1. e4 {no end *\n\n[Event \"3\"]\n\n1. e4 *\n\n[Variant \"Atomic\"]\n\n1. e4 *\n\n[FEN \"9/8 b - - 0 7\"]\n\n7... e5 8. e4 *\n";
    let (code, games, errors) = run_with_input(&["analyse", "--pgn", "-", "--nodes", "1000"], bad);
    assert_eq!(code, 1);
    // Games are annotated up to an illegal move; unreadable games are copied as they are.
    assert_in_order(
        &games,
        &[
            "[Event \"1\"]",
            "1. e4 {[%eval ",
            "2. Ke3 *",
            "[Event \"2\"]\n\n1. e4 {no end *\n",
            "[Event \"3\"]",
            "1. e4 {[%eval ",
            "Atomic",
            "1. e4 *",
            "7... e5 8. e4 *",
        ],
    );
    assert_eq!((games.matches("[Event ").count(), games.matches("[Annotator ").count()), (5, 2), "{games}");
    assert_in_order(
        &errors,
        &[
            "-: game 1, line 3: \"Ke3\" is not one legal move in this position: annotated up to this move",
            "game 2, line 7: the comment that begins here has no end: copied, not annotated",
            "game 4, line 13: the variant \"Atomic\" is not chess: copied, not annotated",
            "4 games or files could not be read as a whole",
        ],
    );
    let (code, _, errors) = run(&["analyse", "--pgn", "-"]);
    assert!(code == 1 && errors.contains("has no games"), "{errors}");
    let nested = format!("1. e4 {} e5 *", "(".repeat(200_000));
    let (code, _, errors) = run_with_input(&["analyse", "--pgn", "-"], &nested);
    assert!(code == 1 && errors.contains("game 1, line 1: the variation"), "{errors}");
}

/// The faults of files that users reported: what can be understood is annotated, the rest is copied, and all of it is said.
#[test]
fn doubtful_games_are_kept_and_reported() {
    let text = "Games of the club.\n\n[White \"A\"]\n[Result \"1-0\"]\n\n[White \"B\"]\n[Result \"0-1\"]\n\n\
                1. e2-e4 {[%clk 0:05:00] So.} e7-e5 1/2-1/2\n\n[White \"C\"]\n\n1. e4 {a {nested} comment} e5 1-0\n";
    let (code, games, errors) = run_with_input(&["analyse", "--pgn", "-", "--nodes", "1000"], text);
    assert_eq!(code, 1);
    assert_in_order(
        &games,
        &[
            "[White \"A\"]",
            "[Result \"1-0\"]",
            "[White \"B\"]",
            "[Result \"0-1\"]",
            "1. e4 {[%clk 0:05:00] So. [%eval ",
            "[%eval ",
            "0-1\n",
            "[White \"C\"]\n\n1. e4 {a {nested} comment} e5 1-0\n",
        ],
    );
    assert_in_order(
        &errors,
        &[
            "-: game 1: the text before the first tag is left out",
            "-: game 2: the tag Result says 0-1, the moves end with 1/2-1/2: the tag counts",
            "-: game 3, line 13: unexpected '}': copied, not annotated",
        ],
    );
}

fn gzip(content: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Compressed files and UTF-16 are read; a file that is no text is named.
#[test]
fn files_of_other_encodings_are_read_or_refused() {
    let folder = Folder::new();
    let write = |name: &str, bytes: &[u8]| {
        fs::write(folder.join(name), bytes).unwrap();
        folder.join(name)
    };
    let utf16: Vec<u8> = "\u{feff}1. e4 e5 *\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (name, bytes) in [("a.pgn.gz", gzip("1. e4 e5 *\n")), ("b.pgn", gzip("1. e4 e5 *\n")), ("c.pgn", utf16)] {
        let (code, games, errors) = run(&["analyse", text(&write(name, &bytes)), "--nodes", "1000"]);
        assert!(code == 0 && games.contains("1. e4 {[%eval "), "{name}: {games}{errors}");
    }
    let suite = write("d.epd.gz", &gzip(MATES));
    assert!(succeed(&["analyse", text(&suite), "--depth", "1"]).contains("3 of 3"));
    let zip = write("e.pgn", b"PK\x03\x04 and more");
    let (code, output, errors) = run(&["analyse", text(&zip)]);
    assert!(code == 1 && output.is_empty() && errors.contains("e.pgn is a zip archive"), "{errors}");
    // The games before the damaged end are annotated.
    let games: String = (0..3000).map(|number| format!("[Round \"{number}\"]\n\n1. e4 *\n\n")).collect();
    let mut cut = gzip(&games);
    cut.truncate(cut.len() - 40);
    let cut = write("f.pgn.gz", &cut);
    let (code, games, errors) = run(&["analyse", text(&cut), "--nodes", "1", "--moves", "9"]);
    assert!(code == 1 && games.contains("[Round \"7\"]") && errors.contains("cannot be read"), "{errors}");
}

/// A folder stands for its files; a file that cannot be used does not keep the others from being annotated.
#[test]
fn several_files_and_folders() {
    let folder = Folder::new();
    fs::create_dir(folder.join("games")).unwrap();
    for (name, content) in [("games/a.pgn", "[Round \"a\"]\n\n1. e4 *\n"), ("games/b.pgn", GAMES), ("games/c.pgn", "")]
    {
        file(&folder, name, content);
    }
    let (games, graphs) = (folder.join("games"), folder.join("graphs"));
    let arguments = ["analyse", text(&games), "--depth", "1", "--graphs", text(&graphs)];
    let (code, output, errors) = run(&arguments);
    assert_eq!((code, output.matches("[Event ").count()), (1, 3), "{output}{errors}");
    assert_in_order(
        &errors,
        &["c.pgn has no games", "Game 1: ", "Game 3: Bob <b>", "All 3 games", "a game or file could not"],
    );
    assert!(folder.join("graphs/game-3.svg").exists() && !folder.join("graphs/game-4.svg").exists());
    // The same file twice, and a folder without files.
    let a = folder.join("games/a.pgn");
    assert_eq!(succeed_quietly(&["analyse", text(&a), text(&a), "--depth", "1"]).matches("[Round \"a\"]").count(), 2);
    let (code, _, errors) = run(&["analyse", text(&graphs)]);
    assert!(code == 1 && errors.contains("has no file that ends in .pgn or .epd"), "{errors}");
    // Suites, one of which has nothing: in a folder with games, the kind is named.
    file(&folder, "games/d.epd", "");
    file(&folder, "games/e.epd", MATES);
    let (code, output, errors) = run(&["analyse", "--epd", text(&games), "--depth", "4"]);
    assert!(code == 1 && output.contains("3 of 3") && errors.contains("d.epd has no position"), "{output}{errors}");
    assert!(errors.contains("1 files and 0 lines could not be used"), "{errors}");
}

/// Runs the program, expects success, and returns the standard output.
fn succeed_quietly(arguments: &[&str]) -> String {
    let (code, output, errors) = run(arguments);
    assert_eq!(code, 0, "{errors}");
    output
}

#[test]
fn results_are_json_lines() {
    let folder = Folder::new();
    let objects = |arguments: &[&str]| -> Vec<serde_json::Value> {
        succeed_quietly(arguments).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let position = objects(&["analyse", "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "--depth", "3", "--json"]);
    let (last, lines) = position.split_last().unwrap();
    assert!(lines.iter().all(|line| line["type"] == "line" && line["pv"].is_array()), "{lines:?}");
    assert_eq!((&last["type"], &last["best"], &last["best_san"]), (&"result".into(), &"d1d8".into(), &"Rd8#".into()));
    assert_eq!(lines.last().unwrap()["score"]["mate"], 1);
    let over = objects(&["analyse", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "--json"]);
    assert!(over.len() == 1 && over[0]["best"].is_null() && over[0]["outcome"] == "stalemate", "{over:?}");
    let mates = file(&folder, "mates.epd", MATES);
    let suite = objects(&["analyse", text(&mates), "--depth", "4", "--json"]);
    assert_eq!(suite.iter().filter(|result| result["solved"] == true).count(), 3, "{suite:?}");
    assert!(suite[3]["solved"].is_null() && suite[1]["score"]["mate"] == 1);
    let pgn = file(&folder, "games.pgn", GAMES);
    let games = objects(&["analyse", text(&pgn), "--depth", "7", "--json"]);
    assert_eq!(games.iter().filter(|object| object["type"] == "move").count(), 10);
    let blunder = games.iter().find(|object| object["san"] == "Qxe5+").unwrap();
    assert_eq!((&blunder["judgement"], &blunder["move"]), (&"blunder".into(), &"h5e5".into()));
    let last = games.last().unwrap();
    assert_eq!(
        (&last["type"], &last["white"]["blunders"], &last["black"]["name"]),
        (&"game".into(), &1.into(), &"Ada".into())
    );
}

#[test]
fn moves_thresholds_and_report() {
    let folder = Folder::new();
    let (pgn, out, page) = (file(&folder, "games.pgn", GAMES), folder.join("out.pgn"), folder.join("report.html"));
    let graphs = folder.join("graphs");
    let range = ["analyse", text(&pgn), "--game", "1", "--depth", "5", "--moves", "2-2"];
    let annotated = succeed_quietly(&range);
    assert_eq!(annotated.matches("[%eval ").count(), 2, "{annotated}");
    let few = succeed_quietly(&["analyse", text(&pgn), "--depth", "7", "--thresholds", "100,100,100"]);
    assert!(!few.contains("$4") && few.contains("[%eval "), "{few}");
    let arguments = ["analyse", text(&pgn), "--depth", "5", "--out", text(&out), "--report", text(&page)];
    succeed(&arguments);
    let html = fs::read_to_string(&page).unwrap();
    let data = html.split_once("id=\"games\">").unwrap().1.split_once("</script>").unwrap().0;
    let games: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!((games[0]["steps"].as_array().unwrap().len(), games[1]["steps"].as_array().unwrap().len()), (7, 5));
    assert!(games[1]["title"].as_str().unwrap().contains("Bob <b>") && !html.contains("Bob <b>"));
    let (code, _, errors) = run(&arguments);
    assert!(code == 1 && errors.contains("--force"), "{errors}");
    let (code, _, errors) = run(&["analyse", text(&pgn), "--out", text(&page), "--report", text(&page), "--force"]);
    assert!(code == 1 && errors.contains("is named for two outputs"), "{errors}");
    // Moves that no game has: the games are copied.
    let copied = succeed_quietly(&["analyse", text(&pgn), "--moves", "50-60", "--graphs", text(&graphs)]);
    assert!(copied.contains("[Event ") && !copied.contains("Annotator") && fs::read_dir(&graphs).unwrap().count() == 0);
    // A game without moves has neither chart nor page.
    let empty = file(&folder, "empty.pgn", "[White \"A\"]\n\n*\n");
    let nothing = folder.join("nothing.html");
    succeed_quietly(&["analyse", text(&empty), "--graphs", text(&graphs), "--report", text(&nothing)]);
    assert!(!graphs.join("game-1.svg").exists() && !nothing.exists());
}

/// A process that is killed if a test fails or waits too long.
#[cfg(unix)]
struct Watched(std::sync::Arc<std::sync::Mutex<Child>>);

#[cfg(unix)]
impl Watched {
    fn new(child: Child) -> Watched {
        let child = std::sync::Arc::new(std::sync::Mutex::new(child));
        let watched = std::sync::Arc::downgrade(&child);
        std::thread::spawn(move || {
            std::thread::sleep(PATIENCE);
            watched.upgrade().map(|child| child.lock().unwrap().kill())
        });
        Watched(child)
    }
}

#[cfg(unix)]
impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.0.lock().unwrap().kill();
    }
}

/// Ctrl-C ends the search and shows the results so far.
#[cfg(unix)]
#[test]
fn interrupt_shows_the_results_so_far() {
    let folder = Folder::new();
    let interrupted = |arguments: &[&str], until: &str| {
        let mut command = sesame();
        command.arg("analyse").args(arguments);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (stdout, mut stderr, id) = (child.stdout.take().unwrap(), child.stderr.take().unwrap(), child.id());
        let watched = Watched::new(child);
        let mut lines = BufReader::new(stdout).lines().map(Result::unwrap);
        let mut output: String =
            lines.by_ref().take_while(|line| !line.contains(until)).map(|line| line + "\n").collect();
        kill(Pid::from_raw(id as i32), Signal::SIGINT).unwrap();
        output.extend(lines.map(|line| line + "\n"));
        let mut errors = String::new();
        stderr.read_to_string(&mut errors).unwrap();
        let code = watched.0.lock().unwrap().wait().unwrap().code();
        assert!(errors.contains("Ctrl-C: the analysis ends"), "{errors}");
        (code, output, errors)
    };
    let (code, output, _) = interrupted(&["--ascii", "--time", "100000"], "  3/");
    assert!(code == Some(0) && output.contains("Best move: "), "{output}");
    // A mate ends its search; the second position is never solved.
    let epd =
        "7k/8/6K1/8/8/8/8/R7 w - - dm 1; id \"first\";\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm a3;\n";
    let suite = file(&folder, "two.epd", epd);
    let (code, output, errors) = interrupted(&[text(&suite), "--time", "100000"], "first");
    assert!(code == Some(1) && output.contains("two.epd          1  1 of 1"), "{output}{errors}");
    assert!(errors.contains("interrupted after 1 of 2 positions"), "{errors}");
    // The first game is over. The last position of the second is mate, the one before is searched without an end.
    let games = format!("[Event \"done\"]\n[FEN \"{MATED}\"]\n\n0-1\n\n[Event \"begun\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n");
    let games = file(&folder, "two.pgn", &games);
    let (code, output, errors) = interrupted(&["--threads", "2", text(&games), "--time", "100000"], "done");
    let partial = "interrupted in game 2, which is annotated in part: 2 of 2 games are in the output";
    let before = "interrupted: 1 of 2 games are in the output";
    let begun = output.contains("begun");
    assert!(errors.contains(if begun { partial } else { before }), "{output}{errors}");
    assert!(code == Some(1), "{output}{errors}");
}
