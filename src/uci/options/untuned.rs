//! No search parameters, without the feature `tune`.

use super::Setting;

pub(super) fn declarations() -> impl Iterator<Item = String> {
    std::iter::empty()
}

pub(super) fn parse_setting(_: &str, _: Option<&str>) -> Option<Result<Setting, String>> {
    None
}
