//! Chooses the agent of one more run, if there is room for it (reference chant 7).
//!
//! Only the records of the project count, so that all processes that start runs agree.

use jiff::Timestamp;

use super::super::agents::Agent;
use super::super::agents::events::spending;
use super::super::agents::workers::{AgentWorker, next_worker, workers};
use super::super::error::SpecRunError;
use super::agent_launch;
use chant_agent_events::AgentUsage;
use chant_base::error::Error;
use chant_config::Config;
use chant_config::runs::AgentRotation;
use chant_specs::error::ChantError;
use chant_specs::model::Spec;
use chant_specs::project::Project;
use chant_work::run_record::{RunOptions, RunRecord};
use chant_work::run_store::RunStore;
use chant_work::spending::spent_lately;
use chant_work::state::RunState;

/// Returns true if runs that name no agent use those of `parallel.agents` in turn.
pub(in super::super) fn takes_turns(config: &Config, asked: &RunOptions) -> bool {
    asked.agent.is_none()
        && config.runs.rotation != AgentRotation::None
        && !config.runs.parallel.is_empty()
}

/// The runs of a project with present and past agents.
pub(in super::super) struct AgentSlots {
    /// The records, the newest first.
    records: Vec<RunRecord>,
}

impl AgentSlots {
    pub(in super::super) fn of(runs: &RunStore) -> Result<Self, Error> {
        let (mut records, _) = runs.all()?;
        records.retain(RunRecord::has_agent);
        records.sort_by(|a, b| b.started_at.cmp(&a.started_at));
        Ok(Self { records })
    }

    /// Refuses one more run if as many agents are active as allowed.
    pub(in super::super) fn refuse_when_full(&self, config: &Config) -> Result<(), Error> {
        let most = config.runs.limits.agents_at_once.get();
        if self.running(config).len() < most {
            return Ok(());
        }
        let message = format!(
            "{most} agents are at work, as many as `limits.agents_at_once` in .chant/config.md allows. Wait until one has ended, or stop one."
        );
        Err(SpecRunError::Full(message).into())
    }

    /// Refuses one more run if there is no room for it, or if those of the last 24 hours reached a
    /// limit.
    pub(in super::super) fn refuse_start(
        &self,
        now: Timestamp,
        config: &Config,
    ) -> Result<(), Error> {
        self.refuse_when_full(config)?;
        let lately = spent_lately(&self.records, now, None);
        let limits = spending(&config.runs.limits);
        let reached = limits.reached(&AgentUsage::default(), &lately);
        let Some(limit) = reached.filter(|limit| limit.is_of_day()) else {
            return Ok(());
        };
        let message = format!(
            "The project's runs used {limit}, so no agent is started. Wait until older runs do not count any more, or raise that limit in .chant/config.md or your own configuration."
        );
        Err(ChantError::Refused(message).into())
    }

    /// Returns the worker whose turn it is; `None` if all of them are busy.
    pub(in super::super) fn next<'a>(
        &self,
        config: &Config,
        workers: &'a [AgentWorker],
    ) -> Option<&'a AgentWorker> {
        let given = self.records.iter().map(|record| agent_of(record, config));
        next_worker(
            workers,
            config.runs.rotation,
            &self.running(config),
            &given.collect::<Vec<&str>>(),
            fastrand::f64(),
        )
    }

    /// Returns the number of runs that could begin now.
    pub(in super::super) fn count_free(&self, config: &Config, workers: &[AgentWorker]) -> usize {
        let running = self.running(config);
        let of_worker = |worker: &AgentWorker| {
            let busy = running.iter().filter(|name| **name == worker.agent.name);
            worker.at_once.saturating_sub(busy.count())
        };
        let of_workers: usize = workers.iter().map(of_worker).sum();
        let most = config.runs.limits.agents_at_once.get();
        of_workers.min(most.saturating_sub(running.len()))
    }

    /// Returns the active agents.
    fn running<'a>(&'a self, config: &'a Config) -> Vec<&'a str> {
        let is_at_work =
            |record: &&RunRecord| record.state() == RunState::Running && record.runner().is_alive();
        let at_work = self.records.iter().filter(is_at_work);
        at_work.map(|record| agent_of(record, config)).collect()
    }
}

/// Returns the agent of a run, whether it was started already or not.
fn agent_of<'a>(record: &'a RunRecord, config: &'a Config) -> &'a str {
    let started = record.agent.as_ref().map(|agent| agent.name.as_str());
    started
        .or(record.asked.agent.as_deref())
        .or(config.runs.provider())
        .unwrap_or_default()
}

/// Returns the agent for one more run of a spec: one that has room for it and can be started.
///
/// # Errors
/// `Full`; the reason why the agent is unfit; a `StoreError`.
pub(in super::super) fn next_agent(
    project: &Project,
    runs: &RunStore,
    config: &Config,
    spec: &Spec,
    asked: &RunOptions,
) -> Result<Agent, Error> {
    let turns = AgentSlots::of(runs)?;
    turns.refuse_start((runs.clock)(), config)?;
    let known = workers(&config.runs).map_err(SpecRunError::from);
    let agent = if takes_turns(config, asked) {
        let known = known?;
        let next = turns
            .next(config, &known)
            .map(|worker| worker.agent.clone());
        next.ok_or_else(|| all_busy(&known))?
    } else {
        let agent = agent_launch::choose_agent(config, asked)?;
        let known = known.unwrap_or_default();
        if let Some(worker) = known.iter().find(|one| one.agent.name == agent.name) {
            turns.refuse_busy(config, worker)?;
        }
        agent
    };
    agent_launch::refuse_unfit_agent(project, config, &agent, spec)?;
    Ok(agent)
}

impl AgentSlots {
    fn refuse_busy(&self, config: &Config, worker: &AgentWorker) -> Result<(), Error> {
        let (name, most) = (&worker.agent.name, worker.at_once);
        let running = self.running(config);
        if config.runs.parallel.is_empty()
            || running.iter().filter(|other| *other == name).count() < most
        {
            return Ok(());
        }
        let message = format!(
            "Agent '{name}' works on {most} specs, as many as its `max_concurrent` in `parallel.agents` allows. Wait until one has ended, stop one, or name another agent."
        );
        Err(SpecRunError::Full(message).into())
    }
}

/// Returns true if a start was refused because there is no room for a further run, or because the remote does
/// not grant specs now.
pub(super) fn is_full(error: &Error) -> bool {
    matches!(
        error.downcast_ref(),
        Some(SpecRunError::Full(_) | SpecRunError::NoRemote { .. })
    )
}

/// Returns the error for workers that are all busy.
pub(in super::super) fn all_busy(workers: &[AgentWorker]) -> Error {
    let capacity: usize = workers.iter().map(|worker| worker.at_once).sum();
    let message = format!(
        "The agents of `parallel.agents` work on {capacity} specs, as many as their `max_concurrent` in .chant/config.md allows. Wait until one has ended, or stop one."
    );
    SpecRunError::Full(message).into()
}
