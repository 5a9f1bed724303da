//! The state of a run in the file of its spec, kept out of a person's way: git takes the file for unchanged while
//! nothing else differs, so `git pull --rebase` and its like go on during a run and after a failed one.
//!
//! Git may put its own version into the place of such a file. What the run wrote is then written again.

use std::borrow::Cow;

use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_git::{Repo, StagedFile};
use chant_specs::approval;
use chant_specs::model::{Spec, SpecStatus};
use chant_specs::ops::edit::SpecDraft;
use chant_specs::project::Project;
use chant_work::run_record::{RunRecord, UncommittedState};
use chant_work::run_store::RunStore;
use chant_work::state::RunState;

use super::spec_state::{change_spec, spec_of};
use crate::project::ProjectRuns;

/// States that change again by themselves or by a person's next word; a final one is to be committed.
fn is_passing(status: SpecStatus) -> bool {
    !matches!(status, SpecStatus::Completed | SpecStatus::Cancelled)
}

/// Has git take the file of a spec for unchanged if only the state of a run differs. A file that cannot be hidden
/// shows as changed.
pub(super) fn hide(project: &Project, spec_id: &str) {
    hide_state(project, spec_id).log_failure("keep the state of a run out of git's sight");
}

fn hide_state(project: &Project, spec_id: &str) -> Result<(), Error> {
    if project.holds_orders() {
        return Ok(());
    }
    let Some(repo) = project.repo()? else {
        return Ok(());
    };
    let spec = spec_of(&project.snapshot()?, spec_id)?;
    let Some(versions) = SpecVersions::of(project, &repo, &spec)? else {
        return Ok(());
    };
    let path = project.root().join(&*spec.path);
    if versions.is_equal() {
        // Git believes the length that was noted for the hidden state, and would show the file as changed.
        let _act = repo.begin_act();
        repo.take_for_unchanged(&path, &versions.staged, versions.text.as_bytes())?;
        return Ok(());
    }
    if !is_passing(spec.status) || !versions.differ_in_state() {
        return Ok(());
    }
    let (Some(head_moves), Some(committed)) = (repo.head_moves(), versions.committed()) else {
        return Ok(());
    };
    let runs = project.runs()?;
    let Some(record) = runs.newest_of(spec_id)? else {
        return Ok(());
    };
    let text = versions.text.as_bytes();
    let _act = repo.begin_act();
    if !repo.take_for_unchanged(&path, &versions.staged, text)? {
        return Ok(());
    }
    let state = UncommittedState {
        status: spec.status.as_str().to_owned(),
        branch: spec.branch.as_deref().map(str::to_owned),
        asks_approval: spec.approval.is_some() && committed.spec().approval.is_none(),
        committed_status: committed.spec().status.as_str().to_owned(),
        head_moves,
    };
    note(&runs, &record, Some(&state))
}

/// Writes the state of a run again if git has put its own version of the spec there since. A version that a person
/// put there stays.
pub(super) fn restore(project: &Project, runs: &RunStore, record: &RunRecord) -> Result<(), Error> {
    let Some(state) = &record.uncommitted else {
        return Ok(());
    };
    if matches!(record.state(), RunState::Completed | RunState::Cancelled) {
        return Ok(());
    }
    let snapshot = project.snapshot()?;
    let Some(spec) = snapshot.specs.find(&record.spec_id).cloned() else {
        // On the branch that is checked out now there is no such spec.
        return Ok(());
    };
    if spec.status.as_str() == state.status {
        return Ok(());
    }
    let Some(repo) = project.repo()? else {
        return Ok(());
    };
    let versions = SpecVersions::of(project, &repo, &spec)?;
    let is_from_git = versions.is_some_and(|versions| {
        let committed = versions.committed();
        let status = committed.map(|committed| committed.spec().status.as_str());
        versions.is_equal() && status == Some(&state.committed_status)
    });
    if !is_from_git || repo.head_moves() == Some(state.head_moves) {
        return note(runs, record, None);
    }
    drop(snapshot);
    let is_written = change_spec(project, &record.spec_id, &[spec.status], |draft| {
        draft.set_text("status", &*state.status)?;
        if let Some(branch) = &state.branch {
            draft.set_text("branch", &**branch)?;
        }
        if state.asks_approval {
            draft.set("approval", Some(approval::request_value()))?;
        }
        Ok(())
    })?;
    if is_written {
        tracing::info!(spec = %record.spec_id, status = %state.status, "git had put its version of a spec there; the state of its run is written again");
    }
    Ok(())
}

/// Works as [`restore`] for a run by its id.
pub(super) fn restore_of(project: &Project, process_id: &str) -> Result<(), Error> {
    let runs = project.runs()?;
    restore(project, &runs, &runs.get(process_id)?)
}

