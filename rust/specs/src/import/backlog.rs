//! Reads tasks of Backlog.md: `backlog/tasks/<id> - <title>.md`, front matter and marked sections.

use serde::de::DeserializeOwned;

use super::{ImportCandidate, ImportReading};
use crate::model::SpecStatus;
use chant_text::front_matter::{self, FrontMatterEntry, TextList};

/// Keys whose texts stay keys of the spec, under the same name.
const KEPT: [&str; 13] = [
    "reporter",
    "created_date",
    "updated_date",
    "milestone",
    "priority",
    "ordinal",
    "type",
    "due_date",
    "planned_start",
    "planned_end",
    "actual_start",
    "actual_end",
    "branch_name",
];

/// Keys whose lists stay keys of the spec, under the same name.
const KEPT_LISTS: [&str; 3] = ["references", "documentation", "modified_files"];

/// What a project says of the states of its tasks.
#[derive(Debug, Default)]
pub struct BacklogStatuses {
    /// The states in its configuration, the last of which is the one of finished work.
    pub configured: Vec<String>,
    /// True for the folder of completed tasks.
    pub are_done: bool,
}

/// Returns the states that a project's configuration lists.
pub fn configured_statuses(config: &str) -> Vec<String> {
    let front = BacklogFrontMatter(front_matter::entries(config));
    front.list("statuses")
}

/// Reads a task's file; one without an id is reported and skipped.
pub fn read(name: &str, text: &str, statuses: &BacklogStatuses, reading: &mut ImportReading) {
    let layout = match front_matter::layout(text) {
        Ok(layout) => layout,
        Err(error) => return reading.note(name, "front matter", format!("left out: {error}")),
    };
    let yaml = layout.yaml.map_or("", |range| &text[range]);
    let front = BacklogFrontMatter(front_matter::entries(yaml));
    let Some(id) = front.text("id") else {
        return reading.note(name, "id", "without one the file was left out");
    };
    let title = front.text("title").unwrap_or_default();
    let mut spec = ImportCandidate::new(origin(&id), &title);
    spec.file = Some(name.to_owned());
    read_status(
        &mut spec,
        &front.text("status").unwrap_or_default(),
        statuses,
        &id,
        reading,
    );
    spec.labels = front.list("labels");
    spec.depends_on = front
        .list("dependencies")
        .iter()
        .map(|id| origin(id))
        .collect();
    spec.parent = front.text("parent_task_id").map(|id| origin(&id));
    spec.number = id
        .rsplit_once('.')
        .and_then(|(_, number)| number.parse().ok());
    spec.text("assignee", &front.list("assignee").join(", "));
    for key in KEPT {
        spec.text(&renamed(key), &front.text(key).unwrap_or_default());
    }
    for key in KEPT_LISTS {
        spec.list(key, front.list(key));
    }
    front.note_others(&id, reading);
    let body = sections(&text[layout.body..]);
    if spec.status == SpecStatus::Completed && body.contains("\n- [ ]") {
        let why = "it is done there and not all of its boxes are ticked; none was ticked here";
        reading.note(&id, "Acceptance Criteria", why);
    }
    spec.paragraph(&body);
    reading.candidates.push(spec);
}

/// Returns the origin of an id, which is the same in any case of letters.
fn origin(id: &str) -> String {
    format!("backlog:{}", id.trim().to_lowercase())
}

/// Returns the name of a key in a spec, where the original one has another meaning.
fn renamed(key: &str) -> String {
    match key {
        "type" => "task_type".into(),
        key => key.into(),
    }
}

