//! Operations carried out, all or none.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use similar::TextDiff;

use super::{fitted, replaced};
use crate::apply::{self, ChildGraph};
use crate::document::VineDocument;
use crate::error::VineError;
use crate::files::{GraphLocation, VineStore};
use crate::frontier::GraphPlan;
use crate::model::Graph;
use crate::operation::{GraphOperation, operations};
use crate::view::WrittenView;
use crate::write;
use chant_base::answer::{Answer, DEFAULT_LIMIT, PageRequest};
use chant_base::error::Error;
use chant_base::external_items::{ExternalStatus, StatusLookup};
use chant_base::next_step::HintText;
use chant_git::blob;
use chant_store::disk;
use chant_store::journal::{ChangeJournal, ChangeStep};

/// The options with which operations are carried out.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WriteOptions<'a> {
    /// True if they are not carried out: the answer says what they would do.
    pub dry_run: bool,
    /// The name that git gives to the text that the caller has in mind; another one is left alone.
    pub expect: Option<&'a str>,
    /// A task, and the description that the caller has in mind; with another one nothing is changed.
    pub expect_description: Option<(&'a str, &'a str)>,
    /// Most entries of each list of the answer.
    pub limit: usize,
}

impl Default for WriteOptions<'_> {
    fn default() -> Self {
        Self {
            dry_run: false,
            expect: None,
            expect_description: None,
            limit: DEFAULT_LIMIT,
        }
    }
}

/// `vine_write`: carries out operations, all or none, under the file's lock.
///
/// # Errors
/// `VineError` for operations that are none, cannot be carried out, or would leave an invalid graph;
/// nothing is written then.
pub fn write(
    files: &VineStore,
    file: &str,
    given: &[Value],
    writing: WriteOptions<'_>,
) -> Result<Answer, Error> {
    let operations = operations(given)?;
    let WriteOutcome { before, after } = match operations.first() {
        None => return Err(VineError::NoOperations.into()),
        Some(GraphOperation::Create { .. }) => made(files, file, &operations, writing)?,
        Some(_) => changed(files, file, &operations, writing)?,
    };
    let claimed = claimed(&operations);
    let page = PageRequest {
        limit: writing.limit,
        offset: 0,
    };
    let diff = writing.dry_run.then(|| {
        let diff = TextDiff::from_lines(&*before, &*after.text);
        diff.unified_diff().header(file, file).to_string()
    });
    let summary = summarized(&operations, writing.dry_run);
    Ok(fitted(page, |page| {
        WrittenView::of(&after.plan, summary.clone(), &claimed, page, diff.clone())
    }))
}

/// Returns the effect of operations, in words (reference vine 6.6).
fn summarized(operations: &[GraphOperation], dry_run: bool) -> String {
    let phrases: Vec<String> = operations.iter().map(GraphOperation::phrase).collect();
    let done = if dry_run {
        "operation(s) would be applied, nothing was written"
    } else {
        "operation(s) applied"
    };
    format!("{} {done}: {}.", operations.len(), phrases.join("; "))
}

/// The IDs that claimed tasks have in the end, in the order of their claims.
fn claimed(operations: &[GraphOperation]) -> Vec<&str> {
    let mut claimed: Vec<&str> = Vec::new();
    for operation in operations {
        match operation {
            GraphOperation::Claim { id, .. } => claimed.push(id),
            GraphOperation::RenameTask { id, new_id } => {
                let same = claimed.iter_mut().filter(|claimed| **claimed == id);
                same.for_each(|claimed| *claimed = new_id);
            }
            _ => {}
        }
    }
    claimed
}

/// A file before and after operations.
struct WriteOutcome {
    before: String,
    after: Arc<VineDocument>,
}

