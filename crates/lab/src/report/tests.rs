//! Tests of the report on synthetic results that agree with the paper, disagree with it, or are incomplete.

use std::collections::BTreeMap;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::cells::{Cell, DEPTHS, LARGEST, PAPER_OBSERVATIONS, SCHEMES, SIZES, SchemeVariant, TESTS};
use super::claims::Verdict;
use super::*;
use sesame_report::markdown;
use sesame_table::Scheme;

/// A model of synthetic results.
struct Model {
    /// The paper's claims are reversed.
    contrary: bool,
}

impl Model {
    fn total(&self, cell: Cell, paper: &Paper) -> f64 {
        let Some(scheme) = cell.series.scheme else { return paper.total(cell).unwrap() };
        let line = SchemeVariant { scheme, stamped: cell.series.stamped };
        let place = SIZES.iter().position(|&size| size == cell.series.positions).unwrap();
        match (self.contrary, cell.depth) {
            (false, 7) => 40e6 * Self::growth(place) * (1.0 + penalty(scheme) * Self::crowd(place)) * stamp(line, 0.97),
            (false, depth) => paper.total(Cell::of(line, LARGEST, depth)).unwrap() * Self::growth(place),
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
            (true, 8) => paper.total(Cell::without_table(8)).unwrap() * (1.4 - penalty(scheme)),
            (true, depth) => paper.total(Cell::without_table(depth)).unwrap() * if depth == 3 { 0.5 } else { 1.4 },
        }
    }

    /// Returns the nodes at a size relative to those at 1024K.
    fn growth(place: usize) -> f64 {
        [0.91, 0.92, 0.93, 0.95, 0.97, 0.98, 0.99][place..].iter().product::<f64>().recip()
    }

    /// Returns the weight of the differences between schemes at a size.
    fn crowd(place: usize) -> f64 {
        [1.0, 0.85, 0.7, 0.5, 0.35, 0.2, 0.12, 0.1][place]
    }

    /// Returns the whole experiment, with noise on every count.
    fn observations(&self) -> Vec<Observation> {
        let paper = Paper::new();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1994);
        let mut unit = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let weights: Vec<f64> = (0..TESTS).map(|_| 0.3 + unit()).collect();
        let sum: f64 = weights.iter().sum();
        let mut observations = Vec::new();
        for cell in plan() {
            let total = self.total(cell, &paper);
            for (test, weight) in (1..).zip(&weights) {
                let noise = 1.0 + 0.004 * (unit() - 0.5);
                let nodes = (total * weight / sum * noise).round() as u64;
                let Cell { series, depth } = cell;
                observations.push(Observation { series, test, depth, nodes, score: 0, mv: "e2e4".to_owned() });
            }
        }
        observations
    }

    fn claims(&self) -> Vec<claims::Claim> {
        claims::all(&CellResults::new(&self.observations()), &Paper::new())
    }
}

const AGREEING: Model = Model { contrary: false };
const CONTRARY: Model = Model { contrary: true };

/// Returns the excess of a scheme over TWOBIG1 at 8K.
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

fn stamp(line: SchemeVariant, factor: f64) -> f64 {
    if line.stamped { factor } else { 1.0 }
}

fn plan() -> Vec<Cell> {
    let mut cells: Vec<Cell> = DEPTHS.into_iter().map(Cell::without_table).collect();
    for line in SCHEMES.into_iter().flat_map(|scheme| [SchemeVariant::cleared(scheme), SchemeVariant::stamped(scheme)])
    {
        for size in SIZES {
            cells.extend(DEPTHS.into_iter().filter(|&depth| depth < 8).map(|depth| Cell::of(line, size, depth)));
        }
        cells.extend([SIZES[1], SIZES[3], SIZES[5], LARGEST].map(|size| Cell::of(line, size, 8)));
    }
    cells
}

fn rendered(observations: &[Observation]) -> BTreeMap<String, String> {
    render(observations, "results.csv", None, &[]).unwrap().into_iter().collect()
}

#[test]
fn plan_has_the_papers_size() {
    assert_eq!((plan().len() - DEPTHS.len()) * TESTS, PAPER_OBSERVATIONS);
}

#[test]
fn agreeing_results_give_agreement() {
    for claim in AGREEING.claims() {
        assert_eq!(claim.verdict, Verdict::Agrees, "{}: {}", claim.name, claim.ours);
        assert!(!claim.details.is_empty(), "{}", claim.name);
    }
}

