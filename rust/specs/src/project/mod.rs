//! A chant project: where its files lie, and its specs as of now.

mod archived;
mod branches;
mod cache;
mod caller_run;
mod configured;
mod folder_trust;
mod leftovers;
pub mod lookup;
mod orders;
pub mod prompts;
mod state_problem;
mod without_specs;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Instant;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::error::ChantError;
use super::id::SpecId;
use super::model::Spec;
use super::ops::LintMemory;
use super::run_lookup::RunLookup;
use super::specs::SpecGraph;
use super::view::held_specs::HeldSpecs;
use super::work_items::WorkItems;
use cache::ProjectCache;
use caller_run::CallerRun;
use chant_base::completed_run::CompletedRun;
use chant_base::document_problem::DocumentProblem;
use chant_base::error::Error;
use chant_base::external_items::ExternalItems;
use chant_base::ident::{ResolvedId, close_names, meant};
use chant_base::next_step::{DoorKind, NextStep, hint};
use chant_config::{Config, ConfigError};
use chant_git::Repo;
use chant_places::missing_folders::MissingFolders;
use chant_places::state_place::state_of;
use chant_store::StoreError;
use chant_store::disk::{self, Disk, weak_promises};
use chant_store::files::RootFolder;
use chant_store::index::DocumentChange;
use chant_store::journal::{ChangeJournal, ChangeStep};
use chant_store::stamped::StampedCache;
use chant_store::state::{StateFolder, UserState};
pub use folder_trust::AgreedPrompts;
use folder_trust::CachedTrust;
pub use folder_trust::TrustReport;

/// Where active specs lie.
pub const SPECS: &str = ".chant/specs";
/// Where archived specs lie, a folder a day.
pub const ARCHIVE: &str = ".chant/archive";
/// The project's configuration.
pub const CONFIG: &str = ".chant/config.md";
/// The project's list of agents, which git does not see.
pub const AGENTS: &str = ".chant/agents.md";

/// Remotes whose last look is kept.
const MAX_LOOKS: usize = 4;

/// So many matching IDs an error lists.
const MATCHES_SHOWN: usize = 10;

/// The clock, and the time zone of the user.
#[derive(Clone)]
pub struct ZonedClock {
    /// Returns the time.
    pub now: fn() -> Timestamp,
    /// The user's time zone: IDs carry the local date.
    pub zone: TimeZone,
}

impl ZonedClock {
    /// The local date as IDs carry it.
    pub fn today(&self) -> String {
        (self.now)()
            .to_zoned(self.zone.clone())
            .strftime("%Y-%m-%d")
            .to_string()
    }

    /// The moment as files carry it: UTC, whole seconds.
    pub fn stamp(&self) -> String {
        (self.now)().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }
}

/// The options of a project.
pub struct ProjectOptions {
    /// Its root: the folder that holds `.chant`.
    pub root: PathBuf,
    /// The user's own configuration file.
    pub user_config: Option<PathBuf>,
    /// Folders in which the root was looked for, for the message when there is none.
    pub searched: Vec<String>,
    /// Variables of the environment: for derived keys, and `CHANT_MODEL`, `ANTHROPIC_MODEL`.
    pub environment: BTreeMap<String, String>,
    /// Our own program with the arguments before a command's name; without it no runs are started.
    pub program: Vec<String>,
    /// The folder of the prompts that need not be in the project.
    pub prompts: Option<PathBuf>,
    /// The hash of what may act here, named by the caller that opens the project and knows it.
    pub trust: Option<String>,
    /// The runs on the specs.
    pub runs: &'static dyn RunLookup,
    /// The time.
    pub clock: ZonedClock,
    /// The disk.
    pub disk: Disk,
}

