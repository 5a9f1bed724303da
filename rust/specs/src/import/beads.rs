//! Reads issues of beads: one JSON object on each line of `.beads/issues.jsonl`.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::record::{is_blank, note_rest, take_text, words};
use super::{ExtraValue, ImportCandidate, ImportReading};
use crate::model::SpecStatus;
use crate::parse::CRITERIA;
use chant_text::checklist::behind_box;

/// Keys whose texts stay keys of the spec, under the same name.
const KEPT: [&str; 10] = [
    "assignee", "owner", "created_by", "created_at", "updated_at", "close_reason", "external_ref",
    "estimated_minutes", "due_at", "defer_until",
];

/// Keys whose texts become sections, after the description.
const SECTIONS: [(&str, &str); 2] = [("design", "Design"), ("notes", "Notes")];

/// Reads issues; an invalid line is reported and skipped.
pub fn read(text: &str) -> ImportReading {
    let mut reading = ImportReading::default();
    let mut issues: Vec<(usize, Map<String, Value>)> = Vec::new();
    for (at, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        match serde_json::from_str::<Map<String, Value>>(line) {
            Ok(issue) => issues.push((at + 1, issue)),
            Err(error) => {
                let why = format!("it is no JSON object and was left out: {error}");
                reading.note(&format!("line {}", at + 1), "line", why);
            }
        }
    }
    for (line, issue) in newest(issues, &mut reading) {
        read_issue(issue, line, &mut reading);
    }
    reading
}

/// Returns one record for each id: of several the one that was updated last.
fn newest(
    issues: Vec<(usize, Map<String, Value>)>,
    reading: &mut ImportReading,
) -> Vec<(usize, Map<String, Value>)> {
    let text = |issue: &Map<String, Value>, key: &str| {
        let value = issue.get(key).and_then(Value::as_str);
        value.unwrap_or_default().to_owned()
    };
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut kept: Vec<(usize, Map<String, Value>)> = Vec::with_capacity(issues.len());
    for (line, issue) in issues {
        let id = text(&issue, "id");
        let Some(at) = places.get(&id).copied().filter(|_| !id.is_empty()) else {
            places.insert(id, kept.len());
            kept.push((line, issue));
            continue;
        };
        let (other, updated) = (kept[at].0, |issue| text(issue, "updated_at"));
        let (left_out, counts) = if updated(&issue) >= updated(&kept[at].1) {
            kept[at] = (line, issue);
            (other, line)
        } else {
            (line, other)
        };
        let why =
            format!("line {counts} counts, which was updated later; line {left_out} was left out");
        reading.note(&id, "id", why);
    }
    kept
}

fn origin(id: &str) -> String {
    format!("beads:{id}")
}

fn read_issue(mut issue: Map<String, Value>, line: usize, reading: &mut ImportReading) {
    let Some(id) = take_text(&mut issue, "id") else {
        reading.note(&format!("line {line}"), "id", "without one it was left out");
        return;
    };
    let status = take_text(&mut issue, "status").unwrap_or_default();
    if status == "tombstone" {
        reading.note(
            &id,
            "status",
            "it was deleted there (`tombstone`) and was left out",
        );
        return;
    }
    let title = take_text(&mut issue, "title").unwrap_or_default();
    let mut spec = ImportCandidate::new(origin(&id), &title);
    let is_closed = issue.get("closed_at").is_some_and(|at| !is_blank(at));
    read_status(&mut spec, &status, is_closed, &id, reading);
    spec.completed_at = take_text(&mut issue, "closed_at").filter(|_| spec.status.is_done());
    read_kind(&mut spec, take_text(&mut issue, "issue_type").as_deref());
    if let Some(Value::Array(labels)) = issue.remove("labels") {
        spec.labels
            .extend(labels.iter().filter_map(Value::as_str).map(str::to_owned));
    }
    if let Some(priority) = issue.remove("priority").filter(|value| !value.is_null()) {
        spec.text("priority", &words(&priority));
    }
    for key in KEPT {
        if let Some(value) = take_text(&mut issue, key) {
            spec.text(key, &value);
        }
    }
    spec.paragraph(&take_text(&mut issue, "description").unwrap_or_default());
    for (key, heading) in SECTIONS {
        spec.section(heading, &take_text(&mut issue, key).unwrap_or_default());
    }
    let criteria = take_text(&mut issue, "acceptance_criteria").unwrap_or_default();
    read_criteria(&mut spec, &criteria, &id, reading);
    read_comments(&mut spec, issue.remove("comments"));
    read_dependencies(&mut spec, issue.remove("dependencies"), &id, reading);
    read_place(&mut spec, &id);
    note_rest(reading, &id, issue, &[]);
    reading.candidates.push(spec);
}

