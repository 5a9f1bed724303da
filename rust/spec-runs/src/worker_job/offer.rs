//! What this machine has for jobs of others: agents with their releases, accounts, and room.

use std::path::Path;

use serde_json::{Value, json};

use super::workplace::{FREE, WorkerOptions};
use crate::agents::discovery::{AgentSearch, InstalledAgent};
use crate::agents::probe::AgentProbe;
use crate::agents::{Agent, template, templates};
use chant_base::answer::Answer;
use chant_base::environment::{PassedNames, filter_environment};
use chant_base::error::Error;
use chant_config::Config;
use chant_store::disk;

/// Returns what this machine offers. Agents are those that `options` name, else those that are
/// installed and those of the user's configuration whose program is here; with `built_in` also those
/// that are part of our own program, such as the demo agent.
///
/// The answer: `agents` by name, each with `version` or `null`; `missing`, the named agents that are
/// not here; `accounts`, those whose variables are all set; `disk`, with `free` bytes and
/// `is_full`: then nothing is offered.
///
/// # Errors
/// A fault in the user's configuration.
pub fn worker_offer(
    options: &WorkerOptions,
    worker: &Path,
    built_in: bool,
) -> Result<Answer, Error> {
    let config = options.own_config()?;
    let search = AgentSearch {
        environment: &options.environment,
        root: worker,
    };
    let installed = search.agents();
    let mut names: Vec<String> = options.agents.clone();
    if names.is_empty() {
        let people = installed
            .iter()
            .filter(|found| found.template.is_installed_by_people());
        names.extend(people.map(|found| found.template.name.to_owned()));
        names.extend(config.runs.agents.keys().cloned());
        let ours = templates().filter(|template| built_in && !template.is_installed_by_people());
        names.extend(ours.map(|template| template.name.to_owned()));
        names.sort_unstable();
        names.dedup();
    }
    let (mut agents, mut missing) = (serde_json::Map::new(), Vec::new());
    for name in names {
        if is_here(&config, search, options, &name) {
            let version = version(&installed, options, &name);
            agents.insert(name, json!({"version": version}));
        } else if options.agents.contains(&name) {
            missing.push(name);
        }
    }
    let free = disk::free_bytes(worker);
    let is_full = free.is_some_and(|free| free < FREE);
    let offered = if is_full {
        Value::Object(serde_json::Map::new())
    } else {
        Value::Object(agents)
    };
    Ok(Answer::whole(&json!({
        "agents": offered, "missing": missing, "accounts": accounts(&config, options),
        "disk": {"free": free, "is_full": is_full},
    })))
}

/// Returns true if the program of an agent is here.
fn is_here(config: &Config, search: AgentSearch<'_>, options: &WorkerOptions, name: &str) -> bool {
    let Ok(agent) = Agent::named(&config.runs, name) else {
        return false;
    };
    // Our own program is here.
    if agent
        .template
        .is_some_and(|template| template.programs.is_empty())
    {
        return !options.program.is_empty();
    }
    let agent = agent.located(search);
    let words = agent.words(true).or_else(|_| agent.words(false));
    let Ok((words, _)) = words else { return false };
    let Some(program) = words.first() else {
        return false;
    };
    let path = options.environment.get("PATH");
    which::which_in(program, path, search.root).is_ok()
}

/// Returns the release of an installed agent, in its own words.
fn version(installed: &[InstalledAgent], options: &WorkerOptions, name: &str) -> Option<String> {
    let named = template(name)?;
    let agent = installed
        .iter()
        .find(|found| found.template.name == named.name)?;
    let credentials = agent.template.credentials();
    let names = PassedNames {
        credentials: &credentials,
        configured: &[],
    };
    let passed = filter_environment(&options.environment, names);
    let probe = AgentProbe {
        agent,
        environment: &passed.variables,
    };
    probe.release()
}

/// Returns the accounts whose variables are all set.
fn accounts<'c>(config: &'c Config, options: &WorkerOptions) -> Vec<&'c String> {
    let is_set = |name: &String| {
        let value = options.environment.get(name);
        value.is_some_and(|value| !value.is_empty())
    };
    let accounts = config.runs.accounts.iter();
    let usable = accounts.filter(|(_, account)| account.variables.values().all(is_set));
    usable.map(|(name, _)| name).collect()
}
