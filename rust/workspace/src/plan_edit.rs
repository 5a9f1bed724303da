//! Edits of items of plans: found in the graph, decided on what the documents say under their locks.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use chant_base::error::Error;
use chant_plan_format::intent::EditIntent;
use chant_plan_store::{AppliedEdit, EditTarget, PlanRoot, StagedPlan};
use chant_store::disk::{self, LOCK_TIMEOUT};

use super::Workspace;
use super::error::WorkspaceError;
use super::formats;
use super::ops::resolve_item;
use super::workspace_graph::WorkspaceGraph;

/// An edit of an item of a plan.
#[derive(Debug, Clone)]
pub struct PlanOperation {
    /// What it is about: a name of an item; to add one, its parent, with a heading behind `#` perhaps, or the word of
    /// the format alone.
    pub name: String,
    /// The edits, all or none.
    pub intents: Vec<EditIntent>,
}

/// The outcome of an edit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanEditOutcome {
    /// The key of the item, of the new one where one was added.
    pub key: String,
    /// The places of changes: paths with lines counted from 1.
    pub changed: Vec<(String, usize)>,
    /// Sentences for who asked.
    pub notes: Vec<String>,
}

/// The unit and the item that an edit is about.
pub(super) struct PlanPlace {
    pub(super) word: &'static str,
    key: String,
    unit: Option<String>,
    item: Option<String>,
    intents: Vec<EditIntent>,
}

impl PlanPlace {
    /// # Errors
    /// `NotFound` or `Ambiguous` for a name, `Invalid` for an item of a format with tools of its own.
    pub(super) fn of(
        workspace: &Workspace,
        joined: &WorkspaceGraph,
        operation: &PlanOperation,
    ) -> Result<Self, WorkspaceError> {
        let name = operation.name.trim();
        let is_add = matches!(operation.intents.as_slice(), [EditIntent::Add { .. }]);
        if is_add && let Some(format) = formats::find(name) {
            return Ok(Self {
                word: format.scope().word,
                key: String::new(),
                unit: None,
                item: None,
                intents: operation.intents.clone(),
            });
        }
        let (item, heading) = match resolve_item(workspace, joined, name) {
            Err(error) if is_add => match name.rsplit_once('#') {
                Some((above, heading)) => {
                    let item = resolve_item(workspace, joined, above).map_err(|_| error)?;
                    (item, Some(heading))
                }
                None => return Err(error),
            },
            found => (found?, None),
        };
        let Some(entry) = item.plan_entry() else {
            return Err(WorkspaceError::Invalid {
                name: "item",
                given: item.key().to_owned(),
                expected: format!(
                    "an item of {}; {} has edits of its own",
                    words_of_plans().join(", "),
                    item.dialect()
                ),
            });
        };
        let mut intents = operation.intents.clone();
        for intent in &mut intents {
            if let EditIntent::Add { parent, .. } = intent {
                let id = &*entry.item().id;
                *parent = heading
                    .or(Some(id).filter(|id| !id.is_empty()))
                    .map(str::to_owned);
            }
        }
        Ok(Self {
            word: entry.scope.word,
            key: item.key().to_owned(),
            unit: Some(entry.unit().source.path.to_string()),
            item: Some(entry.item().name.to_string()),
            intents,
        })
    }

    /// Tries all edits on what is staged.
    ///
    /// # Errors
    /// What the format refuses.
    pub(super) fn apply(&self, staged: &mut StagedPlan, now: &str) -> Result<AppliedEdit, Error> {
        let mut all = AppliedEdit::default();
        for intent in &self.intents {
            let done = staged.apply(EditTarget {
                unit: self.unit.as_deref(),
                item: self.item.as_deref(),
                intent,
                now,
            })?;
            all.changed.extend(done.changed);
            all.notes.extend(done.notes);
            all.added = done.added.or(all.added);
        }
        Ok(all)
    }

    /// The plans of the format in a graph.
    ///
    /// # Errors
    /// `Invalid` where the folder has none of the format.
    pub(super) fn root_in(&self, joined: &WorkspaceGraph) -> Result<Arc<PlanRoot>, WorkspaceError> {
        let mut roots = joined.formats();
        let root = roots.find(|root| root.format.scope().word == self.word);
        root.cloned().ok_or_else(|| WorkspaceError::Invalid {
            name: "format",
            given: self.word.to_owned(),
            expected: "a format that this folder holds".into(),
        })
    }

