//! Dependencies as a graph: nodes with their progress, edges with their kind.
//!
//! The engine knows keys, not documents: a dialect says what waits for what and how far each item is, the
//! engine answers what is unmet, what can start and which items wait for one another. A node that was only ever
//! named by others exists too; its progress is [`ItemProgress::Absent`].
//!
//! A copy of a graph costs nothing: it shares with the other all that neither changes.

pub mod cycles;
pub mod key_set;
pub mod network;
mod paths;
pub mod picture;
pub mod rows;

use std::sync::{Arc, OnceLock};

use chant_base::counted::count_visited;
use hashbrown::DefaultHashBuilder;
use imbl::shared_ptr::DefaultSharedPtr;
use imbl::{GenericHashMap, Vector};

/// A node of one graph; only that graph understands it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(u32);

impl Node {
    /// Its place in tables that are kept beside the graph: dense, counted from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The progress of an item, as far as those that wait for it care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemProgress {
    /// Still to be done.
    Open,
    /// Nothing needs to wait for it any more.
    Done,
    /// Named, but nothing of that key is known.
    Absent,
}

/// Why one item waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeKind {
    /// The item names the other itself.
    Explicit,
    /// The item that contains it names the other.
    Inherited,
    /// The other is an earlier part of the same whole.
    Sibling,
    /// The other is a part of it.
    Member,
}

impl EdgeKind {
    /// Returns true if the item counts as blocked while this is unmet; it merely waits its turn otherwise.
    pub fn blocks(self) -> bool {
        matches!(self, Self::Explicit | Self::Inherited)
    }
}

/// One item waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The item waited for.
    pub to: Node,
    /// Why.
    pub kind: EdgeKind,
    /// The containing item that names it, for [`EdgeKind::Inherited`]; else the waiting item itself.
    pub via: Node,
}

#[derive(Debug, Clone)]
struct NodeEntry {
    key: Arc<str>,
    progress: ItemProgress,
    edges: Arc<[Edge]>,
}

/// The nodes of keys; keys come from documents, and the hash of each process is another one.
type NodesByKey = GenericHashMap<Arc<str>, Node, DefaultHashBuilder, DefaultSharedPtr>;

/// Items and what they wait for.
#[derive(Debug, Clone, Default)]
pub struct DepGraph {
    nodes: NodesByKey,
    entries: Vector<NodeEntry>,
    /// For each node those that wait for it, ascending; worked out at the first question and kept up to date
    /// from then on.
    waiting: OnceLock<Vector<Vec<Node>>>,
}

