//! Starts a run: plans it, gives it a record and a runner, and waits until it is under way.

use std::sync::Arc;

use super::acting_change::refuse_untrusted_base;
use super::agent_launch::choose_agent;
use super::agent_slots::{AgentSlots, choose_account, next_agent, takes_turns};
use super::landing::refuse_style;
use super::launch_runner;
use super::placed_launch::refuse_unplaceable;
use super::recovery;
use super::spec_state::write_end_to_spec;
use super::split_copy::remove_copy;
use crate::error::SpecRunError;
use crate::item_order;
use crate::leases::{ClaimResult, SpecLeases};
use crate::project::ProjectRuns;
use crate::project::run_tree::RunTreeContext;
use crate::start::{StartInputs, StartOptions, StartPlan, WorkMode};
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_base::lint::Severity;
use chant_config::leases::LandingWay;
use chant_specs::error::ChantError;
use chant_specs::id::SpecId;
use chant_specs::model::Spec;
use chant_specs::ops::lint::findings;
use chant_specs::project::{Project, ProjectSnapshot};
use chant_work::WorkError;
use chant_work::handshake::START_TIMEOUT;
use chant_work::launch::LaunchedRunner;
use chant_work::lock::{SpecLock, StartLock};
use chant_work::run_record::{LeaseEntry, PlacedEntry, RunOptions, RunRecord, SINGLE, SPLIT};
use chant_work::run_store::RunStore;
use chant_work::runner::RunEnd;
use chant_work::state::RunState;
use chant_work::stop;

/// Returns the plan of a start.
///
/// # Errors
/// The first thing that forbids it.
pub(crate) fn plan(
    project: &Project,
    snapshot: &ProjectSnapshot,
    id: &str,
    wish: &StartOptions,
) -> Result<StartPlan, Error> {
    let config = snapshot.config.clone()?;
    let spec = project.resolve(snapshot, id)?;
    if let Some(parts) = item_order::plan_parts(project, &spec, wish)? {
        refuse_style(&config)?;
        return Ok(parts);
    }
    let runs = project.runs()?;
    // Records that cannot be listed forbid the start.
    runs.newest_of(spec.id.as_str())?;
    let left = |spec: &Spec| {
        let newest = runs.newest_of(spec.id.as_str()).ok().flatten();
        newest.filter(|record| !record.state().is_closed() && record.state() != RunState::Running)
    };
    let goes_on = |spec: &Spec| left(spec).is_some();
    let has_work = |spec: &Spec| left(spec).is_some_and(|record| record.agent.is_some());
    let lint_errors = |spec: &Arc<Spec>| {
        let found = findings(project, snapshot, spec)
            .unwrap_or_default()
            .into_iter();
        let errors = found.filter(|finding| finding.severity == Severity::Error.as_str());
        let said = errors.map(|finding| match finding.suggestion {
            Some(advice) => format!("{}. {advice}", finding.message),
            None => finding.message,
        });
        said.collect()
    };
    let start = StartInputs {
        specs: &snapshot.specs,
        config: &config,
        skip_criteria: wish.asked.skip_criteria,
        prompt: wish.asked.prompt.as_deref(),
        goes_on: &goes_on,
        has_work: &has_work,
        has_prompt: &|name| project.has_prompt(name),
        lint_errors: &lint_errors,
    };
    let plan = start.plan(&spec).map_err(SpecRunError::from)?;
    refuse_style(start.config)?;
    Ok(plan)
}

/// Begins the run of one spec below another run; what its state allows has been looked at, what else
/// forbids it is looked at here.
///
/// # Errors
/// What forbids the start, or why the runner could not begin.
pub(crate) fn begin_one(
    project: &Project,
    runs: &RunStore,
    id: &SpecId,
    asked: RunOptions,
    parent: Option<&str>,
    claimed: Option<ClaimResult>,
    steps: &mut dyn FnMut(&str),
) -> Result<(RunRecord, LaunchedRunner), Error> {
    let wish = StartOptions {
        mode: WorkMode::Single,
        asked,
    };
    let snapshot = project.snapshot()?;
    plan(project, &snapshot, id.as_str(), &wish)?;
    let config = snapshot.config.clone()?;
    let spec = project.resolve(&snapshot, id.as_str())?;
    let agent = next_agent(project, runs, &config, &spec, &wish.asked)?;
    if let Some(on) = &wish.asked.on {
        refuse_unplaceable(project, &config, &spec, on, &wish.asked, &[agent.name])?;
    }
    drop(snapshot);
    let request = RunRequest {
        mode: wish.mode.to_string(),
        asked: wish.asked,
        parent,
        claimed,
    };
    start_run(project, runs, id, request, steps)
}

