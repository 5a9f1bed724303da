//! Changes of task graphs that are decided together: each is tried on what the ones before it made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::write::{ExpectedState, apply_to_document};
use crate::document::VineDocument;
use crate::error::VineError;
use crate::files::{GraphLocation, VineStore, relative};
use crate::operation::{GraphOperation, operations};
use chant_base::error::{Error, NotTransactional};
use chant_base::external_items::StatusLookup;
use chant_store::staged::StagedTexts;

/// Operations on one file, as by [`super::write()`].
#[derive(Debug, Clone)]
pub struct OperationBatch {
    /// The file's name.
    pub file: String,
    /// The operations to be done, in order.
    pub operations: Vec<Value>,
    /// The name that git gives to the text that the caller has in mind.
    pub expect: Option<String>,
    /// A task, and the description that the caller has in mind.
    pub expect_description: Option<(String, String)>,
}

/// Task graphs of a folder as they would be.
pub struct StagedGraphs {
    root: PathBuf,
    /// By the real path from the root.
    graphs: BTreeMap<String, Arc<VineDocument>>,
    texts: StagedTexts,
    /// The real paths of files that were called otherwise: links.
    names: BTreeMap<String, String>,
}

impl StagedGraphs {
    /// Begins; a file is read when it is first changed.
    pub fn begin(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            graphs: BTreeMap::new(),
            texts: StagedTexts::default(),
            names: BTreeMap::new(),
        }
    }

    /// Tries one more batch; gives the file's path from the root, and behind a `#` the node that the first
    /// operation is about.
    ///
    /// # Errors
    /// What the batch alone would be refused for; everything is as before then. `Apart` for a file that
    /// lies elsewhere, and for operations that make one.
    pub fn apply(
        &mut self,
        files: &VineStore,
        batch: &OperationBatch,
        tell: StatusLookup<'_>,
    ) -> Result<String, Error> {
        let operations = operations(&batch.operations)?;
        let first = operations.first().ok_or(VineError::NoOperations)?;
        refuse_new_files(&operations)?;
        let place = files.existing(&batch.file)?;
        let (name, path) = self.paths(&place)?;
        let before = match self.graphs.get(&path) {
            Some(staged) => Arc::clone(staged),
            None => files.read(&place)?,
        };
        let description = batch.expect_description.as_ref();
        let expected = ExpectedState {
            blob: batch.expect.as_deref(),
            description: description.map(|(id, text)| (&**id, &**text)),
        };
        let (after, _) = apply_to_document(&before, &operations, expected, tell)?;
        let standings = tell(&after.plan.needs());
        let after = Arc::new(after.with_statuses(&standings).unwrap_or(after));
        let changed = match first.node() {
            Some(id) => format!("{name}#{id}"),
            None => name.clone(),
        };
        self.names.insert(name, path.clone());
        self.texts.replace(&path, &before.text, &after.text);
        self.graphs.insert(path, after);
        Ok(changed)
    }

    /// A file's path from the root as it was called, and the real one.
    fn paths(&self, place: &GraphLocation) -> Result<(String, String), Error> {
        let apart = || NotTransactional {
            what: "A change of a task graph that lies elsewhere",
            why: format!(
                "{} is not in {}",
                place.absolute().display(),
                self.root.display()
            ),
        };
        let path = relative(&place.real()?, &self.root).ok_or_else(apart)?;
        let name = relative(&place.absolute(), &self.root);
        Ok((name.unwrap_or_else(|| path.clone()), path))
    }

    /// The graph of a path as it would be; `None` for one that is not changed.
    pub fn graph(&self, path: &str) -> Option<&Arc<VineDocument>> {
        let path = self.names.get(path).map_or(path, String::as_str);
        self.graphs.get(path)
    }

    /// The documents that are changed.
    pub fn texts(&self) -> &StagedTexts {
        &self.texts
    }

    /// Keeps what was written.
    pub fn finish(self, files: &VineStore) {
        for (path, graph) in self.graphs {
            files.written(self.root.join(path), graph);
        }
    }
}

/// Refuses operations that make a file: only task graphs that are there take part.
fn refuse_new_files(operations: &[GraphOperation]) -> Result<(), Error> {
    let makes_file = |operation: &&GraphOperation| {
        matches!(
            operation,
            GraphOperation::Create { .. } | GraphOperation::ExtractToRef { .. }
        )
    };
    let Some(maker) = operations.iter().find(makes_file) else {
        return Ok(());
    };
    Err(NotTransactional {
        what: "An operation that makes a task graph",
        why: format!(
            "{} makes a file, and only task graphs that are there take part",
            maker.name()
        ),
    }
    .into())
}
