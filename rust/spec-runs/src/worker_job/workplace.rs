//! The place of a job's work: a mirror of its repository, a checkout that borrows from it, and the
//! project in there, if the owner of this machine accepted what acts in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::job_file::JobFile;
use super::job_folder::JobFolder;
use super::mirrors::MirrorPlace;
use super::refusal::{JobRefusal, RefusalCause};
use crate::agents::Agent;
use crate::project::ProjectRuns;
use crate::recorded_runs::RecordedRuns;
use crate::runtime::agent_launch;
use crate::runtime::committer;
use chant_base::error::Error;
use chant_config::Config;
use chant_confine::ability::ASSUMED;
use chant_confine::reach::AccessRequest;
use chant_confine::{Confinement, LandlockSupport, NetworkAccess};
use chant_git::commit_bundle::{BundleLimits, CommitBundle, UnpackedBundle};
use chant_git::repository_mirror::RepositoryMirror;
use chant_specs::error::ChantError;
use chant_specs::project::{Project, ProjectOptions, SPECS, ZonedClock};
use chant_store::disk::{self, Disk};
use chant_store::state::UserState;
use chant_store::{StoreError, files};
use chant_work::run_log::{SecretMask, secrets};
use chant_work::run_record::RunOptions;

/// The limits of a bundle from another machine.
const LIMITS: BundleLimits = BundleLimits {
    bytes: 64 * 1024 * 1024,
    unpacked: 4 * 1024 * 1024 * 1024,
    object: 256 * 1024 * 1024,
};
/// The commits that a refusal names.
const MAX_KNOWN: usize = 64;
/// The bytes that stay free on the disk of the worker.
pub(super) const FREE: u64 = 1024 * 1024 * 1024;

/// What this machine, and its owner, say about jobs.
#[derive(Clone)]
pub struct WorkerOptions {
    /// The user's own configuration file.
    pub user_config: Option<PathBuf>,
    /// The environment of this process.
    pub environment: BTreeMap<String, String>,
    /// Our own program with the arguments before a command's name.
    pub program: Vec<String>,
    /// The folder of the prompts that need not be in a project.
    pub prompts: Option<PathBuf>,
    /// The time.
    pub clock: ZonedClock,
    /// The disk.
    pub disk: Disk,
    /// The hashes of what may act in projects.
    pub trusted: Vec<String>,
    /// The remotes that may be fetched from, and that refs of runs may be pushed to.
    pub remotes: Vec<String>,
    /// The agents that are offered; all where it is empty.
    pub agents: Vec<String>,
    /// The greatest number of bytes of a bundle that is sent back; what needs more is pushed.
    pub largest_bundle: u64,
}

/// A job that is to be prepared.
pub(super) struct JobPreparation<'a> {
    pub options: &'a WorkerOptions,
    pub folder: &'a JobFolder,
    pub job: &'a JobFile,
}

/// The place of a job's work.
pub(super) struct JobWorkplace {
    pub project: Arc<Project>,
    /// The variables that the agent's account gives it.
    pub variables: Vec<String>,
}

