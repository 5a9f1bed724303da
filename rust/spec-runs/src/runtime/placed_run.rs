//! The part of a run that another machine placed on this one: from a branch that was started to the
//! end of the agent. Whether the work is done, and where it lands, is judged over there.

use super::agent_launch::{self, LaunchInputs};
use super::login_copy::LoginCopy;
use super::new_run_folder::RunFolderInputs;
use super::run_confinement;
use super::run_folder::RunFolder;
use super::spec_state::spec_of;
use crate::project::ProjectRuns;
use chant_base::error::Error;
use chant_git::{self, Repo};
use chant_specs::project::Project;
use chant_work::agent::{AgentJob, AgentOutcome};
use chant_work::cancel_token::CancelToken;
use chant_work::folder_observer::FolderObserver;
use chant_work::handshake::StartHandshake;
use chant_work::process::ProcessIdentity;
use chant_work::run_record::{RunOptions, RunRecord, SINGLE};
use chant_work::runner::{self, ActiveRun, RunEnd, RunSteps};
use chant_work::state::{RunEvent, StopReason};

/// The run that is wanted.
#[derive(Debug, Clone)]
pub(crate) struct PlacedRun {
    /// The spec.
    pub spec_id: String,
    /// The branch of its work, which stands at `start`.
    pub branch: String,
    /// The branch that the work is for.
    pub target: String,
    /// The commit behind which its work begins.
    pub start: String,
    /// The options of its start.
    pub asked: RunOptions,
    /// Variables of the agent's account, which it gets besides the usual ones.
    pub variables: Vec<String>,
}

/// The end of the agent of a placed run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlacedEnd {
    /// By itself, with exit code 0.
    Done,
    /// In any other way.
    Failed,
    /// It was asked to.
    Stopped,
}

/// Runs an agent on a spec in this process, until it has ended and its commits are on the branch.
/// `started` gets the confinement once the agent works. Returns the order of an item as the agent left it, too: no commit
/// has it.
///
/// # Errors
/// Why the run could not begin, or could not be ended; the record, if there is one, says it, too.
pub(crate) fn run_placed(
    project: &Project,
    wanted: &PlacedRun,
    handshake: StartHandshake,
    interruption: &CancelToken,
    started: &dyn Fn(&str),
) -> Result<(PlacedEnd, RunRecord, Option<String>), Error> {
    let runs = project.runs()?;
    let repo = project.repository()?;
    let _act = repo.begin_act();
    let own = ProcessIdentity::own();
    let mut draft = RunRecord::new(&wanted.spec_id, SINGLE, own, (runs.clock)());
    draft.asked = wanted.asked.clone();
    let record = runs.create_run(draft)?;
    let mut steps = PlacedSteps {
        project,
        repo: &repo,
        wanted,
        started,
        place: None,
        login: None,
        order: None,
        end: PlacedEnd::Failed,
    };
    let process_id = &record.process_id;
    let ran = runner::run(&runs, process_id, handshake, interruption, &mut steps);
    let end = match steps.end {
        PlacedEnd::Failed if interruption.is_cancelled() => PlacedEnd::Stopped,
        end => end,
    };
    if end == PlacedEnd::Failed {
        ran?;
    }
    Ok((end, runs.get(process_id)?, steps.order))
}

/// The steps of a placed run.
struct PlacedSteps<'a> {
    project: &'a Project,
    repo: &'a Repo,
    wanted: &'a PlacedRun,
    started: &'a dyn Fn(&str),
    place: Option<RunFolder>,
    login: Option<LoginCopy>,
    order: Option<String>,
    end: PlacedEnd,
}

impl PlacedSteps<'_> {
    fn prepare(&mut self, run: &mut ActiveRun<'_>) -> Result<AgentJob, Error> {
        let project = self.project;
        let snapshot = project.snapshot()?;
        let prompts = project.refuse_untrusted_snapshot(&snapshot)?;
        let mut config = (*snapshot.config.clone()?).clone();
        config.runs.passed.extend(self.wanted.variables.clone());
        // Everything of the run lies in the job's folder.
        config.worktree_root = None;
        let spec = spec_of(&snapshot, &self.wanted.spec_id)?;
        let standing = agent_launch::describe_start(
            project,
            &config,
            &run_confinement::confinement_status(project, &config)?,
        );
        run.update(|record| {
            record.confinement = Some(standing.clone());
            Ok(())
        })?;
        let making = RunFolderInputs {
            project,
            repo: self.repo,
            config: &config,
            spec: &spec,
            branch: self.wanted.branch.clone(),
        };
        let place = making.make_on_begun_branch(run, &self.wanted.target, &self.wanted.start)?;
        run.step("Starting the agent");
        let inputs = LaunchInputs {
            project,
            repo: self.repo,
            config: &config,
            spec: &spec,
            place: &place,
            asked: &self.wanted.asked,
            review: None,
            own_variables: &[],
        };
        let job = inputs.job(&prompts, None);
        let state = agent_launch::choose_agent(&config, &self.wanted.asked)?.state;
        self.login = LoginCopy::of(project, state, &place.worktree);
        self.place = Some(place);
        job
    }
}

impl RunSteps for PlacedSteps<'_> {
    fn begin(&mut self, run: &mut ActiveRun<'_>) -> Result<AgentJob, Error> {
        let (variable, value) = run.mark();
        chant_git::mark_calls(variable, value);
        self.prepare(run)
    }

    fn give_up(&mut self, _run: &mut ActiveRun<'_>, _why: &str) {}

    fn under_way(&mut self, run: &ActiveRun<'_>) {
        (self.started)(run.record().confinement.as_deref().unwrap_or_default());
    }

    fn looking(&self) -> Option<FolderObserver<'_>> {
        let place = self.place.as_ref()?;
        Some(place.observed(self.project, self.login.as_ref()))
    }

    fn conclude_run(
        &mut self,
        run: &mut ActiveRun<'_>,
        ended: &AgentOutcome,
    ) -> Result<RunEnd, Error> {
        let Some(place) = &self.place else {
            return Ok(RunEnd::failed("The worktree is not known any more"));
        };
        let fetched = place.fetch(self.project, self.repo);
        let kept = place.hand_over(self.project, self.repo);
        if !place.is_tracked {
            // What cannot be read says nothing.
            self.order = place.copy_text(self.project).ok().flatten();
        }
        if !ended.is_success() && run.interruption().is_cancelled() {
            return Ok(RunEnd {
                event: RunEvent::Stop(StopReason::Pause),
                reason: None,
            }
            .with_sentences(kept));
        }
        let mut why = ended.to_string();
        if let Err(error) = &fetched {
            why.push_str(&format!("\n{error}"));
        }
        if !ended.is_success() || fetched.is_err() {
            return Ok(RunEnd::failed(why).with_sentences(kept));
        }
        self.end = PlacedEnd::Done;
        Ok(RunEnd {
            event: RunEvent::Doubt,
            reason: None,
        }
        .with_sentences(kept))
    }
}