fn read_status(
    spec: &mut ImportCandidate,
    status: &str,
    statuses: &BacklogStatuses,
    id: &str,
    reading: &mut ImportReading,
) {
    let is_last = statuses
        .configured
        .last()
        .is_some_and(|last| last.eq_ignore_ascii_case(status));
    let is_first = statuses
        .configured
        .first()
        .is_some_and(|first| first.eq_ignore_ascii_case(status));
    spec.status = match status.to_lowercase().replace([' ', '_', '-'], "").as_str() {
        _ if statuses.are_done || is_last => SpecStatus::Completed,
        "todo" | "" => SpecStatus::Pending,
        "inprogress" | "doing" => SpecStatus::InProgress,
        "done" => SpecStatus::Completed,
        _ if is_first => SpecStatus::Pending,
        _ => reading.unknown_status(spec, id, status),
    };
}

/// Returns the body without the comments that mark its sections, and criteria without their
/// numbers.
fn sections(body: &str) -> String {
    let mut kept = String::with_capacity(body.len());
    let (mut is_fenced, mut number) = (false, 0);
    for line in body.lines() {
        let words = line.trim();
        is_fenced ^= words.starts_with("```") || words.starts_with("~~~");
        let is_mark = !is_fenced
            && words.starts_with("<!--")
            && words.ends_with("-->")
            && (words.contains(":BEGIN") || words.contains(":END"));
        if is_mark {
            continue;
        }
        if is_fenced {
            kept.push_str(line);
        } else {
            kept.push_str(&without_number(line, &mut number));
        }
        kept.push('\n');
    }
    kept
}

/// Returns `- [ ] Works` for `- [ ] #1 Works`, if the number is the next one of the criteria: `#482` is a name.
fn without_number(line: &str, last: &mut usize) -> String {
    for mark in ["- [ ] #", "- [x] #", "- [X] #"] {
        let Some(rest) = line.trim_start().strip_prefix(mark) else {
            continue;
        };
        let words = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let number: Option<usize> = rest[..rest.len() - words.len()].parse().ok();
        let is_next = number.is_some_and(|number| number == 1 || number == *last + 1);
        if is_next && words.starts_with(' ') {
            *last = number.unwrap_or_default();
            return format!("{} {}", &mark[..5], words.trim_start());
        }
    }
    line.to_owned()
}

/// Front matter that is read key by key: names of people stand in it without quotes, such as
/// `@ada`.
struct BacklogFrontMatter<'a>(Vec<FrontMatterEntry<'a>>);

impl BacklogFrontMatter<'_> {
    fn entry(&self, key: &str) -> Option<&FrontMatterEntry<'_>> {
        self.0.iter().rfind(|entry| entry.name == key)
    }

    fn read<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let entry = self.entry(key)?;
        front_matter::read_key(entry.yaml, key).ok().flatten()
    }

    fn text(&self, key: &str) -> Option<String> {
        let raw = || Some(self.entry(key)?.raw.to_owned());
        let text = self.read::<String>(key).or_else(raw)?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty() && text != "null")
    }

    /// Returns a list, also one that is written as one text, or in brackets with names that YAML
    /// refuses.
    fn list(&self, key: &str) -> Vec<String> {
        if let Some(TextList(texts)) = self.read::<TextList>(key) {
            return texts;
        }
        let Some(entry) = self.entry(key) else {
            return Vec::new();
        };
        let raw = entry.raw.trim_start_matches('[').trim_end_matches(']');
        let names = raw
            .split(',')
            .map(|name| name.trim().trim_matches(['\'', '"']));
        let names = names.filter(|name| !name.is_empty());
        names.map(str::to_owned).collect()
    }

    fn note_others(&self, id: &str, reading: &mut ImportReading) {
        let known = [
            "id",
            "title",
            "status",
            "labels",
            "dependencies",
            "parent_task_id",
            "assignee",
            // The parts name the task to which they belong.
            "subtasks",
        ];
        let is_known = |name: &str| {
            known.contains(&name) || KEPT.contains(&name) || KEPT_LISTS.contains(&name)
        };
        for entry in self.0.iter().filter(|entry| !is_known(&entry.name)) {
            if !entry.raw.is_empty() {
                let why = format!("specs have nothing like it; left out: {}", entry.raw);
                reading.note(id, &entry.name, why);
            }
        }
    }
}
