//! Records of other programs: JSON objects whose keys are taken out one by one, so that what is left has no
//! counterpart.

use serde_json::{Map, Value};

use super::ImportReading;

/// Removes a key and returns its value as text; `None` for an empty one.
pub(super) fn take_text(record: &mut Map<String, Value>, key: &str) -> Option<String> {
    let value = record.remove(key).filter(|value| !is_blank(value))?;
    Some(words(&value))
}

/// Removes a key and returns the texts of its list: those of the objects in it by their key `name`.
pub(super) fn take_names(record: &mut Map<String, Value>, key: &str, name: &str) -> Vec<String> {
    let Some(Value::Array(items)) = record.remove(key) else {
        return Vec::new();
    };
    let text = |item: Value| match item {
        Value::Object(mut pairs) => take_text(&mut pairs, name),
        item if is_blank(&item) => None,
        item => Some(words(&item)),
    };
    items.into_iter().filter_map(text).collect()
}

/// Notes the keys that are left and say something, but for some that only repeat others.
pub(super) fn note_rest(
    reading: &mut ImportReading,
    item: &str,
    record: Map<String, Value>,
    repeated: &[&str],
) {
    for (key, value) in record {
        if !is_blank(&value) && !repeated.contains(&key.as_str()) {
            let why = format!("specs have nothing like it; left out: {}", short(&value));
            reading.note(item, &key, why);
        }
    }
}

/// Returns true for a value that says nothing.
pub(super) fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(pairs) => pairs.is_empty(),
        Value::Bool(flag) => !flag,
        Value::Number(_) => false,
    }
}

/// A value as text.
pub(super) fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The beginning of a value as text.
pub(super) fn short(value: &Value) -> String {
    chant_base::answer::cut(&words(value), 80)
}
