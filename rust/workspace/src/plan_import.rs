//! Items of formats that come through the interface as candidates for specs.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::error::WorkspaceError;
use super::key::normal;
use super::plan_item::PlanEntry;
use chant_base::error::Error;
use chant_base::external_items::ExternalStatus;
use chant_plan_format::PlanFormat;
use chant_plan_format::snapshot::{PlanMeaning, SnapshotNode, WaitTarget};
use chant_plan_format::unit::{IN_CONFLICT, ItemAttribute};
use chant_plan_store::PlanStore;
use chant_specs::import::{ImportCandidate, ImportReading, STATE};
use chant_specs::model::SpecStatus;
use chant_store::disk::{self, Disk};
use chant_text::edit::{Edit, apply};

/// Attributes that the format has read into parts of an item of their own.
const READ_BY_FORMAT: [&str; 8] = [
    "id", "title", "status", "labels", "dependencies", "parent_task_id", "assignee", "subtasks",
];

/// Attributes whose texts stay keys of the spec, under the same name.
const KEPT_TEXTS: [&str; 13] = [
    "reporter", "created_date", "updated_date", "milestone", "priority", "ordinal", "type",
    "due_date", "planned_start", "planned_end", "actual_start", "actual_end", "branch_name",
];

/// Attributes whose lists stay keys of the spec, under the same name.
const KEPT_LISTS: [&str; 3] = ["references", "documentation", "modified_files"];

/// Folders above a path in which the root of its plans is looked for.
const MAX_FOLDERS_ABOVE: usize = 4;

/// The root of a format's plans to which a path leads: the path itself, or the folder that holds it where the path is
/// in the folder of the format's marker.
pub(super) fn root_of(format: &dyn PlanFormat, path: &Path) -> Option<PathBuf> {
    let real = disk::real(path).ok()?;
    let is_root = |folder: &&Path| {
        let below = real.strip_prefix(folder).unwrap_or(Path::new(""));
        let first = below.components().next();
        let mut markers = format.scope().markers.iter().map(Path::new);
        markers.any(|marker| {
            let is_inside = first.is_none() || marker.components().next() == first;
            is_inside && disk::exists(&folder.join(marker))
        })
    };
    let mut folders = real.ancestors().take(MAX_FOLDERS_ABOVE);
    folders.find(is_root).map(Path::to_owned)
}

/// Reads the items of a root.
///
/// # Errors
/// `Source` for a document that holds two versions of something: what it says is not known.
pub(super) fn read(format: &'static dyn PlanFormat, root: &Path) -> Result<ImportReading, Error> {
    let disk = Disk {
        listens: false,
        ..Disk::default()
    };
    let unknown = |_: &String| ExternalStatus::Unknown("it is in another project".into());
    let plans =
        PlanStore::new(format, root, &disk).current(&|keys| keys.iter().map(unknown).collect());
    let mut reading = ImportReading::default();
    let Some(plans) = plans else {
        return Ok(reading);
    };
    for problem in &plans.problems {
        if *problem.message == *IN_CONFLICT {
            return Err(WorkspaceError::Source {
                path: root.join(&*problem.path).display().to_string(),
                why: format!(
                    "line {} is a conflict marker. Resolve the conflict, then import again",
                    problem.line()
                ),
            }
            .into());
        }
        reading.note(&problem.path, "document", &*problem.message);
    }
    let statuses = plans.statuses();
    for node in &*plans.snapshot.nodes {
        let item = NodeToImport {
            format,
            nodes: &plans.snapshot.nodes,
            node,
            entry: PlanEntry::of(&plans, node),
        };
        let candidate = item.candidate(&statuses, &mut reading);
        reading.candidates.push(candidate);
    }
    Ok(reading)
}

struct NodeToImport<'a> {
    format: &'static dyn PlanFormat,
    nodes: &'a [SnapshotNode],
    node: &'a SnapshotNode,
    entry: PlanEntry,
}

