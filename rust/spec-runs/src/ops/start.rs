//! The start of work: everything that can be refused is refused before the answer, and the answer comes when
//! the run is under way (reference chant 5.17 R).

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::forecast::work_forecast;
use crate::agents::workers::workers;
use crate::cluster::target::refuse_target;
use crate::error::SpecRunError;
use crate::item_order;
use crate::project::ProjectRuns;
use crate::project::run_tree::RunTreeContext;
use crate::runtime::agent_launch;
use crate::runtime::agent_slots::{AgentSlots, most_at_once, next_agent, takes_turns};
use crate::runtime::committer;
use crate::runtime::landing::landing_note;
use crate::runtime::login_copy::RunLogin;
use crate::runtime::placed_launch::{CONFINED_THERE, refuse_unplaceable};
use crate::runtime::run_confinement;
use crate::runtime::start::{RunRequest, detach_runner, plan, start_run};
use crate::runtime::{recovery, refuse_without_commit, spec_runner};
use crate::start::{StartOptions, StartPlan, StartTarget, WorkMode};
use crate::view::work::{GradesView, QualityWarning, StartedRunView, TargetBranchView};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_config::Config;
use chant_specs::error::ChantError;
use chant_specs::id::SpecId;
use chant_specs::model::Spec;
use chant_specs::project::Project;
use chant_specs::scores::SpecScores;
use chant_specs::work_items::run_id_of;
use chant_work::launch::{self};
use chant_work::run_record::{RunOptions, RunRecord};
use chant_work::run_store::RunStore;

/// `chant_work_start`: begins work on a spec, on the members of a driver, on a chain, or on several at
/// once. `steps` gets each step until the run is under way.
///
/// # Errors
/// As [`Project::resolve`]; everything that forbids the start; why the runner could not begin.
pub fn work_start(
    project: &Arc<Project>,
    id: &str,
    options: &StartOptions,
    steps: &mut dyn FnMut(&str),
) -> Result<Answer, Error> {
    steps("Checking the spec");
    project.refuse_untrusted("chant_work_start")?;
    recovery::look_at_requests(project, true)?;
    recovery::recover_runs(project)?;
    let spec = project.resolve_to_edit(&project.snapshot()?, id)?;
    recovery::recover_for(project, spec.id.as_str())?;
    let snapshot = project.snapshot()?;
    let spec = project.resolve_to_edit(&snapshot, spec.id.as_str())?;
    project.refuse_own(&spec.id, "started")?;
    let runs = project.runs()?;
    recovery::reopen_request(project, spec.id.as_str())?;
    runs.refuse_another(spec.id.as_str())?;
    let snapshot = project.snapshot()?;
    let config = snapshot.config.clone()?;
    if let Some(on) = &options.asked.on {
        refuse_target(project, &config, on)?;
    }
    let plan = plan(project, &snapshot, spec.id.as_str(), options)?;
    let repo = project.repository()?;
    let target = RunTreeContext {
        project,
        config: &config,
        repo: &repo,
    }
    .base_branch(options.asked.base.as_deref())?;
    refuse_without_commit(&repo, &target)?;
    committer::committer_variables(project, &repo)?;
    let standing = if options.asked.on.is_some() {
        CONFINED_THERE.to_owned()
    } else {
        let standing = run_confinement::standing_of_start(project, &config, &repo)?;
        agent_launch::describe_start(project, &config, &standing)
    };
    let landing_note = landing_note(project, &config, &repo)?;
    let login_note = refuse_unfit_agents(project, &runs, &config, &spec, options)?;
    let (mode, asked) = recorded(options, &plan, most_at_once(&config, &options.asked));
    drop(snapshot);
    steps("Starting a runner");
    let request = RunRequest {
        mode: mode.to_string(),
        asked,
        ..RunRequest::default()
    };
    let (record, runner) = start_run(project, &runs, &spec.id, request, steps)?;
    detach_runner(project, runs, &record, runner);
    Ok(Answer::data(&StartedRunView {
        process_id: &record.process_id,
        spec_id: record.name_of_work(),
        pid: record.pid,
        started_at: &record.started_at,
        mode: mode_of(options.mode, &record),
        branch: record.branch.as_deref(),
        target: TargetBranchView::of(&repo, record.target.as_deref().unwrap_or(&target))?,
        worktree: record.worktree.as_deref(),
        log: record.log.as_deref(),
        confinement: standing,
        landing_note,
        login_note,
        quality_warning: plan.red.first().map(|(id, scores)| warning(id, scores)),
    }))
}

