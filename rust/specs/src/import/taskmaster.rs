//! Reads `tasks.json` of Task Master: tasks with subtasks, in one list or a list for each tag.

use serde_json::{Map, Value};

use super::record::{is_blank, note_rest, take_text, words};
use super::{ImportCandidate, ImportReading};
use crate::model::SpecStatus;

/// The tag whose tasks are named by their numbers alone.
const MAIN_TAG: &str = "master";

/// Keys that are derived from others, or hold what the program itself needs.
const REPEATED: [&str; 5] = ["parentId", "parentTaskId", "updatedAt", "effort", "tags"];

/// Reads tasks; `None` if the value has no list of them.
pub fn read(value: Value) -> Option<ImportReading> {
    let Value::Object(mut whole) = value else {
        return None;
    };
    let mut reading = ImportReading::default();
    if let Some(Value::Array(tasks)) = whole.remove("tasks") {
        read_list(tasks, "", &mut reading);
        return Some(reading);
    }
    let mut is_found = false;
    for (tag, value) in whole {
        let Value::Object(mut part) = value else {
            continue;
        };
        if let Some(Value::Array(tasks)) = part.remove("tasks") {
            is_found = true;
            let prefix = if tag == MAIN_TAG {
                String::new()
            } else {
                format!("{tag}/")
            };
            read_list(tasks, &prefix, &mut reading);
        }
    }
    is_found.then_some(reading)
}

fn origin(name: &str) -> String {
    format!("taskmaster:{name}")
}

fn read_list(tasks: Vec<Value>, prefix: &str, reading: &mut ImportReading) {
    for (at, task) in tasks.into_iter().enumerate() {
        let Value::Object(mut task) = task else {
            let why = "it is no object and was left out";
            reading.note(&format!("{prefix}task {}", at + 1), "tasks", why);
            continue;
        };
        let Some(id) = take_text(&mut task, "id") else {
            let why = "without one it was left out";
            reading.note(&format!("{prefix}task {}", at + 1), "id", why);
            continue;
        };
        let name = format!("{prefix}{id}");
        let subtasks = task.remove("subtasks");
        read_task(task, &name, prefix, None, reading);
        let Some(Value::Array(subtasks)) = subtasks else {
            continue;
        };
        for subtask in subtasks {
            let Value::Object(mut subtask) = subtask else {
                continue;
            };
            let Some(number) = take_text(&mut subtask, "id") else {
                reading.note(&name, "subtasks", "one without an id was left out");
                continue;
            };
            // A subtask's number may be written with its task's.
            let number = number.rsplit('.').next().unwrap_or(&number).to_owned();
            read_task(
                subtask,
                &format!("{name}.{number}"),
                prefix,
                Some(&name),
                reading,
            );
        }
    }
}

fn read_task(
    mut task: Map<String, Value>,
    name: &str,
    prefix: &str,
    parent: Option<&str>,
    reading: &mut ImportReading,
) {
    let title = take_text(&mut task, "title").unwrap_or_default();
    let mut spec = ImportCandidate::new(origin(name), &title);
    if let Some(parent) = parent {
        spec.parent = Some(origin(parent));
        spec.number = name
            .rsplit('.')
            .next()
            .and_then(|number| number.parse().ok());
    }
    let status = take_text(&mut task, "status").unwrap_or_default();
    spec.status = match status.as_str() {
        "" | "pending" => SpecStatus::Pending,
        "in-progress" => SpecStatus::InProgress,
        "done" | "completed" => SpecStatus::Completed,
        "cancelled" => SpecStatus::Cancelled,
        "blocked" => SpecStatus::Blocked,
        other => reading.unknown_status(&mut spec, name, other),
    };
    spec.text(
        "priority",
        &take_text(&mut task, "priority").unwrap_or_default(),
    );
    spec.text(
        "assignee",
        &take_text(&mut task, "assignee").unwrap_or_default(),
    );
    if let Some(Value::Array(dependencies)) = task.remove("dependencies") {
        for dependency in dependencies.iter().filter(|one| !is_blank(one)) {
            let other = words(dependency);
            // In a subtask a number alone means one beside it.
            let other = match parent {
                Some(parent) if !other.contains('.') => format!("{parent}.{other}"),
                _ => format!("{prefix}{other}"),
            };
            spec.depends_on.push(origin(&other));
        }
    }
    spec.paragraph(&take_text(&mut task, "description").unwrap_or_default());
    for (key, heading) in [("details", "Details"), ("testStrategy", "Test Strategy")] {
        spec.section(heading, &take_text(&mut task, key).unwrap_or_default());
    }
    note_rest(reading, name, task, &REPEATED);
    reading.candidates.push(spec);
}
