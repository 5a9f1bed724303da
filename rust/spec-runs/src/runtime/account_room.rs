//! The room that accounts leave: how many runs use each, and how many it allows (issue 25).
//!
//! An agent that may use no account has the room that its own number of runs leaves, halved by rate limits as that of
//! an account.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;

use crate::agents::environment::EnvironmentMap;
use crate::agents::workers::AgentWorker;
use crate::error::SpecRunError;
use chant_base::error::Error;
use chant_config::Config;
use chant_config::accounts::AccountSettings;
use chant_specs::error::ChantError;
use chant_specs::project::Project;
use chant_work::run_record::RunRecord;
use chant_work::run_store::RunStore;
use chant_work::start_allowance::{AllowanceOwner, RateLimits, StartAllowance};
use chant_work::state::RunState;

/// The use of an account, or of an agent without one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AccountUse {
    /// The account or agent.
    pub owner: AllowanceOwner,
    /// Runs that go on.
    pub running: usize,
    /// So many may go on now.
    pub allowed: usize,
    /// So many may go on where no rate limit was met; `None` for no limit.
    pub most: Option<usize>,
    /// The time until the full number may go on again.
    pub full_in: Option<Duration>,
}

impl AccountUse {
    fn of(
        limits: &RateLimits,
        allowance: StartAllowance,
        running: usize,
        most: Option<usize>,
    ) -> Self {
        let allowed = limits.allowed(&allowance);
        let is_unlimited = most.is_none() && allowed.full_in.is_none();
        Self {
            owner: allowance.owner,
            running,
            allowed: if is_unlimited {
                usize::MAX
            } else {
                allowed.now
            },
            most,
            full_in: allowed.full_in,
        }
    }

    fn free(&self) -> usize {
        self.allowed.saturating_sub(self.running)
    }

    /// Returns the end of its limit, as RFC 3339 in UTC; `None` where it has none.
    pub(crate) fn limited_until(&self, now: Timestamp) -> Option<String> {
        let until = now.checked_add(self.full_in?).ok()?;
        Some(until.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
    }
}

impl fmt::Display for AccountUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.owner.name(), self.running)?;
        if self.allowed < usize::MAX {
            write!(f, " of {}", self.allowed)?;
        }
        match self.full_in {
            Some(_) => f.write_str(", fewer than usual because of a rate limit"),
            None => Ok(()),
        }
    }
}

/// The runs that use accounts, and the room that is left.
pub(crate) struct AccountRoom<'a> {
    config: &'a Config,
    limits: RateLimits,
    /// Agent and account of each run that goes on.
    running: Vec<(String, Option<String>)>,
}

impl<'a> AccountRoom<'a> {
    /// Looks at the runs of all checkouts of the clone where accounts are configured, else at the given ones; `agent_of`
    /// names the agent of a record.
    ///
    /// # Errors
    /// A `StoreError`.
    pub(crate) fn of(
        runs: &RunStore,
        config: &'a Config,
        records: &[RunRecord],
        agent_of: impl Fn(&RunRecord) -> String,
    ) -> Result<Self, Error> {
        let all = if config.runs.accounts.is_empty() {
            None
        } else {
            Some(runs.all_of_clone()?)
        };
        let is_at_work = |record: &&RunRecord| {
            record.has_agent() && record.state() == RunState::Running && record.runner().is_alive()
        };
        let running = all.as_deref().unwrap_or(records).iter().filter(is_at_work);
        let running = running.map(|record| (agent_of(record), record.account.clone()));
        Ok(Self {
            config,
            limits: RateLimits::read(runs),
            running: running.collect(),
        })
    }

    /// Returns the number of further runs of an agent of which so many may go on at once.
    pub(crate) fn free(&self, agent: &str, at_once: usize) -> usize {
        let accounts = self.accounts_of(agent);
        if accounts.is_empty() {
            return self.use_of_agent(agent, at_once).free();
        }
        let free = accounts.iter().map(AccountUse::free);
        free.fold(0, usize::saturating_add)
    }

    /// Returns workers with no more runs at once than their accounts allow.
    pub(crate) fn limited(&self, workers: &[AgentWorker]) -> Vec<AgentWorker> {
        let limited = workers.iter().map(|worker| {
            let name = &worker.agent.name;
            let room = self.free(name, worker.at_once);
            AgentWorker {
                at_once: worker
                    .at_once
                    .min(self.count_agent(name).saturating_add(room)),
                ..worker.clone()
            }
        });
        limited.collect()
    }

