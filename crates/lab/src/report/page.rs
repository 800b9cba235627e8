//! The report as pages of Markdown: the summary, the tables, and the statements in detail.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use super::claims::{Claim, Statement, Verdict};
use super::counts::{Counts, LARGEST, PAPER_HOURS, PAPER_OBSERVATIONS, between, variants};
use super::figures::{self, Figure};
use super::statements::STATEMENTS;
use super::tables::{self, DEPTH};
use crate::experiment::{self, Observation};
use crate::positions::TESTS;
use sesame_command::CommandError;
use sesame_command::files;
use sesame_report::markdown::{self, Table, fill, grouped, signed_percent};
use sesame_report::statistics::RESAMPLES;
use sesame_report::{ChartError, MARK};

pub const SCHEMES_FOLDER: &str = "docs/notebook/replacement-schemes";

pub(super) const TITLE: &str = "Replacement schemes for transposition tables: 1994 and now";

const STATEMENT_PAGES: [(&str, &str, usize, usize); 3] = [
    ("statements-size.md", "the size of the table", 1, 7),
    ("statements-schemes.md", "the schemes compared", 8, 13),
    ("statements-stamps.md", "the largest table, time stamps, and no table", 14, 22),
];

#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct WallTime {
    pub(super) seconds: f64,
    pub(super) threads: Option<u32>,
}

impl WallTime {
    /// Parses the record beside the results. `None` without valid seconds, or for another number of observations.
    pub(super) fn parse(text: &str, observations: usize) -> Option<WallTime> {
        let value = |name: &str| {
            let mut pairs = text.lines().filter_map(|line| line.split_once('='));
            pairs.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim())
        };
        let recorded: usize = value("observations")?.parse().ok()?;
        let seconds: f64 = value("seconds")?.parse().ok()?;
        let threads = value("threads").and_then(|threads| threads.parse().ok());
        (recorded == observations && seconds.is_finite() && seconds > 0.0).then_some(WallTime { seconds, threads })
    }
}

/// Returns the path of the file in which a run records its duration.
pub fn meta_path(results: &Path) -> PathBuf {
    files::with_suffix(results, ".meta")
}

/// Reads the results in `source` and returns the report's files by name. The report links a page discussion.md that is in
/// the folder `output`.
pub fn pages(source: &Path, output: &Path) -> Result<Vec<(String, String)>, CommandError> {
    let observations = experiment::read(source)?;
    let record = fs::read_to_string(meta_path(source)).ok();
    let wall_time = record.and_then(|record| WallTime::parse(&record, observations.len()));
    let has_discussion = output.join("discussion.md").is_file();
    render(&observations, &source.display().to_string(), wall_time, has_discussion).map_err(CommandError::failed)
}

/// `source` is the name of the results file in the report.
pub(super) fn render(
    observations: &[Observation],
    source: &str,
    wall_time: Option<WallTime>,
    has_discussion: bool,
) -> Result<Vec<(String, String)>, ChartError> {
    let counts = Counts::new(observations);
    let claims = claims(&counts);
    let figures = figures::figures(&counts)?;
    let (read, said): (Vec<&Claim>, Vec<&Claim>) =
        claims.iter().partition(|claim| claim.statement.source.starts_with("Table"));
    let tests = [("tests", TESTS.to_string())];
    let merits: String = [false, true].map(|stamped| merit(&counts, stamped)).into_iter().flatten().collect();
    let summary = [
        ("title", TITLE.to_owned()),
        ("said", said.len().to_string()),
        ("score of said", score(&said)),
        ("read", read.len().to_string()),
        ("score of read", score(&read)),
        ("tests", TESTS.to_string()),
        ("merits", merits.trim_end().to_owned() + if merits.is_empty() { "" } else { "\n\n" }),
        ("extent", extent(&counts, wall_time)),
        ("verdicts", verdicts(&claims)),
        ("differences", differences(&claims, &counts, has_discussion)),
        ("figures", figures.iter().map(figure).collect::<Vec<_>>().join("\n")),
        ("pages", STATEMENT_PAGES.map(statement_page_link).concat()),
        ("resamples", grouped(RESAMPLES as u64)),
        ("source", source.to_owned()),
        ("folder", SCHEMES_FOLDER.to_owned()),
    ];
    let mut pages = vec![
        ("README.md".to_owned(), filled(include_str!("../pages/README.md"), &summary)),
        ("tables.md".to_owned(), tables_page(&counts)),
    ];
    for (file, title, first, last) in STATEMENT_PAGES {
        let statements: Vec<String> = claims[first - 1..last].iter().map(|claim| details(claim, &counts)).collect();
        let title = format!("# Statements {first} to {last}: {title}");
        let text = [title, filled(include_str!("../pages/statements.md"), &tests), statements.join("\n")].join("\n\n");
        pages.push((file.to_owned(), text));
    }
    for (_, text) in &mut pages {
        *text = markdown::unbroken(&format!("{MARK}\n\n{}\n", text.trim_end()));
    }
    let drawn = figures.into_iter().filter_map(|figure| Some((figure.file.to_owned(), figure.svg?)));
    Ok(pages.into_iter().chain(drawn).collect())
}

