//! `sesame scaling` on a small scale.

use std::fs;
#[cfg(unix)]
use std::process::Child;
use std::process::{Command, Output, Stdio};
#[cfg(unix)]
use std::thread::sleep;
#[cfg(unix)]
use std::time::{Duration, Instant};

#[cfg(unix)]
use crate::support::PATIENCE;
use crate::support::folder::Folder;
#[cfg(target_os = "linux")]
use crate::support::is_alive;
use crate::support::program::{output_in_time, sesame};

/// Two positions and a malformed line.
const POSITIONS: &str = "# two\n\
    r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - bm Nb3; id \"BK.18\";\n\
    8/2k5/p1p2n2/1p1p1pp1/3P4/1PP1KPN1/P5P1/8 w - - 0 1\n\
    nonsense\n";

/// A folder with the positions, in which the program runs.
fn folder() -> Folder {
    Folder::new().with("two.epd", POSITIONS.as_bytes())
}

/// Returns a run in `folder` with its results in a folder `out` there.
fn command(folder: &Folder, options: &str) -> Command {
    let mut command = sesame();
    command.current_dir(folder.path()).args(["scaling", "--out", "out", "--hash", "1", "--positions", "two.epd"]);
    command.args(options.split_whitespace());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn message(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!text.contains("panicked"), "{text}");
    text
}

fn succeed(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", message(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the rows of the CSV file that begin like this.
fn rows(folder: &Folder, start: &str) -> Vec<String> {
    let text = folder.text("out/results.csv");
    text.lines().filter(|line| line.starts_with(start)).map(str::to_owned).collect()
}

fn assert_parts(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} not in\n{text}");
    }
}

const SIMULATION: &str = "--simulate 1,2,5 --nodes 3000";

#[test]
fn simulations_are_repeatable() {
    let folder = folder();
    let tables = succeed(command(&folder, &format!("{SIMULATION} --jobs 1")));
    assert_parts(&tables, &["speed-up", "Simulated", "warning: too few positions", "5 threads of Sesame (2)"]);
    assert!(tables.starts_with("Sesame in the simulation reaches the same depth "), "{tables}");
    let first = folder.text("out/results.csv");
    assert_eq!(rows(&folder, "lockstep,Sesame,").len(), 6, "{first}");
    assert_parts(&first, &["BK.18", "line-3"]);
    assert_parts(&folder.text("out/README.md"), &["## Simulated", "simulated.svg", "BK.18", "| date | 20"]);
    assert_parts(&folder.text("out/report.html"), &["<svg", "<table"]);
    let json = succeed(command(&folder, &format!("{SIMULATION} --jobs 2 --force --json")));
    assert_eq!(folder.text("out/results.csv"), first);
    assert_eq!(json.trim_end(), folder.text("out/results.json").trim_end());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["verdict"].as_str(), tables.lines().next());
    assert_eq!(
        (&json["schema"], &json["program"]["version"]),
        (&1.into(), &env!("CARGO_PKG_VERSION").into()),
        "{json}"
    );
}

#[test]
fn existing_files_are_replaced_by_force_only() {
    for name in [
        "README.md",
        "report.html",
        "results.json",
        "results.csv",
        "simulated.svg",
        "nodes-per-second.svg",
        "time-to-depth.svg",
    ] {
        let folder = folder();
        fs::create_dir(folder.join("out")).unwrap();
        fs::write(folder.join("out").join(name), "my own").unwrap();
        let options = "--simulate 1,2 --nodes 500";
        let refused = command(&folder, options).output().unwrap();
        assert_parts(&message(&refused), &[name, "exists already", "--force", "--out"]);
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0), "{name}");
        assert_eq!(fs::read_dir(folder.join("out")).unwrap().count(), 1, "{name}");
        assert_eq!(folder.text(&format!("out/{name}")), "my own");
        succeed(command(&folder, &format!("{options} --force")));
    }
}

#[test]
fn real_threads_beside_the_simulation() {
    let folder = folder();
    let output = command(&folder, &format!("{SIMULATION} --threads 2 --rounds 2 --time 0.2")).output().unwrap();
    assert!(output.status.success(), "{}", message(&output));
    let plan = [
        "Measure Sesame by the clock: threads: 1, 2; positions: 2 of two.epd; depths: calibrated with 0.2 s of one thread; rounds: 2\n",
        "Simulate Sesame in lockstep: threads: 1, 2, 5; positions: 2 of two.epd; depths: calibrated with 3000 nodes of one thread; ",
        "The results go to the folder out. The run takes about a minute or less.\n",
        "line 4 is left out",
    ];
    assert_parts(&message(&output), &plan);
    assert_eq!((rows(&folder, "clock,").len(), rows(&folder, "lockstep,").len()), (8, 6));
    let page = folder.text("out/README.md");
    assert_parts(
        &page,
        &["## Real threads", "## The simulation beside real threads", "time-to-depth.svg", "cores had"],
    );
    let json: serde_json::Value = serde_json::from_str(&folder.text("out/results.json")).unwrap();
    assert_eq!(json["real"]["engines"][0]["points"][1]["threads"], 2);
    assert_eq!(json["simulated"]["engines"][0]["points"][2]["threads"], 5);
}