fn read_status(
    spec: &mut ImportCandidate,
    status: &str,
    is_closed: bool,
    id: &str,
    reading: &mut ImportReading,
) {
    spec.status = match status {
        "open" | "" => SpecStatus::Pending,
        "in_progress" => SpecStatus::InProgress,
        "closed" => SpecStatus::Completed,
        // Its dependencies show the reason, or a person has to find it.
        "blocked" => SpecStatus::Blocked,
        _ if is_closed => SpecStatus::Completed,
        other => reading.unknown_status(spec, id, other),
    };
}

fn read_kind(spec: &mut ImportCandidate, kind: Option<&str>) {
    match kind {
        None | Some("task" | "epic") => {}
        // A label names the kind of work, as elsewhere in specs.
        Some(other) => spec.labels.push(other.to_owned()),
    }
}

/// Adds criteria as boxes if each line is an item, or there is one line; else unchanged.
fn read_criteria(spec: &mut ImportCandidate, text: &str, id: &str, reading: &mut ImportReading) {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let items: Vec<&str> = lines.iter().filter_map(|line| item(line)).collect();
    let items = match (lines.as_slice(), items.len()) {
        ([], _) => return,
        ([one], 0) => vec![one.trim()],
        (lines, found) if found == lines.len() => items,
        _ => {
            let why = "they are no list, so that they stand under their heading without boxes";
            reading.note(id, "acceptance_criteria", why);
            spec.section(CRITERIA, text);
            return;
        }
    };
    let boxes = items.into_iter().map(|item| match behind_box(item) {
        Some(rest) if rest.starts_with(' ') => format!("- {item}\n"),
        _ => format!("- [ ] {item}\n"),
    });
    let boxes: String = boxes.collect();
    if spec.status == SpecStatus::Completed && boxes.contains("- [ ]") {
        let why =
            "it is closed there and not all of its criteria are ticked; no box was ticked here";
        reading.note(id, "acceptance_criteria", why);
    }
    spec.section(CRITERIA, &boxes);
}

/// Returns the text of a list item, its box included.
fn item(line: &str) -> Option<&str> {
    let line = line.trim();
    let bullet = line.strip_prefix(['-', '*', '+']);
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() < line.len() {
            rest.strip_prefix(['.', ')'])
        } else {
            None
        }
    };
    let rest = bullet.or_else(numbered)?;
    rest.starts_with(' ')
        .then(|| rest.trim())
        .filter(|item| !item.is_empty())
}

fn read_comments(spec: &mut ImportCandidate, comments: Option<Value>) {
    let Some(Value::Array(comments)) = comments else {
        return;
    };
    let lines = comments.iter().filter_map(|comment| {
        let of = |key: &str| comment.get(key).and_then(Value::as_str).unwrap_or_default();
        let text = of("text").trim();
        let head = format!("**{}** {}", of("author"), of("created_at"));
        (!text.is_empty()).then(|| format!("{}\n\n{text}\n", head.trim()))
    });
    let lines: Vec<String> = lines.collect();
    spec.section("Comments", &lines.join("\n"));
}

fn read_dependencies(
    spec: &mut ImportCandidate,
    dependencies: Option<Value>,
    id: &str,
    reading: &mut ImportReading,
) {
    let dependencies = match dependencies {
        Some(Value::Array(list)) => list,
        // Also `{"bd-3": "blocks"}`.
        Some(Value::Object(pairs)) => pairs
            .into_iter()
            .map(|(id, kind)| json!({"depends_on_id": id, "type": kind}))
            .collect(),
        _ => return,
    };
    let (mut related, mut discovered) = (Vec::new(), Vec::new());
    for dependency in &dependencies {
        let of = |key: &str| dependency.get(key).and_then(Value::as_str);
        let named = of("depends_on_id")
            .or_else(|| of("id"))
            .or_else(|| dependency.as_str());
        let Some(other) = named.filter(|other| !other.is_empty()) else {
            reading.note(id, "dependencies", "one names no issue and was left out");
            continue;
        };
        match of("type").unwrap_or("blocks") {
            "blocks" | "waits-for" => spec.depends_on.push(origin(other)),
            "parent-child" if spec.parent.is_none() => spec.parent = Some(origin(other)),
            "related" => related.push(origin(other)),
            "discovered-from" => discovered.push(origin(other)),
            kind => {
                let why = format!("`{kind}` to {other}: specs have nothing like it; left out");
                reading.note(id, "dependencies", why);
            }
        }
    }
    for (key, origins) in [("related_to", related), ("discovered_from", discovered)] {
        if !origins.is_empty() {
            spec.keys.push((key.to_owned(), ExtraValue::Items(origins)));
        }
    }
}

/// Reads the place in the id itself: `bd-12.3` is the third part of `bd-12`, unless it is recorded
/// as a part of something else.
fn read_place(spec: &mut ImportCandidate, id: &str) {
    let place = id.rsplit_once('.');
    let Some((parent, Ok(number))) = place.map(|(parent, number)| (parent, number.parse())) else {
        return;
    };
    if spec.parent.get_or_insert_with(|| origin(parent)) == &origin(parent) {
        spec.number = Some(number);
    }
}
