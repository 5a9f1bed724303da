//! The latest changes among the items of a workspace, with versions: the one place that boards, notifications
//! and answers about what is new read.
//!
//! A change costs a look at what it concerns: the items that the graph drew again, and those that wait for
//! them. Nothing is kept before the first question.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::str::FromStr;
use std::sync::Arc;

use super::Workspace;
use super::feature::{FeaturePart, FeatureTasks};
use super::item::Item;
use super::workspace_graph::{ItemSource, WorkspaceGraph};
use chant_base::answer::cut;
use chant_base::error::Error;
use chant_graph::Node;

/// Changes that are kept; who asks about earlier ones has to look at everything.
pub const MAX_CHANGES: usize = 4_096;

/// Characters of a state that are kept: states of documents may be any text.
const LONGEST_STATE: usize = 60;

/// What became of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It says something else, or its state or readiness is another because of others.
    Changed,
    /// It is gone.
    Removed,
}

impl ChangeKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Removed => "removed",
        }
    }
}

/// A change of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemChange {
    /// The key of the item.
    pub key: String,
    /// What became of it.
    pub kind: ChangeKind,
    /// Its state by now, in the word of its dialect; `None` for one that is gone.
    pub state: Option<Box<str>>,
    /// Its place among all changes.
    pub version: u64,
}

/// A place among the changes of one feed: written as `E-N`, its epoch and its version.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct ChangeCursor {
    /// Another for each feed, so for each process; 0 for none.
    pub epoch: u64,
    /// The number of changes before it.
    pub version: u64,
}

impl fmt::Display for ChangeCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}-{}", self.epoch, self.version)
    }
}

/// A text that is no cursor.
#[derive(Debug)]
pub struct InvalidCursor;

impl FromStr for ChangeCursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let (epoch, version) = text.trim().split_once('-').ok_or(InvalidCursor)?;
        Ok(Self {
            epoch: u64::from_str_radix(epoch, 16).map_err(|_| InvalidCursor)?,
            version: version.parse().map_err(|_| InvalidCursor)?,
        })
    }
}

/// The changes behind a cursor.
pub struct ChangeReport {
    /// All items as of then.
    pub joined: Arc<WorkspaceGraph>,
    /// The place behind the last change.
    pub cursor: ChangeCursor,
    /// The changes, one for each item, in the order of the last of each; `None` where the cursor is unknown or
    /// too old, so that everything has to be looked at.
    pub changes: Option<Vec<ItemChange>>,
}

impl Workspace {
    /// The changes since a cursor, or with none the place where the next ones begin. Costs what
    /// [`Workspace::snapshot`] does, and the changes; the first call a look at every item.
    ///
    /// # Errors
    /// As [`Workspace::snapshot`].
    pub fn changes_since(&self, cursor: Option<ChangeCursor>) -> Result<ChangeReport, Error> {
        let mut known = self.known();
        let joined = self.refresh(&mut known)?;
        known.feed.start(&joined);
        let place = known.feed.place();
        let changes = match cursor {
            Some(cursor) => known.feed.since(&joined, cursor),
            None => Some(Vec::new()),
        };
        Ok(ChangeReport {
            joined,
            cursor: place,
            changes,
        })
    }

    /// The folders in which task graphs are looked for, relative to the root; none where they are too many.
    pub(super) fn plan_folders(&self) -> Arc<[String]> {
        Arc::clone(&self.known().plans.folders)
    }
}

/// The ring of changes, and what items said at the last of them.
#[derive(Default)]
pub(super) struct ChangeFeed {
    /// 0 before the first question.
    epoch: u64,
    version: u64,
    recent: VecDeque<FeedEntry>,
    /// By the index of the item's node.
    prints: Vec<Option<ItemFingerprint>>,
}

/// A change as it is kept: keys are the graph's, which forgets none.
struct FeedEntry {
    node: Node,
    kind: ChangeKind,
    state: Option<Box<str>>,
}

impl ChangeFeed {
    /// Begins to keep changes; nothing where that was done before.
    fn start(&mut self, joined: &WorkspaceGraph) {
        if self.epoch != 0 {
            return;
        }
        self.epoch = (RandomState::new().hash_one(joined.version()) >> 32).max(1);
        self.prints.resize_with(joined.graph().len(), || None);
        for item in joined.items() {
            self.prints[item.node.index()] = Some(ItemFingerprint::of(&item));
        }
    }

    fn place(&self) -> ChangeCursor {
        ChangeCursor {
            epoch: self.epoch,
            version: self.version,
        }
    }

    /// Takes in what the last update of the graph drew again.
    pub(super) fn take_in(&mut self, joined: &WorkspaceGraph) {
        if self.epoch == 0 {
            return;
        }
        let graph = joined.graph();
        self.prints.resize_with(graph.len(), || None);
        let waiting = graph.waiting();
        let drawn = joined.redrawn.iter();
        let mut concerned: Vec<Node> = drawn.clone().copied().collect();
        concerned.extend(drawn.flat_map(|node| &waiting[node.index()]));
        concerned.sort_unstable();
        concerned.dedup();
        for node in concerned {
            let item = joined.item(node).filter(|item| !item.is_phase());
            let now = item.as_ref().map(ItemFingerprint::of);
            let before = &mut self.prints[node.index()];
            let kind = match (&before, &now) {
                (None, Some(_)) => ChangeKind::Added,
                (Some(_), None) => ChangeKind::Removed,
                (Some(before), Some(now)) if !before.is(now) => ChangeKind::Changed,
                (None, None) | (Some(_), Some(_)) => continue,
            };
            let state = now.as_ref().map(|print| cut(&print.status, LONGEST_STATE));
            *before = now;
            self.note(FeedEntry {
                node,
                kind,
                state: state.map(Into::into),
            });
        }
    }

