//! Items written out for other programs, one after the other.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::Workspace;
use super::csv_table;
use super::error::WorkspaceError;
use super::filter::ItemFilter;
use super::item::Item;
use super::workspace_graph::{ItemSource, WorkspaceGraph};
use chant_base::error::Error;
use chant_base::ident::nearest;
use chant_base::progress::ProgressMeter;
use chant_graph::Node;
use chant_specs::model::Spec;
use chant_store::StoreError;
use chant_store::disk::{self, Disk, TemporaryFile};

/// The fields that items may be written with, in the order of documents.
pub const FIELDS: [&str; 21] = [
    "key", "dialect", "id", "title", "status", "done", "ready", "type", "priority", "assignee",
    "labels", "depends_on", "waits_for", "path", "target_files", "context", "prompt", "model",
    "commits", "completed_at", "body",
];

/// The number of fields that are written where none are named: all but the text itself.
const USUAL: usize = 20;

/// The word for all fields.
const ALL_FIELDS: &str = "all";

/// Items that are written into one piece.
const AT_ONCE: usize = 100;

/// The format in which items are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// A list of objects, one on each line.
    Json,
    /// RFC 4180, with a line of field names; items of a list with a semicolon and a blank between them. No cell
    /// is run by a spreadsheet.
    Csv,
    /// A table.
    Markdown,
}

impl ExportFormat {
    /// Returns the format that a word means.
    ///
    /// # Errors
    /// `Invalid`.
    pub fn read(word: &str) -> Result<Self, WorkspaceError> {
        match word {
            "json" => Ok(Self::Json),
            "csv" => Ok(Self::Csv),
            "markdown" => Ok(Self::Markdown),
            other => Err(WorkspaceError::Invalid {
                name: "format",
                given: other.to_owned(),
                expected: "one of json, csv, markdown".into(),
            }),
        }
    }
}

/// A text in pieces, made while it is taken: of the items themselves only a few are ever written at a
/// time.
#[derive(Clone)]
pub struct ItemExport {
    joined: Arc<WorkspaceGraph>,
    nodes: std::vec::IntoIter<Node>,
    form: ExportFormat,
    fields: Vec<&'static str>,
    stage: ExportStage,
    written: usize,
    meter: Arc<ProgressMeter>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ExportStage {
    Begin,
    Items,
    Done,
}

impl ItemExport {
    /// The items that a filter wants, in the order of lists, with some fields or the usual ones.
    ///
    /// # Errors
    /// `Invalid` for a field that is none, as [`ItemFilter::checked`] and [`Workspace::snapshot`].
    pub fn of(
        workspace: &Workspace,
        filter: ItemFilter,
        form: ExportFormat,
        fields: &[String],
    ) -> Result<Self, Error> {
        let fields = known(fields)?;
        let joined = workspace.snapshot()?;
        let filter = filter.checked(workspace)?;
        let wanted = filter.candidates(&joined);
        let wanted = wanted.filter(|item| filter.fits(item));
        let nodes: Vec<Node> = wanted.map(|item| item.node).collect();
        Ok(Self {
            meter: Arc::new(ProgressMeter::begin("Exporting items", nodes.len())),
            nodes: nodes.into_iter(),
            joined,
            form,
            fields,
            stage: ExportStage::Begin,
            written: 0,
        })
    }

    /// Returns the number of items written so far.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Writes what was not taken yet to a file that appears whole or not at all; one that is there already
    /// is replaced only by `force`. Gives the number of items. Where it fails nothing counts as taken.
    ///
    /// # Errors
    /// `Taken`, `Spent` where nothing is left, or a `StoreError`.
    pub fn save(&mut self, path: &Path, force: bool, disk: &Disk) -> Result<usize, Error> {
        let mut left = self.clone();
        if left.is_spent() {
            return Err(WorkspaceError::Spent.into());
        }
        let taken = || WorkspaceError::Taken {
            path: path.display().to_string(),
        };
        if !force && disk::exists(path) {
            return Err(taken().into());
        }
        // A bare name has no folder; the current one is meant.
        let target = disk::real(path).unwrap_or_else(|_| Path::new(".").join(path));
        let file = TemporaryFile::stream(disk, &target, &mut left)?;
        if force {
            file.take_over(&target)?;
        } else {
            file.appear(&target).map_err(|error| match error {
                StoreError::Exists { .. } => Error::from(taken()),
                error => error.into(),
            })?;
        }
        *self = left;
        Ok(self.written)
    }

    fn is_spent(&self) -> bool {
        let has_end = self.form == ExportFormat::Json;
        match self.stage {
            ExportStage::Begin => false,
            ExportStage::Items => self.nodes.len() == 0 && !has_end,
            ExportStage::Done => true,
        }
    }