/// The order for a new run.
#[derive(Default)]
pub(crate) struct RunRequest<'a> {
    /// Its mode, in the words of its record.
    pub mode: String,
    /// The options that it was started with.
    pub asked: RunOptions,
    /// The run that starts it.
    pub parent: Option<&'a str>,
    /// The claim of its spec, if it was made already.
    pub claimed: Option<ClaimResult>,
}

/// Starts a runner, gives its run a record, and waits until it is under way.
pub(crate) fn start_run(
    project: &Project,
    runs: &RunStore,
    id: &SpecId,
    mut request: RunRequest<'_>,
    steps: &mut dyn FnMut(&str),
) -> Result<(RunRecord, LaunchedRunner), Error> {
    let mut claims = match request.claimed.take() {
        None if request.mode == SINGLE && !request.asked.offline => {
            claim_specs(project, runs, std::slice::from_ref(id), steps)?
        }
        claimed => SpecClaims {
            results: claimed.into_iter().collect(),
            ..SpecClaims::default()
        },
    };
    let lease = match claims.results.pop().transpose()? {
        Some((token, lease)) => {
            runs.raise_token(id.as_str(), token)?;
            Some(lease)
        }
        None => None,
    };
    let started = start_claimed(project, runs, id, request, lease.clone(), steps);
    if started.is_err() && lease.is_some() {
        // No run has the spec: the remote learns that now, or with the next push.
        settle(project).log_failure("give a lease back");
    }
    started
}

/// Claims of specs on a remote.
#[derive(Default)]
pub(crate) struct SpecClaims {
    /// Each claim or refusal, in the order of the specs; none where clones share nothing.
    pub(crate) results: Vec<ClaimResult>,
    /// What keeps other processes of this clone from claiming them, too, until the runs have their records.
    locks: Vec<SpecLock>,
}

/// Claims specs for runs in one push, where the configuration says that clones share the project's specs.
pub(crate) fn claim_specs(
    project: &Project,
    runs: &RunStore,
    ids: &[SpecId],
    steps: &mut dyn FnMut(&str),
) -> Result<SpecClaims, Error> {
    let config = project.snapshot()?.config.clone()?;
    let Some(leases) = SpecLeases::of(project, &config)? else {
        return Ok(SpecClaims::default());
    };
    if project.holds_orders() && leases.landing() == LandingWay::Pr {
        let message = "Work on items of other formats cannot land by requests. Set `landing: push` below `leases`, or work offline and push by hand.";
        return Err(ChantError::Refused(message.into()).into());
    }
    steps("Asking the remote");
    let id = ids.first().map(ToString::to_string).unwrap_or_default();
    leases.look_first(&id)?;
    if let Some(refusal) = leases.forbidden_landing(false)? {
        return Err(SpecRunError::Lease { id, refusal }.into());
    }
    steps("Claiming the spec");
    let locks = ids.iter().map(|id| lock_claim(runs, id.as_str()));
    let locks: Vec<Result<SpecLock, WorkError>> = locks.collect();
    let mut wanted = Vec::new();
    for (id, _) in ids.iter().zip(&locks).filter(|(_, lock)| lock.is_ok()) {
        wanted.push((id.as_str(), runs.token(id.as_str())?.unwrap_or(0)));
    }
    let mut granted = leases.claim_all(&wanted)?.into_iter();
    let mut claims = SpecClaims::default();
    for lock in locks {
        claims.results.extend(match lock {
            Ok(lock) => {
                claims.locks.push(lock);
                granted.next()
            }
            Err(error) => Some(Err(error.into())),
        });
    }
    Ok(claims)
}

/// Keeps other processes of this clone from claiming a spec that no run works on.
fn lock_claim(runs: &RunStore, spec_id: &str) -> Result<SpecLock, WorkError> {
    let lock = SpecLock::acquire_for_claim(runs, spec_id)?;
    runs.refuse_another(spec_id)?;
    Ok(lock)
}

fn settle(project: &Project) -> Result<(), Error> {
    let config = project.snapshot()?.config.clone()?;
    match SpecLeases::of(project, &config)? {
        Some(leases) => leases.settle(),
        None => Ok(()),
    }
}

