//! The projects of open documents, each with handles of its own that read what the editor holds.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;
use std::time::Duration;

use chant_base::error::Error;
use chant_store::changes::StopSignal;
use chant_store::disk::{self, UnsavedTexts};
use chant_workspace::changes::{ChangeInterest, ItemChanges};
use chant_workspace::{Workspace, formats};

use super::incoming::ServerEvent;

/// Opens the project of a folder to be read alone, with the texts that are read in place of files.
pub type ProjectOpener = dyn Fn(&Path, &UnsavedTexts) -> Result<Workspace, Error> + Send + Sync;

/// The longest wait for a change on disk before it is looked whether to go on.
const LOOK: Duration = Duration::from_secs(600);

/// The folder of specs.
const SPECS: &str = ".chant/specs/";

/// The kind of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocumentKind {
    /// A spec.
    Spec,
    /// A task graph.
    Graph,
    /// A document of a feature.
    Feature,
    /// A ticket.
    Ticket,
    /// A document of a format that comes through the interface, by its word.
    Plan(&'static str),
    /// Configuration.
    Configuration,
}

/// Where a document lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentPlace {
    /// Its project, by its number.
    pub(crate) project: usize,
    /// Its path from the project's root, with `/`.
    pub(crate) path: String,
    /// Its kind.
    pub(crate) kind: DocumentKind,
}

/// A project that is open.
pub(crate) struct OpenProject {
    /// All of its formats, with what the editor holds in place of files.
    pub(crate) workspace: Arc<Workspace>,
    /// The texts that the editor holds.
    pub(crate) unsaved: UnsavedTexts,
    /// The thread that hears of changes on disk.
    watcher: Option<JoinHandle<()>>,
}

impl OpenProject {
    /// The kind of the document at a path; `None` for one that is of no plan.
    fn kind_of(&self, path: &str) -> Option<DocumentKind> {
        let is_markdown = Path::new(path)
            .extension()
            .is_some_and(|ending| ending == "md");
        if path.starts_with(SPECS) && is_markdown {
            return Some(DocumentKind::Spec);
        }
        if Path::new(path)
            .extension()
            .is_some_and(|ending| ending == formats::GRAPH_WORD)
        {
            return Some(DocumentKind::Graph);
        }
        if is_markdown && self.workspace.holds_tickets(path) {
            return Some(DocumentKind::Ticket);
        }
        let joined = self.workspace.snapshot().ok()?;
        let mut roots = joined.formats();
        if let Some(root) = roots.find(|root| root.format.is_document(&root.settings, path)) {
            return Some(DocumentKind::Plan(root.format.scope().word));
        }
        let mut parts = path.split('/');
        if is_markdown && parts.next() == Some("specs") && parts.count() >= 2 {
            return Some(DocumentKind::Feature);
        }
        let files = self.workspace.configuration_files();
        let is_configuration = files.iter().any(|file| file.path == path);
        is_configuration.then_some(DocumentKind::Configuration)
    }
}

/// All projects that are open.
pub(crate) struct OpenProjects {
    opener: Arc<ProjectOpener>,
    heard: Sender<ServerEvent>,
    signal: Arc<StopSignal>,
    all: Vec<OpenProject>,
}

impl OpenProjects {
    /// No project yet; changes on disk are heard of through `heard`.
    pub(crate) fn new(opener: Arc<ProjectOpener>, heard: Sender<ServerEvent>) -> Self {
        Self {
            opener,
            heard,
            signal: Arc::default(),
            all: Vec::new(),
        }
    }

