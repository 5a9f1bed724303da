//! The shapes of answers, key by key in the order of reference vine 5.

use serde::{Serialize, Serializer, ser::SerializeMap};

use super::frontier::GraphPlan;
use super::model::{Attachment, Graph, NodeContent, TaskStatus, VineNode};
use chant_base::answer::PageRequest;
use chant_base::counted_list::CountedList;
use chant_graph::picture::{FigureRow, GraphPicture, LeadDirection};

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
    #[serde(skip_serializing_if = "AnnotationsView::is_empty")]
    annotations: AnnotationsView<'a>,
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
struct AnnotationsView<'a>(&'a [(Box<str>, Vec<Box<str>>)]);

impl AnnotationsView<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for AnnotationsView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, values) in self.0 {
            map.serialize_entry(key, values)?;
        }
        map.end()
    }
}

fn kind(node: &VineNode) -> &'static str {
    match node.work {
        NodeContent::Task { .. } => "task",
        NodeContent::Ref { .. } => "ref",
    }
}

fn attachments(node: &VineNode) -> Option<Vec<AttachmentView<'_>>> {
    let NodeContent::Task { attachments, .. } = &node.work else {
        return None;
    };
    Some(attachments.iter().map(AttachmentView::from).collect())
}

fn vine(node: &VineNode) -> Option<&str> {
    match &node.work {
        NodeContent::Task { .. } => None,
        NodeContent::Ref { vine } => Some(vine),
    }
}

impl<'a> From<&'a VineNode> for NodeView<'a> {
    fn from(node: &'a VineNode) -> Self {
        Self {
            id: &node.id,
            kind: kind(node),
            short_name: &node.name,
            description: &node.description,
            dependencies: &node.dependencies,
            decisions: &node.decisions,
            status: node.status().map(TaskStatus::as_str),
            attachments: attachments(node),
            vine: vine(node),
            annotations: AnnotationsView(&node.annotations),
        }
    }
}

/// A node in few words.
#[derive(Debug, Serialize)]
pub struct NodeBrief<'a> {
    id: &'a str,
    #[serde(rename = "shortName")]
    short_name: &'a str,
}

impl<'a> From<&'a VineNode> for NodeBrief<'a> {
    fn from(node: &'a VineNode) -> Self {
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

impl<'a> From<&'a VineNode> for RefView<'a> {
    fn from(node: &'a VineNode) -> Self {
        Self {
            id: &node.id,
            short_name: &node.name,
            vine: vine(node).unwrap_or_default(),
            dependencies: &node.dependencies,
        }
    }
}

/// A node that a task builds on.
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

impl<'a> From<&'a VineNode> for DependencyView<'a> {
    fn from(node: &'a VineNode) -> Self {
        Self {
            id: &node.id,
            short_name: &node.name,
            kind: kind(node),
            vine: vine(node),
            status: node.status().map(TaskStatus::as_str),
            decisions: &node.decisions,
            attachments: attachments(node),
        }
    }
}

/// A node that builds on a task.
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
pub struct NodeContextView<'a> {
    #[serde(flatten)]
    node: NodeView<'a>,
    resolved_dependencies: Vec<DependencyView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dependant_tasks: Option<Vec<DependantView<'a>>>,
}

impl<'a> NodeContextView<'a> {
    /// A claimed task with what it builds on.
    pub fn of_claimed(node: &'a VineNode, plan: &'a GraphPlan) -> Self {
        let dependencies = node.dependencies.iter();
        let dependencies = dependencies.filter_map(|id| plan.graph.find(id));
        Self {
            node: node.into(),
            resolved_dependencies: dependencies.map(Into::into).collect(),
            dependant_tasks: None,
        }
    }

    /// A node with everything around it.
    pub fn of(node: &'a VineNode, plan: &'a GraphPlan) -> Self {
        let dependant = |node: &'a VineNode| DependantView {
            id: &node.id,
            short_name: &node.name,
            kind: kind(node),
            status: node.status().map(TaskStatus::as_str),
        };
        Self {
            dependant_tasks: Some(plan.dependants(&node.id).map(dependant).collect()),
            ..Self::of_claimed(node, plan)
        }
    }
}

/// The progress of a graph.
#[derive(Debug, Serialize)]
pub struct GraphProgressView<'a> {
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