#[test]
fn contrary_results_give_disagreement() {
    for claim in CONTRARY.claims() {
        // The contrary model does not reverse these two: BIG1 and BIGALL stay neighbours, DEEP stays in the
        // middle.
        let expected = match claim.name {
            "BIGALL and BIG1" | "DEEP not best" => continue,
            _ => Verdict::Disagrees,
        };
        assert_eq!(claim.verdict, expected, "{}: {}", claim.name, claim.ours);
        assert!(claim.is_certain, "{}: {}", claim.name, claim.ours);
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
fn figures_are_well_formed_and_labelled() {
    let files = rendered(&AGREEING.observations());
    let pictures: Vec<_> = files.iter().filter(|(name, _)| name.ends_with(".svg")).collect();
    assert_eq!(pictures.len(), 3);
    for (name, svg) in pictures {
        let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{name}: {error}"));
        let texts: Vec<String> = document
            .descendants()
            .filter(|node| node.has_tag_name("text"))
            .map(|node| node.text().unwrap().trim().to_owned())
            .collect();
        if name.starts_with("figure-1") || name.starts_with("figure-2") {
            for label in SCHEMES.map(tables::in_words).into_iter().chain(["8K", "1024K"].map(str::to_owned)) {
                assert_eq!(texts.iter().filter(|text| **text == label).count(), 1, "{label} in {name}");
            }
        }
        assert!(files["README.md"].contains(&format!("({name})")), "{name} is not in README.md");
    }
}

fn pages(files: &BTreeMap<String, String>) -> impl Iterator<Item = (&str, &str)> {
    files.iter().map(|(file, text)| (file.as_str(), text.as_str())).filter(|(file, _)| file.ends_with(".md"))
}

#[test]
fn links_have_targets() {
    let files = rendered(&AGREEING.observations());
    let has_heading = |page: &str, target: &str| {
        let mut headings = files[page].lines().filter(|line| line.starts_with('#'));
        headings.any(|line| markdown::slug(line.trim_start_matches(['#', ' '])) == target)
    };
    let mut links = 0;
    for (page, text) in pages(&files) {
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, target) = link.split_once('#').unwrap_or((link, ""));
            if file.starts_with("..") {
                continue;
            }
            links += 1;
            let file = if file.is_empty() { page } else { file };
            assert!(files.contains_key(file), "{page}: {link}");
            assert!(target.is_empty() || has_heading(file, target), "{page}: {link}");
        }
    }
    assert!(links > 30, "{links}");
}

#[test]
fn each_statement_has_its_details_on_a_page_of_readable_length() {
    let files = rendered(&AGREEING.observations());
    let of = |number: usize| {
        let heading = format!("## Statement {number}: ");
        pages(&files).filter(|(_, text)| text.lines().any(|line| line.starts_with(&heading))).count()
    };
    assert_eq!((1..=23).map(of).collect::<Vec<_>>(), [vec![1; 22], vec![0]].concat());
    for (page, text) in pages(&files) {
        assert!(text.lines().count() <= 300, "{page} has {} lines", text.lines().count());
    }
}

#[test]
fn incomplete_results_name_the_missing_searches() {
    let none = rendered(&[]);
    let names = ["README.md", "statements-schemes.md", "statements-size.md", "statements-stamps.md", "tables.md"];
    assert_eq!(none.keys().collect::<Vec<_>>(), names);
    assert!(none["README.md"].contains("cannot tell about 18, for 18 of which they lack the searches."));
    assert!(none["README.md"].contains("cannot tell about 4, for 4 of which they lack the searches."));
    assert!(pages(&none).all(|(_, text)| !text.contains("\n\n\n")));

    let mut observations = AGREEING.observations();
    // One position is missing at 64K, all of BIGALL, and everything at 8 ply.
    observations.retain(|seen| {
        let is_hole = seen.series.positions == SIZES[3] && seen.test == 7 && seen.series.scheme == Some(Scheme::New);
        !is_hole && seen.series.scheme != Some(Scheme::BigAll) && seen.depth < 8
    });
    let claims = claims::all(&CellResults::new(&observations), &Paper::new());
    let verdict = |name: &str| claims.iter().find(|claim| claim.name == name).unwrap().verdict;
    assert_eq!(verdict("TWODEEP saves"), Verdict::Agrees);
    assert_eq!(verdict("spread at 8K"), Verdict::CannotTell);
    assert_eq!(verdict("factor at 8 ply"), Verdict::CannotTell);
    let page = &rendered(&observations)["README.md"];
    assert!(page.contains("10 entries lack some of their 18 positions"), "{page}");
    assert!(page.contains("not in the results, which would need all schemes at 8K, 7 ply, cleared"));

    // Prefixes of a run are rendered without a panic.
    let observations = AGREEING.observations();
    for length in [1, 17, 18, 107, 108, 1_000, 5_000, 11_000] {
        rendered(&observations[..length]);
    }
}

