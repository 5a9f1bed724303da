//! Makes data shorter that is neither a list nor a document: the largest part loses half of itself at a time.

use serde_json::{Map, Value};

use chant_base::answer::cut;

/// Texts of no more characters are left out as a whole.
const MIN_LEN: usize = 40;

/// Keys that say which item this is: they are left out last.
const NAMING: [&str; 7] = [
    "id", "key", "code", "title", "status", "returned", "next_offset",
];

/// Where an object says which of its keys lost something.
const SHORTENED: &str = "shortened";

/// An object in at most so many bytes; `shortened` names the keys that lost something.
pub(super) fn shrink_object(mut object: Map<String, Value>, most: usize) -> Map<String, Value> {
    let mut shortened: Vec<Value> = Vec::new();
    while !object.is_empty() && size(&object) > most {
        let Some(key) = largest(&object) else {
            break;
        };
        if !halve(object.get_mut(&key)) {
            object.remove(&key);
        }
        let name = Value::from(cut(&key, MIN_LEN));
        if key != SHORTENED && !shortened.contains(&name) {
            shortened.push(name);
            object.insert(SHORTENED.into(), shortened.clone().into());
        }
    }
    object
}

/// A value in at most so many bytes, where that can be.
pub(super) fn shrink_value(value: Value, most: usize) -> Value {
    match value {
        Value::Object(object) => Value::Object(shrink_object(object, most)),
        mut value => {
            while size(&value) > most && halve(Some(&mut value)) {}
            value
        }
    }
}

/// The key whose value takes most, the naming ones after all others.
fn largest(object: &Map<String, Value>) -> Option<String> {
    let is_naming = |key: &str| NAMING.contains(&key) || key == SHORTENED;
    let rank =
        |(key, value): &(&String, &Value)| (!is_naming(key) || size(value) > 200, size(value));
    let found = object.iter().max_by_key(rank);
    found.map(|(key, _)| key.clone())
}

/// Takes half of a value away; false where it has no half.
fn halve(value: Option<&mut Value>) -> bool {
    match value {
        Some(Value::String(text)) => {
            let chars = text.chars().count();
            // A text that was cut says how long it was, which takes some room itself.
            let kept = chars / 2;
            if kept < MIN_LEN {
                return false;
            }
            *text = cut(text, kept.saturating_sub(25));
            true
        }
        Some(Value::Array(items)) if items.len() > 1 => {
            items.truncate(items.len() / 2);
            true
        }
        Some(Value::Array(items)) => halve(items.first_mut()),
        Some(Value::Object(inner)) if !inner.is_empty() => {
            let Some(key) = largest(inner) else {
                return false;
            };
            if !halve(inner.get_mut(&key)) {
                inner.remove(&key);
            }
            true
        }
        _ => false,
    }
}

fn size(value: &impl serde::Serialize) -> usize {
    serde_json::to_string(value).map_or(0, |text| text.len())
}
