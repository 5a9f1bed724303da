//! How many runs use each account, for lists of runs and for `doctor`.

use super::super::project::ProjectRuns;
use super::super::runtime::account_room::AccountUse;
use super::super::runtime::agent_slots::{AgentSlots, runs_at_once};
use super::super::view::accounts::AccountView;
use chant_base::error::Error;
use chant_config::Config;
use chant_specs::project::Project;
use chant_work::run_record::RunOptions;
use chant_work::run_store::RunStore;
use chant_work::start_allowance::{AllowanceOwner, RateLimits};

/// Returns the use of each account of the user's configuration, and of each agent without one that a rate limit
/// holds; empty where runs cannot be read, which is reported elsewhere.
pub(super) fn account_uses(project: &Project, config: &Config) -> Vec<AccountView> {
    let found = project.runs().and_then(|runs| uses(&runs, config));
    found.unwrap_or_default()
}

fn uses(runs: &RunStore, config: &Config) -> Result<Vec<AccountView>, Error> {
    // Most projects have neither, and their records are not read a second time.
    if config.runs.accounts.is_empty() && RateLimits::read(runs).owners().next().is_none() {
        return Ok(Vec::new());
    }
    let slots = AgentSlots::of(runs)?;
    let room = slots.room(config)?;
    let now = (runs.clock)();
    let view = |used: AccountUse| {
        let limited_until = used.limited_until(now);
        AccountView {
            kind: match used.owner {
                AllowanceOwner::Account(_) => "account",
                AllowanceOwner::Agent(_) => "agent",
            },
            name: used.owner.name().to_owned(),
            running: used.running,
            allowed: Some(used.allowed).filter(|allowed| *allowed < usize::MAX),
            max: used.most,
            limited_until,
        }
    };
    let uses = room.uses(|agent| runs_at_once(config, agent, &RunOptions::default()));
    Ok(uses.into_iter().map(view).collect())
}
