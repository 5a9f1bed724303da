//! Every dialect of a folder in one graph: the only crate that knows all dialects.
//!
//! A format is its word in [`chant_base::format_words`] and the static that answers for it in [`formats`]. The four
//! with tools of their own have a part of [`DialectStores`] and an [`workspace_graph::ItemSource`] each; the changes of
//! all take part in transactions by `staged_workspace`.
//!
//! It knows no Python and no MCP.

pub mod analytics_graph;
pub mod board;
mod board_columns;
pub mod board_diff;
pub mod board_graph;
pub mod board_item;
mod board_shapes;
pub mod board_view;
pub mod change_feed;
pub mod changes;
pub mod completion;
pub mod configuration;
mod csv_table;
pub mod document_findings;
mod document_work;
mod done_items;
pub mod error;
pub mod export;
mod external_lookup;
pub mod feature;
pub mod filter;
pub mod fleet;
pub mod formats;
pub mod handle;
pub mod import;
pub mod item;
mod item_names;
mod item_statuses;
mod items_at_work;
pub mod key;
pub mod meaning;
pub mod mention;
pub mod ops;
mod place;
pub mod plan_answers;
pub mod plan_edit;
mod plan_import;
pub mod plan_item;
mod plan_view;
mod plan_work;
mod planning_paths;
pub mod repository_union;
mod revision_folder;
mod revision_plans;
mod revision_view;
mod run_situations;
pub mod since;
mod staged_workspace;
pub mod token_budget;
pub mod transaction;
mod view;
pub mod work_items;
pub mod workspace_graph;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use analytics_graph::{NetworkNodes, build_network, renew_network};
use board_columns::BoardColumns;
use board_graph::TimedNetwork;
use change_feed::ChangeFeed;
use chant_base::document_problem::DocumentProblem;
use chant_base::error::{Error, ErrorKind};
use chant_base::external_items::ExternalItems;
use chant_plan_format::finding::{PlanFinding, Severity};
use chant_plan_store::PlanStore;
use chant_speckit::files::{FeatureDocument, FeatureStore, TASKS};
use chant_speckit::resolve::{SearchStart, in_specs};
use chant_specs::error::ChantError;
use chant_specs::ops::add::new_spec_file;
pub use chant_specs::ops::add::{NewSpec, NewSpecFile};
use chant_specs::project::{Project, ProjectOptions, SPECS};
use chant_store::disk;
use chant_store::files::RootFolder;
use chant_store::index::{DocumentChange, FileSource};
use chant_store::walk::{DEPTH, FolderWalk};
use chant_tickets::parse as ticket_texts;
use chant_tickets::project_registry::ProjectRegistry;
use chant_tickets::projects::DiscoveryInputs;
use chant_tickets::ticket_index::TicketIndex;
use chant_vine::document::VineDocument;
use chant_vine::error::VineError;
use chant_vine::files::{PinnedGraph, VineStore};
use chant_work::durations::{RunDurations, RunStatistics};
pub use external_lookup::external_items;
pub use items_at_work::ItemRun;
use items_at_work::ItemsAtWork;
use jiff::Timestamp;
pub use revision_view::recent_commits;
use workspace_graph::{GraphFile, WorkspaceContents, WorkspaceGraph};

/// Most task graphs that are looked at.
const MAX_PLANS: usize = 1_000;
/// Most features that are looked at.
const MAX_FEATURES: usize = 1_000;

/// The dialects of a folder, each opened by itself.
pub struct DialectStores {
    /// The specs; the folder need not hold any.
    pub chant: Arc<Project>,
    /// The store that reads task graphs.
    pub vine: Arc<VineStore>,
    /// The store that reads features.
    pub speckit: Arc<FeatureStore>,
    /// Ticket projects, that of the folder among them.
    pub tickets: Arc<ProjectRegistry>,
}

