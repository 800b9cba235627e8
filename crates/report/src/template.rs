//! Texts with placeholders.

/// Replaces each `{name}` in `template` by the value of that name.
///
/// ```
/// use sesame_report::template::fill;
/// assert_eq!(fill("{n} positions\n", &[("n", &18)]), "18 positions\n");
/// ```
pub fn fill(template: &str, values: &[(&str, &dyn std::fmt::Display)]) -> String {
    values
        .iter()
        .fold(template.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), &value.to_string()))
}
