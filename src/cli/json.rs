//! JSON output: one object a line, of which the first names the program and the schema.

use serde_json::{Map, Value, json};

use crate::engine::{Network, build_info};
use crate::output::Output;

/// Changes when a key goes or changes its meaning, but not for a new key or type of object.
pub(super) const SCHEMA: u32 = 1;

/// Returns the facts of this build.
pub(super) fn program(network: &Network) -> Map<String, Value> {
    let facts = build_info::facts(network).into_iter().map(|(name, value)| (name.replace(' ', "_"), json!(value)));
    facts.chain([("bench".to_owned(), json!(build_info::bench(network)))]).collect()
}

/// Writes the object that names program and schema.
pub(super) fn begin(output: &Output, network: &Network) {
    let mut first = program(network);
    first.extend([("type".to_owned(), json!("program")), ("schema".to_owned(), json!(SCHEMA))]);
    output.line(&Value::Object(first).to_string());
}

/// Returns a function that writes a text, or with `is_json` an object in its place, and in that case begins the output.
pub(super) fn line_writer<'a>(
    output: &'a Output,
    is_json: bool,
    network: &Network,
) -> impl Fn(String, Value) + use<'a> {
    if is_json {
        begin(output, network);
    }
    move |text, object| output.line(&if is_json { object.to_string() } else { text })
}
