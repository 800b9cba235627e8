//! Tests of the report on synthetic results that agree with the paper, disagree with it, or are incomplete. The committed
//! pages pin what the report says of the committed results; `scripts/check-links` checks their links.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::claims::{Claim, Verdict};
use super::counts::{Cell, Counts, DEPTHS, LARGEST, PAPER_OBSERVATIONS, Variant, all_variants, paper, without_table};
use super::page::{SCHEMES_FOLDER, WallTime, claims, pages, render};
use crate::experiment::{self, Observation, SIZES, Series};
use crate::positions::TESTS;
use sesame_table::Scheme;

/// A model of synthetic results.
struct Model {
    /// The paper's claims are reversed.
    contrary: bool,
}

impl Model {
    fn total(&self, cell: Cell) -> f64 {
        let Some(scheme) = cell.series.scheme else { return paper(cell) };
        let line = Variant { scheme, stamped: cell.series.stamped };
        let place = SIZES.iter().position(|&size| size == cell.series.positions).unwrap();
        match (self.contrary, cell.depth) {
            (false, 7) => 40e6 * Self::growth(place) * (1.0 + penalty(scheme) * Self::crowd(place)) * stamp(line, 0.97),
            (false, depth) => paper(line.at(LARGEST, depth)) * Self::growth(place),
            // Doublings save too much, or cost nodes with stamped entries; the spread grows; the paper's
            // order is reversed with a cleared table; stamps cost nodes.
            (true, 7) => {
                let reversed = if line.stamped { penalty(scheme) } else { 0.23 - penalty(scheme) };
                let reversed = if line.stamped && scheme == Scheme::TwoBig1 { 0.3 } else { reversed };
                150e6
                    * if line.stamped { 1.1f64 } else { 0.8 }.powi(place as i32)
                    * (1.0 + reversed * (2.0 + place as f64))
                    * stamp(line, 1.2)
            }
            (true, 8) => paper(without_table(8)) * (1.4 - penalty(scheme)),
            (true, depth) => paper(without_table(depth)) * if depth == 3 { 0.5 } else { 1.4 },
        }
    }

    /// Nodes at a size relative to those at 1024K.
    fn growth(place: usize) -> f64 {
        [0.91, 0.92, 0.93, 0.95, 0.97, 0.98, 0.99][place..].iter().product::<f64>().recip()
    }

    /// The weight of the differences between schemes at a size.
    fn crowd(place: usize) -> f64 {
        [1.0, 0.85, 0.7, 0.5, 0.35, 0.2, 0.12, 0.1][place]
    }

    /// The whole experiment, with noise on every count.
    fn observations(&self) -> Vec<Observation> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1994);
        let mut unit = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let weights: Vec<f64> = (0..TESTS).map(|_| 0.3 + unit()).collect();
        let sum: f64 = weights.iter().sum();
        let mut observations = Vec::new();
        for cell in plan() {
            let total = self.total(cell);
            for (test, weight) in (1..).zip(&weights) {
                let noise = 1.0 + 0.004 * (unit() - 0.5);
                let nodes = (total * weight / sum * noise).round() as u64;
                let Cell { series, depth } = cell;
                observations.push(Observation { series, test, depth, nodes, score: 0, mv: "e2e4".to_owned() });
            }
        }
        observations
    }

    fn claims(&self) -> Vec<Claim> {
        claims(&Counts::new(&self.observations()))
    }
}

const AGREEING: Model = Model { contrary: false };
const CONTRARY: Model = Model { contrary: true };

/// The excess of a scheme over TWOBIG1 at 8K.
fn penalty(scheme: Scheme) -> f64 {
    match scheme {
        Scheme::TwoBig1 => 0.0,
        Scheme::TwoDeep => 0.02,
        Scheme::Big1 => 0.10,
        Scheme::BigAll => 0.105,
        Scheme::Deep => 0.18,
        Scheme::Old => 0.20,
        _ => 0.23,
    }
}

fn stamp(line: Variant, factor: f64) -> f64 {
    if line.stamped { factor } else { 1.0 }
}

fn plan() -> Vec<Cell> {
    let mut cells: Vec<Cell> = DEPTHS.map(without_table).to_vec();
    for variant in all_variants() {
        cells.extend(SIZES.into_iter().flat_map(|size| (3..8).map(move |depth| variant.at(size, depth))));
        cells.extend([SIZES[1], SIZES[3], SIZES[5], LARGEST].map(|size| variant.at(size, 8)));
    }
    cells
}

