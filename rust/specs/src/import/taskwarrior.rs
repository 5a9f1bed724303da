//! Reads what `task export` of taskwarrior writes: a list of tasks, each named by its UUID.

use serde_json::{Map, Value};

use super::record::{note_rest, take_names, take_text, words};
use super::{ImportCandidate, ImportReading};
use crate::model::SpecStatus;

/// Keys that taskwarrior derives, or that number tasks as long as they are open.
const REPEATED: [&str; 5] = ["id", "urgency", "mask", "imask", "modified"];

/// Keys with times, and the names that they have in specs.
const TIMES: [(&str, &str); 5] = [
    ("entry", "created_at"),
    ("due", "due_at"),
    ("wait", "defer_until"),
    ("scheduled", "scheduled_at"),
    ("until", "expires_at"),
];

/// Reads tasks; `None` for what is no list of them.
pub fn read(value: Value) -> Option<ImportReading> {
    let Value::Array(tasks) = value else {
        return None;
    };
    let mut reading = ImportReading::default();
    for (at, task) in tasks.into_iter().enumerate() {
        match task {
            Value::Object(task) => read_task(task, at + 1, &mut reading),
            _ => reading.note(
                &format!("task {}", at + 1),
                "task",
                "it is no object and was left out",
            ),
        }
    }
    Some(reading)
}

fn origin(uuid: &str) -> String {
    format!("taskwarrior:{uuid}")
}

/// `20240131T120000Z` as other times are written; others as they are.
fn time(text: &str) -> String {
    let is_compact = text.len() == 16 && text.is_ascii() && text.as_bytes()[8] == b'T';
    if !is_compact {
        return text.to_owned();
    }
    format!(
        "{}-{}-{}T{}:{}:{}Z",
        &text[..4],
        &text[4..6],
        &text[6..8],
        &text[9..11],
        &text[11..13],
        &text[13..15]
    )
}

fn read_task(mut task: Map<String, Value>, number: usize, reading: &mut ImportReading) {
    let Some(uuid) = take_text(&mut task, "uuid") else {
        reading.note(
            &format!("task {number}"),
            "uuid",
            "without one it was left out",
        );
        return;
    };
    let status = take_text(&mut task, "status").unwrap_or_default();
    if status == "deleted" {
        reading.note(&uuid, "status", "it was deleted there and was left out");
        return;
    }
    let title = take_text(&mut task, "description").unwrap_or_default();
    let mut spec = ImportCandidate::new(origin(&uuid), &title);
    let started = take_text(&mut task, "start");
    spec.status = match status.as_str() {
        "" | "pending" if started.is_some() => SpecStatus::InProgress,
        "" | "pending" => SpecStatus::Pending,
        "completed" => SpecStatus::Completed,
        other => reading.unknown_status(&mut spec, &uuid, other),
    };
    let end = take_text(&mut task, "end").map(|end| time(&end));
    spec.completed_at = end.filter(|_| spec.status.is_done());
    spec.labels = take_names(&mut task, "tags", "name");
    for key in ["priority", "project"] {
        spec.text(key, &take_text(&mut task, key).unwrap_or_default());
    }
    for (key, name) in TIMES {
        if let Some(text) = take_text(&mut task, key) {
            spec.text(name, &time(&text));
        }
    }
    // Older releases write one text with commas.
    let depends = match task.remove("depends") {
        Some(Value::Array(items)) => items.iter().map(words).collect::<Vec<_>>(),
        Some(Value::String(text)) => text.split(',').map(|one| one.trim().to_owned()).collect(),
        _ => Vec::new(),
    };
    let depends = depends.iter().filter(|other| !other.is_empty());
    spec.depends_on = depends.map(|other| origin(other)).collect();
    if let Some(Value::Array(notes)) = task.remove("annotations") {
        let line = |note: &Value| {
            let of = |key: &str| note.get(key).and_then(Value::as_str).unwrap_or_default();
            format!("- {} {}\n", time(of("entry")), of("description"))
        };
        spec.section("Notes", &notes.iter().map(line).collect::<String>());
    }
    note_rest(reading, &uuid, task, &REPEATED);
    reading.candidates.push(spec);
}
