//! The items of all dialects in one graph, kept up to date change by change.
//!
//! What a dialect's snapshot shares with the one before is not looked at again: specs are drawn again
//! family by family, task graphs and lists file by file, tickets all together.

mod updates;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::feature::{FeaturePart, FeatureTaskList, FeatureTasks};
use super::plan_item::PlanEntry;
use chant_base::counted::count_visited;
use chant_base::document_problem::DocumentProblem;
use chant_base::recent::RecentChanges;
use chant_graph::picture::StatusColor;
use chant_graph::{DepGraph, Edge, ItemProgress, Node};
use chant_plan_store::PlanRoot;
use chant_specs::model::Spec;
use chant_specs::specs::SpecGraph;
use chant_tickets::code::TicketCode;
use chant_tickets::model::Ticket;
use chant_tickets::ticket_index::TicketIndex;
use chant_vine::document::VineDocument;
use chant_vine::frontier::GraphPlan;
use chant_vine::model::{TaskStatus, VineNode as Task};
use imbl::Vector;

/// The text that stands for the title and the state of an item that is only named.
const ELSEWHERE: &str = "not in this workspace";

/// A task graph below the root.
#[derive(Debug, Clone)]
pub struct GraphFile {
    /// Its file, relative to the root, with `/`.
    pub path: Arc<str>,
    /// The document that it holds; it knows how far the items are that its tasks need.
    pub document: Arc<VineDocument>,
}

/// The contents of every dialect at one moment.
#[derive(Default)]
pub struct WorkspaceContents {
    /// The specs.
    pub specs: Arc<SpecGraph>,
    /// The task graphs in the order of their paths.
    pub plans: Vec<GraphFile>,
    /// The features in the order of their directories.
    pub features: Vec<FeatureTaskList>,
    /// The tickets.
    pub tickets: Option<Arc<TicketIndex>>,
    /// The plans of each format that comes through the interface.
    pub formats: Vec<Arc<PlanRoot>>,
    /// The problems of files, dialect by dialect.
    pub problems: Vec<DocumentProblem>,
    /// The keys of items of other formats than specs that runs have.
    pub at_work: Arc<BTreeSet<Box<str>>>,
}

/// Where an item comes from.
#[derive(Debug, Clone)]
pub enum ItemSource {
    /// A spec.
    Spec(Arc<Spec>),
    /// A node of a task graph.
    Task {
        /// The file.
        path: Arc<str>,
        /// The task itself.
        task: Arc<Task>,
    },
    /// A task or a phase of a feature.
    Feature(Arc<FeatureTasks>, FeaturePart),
    /// A ticket.
    Ticket(TicketCode, Arc<Ticket>),
    /// An item of a format that comes through the interface.
    Plan(Arc<PlanEntry>),
}

/// All items and what waits for what. Nodes of items that are only named have no source.
#[derive(Clone, Default)]
pub struct WorkspaceGraph {
    pub(super) graph: DepGraph,
    /// Items by the index of their node.
    pub(super) sources: Vector<Option<ItemSource>>,
    pub(super) specs: Arc<SpecGraph>,
    pub(super) tickets: Option<Arc<TicketIndex>>,
    pub(super) problems: Vec<DocumentProblem>,
    pub(super) at_work: Arc<BTreeSet<Box<str>>>,
    version: u64,
    /// Which specs and tickets are drawn; tickets themselves are lent out while they are brought up to date.
    specs_version: u64,
    tickets_version: Option<u64>,
    pub(super) plans: Vec<(GraphFile, Vector<Node>)>,
    /// Where each task graph stands among them, by its path.
    pub(super) plan_places: Arc<HashMap<Arc<str>, usize>>,
    pub(super) features: Vec<(Arc<FeatureTasks>, Vector<Node>)>,
    spec_nodes: Vector<Node>,
    ticket_nodes: Vector<Node>,
    pub(super) formats: Vec<(Arc<PlanRoot>, Vector<Node>)>,
    /// The place of each node among those of its format.
    plan_item_places: Arc<HashMap<Node, (usize, usize)>>,
    /// What the last update drew again, forgot, or found elsewhere in its list; some perhaps several times.
    pub(super) redrawn: Vec<Node>,
    recent: RecentChanges<Node>,
}

impl WorkspaceGraph {
    /// The graph: its keys name the dialect. Its progress counts a task under review as open, which
    /// inside its own file it is not: [`WorkspaceGraph::unmet`] knows.
    pub fn graph(&self) -> &DepGraph {
        &self.graph
    }

    /// The nodes of all items, dialect by dialect, each in the order of its own lists; phases of features
    /// stand before their tasks.
    pub fn nodes(&self) -> impl Iterator<Item = Node> {
        let all = self.spec_nodes.iter().chain(self.nodes_of_others());
        all.inspect(|_| count_visited(1)).copied()
    }

    /// Nodes in the same order, among which are all that can be started now: of specs none but these.
    pub(super) fn nodes_if_ready(&self) -> impl Iterator<Item = Node> {
        let ready = self.specs.overview().ready.iter();
        let specs = ready.filter_map(|at| self.spec_nodes.get(*at));
        let all = specs.chain(self.nodes_of_others());
        all.inspect(|_| count_visited(1)).copied()
    }