impl DialectStores {
    /// The formats of a project's folder, to be read alone: what writes needs more.
    fn to_read(project: &Project) -> Result<Self, Error> {
        Self::read_only(ProjectOptions {
            root: project.root().to_owned(),
            user_config: None,
            searched: Vec::new(),
            environment: project.environment.clone(),
            program: Vec::new(),
            prompts: None,
            trust: None,
            runs: project.run_lookup,
            clock: project.clock.clone(),
            disk: project.disk.clone(),
        })
    }

    /// The formats of a folder, to be read alone.
    ///
    /// # Errors
    /// As [`Project::open`].
    pub fn read_only(options: ProjectOptions) -> Result<Self, Error> {
        let (root, disk) = (options.root.clone(), options.disk.clone());
        let root = root.as_path();
        let start = SearchStart {
            folder: root.to_owned(),
            root: root.to_owned(),
            environment: options.environment.clone(),
        };
        let inputs = DiscoveryInputs {
            start: root.to_owned(),
            ..DiscoveryInputs::default()
        };
        let now = || Timestamp::UNIX_EPOCH;
        let specs = Project::open(options)?;
        let graphs = VineStore::new(disk.clone(), root.to_owned(), Vec::new(), false);
        let features = FeatureStore::new(start, disk.clone(), now);
        let tickets = ProjectRegistry::open(inputs, disk, now);
        Ok(Self {
            chant: Arc::new(specs.with_external(external_items(root))),
            vine: Arc::new(graphs.with_external(external_items)),
            speckit: Arc::new(features.with_external(external_items)),
            tickets: Arc::new(tickets.with_external(external_items)),
        })
    }
}

/// A folder with all its work files; every answer is as of the moment it is asked for.
pub struct Workspace {
    root: PathBuf,
    parts: DialectStores,
    /// Plans of the formats that come through the interface.
    plan_stores: Vec<PlanStore>,
    /// Reports on items of other formats that plans wait for.
    around: ExternalItems,
    known: Mutex<WorkspaceCache>,
    /// The durations of runs.
    durations: Mutex<RunDurations>,
    /// The columns of boards. Who holds it may ask for the rest, not the other way round.
    board: Mutex<BoardColumns>,
}

#[derive(Default)]
struct WorkspaceCache {
    /// Where task graphs lie.
    plans: FolderWalk,
    /// Those of them that were read, while that is where they lie.
    pinned: HashMap<String, PinnedGraph>,
    joined: Arc<WorkspaceGraph>,
    /// The items of other formats that runs have.
    at_work: ItemsAtWork,
    /// The graph laid out, and of which moment.
    laid: Option<(u64, NetworkNodes)>,
    /// The same with times.
    timed: Option<Arc<TimedNetwork>>,
    /// The latest changes of the graph.
    feed: ChangeFeed,
}

