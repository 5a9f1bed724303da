//! How busy accounts and machines are, for lists of runs, counts of specs and `doctor`. Without runs, nothing is.

#[cfg(unix)]
use std::collections::BTreeSet;

#[cfg(unix)]
use crate::cluster::placer::{self, ClusterPlacer};
#[cfg(unix)]
use crate::project::ProjectRuns;
#[cfg(unix)]
use crate::runtime::account_room::AccountUse;
#[cfg(unix)]
use crate::runtime::agent_slots::{AgentSlots, runs_at_once};
#[cfg(unix)]
use chant_base::error::Error;
use chant_config::Config;
use chant_specs::project::Project;
use chant_specs::view::work_load::{AccountView, ClusterView, WorkLoad};
#[cfg(unix)]
use chant_work::run_record::RunOptions;
use chant_work::run_record::RunStatus;
#[cfg(unix)]
use chant_work::run_store::RunStore;
#[cfg(unix)]
use chant_work::run_view;
use chant_work::run_view::RunView;
#[cfg(unix)]
use chant_work::start_allowance::{AllowanceOwner, RateLimits};

/// The machines of each cluster in an answer that is about more than runs.
#[cfg(unix)]
const MACHINES: usize = 10;

/// Returns how busy all is, by runs that are known, with at most so many machines of a cluster.
pub(super) fn load_of(
    project: &Project,
    config: &Config,
    runs: &[RunView],
    machines: usize,
) -> WorkLoad {
    let at_work = runs.iter().filter(|run| run.status == RunStatus::Running);
    let foreseen = at_work.filter_map(|run| run.foreseen_conflicts);
    WorkLoad {
        accounts: account_uses(project, config),
        clusters: clusters(project, config, runs, machines),
        foreseen_conflicts: foreseen.reduce(usize::saturating_add),
    }
}

/// Returns how busy accounts and machines are; nothing where a project has neither, or runs cannot be read, which
/// is reported elsewhere.
#[cfg(unix)]
pub(crate) fn work_load(project: &Project, config: &Config) -> WorkLoad {
    let known = project
        .runs()
        .ok()
        .filter(|runs| has_accounts(config, runs) || placer::has_placed(project));
    // Most projects have neither, and their records are not read.
    let found = known.and_then(|runs| run_view::all(&runs).ok());
    found.map_or_else(WorkLoad::default, |(runs, _)| {
        load_of(project, config, &runs, MACHINES)
    })
}

/// Returns how busy accounts and machines are: without runs, none is.
#[cfg(not(unix))]
pub(crate) fn work_load(_: &Project, _: &Config) -> WorkLoad {
    WorkLoad::default()
}

/// Returns the clusters on which agents of runs are at work.
#[cfg(unix)]
fn clusters(
    project: &Project,
    config: &Config,
    runs: &[RunView],
    machines: usize,
) -> Vec<ClusterView> {
    let at_work = runs.iter().filter(|run| run.status == RunStatus::Running);
    let placed = at_work.filter_map(|run| run.report.placed.as_ref());
    let targets: BTreeSet<&str> = placed.map(|placed| &*placed.target).collect();
    let view = |target| {
        ClusterPlacer::of(project, config, target)
            .ok()?
            .view(machines)
    };
    targets.into_iter().filter_map(view).collect()
}

/// Returns the clusters on which agents of runs are at work; there are no runs.
#[cfg(not(unix))]
fn clusters(_: &Project, _: &Config, _: &[RunView], _: usize) -> Vec<ClusterView> {
    Vec::new()
}

/// Returns the use of each account of the user's configuration, and of each agent without one that a rate limit
/// holds; empty where runs cannot be read, which is reported elsewhere.
#[cfg(unix)]
pub(super) fn account_uses(project: &Project, config: &Config) -> Vec<AccountView> {
    let found = project.runs().and_then(|runs| uses(&runs, config));
    found.unwrap_or_default()
}

/// Returns no accounts: there are no runs.
#[cfg(not(unix))]
pub(super) fn account_uses(_: &Project, _: &Config) -> Vec<AccountView> {
    Vec::new()
}

#[cfg(unix)]
fn has_accounts(config: &Config, runs: &RunStore) -> bool {
    !config.runs.accounts.is_empty() || RateLimits::read(runs).owners().next().is_some()
}

#[cfg(unix)]
fn uses(runs: &RunStore, config: &Config) -> Result<Vec<AccountView>, Error> {
    // Most projects have neither, and their records are not read a second time.
    if !has_accounts(config, runs) {
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