    /// The nodes of all items but specs.
    fn nodes_of_others(&self) -> impl Iterator<Item = &Node> {
        let tasks = self.plans.iter().flat_map(|(_, nodes)| nodes);
        let of_features = self.features.iter().flat_map(|(_, nodes)| nodes);
        let of_formats = self.formats.iter().flat_map(|(_, nodes)| nodes);
        let others = tasks.chain(of_features).chain(&self.ticket_nodes);
        others.chain(of_formats)
    }

    /// A number that is another after every change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The nodes that were changed of late; what waits for one of them may be another by that, too.
    pub(super) fn recent(&self) -> &RecentChanges<Node> {
        &self.recent
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.nodes().count()
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the problems of files, dialect by dialect.
    pub fn problems(&self) -> &[DocumentProblem] {
        &self.problems
    }

    /// The task graphs, in the order of their paths.
    pub fn plans(&self) -> impl Iterator<Item = &GraphFile> {
        self.plans.iter().map(|(plan, _)| plan)
    }

    /// Returns the plan of the task graph at a path.
    pub(super) fn plan(&self, path: &str) -> Option<&GraphPlan> {
        let (plan, _) = self.plans.get(*self.plan_places.get(path)?)?;
        Some(&plan.document.plan)
    }

    /// The features, in the order of their directories.
    pub fn features(&self) -> impl Iterator<Item = &FeatureTaskList> {
        self.features.iter().map(|(tasks, _)| &tasks.feature)
    }

    /// Returns the edges by which an item still waits.
    pub fn unmet(&self, node: Node) -> impl Iterator<Item = &Edge> {
        let edges = self.graph.edges(node).iter();
        edges.filter(move |edge| self.is_unmet(node, edge))
    }

    /// Returns true if an item still waits for the other end of one of its edges.
    pub fn is_unmet(&self, node: Node, edge: &Edge) -> bool {
        self.graph.is_unmet(edge)
            && !self.is_reviewed_in_the_same_file(node, edge.to)
            && !self.is_met_by_format(node, edge)
    }

    /// Returns true if the format of an item says that it waits for another one no more.
    fn is_met_by_format(&self, node: Node, edge: &Edge) -> bool {
        let Some(ItemSource::Plan(entry)) = self.sources[node.index()].as_ref() else {
            return false;
        };
        let key = self.graph.key(edge.to);
        let mut waits = entry.waits.iter();
        waits.any(|wait| wait.is_met && wait.keys.iter().any(|one| **one == *key))
    }

    fn is_reviewed_in_the_same_file(&self, node: Node, other: Node) -> bool {
        let of = |node: Node| self.sources[node.index()].as_ref();
        match (of(node), of(other)) {
            (Some(ItemSource::Task { path, .. }), Some(ItemSource::Task { path: own, task })) => {
                path == own && task.status() == Some(TaskStatus::Reviewing)
            }
            _ => false,
        }
    }

    /// Returns true if the dialects say something else now.
    pub(super) fn differs_from(&self, read: &WorkspaceContents) -> bool {
        let tickets = read.tickets.as_ref().map(|tickets| tickets.version());
        self.tickets_version != tickets
            || self.specs_version != read.specs.version()
            || !self.has_plans(&read.plans)
            || !self.has_features(&read.features)
            || !self.has_formats(&read.formats)
            || self.problems != read.problems
            || self.at_work != read.at_work
    }

    fn has_plans(&self, plans: &[GraphFile]) -> bool {
        let mut pairs = self.plans.iter().zip(plans);
        self.plans.len() == plans.len() && pairs.all(|((old, _), new)| is_same_plan(old, new))
    }

    fn has_features(&self, features: &[FeatureTaskList]) -> bool {
        let mut pairs = self.features.iter().zip(features);
        self.features.len() == features.len()
            && pairs.all(|((old, _), new)| old.feature.is_same(new))
    }

    fn has_formats(&self, formats: &[Arc<PlanRoot>]) -> bool {
        let mut pairs = self.formats.iter().zip(formats);
        self.formats.len() == formats.len() && pairs.all(|((old, _), new)| Arc::ptr_eq(old, new))
    }

    /// The plans of each format that comes through the interface.
    pub fn formats(&self) -> impl Iterator<Item = &Arc<PlanRoot>> {
        self.formats.iter().map(|(root, _)| root)
    }

    /// Lets go of tickets, so that they can be changed without a copy of them; what is drawn of them stays.
    pub(super) fn lend(&mut self) {
        self.tickets = None;
    }

    /// Takes tickets back that are still what is drawn.
    pub(super) fn take_back(&mut self, read: WorkspaceContents) {
        self.tickets = read.tickets;
    }

    /// The words of states of a format here.
    pub(super) fn statuses_of(&self, word: &str) -> Vec<&str> {
        let mut roots = self.formats();
        let root = roots.find(|root| root.format.scope().word == word);
        root.map_or_else(Vec::new, |root| root.statuses())
    }

    /// The place of an item among those of all formats.
    pub(super) fn plan_item_place(&self, node: Node) -> Option<(usize, usize)> {
        self.plan_item_places.get(&node).copied()
    }

    /// The word and the colour of what is no item here: done, as archived specs are, or not known.
    pub(super) fn outside(&self, node: Node) -> (&'static str, StatusColor) {
        match self.graph.progress(node) {
            ItemProgress::Done => ("done", StatusColor::Done),
            _ => (ELSEWHERE, StatusColor::Elsewhere),
        }
    }
}

fn is_same_plan(old: &GraphFile, new: &GraphFile) -> bool {
    old.path == new.path && Arc::ptr_eq(&old.document, &new.document)
}