impl Workspace {
    /// Joins the dialects of a folder; nothing is read yet.
    pub fn open(root: &Path, parts: DialectStores) -> Self {
        let root = disk::real(root).unwrap_or_else(|_| root.to_owned());
        let stores = formats::all().into_iter();
        let stores = stores.map(|format| PlanStore::new(format, &root, &parts.vine.disk));
        Self {
            plan_stores: stores.collect(),
            around: external_items(&root),
            root,
            parts,
            known: Mutex::default(),
            durations: Mutex::default(),
            board: Mutex::default(),
        }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns true if a path is below the folder of the tickets.
    pub fn holds_tickets(&self, path: &str) -> bool {
        let store = self.parts.tickets.open_store_at(&self.root).ok().flatten();
        store.is_some_and(|store| {
            let folder = store.place().tickets.trim_matches(['.', '/']);
            let rest = path.strip_prefix(folder);
            folder.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
        })
    }

    /// Returns the name that the repository has in keys and tables, which is that of the folder.
    pub fn repository_name(&self) -> String {
        let name = self.root.file_name().unwrap_or_default();
        key::composed(&name.to_string_lossy())
    }

    /// Everything as of now: whatever was written before this call is in it. Costs what changed; one stamp
    /// for each folder in which there may be task graphs and for each of these; a listing of `specs/`, and
    /// for each feature the way to its list and a stamp; and what is asked about items that others name.
    ///
    /// # Errors
    /// A `StoreError` where a folder of work files cannot be listed.
    pub fn snapshot(&self) -> Result<Arc<WorkspaceGraph>, Error> {
        self.refresh(&mut self.known())
    }

    /// Brings what is known up to date.
    fn refresh(&self, known: &mut WorkspaceCache) -> Result<Arc<WorkspaceGraph>, Error> {
        // What no other thread holds can be changed in place, without a copy.
        let is_lent = Arc::get_mut(&mut known.joined)
            .map(WorkspaceGraph::lend)
            .is_some();
        let mut read = self.read_specs()?;
        if !known.plans.is_current() {
            known.plans = FolderWalk::of(&self.root, "vine", DEPTH, MAX_PLANS + 1);
            known.pinned.clear();
        }
        if let Some(path) = known.plans.files.get(MAX_PLANS) {
            read.problems.push(surplus(path, MAX_PLANS, "task graphs"));
        }
        for path in known.plans.files.iter().take(MAX_PLANS) {
            match self.plan(path, &mut known.pinned) {
                Ok(plan) => read.plans.push(plan),
                Err(error) => read
                    .problems
                    .push(DocumentProblem::new(path.clone(), error.to_string())),
            }
        }
        self.read_features(&mut read)?;
        self.read_tickets(&mut read)?;
        self.read_plans(&mut read);
        read.at_work = known.at_work.refresh(self)?;
        if known.joined.differs_from(&read) {
            let joined = Arc::make_mut(&mut known.joined);
            joined.update(read);
            known.feed.take_in(joined);
        } else if is_lent {
            Arc::make_mut(&mut known.joined).take_back(read);
        }
        Ok(Arc::clone(&known.joined))
    }

    /// The newest run of each item, by the item's key.
    pub fn newest_runs(&self) -> BTreeMap<String, ItemRun> {
        self.known().at_work.newest_runs(self)
    }

    /// Returns true if a person trusts the folder as it is now.
    pub fn is_trusted(&self) -> bool {
        self.parts.chant.is_trusted()
    }

    /// Returns the file that a new spec would be; nothing is written.
    ///
    /// # Errors
    /// As [`chant_specs::ops::add::add`].
    pub fn new_spec_file(&self, new: &NewSpec) -> Result<NewSpecFile, Error> {
        new_spec_file(&self.parts.chant, new)
    }

    /// The graph of a snapshot laid out, made once for each; of an earlier one where little is other.
    fn laid(&self, joined: &Arc<WorkspaceGraph>) -> Result<NetworkNodes, Error> {
        let known = self.known().laid.clone();
        let version = joined.recent().version();
        if let Some((_, laid)) = known.as_ref().filter(|(of, _)| *of == version) {
            return Ok(laid.clone());
        }
        let renewed = known.and_then(|(of, laid)| renew_network(joined, of, &laid));
        let laid = renewed.map_or_else(|| build_network(joined), Ok)?;
        self.known().laid = Some((version, laid.clone()));
        Ok(laid)
    }

    /// Returns what runs teach about durations as of now.
    fn learned(&self) -> Result<RunStatistics, Error> {
        self.learned_until(Timestamp::MAX)
    }

    /// Returns what runs teach that ended by a moment.
    fn learned_until(&self, moment: Timestamp) -> Result<RunStatistics, Error> {
        let mut durations = self
            .durations
            .lock()
            .unwrap_or_else(|poisoned: PoisonError<_>| {
                let mut durations = poisoned.into_inner();
                *durations = RunDurations::default();
                self.durations.clear_poison();
                durations
            });
        let chant = &self.parts.chant;
        let folder = chant.records_folder();
        let specs = chant.snapshot().ok();
        let specs = specs.as_ref().map(|snapshot| &snapshot.specs);
        let labels = |id: &str| specs.map(|specs| specs.labels(id)).unwrap_or_default();
        let (disk, folder) = (&self.parts.vine.disk, folder.as_deref());
        Ok(durations.learned(disk, folder, &labels, moment, || chant.receipted_runs())?)
    }

    /// The agent that works on specs when none is named.
    fn usual_agent(&self) -> Option<String> {
        let snapshot = self.parts.chant.snapshot().ok()?;
        let config = snapshot.config.as_ref().ok()?;
        config.runs.provider().map(str::to_owned)
    }

    /// The code of the tickets of the folder as of now, where it is a project.
    fn code_of_tickets(&self) -> Option<String> {
        let store = self.parts.tickets.open_store_at(&self.root).ok()??;
        Some(store.place().code.clone())
    }

    fn read_specs(&self) -> Result<WorkspaceContents, Error> {
        let chant = &self.parts.chant;
        let snapshot = match chant.snapshot() {
            Err(error) if error.kind() == ErrorKind::NotInitialized => {
                let left = chant.interruptions().into_iter();
                return Ok(WorkspaceContents {
                    problems: left.collect(),
                    ..WorkspaceContents::default()
                });
            }
            // What else there is can be read all the same.
            Err(error) if matches!(error.downcast_ref(), Some(ChantError::SpecsGone(_))) => {
                return Ok(WorkspaceContents {
                    problems: vec![gone(SPECS, error.to_string())],
                    ..WorkspaceContents::default()
                });
            }
            snapshot => snapshot?,
        };
        let problems = chant.problems(&snapshot).into_iter();
        Ok(WorkspaceContents {
            problems: problems.collect(),
            specs: snapshot.specs,
            ..WorkspaceContents::default()
        })
    }

    fn plan(
        &self,
        path: &str,
        pinned: &mut HashMap<String, PinnedGraph>,
    ) -> Result<GraphFile, Error> {
        let files = &self.parts.vine;
        let place = match pinned.entry(path.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let name = self.root.join(path).display().to_string();
                new.insert(files.pin(&name)?)
            }
        };
        Ok(GraphFile {
            path: key::composed(path).into(),
            document: files.read_pinned(place)?,
        })
    }

