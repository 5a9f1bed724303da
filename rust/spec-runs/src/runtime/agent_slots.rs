//! Chooses the agent of one more run, if there is room for it (reference chant 7).
//!
//! Only the records of the project count, so that all processes that start runs agree.

use std::num::NonZeroUsize;

use jiff::Timestamp;

use super::account_room::AccountRoom;
use super::agent_launch;
use crate::agents::Agent;
use crate::agents::events::spending;
use crate::agents::workers::{AgentWorker, next_worker, workers};
use crate::cluster::placer::ClusterPlacer;
use crate::error::SpecRunError;
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
pub(crate) fn takes_turns(config: &Config, asked: &RunOptions) -> bool {
    asked.agent.is_none()
        && config.runs.rotation != AgentRotation::None
        && !config.runs.parallel.is_empty()
}

/// Returns the greatest number of agents at once: this machine's limit says nothing of other machines.
pub(crate) fn most_at_once(config: &Config, asked: &RunOptions) -> NonZeroUsize {
    match asked.on {
        Some(_) => NonZeroUsize::MAX,
        None => config.runs.limits.agents_at_once,
    }
}

/// The runs of a project with present and past agents.
pub(crate) struct AgentSlots {
    runs: RunStore,
    /// The records, the newest first.
    records: Vec<RunRecord>,
}

impl AgentSlots {
    pub(crate) fn of(runs: &RunStore) -> Result<Self, Error> {
        let (mut records, _) = runs.all()?;
        records.retain(RunRecord::has_agent);
        records.sort_by(|a, b| b.started_at.cmp(&a.started_at));
        let runs = runs.clone();
        Ok(Self { runs, records })
    }

    /// Refuses one more run if as many agents are active as allowed.
    pub(crate) fn refuse_when_full(
        &self,
        config: &Config,
        asked: &RunOptions,
    ) -> Result<(), Error> {
        let most = config.runs.limits.agents_at_once.get();
        // The limit is this machine's.
        if asked.on.is_some() || self.at_work_here() < most {
            return Ok(());
        }
        let message = format!(
            "{most} agents are at work, as many as `limits.agents_at_once` in .chant/config.md allows. Wait until one has ended, or stop one."
        );
        Err(SpecRunError::Full(message).into())
    }

