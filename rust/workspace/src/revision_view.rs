//! The workspace as a commit has it, read from git without a checkout.
//!
//! Everything is as of the commit: archived specs, ignore files, the configuration of tickets, and how far
//! items of other dialects are. Other repositories have no such moment; what lies there is not looked up.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use rayon::prelude::*;

use super::feature::FeatureTaskList;
use super::item_statuses::{ItemStatuses, UnknownItem};
use super::key::composed;
use super::revision_folder::{CommitSource, RevisionFolder};
use super::revision_plans::PlanLayout;
use super::workspace_graph::{GraphFile, WorkspaceContents, WorkspaceGraph};
use super::{MAX_FEATURES, MAX_PLANS, Workspace, surplus};
use chant_base::document_problem::DocumentProblem;
use chant_base::error::Error;
use chant_base::external_items::{ExternalStatus, split_key};
use chant_git::data_repository::DataRepository;
use chant_git::history::DatedCommit;
use chant_git::{GitError, Repo};
use chant_plan_store::PlanRoot;
use chant_speckit::files::{FeatureDocument, TASKS};
use chant_speckit::resolve::SPECS as FEATURES;
use chant_specs::model::SpecStatus;
use chant_specs::parse as specs;
use chant_specs::project::{ARCHIVE, SPECS};
use chant_specs::specs::{ExternalDependency, SpecGraph};
use chant_store::index::{DocumentChange, FileSource};
use chant_store::walk::{DEPTH, IGNORING, unignored};
use chant_tickets::code::TicketCode;
use chant_tickets::model::Ticket;
use chant_tickets::parse as tickets;
use chant_tickets::projects::{
    OWN_FILE, OwnTicketSettings, TICKETS, code_of_tickets, parse_own_file,
};
use chant_tickets::ticket_index::TicketIndex;
use chant_vine::document::VineDocument;

/// The items of a workspace as of a revision, and the time of its commit.
///
/// # Errors
/// `NoHistory` where the folder lies in no repository, a `GitError` for a revision that names no commit
/// or a repository that cannot be read.
pub(super) fn graph_at_revision(
    workspace: &Workspace,
    revision: &str,
) -> Result<(WorkspaceGraph, Timestamp), Error> {
    let place = RevisionFolder::new(workspace, revision)?;
    let moment = place.committed_at()?;
    let then = RevisionView::of(place, || workspace.code_of_tickets())?;
    let mut joined = WorkspaceGraph::default();
    joined.update(then.read());
    Ok((joined, moment))
}

