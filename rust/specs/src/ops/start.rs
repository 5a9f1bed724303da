//! The start of work: everything that can be refused is refused before the answer, and the answer comes when
//! the run is under way (reference chant 5.17 R).

use chant_base::diagnostics::LogFailure;
use std::num::NonZeroUsize;
use std::sync::Arc;

use super::super::agents::workers::workers;
use super::super::error::ChantError;
use super::super::id::SpecId;
use super::super::model::Spec;
use super::super::project::run_tree::RunTreeContext;
use super::super::project::{Project, ProjectSnapshot};
use super::super::runtime::agent_launch::{self, has_prompt};
use super::super::runtime::agent_slots::{AgentSlots, next_agent, takes_turns};
use super::super::runtime::run_confinement;
use super::super::runtime::{recovery, refuse_without_commit, spec_runner, split};
use super::super::scores::SpecScores;
use super::super::start::{StartInputs, StartPlan, StartTarget, WorkMode};
use super::super::view::work::{GradesView, QualityWarning, StartedRunView};
use super::lint::findings;
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_base::lint::Severity;
use chant_config::Config;
use chant_work::WorkError;
use chant_work::handshake::PATIENCE;
use chant_work::launch::{self, LaunchedRunner};
use chant_work::lock::StartLock;
use chant_work::run_record::{RunOptions, RunRecord, SINGLE};
use chant_work::run_store::RunStore;
use chant_work::runner::RunEnd;
use chant_work::state::RunState;
use chant_work::stop;

/// The options of a start.
#[derive(Debug, Clone, Default)]
pub struct StartOptions {
    /// The extent of the work.
    pub mode: WorkMode,
    /// Everything else.
    pub asked: RunOptions,
}

impl StartOptions {
    /// Returns the options of the start of a recorded run.
    pub fn of(record: &RunRecord) -> Self {
        let number = record
            .mode
            .strip_prefix("parallel(")
            .and_then(|rest| rest.strip_suffix(')'));
        let number: Option<NonZeroUsize> = number.and_then(|number| number.parse().ok());
        let mode = match (number, record.mode.as_str()) {
            (Some(number), _) => WorkMode::Parallel(number),
            (None, SINGLE) => WorkMode::Single,
            (None, _) => WorkMode::Chain,
        };
        Self {
            mode,
            asked: record.asked.clone(),
        }
    }
}

/// `chant_work_start`: begins work on a spec, on the members of a driver, on a chain, or on several at
/// once. `steps` gets each step until the run is under way.
///
/// # Errors
/// As [`Project::resolve`]; everything that forbids the start; why the runner could not begin.
pub fn work_start(
    project: &Arc<Project>,
    id: &str,
    wish: &StartOptions,
    steps: &mut dyn FnMut(&str),
) -> Result<Answer, Error> {
    steps("Checking the spec");
    project.refuse_untrusted("chant_work_start")?;
    recovery::recover_runs(project)?;
    let spec = project.resolve_to_edit(&project.snapshot()?, id)?;
    recovery::recover_for(project, spec.id.as_str())?;
    let snapshot = project.snapshot()?;
    let spec = project.resolve_to_edit(&snapshot, spec.id.as_str())?;
    project.refuse_own(&spec.id, "started")?;
    project.refuse_held_by_others(&spec.id, "started")?;
    let runs = project.runs()?;
    runs.refuse_another(spec.id.as_str())?;
    let config = snapshot.config.clone()?;
    let plan = plan(project, &snapshot, spec.id.as_str(), wish)?;
    let repo = project.repository()?;
    refuse_without_commit(RunTreeContext {
        project,
        config: &config,
        repo: &repo,
    })?;
    agent_launch::committer_variables(project, &repo)?;
    let standing = run_confinement::standing_of_start(project, &config, &repo)?;
    refuse_unfit_agents(project, &runs, &config, &spec, wish)?;
    let (mode, asked) = recorded(wish, &plan, config.runs.limits.agents_at_once);
    drop(snapshot);
    steps("Starting a runner");
    let mode = (mode.to_string(), asked);
    let (record, runner) = start_run(project, &runs, &spec.id, mode, None, steps)?;
    detach_runner(project, runs, &record, runner);
    Ok(Answer::data(&StartedRunView {
        process_id: &record.process_id,
        spec_id: &record.spec_id,
        pid: record.pid,
        started_at: &record.started_at,
        mode: mode_told(wish.mode, &record),
        branch: record.branch.as_deref(),
        worktree: record.worktree.as_deref(),
        log: record.log.as_deref(),
        confinement: standing.to_string(),
        quality_warning: plan.red.first().map(|(id, scores)| warning(id, scores)),
    }))
}

