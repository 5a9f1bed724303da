//! Changes of items of all dialects that are tried one after the other and written all at once.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use super::Workspace;
use super::handle::whole;
use super::key;
use super::ops::resolve_item;
use super::plan_edit::{PlanOperation, PlanPlace};
use super::staged_workspace::StagedWorkspace;
use super::workspace_graph::WorkspaceGraph;
use chant_base::error::Error;
use chant_plan_format::program_lock::ProgramLock;
use chant_speckit::staged::CompletionRequest;
use chant_specs::ops as specs;
use chant_store::disk::{self, LOCK_TIMEOUT};
use chant_tickets::ops as tickets;
use chant_vine::document::VineDocument;
use chant_vine::ops::OperationBatch;

/// One change.
#[derive(Debug, Clone)]
pub enum ItemOperation {
    /// Of a spec.
    Spec(specs::SpecOperation),
    /// Of a ticket.
    Ticket(tickets::TicketOperation),
    /// Of a task graph.
    Plan(OperationBatch),
    /// A task of a feature is ticked.
    Feature(CompletionRequest),
    /// Of an item of a plan whose format comes through the interface.
    Intent(PlanOperation),
}

/// Changes so far, and everything as it would be.
pub struct Transaction {
    would_be: StagedWorkspace,
    operations: Vec<ItemOperation>,
}

/// The outcome of writing changes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TransactionOutcome {
    /// For each change the ID of its item, in the words of its dialect; of one that is about no item the
    /// file.
    pub ids: Vec<String>,
    /// Warnings of what was not right and refused nothing.
    pub warnings: Vec<String>,
}

impl Transaction {
    /// Begins with what is true now.
    ///
    /// # Errors
    /// As [`Workspace::snapshot`].
    pub fn begin(workspace: &Workspace) -> Result<Self, Error> {
        Ok(Self {
            would_be: StagedWorkspace::begin(workspace)?,
            operations: Vec::new(),
        })
    }

    /// Tries one more change; gives its item as it would be, null where it is about none.
    ///
    /// # Errors
    /// What the change alone would be refused for, or `Apart`; the changes before it stay.
    pub fn apply(
        &mut self,
        workspace: &Workspace,
        mut operation: ItemOperation,
    ) -> Result<Value, Error> {
        let id = self.would_be.apply(workspace, &mut operation)?;
        let key = key_of(&operation, &id);
        self.operations.push(operation);
        Ok(shown(self.would_be.joined(), &key))
    }

    /// The item that a name means as it would be.
    ///
    /// # Errors
    /// `NotFound` or `Ambiguous`.
    pub fn item(&self, workspace: &Workspace, name: &str) -> Result<Value, Error> {
        Ok(whole(&resolve_item(
            workspace,
            self.would_be.joined(),
            name,
        )?))
    }

    /// A task graph as it would be; `None` for one that is not changed.
    pub fn plan(&self, path: &str) -> Option<&Arc<VineDocument>> {
        self.would_be.plan(path)
    }

    /// Returns the number of changes.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Writes all changes, each decided once more on what is true then; nothing where one is refused.
    ///
    /// The documents that change are locked in the order of their paths, then the folders of specs and
    /// tickets, as by every change of one file.
    ///
    /// # Errors
    /// As [`Transaction::apply`], or a `StoreError`; nothing is changed then.
    pub fn commit(&self, workspace: &Workspace) -> Result<TransactionOutcome, Error> {
        if self.is_empty() {
            return Ok(TransactionOutcome::default());
        }
        let gates = self.would_be.gates(workspace)?;
        let _locks = workspace.take_program_locks(self.program_locks(workspace)?)?;
        // What they replace now is nearly always what they replace once it is locked.
        let mut paths = self.would_be.replaced();
        let deadline = Instant::now() + LOCK_TIMEOUT;
        while Instant::now() < deadline {
            match self.attempt(workspace, &paths, &gates)? {
                WriteAttempt::Done(ids, made) => {
                    let warnings = made.finish(workspace);
                    return Ok(TransactionOutcome { ids, warnings });
                }
                WriteAttempt::Needs(others) => paths = others,
            }
        }
        let first = paths.first().map_or("", String::as_str);
        Err(disk::busy(Path::new(first), "kept changing").into())
    }

    /// The locks of the programs whose documents change. An item that only this transaction adds has none.
    fn program_locks(
        &self,
        workspace: &Workspace,
    ) -> Result<Vec<(ProgramLock, &'static str)>, Error> {
        let joined = workspace.snapshot()?;
        let mut locks = Vec::new();
        for operation in &self.operations {
            if let ItemOperation::Intent(operation) = operation
                && let Ok(place) = PlanPlace::of(workspace, &joined, operation)
                && let Ok(root) = place.root_in(&joined)
            {
                locks.extend(place.program_locks(&root));
            }
        }
        Ok(locks)
    }

    /// Writes the changes when they replace just these documents.
    fn attempt(
        &self,
        workspace: &Workspace,
        paths: &[String],
        gates: &[PathBuf],
    ) -> Result<WriteAttempt, Error> {
        let held: Vec<&str> = paths.iter().map(String::as_str).collect();
        let mut made = None;
        let mut needed = Vec::new();
        let chant = &workspace.parts.chant;
        let done = chant.change_together(&held, gates, |_| {
            let mut would_be = self.would_be.again(workspace)?;
            let operations = self.operations.iter().cloned();
            let ids = operations.map(|mut operation| would_be.apply(workspace, &mut operation));
            let ids = ids.collect::<Result<Vec<String>, Error>>()?;
            needed = would_be.replaced();
            if needed != paths {
                return Ok(None);
            }
            let steps = would_be.steps();
            made = Some((ids, would_be));
            Ok(Some(steps))
        })?;
        Ok(match made.filter(|_| done) {
            Some((ids, made)) => WriteAttempt::Done(ids, Box::new(made)),
            None => WriteAttempt::Needs(needed),
        })
    }
}

/// The outcome of an attempt to write.
enum WriteAttempt {
    /// All is written.
    Done(Vec<String>, Box<StagedWorkspace>),
    /// Nothing is, because other documents would be replaced.
    Needs(Vec<String>),
}

/// The key of the item that a change is about.
fn key_of(operation: &ItemOperation, id: &str) -> String {
    match operation {
        ItemOperation::Spec(_) => key::of_spec(id),
        ItemOperation::Ticket(_) => format!("tickets:{id}"),
        ItemOperation::Plan(_) => key::normal(&format!("vine:{id}")),
        ItemOperation::Feature(_) => key::normal(&format!("speckit:{id}")),
        ItemOperation::Intent(_) => id.to_owned(),
    }
}

fn shown(joined: &WorkspaceGraph, key: &str) -> Value {
    let node = joined.graph().find(key);
    let item = node.and_then(|node| joined.item(node));
    item.map(|item| whole(&item)).unwrap_or_default()
}
