//! Tests of the studies: pages of known results, and small runs.

use std::fs;

use super::*;

pub(in crate::studies) fn row(arm: &str, game: u32, ply: u32, nodes: u64) -> StudyRow {
    StudyRow {
        setting: "nodes".into(),
        positions: 8192,
        arm: arm.into(),
        threads: 1,
        repeat: 1,
        game,
        ply,
        depth: 5,
        nodes,
        score: 0,
        best: "e2e4".into(),
    }
}

#[test]
fn source_claims_are_judged_by_the_results() {
    let arms = |setting: &str, positions: usize, arms: &[(&str, u64)]| -> Vec<StudyRow> {
        let rows = arms.iter().flat_map(|&(arm, nodes)| (1..=5).map(move |game| row(arm, game, 20, nodes)));
        rows.map(|row| StudyRow { setting: setting.into(), positions, depth: 6, ..row }).collect()
    };
    let mut rows = arms("ViperMate", 0, &[("no table", 1000)]);
    rows.extend(arms("ViperMate", 8192, &[("no moves", 400), ("exact depth", 700), ("exact depth and no moves", 800)]));
    let mut moved = arms("ViperMate", 8192, &[("moves and deeper entries", 300)]);
    moved[0].best = "a2a3".into();
    rows.extend(moved);
    let counted = [("probes", 100), ("hits", 50), ("cut-offs", 15), ("move hints", 5)];
    rows.extend(arms("rates at depth 6", 8192, &counted));
    rows.extend(arms("keys", 0, &[("positions", 100), ("Otter's keys", 103), ("Otter's collisions", 0)]));
    let page = &sources::page(&rows, "0.2.0")[0].1;
    let answer = |says: &str| page.lines().find(|line| line.contains(says)).unwrap_or_else(|| panic!("{says}: {page}"));
    assert!(answer("halves the nodes").ends_with("with moves **−70.0 % (−70.0 to −70.0)** | holds: it saves more |"));
    assert!(answer("the same result as without").ends_with("| holds |"));
    assert!(answer("can change the move").contains("same score in 5, same move in 4 of 5 | holds |"));
    assert!(answer("of the probes hit").ends_with("| 50.0 % at depth 6 | holds |"));
    assert!(answer("give a move to try first").ends_with("| 14.3 % at depth 6 | is too high |"));
    assert!(answer("837 Zobrist").contains("(3.0 % more than needed)"));
    assert!(answer("16 to 64 MiB").ends_with("| was not run |"));
}

fn args(output: &Path) -> StudyArgs {
    StudyArgs { output: output.to_owned(), jobs: 2, resume: false, page: false, trial: Trial::default() }
}

/// One sequence with shallow searches.
#[test]
fn a_study_cut_off_anywhere_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("threads.csv");
    let args = StudyArgs { trial: Trial { sequences: Some(1), shallower: 14 }, ..args(folder.path()) };
    // Free threads search other nodes in each run.
    let repeatable = || -> Vec<StudyRow> {
        let (engine, rows) = complete(Study::Threads, &path).unwrap();
        assert_eq!(engine, crate::ENGINE);
        assert!(rows.iter().all(|row| row.nodes > 0 && row.depth == 1));
        rows.into_iter().filter(|row| !row.setting.ends_with("free")).collect()
    };
    run(Study::Threads, &args, &|_| ()).unwrap();
    let rows = repeatable();
    assert_eq!(rows.len(), (4 * 7 + 2 * 5) * 14);
    let refused = run(Study::Threads, &args, &|_| ()).unwrap_err();
    assert!(refused.to_string().contains("exists already"), "{refused}");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, &text[..text.len() / 2]).unwrap();
    let other = StudyArgs { resume: true, trial: Trial { sequences: Some(2), shallower: 14 }, ..args.clone() };
    let refused = run(Study::Threads, &other, &|_| ()).unwrap_err();
    assert!(refused.to_string().contains("holds other results: line 2"), "{refused}");
    run(Study::Threads, &StudyArgs { resume: true, ..args }, &|_| ()).unwrap();
    assert_eq!(repeatable(), rows);
    assert!(folder.path().join("threads.md").exists());
}

#[test]
fn committed_results_give_the_committed_pages() {
    let folder = tempfile::tempdir().unwrap();
    for study in [Study::Threads, Study::Sources] {
        let file = |extension: &str| format!("{}.{extension}", study.name());
        fs::copy(crate::committed(&file("csv")), folder.path().join(file("csv"))).unwrap();
        run(study, &StudyArgs { page: true, ..args(folder.path()) }, &|_| ()).unwrap();
        let page = |path: PathBuf| fs::read_to_string(path).unwrap();
        assert!(page(folder.path().join(file("md"))) == page(crate::committed(&file("md"))), "{}", study.name());
    }
}

#[test]
fn pages_need_complete_series() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(crate::committed("threads.csv")).unwrap();
    let path = folder.path().join("threads.csv");
    let refused = |text: &str| {
        fs::write(&path, text).unwrap();
        run(Study::Threads, &StudyArgs { page: true, ..args(folder.path()) }, &|_| ()).unwrap_err().to_string()
    };
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    let cut_off = refused(&text[..text.len() - 1]);
    assert!(cut_off.contains("cut off"), "{cut_off}");
    let short = refused(&text[..last]);
    assert!(short.contains("8 in lockstep,1048576,TWOBIG1,8,1 lacks searches"), "{short}");
    let twice = refused(&format!("{text}{}", &text[last..]));
    assert!(twice.contains("has too many searches"), "{twice}");
    let deeper = refused(&text.replacen(",12,93728,", ",13,93728,", 1));
    assert!(deeper.contains("has a search of depth 13, not 12"), "{deeper}");
    let other = refused(&text.replacen("1 thread,", "3 threads,", 1));
    assert!(other.contains("is none of this study"), "{other}");
    let positions = refused(&text.replacen("# positions 5", "# positions 6", 1));
    assert!(positions.contains("line 2"), "{positions}");
}
