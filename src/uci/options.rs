//! The options that a GUI may set: one table says what `uci` declares and what `setoption` accepts.

use std::path::PathBuf;
use std::time::Duration;

use super::parse::{parse_number, quote};
use crate::engine::{SmpStrategy, StrengthLimit};
use crate::syzygy::MAX_MEN;
use sesame_table::Scheme;

/// The most search threads that may be asked for.
pub(crate) const MAX_THREADS: i64 = 1024;

/// The largest table that may be asked for, in MiB.
pub(crate) const MAX_HASH_MIB: i64 = 33_554_432;

/// The most lines that may be asked for.
pub(crate) const MAX_MULTI_PV: i64 = 256;

/// Where the table is saved unless `Hash File` says otherwise: in the current folder.
pub(crate) const DEFAULT_HASH_FILE: &str = "sesame.hash";

/// How well to play where only `UCI_LimitStrength` is set.
pub(crate) const DEFAULT_ELO: u32 = 2000;

/// What `UCI_EngineAbout` says.
const ABOUT: &str =
    concat!("Sesame ", env!("CARGO_PKG_VERSION"), " by the Sesame authors, a chess engine round one lock-free table");

/// An option with its new, valid value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Setting {
    /// The size of the table in MiB.
    Hash(usize),
    /// The number of search threads.
    Threads(usize),
    /// Forget all that the table holds.
    ClearHash,
    /// What the GUI may tell and nothing depends on: that it may let the engine ponder (its `go ponder` says when), who the opponent is.
    Nothing,
    /// The number of lines to show.
    MultiPv(usize),
    /// Time to keep back for each move, for the way between engine and GUI.
    MoveOverhead(Duration),
    /// Castling is written and read as the king taking its rook.
    Chess960(bool),
    /// Whether the search threads take turns, for repeatable searches.
    Lockstep(bool),
    /// Whether each search thread is bound to a core of its own.
    PinThreads(bool),
    /// The table's replacement scheme.
    Replacement(Scheme),
    /// How the search threads work together.
    SmpStrategy(SmpStrategy),
    /// The file that the table is saved to and loaded from.
    HashFile(String),
    /// Save the table.
    SaveHash,
    /// Load the table.
    LoadHash,
    /// The folders of the endgame tables.
    SyzygyPath(String),
    /// The plies that must be left for positions with the most men of a table to be looked up.
    SyzygyProbeDepth(u32),
    /// The most men of a position to be looked up.
    SyzygyProbeLimit(usize),
    /// Whether the fifty-move rule counts in the tables.
    Syzygy50MoveRule(bool),
    /// The file of the network; `None` for the one of this build.
    EvalFile(Option<PathBuf>),
    /// Whether chances of a win, a draw and a loss are told with each score.
    ShowWdl(bool),
    /// Whether to play weaker than possible.
    LimitStrength(bool),
    /// How well to play then.
    Elo(u32),
    /// What its chance comes from; 0 for chance itself.
    StrengthSeed(u64),
    /// Whether positions are analysed rather than games played.
    AnalyseMode(bool),
    /// The file for all lines that come in and go out; `None` for no file.
    DebugLog(Option<PathBuf>),
    /// A number of the search, which has been changed already.
    #[cfg(feature = "tune")]
    Tuned,
}

/// What a text option is when it is nothing, as the protocol writes it.
const EMPTY: &str = "<empty>";

struct Specification {
    name: &'static str,
    kind: Kind,
}

enum Kind {
    Spin {
        default: i64,
        min: i64,
        max: i64,
        set: fn(usize) -> Setting,
    },
    Check {
        default: bool,
        set: fn(bool) -> Setting,
    },
    Button {
        setting: Setting,
    },
    Text {
        default: &'static str,
        set: fn(String) -> Setting,
    },
    Scheme {
        default: Scheme,
        set: fn(Scheme) -> Setting,
    },
    SmpStrategy,
    /// A file; none is the default.
    Path {
        set: fn(Option<PathBuf>) -> Setting,
    },
}

