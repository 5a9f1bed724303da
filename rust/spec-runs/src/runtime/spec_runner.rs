//! The run of one spec, from its branch to its end (reference chant 6.2, as the decisions change
//! it).

use super::agent_launch::{self, LaunchInputs};
use super::agent_turn::{self, ResumedTurn};
use super::completion_check::{CompletionCheck, CompletionTerms};
use super::environment::{
    CommitOrigin, EnvironmentSetUp, OwnPorts, SetUpEnvironment, SetUpOutcome, copy_mounted_layers,
};
use super::folder_namespaces::FolderNamespaces;
use super::landing::hooks_of;
use super::login_copy::LoginCopy;
use super::new_run_folder::RunFolderInputs;
use super::own_files::OwnFiles;
use super::placed_launch::{CONFINED_THERE, PlacedLaunch};
use super::pool;
use super::pushed_work::PushedRef;
use super::recovery;
use super::rerun::CommitChecks;
use super::run_confinement;
use super::run_folder::RunFolder;
use super::services::{RunningServices, ServiceStart};
use super::spec_state::{self, change_spec, spec_of};
use crate::leases::LeaseKeeper;
use crate::project::ProjectRuns;
use crate::review::sent_review;
use chant_agent_events::FailureCause;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_config::run_environment::RouteUser;
use chant_environment::LayerPin;
use chant_git::{self, Repo};
use chant_proof::completion;
use chant_specs::checks::check_marks;
use chant_specs::error::ChantError;
use chant_specs::model::{Spec, SpecStatus};
use chant_specs::project::{Project, ProjectSnapshot};
use chant_store::disk;
use chant_work::agent::{AgentJob, AgentOutcome};
use chant_work::cancel_token::CancelToken;
use chant_work::folder_observer::FolderObserver;
use chant_work::handshake::StartHandshake;
use chant_work::run_record::{CriterionEntry, MergeState, NetworkEntry, SINGLE, SPLIT};
use chant_work::runner::{self, ActiveRun, RunEnd, RunSteps};
use chant_work::state::{RunEvent, RunState};

/// Runs the run of a record to its end in this process, which does nothing else: of one spec, of
/// several, or one that splits a spec.
///
/// # Errors
/// The reason why it could not start, which the hand-shake reported too, or could not be ended.
pub(crate) fn run_spec(
    project: &Project,
    process_id: &str,
    handshake: StartHandshake,
) -> Result<RunState, Error> {
    let interruption = CancelToken::listening()?;
    // A git that creates or reads the folder of a run must not keep the runner from ending.
    interruption.on_cancel(chant_git::end_limited_calls)?;
    let runs = project.runs()?;
    let repo = project.repo()?;
    let _act = repo.as_deref().map(Repo::begin_act);
    let record = runs.get(process_id).ok();
    let orders = record.as_ref().map(|record| &*record.spec_id);
    let project = orders.map_or(Ok(project), |spec_id| project.of_run(spec_id))?;
    let mode = record.map(|record| record.mode);
    match mode.as_deref() {
        Some(SPLIT) => {
            return super::split::run_split(project, &runs, process_id, handshake, &interruption);
        }
        Some(SINGLE) | None => {}
        Some(_) => {
            return super::orchestrator::run_orchestrator(
                project, &runs, process_id, handshake, &interruption,
            );
        }
    }
    let mut task = SpecRunner::of(project);
    let state = LeaseKeeper::keep_while(project, &runs.get(process_id)?, || {
        runner::run(&runs, process_id, handshake, &interruption, &mut task)
    })?;
    go_on(project, state);
    Ok(state)
}

/// Recovers a run at once if it could not record its end; else the next opening of the project does
/// it.
pub(super) fn go_on(project: &Project, state: RunState) {
    if state == RunState::Lost {
        recovery::recover_runs(project).log_failure("recover runs");
    }
}

