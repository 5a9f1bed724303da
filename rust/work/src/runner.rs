//! The frame of a run, from the lock of its spec to the end in its record; the caller handles the
//! spec, its branch and its merge in between.
//!
//! The process that starts a run creates its record ([`RunStore::create_run`]), starts the runner as a
//! process of its own session with [`RUNNER`] in its environment, and waits for the hand-shake
//! ([`super::handshake::wait_for_handshake`]). Without one it stops what was started
//! ([`super::stop`]) and records that the run failed. The record names the runner from the start if
//! the runner was started first and waits for the record's name; otherwise it names the starting
//! process until the runner adopts it.

use std::time::{Duration, Instant};

use super::WorkError;
use super::agent::{self, AgentEnding, AgentJob, AgentObservers, AgentOutcome, AgentProcess};
use super::cancel_token::CancelToken;
use super::folder_observer::FolderObserver;
use super::handshake::{RepeatedStep, START_TIMEOUT, StartHandshake};
use super::launch;
use super::lock::SpecLock;
use super::mirror::LOGS;
use super::process::ProcessIdentity;
use super::process_tree::{self, ProcessTree};
use super::run_log::{LogHeader, RunLog, SecretMask};
use super::run_record::{self, AgentEntry, RunRecord};
use super::run_store::RunStore;
use super::spending::{SpendingLimits, UsageMeter};
use super::state::{RunEvent, RunState};
use super::usage::{DenialEntry, NextAttempt, UsageEntry};
use chant_agent_events::{AgentUsage, EventFormat, FailureCause};
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_base::run_variables::{MARK, RUNNER_VALUE};

/// The variable in a runner's environment, which says that it is no run's agent.
pub const RUNNER: (&str, &str) = (MARK, RUNNER_VALUE);

