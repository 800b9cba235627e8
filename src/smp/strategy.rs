//! SMP strategy: the cooperation of the workers of one search.

use std::fmt;
use std::str::FromStr;

/// The cooperation of the workers of one search. It has no effect with one worker.
///
/// ```
/// use sesame::engine::SmpStrategy;
///
/// assert_eq!("blocks".parse(), Ok(SmpStrategy::Blocks));
/// assert_eq!(SmpStrategy::default().to_string(), "shared");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SmpStrategy {
    /// Workers skip a depth that more than a quarter of them have claimed, and share move and correction
    /// histories. The distribution of depths is DiscoCheck's, with a quarter instead of a half.
    #[default]
    Shared,
    /// Plain Lazy SMP: all workers search every depth and share only the transposition table.
    Same,
    /// Helpers skip blocks of depths, of several lengths and phases, and all workers share histories. The
    /// blocks are Stockfish's from 2017 to 2019 (removed in its commit 66818f2e8).
    Blocks,
}

impl SmpStrategy {
    /// All strategies.
    pub const ALL: [Self; 3] = [Self::Shared, Self::Same, Self::Blocks];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Same => "same",
            Self::Blocks => "blocks",
        }
    }

    /// Returns whether the workers share move and correction histories.
    pub(super) fn shares_histories(self) -> bool {
        self != Self::Same
    }
}

impl fmt::Display for SmpStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error of a name that no [`SmpStrategy`] has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown strategy \"{0}\"; use shared, same or blocks")]
pub struct UnknownStrategy(String);

impl FromStr for SmpStrategy {
    type Err = UnknownStrategy;

    /// Parses a name in any case.
    fn from_str(text: &str) -> Result<Self, UnknownStrategy> {
        let found = Self::ALL.into_iter().find(|strategy| strategy.name().eq_ignore_ascii_case(text.trim()));
        found.ok_or_else(|| UnknownStrategy(text.chars().take(40).collect()))
    }
}
