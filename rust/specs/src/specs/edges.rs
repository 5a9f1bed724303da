//! The waits between specs: the edges a family of specs draws, and the facts about dependencies that are
//! no active specs (reference chant 4.1 to 4.3).

use std::sync::{Arc, OnceLock};

use super::{ExternalDependency, SpecGraph, SpecState, contains};
use crate::model::Spec;
use chant_graph::{Edge, EdgeKind, ItemProgress, Node};

impl SpecGraph {
    pub(super) fn intern(&mut self, key: &str) -> Node {
        let node = self.graph.intern(key);
        // Nodes are numbered in the order of their making.
        while self.by_node.len() <= node.index() {
            self.by_node.push_back(None);
            self.states.push_back(SpecState::default());
            self.signatures.push_back(OnceLock::new());
        }
        node
    }

    /// Draws the edges of a driver and all its members, or of a single spec (reference chant 4.1–4.3).
    pub(super) fn connect(&mut self, family: &[Arc<Spec>]) {
        for spec in family {
            let node = self.intern(spec.id.as_str());
            let mut edges: Vec<Edge> = Vec::new();
            for name in spec.depends_on.iter().flatten() {
                edges.push(Edge {
                    to: self.named(name),
                    kind: EdgeKind::Explicit,
                    via: node,
                });
            }
            self.connect_to_what_containers_name(spec, family, node, &mut edges);
            for sibling in earlier_siblings(spec, family) {
                edges.push(Edge {
                    to: self.intern(sibling.id.as_str()),
                    kind: EdgeKind::Sibling,
                    via: node,
                });
            }
            for member in family.iter().filter(|other| contains(&spec.id, &other.id)) {
                edges.push(Edge {
                    to: self.intern(member.id.as_str()),
                    kind: EdgeKind::Member,
                    via: node,
                });
            }
            self.graph.set_edges(node, edges);
        }
    }

    /// A member waits for what the specs that contain it name, their own members excepted.
    fn connect_to_what_containers_name(
        &mut self,
        spec: &Spec,
        family: &[Arc<Spec>],
        node: Node,
        edges: &mut Vec<Edge>,
    ) {
        for container in family.iter().filter(|other| contains(&other.id, &spec.id)) {
            let via = self.intern(container.id.as_str());
            for name in container.depends_on.iter().flatten() {
                let is_inside = local(name)
                    .strip_prefix(container.id.as_str())
                    .is_some_and(|rest| rest.starts_with('.'));
                let to = self.named(name);
                if !is_inside && to != node {
                    edges.push(Edge {
                        to,
                        kind: EdgeKind::Inherited,
                        via,
                    });
                }
            }
        }
    }

    /// The node of a named dependency, remembered as one to look up elsewhere when it is no spec.
    fn named(&mut self, name: &str) -> Node {
        let node = self.intern(local(name));
        if self.by_node[node.index()].is_none() {
            self.elsewhere
                .entry(node)
                .or_insert(ExternalDependency::Unknown);
        }
        node
    }

    /// Returns true if every dependency is an active spec.
    pub fn names_nothing_elsewhere(&self) -> bool {
        self.elsewhere.is_empty()
    }

    /// The dependencies that are no active specs.
    pub fn named_elsewhere(&self) -> Vec<(Node, String)> {
        self.elsewhere
            .keys()
            .map(|node| (*node, self.graph.key(*node).to_owned()))
            .collect()
    }

    /// Returns the facts about a dependency that is no active spec.
    pub fn elsewhere(&self, id: &str) -> Option<&ExternalDependency> {
        self.elsewhere.get(&self.graph.find(id)?)
    }

    /// Takes a named dependency that is no active spec for one that is there.
    pub(crate) fn find_elsewhere(&mut self, id: &str) {
        if let Some(node) = self.graph.find(id) {
            let found = ExternalDependency::Found {
                status: String::new(),
                is_done: false,
                place: String::new(),
            };
            self.found_elsewhere(node, found);
        }
    }

    /// Says what was found out about a dependency that is no active spec.
    pub fn found_elsewhere(&mut self, node: Node, found: ExternalDependency) {
        let is_done = matches!(&found, ExternalDependency::Found { is_done: true, .. });
        self.graph.set_progress(
            node,
            if is_done {
                ItemProgress::Done
            } else {
                ItemProgress::Absent
            },
        );
        if self.elsewhere.insert(node, found.clone()).as_ref() != Some(&found) {
            self.overview = OnceLock::new();
            self.arrivals += 1;
            self.recent.note(Vec::new());
        }
    }
}

/// A dependency's name without the prefix that says it is of this dialect.
fn local(name: &str) -> &str {
    name.strip_prefix("chant:").unwrap_or(name)
}

/// The siblings a member waits for: those of a lower number, and those that the specs around it
/// wait for; a `depends_on` of its own, even an empty one, ends that at its level.
fn earlier_siblings<'a>(spec: &'a Spec, family: &'a [Arc<Spec>]) -> Vec<&'a Arc<Spec>> {
    let mut siblings = Vec::new();
    let mut level = spec.id.clone();
    let mut named = spec.depends_on.as_deref();
    while named.is_none()
        && let Some(parent) = level.parent()
    {
        let number = level.numbers().last();
        let is_earlier = |other: &&Arc<Spec>| {
            other.id.parent() == Some(parent) && other.id.numbers().last() < number
        };
        siblings.extend(family.iter().filter(is_earlier));
        named = family
            .iter()
            .find(|other| other.id.as_str() == parent)
            .and_then(|other| other.depends_on.as_deref());
        let Ok(outer) = parent.parse() else { break };
        level = outer;
    }
    siblings
}