/// The steps of the dialect in a run.
pub trait RunSteps {
    /// Prepares branch, worktree and spec; returns the agent to start.
    ///
    /// # Errors
    /// The reason why the run cannot start.
    fn begin(&mut self, run: &mut ActiveRun<'_>) -> Result<AgentJob, Error>;

    /// Undoes the effects of `begin`, as far as that is right when no agent was started.
    fn give_up(&mut self, run: &mut ActiveRun<'_>, why: &str);

    /// Runs once the agent has started; nothing waits for it.
    fn under_way(&mut self, _run: &ActiveRun<'_>) {}

    /// Returns the folder to watch while the agent works.
    fn looking(&self) -> Option<FolderObserver<'_>> {
        None
    }

    /// Returns another start of the agent in the same run, if the one that ended did not take up what it was to go
    /// on with. It is no further try.
    ///
    /// # Errors
    /// A failure to record that.
    fn start_over(
        &mut self,
        _run: &mut ActiveRun<'_>,
        _ended: &AgentOutcome,
    ) -> Result<Option<AgentJob>, Error> {
        Ok(None)
    }

    /// Judges the agent's work, lands it, and changes the spec accordingly; returns the end of the
    /// run.
    ///
    /// Between its own steps it checks [`ActiveRun::is_asked_to_stop`] and returns early. It records a
    /// merge itself, as soon as it is done.
    ///
    /// # Errors
    /// The reason why it could not be decided; the run has then failed.
    fn conclude_run(
        &mut self,
        run: &mut ActiveRun<'_>,
        ended: &AgentOutcome,
    ) -> Result<RunEnd, Error>;
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEnd {
    /// The event that ends it.
    pub event: RunEvent,
    /// The reason.
    pub reason: Option<String>,
}

impl RunEnd {
    /// Returns a run that failed.
    pub fn failed(why: impl Into<String>) -> Self {
        Self {
            event: RunEvent::Fail,
            reason: Some(why.into()),
        }
    }

    /// Adds sentences to the reason, each on its own line.
    #[must_use]
    pub fn with_sentences(mut self, sentences: Vec<String>) -> Self {
        let lines: Vec<String> = self.reason.take().into_iter().chain(sentences).collect();
        self.reason = (!lines.is_empty()).then(|| lines.join("\n"));
        self
    }
}

/// A run in this process.
pub struct ActiveRun<'a> {
    runs: &'a RunStore,
    interruption: &'a CancelToken,
    record: RunRecord,
    /// The lock of the spec, held as long as the run lives; `None` for a run above other runs.
    lock: Option<SpecLock>,
    /// The hand-shake, until the start is reported.
    handshake: Option<StartHandshake>,
    /// The usage of agents that ended.
    used_before: AgentUsage,
    /// The limits of the run's usage.
    spending: SpendingLimits,
}

impl<'a> ActiveRun<'a> {
    /// Makes this process the runner of a record, with the lock of its spec.
    ///
    /// # Errors
    /// `Held`, `NotRunning`, `Stopped`, or a `StoreError`. If another process holds the lock, the
    /// run has failed, and its record says so.
    pub fn adopt(
        runs: &'a RunStore,
        process_id: &str,
        interruption: &'a CancelToken,
    ) -> Result<Self, WorkError> {
        let record = runs.get(process_id)?;
        check_begins(&record)?;
        let take = || SpecLock::acquire(runs, &record.spec_id);
        let lock = record.has_agent().then(take);
        let lock = lock.transpose().or_else(|error| {
            end_record(runs, process_id, &RunEnd::failed(error.to_string()), None)?;
            Err(error)
        })?;
        let own = ProcessIdentity::own();
        let record = runs.update(process_id, |record| {
            check_begins(record)?;
            record.pid = own.pid;
            record.pid_start.clone_from(&own.pid_start);
            record.boot_id.clone_from(&own.boot_id);
            record.adopted_at = Some(run_record::stamp((runs.clock)()));
            Ok(())
        })?;
        runs.reached("after-lock")?;
        Ok(Self {
            runs,
            interruption,
            record,
            lock,
            handshake: None,
            used_before: AgentUsage::default(),
            spending: SpendingLimits::default(),
        })
    }

    /// Returns the variable that marks processes of the run, for processes that are not started by
    /// the agent.
    pub fn mark(&self) -> (&'static str, String) {
        (MARK, ProcessTree::mark(&self.record))
    }

    /// Reports a step to the process that started the run, as long as it waits.
    pub fn step(&self, what: &str) {
        if let Some(handshake) = &self.handshake {
            handshake.step(what);
        }
    }

    /// Reports a step as [`ActiveRun::step`], and again as long as the answer is held.
    pub fn long_step(&self, what: &str) -> Option<RepeatedStep> {
        self.step(what);
        self.handshake.as_ref()?.repeat(what, START_TIMEOUT / 3)
    }

    /// Returns the runs of the project.
    pub fn runs(&self) -> &'a RunStore {
        self.runs
    }

    /// Returns the request to end this process.
    pub fn interruption(&self) -> &'a CancelToken {
        self.interruption
    }

    /// Returns the record as this process knows it.
    pub fn record(&self) -> &RunRecord {
        &self.record
    }

    /// Returns the lock of the spec, for steps that require it.
    pub fn lock(&self) -> Option<&SpecLock> {
        self.lock.as_ref()
    }

    /// Changes the record by a decision about its present content.
    ///
    /// # Errors
    /// As [`RunStore::update`].
    pub fn update(
        &mut self,
        change: impl FnMut(&mut RunRecord) -> Result<(), WorkError>,
    ) -> Result<&RunRecord, WorkError> {
        self.record = self.runs.update(&self.record.process_id, change)?;
        Ok(&self.record)
    }

    /// Returns true if the run should stop, by its record or by a signal.
    ///
    /// # Errors
    /// As [`RunStore::get`].
    pub fn is_asked_to_stop(&self) -> Result<bool, WorkError> {
        Ok(self.interruption.is_cancelled() || self.is_stop_requested()?)
    }

