//! Named SMP strategies.

use std::fmt;
use std::str::FromStr;

use crate::engine::{SmpStrategy, UnknownStrategy};

/// An SMP strategy with its name in results and charts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variant {
    name: String,
    /// The strategy.
    pub strategy: SmpStrategy,
}

impl Variant {
    /// The name of the engine's default strategy.
    pub const DEFAULT: &str = "default";

    /// Returns the name, without commas: `default`, or the words of the strategy.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Default for Variant {
    /// The engine's default strategy.
    fn default() -> Self {
        Self { name: Self::DEFAULT.to_owned(), strategy: SmpStrategy::default() }
    }
}

impl FromStr for Variant {
    type Err = UnknownStrategy;

    fn from_str(text: &str) -> Result<Self, UnknownStrategy> {
        if text.trim().eq_ignore_ascii_case(Self::DEFAULT) {
            return Ok(Self::default());
        }
        let strategy: SmpStrategy = text.parse()?;
        Ok(Self { name: strategy.to_string(), strategy })
    }
}

/// Formats as the name, followed by the words of the strategy for `default`.
impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, strategy } = self;
        let words = strategy.to_string();
        if *name == words { f.write_str(name) } else { write!(f, "{name} ({words})") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let name = |text: &str| text.parse::<Variant>().map(|variant| variant.name().to_owned());
        assert_eq!(name(" Default"), Ok("default".to_owned()));
        assert_eq!(name("Blocks"), Ok("blocks".to_owned()));
        assert!(name("nonsense").unwrap_err().to_string().contains("same"));
        assert_eq!(Variant::default().to_string(), format!("default ({})", SmpStrategy::default()));
        assert_eq!("same".parse::<Variant>().unwrap().to_string(), "same");
    }
}