/// Returns true if the work is on the target, whatever the record says.
fn is_merged(project: &Project, run: &ActiveRun<'_>, place: &RunFolder) -> Result<bool, Error> {
    let record = run.runs().get(&run.record().process_id)?;
    // A branch is removed only after its merge, which is recorded before.
    let is_there = || {
        let repo = project.repository().ok()?;
        repo.is_merged(&place.branch, &place.target).ok()
    };
    Ok(record.merge.state == MergeState::Merged || is_there().unwrap_or(false))
}

/// The step that leaves a folder without dependencies if it fails.
const NO_COPIES: &str = "copy the dependencies of a run into its folder";

/// The work on one spec.
pub(super) struct SpecRunner<'a> {
    project: &'a Project,
    place: Option<RunFolder>,
    /// The state that the spec had before.
    before: Option<SpecStatus>,
    /// The terms by which the work is judged.
    terms: CompletionTerms,
    /// The login of which its agent has a copy.
    login: Option<LoginCopy>,
    /// The services beside its agent.
    services: Option<RunningServices>,
    /// The namespaces that its agent and the services share; ended behind these.
    namespaces: Option<FolderNamespaces>,
    /// The ports of its agent.
    ports: Option<OwnPorts>,
    /// Keep the layers that its agent's folder mounts.
    layer_pins: Vec<LayerPin>,
    /// The session that its agent goes on with, until it did not take that up.
    resumed: Option<ResumedTurn>,
}

impl<'a> SpecRunner<'a> {
    fn of(project: &'a Project) -> Self {
        Self {
            project,
            place: None,
            before: None,
            terms: CompletionTerms::default(),
            login: None,
            services: None,
            namespaces: None,
            ports: None,
            layer_pins: Vec::new(),
            resumed: None,
        }
    }

    /// Gives the folder of a run what recipes install, and takes its ports.
    fn set_up(
        &mut self,
        run: &mut ActiveRun<'_>,
        commands: CommitChecks<'_>,
        place: &RunFolder,
    ) -> Result<(), Error> {
        let asked = &run.record().asked;
        if asked.on.is_some() {
            return Ok(());
        }
        let mut set_up = SetUpEnvironment::default();
        if !asked.bare {
            let environment = EnvironmentSetUp {
                commands,
                is_of_item: true,
            };
            let mut step = None;
            let mut progress = |what: &str| step = run.long_step(what);
            let done =
                environment.set_up(place, &place.base, CommitOrigin::Landed, &mut progress)?;
            if let SetUpOutcome::Done(found) = done {
                set_up = found;
            }
        }
        place.refuse_broken_filters(self.project, commands.repo)?;
        let own = OwnFiles::read(self.project, commands.config, commands.repo)?;
        own.copy(&place.worktree)?;
        for missing in &own.missing {
            run.step(missing);
        }
        let secrets = &commands.config.runs.environment.secrets.agents;
        let ports = OwnPorts::take(self.project, commands.config, secrets)?;
        run.update(|record| {
            record.environment.clone_from(&set_up.entries);
            record.ports.clone_from(&ports.ports);
            Ok(())
        })?;
        let has_services =
            !run.record().asked.bare && !commands.config.runs.environment.services.is_empty();
        let request = commands.namespaces(&place.worktree, RouteUser::Agents, has_services);
        self.namespaces = request.hold()?;
        if has_services {
            let services = ServiceStart {
                commands,
                place,
                ports: &ports,
                is_of_item: true,
                namespaces: self.namespaces.as_ref(),
            };
            let mut step = None;
            self.services = services.start(&mut |what| step = run.long_step(what))?;
        }
        self.ports = Some(ports);
        self.layer_pins = set_up.pins;
        Ok(())
    }

    /// Ends the services beside its agent.
    fn stop_services(&mut self) {
        let stopped = self.services.take().map_or(Ok(()), RunningServices::stop);
        // They end with this process at the latest.
        stopped.log_failure("end the services of a run");
    }

    /// Ends what its agent and the services shared, and records what they asked for in the network.
    fn end_namespaces(&mut self, run: &mut ActiveRun<'_>) -> Result<(), Error> {
        let namespaces = self.namespaces.take();
        let Some(network) = namespaces.as_ref().and_then(FolderNamespaces::traffic) else {
            return Ok(());
        };
        run.update(|record| {
            record.network.get_or_insert_default().add(network.clone());
            Ok(())
        })?;
        Ok(())
    }

