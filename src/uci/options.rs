//! The UCI options: each is declared once, with its name, type, default, range and effect.
//!
//! To add an option, add an entry to [`OPTIONS`].

use std::fmt;
use std::path::Path;
use std::time::Duration;

use super::parse::{parse_number, quote};
use super::session::Session;
use crate::engine::{NumaPolicy, Scheme, SmpStrategy, StrengthLimit, SyzygyOptions};
use crate::syzygy::MAX_PIECES;

#[cfg(feature = "tune")]
mod tuned;
#[cfg(not(feature = "tune"))]
#[path = "options/untuned.rs"]
mod tuned;

/// The most search threads that can be set.
pub(crate) const MAX_THREADS: i64 = 1024;

/// The largest transposition table that can be set, in MiB.
pub(crate) const MAX_HASH_MIB: i64 = 33_554_432;

/// The most lines that can be set.
pub(crate) const MAX_MULTI_PV: i64 = 256;

/// The default of `Hash File`: in the current folder.
pub(super) const DEFAULT_HASH_FILE: &str = "sesame.hash";

/// The default of `UCI_Elo`.
pub(super) const DEFAULT_ELO: u32 = 2000;

const ABOUT: &str =
    concat!("Sesame ", env!("CARGO_PKG_VERSION"), " by the Sesame authors, a chess engine around one lock-free table");

/// The protocol's word for an empty string.
const EMPTY: &str = "<empty>";

/// The time at which a new value takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Timing {
    /// In the order of the commands; during a search, at its end.
    AfterSearch,
    /// In the order of the commands; refused during a search, with this message.
    NotDuringSearch(&'static str),
    /// At once, in the reader thread.
    InReader,
}

/// An option: its declaration and its effect.
struct UciOption {
    name: &'static str,
    kind: OptionKind,
    timing: Timing,
}

enum OptionKind {
    Spin {
        default: i64,
        min: i64,
        max: i64,
        apply: fn(&mut Session, i64),
    },
    Check {
        default: bool,
        apply: fn(&mut Session, bool),
    },
    Button {
        apply: fn(&mut Session),
    },
    Text {
        default: &'static str,
        apply: fn(&mut Session, &str),
    },
    Combo {
        default: fn() -> String,
        values: fn() -> Vec<String>,
        apply: fn(&mut Session, &str),
    },
    /// A string with a grammar. `check` returns the expected grammar for an invalid value.
    Words {
        default: fn() -> String,
        check: fn(&str) -> Result<(), String>,
        apply: fn(&mut Session, &str),
    },
}

const fn option(name: &'static str, kind: OptionKind) -> UciOption {
    UciOption { name, kind, timing: Timing::AfterSearch }
}

/// The message for `Save Hash` and `Load Hash` during a search.
const SEARCHING: &str = "the table is neither saved nor loaded during a search: stop it first";