impl<'a> GraphProgressView<'a> {
    /// Returns the progress of a plan.
    pub fn of(plan: &'a GraphPlan) -> Self {
        let (progress, root) = (&plan.progress, plan.root());
        let count = |status: TaskStatus| progress.by_status[status as usize];
        Self {
            total: progress.total,
            complete: progress.complete(),
            percentage: progress.percentage(),
            ready_count: plan.frontier.ready_to_start.len(),
            root_id: &root.id,
            root_status: root.standing(),
            by_status: ByStatus {
                complete: count(TaskStatus::Complete),
                notstarted: count(TaskStatus::NotStarted),
                planning: count(TaskStatus::Planning),
                blocked: count(TaskStatus::Blocked),
                started: count(TaskStatus::Started),
                reviewing: count(TaskStatus::Reviewing),
            },
        }
    }
}

/// The answer of `vine_next`; beside a list that is not all of it `<key>_total`.
#[derive(Debug, Serialize)]
pub struct FrontierView<'a> {
    #[serde(flatten)]
    ready_to_start: CountedList<NodeView<'a>>,
    #[serde(flatten)]
    ready_to_complete: CountedList<NodeView<'a>>,
    #[serde(flatten)]
    needs_expansion: CountedList<RefView<'a>>,
    #[serde(flatten)]
    blocked: CountedList<NodeView<'a>>,
    progress: GraphProgressView<'a>,
    /// Tasks that are being worked on (reference vine W6).
    #[serde(flatten)]
    in_progress: CountedList<NodeView<'a>>,
    /// Why nothing else is listed, where nothing is.
    #[serde(flatten)]
    waiting: CountedList<WaitingView<'a>>,
}

/// A node that waits for others.
#[derive(Debug, Serialize)]
struct WaitingView<'a> {
    id: &'a str,
    waits_for: Vec<&'a str>,
}

/// Why nothing can be acted on, where nothing can.
fn waiting(plan: &GraphPlan) -> impl Iterator<Item = WaitingView<'_>> {
    let waiting = plan.is_stuck().then(|| plan.waiting());
    waiting
        .into_iter()
        .flatten()
        .map(|(node, unmet)| WaitingView {
            id: &node.id,
            waits_for: unmet,
        })
}

impl<'a> FrontierView<'a> {
    /// Returns the nodes that can be acted on now.
    pub fn of(plan: &'a GraphPlan, page: PageRequest) -> Self {
        let frontier = &plan.frontier;
        let node = |at: &usize| &*plan.graph.nodes[*at];
        let waiting: Vec<_> = waiting(plan).collect();
        let total = waiting.len();
        let waiting = waiting.into_iter().skip(page.offset).take(page.limit);
        let nodes =
            |key, places: &[usize]| CountedList::page(key, places, page, |at| node(at).into());
        Self {
            ready_to_start: nodes("ready_to_start", &frontier.ready_to_start),
            ready_to_complete: nodes("ready_to_complete", &frontier.ready_to_complete),
            needs_expansion: CountedList::page(
                "needs_expansion",
                &frontier.needs_expansion,
                page,
                |at| node(at).into(),
            ),
            blocked: nodes("blocked", &frontier.blocked),
            progress: GraphProgressView::of(plan),
            in_progress: nodes("in_progress", &frontier.in_progress),
            waiting: CountedList::new("waiting", waiting.collect(), total).optional(),
        }
    }
}

/// The answer of `vine_write`; beside a list that is not all of it `<key>_total`.
#[derive(Debug, Serialize)]
pub struct WrittenView<'a> {
    summary: String,
    progress: GraphProgressView<'a>,
    #[serde(flatten)]
    ready_to_start: CountedList<NodeView<'a>>,
    #[serde(flatten)]
    ready_to_complete: CountedList<NodeView<'a>>,
    #[serde(flatten)]
    blocked: CountedList<NodeView<'a>>,
    #[serde(flatten)]
    needs_expansion: CountedList<RefView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed: Option<Vec<NodeContextView<'a>>>,
    /// The changes that a dry run would make, as a unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

impl<'a> WrittenView<'a> {
    /// The graph after operations: what they did in words, and the tasks that were claimed.
    pub fn of(
        plan: &'a GraphPlan,
        summary: String,
        claimed: &[&str],
        page: PageRequest,
        diff: Option<String>,
    ) -> Self {
        let next = FrontierView::of(plan, page);
        let nodes = claimed.iter().filter_map(|id| plan.graph.find(id));
        let claimed = nodes.map(|node| NodeContextView::of_claimed(node, plan));
        let claimed: Vec<_> = claimed.collect();
        Self {
            summary,
            progress: next.progress,
            ready_to_start: next.ready_to_start,
            ready_to_complete: next.ready_to_complete,
            blocked: next.blocked,
            needs_expansion: next.needs_expansion,
            claimed: (!claimed.is_empty()).then_some(claimed),
            diff,
        }
    }
}

