//! The UCI options: each is declared once, with its name, type, default, range and effect.
//!
//! To add an option, add an entry to [`OPTIONS`].

use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use super::session::{DEFAULT_ELO, DEFAULT_HASH_FILE, FULL_SKILL, Session, Strength};
use super::words::{parse_number, quote, suggestion};
use crate::engine::{
    Affinity, Engine, EngineError, MoveChoice, Network, NumaPolicy, Scheme, SmpStrategy, StrengthLimit, SyzygyOptions,
};
use crate::search::TranspositionTable;
use crate::syzygy::MAX_PIECES;

pub(crate) const MAX_THREADS: i64 = 1024;
pub(crate) const MAX_HASH_MIB: i64 = *TranspositionTable::MIB.end() as i64;
pub(crate) const MAX_MULTI_PV: i64 = 256;
const DEBUG_LOG_FILE: &str = "Debug Log File";

const EMPTY: &str = "<empty>";

const SEARCHING: &str = "the table is neither saved nor loaded during a search: stop it first";

struct UciOption {
    name: &'static str,
    kind: OptionKind,
    /// A further condition for a value. The error describes valid values.
    validate: fn(&str) -> Result<(), String>,
    /// Refuses a new value during a search. Other options wait for the end of the search.
    refusal: Option<&'static str>,
    /// The other machines of a cluster set it too, because their search depends on it.
    is_followed: bool,
}

enum OptionKind {
    Spin { default: i64, range: RangeInclusive<i64>, apply: fn(&mut Session, i64) },
    Check { default: bool, apply: fn(&mut Session, bool) },
    Button { apply: fn(&mut Session) },
    Text { default: &'static str, apply: fn(&mut Session, &str) },
    Combo { default: &'static str, values: fn() -> Vec<&'static str>, apply: fn(&mut Session, &str) },
}

impl UciOption {
    const fn new(name: &'static str, kind: OptionKind) -> Self {
        Self { name, kind, validate: |_| Ok(()), refusal: None, is_followed: false }
    }

    const fn validated(mut self, validate: fn(&str) -> Result<(), String>) -> Self {
        self.validate = validate;
        self
    }

    const fn refused_during_a_search(mut self, message: &'static str) -> Self {
        self.refusal = Some(message);
        self
    }

