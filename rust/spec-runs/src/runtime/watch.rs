//! The work of the daemon: it recovers from dead runners, tries failed work again when it is due,
//! and removes what is no longer needed (reference chant 5.21 to 5.23 and 6.10 R).
//!
//! It is optional: a run finishes its own work without it, and every opening of a project does the
//! same once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::agent_slots::is_full;
use super::start::begin_one;
use super::worktrees::remove_unneeded;
use super::{recovery, retries_of};
use crate::project::ProjectRuns;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_specs::error::ChantError;
use chant_specs::model::SpecStatus;
use chant_specs::project::{Project, ProjectSnapshot};
use chant_store::disk::AppendFile;
use chant_work::cancel_token::CancelToken;
use chant_work::handshake::StartHandshake;
use chant_work::run_record::{self, RunOptions, RunRecord};
use chant_work::run_store::RunStore;
use chant_work::state::RunState;
use chant_work::watch::{WatchAlarm, WatchLock, log_file};

/// The name of the copy of the daemon's log, beside those of the runs.
const LOG_FILE: &str = "watch";

/// Watches until it is asked to end, or until it had nothing to do for the configured time; with
/// `once` it checks a single time. `tell` gets each report, which also goes to the log.
///
/// # Errors
/// A refusal if another process watches already, which the hand-shake reports too, or a `StoreError`.
pub(crate) fn watch(
    project: &Arc<Project>,
    once: bool,
    handshake: Option<StartHandshake>,
    tell: &mut dyn FnMut(&str),
) -> Result<(), Error> {
    let runs = project.runs()?;
    let interruption = CancelToken::listening()?;
    let started = begin(project, &runs);
    let (_watching, mut alarm) = match started {
        Ok(started) => started,
        Err(error) => {
            if let Some(handshake) = handshake {
                handshake.refuse(&error.to_string());
            }
            return Err(error);
        }
    };
    let mut watch = RunWatcher::of(project, &runs, tell)?;
    watch.say("Watching");
    if let Some(handshake) = handshake {
        handshake.ok();
    }
    let mut busy = Instant::now();
    loop {
        let seen = watch.look();
        if once {
            return Ok(());
        }
        let settings = project.snapshot()?.config.unwrap_or_default().runs.watch;
        if seen.is_busy {
            busy = Instant::now();
        } else if busy.elapsed() >= settings.idle {
            watch.say("Nothing to do, so this ends");
            return Ok(());
        }
        let idle = settings
            .idle
            .saturating_sub(busy.elapsed())
            .max(Duration::from_millis(10));
        let most = seen
            .next
            .unwrap_or(settings.poll)
            .min(settings.poll)
            .min(idle);
        if !interruption.is_cancelled() {
            alarm.wait(&seen.running, &interruption, most)?;
        }
        if interruption.is_cancelled() {
            watch.say("Asked to end");
            return Ok(());
        }
    }
}

fn begin(project: &Project, runs: &RunStore) -> Result<(WatchLock, WatchAlarm), Error> {
    project.snapshot()?;
    let watching = WatchLock::acquire(runs)?
        .ok_or_else(|| ChantError::Refused("Watch is already running".into()))?;
    Ok((watching, WatchAlarm::of(runs)?))
}

/// The result of one check.
#[derive(Default)]
struct WatchScan {
    running: Vec<RunRecord>,
    /// True if a run is active or something is due later.
    is_busy: bool,
    /// The time until something is due.
    next: Option<Duration>,
}

struct RunWatcher<'a> {
    project: &'a Arc<Project>,
    runs: &'a RunStore,
    log: AppendFile,
    copy: Option<AppendFile>,
    tell: &'a mut dyn FnMut(&str),
    /// The failures of the last check, so that each is reported once.
    said: Vec<String>,
    /// The states of runs at the last check.
    stood: BTreeMap<String, RunState>,
    /// The times at which failed runs are tried again, by a clock that cannot be set.
    due: BTreeMap<String, Instant>,
}

impl<'a> RunWatcher<'a> {
    fn of(
        project: &'a Arc<Project>,
        runs: &'a RunStore,
        tell: &'a mut dyn FnMut(&str),
    ) -> Result<Self, Error> {
        let log = AppendFile::open_owned(&log_file(runs)?)?;
        Ok(Self {
            project,
            runs,
            log,
            copy: runs.mirror_log(LOG_FILE),
            tell,
            said: Vec::new(),
            stood: states_of(&runs.all()?.0),
            due: BTreeMap::new(),
        })
    }

    fn say(&mut self, what: &str) {
        let stamp = run_record::stamp((self.runs.clock)());
        let line: Vec<&str> = what.split_whitespace().collect();
        let line = format!("{stamp} {}\n", line.join(" "));
        // A log that cannot be written is no reason to stop watching.
        self.log
            .add(line.as_bytes())
            .log_failure("write the log of the watch");
        let _ = self.copy.as_mut().map(|copy| copy.add(line.as_bytes()));
        (self.tell)(what);
    }

