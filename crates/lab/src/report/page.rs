//! The report as pages of Markdown: the summary, the tables, and the statements in detail.

use std::fmt::Write;
use std::ops::RangeInclusive;

use super::cells::{CellResults, Grid, LARGEST, SCHEMES, SIZES, SchemeVariant, TESTS};
use super::claims::{Claim, Verdict};
use super::figures::Figure;
use super::paper::{self, Paper};
use super::{StudyPage, WallTime, tables};
use sesame_report::html;
use sesame_report::markdown::{self, Table};

/// The contents of the pages.
pub(super) struct ReportPage<'a> {
    pub(super) results: &'a CellResults,
    pub(super) paper: &'a Paper,
    pub(super) claims: &'a [Claim],
    pub(super) pictures: &'a [Figure],
    pub(super) studies: &'a [StudyPage],
    pub(super) wall_time: Option<WallTime>,
    /// The name of the results file in the report.
    pub(super) source: &'a str,
}

/// A link to the page about this laboratory.
const LAB_PAGE: &str = "[docs/contributors/lab.md](../../contributors/lab.md)";

/// The title of the first page.
pub(super) const TITLE: &str = "Replacement schemes for transposition tables: 1994 and now";

/// The file of the first page.
pub(super) const SUMMARY_FILE: &str = "README.md";

/// The file of the page with the paper's tables.
const TABLES_FILE: &str = "tables.md";

/// A page with the details of some statements.
struct StatementPage {
    file: &'static str,
    title: &'static str,
    /// The number of its last statement.
    last: usize,
}

/// The pages with the details of the statements, in their order.
const STATEMENT_PAGES: [StatementPage; 3] = [
    StatementPage { file: "statements-size.md", title: "the size of the table", last: 7 },
    StatementPage { file: "statements-schemes.md", title: "the schemes compared", last: 13 },
    StatementPage {
        file: "statements-stamps.md",
        title: "the largest table, time stamps, and no table",
        last: usize::MAX,
    },
];

