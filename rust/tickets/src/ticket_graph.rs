//! The dependencies among the tickets of one project.
//!
//! `dependsOn` and `blocks` say the same thing from two ends: a ticket that blocks another is one the
//! other depends on. Implemented and rejected tickets hold nothing up.

use std::collections::{BTreeMap, HashSet};

use super::code::TicketCode;
use super::model::{Ticket, TicketStatus};
use chant_base::external_items::{self, ExternalStatus};
use chant_graph::{DepGraph, Edge, EdgeKind, ItemProgress, Node};

/// The tickets of a project as a graph, kept up to date ticket by ticket; items that are no tickets of
/// it are nodes too.
#[derive(Debug, Clone, Default)]
pub struct TicketGraph {
    project: Box<str>,
    graph: DepGraph,
    /// By node, what its ticket names in `dependsOn`.
    own: Vec<Vec<Node>>,
    /// By node, the tickets that name it in `blocks`, the lowest number first.
    blockers: Vec<Vec<(TicketCode, Node)>>,
    /// Items of other dialects that were ever named, with what is known of them.
    outside: BTreeMap<Node, Option<ExternalStatus>>,
}

/// Something that a ticket waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TicketWait {
    /// It has to be agreed to first.
    Approval,
    /// It has to be taken up again.
    Hold,
    /// The meaning of its state is not known.
    UnknownStatus,
    /// Another item has to be done first; `None` for its state when nothing of that name is known.
    Item {
        /// Its code, or its name as given.
        code: String,
        /// Its state, also that of an item of another dialect.
        status: Option<String>,
    },
}

impl TicketGraph {
    /// The graph of a project without tickets.
    pub fn new(project: &str) -> Self {
        Self {
            project: project.into(),
            ..Self::default()
        }
    }

    /// Takes in that a code stands for another ticket than before, for one at last, or for none any more.
    pub fn replace(&mut self, code: &TicketCode, before: Option<&Ticket>, after: Option<&Ticket>) {
        let node = self.node(&code.to_string());
        self.graph.set_progress(node, progress(after));
        let mut touched = vec![node];
        for name in before.into_iter().flat_map(|ticket| &ticket.blocks) {
            let blocked = self.named_node(name);
            self.blockers[blocked.index()].retain(|(blocker, _)| blocker != code);
            touched.push(blocked);
        }
        for name in after.into_iter().flat_map(|ticket| &ticket.blocks) {
            let blocked = self.named_node(name);
            let blockers = &mut self.blockers[blocked.index()];
            if let Err(at) = blockers.binary_search_by(|(blocker, _)| blocker.cmp(code)) {
                blockers.insert(at, (code.clone(), node));
            }
            touched.push(blocked);
        }
        let named = after.into_iter().flat_map(|ticket| &ticket.depends_on);
        self.own[node.index()] = named.map(|name| self.named_node(name)).collect();
        for node in touched {
            self.connect(node);
        }
    }

    fn named_node(&mut self, name: &str) -> Node {
        let key = key_of(name, &self.project);
        let node = self.node(&key);
        if external_items::is_key(&key) {
            self.outside.entry(node).or_default();
        }
        node
    }

    /// The keys of items of other dialects.
    pub fn named_outside(&self) -> Vec<String> {
        let keys = self.outside.keys();
        keys.map(|node| self.graph.key(*node).to_owned()).collect()
    }

    /// Returns true if this is what is known of the items of other dialects, in the order of their keys above.
    pub fn knows(&self, standings: &[ExternalStatus]) -> bool {
        self.outside
            .values()
            .map(Option::as_ref)
            .eq(standings.iter().map(Some))
    }

    /// Says how far the items of other dialects are, in the order of their keys above.
    pub fn found_outside(&mut self, standings: Vec<ExternalStatus>) {
        for ((node, known), found) in self.outside.iter_mut().zip(standings) {
            let progress = if found.is_done() {
                ItemProgress::Done
            } else {
                ItemProgress::Absent
            };
            self.graph.set_progress(*node, progress);
            *known = Some(found);
        }
    }

    /// Returns the status of an item of another dialect; `None` where that is not known.
    pub fn outside(&self, key: &str) -> Option<&ExternalStatus> {
        self.outside.get(&self.graph.find(key)?)?.as_ref()
    }

    /// Returns true if a node is an item of another dialect.
    pub fn is_outside(&self, node: Node) -> bool {
        self.outside.contains_key(&node)
    }

    fn node(&mut self, key: &str) -> Node {
        let node = self.graph.intern(key);
        self.own.resize(self.graph.len(), Vec::new());
        self.blockers.resize(self.graph.len(), Vec::new());
        node
    }

    /// Draws what a node waits for: what it names itself, then what names it as blocked.
    fn connect(&mut self, node: Node) {
        let blockers = self.blockers[node.index()].iter().map(|(_, node)| *node);
        let targets = self.own[node.index()].iter().copied().chain(blockers);
        let mut seen = HashSet::new();
        let edge = |to| Edge {
            to,
            kind: EdgeKind::Explicit,
            via: node,
        };
        let edges = targets.filter(|to| seen.insert(*to)).map(edge).collect();
        self.graph.set_edges(node, edges);
    }

    /// The graph itself.
    pub fn graph(&self) -> &DepGraph {
        &self.graph
    }

    /// The items that a ticket names or that name it as blocked, done or not.
    pub fn named(&self, code: &TicketCode) -> Vec<&str> {
        self.targets(code, |_| true)
    }

    /// The items that a ticket still waits for.
    pub fn unmet(&self, code: &TicketCode) -> Vec<&str> {
        self.targets(code, |edge| {
            self.graph.progress(edge.to) != ItemProgress::Done
        })
    }

