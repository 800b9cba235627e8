//! Tables in Markdown, numbers formatted for readers, and texts with placeholders.

use std::fmt;

use crate::statistics::{Estimate, Interval};

/// The first column is text, aligned left; the others are numbers, aligned right.
#[derive(Clone, Debug, Default)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    text_columns: usize,
}

impl Table {
    pub fn new<T: Into<String>>(header: impl IntoIterator<Item = T>) -> Table {
        Table { header: header.into_iter().map(Into::into).collect(), rows: Vec::new(), text_columns: 1 }
    }

    /// Aligns the first `columns` columns left.
    pub fn with_text_columns(mut self, columns: usize) -> Table {
        self.text_columns = columns;
        self
    }

    /// Returns the table for a terminal, without Markdown's marks.
    pub fn aligned(&self) -> String {
        let plain = |text: &String| text.replace("**", "");
        let lines: Vec<Vec<String>> =
            std::iter::once(&self.header).chain(&self.rows).map(|row| row.iter().map(plain).collect()).collect();
        let width = |column: usize| {
            lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let cell = |((column, text), &width): ((usize, &String), &usize)| {
            if column < self.text_columns { format!("{text:width$}") } else { format!("{text:>width$}") }
        };
        let line = |cells: &Vec<String>| {
            let cells: Vec<String> = cells.iter().enumerate().zip(&widths).map(cell).collect();
            format!("{}\n", cells.join("  ").trim_end())
        };
        lines.iter().map(line).collect()
    }

    pub fn row<T: Into<String>>(&mut self, row: impl IntoIterator<Item = T>) {
        self.rows.push(row.into_iter().map(Into::into).collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| {} |", self.header.join(" | "))?;
        let rule = |column: usize| if column < self.text_columns { "---" } else { "---:" };
        let rules: Vec<&str> = (0..self.header.len()).map(rule).collect();
        writeln!(f, "| {} |", rules.join(" | "))?;
        for row in &self.rows {
            writeln!(f, "| {} |", row.join(" | "))?;
        }
        Ok(())
    }
}

/// Replaces each `{name}` in `template` by the value of that name.
pub fn fill(template: &str, values: &[(&str, &dyn fmt::Display)]) -> String {
    values
        .iter()
        .fold(template.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), &value.to_string()))
}

pub fn unbroken(text: &str) -> String {
    text.replace(" %", "\u{a0}%")
}

/// Returns the anchor of a heading, as GitHub makes it.
pub fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

pub const DASH: &str = "–";

pub fn or_dash<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| DASH.to_owned(), text)
}

/// Rounded and grouped: `610,696`.
pub fn thousands(nodes: f64) -> String {
    grouped((nodes / 1000.0).round() as u64)
}

/// `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// `8K` for 8,192.
pub fn size(positions: usize) -> String {
    format!("{}K", positions / 1024)
}

/// `8K, 32K`; three or more sizes that double each time as a range, `8K to 1024K`.
pub fn sizes(positions: &[usize]) -> String {
    match positions {
        [first, .., last] if positions.len() > 2 && positions.windows(2).all(|pair| pair[1] == 2 * pair[0]) => {
            format!("{} to {}", size(*first), size(*last))
        }
        _ => positions.iter().map(|&positions| size(positions)).collect::<Vec<_>>().join(", "),
    }
}

/// `12.3 %`, with a true minus sign.
pub fn percent(fraction: f64) -> String {
    Unit::Share.write(fraction)
}

/// `+12.3 %`.
pub fn signed_percent(fraction: f64) -> String {
    format!("{} %", signed(fraction, 1))
}

fn signed(fraction: f64, digits: usize) -> String {
    let number = unsigned(fraction * 100.0, digits);
    if number.starts_with('−') { number } else { format!("+{number}") }
}

