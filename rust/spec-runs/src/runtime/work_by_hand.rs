//! The end of work that a person continued, without an agent.

use super::completion_check::CompletionTerms;
use super::run_folder::RunFolder;
use super::spec_runner::{SpecRunner, conclude, go_on};
use super::spec_state::{change_spec, spec_of};
use crate::project::ProjectRuns;
use chant_base::error::Error;
use chant_specs::model::SpecStatus;
use chant_specs::project::Project;
use chant_work::cancel_token::CancelToken;
use chant_work::run_record::LeaseEntry;
use chant_work::runner::{ActiveRun, RunEnd};
use chant_work::state::{RunEvent, RunState};

/// Judges and lands the work of a run that was paused, taken over, failed, or needs attention, and
/// that a user continued: a run without an agent.
///
/// # Errors
/// As [`super::spec_runner::run_spec`].
pub(crate) fn conclude_by_hand(
    project: &Project,
    process_id: &str,
    agreed: Option<&str>,
) -> Result<RunState, Error> {
    let runs = project.runs()?;
    let interruption = CancelToken::new()?;
    let mut run = ActiveRun::adopt(&runs, process_id, &interruption)?;
    let terms = CompletionTerms {
        config: None,
        agreed: agreed.map(str::to_owned),
    };
    let end = by_hand(project, &mut run, &terms)
        .unwrap_or_else(|error| RunEnd::failed(error.to_string()));
    run.end(&end, None)?;
    go_on(project, runs.get(process_id)?.state());
    Ok(runs.get(process_id)?.state())
}

fn by_hand(
    project: &Project,
    run: &mut ActiveRun<'_>,
    terms: &CompletionTerms,
) -> Result<RunEnd, Error> {
    let repo = project.repository()?;
    let record = run.record().clone();
    let records = run.runs().of_spec(&record.spec_id)?;
    let earlier = records
        .iter()
        .filter(|other| other.token < record.token)
        .filter(|other| other.base.is_some())
        .max_by_key(|other| other.token);
    let Some(earlier) = earlier.cloned() else {
        return Ok(RunEnd::failed("No earlier run left a branch"));
    };
    let snapshot = project.snapshot()?;
    let spec = spec_of(&snapshot, &record.spec_id)?;
    SpecRunner::note_criteria(run, &spec)?;
    run.update(|record| {
        record.branch.clone_from(&earlier.branch);
        record.base.clone_from(&earlier.base);
        record.target.clone_from(&earlier.target);
        record.worktree.clone_from(&earlier.worktree);
        record.log.clone_from(&earlier.log);
        // It proposes its work again.
        record.lease = earlier.lease.clone().map(|lease| LeaseEntry {
            proposal: None,
            ..lease
        });
        Ok(())
    })?;
    let Some(place) = RunFolder::of(project, &repo, run.record())? else {
        return Ok(RunEnd::failed("No earlier run left a branch"));
    };
    let open = [
        SpecStatus::InProgress,
        SpecStatus::Failed,
        SpecStatus::NeedsAttention,
        SpecStatus::Paused,
    ];
    let is_open = change_spec(project, &record.spec_id, &open, |draft| {
        draft.set_text("status", SpecStatus::InProgress.as_str())
    })?;
    if !is_open {
        let earlier = run.runs().get(&earlier.process_id)?;
        return Ok(if earlier.state() == RunState::Completed {
            // Another process was faster.
            RunEnd {
                event: RunEvent::Merge,
                reason: Some("its work was merged already".into()),
            }
        } else {
            RunEnd::failed("The spec is not being worked on any more")
        });
    }
    conclude(project, run, &place, terms)
}