impl WorkerOptions {
    /// Returns the user's own configuration alone.
    ///
    /// # Errors
    /// A fault in it.
    pub(super) fn own_config(&self) -> Result<Config, Error> {
        let Some(path) = &self.user_config else {
            return Ok(Config::default());
        };
        let name = path.display().to_string();
        let text = match self.disk.clone().anywhere().read_text(path, &name) {
            Ok((text, _)) => Some(text),
            Err(StoreError::Missing { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let user = text.as_deref().map(|text| (&*name, text));
        Ok(Config::read(user, None, None)?)
    }

    /// Opens the project of a job's checkout, in a folder that [`is_inside`] it. All state of its runs lies in the job's folder.
    pub(super) fn open(
        &self,
        folder: &JobFolder,
        inside: &str,
        environment: BTreeMap<String, String>,
    ) -> Result<Project, Error> {
        let root = folder.checkout().join(inside);
        let mut environment = environment;
        let state = folder.state();
        environment.insert("XDG_STATE_HOME".into(), state.display().to_string());
        let user_state = UserState::of(&environment);
        disk::make_folders(&state)?;
        if let Some(user_state) = &user_state {
            disk::keep_lock_files_in(user_state.path());
        }
        let mut project = Project::open(ProjectOptions {
            root,
            user_config: self.user_config.clone(),
            searched: Vec::new(),
            environment,
            program: self.program.clone(),
            prompts: self.prompts.clone(),
            trust: None,
            runs: &RecordedRuns,
            clock: self.clock.clone(),
            disk: Disk {
                user_state,
                ..self.disk.clone()
            },
        })?;
        project.guarded = vec![folder.worker().path().to_owned()];
        Ok(project)
    }
}

impl JobPreparation<'_> {
    /// Makes the place of the work.
    ///
    /// # Errors
    /// Why this machine does not take the job, or what failed.
    pub(super) fn make(&self, step: &dyn Fn(&str)) -> Result<JobWorkplace, JobRefusal> {
        self.refuse_keys()?;
        self.refuse_full_disk()?;
        let config = self.options.own_config()?;
        self.refuse_agent(&config)?;
        let (environment, variables) = self.environment(&config)?;
        self.check_out(step)?;
        let (folder, inside) = (self.folder, &self.job.inside);
        if !is_inside(folder, inside) {
            let why = format!("`inside` names {inside}, which is no folder of the repository.");
            return Err(JobRefusal::new(RefusalCause::Invalid, why));
        }
        let mut project = self.options.open(folder, inside, environment)?;
        self.accept(&mut project)?;
        let project = self.with_order(Arc::new(project))?;
        self.refuse_unfit(&project)?;
        Ok(JobWorkplace { project, variables })
    }

    /// Returns the project whose document the job is about: for an item of another format that of its order.
    fn with_order(&self, project: Arc<Project>) -> Result<Arc<Project>, Error> {
        let Some(order) = &self.job.order else {
            return Ok(project);
        };
        let orders = project.orders()?;
        let path = format!("{SPECS}/{}.md", self.job.spec);
        match files::create(&orders.disk, orders.documents(), &path, order) {
            // An attempt of this job before wrote it.
            Ok(()) | Err(StoreError::Exists { .. }) => Ok(Arc::clone(orders)),
            Err(error) => Err(error.into()),
        }
    }

    /// Refuses a job with a text that is a key of this machine: it would stand in records.
    fn refuse_keys(&self) -> Result<(), JobRefusal> {
        let mask = SecretMask::new(&secrets(&self.options.environment)).map_err(Error::from)?;
        if self
            .job
            .texts()
            .iter()
            .all(|text| mask.apply(text) == *text)
        {
            return Ok(());
        }
        let why = "A text of the job looks like a key. A job names an account; its key is on the machine that does it.";
        Err(JobRefusal::new(RefusalCause::Secret, why))
    }

    fn refuse_full_disk(&self) -> Result<(), JobRefusal> {
        match disk::free_bytes(self.folder.path()) {
            Some(free) if free < FREE => {
                let why = format!("The disk of this machine has {free} bytes left.");
                Err(JobRefusal::new(RefusalCause::DiskFull, why))
            }
            _ => Ok(()),
        }
    }

    fn refuse_agent(&self, config: &Config) -> Result<(), JobRefusal> {
        let (name, offered) = (&self.job.agent, &self.options.agents);
        let is_offered = offered.is_empty() || offered.contains(name);
        if is_offered && Agent::named(&config.runs, name).is_ok() {
            return Ok(());
        }
        let why = format!("This machine does not offer agent '{name}'.");
        Err(JobRefusal::new(RefusalCause::NoAgent, why))
    }

    /// Returns the environment of the run, and the variables of its account.
    fn environment(
        &self,
        config: &Config,
    ) -> Result<(BTreeMap<String, String>, Vec<String>), JobRefusal> {
        let mut environment = self.options.environment.clone();
        if let Some(model) = &self.job.model {
            environment.insert("CHANT_MODEL".into(), model.clone());
        }
        let Some(name) = &self.job.account else {
            return Ok((environment, Vec::new()));
        };
        let refused = |why: String| JobRefusal::new(RefusalCause::NoAccount, why);
        let account = config
            .runs
            .accounts
            .get(name)
            .ok_or_else(|| refused(format!("This machine has no account '{name}'.")))?;
        for (own, machines) in &account.variables {
            let value = self.options.environment.get(machines);
            let value = value.filter(|value| !value.is_empty()).ok_or_else(|| {
                refused(format!(
                    "Account '{name}' takes {own} from {machines}, which is not set on this machine."
                ))
            })?;
            environment.insert(own.clone(), value.clone());
        }
        Ok((environment, account.variables.keys().cloned().collect()))
    }

    /// Makes the checkout.
    fn check_out(&self, step: &dyn Fn(&str)) -> Result<(), JobRefusal> {
        let job = self.job;
        let accepted = |remote: &&String| self.options.remotes.contains(*remote);
        let remote = job.remote.as_ref().filter(accepted).map(String::as_str);
        let place = MirrorPlace::of(&self.folder.worker(), remote, &job.project)?;
        let lock = place.claim()?;
        let mirror = RepositoryMirror::open(&place.folder(), remote, job.base.len() > 40)?;
        let unpacked = self.fill(&mirror, step)?;
        drop(lock);
        step("Making a checkout");
        let checkout = self.folder.checkout();
        let unpacked = unpacked.as_ref();
        mirror.check_out(&checkout, &job.start, &job.target, &job.branch, unpacked)?;
        disk::remove_tree(&self.folder.quarantine())?;
        disk::keep_private(self.folder.path())?;
        Ok(())
    }

    /// Brings what the work begins at into the mirror, or into quarantine.
    fn fill(
        &self,
        mirror: &RepositoryMirror,
        step: &dyn Fn(&str),
    ) -> Result<Option<UnpackedBundle>, JobRefusal> {
        let job = self.job;
        let mut fetched = String::new();
        if mirror.may_fetch() && !mirror.has_commit(&job.base)? {
            step("Fetching the base from the remote");
            // Without access the bundle may bring all of it.
            if let Err(error) = mirror.fetch(&job.base, &job.target) {
                fetched = format!(" The remote could not be asked: {error}.");
            }
        }
        let has_base = mirror.has_commit(&job.base)?;
        let base_missing = |because: &str| self.base_missing(mirror, because, &fetched);
        let path = self.folder.start_bundle();
        if is_empty(&path) {
            if job.start == job.base && has_base {
                return Ok(None);
            }
            return Err(base_missing("the job brings no bundle"));
        }
        let invalid =
            |error: chant_git::GitError| JobRefusal::new(RefusalCause::Invalid, error.to_string());
        let bundle = CommitBundle::read(&path, &LIMITS).map_err(invalid)?;
        if bundle.commit != job.start {
            let why = format!(
                "The bundle brings commit {}; expected {}.",
                bundle.commit, job.start
            );
            return Err(JobRefusal::new(RefusalCause::Invalid, why));
        }
        for commit in &bundle.prerequisites {
            if !mirror.has_commit(commit)? {
                return Err(base_missing(&format!("the bundle begins at {commit}")));
            }
        }
        step("Checking the bundle");
        let quarantine = self.folder.quarantine();
        disk::remove_tree(&quarantine)?;
        disk::make_folders(&quarantine)?;
        let objects = mirror.objects();
        let hold = self.hold_of_unpacking(&quarantine, &objects)?;
        let known = (objects.as_path(), mirror.may_fetch());
        let unpacked = bundle
            .unpack(&quarantine, known, &LIMITS, &hold)
            .map_err(invalid)?;
        if has_base && !bundle.prerequisites.is_empty() {
            return Ok(Some(unpacked));
        }
        mirror.take_in(&unpacked, &job.start)?;
        if mirror.has_commit(&job.base)? {
            mirror.keep(&job.base)?;
        }
        Ok(None)
    }

    fn base_missing(&self, mirror: &RepositoryMirror, because: &str, fetched: &str) -> JobRefusal {
        let why = format!(
            "This machine does not have commit {}, and {because}. Send the whole history, or have its owner accept the remote.{fetched}",
            self.job.base
        );
        JobRefusal {
            // Without them the whole history is sent.
            known: mirror.kept_commits(MAX_KNOWN).unwrap_or_default(),
            ..JobRefusal::new(RefusalCause::BaseMissing, why)
        }
    }

    /// Returns the confinement of the git that unpacks what came from elsewhere: it writes the
    /// quarantine alone and reaches no network.
    fn hold_of_unpacking(
        &self,
        quarantine: &Path,
        objects: &Path,
    ) -> Result<Confinement, JobRefusal> {
        let environment = &self.options.environment;
        let ability = LandlockSupport::of_system(environment.get(ASSUMED).map(String::as_str));
        if ability.lacks().is_some() {
            return Ok(Confinement::Off);
        }
        let wanted = AccessRequest {
            environment: environment
                .iter()
                .map(|(name, value)| (&**name, &**value))
                .collect(),
            own_read: vec![objects.to_owned()],
            own_write: vec![quarantine.to_owned()],
            network: NetworkAccess::None,
            ability,
            ..AccessRequest::default()
        };
        let policy = wanted
            .policy()
            .map_err(|why| Error::from(ChantError::Refused(why.to_string())))?;
        Ok(Confinement::to(policy))
    }

    /// Refuses a job whose agent cannot be started here, or whose commits would have no author.
    fn refuse_unfit(&self, project: &Project) -> Result<(), JobRefusal> {
        let repo = project.repository()?;
        committer::committer_variables(project, &repo)?;
        let snapshot = project.snapshot()?;
        let config = snapshot.config.clone().map_err(Error::from)?;
        let Some(spec) = snapshot.specs.find(&self.job.spec) else {
            let why = format!("Commit {} has no spec '{}'.", self.job.start, self.job.spec);
            return Err(JobRefusal::new(RefusalCause::Invalid, why));
        };
        let unfit = |error: Error| JobRefusal::new(RefusalCause::NoAgent, error.to_string());
        let asked = RunOptions {
            agent: Some(self.job.agent.clone()),
            ..RunOptions::default()
        };
        let agent = agent_launch::choose_agent(&config, &asked).map_err(unfit)?;
        agent_launch::refuse_unfit_agent(project, &config, &agent, spec).map_err(unfit)
    }

    /// Trusts the project if its owner accepted exactly what acts in it, or if nothing does. The
    /// checkout's own git settings are ours and do not count.
    fn accept(&self, project: &mut Project) -> Result<(), JobRefusal> {
        let acting = project.acting_now();
        let of_commits = acting.of_commits();
        let hash = of_commits.hash();
        let is_accepted = of_commits.gaps().is_empty() && self.options.trusted.contains(&hash);
        if !(of_commits.is_empty() || is_accepted) {
            let why = format!(
                "The owner of this machine did not accept what acts in the project: {}. They look with `chant-mcp trust --show` in a clone and start the worker with `--trust {hash}`.",
                of_commits.summary()
            );
            return Err(JobRefusal::new(RefusalCause::Untrusted, why));
        }
        project.named_trust = Some(acting.hash());
        Ok(())
    }
}

/// Returns true if a path leads to a folder of a job's checkout, and through no link.
pub(super) fn is_inside(folder: &JobFolder, inside: &str) -> bool {
    let top = folder.checkout();
    inside.is_empty() || disk::is_plain_below(&top, &top.join(inside))
}

/// Returns true if a file is not there, or empty.
fn is_empty(path: &Path) -> bool {
    disk::open(path, "").map_or(true, |(_, length)| length == 0)
}
