//! Divides parallel work among agents (reference chant 7).

use super::{Agent, AgentError, template};
use chant_config::runs::{AgentRotation, RunSettings};

/// An agent that shares parallel work with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentWorker {
    /// The agent.
    pub agent: Agent,
    /// The greatest number of its runs at the same time.
    pub at_once: usize,
    /// The weight with which it is chosen among the others.
    pub weight: u32,
}

/// Returns the agents for parallel work: those of `parallel.agents`, else the provider's. A
/// `command` that names no agent is a program with the arguments of `claude`.
///
/// # Errors
/// As [`Agent::named`].
pub fn workers(runs: &RunSettings) -> Result<Vec<AgentWorker>, AgentError> {
    let worker = |agent, at_once, weight| AgentWorker {
        agent,
        at_once,
        weight,
    };
    if runs.parallel.is_empty() {
        let agent = Agent::of_provider(runs)?;
        return Ok(vec![worker(agent, runs.limits.agents_at_once.get(), 1)]);
    }
    let mut workers = Vec::new();
    for entry in &runs.parallel {
        let known = Agent::known(runs, &entry.command, &entry.name);
        let agent = known.unwrap_or_else(|| like_claude(runs, &entry.name, &entry.command))?;
        workers.push(worker(
            agent,
            entry.max_concurrent.get(),
            entry.weight.get(),
        ));
    }
    Ok(workers)
}

/// Returns an agent behind a program with the arguments of `claude`.
fn like_claude(runs: &RunSettings, name: &str, program: &str) -> Result<Agent, AgentError> {
    let settings = [name, program]
        .into_iter()
        .find_map(|name| runs.agents.get(name));
    let settings = settings.cloned().unwrap_or_default();
    Ok(Agent::of(runs, name, &settings, template("claude"))?.behind(program))
}

/// Returns the worker for one more run, by the configured rotation. `running` holds the names of
/// the active agents, `given` those of the agents that runs were given, the newest first; `chance`
/// is from 0 to 1.
pub fn next_worker<'a>(
    workers: &'a [AgentWorker],
    rotation: AgentRotation,
    running: &[&str],
    given: &[&str],
    chance: f64,
) -> Option<&'a AgentWorker> {
    let is_free = |worker: &&AgentWorker| {
        let name = &worker.agent.name;
        running.iter().filter(|other| *other == name).count() < worker.at_once
    };
    match rotation {
        AgentRotation::None => free_worker(workers, running),
        AgentRotation::Random => {
            let free: Vec<&AgentWorker> = workers.iter().filter(is_free).collect();
            let total: f64 = free.iter().map(|worker| f64::from(worker.weight)).sum();
            let mut left = chance * total;
            let chosen = free.iter().find(|worker| {
                left -= f64::from(worker.weight);
                left < 0.0
            });
            chosen.or(free.last()).copied()
        }
        AgentRotation::RoundRobin => {
            // A round has a turn for each unit of weight; its past turns are counted.
            let weights = workers.iter().map(|worker| worker.weight as usize);
            let round = weights.sum::<usize>().saturating_sub(1);
            let round = &given[..given.len().min(round)];
            let left = |worker: &AgentWorker| {
                let name = &worker.agent.name;
                let turns = round.iter().filter(|other| *other == name).count();
                i64::from(worker.weight) - i64::try_from(turns).unwrap_or(i64::MAX)
            };
            // The first of the best: `max_by_key` would give the last.
            workers
                .iter()
                .filter(is_free)
                .rev()
                .max_by_key(|worker| left(worker))
        }
    }
}

/// Returns the worker for one more run: of those with room the one with the fewest runs for its
/// weight, then the first. `running` holds the names of the active agents.
fn free_worker<'a>(workers: &'a [AgentWorker], running: &[&str]) -> Option<&'a AgentWorker> {
    let count = |worker: &AgentWorker| {
        running
            .iter()
            .filter(|name| **name == worker.agent.name)
            .count()
    };
    let free = workers
        .iter()
        .filter(|worker| count(worker) < worker.at_once);
    // Compared without division: 1 of weight 2 is less than 1 of weight 1.
    let load = |one: &AgentWorker, other: &AgentWorker| {
        let weighed =
            |worker: &AgentWorker, by: &AgentWorker| count(worker) as u64 * u64::from(by.weight);
        weighed(one, other).cmp(&weighed(other, one))
    };
    free.min_by(|one, other| load(one, other))
}