/// Returns the last commits that led to what is checked out, along first parents, the newest first; none outside of a
/// checkout and before the first commit.
///
/// # Errors
/// A `GitError` for a repository that cannot be read.
pub fn recent_commits(workspace: &Workspace, most: usize) -> Result<Vec<DatedCommit>, Error> {
    let Some(repo) = Repo::open(workspace.root())? else {
        return Ok(Vec::new());
    };
    match repo.commit("HEAD") {
        Ok(tip) => Ok(repo.recent_commits(&tip, most)?),
        Err(GitError::NoCommit { .. }) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// The kind of a commit's file to the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RevisionFileKind {
    Spec,
    Archived,
    Plan,
    Tasks,
    Ticket,
    Ignoring,
    Document,
}

/// The content of a file.
enum RevisionFile {
    Spec(specs::ParsedSpec),
    Archived(Option<SpecStatus>),
    Plan(Result<Arc<VineDocument>, String>),
    Tasks(Result<Arc<FeatureDocument>, String>),
    Ticket(tickets::ParsedTicket),
    Ignoring(String),
    Document(Result<String, String>),
}

/// Returns the items of the top folder of a commit of a repository that is data. Nothing but the commit takes part.
///
/// # Errors
/// A `GitError` for a commit that cannot be read or is too large.
pub(super) fn read_commit_graph(
    repository: DataRepository,
    commit: &str,
) -> Result<WorkspaceGraph, Error> {
    let place = RevisionFolder {
        source: CommitSource::Data(repository),
        commit: commit.to_owned(),
        prefix: String::new(),
    };
    let then = RevisionView::of(place, || None)?;
    let mut joined = WorkspaceGraph::default();
    joined.update(then.read());
    Ok(joined)
}

/// Returns the wanted files of the top folder of a commit that a partial clone lacks, by their objects.
///
/// # Errors
/// A `GitError` for a commit that cannot be read or is too large.
pub(super) fn missing_files(
    repository: &DataRepository,
    commit: &str,
) -> Result<Vec<String>, GitError> {
    let own = repository.missing_files(commit, &|_| false, &|path| path == OWN_FILE)?;
    if !own.is_empty() {
        // Where tickets lie is known only when this was read.
        return Ok(own);
    }
    let config = repository.file_at(commit, OWN_FILE)?;
    let config = config.and_then(|bytes| parse_own_file(&String::from_utf8_lossy(&bytes)).ok());
    let sought = RevisionPaths::of(config.and_then(|config| config.tickets));
    let enters = |folder: &str| sought.enters(folder);
    repository.missing_files(commit, &enters, &|file| sought.sort(file).is_some())
}

/// All documents of a folder in a commit.
struct RevisionView {
    place: RevisionFolder,
    /// The code of the tickets' project, where there are tickets.
    project: Option<String>,
    specs: Vec<DocumentChange<specs::ParsedSpec>>,
    /// Archived specs: their state, and their file.
    archived: HashMap<String, (SpecStatus, String)>,
    plans: BTreeMap<String, Arc<VineDocument>>,
    features: BTreeMap<String, Arc<FeatureDocument>>,
    tickets: Vec<DocumentChange<tickets::ParsedTicket>>,
    /// Documents of formats that come through the interface, and where these lie.
    documents: Vec<(String, String)>,
    layouts: Vec<PlanLayout>,
    problems: Vec<DocumentProblem>,
}

impl RevisionView {
    /// Reads a folder; `current` is the code of tickets where the commit does not say it.
    fn of(place: RevisionFolder, current: impl FnOnce() -> Option<String>) -> Result<Self, Error> {
        let mut problems = Vec::new();
        let config = place.text(OWN_FILE)?;
        let config = config.map(|text| parse_own_file(&text)).transpose();
        let config = config.unwrap_or_else(|message| {
            problems.push(problem(OWN_FILE, message.to_string()));
            None
        });
        let OwnTicketSettings { code, tickets } = config.unwrap_or_default();
        let mut sought = RevisionPaths::of(tickets);
        if matches!(place.source, CommitSource::Repo(_)) {
            sought.layouts = PlanLayout::all_in(&place)?;
        }
        let files = place.files(&|folder| sought.enters(folder), &|file| {
            sought.sort(file).is_some()
        })?;
        let said: Vec<(String, RevisionFile)> = files
            .into_par_iter()
            .filter_map(|(path, bytes)| {
                let said = said(sought.sort(&path)?, &path, bytes);
                Some((path, said))
            })
            .collect();
        let of_tickets = said
            .iter()
            .filter(|(_, said)| matches!(said, RevisionFile::Ticket(_)));
        let names = of_tickets.map(|(path, _)| path.rsplit('/').next().unwrap_or(path));
        let derived = || code_of_tickets(names).ok();
        let mut then = Self {
            project: code.or_else(derived).or_else(current),
            place,
            specs: Vec::new(),
            archived: HashMap::new(),
            plans: BTreeMap::new(),
            features: BTreeMap::new(),
            tickets: Vec::new(),
            documents: Vec::new(),
            layouts: sought.layouts,
            problems,
        };
        then.take(said)?;
        Ok(then)
    }

    fn take(&mut self, said: Vec<(String, RevisionFile)>) -> Result<(), Error> {
        let mut ignoring = self.place.ignoring_above()?;
        let prefix = self.place.prefix.clone();
        let from_top = |path: &str| format!("{prefix}{path}");
        let mut plans = Vec::new();
        for (path, said) in said {
            match said {
                RevisionFile::Spec(document) => self.specs.push(change(path, document)),
                RevisionFile::Archived(Some(status)) => {
                    let id = specs::stem(&path).to_owned();
                    self.archived.insert(id, (status, path));
                }
                RevisionFile::Archived(None) => {}
                RevisionFile::Plan(read) => plans.push((path, read)),
                RevisionFile::Tasks(Ok(tasks)) if tasks.clash.is_some() => {
                    let clash = tasks.clash.map(|clash| clash.to_string());
                    let problem = problem(&path, clash.unwrap_or_default());
                    self.problems.push(problem);
                }
                RevisionFile::Tasks(Ok(tasks)) if tasks.list.tasks.is_empty() => {}
                RevisionFile::Tasks(Ok(tasks)) => {
                    self.features.insert(path, tasks);
                }
                RevisionFile::Tasks(Err(message)) => self.problems.push(problem(&path, message)),
                RevisionFile::Ticket(document) => self.tickets.push(change(path, document)),
                RevisionFile::Document(Ok(text)) => self.documents.push((path, text)),
                RevisionFile::Document(Err(message)) => {
                    self.problems.push(problem(&path, message));
                }
                RevisionFile::Ignoring(text) => ignoring.push((from_top(&path), text)),
            }
        }
        let paths = plans.iter().map(|(path, _)| from_top(path));
        let is_found = unignored(&prefix, &paths.collect::<Vec<_>>(), &ignoring);
        let found = plans.into_iter().zip(is_found);
        let mut found = found.filter(|(_, is_found)| *is_found);
        for ((path, read), _) in found.by_ref().take(MAX_PLANS) {
            match read {
                Ok(graph) => {
                    self.plans.insert(path, graph);
                }
                Err(message) => self.problems.push(problem(&path, message)),
            }
        }
        if let Some(((path, _), _)) = found.next() {
            self.problems.push(surplus(&path, MAX_PLANS, "task graphs"));
        }
        if let Some(path) = self.features.keys().nth(MAX_FEATURES) {
            let problem = surplus(path, MAX_FEATURES, "features");
            self.problems.push(problem);
        }
        Ok(())
    }

    fn read(mut self) -> WorkspaceContents {
        let mut known = SpecGraph::default();
        known.apply(std::mem::take(&mut self.specs));
        let mut tickets = self.project.as_deref().map(TicketIndex::new);
        if let Some(tickets) = &mut tickets {
            tickets.apply(std::mem::take(&mut self.tickets));
        }
        let named = tickets
            .as_ref()
            .map(|tickets| tickets.waits().named_outside());
        let now = RevisionItems::new(&self, &known, tickets.as_ref());
        let elsewhere = known
            .named_elsewhere()
            .into_iter()
            .map(|(node, key)| (node, now.elsewhere(&key)));
        let elsewhere: Vec<_> = elsewhere.collect();
        let outside = named.map(|keys| now.statuses(&keys));
        let plans = self.plans.iter().map(|(path, graph)| {
            let standings = now.statuses(&graph.plan.needs());
            let known = graph.with_statuses(&standings);
            let document = known.map_or_else(|| Arc::clone(graph), Arc::new);
            GraphFile {
                path: composed(path).into(),
                document,
            }
        });
        let plans = plans.collect();
        let features = self.features.iter().take(MAX_FEATURES);
        let features = features.map(|(path, document)| FeatureTaskList {
            label: composed(label(path)).into(),
            path: path.as_str().into(),
            standings: now.statuses(&document.list.needs()),
            document: Arc::clone(document),
        });
        let features = features.collect();
        let layouts = self.layouts.iter();
        let formats =
            layouts.filter_map(|layout| layout.read(&self.documents, &|keys| now.statuses(keys)));
        let formats: Vec<Arc<PlanRoot>> = formats.collect();
        for (node, found) in elsewhere {
            known.found_elsewhere(node, found);
        }
        if let (Some(tickets), Some(outside)) = (&mut tickets, outside) {
            tickets.found_outside(outside);
        }
        self.problems.extend(known.problems());
        let of_tickets = tickets.iter().flat_map(TicketIndex::problems);
        self.problems.extend(of_tickets.cloned());
        WorkspaceContents {
            specs: Arc::new(known),
            plans,
            features,
            tickets: tickets.map(Arc::new),
            formats,
            problems: self.problems,
            at_work: Arc::default(),
        }
    }
}

/// The items of a commit by their keys.
struct RevisionItems<'a> {
    then: &'a RevisionView,
    specs: &'a SpecGraph,
    tickets: Option<&'a TicketIndex>,
    /// Task graphs by their paths as keys have them: those that the walk found, and those that were named.
    graphs: RefCell<HashMap<String, Result<Arc<VineDocument>, UnknownItem>>>,
    /// Features by their names as keys have them.
    features: HashMap<String, (&'a str, &'a Arc<FeatureDocument>)>,
}