pub(super) fn claims(counts: &Counts) -> Vec<Claim> {
    (1..).zip(&STATEMENTS).map(|(number, statement)| Claim::new(number, statement, counts)).collect()
}

fn filled(template: &str, values: &[(&str, String)]) -> String {
    fill(template, &values.iter().map(|(name, value)| (*name, value as &dyn Display)).collect::<Vec<_>>())
}

fn merit(counts: &Counts, stamped: bool) -> Option<String> {
    let sizes = counts.sizes(&variants(stamped), DEPTH);
    let merits = counts.all().merits(stamped, &sizes, DEPTH);
    let [first, second, .., last] = tables::ranked(merits)[..] else { return None };
    let mut ordered = merits;
    ordered.sort_by(f64::total_cmp);
    let [behind, worst] = [ordered[1], ordered[6]].map(|merit| signed_percent(merit / ordered[0] - 1.0));
    let how = if stamped { "With entries stamped" } else { "With the table cleared" };
    (!sizes.is_empty()).then(|| {
        format!(
            "{how} between positions, over the sizes {} at 7 ply, {first} visits the fewest nodes; {second} is \
             second with {behind}, {last} last with {worst}. ",
            markdown::sizes(&sizes),
        )
    })
}

fn extent(counts: &Counts, wall_time: Option<WallTime>) -> String {
    let &Counts { with_table, without_table, incomplete, unplanned, .. } = counts;
    let [searches, all, more] = [with_table, PAPER_OBSERVATIONS, unplanned].map(|count| grouped(count as u64));
    let mut text =
        format!("The results are {searches} of the paper's {all} searches with a table and {without_table} without. ");
    if incomplete > 0 {
        text += &format!(
            "{incomplete} entries lack some of their {TESTS} positions and are left out: the run is not finished. "
        );
    }
    if unplanned > 0 {
        text += &format!(
            "{more} more searches, of sizes or depths that the paper's experiment does not have, are left out. "
        );
    }
    let hours = grouped(PAPER_HOURS as u64);
    let Some(WallTime { seconds, threads }) = wall_time else {
        return text + &format!("The paper's run took {hours} hours; the duration of this one is not recorded.");
    };
    let threads = match threads {
        None => String::new(),
        Some(1) => " on one thread".to_owned(),
        Some(threads) => format!(" on {threads} threads"),
    };
    let took = if seconds < 120.0 { format!("{seconds:.0} seconds") } else { format!("{:.1} minutes", seconds / 60.0) };
    text += &if with_table < PAPER_OBSERVATIONS {
        format!("They took {took}{threads}; the paper's whole run took {hours} hours on one SUN 4.")
    } else {
        let ratio = grouped((PAPER_HOURS * 3600.0 / seconds).round() as u64);
        format!("They took {took}{threads}; the paper's {hours} hours on one SUN 4 are **{ratio} times** as long.")
    };
    text
}

fn verdicts(claims: &[Claim]) -> String {
    let mut table =
        Table::new(["", "the paper says", "its figure", "ours (95 % interval)", "verdict", "beyond chance"])
            .with_text_columns(6);
    for claim in claims {
        let verdict = match claim.verdict {
            Verdict::Agrees => claim.verdict.to_string(),
            _ => format!("**{}**", claim.verdict),
        };
        let chance = if claim.is_certain { "yes" } else { "no" };
        table.row([&link(claim), claim.statement.text, claim.statement.paper, &claim.ours(), &verdict, chance]);
    }
    table.to_string()
}

