//! Describes the output that a schema requires to an agent.

use serde_json::{Map, Value, json};

/// The depth of an example in a schema.
const MAX_DEPTH: usize = 8;

/// Returns the section about a schema: the schema itself, the fields that it requires, and an
/// example that fits it, if one can be made.
///
/// # Errors
/// The fault in the schema.
pub(super) fn section(text: &str) -> Result<String, String> {
    let schema: Value = serde_json::from_str(text).map_err(|e| format!("it is no JSON: {e}"))?;
    let validator = jsonschema::validator_for(&schema).map_err(|e| e.to_string())?;
    let mut section = format!(
        "## Output Format\n\n\
         End your answer with one fenced `json` block that fits this schema:\n\n{}",
        fenced(text.trim())
    );
    let required = schema["required"].as_array();
    let required: Vec<String> = required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|name| format!("`{name}`"))
        .collect();
    if !required.is_empty() {
        section.push_str(&format!("\n\nRequired fields: {}.", required.join(", ")));
    }
    let example = example(&schema, &schema, MAX_DEPTH);
    if validator.is_valid(&example) {
        let example = serde_json::to_string_pretty(&example).map_err(|e| e.to_string())?;
        section.push_str(&format!("\n\nFor example:\n\n{}", fenced(&example)));
    }
    Ok(section)
}

/// Returns a text between fences that are longer than any in it.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}json\n{text}\n{fence}")
}

/// Returns a value that a schema may accept; the validator decides whether it does.
fn example(schema: &Value, whole: &Value, depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else {
        return Value::Null;
    };
    let given = ["const", "default"]
        .into_iter()
        .find_map(|key| schema.get(key));
    let first_of = |lists: &[&str]| {
        let mut lists = lists.iter();
        lists.find_map(|key| schema[*key].as_array()?.first())
    };
    if let Some(value) = given.or_else(|| first_of(&["examples", "enum"])) {
        return value.clone();
    }
    let elsewhere = || {
        let path = schema["$ref"].as_str()?.strip_prefix('#')?;
        whole.pointer(path)
    };
    if let Some(other) = elsewhere().or_else(|| first_of(&["oneOf", "anyOf", "allOf"])) {
        return example(other, whole, depth);
    }
    let kinds = &schema["type"];
    match kinds.as_str().or_else(|| kinds[0].as_str()) {
        Some("string") => json!("..."),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or_else(|| json!(0)),
        Some("boolean") => json!(true),
        Some("array") => match schema.get("items") {
            Some(items) => json!([example(items, whole, depth)]),
            None => json!([]),
        },
        Some("object") => object(schema, whole, depth),
        None if schema.get("properties").is_some() => object(schema, whole, depth),
        _ => Value::Null,
    }
}

fn object(schema: &Value, whole: &Value, depth: usize) -> Value {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let pairs = properties.map(|(name, schema)| (name.clone(), example(schema, whole, depth)));
    Value::Object(pairs.collect::<Map<_, _>>())
}