/// Starts the runner of a run that may start.
fn start_claimed(
    project: &Project,
    runs: &RunStore,
    id: &SpecId,
    request: RunRequest<'_>,
    lease: Option<LeaseEntry>,
    steps: &mut dyn FnMut(&str),
) -> Result<(RunRecord, LaunchedRunner), Error> {
    let RunRequest {
        mode,
        asked,
        parent,
        ..
    } = request;
    let target = match mode.as_str() {
        SPLIT => None,
        _ => Some(target_of(project, runs, parent, &asked)?),
    };
    let mut runner = launch_runner(project, runs, ["work", "--runner", id.as_str()])?;
    let identity = runner.identity().clone();
    let mut draft = RunRecord::new(id.as_str(), &mode, identity, (runs.clock)());
    draft.parent = parent.map(str::to_owned);
    draft.target = target;
    draft.placed = asked.on.as_ref().map(|on| PlacedEntry {
        target: on.clone(),
        ..PlacedEntry::default()
    });
    draft.asked = asked;
    draft.lease = lease;
    let record = match record(project, runs, draft) {
        Ok(record) => record,
        Err(error) => {
            runner.detach(|| ());
            return Err(error);
        }
    };
    if let Err(why) = runner.run(&record.process_id, START_TIMEOUT, steps) {
        runner.detach(|| ());
        give_up(project, runs, &record, &why)?;
        return Err(WorkError::Step(why).into());
    }
    Ok((runs.get(&record.process_id)?, runner))
}

/// Returns the branch that a run lands on: that of the run above it, whatever is checked out meanwhile.
fn target_of(
    project: &Project,
    runs: &RunStore,
    parent: Option<&str>,
    asked: &RunOptions,
) -> Result<String, Error> {
    let above = parent.and_then(|parent| runs.get(parent).ok()?.target);
    if let Some(target) = above {
        return Ok(target);
    }
    let config = project.snapshot()?.config.clone()?;
    let repo = project.repository()?;
    let context = RunTreeContext {
        project,
        config: &config,
        repo: &repo,
    };
    let target = context.base_branch(asked.base.as_deref())?;
    refuse_untrusted_base(project, &repo, &target)?;
    Ok(target)
}

/// Gives a run its record, and its agent where they take turns; what room there is cannot be taken by
/// another start meanwhile.
fn record(project: &Project, runs: &RunStore, mut draft: RunRecord) -> Result<RunRecord, Error> {
    let snapshot = project.snapshot()?;
    if !draft.has_agent() {
        project.refuse_untrusted_snapshot(&snapshot)?;
        return Ok(runs.create_run(draft)?);
    }
    let config = snapshot.config.clone()?;
    let spec = project.resolve(&snapshot, &draft.spec_id)?;
    let _lock = StartLock::acquire(runs)?;
    project.refuse_untrusted_snapshot(&snapshot)?;
    if !draft.works_on_spec() {
        AgentSlots::of(runs)?.refuse_start((runs.clock)(), &config, &draft.asked)?;
        // The agent of a split is the configured one.
        let agent = choose_agent(&config, &RunOptions::default())?;
        draft.account = choose_account(project, runs, &config, &agent.name, &draft.asked)?;
        return Ok(runs.create_run(draft)?);
    }
    draft.item = item_order::entry_of(project, &spec)?.map(Box::new);
    if let Some(item) = &draft.item {
        item_order::refuse_overlap(runs, &draft.spec_id, item)?;
        if let Some(target) = &draft.target {
            item_order::refuse_uncommitted(project, item, target)?;
        }
    }
    let agent = next_agent(project, runs, &config, &spec, &draft.asked)?;
    draft.account = choose_account(project, runs, &config, &agent.name, &draft.asked)?;
    if takes_turns(&config, &draft.asked) {
        draft.asked.agent = Some(agent.name);
    }
    Ok(runs.create_run(draft)?)
}

/// Has the record of a run that could not begin say so, and its spec, if its runner did not. One that was
/// stopped meanwhile did not fail.
fn give_up(project: &Project, runs: &RunStore, record: &RunRecord, why: &str) -> Result<(), Error> {
    // Should this process die now, the one that finds it only has to let the run be started again.
    match stop::stop_unbegun(runs, &record.process_id, stop::GRACE) {
        Ok(stopped) => {
            let shown = if record.works_on_spec() {
                write_end_to_spec(project, record, &RunEnd::failed(why))
            } else {
                Ok(())
            };
            stopped.fail(runs, why.to_owned())?;
            remove_copy(project, record);
            shown
        }
        Err(WorkError::NotRunning {
            state: RunState::Paused | RunState::TakenOver | RunState::Cancelled,
            process_id,
        }) => Err(WorkError::Stopped { process_id }.into()),
        Err(WorkError::NotRunning { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Lets a runner live on by itself; what it leaves is looked after at once when it dies.
pub(crate) fn detach_runner(
    project: &Arc<Project>,
    runs: RunStore,
    record: &RunRecord,
    runner: LaunchedRunner,
) {
    let (process_id, own) = (record.process_id.clone(), project.clone());
    runner.detach(move || {
        // A runner that ended without a word of how died; one that was lost left something to do.
        let is_lost = |record: RunRecord| match record.state() {
            RunState::Running => record.stop_requested.is_none(),
            state => state == RunState::Lost,
        };
        if runs.get(&process_id).is_ok_and(is_lost) {
            recovery::recover_runs(&own).log_failure("recover runs");
        }
    });
}
