//! Handles a spec whose run was stopped, died, or has work that waits (the runtime's design,
//! "Recovery").

use std::cell::RefCell;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use super::approval::is_approved;
use super::completion_check::{CompletionCheck, CompletionTerms};
use super::completion_details::CompletionDetails;
use super::landing::RunLanding;
use super::run_folder::RunFolder;
use super::spec_state::{change_spec, spec_of, write_end_to_spec};
use super::split_copy::remove_copy;
use super::{COMPLAINTS, RUNNERS, agent_turn, conflict_spec, emptied_files, uncommitted_state};
use crate::kept_sessions::sweep_sessions;
use crate::leases::SpecLeases;
use crate::leases::last_look::SpecLooks;
use crate::project::ProjectRuns;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_git::Repo;
use chant_specs::error::ChantError;
use chant_specs::model::SpecStatus;
use chant_specs::project::Project;
use chant_store::disk;
use chant_work::WorkError;
use chant_work::cancel_token::CancelToken;
use chant_work::lock::SpecLock;
use chant_work::recovery;
use chant_work::run_record::{self, MergeState, RunRecord};
use chant_work::run_store::RunStore;
use chant_work::runner::RunEnd;
use chant_work::state::{RunEvent, RunState, StopReason};
use chant_work::stop::{self, StoppedRun};

/// The terms for a run that this process did not start: the present configuration, and no agreement
/// of a person.
const NOW: CompletionTerms = CompletionTerms {
    config: None,
    agreed: None,
};
/// The age after which no process waits any more for a runner to start.
const LONG_PAST: Duration = Duration::from_secs(10 * 60);
/// The time limit for a git in the folder of a run that is stopped: a person waits.
const STOPPING: Duration = Duration::from_secs(10);
/// The time to wait for another process that recovers a dead run.
const OTHERS: Duration = Duration::from_secs(5);

/// A run without living processes.
pub(crate) enum HaltOutcome {
    /// It was stopped, and its end must be recorded with [`StoppedRun::end`] when the spec is changed.
    Stopped(Box<StoppedRun>),
    /// Its work had been merged before it could be stopped; everything is recorded.
    Completed,
}

/// Stops a run. Work that was merged already is completed all the same.
///
/// # Errors
/// As [`stop::stop`], or a failure to write.
pub(crate) fn stop_run(
    project: &Project,
    runs: &RunStore,
    process_id: &str,
    why: StopReason,
) -> Result<HaltOutcome, Error> {
    let stopped = stop::stop(runs, process_id, why, stop::GRACE)?;
    let record = &stopped.record;
    remove_copy(project, record);
    agent_turn::keep_session(project, record);
    if let Some(repo) = project.repo()?
        && let Ok(Some(place)) = RunFolder::of(project, &repo, record)
    {
        // Commits that cannot be brought back now, or not soon, stay in the folder, and are fetched
        // again before they are judged.
        let place = place.limited(STOPPING);
        place
            .fetch_left(project, &repo)
            .log_failure("bring commits of the run back");
        place.hand_over(project, &repo);
    }
    let may_be_merged = record.merge.state == MergeState::Merged || !record.merge.begun.is_empty();
    // A run can be stopped without trust: merged work is then completed by the next recovery in a
    // trusted folder.
    let completes = may_be_merged && project.is_trusted();
    if let Some(lock) = stopped.lock.as_ref().filter(|_| completes) {
        let record = complete(project, runs, record, lock)?;
        if record.merge.state == MergeState::Merged {
            stopped.end(runs, None)?;
            return Ok(HaltOutcome::Completed);
        }
    }
    Ok(HaltOutcome::Stopped(Box::new(stopped)))
}

/// Returns the judge of a run without a running process: without `interruption` it does not run checks.
fn judge<'a>(
    project: &'a Project,
    runs: &'a RunStore,
    record: &RunRecord,
    place: &'a RunFolder,
    lock: &'a SpecLock,
    interruption: Option<&'a CancelToken>,
) -> CompletionCheck<'a> {
    CompletionCheck {
        project,
        runs,
        process_id: record.process_id.clone(),
        place,
        lock,
        interruption,
        terms: &NOW,
    }
}

