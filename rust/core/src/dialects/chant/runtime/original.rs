//! The run whose work a conflict spec settles: it is merged and completed together with that spec's
//! own.

use super::super::model::{Spec, SpecType, Status};
use super::super::project::Project;
use super::landing::Finish;
use super::settle::free_lock;
use super::workplace::Workplace;
use crate::error::Error;
use crate::git::Repo;
use crate::text::front_matter;
use crate::work::lock::SpecLock;
use crate::work::record::{MergeState, Record};
use crate::work::records::Runs;
use crate::work::runner::End;
use crate::work::state::{Event, State};

/// A run that waits for its merge because of a conflict, with its lock while that is being settled.
pub(super) struct Original {
    pub record: Record,
    pub place: Workplace,
    pub finish: Finish,
    _lock: SpecLock,
}

impl Original {
    /// Returns the run that waits for a conflict spec; `None` for other specs, and if it is merged
    /// already. The inner error gives the reason why the settled work must not be merged.
    ///
    /// # Errors
    /// A failure of git, or a `StoreError`.
    pub(in super::super) fn of(
        project: &Project,
        runs: &Runs,
        repo: &Repo,
        conflict: &Spec,
        branch: &str,
    ) -> Result<Result<Option<Self>, End>, Error> {
        let Some(id) = spec_of_conflict(conflict) else {
            return Ok(Ok(None));
        };
        let doubt = |reason: String| {
            Ok(Err(End {
                event: Event::Doubt,
                reason: Some(reason),
            }))
        };
        let Some(lock) = free_lock(runs, &id)? else {
            return Ok(Err(End {
                event: Event::Wait,
                reason: Some(format!(
                    "somebody looks after spec '{id}', whose conflict this settles; it goes on when they have ended"
                )),
            }));
        };
        // Only its record decides whether it waits: a landing that crashed may have written the
        // spec.
        let newest = runs.newest_of(&id)?;
        let Some(record) = newest.filter(|record| record.state() == State::AwaitingMerge) else {
            let status = project.snapshot()?.specs.find(&id).map(|spec| spec.status);
            if status == Some(Status::Completed) {
                return Ok(Ok(None));
            }
            let status = status.map_or("gone", Status::as_str);
            return doubt(format!(
                "the work on spec '{id}', whose conflict this settles, does not wait any more (the spec is {status}); nothing was merged"
            ));
        };
        let place = match Workplace::of(project, repo, &record) {
            Err(error @ Error::Chant(_)) => return doubt(error.to_string()),
            place => place?,
        };
        let Some(place) = place else {
            return Ok(Ok(None));
        };
        if !repo.is_merged(&place.branch, branch)? {
            return Ok(Err(End::failed(format!(
                "{branch} does not contain {}: the conflict is settled where both are merged",
                place.branch
            ))));
        }
        let finish = Finish::of(&record.commits, &record);
        Ok(Ok(Some(Self {
            record,
            place,
            finish,
            _lock: lock,
        })))
    }

    /// Records that it is merged.
    ///
    /// # Errors
    /// A `StoreError`.
    pub(in super::super) fn end(&self, runs: &Runs, commit: Option<&str>) -> Result<(), Error> {
        runs.update(&self.record.process_id, |record| {
            record.merge.state = MergeState::Merged;
            record.merge.commit = commit.map(str::to_owned);
            record.merge.blocked_by.clear();
            Ok(record.change(Event::Merge, None, (runs.clock)())?)
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