    /// Refuses one more run if there is no room for it, or if those of the last 24 hours reached a
    /// limit.
    pub(crate) fn refuse_start(
        &self,
        now: Timestamp,
        config: &Config,
        asked: &RunOptions,
    ) -> Result<(), Error> {
        self.refuse_when_full(config, asked)?;
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

    /// Returns the room that accounts leave.
    ///
    /// # Errors
    /// A `StoreError`.
    pub(crate) fn room<'a>(&'a self, config: &'a Config) -> Result<AccountRoom<'a>, Error> {
        let agent_of = |record: &RunRecord| agent_of(record, config).to_owned();
        AccountRoom::of(&self.runs, config, &self.records, agent_of)
    }

    /// Returns the worker whose turn it is.
    ///
    /// # Errors
    /// `Full` if all of them are busy, or their accounts; a `StoreError`.
    pub(crate) fn next<'a>(
        &self,
        config: &Config,
        workers: &'a [AgentWorker],
    ) -> Result<&'a AgentWorker, Error> {
        let room = self.room(config)?;
        let given = self.records.iter().map(|record| agent_of(record, config));
        let limited = room.limited(workers);
        let next = next_worker(
            &limited,
            config.runs.rotation,
            &self.running(config),
            &given.collect::<Vec<&str>>(),
            fastrand::f64(),
        );
        let is_next =
            |worker: &&AgentWorker| next.is_some_and(|next| next.agent.name == worker.agent.name);
        if let Some(worker) = workers.iter().find(is_next) {
            return Ok(worker);
        }
        for worker in workers {
            room.refuse_full(&worker.agent.name, worker.at_once)?;
        }
        Err(all_busy(workers))
    }

    /// Returns the number of runs that could begin now.
    pub(crate) fn count_free(
        &self,
        project: &Project,
        config: &Config,
        (workers, asked): (&[AgentWorker], &RunOptions),
    ) -> Result<usize, Error> {
        let running = self.running(config);
        let workers = self.room(config)?.limited(workers);
        let of_worker = |worker: &AgentWorker| {
            let busy = running.iter().filter(|name| **name == worker.agent.name);
            worker.at_once.saturating_sub(busy.count())
        };
        if asked.on.is_none() {
            let of_workers: usize = workers.iter().map(of_worker).sum();
            let most = config.runs.limits.agents_at_once.get();
            return Ok(of_workers.min(most.saturating_sub(self.at_work_here())));
        }
        let mut room = 0_usize;
        for worker in &workers {
            let there = self.room_of_cluster(project, config, asked, &worker.agent.name)?;
            room = room.saturating_add(of_worker(worker).min(there));
        }
        Ok(room)
    }

    /// Returns the number of agents of a name that a cluster could start now.
    fn room_of_cluster(
        &self,
        project: &Project,
        config: &Config,
        asked: &RunOptions,
        agent: &str,
    ) -> Result<usize, Error> {
        let Some(on) = &asked.on else {
            return Ok(usize::MAX);
        };
        let ours = self.at_work().filter(|record| {
            record.asked.on.as_ref() == Some(on) && agent_of(record, config) == agent
        });
        let status = ClusterPlacer::of(project, config, on)?.status();
        Ok(status.unwrap_or_default().room(agent, ours.count()))
    }

    /// Refuses one more agent that a cluster has no room for.
    pub(crate) fn refuse_beyond_cluster(
        &self,
        project: &Project,
        config: &Config,
        asked: &RunOptions,
        agent: &str,
    ) -> Result<(), Error> {
        if self.room_of_cluster(project, config, asked, agent)? > 0 {
            return Ok(());
        }
        let on = asked.on.as_deref().unwrap_or_default();
        let message = format!(
            "No machine of cluster '{on}' has room for agent '{agent}'. Wait until one has, or start another worker."
        );
        Err(SpecRunError::Full(message).into())
    }

    /// Returns the active agents, on all machines.
    fn running<'a>(&'a self, config: &'a Config) -> Vec<&'a str> {
        let at_work = self.at_work();
        at_work.map(|record| agent_of(record, config)).collect()
    }

    /// Returns the number of agents that are active on this machine.
    fn at_work_here(&self) -> usize {
        let here = self.at_work().filter(|record| record.asked.on.is_none());
        here.count()
    }

    fn at_work(&self) -> impl Iterator<Item = &RunRecord> {
        self.records
            .iter()
            .filter(|record| record.state() == RunState::Running && record.runner().is_alive())
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
pub(crate) fn next_agent(
    project: &Project,
    runs: &RunStore,
    config: &Config,
    spec: &Spec,
    asked: &RunOptions,
) -> Result<Agent, Error> {
    let turns = AgentSlots::of(runs)?;
    turns.refuse_start((runs.clock)(), config, asked)?;
    let known = workers(&config.runs).map_err(SpecRunError::from);
    let agent = if takes_turns(config, asked) {
        turns.next(config, &known?)?.agent.clone()
    } else {
        let agent = agent_launch::choose_agent(config, asked)?;
        let known = known.unwrap_or_default();
        if let Some(worker) = known.iter().find(|one| one.agent.name == agent.name) {
            turns.refuse_busy(config, worker)?;
        }
        let room = turns.room(config)?;
        room.refuse_full(&agent.name, runs_at_once(config, &agent.name, asked))?;
        agent
    };
    agent_launch::refuse_unfit_start(project, config, &agent, spec, asked)?;
    Ok(agent)
}

/// Returns the account for one more run of an agent; `None` for an agent that uses none.
///
/// # Errors
/// `Full`, or `Refused` where no account's variables are set; a `StoreError`.
pub(super) fn choose_account(
    project: &Project,
    runs: &RunStore,
    config: &Config,
    (agent, asked): (&str, &RunOptions),
) -> Result<Option<String>, Error> {
    let slots = AgentSlots::of(runs)?;
    let room = slots.room(config)?;
    // The variables of an account are those of the machine that its agent works on.
    let here = asked.on.is_none().then_some(project);
    room.choose(here, agent, runs_at_once(config, agent, asked))
}

/// Returns the greatest number of runs of an agent at the same time.
pub(crate) fn runs_at_once(config: &Config, agent: &str, asked: &RunOptions) -> usize {
    let mut parallel = config.runs.parallel.iter();
    let own = parallel.find(|entry| entry.name == agent);
    let most = own.map_or(most_at_once(config, asked), |entry| entry.max_concurrent);
    most.get()
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
        Some(
            SpecRunError::Full(_) | SpecRunError::NoRemote { .. } | SpecRunError::NoCluster { .. }
        )
    )
}

/// Returns the error for workers that are all busy.
pub(crate) fn all_busy(workers: &[AgentWorker]) -> Error {
    let capacity: usize = workers.iter().map(|worker| worker.at_once).sum();
    let message = format!(
        "The agents of `parallel.agents` work on {capacity} specs, as many as their `max_concurrent` in .chant/config.md allows. Wait until one has ended, or stop one."
    );
    SpecRunError::Full(message).into()
}