/// Does the remaining steps of a landed merge, or continues an interrupted one.
fn complete(
    project: &Project,
    runs: &RunStore,
    record: &RunRecord,
    lock: &SpecLock,
) -> Result<RunRecord, Error> {
    let repo = project.repository()?;
    let Some(place) = RunFolder::of(project, &repo, record)? else {
        return Ok(record.clone());
    };
    if record.merge.state == MergeState::Merged {
        complete_landed(project, runs, record, &place, lock)?;
        return Ok(record.clone());
    }
    let judge = judge(project, runs, record, &place, lock, None);
    judge.land(CompletionDetails::of(&record.commits, record))?;
    Ok(runs.get(&record.process_id)?)
}

/// Does the remaining steps of a landed merge; returns the parts that were left in place.
fn complete_landed(
    project: &Project,
    runs: &RunStore,
    record: &RunRecord,
    place: &RunFolder,
    lock: &SpecLock,
) -> Result<Vec<String>, Error> {
    let repo = project.repository()?;
    refuse_unmerged(project, &repo, record, place)?;
    let landing = RunLanding {
        project,
        runs,
        repo: &repo,
        process_id: &record.process_id,
        place,
        lock,
        finish: CompletionDetails::of(&record.commits, record),
        original: None,
        agreed: None,
        checks: None,
        notes: RefCell::default(),
    };
    landing.complete()
}

/// Refuses a record of merged work if git disagrees: the commit is neither on the target here nor, where it landed
/// on a remote, on that of the last look.
fn refuse_unmerged(
    project: &Project,
    repo: &Repo,
    record: &RunRecord,
    place: &RunFolder,
) -> Result<(), Error> {
    let commit = record.merge.commit.as_deref();
    let is_there = |commit: &str| -> Result<bool, Error> {
        Ok(repo.is_on(commit, &place.target)? || has_landed_there(project, repo, record, commit)?)
    };
    if commit.map(is_there).transpose()? == Some(true) {
        return Ok(());
    }
    let message = format!(
        "its record says that its work was merged, but {} does not contain it; nothing was changed",
        place.target
    );
    Err(ChantError::Refused(message).into())
}

/// Returns true if a run's commit is on the target of its remote, by the last look.
fn has_landed_there(
    project: &Project,
    repo: &Repo,
    record: &RunRecord,
    commit: &str,
) -> Result<bool, Error> {
    let config = project.snapshot()?.config.clone()?;
    let Some(settings) = config.leases.as_ref().filter(|_| record.lease.is_some()) else {
        return Ok(false);
    };
    let Some(known) = SpecLooks::of(project, settings)?.known else {
        return Ok(false);
    };
    let target = &known.view.target;
    Ok(repo.has_object(target)? && repo.has_object(commit)? && repo.reaches(target, commit)?)
}

/// Recovers from dead runners, and continues work that waits for a merge (the runtime's design,
/// "Recovery"); returns the failures, in sentences.
///
/// # Errors
/// A `StoreError` when the records cannot be listed.
pub(crate) fn recover_runs(project: &Project) -> Result<Vec<String>, Error> {
    let Some(runs) = to_look_after(project) else {
        return Ok(Vec::new());
    };
    remove_complaints(&runs);
    let mut problems = emptied_files::make_all_again(project);
    uncommitted_state::restore_all(project, &runs);
    let recovered = recovery::recover(&runs)?;
    tracing::debug!(
        dead = recovered.found.len(),
        lost = recovered.lost.len(),
        waiting = recovered.waiting.len(),
        not_believed = recovered.broken.len(),
        "runs were looked at for recovery"
    );
    problems.extend(recovered.problems);
    problems.extend(recovered.broken.into_iter().map(|record| {
        format!(
            "{} is not believed, and is set aside: {}",
            record.path, record.why
        )
    }));
    let mut note = |record: &RunRecord, done: Result<(), Error>| {
        tracing::info!(run = %record.process_id, spec = %record.spec_id, is_done = done.is_ok(), "a run was recovered");
        if let Err(error) = done {
            problems.push(format!("Run '{}': {error}", record.process_id));
        }
    };
    for found in &recovered.found {
        let done = project.on_own(&found.record.spec_id, |own| {
            after_death(own, &runs, &found.record, found.lock.as_ref())
        });
        note(&found.record, done);
    }
    let unsettled = recovered
        .lost
        .iter()
        .filter(|record| record.settled_at.is_none());
    for record in unsettled {
        let settled = project.on_own(&record.spec_id, |own| settle_lost(own, &runs, record));
        note(record, settled);
    }
    for record in &recovered.waiting {
        if let Some(lock) = SpecLock::acquire_free(&runs, &record.spec_id)? {
            let merged = project.on_own(&record.spec_id, |own| {
                merge_waiting(own, &runs, record, &lock, None).map(drop)
            });
            note(record, merged);
        }
    }
    sweep_sessions(project).log_failure("remove kept sessions");
    if !project.holds_orders()
        && let Err(error) = conflict_spec::close_settled(project, &runs)
    {
        problems.push(format!("Conflicts that are settled: {error}"));
    }
    Ok(problems)
}

