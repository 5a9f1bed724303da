//! Changes among the items, for those who wait for them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::Workspace;
use super::change_feed::{ChangeCursor, ChangeKind, ChangeReport, ItemChange};
use chant_base::error::Error;
use chant_specs::project::SPECS;
use chant_store::changes::{FolderWatch, StopSignal};
use chant_store::disk::{self, FileStamp};

/// After so long it is looked even where nothing was announced: a folder may be new.
const AGAIN: Duration = Duration::from_secs(1);

/// A look where nothing was announced takes at most one part in so many of the time.
const IDLE_PARTS: u32 = 200;

/// A look at what was announced is followed by so many times its own length of rest.
const BUSY_PARTS: u32 = 4;

/// As [`BUSY_PARTS`], where nothing is announced and every look compares all stamps.
const UNANNOUNCED_PARTS: u32 = 10;

/// Folders that are listened to at most; what lies in others is seen at the next look.
const MAX_FOLDERS: usize = 4_000;

/// Folders whose entries say which formats a project has.
const MARKERS: [&str; 4] = ["", ".chant", "docs", "specs"];

/// The differences of items since the last look.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ItemDifference {
    /// The items, one change for each.
    pub changes: Vec<ItemChange>,
    /// More changed than is remembered: everything has to be looked at.
    pub is_reset: bool,
    /// The problems of files are others, a folder that says which formats there are has other entries, or a file
    /// is another one of which an editor holds a text.
    pub is_around: bool,
}

impl ItemDifference {
    /// The keys of the items that became so, sorted.
    pub fn keys(&self, kind: ChangeKind) -> Vec<&str> {
        let of_kind = self.changes.iter().filter(|change| change.kind == kind);
        let mut keys: Vec<&str> = of_kind.map(|change| &*change.key).collect();
        keys.sort_unstable();
        keys
    }
}

/// The differences that end a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeInterest {
    /// Those of items.
    Items,
    /// Also those around them.
    Surroundings,
}

/// Waits for changes of the items of a workspace: a reader of its feed, woken by the system.
pub struct ItemChanges {
    watch: FolderWatch,
    /// The folders that are listened to.
    folders: BTreeSet<String>,
    /// Those that are not there yet.
    missing: BTreeSet<String>,
    cursor: ChangeCursor,
    seen: SurroundingsStamp,
}

/// The state of what lies around the items: the version of the graph, problems included, the entries of [`MARKERS`],
/// and files that an editor's texts hide.
struct SurroundingsStamp {
    version: u64,
    markers: [Option<FileStamp>; 4],
    /// Files of which an editor holds another text.
    held: Vec<(PathBuf, Option<FileStamp>)>,
}

impl SurroundingsStamp {
    fn of(workspace: &Workspace, version: u64) -> Self {
        let root = workspace.root();
        Self {
            version,
            held: workspace.parts.chant.disk.unsaved.files_below(),
            markers: MARKERS.map(|folder| disk::stamp(&root.join(folder))),
        }
    }
}

impl ItemChanges {
    /// Begins with what is true now.
    ///
    /// # Errors
    /// As [`Workspace::snapshot`].
    pub fn begin(workspace: &Workspace) -> Result<Self, Error> {
        let root = workspace.root();
        let report = workspace.changes_since(None)?;
        let mut changes = Self {
            watch: FolderWatch::start(root),
            folders: BTreeSet::new(),
            missing: ["", SPECS]
                .iter()
                .chain(&MARKERS)
                .map(ToString::to_string)
                .chain(workspace.watched_of_plans())
                .collect(),
            cursor: report.cursor,
            seen: SurroundingsStamp::of(workspace, report.joined.version()),
        };
        let items = report.joined.items();
        changes.want(items.map(|item| item.path().to_owned()));
        // What comes while the folders are added was not announced; the first wait begins with a look.
        changes.listen(workspace);
        Ok(changes)
    }

    /// The place of the last difference.
    pub fn cursor(&self) -> ChangeCursor {
        self.cursor
    }

    /// Waits until something is another, at most so long or until the signal comes; what that is.
    ///
    /// # Errors
    /// As [`Workspace::snapshot`].
    pub fn wait(
        &mut self,
        workspace: &Workspace,
        most: Duration,
        interest: ChangeInterest,
        signal: &StopSignal,
    ) -> Result<Option<ItemDifference>, Error> {
        let deadline = Instant::now() + most;
        loop {
            let started = Instant::now();
            let difference = self.look(workspace)?;
            let is_news = !difference.changes.is_empty() || difference.is_reset;
            if is_news || (difference.is_around && interest == ChangeInterest::Surroundings) {
                return Ok(Some(difference));
            }
            let cost = started.elapsed();
            let left = || deadline.saturating_duration_since(Instant::now());
            if left().is_zero() || signal.is_stopped() {
                return Ok(None);
            }
            let again = AGAIN.max(cost * IDLE_PARTS);
            self.watch.wait_unless_stopped(left().min(again), signal);
            // Where much is written that is no work file, we are not busy all the time.
            let parts = if self.watch.is_trusted() {
                BUSY_PARTS
            } else {
                UNANNOUNCED_PARTS
            };
            signal.pause(left().min(cost * parts));
        }
    }

    fn look(&mut self, workspace: &Workspace) -> Result<ItemDifference, Error> {
        let report = loop {
            let report = workspace.changes_since(Some(self.cursor))?;
            self.want_those_of(&report);
            if !self.listen(workspace) {
                break report;
            }
            // What came in between was not announced.
        };
        let now = SurroundingsStamp::of(workspace, report.joined.version());
        let is_reset = report.changes.is_none();
        let changes = report.changes.unwrap_or_default();
        // A version without other items is one with other problems.
        let has_problems = changes.is_empty() && now.version != self.seen.version;
        let is_around =
            has_problems || now.markers != self.seen.markers || now.held != self.seen.held;
        self.seen = now;
        self.cursor = report.cursor;
        Ok(ItemDifference {
            changes,
            is_reset,
            is_around,
        })
    }

    /// Wants to hear of the folders of what is new in a report.
    fn want_those_of(&mut self, report: &ChangeReport) {
        let joined = &report.joined;
        match &report.changes {
            None => self.want(joined.items().map(|item| item.path().to_owned())),
            Some(changes) => {
                let there = changes.iter().filter_map(|change| {
                    let item = joined.item(joined.graph().find(&change.key)?)?;
                    Some(item.path().to_owned())
                });
                self.want(there);
            }
        }
    }

    /// Wants to hear of the folders of these files.
    fn want(&mut self, paths: impl Iterator<Item = String>) {
        for path in paths {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            if !self.folders.contains(folder) {
                self.missing.insert(folder.to_owned());
            }
        }
    }

    /// Listens to the folders that are wanted and there, and to those in which there may be task graphs; whether
    /// some are new.
    fn listen(&mut self, workspace: &Workspace) -> bool {
        for folder in workspace.plan_folders().iter() {
            if !self.folders.contains(folder) {
                self.missing.insert(folder.clone());
            }
        }
        let before = self.folders.len();
        for folder in std::mem::take(&mut self.missing) {
            let place = workspace.root().join(&folder);
            if self.folders.len() < MAX_FOLDERS && disk::stamp(&place).is_some() {
                self.watch.add(&place, &folder);
                self.folders.insert(folder);
            } else if self.missing.len() < MAX_FOLDERS {
                self.missing.insert(folder);
            }
        }
        self.folders.len() > before
    }
}
