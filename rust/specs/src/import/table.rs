//! Reads rows of a table with a line of names, such as the export of a workspace.

use super::super::model::SpecStatus;
use super::{ImportCandidate, ImportReading};

/// Columns that repeat others, or that are true only in the place where the table was made.
const DERIVED: [&str; 6] = ["dialect", "id", "done", "ready", "waits_for", "path"];

/// Columns that are read.
const READ: [&str; 9] = [
    "key",
    "title",
    "status",
    "type",
    "priority",
    "assignee",
    "labels",
    "depends_on",
    "body",
];

/// Words of other formats for what is finished.
const DONE: [&str; 5] = ["complete", "implemented", "done", "closed", "skipped"];

/// Words of other formats for what is to be done, or has begun elsewhere.
const OPEN: [&str; 8] = [
    "open",
    "notstarted",
    "planning",
    "approved",
    "started",
    "partial",
    "in progress",
    "todo",
];

/// Reads rows; `None` if no column has their titles.
pub fn read(records: Vec<Vec<String>>) -> Option<ImportReading> {
    let mut records = records.into_iter();
    let names = records.next()?;
    if !names.iter().any(|name| name == "title") {
        return None;
    }
    let rows: Vec<ImportRow> = records
        .map(|cells| ImportRow {
            names: &names,
            cells,
        })
        .collect();
    let keys: Vec<&str> = rows.iter().map(ImportRow::key).collect();
    let mut reading = ImportReading::default();
    for name in &names {
        if !READ.contains(&name.as_str()) && !DERIVED.contains(&name.as_str()) {
            reading.note("line 1", name, "specs have nothing like it; left out");
        }
    }
    for (at, row) in rows.iter().enumerate() {
        read_row(row, at + 2, &keys, &mut reading);
    }
    Some(reading)
}

struct ImportRow<'a> {
    names: &'a [String],
    cells: Vec<String>,
}

impl ImportRow<'_> {
    fn text(&self, name: &str) -> &str {
        let at = self.names.iter().position(|known| known == name);
        let cell = at.and_then(|at| self.cells.get(at));
        cell.map_or("", |cell| cell.trim())
    }

    fn list(&self, name: &str) -> impl Iterator<Item = &str> {
        let items = self.text(name).split("; ").map(str::trim);
        items.filter(|item| !item.is_empty())
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

fn read_row(row: &ImportRow<'_>, line: usize, keys: &[&str], reading: &mut ImportReading) {
    let key = row.key();
    if key.is_empty() {
        let why = "without `key`, `id` or `title` it was left out";
        return reading.note(&format!("record {line}"), "title", why);
    }
    let mut spec = ImportCandidate::new(origin(key), row.text("title"));
    read_status(&mut spec, row, key, reading);
    spec.labels = row.list("labels").map(str::to_owned).collect();
    for name in row.list("depends_on") {
        if keys.contains(&name) {
            spec.depends_on.push(origin(name));
        } else {
            let why = format!("`{name}` was kept; see to it that it means the same here");
            reading.note(key, "depends_on", why);
            spec.depends_on.push(name.to_owned());
        }
    }
    if let Some((parent, number)) = key.rsplit_once('.')
        && keys.contains(&parent)
        && let Ok(number) = number.parse()
    {
        spec.parent = Some(origin(parent));
        spec.number = Some(number);
    }
    for name in ["priority", "assignee"] {
        spec.text(name, row.text(name));
    }
    if !["", "code", "driver"].contains(&row.text("type")) {
        spec.text("imported_type", row.text("type"));
    }
    spec.paragraph(without_title(row.text("body"), &spec.title));
    reading.candidates.push(spec);
}

fn origin(key: &str) -> String {
    format!("csv:{key}")
}

fn read_status(
    spec: &mut ImportCandidate,
    row: &ImportRow<'_>,
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
        None if row.text("done") == "true" || DONE.contains(&word.to_lowercase().as_str()) => {
            SpecStatus::Completed
        }
        None if word.is_empty()
            || row.text("ready") == "true"
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
