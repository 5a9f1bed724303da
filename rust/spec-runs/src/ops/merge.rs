//! Merges work at the wish of a person: work that waited, and work that a person went on with by hand.

use super::settle_aside;
use crate::error::SpecRunError;
use crate::project::ProjectRuns;
use crate::runtime::acting_change::agreement_to;
use crate::runtime::offline_work::{is_unshared, not_shared, share_offline_work};
use crate::runtime::{recovery, work_by_hand};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_base::next_step::{NextStep, hint};
use chant_specs::error::ChantError;
use chant_specs::model::Spec;
use chant_specs::project::Project;
use chant_work::process::ProcessIdentity;
use chant_work::run_record::{RunRecord, SINGLE};
use chant_work::run_store::RunStore;
use chant_work::state::RunState;

/// Judges and merges the work on a spec that waits for a merge, was paused or taken over, failed, or
/// needs attention; without an ID everything that waits. Nothing is believed that a run would not have
/// to prove. `agreed` stands for the change of what runs on this machine that a person was shown and said yes
/// to: it lands, and the folder is trusted with it if it was trusted before.
///
/// # Errors
/// As [`Project::resolve`]; that there is nothing to merge; why it could not be merged.
pub fn merge(project: &Project, id: Option<&str>, agreed: Option<&str>) -> Result<Answer, Error> {
    project.refuse_untrusted("merge")?;
    let runs = project.runs()?;
    let waited = waiting(&runs)?;
    recovery::look_at_requests(project, true)?;
    // What waited and need not any more is merged by that.
    recovery::recover_runs(project)?;
    let Some(id) = id else {
        recovery::merge_checked(project, None)?;
        let shared = share_all(project, &runs)?;
        settle_aside(project);
        return describe_merges(&runs, &waited, shared);
    };
    let snapshot = project.snapshot()?;
    let spec = project.resolve_to_edit(&snapshot, id)?;
    project.refuse_own(&spec.id, "merged")?;
    drop(snapshot);
    refuse_unapproved(&spec)?;
    recovery::merge_checked(project, Some(spec.id.as_str()))?;
    let newest = runs.newest_of(spec.id.as_str())?;
    let config = project.snapshot()?.config.clone()?;
    if let Some(record) = newest
        .as_ref()
        .filter(|record| is_unshared(&config, record))
    {
        if let Some(why) = share_offline_work(project, &runs, record)? {
            return Err(not_shared(spec.id.as_str(), &why));
        }
        settle_aside(project);
        return Ok(Answer::prose(describe_shared(spec.id.as_str())));
    }
    let left = newest.as_ref().filter(|_| agreed.is_none());
    if let Some(record) = left.filter(|record| !record.acting_change.is_empty()) {
        return Err(acts_anew(&spec, record).into());
    }
    let before = project.acting_now();
    let Some(record) = newest.clone().filter(|record| record.branch.is_some()) else {
        let message = format!("Spec '{}' has no run whose work could be merged.", spec.id);
        return Err(ChantError::Refused(message).into());
    };
    let record = match record.state() {
        // What was asked for is so; another process did it, or a look at the project.
        RunState::Completed if !waited.contains(&record.process_id) => {
            let text = format!("The work on spec '{}' is merged already.", spec.id);
            return Ok(Answer::prose(text));
        }
        RunState::AwaitingMerge | RunState::Completed => record,
        // A person learns first that the request was closed.
        _ if record.is_proposed() && waited.contains(&record.process_id) => record,
        _ => by_hand(project, &runs, &spec, agreed)?,
    };
    if record.state() != RunState::Completed && !record.acting_change.is_empty() {
        return Err(acts_anew(&spec, &record).into());
    }
    let change = newest
        .map(|record| record.acting_change)
        .unwrap_or_default();
    if agreed.is_some() && record.state() == RunState::Completed {
        project.renew_trust(&before, &change)?;
    }
    settle_aside(project);
    describe_merge(&spec, &record)
}

/// Shares all work that was done offline; returns what came of each, in sentences.
fn share_all(project: &Project, runs: &RunStore) -> Result<Vec<String>, Error> {
    let config = project.snapshot()?.config.clone()?;
    let (records, _) = runs.all()?;
    let mut said = Vec::new();
    for record in records.iter().filter(|record| is_unshared(&config, record)) {
        let shared = share_offline_work(project, runs, record);
        said.push(match shared {
            Ok(None) => describe_shared(&record.spec_id),
            Ok(Some(why)) => not_shared(&record.spec_id, &why).to_string(),
            Err(error) => error.to_string(),
        });
    }
    Ok(said)
}

fn describe_shared(spec_id: &str) -> String {
    format!("The work on '{spec_id}', done offline, has landed on the remote")
}

/// The refusal of work that would change what runs on this machine.
fn acts_anew(spec: &Spec, record: &RunRecord) -> SpecRunError {
    SpecRunError::ActsAnew {
        id: spec.id.to_string(),
        agreement: agreement_to(&record.acting_change),
        change: record.acting_change.clone(),
    }
}

/// Refuses to merge a spec that waits for approval, whatever its state (reference chant 4.4).
fn refuse_unapproved(spec: &Spec) -> Result<(), ChantError> {
    if spec.is_approved() {
        return Ok(());
    }
    let id = &spec.id;
    let message = format!("Spec '{id}' requires approval before its work is merged.");
    let hint = hint![
        "\nA person approves it with ",
        NextStep::Approve(id.to_string()),
        ", or rejects it with ",
        NextStep::Reject(id.to_string()),
        ".",
    ];
    Err(ChantError::Refused(message).advise(hint))
}

/// A run without an agent, in this process.
fn by_hand(
    project: &Project,
    runs: &RunStore,
    spec: &Spec,
    agreed: Option<&str>,
) -> Result<RunRecord, Error> {
    let draft = RunRecord::new(
        spec.id.as_str(),
        SINGLE,
        ProcessIdentity::own(),
        (runs.clock)(),
    );
    let record = runs.create_run(draft)?;
    work_by_hand::conclude_by_hand(project, &record.process_id, agreed)?;
    Ok(runs.get(&record.process_id)?)
}

fn describe_merge(spec: &Spec, record: &RunRecord) -> Result<Answer, Error> {
    let reason = record.reason.as_deref().unwrap_or_default();
    if record.state() != RunState::Completed {
        let message = format!(
            "Spec '{}' was not merged ({}): {reason}",
            spec.id,
            record.state()
        );
        return Err(ChantError::Refused(message).into());
    }
    let mut text = format!("Merged the work on '{}': it is completed", spec.id);
    if !reason.is_empty() {
        text.push_str(&format!("\n{reason}"));
    }
    Ok(Answer::prose(text))
}

/// The runs whose work waits for a merge.
fn waiting(runs: &RunStore) -> Result<Vec<String>, Error> {
    let (records, _) = runs.all()?;
    let waits = records
        .into_iter()
        .filter(|record| record.state() == RunState::AwaitingMerge);
    Ok(waits.map(|record| record.process_id).collect())
}

fn describe_merges(
    runs: &RunStore,
    waited: &[String],
    mut lines: Vec<String>,
) -> Result<Answer, Error> {
    for process_id in waited {
        let now = runs.get(process_id)?;
        let reason = now.reason.as_ref().map(|reason| format!(": {reason}"));
        lines.push(format!(
            "{}: {}{}",
            now.spec_id,
            now.state(),
            reason.unwrap_or_default()
        ));
    }
    if lines.is_empty() {
        return Ok(Answer::prose("Nothing waits for a merge."));
    }
    Ok(Answer::prose(lines.join("\n")))
}