/// The options, in the order of their declaration. The defaults are those of the engine's
/// [`Options`](crate::engine::Options).
static OPTIONS: [UciOption; 28] = [
    option(
        "Hash",
        OptionKind::Spin {
            default: 16,
            min: 1,
            max: MAX_HASH_MIB,
            apply: |session, mib| session.set_hash(mib as usize),
        },
    ),
    option(
        "Threads",
        OptionKind::Spin { default: 1, min: 1, max: MAX_THREADS, apply: |session, n| session.set_threads(n as usize) },
    ),
    option("Clear Hash", OptionKind::Button { apply: |session| session.engine.clear_hash() }),
    // The engine ponders on `go ponder`, whatever this option says.
    option("Ponder", OptionKind::Check { default: false, apply: |_, _| {} }),
    option(
        "MultiPV",
        OptionKind::Spin {
            default: 1,
            min: 1,
            max: MAX_MULTI_PV,
            apply: |session, lines| session.engine.set_multi_pv(lines as usize),
        },
    ),
    option(
        "Move Overhead",
        OptionKind::Spin {
            default: 10,
            min: 0,
            max: 5000,
            apply: |session, ms| session.engine.set_move_overhead(Duration::from_millis(ms as u64)),
        },
    ),
    option("UCI_Chess960", OptionKind::Check { default: false, apply: |session, on| session.sink.set_chess960(on) }),
    option("Lockstep", OptionKind::Check { default: false, apply: |session, on| session.set_lockstep(on) }),
    option(
        "Replacement",
        OptionKind::Combo {
            default: || Scheme::default().to_string(),
            values: || Scheme::ALL.map(|scheme| scheme.to_string()).to_vec(),
            apply: |session, name| session.set_scheme(name),
        },
    ),
    option(
        "SmpStrategy",
        OptionKind::Combo {
            default: || SmpStrategy::default().to_string(),
            values: || SmpStrategy::ALL.map(|strategy| strategy.to_string()).to_vec(),
            apply: |session, name| session.set_strategy(name),
        },
    ),
    option(
        "Pin Threads",
        OptionKind::Check { default: false, apply: |session, pin| session.set_affinity(|affinity| affinity.pin = pin) },
    ),
    option(
        "NumaPolicy",
        OptionKind::Words {
            default: || NumaPolicy::default().to_string(),
            check: |text| match text.parse::<NumaPolicy>() {
                Ok(_) => Ok(()),
                Err(_) => Err(NumaPolicy::GRAMMAR.to_owned()),
            },
            apply: |session, text| {
                let Ok(policy) = text.parse() else { return };
                session.set_affinity(|affinity| affinity.numa = policy);
            },
        },
    ),
    option(
        "Hash File",
        OptionKind::Text { default: DEFAULT_HASH_FILE, apply: |session, path| session.hash_file = path.to_owned() },
    ),
    UciOption {
        name: "Save Hash",
        kind: OptionKind::Button { apply: |session| session.save_hash() },
        timing: Timing::NotDuringSearch(SEARCHING),
    },
    UciOption {
        name: "Load Hash",
        kind: OptionKind::Button { apply: |session| session.load_hash() },
        timing: Timing::NotDuringSearch(SEARCHING),
    },
    option("SyzygyPath", OptionKind::Text { default: "", apply: |session, path| session.engine.load_syzygy(path) }),
    option(
        "SyzygyProbeDepth",
        OptionKind::Spin {
            default: 1,
            min: 1,
            max: 100,
            apply: |session, depth| {
                session.set_syzygy(|options| SyzygyOptions { probe_depth: depth as u32, ..options });
            },
        },
    ),
    option(
        "SyzygyProbeLimit",
        OptionKind::Spin {
            default: MAX_PIECES as i64,
            min: 0,
            max: MAX_PIECES as i64,
            apply: |session, limit| {
                session.set_syzygy(|options| SyzygyOptions { probe_limit: limit as usize, ..options });
            },
        },
    ),
    option(
        "Syzygy50MoveRule",
        OptionKind::Check {
            default: true,
            apply: |session, fifty_move_rule| {
                session.set_syzygy(|options| SyzygyOptions { fifty_move_rule, ..options });
            },
        },
    ),
    option(
        "EvalFile",
        OptionKind::Text {
            default: "",
            apply: |session, path| session.set_network((!path.is_empty()).then(|| Path::new(path))),
        },
    ),
    option("UCI_ShowWDL", OptionKind::Check { default: false, apply: |session, show| session.sink.set_show_wdl(show) }),
    option(
        "UCI_LimitStrength",
        OptionKind::Check {
            default: false,
            apply: |session, on| session.set_strength(|strength| strength.limited = on),
        },
    ),
    option(
        "UCI_Elo",
        OptionKind::Spin {
            default: DEFAULT_ELO as i64,
            min: StrengthLimit::MIN_ELO as i64,
            max: StrengthLimit::MAX_ELO as i64,
            apply: |session, elo| session.set_strength(|strength| strength.elo = elo as u32),
        },
    ),
    option(
        "Strength Seed",
        OptionKind::Spin {
            default: 0,
            min: 0,
            max: i32::MAX as i64,
            apply: |session, seed| session.set_strength(|strength| strength.seed = seed as u64),
        },
    ),
    option(
        "UCI_AnalyseMode",
        OptionKind::Check {
            default: false,
            apply: |session, on| session.set_strength(|strength| strength.analysing = on),
        },
    ),
    option("UCI_Opponent", OptionKind::Text { default: "", apply: |_, _| {} }),
    option("UCI_EngineAbout", OptionKind::Text { default: ABOUT, apply: |_, _| {} }),
    // The reader opens and closes the log, exactly between two lines.
    UciOption {
        name: "Debug Log File",
        kind: OptionKind::Text { default: "", apply: |_, _| {} },
        timing: Timing::InReader,
    },
];