/// The options in the order in which `uci` declares them. Their defaults are those of the engine's [`Options`](crate::engine::Options).
static OPTIONS: [Specification; 27] = [
    Specification { name: "Hash", kind: Kind::Spin { default: 16, min: 1, max: MAX_HASH_MIB, set: Setting::Hash } },
    Specification { name: "Threads", kind: Kind::Spin { default: 1, min: 1, max: MAX_THREADS, set: Setting::Threads } },
    Specification { name: "Clear Hash", kind: Kind::Button { setting: Setting::ClearHash } },
    Specification { name: "Ponder", kind: Kind::Check { default: false, set: |_| Setting::Nothing } },
    Specification {
        name: "MultiPV",
        kind: Kind::Spin { default: 1, min: 1, max: MAX_MULTI_PV, set: Setting::MultiPv },
    },
    Specification {
        name: "Move Overhead",
        kind: Kind::Spin {
            default: 10,
            min: 0,
            max: 5000,
            set: |millis| Setting::MoveOverhead(Duration::from_millis(millis as u64)),
        },
    },
    Specification { name: "UCI_Chess960", kind: Kind::Check { default: false, set: Setting::Chess960 } },
    Specification { name: "Lockstep", kind: Kind::Check { default: false, set: Setting::Lockstep } },
    Specification { name: "Replacement", kind: Kind::Scheme { default: Scheme::TwoBig1, set: Setting::Replacement } },
    Specification { name: "SmpStrategy", kind: Kind::SmpStrategy },
    Specification { name: "Pin Threads", kind: Kind::Check { default: false, set: Setting::PinThreads } },
    Specification { name: "Hash File", kind: Kind::Text { default: DEFAULT_HASH_FILE, set: Setting::HashFile } },
    Specification { name: "Save Hash", kind: Kind::Button { setting: Setting::SaveHash } },
    Specification { name: "Load Hash", kind: Kind::Button { setting: Setting::LoadHash } },
    Specification { name: "SyzygyPath", kind: Kind::Text { default: "", set: Setting::SyzygyPath } },
    Specification {
        name: "SyzygyProbeDepth",
        kind: Kind::Spin { default: 1, min: 1, max: 100, set: |depth| Setting::SyzygyProbeDepth(depth as u32) },
    },
    Specification {
        name: "SyzygyProbeLimit",
        kind: Kind::Spin { default: MAX_MEN as i64, min: 0, max: MAX_MEN as i64, set: Setting::SyzygyProbeLimit },
    },
    Specification { name: "Syzygy50MoveRule", kind: Kind::Check { default: true, set: Setting::Syzygy50MoveRule } },
    Specification { name: "EvalFile", kind: Kind::Path { set: Setting::EvalFile } },
    Specification { name: "UCI_ShowWDL", kind: Kind::Check { default: false, set: Setting::ShowWdl } },
    Specification { name: "UCI_LimitStrength", kind: Kind::Check { default: false, set: Setting::LimitStrength } },
    Specification {
        name: "UCI_Elo",
        kind: Kind::Spin {
            default: DEFAULT_ELO as i64,
            min: StrengthLimit::MIN_ELO as i64,
            max: StrengthLimit::MAX_ELO as i64,
            set: |elo| Setting::Elo(elo as u32),
        },
    },
    Specification {
        name: "Strength Seed",
        kind: Kind::Spin { default: 0, min: 0, max: i32::MAX as i64, set: |seed| Setting::StrengthSeed(seed as u64) },
    },
    Specification { name: "UCI_AnalyseMode", kind: Kind::Check { default: false, set: Setting::AnalyseMode } },
    Specification { name: "UCI_Opponent", kind: Kind::Text { default: "", set: |_| Setting::Nothing } },
    Specification { name: "UCI_EngineAbout", kind: Kind::Text { default: ABOUT, set: |_| Setting::Nothing } },
    Specification { name: "Debug Log File", kind: Kind::Path { set: Setting::DebugLog } },
];

/// The `option` lines that answer `uci`.
pub(crate) fn declarations() -> impl Iterator<Item = String> {
    let always = OPTIONS.iter().map(|Specification { name, kind }| {
        let mut line = format!("option name {name} type ");
        match kind {
            Kind::Spin { default, min, max, .. } => line += &format!("spin default {default} min {min} max {max}"),
            Kind::Check { default, .. } => line += &format!("check default {default}"),
            Kind::Button { .. } => line += "button",
            Kind::Text { default, .. } => {
                line += &format!("string default {}", if default.is_empty() { "<empty>" } else { default });
            }
            Kind::Scheme { default, .. } => {
                line += &format!("combo default {default}");
                for scheme in Scheme::ALL {
                    line += &format!(" var {scheme}");
                }
            }
            Kind::SmpStrategy => line += &format!("string default {}", SmpStrategy::default()),
            Kind::Path { .. } => line += &format!("string default {EMPTY}"),
        }
        line
    });
    always.chain(tuned::declarations())
}

