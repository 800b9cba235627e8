//! `sesame scaling` with other engines, and in parts.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Output, Stdio};

use crate::support::folder::Folder;
use crate::support::program::{output_in_time, sesame};

/// Two positions, one with a solution.
const POSITIONS: &str = "\
    r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - bm Nb3; id \"BK.18\";\n\
    8/2k5/p1p2n2/1p1p1pp1/3P4/1PP1KPN1/P5P1/8 w - - 0 1 id \"pawns\";\n";

/// A UCI engine for these positions. Its argument says what is wrong with it.
const FAKE: &str = r#"
searches=0
while read -r line; do
    case "$line" in
        uci)
            [ "$1" = early ] && exit 4
            echo "id name Fake $1, of shell"
            [ "$1" = single ] || echo 'option name Threads type spin default 1 min 1 max 4'
            echo 'option name Hash type spin default 1 min 1 max 64'
            echo 'option name Style type string default solid'
            printf 'garbage \377\376\n\n'
            echo uciok ;;
        isready) echo readyok ;;
        setoption*) echo "$line" >> "options-$1" ;;
        position*r1bq1rk1*) move=c5b3 ;;
        position*2k5*) move=e3d3 ;;
        position*) move=e2e4 ;;
        go*)
            searches=$((searches + 1))
            [ "$1" = dying ] && [ -e mortal ] && [ $searches -ge 6 ] && exit 3
            [ "$1" = illegal ] && move=e2e5
            [ "$1" = garbage ] && { head -c 3000 /dev/urandom; echo; echo info depth x; echo bestmove; continue; }
            depth=${line#go depth }
            [ "$depth" = "$line" ] && depth=4
            for reached in $(seq 1 $depth); do
                [ "$1" = shallow ] || echo "info depth $reached score cp 1 nodes ${reached}000 pv $move"
            done
            echo "info nodes ${depth}000"
            echo "bestmove $move" ;;
        quit) exit 0 ;;
    esac
done
"#;

fn folder() -> Folder {
    let plain = POSITIONS.replace("bm Nb3; ", "");
    Folder::new()
        .with("two.epd", POSITIONS.as_bytes())
        .with("plain.epd", plain.as_bytes())
        .with("fake.sh", FAKE.as_bytes())
}