/// Lets a runner live on by itself; what it leaves is looked after at once when it dies.
pub(super) fn detach_runner(
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

/// Refuses a start none of whose agents has room, or one of whose agents cannot be started.
fn refuse_unfit_agents(
    project: &Project,
    runs: &RunStore,
    config: &Config,
    spec: &Spec,
    wish: &StartOptions,
) -> Result<(), Error> {
    let is_parallel = matches!(wish.mode, WorkMode::Parallel(_));
    let is_divided = is_parallel && wish.asked.agent.is_none();
    if !is_divided {
        next_agent(project, runs, config, spec, &wish.asked)?;
    }
    if !is_divided && !takes_turns(config, &wish.asked) {
        return Ok(());
    }
    AgentSlots::of(runs)?.refuse_start((runs.clock)(), config)?;
    for worker in workers(&config.runs).map_err(ChantError::from)? {
        agent_launch::refuse_unfit_agent(project, config, &worker.agent, spec)?;
    }
    Ok(())
}

/// Mode and wishes as the record keeps them.
fn recorded(wish: &StartOptions, plan: &StartPlan, limit: NonZeroUsize) -> (WorkMode, RunOptions) {
    let mut asked = wish.asked.clone();
    let mode = match (wish.mode, &plan.work) {
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

fn mode_told(mode: WorkMode, record: &RunRecord) -> String {
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
                .map(super::super::scores::QualityGrade::letter),
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
/// As [`recovery::recover_runs`].
pub fn recover(project: &Project) -> Result<Vec<String>, Error> {
    recovery::recover_runs(project)
}

/// Returns the plan of a start.
///
/// # Errors
/// The first thing that forbids it.
pub(in super::super) fn plan(
    project: &Project,
    snapshot: &ProjectSnapshot,
    id: &str,
    wish: &StartOptions,
) -> Result<StartPlan, Error> {
    let config = snapshot.config.clone()?;
    let spec = project.resolve(snapshot, id)?;
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
        has_prompt: &|name| has_prompt(project, name),
        lint_errors: &lint_errors,
    };
    Ok(start.plan(&spec).map_err(ChantError::from)?)
}

/// Begins the run of one spec below another run; what its state allows has been looked at, what else
/// forbids it is looked at here.
///
/// # Errors
/// What forbids the start, or why the runner could not begin.
pub(in super::super) fn begin_one(
    project: &Project,
    runs: &RunStore,
    id: &SpecId,
    asked: RunOptions,
    parent: Option<&str>,
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
    next_agent(project, runs, &config, &spec, &wish.asked)?;
    drop(snapshot);
    let mode = (wish.mode.to_string(), wish.asked);
    start_run(project, runs, id, mode, parent, steps)
}

/// Starts a runner, gives its run a record, and waits until it is under way.
pub(super) fn start_run(
    project: &Project,
    runs: &RunStore,
    id: &SpecId,
    (mode, asked): (String, RunOptions),
    parent: Option<&str>,
    steps: &mut dyn FnMut(&str),
) -> Result<(RunRecord, LaunchedRunner), Error> {
    let mut runner = project.launch(runs, ["work", "--runner", id.as_str()])?;
    let identity = runner.identity().clone();
    let mut draft = RunRecord::new(id.as_str(), &mode, identity, (runs.clock)());
    draft.parent = parent.map(str::to_owned);
    draft.asked = asked;
    let record = match record(project, runs, draft) {
        Ok(record) => record,
        Err(error) => {
            runner.detach(|| ());
            return Err(error);
        }
    };
    if let Err(why) = runner.run(&record.process_id, PATIENCE, steps) {
        runner.detach(|| ());
        give_up(project, runs, &record, &why)?;
        return Err(WorkError::Step(why).into());
    }
    Ok((runs.get(&record.process_id)?, runner))
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
        AgentSlots::of(runs)?.refuse_start((runs.clock)(), &config)?;
        return Ok(runs.create_run(draft)?);
    }
    let agent = next_agent(project, runs, &config, &spec, &draft.asked)?;
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
                recovery::write_end_to_spec(project, record, &RunEnd::failed(why))
            } else {
                Ok(())
            };
            stopped.fail(runs, why.to_owned())?;
            split::remove_copy(project, record);
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