#[test]
fn searches_outside_the_plan_are_not_counted() {
    let mut observations = AGREEING.observations();
    let known = observations.len();
    let model = observations.last().unwrap().clone();
    let of = |scheme, positions, depth| {
        let series = experiment::Series { scheme, stamped: false, positions };
        Observation { series, depth, ..model.clone() }
    };
    let scheme = Some(Scheme::Deep);
    observations.extend([of(scheme, 4096, 7), of(scheme, SIZES[0], 8), of(scheme, SIZES[0], 2), of(None, 0, 9)]);
    let results = CellResults::new(&observations);
    assert_eq!((results.with_table, results.unplanned), (PAPER_OBSERVATIONS, 4));
    assert_eq!((results.with_table + results.without_table, results.incomplete), (known, 0));
    let page = &rendered(&observations)["README.md"];
    assert!(page.contains("The results are 11,088 of the paper's 11,088 searches with a table and 108 without"));
    assert!(
        page.contains("4 more searches, of sizes or depths that the paper's experiment does not have, are left out.")
    );
}

#[test]
fn unconfirmed_claims_quote_the_next_depth() {
    let mut observations = AGREEING.observations();
    // DEEP equals TWODEEP at 7 ply and differs at 8 ply.
    let two: Vec<Observation> =
        observations.iter().filter(|seen| seen.series.scheme == Some(Scheme::TwoDeep)).cloned().collect();
    for seen in observations.iter_mut().filter(|seen| seen.series.scheme == Some(Scheme::Deep) && seen.depth == 7) {
        let same = experiment::Series { scheme: Some(Scheme::TwoDeep), ..seen.series };
        seen.nodes = two.iter().find(|two| two.key() == (same, seen.test, 7)).unwrap().nodes;
    }
    let page = markdown::unbroken(&rendered(&observations)["README.md"]);
    let item =
        page.lines().find(|line| line.starts_with("- [9](statements-schemes.md#statement-9-twodeep-saves)")).unwrap();
    assert!(
        item.contains("(16K, 64K, 256K, 1024K): 0.0\u{a0}% (0.0 to 0.0) at 7 ply, outside the range; 5."),
        "{item}"
    );
    assert!(item.contains("at 8 ply, inside it."), "{item}");
    assert!(
        item.contains("we visit 1.00 times the nodes of the paper's 7 ply at 7 ply and 6.30 times at 8 ply"),
        "{item}"
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
    let files = render(&AGREEING.observations(), "r.csv", time, &[]).unwrap();
    assert!(files[0].1.contains("**4,000 times**"));
    let part = render(&AGREEING.observations()[..500], "r.csv", time, &[]).unwrap();
    assert!(!part[0].1.contains("times**"));
}

#[test]
fn study_pages_beside_the_report_are_linked() {
    let folder = tempfile::tempdir().unwrap();
    let (output, results) = (folder.path(), folder.path().join("results.csv"));
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let committed = fs::read_to_string(crate::committed("results.csv")).unwrap();
    let text: String = committed.lines().take(3).map(|line| format!("{line}\n")).collect();
    write("results.csv", &text);
    write("results.csv.meta", "seconds=90\nthreads=2\nobservations=1\n");
    write("sources.md", "# What the sources say\n\n## No\n");
    write("discussion.md", "# Why\n");
    let report = || super::pages(&results, output).map(|pages| pages.into_iter().collect::<BTreeMap<_, _>>());
    let files = report().unwrap();
    assert_eq!(files.len(), 5);
    let page = &files["README.md"];
    assert!(page.contains("- [What the sources say](sources.md)") && page.contains("[discussion](discussion.md)"));
    assert!(page.contains("They took 90 seconds on 2 threads") && !page.contains("larger.md"));
    write("results.csv.meta", "seconds=90\nthreads=2\nobservations=2\n");
    assert!(report().unwrap()["README.md"].contains("the duration of this one is not recorded"));
    write("results.csv", &text.replacen("alibaba 1 ", "alibaba 2 ", 1));
    assert!(report().unwrap_err().to_string().contains("holds other results: line 1"));
}

#[test]
fn committed_results_give_the_committed_pages() {
    let folder = crate::committed("results.csv").parent().unwrap().to_owned();
    // The pages name the file as it was given.
    let observations = experiment::read(&folder.join("results.csv")).unwrap();
    let time = WallTime::parse(&fs::read_to_string(folder.join("results.csv.meta")).unwrap(), observations.len());
    let source = format!("{}/results.csv", crate::SCHEMES_FOLDER);
    for (name, text) in render(&observations, &source, time, &study_pages(&folder).unwrap()).unwrap() {
        assert!(fs::read_to_string(folder.join(&name)).unwrap() == text, "{name} differs");
    }
}
