//! The features of a project as they lie on disk: read again only where they changed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;

use super::config::{self, SpeckitConfig};
use super::error::SpeckitError;
use super::feature::{FeatureStage, is_plan, is_spec};
use super::parse;
use super::plan::TaskPlan;
use super::resolve::{self, FeatureDirectory, ResolvedProject, SPECS, SearchStart};
use super::task::TaskList;
use chant_base::document_problem::DocumentProblem;
use chant_base::error::Error;
use chant_base::external_items::{ExternalItemsCache, ExternalItemsFactory, ExternalStatus};
use chant_base::next_step::{DoorKind, hint};
use chant_base::text_place::TextPlace;
use chant_config::check::{CheckedFile, ConfigFinding};
use chant_git::Repo;
use chant_places::missing_folders::{self, MissingFolders};
use chant_store::StoreError;
use chant_store::disk::{self, Disk};
use chant_store::files::{self, RootFolder};
use chant_store::journal::{ChangeJournal, LeftChange};
use chant_store::stamped::{StampedCache, StampedContent};
use chant_store::state::UserState;
use chant_store::undecided;
use chant_text::clash::{self, LeftClash};
use chant_trust::TrustVerdict;
use chant_trust::survey::FolderTrust;

/// Documents that are kept in memory, three for each of a thousand features and some; with more, all are
/// forgotten and read again when asked for.
const MAX_KNOWN: usize = 4096;

/// The task list among a feature's documents.
pub const TASKS: &str = "tasks.md";

/// Returns the time.
pub type FeatureClock = fn() -> Timestamp;

/// The caller, recorded with everything that is reported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallerIdentity {
    /// The server that the agent talks to, or the command of a person.
    pub session: String,
    /// The client's name.
    pub agent: Option<String>,
}

/// One project's features, opened once; every answer is as of the moment it is asked for.
pub struct FeatureStore {
    pub(super) disk: Disk,
    pub(super) clock: FeatureClock,
    start: SearchStart,
    known: StampedCache<Arc<FeatureDocument>>,
    neighbours: ExternalItemsCache,
    /// Folders of features that git has and that are not there.
    missing: MissingFolders,
    /// The user's own configuration file: it may name folders that are trusted.
    user_config: Option<PathBuf>,
    /// The hash of what may act, as named when the project was opened.
    named_trust: Option<String>,
    /// True if commands that the project names are run.
    pub(super) runs_commands: bool,
    /// The kind of caller, for the words of answers.
    pub(super) door: DoorKind,
}

/// A document of a feature.
#[derive(Debug)]
pub struct FeatureDocument {
    /// Its text.
    pub text: String,
    /// Its tasks; none for what is no task list, or has two versions.
    pub list: TaskList,
    /// Where a merge left two versions.
    pub clash: Option<LeftClash>,
}

impl FeatureDocument {
    /// Reads the text of a file; `path` ends in its name.
    pub fn read(path: &str, text: String) -> Self {
        let clash = clash::in_document(&text);
        let list = if path.ends_with(TASKS) && clash.is_none() {
            parse::tasks(&text)
        } else {
            TaskList::default()
        };
        Self { text, list, clash }
    }

    /// Returns its problems, by lines; `path` names it.
    pub fn problems(&self, path: &str) -> Vec<DocumentProblem> {
        let clash = self.clash.as_ref();
        let clash = clash.map(|clash| (clash.begins, clash.to_string()));
        let all = clash.into_iter().chain(self.list.problems());
        let problem = |(line, message)| {
            DocumentProblem::new(path, message)
                .on_line(Some(line))
                .at(TextPlace::of_line(&self.text, line))
        };
        all.map(problem).collect()
    }
}

impl FeatureStore {
    /// Features as seen from a folder; nothing is read yet.
    pub fn new(start: SearchStart, mut disk: Disk, clock: FeatureClock) -> Self {
        let user_state = || UserState::of(&start.environment);
        disk.user_state = disk.user_state.take().or_else(user_state);
        Self {
            disk,
            clock,
            start,
            known: StampedCache::new(MAX_KNOWN),
            neighbours: ExternalItemsCache::default(),
            missing: MissingFolders::default(),
            user_config: None,
            named_trust: None,
            runs_commands: true,
            door: DoorKind::default(),
        }
    }

    /// The same features for who asks at a door.
    #[must_use]
    pub fn at_door(self, door: DoorKind) -> Self {
        Self { door, ..self }
    }

    /// The same features in the folder of a run: what runs there runs by the agent's hand, in what holds it.
    #[must_use]
    pub fn of_run(self) -> Self {
        Self {
            runs_commands: false,
            ..self
        }
    }

    /// The same features, whose tasks may depend on items of other dialects.
    #[must_use]
    pub fn with_external(self, around: ExternalItemsFactory) -> Self {
        Self {
            neighbours: ExternalItemsCache::of(around),
            ..self
        }
    }

    /// Returns the same features, with what says whether their project is trusted beside what people said: the
    /// user's own configuration file, and a hash that is named on opening it.
    #[must_use]
    pub fn trusted_by(self, user_config: Option<PathBuf>, named_trust: Option<String>) -> Self {
        Self {
            user_config,
            named_trust,
            ..self
        }
    }