fn unsigned(value: f64, digits: usize) -> String {
    let number = format!("{value:.digits$}");
    let is_zero = !number.contains(|c: char| ('1'..='9').contains(&c));
    number.replace('-', if is_zero { "" } else { "−" })
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Unit {
    /// `+4.2 %` for 1.042.
    Difference,
    /// `4.2 %`.
    Share,
    Number,
}

impl Unit {
    pub fn write(self, value: f64) -> String {
        let number = self.bare(value, self.digits());
        if self == Unit::Number { number } else { format!("{number} %") }
    }

    fn digits(self) -> usize {
        if self == Unit::Number { 2 } else { 1 }
    }

    fn bare(self, value: f64, digits: usize) -> String {
        match self {
            Unit::Difference => signed(value - 1.0, digits),
            Unit::Share => unsigned(value * 100.0, digits),
            Unit::Number => unsigned(value, digits),
        }
    }

    /// Uses enough decimals to differ from other `marks`; at most two more than usual.
    fn beside(self, value: f64, marks: &[f64]) -> String {
        let usual = self.digits();
        let is_distinct = |&digits: &usize| {
            let text = self.bare(value, digits);
            marks.iter().all(|&mark| (value - mark).abs() < 1e-9 || self.bare(mark, digits) != text)
        };
        self.bare(value, (usual..=usual + 2).find(is_distinct).unwrap_or(usual))
    }

    /// Like [`Unit::write_estimate`], with enough decimals for the ends of the interval to differ from nearby `marks`.
    pub fn write_estimate_beside(self, estimate: Estimate, marks: &[f64]) -> String {
        let write = |value| self.beside(value, marks);
        let per_cent = if self == Unit::Number { "" } else { " %" };
        let write_ends = |Interval { low, high }| format!(" ({} to {})", write(low), write(high));
        format!("{}{per_cent}{}", write(estimate.value), estimate.interval.map_or_else(String::new, write_ends))
    }

    /// `4.2 % (3.9 to 4.5)`.
    pub fn write_estimate(self, estimate: Estimate) -> String {
        self.write_estimate_beside(estimate, &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted() {
        assert_eq!(thousands(610_696_499.0), "610,696");
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(size(1 << 20), "1024K");
        assert_eq!(sizes(&[8192, 16384, 32768]), "8K to 32K");
        assert_eq!(sizes(&[8192, 32768]), "8K, 32K");
        assert_eq!(signed_percent(-0.0512), "−5.1 %");
        assert_eq!(signed_percent(-0.0001), "+0.0 %");
        assert_eq!(percent(-0.0001), "0.0 %");
        assert_eq!(Unit::Difference.write(1.042), "+4.2 %");
        assert_eq!(Unit::Number.write(-0.333), "−0.33");
        assert_eq!(Unit::Number.write(-0.001), "0.00");
    }

    #[test]
    fn anchors_are_those_of_github() {
        assert_eq!(slug("Statement 19: stamps' edge"), "statement-19-stamps-edge");
        assert_eq!(slug("How to read the numbers"), "how-to-read-the-numbers");
    }

    #[test]
    fn interval_ends_differ_from_nearby_marks() {
        let estimate = |value, low, high| Estimate { value, interval: Some(Interval { low, high }) };
        let difference = |high| Unit::Difference.write_estimate_beside(estimate(0.997, 0.993, high), &[1.0]);
        assert_eq!(difference(0.9998), "−0.3 % (−0.7 to −0.02)");
        assert_eq!(difference(1.000_04), "−0.3 % (−0.7 to +0.004)");
        assert_eq!(difference(1.0), "−0.3 % (−0.7 to +0.0)");
        assert_eq!(Unit::Difference.write_estimate(estimate(0.997, 0.993, 0.9998)), "−0.3 % (−0.7 to +0.0)");
        let share = Unit::Share.write_estimate_beside(estimate(0.06, 0.0501, 0.06999), &[0.05, 0.07]);
        assert_eq!(share, "6.0 % (5.01 to 6.999)");
        assert_eq!(Unit::Number.write_estimate_beside(estimate(0.9, 0.7, 0.999), &[1.0]), "0.90 (0.70 to 0.999)");
    }

    #[test]
    fn tables_are_markdown() {
        let mut table = Table::new(["scheme", "nodes"]);
        table.row(["NEW", "1"]);
        assert_eq!(table.to_string(), "| scheme | nodes |\n| --- | ---: |\n| NEW | 1 |\n");
        table.row(["TWOBIG1", "**−12.5 %**"]);
        assert_eq!(table.aligned(), "scheme     nodes\nNEW            1\nTWOBIG1  −12.5 %\n");
    }
}
