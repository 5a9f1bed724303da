//! The rules of a graph, all checked, in the order of reference vine 3.

use std::collections::HashSet;

use super::error::VineError;
use super::graph_violation::GraphViolation;
use super::model::{Graph, NodeContent};
use chant_base::counted::count_visited;
use chant_graph::cycles::Cycle;
use chant_graph::{self, DepGraph, Edge, EdgeKind};

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
        cycles(&network)
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

/// Returns the first cycle that a walk meets, then one of each component that it does not touch.
fn cycles(network: &DepGraph) -> Vec<Vec<chant_graph::Node>> {
    let Some(first) = network.first_loop() else {
        return Vec::new();
    };
    let nodes = |cycle: Cycle| cycle.into_iter().map(|(node, _)| node).collect();
    let others: Vec<Vec<_>> = network.cycles().into_iter().map(nodes).collect();
    let in_first: HashSet<_> = first.iter().copied().collect();
    let mut cycles = vec![first];
    let is_apart = |cycle: &Vec<_>| !cycle.iter().any(|node| in_first.contains(node));
    cycles.extend(others.into_iter().filter(is_apart));
    cycles
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