    /// The project with a number.
    pub(crate) fn get(&self, number: usize) -> &OpenProject {
        &self.all[number]
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[OpenProject] {
        &self.all
    }

    /// Finds out where a file lies, whose folder is a real one; its project is opened if it is not yet.
    pub(crate) fn place(&mut self, file: &Path) -> Option<DocumentPlace> {
        let root = root_of(file)?;
        let mut all = self.all.iter();
        let known = all.position(|open| open.workspace.root() == root);
        let project = match known {
            Some(project) => project,
            None => self.open(&root)?,
        };
        let open = &self.all[project];
        let below = file.strip_prefix(open.workspace.root()).ok()?;
        let path = below.to_str()?.replace('\\', "/");
        let kind = open.kind_of(&path)?;
        Some(DocumentPlace {
            project,
            path,
            kind,
        })
    }

    fn open(&mut self, root: &Path) -> Option<usize> {
        let unsaved = UnsavedTexts::default();
        let workspace = Arc::new((self.opener)(root, &unsaved).ok()?);
        let watcher = {
            let (workspace, signal) = (Arc::clone(&workspace), Arc::clone(&self.signal));
            let heard = self.heard.clone();
            let listen = move || listen(&workspace, &signal, &heard);
            std::thread::Builder::new().spawn(listen).ok()
        };
        self.all.push(OpenProject {
            workspace,
            unsaved,
            watcher,
        });
        Some(self.all.len() - 1)
    }
}

impl Drop for OpenProjects {
    fn drop(&mut self) {
        self.signal.stop();
        for project in &mut self.all {
            if let Some(watcher) = project.watcher.take() {
                // What a thread died of was reported there; nothing is left to do for it.
                let _ = watcher.join();
            }
        }
    }
}

/// Tells of changes on disk until the signal comes, or nobody hears it.
fn listen(workspace: &Workspace, signal: &StopSignal, heard: &Sender<ServerEvent>) {
    let Ok(mut changes) = ItemChanges::begin(workspace) else {
        return;
    };
    // What changed until now was not announced.
    if heard.send(ServerEvent::Disk).is_err() {
        return;
    }
    while !signal.is_stopped() {
        match changes.wait(workspace, LOOK, ChangeInterest::Surroundings, signal) {
            Ok(None) => {}
            Ok(Some(_)) => {
                if heard.send(ServerEvent::Disk).is_err() {
                    return;
                }
            }
            Err(_) => signal.pause(Duration::from_secs(1)),
        }
    }
}

/// The root of the project of a file: the nearest folder upwards with a marker of a format with tools of its own, else
/// of another format; for a task graph, which needs no marker, the top of the checkout, else its folder.
fn root_of(file: &Path) -> Option<PathBuf> {
    let rows = formats::rows();
    let holds = |folder: &Path, own_tools: bool| {
        let mut markers = rows
            .iter()
            .filter(|row| row.own_tools == own_tools)
            .flat_map(|row| &row.markers)
            .filter(|marker| !marker.contains('*'));
        markers.any(|marker| disk::exists(&folder.join(marker)))
    };
    let mut with_plans = None;
    let mut top = None;
    for folder in file.ancestors().skip(1) {
        if holds(folder, true) {
            return Some(folder.to_owned());
        }
        if with_plans.is_none() && holds(folder, false) {
            with_plans = Some(folder.to_owned());
        }
        // What lies above the checkout is another project.
        if disk::exists(&folder.join(".git")) {
            top = Some(folder.to_owned());
            break;
        }
    }
    with_plans.or_else(|| without_marker(file, top))
}

/// The root of a file that shows by its own name that it is of a plan.
fn without_marker(file: &Path, top: Option<PathBuf>) -> Option<PathBuf> {
    if file
        .extension()
        .is_some_and(|ending| ending == formats::GRAPH_WORD)
    {
        return top.or_else(|| file.parent().map(Path::to_owned));
    }
    let mut above = file.ancestors().skip(2);
    let specs = above.find(|folder| folder.file_name().is_some_and(|name| name == "specs"))?;
    let is_feature = file
        .ancestors()
        .skip(1)
        .take_while(|folder| *folder != specs)
        .any(|folder| disk::is_file(&folder.join("tasks.md")));
    is_feature.then(|| specs.parent().map(Path::to_owned))?
}
