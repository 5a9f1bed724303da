//! The spec of a run: read again, and changed as the run goes on.

use std::sync::Arc;

use super::uncommitted_state;
use crate::leases::SpecLeases;
use crate::project::ProjectRuns;
use chant_base::error::Error;
use chant_base::next_step::hint;
use chant_specs::error::ChantError;
use chant_specs::model::{Spec, SpecStatus};
use chant_specs::ops::edit::{self, SpecDraft};
use chant_specs::project::{Project, ProjectSnapshot};
use chant_work::run_record::RunRecord;
use chant_work::runner::RunEnd;
use chant_work::state::RunEvent;

/// Changes a spec on which a run works; returns false if it is in none of these states any more,
/// because a user decided otherwise.
pub(crate) fn change_spec(
    project: &Project,
    spec_id: &str,
    from: &[SpecStatus],
    change: impl Fn(&mut SpecDraft) -> Result<(), Error>,
) -> Result<bool, Error> {
    let snapshot = project.snapshot()?;
    let spec = spec_of(&snapshot, spec_id)?;
    let mut is_changed = true;
    edit::change(
        project,
        snapshot,
        &spec,
        |_| false,
        |_, draft| {
            is_changed = from.contains(&draft.spec().status);
            if is_changed { change(draft) } else { Ok(()) }
        },
    )?;
    if is_changed {
        uncommitted_state::hide(project, spec_id);
    }
    Ok(is_changed)
}

/// Returns the spec of a run as it is now.
///
/// # Errors
/// `Unreadable`, or `NotFound` when its file is gone.
pub(super) fn spec_of(snapshot: &ProjectSnapshot, spec_id: &str) -> Result<Arc<Spec>, Error> {
    let spec = snapshot.specs.find(spec_id).cloned();
    spec.ok_or_else(|| match snapshot.specs.broken_of(spec_id) {
        Some(broken) => ChantError::unreadable(broken).into(),
        None => ChantError::NotFound {
            text: spec_id.to_owned(),
            hint: hint!["\nIts file was there when the run began."],
        }
        .into(),
    })
}

/// Shows the end of a run in its spec, unless a user decided otherwise about it meanwhile.
pub(crate) fn write_end_to_spec(
    project: &Project,
    record: &RunRecord,
    end: &RunEnd,
) -> Result<(), Error> {
    let status = match end.event {
        RunEvent::Doubt | RunEvent::AskApproval => SpecStatus::NeedsAttention,
        RunEvent::Fail => SpecStatus::Failed,
        _ => return Ok(()),
    };
    if is_overtaken(project, record)? {
        return uncommitted_state::give_back(project, &project.runs()?, record);
    }
    let from = [SpecStatus::InProgress];
    uncommitted_state::restore_of(project, &record.process_id)?;
    change_spec(project, &record.spec_id, &from, |draft| {
        draft.set_text("status", status.as_str())
    })?;
    Ok(())
}

/// Returns true if another clone has the spec of a run, or landed it, by the last look at the remote.
pub(crate) fn is_overtaken(project: &Project, record: &RunRecord) -> Result<bool, Error> {
    if record.lease.is_none() {
        return Ok(false);
    }
    let config = project.snapshot()?.config.clone()?;
    match SpecLeases::of(project, &config)? {
        Some(leases) => leases.is_overtaken(record),
        None => Ok(false),
    }
}

/// Returns the end of a run that was stopped while it was being judged; the process that stops it
/// records its end.
pub(super) fn stopped_end() -> RunEnd {
    RunEnd {
        event: RunEvent::Fail,
        reason: Some("The runner was asked to end".into()),
    }
}
