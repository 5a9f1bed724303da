//! The rules of a graph, all checked, in the order of reference vine 3.

use std::collections::HashSet;
use std::fmt;

use serde_json::{Value, json};

use super::error::VineError;
use super::model::{Graph, NodeContent};
use chant_base::counted::count_visited;
use chant_graph::cycles::Cycle;
use chant_graph::{self, DepGraph, Edge, EdgeKind};

/// A rule that a graph breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphViolation {
    /// There is no task.
    NoTask,
    /// A node depends on nothing that exists.
    UnknownDependency {
        /// The node.
        task: Box<str>,
        /// The ID that it names.
        missing: Box<str>,
    },
    /// Nodes wait for one another.
    Cycle(Vec<Box<str>>),
    /// The root does not depend on these, directly or not.
    Islands(Vec<Box<str>>),
    /// A reference names no file.
    NoUri(Box<str>),
}

impl GraphViolation {
    /// Its identifier in answers.
    pub fn constraint(&self) -> &'static str {
        match self {
            Self::NoTask => "at-least-one-task",
            Self::UnknownDependency { .. } => "valid-dependency-refs",
            Self::Cycle(_) => "no-cycles",
            Self::Islands(_) => "no-islands",
            Self::NoUri(_) => "ref-uri-required",
        }
    }

    /// The node it is about, or the first of them.
    pub fn subject(&self) -> Option<&str> {
        match self {
            Self::NoTask => None,
            Self::UnknownDependency { task: id, .. } | Self::NoUri(id) => Some(id),
            Self::Cycle(ids) | Self::Islands(ids) => ids.first().map(|id| &**id),
        }
    }

    /// The dependency of its subject that it is about.
    pub(super) fn dependency(&self) -> Option<&str> {
        match self {
            Self::UnknownDependency { missing, .. } => Some(missing),
            Self::Cycle(ids) => ids.get(1).or(ids.first()).map(|id| &**id),
            Self::NoTask | Self::Islands(_) | Self::NoUri(_) => None,
        }
    }

    /// Its values, by name.
    pub fn details(&self) -> Value {
        let constraint = self.constraint();
        match self {
            Self::NoTask => json!({ "constraint": constraint }),
            Self::UnknownDependency { task, missing, .. } => {
                json!({"constraint": constraint, "taskId": task, "missingDep": missing})
            }
            Self::Cycle(cycle) => json!({"constraint": constraint, "cycle": cycle}),
            Self::Islands(ids) => json!({"constraint": constraint, "islandTaskIds": ids}),
            Self::NoUri(id) => json!({"constraint": constraint, "taskId": id}),
        }
    }
}

impl fmt::Display for GraphViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTask => f.write_str("Graph must contain at least one task."),
            Self::UnknownDependency { task, missing, .. } => {
                write!(
                    f,
                    "Task \"{task}\" references unknown dependency \"{missing}\"."
                )
            }
            Self::Cycle(cycle) => {
                let first = cycle.first().into_iter();
                let path: Vec<&str> = cycle.iter().chain(first).map(|id| &**id).collect();
                write!(f, "Cycle detected: {}.", path.join(" → "))
            }
            Self::Islands(ids) => write!(
                f,
                "Found {} island task(s) not reachable from root: {}.",
                ids.len(),
                ids.join(", ")
            ),
            Self::NoUri(id) => {
                write!(f, "Reference node \"{id}\" must have a non-empty vine URI.")
            }
        }
    }
}

/// Checks all rules.
///
/// # Errors
/// `VineError::Invalid` with everything that is broken.
pub fn validate(graph: &Graph) -> Result<(), VineError> {
    count_visited(graph.nodes.len());
    let mut violations = Vec::new();
    if graph.nodes.is_empty() {
        violations.push(GraphViolation::NoTask);
    }
    for node in &graph.nodes {
        let unknown = node
            .dependencies
            .iter()
            .filter(|id| graph.position(id).is_none());
        violations.extend(unknown.map(|missing| GraphViolation::UnknownDependency {
            task: node.id.clone(),
            missing: missing.clone(),
        }));
    }
    let network = network(graph);
    let id = |node| Box::from(network.key(node));
    let ids = |cycle: Vec<_>| cycle.into_iter().map(id).collect();
    violations.extend(
        loops(&network)
            .into_iter()
            .map(|cycle| GraphViolation::Cycle(ids(cycle))),
    );
    if let Some(root) = graph.nodes.first().and_then(|node| network.find(&node.id)) {
        let reached = network.reached_from(root);
        let islands = graph.nodes.iter().zip(&reached).filter(|(_, r)| !**r);
        let islands: Vec<Box<str>> = islands.map(|(node, _)| node.id.clone()).collect();
        if !islands.is_empty() {
            violations.push(GraphViolation::Islands(islands));
        }
    }
    for node in &graph.nodes {
        if matches!(&node.work, NodeContent::Ref { vine } if vine.is_empty()) {
            violations.push(GraphViolation::NoUri(node.id.clone()));
        }
    }
    if violations.is_empty() {
        Ok(())
    } else {
        Err(VineError::Invalid {
            violations: violations.into_iter().map(|found| (found, None)).collect(),
        })
    }
}

/// Returns the first cycle that a walk meets, then one of each knot that it does not touch.
fn loops(network: &DepGraph) -> Vec<Vec<chant_graph::Node>> {
    let Some(first) = network.first_loop() else {
        return Vec::new();
    };
    let nodes = |cycle: Cycle| cycle.into_iter().map(|(node, _)| node).collect();
    let others: Vec<Vec<_>> = network.cycles().into_iter().map(nodes).collect();
    let in_first: HashSet<_> = first.iter().copied().collect();
    let mut loops = vec![first];
    let is_apart = |cycle: &Vec<_>| !cycle.iter().any(|node| in_first.contains(node));
    loops.extend(others.into_iter().filter(is_apart));
    loops
}

/// Returns the dependencies of a graph; its nodes come first, in their order. The graph itself says how far
/// each is.
fn network(graph: &Graph) -> DepGraph {
    let mut network = DepGraph::default();
    for node in &graph.nodes {
        network.intern(&node.id);
    }
    for (place, node) in graph.nodes.iter().enumerate() {
        let Some(at) = network.at(place) else {
            break;
        };
        let mut edge = |id: &str| Edge {
            to: network.intern(id),
            kind: EdgeKind::Explicit,
            via: at,
        };
        let edges = node.dependencies.iter().map(|id| edge(id)).collect();
        network.set_edges(at, edges);
    }
    network
}
