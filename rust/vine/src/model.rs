//! The model of a graph: nodes in the order of the file, the first one its root (reference vine 2).

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;
use strum::IntoStaticStr;

use super::by_id::NodePlaces;
use chant_base::external_items;

/// The annotation that names items of other dialects.
const NEEDS: &str = "needs";

/// The status of a task (reference vine 1.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum TaskStatus {
    /// Done and consumed.
    Complete,
    /// In progress.
    Started,
    /// Believed done; others may already build on it.
    Reviewing,
    /// Being planned.
    Planning,
    /// Planned, not started.
    NotStarted,
    /// Needs help from outside.
    Blocked,
}

impl TaskStatus {
    /// All of them, in the order in which answers and errors name them.
    pub const ALL: [Self; 6] = [
        Self::Complete,
        Self::Started,
        Self::Reviewing,
        Self::Planning,
        Self::NotStarted,
        Self::Blocked,
    ];

    /// As files spell it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns true if those that depend on it may begin.
    pub fn is_satisfied(self) -> bool {
        matches!(self, Self::Complete | Self::Reviewing)
    }
}

/// A word that is no status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Invalid status \"{word}\". Valid values: {}", TaskStatus::ALL.map(TaskStatus::as_str).join(", "))]
pub struct InvalidTaskStatus {
    /// The word.
    pub word: String,
}

impl FromStr for TaskStatus {
    type Err = InvalidTaskStatus;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|s| s.as_str() == word);
        known.ok_or_else(|| InvalidTaskStatus { word: word.into() })
    }
}

/// A version of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FormatVersion(pub u32, pub u32, pub u32);

impl FormatVersion {
    /// The newest one that is written.
    pub const NEWEST: Self = Self(1, 2, 0);
    /// The first one with references, IDs of several parts and prefixes.
    pub const WITH_REFS: Self = Self(1, 1, 0);
    /// The first one with annotations.
    pub const WITH_ANNOTATIONS: Self = Self(1, 2, 0);

    /// Returns true if a graph of this version may be written: all of its features are known.
    pub fn is_writable(self) -> bool {
        self.0 == 1 && self.1 <= Self::NEWEST.1
    }
}

impl fmt::Display for FormatVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// The purpose of an attachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum AttachmentClass {
    /// A product that a reviewer inspects.
    Artifact,
    /// A constraint or context that the work has to respect.
    Guidance,
    /// Anything else.
    File,
}

impl AttachmentClass {
    /// All of them, in the order in which they are written.
    pub const ALL: [Self; 3] = [Self::Artifact, Self::Guidance, Self::File];

    /// As files spell it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Something outside that belongs to a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// The purpose that it serves.
    pub class: AttachmentClass,
    /// Its MIME type.
    pub mime: Box<str>,
    /// Where it is; relative ones are meant relative to the graph's file.
    pub uri: Box<str>,
}

/// The task or reference that a node stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeContent {
    /// Something to be done.
    Task {
        /// The status of the task.
        status: TaskStatus,
        /// The attachments that belong to it, in the order of the file.
        attachments: Vec<Attachment>,
    },
    /// A graph in another file that is still to be put in its place.
    Ref {
        /// The path of that file.
        vine: Box<str>,
    },
}

/// One node of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VineNode {
    /// Its ID, unique in the graph.
    pub id: Box<str>,
    /// Its name.
    pub name: Box<str>,
    /// The description; lines joined by line feeds.
    pub description: String,
    /// IDs of what it depends on, in the order of the file.
    pub dependencies: Vec<Box<str>>,
    /// The decisions, in the order of the file.
    pub decisions: Vec<Box<str>>,
    /// Keys with their values; the last of a repeated key counts.
    pub annotations: Vec<(Box<str>, Vec<Box<str>>)>,
    /// Task or reference.
    pub work: NodeContent,
}

impl VineNode {
    /// Its status; none for a reference.
    pub fn status(&self) -> Option<TaskStatus> {
        match &self.work {
            NodeContent::Task { status, .. } => Some(*status),
            NodeContent::Ref { .. } => None,
        }
    }

