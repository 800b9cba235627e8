//! The evaluation in a form for people: each term on a line.

use std::fmt;

use super::layout::GROUPS;
use super::score::Pair;
use super::trace::Record;
use super::{EvalCache, PHASE_MAX, danger_penalty, evaluate_white};
use crate::position::{Color, Position};

/// An evaluation term by term; [`Display`](fmt::Display) prints it as a table.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// Name, share of White, share of Black, for each term that counted.
    terms: Vec<(&'static str, Pair, Pair)>,
    /// The danger to each king before squaring, by term.
    dangers: Vec<(&'static str, Pair, Pair)>,
    phase: i32,
    /// The evaluation from White's side, in centipawn-like units.
    pub total: i32,
}

/// Takes the evaluation of a position apart. Unlike [`super::evaluate`] it is from White's side, and slow.
pub fn explain(position: &Position) -> Explanation {
    let mut record = Record::new();
    let total = evaluate_white(position, &mut EvalCache::new(), &mut record);
    let (mut terms, mut dangers) = (Vec::new(), Vec::new());
    let mut sums = [Pair::ZERO; 2];
    for (i, group) in GROUPS.iter().enumerate() {
        let (white, black) = (record.group_sum(Color::White, i), record.group_sum(Color::Black, i));
        if group.danger {
            (sums[0], sums[1]) = (sums[0] + white, sums[1] + black);
        }
        if white != Pair::ZERO || black != Pair::ZERO {
            (if group.danger { &mut dangers } else { &mut terms }).push((group.name, white, black));
        }
    }
    terms.push(("KING_DANGER", -danger_penalty(sums[0]), -danger_penalty(sums[1])));
    Explanation { terms, dangers, phase: record.phase, total }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |f: &mut fmt::Formatter<'_>, (name, white, black): &(&str, Pair, Pair)| {
            let net = *white - *black;
            let cells = [white, black, &net].map(|pair| format!("{:>6} {:>6}", pair.mg(), pair.eg()));
            writeln!(f, "{name:<26} | {} | {} | {}", cells[0], cells[1], cells[2])
        };
        writeln!(f, "{:<26} | {:^13} | {:^13} | {:^13}", "term (middle, end game)", "White", "Black", "difference")?;
        for term in &self.terms {
            row(f, term)?;
        }
        writeln!(f, "\n{:<26} | {:^13} | {:^13} |", "danger before squaring", "White king", "Black king")?;
        for danger in &self.dangers {
            row(f, danger)?;
        }
        writeln!(
            f,
            "\nphase {} of {PHASE_MAX}; classical evaluation {} (White's side, centipawns)",
            self.phase, self.total
        )
    }
}