/// Merges the work of a spec, or all work, that waits for checks of what it is merged into: they are run now.
///
/// # Errors
/// The step that failed.
pub(crate) fn merge_checked(project: &Project, spec_id: Option<&str>) -> Result<(), Error> {
    let runs = project.runs()?;
    if !project.snapshot()?.config.clone()?.checks_merged_work() {
        return Ok(());
    }
    let interruption = CancelToken::new()?;
    let (records, _) = runs.all()?;
    let is_asked = |record: &&RunRecord| {
        record.state() == RunState::AwaitingMerge
            && spec_id.is_none_or(|spec_id| record.spec_id == spec_id)
    };
    for record in records.iter().filter(is_asked) {
        if let Some(lock) = SpecLock::acquire_free(&runs, &record.spec_id)? {
            project.on_own(&record.spec_id, |own| {
                merge_waiting(own, &runs, record, &lock, Some(&interruption)).map(drop)
            })?;
        }
    }
    Ok(())
}

/// Returns true for a run that waits until others merge its request.
fn awaits_request(record: &RunRecord) -> bool {
    record.state() == RunState::AwaitingMerge && record.is_proposed()
}

/// Looks at the remote where requests propose work of this clone, so that the next recovery knows what became of
/// them; `is_patient` waits for the remote, else it is looked at if that is due.
///
/// # Errors
/// A failure on this machine; a remote that does not answer is none.
pub(crate) fn look_at_requests(project: &Project, is_patient: bool) -> Result<(), Error> {
    let Some(runs) = to_look_after(project) else {
        return Ok(());
    };
    let (records, _) = runs.all()?;
    let config = project.snapshot()?.config.clone()?;
    if !records.iter().any(awaits_request) {
        return Ok(());
    }
    let Some(leases) = SpecLeases::of(project, &config)? else {
        return Ok(());
    };
    if is_patient {
        // A person wants to know now what the host says.
        for record in records.iter().filter(|record| awaits_request(record)) {
            ask_host_again(&runs, record)?;
        }
        leases.look().map(drop)
    } else {
        leases.look_if_due()
    }
}

/// Has the host asked about a request, however short ago it was.
fn ask_host_again(runs: &RunStore, record: &RunRecord) -> Result<(), Error> {
    runs.update(&record.process_id, |record| {
        let lease = record.lease.as_mut();
        if let Some(proposal) = lease.and_then(|lease| lease.proposal.as_mut()) {
            proposal.asked_at = None;
        }
        Ok(())
    })?;
    Ok(())
}

/// Ends the wait for a request because a person has the work on its spec go on: in the same branch, with a new
/// token.
///
/// # Errors
/// A failure to write.
pub(crate) fn reopen_request(project: &Project, spec_id: &str) -> Result<(), Error> {
    let runs = project.runs()?;
    let Some(record) = runs.newest_of(spec_id)?.filter(awaits_request) else {
        return Ok(());
    };
    let Some(_lock) = SpecLock::acquire_free(&runs, spec_id)? else {
        return Ok(());
    };
    let found = RunEnd {
        event: RunEvent::Doubt,
        reason: record
            .reason
            .as_ref()
            .map(|reason| format!("a person had the work go on; it was proposed by {reason}")),
    };
    write_end_to_spec(project, &record, &found)?;
    end(&runs, &record, &found)
}

/// Returns the runs of a project, if there are some and a person trusts it: in another folder runs
/// are neither recovered nor believed.
fn to_look_after(project: &Project) -> Option<RunStore> {
    // A repository that git refuses has no runs that could be recovered.
    let runs = project.runs().ok()?;
    (runs.has_records() && project.is_trusted()).then_some(runs)
}

