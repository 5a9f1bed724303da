//! Runs checks again on files that landed, long after the run: confined as its own checks were, in
//! a temporary folder.

use std::path::{Path, PathBuf};

use super::agent_launch::LaunchInputs;
use super::environment::{CommitOrigin, EnvironmentSetUp, OwnPorts, SetUpOutcome};
use super::folder_namespaces::{FolderNamespaces, NamespaceRequest};
use super::own_files::lent_variables;
use super::run_folder::RunFolder;
use super::services::{RunningServices, ServiceStart};
use crate::project::ProjectRuns;
use crate::project::folders;
use crate::project::worktree_folder::remove_beside;
use crate::receipt::judgement::RepeatedCheck;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_config::Config;
use chant_config::run_environment::RouteUser;
use chant_environment::LayerPin;
use chant_git::Repo;
use chant_proof::report_file::ReportFile;
use chant_specs::error::ChantError;
use chant_specs::model::Spec;
use chant_specs::project::Project;
use chant_store::disk;
use chant_work::WorkError;
use chant_work::agent::{self, AgentEnding, AgentJob, AgentOutcome, AgentProcess};
use chant_work::cancel_token::CancelToken;
use chant_work::process::ProcessIdentity;
use chant_work::run_log::{LogHeader, RunLog, SecretMask};
use chant_work::run_record::{NetworkEntry, RunOptions, RunRecord, SINGLE};
use chant_work::run_store::RunStore;
use chant_work::service::ServiceProcess;

/// The calls of git that turn the files of a commit into a repository of their own.
const REPOSITORY: [&[&str]; 3] = [
    &["init", "--quiet", "--template="],
    &["add", "--all", "--force"],
    &[
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "commit.gpgSign=false",
        "commit",
        "--quiet",
        "--allow-empty",
        "--message=The files that landed",
    ],
];

/// Runs those of the named checks that are configured, one after the other, on the files of a
/// commit. Each may write in the folder, and sees the changes of those before it. Their output goes
/// to the spec's log.
///
/// # Errors
/// `NotTrusted`, the reason why a check cannot be confined, or a failure of git or of the disk.
pub(crate) fn rerun(
    project: &Project,
    repo: &Repo,
    spec_id: &str,
    commit: &str,
    names: &[&String],
) -> Result<Vec<RepeatedCheck>, Error> {
    let snapshot = project.snapshot()?;
    project.refuse_untrusted_snapshot(&snapshot)?;
    let config = snapshot.config.clone()?;
    let checks = &config.runs.checks;
    let asked = names.iter().filter_map(|name| checks.get_key_value(*name));
    let asked: Vec<(&String, &Vec<String>)> = asked.collect();
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let spec = project.spec_or_archived(&snapshot, spec_id)?;
    let runs = project.runs()?;
    // The record only identifies its processes: this is no run and is not stored.
    let record = RunRecord::new(spec_id, SINGLE, ProcessIdentity::own(), (runs.clock)());
    let interruption = CancelToken::listening()?;
    let checking = CommitChecks {
        project,
        repo,
        config: &config,
        spec: &spec,
        record: &record,
        interruption: &interruption,
    };
    let mut folder = checking.open(commit)?;
    folder.set_up(commit, CommitOrigin::Landed)?;
    let again = asked.into_iter().map(|(name, argv)| {
        let ended = folder.check(name, argv)?;
        Ok(RepeatedCheck {
            name: name.to_owned(),
            exit: exit_of(ended.as_ref()),
        })
    });
    again.collect()
}

/// Returns the exit code of a check that ended by itself.
pub(super) fn exit_of(ended: Option<&AgentOutcome>) -> Option<i32> {
    let by_itself = ended.filter(|ended| ended.ending == AgentEnding::Itself);
    by_itself.and_then(|ended| ended.exit_code)
}

