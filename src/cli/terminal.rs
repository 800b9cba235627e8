//! Terminal features: colours, UTF-8, status line.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use clap::ValueEnum;

/// The use of colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum Colours {
    /// On a terminal, unless the variable NO_COLOR is set or the terminal is dumb
    #[default]
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

impl Colours {
    /// Returns true if the output has colours. `NO_COLOR` has the meaning of <https://no-color.org>.
    pub(super) fn are_used(self) -> bool {
        let set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
        match self {
            Colours::Always => true,
            Colours::Never => false,
            Colours::Auto => {
                io::stdout().is_terminal() && !set("NO_COLOR") && env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }
}

/// Returns true for a UTF-8 locale. The first of the variables that is set decides.
pub(super) fn is_utf8_locale() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()));
    locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

/// A status line of a running search on the standard error, if that is a terminal.
pub(super) struct SearchStatus {
    start: Instant,
    time: Option<Duration>,
    /// The depth of the search.
    pub(super) depth: u32,
    terminal: bool,
    shown: bool,
}

impl SearchStatus {
    pub(super) fn new(time: Option<Duration>) -> SearchStatus {
        SearchStatus { start: Instant::now(), time, depth: 0, terminal: io::stderr().is_terminal(), shown: false }
    }

    pub(super) fn show(&mut self) {
        if !self.terminal {
            return;
        }
        let elapsed = self.start.elapsed().as_secs_f64();
        let of = self.time.map_or_else(String::new, |time| format!(" of {:.1}", time.as_secs_f64()));
        let _ = write!(io::stderr(), "\r\x1b[Kdepth {} done, {elapsed:.1}{of} s  ", self.depth);
        self.shown = true;
    }

    pub(super) fn clear(&mut self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
            self.shown = false;
        }
    }
}
