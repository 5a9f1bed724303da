//! Stops a run from outside: asks it, then kills it, until none of its processes lives and its lock
//! is free.

use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process, kill_process_group};

use super::WorkError;
use super::lock::SpecLock;
use super::process::{self, ProcessIdentity};
use super::process_tree::{self, ProcessTree, TreeEnd};
use super::run_record::{MergeState, RunRecord};
use super::run_store::RunStore;
use super::state::{self, RunEvent, RunState, StopReason};

/// The time that a runner gets to end its agent and itself before it is killed.
pub const GRACE: Duration = Duration::from_secs(10);
/// The same time where the agent works on another machine: its worker has to answer.
pub const REMOTE_GRACE: Duration = Duration::from_secs(30);
/// The time to wait for a killed process, or for its lock.
const DYING: Duration = Duration::from_secs(5);

/// The outcomes for a runner that was to be stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunnerFate {
    /// It was dead before, or had not started.
    Gone,
    /// It ended when asked to.
    Ended,
    /// It was killed.
    Killed,
}

/// A run without living processes; its record has no end yet.
#[derive(Debug)]
pub struct StoppedRun {
    /// The record as it is now.
    pub record: RunRecord,
    /// The outcome for the runner.
    pub runner: RunnerFate,
    /// The number of the agent's processes that the runner did not end, so that they were ended
    /// here.
    pub ended: usize,
    /// The spec's lock, so that no other run starts before the spec records the stop; `None` for a
    /// run above other runs.
    pub lock: Option<SpecLock>,
    why: StopReason,
}

impl StoppedRun {
    /// Records the end, after the spec was changed, and releases the lock. A run whose work was
    /// merged before it could be stopped is completed.
    ///
    /// # Errors
    /// As [`RunStore::update`].
    pub fn end(self, runs: &RunStore, reason: Option<String>) -> Result<RunRecord, WorkError> {
        let why = self.why;
        self.end_with(runs, RunEvent::Stop(why), reason)
    }

    /// Records that the run failed: for the process that started it and got no hand-shake.
    ///
    /// # Errors
    /// As [`RunStore::update`].
    pub fn fail(self, runs: &RunStore, reason: String) -> Result<RunRecord, WorkError> {
        self.end_with(runs, RunEvent::Fail, Some(reason))
    }

    fn end_with(
        self,
        runs: &RunStore,
        event: RunEvent,
        reason: Option<String>,
    ) -> Result<RunRecord, WorkError> {
        runs.update(&self.record.process_id, |record| {
            let event = match record.merge.state {
                MergeState::Merged => RunEvent::Merge,
                MergeState::None | MergeState::Waiting => event,
            };
            // Before the lock was taken, a recovery may have found the runner dead and recorded
            // this stop.
            let is_done = record.stop_requested == Some(self.why)
                && state::next_state(RunState::Running, event) == Ok(record.state());
            if is_done {
                return Ok(());
            }
            Ok(record.change(event, reason.clone(), (runs.clock)())?)
        })
    }
}

/// Stops a run: requests the stop in its record, ends its runner, which ends its agent, and takes
/// the spec's lock. Only processes that certainly belong to the record are signalled.
///
/// # Errors
/// `NotRunning`, `Unending` when a process survives being killed, `Held` when another one has the
/// lock, or a `StoreError`. The request then stays in the record.
pub fn stop(
    runs: &RunStore,
    process_id: &str,
    why: StopReason,
    grace: Duration,
) -> Result<StoppedRun, WorkError> {
    stop_where(runs, process_id, why, grace, |_| Ok(()))
}

/// Stops a run that could not start, for the process that started it. If a stop was requested
/// already, the process that requested it records the end.
///
/// # Errors
/// As [`stop`]; `Stopped` when another process stops it.
pub fn stop_unbegun(
    runs: &RunStore,
    process_id: &str,
    grace: Duration,
) -> Result<StoppedRun, WorkError> {
    stop_where(
        runs,
        process_id,
        StopReason::Pause,
        grace,
        |record| match record.stop_requested {
            None => Ok(()),
            Some(_) => Err(WorkError::Stopped {
                process_id: process_id.to_owned(),
            }),
        },
    )
}