    /// Refuses to run what a project asks for that no person trusts; `text` is the configuration that the act
    /// goes by.
    pub(super) fn refuse_untrusted(
        &self,
        found: &ResolvedProject,
        text: &str,
    ) -> Result<(), Error> {
        let repo = Repo::open(found.root.path());
        let is_broken = repo.is_err();
        let repo = repo.ok().flatten();
        let folder = FolderTrust {
            disk: &self.disk,
            root: found.root.path(),
            repo: repo.as_ref(),
            is_broken,
            user_config: self.user_config.as_deref(),
            environment: &self.start.environment,
            named: self.named_trust.as_deref(),
        };
        match folder.look(&[(config::FILE, Some(text))]).verdict {
            TrustVerdict::Trusted(_) => Ok(()),
            TrustVerdict::Untrusted(folder) => Err(folder.into()),
        }
    }

    /// Returns the states of items of other dialects, in the order of their keys.
    pub fn standings(&self, root: &RootFolder, keys: &[String]) -> Vec<ExternalStatus> {
        self.neighbours.standings(root.path(), keys)
    }

    /// The graph of a list of a project as of now.
    pub(super) fn plan<'a>(&self, root: &RootFolder, list: &'a TaskList) -> TaskPlan<'a> {
        TaskPlan::with_statuses(list, &self.standings(root, &list.needs()))
    }

    /// The project and its current feature, or the one asked for.
    ///
    /// # Errors
    /// As [`resolve::find`].
    pub fn find(&self, asked: Option<&str>) -> Result<ResolvedProject, Error> {
        let mut found = resolve::find(&self.disk, &self.start, asked)?;
        let left = self.recover(&found)?.into_iter();
        let left = left.map(|left| format!("{}: {}", left.path, left.message));
        let vanished = self.vanished(&found.root).into_iter();
        let vanished = vanished.map(|(_, message)| message);
        found.warnings.extend(left.chain(vanished));
        let of_project = ["", ".specify"].map(|folder| found.root.locate(folder));
        let feature = found.feature.as_ref();
        let of_feature = feature.and_then(|it| Some(it.root.as_ref()?.locate(&it.inside)));
        for folder in of_project.into_iter().chain(of_feature).flatten() {
            disk::sweep_folder(&folder);
        }
        Ok(found)
    }

    /// Finishes changes of several files that a crash left; gives those that cannot be.
    fn recover(&self, found: &ResolvedProject) -> Result<Vec<LeftChange>, Error> {
        let journal = ChangeJournal {
            disk: &self.disk,
            root: &found.root,
            state: Some(&found.state),
            gates: &[],
        };
        journal.recover()?;
        Ok(journal.left_changes())
    }

    /// The variables of our own process.
    pub(super) fn environment(&self) -> &std::collections::BTreeMap<String, String> {
        &self.start.environment
    }

    /// The spec of the run that asks, if an agent does.
    pub(super) fn run(&self) -> Option<String> {
        let run = self.start.environment.get("CHANT_SPEC_ID");
        run.filter(|run| !run.is_empty()).cloned()
    }

    /// Returns the configuration.
    ///
    /// # Errors
    /// `Config`, or a `StoreError`.
    pub fn config(&self, found: &ResolvedProject) -> Result<SpeckitConfig, Error> {
        Ok(self.config_with_text(found)?.0)
    }

    /// Returns the configuration, and its text.
    pub(super) fn config_with_text(
        &self,
        found: &ResolvedProject,
    ) -> Result<(SpeckitConfig, String), Error> {
        match self.text(&found.root, config::FILE)? {
            Some(text) => Ok((config::read(&text)?, text)),
            None => Ok((SpeckitConfig::default(), String::new())),
        }
    }

    /// The configuration of a folder with what is to be said about it; `None` where there is none.
    pub fn configuration_file(&self, root: &Path) -> Option<CheckedFile> {
        let root = RootFolder::open(root).ok()?;
        let findings = match self.text(&root, config::FILE) {
            Ok(text) => config::findings(&text?),
            Err(error) => vec![ConfigFinding::unreadable(
                config::FILE,
                None,
                error.to_string(),
            )],
        };
        Some(CheckedFile {
            path: config::FILE.into(),
            findings,
        })
    }

    /// A text inside a root; `None` when there is none.
    pub(super) fn text(&self, root: &RootFolder, path: &str) -> Result<Option<String>, Error> {
        match files::read(&self.disk, root, path) {
            Ok((text, _)) => Ok(Some(text)),
            Err(StoreError::Missing { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the problems where folders of features are not there: they were, as git knows. Asked only of
    /// projects that were set up for features.
    pub fn vanished(&self, root: &RootFolder) -> Vec<(String, String)> {
        let is_there = |name: &str| disk::exists(&root.path().join(name));
        if !is_there(".specify") {
            return Vec::new();
        }
        let repo = || Repo::open(root.path()).ok().flatten().map(Arc::new);
        let missing = self.missing.find(&self.disk, root, SPECS, repo).into_iter();
        let problem = |folder: String| {
            let message = if folder == SPECS {
                let evidence = missing_folders::evidence_of_loss(
                    repo().as_deref(),
                    root,
                    SPECS,
                    false,
                    |_| true,
                )?;
                missing_folders::loss_message("features", SPECS, &evidence)
            } else {
                missing_folders::missing_problem("a feature", &folder)
            };
            Some((folder, message))
        };
        missing.filter_map(problem).collect()
    }

    /// A document of a feature as it is now; `None` when there is none.
    ///
    /// # Errors
    /// `StoreError` for a file that cannot be read, or a link that leads out.
    pub fn document(
        &self,
        feature: &FeatureDirectory,
        name: &str,
    ) -> Result<Option<Arc<FeatureDocument>>, Error> {
        let Some(root) = &feature.root else {
            return Ok(None);
        };
        let path = feature.within(name);
        match self.read(root, &path) {
            Ok(document) => Ok(Some(document)),
            Err(StoreError::Missing { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn read(&self, root: &RootFolder, path: &str) -> Result<Arc<FeatureDocument>, StoreError> {
        let real = root.locate(path)?;
        undecided::refuse(&real)?;
        let disk = self.disk.clone().within(root.path());
        if let Some(known) = self.known.current(&disk, &real) {
            return Ok(known.content);
        }
        let (text, stamp) = disk.read_text(&real, path)?;
        let last = self.known.last(&real).filter(|last| last.text == text);
        let document = last.unwrap_or_else(|| Arc::new(FeatureDocument::read(path, text)));
        let now = (disk.clock)(root.path());
        let known = StampedContent::new(Arc::clone(&document), Some(stamp), now);
        self.known.keep(real, known);
        Ok(document)
    }

    /// The tasks of a feature.
    ///
    /// # Errors
    /// `NoTaskList`, or a `StoreError`.
    pub fn tasks(
        &self,
        found: &ResolvedProject,
        feature: &FeatureDirectory,
    ) -> Result<Arc<FeatureDocument>, Error> {
        let document = self.document(feature, TASKS)?;
        if let Some(clash) = document.as_ref().and_then(|document| document.clash) {
            let path = format!("{}/{TASKS}", feature.directory);
            return Err(SpeckitError::Clashing { path, clash }.into());
        }
        let hint = match document {
            Some(document) if !document.list.tasks.is_empty() => return Ok(document),
            Some(document) if has_words(&document.text) => {
                let path = format!("{}/{TASKS}", feature.directory);
                match document.list.problems().as_slice() {
                    [] => format!(
                        "{path} is there, but no line of it is a task: write each as `- [ ] T001 What to do`."
                    ),
                    problems => {
                        let problems: Vec<&str> =
                            problems.iter().map(|(_, said)| &**said).collect();
                        format!(
                            "{path} is there, but no line of it is a task: {}",
                            problems.join("; ")
                        )
                    }
                }
            }
            _ => {
                let command = self.command(found, "tasks");
                format!("{command} makes {}/{TASKS}.", feature.directory)
            }
        };
        let hint = hint!["\n", hint];
        Err(SpeckitError::NoTaskList { hint }.into())
    }

    /// Returns the stage of a feature, judged by its documents.
    ///
    /// # Errors
    /// `StoreError` for a document that cannot be read.
    pub fn stage(&self, feature: &FeatureDirectory) -> Result<FeatureStage, Error> {
        let says = |name: &str, test: fn(&str) -> bool| -> Result<bool, Error> {
            let document = self.document(feature, name)?;
            Ok(document.is_some_and(|document| test(&document.text)))
        };
        if !says("spec.md", is_spec)? {
            return Ok(FeatureStage::Specify);
        }
        if !says("plan.md", is_plan)? {
            return Ok(FeatureStage::Plan);
        }
        let tasks = self.document(feature, "tasks.md")?;
        // With two versions there is a list, whatever is to become of it.
        let has_tasks = tasks
            .is_some_and(|document| document.clash.is_some() || !document.list.tasks.is_empty());
        Ok(if has_tasks {
            FeatureStage::Implement
        } else {
            FeatureStage::Tasks
        })
    }

    /// A command of spec-kit's, in the form that is installed.
    pub(super) fn command(&self, found: &ResolvedProject, name: &str) -> String {
        let settings = self.text(&found.root, ".specify/integration.json");
        let settings = settings.ok().flatten();
        let settings: Option<serde_json::Value> =
            settings.and_then(|text| serde_json::from_str(&text).ok());
        let separator = settings
            .as_ref()
            .and_then(|settings| settings.get("invoke_separator")?.as_str())
            .filter(|separator| [".", "-"].contains(separator));
        format!("/speckit{}{name}", separator.unwrap_or("."))
    }

    /// The moment as records have it.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }
}

/// Returns true if a text says anything below its headings.
fn has_words(text: &str) -> bool {
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    lines.any(|line| !line.is_empty() && !line.starts_with('#'))
}
