//! Orchestrates several runs: a chain, several at once, or the members of a driver (the runtime's
//! design, "Scheduling").
//!
//! Each spec has a runner of its own, so that a failure of this process affects none of them.

mod attempts;
mod claims;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::attempts::{AttemptFailure, AttemptHistory};
use self::claims::{WaitingClaims, clone_name, describe_hindrance};
use super::agent_slots::{AgentSlots, is_full, most_at_once, takes_turns};
use super::conflict_forecast::ConflictForecast;
use super::start::{begin_one, plan};
use super::{recovery, retries_of};
use crate::agents::workers::{AgentWorker, workers};
use crate::error::SpecRunError;
use crate::item_order;
use crate::schedule::SpecSchedule;
use crate::start::{StartOptions, StartTarget, WorkMode};
use chant_agent_events::FailureCause;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_config::Config;
use chant_specs::id::SpecId;
use chant_specs::project::Project;
use chant_work::WorkError;
use chant_work::cancel_token::CancelToken;
use chant_work::handshake::StartHandshake;
use chant_work::launch::{self, LaunchedRunner};
use chant_work::run_record::{RunOptions, RunRecord};
use chant_work::run_store::RunStore;
use chant_work::runner::{ActiveRun, RunEnd};
use chant_work::state::{RunEvent, RunState, StopReason};

/// The number of further tries of a spec whose worker was lost: on another one.
const LOST_RETRIES: u32 = 1;

/// The time between two readings of the specs while there is room for one more.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Runs a run above other runs to its end in this process.
///
/// # Errors
/// The reason why it could not start, which the hand-shake reported too, or could not be ended.
pub(super) fn run_orchestrator(
    project: &Project,
    runs: &RunStore,
    process_id: &str,
    handshake: StartHandshake,
    interruption: &CancelToken,
) -> Result<RunState, Error> {
    let mut run = match ActiveRun::adopt(runs, process_id, interruption) {
        Ok(run) => run,
        Err(error) => {
            handshake.refuse(&error.to_string());
            return Err(error.into());
        }
    };
    let end = match Orchestrator::of(project, runs, run.record()) {
        Ok(mut orchestrator) => orchestrator.work(&mut run, handshake),
        Err(error) => {
            handshake.refuse(&error.to_string());
            Err(error)
        }
    };
    let end = end.unwrap_or_else(|error| RunEnd::failed(error.to_string()));
    Ok(run.end(&end, None)?)
}

/// A run of one spec that this process started.
struct ChildRun {
    spec: SpecId,
    process_id: String,
    runner: LaunchedRunner,
}

/// The reason why a spec that could be started is not.
struct Backoff {
    until: Instant,
    why: String,
}

/// The result of the try to start the next spec.
enum NextStart {
    /// There is none, or no room for it.
    Nothing,
    /// Another clone has it.
    LeftOut,
    /// It was started.
    Started,
    /// It could not be started, for this reason.
    Failed(String),
}

struct Orchestrator<'a> {
    project: &'a Project,
    runs: &'a RunStore,
    process_id: String,
    asked: RunOptions,
    /// The spec or order that the run was started on.
    named: String,
    config: Arc<Config>,
    schedule: SpecSchedule,
    forecast: ConflictForecast,
    /// The spec whose members are worked on.
    driver: Option<SpecId>,
    workers: Vec<AgentWorker>,
    /// True if there is a pause between starts.
    is_staggered: bool,
    /// The time before which no spec is started.
    not_before: Instant,
    /// The reason why a spec that could be started is not, until the next check.
    held: Option<Backoff>,
    hands: Vec<ChildRun>,
    past: BTreeMap<SpecId, AttemptHistory>,
    completed: usize,
    claims: WaitingClaims,
    /// True if nothing more is started: some work changes what runs here, and a person has to
    /// review it.
    is_halted: bool,
}