    fn prepare(&mut self, run: &mut ActiveRun<'_>) -> Result<AgentJob, Error> {
        let snapshot = self.project.snapshot()?;
        // The process that started this one has checked; this process uses the text that it read
        // itself.
        let prompts = self.project.refuse_untrusted_snapshot(&snapshot)?;
        let config = snapshot.config.clone()?;
        self.terms.config = Some(config.clone());
        let spec = spec_of(&snapshot, &run.record().spec_id)?;
        let repo = self.project.repository()?;
        Self::note_criteria(run, &spec)?;
        let standing = if run.record().asked.on.is_some() {
            CONFINED_THERE.to_owned()
        } else {
            let standing = run_confinement::confinement_status(self.project, &config)?;
            agent_launch::describe_start(self.project, &config, &standing)
        };
        let hooks = hooks_of(self.project);
        run.update(|record| {
            record.confinement = Some(standing.clone());
            record.hooks_at_start = Some(hooks.clone());
            Ok(())
        })?;
        let making = RunFolderInputs {
            project: self.project,
            repo: &repo,
            config: &config,
            spec: &spec,
            branch: snapshot.own_branch(&spec),
        };
        let place = making.make(run)?;
        let (record, interruption) = (run.record().clone(), run.interruption());
        let commands = CommitChecks {
            project: self.project,
            repo: &repo,
            config: &config,
            spec: &spec,
            record: &record,
            interruption,
        };
        self.set_up(run, commands, &place)?;
        self.mark(&snapshot, &spec, &place)?;
        run.reached("after-status")?;
        run.step("Starting the agent");
        // An agent elsewhere gets its prompt there, where nothing is known of reviews: what was sent goes on waiting.
        let sent = match &run.record().asked.on {
            None => sent_review(self.project, &repo, &spec)?,
            Some(_) => None,
        };
        let inputs = LaunchInputs {
            project: self.project,
            review: sent.as_ref().and_then(|sent| sent.digest.as_deref()),
            repo: &repo,
            config: &config,
            spec: &spec,
            place: &place,
            asked: &run.record().asked.clone(),
            own_variables: self.ports.as_ref().map_or(&[], |own| &own.variables),
        };
        let job = if let Some(on) = &inputs.asked.on {
            let placed = PlacedLaunch {
                inputs: &inputs,
                record: run.record(),
            };
            placed.job(on)
        } else {
            let state = agent_launch::choose_agent(&config, inputs.asked)?.state;
            let job = inputs.job(&prompts, run.record().account.as_deref());
            self.login = LoginCopy::of(self.project, state, &place.worktree);
            job.and_then(|job| {
                let (job, resumed) = agent_turn::begin_turn(&inputs, run, sent.as_ref(), job)?;
                self.resumed = resumed;
                Ok(job)
            })
        };
        run.reached("after-delivery")?;
        self.place = Some(place);
        job
    }

    /// Records the present criteria: the work is judged by them.
    pub(super) fn note_criteria(run: &mut ActiveRun<'_>, spec: &Spec) -> Result<(), Error> {
        let criteria = completion::criteria_at_start(spec).into_iter();
        let marks = check_marks(spec).into_iter();
        let criteria: Vec<CriterionEntry> = criteria
            .zip(marks)
            .map(|(criterion, marks)| CriterionEntry {
                without_red: !marks.is_empty() && marks.iter().all(|mark| !mark.asks_red),
                text: criterion.text,
                checked: criterion.checked,
                checks: criterion.checks,
            })
            .collect();
        run.update(|record| {
            record.criteria_at_start.clone_from(&criteria);
            Ok(())
        })?;
        Ok(())
    }

