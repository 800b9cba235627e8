//! Accuracy of play: loss of winning chances, inaccuracies, mistakes, blunders.
//!
//! The scale is Lichess's (<https://lichess.org/page/accuracy>): a logistic curve from centipawns to winning
//! chances, fitted to human games, and an exponential curve from lost chances to accuracy.

use std::fmt;
use std::str::FromStr;

use crate::engine::Score;

const MAX_CENTIPAWNS: i32 = 1000;

/// Returns 0 to 1. A draw counts as half a win.
pub(super) fn chances(score: Score) -> f64 {
    match score {
        Score::Centipawns(centipawns) => 1.0 / (1.0 + (-0.003_682_08 * f64::from(centipawns)).exp()),
        Score::Mate(moves) => f64::from(u8::from(moves > 0)),
    }
}

pub(super) fn negated(score: Score) -> Score {
    match score {
        Score::Centipawns(centipawns) => Score::Centipawns(-centipawns),
        // From the other side's view, checkmate is a win.
        Score::Mate(0) => Score::Mate(1),
        Score::Mate(moves) => Score::Mate(-moves),
    }
}

fn centipawns(score: Score) -> i32 {
    match score {
        Score::Centipawns(centipawns) => centipawns.clamp(-MAX_CENTIPAWNS, MAX_CENTIPAWNS),
        Score::Mate(moves) if moves > 0 => MAX_CENTIPAWNS,
        Score::Mate(_) => -MAX_CENTIPAWNS,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Judgement {
    pub(super) name: &'static str,
    /// Numeric annotation glyph.
    pub(super) nag: u8,
    pub(super) sign: &'static str,
}

impl Judgement {
    pub(super) const INACCURACY: Judgement = Judgement { name: "Inaccuracy", nag: 6, sign: "?!" };
    pub(super) const MISTAKE: Judgement = Judgement { name: "Mistake", nag: 2, sign: "?" };
    pub(super) const BLUNDER: Judgement = Judgement { name: "Blunder", nag: 4, sign: "??" };
    pub(super) const ALL: [Judgement; 3] = [Judgement::INACCURACY, Judgement::MISTAKE, Judgement::BLUNDER];
}

/// Percentages of winning chances: for an inaccuracy, a mistake, a blunder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Thresholds([f64; Judgement::ALL.len()]);

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds([5.0, 10.0, 15.0])
    }
}

impl Thresholds {
    fn classify(self, loss: f64) -> Option<Judgement> {
        let mut classes = Judgement::ALL.into_iter().zip(self.0).rev();
        classes.find(|&(_, percent)| 100.0 * loss >= percent).map(|(judgement, _)| judgement)
    }
}

impl fmt::Display for Thresholds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [inaccuracy, mistake, blunder] = self.0;
        write!(f, "{inaccuracy},{mistake},{blunder}")
    }
}