impl NodeToImport<'_> {
    fn candidate(&self, statuses: &[&str], reading: &mut ImportReading) -> ImportCandidate {
        let item = self.entry.item();
        let name = self.name();
        let mut spec = ImportCandidate::new(self.origin(&self.node.key), &item.title);
        spec.file = Some(self.entry.path().to_owned());
        spec.labels = item.labels.iter().map(ToString::to_string).collect();
        spec.depends_on = self.dependencies();
        spec.parent = self.node.parent.map(|at| self.origin(&self.nodes[at].key));
        spec.number = name
            .rsplit_once('.')
            .and_then(|(_, number)| number.parse().ok());
        self.read_status(&mut spec, statuses, reading);
        spec.text("assignee", &item.assignees.join(", "));
        for attribute in &item.attributes {
            self.take_attribute(attribute, &mut spec, reading);
        }
        let is_open = item.criteria.iter().any(|criterion| !criterion.is_ticked);
        if spec.status == SpecStatus::Completed && is_open {
            let why = "it is done there and not all of its boxes are ticked; none was ticked here";
            reading.note(name, "criteria", why);
        }
        spec.paragraph(&self.body());
        spec
    }

    /// Its name without the word of the format.
    fn name(&self) -> &str {
        let word = self.format.scope().word;
        self.node.key.get(word.len() + 1..).unwrap_or_default()
    }

    /// The origin of a key: in small letters where the format does not tell letters apart.
    fn origin(&self, key: &str) -> String {
        let Some((word, name)) = key.split_once(':') else {
            return key.to_owned();
        };
        let small = name.to_lowercase();
        if self.format.name(&small) == name {
            format!("{word}:{small}")
        } else {
            key.to_owned()
        }
    }

    fn dependencies(&self) -> Vec<String> {
        let of_node = |at: &usize| self.origin(&self.nodes[*at].key);
        let waits = self.node.waits.iter();
        let named = waits.flat_map(|wait| match &wait.target {
            WaitTarget::Node(at) => vec![of_node(at)],
            WaitTarget::Ambiguous(nodes) => nodes.iter().map(of_node).collect(),
            WaitTarget::Foreign(key) => vec![normal(key)],
            WaitTarget::Archived if wait.is_met => Vec::new(),
            WaitTarget::Archived | WaitTarget::Unknown => {
                let word = self.format.scope().word;
                vec![self.origin(&format!("{word}:{}", wait.name))]
            }
        });
        named.collect()
    }

    fn read_status(
        &self,
        spec: &mut ImportCandidate,
        statuses: &[&str],
        reading: &mut ImportReading,
    ) {
        let word = &*self.node.status;
        spec.status = match self.node.meaning {
            _ if self.node.is_done => SpecStatus::Completed,
            PlanMeaning::BeingWorkedOn => {
                let plain = |text: &str| text.to_lowercase().replace([' ', '-', '_'], "");
                if plain(word) != plain(SpecStatus::InProgress.as_str()) {
                    spec.text(STATE, word);
                }
                SpecStatus::InProgress
            }
            PlanMeaning::CanBegin | PlanMeaning::Waits if statuses.contains(&word) => {
                SpecStatus::Pending
            }
            _ => reading.unknown_status(spec, self.name(), word),
        };
    }

    fn take_attribute(
        &self,
        attribute: &ItemAttribute,
        spec: &mut ImportCandidate,
        reading: &mut ImportReading,
    ) {
        let values = || attribute.values.iter().map(ToString::to_string);
        let text = || values().collect::<Vec<_>>().join(", ");
        match &*attribute.name {
            name if READ_BY_FORMAT.contains(&name) || attribute.values.is_empty() => {}
            // Of a spec it is the kind of work.
            "type" => spec.text("task_type", &text()),
            name if KEPT_TEXTS.contains(&name) => spec.text(name, &text()),
            name if KEPT_LISTS.contains(&name) => spec.list(name, values().collect()),
            name => {
                let why = format!("specs have nothing like it; left out: {}", text());
                reading.note(self.name(), name, why);
            }
        }
    }

    /// Its text without marks around sections; criteria without the numbers that the format writes before them.
    fn body(&self) -> String {
        let range = self.entry.body_range();
        let text = self.entry.document();
        let is_inside = |part: &Range<usize>| range.start <= part.start && part.end <= range.end;
        let criteria = self.entry.item().criteria.iter();
        let criteria = criteria.filter(|criterion| is_inside(&criterion.span));
        let mut edits: Vec<Edit> = criteria
            .map(|criterion| {
                let behind_box = criterion.mark.end + 1..criterion.span.end;
                Edit::replace(behind_box, format!(" {}", criterion.text))
            })
            .collect();
        let document = self.entry.item().document;
        let sections = self.entry.unit().sections.iter();
        let sections = sections.filter(|section| Some(section.document) == document);
        for section in sections.filter(|section| is_inside(&section.heading)) {
            let before = comment_lines(text, section.heading.end..section.content.start);
            let behind = comment_lines(text, section.content.end..range.end);
            edits.extend(before.map(|line| Edit::replace(line, "")));
            let mark = behind
                .take(1)
                .filter(|line| line.start == section.content.end);
            edits.extend(mark.map(|line| Edit::replace(line, "")));
        }
        edits.sort_by_key(|edit| edit.range.start);
        edits.dedup();
        let head = &text[..range.start];
        let changed =
            apply(&text[..range.end], &edits).unwrap_or_else(|_| text[..range.end].to_owned());
        changed[head.len()..]
            .lines()
            .fold(String::new(), |all, line| all + line + "\n")
    }
}

/// The lines of a part of a text that are comments and nothing else, with their line breaks.
fn comment_lines(text: &str, part: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut end = part.start;
    let lines = text[part].split_inclusive('\n').map(move |line| {
        end += line.len();
        (end - line.len()..end, line.trim())
    });
    let comments = lines.filter(|(_, line)| line.starts_with("<!--") && line.ends_with("-->"));
    comments.map(|(range, _)| range)
}
