//! The pages, from searches that were made up so that the answer is known.

use super::panel::tests::row;
use super::record::Row;
use super::{PositionSet, Study, StudyArgs, larger, modern, record, run, seeds, threads};
use crate::table::Scheme;

/// A search of every scheme on four positions of each of six games; TWOBIG1 needs `nodes`, the others more by this much per cent.
fn schemes(setting: &str, positions: usize, more: impl Fn(Scheme) -> u64) -> Vec<Row> {
    let mut rows = Vec::new();
    for scheme in Scheme::ALL {
        for game in 1..=6 {
            for ply in [20, 22, 24, 26] {
                let nodes = u64::from(10_000 * game + 100 * ply) * (100 + more(scheme)) / 100;
                rows.push(Row { setting: setting.into(), positions, ..row(scheme.name(), game, ply, nodes) });
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
fn the_page_of_the_larger_set() {
    let mut rows = schemes("stamped", 8192, ten_for_deep);
    let without = rows.iter().filter(|row| row.arm == "TWOBIG1").map(|row| Row {
        setting: "none".into(),
        arm: "none".into(),
        positions: 0,
        nodes: 2 * row.nodes,
        ..row.clone()
    });
    let without: Vec<Row> = without.collect();
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
fn the_page_of_sesames_search_sees_bad_scores() {
    let mut rows = schemes("merge", 8192, |scheme| if scheme == Scheme::New { 20 } else { ten_for_deep(scheme) });
    for row in &mut rows {
        if row.arm == "NEW" {
            row.score = 40;
            row.best = "a2a3".into();
        }
    }
    let overwrite = rows.iter().map(|row| Row { setting: "overwrite".into(), nodes: row.nodes / 2, ..row.clone() });
    let overwrite: Vec<Row> = overwrite.collect();
    let reference = rows.iter().filter(|row| row.arm == "TWOBIG1").map(|row| Row {
        setting: modern::REFERENCE.into(),
        positions: 1 << 22,
        ..row.clone()
    });
    let reference: Vec<Row> = reference.collect();
    rows.extend(overwrite);
    rows.extend(reference);
    let files = modern::page(&rows).unwrap();
    let page = text(&files, "modern.md");
    let new = page.lines().find(|line| line.starts_with("| NEW |")).unwrap();
    assert!(new.ends_with("| **+20.0 % (+20.0 to +20.0)** | 0.0 % | 40.0 | **+40.0 (+40.0 to +40.0)** |"), "{new}");
    assert!(page.contains("| 8K | TWODEEP | **−50.0 % (−50.0 to −50.0)** | +0.0 (+0.0 to +0.0) |"), "{page}");
}

#[test]
fn the_recommendation_follows_from_the_figures() {
    let page = |threads: &[Row], modern: &[Row]| {
        let files = threads::page(threads, Some(modern)).unwrap();
        text(&files, "threads.md").to_owned()
    };
    let reference = |rows: &[Row]| -> Vec<Row> {
        let base = rows.iter().filter(|row| row.arm == "TWOBIG1");
        base.map(|row| Row { setting: modern::REFERENCE.into(), ..row.clone() }).collect()
    };
    let mut own = schemes("merge", 8192, ten_for_deep);
    own.extend(reference(&own));
    let stays = page(&schemes("1 thread", 8192, ten_for_deep), &own);
    assert!(stays.contains("TWOBIG1 stays the default"), "{stays}");

    // TWODEEP better everywhere, then better but wrong.
    let better = |scheme| if scheme == Scheme::TwoDeep { 0 } else { 10 };
    let mut own = schemes("merge", 8192, better);
    own.extend(reference(&own));
    let goes = page(&schemes("1 thread", 8192, better), &own);
    assert!(goes.contains("TWODEEP needs fewer nodes than TWOBIG1 in 2 of them"), "{goes}");
    for row in own.iter_mut().filter(|row| row.arm == "TWODEEP") {
        row.score = 30;
    }
    let wrong = page(&schemes("1 thread", 8192, better), &own);
    assert!(wrong.contains("TWOBIG1 stays the default"), "{wrong}");
}

#[test]
fn claims_are_answered_by_the_figures() {
    let arms = |setting: &str, positions: usize, arms: &[(&str, u64)]| -> Vec<Row> {
        let mut rows = Vec::new();
        for &(arm, nodes) in arms {
            for game in 1..=5 {
                rows.push(Row { setting: setting.into(), positions, depth: 6, ..row(arm, game, 20, nodes) });
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
    let files = seeds::page(&rows).unwrap();
    let page = text(&files, "seeds.md");
    let answer = |says: &str| page.lines().find(|line| line.contains(says)).unwrap_or_else(|| panic!("{says}: {page}"));
    assert!(answer("halves the nodes").ends_with("with moves **−70.0 % (−70.0 to −70.0)** | holds: it saves more |"));
    assert!(answer("returns what it returns without").ends_with("| holds |"));
    assert!(answer("can change the move").contains("same score in 5, same move in 4 of 5 | holds |"));
    assert!(answer("of the probes hit").ends_with("| 50.0 % at depth 6 | holds |"));
    assert!(answer("give a move to try first").ends_with("| 14.3 % at depth 6 | is too high |"));
    assert!(answer("837 Zobrist").contains("(3.0 % more than needed)"));
    assert!(answer("16 to 64 MiB").ends_with("| was not run |"));
}

/// Every study runs, on a sequence and far less deep, and twice the same.
#[test]
fn every_study_runs_and_repeats() {
    let folder = std::env::temp_dir().join(format!("sesame-studies-{}", std::process::id()));
    for study in [Study::Larger, Study::Modern, Study::Threads] {
        let args =
            StudyArgs { output: folder.clone(), jobs: 2, sequences: Some(1), shallower: 14, ..StudyArgs::default() };
        let results = folder.join(format!("{}.csv", study.name()));
        run(study, &args, &|_| ()).unwrap();
        let rows = record::read(study, &results).unwrap();
        assert!(rows.iter().all(|row| row.nodes > 0 && row.depth >= 1), "{}", study.name());
        let lines: Vec<Row> = rows.into_iter().filter(|row| !row.setting.ends_with("free")).collect();
        assert!(lines.len() >= 7 * PositionSet::larger().unwrap().sequences[0].positions.len());
        run(study, &args, &|_| ()).unwrap();
        let again = record::read(study, &results).unwrap();
        assert_eq!(again.into_iter().filter(|row| !row.setting.ends_with("free")).collect::<Vec<_>>(), lines);
        assert!(folder.join(format!("{}.md", study.name())).exists());
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