    const fn followed(mut self) -> Self {
        self.is_followed = true;
        self
    }
}

const fn spin(name: &'static str, default: i64, range: RangeInclusive<i64>, apply: fn(&mut Session, i64)) -> UciOption {
    UciOption::new(name, OptionKind::Spin { default, range, apply })
}

const fn check(name: &'static str, default: bool, apply: fn(&mut Session, bool)) -> UciOption {
    UciOption::new(name, OptionKind::Check { default, apply })
}

const fn button(name: &'static str, apply: fn(&mut Session)) -> UciOption {
    UciOption::new(name, OptionKind::Button { apply })
}

const fn text(name: &'static str, default: &'static str, apply: fn(&mut Session, &str)) -> UciOption {
    UciOption::new(name, OptionKind::Text { default, apply })
}

const fn combo(
    name: &'static str,
    default: &'static str,
    values: fn() -> Vec<&'static str>,
    apply: fn(&mut Session, &str),
) -> UciOption {
    UciOption::new(name, OptionKind::Combo { default, values, apply })
}

/// The options in the order of their declaration. The defaults are those of the engine's [`Options`](crate::engine::Options).
static OPTIONS: [UciOption; 27] = [
    spin("Hash", 16, 1..=MAX_HASH_MIB, |session, mib| session.change(|engine| engine.set_hash(mib as usize)))
        .followed(),
    spin("Threads", 1, 1..=MAX_THREADS, |session, n| session.change(|engine| engine.set_threads(n as usize)))
        .followed(),
    button("Clear Hash", |session| session.engine.clear_hash()).followed(),
    // The engine ponders on `go ponder`, whatever this option says.
    check("Ponder", false, |_, _| {}),
    spin("MultiPV", 1, 1..=MAX_MULTI_PV, |session, lines| session.engine.set_multi_pv(lines as usize)),
    spin("Move Overhead", 10, 0..=5000, |session, ms| {
        session.engine.set_move_overhead(Duration::from_millis(ms as u64));
    }),
    check("UCI_Chess960", false, |session, on| session.sink.set_chess960(on)).followed(),
    check("Lockstep", false, |session, on| session.change(|engine| engine.set_lockstep(on))),
    combo(
        "Replacement",
        "TWOBIG1",
        || Scheme::ALL.iter().map(|scheme| scheme.name()).collect(),
        |session, scheme| {
            session.set_parsed(scheme, Engine::set_scheme);
        },
    )
    .followed(),
    combo(
        "SmpStrategy",
        "shared",
        || SmpStrategy::ALL.map(SmpStrategy::name).to_vec(),
        |session, strategy| {
            session.set_parsed(strategy, Engine::set_strategy);
        },
    )
    .followed(),
    check("Pin Threads", false, |session, pin| session.set_affinity(|affinity| affinity.pin = pin)).followed(),
    text("NumaPolicy", "auto", Session::set_numa_policy)
        .validated(|text| text.parse::<NumaPolicy>().map(drop).map_err(|_| NumaPolicy::GRAMMAR.to_owned()))
        .followed(),
    text("Hash File", DEFAULT_HASH_FILE, |session, path| session.hash_file = path.to_owned()),
    button("Save Hash", Session::save_hash).refused_during_a_search(SEARCHING),
    button("Load Hash", Session::load_hash).refused_during_a_search(SEARCHING),
    text("SyzygyPath", "", Session::load_syzygy).followed(),
    spin("SyzygyProbeDepth", 1, 1..=100, |session, depth| {
        session.set_syzygy(|syzygy| syzygy.probe_depth = depth as u32);
    })
    .followed(),
    spin("SyzygyProbeLimit", MAX_PIECES as i64, 0..=MAX_PIECES as i64, |session, limit| {
        session.set_syzygy(|syzygy| syzygy.probe_limit = limit as usize);
    })
    .followed(),
    check("Syzygy50MoveRule", true, |session, on| session.set_syzygy(|syzygy| syzygy.fifty_move_rule = on)).followed(),
    text("EvalFile", "", Session::set_network).followed(),
    check("UCI_ShowWDL", false, |session, on| session.sink.set_show_wdl(on)),
    check("UCI_LimitStrength", false, |session, on| session.set_strength(|strength| strength.limited = on)),
    spin(
        "UCI_Elo",
        DEFAULT_ELO as i64,
        StrengthLimit::MIN_ELO as i64..=StrengthLimit::MAX_ELO as i64,
        |session, elo| session.set_strength(|strength| strength.elo = elo as u32),
    ),
    spin("Skill Level", FULL_SKILL as i64, 0..=FULL_SKILL as i64, |session, skill| {
        session.set_strength(|strength| strength.skill = skill as u32);
    }),
    spin("Strength Seed", 0, 0..=i32::MAX as i64, |session, seed| {
        session.set_strength(|strength| strength.seed = seed as u64);
    }),
    check("UCI_AnalyseMode", false, |session, on| session.set_strength(|strength| strength.analysing = on)),
    // The reader opens and closes the log, exactly between two lines.
    text(DEBUG_LOG_FILE, "", |_, _| {}),
];

impl Session {
    fn change<T>(&mut self, change: impl FnOnce(&mut Engine) -> Result<T, EngineError>) {
        let remains = match change(&mut self.engine) {
            Ok(_) => return,
            Err(error @ EngineError::Table(_)) => format!("{error}; the table in use stays"),
            Err(error) => format!("{error}; no thread is left to search"),
        };
        self.output.info(&remains);
    }

    /// The value is valid.
    fn set_parsed<T: FromStr>(&mut self, value: &str, set: fn(&mut Engine, T) -> Result<(), EngineError>) {
        value.parse().into_iter().for_each(|value| self.change(|engine| set(engine, value)));
    }