    fn targets(&self, code: &TicketCode, is_wanted: impl Fn(&Edge) -> bool) -> Vec<&str> {
        let Some(node) = self.graph.find(&code.to_string()) else {
            return Vec::new();
        };
        let edges = self.graph.edges(node).iter();
        edges
            .filter(|edge| is_wanted(edge))
            .map(|edge| self.graph.key(edge.to))
            .collect()
    }

    /// The items that wait for a ticket, met or not.
    fn named_by(&self, code: &TicketCode) -> Vec<Node> {
        let node = self.graph.find(&code.to_string());
        let mut waiting = node.map_or_else(Vec::new, |node| self.graph.named_by(node));
        self.sort(&mut waiting);
        waiting
    }

    /// The items that are not done and still wait for a ticket.
    pub fn needed_by(&self, code: &TicketCode) -> Vec<&str> {
        let is_open = |node: &Node| self.graph.progress(*node) != ItemProgress::Done;
        let own = self.graph.find(&code.to_string()).filter(is_open);
        let waiting = own.map_or_else(Vec::new, |_| self.named_by(code));
        let open = waiting.into_iter().filter(is_open);
        open.map(|node| self.graph.key(node)).collect()
    }

    /// Everything a ticket waits for before work on it can begin or go on.
    pub fn waits<'a>(
        &self,
        code: &TicketCode,
        ticket: &Ticket,
        status_of: impl Fn(&str) -> Option<&'a str>,
    ) -> Vec<TicketWait> {
        let own = match ticket.meant.status {
            Some(TicketStatus::Proposed) => Some(TicketWait::Approval),
            Some(TicketStatus::OnHold) => Some(TicketWait::Hold),
            Some(status) if status.is_done() => return Vec::new(),
            Some(_) => None,
            None => Some(TicketWait::UnknownStatus),
        };
        let item = |key: &str| TicketWait::Item {
            code: key.to_owned(),
            status: status_of(key).map(str::to_owned),
        };
        let items = self.unmet(code).into_iter().map(item);
        own.into_iter().chain(items).collect()
    }

    /// Returns true if work on a ticket of this state can start now: it is approved and waits for nothing.
    pub fn is_ready(&self, code: &TicketCode, status: Option<TicketStatus>) -> bool {
        status == Some(TicketStatus::Approved) && self.unmet(code).is_empty()
    }

    /// Returns the codes of the shortest cycle through a ticket, beginning with it.
    pub fn loop_through(&self, code: &TicketCode) -> Option<Vec<String>> {
        let node = self.graph.find(&code.to_string())?;
        Some(self.keys(&self.graph.cycle_through(node)?))
    }

    /// Returns one cycle for each group of tickets that wait for one another.
    pub fn cycles(&self) -> Vec<Vec<String>> {
        let cycles = self.graph.cycles();
        cycles.iter().map(|cycle| self.keys(cycle)).collect()
    }

    /// Returns the cycle that a ticket would close if it said this, beginning with it; for one that is in
    /// none yet.
    pub fn loop_with(&self, code: &TicketCode, ticket: &Ticket) -> Option<Vec<String>> {
        let key = |name: &str| key_of(name, &self.project);
        let blocked: HashSet<String> = ticket.blocks.iter().map(|name| key(name)).collect();
        let named: Vec<String> = ticket.depends_on.iter().map(|name| key(name)).collect();
        let own = code.to_string();
        if named.contains(&own) || blocked.contains(&own) {
            return Some(vec![own]);
        }
        if let Some(both) = named.iter().find(|key| blocked.contains(*key)) {
            return Some(vec![own, both.clone()]);
        }
        let node = self.graph.find(&own);
        let names_it =
            |other: Node| node.is_some_and(|node| self.own[other.index()].contains(&node));
        let blockers = node.map_or(&[][..], |node| &self.blockers[node.index()]);
        let mut starts: Vec<Node> = named
            .iter()
            .filter_map(|key| self.graph.find(key))
            .collect();
        starts.extend(blockers.iter().map(|(_, blocker)| *blocker));
        let is_last = |other| names_it(other) || blocked.contains(self.graph.key(other));
        let way = self.graph.way(&starts, node, is_last)?;
        let way = way.into_iter().map(|node| self.graph.key(node).to_owned());
        Some(std::iter::once(own).chain(way).collect())
    }

    /// All nodes, in the order in which they are shown.
    pub fn nodes(&self) -> Vec<Node> {
        let mut nodes: Vec<Node> = self.graph.nodes().collect();
        self.sort(&mut nodes);
        nodes
    }

    /// Codes, the lowest number first, then names that are none; nodes come and go in any order.
    fn sort(&self, nodes: &mut [Node]) {
        nodes.sort_by_cached_key(|node| {
            let key = self.graph.key(*node);
            let code = TicketCode::read(key);
            (code.is_none(), code, key.to_owned())
        });
    }

    fn keys(&self, cycle: &[(Node, Edge)]) -> Vec<String> {
        let key = |(node, _): &(Node, Edge)| self.graph.key(*node).to_owned();
        cycle.iter().map(key).collect()
    }
}

/// Returns the key of an item of a list in the graph: a ticket's code in full, anything else as given.
pub fn key_of(name: &str, project: &str) -> String {
    let own = name.strip_prefix("tickets:").unwrap_or(name);
    TicketCode::asked(own, project).map_or_else(|| name.to_owned(), |code| code.to_string())
}

fn progress(ticket: Option<&Ticket>) -> ItemProgress {
    match ticket.map(|ticket| ticket.meant.status) {
        None => ItemProgress::Absent,
        Some(Some(status)) if status.is_done() => ItemProgress::Done,
        Some(_) => ItemProgress::Open,
    }
}