/// The numbers of the search, where this build lets them be tuned.
#[cfg(feature = "tune")]
mod tuned {
    use super::{Setting, kept, parse_number};
    use crate::search::tunable::ALL;

    pub(super) fn declarations() -> impl Iterator<Item = String> {
        ALL.iter().map(|number| {
            let (name, default, least, most) = (number.name, number.default, number.least, number.most);
            format!("option name {name} type spin default {default} min {least} max {most}")
        })
    }

    /// Changes it at once: a tuner sets its options before it searches. `None` if there is no such number.
    pub(super) fn understand(name: &str, value: Option<&str>) -> Option<Result<Setting, String>> {
        let number = ALL.iter().find(|number| number.name.eq_ignore_ascii_case(name))?;
        let value = value.unwrap_or_default();
        let (least, most) = (number.least, number.most);
        let new = parse_number(value).and_then(|value| i32::try_from(value).ok());
        let Some(new) = new.filter(|new| (least..=most).contains(new)) else {
            return Some(Err(kept(number.name, &format!("a whole number from {least} to {most}"), value)));
        };
        number.set(new);
        Some(Ok(Setting::Tuned))
    }
}

/// There are none.
#[cfg(not(feature = "tune"))]
mod tuned {
    use super::Setting;

    pub(super) fn declarations() -> impl Iterator<Item = String> {
        std::iter::empty()
    }

    pub(super) fn understand(_: &str, _: Option<&str>) -> Option<Result<Setting, String>> {
        None
    }
}

/// Understands a `setoption`. Names, and words as values, may be in any case.
///
/// # Errors
/// A message for the user; the option is to keep the value that it has.
pub(crate) fn understand(name: &str, value: Option<&str>) -> Result<Setting, String> {
    let Some(Specification { name, kind }) = OPTIONS.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    else {
        return tuned::understand(name, value).unwrap_or_else(|| Err(format!("unknown option {}", quote(name))));
    };
    let value = value.unwrap_or_default();
    let wanted = match kind {
        Kind::Spin { min, max, set, .. } => {
            let number = parse_number(value).filter(|number| (*min..=*max).contains(number));
            if let Some(setting) = number.and_then(|number| usize::try_from(number).ok()).map(set) {
                return Ok(setting);
            }
            format!("a whole number from {min} to {max}")
        }
        Kind::Check { set, .. } => {
            if value.eq_ignore_ascii_case("true") {
                return Ok(set(true));
            }
            if value.eq_ignore_ascii_case("false") {
                return Ok(set(false));
            }
            "`true` or `false`".to_owned()
        }
        Kind::Button { setting } => return Ok(setting.clone()),
        Kind::Text { set, .. } => return Ok(set(if value == "<empty>" { String::new() } else { value.to_owned() })),
        Kind::Scheme { set, .. } => {
            let schemes = Scheme::ALL;
            if let Some(scheme) = schemes.iter().find(|scheme| scheme.to_string().eq_ignore_ascii_case(value)) {
                return Ok(set(*scheme));
            }
            format!("one of {}", schemes.map(|scheme| scheme.to_string()).join(", "))
        }
        Kind::SmpStrategy => match value.parse() {
            Ok(strategy) => return Ok(Setting::SmpStrategy(strategy)),
            Err(_) => format!("one or more of {}, joined by +", SmpStrategy::WORDS.map(|word| word.name).join(", ")),
        },
        Kind::Path { set } => {
            return Ok(set((!value.is_empty() && value != EMPTY).then(|| PathBuf::from(value))));
        }
    };
    Err(kept(name, &wanted, value))
}

