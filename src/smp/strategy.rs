//! The rules by which the workers of one search work together: what of Lazy SMP can be chosen.

use std::fmt;
use std::str::FromStr;

use crate::search::{Cooperation, Sharing};

/// The depth that a free worker takes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depths {
    /// One deeper than before, whatever the others do.
    Same,
    /// One deeper, and deeper still while more than this fraction (one half, one quarter...) of all workers have taken that depth. With
    /// fewer workers than the number, two hardly ever take the same depth but the last. "Half are there, go deeper" is DiscoCheck's.
    Fraction(u32),
    /// As `Same`, with every second worker one depth ahead.
    Parity,
    /// Helpers leave out blocks of depths, of several lengths and phases: Stockfish's way from 2017 to 2019 (its commit 66818f2e8 ended it).
    Blocks,
}

/// Whose line is played in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vote {
    /// That of the move that has most votes, each weighted by its score and depth; with two workers, which make no majority, the deeper. A proven
    /// mate, the shortest first, outranks them.
    Weighted,
    /// The same with one vote for each worker.
    Majority,
    /// The deepest, without a vote.
    Deepest,
}

/// How the workers of one search work together. As text it is a list of words joined by `+`, as in `half+defer`; [`SmpStrategy::WORDS`] explains
/// them. With one worker nothing depends on it.
///
/// ```
/// use sesame::engine::SmpStrategy;
///
/// let strategy: SmpStrategy = "half+defer".parse().unwrap();
/// assert!(strategy.defer && !strategy.histories);
/// assert_eq!(strategy.to_string(), "half+defer");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmpStrategy {
    /// The distribution of depths.
    pub depths: Depths,
    /// True if all learn from all: one set of move histories for all workers.
    pub histories: bool,
    /// True if there is one set of correction histories for all workers.
    pub corrections: bool,
    /// True if a worker gives up an iteration that another has finished, and begins the next with that one's move and score (DiscoCheck).
    pub stop: bool,
    /// True if a move that another worker is searching at the same node waits until the node's other moves are done: ABDADA (Weill 1995), as
    /// Kerrigan simplified it (2018).
    pub defer: bool,
    /// True if chance changes the late-move reductions of all workers but the first, by up to half a ply.
    pub jitter: bool,
    /// True if the aspiration windows of eight workers have eight widths.
    pub widths: bool,
    /// Whose line is played.
    pub vote: Vote,
}

/// A word of [`SmpStrategy`]'s text.
#[derive(Debug, Clone, Copy)]
pub struct StrategyWord {
    /// The word.
    pub name: &'static str,
    /// Its meaning, in a phrase.
    pub meaning: &'static str,
    set: fn(&mut SmpStrategy),
    is_set: fn(&SmpStrategy) -> bool,
}

macro_rules! choice {
    ($field:ident, $name:literal, $meaning:literal, $choice:expr) => {
        StrategyWord {
            name: $name,
            meaning: $meaning,
            set: |strategy| strategy.$field = $choice,
            is_set: |strategy| strategy.$field == $choice,
        }
    };
}

macro_rules! flag {
    ($name:ident, $meaning:literal) => {
        StrategyWord {
            name: stringify!($name),
            meaning: $meaning,
            set: |strategy| strategy.$name = true,
            is_set: |strategy| strategy.$name,
        }
    };
}

impl SmpStrategy {
    /// The part that a worker's search follows.
    pub(super) fn cooperation(&self) -> Cooperation {
        let Self { stop: abort_overtaken, defer: defer_moves, jitter, widths: vary_windows, .. } = *self;
        Cooperation { abort_overtaken, defer_moves, jitter, vary_windows }
    }

    /// The tables that workers share.
    pub(super) fn sharing(&self) -> Sharing {
        Sharing { histories: self.histories, corrections: self.corrections }
    }

    /// Every worker by itself: the same depths, nothing shared but the table.
    pub const ALONE: Self = Self {
        depths: Depths::Same,
        histories: false,
        corrections: false,
        stop: false,
        defer: false,
        jitter: false,
        widths: false,
        vote: Vote::Weighted,
    };

    /// All words, in the order in which they are written.
    pub const WORDS: [StrategyWord; 15] = [
        choice!(depths, "same", "each worker takes every depth", Depths::Same),
        choice!(
            depths,
            "half",
            "a depth that more than half of the workers have taken is passed over",
            Depths::Fraction(2)
        ),
        choice!(depths, "quarter", "the same with a quarter", Depths::Fraction(4)),
        choice!(depths, "eighth", "the same with an eighth", Depths::Fraction(8)),
        choice!(depths, "sixteenth", "the same with a sixteenth", Depths::Fraction(16)),
        choice!(depths, "parity", "every second worker is one depth ahead", Depths::Parity),
        choice!(depths, "blocks", "helpers leave out blocks of depths, each others", Depths::Blocks),
        flag!(histories, "one set of move histories for all workers"),
        flag!(corrections, "one set of correction histories for all workers"),
        flag!(stop, "an iteration that another worker has finished is given up"),
        flag!(defer, "a move that another worker is searching at the same node waits"),
        flag!(jitter, "chance in the helpers' late-move reductions"),
        flag!(widths, "aspiration windows of another width for each worker"),
        choice!(vote, "majority", "each worker's move has one vote, whatever its depth and score", Vote::Majority),
        choice!(vote, "deepest", "the deepest line is played, without a vote", Vote::Deepest),
    ];
}

impl Default for SmpStrategy {
    fn default() -> Self {
        Self { depths: Depths::Fraction(4), histories: true, corrections: true, ..Self::ALONE }
    }
}

impl fmt::Display for SmpStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = Self::WORDS.iter().filter(|word| (word.is_set)(self)).map(|word| word.name).collect();
        f.pad(&words.join("+"))
    }
}

/// A word that is none of [`SmpStrategy::WORDS`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown strategy \"{0}\"; it is made of {words}, joined by +", words = SmpStrategy::WORDS.map(|word| word.name).join(", "))]
pub struct UnknownStrategy(String);

impl FromStr for SmpStrategy {
    type Err = UnknownStrategy;

    /// Reads words in any case and order; without one for the depths these are as in `same`, of several the last counts.
    fn from_str(text: &str) -> Result<Self, UnknownStrategy> {
        let mut strategy = Self::ALONE;
        for part in text.split('+').map(str::trim) {
            let word = Self::WORDS.into_iter().find(|word| word.name.eq_ignore_ascii_case(part));
            let word = word.ok_or_else(|| UnknownStrategy(part.chars().take(40).collect()))?;
            (word.set)(&mut strategy);
        }
        Ok(strategy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        for word in SmpStrategy::WORDS {
            let strategy: SmpStrategy = word.name.parse().unwrap();
            assert!(strategy.to_string().split('+').any(|name| name == word.name));
            assert_eq!(strategy.to_string().parse(), Ok(strategy));
        }
        assert_eq!(SmpStrategy::default().to_string().parse(), Ok(SmpStrategy::default()));
        assert_eq!("DEFER + half".parse::<SmpStrategy>().unwrap().to_string(), "half+defer");
        assert_eq!(SmpStrategy::ALONE.to_string(), "same");
    }

    #[test]
    fn other_words_are_refused_by_name() {
        for text in ["", "half+", "halves"] {
            assert!(text.parse::<SmpStrategy>().unwrap_err().to_string().contains("half, quarter"), "{text}");
        }
    }
}
