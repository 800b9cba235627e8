//! The report as pages of Markdown: the summary, the tables, and the statements in detail.

use super::cells::{
    CellResults, Grid, LARGEST, PAPER_HOURS, PAPER_OBSERVATIONS, Paper, SCHEMES, SIZES, SchemeVariant, TESTS, between,
};
use super::claims::{Claim, Verdict};
use super::tables::{self, Figure};
use super::{StudyPage, WallTime};
use sesame_report::markdown::{self, Table, fill, grouped};

pub(super) struct ReportPage<'a> {
    pub(super) results: &'a CellResults,
    pub(super) paper: &'a Paper,
    pub(super) claims: &'a [Claim],
    pub(super) pictures: &'a [Figure],
    pub(super) studies: &'a [StudyPage],
    pub(super) wall_time: Option<WallTime>,
    pub(super) source: &'a str,
}

pub(super) const TITLE: &str = "Replacement schemes for transposition tables: 1994 and now";

/// File, title, number of the last statement.
const STATEMENT_PAGES: [(&str, &str, usize); 3] = [
    ("statements-size.md", "the size of the table", 7),
    ("statements-schemes.md", "the schemes compared", 13),
    ("statements-stamps.md", "the largest table, time stamps, and no table", 22),
];

impl ReportPage<'_> {
    /// File names and texts, the summary first.
    pub(super) fn markdown(&self) -> Vec<(String, String)> {
        let (read, said): (Vec<&Claim>, Vec<&Claim>) =
            self.claims.iter().partition(|claim| claim.is_read_from_tables());
        let merits: Vec<String> = [false, true].into_iter().filter_map(|stamped| self.merit(stamped)).collect();
        let summary = fill(
            include_str!("../pages/README.md"),
            &[
                ("title", &TITLE),
                ("said", &said.len()),
                ("score of said", &score(&said)),
                ("read", &read.len()),
                ("score of read", &score(&read)),
                ("tests", &TESTS),
                ("merits", &if merits.is_empty() { String::new() } else { merits.join(" ") + "\n\n" }),
                ("extent", &self.extent()),
                ("verdicts", &self.verdicts()),
                ("differences", &self.differences()),
                ("figures", &self.pictures.iter().map(figure).collect::<Vec<_>>().join("\n")),
                ("pages", &self.further_pages()),
                ("resamples", &grouped(sesame_report::statistics::RESAMPLES as u64)),
                ("source", &self.source),
                ("folder", &crate::SCHEMES_FOLDER),
            ],
        );
        let mut pages = vec![("README.md".to_owned(), summary), ("tables.md".to_owned(), self.tables())];
        let mut first = 1;
        for (file, title, last) in STATEMENT_PAGES {
            let numbered = (first..=last).zip(self.claims.iter().skip(first - 1));
            let statements: Vec<String> = numbered.map(|(number, claim)| details(number, claim)).collect();
            let text = fill(
                include_str!("../pages/statements.md"),
                &[
                    ("first", &first),
                    ("last", &last),
                    ("title", &title),
                    ("tests", &TESTS),
                    ("statements", &statements.join("\n")),
                ],
            );
            pages.push((file.to_owned(), text));
            first = last + 1;
        }
        let unbroken = |(file, text): (String, String)| (file, markdown::unbroken(&format!("{}\n", text.trim_end())));
        pages.into_iter().map(unbroken).collect()
    }

    /// On the best and the worst scheme over all sizes.
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

    /// Searches in the results and duration of the run.
    fn extent(&self) -> String {
        let (searches, all) = (self.results.with_table, PAPER_OBSERVATIONS);
        let mut text = format!(
            "The results are {} of the paper's {} searches with a table and {} without. ",
            grouped(searches as u64),
            grouped(all as u64),
            self.results.without_table,
        );
        if self.results.incomplete > 0 {
            text += &format!(
                "{} entries lack some of their {TESTS} positions and are left out: the run is not finished. ",
                self.results.incomplete
            );
        }
        if self.results.unplanned > 0 {
            text += &format!(
                "{} more searches, of sizes or depths that the paper's experiment does not have, are left out. ",
                grouped(self.results.unplanned as u64)
            );
        }
        let hours = grouped(PAPER_HOURS as u64);
        let Some(WallTime { seconds, threads }) = self.wall_time else {
            return text + &format!("The paper's run took {hours} hours; the duration of this one is not recorded.");
        };
        let threads = match threads {
            None => String::new(),
            Some(1) => " on one thread".to_owned(),
            Some(threads) => format!(" on {threads} threads"),
        };
        let took =
            if seconds < 120.0 { format!("{seconds:.0} seconds") } else { format!("{:.1} minutes", seconds / 60.0) };
        if searches < all {
            return text
                + &format!("They took {took}{threads}; the paper's whole run took {hours} hours on one SUN 4.");
        }
        let ratio = grouped((PAPER_HOURS * 3600.0 / seconds).round() as u64);
        text + &format!(
            "They took {took}{threads}; the paper's {hours} hours on one SUN 4 are **{ratio} times** as long."
        )
    }

    fn verdicts(&self) -> Table {
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
            table.row([&link, claim.statement, &claim.paper, &claim.ours, &verdict, chance]);
        }
        table
    }

    fn differences(&self) -> String {
        let list = |verdict| -> String {
            let claims = (1..).zip(self.claims).filter(|(_, claim)| claim.verdict == verdict && !claim.is_missing);
            let item = |(number, claim): (usize, &Claim)| {
                let Claim { statement, paper, ours, context, .. } = claim;
                let item =
                    format!("- {}: {statement} The paper: {paper}. Ours: {ours}. {context}", link(number, claim));
                format!("{}\n", item.trim_end())
            };
            claims.map(item).collect()
        };
        let (disagreed, open) = (list(Verdict::Disagrees), list(Verdict::CannotTell));
        let is_complete = !self.claims.iter().any(|claim| claim.is_missing);
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
        if self.studies.iter().any(|study| study.file == "discussion.md") {
            text += "\nThe causes of the differences: [discussion](discussion.md).\n";
        }
        text
    }

    fn tables(&self) -> String {
        let (results, paper) = (self.results, self.paper);
        let by_size = |(number, stamped): (u32, bool)| {
            let (table, how) = (tables::by_size(results, stamped, 7)?, between(stamped));
            Some(format!("## The numbers of Figure {number}: 7 ply, {how}\n\n{table}\n"))
        };
        let sentences = tables::nearness(results, paper);
        let nearness = if sentences.is_empty() {
            String::new()
        } else {
            let choices = match self.studies.iter().find(|study| study.file == "choices.md") {
                Some(study) => format!("[{}]({})", study.title, study.file),
                None => "[docs/contributors/lab.md](../../contributors/lab.md)".to_owned(),
            };
            fill(
                include_str!("../pages/nearness.md"),
                &[
                    ("sentences", &sentences.join(" ")),
                    ("choices", &choices),
                    ("savings", &tables::savings(results, paper)),
                ],
            )
        };
        fill(
            include_str!("../pages/tables.md"),
            &[
                ("tests", &TESTS),
                ("largest", &markdown::size(LARGEST)),
                ("table 1", &tables::without_table(results, paper)),
                ("table 2", &tables::largest(results, paper, false)),
                ("table 3", &tables::largest(results, paper, true)),
                ("by size", &[(1, false), (2, true)].into_iter().filter_map(by_size).collect::<String>()),
                ("nearness", &nearness),
            ],
        )
    }

    /// Those of the report and of further studies.
    fn further_pages(&self) -> String {
        let mut first = 1;
        let statements = STATEMENT_PAGES.map(|(file, title, last)| {
            let line = format!("- [Statements {first} to {last}: {title}]({file})\n");
            first = last + 1;
            line
        });
        let studies = self.studies.iter().filter(|study| study.file != "discussion.md");
        let studies = studies.map(|study| format!("- [{}]({})\n", study.title, study.file));
        statements.into_iter().chain(studies).collect()
    }
}