    fn read_features(&self, read: &mut WorkspaceContents) -> Result<(), Error> {
        let features = &self.parts.speckit;
        let root = RootFolder::open(&self.root)?;
        let mut all = in_specs(&root);
        let vanished = features.vanished(&root).into_iter();
        read.problems
            .extend(vanished.map(|(path, message)| gone(&path, message)));
        for feature in all.by_ref().take(MAX_FEATURES) {
            let path = format!("{}/{TASKS}", feature.directory);
            match features.document(&feature, TASKS) {
                Ok(Some(document)) => {
                    read.problems.extend(document.problems(&path));
                    if !document.list.tasks.is_empty() {
                        read.features.push(feature::FeatureTaskList {
                            label: key::composed(&feature.label).into(),
                            path: path.into(),
                            standings: features.standings(&root, &document.list.needs()),
                            document,
                        });
                    }
                }
                Ok(None) => {}
                Err(error) => read
                    .problems
                    .push(DocumentProblem::new(path, error.to_string())),
            }
        }
        if let Some(feature) = all.next() {
            let problem = surplus(&feature.directory, MAX_FEATURES, "features");
            read.problems.push(problem);
        }
        Ok(())
    }

    fn read_tickets(&self, read: &mut WorkspaceContents) -> Result<(), Error> {
        let of_configuration = self.parts.tickets.problems_at(&self.root).into_iter();
        read.problems
            .extend(of_configuration.map(|(path, message)| DocumentProblem::new(path, message)));
        let Some(store) = self.parts.tickets.open_store_at(&self.root)? else {
            return Ok(());
        };
        let tickets = store.snapshot()?;
        // Changes that could be brought to no end are those of the whole folder, and known already.
        let problems = tickets.problems().iter();
        let problems = problems.filter(|problem| !tickets.left().contains(problem));
        read.problems.extend(problems.cloned());
        read.tickets = Some(tickets);
        Ok(())
    }