impl<'a> RevisionItems<'a> {
    fn new(then: &'a RevisionView, specs: &'a SpecGraph, tickets: Option<&'a TicketIndex>) -> Self {
        let graphs = then.plans.iter();
        let graphs = graphs.map(|(path, graph)| (composed(path), Ok(Arc::clone(graph))));
        let features = then.features.iter();
        let features =
            features.map(|(path, tasks)| (composed(label(path)), (path.as_str(), tasks)));
        Self {
            then,
            specs,
            tickets,
            graphs: RefCell::new(graphs.collect()),
            features: features.collect(),
        }
    }

    /// Returns the status of something that an active spec names and that is no active spec.
    fn elsewhere(&self, key: &str) -> ExternalDependency {
        let found = match (split_key(key), key.split_once(':')) {
            (Some(_), _) => self.status(key),
            (None, None) => match self.spec_status(key) {
                Ok(standing) => standing,
                Err(_) => return ExternalDependency::Unknown,
            },
            (None, Some(_)) => ExternalStatus::Unknown(
                "other repositories are not looked up as of a revision".into(),
            ),
        };
        found.into()
    }

    fn read_graph(&self, path: &str) -> Result<Arc<VineDocument>, UnknownItem> {
        let text = self
            .then
            .place
            .text(path)
            .map_err(|error| UnknownItem::Unreadable(error.to_string()))?;
        let text = text.ok_or_else(|| UnknownItem::NoFile(path.to_owned()))?;
        let graph = VineDocument::read(text);
        let graph = graph.map_err(|error| UnknownItem::Unreadable(error.to_string()))?;
        Ok(Arc::new(graph))
    }
}

