//! What a move cost: winning chances, inaccuracies, mistakes and blunders, accuracy.
//!
//! The scale is Lichess's, which those who read annotated games know (<https://lichess.org/page/accuracy>): a logistic curve from centipawns to
//! winning chances, fitted to games of people, and an exponential one from lost chances to accuracy.

use crate::engine::Score;

/// A score beyond this many centipawns counts as this many: how won a game is makes no difference to what a move cost.
const MOST_CENTIPAWNS: i32 = 1000;

/// The winning chances of the side to move, from 0 to 1; a draw counts as half a win.
pub(super) fn chances(score: Score) -> f64 {
    match score {
        Score::Centipawns(centipawns) => 1.0 / (1.0 + (-0.003_682_08 * f64::from(centipawns)).exp()),
        Score::Mate(moves) => f64::from(u8::from(moves > 0)),
    }
}

/// The same position seen from the other side.
pub(super) fn turned(score: Score) -> Score {
    match score {
        Score::Centipawns(centipawns) => Score::Centipawns(-centipawns),
        // Mated already, or about to mate: seen from the other side there is a winner all the same.
        Score::Mate(0) => Score::Mate(1),
        Score::Mate(moves) => Score::Mate(-moves),
    }
}

fn centipawns(score: Score) -> i32 {
    match score {
        Score::Centipawns(centipawns) => centipawns.clamp(-MOST_CENTIPAWNS, MOST_CENTIPAWNS),
        Score::Mate(moves) if moves > 0 => MOST_CENTIPAWNS,
        Score::Mate(_) => -MOST_CENTIPAWNS,
    }
}

/// What is to be said of a bad move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Judgement {
    Inaccuracy,
    Mistake,
    Blunder,
}

impl Judgement {
    pub(super) const ALL: [Judgement; 3] = [Judgement::Inaccuracy, Judgement::Mistake, Judgement::Blunder];

    /// What a move that loses this share of the winning chances is.
    fn of(loss: f64) -> Option<Judgement> {
        Judgement::ALL.into_iter().rev().find(|judgement| loss >= judgement.least_loss())
    }

    /// The winning chances that a move loses at least.
    pub(super) fn least_loss(self) -> f64 {
        match self {
            Judgement::Inaccuracy => 0.05,
            Judgement::Mistake => 0.10,
            Judgement::Blunder => 0.15,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Judgement::Inaccuracy => "Inaccuracy",
            Judgement::Mistake => "Mistake",
            Judgement::Blunder => "Blunder",
        }
    }

    /// The numeric annotation glyph.
    pub(super) fn nag(self) -> u8 {
        match self {
            Judgement::Inaccuracy => 6,
            Judgement::Mistake => 2,
            Judgement::Blunder => 4,
        }
    }

    /// The glyph as people write it.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Judgement::Inaccuracy => "?!",
            Judgement::Mistake => "?",
            Judgement::Blunder => "??",
        }
    }
}

/// What a move cost the player.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cost {
    /// Winning chances, from 0 to 1.
    pub(super) chances: f64,
    pub(super) centipawns: i32,
    pub(super) judgement: Option<Judgement>,
}

impl Cost {
    /// The cost of a move that leads from a position worth `before` to one worth `after`, both seen by who made it. The best move, as far as the engine
    /// knows, costs nothing: what seems lost was not there before either.
    pub(super) fn new(before: Score, after: Score, is_best: bool) -> Cost {
        if is_best {
            return Cost { chances: 0.0, centipawns: 0, judgement: None };
        }
        let lost = (chances(before) - chances(after)).max(0.0);
        let centipawns = (centipawns(before) - centipawns(after)).max(0);
        Cost { chances: lost, centipawns, judgement: Judgement::of(lost) }
    }

    /// From 0 to 100.
    fn accuracy(&self) -> f64 {
        (103.1668 * (-0.043_54 * 100.0 * self.chances).exp() - 3.1669).clamp(0.0, 100.0)
    }
}