impl<'a> Orchestrator<'a> {
    fn of(project: &'a Project, runs: &'a RunStore, record: &RunRecord) -> Result<Self, Error> {
        let snapshot = project.snapshot()?;
        let config = snapshot.config.clone()?;
        let wish = StartOptions::of(record);
        let plan = plan(project, &snapshot, &record.spec_id, &wish)?;
        let mode = if record.asked.only_members {
            WorkMode::Single
        } else {
            wish.mode
        };
        let limit = most_at_once(&config, &record.asked);
        let is_parallel = matches!(mode, WorkMode::Parallel(_));
        let is_divided = is_parallel && record.asked.agent.is_none();
        // Without a list of agents only this machine's limit bounds them, which is not for other machines.
        let has_bounds = record.asked.on.is_none() || !config.runs.parallel.is_empty();
        let is_shared = is_divided || takes_turns(&config, &record.asked);
        let workers = if is_shared && has_bounds {
            workers(&config.runs).map_err(SpecRunError::from)?
        } else {
            vec![AgentWorker {
                agent: super::agent_launch::choose_agent(&config, &record.asked)?,
                at_once: limit.get(),
                weight: 1,
            }]
        };
        let mut schedule = SpecSchedule::of(&plan.work, mode, limit, config.runs.dispatch);
        if record.asked.takes_any {
            schedule.take_any(clone_name(project, &config)?);
        }
        Ok(Self {
            project,
            runs,
            process_id: record.process_id.clone(),
            asked: record.asked.clone(),
            schedule,
            forecast: ConflictForecast::default(),
            driver: match plan.work {
                // A holder's own document says when it is done.
                StartTarget::Members { driver, .. }
                    if !project.holds_orders() && !record.asked.takes_any =>
                {
                    Some(driver)
                }
                _ => None,
            },
            named: record.spec_id.clone(),
            workers,
            is_staggered: is_parallel,
            not_before: Instant::now(),
            held: None,
            config,
            hands: Vec::new(),
            past: BTreeMap::new(),
            completed: 0,
            claims: WaitingClaims::default(),
            is_halted: false,
        })
    }

    /// Keeps runs active until no spec is left to work on, or the run is stopped.
    fn work(
        &mut self,
        run: &mut ActiveRun<'_>,
        handshake: StartHandshake,
    ) -> Result<RunEnd, Error> {
        let mut handshake = Some(handshake);
        loop {
            while !run.is_asked_to_stop()? {
                let waiting = handshake.as_ref();
                let mut step = |what: &str| {
                    if let Some(handshake) = waiting {
                        handshake.step(what);
                    }
                };
                match self.start_next(&mut step)? {
                    // The one behind it may be free.
                    NextStart::LeftOut => {}
                    NextStart::Nothing => break,
                    NextStart::Started => {
                        self.forecast.record(run)?;
                        if let Some(handshake) = handshake.take() {
                            handshake.ok();
                        }
                    }
                    NextStart::Failed(why) => {
                        // The spec that was asked for could not start: that is reported, and
                        // nothing else is started.
                        if let Some(handshake) = handshake.take() {
                            handshake.refuse(&why);
                            return Ok(RunEnd::failed(why));
                        }
                    }
                }
            }
            if let Some(handshake) = handshake.take() {
                let held = self.held.as_ref().map(|held| held.why.clone());
                let why = held.unwrap_or_else(|| self.describe_nothing());
                handshake.refuse(&why);
                return Ok(RunEnd::failed(why));
            }
            if run.is_asked_to_stop()? {
                return Ok(self.end_early());
            }
            let Some(most) = self.time_to_wait() else {
                return self.end();
            };
            launch::wait_for_any(
                self.hands.iter().map(|hand| &hand.runner),
                run.interruption(),
                most,
            )?;
            self.look_at_ends()?;
        }
    }

    /// Returns why no spec was started.
    fn describe_nothing(&self) -> String {
        let left_out = self.past.values().filter_map(|past| past.left_out.clone());
        let left_out: Vec<String> = left_out.collect();
        if left_out.is_empty() {
            return "No spec can be worked on".into();
        }
        format!("No spec can be worked on: {}", left_out.join("; "))
    }

    /// Starts the next spec. What other clones hold is left to them.
    fn start_next(&mut self, step: &mut dyn FnMut(&str)) -> Result<NextStart, Error> {
        self.held = None;
        if self.is_halted {
            return Ok(NextStart::Nothing);
        }
        item_order::write_ready(self.project, &self.named, self.asked.skip_criteria)?;
        let snapshot = self.project.snapshot()?;
        let running: Vec<SpecId> = self.hands.iter().map(|hand| hand.spec.clone()).collect();
        let tried = self
            .past
            .iter()
            .map(|(id, past)| (id.clone(), past.now()))
            .collect();
        if self.schedule.is_parallel() {
            self.forecast.look(self.project, &snapshot.specs);
        }
        let next = &self.schedule;
        let Some(id) = next.next(&snapshot.specs, &running, &tried, &self.forecast.files) else {
            return Ok(NextStart::Nothing);
        };
        let held = self.held_by_others();
        let hindrance = held.hindrance(id.as_str());
        if let Some(hindrance) = hindrance.filter(|_| !self.schedule.asks_for(&id)) {
            let why = describe_hindrance(&id, hindrance);
            return Ok(self.leave_out(id, why));
        }
        let now = Instant::now();
        if now < self.not_before {
            self.held = Some(Backoff {
                until: self.not_before,
                why: "It is too early for another start".into(),
            });
            return Ok(NextStart::Nothing);
        }
        let agent = match self.free_agent() {
            Ok(agent) => agent,
            Err(error) => return self.hold(error).map(|()| NextStart::Nothing),
        };
        let asked = RunOptions {
            agent: self.asked.agent.clone().or(Some(agent)),
            only_members: false,
            takes_any: false,
            avoid: self.past.get(&id).and_then(|past| past.avoid.clone()),
            ..self.asked.clone()
        };
        self.claim_next(&snapshot.specs, &running, &tried, &id, &held, step)?;
        let foreseen = self.forecast.files.foreseen(&snapshot.specs, &id, &running);
        drop(snapshot);
        if let Some(why) = self.refused_claim(&id) {
            self.claims.take(&id);
            return Ok(self.leave_out(id, why));
        }
        let begun = self.begin(id, asked, step)?;
        if matches!(begun, NextStart::Started) {
            self.forecast.add(foreseen);
        }
        Ok(begun)
    }

