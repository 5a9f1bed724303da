//! Changing a spec's text: keys one by one, the body in places, the result read again before it is
//! written.

use std::sync::Arc;

use super::super::error::ChantError;
use super::super::model::{Broken, Spec, Status};
use super::super::parse;
use super::super::project::{Project, Snapshot};
use crate::error::Error;
use crate::store::files;
use crate::store::index::Source;
use crate::store::journal::Step;
use crate::text::edit::{self, Edit};
use crate::text::front_matter::{self, Value};

/// The documented order of keys (reference chant 2.2): an absent key is put in its place in it.
pub(super) const KEY_ORDER: [&str; 32] = [
    "type",
    "status",
    "depends_on",
    "labels",
    "target_files",
    "context",
    "prompt",
    "branch",
    "commits",
    "completed_at",
    "model",
    "tracks",
    "informed_by",
    "origin",
    "schedule",
    "source_branch",
    "target_branch",
    "conflicting_files",
    "blocked_specs",
    "original_spec",
    "last_verified",
    "verification_status",
    "verification_failures",
    "replayed_at",
    "replay_count",
    "original_completed_at",
    "derived_fields",
    "approval",
    "members",
    "output_schema",
    "public",
    "retry_state",
];

/// A spec's text while it is being changed.
pub(super) struct Draft {
    text: String,
    spec: Spec,
}

impl Draft {
    /// Begins with a text as it stands on disk.
    ///
    /// # Errors
    /// `Unreadable` when it is no spec.
    pub(super) fn of(path: &str, text: &str) -> Result<Self, Error> {
        let spec = read(path, text)?;
        Ok(Self {
            text: text.to_owned(),
            spec,
        })
    }

    /// The spec as the text says now.
    pub(super) fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Sets a key, or takes it out.
    ///
    /// # Errors
    /// `EditError` when that cannot be done without risk.
    pub(super) fn set(&mut self, key: &str, value: Option<Value>) -> Result<(), Error> {
        let text = front_matter::set(&self.text, key, value.as_ref(), &KEY_ORDER)?;
        self.take(text)
    }

    /// Sets a key to a text.
    ///
    /// # Errors
    /// As [`Draft::set`].
    pub(super) fn set_text(&mut self, key: &str, text: impl Into<String>) -> Result<(), Error> {
        self.set(key, Some(Value::Text(text.into())))
    }

    /// Changes places of the body; ranges count from its first byte.
    ///
    /// # Errors
    /// `EditError` for edits that do not fit.
    pub(super) fn edit_body(&mut self, edits: Vec<Edit>) -> Result<(), Error> {
        let start = self.spec.body_start;
        let moved =
            |edit: Edit| Edit::replace(edit.range.start + start..edit.range.end + start, edit.text);
        let edits: Vec<Edit> = edits.into_iter().map(moved).collect();
        let text = edit::apply(&self.text, &edits)?;
        self.take(text)
    }

    fn take(&mut self, text: String) -> Result<(), Error> {
        self.spec = read(&self.spec.path, &text)?;
        self.text = text;
        Ok(())
    }

    /// The changed text.
    pub(super) fn finish(self) -> String {
        self.text
    }
}

fn read(path: &str, text: &str) -> Result<Spec, Error> {
    parse::document(path, Source::Text(text.to_owned()))
        .map_err(|broken| unreadable(&broken).into())
}

/// The error for a file that is no spec.
pub(super) fn unreadable(broken: &Broken) -> ChantError {
    let line = broken
        .problem
        .line
        .map(|line| format!(":{line}"))
        .unwrap_or_default();
    ChantError::Unreadable {
        id: broken.id.to_string(),
        place: format!("{}{line}", broken.problem.path),
        message: broken.problem.message.clone(),
    }
}

/// Changes one spec on disk, deciding on its text as it is under its lock.
///
/// # Errors
/// What `change` refuses, or a `StoreError`; the file is then as it was.
pub(super) fn change(
    project: &Project,
    spec: &Spec,
    mut change: impl FnMut(&mut Draft) -> Result<(), Error>,
) -> Result<(), Error> {
    files::edit(
        &project.disk,
        &project.root,
        &spec.path,
        |text| -> Result<String, Error> {
            let mut draft = Draft::of(&spec.path, text)?;
            change(&mut draft)?;
            Ok(draft.finish())
        },
    )?;
    Ok(())
}

/// Changes a spec that becomes completed and completes the specs around it that only waited for it,
/// all or none.
///
/// # Errors
/// As [`change`].
pub(super) fn change_and_complete(
    project: &Project,
    spec: &Spec,
    containers: &[Arc<Spec>],
    mut change_spec: impl FnMut(&mut Draft) -> Result<(), Error>,
) -> Result<(), Error> {
    if containers.is_empty() {
        return change(project, spec, change_spec);
    }
    let state = project.state()?;
    let all: Vec<&Spec> = std::iter::once(spec)
        .chain(containers.iter().map(|c| &**c))
        .collect();
    let paths: Vec<&str> = all.iter().map(|spec| &*spec.path).collect();
    let now = project.clock.stamp();
    project
        .journal(&state)
        .change(&paths, |texts| -> Result<Vec<Step>, Error> {
            let mut steps = Vec::new();
            for (at, (one, text)) in all.iter().zip(texts).enumerate() {
                let mut draft = Draft::of(&one.path, text)?;
                if at == 0 {
                    change_spec(&mut draft)?;
                } else if may_complete_itself(draft.spec()) {
                    complete_container(&mut draft, &now)?;
                }
                let changed = draft.finish();
                if changed != **text {
                    steps.push(Step::Replace {
                        path: one.path.to_string(),
                        text: changed,
                    });
                }
            }
            Ok(steps)
        })
}

fn complete_container(draft: &mut Draft, now: &str) -> Result<(), Error> {
    draft.set_text("status", Status::Completed.as_str())?;
    draft.set_text("completed_at", now)?;
    if draft.spec().model.is_none() {
        draft.set_text("model", "auto-completed")?;
    }
    Ok(())
}

fn may_complete_itself(spec: &Spec) -> bool {
    matches!(
        spec.status,
        Status::Pending | Status::Blocked | Status::InProgress
    ) && spec.unchecked() == 0
}

/// The specs around a member that are complete once it is, nearest first: not begun or in progress,
/// without open criteria, not blocked, all their other members done (reference chant 4.6).
pub(super) fn completed_with(snapshot: &Snapshot, spec: &Spec) -> Vec<Arc<Spec>> {
    let specs = &snapshot.specs;
    let mut done: Vec<String> = vec![spec.id.to_string()];
    let mut containers = Vec::new();
    let mut inner = spec.id.clone();
    while let Some(container) = inner.parent().and_then(|id| specs.find(id)) {
        let is_done = |member: &Arc<Spec>| {
            member.status.is_done() || done.iter().any(|id| id == member.id.as_str())
        };
        let is_free = specs.status(container) != Status::Blocked;
        if !may_complete_itself(container) || !is_free || !specs.members(&container.id).all(is_done)
        {
            break;
        }
        done.push(container.id.to_string());
        inner = container.id.clone();
        containers.push(container.clone());
    }
    containers
}

/// The lines that tell which containers were completed along.
pub(super) fn told(containers: &[Arc<Spec>]) -> String {
    containers
        .iter()
        .map(|container| format!("\nCompleted driver: {}", container.id))
        .collect()
}
