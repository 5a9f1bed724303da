//! What waits for what among the tickets of one project.
//!
//! `dependsOn` and `blocks` say the same thing from two ends: a ticket that blocks another is one the
//! other depends on. Implemented and rejected tickets hold nobody up.

use std::collections::HashSet;

use super::code::Code;
use super::model::{Status, Ticket};
use crate::graph::{DepGraph, Edge, Kind, Node, Progress};

/// The tickets of a project as a graph; items that are no tickets of it are nodes too.
#[derive(Debug, Clone, Default)]
pub struct Waits {
    graph: DepGraph,
}

/// What a ticket waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wait {
    /// Somebody has to agree to it first.
    Approval,
    /// Somebody has to take it up again.
    Hold,
    /// Nobody knows what its state means.
    UnknownStatus,
    /// Another item has to be done first; `None` for its state when it is no ticket of the project.
    Item {
        /// Its code, or its name as given.
        code: String,
        /// Its state.
        status: Option<String>,
    },
}

impl Waits {
    /// Draws the graph of all tickets, in their order.
    pub fn of<'a>(project: &str, tickets: impl Iterator<Item = (&'a Code, &'a Ticket)>) -> Self {
        let mut waits = Self::default();
        let mut edges: Vec<Vec<Node>> = Vec::new();
        for (code, ticket) in tickets {
            let node = waits.graph.intern(&code.to_string());
            let is_done = Status::read(ticket.status()).is_some_and(Status::is_done);
            let progress = if is_done {
                Progress::Done
            } else {
                Progress::Open
            };
            waits.graph.set_progress(node, progress);
            for name in &ticket.depends_on {
                let to = waits.graph.intern(&key_of(name, project));
                note(&mut edges, node, to);
            }
            for name in &ticket.blocks {
                let from = waits.graph.intern(&key_of(name, project));
                note(&mut edges, from, node);
            }
        }
        for (node, targets) in waits.graph.nodes().zip(edges) {
            waits.connect(node, targets);
        }
        waits
    }

    fn connect(&mut self, node: Node, mut targets: Vec<Node>) {
        let mut seen = HashSet::new();
        targets.retain(|to| seen.insert(*to));
        let edge = |to| Edge {
            to,
            kind: Kind::Explicit,
            via: node,
        };
        self.graph
            .set_edges(node, targets.into_iter().map(edge).collect());
    }

    /// The graph itself.
    pub fn graph(&self) -> &DepGraph {
        &self.graph
    }

    /// The items that a ticket names or that name it as blocked, done or not.
    pub fn named(&self, code: &Code) -> Vec<&str> {
        self.targets(code, |_| true)
    }

    /// The items that a ticket still waits for.
    pub fn unmet(&self, code: &Code) -> Vec<&str> {
        self.targets(code, |edge| self.graph.progress(edge.to) != Progress::Done)
    }

    fn targets(&self, code: &Code, is_wanted: impl Fn(&Edge) -> bool) -> Vec<&str> {
        let Some(node) = self.graph.find(&code.to_string()) else {
            return Vec::new();
        };
        let edges = self.graph.edges(node).iter();
        edges
            .filter(|edge| is_wanted(edge))
            .map(|edge| self.graph.key(edge.to))
            .collect()
    }

    /// The items that are not done and still wait for a ticket.
    pub fn needed_by(&self, code: &Code) -> Vec<&str> {
        let node = self.graph.find(&code.to_string());
        let node = node.filter(|node| self.graph.progress(*node) != Progress::Done);
        let waiting = node.map_or_else(Vec::new, |node| self.graph.named_by(node));
        let open = waiting
            .into_iter()
            .filter(|node| self.graph.progress(*node) != Progress::Done);
        open.map(|node| self.graph.key(node)).collect()
    }

    /// Everything a ticket waits for before work on it can begin or go on.
    pub fn waits<'a>(
        &self,
        code: &Code,
        ticket: &Ticket,
        status_of: impl Fn(&str) -> Option<&'a str>,
    ) -> Vec<Wait> {
        let own = match Status::read(ticket.status()) {
            Some(Status::Proposed) => Some(Wait::Approval),
            Some(Status::OnHold) => Some(Wait::Hold),
            Some(status) if status.is_done() => return Vec::new(),
            Some(_) => None,
            None => Some(Wait::UnknownStatus),
        };
        let item = |key: &str| Wait::Item {
            code: key.to_owned(),
            status: status_of(key).map(str::to_owned),
        };
        let items = self.unmet(code).into_iter().map(item);
        own.into_iter().chain(items).collect()
    }

    /// Whether work on a ticket can begin now: it is approved and waits for nothing.
    pub fn is_ready(&self, code: &Code, ticket: &Ticket) -> bool {
        Status::read(ticket.status()) == Some(Status::Approved) && self.unmet(code).is_empty()
    }

    /// The codes of the shortest loop through a ticket, beginning with it.
    pub fn loop_through(&self, code: &Code) -> Option<Vec<String>> {
        let node = self.graph.find(&code.to_string())?;
        Some(self.keys(&self.graph.cycle_through(node)?))
    }

    /// One loop for each knot of tickets that wait for one another.
    pub fn loops(&self) -> Vec<Vec<String>> {
        let cycles = self.graph.cycles();
        cycles.iter().map(|cycle| self.keys(cycle)).collect()
    }

    fn keys(&self, cycle: &[(Node, Edge)]) -> Vec<String> {
        let key = |(node, _): &(Node, Edge)| self.graph.key(*node).to_owned();
        cycle.iter().map(key).collect()
    }
}

/// What an item in a list is called in the graph: a ticket's code in full, anything else as given.
pub fn key_of(name: &str, project: &str) -> String {
    let own = name.strip_prefix("tickets:").unwrap_or(name);
    Code::asked(own, project).map_or_else(|| name.to_owned(), |code| code.to_string())
}

fn note(edges: &mut Vec<Vec<Node>>, from: Node, to: Node) {
    if edges.len() <= from.index() {
        edges.resize(from.index() + 1, Vec::new());
    }
    edges[from.index()].push(to);
}