/// What a player's moves cost together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Tally {
    moves: u32,
    centipawns: i64,
    accuracy: f64,
    judged: [u32; Judgement::ALL.len()],
}

impl Tally {
    pub(super) fn add(&mut self, cost: &Cost) {
        self.moves += 1;
        self.centipawns += i64::from(cost.centipawns);
        self.accuracy += cost.accuracy();
        for (count, judgement) in self.judged.iter_mut().zip(Judgement::ALL) {
            *count += u32::from(cost.judgement == Some(judgement));
        }
    }

    /// Adds the moves of another game.
    pub(super) fn join(&mut self, other: &Tally) {
        self.moves += other.moves;
        self.centipawns += other.centipawns;
        self.accuracy += other.accuracy;
        for (count, more) in self.judged.iter_mut().zip(other.judged) {
            *count += more;
        }
    }

    /// The headings of [`Tally::row`].
    pub(super) const HEADINGS: [&str; 6] =
        ["moves", "accuracy", "average loss", "inaccuracies", "mistakes", "blunders"];

    /// Moves, accuracy in percent, average loss in centipawns, inaccuracies, mistakes and blunders.
    pub(super) fn row(&self) -> [String; 6] {
        let moves = f64::from(self.moves.max(1));
        let [inaccuracies, mistakes, blunders] = self.judged.map(|count| count.to_string());
        let (accuracy, loss) = match self.moves {
            0 => ("-".to_owned(), "-".to_owned()),
            _ => (format!("{:.1} %", self.accuracy / moves), format!("{:.0} cp", self.centipawns as f64 / moves)),
        };
        [self.moves.to_string(), accuracy, loss, inaccuracies, mistakes, blunders]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_of_both_sides_are_one_together() {
        for score in [-5000, -90, 0, 17, 300].map(Score::Centipawns).into_iter().chain([-3, 0, 1, 9].map(Score::Mate)) {
            assert!((chances(score) + chances(turned(score)) - 1.0).abs() < 1e-12, "{score:?}");
        }
        assert_eq!(chances(Score::Centipawns(0)), 0.5);
        assert!((chances(Score::Centipawns(100)) - 0.591).abs() < 0.001);
    }

    #[test]
    fn judgements() {
        let judge = |before, after| Cost::new(before, after, false).judgement;
        let cp = Score::Centipawns;
        assert_eq!(judge(cp(20), cp(10)), None);
        assert_eq!(judge(cp(0), cp(-60)), Some(Judgement::Inaccuracy));
        assert_eq!(judge(cp(0), cp(-120)), Some(Judgement::Mistake));
        assert_eq!(judge(cp(0), cp(-300)), Some(Judgement::Blunder));
        // A queen less is no blunder where all is lost anyway, or still won.
        assert_eq!(judge(cp(-1500), cp(-2400)), None);
        assert_eq!(judge(cp(2400), cp(1500)), None);
        assert_eq!(judge(cp(0), Score::Mate(-2)), Some(Judgement::Blunder));
        assert_eq!(judge(Score::Mate(1), cp(0)), Some(Judgement::Blunder));
        assert_eq!(judge(Score::Mate(1), Score::Mate(4)), None);
        assert_eq!(Cost::new(cp(0), cp(-900), true).judgement, None);
    }

    #[test]
    fn tallies() {
        let mut tally = Tally::default();
        assert_eq!(tally.row(), ["0", "-", "-", "0", "0", "0"]);
        let cp = Score::Centipawns;
        tally.add(&Cost::new(cp(30), cp(40), false));
        assert_eq!(tally.row(), ["1", "100.0 %", "0 cp", "0", "0", "0"]);
        tally.add(&Cost::new(cp(3000), Score::Mate(-1), false));
        assert_eq!(tally.row(), ["2", "50.0 %", "1000 cp", "0", "0", "1"]);
        let mut both = tally;
        both.join(&tally);
        assert_eq!(both.row(), ["4", "50.0 %", "1000 cp", "0", "0", "2"]);
    }
}