/// A chant project, opened once; every answer is as of the moment it is asked for.
pub struct Project {
    /// Its root.
    pub root: RootFolder,
    /// The disk.
    pub disk: Disk,
    /// The time.
    pub clock: ZonedClock,
    /// Variables of the environment.
    pub environment: BTreeMap<String, String>,
    /// Our own program with the arguments before a command's name; empty where no runs are started.
    pub program: Vec<String>,
    /// The folder of the prompts that need not be in the project.
    pub prompts: Option<PathBuf>,
    /// Answers questions about the runs on the specs.
    pub run_lookup: &'static dyn RunLookup,
    /// Answers questions about items of other formats that runs work on; none where no caller knows formats.
    pub work_items: Option<&'static dyn WorkItems>,
    /// The folder below which the documents lie that runs work on: the root, or that of orders for items.
    documents: RootFolder,
    /// The project of the orders for items of other formats, opened when it is first asked for.
    orders: OnceLock<Arc<Project>>,
    user_config: Option<PathBuf>,
    searched: Vec<String>,
    repo: Mutex<Option<Arc<Repo>>>,
    known: Mutex<ProjectCache>,
    /// Looks up items of other dialects.
    outside: ExternalItems,
    /// Files of interrupted changes that could not be finished.
    unfinished: Mutex<Vec<DocumentProblem>>,
    /// Where our own state lies, and when that was found out.
    known_state: Mutex<Option<(StateFolder, Instant)>>,
    /// Folders of archived specs that git has and that are not there.
    missing: MissingFolders,
    /// The run that the caller works for, if it is an agent.
    own: Option<CallerRun>,
    /// The hash that the opener of the project named.
    pub named_trust: Option<String>,
    /// Folders of ours, besides our state, of which runs reach no more than their own parts.
    pub guarded: Vec<PathBuf>,
    /// The kind of caller, for the words of hints.
    pub door: DoorKind,
    /// The trust in the folder, as it was looked through last.
    known_trust: Mutex<Option<CachedTrust>>,
    /// The lint findings.
    pub(super) linted: LintMemory,
    /// The specs that other clones hold, by the files of the last looks.
    pub known_held: StampedCache<Arc<HeldSpecs>>,
}

/// The specs and the configuration at one moment.
pub struct ProjectSnapshot {
    /// All active specs.
    pub specs: Arc<SpecGraph>,
    /// The configuration, or why it cannot be read; then defaults hold for answers.
    pub config: Result<Arc<Config>, ConfigError>,
    /// The project's own texts that the configuration was made of.
    pub(super) config_texts: Arc<ConfigTexts>,
}

/// The texts of the project's configuration and of its list of agents; `None` for a file that is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ConfigTexts {
    pub(super) project: Option<String>,
    pub(super) agents: Option<String>,
}

impl Project {
    /// Opens a project and finishes what a crash left of a change of several files.
    ///
    /// The root need not hold a `.chant` yet; answers say so until it does.
    ///
    /// # Errors
    /// `StoreError` when the root does not exist.
    pub fn open(options: ProjectOptions) -> Result<Self, Error> {
        let root = RootFolder::open(&options.root)?;
        let mut options = options;
        chant_base::environment::keep_absolute_searches(&mut options.environment);
        let user_state = || UserState::of(&options.environment);
        options.disk.user_state = options.disk.user_state.take().or_else(user_state);
        options.disk = options.disk.within(root.path());
        let known = ProjectCache::new(&options.disk, &root);
        let mut project = Self {
            own: CallerRun::of(&options.environment),
            work_items: None,
            documents: root.clone(),
            orders: OnceLock::new(),
            root,
            disk: options.disk,
            clock: options.clock,
            environment: options.environment,
            program: options.program,
            prompts: options.prompts,
            run_lookup: options.runs,
            user_config: options.user_config,
            searched: options.searched,
            repo: Mutex::default(),
            known: Mutex::new(known),
            outside: ExternalItems::default(),
            unfinished: Mutex::default(),
            known_state: Mutex::default(),
            missing: MissingFolders::default(),
            named_trust: options.trust,
            guarded: Vec::new(),
            door: DoorKind::default(),
            known_trust: Mutex::default(),
            linted: LintMemory::default(),
            known_held: StampedCache::new(MAX_LOOKS),
        };
        // A repository that git refuses is reported when git is needed; reading specs does not need it.
        if let Ok(state) = project.state() {
            project.disk = project.disk.staging_in(&state);
            project.finish_interrupted(&state)?;
        }
        project.sweep();
        Ok(project)
    }