    fn begin(&self) -> String {
        match self.form {
            ExportFormat::Json => "[".into(),
            ExportFormat::Csv => csv_table::lines(std::iter::once(
                self.fields
                    .iter()
                    .map(|field| (*field).to_owned())
                    .collect(),
            )),
            ExportFormat::Markdown => {
                let names = self.fields.join(" | ");
                let line = "|---".repeat(self.fields.len());
                format!("| {names} |\n{line}|\n")
            }
        }
    }

    fn items(&mut self) -> String {
        let nodes: Vec<Node> = self.nodes.by_ref().take(AT_ONCE).collect();
        let joined = Arc::clone(&self.joined);
        let meter = Arc::clone(&self.meter);
        let items = nodes.into_iter().filter_map(|node| joined.item(node));
        let items = items.inspect(|_| meter.step());
        match self.form {
            ExportFormat::Json => items.fold(String::new(), |mut text, item| {
                text.push_str(if self.written == 0 { "\n" } else { ",\n" });
                text.push_str(&self.object(&item).to_string());
                self.written += 1;
                text
            }),
            ExportFormat::Csv => csv_table::lines(items.map(|item| {
                self.written += 1;
                let fields = self.fields.iter();
                fields.map(|field| words(&value(&item, field))).collect()
            })),
            ExportFormat::Markdown => items.fold(String::new(), |mut text, item| {
                for field in &self.fields {
                    let cell = for_table(&words(&value(&item, field)));
                    text.push_str(&format!("| {cell} "));
                }
                text.push_str("|\n");
                self.written += 1;
                text
            }),
        }
    }

    fn object(&self, item: &Item<'_>) -> Value {
        let pair = |field: &&'static str| ((*field).to_owned(), value(item, field));
        Value::Object(self.fields.iter().map(pair).collect::<Map<_, _>>())
    }
}

impl Iterator for ItemExport {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        match self.stage {
            ExportStage::Begin => {
                self.stage = ExportStage::Items;
                Some(self.begin())
            }
            ExportStage::Items if self.nodes.len() > 0 => Some(self.items()),
            ExportStage::Items => {
                self.stage = ExportStage::Done;
                (self.form == ExportFormat::Json).then(|| "\n]\n".into())
            }
            ExportStage::Done => None,
        }
    }
}

fn known(fields: &[String]) -> Result<Vec<&'static str>, WorkspaceError> {
    if fields.is_empty() {
        return Ok(FIELDS[..USUAL].to_vec());
    }
    if fields == [ALL_FIELDS] {
        return Ok(FIELDS.to_vec());
    }
    let known = |field: &String| {
        let found = FIELDS.into_iter().find(|known| *known == field.as_str());
        found.ok_or_else(|| WorkspaceError::Invalid {
            name: "field",
            given: field.clone(),
            expected: match nearest(field, FIELDS) {
                Some(near) => format!("one of {}; perhaps {near}", FIELDS.join(", ")),
                None => format!("one of {}", FIELDS.join(", ")),
            },
        })
    };
    fields.iter().map(known).collect()
}

fn value(item: &Item<'_>, field: &str) -> Value {
    match field {
        "key" => item.key().into(),
        "dialect" => item.dialect().into(),
        "id" => item.id().into(),
        "title" => item.title().into(),
        "status" => item.status().into(),
        "done" => item.is_done().into(),
        "ready" => item.is_ready().into(),
        "type" => item.kind().into(),
        "priority" => json!(item.priority()),
        "assignee" => json!(item.assignee()),
        "labels" => json!(item.labels()),
        "depends_on" => item.depends_on().into(),
        "waits_for" => item.waits_for().into(),
        "path" => item.path().into(),
        "body" => item.body().into(),
        _ => match &item.source {
            ItemSource::Spec(spec) => value_of_spec(spec, field),
            _ => Value::Null,
        },
    }
}

/// The fields that only specs have.
fn value_of_spec(spec: &Spec, field: &str) -> Value {
    match field {
        "target_files" => json!(spec.target_files.as_deref().unwrap_or_default()),
        "context" => json!(spec.context.as_deref().unwrap_or_default()),
        "prompt" => json!(spec.prompt),
        "model" => json!(spec.model),
        "commits" => json!(spec.commits.as_deref().unwrap_or_default()),
        _ => json!(spec.completed_at),
    }
}

/// A value as one text.
fn words(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(words).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}

/// A text for a cell of a table: on one line, its bars and backslashes escaped, nothing in it unseen.
fn for_table(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in csv_table::visible(&text.trim().replace("\r\n", "\n")).chars() {
        match c {
            '|' | '\\' => safe.extend(['\\', c]),
            '\n' | '\r' => safe.push_str("<br>"),
            '<' => safe.push_str("&lt;"),
            '&' => safe.push_str("&amp;"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay_cells() {
        assert_eq!(for_table(" a|b\\\r\nc\nd "), "a\\|b\\\\<br>c<br>d");
        assert_eq!(for_table("<b>&"), "&lt;b>&amp;");
    }
}