/// As [`work_start`], on an item of another format, named by its key or a part of that.
///
/// # Errors
/// As [`work_start`]; nobody or several are called so; the item is done, waits, or is for people.
pub fn work_start_item(
    project: &Arc<Project>,
    name: &str,
    options: &StartOptions,
    steps: &mut dyn FnMut(&str),
) -> Result<Answer, Error> {
    steps("Checking the item");
    let orders = project.orders()?;
    orders.refuse_untrusted("chant_work_start")?;
    // Where there are no specs there are no runs on any.
    let all = if project.is_initialized() {
        project
    } else {
        orders
    };
    recovery::recover_runs(all)?;
    let runs = orders.runs()?;
    let order = item_order::work_items(project)?.order(project, name)?;
    runs.refuse_another(&run_id_of(&order.key))
        .map_err(|error| {
            let message = format!("{} cannot be started: {error}", order.key);
            ChantError::Refused(message)
        })?;
    let (_, id) = item_order::write_order(orders, &order.key, options.asked.skip_criteria)?;
    work_start(orders, id.as_str(), options, steps)
}

/// As [`work_forecast`], for an item of another format, named by its key or a part of that.
///
/// # Errors
/// As [`work_start_item`].
pub fn work_forecast_item(
    project: &Arc<Project>,
    name: &str,
    options: &StartOptions,
) -> Result<Answer, Error> {
    let orders = project.orders()?;
    let skips = options.asked.skip_criteria;
    let (order, id) = item_order::write_order(orders, name, skips)?;
    if !order.open_parts.is_empty() {
        item_order::write_ready(orders, id.as_str(), skips)?;
    }
    work_forecast(orders, id.as_str(), options)
}

/// Refuses a start none of whose agents has room, or one of whose agents cannot be started. Returns the note
/// about a login that may end meanwhile.
fn refuse_unfit_agents(
    project: &Project,
    runs: &RunStore,
    config: &Config,
    spec: &Spec,
    options: &StartOptions,
) -> Result<Option<String>, Error> {
    let is_parallel = matches!(options.mode, WorkMode::Parallel(_));
    let is_divided = is_parallel && options.asked.agent.is_none();
    let mut agents = Vec::new();
    if !is_divided {
        agents.push(next_agent(project, runs, config, spec, &options.asked)?);
    }
    if is_divided || takes_turns(config, &options.asked) {
        AgentSlots::of(runs)?.refuse_start((runs.clock)(), config, &options.asked)?;
        for worker in workers(&config.runs).map_err(SpecRunError::from)? {
            agent_launch::refuse_unfit_start(project, config, &worker.agent, spec, &options.asked)?;
            agents.push(worker.agent);
        }
    }
    if let Some(on) = &options.asked.on {
        let names: Vec<String> = agents.into_iter().map(|agent| agent.name).collect();
        refuse_unplaceable(project, config, spec, on, &options.asked, &names)?;
        return Ok(None);
    }
    let mut notes = Vec::new();
    for agent in &agents {
        let login = RunLogin::of(project, config, agent)?;
        let note = login.and_then(|login| {
            let (now, run) = ((project.clock.now)(), config.runs.limits.run());
            login.note_for(now, run)
        });
        notes.extend(note);
    }
    notes.dedup();
    Ok((!notes.is_empty()).then(|| notes.join("\n")))
}

/// Mode and wishes as the record keeps them.
fn recorded(
    options: &StartOptions,
    plan: &StartPlan,
    limit: NonZeroUsize,
) -> (WorkMode, RunOptions) {
    let mut asked = options.asked.clone();
    let mode = match (options.mode, &plan.work) {
        // The members of a driver are worked like a chain that ends with them.
        (WorkMode::Single, StartTarget::Members { .. }) => {
            asked.only_members = true;
            WorkMode::Chain
        }
        (WorkMode::Parallel(workers), _) => WorkMode::Parallel(workers.min(limit)),
        (mode, _) => mode,
    };
    (mode, asked)
}

fn mode_of(mode: WorkMode, record: &RunRecord) -> String {
    match mode {
        WorkMode::Single => WorkMode::Single.to_string(),
        _ => record.mode.clone(),
    }
}

fn warning(id: &SpecId, scores: &SpecScores) -> QualityWarning {
    QualityWarning {
        status: "refine",
        scores: GradesView {
            complexity: scores.complexity.letter(),
            confidence: scores.confidence.letter(),
            splittability: scores.splittability.letter(),
            ac_quality: scores.ac_quality.letter(),
            isolation: scores
                .isolation
                .map(chant_specs::scores::QualityGrade::letter),
        },
        suggestions: scores.suggestions(),
        message: format!("Spec '{id}' does not pass the quality gate; skip_criteria waived that."),
    }
}

/// Runs, in this process, the run that standard input names; gives where it stands then.
///
/// # Errors
/// That none is named, why it could not begin, which the hand-shake said too, or could not be ended.
pub fn run_work(project: &Project) -> Result<&'static str, Error> {
    let (process_id, handshake) = launch::take_up()?;
    Ok(spec_runner::run_spec(project, &process_id, handshake)?.as_str())
}

/// Looks after what dead runs left, and after work that waits; gives what could not be put right.
///
/// # Errors
/// A failure to read the records of runs or the repository.
pub fn recover(project: &Project) -> Result<Vec<String>, Error> {
    recovery::recover_runs(project)
}
