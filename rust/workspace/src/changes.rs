//! Changes among the items, for those who wait for them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Workspace;
use super::feature::{FeaturePart, FeatureTasks};
use super::item::Item;
use super::workspace_graph::{ItemSource, WorkspaceGraph};
use chant_base::error::Error;
use chant_specs::project::SPECS;
use chant_store::changes::FolderWatch;
use chant_store::disk;

/// After so long it is looked even where nothing was announced: a folder may be new.
const AGAIN: Duration = Duration::from_secs(1);

/// The differences of items since the last look, by their keys.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ItemDifference {
    /// Those that are new.
    pub added: Vec<String>,
    /// Those that say something else, or whose state or readiness is another because of others.
    pub changed: Vec<String>,
    /// Those that are gone.
    pub removed: Vec<String>,
}

impl ItemDifference {
    fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

/// An item as it was.
struct ItemFingerprint {
    source: ItemSource,
    status: Box<str>,
    is_ready: bool,
}

impl ItemFingerprint {
    fn of(item: &Item<'_>) -> Self {
        Self {
            source: item.source.clone(),
            status: item.status().into(),
            is_ready: item.is_ready(),
        }
    }

    fn is(&self, other: &Self) -> bool {
        self.status == other.status
            && self.is_ready == other.is_ready
            && says_the_same(&self.source, &other.source)
    }
}

fn says_the_same(one: &ItemSource, other: &ItemSource) -> bool {
    match (one, other) {
        (ItemSource::Spec(one), ItemSource::Spec(other)) => Arc::ptr_eq(one, other) || one == other,
        (ItemSource::Task { task, .. }, ItemSource::Task { task: other, .. }) => {
            Arc::ptr_eq(task, other) || task == other
        }
        (ItemSource::Feature(one, part), ItemSource::Feature(other, place)) => {
            Arc::ptr_eq(one, other) || is_same_task(one, *part, other, *place)
        }
        (ItemSource::Ticket(_, one), ItemSource::Ticket(_, other)) => {
            Arc::ptr_eq(one, other) || one == other
        }
        (
            ItemSource::Spec(_)
            | ItemSource::Task { .. }
            | ItemSource::Feature(..)
            | ItemSource::Ticket(..),
            _,
        ) => false,
    }
}

/// Returns true if a task says the same, wherever it stands in its list.
fn is_same_task(
    one: &FeatureTasks,
    part: FeaturePart,
    other: &FeatureTasks,
    place: FeaturePart,
) -> bool {
    let (FeaturePart::Task(at), FeaturePart::Task(place)) = (part, place) else {
        return false;
    };
    says(one, at) == says(other, place)
}

/// All that a task says but the lines that it stands on.
fn says(tasks: &FeatureTasks, at: usize) -> impl PartialEq + '_ {
    let task = tasks.task(at);
    let phase = tasks.phase_of(FeaturePart::Task(at));
    let whole = task.parent.map(|whole| &tasks.task(whole).id);
    let words = (&task.description, &task.criteria, &task.paths);
    let brackets = (task.is_parallel, &task.stories, &task.labels);
    let place = (
        phase.map(|phase| (&phase.title, &phase.priority)),
        &task.group,
        whole,
    );
    (task.mark, words, brackets, place)
}

/// Waits for changes of the items of a workspace.
pub struct ItemChanges {
    watch: FolderWatch,
    /// The folders that are listened to.
    folders: BTreeSet<String>,
    /// Those that are not there yet.
    missing: BTreeSet<String>,
    seen: BTreeMap<String, ItemFingerprint>,
    /// Of which moment that is.
    version: Option<u64>,
}

impl ItemChanges {
    /// Begins with what is true now.
    ///
    /// # Errors
    /// As [`Workspace::snapshot`].
    pub fn begin(workspace: &Workspace) -> Result<Self, Error> {
        let mut changes = Self {
            watch: FolderWatch::start(workspace.root()),
            folders: BTreeSet::new(),
            missing: ["", SPECS].map(str::to_owned).into(),
            seen: BTreeMap::new(),
            version: None,
        };
        changes.look(workspace)?;
        Ok(changes)
    }

    /// Waits until something is another, at most so long; what that is.
    ///
    /// # Errors
    /// As [`Workspace::snapshot`].
    pub fn wait(
        &mut self,
        workspace: &Workspace,
        most: Duration,
    ) -> Result<Option<ItemDifference>, Error> {
        let deadline = Instant::now() + most;
        loop {
            let difference = self.look(workspace)?;
            if !difference.is_empty() {
                return Ok(Some(difference));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            self.watch.wait(left.min(AGAIN));
        }
    }

    fn look(&mut self, workspace: &Workspace) -> Result<ItemDifference, Error> {
        let mut joined = workspace.snapshot()?;
        while self.listen(workspace.root(), &joined) {
            // What came in between was not announced.
            joined = workspace.snapshot()?;
        }
        if self.version == Some(joined.version()) {
            return Ok(ItemDifference::default());
        }
        let now = joined
            .items()
            .map(|item| (item.key().to_owned(), ItemFingerprint::of(&item)));
        let now: BTreeMap<String, ItemFingerprint> = now.collect();
        let mut difference = ItemDifference::default();
        for (key, print) in &now {
            match self.seen.get(key) {
                None => difference.added.push(key.clone()),
                Some(before) if !before.is(print) => difference.changed.push(key.clone()),
                Some(_) => {}
            }
        }
        let gone = self.seen.keys().filter(|key| !now.contains_key(*key));
        difference.removed = gone.cloned().collect();
        self.seen = now;
        self.version = Some(joined.version());
        Ok(difference)
    }

    /// Listens to the folders that hold items, too; whether some are new.
    fn listen(&mut self, root: &Path, joined: &WorkspaceGraph) -> bool {
        let parent = |path: &str| {
            path.rsplit_once('/')
                .map_or("", |(folder, _)| folder)
                .to_owned()
        };
        if self.version != Some(joined.version()) {
            let wanted = joined.items().map(|item| parent(item.path()));
            let wanted = wanted.filter(|folder| !self.folders.contains(folder));
            self.missing.extend(wanted);
        }
        let before = self.folders.len();
        for folder in std::mem::take(&mut self.missing) {
            let place = root.join(&folder);
            if disk::stamp(&place).is_some() {
                self.watch.add(&place, &folder);
                self.folders.insert(folder);
            } else {
                self.missing.insert(folder);
            }
        }
        self.folders.len() > before
    }
}