    /// The same project, which asks about items of other dialects that dependencies name.
    #[must_use]
    pub fn with_external(self, outside: ExternalItems) -> Self {
        Self { outside, ..self }
    }

    /// The same project for who asks at a door.
    #[must_use]
    pub fn at_door(self, door: DoorKind) -> Self {
        Self { door, ..self }
    }

    /// The folder for our own state.
    pub fn state(&self) -> Result<StateFolder, Error> {
        let repo = self.repo()?;
        Ok(state_of(&self.root, repo.as_deref(), &self.disk))
    }

    /// The folder of the records of this project's runs, if they may be believed; it may not be there yet.
    pub fn records_folder(&self) -> Option<PathBuf> {
        self.run_lookup.records_folder(self)
    }

    /// Returns the runs of which receipts are left; their records may be gone.
    pub fn receipted_runs(&self) -> Vec<CompletedRun> {
        self.run_lookup.receipted_runs(self)
    }

    fn journal<'a>(
        &'a self,
        state: Option<&'a StateFolder>,
        root: &'a RootFolder,
        gates: &'a [PathBuf],
    ) -> ChangeJournal<'a> {
        ChangeJournal {
            disk: &self.disk,
            root,
            state,
            gates,
        }
    }

    /// Changes documents, all or none, decided on what is true until they are changed.
    ///
    /// The documents of `paths` are locked, then the folder of specs, which every change of ours
    /// holds while it decides and writes. `plan` gets the specs as of then and the texts in the
    /// order of `paths`; without steps everything is let go and the answer is false.
    ///
    /// # Errors
    /// What `plan` refuses, or a `StoreError`; nothing is changed then.
    pub fn change(
        &self,
        paths: &[&str],
        mut plan: impl FnMut(&ProjectSnapshot, &[&str]) -> Result<Option<Vec<ChangeStep>>, Error>,
    ) -> Result<bool, Error> {
        let gates = [self.folder_lock()?];
        let plan = |texts: &[&str]| plan(&self.snapshot()?, texts);
        self.change_below(&self.documents, paths, &gates, plan)
    }

    /// Changes documents of whatever kind below the root, all or none: those of `paths` are locked, then
    /// the `gates`. `plan` gets the texts in the order of `paths`; without steps everything is let go and
    /// the answer is false.
    ///
    /// # Errors
    /// What `plan` refuses, or a `StoreError`; nothing is changed then.
    pub fn change_together(
        &self,
        paths: &[&str],
        gates: &[PathBuf],
        plan: impl FnMut(&[&str]) -> Result<Option<Vec<ChangeStep>>, Error>,
    ) -> Result<bool, Error> {
        self.change_below(&self.root, paths, gates, plan)
    }

    fn change_below(
        &self,
        root: &RootFolder,
        paths: &[&str],
        gates: &[PathBuf],
        plan: impl FnMut(&[&str]) -> Result<Option<Vec<ChangeStep>>, Error>,
    ) -> Result<bool, Error> {
        // A repository that git refuses is no obstacle for the change of one file.
        let state = self.state();
        if let Ok(state) = &state {
            self.finish_interrupted(state)?;
        }
        let journal = self.journal(state.as_ref().ok(), root, gates);
        match journal.change(paths, plan) {
            Err(error) if matches!(error.downcast_ref(), Some(StoreError::NoJournal)) => {
                state.map(|_| false)
            }
            done => done,
        }
    }

    /// The repository the project lies in, looked for again as long as there is none.
    pub fn repo(&self) -> Result<Option<Arc<Repo>>, Error> {
        let mut repo = self
            .repo
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if repo
            .as_ref()
            .is_some_and(|repo| disk::stamp(repo.common_dir()).is_none())
        {
            *repo = None;
        }
        if repo.is_none() {
            *repo = Repo::open(self.root.path())?.map(Arc::new);
        }
        Ok(repo.clone())
    }

    /// The project's root.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// The local date, as IDs of today carry it.
    pub fn today(&self) -> String {
        self.clock.today()
    }

    /// The specs and the configuration as of now: whatever was written before this call is in it.
    ///
    /// # Errors
    /// `ChantError::NotInitialized` without `.chant/specs`, or a `StoreError`.
    pub fn snapshot(&self) -> Result<ProjectSnapshot, Error> {
        self.settle_undecided()?;
        let mut known = self.known();
        let changes = match known.index.refresh() {
            Err(StoreError::Missing { .. }) => {
                let was_there = known.seen_folders.specs;
                drop(known);
                let why = self.without_specs(was_there);
                if !(why.is_not_initialized() && self.is_set_up()) {
                    return Err(why.into());
                }
                known = self.known();
                Vec::new()
            }
            changes => {
                let changes = changes?;
                known.seen_folders.specs = true;
                changes
            }
        };
        let is_changed = !changes.is_empty();
        if is_changed {
            let shown = changes.into_iter().map(|change| DocumentChange {
                document: change.document.map(|document| self.shown(document)),
                ..change
            });
            Arc::make_mut(&mut known.specs).apply(shown.collect());
        }
        let is_configured_anew =
            known.refresh_config(&self.root, self.user_config.as_deref(), &self.disk);
        known.find_agent(|| self.find_agent());
        let is_changed = is_changed || is_configured_anew;
        let may_leave = || self.is_trusted();
        known.look_elsewhere(
            &self.root, &self.disk, &self.outside, &may_leave, is_changed,
        );
        Ok(ProjectSnapshot {
            specs: known.specs.clone(),
            config: known.config.clone(),
            config_texts: known.config_texts.clone(),
        })
    }

    fn find_agent(&self) -> Option<&'static str> {
        let environment = &self.environment;
        self.run_lookup.find_agent(environment, self.root.path())
    }

    /// Returns the configuration of the user and of the project, also where there are no specs.
    pub fn configuration_without_specs(&self) -> Result<Arc<Config>, ConfigError> {
        let mut known = self.known();
        known.refresh_config(&self.root, self.user_config.as_deref(), &self.disk);
        known.find_agent(|| self.find_agent());
        known.config.clone()
    }

    /// Everything that is wrong with the project's files: interrupted changes, the configuration, what its
    /// file system cannot do, then specs in the order of their paths.
    pub fn problems(&self, snapshot: &ProjectSnapshot) -> Vec<DocumentProblem> {
        let mut problems = self.interruptions();
        if let Err(error) = &snapshot.config {
            problems.push(DocumentProblem::new(error.file.as_str(), error.to_string()));
        }
        problems.extend(self.archive_gone());
        problems.extend(
            weak_promises()
                .into_iter()
                .map(|promise| DocumentProblem::new(".", promise.sentence())),
        );
        problems.extend(snapshot.specs.problems());
        problems
    }

    fn searched(&self) -> Vec<String> {
        match self.searched.as_slice() {
            [] => vec![self.root.path().display().to_string()],
            searched => searched.to_vec(),
        }
    }

    /// Returns the cache, which is empty again after a crash that interrupted its last holder.
    fn known(&self) -> MutexGuard<'_, ProjectCache> {
        self.known.lock().unwrap_or_else(|poisoned| {
            let mut known = poisoned.into_inner();
            *known = ProjectCache::new(&self.disk, &self.documents);
            self.known.clear_poison();
            known
        })
    }

    /// The active spec that a full or partial ID stands for.
    ///
    /// # Errors
    /// `NotFound`, `Ambiguous`, `Unreadable`, or `InvalidArgument` for an empty ID.
    pub fn resolve(&self, snapshot: &ProjectSnapshot, text: &str) -> Result<Arc<Spec>, Error> {
        if text.trim().is_empty() {
            let why = "expected a spec ID or a part of one, got an empty text".into();
            return Err(ChantError::InvalidArgument { name: "id", why }.into());
        }
        let specs = &snapshot.specs;
        match specs.resolve(text, &self.clock.today()) {
            ResolvedId::One(spec) => Ok(spec.clone()),
            ResolvedId::Many(found) => {
                let matches = found
                    .iter()
                    .take(MATCHES_SHOWN)
                    .map(|spec| spec.id.to_string())
                    .collect();
                let further = found.len().saturating_sub(MATCHES_SHOWN);
                Err(ChantError::Ambiguous {
                    text: text.into(),
                    matches,
                    further,
                }
                .into())
            }
            ResolvedId::None => Err(self.not_found(specs, text).into()),
        }
    }

    /// The active spec that an ID stands for, if it may be edited.
    ///
    /// # Errors
    /// As [`Project::resolve`], and `Duplicate` when the ID stands in several files.
    pub fn resolve_to_edit(
        &self,
        snapshot: &ProjectSnapshot,
        text: &str,
    ) -> Result<Arc<Spec>, Error> {
        let spec = self.resolve(snapshot, text)?;
        let spare = snapshot.specs.spare_files(spec.id.as_str());
        if spare.is_empty() {
            return Ok(spec);
        }
        let paths = std::iter::once(&*spec.path)
            .chain(spare)
            .map(str::to_owned)
            .collect();
        Err(ChantError::Duplicate {
            id: spec.id.to_string(),
            paths,
        }
        .into())
    }

    /// Returns true if a spec of exactly this ID is in the archive.
    pub fn is_archived(&self, id: &str) -> bool {
        let mut known = self.known();
        known.refresh_archive();
        known.archived_as(id).is_some()
    }

    /// The numbers that are taken among the direct members of a spec: by specs, by files that cannot
    /// be read as such, by what git knows, and by archived ones, whose IDs must not come to mean something else.
    pub(super) fn numbers_of_members(
        &self,
        snapshot: &ProjectSnapshot,
        id: &SpecId,
    ) -> impl Iterator<Item = u64> {
        let mut known = self.known();
        known.refresh_archive();
        let specs = snapshot.specs.members(id).map(|spec| spec.id.to_string());
        let broken = snapshot.specs.broken().map(|broken| broken.id.to_string());
        let inside = format!("{id}.");
        let in_git = self
            .ids_in_git(&inside)
            .into_iter()
            .map(|id| id.to_string());
        let names = specs
            .chain(broken)
            .chain(in_git)
            .chain(known.archived_ids().map(str::to_owned));
        let number = |name: String| {
            let rest = name.strip_prefix(&inside)?;
            rest.split('.').next()?.parse().ok()
        };
        names.filter_map(number).collect::<Vec<u64>>().into_iter()
    }

    /// Returns the next free IDs of members of a spec; the caller holds the specs folder's lock.
    ///
    /// # Errors
    /// `Refused` for IDs that would be too long.
    pub fn next_members(
        &self,
        snapshot: &ProjectSnapshot,
        id: &SpecId,
        count: usize,
    ) -> Result<Vec<SpecId>, Error> {
        let last = self.numbers_of_members(snapshot, id).max().unwrap_or(0);
        let ids = id.members_after(last, count);
        Ok(ids.map_err(|error| ChantError::Refused(error.to_string()))?)
    }

    fn not_found(&self, specs: &SpecGraph, text: &str) -> ChantError {
        let by_end = specs.broken().find(|broken| broken.id.ends_with(text));
        let mut holding = specs.broken().filter(|broken| broken.id.contains(text));
        let only = match (holding.next(), holding.next()) {
            (Some(one), None) => Some(one),
            _ => None,
        };
        if let Some(broken) = by_end.or(only) {
            return ChantError::unreadable(broken);
        }
        let mut known = self.known();
        known.refresh_archive();
        let named = specs.all().iter().map(|spec| {
            let title = spec.title.as_deref().unwrap_or_default();
            (spec.id.as_str(), title)
        });
        let ids = known.archived_ids().filter(|id| id.ends_with(text));
        let of_archive = ids.min().and_then(|id| Some((id, known.archived_as(id)?)));
        let hint = match of_archive {
            Some((id, (path, _))) => hint![format!("\n'{id}' is archived: {path}")],
            None => match close_names(text, named).as_slice() {
                [first, rest @ ..] => hint![meant(first, rest)],
                [] => hint!["\n", NextStep::ListSpecs, " lists the IDs."],
            },
        };
        ChantError::NotFound {
            text: text.into(),
            hint,
        }
    }
}