    /// Returns the account for one more run of an agent: the one with the most room; `None` for an agent that uses
    /// none. `here` is the project of an agent on this machine: an account whose variables are not set is passed over.
    ///
    /// # Errors
    /// `Full`, or `Refused` where no account's variables are set in our environment.
    pub(crate) fn choose(
        &self,
        here: Option<&Project>,
        agent: &str,
        at_once: usize,
    ) -> Result<Option<String>, Error> {
        self.refuse_full(agent, at_once)?;
        let accounts = self.accounts_of(agent);
        if accounts.is_empty() {
            return Ok(None);
        }
        let unset = |account: &AccountUse| {
            let settings = self.config.runs.accounts.get(account.owner.name())?;
            unset_variable(settings, here?)
        };
        let usable: Vec<&AccountUse> = accounts.iter().filter(|one| unset(one).is_none()).collect();
        match most_room(&usable) {
            Some(best) => Ok(Some(best.owner.name().to_owned())),
            None if usable.is_empty() => Err(unset_error(agent, accounts.iter().find_map(unset))),
            None => Err(full(agent, &accounts)),
        }
    }

    /// Refuses one more run of an agent whose accounts have no room.
    pub(crate) fn refuse_full(&self, agent: &str, at_once: usize) -> Result<(), Error> {
        if self.free(agent, at_once) > 0 {
            return Ok(());
        }
        let accounts = self.accounts_of(agent);
        if !accounts.is_empty() {
            return Err(full(agent, &accounts));
        }
        let of_agent = self.use_of_agent(agent, at_once);
        // Without a rate limit the agent's own number says why.
        match of_agent.full_in {
            Some(_) => Err(full(agent, &[of_agent])),
            None => Ok(()),
        }
    }

    /// Returns the use of each account, and of each agent that a rate limit still holds.
    pub(crate) fn uses(&self, at_once: impl Fn(&str) -> usize) -> Vec<AccountUse> {
        let accounts = &self.config.runs.accounts;
        let accounts = accounts
            .iter()
            .map(|(name, account)| self.use_of(name, account));
        let agents = self.limits.owners().filter_map(|owner| match owner {
            AllowanceOwner::Agent(name) => Some(self.use_of_agent(name, at_once(name))),
            AllowanceOwner::Account(_) => None,
        });
        let limited = agents.filter(|agent| agent.full_in.is_some());
        accounts.chain(limited).collect()
    }

    fn accounts_of(&self, agent: &str) -> Vec<AccountUse> {
        let accounts = self.config.runs.accounts.iter();
        let serving = accounts.filter(|(_, account)| account.serves(agent));
        serving
            .map(|(name, account)| self.use_of(name, account))
            .collect()
    }

    fn use_of(&self, name: &str, account: &AccountSettings) -> AccountUse {
        let is_its = |(_, used): &&(String, Option<String>)| used.as_deref() == Some(name);
        let running = self.running.iter().filter(is_its).count();
        let most = account.max.map(std::num::NonZero::get);
        let allowance = allowance_of(self.config, Some(name), "", 0);
        AccountUse::of(&self.limits, allowance, running, most)
    }

    fn use_of_agent(&self, name: &str, at_once: usize) -> AccountUse {
        let allowance = allowance_of(self.config, None, name, at_once);
        AccountUse::of(
            &self.limits,
            allowance,
            self.count_agent(name),
            Some(at_once),
        )
    }

    fn count_agent(&self, name: &str) -> usize {
        self.running
            .iter()
            .filter(|(agent, _)| agent == name)
            .count()
    }
}

/// Returns the account with most room; of equal ones the first. `None` if none has any.
fn most_room<'a>(accounts: &[&'a AccountUse]) -> Option<&'a AccountUse> {
    // `max_by_key` gives the last of equal ones.
    let best = accounts.iter().rev().max_by_key(|account| account.free());
    best.copied().filter(|best| best.free() > 0)
}

/// Returns the number that a rate limit halves for a run: that of its account, else that of its agent. An account
/// without a number of its own has that of all agents of the project.
pub(super) fn allowance_of(
    config: &Config,
    account: Option<&str>,
    agent: &str,
    at_once: usize,
) -> StartAllowance {
    match account {
        Some(name) => {
            let settings = config.runs.accounts.get(name);
            let most = settings.and_then(|account| account.max);
            StartAllowance {
                owner: AllowanceOwner::Account(name.to_owned()),
                most: most.unwrap_or(config.runs.limits.agents_at_once).get(),
            }
        }
        None => StartAllowance {
            owner: AllowanceOwner::Agent(agent.to_owned()),
            most: at_once,
        },
    }
}

