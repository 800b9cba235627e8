//! Tests of the pages on synthetic searches with known results.

use std::fs;

use super::panel::tests::row;
use super::record::StudyRow;
use super::{PositionSet, Study, StudyArgs, StudyError, larger, modern, record, run, sources, threads};
use sesame_report::journal::JournalError;
use sesame_table::Scheme;

/// Searches of every scheme on four positions of each of six games. `more` returns the excess of a scheme's
/// nodes in percent.
fn schemes(setting: &str, positions: usize, more: impl Fn(Scheme) -> u64) -> Vec<StudyRow> {
    let mut rows = Vec::new();
    for scheme in Scheme::ALL {
        for game in 1..=6 {
            for ply in [20, 22, 24, 26] {
                let nodes = u64::from(10_000 * game + 100 * ply) * (100 + more(scheme)) / 100;
                rows.push(StudyRow { setting: setting.into(), positions, ..row(scheme.name(), game, ply, nodes) });
            }
        }
    }
    rows
}

fn text<'a>(files: &'a [(String, String)], name: &str) -> &'a str {
    files.iter().find(|file| file.0 == name).map(|file| file.1.as_str()).unwrap()
}

fn ten_for_deep(scheme: Scheme) -> u64 {
    match scheme {
        Scheme::TwoBig1 => 0,
        Scheme::Deep => 10,
        _ => 2,
    }
}

#[test]
fn larger_page_shows_differences() {
    let mut rows = schemes("stamped", 8192, ten_for_deep);
    let without = rows.iter().filter(|row| row.arm == "TWOBIG1").map(|row| StudyRow {
        setting: "none".into(),
        arm: "none".into(),
        positions: 0,
        nodes: 2 * row.nodes,
        ..row.clone()
    });
    let without: Vec<StudyRow> = without.collect();
    rows.extend(without);
    let files = larger::page(&rows).unwrap();
    let page = text(&files, "larger.md");
    assert!(page.contains("| 8K | TWOBIG1, "), "{page}");
    assert!(page.contains("| TWOBIG1 | **−50.0 % (−50.0 to −50.0)** |"), "{page}");
    assert!(page.contains("| **+10.0 % (+10.0 to +10.0)** | 0.0 % | 0.0 % |"), "{page}");
    assert!(page.contains("24 positions of 6 games to depth 5"), "{page}");
    assert!(text(&files, "larger.svg").contains("<svg"));
}

#[test]
fn modern_page_shows_score_differences() {
    let mut rows = schemes("merge", 8192, |scheme| if scheme == Scheme::New { 20 } else { ten_for_deep(scheme) });
    for row in &mut rows {
        if row.arm == "NEW" {
            row.score = 40;
            row.best = "a2a3".into();
        }
    }
    let overwrite =
        rows.iter().map(|row| StudyRow { setting: "overwrite".into(), nodes: row.nodes / 2, ..row.clone() });
    let overwrite: Vec<StudyRow> = overwrite.collect();
    let reference = rows.iter().filter(|row| row.arm == "TWOBIG1").map(|row| StudyRow {
        setting: modern::REFERENCE.into(),
        positions: 1 << 22,
        ..row.clone()
    });
    let reference: Vec<StudyRow> = reference.collect();
    rows.extend(overwrite);
    rows.extend(reference);
    let files = modern::page(&rows, "0.2.0").unwrap();
    let page = text(&files, "modern.md");
    let new = page.lines().find(|line| line.starts_with("| NEW |")).unwrap();
    assert!(new.ends_with("| **+20.0 % (+20.0 to +20.0)** | 0.0 % | 40.0 | **+40.0 (+40.0 to +40.0)** |"), "{new}");
    assert!(page.contains("| 8K | TWODEEP | **−50.0 % (−50.0 to −50.0)** | +0.0 (+0.0 to +0.0) |"), "{page}");
}