/// Starts a check, or what is run like one, with its output in the log of a spec.
///
/// # Errors
/// `NoAgent` where there is no such program, or a failure to start it.
pub(super) fn start_logged(
    runs: &RunStore,
    record: &RunRecord,
    spec_id: &str,
    job: AgentJob,
) -> Result<AgentProcess, WorkError> {
    let header = LogHeader {
        spec_id,
        prompt: &job.name,
        withheld: &job.withheld,
    };
    let output = RunLog::open(
        runs,
        &header,
        SecretMask::new(&job.secrets)?,
        job.limits.room,
    )?;
    agent::start(runs, record, job, output)
}

/// The facts that checks of a commit have to know.
#[derive(Clone, Copy)]
pub(crate) struct CommitChecks<'a> {
    pub project: &'a Project,
    pub repo: &'a Repo,
    pub config: &'a Config,
    /// The spec whose log gets their output.
    pub spec: &'a Spec,
    /// The run that their processes belong to.
    pub record: &'a RunRecord,
    pub interruption: &'a CancelToken,
}

/// The files of a commit in a folder of their own, in which checks run; removed when dropped.
pub(super) struct CheckedCommit<'a> {
    of: &'a CommitChecks<'a>,
    place: RunFolder,
    /// Work beside the checks; ended before the rest is given up.
    services: Option<RunningServices>,
    ports: Option<OwnPorts>,
    /// The namespaces that its processes share; ended behind its services.
    namespaces: Option<FolderNamespaces>,
    /// Keep the layers that are mounted.
    layer_pins: Vec<LayerPin>,
    /// False if its commands get nothing that the user lends.
    lends: bool,
    _folder: RerunFolder,
}

impl CommitChecks<'_> {
    /// Returns the request for what the processes of a folder share.
    pub(super) fn namespaces<'c>(
        &'c self,
        worktree: &'c Path,
        user: RouteUser,
        has_services: bool,
    ) -> NamespaceRequest<'c> {
        NamespaceRequest {
            project: self.project,
            config: self.config,
            repo: self.repo,
            worktree,
            mark: Some(ServiceProcess::mark_of(self.record)),
            user,
            lends: true,
            has_services,
        }
    }

    /// Looks at the file in which a check reports its tests, before it runs in a folder; `None` where none is named.
    pub(super) fn report_of(&self, name: &str, folder: &Path) -> Option<ReportFile<'_>> {
        let path = self.config.proof.reports.get(name)?;
        ReportFile::before_check(&self.project.disk, folder, path)
    }

    /// Runs what is run like a check, with its output in the log of the spec; returns its exit code if it ended by itself.
    ///
    /// # Errors
    /// That it was interrupted, or a failure of the disk.
    pub(super) fn run_logged(&self, job: AgentJob) -> Result<Option<i32>, Error> {
        let runs = self.project.runs()?;
        let spec = self.spec.id.as_str();
        let ended = match start_logged(&runs, self.record, spec, job) {
            Ok(agent) => Some(agent.wait(self.interruption)?),
            Err(WorkError::NoAgent { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        Ok(exit_of(ended.as_ref()))
    }

    /// Writes the files of a commit.
    ///
    /// # Errors
    /// As [`rerun`].
    pub(super) fn open(&self, commit: &str) -> Result<CheckedCommit<'_>, Error> {
        let folder = RerunFolder::make(self.project, self.config, self.repo)?;
        self.repo.export(commit, &folder.files)?;
        let checked = self.checked(folder)?;
        checked.make_repository()?;
        Ok(checked)
    }

    /// Makes an empty folder with an empty repository, in which commands see nothing of the project.
    ///
    /// # Errors
    /// As [`rerun`].
    pub(super) fn open_empty(&self) -> Result<CheckedCommit<'_>, Error> {
        let folder = RerunFolder::make(self.project, self.config, self.repo)?;
        let mut checked = self.checked(folder)?;
        checked.place.root.clone_from(&checked.place.worktree);
        checked.run_git(REPOSITORY[0])?;
        Ok(checked)
    }

    fn checked(&self, folder: RerunFolder) -> Result<CheckedCommit<'_>, Error> {
        Ok(CheckedCommit {
            of: self,
            place: RunFolder::of_files(self.project, self.repo, self.spec, &folder.files)?,
            services: None,
            ports: None,
            namespaces: None,
            layer_pins: Vec::new(),
            lends: true,
            _folder: folder,
        })
    }
}