    fn set_numa_policy(&mut self, policy: &str) {
        if let Ok(policy) = policy.parse() {
            self.set_affinity(|affinity| affinity.numa = policy);
        }
    }

    fn set_affinity(&mut self, change: impl FnOnce(&mut Affinity)) {
        let mut affinity = self.engine.options().affinity.clone();
        change(&mut affinity);
        self.change(|engine| engine.set_affinity(affinity));
    }

    fn load_syzygy(&mut self, path: &str) {
        let loaded = self.engine.load_syzygy(path);
        let summary = (!path.is_empty()).then(|| loaded.to_string());
        loaded.problems.iter().chain(&summary).for_each(|line| self.output.info(line));
    }

    fn set_syzygy(&mut self, change: impl FnOnce(&mut SyzygyOptions)) {
        let mut syzygy = self.engine.options().syzygy;
        change(&mut syzygy);
        self.engine.set_syzygy_options(syzygy);
    }

    fn set_strength(&mut self, change: impl FnOnce(&mut Strength)) {
        change(&mut self.strength);
        let Strength { limited, elo, skill, seed, analysing } = self.strength;
        let of_skill = || {
            let range = StrengthLimit::MAX_ELO - StrengthLimit::MIN_ELO;
            (skill < FULL_SKILL).then(|| StrengthLimit::MIN_ELO + skill * range / (FULL_SKILL - 1))
        };
        let elo = if limited { Some(elo) } else { of_skill() };
        let limit = |elo| MoveChoice::Limited(StrengthLimit::new(elo, (seed > 0).then_some(seed)));
        self.engine.set_move_choice(elo.filter(|_| !analysing).map(limit));
    }

    /// An empty path means the embedded network. If the file is unusable, the network in use stays.
    fn set_network(&mut self, path: &str) {
        let network =
            if path.is_empty() { Ok(Network::embedded()) } else { Network::read(Path::new(path)).map(Arc::new) };
        match network {
            Ok(network) => {
                let (hash, simd) = (network.hash(), network.simd());
                if !path.is_empty() {
                    self.output.info(&format!("network {hash:016x} loaded, computed with {simd}"));
                } else if network != self.engine.options().network {
                    self.output.info(&format!("network {hash:016x} of this build again"));
                }
                self.engine.set_network(network);
            }
            Err(error) => self.output.info(&format!("{error}; the evaluation stays as it was")),
        }
    }
}

/// An option with a new, valid value. A search parameter (feature `tune`) has been set already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    name: &'static str,
    value: String,
}

impl Setting {
    fn option(&self) -> Option<&'static UciOption> {
        OPTIONS.iter().find(|option| option.name == self.name)
    }

    pub(super) fn apply(&self, session: &mut Session) {
        let Some(option) = self.option() else { return };
        match &option.kind {
            OptionKind::Spin { default, apply, .. } => apply(session, self.value.parse().unwrap_or(*default)),
            OptionKind::Check { apply, .. } => apply(session, self.value == "true"),
            OptionKind::Button { apply } => apply(session),
            OptionKind::Text { apply, .. } | OptionKind::Combo { apply, .. } => apply(session, &self.value),
        }
    }

    /// `None` for an option that concerns this machine alone.
    pub(super) fn line_for_followers(&self) -> Option<String> {
        let Setting { name, value } = self;
        self.option()?.is_followed.then(|| format!("setoption name {name} value {value}\n"))
    }

    pub(super) fn refusal_during_a_search(&self) -> Option<&'static str> {
        self.option()?.refusal
    }

    /// Returns the value of `Debug Log File`, empty to end the log. It takes effect in the reader.
    pub(super) fn debug_log_file(&self) -> Option<&Path> {
        (self.name == DEBUG_LOG_FILE).then(|| Path::new(&self.value))
    }
}

pub(super) fn declarations() -> Vec<String> {
    let lines = OPTIONS.iter().map(declaration);
    #[cfg(feature = "tune")]
    let lines = lines.chain(tuned::declarations());
    lines.collect()
}