    /// The items of other dialects that it waits for: what `@needs(…)` names by whole keys.
    pub fn needs(&self) -> impl Iterator<Item = &str> {
        let named = self.annotations.iter().rfind(|(key, _)| **key == *NEEDS);
        let values = named.map_or(&[][..], |(_, values)| values);
        let keys = values.iter().map(|value| &**value);
        keys.filter(|value| external_items::is_key(value))
    }

    /// Its status as a word; `ref` for a reference.
    pub fn standing(&self) -> &'static str {
        self.status().map_or("ref", TaskStatus::as_str)
    }
}

/// Where a node stands in the text of its graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeSpan {
    /// Bytes of its block, delimiters left out.
    pub block: Range<usize>,
    /// Bytes of its header without blanks around it.
    pub header: Range<usize>,
}

impl NodeSpan {
    /// The same place in a text of which everything before it became longer or shorter.
    pub(super) fn moved(&self, from: usize, to: usize) -> Self {
        let moved = |range: &Range<usize>| range.start + to - from..range.end + to - from;
        Self {
            block: moved(&self.block),
            header: moved(&self.header),
        }
    }
}

/// A graph as its file says; what it depends on may be unknown until it is validated. A copy shares
/// its nodes with the original until one of them is changed.
#[derive(Debug, Clone)]
pub struct Graph {
    /// The version of the format.
    pub version: FormatVersion,
    /// Its name.
    pub title: Option<Box<str>>,
    /// The prefix that its nodes' IDs get when it is put into another graph.
    pub prefix: Option<Box<str>>,
    /// The line between blocks.
    pub delimiter: Box<str>,
    /// Its nodes in the order of the file; the first one is the root.
    pub nodes: Vec<Arc<VineNode>>,
    /// Places in `nodes` by ID.
    pub(super) places: Arc<NodePlaces>,
    /// IDs that renamed nodes have in the text, by those they have now.
    pub(super) renamed: BTreeMap<Box<str>, Box<str>>,
}

impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        let words = |graph: &Self| (graph.version, graph.title.clone(), graph.prefix.clone());
        words(self) == words(other)
            && self.delimiter == other.delimiter
            && self.nodes == other.nodes
            && self.renamed == other.renamed
    }
}

impl Eq for Graph {}

impl Graph {
    /// A graph without nodes, which is not valid yet.
    pub fn empty(version: FormatVersion) -> Self {
        Self {
            version,
            title: None,
            prefix: None,
            delimiter: "---".into(),
            nodes: Vec::new(),
            places: Arc::default(),
            renamed: BTreeMap::new(),
        }
    }

    /// The node of an ID.
    pub fn find(&self, id: &str) -> Option<&VineNode> {
        Some(&self.nodes[self.position(id)?])
    }

    /// Where the node of an ID stands, counted from 0.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.places.find(&self.nodes, id)
    }

    /// Adds a node at the end; gives its ID back when that is taken.
    pub(super) fn push(&mut self, node: VineNode) -> Result<(), Box<str>> {
        let at = self.nodes.len();
        self.nodes.push(Arc::new(node));
        if Arc::make_mut(&mut self.places).insert(&self.nodes, at) {
            return Ok(());
        }
        Err(self.nodes.remove(at).id.clone())
    }

    /// Puts nodes in the place of some; false when two of all have one ID, and it is of no use then.
    pub(super) fn replace(&mut self, range: Range<usize>, nodes: Vec<Arc<VineNode>>) -> bool {
        let (old, new) = (&self.nodes[range.clone()], &nodes);
        let is_same = old.len() == new.len() && old.iter().zip(new).all(|(a, b)| a.id == b.id);
        if is_same {
            self.nodes.splice(range, nodes);
            return true;
        }
        let places = Arc::make_mut(&mut self.places);
        for node in old {
            places.remove(&self.nodes, &node.id);
        }
        let (count, end) = (nodes.len(), range.end);
        let start = range.start;
        self.nodes.splice(range, nodes);
        if start + count != end {
            places.moved(|place| {
                if place < end {
                    place
                } else {
                    place + start + count - end
                }
            });
        }
        (start..start + count).all(|place| places.insert(&self.nodes, place))
    }

    /// Makes it of a version that knows a feature.
    pub(super) fn raise_to(&mut self, version: FormatVersion) {
        self.version = self.version.max(version);
    }
}