/// Requests the stop in the record, and no more: the run starts nothing else. [`stop`] ends it.
///
/// # Errors
/// `NotRunning`, or a `StoreError`.
pub fn request_stop(
    runs: &RunStore,
    process_id: &str,
    why: StopReason,
) -> Result<RunRecord, WorkError> {
    ask_where(runs, process_id, why, |_| Ok(()))
}

fn ask_where(
    runs: &RunStore,
    process_id: &str,
    why: StopReason,
    may: impl Fn(&RunRecord) -> Result<(), WorkError>,
) -> Result<RunRecord, WorkError> {
    runs.update(process_id, |record| match record.state() {
        RunState::Running => {
            may(record)?;
            record.stop_requested = Some(why);
            Ok(())
        }
        state => Err(WorkError::NotRunning {
            process_id: process_id.to_owned(),
            state,
        }),
    })
}

fn stop_where(
    runs: &RunStore,
    process_id: &str,
    why: StopReason,
    grace: Duration,
    may: impl Fn(&RunRecord) -> Result<(), WorkError>,
) -> Result<StoppedRun, WorkError> {
    let record = ask_where(runs, process_id, why, may)?;
    let grace = match record.asked.on {
        Some(_) => grace.max(REMOTE_GRACE),
        None => grace,
    };
    let (runner, with_it) = end_runner(runs, &record, grace)?;
    // The runner may have recorded its agent, and the end of its processes, since the record was read.
    let record = runs.get(process_id)?;
    let left = ProcessTree::left_by(&record).end(
        runs,
        process_id,
        process_tree::GRACE,
        process_tree::sleep_for,
    )?;
    let is_certain = left.is_certain || with_it.is_some_and(|tree| tree.is_certain);
    let record = runs.update(process_id, |record| {
        record.note_tree_end(is_certain);
        record.services.clear();
        Ok(())
    })?;
    let take = || SpecLock::take_until(runs, &record.spec_id, Instant::now() + DYING);
    let lock = record.has_agent().then(take).transpose()?;
    Ok(StoppedRun {
        record: runs.get(process_id)?,
        runner,
        ended: with_it.map_or(0, |tree| tree.count) + left.count,
        lock,
        why,
    })
}

/// Ends the runner that a record names, if it lives, and its descendants if it has to be killed.
fn end_runner(
    runs: &RunStore,
    record: &RunRecord,
    grace: Duration,
) -> Result<(RunnerFate, Option<TreeEnd>), WorkError> {
    let runner = record.runner();
    // A record that is not adopted yet may name the process that starts the run, which goes on; its
    // runner will see the request to stop.
    if record.adopted_at.is_none() || !runner.is_alive() {
        return Ok((RunnerFate::Gone, None));
    }
    runs.reached("before-term")?;
    signal(&runner, Signal::TERM);
    signal(&runner, Signal::CONT);
    runs.reached("after-term")?;
    if ends_within(&runner, grace) {
        return Ok((RunnerFate::Ended, None));
    }
    // While it lives, its orphans can be distinguished from others.
    let process_id = &record.process_id;
    let ended = ProcessTree::of(record).end(
        runs,
        process_id,
        process_tree::GRACE,
        process_tree::sleep_for,
    )?;
    runs.reached("before-kill")?;
    signal(&runner, Signal::KILL);
    runs.reached("after-kill")?;
    if ends_within(&runner, DYING) {
        return Ok((RunnerFate::Killed, Some(ended)));
    }
    Err(WorkError::Unending {
        process_id: record.process_id.clone(),
        pid: runner.pid,
    })
}

/// Signals the runner's group, which holds the programs it uses; the runner alone if it leads none.
fn signal(runner: &ProcessIdentity, signal: Signal) {
    let Some(pid) = process_tree::number(runner.pid).filter(|_| runner.is_alive()) else {
        return;
    };
    let leads = process::facts(runner.pid).is_none_or(|facts| facts.group == runner.pid);
    // The process may have ended meanwhile, which is the purpose.
    let _ = if leads {
        kill_process_group(pid, signal)
    } else {
        kill_process(pid, signal)
    };
}

/// Waits until a process ends; returns false if it does not in that time.
fn ends_within(process: &ProcessIdentity, bound: Duration) -> bool {
    let deadline = Instant::now() + bound;
    while process.is_alive() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        process_tree::wait_for(process, left);
    }
    true
}
