//! Declarations, values and effects of options.

use super::*;
use crate::engine::NumaPolicy;
use crate::output::Output;

fn session() -> Session {
    Session::new(Output::new(std::io::sink()), crossbeam_channel::bounded(1).0, Engine::with_sink).unwrap()
}

fn set(session: &mut Session, name: &str, value: &str) {
    parse_setting(name, Some(value)).unwrap().apply(session);
}

fn value_of(name: &str, value: Option<&str>) -> (&'static str, String) {
    let setting = parse_setting(name, value).unwrap();
    (setting.name, setting.value)
}

#[test]
fn options_are_declared_as_guis_expect() {
    let expected = [
        "Hash type spin default 16 min 1 max 33554432",
        "Threads type spin default 1 min 1 max 1024",
        "Clear Hash type button",
        "Ponder type check default false",
        "MultiPV type spin default 1 min 1 max 256",
        "Move Overhead type spin default 10 min 0 max 5000",
        "UCI_Chess960 type check default false",
        "Lockstep type check default false",
        "Replacement type combo default TWOBIG1 var DEEP var NEW var OLD var BIG1 var BIGALL var TWODEEP var TWOBIG1",
        "SmpStrategy type combo default shared var shared var same var blocks",
        "Pin Threads type check default false",
        "NumaPolicy type string default auto",
        "Hash File type string default sesame.hash",
        "Save Hash type button",
        "Load Hash type button",
        "SyzygyPath type string default <empty>",
        "SyzygyProbeDepth type spin default 1 min 1 max 100",
        "SyzygyProbeLimit type spin default 7 min 0 max 7",
        "Syzygy50MoveRule type check default true",
        "EvalFile type string default <empty>",
        "UCI_ShowWDL type check default false",
        "UCI_LimitStrength type check default false",
        "UCI_Elo type spin default 2000 min 1320 max 2700",
        "Skill Level type spin default 20 min 0 max 20",
        "Strength Seed type spin default 0 min 0 max 2147483647",
        "UCI_AnalyseMode type check default false",
        "Debug Log File type string default <empty>",
    ];
    // Search parameters follow with the feature `tune`.
    let lines = declarations();
    assert_eq!(lines[..expected.len()], expected.map(|line| format!("option name {line}")));
    assert!(cfg!(feature = "tune") || lines.len() == expected.len());
}

#[test]
fn declared_defaults_change_nothing() {
    let mut session = session();
    let before = session.engine.options().clone();
    for option in &OPTIONS {
        let value = match &option.kind {
            OptionKind::Spin { default, .. } => default.to_string(),
            OptionKind::Check { default, .. } => default.to_string(),
            OptionKind::Text { default, .. } | OptionKind::Combo { default, .. } => (*default).to_owned(),
            OptionKind::Button { .. } => continue,
        };
        set(&mut session, option.name, &value);
    }
    assert_eq!(*session.engine.options(), before);
    assert_eq!(session.hash_file, DEFAULT_HASH_FILE);
    assert!(!session.sink.chess960());
}

#[test]
fn new_values_reach_the_session() {
    let mut session = session();
    for (name, value) in [
        ("Hash", "2"),
        ("Threads", "2"),
        ("MultiPV", "3"),
        ("Move Overhead", "77"),
        ("Lockstep", "true"),
        ("Replacement", "deep"),
        ("SmpStrategy", "blocks"),
        ("Pin Threads", "true"),
        ("NumaPolicy", "none"),
        ("SyzygyProbeDepth", "9"),
        ("SyzygyProbeLimit", "5"),
        ("Syzygy50MoveRule", "false"),
        ("UCI_Chess960", "true"),
        ("Hash File", "a b"),
    ] {
        set(&mut session, name, value);
    }
    let options = session.engine.options();
    assert_eq!((options.hash_mib, options.threads, options.multi_pv), (2, 2, 3));
    assert_eq!((options.move_overhead, options.lockstep), (Duration::from_millis(77), true));
    assert_eq!((options.scheme, options.strategy), (Scheme::Deep, SmpStrategy::Blocks));
    assert_eq!(options.affinity, Affinity { pin: true, numa: NumaPolicy::None });
    assert_eq!(options.syzygy, SyzygyOptions { probe_depth: 9, probe_limit: 5, fifty_move_rule: false });
    assert!(session.sink.chess960());
    assert_eq!(session.hash_file, "a b");
}

#[test]
fn five_options_limit_the_strength() {
    let mut session = session();
    let mut limit = |name, value| {
        set(&mut session, name, value);
        session.engine.options().move_choice
    };
    let limited = |elo, seed| Some(MoveChoice::Limited(StrengthLimit::new(elo, seed)));
    assert_eq!(limit("UCI_Elo", "1500"), None);
    assert_eq!(limit("UCI_LimitStrength", "true"), limited(1500, None));
    assert_eq!(limit("Strength Seed", "1"), limited(1500, Some(1)));
    assert_eq!(limit("UCI_AnalyseMode", "true"), None, "analysis is at full strength");
    assert_eq!(limit("UCI_AnalyseMode", "false"), limited(1500, Some(1)));
    assert_eq!(limit("Skill Level", "0"), limited(1500, Some(1)), "the Elo take precedence");
    for (level, elo) in [("0", 1320), ("1", 1392), ("19", 2700)] {
        limit("UCI_LimitStrength", "true");
        limit("Skill Level", level);
        assert_eq!(limit("UCI_LimitStrength", "false"), limited(elo, Some(1)));
    }
    assert_eq!(limit("Skill Level", "20"), None);
}

#[test]
fn names_and_words_match_in_any_case() {
    assert_eq!(value_of("hASH", Some("33554432")), ("Hash", "33554432".to_owned()));
    assert_eq!(value_of("clear hash", Some("now")), ("Clear Hash", String::new()));
    assert_eq!(value_of("UCI_Chess960", Some("True")), ("UCI_Chess960", "true".to_owned()));
    assert_eq!(value_of("Replacement", Some("twodeep")), ("Replacement", "TWODEEP".to_owned()));
    let path = "/some folder/tables:C:\\tb";
    assert_eq!(value_of("syzygypath", Some(path)), ("SyzygyPath", path.to_owned()));
    for empty in [Some(EMPTY), Some(""), None] {
        assert_eq!(value_of("EvalFile", empty), ("EvalFile", String::new()));
    }
}

#[test]
fn bad_values_are_explained() {
    for (name, value) in [
        ("Hash", "0"),
        ("Hash", "33554433"),
        ("Hash", "99999999999999999999"),
        ("Hash", "16 MB"),
        ("Ponder", "yes"),
        ("UCI_Chess960", ""),
        ("Replacement", "RANDOM"),
        ("NumaPolicy", "0:0"),
        ("Strength Seed", "-1"),
    ] {
        let message = parse_setting(name, Some(value)).unwrap_err();
        let found = if value.is_empty() { "nothing".to_owned() } else { format!("`{value}`") };
        assert!(message.starts_with(&format!("option {name} kept as it was: expected ")), "{message}");
        assert!(message.ends_with(&format!(", found {found}")), "{message}");
    }
    assert_eq!(
        parse_setting("Sysygy", Some("/tb")).unwrap_err(),
        "unknown option `Sysygy`; did you mean `SyzygyPath`?"
    );
    assert_eq!(parse_setting("Book", None).unwrap_err(), "unknown option `Book`");
}