#[test]
fn recommendation_follows_from_the_results() {
    let page = |threads: &[StudyRow], modern: &[StudyRow]| {
        let files = threads::page(threads, Some(modern), "0.2.0").unwrap();
        text(&files, "threads.md").to_owned()
    };
    let reference = |rows: &[StudyRow]| -> Vec<StudyRow> {
        let base = rows.iter().filter(|row| row.arm == "TWOBIG1");
        base.map(|row| StudyRow { setting: modern::REFERENCE.into(), ..row.clone() }).collect()
    };
    let mut own = schemes("merge", 8192, ten_for_deep);
    own.extend(reference(&own));
    let stays = page(&schemes("1 thread", 8192, ten_for_deep), &own);
    assert!(stays.contains("TWOBIG1 stays the default"), "{stays}");

    // TWODEEP is better everywhere, later with worse scores.
    let better = |scheme| if scheme == Scheme::TwoDeep { 0 } else { 10 };
    let mut own = schemes("merge", 8192, better);
    own.extend(reference(&own));
    let goes = page(&schemes("1 thread", 8192, better), &own);
    assert!(goes.contains("TWODEEP saves nodes and is not worse, but has not won its match"), "{goes}");
    // No match of BIG1 was played.
    let own_better = |scheme| if scheme == Scheme::Big1 { 0 } else { 10 };
    let mut unplayed = schemes("merge", 8192, own_better);
    unplayed.extend(reference(&unplayed));
    let waits = page(&schemes("1 thread", 8192, own_better), &unplayed);
    assert!(waits.contains("BIG1 saves nodes and is not worse: until it has won a match TWOBIG1 stays"), "{waits}");
    for row in own.iter_mut().filter(|row| row.arm == "TWODEEP") {
        row.score = 30;
    }
    let wrong = page(&schemes("1 thread", 8192, better), &own);
    assert!(wrong.contains("No scheme is shown to save nodes without worse moves"), "{wrong}");
    assert!(line(&wrong, "| TWODEEP | 2 | 0 |").ends_with("| scores are worse |"), "{wrong}");
}

/// Fewer nodes with moves that are slightly worse, within the interval.
#[test]
fn unclear_loss_of_moves_prevents_recommendation() {
    let better = |scheme| if scheme == Scheme::New { 0 } else { 10 };
    let mut own = schemes("merge", 8192, better);
    let base = own.iter().filter(|row| row.arm == "TWOBIG1");
    let reference: Vec<StudyRow> =
        base.map(|row| StudyRow { setting: modern::REFERENCE.into(), ..row.clone() }).collect();
    own.extend(reference);
    let of = |own: &[StudyRow]| {
        let files = threads::page(&schemes("1 thread", 8192, better), Some(own), "0.2.0").unwrap();
        let page = text(&files, "threads.md").to_owned();
        (line(&page, "| NEW | 2 | 0 |").to_owned(), page)
    };
    assert!(of(&own).0.ends_with("| nothing |"), "equal moves are no obstacle");
    // A different move in one of 24 positions: a loss of 4.2 points, with an interval that begins at 0.
    own.iter_mut().find(|row| row.arm == "NEW" && row.setting == "merge").unwrap().best = "a2a3".into();
    let (new, page) = of(&own);
    assert!(new.contains("| −4.2 (−12.5 to +0.0) |") && new.ends_with("| moves: cannot tell |"), "{new}");
    assert!(page.contains("TWOBIG1 stays the default") && !page.contains("it is to be the default"), "{page}");
    // A different move in one position of each game.
    for row in own.iter_mut().filter(|row| row.arm == "NEW" && row.setting == "merge" && row.ply == 22) {
        row.best = "a2a3".into();
    }
    assert!(of(&own).0.ends_with("| moves are worse |"));
}

fn line<'a>(page: &'a str, begin: &str) -> &'a str {
    page.lines().find(|line| line.starts_with(begin)).unwrap_or_else(|| panic!("{begin}: {page}"))
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
    for study in [Study::Larger, Study::Modern, Study::Threads] {
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
    for study in [Study::Larger, Study::Modern, Study::Threads, Study::Sources] {
        super::complete(study, &set, &crate::committed(&format!("{}.csv", study.name()))).unwrap();
    }
    let text = fs::read_to_string(crate::committed("modern.csv")).unwrap();
    let path = folder.path().join("modern.csv");
    let args = StudyArgs { output: folder.path().to_owned(), page: true, ..StudyArgs::default() };
    let refused = |text: &str| {
        fs::write(&path, text).unwrap();
        run(Study::Modern, &args, &|_| ()).unwrap_err()
    };
    // Cut off in the last move, and at the end of a line in the last series.
    let cut_off = refused(&text[..text.len() - 1]);
    assert!(matches!(cut_off, StudyError::Journal(JournalError::Damaged { .. })), "{cut_off}");
    assert!(cut_off.to_string().contains("cut off"), "{cut_off}");
    let short = refused(&text[..text[..text.len() - 1].rfind('\n').unwrap() + 1]);
    assert!(short.to_string().contains("reference,4194304,TWOBIG1,1,1 lacks searches"), "{short}");
    let empty = refused(&text[..text.find("\nmerge,").unwrap() + 1]);
    assert!(matches!(empty, StudyError::Empty { .. }), "{empty}");
    let other = refused(&text.replacen("# positions 5", "# positions 6", 1));
    assert!(matches!(other, StudyError::Journal(JournalError::OtherConditions { line: 2, .. })), "{other}");
}