/// Makes a new file.
fn made(
    files: &VineStore,
    file: &str,
    operations: &[GraphOperation],
    writing: WriteOptions<'_>,
) -> Result<WriteOutcome, Error> {
    let (graph, child) = apply::create(operations)?;
    let plan = GraphPlan::of(graph)?;
    let text = write::render_canonical(&plan.graph)?;
    let place = files.new_file(file)?;
    let path = place.absolute();
    if is_taken(&path) {
        return Err(VineError::Taken { path }.into());
    }
    if writing.expect.is_some() || writing.expect_description.is_some() {
        return Err(VineError::Refused {
            at: 0,
            op: "create",
            message: "\"expect\" is of a text that is there, and \"create\" makes a new file."
                .into(),
            hint: HintText::default(),
        }
        .into());
    }
    refuse_held(
        &|keys| files.standings(&place, keys),
        operations,
        &plan.graph,
    )?;
    let mut steps = vec![ChangeStep::Create {
        path: place.path.clone(),
        text: text.clone(),
    }];
    steps.extend(child.map(|child| step_of(&place, &child)).transpose()?);
    if !writing.dry_run {
        journaled(files, &place, &[], steps.len() > 1, |_| {
            Ok(Some(steps.clone()))
        })?;
    }
    Ok(WriteOutcome {
        before: String::new(),
        after: files.aware(&place, Arc::new(VineDocument::read(text)?)),
    })
}

/// Changes a file that is there.
fn changed(
    files: &VineStore,
    file: &str,
    operations: &[GraphOperation],
    writing: WriteOptions<'_>,
) -> Result<WriteOutcome, Error> {
    let place = files.existing(file)?;
    let real = place.real()?;
    let tell = |keys: &[String]| files.standings(&place, keys);
    let expected = ExpectedState {
        blob: writing.expect,
        description: writing.expect_description,
    };
    let change = |document: &VineDocument| -> Result<(VineDocument, Option<ChangeStep>), Error> {
        let (after, child) = apply_to_document(document, operations, expected, &tell)?;
        let child = child.map(|child| step_of(&place, &child)).transpose()?;
        Ok((after, child))
    };
    if writing.dry_run {
        let document = files.read(&place)?;
        let (after, _) = change(&document)?;
        return Ok(WriteOutcome {
            before: document.text.clone(),
            after: files.aware(&place, Arc::new(after)),
        });
    }
    let makes_file =
        |operation: &GraphOperation| matches!(operation, GraphOperation::ExtractToRef { .. });
    let after = if operations.iter().any(makes_file) {
        replaced_together(files, &place, &real, |document| change(document))?
    } else {
        replaced(files, &place, &real, |document| Ok(change(document)?.0))?
    };
    Ok(WriteOutcome {
        before: String::new(),
        after: files.aware(&place, after),
    })
}

/// The state of a file that the caller has in mind.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExpectedState<'a> {
    /// The name that git gives to its text.
    pub(super) blob: Option<&'a str>,
    /// A task and its description.
    pub(super) description: Option<(&'a str, &'a str)>,
}

/// Applies operations to a document; returns the document and the file that one of them makes.
///
/// # Errors
/// `VineError` for a text that is another than expected, operations that cannot be carried out, or an
/// invalid graph.
pub(super) fn apply_to_document(
    document: &VineDocument,
    operations: &[GraphOperation],
    expected: ExpectedState<'_>,
    tell: StatusLookup<'_>,
) -> Result<(VineDocument, Option<ChildGraph>), VineError> {
    expected.check(document)?;
    let (graph, child) = apply::apply(&document.plan, operations)?;
    refuse_held(tell, operations, &graph)?;
    let after = document.changed(document.plan.renewed(graph)?)?;
    Ok((after, child))
}

