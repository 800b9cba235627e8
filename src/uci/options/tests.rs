//! The declarations and values of options.

use super::*;

fn value_of(name: &str, value: Option<&str>) -> (&'static str, Value) {
    let setting = parse_setting(name, value).unwrap();
    (setting.name(), setting.value)
}

#[test]
fn every_option_is_declared_as_guis_expect() {
    let lines: Vec<String> = OPTIONS.iter().map(declaration).collect();
    let replacement = Scheme::ALL.iter().fold(String::new(), |line, scheme| line + " var " + scheme.name());
    let expected = [
        "Hash type spin default 16 min 1 max 33554432",
        "Threads type spin default 1 min 1 max 1024",
        "Clear Hash type button",
        "Ponder type check default false",
        "MultiPV type spin default 1 min 1 max 256",
        "Move Overhead type spin default 10 min 0 max 5000",
        "UCI_Chess960 type check default false",
        "Lockstep type check default false",
        &format!("Replacement type combo default TWOBIG1{replacement}"),
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
        "Strength Seed type spin default 0 min 0 max 2147483647",
        "UCI_AnalyseMode type check default false",
        "UCI_Opponent type string default <empty>",
        &format!("UCI_EngineAbout type string default {ABOUT}"),
        "Debug Log File type string default <empty>",
    ];
    for (line, expected) in lines.iter().zip(expected) {
        assert_eq!(*line, format!("option name {expected}"));
    }
    assert_eq!(lines.len(), expected.len());
    // Parameters for tuning follow.
    assert!(declarations().take(lines.len()).eq(lines));
}

#[test]
fn declared_defaults_change_nothing() {
    let mut session = Session::for_tests();
    let before = session.engine.options().clone();
    for option in &OPTIONS {
        let value = match &option.kind {
            OptionKind::Spin { default, .. } => default.to_string(),
            OptionKind::Check { default, .. } => default.to_string(),
            OptionKind::Text { default, .. } => (*default).to_owned(),
            OptionKind::Combo { default, .. } | OptionKind::Words { default, .. } => default(),
            OptionKind::Button { .. } => continue,
        };
        parse_setting(option.name, Some(&value)).unwrap().apply(&mut session);
    }
    assert_eq!(*session.engine.options(), before);
    assert_eq!(session.hash_file, DEFAULT_HASH_FILE);
    assert!(!session.sink.chess960());
}

#[test]
fn new_values_reach_the_engine() {
    let mut session = Session::for_tests();
    let settings = [
        ("Hash", "2"),
        ("Threads", "2"),
        ("MultiPV", "3"),
        ("Move Overhead", "77"),
        ("Lockstep", "true"),
        ("Replacement", "deep"),
        ("SmpStrategy", "blocks"),
        ("SyzygyProbeDepth", "9"),
        ("SyzygyProbeLimit", "5"),
        ("Syzygy50MoveRule", "false"),
        ("UCI_Elo", "1500"),
        ("UCI_LimitStrength", "true"),
    ];
    for (name, value) in settings {
        parse_setting(name, Some(value)).unwrap().apply(&mut session);
    }
    let options = session.engine.options();
    assert_eq!((options.hash_mib, options.threads, options.multi_pv), (2, 2, 3));
    assert_eq!((options.move_overhead, options.lockstep), (Duration::from_millis(77), true));
    assert_eq!((options.scheme, options.strategy.to_string().as_str()), (Scheme::Deep, "blocks"));
    let syzygy = SyzygyOptions { probe_depth: 9, probe_limit: 5, fifty_move_rule: false };
    assert_eq!((options.syzygy, options.strength_limit), (syzygy, Some(StrengthLimit::new(1500, None))));
}

#[test]
fn names_and_words_match_in_any_case() {
    assert_eq!(value_of("hASH", Some("33554432")), ("Hash", Value::Number(33_554_432)));
    assert_eq!(value_of("clear hash", Some("now")), ("Clear Hash", Value::Press));
    assert_eq!(value_of("UCI_Chess960", Some("True")), ("UCI_Chess960", Value::Flag(true)));
    let path = "/some folder/tables:C:\\tb";
    assert_eq!(value_of("syzygypath", Some(path)), ("SyzygyPath", Value::Text(path.to_owned())));
    for empty in [Some(EMPTY), Some(""), None] {
        assert_eq!(value_of("EvalFile", empty), ("EvalFile", Value::Text(String::new())));
    }
    for scheme in Scheme::ALL {
        let (_, value) = value_of("Replacement", Some(&scheme.name().to_lowercase()));
        assert_eq!(value, Value::Text(scheme.name().to_owned()));
    }
}

#[test]
fn the_former_name_of_smp_strategy_still_works() {
    assert_eq!(value_of("teamwork", Some("same")), ("SmpStrategy", Value::Text("same".to_owned())));
    assert!(declarations().all(|line| !line.contains("Teamwork")));
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
        ("SmpStrategy", "half"),
        ("UCI_Elo", "1299"),
        ("UCI_Elo", "2701"),
        ("Strength Seed", "-1"),
    ];
    for (name, value) in values {
        let message = parse_setting(name, Some(value)).unwrap_err();
        assert!(message.contains(name) && message.contains("kept"), "{message}");
    }
    assert!(parse_setting("Hash", None).unwrap_err().contains("found nothing"));
    assert_eq!(parse_setting("Sysygy", Some("/tb")).unwrap_err(), "unknown option `Sysygy`");
}