pub(super) fn differences(claims: &[Claim], counts: &Counts, has_discussion: bool) -> String {
    let list = |verdict| -> String {
        let claims = claims.iter().filter(|claim| claim.verdict == verdict && claim.figure.is_some());
        let item = |claim: &Claim| {
            let Statement { text, paper, details, .. } = claim.statement;
            let (link, ours, context) = (link(claim), claim.ours(), (details.context)(counts));
            let item = format!("- {link}: {text} The paper: {paper}. Ours: {ours}. {context}");
            format!("{}\n", item.trim_end())
        };
        claims.map(item).collect()
    };
    let (disagreed, open) = (list(Verdict::Disagrees), list(Verdict::CannotTell));
    let is_complete = claims.iter().all(|claim| claim.figure.is_some());
    let mut text = if !disagreed.is_empty() {
        format!(
            "Our results contradict these statements. The pages behind the numbers show at which sizes and \
             depths and on how many positions.\n\n{disagreed}"
        )
    } else if is_complete && open.is_empty() {
        "Nowhere: all statements agree with the paper.\n".to_owned()
    } else {
        "No statement that the results speak to came out against the paper.\n".to_owned()
    };
    if !open.is_empty() {
        text += &format!(
            "\nHere they do not decide. Our figure lies outside the range that would count as agreement, but \
             the end of its interval lies inside: {TESTS} other positions of such a game might have \
             agreed.\n\n{open}"
        );
    }
    if has_discussion {
        text += "\nThe causes of the differences: [discussion](discussion.md).\n";
    }
    text
}

fn tables_page(counts: &Counts) -> String {
    let by_size = |(number, stamped)| match tables::by_size(counts, stamped, DEPTH) {
        table if table.is_empty() => table,
        table => format!("## The numbers of Figure {number}: 7 ply, {}\n\n{table}\n", between(stamped)),
    };
    let sentences = tables::nearness(counts).join(" ");
    let nearness = [("sentences", sentences.clone()), ("savings", tables::shares(counts))];
    let nearness = filled(include_str!("../pages/nearness.md"), &nearness);
    let values = [
        ("tests", TESTS.to_string()),
        ("largest", markdown::size(LARGEST)),
        ("table 1", tables::table_1(counts)),
        ("table 2", tables::table_2(counts, false)),
        ("table 3", tables::table_2(counts, true)),
        ("by size", [(1, false), (2, true)].map(by_size).concat()),
        ("nearness", if sentences.is_empty() { String::new() } else { nearness }),
    ];
    filled(include_str!("../pages/tables.md"), &values)
}

fn statement_page_link((file, title, first, last): (&str, &str, usize, usize)) -> String {
    format!("- [Statements {first} to {last}: {title}]({file})\n")
}

fn figure(Figure { file, title, caption, svg }: &Figure) -> String {
    match svg {
        Some(_) => format!("### {title}\n\n![{title}]({file})\n\n{caption}\n"),
        None => format!("### {title}\n\nThe results lack the searches for this figure.\n"),
    }
}

fn details(claim: &Claim, counts: &Counts) -> String {
    let chance = match (claim.verdict, claim.is_certain) {
        (Verdict::CannotTell, _) => "",
        (_, true) => ", beyond chance",
        (_, false) => ", but not beyond chance",
    };
    let Statement { text, source, criterion, paper, details, .. } = claim.statement;
    let (heading, ours, verdict, tables) = (heading(claim), claim.ours(), claim.verdict, (details.tables)(counts));
    let text = format!(
        "## {heading}\n\n{text} ({source})\n\n- Counted: {criterion}\n- Paper: {paper}\n- Ours: {ours}\n\
         - Verdict: **{verdict}**{chance}\n\n{tables}"
    );
    format!("{}\n", text.trim_end())
}

/// Words that follow "our results".
fn score(claims: &[&Claim]) -> String {
    let count = |is_counted: &dyn Fn(&Claim) -> bool| claims.iter().filter(|claim| is_counted(claim)).count();
    let [agreed, disagreed, open] = [Verdict::Agrees, Verdict::Disagrees, Verdict::CannotTell]
        .map(|verdict| count(&|claim| claim.verdict == verdict));
    let certain = count(&|claim| claim.verdict == Verdict::Agrees && claim.is_certain);
    let lacking = match count(&|claim| claim.figure.is_none()) {
        0 => String::new(),
        missing => format!(", for {missing} of which they lack the searches"),
    };
    let parts = [
        (1, format!("**agree with {agreed}** ({certain} of them beyond chance)")),
        (disagreed, format!("**disagree with {disagreed}**")),
        (open, format!("cannot tell about {open}{lacking}")),
    ];
    let mut parts: Vec<String> = parts.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text).collect();
    let last = parts.pop().unwrap_or_default();
    if parts.is_empty() { last } else { format!("{} and {last}", parts.join(", ")) }
}

fn link(claim: &Claim) -> String {
    let file = STATEMENT_PAGES.iter().find(|(.., last)| claim.number <= *last).map_or("", |page| page.0);
    format!("[{}]({file}#{})", claim.number, markdown::slug(&heading(claim)))
}

fn heading(claim: &Claim) -> String {
    format!("Statement {}: {}", claim.number, claim.statement.name)
}