impl FromStr for Thresholds {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
        match numbers.as_deref() {
            Ok(&[a, b, c]) if 0.0 < a && a <= b && b <= c && c <= 100.0 => Ok(Thresholds([a, b, c])),
            _ => Err("not three rising percentages, such as 5,10,15"),
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct PlayerStats {
    pub(super) moves: u32,
    centipawns: i64,
    accuracy: f64,
    pub(super) judged: [u32; Judgement::ALL.len()],
}

impl PlayerStats {
    /// Adds a move and judges it. Both scores are from the player's view.
    pub(super) fn add(&mut self, before: Score, after: Score, thresholds: Thresholds) -> Option<Judgement> {
        let lost = (chances(before) - chances(after)).max(0.0);
        let judgement = thresholds.classify(lost);
        self.moves += 1;
        self.centipawns += i64::from((centipawns(before) - centipawns(after)).max(0));
        self.accuracy += (103.1668 * (-0.043_54 * 100.0 * lost).exp() - 3.1669).clamp(0.0, 100.0);
        for (count, other) in self.judged.iter_mut().zip(Judgement::ALL) {
            *count += u32::from(judgement == Some(other));
        }
        judgement
    }

    pub(super) fn join(&mut self, other: &PlayerStats) {
        self.moves += other.moves;
        self.centipawns += other.centipawns;
        self.accuracy += other.accuracy;
        for (count, more) in self.judged.iter_mut().zip(other.judged) {
            *count += more;
        }
    }

    pub(super) const HEADINGS: [&str; 6] =
        ["moves", "accuracy", "average loss", "inaccuracies", "mistakes", "blunders"];

    pub(super) fn row(&self) -> [String; 6] {
        let [inaccuracies, mistakes, blunders] = self.judged.map(|count| count.to_string());
        let accuracy = self.mean_accuracy().map_or("-".to_owned(), |accuracy| format!("{accuracy:.1} %"));
        let loss = self.mean_loss().map_or("-".to_owned(), |loss| format!("{loss:.0} cp"));
        [self.moves.to_string(), accuracy, loss, inaccuracies, mistakes, blunders]
    }

    /// Returns percent.
    pub(super) fn mean_accuracy(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.accuracy / f64::from(self.moves))
    }

    pub(super) fn mean_loss(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.centipawns as f64 / f64::from(self.moves))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CP: fn(i32) -> Score = Score::Centipawns;

    #[test]
    fn winning_chances_of_both_sides_sum_to_one() {
        for score in [-5000, -90, 0, 17, 300].map(CP).into_iter().chain([-3, 0, 1, 9].map(Score::Mate)) {
            assert!((chances(score) + chances(negated(score)) - 1.0).abs() < 1e-12, "{score:?}");
        }
        assert_eq!(chances(CP(0)), 0.5);
        assert!((chances(CP(100)) - 0.591).abs() < 0.001);
    }

    #[test]
    fn moves_are_classified_by_lost_chances() {
        for (before, after, judgement) in [
            (CP(20), CP(10), None),
            (CP(0), CP(-60), Some(Judgement::INACCURACY)),
            (CP(0), CP(-120), Some(Judgement::MISTAKE)),
            (CP(0), CP(-300), Some(Judgement::BLUNDER)),
            // A lost queen is not a blunder in a lost position, or in one that stays won.
            (CP(-1500), CP(-2400), None),
            (CP(2400), CP(1500), None),
            (CP(0), Score::Mate(-2), Some(Judgement::BLUNDER)),
            (Score::Mate(1), CP(0), Some(Judgement::BLUNDER)),
            (Score::Mate(1), Score::Mate(4), None),
        ] {
            let found = PlayerStats::default().add(before, after, Thresholds::default());
            assert_eq!(found, judgement, "{before:?} {after:?}");
        }
    }

    #[test]
    fn thresholds_are_three_rising_percentages() {
        let strict: Thresholds = "1, 2,2".parse().unwrap();
        assert_eq!((strict.classify(0.009), strict.classify(0.01)), (None, Some(Judgement::INACCURACY)));
        assert_eq!(strict.classify(0.02), Some(Judgement::BLUNDER));
        assert_eq!(Thresholds::default().to_string().parse(), Ok(Thresholds::default()));
        for text in ["", "5,10", "10,5,20", "0,1,2", "5,10,101", "a,b,c", "nan,1,2", "1,2,3,4"] {
            assert!(text.parse::<Thresholds>().is_err(), "{text}");
        }
    }

    #[test]
    fn stats_add_up() {
        let mut stats = PlayerStats::default();
        assert_eq!(stats.row(), ["0", "-", "-", "0", "0", "0"]);
        stats.add(CP(30), CP(40), Thresholds::default());
        assert_eq!(stats.row(), ["1", "100.0 %", "0 cp", "0", "0", "0"]);
        stats.add(CP(3000), Score::Mate(-1), Thresholds::default());
        assert_eq!(stats.row(), ["2", "50.0 %", "1000 cp", "0", "0", "1"]);
        stats.join(&stats.clone());
        assert_eq!(stats.row(), ["4", "50.0 %", "1000 cp", "0", "0", "2"]);
    }
}