    /// Marks the spec, and those around it, as being worked on.
    fn mark(
        &mut self,
        snapshot: &ProjectSnapshot,
        spec: &Spec,
        place: &RunFolder,
    ) -> Result<(), Error> {
        let open = [
            SpecStatus::Pending,
            SpecStatus::Blocked,
            SpecStatus::Ready,
            SpecStatus::Failed,
            SpecStatus::NeedsAttention,
            SpecStatus::Paused,
            SpecStatus::InProgress,
        ];
        let may_name_branch = spec
            .branch
            .as_ref()
            .is_none_or(|branch| **branch == *place.branch);
        let is_open = change_spec(self.project, spec.id.as_str(), &open, |draft| {
            draft.set_text("status", SpecStatus::InProgress.as_str())?;
            if may_name_branch {
                draft.set_text("branch", place.branch.as_str())?;
            }
            Ok(())
        })?;
        if !is_open {
            let message = format!(
                "Spec '{}' was closed while its work was about to begin",
                spec.id
            );
            return Err(ChantError::Refused(message).into());
        }
        self.before = Some(spec.status);
        let mut inner = spec.id.clone();
        while let Some(container) = inner.parent().and_then(|id| snapshot.specs.find(id)) {
            let pending = [SpecStatus::Pending, SpecStatus::Blocked];
            change_spec(self.project, container.id.as_str(), &pending, |draft| {
                draft.set_text("status", SpecStatus::InProgress.as_str())
            })?;
            inner = container.id.clone();
        }
        Ok(())
    }
}

impl SpecRunner<'_> {
    /// Takes over what a worker pushed, if its result says so.
    fn take_pushed(
        &self,
        run: &ActiveRun<'_>,
        place: &RunFolder,
        ended: &AgentOutcome,
    ) -> Result<(), Error> {
        let (Some(commit), Some(_)) = (&ended.events.pushed, &run.record().placed) else {
            return Ok(());
        };
        let kept = PushedRef::of_run(self.project, run.record())?;
        let is_stopped = run.interruption().is_cancelled();
        kept.take_over(self.project, place, commit, is_stopped)
    }

    /// Ends the run of a failed agent: its folder is given to the user; its commits are on the
    /// branch.
    fn fail(
        &self,
        run: &ActiveRun<'_>,
        place: &RunFolder,
        mut why: String,
    ) -> Result<RunEnd, Error> {
        let repo = self.project.repository()?;
        if let Err(error) = place.fetch(self.project, &repo) {
            why.push_str(&format!("\n{error}"));
        }
        copy_mounted_layers(self.project, &repo, &place.worktree).log_failure(NO_COPIES);
        let kept = place.hand_over(self.project, &repo);
        let network = run
            .record()
            .network
            .as_ref()
            .and_then(NetworkEntry::refusal);
        let sentences = network.into_iter().chain(kept).collect();
        let end = RunEnd::failed(why).with_sentences(sentences);
        spec_state::write_end_to_spec(self.project, run.record(), &end)?;
        Ok(end)
    }
}

