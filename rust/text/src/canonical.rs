//! Canonical JSON, in which each value has exactly one text: keys in order, no blanks.

use serde_json::Value;

/// Returns the canonical text of a value.
pub fn canonical(value: &Value) -> String {
    sorted(value).to_string()
}

/// Returns a value with the keys of its maps in order.
pub fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<(&String, &Value)> = map.iter().collect();
            pairs.sort_by_key(|(key, _)| *key);
            let pairs = pairs
                .into_iter()
                .map(|(key, value)| (key.clone(), sorted(value)));
            Value::Object(pairs.collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        value => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_value_has_one_text() {
        let (one, other) = (
            json!({"b": [{"d": 1, "c": "é\n"}], "a": null}),
            json!({"a": null, "b": [{"c": "é\n", "d": 1}]}),
        );
        assert_eq!(canonical(&one), r#"{"a":null,"b":[{"c":"é\n","d":1}]}"#);
        assert_eq!(canonical(&one), canonical(&other));
    }
}