    fn read_plans(&self, read: &mut WorkspaceContents) {
        for store in &self.plan_stores {
            if let Some(root) = store.current(&|keys| self.around.standings(keys)) {
                let problems = root.problems.iter();
                let problems = problems.filter(|problem| problem.level > Severity::Hint);
                read.problems.extend(problems.map(of_plan));
                read.formats.push(root);
            }
        }
    }

    /// The folders in which documents of plans may come to be, of the formats that are here.
    pub(crate) fn watched_of_plans(&self) -> Vec<String> {
        let known = self.known();
        let roots = known.joined.formats();
        let folders = roots.flat_map(|root| {
            let layout = root.format.layout(&root.settings);
            let of_units = layout.units.into_iter().map(|pattern| pattern.folder);
            let units = root.snapshot.units.iter();
            let of_documents = units.flat_map(|unit| &unit.source.documents);
            let of_documents = of_documents.filter_map(|document| {
                let (folder, _) = document.path.rsplit_once('/')?;
                Some(folder.to_owned())
            });
            let all = of_units.chain(layout.watch).chain(of_documents);
            all.collect::<Vec<String>>()
        });
        folders.collect()
    }

    /// The time of the clock, as documents write it.
    pub(crate) fn now(&self) -> String {
        self.parts
            .speckit
            .now()
            .strftime("%Y-%m-%dT%H:%M:%SZ")
            .to_string()
    }

    /// The words of states of all formats here that come through the interface.
    pub(crate) fn plan_statuses(&self) -> Vec<String> {
        let known = self.known();
        let roots = known.joined.formats();
        roots
            .flat_map(|root| root.statuses().into_iter().map(str::to_owned))
            .collect()
    }

    /// Returns what is known, started again from nothing when a crash interrupted the holder of the lock.
    fn known(&self) -> MutexGuard<'_, WorkspaceCache> {
        self.known
            .lock()
            .unwrap_or_else(|poisoned: PoisonError<_>| {
                let mut known = poisoned.into_inner();
                *known = WorkspaceCache::default();
                self.known.clear_poison();
                known
            })
    }
}

/// The problem of a plan.
fn of_plan(problem: &PlanFinding) -> DocumentProblem {
    DocumentProblem {
        path: problem.path.clone(),
        line: problem.place.map(|place| place.line),
        place: problem.place,
        message: problem.message.to_string(),
    }
}

/// The problem of a folder that was there and is not.
fn gone(folder: &str, message: String) -> DocumentProblem {
    DocumentProblem::new(folder, message)
}

/// Reports that there is more of something than is looked at; the path is the first that is not.
fn surplus(path: &str, most: usize, what: &str) -> DocumentProblem {
    let message = format!(
        "there are more than {most} {what}; this one and those after it are not looked at. Move \
         finished ones to another folder"
    );
    DocumentProblem::new(path, message)
}

/// The problems that the tickets have at a path with a text there.
fn ticket_problems(joined: &WorkspaceGraph, path: &str, text: &str) -> Vec<DocumentProblem> {
    let document = ticket_texts::document(path, FileSource::Text(text.to_owned()));
    let Some(known) = &joined.tickets else {
        return match document {
            Ok(ticket) => ticket.problems.clone(),
            Err(broken) => vec![broken.problem.clone()],
        };
    };
    let mut drafted = TicketIndex::clone(known);
    drafted.apply(vec![DocumentChange {
        path: path.into(),
        document: Some(document),
    }]);
    let all = drafted.problems().iter();
    let own = all.filter(|problem| *problem.path == *path);
    own.cloned().collect()
}