impl RunSteps for SpecRunner<'_> {
    fn begin(&mut self, run: &mut ActiveRun<'_>) -> Result<AgentJob, Error> {
        let (variable, value) = run.mark();
        chant_git::mark_calls(variable, value);
        self.prepare(run)
    }

    fn give_up(&mut self, run: &mut ActiveRun<'_>, _why: &str) {
        self.stop_services();
        self.namespaces = None;
        let Some(before) = self.before else { return };
        // The record contains the refusal; the spec is as it was.
        change_spec(
            self.project,
            &run.record().spec_id,
            &[SpecStatus::InProgress],
            |draft| draft.set_text("status", before.as_str()),
        )
        .log_failure("restore the state of the spec");
    }

    fn under_way(&mut self, run: &ActiveRun<'_>) {
        // A folder that was not created in advance is created when it is needed.
        pool::fill_for_next(self.project, run).log_failure("prepare a folder for the next run");
    }

    fn looking(&self) -> Option<FolderObserver<'_>> {
        let place = self.place.as_ref()?;
        Some(place.observed(self.project, self.login.as_ref()))
    }

    fn start_over(
        &mut self,
        run: &mut ActiveRun<'_>,
        ended: &AgentOutcome,
    ) -> Result<Option<AgentJob>, Error> {
        // After a cause that passes it is asked again.
        match self.resumed.take_if(|_| ended.passing_cause().is_none()) {
            Some(turn) => turn.restart_with_digest(self.project, run, ended),
            None => Ok(None),
        }
    }

    fn conclude_run(
        &mut self,
        run: &mut ActiveRun<'_>,
        ended: &AgentOutcome,
    ) -> Result<RunEnd, Error> {
        // They see the folder, which is judged now, and given away.
        self.stop_services();
        self.end_namespaces(run)?;
        let Some(place) = self.place.clone() else {
            return Ok(RunEnd::failed("The worktree is not known any more"));
        };
        run.update(|record| {
            record.last_words = ended.last_words();
            Ok(())
        })?;
        agent_turn::keep_session(self.project, run.record());
        let taken = self.take_pushed(run, &place, ended);
        let why = match (ended.is_success(), taken) {
            (true, Ok(())) => None,
            (true, Err(error)) => {
                let cause = FailureCause::WorkRejected;
                run.update(|record| {
                    record.cause = Some(cause.as_str().to_owned());
                    Ok(())
                })?;
                Some(format!("{} ({error})", cause.sentence()))
            }
            (false, Ok(())) => Some(ended.to_string()),
            (false, Err(error)) => Some(format!("{ended}\n{error}")),
        };
        if let Some(why) = why {
            return self.fail(run, &place, why);
        }
        conclude(self.project, run, &place, &self.terms)
    }
}

/// Judges the work of a run whose agent ended well, or that had none, lands it, and shows the
/// result in the spec. Work that did not land is then a person's.
pub(super) fn conclude(
    project: &Project,
    run: &mut ActiveRun<'_>,
    place: &RunFolder,
    terms: &CompletionTerms,
) -> Result<RunEnd, Error> {
    let repo = project.repository()?;
    let end = match place.fetch(project, &repo) {
        Ok(()) => judge(project, run, place, terms)?,
        Err(error) => {
            let end = RunEnd {
                event: RunEvent::Doubt,
                reason: Some(error.to_string()),
            };
            if !run.is_asked_to_stop()? {
                spec_state::write_end_to_spec(project, run.record(), &end)?;
            }
            end
        }
    };
    let network = run
        .record()
        .network
        .as_ref()
        .and_then(NetworkEntry::refusal);
    let network = network.filter(|_| end.reason.is_some());
    let end = end.with_sentences(network.into_iter().collect());
    if disk::exists(&place.worktree) {
        copy_mounted_layers(project, &repo, &place.worktree).log_failure(NO_COPIES);
        return Ok(end.with_sentences(place.hand_over(project, &repo)));
    }
    Ok(end)
}

fn judge(
    project: &Project,
    run: &mut ActiveRun<'_>,
    place: &RunFolder,
    terms: &CompletionTerms,
) -> Result<RunEnd, Error> {
    let runs = run.runs();
    let Some(lock) = run.lock() else {
        return Ok(RunEnd::failed("The runner does not hold the spec's lock"));
    };
    let mut judge = CompletionCheck {
        project,
        runs,
        process_id: run.record().process_id.clone(),
        place,
        lock,
        interruption: Some(run.interruption()),
        terms,
    };
    let end = match judge.conclude() {
        Ok(end) => end,
        // It is merged, but that could not be recorded: the remaining steps are done as after a
        // death.
        Err(error) if is_merged(project, run, place)? => {
            return Ok(RunEnd {
                event: RunEvent::FindDead,
                reason: Some(error.to_string()),
            });
        }
        Err(error) => {
            let end = RunEnd::failed(error.to_string());
            if !run.is_asked_to_stop()? {
                spec_state::write_end_to_spec(project, run.record(), &end)?;
            }
            return Ok(end);
        }
    };
    // Records that were written meanwhile bypassed this run's own copy.
    run.update(|_| Ok(()))?;
    Ok(end)
}
