//! SMP strategy: the variants of Lazy SMP that can be selected.

use std::fmt;
use std::str::FromStr;

use crate::search::{Cooperation, Sharing};

/// The distribution of depths among workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depths {
    /// Each worker searches every depth.
    Same,
    /// A worker skips a depth that more than this fraction (one half, one quarter ...) of all workers have
    /// claimed.
    ///
    /// The fraction one half is from DiscoCheck. With fewer workers than the number, no two workers search
    /// the same depth, except the last one.
    Fraction(u32),
    /// Like `Same`, with every second worker one depth ahead.
    Parity,
    /// Helpers skip blocks of depths, of several lengths and phases: Stockfish's skip blocks from 2017 to 2019
    /// (removed in its commit 66818f2e8).
    Blocks,
}

/// The selection of the worker whose line is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vote {
    /// The move with the most votes, weighted by score and depth. A mate wins, the shortest first; of two
    /// workers, the deeper wins.
    Weighted,
    /// Like `Weighted`, with equal weights.
    Majority,
    /// The deepest line, without a vote.
    Deepest,
}

/// The cooperation of the workers of one search.
///
/// As text it is a list of words joined by `+`, for example `half+defer`; [`SmpStrategy::WORDS`] has their
/// meanings. It has no effect with one worker.
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
    /// All workers share one set of move histories.
    pub histories: bool,
    /// All workers share one set of correction histories.
    pub corrections: bool,
    /// A worker aborts an iteration that another has finished, and starts the next with that worker's move and
    /// score (DiscoCheck).
    pub stop: bool,
    /// A move that another worker is searching at the same node is deferred until after the node's other moves:
    /// ABDADA (Weill 1995), as simplified by Kerrigan (2018).
    pub defer: bool,
    /// Random changes of up to half a ply to the helpers' late-move reductions.
    pub jitter: bool,
    /// Aspiration windows of eight widths, in turn by worker.
    pub widths: bool,
    /// The selection of the line to play.
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
    /// Returns the settings of a worker's search.
    pub(super) fn cooperation(&self) -> Cooperation {
        let Self { stop: abort_overtaken, defer: defer_moves, jitter, widths: vary_windows, .. } = *self;
        Cooperation { abort_overtaken, defer_moves, jitter, vary_windows }
    }

    /// Returns the histories that workers share.
    pub(super) fn sharing(&self) -> Sharing {
        Sharing { histories: self.histories, corrections: self.corrections }
    }

    /// Plain Lazy SMP: all workers search every depth and share only the transposition table.
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

    /// All words, in the order of the text form.
    pub const WORDS: [StrategyWord; 15] = [
        choice!(depths, "same", "each worker takes every depth", Depths::Same),
        choice!(depths, "half", "workers skip a depth that more than half of them have claimed", Depths::Fraction(2)),
        choice!(depths, "quarter", "the same with a quarter", Depths::Fraction(4)),
        choice!(depths, "eighth", "the same with an eighth", Depths::Fraction(8)),
        choice!(depths, "sixteenth", "the same with a sixteenth", Depths::Fraction(16)),
        choice!(depths, "parity", "every second worker is one depth ahead", Depths::Parity),
        choice!(depths, "blocks", "helpers skip different blocks of depths", Depths::Blocks),
        flag!(histories, "the workers of a group share the move histories"),
        flag!(corrections, "the workers of a group share the correction histories"),
        flag!(stop, "workers abort an iteration that another has finished"),
        flag!(defer, "workers defer a move that another is searching at the same node (ABDADA)"),
        flag!(jitter, "random changes to the helpers' late-move reductions"),
        flag!(widths, "aspiration windows of different widths"),
        choice!(vote, "majority", "one vote for each worker, without weights", Vote::Majority),
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

/// The error of a word that is not in [`SmpStrategy::WORDS`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown strategy \"{0}\"; use {words}, joined by +", words = SmpStrategy::WORDS.map(|word| word.name).join(", "))]
pub struct UnknownStrategy(String);

impl FromStr for SmpStrategy {
    type Err = UnknownStrategy;

    /// Parses words in any case and order. Of several words for the depths or the vote the last counts; the
    /// default is [`SmpStrategy::ALONE`].
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
    fn text_round_trips() {
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
    fn each_flag_reaches_the_workers() {
        let flags = |text: &str| {
            let strategy: SmpStrategy = text.parse().unwrap();
            let Cooperation { abort_overtaken, defer_moves, jitter, vary_windows } = strategy.cooperation();
            let Sharing { histories, corrections } = strategy.sharing();
            [abort_overtaken, defer_moves, jitter, vary_windows, histories, corrections]
        };
        assert_eq!(flags("same"), [false; 6]);
        for (flag, word) in ["stop", "defer", "jitter", "widths", "histories", "corrections"].into_iter().enumerate() {
            assert_eq!(flags(word), std::array::from_fn(|other| other == flag), "{word}");
        }
    }

    #[test]
    fn unknown_words_are_errors() {
        for text in ["", "half+", "halves"] {
            assert!(text.parse::<SmpStrategy>().unwrap_err().to_string().contains("half, quarter"), "{text}");
        }
    }
}
