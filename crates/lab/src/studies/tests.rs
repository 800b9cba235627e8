//! Tests of the pages on synthetic searches with known results.

use std::fs;

use super::panel::tests::row;
use super::record::StudyRow;
use super::{PositionSet, Study, StudyArgs, StudyError, record, run, sources};
use sesame_report::journal::JournalError;

fn text<'a>(files: &'a [(String, String)], name: &str) -> &'a str {
    files.iter().find(|file| file.0 == name).map(|file| file.1.as_str()).unwrap()
}

#[test]
fn source_claims_are_judged_by_the_results() {
    let arms = |setting: &str, positions: usize, arms: &[(&str, u64)]| -> Vec<StudyRow> {
        let mut rows = Vec::new();
        for &(arm, nodes) in arms {
            for game in 1..=5 {
                rows.push(StudyRow { setting: setting.into(), positions, depth: 6, ..row(arm, game, 20, nodes) });
            }
        }
        rows
    };
    let mut rows = arms("ViperMate", 0, &[("no table", 1000)]);
    rows.extend(arms("ViperMate", 8192, &[("no moves", 400), ("exact depth", 700), ("exact depth and no moves", 800)]));
    let mut moved = arms("ViperMate", 8192, &[("moves and deeper entries", 300)]);
    moved[0].best = "a2a3".into();
    rows.extend(moved);
    let counted = [("probes", 100), ("hits", 50), ("cut-offs", 15), ("move hints", 5)];
    rows.extend(arms("rates at depth 6", 8192, &counted));
    rows.extend(arms("keys", 0, &[("positions", 100), ("Otter's keys", 103), ("Otter's collisions", 0)]));
    let files = sources::page(&rows, "0.2.0").unwrap();
    let page = text(&files, "sources.md");
    let answer = |says: &str| page.lines().find(|line| line.contains(says)).unwrap_or_else(|| panic!("{says}: {page}"));
    assert!(answer("halves the nodes").ends_with("with moves **−70.0 % (−70.0 to −70.0)** | holds: it saves more |"));
    assert!(answer("the same result as without").ends_with("| holds |"));
    assert!(answer("can change the move").contains("same score in 5, same move in 4 of 5 | holds |"));
    assert!(answer("of the probes hit").ends_with("| 50.0 % at depth 6 | holds |"));
    assert!(answer("give a move to try first").ends_with("| 14.3 % at depth 6 | is too high |"));
    assert!(answer("837 Zobrist").contains("(3.0 % more than needed)"));
    assert!(answer("16 to 64 MiB").ends_with("| was not run |"));
}

/// Each study runs on one sequence with shallow searches.
#[test]
fn studies_run_and_repeat() {
    let folder = tempfile::tempdir().unwrap();
    let set = PositionSet::larger().unwrap();
    for study in [Study::Threads] {
        let output = folder.path().to_owned();
        let args = StudyArgs { output, jobs: 2, sequences: Some(1), shallower: 14, ..StudyArgs::default() };
        let results = folder.path().join(format!("{}.csv", study.name()));
        // Free threads search other nodes in each run.
        let repeatable = || -> Vec<StudyRow> {
            let (_, rows) = record::read(study, &set, &results).unwrap();
            assert!(rows.iter().all(|row| row.nodes > 0 && row.depth >= 1), "{}", study.name());
            rows.into_iter().filter(|row| !row.setting.ends_with("free")).collect()
        };
        run(study, &args, &|_| ()).unwrap();
        let rows = repeatable();
        assert!(rows.len() >= 7 * set.sequences[0].positions.len());
        let refused = run(study, &args, &|_| ()).unwrap_err();
        assert!(matches!(refused, StudyError::Journal(JournalError::Exists { .. })), "{refused}");
        // A killed run has left the half of the file.
        let text = fs::read_to_string(&results).unwrap();
        fs::write(&results, &text[..text.len() / 2]).unwrap();
        run(study, &StudyArgs { resume: true, ..args }, &|_| ()).unwrap();
        assert_eq!(repeatable(), rows);
        assert!(folder.path().join(format!("{}.md", study.name())).exists());
    }
}

/// The committed results are complete; incomplete ones are refused.
#[test]
fn pages_need_complete_series() {
    let folder = tempfile::tempdir().unwrap();
    let set = PositionSet::larger().unwrap();
    for study in [Study::Threads, Study::Sources] {
        super::complete(study, &set, &crate::committed(&format!("{}.csv", study.name()))).unwrap();
    }
    let text = fs::read_to_string(crate::committed("threads.csv")).unwrap();
    let path = folder.path().join("threads.csv");
    let args = StudyArgs { output: folder.path().to_owned(), page: true, ..StudyArgs::default() };
    let refused = |text: &str| {
        fs::write(&path, text).unwrap();
        run(Study::Threads, &args, &|_| ()).unwrap_err()
    };
    // Cut off in the last move, and at the end of a line in the last series.
    let cut_off = refused(&text[..text.len() - 1]);
    assert!(matches!(cut_off, StudyError::Journal(JournalError::Damaged { .. })), "{cut_off}");
    assert!(cut_off.to_string().contains("cut off"), "{cut_off}");
    let short = refused(&text[..text[..text.len() - 1].rfind('\n').unwrap() + 1]);
    assert!(short.to_string().contains("8 in lockstep,1048576,TWOBIG1,8,1 lacks searches"), "{short}");
    let empty = refused(&text[..text.find("\n1 thread,").unwrap() + 1]);
    assert!(matches!(empty, StudyError::Empty { .. }), "{empty}");
    let other = refused(&text.replacen("# positions 5", "# positions 6", 1));
    assert!(matches!(other, StudyError::Journal(JournalError::OtherConditions { line: 2, .. })), "{other}");
}
