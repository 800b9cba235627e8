//! The verdict on a statement of the paper, from the number that stands for it.

use std::fmt;

use super::counts::Counts;
use sesame_report::markdown::Unit;
use sesame_report::statistics::{Estimate, Interval};

pub(super) struct Statement {
    pub(super) name: &'static str,
    /// Where the paper says it. "Table": we read it from a table.
    pub(super) source: &'static str,
    pub(super) text: &'static str,
    pub(super) criterion: &'static str,
    pub(super) paper: &'static str,
    pub(super) holds: Range,
    pub(super) needs: &'static str,
    pub(super) figure: fn(&Counts) -> Option<Estimate>,
    pub(super) details: Details,
}

/// Markdown; may be empty.
pub(super) struct Details {
    pub(super) tables: fn(&Counts) -> String,
    /// Sentences for a claim that is not confirmed.
    pub(super) context: fn(&Counts) -> String,
}

impl Details {
    pub(super) const fn new(tables: fn(&Counts) -> String) -> Details {
        Details { tables, context: |_| String::new() }
    }
}

pub(super) struct Range {
    unit: Unit,
    low: f64,
    high: f64,
}

impl Range {
    pub(super) const fn new(unit: Unit, low: f64, high: f64) -> Range {
        Range { unit, low, high }
    }

    pub(super) fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Uses enough decimals to tell the interval from the ends of the range, and from no difference.
    pub(super) fn write(&self, estimate: Estimate) -> String {
        let no_difference = (self.unit == Unit::Difference).then_some(1.0);
        let ends = [self.low, self.high].into_iter().filter(|end| end.is_finite());
        self.unit.write_estimate_beside(estimate, &ends.chain(no_difference).collect::<Vec<_>>())
    }

    /// Returns agreement for a number in the range, certain if its whole interval is; disagreement if the interval is outside.
    fn judge(&self, number: Estimate) -> (Verdict, bool) {
        let is_inside = |ends: Interval| self.contains(ends.low) && self.contains(ends.high);
        let is_outside = |ends: Interval| ends.high < self.low || ends.low > self.high;
        if self.contains(number.value) {
            (Verdict::Agrees, number.interval.is_some_and(is_inside))
        } else if number.interval.is_some_and(is_outside) {
            (Verdict::Disagrees, true)
        } else {
            (Verdict::CannotTell, false)
        }
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    Agrees,
    Disagrees,
    CannotTell,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Agrees => "agrees",
            Verdict::Disagrees => "disagrees",
            Verdict::CannotTell => "cannot tell",
        })
    }
}

pub(super) struct Claim {
    pub(super) number: usize,
    pub(super) statement: &'static Statement,
    /// `None` if the results lack the searches for it.
    pub(super) figure: Option<Estimate>,
    pub(super) verdict: Verdict,
    /// The verdict does not depend on the choice of the 18 positions. Never true for [`Verdict::CannotTell`].
    pub(super) is_certain: bool,
}

impl Claim {
    pub(super) fn new(number: usize, statement: &'static Statement, counts: &Counts) -> Claim {
        let figure = (statement.figure)(counts);
        let (verdict, is_certain) = figure.map_or((Verdict::CannotTell, false), |figure| statement.holds.judge(figure));
        Claim { number, statement, figure, verdict, is_certain }
    }

    pub(super) fn ours(&self) -> String {
        let missing = || format!("not in the results, which would need {}", self.statement.needs);
        self.figure.map_or_else(missing, |figure| self.statement.holds.write(figure))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_number_and_interval() {
        let range = Range::new(Unit::Share, 0.05, 0.10);
        let verdict = |value, low, high| range.judge(Estimate { value, interval: Some(Interval { low, high }) });
        assert_eq!(verdict(0.07, 0.06, 0.08), (Verdict::Agrees, true));
        assert_eq!(verdict(0.07, 0.04, 0.08), (Verdict::Agrees, false));
        assert_eq!(verdict(0.07, 0.06, 0.12), (Verdict::Agrees, false));
        assert_eq!(verdict(0.04, 0.02, 0.06), (Verdict::CannotTell, false));
        assert_eq!(verdict(0.12, 0.09, 0.14), (Verdict::CannotTell, false));
        assert_eq!(verdict(0.04, 0.02, 0.049), (Verdict::Disagrees, true));
        assert_eq!(verdict(0.12, 0.101, 0.14), (Verdict::Disagrees, true));
    }
}