/// The options that the other machines of a cluster take over: those that their search depends on. Files are read
/// on each machine.
const FOLLOWED: [&str; 13] = [
    "Hash",
    "Threads",
    "Clear Hash",
    "UCI_Chess960",
    "Replacement",
    "SmpStrategy",
    "Pin Threads",
    "NumaPolicy",
    "SyzygyPath",
    "SyzygyProbeDepth",
    "SyzygyProbeLimit",
    "Syzygy50MoveRule",
    "EvalFile",
];

/// Former names of options: accepted, not declared.
const FORMER_NAMES: [(&str, &str); 1] = [("Teamwork", "SmpStrategy")];

/// An option with a new, valid value.
#[derive(Clone)]
pub(crate) struct Setting {
    target: Target,
    value: Value,
}

#[derive(Clone, Copy)]
enum Target {
    Option(&'static UciOption),
    /// A search parameter, which has already been set.
    #[cfg(feature = "tune")]
    Parameter,
}

/// A valid value.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Number(i64),
    Flag(bool),
    Press,
    Text(String),
}

impl Setting {
    /// Returns the option; `None` for a search parameter.
    #[allow(clippy::unnecessary_wraps, reason = "a build for tuning has parameters")]
    fn option(&self) -> Option<&'static UciOption> {
        match self.target {
            Target::Option(option) => Some(option),
            #[cfg(feature = "tune")]
            Target::Parameter => None,
        }
    }

    /// Applies the new value to the session.
    pub(super) fn apply(&self, session: &mut Session) {
        let Some(option) = self.option() else { return };
        match (&option.kind, &self.value) {
            (OptionKind::Spin { apply, .. }, Value::Number(number)) => apply(session, *number),
            (OptionKind::Check { apply, .. }, Value::Flag(on)) => apply(session, *on),
            (OptionKind::Button { apply }, Value::Press) => apply(session),
            (
                OptionKind::Text { apply, .. } | OptionKind::Combo { apply, .. } | OptionKind::Words { apply, .. },
                Value::Text(text),
            ) => {
                apply(session, text);
            }
            // `parse_setting` creates no other pairs.
            _ => {}
        }
    }

    /// Returns the line that sets the option on other machines; `None` for an option that concerns this one alone.
    pub(super) fn line_for_followers(&self) -> Option<String> {
        let name = self.name();
        FOLLOWED.contains(&name).then(|| match &self.value {
            Value::Press => format!("setoption name {name}\n"),
            Value::Number(number) => format!("setoption name {name} value {number}\n"),
            Value::Flag(on) => format!("setoption name {name} value {on}\n"),
            Value::Text(text) => format!("setoption name {name} value {text}\n"),
        })
    }

    fn timing(&self) -> Timing {
        self.option().map_or(Timing::AfterSearch, |option| option.timing)
    }

    /// Returns the message for an option that cannot be set during a search.
    pub(super) fn refusal_while_searching(&self) -> Option<&'static str> {
        match self.timing() {
            Timing::NotDuringSearch(message) => Some(message),
            Timing::AfterSearch | Timing::InReader => None,
        }
    }

    /// Returns the file of `Debug Log File` if this sets it; `Some(None)` ends the log.
    pub(super) fn debug_log_file(&self) -> Option<Option<&Path>> {
        match &self.value {
            Value::Text(path) if self.timing() == Timing::InReader => Some((!path.is_empty()).then(|| Path::new(path))),
            _ => None,
        }
    }

    fn name(&self) -> &'static str {
        self.option().map_or("", |option| option.name)
    }
}

impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Setting").field(&self.name()).field(&self.value).finish()
    }
}

impl PartialEq for Setting {
    fn eq(&self, other: &Self) -> bool {
        (self.name(), &self.value) == (other.name(), &other.value)
    }
}

impl Eq for Setting {}

/// Returns the `option` lines that answer `uci`.
pub(crate) fn declarations() -> impl Iterator<Item = String> {
    OPTIONS.iter().map(declaration).chain(tuned::declarations())
}

fn declaration(UciOption { name, kind, .. }: &UciOption) -> String {
    let or_empty = |text: &str| if text.is_empty() { EMPTY.to_owned() } else { text.to_owned() };
    let kind = match kind {
        OptionKind::Spin { default, min, max, .. } => format!("spin default {default} min {min} max {max}"),
        OptionKind::Check { default, .. } => format!("check default {default}"),
        OptionKind::Button { .. } => "button".to_owned(),
        OptionKind::Text { default, .. } => format!("string default {}", or_empty(default)),
        OptionKind::Words { default, .. } => format!("string default {}", default()),
        OptionKind::Combo { default, values, .. } => {
            values().iter().fold(format!("combo default {}", default()), |line, value| line + " var " + value)
        }
    };
    format!("option name {name} type {kind}")
}

/// Parses a `setoption`. Names and words match in any case.
///
/// # Errors
/// A message for the user; the option keeps its value.
pub(crate) fn parse_setting(name: &str, value: Option<&str>) -> Result<Setting, String> {
    let former = FORMER_NAMES.iter().find(|(former, _)| former.eq_ignore_ascii_case(name));
    let name = former.map_or(name, |(_, present)| present);
    let Some(option) = OPTIONS.iter().find(|option| option.name.eq_ignore_ascii_case(name)) else {
        return tuned::parse_setting(name, value).unwrap_or_else(|| Err(format!("unknown option {}", quote(name))));
    };
    let text = value.unwrap_or_default();
    match option.kind.parse(text) {
        Ok(value) => Ok(Setting { target: Target::Option(option), value }),
        Err(expected) => Err(invalid_value(option.name, &expected, text)),
    }
}

impl OptionKind {
    /// Parses `text`. The error is a description of valid values.
    fn parse(&self, text: &str) -> Result<Value, String> {
        match self {
            OptionKind::Spin { min, max, .. } => parse_number(text)
                .filter(|number| (min..=max).contains(&number))
                .map(Value::Number)
                .ok_or_else(|| format!("a whole number from {min} to {max}")),
            OptionKind::Check { .. } if text.eq_ignore_ascii_case("true") => Ok(Value::Flag(true)),
            OptionKind::Check { .. } if text.eq_ignore_ascii_case("false") => Ok(Value::Flag(false)),
            OptionKind::Check { .. } => Err("`true` or `false`".to_owned()),
            OptionKind::Button { .. } => Ok(Value::Press),
            OptionKind::Text { .. } => Ok(Value::Text(if text == EMPTY { String::new() } else { text.to_owned() })),
            OptionKind::Combo { values, .. } => {
                let values = values();
                match values.iter().find(|value| value.eq_ignore_ascii_case(text)) {
                    Some(value) => Ok(Value::Text(value.clone())),
                    None => Err(format!("one of {}", values.join(", "))),
                }
            }
            OptionKind::Words { check, .. } => check(text).map(|()| Value::Text(text.to_owned())),
        }
    }
}

/// Returns the message for an invalid value.
fn invalid_value(name: &str, expected: &str, value: &str) -> String {
    let found = if value.is_empty() { "nothing".to_owned() } else { quote(value) };
    format!("option {name} kept as it was: expected {expected}, found {found}")
}

#[cfg(test)]
mod effect_tests;
#[cfg(test)]
mod tests;
