//! Recovers runs after a crash, as far as processes, locks and records go. The caller decides what
//! that means for specs, branches and merges.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use super::WorkError;
use super::lock::{self, SpecLock};
use super::log_retention::LogRetention;
use super::process;
use super::process_tree::{self, ProcessTree};
use super::run_record::{BrokenRecord, MergeState, RunRecord};
use super::run_store::{RunStore, newest_tokens};
use super::state::{RunEvent, RunState};
use chant_store::StoreError;
use chant_store::disk::{self, Lock};

/// A run whose runner was found dead.
#[derive(Debug)]
pub struct DeadRun {
    /// Its record, whose state is now `lost` or that of a stop requested before.
    pub record: RunRecord,
    /// The spec's lock, for the recovery of the spec; `None` for a run above other runs.
    pub lock: Option<SpecLock>,
    /// The number of the agent's processes that were still running, and were ended.
    pub ended: usize,
}

/// The result of a recovery.
#[derive(Debug, Default)]
pub struct RecoveryReport {
    /// Runs that were found dead now.
    pub found: Vec<DeadRun>,
    /// Runs that were found dead before and that no newer run of their spec continued; the process
    /// that found them may have died before the spec was recovered.
    pub lost: Vec<RunRecord>,
    /// Runs whose work waits for approval or for a merge.
    pub waiting: Vec<RunRecord>,
    /// The number of removed locks of dead processes.
    pub removed: usize,
    /// The number of removed old records.
    pub pruned: usize,
    /// The number of logs that were removed because all together were too large or too many.
    pub pruned_logs: usize,
    /// Records that were not credible and were set aside.
    pub broken: Vec<BrokenRecord>,
    /// Recoveries that failed, in sentences; the others succeeded.
    pub problems: Vec<String>,
}

/// Recovers from dead processes: ends runs without a runner and their agents, and removes their
/// locks and records that are too old. A run counts as dead if its process is gone and its lock is
/// free. A run that cannot be recovered is reported and does not block the others.
///
/// # Errors
/// A `StoreError` when records or locks cannot be listed.
pub fn recover(runs: &RunStore) -> Result<RecoveryReport, WorkError> {
    let (records, broken) = runs.put_aside()?;
    let mut recovered = RecoveryReport {
        broken,
        ..RecoveryReport::default()
    };
    let working = records.iter().filter(|record| record.works_on_spec());
    let newest = newest_tokens(working);
    let is_newest = |record: &RunRecord| {
        newest
            .get(&*record.spec_id)
            .is_none_or(|&token| token <= record.token)
    };
    // A process that only checks a lock holds it for an instant; one that recovers holds many for long.
    let deadline = Instant::now() + lock::LOCK_WAIT;
    for record in &records {
        if record.state() != RunState::Completed && !runs.may_act(record)? {
            if !record.state().is_closed() && is_newest(record) {
                let name = &record.process_id;
                let why =
                    "the record that it is the newest run of its spec is gone; nothing was changed";
                recovered.problems.push(format!("Run '{name}': {why}"));
            }
            continue;
        }
        match record.state() {
            RunState::Running => match look_after(runs, record, deadline) {
                Ok(found) => recovered.found.extend(found),
                // Another process recovers it.
                Err(WorkError::Changed { .. }) => {}
                Err(error) => recovered.problems.push(error.to_string()),
            },
            RunState::Lost if is_newest(record) => recovered.lost.push(record.clone()),
            RunState::AwaitingMerge | RunState::AwaitingApproval => {
                recovered.waiting.push(record.clone());
            }
            _ => {}
        }
    }
    recovered.removed = remove_stale(runs)?;
    recovered.pruned = runs.prune(&records)?;
    recovered.pruned_logs = runs.prune_logs(&records, LogRetention::default())?;
    Ok(recovered)
}

/// Ends one run that is recorded as active, if its runner is dead.
fn look_after(
    runs: &RunStore,
    record: &RunRecord,
    deadline: Instant,
) -> Result<Option<DeadRun>, WorkError> {
    if record.runner().is_alive() {
        return Ok(None);
    }
    let lock = if record.has_agent() {
        match SpecLock::take_until(runs, &record.spec_id, deadline) {
            Err(WorkError::Held { .. }) => return Ok(None),
            taken => Some(taken?),
        }
    } else {
        None
    };
    let left = ProcessTree::left_by(record).end(
        runs,
        &record.process_id,
        process_tree::GRACE,
        process_tree::sleep_for,
    )?;
    // The caller completes a run whose work was merged, whatever was requested.
    let (event, reason) = match (record.merge.state, record.stop_requested) {
        // The run was stopped as requested.
        (MergeState::None | MergeState::Waiting, Some(why)) => (RunEvent::Stop(why), None),
        _ => (RunEvent::FindDead, Some(last_words(record))),
    };
    let mut dead = record.clone();
    dead.note_tree_end(left.is_certain);
    dead.services.clear();
    dead.change(event, reason, (runs.clock)())?;
    runs.reached("before-end-record")?;
    Ok(Some(DeadRun {
        record: runs.swap(&dead)?,
        lock,
        ended: left.count,
    }))
}

/// Describes the progress of a run according to its record.
fn last_words(record: &RunRecord) -> String {
    let step = match record {
        _ if record.merge.commit.is_some() => "after its work was merged",
        RunRecord { agent: Some(_), .. } => "after its agent was started",
        RunRecord {
            worktree: Some(_), ..
        } => "after its worktree was made",
        RunRecord {
            branch: Some(_), ..
        } => "after its branch was made",
        RunRecord {
            adopted_at: Some(_),
            ..
        } => "before anything was made for it",
        _ => "before its runner had started",
    };
    format!("The runner (PID {}) died {step}", record.pid)
}

/// Removes locks that no process holds and that name a dead process; returns their number.
fn remove_stale(runs: &RunStore) -> Result<usize, StoreError> {
    let Some(folder) = lock::folder(runs).filter(|folder| disk::exists(folder)) else {
        return Ok(0);
    };
    let mut removed = 0;
    for file in disk::names(&folder)? {
        let path = folder.join(&file.name);
        if file.is_folder || !file.name.ends_with(lock::ENDING) {
            continue;
        }
        // The lock is held meanwhile, so that no other process takes it.
        match Lock::try_take(&path) {
            Ok(Some(_lock)) if is_stale(runs, &path) => {
                disk::remove(&path)?;
                removed += 1;
            }
            Ok(_) | Err(StoreError::Missing { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(removed)
}

/// Returns true if the process that a file names is dead, as far as its text shows.
fn is_stale(runs: &RunStore, path: &Path) -> bool {
    let Ok((text, stamp)) = runs.disk.read_text(path, "") else {
        return false;
    };
    let mut words = text.split_whitespace();
    let Some(pid) = words.next().and_then(|word| word.parse().ok()) else {
        // A lock that is being taken is empty for an instant.
        return stamp.is_older_than(disk::ABANDONED, SystemTime::now());
    };
    let nanos = u64::try_from(stamp.modified).unwrap_or(0);
    let written = SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos);
    match words.next().and_then(|word| word.parse::<u64>().ok()) {
        Some(start) => !process::facts(pid).is_some_and(|now| now.start == start && now.lives()),
        None => !process::is_writer_alive(pid, written),
    }
}
