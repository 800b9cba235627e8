//! The search parameters as options, with the feature `tune`.

use super::{Setting, Target, Value, invalid_value, parse_number};
use crate::search::tunable::ALL;

pub(super) fn declarations() -> impl Iterator<Item = String> {
    ALL.iter().map(|number| {
        let (name, default, least, most) = (number.name, number.default, number.min, number.max);
        format!("option name {name} type spin default {default} min {least} max {most}")
    })
}

/// Parses and sets a parameter at once: tuners set options before a search. Returns `None` for an unknown
/// name.
pub(super) fn parse_setting(name: &str, value: Option<&str>) -> Option<Result<Setting, String>> {
    let number = ALL.iter().find(|number| number.name.eq_ignore_ascii_case(name))?;
    let value = value.unwrap_or_default();
    let (least, most) = (number.min, number.max);
    let new = parse_number(value).and_then(|value| i32::try_from(value).ok());
    let Some(new) = new.filter(|new| (least..=most).contains(new)) else {
        return Some(Err(invalid_value(number.name, &format!("a whole number from {least} to {most}"), value)));
    };
    number.set(new);
    Some(Ok(Setting { target: Target::Parameter, value: Value::Number(new.into()) }))
}