impl ItemStatuses for RevisionItems<'_> {
    fn find_spec(&self, id: &str) -> Result<(SpecStatus, String), UnknownItem> {
        let active = self.specs.find(id);
        let active = active.map(|spec| (spec.status, spec.path.to_string()));
        let found = active.or_else(|| self.then.archived.get(id).cloned());
        found.ok_or(UnknownItem::Missing("spec"))
    }

    fn find_graph(&self, path: &str) -> Result<Arc<VineDocument>, UnknownItem> {
        let mut graphs = self.graphs.borrow_mut();
        // Graphs that no walk finds may be named, too.
        let graph = graphs.entry(path.to_owned());
        graph.or_insert_with(|| self.read_graph(path)).clone()
    }

    fn find_tasks(&self, feature: &str) -> Result<(Arc<FeatureDocument>, String), UnknownItem> {
        let found = self.features.get(feature);
        let missing = || UnknownItem::NoFeature(format!("{FEATURES}/{feature}"));
        let (path, tasks) = found.ok_or_else(missing)?;
        Ok((Arc::clone(tasks), (*path).to_owned()))
    }

    fn find_plan_item(&self, word: &str, _name: &str) -> Result<ExternalStatus, UnknownItem> {
        Err(UnknownItem::NotInCommit(word.to_owned()))
    }

    fn find_ticket(&self, code: &TicketCode) -> Result<Arc<Ticket>, UnknownItem> {
        let files = self.tickets.map_or(&[][..], |tickets| tickets.files(code));
        let ticket = files.first().ok_or(UnknownItem::Missing("ticket"))?;
        Ok(Arc::clone(ticket))
    }
}

/// Which files of a commit are read; all paths are those from the workspace's folder.
struct RevisionPaths {
    /// The folder of tickets, with `/` at its end.
    tickets: String,
    /// The places of other formats.
    layouts: Vec<PlanLayout>,
}

impl RevisionPaths {
    /// Those of a folder whose own file names a folder of tickets or not.
    fn of(tickets: Option<String>) -> Self {
        let folder = tickets.unwrap_or_else(|| TICKETS.to_owned());
        Self {
            tickets: format!("{folder}/"),
            layouts: Vec::new(),
        }
    }