    /// The key of the item after an edit.
    pub(super) fn key_after(&self, applied: &AppliedEdit) -> String {
        match &applied.added {
            Some(name) => format!("{}:{name}", self.word),
            None => self.key.clone(),
        }
    }
}

fn words_of_plans() -> Vec<&'static str> {
    formats::all()
        .into_iter()
        .map(|format| format.scope().word)
        .collect()
}

impl Workspace {
    /// Edits an item of a plan, or adds one. The documents that change are locked and read again; nothing is written
    /// unless the result reads as meant.
    ///
    /// # Errors
    /// `NotFound` or `Ambiguous` for a name; what the format refuses, or a `StoreError`. Nothing is changed then.
    pub fn edit_plan(&self, operation: &PlanOperation) -> Result<PlanEditOutcome, Error> {
        let deadline = Instant::now() + LOCK_TIMEOUT;
        loop {
            if let Some(done) = self.try_edit(operation)? {
                return Ok(done);
            }
            if Instant::now() > deadline {
                let path = PathBuf::from(&operation.name);
                return Err(disk::busy(&path, "kept changing").into());
            }
        }
    }

    fn try_edit(&self, operation: &PlanOperation) -> Result<Option<PlanEditOutcome>, Error> {
        let now = self.now();
        let decide = || -> Result<(PlanPlace, StagedPlan, AppliedEdit), Error> {
            let joined = self.snapshot()?;
            let place = PlanPlace::of(self, &joined, operation)?;
            let mut staged = StagedPlan::begin(place.root_in(&joined)?);
            let applied = place.apply(&mut staged, &now)?;
            Ok((place, staged, applied))
        };
        let (place, staged, applied) = decide()?;
        let paths: Vec<String> = staged
            .replaced()
            .iter()
            .map(|(path, _)| (*path).to_owned())
            .collect();
        let held: Vec<&str> = paths.iter().map(String::as_str).collect();
        let gates: Vec<PathBuf> = if staged.changes_folder() {
            vec![self.root.clone()]
        } else {
            Vec::new()
        };
        let is_alone = gates.is_empty();
        let mut outcome = Some((place, applied));
        let mut first = Some(staged);
        let done = self.parts.chant.change_together(&held, &gates, |texts| {
            let says = |staged: &StagedPlan| {
                let replaced = staged.replaced();
                replaced.len() == texts.len()
                    && replaced
                        .iter()
                        .zip(texts)
                        .all(|((_, before), text)| before == text)
            };
            // Names that are taken are those of now, too.
            if let Some(staged) = first.take().filter(|_| is_alone)
                && says(&staged)
            {
                return Ok(Some(staged.steps()));
            }
            let (place, staged, applied) = decide()?;
            outcome = Some((place, applied));
            let is_held = staged
                .replaced()
                .iter()
                .map(|(path, _)| *path)
                .eq(held.iter().copied());
            Ok((is_held && says(&staged)).then(|| staged.steps()))
        })?;
        let outcome = outcome.filter(|_| done);
        Ok(outcome.map(|(place, applied)| PlanEditOutcome {
            key: place.key_after(&applied),
            changed: applied
                .changed
                .iter()
                .map(|(path, line)| (path.to_string(), *line))
                .collect(),
            notes: applied.notes,
        }))
    }

    /// Returns the one format here that takes new items by its word alone.
    ///
    /// # Errors
    /// `Invalid` where there is none, or several.
    pub fn format_of_new_items(&self) -> Result<&'static str, Error> {
        let joined = self.snapshot()?;
        let words: Vec<&str> = joined
            .formats()
            .map(|root| root.format.scope().word)
            .collect();
        match words.as_slice() {
            [one] => Ok(one),
            _ => Err(WorkspaceError::Invalid {
                name: "parent",
                given: String::new(),
                expected: format!("an item, or one of {}", words.join(", ")),
            }
            .into()),
        }
    }
}