    fn note(&mut self, entry: FeedEntry) {
        if self.recent.len() == MAX_CHANGES {
            self.recent.pop_front();
        }
        self.recent.push_back(entry);
        self.version += 1;
    }

    /// The changes behind a cursor, one for each item; `None` where they are not all known.
    fn since(&self, joined: &WorkspaceGraph, cursor: ChangeCursor) -> Option<Vec<ItemChange>> {
        let behind = self.version.checked_sub(cursor.version)?;
        let behind = usize::try_from(behind).ok()?;
        if cursor.epoch != self.epoch || behind > self.recent.len() {
            return None;
        }
        let mut of_items: BTreeMap<Node, (ChangeKind, u64, &FeedEntry)> = BTreeMap::new();
        let entries = self.recent.iter().skip(self.recent.len() - behind);
        for (version, entry) in (cursor.version + 1..).zip(entries) {
            let first = of_items.get(&entry.node).map(|(first, _, _)| *first);
            of_items.insert(entry.node, (first.unwrap_or(entry.kind), version, entry));
        }
        let merged = of_items.into_iter().filter_map(|(node, of_item)| {
            let (first, version, last) = of_item;
            Some(ItemChange {
                key: joined.graph().key(node).to_owned(),
                kind: merged(first, last.kind)?,
                state: last.state.clone(),
                version,
            })
        });
        let mut changes: Vec<ItemChange> = merged.collect();
        changes.sort_unstable_by_key(|change| change.version);
        Some(changes)
    }
}

/// Several changes of an item as one, of which these are the first and the last; `None` for one that came and
/// went.
fn merged(first: ChangeKind, last: ChangeKind) -> Option<ChangeKind> {
    let was_there = first != ChangeKind::Added;
    let is_there = last != ChangeKind::Removed;
    match (was_there, is_there) {
        (false, true) => Some(ChangeKind::Added),
        (true, true) => Some(ChangeKind::Changed),
        (true, false) => Some(ChangeKind::Removed),
        (false, false) => None,
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
        (ItemSource::Plan(one), ItemSource::Plan(other)) => {
            Arc::ptr_eq(one, other) || one.says_the_same(other)
        }
        (
            ItemSource::Spec(_)
            | ItemSource::Task { .. }
            | ItemSource::Feature(..)
            | ItemSource::Ticket(..)
            | ItemSource::Plan(_),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_an_item_become_one() {
        use ChangeKind::{Added, Changed, Removed};
        for (first, last, expected) in [
            (Added, Changed, Some(Added)),
            (Added, Removed, None),
            (Changed, Changed, Some(Changed)),
            (Changed, Removed, Some(Removed)),
            (Removed, Added, Some(Changed)),
            (Removed, Removed, Some(Removed)),
        ] {
            assert_eq!(merged(first, last), expected, "{first:?} {last:?}");
        }
    }

    #[test]
    fn the_ring_keeps_its_latest_changes_and_knows_which_cursors_it_can_serve() {
        let mut joined = WorkspaceGraph::default();
        let nodes: Vec<Node> = (0..3)
            .map(|at| joined.graph.intern(&format!("chant:{at}")))
            .collect();
        let mut feed = ChangeFeed::default();
        feed.start(&joined);
        let begin = feed.place();
        let at = |version| ChangeCursor { version, ..begin };
        assert_eq!(feed.since(&joined, begin), Some(Vec::new()));
        for turn in 0..MAX_CHANGES + 2 {
            feed.note(FeedEntry {
                node: nodes[turn % 3],
                kind: ChangeKind::Changed,
                state: Some("pending".into()),
            });
        }
        let last = feed.place();
        assert_eq!((last.version, feed.recent.len()), (4_098, MAX_CHANGES));
        assert_eq!(feed.since(&joined, at(1)), None, "too old");
        let all = feed.since(&joined, at(2)).unwrap();
        let keys: Vec<&str> = all.iter().map(|change| &*change.key).collect();
        assert_eq!(keys, ["chant:0", "chant:1", "chant:2"].map(|key| key));
        let latest = feed.since(&joined, at(4_097)).unwrap();
        assert_eq!((latest.len(), latest[0].version), (1, 4_098));
        assert_eq!(feed.since(&joined, at(4_099)), None, "not reached yet");
        let elsewhere = ChangeCursor {
            epoch: begin.epoch ^ 1,
            ..last
        };
        assert_eq!(feed.since(&joined, elsewhere), None, "another process");
        assert_eq!(last.to_string().parse::<ChangeCursor>().unwrap(), last);
        for text in ["", "x", "1-", "-1", "zz-1", "1-x", "1--1"] {
            assert!(text.parse::<ChangeCursor>().is_err(), "{text}");
        }
    }
}