    /// Returns true if files below a folder may be read.
    fn enters(&self, folder: &str) -> bool {
        let inside = format!("{folder}/");
        let of_specs = [SPECS, ARCHIVE].iter().any(|place| {
            let place = format!("{place}/");
            let below = inside.strip_prefix(&place);
            place.starts_with(&inside) || below.is_some_and(|below| !is_hidden(below))
        });
        let depth = folder.split('/').count();
        of_specs
            || self.layouts.iter().any(|layout| layout.enters(folder))
            || self.tickets.starts_with(&inside)
            || (!is_hidden(folder) && depth < DEPTH)
    }

    /// Returns the kind of a file; `None` for one that says nothing.
    fn sort(&self, path: &str) -> Option<RevisionFileKind> {
        let is_document = || self.layouts.iter().any(|layout| layout.is_document(path));
        let own = self.sort_own(path);
        own.or_else(|| is_document().then_some(RevisionFileKind::Document))
    }

    fn sort_own(&self, path: &str) -> Option<RevisionFileKind> {
        let below = |folder: &str| {
            let below = path.strip_prefix(folder)?.strip_prefix('/')?;
            (has_ending(below, "md") && !is_hidden(below)).then_some(())
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        if below(SPECS).is_some() {
            return Some(RevisionFileKind::Spec);
        }
        if below(ARCHIVE).is_some() {
            return Some(RevisionFileKind::Archived);
        }
        let ticket = path.strip_prefix(&self.tickets);
        if ticket
            .is_some_and(|rest| !rest.contains('/') && has_ending(rest, "md") && !is_hidden(rest))
        {
            return Some(RevisionFileKind::Ticket);
        }
        if IGNORING.contains(&name) {
            return Some(RevisionFileKind::Ignoring);
        }
        let depth = path.split('/').count();
        if is_hidden(path) || depth > DEPTH {
            return None;
        }
        if has_ending(name, "vine") {
            return Some(RevisionFileKind::Plan);
        }
        let in_features = path
            .strip_prefix(FEATURES)
            .is_some_and(|rest| rest.starts_with('/'));
        (in_features && depth == 3 && name == TASKS).then_some(RevisionFileKind::Tasks)
    }
}

/// Returns true if a file's name has an ending, in small letters as everywhere else.
pub(super) fn has_ending(path: &str, ending: &str) -> bool {
    Path::new(path).extension().is_some_and(|own| own == ending)
}

fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.'))
}

/// The name of the feature whose tasks lie at a path.
fn label(path: &str) -> &str {
    path.split('/').nth(1).unwrap_or(path)
}

fn said(sort: RevisionFileKind, path: &str, bytes: Vec<u8>) -> RevisionFile {
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("it is not UTF-8 text (first at byte {at}); save it as UTF-8")
    });
    let source = |text: Result<String, String>| match text {
        Ok(text) => FileSource::Text(text),
        Err(why) => FileSource::Unreadable(why),
    };
    match sort {
        RevisionFileKind::Document => RevisionFile::Document(text),
        RevisionFileKind::Spec => RevisionFile::Spec(specs::document(path, source(text))),
        RevisionFileKind::Archived => {
            let spec = specs::document(path, source(text));
            RevisionFile::Archived(spec.ok().map(|spec| spec.status))
        }
        RevisionFileKind::Plan => RevisionFile::Plan(text.and_then(|text| {
            let graph = VineDocument::read(text).map_err(|error| error.to_string())?;
            Ok(Arc::new(graph))
        })),
        RevisionFileKind::Tasks => {
            RevisionFile::Tasks(text.map(|text| Arc::new(FeatureDocument::read(path, text))))
        }
        RevisionFileKind::Ticket => RevisionFile::Ticket(tickets::document(path, source(text))),
        RevisionFileKind::Ignoring => RevisionFile::Ignoring(text.unwrap_or_default()),
    }
}

fn change<T>(path: String, document: T) -> DocumentChange<T> {
    DocumentChange {
        path: path.into(),
        document: Some(document),
    }
}

fn problem(path: &str, message: String) -> DocumentProblem {
    DocumentProblem::new(path, message)
}
