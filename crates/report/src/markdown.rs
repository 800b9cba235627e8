//! Small pieces of Markdown, and numbers as people read them.

use std::fmt;

use crate::statistics::Estimate;

/// A table whose first column is text and whose others are numbers, unless said otherwise.
#[derive(Clone, Debug, Default)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    text_columns: usize,
}

impl Table {
    /// An empty table with these headings.
    pub fn new<T: Into<String>>(header: impl IntoIterator<Item = T>) -> Table {
        Table { header: header.into_iter().map(Into::into).collect(), rows: Vec::new(), text_columns: 1 }
    }

    /// The same table, its first `columns` aligned to the left.
    pub fn with_text_columns(mut self, columns: usize) -> Table {
        self.text_columns = columns;
        self
    }

    /// The table for a terminal: columns under each other, without Markdown's signs.
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

    /// Adds a row.
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

/// The text with every percentage held together by a space that does not break.
pub fn unbroken(text: &str) -> String {
    text.replace(" %", "\u{a0}%")
}

/// What stands where there is nothing to say.
pub const NOTHING: &str = "–";

/// `text` of a value, or a dash for none.
pub fn or_dash<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| NOTHING.to_owned(), text)
}

/// Nodes in thousands with separators, as in the paper's tables.
pub fn thousands(nodes: f64) -> String {
    grouped((nodes / 1000.0).round() as u64)
}

/// A number with a comma between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// A table size: `8K`.
pub fn size(positions: usize) -> String {
    format!("{}K", positions / 1024)
}

/// Sizes in a row: `8K, 16K`; or, if they are all of the paper's, `8K to 1024K`.
pub fn sizes(positions: &[usize]) -> String {
    match positions {
        [first, .., last] if positions.len() > 2 && positions.windows(2).all(|pair| pair[1] == 2 * pair[0]) => {
            format!("{} to {}", size(*first), size(*last))
        }
        _ => positions.iter().map(|&positions| size(positions)).collect::<Vec<_>>().join(", "),
    }
}

/// A fraction as a percentage, `12.3 %`, with a true minus sign.
pub fn percent(fraction: f64) -> String {
    Unit::Share.write(fraction)
}

/// A fraction as a percentage that always has its sign, `+12.3 %`.
pub fn signed_percent(fraction: f64) -> String {
    format!("{} %", signed(fraction, 1))
}

fn signed(fraction: f64, digits: usize) -> String {
    let number = unsigned(fraction * 100.0, digits);
    if number.starts_with('−') { number } else { format!("+{number}") }
}

/// With a true minus sign, and none before a zero.
fn unsigned(value: f64, digits: usize) -> String {
    let number = format!("{value:.digits$}");
    let is_zero = !number.contains(|c: char| ('1'..='9').contains(&c));
    number.replace('-', if is_zero { "" } else { "−" })
}

/// What a measure counts, and so how it is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Unit {
    /// A ratio, written as its difference from 1: `+4.2 %`.
    Difference,
    /// A fraction, written as a percentage: `4.2 %`.
    Share,
    /// A plain number with two decimals.
    Number,
}

impl Unit {
    /// The value in this unit.
    pub fn write(self, value: f64) -> String {
        let number = self.bare(value, self.digits());
        if self == Unit::Number { number } else { format!("{number} %") }
    }

    /// How many decimals the unit usually has.
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

    /// With as many decimals as tell the value from each of the `marks` that it is not: what lies beside a mark must not print as
    /// lying on it. At most two more than usual.
    fn beside(self, value: f64, marks: &[f64]) -> String {
        let usual = self.digits();
        let is_told = |&digits: &usize| {
            let text = self.bare(value, digits);
            marks.iter().all(|&mark| (value - mark).abs() < 1e-9 || self.bare(mark, digits) != text)
        };
        self.bare(value, (usual..=usual + 2).find(is_told).unwrap_or(usual))
    }

    /// As [`Unit::write_estimate`], with digits enough to tell the ends of the interval from the `marks` beside which they lie.
    pub fn write_estimate_beside(self, estimate: Estimate, marks: &[f64]) -> String {
        let [value, low, high] =
            [estimate.value, estimate.interval.low, estimate.interval.high].map(|value| self.beside(value, marks));
        let per_cent = if self == Unit::Number { "" } else { " %" };
        format!("{value}{per_cent} ({low} to {high})")
    }

    /// The value and its interval in this unit: `4.2 % (3.9 to 4.5)`.
    pub fn write_estimate(self, estimate: Estimate) -> String {
        self.write_estimate_beside(estimate, &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Interval;

    #[test]
    fn numbers_for_people() {
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
    fn intervals_do_not_print_as_touching_what_they_do_not_touch() {
        let estimate = |value, low, high| Estimate { value, interval: Interval { low, high } };
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
