//! The effects of options on a session, and their timing.

use super::*;
use crate::engine::Affinity;

#[test]
fn new_values_reach_the_session() {
    let mut session = Session::for_tests();
    let mut set = |name, value| {
        parse_setting(name, Some(value)).unwrap().apply(&mut session);
        let options = session.engine.options();
        (options.strength_limit, options.affinity.pin, session.hash_file.clone(), session.sink.chess960())
    };
    let file = || "a b".to_owned();
    assert_eq!(set("Hash File", "a b"), (None, false, file(), false));
    assert_eq!(set("UCI_Chess960", "true"), (None, false, file(), true));
    assert_eq!(set("Pin Threads", "true"), (None, true, file(), true));
    assert_eq!(set("Strength Seed", "1").0, None);
    set("NumaPolicy", "none");
    assert_eq!(set("Pin Threads", "false"), (None, false, file(), true));
    assert_eq!(set("UCI_LimitStrength", "true").0, Some(StrengthLimit::new(DEFAULT_ELO, Some(1))));
    assert_eq!(set("UCI_AnalyseMode", "true").0, None, "analysis is at full strength");
    assert_eq!(set("UCI_AnalyseMode", "false").0, Some(StrengthLimit::new(DEFAULT_ELO, Some(1))));
    assert_eq!(set("Strength Seed", "0").0, Some(StrengthLimit::new(DEFAULT_ELO, None)));
    assert_eq!(session.engine.options().affinity, Affinity { pin: false, numa: NumaPolicy::None });
}

#[test]
fn few_options_have_a_timing_of_their_own() {
    for option in &OPTIONS {
        let value = match &option.kind {
            OptionKind::Spin { min, .. } => min.to_string(),
            OptionKind::Check { .. } => "true".to_owned(),
            OptionKind::Text { .. } => "some file".to_owned(),
            OptionKind::Combo { default, .. } | OptionKind::Words { default, .. } => default(),
            OptionKind::Button { .. } => String::new(),
        };
        let setting = parse_setting(option.name, Some(&value)).unwrap();
        let refusal = matches!(option.name, "Save Hash" | "Load Hash").then_some(SEARCHING);
        assert_eq!(setting.refusal_while_searching(), refusal, "{}", option.name);
        let log = (option.name == "Debug Log File").then_some(Some(Path::new("some file")));
        assert_eq!(setting.debug_log_file(), log, "{}", option.name);
    }
    assert_eq!(parse_setting("Debug Log File", Some("")).unwrap().debug_log_file(), Some(None));
    assert_eq!(format!("{:?}", parse_setting("hash", Some("8")).unwrap()), "Setting(\"Hash\", Number(8))");
}