/// Returns the variables that an account gives its agent, with their values from our environment.
///
/// # Errors
/// `Refused` for an account that is not configured, or whose variables are not set: other credentials would pay.
pub(super) fn account_variables(
    config: &Config,
    project: &Project,
    account: Option<&str>,
) -> Result<Vec<(String, String)>, Error> {
    let Some(name) = account else {
        return Ok(Vec::new());
    };
    let Some(settings) = config.runs.accounts.get(name) else {
        let message = format!(
            "Account '{name}' is not in your own configuration any more. Start the run again."
        );
        return Err(ChantError::Refused(message).into());
    };
    if let Some(variable) = unset_variable(settings, project) {
        let message = format!(
            "Account '{name}' cannot be used: {}",
            unset_advice(&variable)
        );
        return Err(ChantError::Refused(message).into());
    }
    let value = |from: &String| project.environment.get(from).cloned();
    let variables = settings.variables.iter();
    Ok(variables
        .filter_map(|(to, from)| Some((to.clone(), value(from)?)))
        .collect())
}

/// Returns our environment with what the accounts of an agent give it.
pub(super) fn with_accounts(config: &Config, project: &Project, agent: &str) -> EnvironmentMap {
    let mut environment = project.environment.clone();
    for (name, account) in &config.runs.accounts {
        if account.serves(agent) {
            environment.extend(account_variables(config, project, Some(name)).unwrap_or_default());
        }
    }
    environment
}

fn unset_variable(settings: &AccountSettings, project: &Project) -> Option<String> {
    let is_unset = |name: &&String| project.environment.get(*name).is_none_or(String::is_empty);
    settings.variables.values().find(is_unset).cloned()
}

fn unset_advice(variable: &str) -> String {
    format!(
        "the variable {variable} is not set. Set it where chant-mcp starts, or change `accounts` in your own configuration."
    )
}

fn unset_error(agent: &str, variable: Option<String>) -> Error {
    let advice = unset_advice(&variable.unwrap_or_default());
    let message = format!("No account of agent '{agent}' can be used: {advice}");
    ChantError::Refused(message).into()
}

fn full(agent: &str, accounts: &[AccountUse]) -> Error {
    let uses: Vec<String> = accounts.iter().map(ToString::to_string).collect();
    let message = format!(
        "There is no room for another run of agent '{agent}': {}. Wait until one has ended, or raise the number in your own configuration.",
        uses.join("; ")
    );
    SpecRunError::Full(message).into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::agents::workers::{next_worker, workers};

    fn config(agents: &[usize], accounts: &[(usize, usize)]) -> Config {
        let agents = agents
            .iter()
            .enumerate()
            .map(|(at, most)| format!("{{name: g{at}, command: claude, max_concurrent: {most}}}"));
        let accounts = accounts
            .iter()
            .enumerate()
            .map(|(at, (most, agent))| format!("a{at}: {{max: {most}, agents: [g{agent}]}}"));
        let (agents, accounts) = (agents.collect::<Vec<_>>(), accounts.collect::<Vec<_>>());
        let text = format!(
            "---\nparallel: {{agents: [{}]}}\naccounts: {{{}}}\n---\n",
            agents.join(", "),
            accounts.join(", ")
        );
        Config::read(Some(("user", &text)), None, None).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// No agent and no account ever has more runs than it may, and no start waits while one has room.
        #[test]
        fn never_more_run_than_agents_and_accounts_allow(
            agents in prop::collection::vec(1_usize..5, 1..4),
            accounts in prop::collection::vec((1_usize..5, 0_usize..4), 0..4),
            ends in prop::collection::vec(prop::option::of(any::<prop::sample::Index>()), 1..40),
        ) {
            let config = config(&agents, &accounts);
            let workers = workers(&config.runs).unwrap();
            let mut room = AccountRoom { config: &config, limits: RateLimits::default(), running: Vec::new() };
            for end in ends {
                if let Some(end) = end && !room.running.is_empty() {
                    let at = end.index(room.running.len());
                    room.running.remove(at);
                }
                let running: Vec<&str> = room.running.iter().map(|(agent, _)| agent.as_str()).collect();
                let limited = room.limited(&workers);
                let next = next_worker(&limited, config.runs.rotation, &running, &[], 0.5);
                let Some(next) = next.map(|next| next.agent.name.clone()) else {
                    for worker in &workers {
                        let count = room.count_agent(&worker.agent.name);
                        let has_room = room.free(&worker.agent.name, worker.at_once) > 0;
                        prop_assert!(count >= worker.at_once || !has_room);
                    }
                    continue;
                };
                let uses = room.accounts_of(&next);
                let best = most_room(&uses.iter().collect::<Vec<_>>());
                prop_assert_eq!(best.is_none(), uses.is_empty());
                let account = best.map(|best| best.owner.name().to_owned());
                room.running.push((next, account));
                for (at, most) in agents.iter().enumerate() {
                    let name = format!("g{at}");
                    prop_assert!(room.count_agent(&name) <= *most);
                }
                for used in room.uses(|_| 0) {
                    prop_assert!(Some(used.running) <= used.most, "{}", used);
                }
            }
        }
    }
}
