//! What can be acted on now, and questions about what depends on what (reference vine 5).

use super::model::{Graph, Node, Status, Work};
use super::validate::network;
use crate::graph::{self, DepGraph};

/// A valid graph with what depends on what worked out.
pub struct Plan<'a> {
    /// The graph.
    pub graph: &'a Graph,
    network: DepGraph,
    /// For each node by its place those that depend on it directly, in the order of the file.
    waiting: Vec<Vec<graph::Node>>,
}

/// Nodes that can be acted on, each list in the order of the file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Frontier<'a> {
    /// Tasks to pick up.
    pub ready_to_start: Vec<&'a Node>,
    /// Tasks under review that somebody builds on already.
    pub ready_to_complete: Vec<&'a Node>,
    /// References to put the other graph in place of.
    pub needs_expansion: Vec<&'a Node>,
    /// Blocked tasks that nothing else holds up.
    pub blocked: Vec<&'a Node>,
    /// Tasks that somebody works on.
    pub in_progress: Vec<&'a Node>,
}

impl<'a> Plan<'a> {
    /// Works out what depends on what.
    pub fn of(graph: &'a Graph) -> Self {
        let network = network(graph);
        let waiting = network.waiting();
        Self {
            graph,
            network,
            waiting,
        }
    }

    /// The nodes that depend on one directly, in the order of the file.
    pub fn dependants(&self, node: &Node) -> impl Iterator<Item = &'a Node> {
        let at = self.network.find(&node.id);
        let list = at.map_or(&[][..], |at| self.waiting[at.index()].as_slice());
        list.iter().map(|node| &self.graph.nodes[node.index()])
    }

    /// All nodes that depend on one, directly or not, without itself, in the order of the file.
    pub fn descendants(&self, node: &Node) -> Vec<&'a Node> {
        let Some(start) = self.network.find(&node.id) else {
            return Vec::new();
        };
        let mut reached = vec![false; self.network.len()];
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut reached[node.index()], true) {
                open.extend(&self.waiting[node.index()]);
            }
        }
        reached[start.index()] = false;
        let nodes = self.graph.nodes.iter().zip(reached);
        nodes
            .filter(|(_, reached)| *reached)
            .map(|(node, _)| node)
            .collect()
    }

    /// Whether nothing holds a node up.
    fn is_open(&self, node: &Node) -> bool {
        let at = self.network.find(&node.id);
        at.is_some_and(|at| !self.network.is_blocked(at))
    }

    /// What can be acted on now.
    pub fn frontier(&self) -> Frontier<'a> {
        let mut frontier = Frontier::default();
        for node in &self.graph.nodes {
            let list = match node.status() {
                Some(Status::Started) => &mut frontier.in_progress,
                _ if !self.is_open(node) => continue,
                None => &mut frontier.needs_expansion,
                Some(Status::NotStarted | Status::Planning) => &mut frontier.ready_to_start,
                Some(Status::Blocked) => &mut frontier.blocked,
                Some(Status::Reviewing) if self.is_consumed(node) => {
                    &mut frontier.ready_to_complete
                }
                Some(Status::Reviewing | Status::Complete) => continue,
            };
            list.push(node);
        }
        // Nobody depends on the root: it is done with the last of the others.
        if let Some((root, others)) = self.graph.nodes.split_first()
            && root.status() == Some(Status::Reviewing)
            && others
                .iter()
                .all(|node| node.status().is_some_and(Status::is_satisfied))
            && !frontier.ready_to_complete.contains(&root)
        {
            frontier.ready_to_complete.push(root);
        }
        frontier
    }

    /// Whether a task that depends on this one has begun.
    fn is_consumed(&self, node: &Node) -> bool {
        let has_begun = |status| {
            matches!(
                status,
                Status::Started | Status::Reviewing | Status::Complete
            )
        };
        self.dependants(node)
            .any(|node| node.status().is_some_and(has_begun))
    }
}

/// How many nodes there are, and how they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// All nodes, references included.
    pub total: usize,
    /// Tasks by status, in the order of [`Status::ALL`].
    pub by_status: [usize; 6],
}

impl Progress {
    /// Counts the nodes of a graph.
    pub fn of(graph: &Graph) -> Self {
        let mut by_status = [0; 6];
        for status in graph.nodes.iter().filter_map(Node::status) {
            by_status[status as usize] += 1;
        }
        Self {
            total: graph.nodes.len(),
            by_status,
        }
    }

    /// Tasks that are complete.
    pub fn complete(&self) -> usize {
        self.by_status[Status::Complete as usize]
    }

    /// How much is complete, in per cent, rounded half up; 100 only when all is (reference vine W17).
    pub fn percentage(&self) -> usize {
        let rounded = (self.complete() * 200 + self.total) / (self.total * 2).max(1);
        let is_whole = self.complete() == self.total;
        rounded.min(if is_whole { 100 } else { 99 })
    }
}

/// The nodes whose ID, name or description holds a text, in any case; in the order of the file.
pub fn search<'a>(graph: &'a Graph, query: &str) -> Vec<&'a Node> {
    let query = query.to_lowercase();
    let holds = |text: &str| text.to_lowercase().contains(&query);
    let nodes = graph.nodes.iter();
    nodes
        .filter(|node| holds(&node.id) || holds(&node.name) || holds(&node.description))
        .collect()
}

/// The nodes that stand for other files, in the order of the file.
pub fn refs(graph: &Graph) -> Vec<&Node> {
    let is_ref = |node: &&Node| matches!(node.work, Work::Ref { .. });
    graph.nodes.iter().filter(is_ref).collect()
}