    /// Checks once; a failure in one place does not affect the others.
    fn look(&mut self) -> WatchScan {
        let mut problems = Vec::new();
        if let Err(error) = recovery::look_at_requests(self.project, false) {
            problems.push(error.to_string());
        }
        match recovery::recover_runs(self.project) {
            Ok(found) => problems.extend(found),
            Err(error) => problems.push(error.to_string()),
        }
        let seen = self.see(&mut problems).unwrap_or_else(|error| {
            problems.push(error.to_string());
            WatchScan::default()
        });
        if !seen.is_busy {
            match remove_unneeded(self.project, |state| {
                matches!(state, None | Some("completed" | "cancelled"))
            }) {
                Ok(gone) => gone
                    .iter()
                    .for_each(|path| self.say(&format!("Removed {path}"))),
                Err(error) => problems.push(error.to_string()),
            }
        }
        for problem in &problems {
            if !self.said.contains(problem) {
                self.say(problem);
            }
        }
        self.said = problems;
        seen
    }

    fn see(&mut self, problems: &mut Vec<String>) -> Result<WatchScan, Error> {
        let (records, _) = self.runs.all()?;
        let snapshot = self.project.snapshot()?;
        let mut seen = WatchScan::default();
        self.say_changes(&records);
        self.due.retain(|run, _| self.stood.contains_key(run));
        for record in &records {
            match record.state() {
                RunState::Running => seen.running.push(record.clone()),
                RunState::AwaitingMerge => seen.is_busy = true,
                RunState::Failed | RunState::Lost if is_newest(record, &records) => {
                    let Some(delay) = self.time_to_retry(&snapshot, record, &records) else {
                        continue;
                    };
                    seen.is_busy = true;
                    if delay.is_zero() {
                        if let Err(error) = self.retry(&snapshot, record) {
                            problems
                                .push(format!("{} was not tried again: {error}", record.spec_id));
                        }
                    } else {
                        seen.next = Some(seen.next.map_or(delay, |next| next.min(delay)));
                    }
                }
                _ => {}
            }
        }
        seen.is_busy |= !seen.running.is_empty();
        Ok(seen)
    }

    /// Reports the runs that ended since the last check, also those that began since then.
    fn say_changes(&mut self, records: &[RunRecord]) {
        let before = std::mem::replace(&mut self.stood, states_of(records));
        for record in records {
            let state = record.state();
            let was = before.get(&record.process_id);
            if *was.unwrap_or(&RunState::Running) != state {
                let reason = record.reason.as_ref().map(|reason| format!(": {reason}"));
                let reason = reason.unwrap_or_default();
                self.say(&format!("Run {} is {state}{reason}", record.process_id));
            }
        }
    }

    /// Returns the time until failed work is tried again; `None` if it is not.
    ///
    /// The calendar decides only at the first check how much of the wait is over.
    fn time_to_retry(
        &mut self,
        snapshot: &ProjectSnapshot,
        record: &RunRecord,
        records: &[RunRecord],
    ) -> Option<Duration> {
        let config = snapshot.config.as_ref().ok()?;
        let is_crews = |parent: &String| {
            let orchestrator = records.iter().find(|other| other.process_id == *parent);
            orchestrator.is_some_and(|orchestrator| orchestrator.state() == RunState::Running)
        };
        let spec = snapshot.specs.find(&record.spec_id)?;
        let is_wanted = record.works_on_spec()
            && spec.status == SpecStatus::Failed
            && !record.parent.as_ref().is_some_and(is_crews);
        let tries = retries_of(self.project, config, record);
        if !is_wanted || record.attempt > tries {
            return None;
        }
        let ended: jiff::Timestamp = record.completed_at.as_ref()?.parse().ok()?;
        let since = (self.runs.clock)().duration_since(ended);
        let since = Duration::try_from(since).unwrap_or_default();
        let delay = config.runs.retries.delay(record.attempt);
        let name = record.process_id.clone();
        let due = self.due.entry(name);
        let due = *due.or_insert_with(|| Instant::now() + delay.saturating_sub(since));
        Some(due.saturating_duration_since(Instant::now()))
    }

    fn retry(&mut self, snapshot: &ProjectSnapshot, record: &RunRecord) -> Result<(), Error> {
        let Some(spec) = snapshot.specs.find(&record.spec_id) else {
            return Ok(());
        };
        let asked = RunOptions {
            fresh: false,
            ..record.asked.clone()
        };
        let started = begin_one(
            self.project,
            self.runs,
            &spec.id,
            asked,
            None,
            None,
            &mut |_| {},
        );
        let (started, runner) = match started {
            Err(error) if is_full(&error) => return Ok(()),
            started => started?,
        };
        runner.detach(|| ());
        self.say(&format!(
            "Tried {} again: run {}",
            spec.id, started.process_id
        ));
        Ok(())
    }
}

fn states_of(records: &[RunRecord]) -> BTreeMap<String, RunState> {
    let state = |record: &RunRecord| (record.process_id.clone(), record.state());
    records.iter().map(state).collect()
}

/// Returns true if no later run works on the same spec.
fn is_newest(record: &RunRecord, records: &[RunRecord]) -> bool {
    !records.iter().any(|other| {
        other.works_on_spec() && other.spec_id == record.spec_id && other.token > record.token
    })
}
