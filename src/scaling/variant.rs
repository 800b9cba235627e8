//! Ways for the workers to share a search, by name.

use std::fmt;
use std::str::FromStr;

use crate::engine::Engine;
use crate::table::SearchTable;

/// A way for the workers to share a search.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Variant {
    name: String,
}

impl Variant {
    /// Its short name, without commas.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes an engine's workers go this way.
    pub(super) fn apply<T: SearchTable>(&self, _: &mut Engine<T>) {}
}

impl Default for Variant {
    /// As at play.
    fn default() -> Self {
        Self { name: "default".to_owned() }
    }
}

impl FromStr for Variant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "default" => Ok(Self::default()),
            _ => Err(format!("there is no variant {text:?}")),
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