fn rendered(observations: &[Observation]) -> BTreeMap<String, String> {
    render(observations, "results.csv", None, false).unwrap().into_iter().collect()
}

#[test]
fn plan_has_the_papers_size() {
    assert_eq!((plan().len() - DEPTHS.len()) * TESTS, PAPER_OBSERVATIONS);
}

#[test]
fn papers_tables_are_complete() {
    assert!(plan().into_iter().all(|cell| paper(cell).is_nan() != matches!(cell.series.positions, 0 | LARGEST)));
}

#[test]
fn agreeing_results_give_agreement() {
    for claim in AGREEING.claims() {
        assert_eq!(claim.verdict, Verdict::Agrees, "{}: {}", claim.statement.name, claim.ours());
    }
}

#[test]
fn contrary_results_give_disagreement() {
    for claim in CONTRARY.claims() {
        // The contrary model does not reverse these two: BIG1 and BIGALL stay neighbours, DEEP stays in the
        // middle.
        if !matches!(claim.statement.name, "BIGALL and BIG1" | "DEEP not best") {
            assert_eq!(claim.verdict, Verdict::Disagrees, "{}: {}", claim.statement.name, claim.ours());
            assert!(claim.is_certain, "{}: {}", claim.statement.name, claim.ours());
        }
    }
}

#[test]
fn page_shows_the_verdicts() {
    let page = &rendered(&CONTRARY.observations())["README.md"];
    let summary = page.lines().nth(4).unwrap();
    // Of the two claims that the model does not reverse, one is in the paper's text and one is read from its
    // tables.
    assert!(summary.starts_with("Of the 18 statements of") && summary.contains("**disagree with 17**"), "{summary}");
    assert!(summary.contains("Of 4 more") && summary.contains("**disagree with 3**"), "{summary}");
    assert!(page.contains("TWOBIG1 is the best of the seven schemes. The paper: fewer;"));
    let agreeing = &rendered(&AGREEING.observations())["README.md"];
    assert!(agreeing.contains("Nowhere: all statements agree with the paper."));
}

#[test]
fn incomplete_results_name_the_missing_searches() {
    let none = rendered(&[]);
    let names = ["README.md", "statements-schemes.md", "statements-size.md", "statements-stamps.md", "tables.md"];
    assert_eq!(none.keys().collect::<Vec<_>>(), names);
    assert!(none["README.md"].contains("cannot tell about 18, for 18 of which they lack the searches."));
    assert!(none["README.md"].contains("cannot tell about 4, for 4 of which they lack the searches."));
    assert!(none.values().all(|text| !text.contains("\n\n\n") && !text.contains("NaN")));

    let mut observations = AGREEING.observations();
    // One position is missing at 64K, all of BIGALL, and everything at 8 ply.
    observations.retain(|seen| {
        let is_hole = seen.series.positions == SIZES[3] && seen.test == 7 && seen.series.scheme == Some(Scheme::New);
        !is_hole && seen.series.scheme != Some(Scheme::BigAll) && seen.depth < 8
    });
    let claims = claims(&Counts::new(&observations));
    let verdict = |name: &str| claims.iter().find(|claim| claim.statement.name == name).unwrap().verdict;
    assert_eq!(verdict("TWODEEP saves"), Verdict::Agrees);
    assert_eq!(verdict("spread at 8K"), Verdict::CannotTell);
    assert_eq!(verdict("factor at 8 ply"), Verdict::CannotTell);
    let page = &rendered(&observations)["README.md"];
    assert!(page.contains("10 entries lack some of their 18 positions"), "{page}");
    assert!(page.contains("not in the results, which would need all schemes at 8K, 7 ply, cleared"));

    // Prefixes of a run are rendered without a panic, and without a number that is none.
    let observations = AGREEING.observations();
    for length in [1, 17, 18, 107, 108, 1_000, 5_000, 11_000] {
        assert!(rendered(&observations[..length]).values().all(|text| !text.contains("NaN")), "{length}");
    }
}

#[test]
fn searches_outside_the_plan_are_not_counted() {
    let mut observations = AGREEING.observations();
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
    let files = render(&AGREEING.observations(), "r.csv", time, false).unwrap();
    assert!(files[0].1.contains("**4,000 times**"));
    let part = render(&AGREEING.observations()[..500], "r.csv", time, false).unwrap();
    assert!(!part[0].1.contains("times**"));
}

fn committed(file: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(SCHEMES_FOLDER).join(file)
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

#[test]
fn committed_results_give_the_committed_pages() {
    let observations = experiment::read(&committed("results.csv")).unwrap();
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