/// A thousand rounds of 100,000 nodes for each of four searches: far more than is searched before the end.
#[cfg(unix)]
const LONG: &str = "--threads 1,2 --rounds 1000 --nodes 100000";

/// Starts a long run, waits for its first rows, which are in the file at once, and ends it with `kill`.
#[cfg(unix)]
fn ended_in(folder: &Folder, command: &mut Command, kill: impl FnOnce(&mut Child)) -> Output {
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    while rows(folder, "clock,").len() < 4 {
        assert!(start.elapsed() < PATIENCE, "{}", folder.text("out/results.csv"));
        sleep(Duration::from_millis(5));
    }
    assert!(child.try_wait().unwrap().is_none(), "the run is not over");
    kill(&mut child);
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
#[test]
fn interrupted_runs_report_what_there_is() {
    use nix::sys::signal::{Signal, kill};
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let folder = folder();
        let end = |child: &mut Child| kill(nix::unistd::Pid::from_raw(child.id() as i32), signal).unwrap();
        let output = ended_in(&folder, &mut command(&folder, LONG), end);
        assert!(output.status.success(), "{}", message(&output));
        assert_parts(&message(&output), &["Interrupted: Sesame ends the search"]);
        assert_parts(&folder.text("out/README.md"), &["| Sesame | 1 |"]);
    }
}

/// Ctrl-C at a terminal reaches the whole process group: an engine in it would die in the middle of its search. An engine ends
/// with the run, also if that is killed.
#[cfg(target_os = "linux")]
#[test]
fn other_engines_receive_no_ctrl_c_and_are_not_left_over() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::{Pid, getpgid};
    for end in [&[Signal::SIGTERM][..], &[Signal::SIGTERM, Signal::SIGTERM], &[Signal::SIGKILL]] {
        let folder = folder().with("fake.sh", engines::FAKE.as_bytes());
        // The fake engine has 4000 nodes.
        let mut command = command(&folder, "--threads 1,2 --rounds 1000 --nodes 3500");
        command.args(["--engine", "sh fake.sh deaf"]);
        let mut engine = 0;
        ended_in(&folder, &mut command, |child| {
            let tasks = fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
            let children = tasks.map(|task| fs::read_to_string(task.unwrap().path().join("children")).unwrap());
            let children = children.collect::<String>();
            let engines: Vec<i32> = children.split_whitespace().map(|number| number.parse().unwrap()).collect();
            assert_eq!(engines.len(), 1, "{children}");
            engine = engines[0];
            let group = |process: i32| getpgid(Some(Pid::from_raw(process))).unwrap();
            assert_ne!(group(engine), group(child.id() as i32));
            for signal in end {
                let _ = kill(Pid::from_raw(child.id() as i32), *signal);
                sleep(Duration::from_millis(20));
            }
        });
        let start = Instant::now();
        while is_alive(engine as u32) {
            assert!(start.elapsed() < PATIENCE, "the engine {engine} is left over after {end:?}");
            sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn wrong_arguments_are_reported_before_the_first_search() {
    let folder = folder().with("empty.epd", b"# nothing\n").with("bad.epd", b"hello\nworld\n").with("file", b"");
    // Should a search begin, it takes a day, and the watchdog ends it.
    for (options, part) in [
        ("--positions empty.epd", "no position"),
        ("--positions bad.epd", "line 1"),
        ("--positions missing.epd", "missing.epd"),
        ("--positions .", "error: .: "),
        #[cfg(unix)]
        ("--positions /dev/zero", "larger than 256 MiB"),
        ("--out file/out", "file/out"),
        ("--hash 33554432", "a table of"),
        ("--engine sh --option stockfish:A=b", "\"stockfish\""),
    ] {
        let mut command = sesame();
        command.current_dir(folder.path()).args("scaling --time 86400 --threads 1".split_whitespace());
        command.args(options.split_whitespace());
        let output = output_in_time(command);
        assert_eq!(output.status.code(), Some(1), "{options}: {}", message(&output));
        assert_parts(&message(&output), &["error: ", part]);
        assert!(!folder.join("scaling").exists(), "{options}");
    }
}

/// Other engines.
#[cfg(unix)]
mod engines {
    use super::*;
    use crate::support::program::succeed as output_of;

    /// A UCI engine for the two positions. Its argument says what is wrong with it: a deaf one ends neither at `quit` nor at the end of
    /// its input.
    pub(super) const FAKE: &str = r#"
echo "${PMIX_RANK-}-${OMPI_MCA_ess_base_vpid-}" > "rank-$1"
searches=0
while read -r line; do
    case "$line" in
        uci)
            [ "$1" = early ] && exit 4
            echo "id name Fake $1, of shell"
            [ "$1" = single ] || echo 'option name Threads type spin default 1 min 1 max 4'
            echo 'option name Hash type spin default 1 min 1 max 64'
            echo 'option name Style type string default solid'
            [ "$1" = single ] || echo 'option name UCI_Chess960 type check default false'
            printf 'garbage \377\376\n\n'
            echo uciok ;;
        isready) echo readyok ;;
        setoption*) echo "$line" >> "options-$1" ;;
        position*r1bq1rk1*) move=c5b3 ;;
        position*2k5*) move=e3d3 ;;
        position*bbrkr2q*) move=d1e1; echo "$line" >> "options-$1" ;;
        position*) move=e2e4 ;;
        go*)
            searches=$((searches + 1))
            [ "$1" = dying ] && [ $searches -ge 6 ] && exit 3
            [ "$1" = illegal ] && move=e2e5
            depth=${line#go depth }
            [ "$depth" = "$line" ] && depth=4
            for reached in $(seq 1 $depth); do
                [ "$1" = shallow ] || echo "info depth $reached score cp 1 nodes ${reached}000 pv $move"
            done
            echo "info nodes ${depth}000"
            echo "bestmove $move" ;;
        quit) [ "$1" = deaf ] || exit 0 ;;
    esac
