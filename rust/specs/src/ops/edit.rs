//! Changing a spec's text: keys one by one, the body in places, the result read again before it is
//! written.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use crate::error::ChantError;
use crate::model::{KEY_ORDER, Spec, SpecStatus};
use crate::parse;
use crate::project::{Project, ProjectSnapshot};
use chant_base::error::Error;
use chant_store::disk::{self, LOCK_TIMEOUT};
use chant_store::index::FileSource;
use chant_store::journal::ChangeStep;
use chant_text::edit::{self, Edit};
use chant_text::front_matter::{self, FrontMatterValue};

/// A spec's text while it is being changed.
pub struct SpecDraft {
    text: String,
    spec: Arc<Spec>,
}

impl SpecDraft {
    /// Begins with a text as it stands on disk.
    ///
    /// # Errors
    /// `Unreadable` when it is no spec.
    pub fn of(path: &str, text: &str) -> Result<Self, Error> {
        let spec = read(path, text)?;
        Ok(Self {
            text: text.to_owned(),
            spec,
        })
    }

    /// The spec as the text says now.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Sets a key, or takes it out.
    ///
    /// # Errors
    /// `EditError` when that cannot be done without risk.
    pub fn set(&mut self, key: &str, value: Option<FrontMatterValue>) -> Result<(), Error> {
        let text = front_matter::set(&self.text, key, value.as_ref(), &KEY_ORDER)?;
        self.take(text)
    }

    /// Sets a key to a text.
    ///
    /// # Errors
    /// As [`SpecDraft::set`].
    pub fn set_text(&mut self, key: &str, text: impl Into<String>) -> Result<(), Error> {
        self.set(key, Some(FrontMatterValue::Text(text.into())))
    }

    /// Gives it another text.
    ///
    /// # Errors
    /// What `change` gives, or `Unreadable` when the new text is no spec.
    pub fn rewrite(
        &mut self,
        change: impl FnOnce(&str) -> Result<String, Error>,
    ) -> Result<(), Error> {
        let text = change(&self.text)?;
        self.take(text)
    }

    /// Changes places of the body; ranges count from its first byte.
    ///
    /// # Errors
    /// `EditError` for edits that do not fit.
    pub fn edit_body(&mut self, edits: Vec<Edit>) -> Result<(), Error> {
        let start = self.spec.body_start;
        let moved =
            |edit: Edit| Edit::replace(edit.range.start + start..edit.range.end + start, edit.text);
        let edits: Vec<Edit> = edits.into_iter().map(moved).collect();
        let text = edit::apply(&self.text, &edits)?;
        self.take(text)?;
        if self.spec.body_start == start {
            return Ok(());
        }
        let why = "a body that begins with `---` would be read as front matter";
        Err(ChantError::Refused(why.into()).into())
    }

    fn take(&mut self, text: String) -> Result<(), Error> {
        self.spec = read(&self.spec.path, &text)?;
        self.text = text;
        Ok(())
    }

    /// The changed text.
    pub fn finish(self) -> String {
        self.text
    }
}

fn read(path: &str, text: &str) -> Result<Arc<Spec>, Error> {
    parse::document(path, FileSource::Text(text.to_owned()))
        .map_err(|broken| ChantError::unreadable(&broken).into())
}

/// Changes a spec on disk, decided on what is true under its lock, and completes along the specs
/// around it that only waited for it: all or none. Gives those.
///
/// `completes` says whether the change makes the spec, as it is now, a completed one.
///
/// # Errors
/// The refusals of `change_spec`, or a `StoreError`; every file is then as it was.
pub fn change(
    project: &Project,
    snapshot: ProjectSnapshot,
    spec: &Spec,
    completes: impl Fn(&Spec) -> bool,
    mut change_spec: impl FnMut(&ProjectSnapshot, &mut SpecDraft) -> Result<(), Error>,
) -> Result<Vec<Arc<Spec>>, Error> {
    let around = |snapshot: &ProjectSnapshot| match snapshot.specs.find(spec.id.as_str()) {
        Some(spec) if completes(spec) => completed_with(snapshot, spec),
        _ => Vec::new(),
    };
    let mut containers = around(&snapshot);
    // Kept any longer it would have to be copied when the next one differs.
    drop(snapshot);
    let now = project.clock.stamp();
    let deadline = Instant::now() + LOCK_TIMEOUT;
    while Instant::now() < deadline {
        let paths: Vec<&str> = std::iter::once(&*spec.path)
            .chain(containers.iter().map(|container| &*container.path))
            .collect();
        let mut needed = None;
        let done = project.change(&paths, |snapshot, texts| {
            let containers = around(snapshot);
            if !paths[1..]
                .iter()
                .copied()
                .eq(containers.iter().map(|c| &*c.path))
            {
                needed = Some(containers);
                return Ok(None);
            }
            let mut steps = Vec::new();
            for (path, text) in paths.iter().zip(texts) {
                let mut draft = SpecDraft::of(path, text)?;
                if *path == &*spec.path {
                    change_spec(snapshot, &mut draft)?;
                } else {
                    complete_container(&mut draft, &now)?;
                }
                let changed = draft.finish();
                if changed != **text {
                    steps.push(ChangeStep::Replace {
                        path: (*path).to_owned(),
                        text: changed,
                    });
                }
            }
            Ok(Some(steps))
        })?;
        if done {
            return Ok(containers);
        }
        containers = needed.unwrap_or_default();
    }
    Err(disk::busy(Path::new(&*spec.path), "kept changing").into())
}

/// Makes a container a completed one.
/// Ticks all criteria of a spec, as a person decided.
///
/// # Errors
/// `EditError` for edits that do not fit.
pub fn tick_all(draft: &mut SpecDraft) -> Result<(), Error> {
    let open = draft.spec().criteria.iter().filter(|one| !one.checked);
    let marks = open.map(|one| one.marker as usize + 1);
    let edits = marks
        .map(|mark| Edit::replace(mark..mark + 1, "x"))
        .collect();
    draft.edit_body(edits)
}

pub(super) fn complete_container(draft: &mut SpecDraft, now: &str) -> Result<(), Error> {
    draft.set_text("status", SpecStatus::Completed.as_str())?;
    draft.set_text("completed_at", now)?;
    if draft.spec().model.is_none() {
        draft.set_text("model", "auto-completed")?;
    }
    Ok(())
}

fn may_complete_itself(spec: &Spec) -> bool {
    matches!(
        spec.status,
        SpecStatus::Pending | SpecStatus::Blocked | SpecStatus::InProgress
    ) && spec.unchecked() == 0
}

/// Returns the specs around a member that are complete once it is, nearest first: not started or in progress,
/// without open criteria, not blocked, all their other members done (reference chant 4.6).
pub(super) fn completed_with(snapshot: &ProjectSnapshot, spec: &Spec) -> Vec<Arc<Spec>> {
    let specs = &snapshot.specs;
    let mut done: Vec<String> = vec![spec.id.to_string()];
    let mut containers = Vec::new();
    let mut inner = spec.id.clone();
    while let Some(container) = inner.parent().and_then(|id| specs.find(id)) {
        let is_done = |member: &Arc<Spec>| {
            member.status.is_done() || done.iter().any(|id| id == member.id.as_str())
        };
        let is_free = specs.status(container) != SpecStatus::Blocked;
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

/// Returns the lines that report which containers were completed along.
pub fn describe_completed(containers: &[Arc<Spec>]) -> String {
    containers
        .iter()
        .map(|container| format!("\nCompleted driver: {}", container.id))
        .collect()
}