impl ReportPage<'_> {
    /// Returns the file names and the texts of all pages, the summary first.
    pub(super) fn markdown(&self) -> Vec<(String, String)> {
        let summary = page(
            TITLE,
            &[
                self.summary(),
                SCHEMES_AND_TERMS.to_owned(),
                self.verdicts(),
                self.differences(),
                self.pictures(),
                self.further_pages(),
                self.method(),
                self.again(),
            ],
        );
        let tables = page("Tables of the experiment of 1994", &[self.tables(), self.nearness()]);
        let mut pages = vec![(SUMMARY_FILE.to_owned(), summary), (TABLES_FILE.to_owned(), tables)];
        for (file, title, numbers) in self.statement_pages() {
            pages.push((file.to_owned(), page(&title, &[self.details(numbers)])));
        }
        pages
    }

    /// Returns the file, the title and the numbers of each page of statements.
    fn statement_pages(&self) -> Vec<(&'static str, String, RangeInclusive<usize>)> {
        let mut first = 1;
        let page = |StatementPage { file, title, last }| {
            let numbers = first..=self.claims.len().min(last);
            first = numbers.end() + 1;
            (file, format!("Statements {} to {}: {title}", numbers.start(), numbers.end()), numbers)
        };
        STATEMENT_PAGES.into_iter().map(page).collect()
    }

    fn summary(&self) -> String {
        let (read, said): (Vec<&Claim>, Vec<&Claim>) =
            self.claims.iter().partition(|claim| claim.is_read_from_tables());
        let text = format!(
            "In 1994 D. M. Breuker, J. W. H. M. Uiterwijk and H. J. van den Herik compared seven replacement \
             schemes for the transposition table of a chess program: \"Replacement Schemes for Transposition \
             Tables\", ICCA Journal 17(4). This is their experiment again. ALIBABA, their test program, is \
             written anew from section 4 of the paper; the table is the one that Sesame plays with.\n\n\
             Of the {} statements of the paper's text, our results {}. Of {} more that we read from its \
             tables, they {}. A verdict beyond chance does not depend on which {TESTS} positions were taken. \
             The ranges that decide what agrees are ours, set before the full run; each is named under its \
             statement.",
            said.len(),
            score(&said),
            read.len(),
            score(&read)
        );
        let merits: Vec<String> = [self.merit(false), self.merit(true)].into_iter().flatten().collect();
        [text, merits.join(" "), self.extent()]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("\n\n")
    }

    /// Returns a sentence on the best and the worst scheme over all sizes.
    fn merit(&self, stamped: bool) -> Option<String> {
        let grid = Grid::new(self.results, &SCHEMES.map(|scheme| SchemeVariant { scheme, stamped }), 7, &SIZES)?;
        let picks: Vec<usize> = (0..TESTS).collect();
        let mut order: Vec<(f64, &str)> =
            grid.merits(&picks).into_iter().zip(SCHEMES.map(|scheme| scheme.name())).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let [(best, first), (second, next), .., (worst, last)] = order[..] else { return None };
        let how = if stamped { "With entries stamped" } else { "With the table cleared" };
        Some(format!(
            "{how} between positions, over the sizes {} at 7 ply, {first} visits the fewest nodes; {next} is \
             second with {}, {last} last with {}.",
            markdown::sizes(&grid.sizes),
            markdown::signed_percent(second / best - 1.0),
            markdown::signed_percent(worst / best - 1.0),
        ))
    }

    /// Describes the searches in the results and the duration of the run.
    fn extent(&self) -> String {
        let searches = self.results.with_table();
        let mut text = format!(
            "The results are {} of the paper's {} searches with a table and {} without. ",
            markdown::grouped(searches as u64),
            markdown::grouped(paper::OBSERVATIONS as u64),
            self.results.without_table(),
        );
        if self.results.incomplete() > 0 {
            let _ = write!(
                text,
                "{} entries lack some of their {TESTS} positions and are left out: the run is not finished. ",
                self.results.incomplete()
            );
        }
        if self.results.unplanned() > 0 {
            let _ = write!(
                text,
                "{} more searches, of sizes or depths that the paper's experiment does not have, are left out. ",
                markdown::grouped(self.results.unplanned() as u64)
            );
        }
        text.push_str(&self.time(searches));
        text
    }

    fn time(&self, searches: usize) -> String {
        let Some(WallTime { seconds, threads }) = self.wall_time else {
            return format!(
                "The paper's run took {} hours; the duration of this one is not recorded.",
                markdown::grouped(paper::HOURS as u64)
            );
        };
        let threads = threads.map_or_else(String::new, |threads| {
            if threads == 1 { " on one thread".to_owned() } else { format!(" on {threads} threads") }
        });
        let took =
            if seconds < 120.0 { format!("{seconds:.0} seconds") } else { format!("{:.1} minutes", seconds / 60.0) };
        let hours = markdown::grouped(paper::HOURS as u64);
        if searches < paper::OBSERVATIONS {
            return format!("They took {took}{threads}; the paper's whole run took {hours} hours on one SUN 4.");
        }
        let ratio = markdown::grouped((paper::HOURS * 3600.0 / seconds).round() as u64);
        format!("They took {took}{threads}; the paper's {hours} hours on one SUN 4 are **{ratio} times** as long.")
    }

    fn verdicts(&self) -> String {
        let mut table =
            Table::new(["", "the paper says", "its figure", "ours (95 % interval)", "verdict", "beyond chance"])
                .with_text_columns(6);
        for (number, claim) in (1..).zip(self.claims) {
            let verdict = match claim.verdict {
                Verdict::Agrees => claim.verdict.to_string(),
                _ => format!("**{}**", claim.verdict),
            };
            let chance = if claim.is_certain { "yes" } else { "no" };
            let link = link(number, claim);
            table.row([
                link,
                claim.statement.to_owned(),
                claim.paper.clone(),
                claim.ours.clone(),
                verdict,
                chance.to_owned(),
            ]);
        }
        format!(
            "## Statement by statement\n\n{table}\nEach number leads to the details of its statement. \"Beyond \
             chance\": the whole interval speaks for the verdict, see [How to read the \
             numbers](#how-to-read-the-numbers).\n"
        )
    }

    /// Lists the claims that the results do not confirm.
    fn differences(&self) -> String {
        let of =
            |verdict| (1..).zip(self.claims).filter(move |(_, claim)| claim.verdict == verdict && !claim.is_missing);
        let item = |(number, claim): (usize, &Claim)| {
            let link = link(number, claim);
            let context = if claim.context.is_empty() { String::new() } else { format!(" {}", claim.context) };
            format!("- {link}: {} The paper: {}. Ours: {}.{context}\n", claim.statement, claim.paper, claim.ours)
        };
        let disagreed: String = of(Verdict::Disagrees).map(item).collect();
        let open: String = of(Verdict::CannotTell).map(item).collect();
        let mut text = "## Where we differ\n\n".to_owned();
        match (disagreed.is_empty(), self.claims.iter().any(|claim| claim.is_missing)) {
            (true, false) if open.is_empty() => text.push_str("Nowhere: all statements agree with the paper.\n"),
            (true, _) => text.push_str("No statement that the results speak to came out against the paper.\n"),
            (false, _) => {
                let _ = write!(
                    text,
                    "Our results contradict these statements. The pages behind the numbers show at which \
                     sizes and depths and on how many positions.\n\n{disagreed}"
                );
            }
        }
        if !open.is_empty() {
            let _ = write!(
                text,
                "\nHere they do not decide. Our figure lies outside the range that would count as agreement, but \
                 the end of its interval lies inside: {TESTS} other positions of such a game might have \
                 agreed.\n\n{open}"
            );
        }
        if self.studies.iter().any(|study| study.file == "discussion.md") {
            text.push_str("\nThe causes of the differences: [discussion](discussion.md).\n");
        }
        text
    }

    fn pictures(&self) -> String {
        let mut text = "## Figures\n".to_owned();
        for picture in self.pictures {
            let Figure { file, title, caption, svg } = picture;
            match svg {
                Some(_) => {
                    let _ = write!(text, "\n### {title}\n\n![{title}]({file})\n\n{caption}\n");
                }
                None => {
                    let _ = write!(text, "\n### {title}\n\nThe results lack the searches for this figure.\n");
                }
            }
        }
        text
    }

    fn tables(&self) -> String {
        let (results, paper) = (self.results, self.paper);
        let mut text = format!(
            "Nodes visited in thousands, summed over the {TESTS} positions; \"ratio\" is ours \
             over the paper's. A dash: not in the results. The statements and figures: [summary]({SUMMARY_FILE}).\n\n\
             ## Table 1. Without a table\n\n{}\n",
            tables::without_table(results, paper)
        );
        for (number, stamped) in [(2, false), (3, true)] {
            let how = if stamped { "stamped" } else { "cleared" };
            let largest = markdown::size(LARGEST);
            let _ = write!(
                text,
                "## Table {number}. {largest} positions, {how} between positions\n\n{}\n",
                tables::largest(results, paper, stamped)
            );
        }
        for (number, stamped) in [(1, false), (2, true)] {
            if let Some(table) = tables::by_size(results, stamped, 7) {
                let how = if stamped { "stamped" } else { "cleared" };
                let _ = write!(text, "## The numbers of Figure {number}: 7 ply, {how}\n\n{table}\n");
            }
        }
        text
    }

    fn nearness(&self) -> String {
        let sentences = tables::nearness(self.results, self.paper);
        if sentences.is_empty() {
            return String::new();
        }
        let choices = match self.studies.iter().find(|study| study.file == "choices.md") {
            Some(study) => format!("[{}]({})", study.title, study.file),
            None => LAB_PAGE.to_owned(),
        };
        format!(
            "## How near our ALIBABA is to theirs\n\n{} The points that the paper leaves open, and the effect \
             of each choice on the node counts: {choices}.\n\nThe share of the nodes that the table leaves, \
             ours / the paper's:\n\n{}\n",
            sentences.join(" "),
            tables::savings(self.results, self.paper)
        )
    }

    /// Lists the other pages of the report and those of further studies.
    fn further_pages(&self) -> String {
        let listed = |study: &&StudyPage| study.file != "discussion.md";
        let mut text = format!("## Further pages\n\n- [The paper's tables, with ours]({TABLES_FILE})\n");
        for (file, title, _) in self.statement_pages() {
            let _ = writeln!(text, "- [{title}]({file})");
        }
        for study in self.studies.iter().filter(listed) {
            let _ = writeln!(text, "- [{}]({})", study.title, study.file);
        }
        text
    }

    /// Returns the details of the statements with these numbers.
    fn details(&self, numbers: RangeInclusive<usize>) -> String {
        let mut text = format!(
            "Each table compares position by position; a negative percentage means that the first named visits \
             fewer nodes. \"All nodes\" is the ratio of the sums, the paper's measure, in which the biggest trees \
             count most; \"per position\" is the geometric mean of the {TESTS} ratios, in which all count alike. \
             More: [How to read the numbers]({SUMMARY_FILE}#how-to-read-the-numbers).\n"
        );
        for (number, claim) in (1..).zip(self.claims).filter(|(number, _)| numbers.contains(number)) {
            let chance = match (claim.verdict, claim.is_certain) {
                (Verdict::CannotTell, _) => "",
                (_, true) => ", beyond chance",
                (_, false) => ", but not beyond chance",
            };
            let _ = write!(
                text,
                "\n## {}\n\n{} ({})\n\n- Counted: {}\n- Paper: {}\n- Ours: {}\n- Verdict: **{}**{chance}\n",
                heading(number, claim),
                claim.statement,
                claim.source,
                claim.criterion,
                claim.paper,
                claim.ours,
                claim.verdict
            );
            if !claim.details.is_empty() {
                let _ = write!(text, "\n{}\n", claim.details.trim_end());
            }
        }
        text
    }

    fn method(&self) -> String {
        format!(
            "## How to read the numbers\n\n\
             - Nodes are all nodes visited: interior nodes, leaves and quiescence, in all iterations up to \
             the depth.\n\
             - Every statement is one number with a range that it must lie in. It **agrees** if the number \
             does; **disagrees** if not even the number's 95 % interval reaches the range; otherwise, or if \
             the results lack the searches, we **cannot tell**. \"Beyond chance\" means that the whole \
             interval is on the verdict's side. The paper gives few figures and no tolerances: the ranges \
             were set by us, before the full run. An end of an interval that rounds to the edge of the range, \
             or to no difference, has more digits; printed as +0.0 it is 0 or within half a thousandth of a \
             per cent of it.\n\
             - Intervals are percentiles of a bootstrap over the {TESTS} positions: {} seeded draws with \
             replacement, with all measurements of a position kept together. They show how much depends on \
             the choice of positions from such a game. The {TESTS} are successive positions of one game and \
             resemble each other: for chess at large the intervals are too narrow.\n\
             - Where entries are stamped, the positions also depend on each other through the table: a search \
             finds entries of the positions before. The bootstrap takes them for independent, so the \
             intervals of stamped figures are too narrow even for such a game.\n\
             - A comparison with the best (or worst) of several others determines the best anew in each \
             resample, which makes it harder to be called best.\n",
            markdown::grouped(sesame_report::statistics::RESAMPLES as u64)
        )
    }

    fn again(&self) -> String {
        format!(
            "## Run it again\n\n\
             ```\n\
             cargo build --release -p sesame-lab\n\
             target/release/sesame-lab run --output {0}\n\
             target/release/sesame-lab report --results {0} --output {1}\n\
             ```\n\n\
             The same command gives the same bytes. All on one page, pictures included: \
             [report.html](report.html). The laboratory's own page is {LAB_PAGE}.\n",
            self.source,
            crate::SCHEMES_FOLDER
        )
    }
}