/// Writes the states again that git has overwritten, of all specs.
pub(super) fn restore_all(project: &Project, runs: &RunStore) {
    restore_newest(project, runs).log_failure("write states again that git has overwritten");
}

fn restore_newest(project: &Project, runs: &RunStore) -> Result<(), Error> {
    let (records, _) = runs.all()?;
    let mut newest: Vec<&RunRecord> = Vec::new();
    for record in records.iter().filter(|record| record.works_on_spec()) {
        match newest
            .iter_mut()
            .find(|other| other.spec_id == record.spec_id)
        {
            Some(other) if other.token < record.token => *other = record,
            Some(_) => {}
            None => newest.push(record),
        }
    }
    newest
        .into_iter()
        .try_for_each(|record| restore(project, runs, record))
}

/// Puts the committed state of a spec back where nothing but the state of a run differs: another clone has the spec,
/// and says what becomes of it. What a person changed besides stays.
pub(crate) fn give_back(
    project: &Project,
    runs: &RunStore,
    record: &RunRecord,
) -> Result<(), Error> {
    if project.holds_orders() {
        return Ok(());
    }
    let Some(repo) = project.repo()? else {
        return Ok(());
    };
    let snapshot = project.snapshot()?;
    let Some(spec) = snapshot.specs.find(&record.spec_id).cloned() else {
        return Ok(());
    };
    let versions = SpecVersions::of(project, &repo, &spec)?;
    let versions = versions.filter(|versions| !versions.is_equal() && versions.differ_in_state());
    let Some(committed) = versions.as_ref().and_then(SpecVersions::committed) else {
        return note(runs, record, None);
    };
    drop(snapshot);
    change_spec(project, &record.spec_id, &[spec.status], |draft| {
        let known = committed.spec();
        draft.set_text("status", known.status.as_str())?;
        match &known.branch {
            Some(branch) => draft.set_text("branch", &**branch)?,
            None => draft.set("branch", None)?,
        }
        if known.approval.is_none() && draft.spec().approval.is_some() {
            draft.set("approval", None)?;
        }
        Ok(())
    })?;
    note(runs, record, None)
}

/// Forgets what git does not see of a spec: a person decided about its state.
pub(crate) fn forget(runs: &RunStore, spec_id: &str) -> Result<(), Error> {
    match runs.newest_of(spec_id)? {
        Some(record) if record.uncommitted.is_some() => note(runs, &record, None),
        _ => Ok(()),
    }
}

fn note(
    runs: &RunStore,
    record: &RunRecord,
    state: Option<&UncommittedState>,
) -> Result<(), Error> {
    runs.update(&record.process_id, |record| {
        record.uncommitted = state.cloned();
        Ok(())
    })?;
    Ok(())
}

/// A spec's file on disk and in git's index.
struct SpecVersions {
    path: String,
    text: String,
    staged: StagedFile,
}

impl SpecVersions {
    fn of(project: &Project, repo: &Repo, spec: &Spec) -> Result<Option<Self>, Error> {
        let path = project.root().join(&*spec.path);
        let Some(staged) = repo.staged_file(&path)? else {
            return Ok(None);
        };
        let (text, _) = project.disk.read_text(&path, &spec.path)?;
        Ok(Some(Self {
            path: spec.path.to_string(),
            text,
            staged,
        }))
    }

    fn staged_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.staged.content)
    }

    /// Returns true if both are the same, whatever line ends git writes into a checkout.
    fn is_equal(&self) -> bool {
        lines_of(&self.text) == lines_of(&self.staged_text())
    }

    /// Returns true if they differ in nothing but what a run writes.
    fn differ_in_state(&self) -> bool {
        let ours = self.without_state(&self.text);
        ours.is_some() && ours == self.without_state(&self.staged_text())
    }

    fn committed(&self) -> Option<SpecDraft> {
        SpecDraft::of(&self.path, &self.staged_text()).ok()
    }

    fn without_state(&self, text: &str) -> Option<String> {
        without_state(&self.path, text)
    }
}

/// Returns true if two texts of a spec differ in nothing but what a run writes.
pub(super) fn differ_in_state_alone(path: &str, one: &str, other: &str) -> bool {
    let one = without_state(path, one);
    one.is_some() && one == without_state(path, other)
}

fn without_state(path: &str, text: &str) -> Option<String> {
    let mut draft = SpecDraft::of(path, &lines_of(text)).ok()?;
    for key in ["status", "branch"] {
        draft.set(key, None).ok()?;
    }
    let approval = draft.spec().approval.as_ref();
    if approval.is_some_and(|approval| approval.by.is_none()) {
        draft.set("approval", None).ok()?;
    }
    Some(draft.finish())
}

fn lines_of(text: &str) -> String {
    text.replace("\r\n", "\n")
}