done
[ "$1" != deaf ] || exec sleep 1000
"#;

    /// Returns the name of this build, as another engine gives it.
    fn name() -> String {
        output_of(&["-V"]).trim_end().to_owned()
    }

    /// Runs with these engines. The fake engine completes depth 3 within the nodes.
    fn run(folder: &Folder, options: &str, engines: &[&str]) -> Output {
        fs::write(folder.join("fake.sh"), FAKE).unwrap();
        let mut command = command(folder, &format!("--threads 2 --rounds 2 --nodes 3500 {options}"));
        // As below mpirun.
        command.env("PMIX_RANK", "0").env("OMPI_MCA_ess_base_vpid", "0");
        for engine in engines {
            command.args(["--engine", engine]);
        }
        output_in_time(command)
    }

    #[test]
    fn engines_are_measured_like_sesame() {
        let folder = folder();
        let options = "--option Style=wild --option 2:Style=calm --option Lockstep=false";
        let sesame = format!("\"{}\"", env!("CARGO_BIN_EXE_sesame"));
        let output = run(&folder, options, &["sh fake.sh 'good'", "sh fake.sh single", &sesame]);
        assert!(output.status.success(), "{}", message(&output));
        assert_parts(
            &message(&output),
            &[
                "Measure Sesame, sh, sh, sesame by the clock: ",
                "Fake single  of shell: it has no option Threads",
                "Fake good  of shell: it has no option Lockstep",
            ],
        );
        let other_sesame = name();
        let counts = ["Sesame", "Fake good  of shell", "Fake single  of shell", &other_sesame]
            .map(|engine| rows(&folder, &format!("clock,{engine},")).len());
        assert_eq!(counts, [8, 8, 4, 8]);
        assert_eq!(rows(&folder, "clock,Fake good  of shell,2,2,BK.18,3,3000,").len(), 1);
        let first_letters: Vec<char> = rows(&folder, "clock,").iter().filter_map(|row| row.chars().nth(6)).collect();
        let changes = first_letters.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(changes > 2, "the engines are shuffled: {first_letters:?}");
        assert_eq!(folder.text("rank-good"), "-\n", "the engine is no process of an MPI job");
        let set = folder.text("options-good");
        assert_parts(&set, &["name Hash value 1", "name Style value wild", "name Threads value 2"]);
        assert!(!set.contains("calm"), "{set}");
        assert_parts(
            &folder.text("out/README.md"),
            &[
                "| Fake good  of shell | 2 | 2 |",
                &format!("| {other_sesame} | 2 |"),
                "Fake single  of shell (sh fake.sh single; Hash=1; Style=wild; Style=calm)",
            ],
        );
    }

    /// Another engine gets the position that Sesame searches, or none.
    #[test]
    fn chess960_positions_need_an_engine_that_knows_them() {
        let chess960 = "bbrkr2q/pppp1ppp/4pnn1/8/8/4PNN1/PPPP1PPP/BBRKR2Q w ECec - 0 5 id \"chess960\";\n";
        let folder = Folder::new().with("two.epd", format!("{chess960}{POSITIONS}").as_bytes());
        let sesame = format!("\"{}\"", env!("CARGO_BIN_EXE_sesame"));
        let output = run(&folder, "", &["sh fake.sh good", "sh fake.sh single", &sesame]);
        assert!(output.status.success(), "{}", message(&output));
        let part = "warning: chess960 is left out: the engine has no option UCI_Chess960 (Fake single  of shell)";
        assert_parts(&message(&output), &[part]);
        let of = |engine: &str| rows(&folder, &format!("clock,{engine},1,1,chess960,"));
        let nodes = |row: &String| row.split(',').nth(6).unwrap().to_owned();
        let [own, other] = ["Sesame", &name()].map(|engine| of(engine).iter().map(nodes).collect::<Vec<_>>());
        assert_eq!((own.len(), &own), (1, &other));
        assert_eq!((of("Fake good  of shell").len(), of("Fake single  of shell").len()), (1, 0));
        let set = folder.text("options-good");
        let lines: Vec<&str> = set.lines().filter(|line| !line.contains("Hash") && !line.contains("Threads")).collect();
        let [on, off] = ["true", "false"].map(|value| format!("setoption name UCI_Chess960 value {value}"));
        let position = "position fen bbrkr2q/pppp1ppp/4pnn1/8/8/4PNN1/PPPP1PPP/BBRKR2Q w ECec - 0 5";
        assert!(lines.contains(&off.as_str()) && lines.contains(&position), "{set}");
        for place in (0..lines.len()).filter(|&place| lines[place] == position) {
            let before = lines[..place].iter().rev().find(|line| line.contains("Chess960"));
            assert_eq!(before, Some(&on.as_str()), "{set}");
        }
    }

    #[test]
    fn one_position_gives_no_interval() {
        let folder = folder();
        let tables = run(&folder, "--first 1 --json", &["sh fake.sh good"]);
        let json: serde_json::Value = serde_json::from_slice(&tables.stdout).unwrap();
        for engine in [0, 1] {
            let two = &json["real"]["engines"][engine]["points"][1];
            for figure in ["nodes_per_second", "time_to_depth", "nodes_per_thread", "same_move"] {
                let figure = &two[figure];
                assert!(figure["value"].is_number() && figure["low"].is_null() && figure["high"].is_null(), "{two}");
            }
        }
        let page = folder.text("out/README.md");
        assert!(page.contains("| Sesame | 2 | 1 |") && !page.contains(" to 1.00)"), "{page}");
        let rows = page.lines().filter(|line| line.starts_with("| Sesame |") || line.contains("times as fast with"));
        rows.for_each(|line| assert!(!line.contains('('), "{line}"));
    }

    #[test]
    fn broken_engines_are_dropped_and_the_rest_goes_on() {
        let folder = folder();
        let engines = ["dying", "illegal", "shallow", "good"].map(|kind| format!("sh fake.sh {kind}"));
        let output = run(&folder, "", &engines.iter().map(String::as_str).collect::<Vec<_>>());
        let errors = message(&output);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        let page = folder.text("out/README.md");
        for (name, reason) in [
            ("Fake dying  of shell", "exit status: 3"),
            ("Fake illegal  of shell", "\"e2e5\" is not a legal move"),
            ("Fake shallow  of shell", "no position is left to search"),
        ] {
            let has = |text: &str, start: &str| text.lines().any(|line| line.contains(start) && line.contains(reason));
            assert!(has(&errors, &format!("{name} is dropped: ")), "{name}: {errors}");
            assert!(has(&page, &format!("**Warning**: {name} was dropped: ")), "{name}: {page}");
        }
        assert!(errors.lines().last().is_some_and(|line| line.starts_with("error: dropped engines: ")), "{errors}");
        let count = |engine: &str| rows(&folder, &format!("clock,{engine},")).len();
        assert_eq!((count("Sesame"), count("Fake good  of shell")), (8, 8));
        assert!((1..8).contains(&count("Fake dying  of shell")), "what was measured is kept");
    }

    #[test]
    fn nothing_is_measured_without_a_named_engine_or_option() {
        for (engine, options, error) in [
            ("sh fake.sh early", "", "the engine sh cannot be measured: it ended (exit status: 4)"),
            ("./missing --uci", "", "the engine missing cannot be measured: cannot be started"),
            ("sh fake.sh good", "--option sh:Other=1", "the engine sh cannot be measured: it has no option Other"),
            ("sh fake.sh good", "--option 1:Other=1", "the engine sh cannot be measured: it has no option Other"),
            ("sh fake.sh good", "--option Other=1", "no engine has the option Other"),
        ] {
            let folder = folder();
            let output = run(&folder, options, &[engine]);
            let errors = message(&output);
            assert_eq!((output.status.code(), rows(&folder, "").len()), (Some(1), 0), "{errors}");
            assert!(errors.contains(&format!("error: {error}")) && !folder.join("out").exists(), "{errors}");
        }
    }
}
