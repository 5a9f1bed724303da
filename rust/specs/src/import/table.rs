//! Reads rows of a table with a line of names, such as the export of a workspace.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::record::words;
use super::{ImportCandidate, ImportReading};
use crate::model::{SpecStatus, SpecType};

/// Columns that repeat others, or that are true only in the place where the table was made.
const DERIVED: [&str; 6] = ["dialect", "id", "done", "ready", "waits_for", "path"];

/// Columns that are read.
const READ: [&str; 15] = [
    "key", "title", "status", "type", "priority", "assignee", "labels", "depends_on",
    "target_files", "context", "prompt", "model", "commits", "completed_at", "body",
];

/// Words of other formats for what is finished.
const DONE: [&str; 5] = ["complete", "implemented", "done", "closed", "skipped"];

/// Words of other formats for what is to be done, or has begun elsewhere.
const OPEN: [&str; 8] = [
    "open", "notstarted", "planning", "approved", "started", "partial", "in progress", "todo",
];

/// Reads rows of a CSV; `None` if no column has their titles.
pub fn read(records: Vec<Vec<String>>) -> Option<ImportReading> {
    let mut records = records.into_iter();
    let names = records.next()?;
    let row = |cells: Vec<String>| {
        let cells = cells.into_iter().map(Value::String);
        ImportRow {
            cells: names.iter().cloned().zip(cells).collect(),
        }
    };
    let rows: Vec<ImportRow> = records.map(row).collect();
    read_rows("csv", &names, &rows)
}

/// Reads objects of a JSON text, such as `export` writes; `None` if one is none, or if none has a title.
pub fn read_objects(value: Value) -> Option<ImportReading> {
    let Value::Array(items) = value else {
        return None;
    };
    let row = |item: Value| match item {
        Value::Object(cells) => Some(ImportRow { cells }),
        _ => None,
    };
    let rows: Vec<ImportRow> = items.into_iter().map(row).collect::<Option<_>>()?;
    let mut names: Vec<String> = Vec::new();
    for name in rows.iter().flat_map(|row| row.cells.keys()) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    read_rows("json", &names, &rows)
}

fn read_rows(format: &str, names: &[String], rows: &[ImportRow]) -> Option<ImportReading> {
    if !names.iter().any(|name| name == "title") {
        return None;
    }
    let keys: HashSet<&str> = rows.iter().map(ImportRow::key).collect();
    let mut reading = ImportReading::default();
    for name in names {
        if !READ.contains(&name.as_str()) && !DERIVED.contains(&name.as_str()) {
            let place = if format == "csv" { "line 1" } else { "all" };
            reading.note(place, name, "specs have nothing like it; left out");
        }
    }
    for (at, row) in rows.iter().enumerate() {
        let place = if format == "csv" { at + 2 } else { at + 1 };
        read_row(format, row, place, &keys, &mut reading);
    }
    Some(reading)
}

struct ImportRow {
    cells: Map<String, Value>,
}

impl ImportRow {
    fn text(&self, name: &str) -> &str {
        let cell = self.cells.get(name).and_then(Value::as_str);
        cell.map_or("", str::trim)
    }

    /// True for `true`, as a value or as a text.
    fn says(&self, name: &str) -> bool {
        self.cells.get(name) == Some(&Value::Bool(true)) || self.text(name) == "true"
    }

    /// The items of a list, or those of a text that joins them.
    fn list(&self, name: &str) -> Vec<String> {
        if let Some(Value::Array(items)) = self.cells.get(name) {
            return items.iter().map(words).collect();
        }
        let items = self.text(name).split("; ").map(str::trim);
        let items = items.filter(|item| !item.is_empty());
        items.map(str::to_owned).collect()
    }

    /// Returns the name of the row in its source.
    fn key(&self) -> &str {
        let names = ["key", "id", "title"].map(|name| self.text(name));
        names
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or("")
    }
}

fn read_row(
    format: &str,
    row: &ImportRow,
    place: usize,
    keys: &HashSet<&str>,
    reading: &mut ImportReading,
) {
    let origin = |key: &str| format!("{format}:{key}");
    let key = row.key();
    if key.is_empty() {
        let why = "without `key`, `id` or `title` it was left out";
        return reading.note(&format!("record {place}"), "title", why);
    }
    let mut spec = ImportCandidate::new(origin(key), row.text("title"));
    read_status(&mut spec, row, key, reading);
    spec.labels = row.list("labels");
    for name in row.list("depends_on") {
        if keys.contains(name.as_str()) {
            spec.depends_on.push(origin(&name));
        } else {
            let why = format!("`{name}` was kept; see to it that it means the same here");
            reading.note(key, "depends_on", why);
            spec.depends_on.push(name);
        }
    }
    if let Some((parent, number)) = key.rsplit_once('.')
        && keys.contains(parent)
        && let Ok(number) = number.parse()
    {
        spec.parent = Some(origin(parent));
        spec.number = Some(number);
    }
    for name in ["prompt", "model", "priority", "assignee"] {
        spec.text(name, row.text(name));
    }
    for name in ["target_files", "context", "commits"] {
        spec.list(name, row.list(name));
    }
    let completed_at = Some(row.text("completed_at").to_owned());
    spec.completed_at = completed_at.filter(|text| !text.is_empty() && spec.status.is_done());
    let kind = row.text("type");
    let is_spec = ["", "chant"].contains(&row.text("dialect"));
    if is_spec && SpecType::NAMES.contains(&kind) {
        spec.kind = kind.to_owned().into();
    } else if !["", "code", "driver"].contains(&kind) {
        spec.text("imported_type", kind);
    }
    spec.paragraph(without_title(row.text("body"), &spec.title));
    reading.candidates.push(spec);
}

fn read_status(
    spec: &mut ImportCandidate,
    row: &ImportRow,
    key: &str,
    reading: &mut ImportReading,
) {
    let word = row.text("status");
    let known = SpecStatus::ALL.into_iter().find(|one| one.as_str() == word);
    spec.status = match known {
        // Work that has started or is ready elsewhere is neither here.
        Some(
            SpecStatus::InProgress | SpecStatus::Paused | SpecStatus::Ready | SpecStatus::Blocked,
        ) => SpecStatus::Pending,
        Some(status) => status,
        None if row.says("done") || DONE.contains(&word.to_lowercase().as_str()) => {
            SpecStatus::Completed
        }
        None if word.is_empty()
            || row.says("ready")
            || OPEN.contains(&word.to_lowercase().as_str()) =>
        {
            SpecStatus::Pending
        }
        None => reading.unknown_status(spec, key, word),
    };
}

/// Returns the text behind a heading that repeats the title.
fn without_title<'a>(body: &'a str, title: &str) -> &'a str {
    let (first, rest) = body.split_once('\n').unwrap_or((body, ""));
    match first.strip_prefix("# ") {
        Some(heading) if heading.split_whitespace().eq(title.split_whitespace()) => rest,
        _ => body,
    }
}