    fn is_stop_requested(&self) -> Result<bool, WorkError> {
        let now = self.runs.get(&self.record.process_id)?;
        Ok(now.stop_requested.is_some())
    }

    /// Marks a named moment, at which tests stop the process as a crash would.
    ///
    /// # Errors
    /// `StoreError::Stopped`.
    pub fn reached(&self, moment: &'static str) -> Result<(), WorkError> {
        Ok(self.runs.reached(moment)?)
    }

    /// Has an agent do one more job after the one that the run started with, and waits for its end.
    ///
    /// # Errors
    /// As [`agent::start`] and [`AgentProcess::wait`].
    pub fn ask(&mut self, job: AgentJob) -> Result<AgentOutcome, WorkError> {
        let (interruption, spending) = (self.interruption, job.plan.spending);
        let agent = self.start(job)?;
        let beside = AgentObservers {
            looking: None,
            meter: Some(UsageMeter::of(self.runs, &self.record, spending)),
        };
        let ended = agent.wait_beside(interruption, beside)?;
        self.note_report(&ended)?;
        Ok(ended)
    }

    /// Records what an agent that ended reported.
    fn note_report(&mut self, ended: &AgentOutcome) -> Result<(), WorkError> {
        let events = &ended.events;
        let used = self.used_before + events.usage;
        self.used_before = used;
        if !events.has_events && ended.cause.is_none() {
            return Ok(());
        }
        self.update(|record| {
            record.usage = (!used.is_unknown()).then(|| UsageEntry::from(used));
            record.denials = events.denials.iter().map(DenialEntry::from).collect();
            if let Some(agent) = &mut record.agent {
                agent.session.clone_from(&events.session);
                agent.reported_model.clone_from(&events.model);
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Waits for another try and records it; returns false if the run is stopped meanwhile.
    fn wait_to_try(&mut self, cause: FailureCause, delay: Duration) -> Result<bool, WorkError> {
        // Runs that met the same limit must not all come back at the same moment.
        let delay = delay.mul_f64(0.75 + fastrand::f64() / 2.0);
        let at = run_record::stamp((self.runs.clock)() + delay);
        let word = cause.as_str().replace('_', " ");
        self.update(|record| {
            let tried = record.next_try.as_ref().map_or(0, |last| last.tried) + 1;
            record.next_try = Some(NextAttempt {
                at: at.clone(),
                cause: cause.as_str().to_owned(),
                tried,
            });
            record.reason = Some(format!("{word}; next try at {at}"));
            Ok(())
        })?;
        let until = Instant::now() + delay;
        while !self.is_asked_to_stop()? {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                self.update(|record| {
                    record.reason = None;
                    Ok(())
                })?;
                return Ok(true);
            }
            launch::wait_for_any(std::iter::empty(), self.interruption, left)?;
        }
        Ok(false)
    }

    /// Records the cause why the agent did not do its work. Returns the end of the run, with the
    /// reason added if it is missing, or that the agent used more than its limit.
    fn explained(&mut self, ended: &AgentOutcome, end: RunEnd) -> Result<RunEnd, WorkError> {
        let mut reason = end.reason.unwrap_or_default();
        let mut add = |more: &str| {
            let between = if reason.is_empty() { "" } else { "; " };
            reason.push_str(&format!("{between}{more}"));
        };
        let cause = ended.cause.as_ref().map(|(cause, _)| *cause);
        let cause = cause.filter(|_| end.event == RunEvent::Fail);
        if let Some(why) = ended
            .explanation()
            .filter(|_| cause.is_some() && ended.is_success())
        {
            let mut letters = why.chars();
            let first = letters.next().unwrap_or_default().to_lowercase();
            add(&format!("{first}{}", letters.as_str()));
        }
        let limit = self
            .spending
            .reached(&self.used_before, &AgentUsage::default());
        if let Some(limit) = limit.filter(|_| !matches!(ended.ending, AgentEnding::Spent(_))) {
            add(&format!(
                "the agent used {limit}, which is reported after each turn only"
            ));
        }
        if cause.is_some() || self.record.next_try.is_some() {
            self.update(|record| {
                record.cause = cause.map(|cause| cause.as_str().to_owned());
                record.next_try = None;
                Ok(())
            })?;
        }
        Ok(RunEnd {
            event: end.event,
            reason: (!reason.is_empty()).then_some(reason),
        })
    }

    /// Starts the agent and records it.
    fn start(&mut self, job: AgentJob) -> Result<AgentProcess, WorkError> {
        let mask = SecretMask::new(&job.secrets)?;
        let argv: Vec<String> = job.argv.iter().map(|word| mask.apply(word)).collect();
        let spec_id = self.record.spec_id.clone();
        // People and other programs open the copy.
        let log = format!("{LOGS}/{spec_id}.log");
        let header = LogHeader {
            spec_id: &spec_id,
            prompt: &job.prompt,
            withheld: &job.withheld,
        };
        let output = RunLog::open(self.runs, &header, mask, job.limits.room)?;
        let output = output
            .read_by(job.reads)
            .keeping_stamps(job.plan.format == EventFormat::Placed);
        let mut entry = AgentEntry {
            name: job.name.clone(),
            model: job.model.clone(),
            argv,
            ..AgentEntry::default()
        };
        self.spending = job.plan.spending;
        let mut agent = agent::start(self.runs, &self.record, job, output)?;
        let tree = agent.entry();
        entry.pid = Some(agent.process().pid);
        entry.pid_start.clone_from(&agent.process().pid_start);
        self.update(|record| {
            record.agent = Some(entry.clone());
            record.process_tree = Some(tree.clone());
            record.log = Some(log.clone());
            Ok(())
        })?;
        Ok(agent)
    }

    /// Records the end of the run and releases the lock. If a stop was requested, the process that
    /// requested it records the end.
    ///
    /// # Errors
    /// As [`RunStore::update`].
    pub fn end(self, end: &RunEnd, exit_code: Option<i32>) -> Result<RunState, WorkError> {
        self.reached("before-end-record")?;
        end_record(self.runs, &self.record.process_id, end, exit_code)
    }
}

/// Runs a run to its end in this process, which does nothing else: adopts its record, starts it,
/// reports the start over the hand-shake, reads the agent's output, and concludes the run.
///
/// Returns the state of the run then: `Running` if the process that stops it records its end.
///
/// # Errors
/// The reason why the run could not start, which the hand-shake reported too, or could not be
/// ended.
pub fn run(
    runs: &RunStore,
    process_id: &str,
    handshake: StartHandshake,
    interruption: &CancelToken,
    steps: &mut dyn RunSteps,
) -> Result<RunState, WorkError> {
    process_tree::take_in_orphans();
    let mut run = match ActiveRun::adopt(runs, process_id, interruption) {
        Ok(run) => run,
        Err(error) => {
            handshake.refuse(&error.to_string());
            return Err(error);
        }
    };
    run.handshake = Some(handshake);
    let (mut run, agent, job) = begin(run, steps)?;
    run.reached("before-handshake")?;
    if let Some(handshake) = run.handshake.take() {
        handshake.ok();
    }
    steps.under_way(&run);
    let ended = match work(&mut run, agent, job, steps) {
        Ok(ended) => ended,
        Err(error) => {
            run.end(&RunEnd::failed(error.to_string()), None)?;
            return Err(error);
        }
    };
    let end = if run.is_stop_requested()? {
        // The process that requested the stop records it; this is only for a record that lacks it.
        run.update(|record| {
            record.next_try = None;
            Ok(())
        })?;
        RunEnd::failed(ended.to_string())
    } else {
        let end = steps.conclude_run(&mut run, &ended);
        let end = end.unwrap_or_else(|error| RunEnd::failed(error.to_string()));
        run.explained(&ended, end)?
    };
    run.end(&end, ended.exit_code)
}

/// Reads the agent's output until it ends. An agent that met a passing cause is started again after
/// a while, as often as its limit allows.
fn work(
    run: &mut ActiveRun<'_>,
    agent: AgentProcess,
    job: AgentJob,
    steps: &mut dyn RunSteps,
) -> Result<AgentOutcome, WorkError> {
    let (mut agent, mut job) = (agent, job);
    let delays = job.plan.delays.clone();
    let mut delays = delays.iter();
    loop {
        let beside = AgentObservers {
            looking: steps.looking(),
            meter: Some(UsageMeter::of(run.runs, &run.record, job.plan.spending)),
        };
        let ended = agent.wait_beside(run.interruption, beside);
        run.reached("after-agent-exit")?;
        let ended = ended?;
        run.note_report(&ended)?;
        if !run.is_asked_to_stop()?
            && let Some(other) = steps
                .start_over(run, &ended)
                .map_err(|error| WorkError::Step(error.to_string()))?
        {
            job = other;
            agent = run.start(job.clone())?;
            continue;
        }
        let Some(cause) = ended.passing_cause() else {
            return Ok(ended);
        };
        if let Some(allowance) = &job.plan.allowance
            && cause == FailureCause::RateLimit
        {
            let noted = allowance.note_rate_limit(run.runs);
            noted.log_failure("note a rate limit");
        }
        let limit =
            UsageMeter::of(run.runs, &run.record, job.plan.spending).limit(&run.used_before);
        let Some(delay) = delays.next().filter(|_| limit.is_none()) else {
            return Ok(ended);
        };
        if !run.wait_to_try(cause, *delay)? {
            return Ok(ended);
        }
        agent = run.start(job.clone())?;
    }
}

/// Starts the agent. A failure is recorded and reported by the hand-shake.
fn begin<'a>(
    mut run: ActiveRun<'a>,
    steps: &mut dyn RunSteps,
) -> Result<(ActiveRun<'a>, AgentProcess, AgentJob), WorkError> {
    let started = match steps.begin(&mut run) {
        Err(error) => Err(WorkError::Step(error.to_string())),
        Ok(_) if run.is_asked_to_stop()? => Err(WorkError::Stopped {
            process_id: run.record.process_id.clone(),
        }),
        Ok(job) => run.start(job.clone()).map(|agent| (agent, job)),
    };
    match started {
        Ok((agent, job)) => Ok((run, agent, job)),
        Err(error) => {
            let why = error.to_string();
            steps.give_up(&mut run, &why);
            let handshake = run.handshake.take();
            run.end(&RunEnd::failed(&why), None)?;
            // Reported last: the process that waits for it may start another run at once.
            if let Some(handshake) = handshake {
                handshake.refuse(&why);
            }
            Err(error)
        }
    }
}

fn check_begins(record: &RunRecord) -> Result<(), WorkError> {
    let process_id = record.process_id.clone();
    match (record.state(), record.stop_requested) {
        (RunState::Running, None) => Ok(()),
        (RunState::Running, Some(_)) => Err(WorkError::Stopped { process_id }),
        (state, _) => Err(WorkError::NotRunning { process_id, state }),
    }
}

/// Records the end of a run, unless a stop was requested.
fn end_record(
    runs: &RunStore,
    process_id: &str,
    end: &RunEnd,
    exit_code: Option<i32>,
) -> Result<RunState, WorkError> {
    let record = runs.update(process_id, |record| {
        record.exit_code = exit_code.or(record.exit_code);
        if record.stop_requested.is_none() {
            record.change(end.event, end.reason.clone(), (runs.clock)())?;
        }
        Ok(())
    })?;
    Ok(record.state())
}