/// Works as [`recover_runs`] before an act on one spec: waits, bounded, for another process that
/// recovers the spec's last run, and finishes the recovery if that process could not.
///
/// # Errors
/// As [`recover_runs`].
pub(crate) fn recover_for(project: &Project, spec_id: &str) -> Result<(), Error> {
    if !project.is_trusted() {
        return Ok(());
    }
    let runs = project.runs()?;
    let is_left = |record: RunRecord| match record.state() {
        RunState::Running => !record.runner().is_alive(),
        RunState::Lost => record.settled_at.is_none(),
        _ => false,
    };
    if !runs.newest_of(spec_id)?.is_some_and(is_left) {
        return Ok(());
    }
    match SpecLock::take_until(&runs, spec_id, Instant::now() + OTHERS) {
        Ok(lock) => drop(lock),
        // The act itself then reports the holder.
        Err(WorkError::Held { .. }) => return Ok(()),
        Err(error) => return Err(error.into()),
    }
    recover_runs(project).map(drop)
}

/// Removes files with runners' standard error if the process that started them died before reading
/// them.
fn remove_complaints(runs: &RunStore) {
    let Some(folder) = runs.state.read(RUNNERS) else {
        return;
    };
    for file in disk::names(&folder).unwrap_or_default() {
        let path = folder.join(&file.name);
        let is_old = |stamp: disk::FileStamp| stamp.is_older_than(LONG_PAST, SystemTime::now());
        if file.name.ends_with(COMPLAINTS) && disk::stamp(&path).is_some_and(is_old) {
            // A file that cannot be removed does no harm.
            disk::remove(&path).log_failure("remove the standard error of a runner");
        }
    }
}

/// Continues the recovery of a dead run that another process did not finish.
fn settle_lost(project: &Project, runs: &RunStore, record: &RunRecord) -> Result<(), Error> {
    if !record.works_on_spec() {
        return after_death(project, runs, record, None);
    }
    let Some(lock) = SpecLock::acquire_free(runs, &record.spec_id)? else {
        return Ok(());
    };
    // The process that held the lock until now may have finished it.
    let now = runs.get(&record.process_id)?;
    if now.state() == RunState::Lost && now.settled_at.is_none() {
        after_death(project, runs, &now, Some(&lock))?;
    }
    Ok(())
}

/// Handles the spec of a dead run; done once.
fn after_death(
    project: &Project,
    runs: &RunStore,
    record: &RunRecord,
    lock: Option<&SpecLock>,
) -> Result<(), Error> {
    remove_copy(project, record);
    agent_turn::keep_session(project, record);
    if let Some(lock) = lock.filter(|_| record.works_on_spec()) {
        match (record.state(), record.stop_requested) {
            (RunState::Lost, _) => after_loss(project, runs, record, lock)?,
            (_, Some(StopReason::Cancel)) => set(project, record, SpecStatus::Cancelled)?,
            (_, Some(StopReason::Reset)) => set(project, record, SpecStatus::Pending)?,
            _ => {}
        }
    }
    let now = run_record::stamp((runs.clock)());
    runs.update(&record.process_id, |record| {
        record.settled_at = Some(now.clone());
        Ok(())
    })?;
    Ok(())
}

fn set(project: &Project, record: &RunRecord, status: SpecStatus) -> Result<(), Error> {
    let from = [SpecStatus::InProgress];
    change_spec(project, &record.spec_id, &from, |draft| {
        draft.set_text("status", status.as_str())
    })?;
    Ok(())
}