impl DepGraph {
    /// The node of a key; a new one is absent and waits for nothing.
    pub fn intern(&mut self, key: &str) -> Node {
        if let Some(node) = self.nodes.get(key) {
            return *node;
        }
        let node = Node(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        let key: Arc<str> = key.into();
        self.nodes.insert(Arc::clone(&key), node);
        self.entries.push_back(NodeEntry {
            key,
            progress: ItemProgress::Absent,
            edges: Arc::default(),
        });
        if let Some(waiting) = self.waiting.get_mut() {
            waiting.push_back(Vec::new());
        }
        node
    }

    /// The node of a key that is known or was named.
    pub fn find(&self, key: &str) -> Option<Node> {
        self.nodes.get(key).copied()
    }

    /// The node of an index.
    pub fn at(&self, index: usize) -> Option<Node> {
        let node = u32::try_from(index).ok().map(Node);
        node.filter(|_| index < self.len())
    }

    /// The key of a node.
    pub fn key(&self, node: Node) -> &str {
        &self.entries[node.index()].key
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there is no node.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All nodes, in the order of their making.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        let count = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        (0..count).map(Node)
    }

    /// Returns the progress of a node.
    pub fn progress(&self, node: Node) -> ItemProgress {
        self.entries[node.index()].progress
    }

    /// Says how far a node is.
    pub fn set_progress(&mut self, node: Node, progress: ItemProgress) {
        self.entries[node.index()].progress = progress;
    }

    /// Returns the edges by which a node waits, met or not.
    pub fn edges(&self, node: Node) -> &[Edge] {
        &self.entries[node.index()].edges
    }

    /// Says what a node waits for, in the order in which answers name it.
    pub fn set_edges(&mut self, node: Node, edges: Vec<Edge>) {
        count_visited(1 + edges.len());
        let edges: Arc<[Edge]> = edges.into();
        if let Some(waiting) = self.waiting.get_mut() {
            for edge in &*self.entries[node.index()].edges {
                let list = &mut waiting[edge.to.index()];
                if let Ok(at) = list.binary_search(&node) {
                    list.remove(at);
                }
            }
            for edge in &*edges {
                let list = &mut waiting[edge.to.index()];
                if let Err(at) = list.binary_search(&node) {
                    list.insert(at, node);
                }
            }
        }
        self.entries[node.index()].edges = edges;
    }

    /// Returns the edges by which a node still waits. An absent part or sibling holds nothing up; an absent
    /// item that was named does.
    pub fn unmet(&self, node: Node) -> impl Iterator<Item = &Edge> {
        self.edges(node).iter().filter(|edge| self.is_unmet(edge))
    }

    /// Returns true if what waits by this edge still does.
    pub fn is_unmet(&self, edge: &Edge) -> bool {
        match self.progress(edge.to) {
            ItemProgress::Done => false,
            ItemProgress::Open => true,
            ItemProgress::Absent => edge.kind.blocks(),
        }
    }

    /// Returns true if a node waits for something that blocks it.
    pub fn is_blocked(&self, node: Node) -> bool {
        self.unmet(node).any(|edge| edge.kind.blocks())
    }

    /// For each node by its index those that wait for it, in the order of their making; one that does
    /// so twice stands there once.
    pub fn waiting(&self) -> &Vector<Vec<Node>> {
        self.waiting.get_or_init(|| {
            count_visited(self.len());
            let mut waiting: Vec<Vec<Node>> = vec![Vec::new(); self.len()];
            for (node, entry) in (0_u32..).map(Node).zip(&self.entries) {
                for edge in &*entry.edges {
                    let list = &mut waiting[edge.to.index()];
                    if list.last() != Some(&node) {
                        list.push(node);
                    }
                }
            }
            waiting.into()
        })
    }

    /// The nodes that name `node` themselves, in no order but that of their making.
    pub fn named_by(&self, node: Node) -> Vec<Node> {
        let waiting = &self.waiting()[node.index()];
        count_visited(waiting.len());
        let names = |other: &&Node| {
            let mut edges = self.edges(**other).iter();
            edges.any(|edge| edge.to == node && edge.kind == EdgeKind::Explicit)
        };
        waiting.iter().filter(names).copied().collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Builds a graph from words like `c<-a,b` (c waits for a and b), `d!` (done), `e?` (absent),
    /// `m<~a` (waits for a sibling).
    pub(crate) fn graph(words: &str) -> DepGraph {
        let mut graph = DepGraph::default();
        for word in words.split_whitespace() {
            let (name, kind, targets) = match (word.split_once("<-"), word.split_once("<~")) {
                (Some((name, targets)), _) => (name, EdgeKind::Explicit, targets),
                (_, Some((name, targets))) => (name, EdgeKind::Sibling, targets),
                _ => (word, EdgeKind::Explicit, ""),
            };
            let progress = match name.chars().last() {
                Some('!') => ItemProgress::Done,
                Some('?') => ItemProgress::Absent,
                _ => ItemProgress::Open,
            };
            let node = graph.intern(name.trim_end_matches(['!', '?']));
            graph.set_progress(node, progress);
            let edges = targets.split(',').filter(|t| !t.is_empty());
            let edges = edges
                .map(|t| Edge {
                    to: graph.intern(t),
                    kind,
                    via: node,
                })
                .collect();
            graph.set_edges(node, edges);
        }
        graph
    }

    #[track_caller]
    fn check(words: &str, free: &str) {
        let graph = graph(words);
        let nodes = (0_u32..).map(Node).take(graph.len());
        let free_nodes = nodes.filter(|n| {
            graph.progress(*n) == ItemProgress::Open && graph.unmet(*n).next().is_none()
        });
        assert_eq!(
            free_nodes
                .map(|n| graph.key(n))
                .collect::<Vec<_>>()
                .join(" "),
            free
        );
    }

    #[test]
    fn a_node_waits_until_every_dependency_is_done() {
        check("a! b c<-a,b d<-a", "b d");
    }

    #[test]
    fn an_absent_dependency_blocks_and_an_absent_sibling_does_not() {
        check("a<-gone b<~gone c<~a", "b");
        assert!(graph("a<-gone").is_blocked(Node(0)));
        assert!(!graph("b a<~b").is_blocked(Node(1)));
    }

    #[test]
    fn who_waits_is_known_after_changes_too() {
        let mut graph = graph("a b<-a c<-a,b");
        let keys = |graph: &DepGraph, key: &str| {
            let waiting = &graph.waiting()[graph.find(key).unwrap().index()];
            waiting
                .iter()
                .map(|n| graph.key(*n).to_owned())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(keys(&graph, "a"), "b c");
        let new = graph.intern("d");
        let edge = |to| Edge {
            to,
            kind: EdgeKind::Explicit,
            via: new,
        };
        graph.set_edges(new, vec![edge(Node(0)), edge(Node(1)), edge(Node(0))]);
        graph.set_edges(Node(1), Vec::new());
        assert_eq!(
            (keys(&graph, "a"), keys(&graph, "b")),
            ("c d".into(), "c d".into())
        );
        assert_eq!(keys(&graph, "d"), "");
    }

    #[test]
    fn those_who_name_a_node_are_found() {
        let graph = graph("a b<-a c<~a d<-b,a");
        let names: Vec<_> = graph
            .named_by(graph.find("a").unwrap())
            .into_iter()
            .map(|n| graph.key(n))
            .collect();
        assert_eq!(names, ["b", "d"]);
    }
}