fn run(folder: &Folder, options: &str, engines: &[&str]) -> Output {
    let mut command = sesame();
    command.current_dir(folder.path()).arg("scaling");
    if !options.contains("--hash") && !options.contains("--page") {
        command.args(["--hash", "2"]);
    }
    command.args(options.split_whitespace());
    for engine in engines {
        command.args(["--engine", engine]);
    }
    command.stdin(Stdio::null());
    let output = output_in_time(command);
    assert!(!errors(&output).contains("panicked"), "{}", errors(&output));
    output
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the text of a successful run.
fn succeed(folder: &Folder, options: &str, engines: &[&str]) -> String {
    let output = run(folder, options, engines);
    assert!(output.status.success(), "{options}: {}", errors(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the beginnings of the rows of `run`: engine, variant, threads, round, position, depth.
fn rows(csv: &str, run: &str) -> Vec<String> {
    let rows = csv.lines().filter_map(|line| line.strip_prefix(run)?.strip_prefix(','));
    rows.map(|row| row.split(',').take(6).collect::<Vec<_>>().join(",")).collect()
}

/// The fake engine completes depth 3 within these nodes.
const SMALL: &str = "--positions plain.epd --threads 2 --rounds 2 --nodes 3500 --wait-for-quiet 0 --out out";

#[test]
fn engines_are_measured_like_sesame() {
    let folder = folder();
    let options = format!("{SMALL} --option Style=wild --option 2:Style=calm --option sh:Other=1");
    let output = run(&folder, &options, &["sh fake.sh 'good'", "sh fake.sh single"]);
    assert!(output.status.success(), "{}", errors(&output));
    for part in ["Fake single  of shell: it has no option Threads", "Fake good  of shell: it has no option Other"] {
        assert!(errors(&output).contains(part), "{}", errors(&output));
    }
    let csv = folder.text("out/real.csv");
    let counts = ["Sesame", "Fake good  of shell", "Fake single  of shell"].map(|engine| {
        let count = |run: &str| rows(&csv, run).iter().filter(|row| row.starts_with(&format!("{engine},"))).count();
        (count("calibration"), count("depth"))
    });
    assert_eq!(counts, [(2, 8), (2, 8), (2, 4)], "{csv}");
    assert!(rows(&csv, "depth").contains(&"Fake good  of shell,default,2,2,pawns,3".to_owned()), "{csv}");
    let engines: Vec<&str> =
        rows(&csv, "depth").iter().map(|row| if row.starts_with('S') { "S" } else { "F" }).collect();
    assert!(engines.windows(2).filter(|pair| pair[0] != pair[1]).count() > 2, "they are shuffled: {engines:?}");
    assert!(
        csv.contains("# engine: Fake single  of shell (sh fake.sh single; Hash=2; Style=wild; Style=calm)"),
        "{csv}"
    );
    let set = folder.text("options-good");
    assert!(set.contains("name Hash value 2") && set.contains("name Style value wild"), "{set}");
    assert!(set.contains("name Threads value 2") && !set.contains("calm"), "{set}");
    let page = folder.text("out/README.md");
    for part in ["| Fake good  of shell | 2 | 2 |", "engines-rate.svg", "engines-time.svg", "engines-move.svg"] {
        assert!(page.contains(part), "{part} not in\n{page}");
    }
}

#[test]
fn sesame_is_measured_as_another_engine() {
    let folder = folder();
    let program = format!("\"{}\" uci", env!("CARGO_BIN_EXE_sesame"));
    let options = "--positions two.epd --threads 2 --rounds 1 --time 0.2 --wait-for-quiet 0 --out out";
    let tables = succeed(&folder, options, &[&program]);
    let name = format!("Sesame {}", env!("CARGO_PKG_VERSION"));
    let csv = folder.text("out/real.csv");
    for run in ["depth", "solution"] {
        let count = |engine: &str| rows(&csv, run).iter().filter(|row| row.starts_with(&format!("{engine},"))).count();
        assert_eq!(count(&name), count("Sesame"), "{csv}");
        assert!(count(&name) >= 2, "{csv}");
    }
    assert!(tables.contains(&name) && tables.contains("time to solution"), "{tables}");
    assert!(folder.text("out/README.md").contains(&format!("| {name} | 2 |")), "{tables}");
}

#[test]
fn open_searches_of_engines_end_at_the_depth() {
    let folder = folder();
    let program = format!("'{}'", env!("CARGO_BIN_EXE_sesame"));
    succeed(&folder, &format!("{SMALL} --open"), &[&program]);
    let csv = folder.text("out/real.csv");
    let searches: Vec<&str> = csv.lines().filter(|line| line.starts_with("depth,")).collect();
    assert_eq!(searches.len(), 16, "{csv}");
    // The processor time until the depth is not known.
    assert!(searches.iter().all(|row| row.split(',').nth(9) == Some("")), "{csv}");
}

#[test]
fn broken_engines_are_dropped_and_the_rest_goes_on() {
    let folder = folder().with("mortal", b"");
    let engines = ["dying", "illegal", "garbage", "early", "shallow", "good"].map(|kind| format!("sh fake.sh {kind}"));
    let mut engines: Vec<&str> = engines.iter().map(String::as_str).collect();
    engines.push("./missing --uci");
    let output = run(&folder, SMALL, &engines);
    let errors = errors(&output);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let reasons = [
        ("Fake dying  of shell", "exit status: 3"),
        ("Fake illegal  of shell", "\"e2e5\" is not a legal move"),
        ("Fake garbage  of shell", "no move is not a legal move"),
        ("sh", "exit status: 4"),
        ("Fake shallow  of shell", "no position is left to search"),
        ("missing", "cannot be started"),
    ];
    let page = folder.text("out/README.md");
    for (name, reason) in reasons {
        let has = |text: &str, start: &str| text.lines().any(|line| line.contains(start) && line.contains(reason));
        assert!(has(&errors, &format!("{name} is dropped: ")), "{name}: {errors}");
        assert!(has(&page, &format!("**Warning**: {name} was dropped: ")), "{name}: {page}");
    }
    assert!(errors.lines().last().is_some_and(|line| line.starts_with("error: dropped engines: ")), "{errors}");
    let csv = folder.text("out/real.csv");
    let count = |engine: &str| rows(&csv, "depth").iter().filter(|row| row.starts_with(&format!("{engine},"))).count();
    assert_eq!((count("Sesame"), count("Fake good  of shell")), (8, 8), "{csv}");
    assert!((1..8).contains(&count("Fake dying  of shell")), "what was measured is kept: {csv}");
    assert_eq!(rows(&csv, "dropped").len(), 6, "{csv}");

    // The report alone is a success.
    succeed(&folder, "--page --out out", &[]);
    assert_eq!(folder.text("out/README.md"), page);
}

#[test]
fn measurements_with_engines_resume() {
    let folder = folder().with("mortal", b"");
    let engines = ["sh fake.sh good", "sh fake.sh dying"];
    assert_eq!(run(&folder, SMALL, &engines).status.code(), Some(1));
    let first = folder.text("out/real.csv");
    let (head, body) = first.split_at(first.find("\ndepth,").unwrap() + 1);
    let kept: String = body.split_inclusive('\n').take(5).collect();
    // As after a kill within a line.
    fs::write(folder.join("out/real.csv"), format!("{head}{kept}depth,Sesame,def")).unwrap();
    fs::remove_file(folder.join("mortal")).unwrap();
    let other_table = errors(&run(&folder, &format!("{SMALL} --resume --hash 4"), &engines));
    assert!(other_table.contains("this run \"# hash: 4 MiB\""), "{other_table}");
    let other_engines = errors(&run(&folder, &format!("{SMALL} --resume"), &engines[..1]));
    assert!(
        other_engines.contains("has \"# engine: Fake dying") && other_engines.contains("this run \"\""),
        "{other_engines}"
    );
    succeed(&folder, &format!("{SMALL} --resume"), &engines);
    let resumed = folder.text("out/real.csv");
    let without_drops =
        |text: &str| text.lines().filter(|line| !line.starts_with("dropped,")).collect::<Vec<_>>().join("\n");
    assert!(resumed.starts_with(&without_drops(&format!("{head}{kept}"))), "{first}\n{resumed}");
    assert_eq!(rows(&resumed, "dropped").len(), 0, "{resumed}");
    let searches = rows(&resumed, "depth");
    assert_eq!((searches.len(), searches.iter().collect::<BTreeSet<_>>().len()), (24, 24), "{resumed}");
    // Nothing is left to do.
    succeed(&folder, &format!("{SMALL} --resume"), &engines);
    assert_eq!(folder.text("out/real.csv"), resumed);
}

#[test]
fn options_for_unknown_engines_are_refused() {
    let folder = folder();
    let output = run(&folder, &format!("{SMALL} --option stockfish:A=b"), &["sh fake.sh good"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("\"stockfish\""), "{}", errors(&output));
    assert_eq!(folder.text("out/real.csv"), "");
}

const SIMULATION: &str = "--positions plain.epd --simulate 1,2,5 --nodes 3000";

#[test]
fn merged_parts_are_the_whole_simulation() {
    let folder = folder();
    succeed(&folder, &format!("{SIMULATION} --out whole"), &[]);
    for part in 1..=3 {
        let text = succeed(&folder, &format!("{SIMULATION} --shard {part}/3 --out part-{part}"), &[]);
        assert!(text.contains(&format!("part {part}/3")), "{text}");
        let csv = folder.text(&format!("part-{part}/simulated.csv"));
        assert_eq!(csv.lines().filter(|line| line.starts_with("lockstep,")).count(), 2, "{csv}");
    }
    assert_eq!(folder.text("part-2/README.md"), "", "a part has no report");
    // A part that was killed resumes.
    let part = folder.text("part-2/simulated.csv");
    fs::write(folder.join("part-2/simulated.csv"), &part[..part.len() - 9]).unwrap();
    let refused = |options: &str, reason: &str| {
        let output = run(&folder, options, &[]);
        assert_eq!(output.status.code(), Some(1), "{options}");
        assert!(errors(&output).contains(reason), "{options}: {}", errors(&output));
    };
    refused("--merge part-1 part-2 part-3 --out merged", "cut off");
    succeed(&folder, &format!("{SIMULATION} --shard 2/3 --out part-2 --resume"), &[]);
    assert_eq!(folder.text("part-2/simulated.csv"), part);
    refused(&format!("{SIMULATION} --shard 1/3 --out part-2 --resume"), "shard");

    let tables = succeed(&folder, "--merge part-3 part-1 part-2 --out merged", &[]);
    assert!(tables.contains("speed-up"), "{tables}");
    assert_eq!(folder.text("merged/simulated.csv"), folder.text("whole/simulated.csv"));
    assert_eq!(folder.text("merged/README.md"), folder.text("whole/README.md"));

    refused("--merge part-1 part-3 --out other", "missing of 3 parts: 2");
    refused("--merge part-1 whole --out other", "not made with --shard");
    refused("--merge part-1 part-2 part-3 --out merged", "exists already");
    succeed(&folder, &format!("{SIMULATION} --hash 4 --shard 3/3 --out part-3 --force"), &[]);
    refused("--merge part-1 part-2 part-3 --out other", "\"# hash: 2 MiB\" and \"# hash: 4 MiB\"");
}
