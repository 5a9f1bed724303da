//! Reads the answer as JSON, the form that prompts ask for.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Value, json};

use super::BadAnswer;
use crate::view::split::{ProposedMember, ProposedSection};

/// Lists of an answer that become sections, with their headings.
const LISTS: [(&str, &str); 3] = [
    ("edge_cases", "Edge Cases"),
    ("test_cases", "Example Test Cases"),
    ("provides", "Provides"),
];
/// The greatest number of complaints about one answer that are reported.
const MAX_TOLD: usize = 5;

/// Returns the schema of an answer.
fn schema() -> Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    json!({
        "type": "object",
        "required": ["members"],
        "properties": {"members": {"type": "array", "items": {
            "type": "object",
            "required": ["title", "description", "criteria"],
            "additionalProperties": false,
            "properties": {
                "title": {"type": "string"},
                "description": {"type": "string"},
                "context": {"type": "string"},
                "criteria": texts,
                "edge_cases": texts,
                "test_cases": texts,
                "provides": texts,
                "target_files": texts,
                "depends_on": {"type": "array", "items": {"type": "integer", "minimum": 1}},
            },
        }}},
    })
}

/// Returns the members in a JSON text; `None` if the text is no JSON, or has no members.
pub(super) fn members(text: &str) -> Option<Result<Vec<ProposedMember>, BadAnswer>> {
    let answer: Value = serde_json::from_str(text.trim()).ok()?;
    let members = answer.get("members")?;
    let wrong = complaints(&answer);
    if !wrong.is_empty() {
        return Some(Err(BadAnswer::Form(wrong)));
    }
    let members = members.as_array().into_iter().flatten();
    Some(Ok(members.map(member).collect()))
}

fn complaints(answer: &Value) -> Vec<String> {
    static VALIDATOR: LazyLock<Option<Validator>> =
        LazyLock::new(|| jsonschema::validator_for(&schema()).ok());
    let Some(validator) = VALIDATOR.as_ref() else {
        return Vec::new();
    };
    let errors = validator.iter_errors(answer).take(MAX_TOLD);
    errors
        .map(|error| format!("at {}: {error}", error.instance_path()))
        .collect()
}

fn member(value: &Value) -> ProposedMember {
    let text = |key: &str| value[key].as_str().unwrap_or_default().trim().to_owned();
    let texts = |key: &str| -> Vec<String> {
        let items = value[key].as_array().into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let mut sections = Vec::new();
    sections.extend(section("Inherited Context", text("context")));
    for (key, title) in LISTS {
        let items = texts(key).into_iter();
        let items = items.map(|item| format!("- {}\n", item.trim()));
        sections.extend(section(title, items.collect::<String>().trim().to_owned()));
    }
    let numbers = value["depends_on"].as_array().into_iter().flatten();
    let numbers = numbers.filter_map(Value::as_u64);
    ProposedMember {
        title: text("title"),
        description: text("description"),
        sections,
        criteria: texts("criteria"),
        target_files: texts("target_files"),
        depends_on: numbers
            .map(|number| usize::try_from(number).unwrap_or(usize::MAX))
            .collect(),
        members: Vec::new(),
    }
}

fn section(title: &str, text: String) -> Option<ProposedSection> {
    (!text.is_empty()).then(|| ProposedSection {
        title: title.to_owned(),
        text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_form_finds_its_place() {
        let text = r#"{"members": [{"title": "A: b", "description": " Do it. ", "context": "Why",
            "criteria": ["Works"], "edge_cases": ["None"], "test_cases": ["One", "Two"],
            "provides": ["A table"], "target_files": ["a.rs"], "depends_on": [2]}]}"#;
        let found = members(text).unwrap().unwrap();
        let sections: Vec<(&str, &str)> = found[0]
            .sections
            .iter()
            .map(|section| (section.title.as_str(), section.text.as_str()))
            .collect();
        assert_eq!(
            sections,
            [
                ("Inherited Context", "Why"),
                ("Edge Cases", "- None"),
                ("Example Test Cases", "- One\n- Two"),
                ("Provides", "- A table"),
            ]
        );
        assert_eq!(found[0].title, "A: b");
        assert_eq!(found[0].description, "Do it.");
        assert_eq!(found[0].criteria, ["Works"]);
        assert_eq!(found[0].target_files, ["a.rs"]);
        assert_eq!(found[0].depends_on, [2]);
    }

    #[test]
    fn json_of_another_form_is_refused_and_json_about_something_else_is_none() {
        assert_eq!(members("{\"depends_on\": []}"), None);
        assert_eq!(members("no JSON"), None);
        let Some(Err(BadAnswer::Form(wrong))) =
            members(r#"{"members": [{"title": 1, "description": "", "criterias": []}]}"#)
        else {
            panic!("it was taken")
        };
        let message = wrong.join("\n");
        for word in ["/members/0", "criterias", "criteria", "string"] {
            assert!(message.contains(word), "{word} in {message}");
        }
    }
}