/// The whole of a plan, for people and scripts: every node of those asked for, and by their IDs those
/// that can be acted on.
#[derive(Debug, Serialize)]
pub struct PlanView<'a> {
    #[serde(flatten)]
    meta: MetaView<'a>,
    progress: GraphProgressView<'a>,
    /// Nodes that depend on nothing.
    leaves: usize,
    nodes: Vec<NodeView<'a>>,
    ready_to_start: Vec<&'a str>,
    ready_to_complete: Vec<&'a str>,
    needs_expansion: Vec<&'a str>,
    blocked: Vec<&'a str>,
    in_progress: Vec<&'a str>,
    /// Why nothing else can be acted on, where nothing can.
    waiting: Vec<WaitingView<'a>>,
}

impl<'a> PlanView<'a> {
    /// A plan, of a text that git calls `blob`, with some of its nodes.
    pub fn of(plan: &'a GraphPlan, nodes: &[&'a VineNode], blob: String) -> Self {
        let frontier = &plan.frontier;
        let ids = |places: &[usize]| {
            let ids = places.iter().map(|at| &*plan.graph.nodes[*at].id);
            ids.collect()
        };
        Self {
            meta: MetaView::of(&plan.graph, blob),
            progress: GraphProgressView::of(plan),
            leaves: plan.progress.leaves,
            nodes: views(nodes),
            ready_to_start: ids(&frontier.ready_to_start),
            ready_to_complete: ids(&frontier.ready_to_complete),
            needs_expansion: ids(&frontier.needs_expansion),
            blocked: ids(&frontier.blocked),
            in_progress: ids(&frontier.in_progress),
            waiting: waiting(plan).collect(),
        }
    }
}

/// The name of a plan, and how far it is.
#[derive(Debug, Serialize)]
pub struct HeadView<'a> {
    version: String,
    title: Option<&'a str>,
    prefix: Option<&'a str>,
    progress: GraphProgressView<'a>,
}

impl<'a> HeadView<'a> {
    /// The head of a plan.
    pub fn of(plan: &'a GraphPlan) -> Self {
        let graph = &plan.graph;
        Self {
            version: graph.version.to_string(),
            title: graph.title.as_deref(),
            prefix: graph.prefix.as_deref(),
            progress: GraphProgressView::of(plan),
        }
    }
}

/// A line of the tree of a plan.
#[derive(Debug, Serialize)]
pub struct RowView<'a> {
    depth: usize,
    id: &'a str,
    #[serde(rename = "shortName")]
    short_name: &'a str,
    status: &'a str,
    symbol: char,
    /// Where that stands which the node depends on: `here` in the lines that follow, `above` below an
    /// earlier line of the same node, `below` in a tree of its own that comes later.
    leads: &'static str,
}

impl<'a> RowView<'a> {
    /// A row of a picture.
    pub fn of(row: FigureRow, picture: &GraphPicture<'a>) -> Self {
        let figure = picture.figures[row.figure];
        Self {
            depth: row.depth,
            id: figure.key,
            short_name: figure.name,
            status: figure.state,
            symbol: figure.tone.symbol(),
            leads: match row.leads {
                LeadDirection::Here => "here",
                LeadDirection::Above => "above",
                LeadDirection::Below => "below",
            },
        }
    }
}

/// The facts that a file states about itself (reference vine W12).
#[derive(Debug, Serialize)]
pub struct MetaView<'a> {
    version: String,
    title: Option<&'a str>,
    prefix: Option<&'a str>,
    delimiter: &'a str,
    /// The name that git gives to this text; `vine_write` takes it as `expect`.
    blob: String,
}

impl<'a> MetaView<'a> {
    /// Returns the facts that a graph states about itself, of a text that git calls `blob`.
    pub fn of(graph: &'a Graph, blob: String) -> Self {
        Self {
            version: graph.version.to_string(),
            title: graph.title.as_deref(),
            prefix: graph.prefix.as_deref(),
            delimiter: &graph.delimiter,
            blob,
        }
    }
}

/// Nodes as an answer shows them.
pub fn views<'a, T: From<&'a VineNode>>(nodes: &[&'a VineNode]) -> Vec<T> {
    nodes.iter().map(|node| T::from(node)).collect()
}

/// Returns the state of a graph, in words (reference vine 5.1).
pub fn summary(plan: &GraphPlan) -> String {
    let (progress, root) = (&plan.progress, plan.root());
    let mut text = format!(
        "Root: {} ({})\nTotal tasks: {}\nLeaf tasks: {}\n\nStatus breakdown:",
        root.name, root.id, progress.total, progress.leaves
    );
    for status in TaskStatus::ALL {
        let count = progress.by_status[status as usize];
        text.push_str(&format!("\n  {}: {count}", status.as_str()));
    }
    text
}