/// The message for a value that is none.
fn kept(name: &str, wanted: &str, value: &str) -> String {
    let found = if value.is_empty() { "nothing".to_owned() } else { quote(value) };
    format!("option {name} kept as it was: expected {wanted}, found {found}")
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::engine::Options;

    #[test]
    fn every_option_is_declared_as_the_protocol_wants() {
        let lines: Vec<String> = declarations().collect();
        assert_eq!(lines[0], "option name Hash type spin default 16 min 1 max 33554432");
        assert_eq!(lines[1], "option name Threads type spin default 1 min 1 max 1024");
        assert_eq!(lines[2], "option name Clear Hash type button");
        assert_eq!(lines[3], "option name Ponder type check default false");
        assert_eq!(lines[4], "option name MultiPV type spin default 1 min 1 max 256");
        assert_eq!(lines[5], "option name Move Overhead type spin default 10 min 0 max 5000");
        assert_eq!(lines[6], "option name UCI_Chess960 type check default false");
        assert_eq!(lines[7], "option name Lockstep type check default false");
        assert!(lines[8].starts_with("option name Replacement type combo default TWOBIG1 var "), "{}", lines[8]);
        assert_eq!(lines[9], format!("option name SmpStrategy type string default {}", SmpStrategy::default()));
        assert_eq!(lines[10], "option name Pin Threads type check default false");
        assert_eq!(lines[11], "option name Hash File type string default sesame.hash");
        assert_eq!(lines[12], "option name Save Hash type button");
        assert_eq!(lines[13], "option name Load Hash type button");
        assert_eq!(lines[14], "option name SyzygyPath type string default <empty>");
        assert_eq!(lines[15], "option name SyzygyProbeDepth type spin default 1 min 1 max 100");
        assert_eq!(lines[16], "option name SyzygyProbeLimit type spin default 7 min 0 max 7");
        assert_eq!(lines[17], "option name Syzygy50MoveRule type check default true");
        for scheme in Scheme::ALL {
            assert!(lines[8].contains(&format!(" var {scheme}")));
        }
        assert_eq!(lines[18], "option name Evaluation type combo default network var network var hybrid var classical");
        assert_eq!(lines[19], "option name EvalFile type string default <empty>");
        assert_eq!(lines[20], "option name UCI_ShowWDL type check default false");
        assert_eq!(lines[21], "option name UCI_LimitStrength type check default false");
        assert_eq!(lines[22], "option name UCI_Elo type spin default 2000 min 1320 max 2700");
        assert_eq!(lines[23], "option name Strength Seed type spin default 0 min 0 max 2147483647");
        assert_eq!(lines[24], "option name UCI_AnalyseMode type check default false");
        assert_eq!(lines[25], "option name UCI_Opponent type string default <empty>");
        assert!(lines[26].starts_with("option name UCI_EngineAbout type string default Sesame "), "{}", lines[26]);
        assert_eq!(lines[27], "option name Debug Log File type string default <empty>");
    }

    #[test]
    fn declared_defaults_are_the_real_ones() {
        let options = Options::default();
        let default = |wanted: &str| {
            let option = OPTIONS.iter().find(|option| option.name == wanted).unwrap();
            match &option.kind {
                Kind::Spin { default, set, .. } => set(usize::try_from(*default).unwrap()),
                Kind::Check { default, set } => set(*default),
                Kind::Button { setting } => setting.clone(),
                Kind::Text { default, set } => set((*default).to_owned()),
                Kind::Scheme { default, set } => set(*default),
                Kind::SmpStrategy => unreachable!("declared from the real default"),
                Kind::Words { settings } => settings[0].1.clone(),
                Kind::Path { set } => set(None),
            }
        };
        assert_eq!(default("Hash"), Setting::Hash(options.hash_mib));
        assert_eq!(default("Threads"), Setting::Threads(options.threads));
        assert_eq!(default("MultiPV"), Setting::MultiPv(options.multi_pv));
        assert_eq!(default("Move Overhead"), Setting::MoveOverhead(options.move_overhead));
        assert_eq!(default("UCI_Chess960"), Setting::Chess960(false));
        assert_eq!(default("Lockstep"), Setting::Lockstep(options.lockstep));
        assert_eq!(default("Replacement"), Setting::Replacement(options.scheme));
        assert_eq!(default("Pin Threads"), Setting::PinThreads(options.pin));
        assert_eq!(default("Hash File"), Setting::HashFile(DEFAULT_HASH_FILE.to_owned()));
        assert_eq!(default("SyzygyPath"), Setting::SyzygyPath(String::new()));
        assert_eq!(default("SyzygyProbeDepth"), Setting::SyzygyProbeDepth(options.tables.probe_depth));
        assert_eq!(default("SyzygyProbeLimit"), Setting::SyzygyProbeLimit(options.tables.probe_limit));
        assert_eq!(default("Syzygy50MoveRule"), Setting::Syzygy50MoveRule(options.tables.fifty_move_rule));
        assert_eq!(default("Evaluation"), Setting::Evaluation(Evaluation::Network));
        assert_eq!(options.evaluator, crate::eval::Evaluator::default());
        assert_eq!((default("UCI_LimitStrength"), options.strength_limit), (Setting::LimitStrength(false), None));
    }

    #[test]
    fn good_values() {
        assert_eq!(understand("Hash", Some("1")), Ok(Setting::Hash(1)));
        assert_eq!(understand("hASH", Some("33554432")), Ok(Setting::Hash(33_554_432)));
        assert_eq!(understand("threads", Some("1024")), Ok(Setting::Threads(1024)));
        assert_eq!(understand("clear hash", None), Ok(Setting::ClearHash));
        assert_eq!(understand("Clear Hash", Some("now")), Ok(Setting::ClearHash));
        assert_eq!(understand("Ponder", Some("true")), Ok(Setting::Nothing));
        let opponent = "GM 2800 human Gary Kasparov";
        assert_eq!(understand("UCI_Opponent", Some(opponent)), Ok(Setting::Nothing));
        assert_eq!(understand("uci_elo", Some("1500")), Ok(Setting::Elo(1500)));
        assert_eq!(understand("MultiPV", Some("256")), Ok(Setting::MultiPv(256)));
        assert_eq!(understand("Move Overhead", Some("0")), Ok(Setting::MoveOverhead(Duration::ZERO)));
        assert_eq!(understand("UCI_Chess960", Some("True")), Ok(Setting::Chess960(true)));
        assert_eq!(understand("SmpStrategy", Some("same")), Ok(Setting::SmpStrategy(SmpStrategy::ALONE)));
        let path = "/some folder/tables:C:\\tb";
        assert_eq!(understand("syzygypath", Some(path)), Ok(Setting::SyzygyPath(path.to_owned())));
        assert_eq!(understand("SyzygyPath", Some("<empty>")), Ok(Setting::SyzygyPath(String::new())));
        assert_eq!(understand("SyzygyPath", None), Ok(Setting::SyzygyPath(String::new())));
        assert_eq!(understand("SyzygyProbeLimit", Some("0")), Ok(Setting::SyzygyProbeLimit(0)));
        for scheme in Scheme::ALL {
            let name = scheme.to_string().to_lowercase();
            assert_eq!(understand("Replacement", Some(&name)), Ok(Setting::Replacement(scheme)));
        }
        assert_eq!(understand("evaluation", Some("NETWORK")), Ok(Setting::Evaluation(Evaluation::Network)));
        let path = Setting::EvalFile(Some(PathBuf::from("/some where/a.nnue")));
        assert_eq!(understand("EvalFile", Some("/some where/a.nnue")), Ok(path));
        for nothing in [Some("<empty>"), Some(""), None] {
            assert_eq!(understand("EvalFile", nothing), Ok(Setting::EvalFile(None)));
        }
    }

    #[test]
    fn bad_values_are_explained() {
        let values = [
            ("Hash", "0"),
            ("Hash", "33554433"),
            ("Hash", "-1"),
            ("Hash", "99999999999999999999"),
            ("Hash", "lots"),
            ("Hash", "16 MB"),
            ("Hash", ""),
            ("Threads", "0"),
            ("Threads", "1025"),
            ("MultiPV", "257"),
            ("Move Overhead", "5001"),
            ("Ponder", "yes"),
            ("UCI_Chess960", ""),
            ("Replacement", "RANDOM"),
            ("SmpStrategy", "half+none"),
            ("Evaluation", "material"),
            ("UCI_Elo", "1299"),
            ("UCI_Elo", "2701"),
            ("Strength Seed", "-1"),
        ];
        for (name, value) in values {
            let message = understand(name, Some(value)).unwrap_err();
            assert!(message.contains(name) && message.contains("kept"), "{message}");
        }
        assert!(understand("Hash", None).unwrap_err().contains("found nothing"));
        assert_eq!(understand("Sysygy", Some("/tb")).unwrap_err(), "unknown option `Sysygy`");
    }
}
