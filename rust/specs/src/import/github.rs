//! Reads issues of GitHub as `gh issue list --json …` writes them.

use serde_json::{Map, Value};

use super::record::{note_rest, take_names, take_text};
use super::{ImportCandidate, ImportReading};
use crate::model::SpecStatus;

/// Keys that name the issue once more, or that only the site has a use for.
const REPEATED: [&str; 9] = [
    "id",
    "closed",
    "isPinned",
    "reactionGroups",
    "updatedAt",
    "projectCards",
    "projectItems",
    "node_id",
    "closedByPullRequestsReferences",
];

/// Reads issues; `None` for what is no list of them.
pub fn read(value: Value) -> Option<ImportReading> {
    let Value::Array(issues) = value else {
        return None;
    };
    let mut reading = ImportReading::default();
    for (at, issue) in issues.into_iter().enumerate() {
        match issue {
            Value::Object(issue) => read_issue(issue, at + 1, &mut reading),
            _ => reading.note(
                &format!("issue {}", at + 1),
                "issue",
                "it is no object and was left out",
            ),
        }
    }
    Some(reading)
}

fn read_issue(mut issue: Map<String, Value>, place: usize, reading: &mut ImportReading) {
    let Some(number) = take_text(&mut issue, "number") else {
        let why = "without one it was left out; ask for it with `gh issue list --json number,…`";
        reading.note(&format!("issue {place}"), "number", why);
        return;
    };
    let title = take_text(&mut issue, "title").unwrap_or_default();
    let mut spec = ImportCandidate::new(format!("github:{number}"), &title);
    let state = take_text(&mut issue, "state").unwrap_or_default();
    let reason = take_text(&mut issue, "stateReason").unwrap_or_default();
    let closed_at = take_text(&mut issue, "closedAt");
    spec.status = match (
        state.to_lowercase().as_str(),
        reason.to_lowercase().as_str(),
    ) {
        ("closed", "not_planned" | "duplicate") => SpecStatus::Cancelled,
        ("closed", _) => SpecStatus::Completed,
        ("open", _) => SpecStatus::Pending,
        // Without a state the time of closing is evidence.
        ("", _) if closed_at.is_some() => SpecStatus::Completed,
        (word, _) => {
            let word = if word.is_empty() { "no state" } else { word };
            reading.unknown_status(&mut spec, &number, word)
        }
    };
    spec.completed_at = closed_at.filter(|_| spec.status == SpecStatus::Completed);
    spec.labels = take_names(&mut issue, "labels", "name");
    let assignees = take_names(&mut issue, "assignees", "login");
    spec.text("assignee", &assignees.join(", "));
    for (key, inner, name) in [
        ("milestone", "title", "milestone"),
        ("author", "login", "created_by"),
    ] {
        if let Some(Value::Object(mut pairs)) = issue.remove(key) {
            spec.text(name, &take_text(&mut pairs, inner).unwrap_or_default());
        }
    }
    for (key, name) in [("createdAt", "created_at"), ("url", "external_ref")] {
        spec.text(name, &take_text(&mut issue, key).unwrap_or_default());
    }
    spec.paragraph(&take_text(&mut issue, "body").unwrap_or_default());
    if let Some(Value::Array(comments)) = issue.remove("comments") {
        let line = |comment: &Value| {
            let of = |value: Option<&Value>| {
                value.and_then(Value::as_str).unwrap_or_default().to_owned()
            };
            let author = of(comment.get("author").and_then(|author| author.get("login")));
            let head = format!("**{author}** {}", of(comment.get("createdAt")));
            format!("{}\n\n{}\n", head.trim(), of(comment.get("body")).trim())
        };
        let texts: Vec<String> = comments.iter().map(line).collect();
        spec.section("Comments", &texts.join("\n"));
    }
    note_rest(reading, &number, issue, &REPEATED);
    reading.candidates.push(spec);
}
