//! Tests of the report on the committed results and parts of them. The committed pages pin all figures, verdicts and
//! sentences; `scripts/check-links` checks their links.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::claims::Verdict;
use super::counts::{Counts, DEPTHS, LARGEST, PAPER_OBSERVATIONS, all_variants, paper, without_table};
use super::page::{SCHEMES_FOLDER, WallTime, claims, differences, pages, render};
use crate::experiment::{self, Observation, SIZES, Series};
use sesame_table::Scheme;

fn committed(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(SCHEMES_FOLDER).join(file)
}

fn observations() -> Vec<Observation> {
    experiment::read(&committed("results.csv")).unwrap()
}

fn rendered(observations: &[Observation]) -> BTreeMap<String, String> {
    render(observations, "results.csv", None, false).unwrap().into_iter().collect()
}

#[test]
fn committed_results_give_the_committed_pages() {
    let observations = observations();
    assert!(observations.is_sorted_by_key(Observation::key));
    let time = WallTime::parse(&fs::read_to_string(committed("results.csv.meta")).unwrap(), observations.len());
    // The pages name the file as it was given.
    let source = format!("{SCHEMES_FOLDER}/results.csv");
    let files = render(&observations, &source, time, true).unwrap();
    assert_eq!(files.len(), 8);
    for (name, text) in files {
        assert!(fs::read_to_string(committed(&name)).unwrap() == text, "{name} differs");
    }
}

#[test]
fn papers_tables_are_complete() {
    for depth in DEPTHS {
        assert!(!all_variants().iter().any(|variant| paper(variant.at(LARGEST, depth)).is_nan()));
        assert!(!paper(without_table(depth)).is_nan());
        assert!(paper(all_variants()[0].at(SIZES[0], depth)).is_nan());
    }
}

#[test]
fn differences_are_those_of_the_claims() {
    let counts = Counts::new(&observations());
    let differences_if = |keep: fn(Verdict) -> bool| {
        let mut claims = claims(&counts);
        claims.retain(|claim| keep(claim.verdict));
        differences(&claims, &counts, false)
    };
    assert_eq!(differences_if(|verdict| verdict == Verdict::Agrees), "Nowhere: all statements agree with the paper.\n");
    let open = differences_if(|verdict| verdict != Verdict::Disagrees);
    assert!(open.starts_with("No statement that the results speak to came out against the paper.\n\nHere they do not"));
    assert!(open.contains("2.54 (2.30 to 2.83). Our interval does not contain"), "{open}");
}

#[test]
fn incomplete_results_name_the_missing_searches() {
    let none = rendered(&[]);
    let names = ["README.md", "statements-schemes.md", "statements-size.md", "statements-stamps.md", "tables.md"];
    assert_eq!(none.keys().collect::<Vec<_>>(), names);
    assert!(none["README.md"].contains("cannot tell about 18, for 18 of which they lack the searches."));
    assert!(none["README.md"].contains("cannot tell about 4, for 4 of which they lack the searches."));
    assert!(none.values().all(|text| !text.contains("\n\n\n") && !text.contains("NaN")));

    let all = observations();
    let mut observations = all.clone();
    // One position is missing at 64K, all of BIGALL, and everything at 8 ply.
    observations.retain(|seen| {
        let is_hole = seen.series.positions == SIZES[3] && seen.test == 7 && seen.series.scheme == Some(Scheme::New);
        !is_hole && seen.series.scheme != Some(Scheme::BigAll) && seen.depth < 8
    });
    let claims = claims(&Counts::new(&observations));
    let verdict = |name: &str| claims.iter().find(|claim| claim.statement.name == name).unwrap().verdict;
    assert_eq!(verdict("TWODEEP saves"), Verdict::Disagrees);
    assert_eq!([verdict("spread at 8K"), verdict("factor at 8 ply")], [Verdict::CannotTell; 2]);
    let page = &rendered(&observations)["README.md"];
    assert!(page.contains("10 entries lack some of their 18 positions"), "{page}");
    assert!(page.contains("not in the results, which would need all schemes at 8K, 7 ply, cleared"));

    // Prefixes of a run are rendered without a panic, and without a number that is none.
    for length in [1, 17, 18, 107, 108, 1_000, 5_000, 11_000] {
        assert!(rendered(&all[..length]).values().all(|text| !text.contains("NaN")), "{length}");
    }
}

#[test]
fn searches_outside_the_plan_are_not_counted() {
    let mut observations = observations();
    let known = observations.len();
    let model = observations.last().unwrap().clone();
    let of = |scheme, positions, depth| {
        let series = Series { scheme, stamped: false, positions };
        Observation { series, depth, ..model.clone() }
    };
    let scheme = Some(Scheme::Deep);
    observations.extend([of(scheme, 4096, 7), of(scheme, SIZES[0], 8), of(scheme, SIZES[0], 2), of(None, 0, 9)]);
    let counts = Counts::new(&observations);
    assert_eq!((counts.with_table, counts.unplanned), (PAPER_OBSERVATIONS, 4));
    assert_eq!((counts.with_table + counts.without_table, counts.incomplete), (known, 0));
    let page = &rendered(&observations)["README.md"];
    assert!(page.contains("The results are 11,088 of the paper's 11,088 searches with a table and 108 without"));
    assert!(
        page.contains("4 more searches, of sizes or depths that the paper's experiment does not have, are left out.")
    );
}

#[test]
fn wall_times_belong_to_their_results() {
    let text = "seconds=1200.5\nthreads=2\nobservations=18\n";
    assert_eq!(WallTime::parse(text, 18), Some(WallTime { seconds: 1200.5, threads: Some(2) }));
    // The record of another run, and one without observations.
    assert_eq!(WallTime::parse(text, 19), None);
    assert_eq!(WallTime::parse("seconds=1200.5\nthreads=2\n", 18), None);
    assert_eq!(WallTime::parse("threads=2\nobservations=18", 18), None);
    assert_eq!(WallTime::parse("seconds=-1\nobservations=18", 18), None);
    let time = WallTime::parse("seconds = 1170\nobservations = 5", 5);
    let files = render(&observations(), "r.csv", time, false).unwrap();
    assert!(files[0].1.contains("**4,000 times**"));
    let part = render(&observations()[..500], "r.csv", time, false).unwrap();
    assert!(!part[0].1.contains("times**"));
}

#[test]
fn report_reads_the_files_beside_the_results() {
    let folder = tempfile::tempdir().unwrap();
    let (output, results) = (folder.path(), folder.path().join("results.csv"));
    let write = |name: &str, text: &str| fs::write(output.join(name), text).unwrap();
    let report = || pages(&results, output).map(|pages| pages[0].1.clone());
    let text: String = fs::read_to_string(committed("results.csv")).unwrap().split_inclusive('\n').take(3).collect();
    write("results.csv", &text);
    let page = report().unwrap();
    assert!(page.contains("the duration of this one is not recorded") && !page.contains("(discussion.md)"));
    write("results.csv.meta", "seconds=90\nthreads=2\nobservations=1\n");
    write("discussion.md", "# Why\n");
    let page = report().unwrap();
    assert!(page.contains("They took 90 seconds on 2 threads") && page.contains("[discussion](discussion.md)"));
    write("results.csv", &text.replacen("alibaba 1 ", "alibaba 2 ", 1));
    assert!(report().unwrap_err().to_string().contains("holds other results: line 1"));
}