    /// Starts a spec whose turn it is; nothing if there is no room for it now.
    fn begin(
        &mut self,
        id: SpecId,
        asked: RunOptions,
        step: &mut dyn FnMut(&str),
    ) -> Result<NextStart, Error> {
        let claimed = self.claims.take(&id);
        let past = self.past.entry(id.clone()).or_default();
        let before = past.tried;
        past.tried.times += 1;
        past.tried.retries = 0;
        let started = begin_one(
            self.project,
            self.runs,
            &id,
            asked,
            Some(&self.process_id),
            claimed,
            step,
        );
        match started {
            Err(error) if is_full(&error) => {
                // Another process took the room.
                past.tried = before;
                self.hold(error).map(|()| NextStart::Nothing)
            }
            Ok((record, runner)) => {
                if self.is_staggered {
                    let wait = self.config.runs.stagger.wait(fastrand::f64());
                    self.not_before = Instant::now() + wait;
                }
                self.hands.push(ChildRun {
                    spec: id,
                    process_id: record.process_id,
                    runner,
                });
                Ok(NextStart::Started)
            }
            Err(error) => {
                let why = error.to_string();
                let is_unfit = matches!(
                    error.downcast_ref(),
                    Some(SpecRunError::Start(_) | SpecRunError::Lease { .. })
                );
                if is_unfit && !self.schedule.asks_for(&id) {
                    past.left_out = why.lines().next().map(str::to_owned);
                } else if matches!(error.downcast_ref(), Some(WorkError::Stopped { .. })) {
                    past.shortfall = Some(AttemptFailure {
                        event: RunEvent::Stop(StopReason::Pause),
                        why: why.clone(),
                    });
                } else {
                    past.shortfall = Some(AttemptFailure::failed(why.clone()));
                }
                Ok(NextStart::Failed(why))
            }
        }
    }

    /// Returns an agent that has room for one more spec.
    fn free_agent(&self) -> Result<String, Error> {
        let turns = AgentSlots::of(self.runs)?;
        turns.refuse_when_full(&self.config, &self.asked)?;
        let worker = turns.next(&self.config, &self.workers)?;
        let agent = worker.agent.name.clone();
        turns.refuse_beyond_cluster(self.project, &self.config, &self.asked, &agent)?;
        Ok(agent)
    }

    /// Notes that there is no room for a spec that could be started; other runs may have taken it.
    fn hold(&mut self, error: Error) -> Result<(), Error> {
        if !is_full(&error) {
            return Err(error);
        }
        tracing::info!(run = %self.process_id, why = %error, "the next spec waits for room");
        self.held = Some(Backoff {
            until: Instant::now() + POLL_INTERVAL,
            why: error.to_string(),
        });
        Ok(())
    }

    fn look_at_ends(&mut self) -> Result<(), Error> {
        let mut at = 0;
        while at < self.hands.len() {
            if self.hands[at].runner.has_ended()? {
                let hand = self.hands.remove(at);
                self.note_end(&hand);
            } else {
                at += 1;
            }
        }
        Ok(())
    }

