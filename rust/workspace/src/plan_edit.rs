//! Edits of items of plans: found in the graph, decided on what the documents say under their locks.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use chant_base::error::Error;
use chant_plan_format::intent::EditIntent;
use chant_plan_format::program_lock::{LockBase, LockTarget, ProgramLock};
use chant_plan_store::{AppliedEdit, EditTarget, PlanRoot, StagedPlan};
use chant_store::disk::{self, FolderLock, FolderLockRequest, LOCK_TIMEOUT};

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

    /// Returns true if an item is to be added.
    pub(super) fn adds(&self) -> bool {
        let mut intents = self.intents.iter();
        intents.any(|intent| matches!(intent, EditIntent::Add { .. }))
    }

    /// The locks that the format's own program takes for such an edit, each with the program's name.
    pub(super) fn program_locks(&self, root: &PlanRoot) -> Vec<(ProgramLock, &'static str)> {
        let target = if self.adds() {
            Some(LockTarget::NewItem)
        } else {
            let mut units = root.snapshot.units.iter();
            let unit = units.find(|unit| Some(&*unit.source.path) == self.unit.as_deref());
            unit.map(|unit| LockTarget::Unit(unit))
        };
        let Some(target) = target else {
            return Vec::new();
        };
        let locks = root.format.program_locks(&root.settings, target);
        let title = root.format.scope().title;
        locks.into_iter().map(|lock| (lock, title)).collect()
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
            if place.adds() {
                staged.avoid(self.names_in_branches(staged.root()));
            }
            let applied = place.apply(&mut staged, &now)?;
            Ok((place, staged, applied))
        };
        let (place, staged, applied) = decide()?;
        let _locks = self.take_program_locks(place.program_locks(staged.root()))?;
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

    /// Takes locks of other programs, each once and in one order.
    ///
    /// # Errors
    /// `Busy` or `Io`.
    pub(super) fn take_program_locks(
        &self,
        mut wanted: Vec<(ProgramLock, &'static str)>,
    ) -> Result<Vec<FolderLock>, Error> {
        wanted.sort_unstable();
        wanted.dedup();
        let deadline = Instant::now() + LOCK_TIMEOUT;
        let mut held = Vec::new();
        for (lock, program) in wanted {
            let base = match lock.base {
                LockBase::Root => self.root.clone(),
                LockBase::GitFolder => match self.parts.chant.repo()? {
                    Some(repo) => repo.common_dir().to_owned(),
                    None => continue,
                },
            };
            let base = disk::real(&base).unwrap_or(base);
            let request = FolderLockRequest {
                root: &base,
                folder: Path::new(&lock.folder),
                name: &lock.name,
                stale_after: lock.stale_after,
                program,
            };
            held.extend(FolderLock::take(&request, deadline)?);
        }
        Ok(held)
    }

    /// The names of numbered items that the branches of the repository hold.
    pub(super) fn names_in_branches(&self, root: &PlanRoot) -> Vec<Box<str>> {
        // A repository that cannot be read says nothing, and blocks no item.
        let (Some(name_of), Ok(Some(repo))) =
            (root.format.numbered_name(), self.parts.chant.repo())
        else {
            return Vec::new();
        };
        let mut names = Vec::new();
        for pattern in &root.format.layout(&root.settings).units {
            let folder = self.root.join(&pattern.folder);
            for file in repo.names_in_branches(&folder, "").unwrap_or_default() {
                let unit = pattern.unit_at(&format!("{}/{file}", pattern.folder));
                names.extend(unit.and_then(|unit| name_of(&unit.name)).map(Into::into));
            }
        }
        names
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