/// Refuses to claim a task, unless by force, that needs an item of another dialect which is not done.
fn refuse_held(
    tell: StatusLookup<'_>,
    operations: &[GraphOperation],
    graph: &Graph,
) -> Result<(), VineError> {
    for (at, operation) in operations.iter().enumerate() {
        let GraphOperation::Claim {
            id, force: false, ..
        } = operation
        else {
            continue;
        };
        let Some(node) = claimed(&operations[at..])
            .first()
            .and_then(|id| graph.find(id))
        else {
            continue;
        };
        let needs: Vec<String> = node.needs().map(str::to_owned).collect();
        let standings = tell(&needs);
        let unmet = needs
            .iter()
            .zip(&standings)
            .filter(|(_, found)| !found.is_done());
        let reasons: Vec<String> = unmet
            .map(|(key, found)| describe_unmet(key, found))
            .collect();
        if !reasons.is_empty() {
            return Err(VineError::Refused {
                at,
                op: operation.name(),
                message: format!(
                    "Cannot claim \"{id}\": it needs what is not done: {}.",
                    reasons.join(", ")
                ),
                hint: apply::of_claim(),
            });
        }
    }
    Ok(())
}

/// An item of another dialect with what is known of it.
fn describe_unmet(key: &str, standing: &ExternalStatus) -> String {
    match standing {
        ExternalStatus::Found { status, .. } => format!("{key} ({status})"),
        ExternalStatus::Unknown(why) => format!("{key} ({why})"),
    }
}

impl ExpectedState<'_> {
    /// A text that is another than the caller has in mind is left alone (reference vine W3).
    fn check(self, document: &VineDocument) -> Result<(), VineError> {
        if let Some((id, text)) = self.description {
            let node = document.plan.graph.find(id);
            if node.is_some_and(|node| *node.description != *text) {
                return Err(VineError::DescriptionChanged { id: id.to_owned() });
            }
        }
        let Some(expected) = self.blob else {
            return Ok(());
        };
        let is = blob(&document.text);
        if is == expected {
            return Ok(());
        }
        let expected = expected.to_owned();
        Err(VineError::Changed { expected, is })
    }
}

/// Changes a document under its lock, together with the other file that the change makes.
fn replaced_together(
    files: &VineStore,
    place: &GraphLocation,
    real: &Path,
    mut change: impl FnMut(&VineDocument) -> Result<(VineDocument, Option<ChangeStep>), Error>,
) -> Result<Arc<VineDocument>, Error> {
    let mut after = None;
    journaled(files, place, &[&place.path], true, |texts| {
        let text = texts.first().copied().unwrap_or_default();
        let document = files.document(real, text)?;
        let (changed, other) = change(&document)?;
        let replaced = (changed.text != document.text).then(|| ChangeStep::Replace {
            path: place.path.clone(),
            text: changed.text.clone(),
        });
        after = Some(Arc::new(changed));
        Ok(Some(replaced.into_iter().chain(other).collect()))
    })?;
    match after {
        Some(after) => {
            files.written(real.to_owned(), Arc::clone(&after));
            Ok(after)
        }
        None => files.read(place),
    }
}

/// The file that a task is moved to.
fn step_of(parent: &GraphLocation, child: &ChildGraph) -> Result<ChangeStep, Error> {
    let inside = parent.beside(&child.vine)?;
    let path = parent.root.path().join(&inside);
    if is_taken(&path) {
        return Err(VineError::Taken { path }.into());
    }
    let text = write::render_canonical(&child.graph)?;
    Ok(ChangeStep::Create { path: inside, text })
}

/// Returns true if there is anything at a place, a link that leads nowhere included.
fn is_taken(path: &Path) -> bool {
    disk::stamp(path).is_some() || disk::is_link(path)
}

fn journaled(
    files: &VineStore,
    place: &GraphLocation,
    paths: &[&str],
    several: bool,
    plan: impl FnMut(&[&str]) -> Result<Option<Vec<ChangeStep>>, Error>,
) -> Result<(), Error> {
    files.recover(&place.root)?;
    let state = several.then(|| files.state_of(&place.root));
    let disk = files.disk_of(&place.root);
    let journal = ChangeJournal {
        disk: &disk,
        root: &place.root,
        state: state.as_ref(),
        gates: &[],
    };
    let done = journal.change(paths, plan);
    done.map(|_| ()).map_err(|error| place.to_seed_error(error))
}