impl CheckedCommit<'_> {
    /// Makes the files the only commit of a repository, since checks may ask git about them. That
    /// git is confined like the checks.
    fn make_repository(&self) -> Result<(), Error> {
        REPOSITORY
            .into_iter()
            .try_for_each(|words| self.run_git(words))
    }

    fn run_git(&self, words: &[&str]) -> Result<(), Error> {
        let words = ["git"].into_iter().chain(words.iter().copied());
        let argv: Vec<String> = words.map(str::to_owned).collect();
        let made = exit_of(self.check("(its repository)", &argv)?.as_ref());
        if made == Some(0) {
            return Ok(());
        }
        let made = RepeatedCheck {
            name: "(its repository)".into(),
            exit: made,
        };
        let message = format!(
            "The files of the commit could not be made a repository for the checks: {made}; the log of spec '{}' says why",
            self.of.spec.id
        );
        Err(ChantError::Refused(message).into())
    }

    /// Sets up the environment for checks of the commit, whose inputs come from `origin`; returns why a person is
    /// needed for that.
    ///
    /// # Errors
    /// The failure of a recipe.
    pub(super) fn set_up(
        &mut self,
        commit: &str,
        origin: CommitOrigin<'_>,
    ) -> Result<Option<String>, Error> {
        self.set_up_for(RouteUser::Checks, commit, origin, &mut |_| ())
    }

    /// Sets up the environment as [`CheckedCommit::set_up`], for other commands than checks.
    ///
    /// # Errors
    /// The failure of a recipe.
    pub(super) fn set_up_for(
        &mut self,
        user: RouteUser,
        commit: &str,
        origin: CommitOrigin<'_>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Option<String>, Error> {
        let own = &self.of.config.runs.environment;
        let secrets = match user {
            RouteUser::Agents => &own.secrets.agents,
            RouteUser::Checks => &own.secrets.checks,
            RouteUser::Setup => &own.secrets.setup,
        };
        let environment = EnvironmentSetUp {
            commands: *self.of,
            is_of_item: false,
        };
        let ports = OwnPorts::take(self.of.project, self.of.config, secrets)?;
        match environment.set_up(&self.place, commit, origin, progress)? {
            SetUpOutcome::Done(done) => self.layer_pins = done.pins,
            SetUpOutcome::NeedsPerson(why) => return Ok(Some(why)),
        }
        self.hold_namespaces(user)?;
        let services = ServiceStart {
            commands: *self.of,
            place: &self.place,
            ports: &ports,
            is_of_item: false,
            namespaces: self.namespaces.as_ref(),
        };
        self.services = services.start(progress)?;
        self.ports = Some(ports);
        Ok(None)
    }

    /// Holds what its processes share from now on.
    ///
    /// # Errors
    /// The reason why that is not possible.
    pub(super) fn hold_namespaces(&mut self, user: RouteUser) -> Result<(), Error> {
        // Two holders would mount the same folders.
        self.namespaces = None;
        let own = &self.of.config.runs.environment;
        let request = self
            .of
            .namespaces(&self.place.worktree, user, !own.services.is_empty());
        self.namespaces = NamespaceRequest {
            lends: self.lends,
            ..request
        }
        .hold()?;
        Ok(())
    }

    /// Returns what its processes asked for in the network until now.
    pub(super) fn traffic(&self) -> Option<NetworkEntry> {
        self.namespaces.as_ref()?.traffic()
    }

    /// Gives its commands nothing that the user lends.
    pub(super) fn withhold_secrets(&mut self) {
        self.lends = false;
    }

    /// Returns a command, ready to be started as a check is.
    ///
    /// # Errors
    /// The reason why it cannot be confined, or a failure of the disk.
    pub(super) fn command(&self, argv: &[String]) -> Result<AgentJob, Error> {
        self.inputs(&[], &RunOptions::default())
            .check("command", argv)
    }

    fn inputs<'c>(
        &'c self,
        without_ports: &'c [(String, String)],
        asked: &'c RunOptions,
    ) -> LaunchInputs<'c> {
        LaunchInputs {
            project: self.of.project,
            repo: self.of.repo,
            config: self.of.config,
            spec: self.of.spec,
            place: &self.place,
            asked,
            review: None,
            own_variables: self
                .ports
                .as_ref()
                .map_or(without_ports, |own| &own.variables),
        }
    }

    /// Returns the folder, as runs have theirs.
    pub(super) fn place(&self) -> &RunFolder {
        &self.place
    }

    /// Has its commands run in a folder below it, which is made.
    ///
    /// # Errors
    /// A failure of the disk.
    pub(super) fn enter(&mut self, folder: &str) -> Result<(), Error> {
        self.place.root = self.place.worktree.join(folder);
        disk::make_folders(&self.place.root)?;
        Ok(())
    }

    /// Runs a command; `None` if it cannot be started.
    ///
    /// # Errors
    /// The reason why it cannot be confined, that it was interrupted, or a failure of the disk.
    pub(super) fn check(&self, name: &str, argv: &[String]) -> Result<Option<AgentOutcome>, Error> {
        let CommitChecks { project, spec, .. } = self.of;
        let runs = project.runs()?;
        let asked = RunOptions::default();
        // Before its ports are taken, the steps of recipes run.
        let setup = &self.of.config.runs.environment.secrets.setup;
        let is_lent = self.ports.is_none() && self.lends;
        let of_setup = lent_variables(project, setup.iter().filter(|_| is_lent));
        let inputs = self.inputs(&of_setup, &asked);
        let interruption = self.of.interruption;
        let ended = match start_logged(
            &runs,
            self.of.record,
            spec.id.as_str(),
            inputs.check(name, argv)?,
        ) {
            Ok(agent) => Some(agent.wait(interruption)?),
            Err(WorkError::NoAgent { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        if interruption.is_cancelled() {
            let why = "The checks were interrupted; nothing is said of them";
            return Err(ChantError::Refused(why.into()).into());
        }
        Ok(ended)
    }
}

/// The folder of checks that are run again; removed when dropped.
struct RerunFolder {
    own: PathBuf,
    files: PathBuf,
}

impl RerunFolder {
    /// Makes an empty folder, and removes folders that killed processes left.
    fn make(project: &Project, config: &Config, repo: &Repo) -> Result<Self, Error> {
        let all = folders::of_reruns(project, config, repo)?;
        disk::make_folders(&all)?;
        for one in disk::names(&all)? {
            let process = one
                .name
                .split('-')
                .next()
                .and_then(|name| name.parse().ok());
            if process.is_none_or(|process| !disk::is_process(process)) {
                // A folder that cannot be removed does no harm.
                disk::remove_tree(&all.join(one.name))
                    .log_failure("remove the folder of a dead check");
            }
        }
        let number = fastrand::u64(..);
        let own = disk::real(&all)?.join(format!("{}-{number:016x}", std::process::id()));
        let files = own.join("files");
        let folder = Self { own, files };
        disk::make_folders(&folder.files)?;
        Ok(folder)
    }
}

impl Drop for RerunFolder {
    fn drop(&mut self) {
        remove_beside(&self.files);
        // A folder that stays is removed by the next call.
        disk::remove_tree(&self.own).log_failure("remove the folder of the check");
        if let Some(all) = self.own.parent() {
            disk::remove_folder(all);
        }
    }
}