fn after_loss(
    project: &Project,
    runs: &RunStore,
    record: &RunRecord,
    lock: &SpecLock,
) -> Result<(), Error> {
    let place = match project.repo()? {
        Some(repo) => RunFolder::of(project, &repo, record)?,
        None => None,
    };
    let lost = RunEnd::failed(record.reason.clone().unwrap_or_default());
    let has_work = record.agent.is_some() || !record.merge.begun.is_empty();
    let Some(place) = place.filter(|_| has_work) else {
        return write_end_to_spec(project, record, &lost);
    };
    if record.merge.state == MergeState::Merged {
        let left = complete_landed(project, runs, record, &place, lock)?;
        let landed = RunEnd {
            event: RunEvent::Merge,
            reason: None,
        };
        return end(runs, record, &landed.with_sentences(left));
    }
    let repo = project.repository()?;
    let mut judge = judge(project, runs, record, &place, lock, None);
    let found = if record.merge.begun.is_empty() {
        place
            .fetch_left(project, &repo)
            .and_then(|()| judge.conclude())
    } else {
        // It was proven, and its files may exist already.
        judge
            .land(CompletionDetails::of(&record.commits, record))
            .and_then(|found| write_end_to_spec(project, record, &found).map(|()| found))
    };
    let mut kept = Vec::new();
    if disk::exists(&place.worktree) {
        kept = place.hand_over(project, &repo);
    }
    // The judge shows it in the spec, too; the record of a failed one stays lost, with its last
    // step.
    match found {
        Ok(found) if found.event == RunEvent::Fail => Ok(()),
        Ok(found) => end(runs, record, &found.with_sentences(kept)),
        Err(error) => {
            write_end_to_spec(project, record, &lost)?;
            Err(error)
        }
    }
}

fn end(runs: &RunStore, record: &RunRecord, end: &RunEnd) -> Result<(), Error> {
    runs.update(&record.process_id, |record| {
        Ok(record.change(end.event, end.reason.clone(), (runs.clock)())?)
    })?;
    Ok(())
}

/// Tries to merge work that waited, if its obstacle may be gone; returns the state of the run then. Without
/// `interruption`, which ends checks, work that needs them first goes on waiting.
pub(crate) fn merge_waiting(
    project: &Project,
    runs: &RunStore,
    record: &RunRecord,
    lock: &SpecLock,
    interruption: Option<&CancelToken>,
) -> Result<RunState, Error> {
    // The process that held the lock until now may have merged it.
    let record = &runs.get(&record.process_id)?;
    let waited = record.state();
    if waited != RunState::AwaitingMerge && !is_approved(project, record)? {
        return Ok(waited);
    }
    let repo = project.repository()?;
    let Some(place) = RunFolder::of(project, &repo, record)? else {
        return Ok(record.state());
    };
    place.fetch(project, &repo)?;
    if is_still_blocked(&repo, record, &place)? {
        return Ok(record.state());
    }
    spec_of(&project.snapshot()?, &record.spec_id)?;
    if waited == RunState::AwaitingApproval {
        change_spec(
            project,
            &record.spec_id,
            &[SpecStatus::NeedsAttention],
            |draft| draft.set_text("status", SpecStatus::InProgress.as_str()),
        )?;
    }
    let judge = judge(project, runs, record, &place, lock, interruption);
    let mut found = judge.land(CompletionDetails::of(&record.commits, record))?;
    match found.event {
        RunEvent::Wait if waited == RunState::AwaitingMerge && found.reason == record.reason => {
            return Ok(waited);
        }
        RunEvent::Wait if waited == RunState::AwaitingMerge => {
            let now = runs.update(&record.process_id, |record| {
                record.reason.clone_from(&found.reason);
                Ok(())
            })?;
            return Ok(now.state());
        }
        RunEvent::Merge | RunEvent::Wait => {}
        _ => found.event = RunEvent::Doubt,
    }
    write_end_to_spec(project, record, &found)?;
    end(runs, record, &found)?;
    Ok(runs.get(&record.process_id)?.state())
}

fn is_still_blocked(repo: &Repo, record: &RunRecord, place: &RunFolder) -> Result<bool, Error> {
    if let Some(tried) = &record.merge.tried {
        let tips = (
            repo.branch_tip(&place.target)?,
            repo.branch_tip(&place.branch)?,
        );
        return Ok(tips == (Some(tried.old.clone()), Some(tried.new.clone())));
    }
    if record.merge.blocked_by.is_empty() {
        return Ok(false);
    }
    let worktrees = repo.worktrees()?.into_iter();
    let mut on_target = worktrees.filter(|tree| tree.branch.as_deref() == Some(&*place.target));
    let is_changed = |checkout: &Path| -> Result<bool, Error> {
        let changed = repo.uncommitted(checkout)?;
        Ok(record
            .merge
            .blocked_by
            .iter()
            .any(|path| changed.contains(path)))
    };
    on_target.try_fold(false, |blocked, tree| {
        Ok(blocked || (tree.path.exists() && is_changed(&tree.path)?))
    })
}
