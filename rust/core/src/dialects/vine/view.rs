//! The shapes of answers, key by key in the order of reference vine 5.

use serde::{Serialize, Serializer, ser::SerializeMap};

use super::frontier::{Frontier, Plan, Progress};
use super::model::{Attachment, Graph, Node, Status, Work};

/// A node with everything it says.
#[derive(Debug, Serialize)]
pub struct NodeView<'a> {
    id: &'a str,
    kind: &'static str,
    #[serde(rename = "shortName")]
    short_name: &'a str,
    description: &'a str,
    dependencies: &'a [Box<str>],
    decisions: &'a [Box<str>],
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attachments: Option<Vec<AttachmentView<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vine: Option<&'a str>,
    /// Keys with their values, where there are any (reference vine W12).
    #[serde(skip_serializing_if = "Annotations::is_empty")]
    annotations: Annotations<'a>,
}

/// Something outside that belongs to a task.
#[derive(Debug, Serialize)]
pub struct AttachmentView<'a> {
    class: &'static str,
    mime: &'a str,
    uri: &'a str,
}

impl<'a> From<&'a Attachment> for AttachmentView<'a> {
    fn from(attachment: &'a Attachment) -> Self {
        Self {
            class: attachment.class.as_str(),
            mime: &attachment.mime,
            uri: &attachment.uri,
        }
    }
}

/// Annotations as a map in the order of the file.
#[derive(Debug)]
struct Annotations<'a>(&'a [(Box<str>, Vec<Box<str>>)]);

impl Annotations<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Annotations<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, values) in self.0 {
            map.serialize_entry(key, values)?;
        }
        map.end()
    }
}

fn kind(node: &Node) -> &'static str {
    match node.work {
        Work::Task { .. } => "task",
        Work::Ref { .. } => "ref",
    }
}

fn attachments(node: &Node) -> Option<Vec<AttachmentView<'_>>> {
    let Work::Task { attachments, .. } = &node.work else {
        return None;
    };
    Some(attachments.iter().map(AttachmentView::from).collect())
}

fn vine(node: &Node) -> Option<&str> {
    match &node.work {
        Work::Task { .. } => None,
        Work::Ref { vine } => Some(vine),
    }
}

impl<'a> From<&'a Node> for NodeView<'a> {
    fn from(node: &'a Node) -> Self {
        Self {
            id: &node.id,
            kind: kind(node),
            short_name: &node.name,
            description: &node.description,
            dependencies: &node.dependencies,
            decisions: &node.decisions,
            status: node.status().map(Status::as_str),
            attachments: attachments(node),
            vine: vine(node),
            annotations: Annotations(&node.annotations),
        }
    }
}

/// A node in few words.
#[derive(Debug, Serialize)]
pub struct Brief<'a> {
    id: &'a str,
    #[serde(rename = "shortName")]
    short_name: &'a str,
}

impl<'a> From<&'a Node> for Brief<'a> {
    fn from(node: &'a Node) -> Self {
        Self {
            id: &node.id,
            short_name: &node.name,
        }
    }
}

/// A reference that stands for another file.
#[derive(Debug, Serialize)]
pub struct RefView<'a> {
    id: &'a str,
    #[serde(rename = "shortName")]
    short_name: &'a str,
    vine: &'a str,
    dependencies: &'a [Box<str>],
}

impl<'a> From<&'a Node> for RefView<'a> {
    fn from(node: &'a Node) -> Self {
        Self {
            id: &node.id,
            short_name: &node.name,
            vine: vine(node).unwrap_or_default(),
            dependencies: &node.dependencies,
        }
    }
}

/// What a task builds on.
#[derive(Debug, Serialize)]
pub struct DependencyView<'a> {
    id: &'a str,
    #[serde(rename = "shortName")]
    short_name: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    vine: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    decisions: &'a [Box<str>],
    #[serde(skip_serializing_if = "Option::is_none")]
    attachments: Option<Vec<AttachmentView<'a>>>,
}

impl<'a> From<&'a Node> for DependencyView<'a> {
    fn from(node: &'a Node) -> Self {
        Self {
            id: &node.id,
            short_name: &node.name,
            kind: kind(node),
            vine: vine(node),
            status: node.status().map(Status::as_str),
            decisions: &node.decisions,
            attachments: attachments(node),
        }
    }
}

/// Who builds on a task.
#[derive(Debug, Serialize)]
pub struct DependantView<'a> {
    id: &'a str,
    #[serde(rename = "shortName")]
    short_name: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
}

/// A node with what it builds on and who builds on it; the latter not for a claimed one.
#[derive(Debug, Serialize)]
pub struct ContextView<'a> {
    #[serde(flatten)]
    node: NodeView<'a>,
    resolved_dependencies: Vec<DependencyView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dependant_tasks: Option<Vec<DependantView<'a>>>,
}

impl<'a> ContextView<'a> {
    /// A claimed task with what it builds on.
    pub fn of_claimed(node: &'a Node, graph: &'a Graph) -> Self {
        let dependencies = node.dependencies.iter().filter_map(|id| graph.find(id));
        Self {
            node: node.into(),
            resolved_dependencies: dependencies.map(Into::into).collect(),
            dependant_tasks: None,
        }
    }