/// Joins a title and the sections that are not empty.
fn page(title: &str, sections: &[String]) -> String {
    let mut page = format!("# {title}\n\n");
    for section in sections.iter().filter(|section| !section.is_empty()) {
        let _ = write!(page, "{}\n\n", section.trim());
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    markdown::unbroken(&page)
}

/// The schemes and the words that the paper takes for granted.
const SCHEMES_AND_TERMS: &str = "## Schemes and terms\n\n\
    A collision: a place of the table is taken by another position. A scheme decides which of the two stays.\n\n\
    | scheme | stays |\n\
    | --- | --- |\n\
    | DEEP | the position searched to the greater depth |\n\
    | NEW | the new position |\n\
    | OLD | the old position |\n\
    | BIG1 | the position with the bigger subtree; a table hit in it counts as one node |\n\
    | BIGALL | the same, but a table hit counts as all the nodes behind it |\n\
    | TWODEEP | two entries a place: DEEP decides which is the first, the other takes the second |\n\
    | TWOBIG1 | two entries a place: BIG1 decides which is the first, the other takes the second |\n\n\
    - Test positions: 18 successive positions of the game Kasparov-Short, Amsterdam 1994, White to move.\n\
    - Sizes are numbers of entries: 8K is 8,192. A place of a scheme with two levels counts as two.\n\
    - **Cleared**: the table is emptied between two test positions. **Stamped**: entries of earlier test positions \
    stay, are used, and are the first to be replaced.\n\
    - **Ply**: one move of one side; 7 ply is a search seven moves deep.\n";

/// Counts the verdicts, in words that follow "our results".
fn score(claims: &[&Claim]) -> String {
    let of = |verdict| claims.iter().filter(move |claim| claim.verdict == verdict);
    let (agreed, disagreed, open) =
        (of(Verdict::Agrees).count(), of(Verdict::Disagrees).count(), of(Verdict::CannotTell).count());
    let certain = of(Verdict::Agrees).filter(|claim| claim.is_certain).count();
    let mut parts = vec![format!("**agree with {agreed}** ({certain} of them beyond chance)")];
    if disagreed > 0 {
        parts.push(format!("**disagree with {disagreed}**"));
    }
    if open > 0 {
        let missing = of(Verdict::CannotTell).filter(|claim| claim.is_missing).count();
        let lacking = match missing {
            0 => String::new(),
            _ => format!(", for {missing} of which they lack the searches"),
        };
        parts.push(format!("cannot tell about {open}{lacking}"));
    }
    match parts.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => parts.concat(),
    }
}

/// Returns a link to a claim's details.
fn link(number: usize, claim: &Claim) -> String {
    let page = STATEMENT_PAGES.iter().find(|page| number <= page.last);
    format!("[{number}]({}#{})", page.map_or("", |page| page.file), html::slug(&heading(number, claim)))
}

/// Returns the heading of a claim's details.
fn heading(number: usize, claim: &Claim) -> String {
    format!("Statement {number}: {}", claim.name)
}
