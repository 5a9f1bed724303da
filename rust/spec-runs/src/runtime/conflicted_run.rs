//! The run whose work a conflict spec settles: it is merged and completed together with that spec's
//! own.

use super::completion_details::CompletionDetails;
use super::run_folder::RunFolder;
use chant_base::error::Error;
use chant_git::Repo;
use chant_specs::error::ChantError;
use chant_specs::model::{Spec, SpecStatus, SpecType};
use chant_specs::project::Project;
use chant_text::front_matter;
use chant_work::lock::SpecLock;
use chant_work::run_record::{MergeEntry, MergeState, RunRecord};
use chant_work::run_store::RunStore;
use chant_work::runner::RunEnd;
use chant_work::state::{RunEvent, RunState};

/// A run that waits for its merge because of a conflict, with its lock while that is being settled.
pub(super) struct ConflictedRun {
    pub record: RunRecord,
    pub place: RunFolder,
    pub finish: CompletionDetails,
    _lock: SpecLock,
}

/// The result of the search for the run whose conflict a spec settles.
pub(crate) enum ConflictSearch {
    /// There is none, or its work is merged.
    None,
    /// It waits.
    Waits(Box<ConflictedRun>),
    /// The settled work must not be merged: the end of its own run.
    Unmergeable(RunEnd),
}

impl ConflictedRun {
    /// Searches for the run that waits for a conflict spec.
    ///
    /// # Errors
    /// A failure of git, or a `StoreError`.
    pub(crate) fn of(
        project: &Project,
        runs: &RunStore,
        repo: &Repo,
        conflict: &Spec,
        branch: &str,
    ) -> Result<ConflictSearch, Error> {
        let Some(id) = spec_of_conflict(conflict) else {
            return Ok(ConflictSearch::None);
        };
        let doubt = |reason: String| {
            Ok(ConflictSearch::Unmergeable(RunEnd {
                event: RunEvent::Doubt,
                reason: Some(reason),
            }))
        };
        let Some(lock) = SpecLock::acquire_free(runs, &id)? else {
            return Ok(ConflictSearch::Unmergeable(RunEnd {
                event: RunEvent::Wait,
                reason: Some(format!(
                    "somebody looks after spec '{id}', whose conflict this settles; it goes on when they have ended"
                )),
            }));
        };
        // Only its record decides whether it waits: a landing that crashed may have written the
        // spec.
        let newest = runs.newest_of(&id)?;
        let Some(record) = newest.filter(|record| record.state() == RunState::AwaitingMerge) else {
            let status = project.snapshot()?.specs.find(&id).map(|spec| spec.status);
            if status == Some(SpecStatus::Completed) {
                return Ok(ConflictSearch::None);
            }
            let status = status.map_or("gone", SpecStatus::as_str);
            return doubt(format!(
                "the work on spec '{id}', whose conflict this settles, does not wait any more (the spec is {status}); nothing was merged"
            ));
        };
        let place = match RunFolder::of(project, repo, &record) {
            Err(error) if error.is::<ChantError>() => return doubt(error.to_string()),
            place => place?,
        };
        let Some(place) = place else {
            return Ok(ConflictSearch::None);
        };
        if !repo.is_merged(&place.branch, branch)? {
            return Ok(ConflictSearch::Unmergeable(RunEnd::failed(format!(
                "{branch} does not contain {}: the conflict is settled where both are merged",
                place.branch
            ))));
        }
        let finish = CompletionDetails::of(&record.commits, &record);
        Ok(ConflictSearch::Waits(Box::new(Self {
            record,
            place,
            finish,
            _lock: lock,
        })))
    }

    /// Records that it is merged, by a landing; `kept` is the ref that keeps its own commits.
    ///
    /// # Errors
    /// A `StoreError`.
    pub(crate) fn end(
        &self,
        runs: &RunStore,
        merge: &MergeEntry,
        kept: Option<&str>,
    ) -> Result<(), Error> {
        runs.update(&self.record.process_id, |record| {
            record.merge.state = MergeState::Merged;
            record.merge.commit.clone_from(&merge.commit);
            record.merge.landed.clone_from(&merge.landed);
            record.merge.kept = kept.map(str::to_owned);
            record.merge.blocked_by.clear();
            Ok(record.change(RunEvent::Merge, None, (runs.clock)())?)
        })?;
        Ok(())
    }
}

/// Returns the spec whose work is in conflict, as a conflict spec names it.
pub(super) fn spec_of_conflict(conflict: &Spec) -> Option<String> {
    if conflict.kind != SpecType::Conflict {
        return None;
    }
    let named = front_matter::read_key::<Option<String>>(conflict.yaml(), "original_spec");
    named.ok().flatten().flatten()
}