fn figure(Figure { file, title, caption, svg }: &Figure) -> String {
    match svg {
        Some(_) => format!("### {title}\n\n![{title}]({file})\n\n{caption}\n"),
        None => format!("### {title}\n\nThe results lack the searches for this figure.\n"),
    }
}

fn details(number: usize, claim: &Claim) -> String {
    let chance = match (claim.verdict, claim.is_certain) {
        (Verdict::CannotTell, _) => "",
        (_, true) => ", beyond chance",
        (_, false) => ", but not beyond chance",
    };
    let text = fill(
        include_str!("../pages/statement.md"),
        &[
            ("heading", &heading(number, claim)),
            ("statement", &claim.statement),
            ("source", &claim.source),
            ("criterion", &claim.criterion),
            ("paper", &claim.paper),
            ("ours", &claim.ours),
            ("verdict", &claim.verdict),
            ("chance", &chance),
            ("details", &claim.details),
        ],
    );
    format!("{}\n", text.trim_end())
}

/// In words that follow "our results".
fn score(claims: &[&Claim]) -> String {
    let count = |verdict, is_counted: fn(&Claim) -> bool| {
        claims.iter().filter(|claim| claim.verdict == verdict && is_counted(claim)).count()
    };
    let agreed = count(Verdict::Agrees, |_| true);
    let certain = count(Verdict::Agrees, |claim| claim.is_certain);
    let mut parts = vec![format!("**agree with {agreed}** ({certain} of them beyond chance)")];
    let disagreed = count(Verdict::Disagrees, |_| true);
    if disagreed > 0 {
        parts.push(format!("**disagree with {disagreed}**"));
    }
    let open = count(Verdict::CannotTell, |_| true);
    if open > 0 {
        let lacking = match count(Verdict::CannotTell, |claim| claim.is_missing) {
            0 => String::new(),
            missing => format!(", for {missing} of which they lack the searches"),
        };
        parts.push(format!("cannot tell about {open}{lacking}"));
    }
    match parts.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => parts.concat(),
    }
}

fn link(number: usize, claim: &Claim) -> String {
    let file = STATEMENT_PAGES.iter().find(|(.., last)| number <= *last).map_or("", |page| page.0);
    format!("[{number}]({file}#{})", markdown::slug(&heading(number, claim)))
}

fn heading(number: usize, claim: &Claim) -> String {
    format!("Statement {number}: {}", claim.name)
}