    /// A node with everything around it.
    pub fn of(node: &'a Node, plan: &Plan<'a>) -> Self {
        let dependant = |node: &'a Node| DependantView {
            id: &node.id,
            short_name: &node.name,
            kind: kind(node),
            status: node.status().map(Status::as_str),
        };
        Self {
            dependant_tasks: Some(plan.dependants(node).map(dependant).collect()),
            ..Self::of_claimed(node, plan.graph)
        }
    }
}

/// How far a graph is.
#[derive(Debug, Serialize)]
pub struct ProgressView<'a> {
    total: usize,
    complete: usize,
    percentage: usize,
    ready_count: usize,
    root_id: &'a str,
    root_status: &'static str,
    by_status: ByStatus,
}

/// Tasks by status, in the order of answers.
#[derive(Debug, Serialize)]
struct ByStatus {
    complete: usize,
    notstarted: usize,
    planning: usize,
    blocked: usize,
    started: usize,
    reviewing: usize,
}

impl<'a> ProgressView<'a> {
    /// Counts a graph.
    pub fn of(graph: &'a Graph, frontier: &Frontier<'a>) -> Self {
        let progress = Progress::of(graph);
        let count = |status: Status| progress.by_status[status as usize];
        let root = graph.nodes.first();
        Self {
            total: progress.total,
            complete: progress.complete(),
            percentage: progress.percentage(),
            ready_count: frontier.ready_to_start.len(),
            root_id: root.map_or("", |root| &root.id),
            root_status: root.and_then(Node::status).map_or("ref", Status::as_str),
            by_status: ByStatus {
                complete: count(Status::Complete),
                notstarted: count(Status::NotStarted),
                planning: count(Status::Planning),
                blocked: count(Status::Blocked),
                started: count(Status::Started),
                reviewing: count(Status::Reviewing),
            },
        }
    }
}

/// The answer of `vine_next`.
#[derive(Debug, Serialize)]
pub struct NextView<'a> {
    ready_to_start: Vec<NodeView<'a>>,
    ready_to_complete: Vec<NodeView<'a>>,
    needs_expansion: Vec<RefView<'a>>,
    blocked: Vec<NodeView<'a>>,
    progress: ProgressView<'a>,
    /// Tasks that somebody works on (reference vine W6).
    in_progress: Vec<NodeView<'a>>,
}

impl<'a> NextView<'a> {
    /// What can be acted on now.
    pub fn of(plan: &Plan<'a>) -> Self {
        let frontier = plan.frontier();
        Self {
            progress: ProgressView::of(plan.graph, &frontier),
            ready_to_start: views(&frontier.ready_to_start),
            ready_to_complete: views(&frontier.ready_to_complete),
            needs_expansion: views(&frontier.needs_expansion),
            blocked: views(&frontier.blocked),
            in_progress: views(&frontier.in_progress),
        }
    }
}

/// The answer of `vine_write`.
#[derive(Debug, Serialize)]
pub struct WrittenView<'a> {
    summary: String,
    progress: ProgressView<'a>,
    ready_to_start: Vec<NodeView<'a>>,
    ready_to_complete: Vec<NodeView<'a>>,
    blocked: Vec<NodeView<'a>>,
    needs_expansion: Vec<RefView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed: Option<Vec<ContextView<'a>>>,
}

impl<'a> WrittenView<'a> {
    /// The graph after operations: what each did in a phrase, and the tasks that were claimed.
    pub fn of(plan: &Plan<'a>, phrases: &[String], claimed: &[&str]) -> Self {
        let frontier = plan.frontier();
        let nodes = claimed.iter().filter_map(|id| plan.graph.find(id));
        let claimed = nodes.map(|node| ContextView::of_claimed(node, plan.graph));
        let claimed: Vec<_> = claimed.collect();
        Self {
            summary: format!(
                "{} operation(s) applied: {}.",
                phrases.len(),
                phrases.join("; ")
            ),
            progress: ProgressView::of(plan.graph, &frontier),
            ready_to_start: views(&frontier.ready_to_start),
            ready_to_complete: views(&frontier.ready_to_complete),
            blocked: views(&frontier.blocked),
            needs_expansion: views(&frontier.needs_expansion),
            claimed: (!claimed.is_empty()).then_some(claimed),
        }
    }
}

/// Nodes as an answer shows them.
pub fn views<'a, T: From<&'a Node>>(nodes: &[&'a Node]) -> Vec<T> {
    nodes.iter().map(|node| T::from(node)).collect()
}

/// How a graph stands, in words (reference vine 5.1).
pub fn summary(graph: &Graph) -> String {
    let progress = Progress::of(graph);
    let leaves = graph
        .nodes
        .iter()
        .filter(|node| node.dependencies.is_empty());
    let (name, id) = graph
        .nodes
        .first()
        .map_or(("", ""), |root| (&*root.name, &*root.id));
    let mut text = format!(
        "Root: {name} ({id})\nTotal tasks: {}\nLeaf tasks: {}\n\nStatus breakdown:",
        progress.total,
        leaves.count()
    );
    for status in Status::ALL {
        let count = progress.by_status[status as usize];
        text.push_str(&format!("\n  {}: {count}", status.as_str()));
    }
    text
}