fn declaration(UciOption { name, kind, .. }: &UciOption) -> String {
    let kind = match kind {
        OptionKind::Spin { default, range, .. } => {
            format!("spin default {default} min {} max {}", range.start(), range.end())
        }
        OptionKind::Check { default, .. } => format!("check default {default}"),
        OptionKind::Button { .. } => "button".to_owned(),
        OptionKind::Text { default, .. } => {
            format!("string default {}", if default.is_empty() { EMPTY } else { default })
        }
        OptionKind::Combo { default, values, .. } => format!("combo default {default} var {}", values().join(" var ")),
    };
    format!("option name {name} type {kind}")
}

/// Names and words match in any case. The error is a message for the user.
pub(super) fn parse_setting(name: &str, value: Option<&str>) -> Result<Setting, String> {
    let value = value.unwrap_or_default();
    let Some(option) = OPTIONS.iter().find(|option| option.name.eq_ignore_ascii_case(name)) else {
        #[cfg(feature = "tune")]
        if let Some(result) = tuned::parse_setting(name, value) {
            return result;
        }
        let known = OPTIONS.iter().map(|option| option.name);
        return Err(format!("unknown option {}{}", quote(name), suggestion(name, known)));
    };
    match option.kind.parse(value).and_then(|valid| (option.validate)(&valid).map(|()| valid)) {
        Ok(value) => Ok(Setting { name: option.name, value }),
        Err(expected) => Err(invalid_value(option.name, &expected, value)),
    }
}

impl OptionKind {
    /// The error describes valid values.
    fn parse(&self, text: &str) -> Result<String, String> {
        match self {
            OptionKind::Spin { range, .. } => match parse_number(text).filter(|number| range.contains(number)) {
                Some(number) => Ok(number.to_string()),
                None => Err(format!("a whole number from {} to {}", range.start(), range.end())),
            },
            OptionKind::Check { .. } => one_of(&["true", "false"], text).ok_or_else(|| "`true` or `false`".to_owned()),
            OptionKind::Button { .. } => Ok(String::new()),
            OptionKind::Text { .. } if text == EMPTY => Ok(String::new()),
            OptionKind::Text { .. } => Ok(text.to_owned()),
            OptionKind::Combo { values, .. } => {
                one_of(&values(), text).ok_or_else(|| format!("one of {}", values().join(", ")))
            }
        }
    }
}

fn one_of(words: &[&str], text: &str) -> Option<String> {
    words.iter().find(|word| word.eq_ignore_ascii_case(text)).map(|&word| word.to_owned())
}

fn invalid_value(name: &str, expected: &str, value: &str) -> String {
    let found = if value.is_empty() { "nothing".to_owned() } else { quote(value) };
    format!("option {name} kept as it was: expected {expected}, found {found}")
}

#[cfg(feature = "tune")]
mod tuned {
    use super::{Setting, invalid_value, parse_number};
    use crate::smp::tunables;

    pub(super) fn declarations() -> impl Iterator<Item = String> {
        tunables().map(|number| {
            let (name, default, min, max) = (number.name, number.default, number.min, number.max);
            format!("option name {name} type spin default {default} min {min} max {max}")
        })
    }

    /// Sets the parameter at once: tuners set options before a search. Returns `None` for an unknown name.
    pub(super) fn parse_setting(name: &str, value: &str) -> Option<Result<Setting, String>> {
        let number = tunables().find(|number| number.name.eq_ignore_ascii_case(name))?;
        let range = number.min..=number.max;
        let new = parse_number(value).and_then(|value| i32::try_from(value).ok());
        let Some(new) = new.filter(|new| range.contains(new)) else {
            let expected = format!("a whole number from {} to {}", range.start(), range.end());
            return Some(Err(invalid_value(number.name, &expected, value)));
        };
        number.set(new);
        Some(Ok(Setting { name: number.name, value: new.to_string() }))
    }
}

#[cfg(test)]
mod tests;
