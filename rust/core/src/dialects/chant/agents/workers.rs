//! Work in parallel divided among agents (reference chant 7).

use super::built_in::BUILT_IN;
use super::{Agent, AgentError};
use crate::config::runs::Runs;

/// An agent among which work in parallel is divided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worker {
    /// The agent.
    pub agent: Agent,
    /// So many of its runs may go on at once.
    pub at_once: usize,
    /// How often it is chosen compared with the others.
    pub weight: u32,
}

/// The agents for work in parallel: those of `parallel.agents`, else the provider's. A `command` that
/// names no agent is a program that takes the arguments of `claude`.
///
/// # Errors
/// As [`Agent::named`].
pub fn workers(runs: &Runs) -> Result<Vec<Worker>, AgentError> {
    let worker = |agent, at_once, weight| Worker {
        agent,
        at_once,
        weight,
    };
    if runs.parallel.is_empty() {
        let agent = Agent::named(runs, &runs.provider)?;
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

/// An agent behind a program that takes the arguments of `claude`.
fn like_claude(runs: &Runs, name: &str, program: &str) -> Result<Agent, AgentError> {
    let settings = [name, program]
        .into_iter()
        .find_map(|name| runs.agents.get(name));
    let settings = settings.cloned().unwrap_or_default();
    let claude = BUILT_IN.iter().find(|agent| agent.is_called("claude"));
    Ok(Agent::of(runs, name, &settings, claude)?.behind(program))
}

/// The worker for one more run: of those that may take one the one that runs least for its weight, then
/// the first. `running` holds the names of the agents that are at work.
pub fn free_worker<'a>(workers: &'a [Worker], running: &[&str]) -> Option<&'a Worker> {
    let count = |worker: &Worker| {
        running
            .iter()
            .filter(|name| **name == worker.agent.name)
            .count()
    };
    let free = workers
        .iter()
        .filter(|worker| count(worker) < worker.at_once);
    // Compared without division: 1 of weight 2 is less than 1 of weight 1.
    let load = |one: &Worker, other: &Worker| {
        let weighed = |worker: &Worker, by: &Worker| count(worker) as u64 * u64::from(by.weight);
        weighed(one, other).cmp(&weighed(other, one))
    };
    free.min_by(|one, other| load(one, other))
}