    fn note_end(&mut self, hand: &ChildRun) {
        let record = self.runs.get(&hand.process_id);
        let past = self.past.entry(hand.spec.clone()).or_default();
        let record = match record {
            Ok(record) if record.state() == RunState::Completed => {
                past.shortfall = None;
                self.completed += 1;
                return;
            }
            Ok(record) => record,
            Err(error) => {
                past.shortfall = Some(AttemptFailure::failed(error.to_string()));
                return;
            }
        };
        let record = match record.state() {
            RunState::Running => {
                // Its runner died; the spec is recovered here.
                recovery::recover_runs(self.project).log_failure("recover runs");
                self.runs.get(&hand.process_id).unwrap_or(record)
            }
            _ => record,
        };
        self.is_halted |= !record.acting_change.is_empty();
        past.shortfall = Some(AttemptFailure::of(&record));
        if record.state() != RunState::Failed {
            return;
        }
        past.tried.retries = retries_of(self.project, &self.config, &record);
        if record.failure_cause() == Some(FailureCause::WorkerLost) {
            past.tried.retries = LOST_RETRIES;
            past.avoid = record
                .placed
                .as_ref()
                .and_then(|placed| placed.worker.clone());
        }
        let delay = self.config.runs.retries.delay(past.tried.times);
        tracing::info!(spec = %record.spec_id, tries = past.tried.times, retries = past.tried.retries, ?delay, "a spec is tried again");
        past.not_before = Some(Instant::now() + delay);
    }

    /// Returns the time to wait for the next end or the next retry; `None` if there is neither.
    fn time_to_wait(&self) -> Option<Duration> {
        if self.is_halted {
            return (!self.hands.is_empty()).then_some(POLL_INTERVAL);
        }
        let again = self.past.values().filter(|past| past.shortfall.is_some());
        let again = again.filter(|past| past.tried.times <= past.tried.retries);
        let again = again.filter_map(|past| past.not_before);
        let again = again.chain(self.held.as_ref().map(|held| held.until)).min();
        let again = again.map(|moment| moment.saturating_duration_since(Instant::now()));
        match (self.hands.is_empty(), again) {
            (true, again) => again.map(|again| again.min(POLL_INTERVAL)),
            (false, again) => Some(again.map_or(POLL_INTERVAL, |again| again.min(POLL_INTERVAL))),
        }
    }

    /// Returns the end of the run when no work is left: that of its gravest shortfall.
    fn end(&self) -> Result<RunEnd, Error> {
        let started = self.past.values().filter(|past| past.left_out.is_none());
        let completed = format!("{} of {} specs completed", self.completed, started.count());
        let short = self.past.iter();
        let short: Vec<(&SpecId, &AttemptFailure)> = short
            .filter_map(|(id, past)| Some((id, past.shortfall.as_ref()?)))
            .collect();
        let open = self.driver_left_open(&short)?;
        let left_out = self.past.values().filter_map(|past| past.left_out.as_ref());
        let parts: Vec<String> = std::iter::once(completed)
            .chain(
                short
                    .iter()
                    .map(|(id, short)| format!("{id}: {}", short.why)),
            )
            .chain(open.iter().map(|open| open.why.clone()))
            .chain(left_out.map(|why| format!("left out: {why}")))
            .chain(self.forecast.sentence())
            .collect();
        let all = short.into_iter().map(|(_, short)| short).chain(&open);
        let gravest = all.max_by_key(|short| short.weight());
        Ok(RunEnd {
            event: gravest.map_or(RunEvent::Merge, |short| short.event),
            reason: Some(parts.join("; ")),
        })
    }

    /// Returns the reason why the driver is not completed by its members, as far as `short` does
    /// not contain it.
    fn driver_left_open(
        &self,
        short: &[(&SpecId, &AttemptFailure)],
    ) -> Result<Option<AttemptFailure>, Error> {
        let Some(id) = &self.driver else {
            return Ok(None);
        };
        let snapshot = self.project.snapshot()?;
        let specs = &snapshot.specs;
        let Some(spec) = specs
            .find(id.as_str())
            .filter(|spec| !spec.status.is_done())
        else {
            return Ok(None);
        };
        let members = specs.open_members(id);
        let is_listed = |member: &String| short.iter().any(|(id, _)| id.as_str() == member);
        let why = if members.iter().any(|member| !is_listed(member)) {
            format!("members are open: {}", members.join(", "))
        } else if !members.is_empty() {
            return Ok(None);
        } else if spec.unchecked() > 0 {
            format!(
                "criteria of its own are open: {}; tick those that hold, then finalize it",
                spec.open_criteria().join("; ")
            )
        } else {
            "it is not completed by its members; finalize says why".to_owned()
        };
        Ok(Some(AttemptFailure {
            event: RunEvent::Doubt,
            why: format!("{id}: {why}"),
        }))
    }

    fn end_early(&self) -> RunEnd {
        let going: Vec<&str> = self
            .hands
            .iter()
            .map(|hand| hand.process_id.as_str())
            .collect();
        match going.as_slice() {
            [] => RunEnd::failed("It was asked to end"),
            going => RunEnd::failed(format!(
                "It was asked to end; these runs go on: {}",
                going.join(", ")
            )),
        }
    }
}
