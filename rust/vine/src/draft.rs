//! A graph while operations change it. What an operation costs is what it touches: nodes keep their numbers until
//! the end, whatever is taken out or moved, and who waits for a node is known from the plan before.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::frontier::GraphPlan;
use super::model::{FormatVersion, Graph, VineNode};
use chant_base::counted::count_visited;

/// A graph that is changed, with what makes changes cheap.
pub(super) struct PlanDraft<'a> {
    /// The graph, of which nodes that were taken out are still listed, and nodes stand in their old order.
    pub(super) graph: Graph,
    /// The plan of the graph as it was.
    before: Option<&'a GraphPlan>,
    /// Numbers of nodes that were taken out.
    gone: HashSet<usize>,
    /// By ID the numbers of nodes that came to depend on it here.
    added: HashMap<Box<str>, Vec<usize>>,
    /// The order of nodes, once one of them was moved.
    row: Option<Row>,
}

impl<'a> PlanDraft<'a> {
    /// A graph without nodes.
    pub(super) fn empty(version: FormatVersion) -> Self {
        Self {
            graph: Graph::empty(version),
            before: None,
            gone: HashSet::new(),
            added: HashMap::new(),
            row: None,
        }
    }

    /// The graph of a plan.
    pub(super) fn of(plan: &'a GraphPlan) -> Self {
        Self {
            graph: plan.graph.clone(),
            before: Some(plan),
            ..Self::empty(plan.graph.version)
        }
    }

    /// The node of an ID.
    pub(super) fn find(&self, id: &str) -> Option<&VineNode> {
        self.graph.find(id)
    }

    /// The node of an ID, to be changed; its ID stays, and what it depends on.
    pub(super) fn find_mut(&mut self, id: &str) -> Option<&mut VineNode> {
        let at = self.graph.position(id)?;
        Some(self.node_mut(at))
    }

    fn node_mut(&mut self, at: usize) -> &mut VineNode {
        count_visited(1);
        Arc::make_mut(&mut self.graph.nodes[at])
    }

    /// Returns true if a node is the root: the first one.
    pub(super) fn is_root(&self, id: &str) -> bool {
        let first = self.row.as_ref().map_or(0, |row| row.first);
        self.graph.position(id) == Some(first)
    }

    /// All nodes that are there, in no order that counts.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &VineNode> {
        count_visited(self.graph.nodes.len());
        let nodes = self.graph.nodes.iter().enumerate();
        let there = nodes.filter(|(at, _)| !self.gone.contains(at));
        there.map(|(_, node)| &**node)
    }

    /// Adds a node at the end; gives its ID back when that is taken.
    pub(super) fn push(&mut self, node: VineNode) -> Result<(), Box<str>> {
        let at = self.graph.nodes.len();
        let named = node.dependencies.clone();
        self.graph.push(node)?;
        count_visited(1);
        for id in named {
            self.added.entry(id).or_default().push(at);
        }
        if let Some(row) = &mut self.row {
            row.push(at);
        }
        Ok(())
    }

    /// Lets a node depend on another one.
    pub(super) fn depend(&mut self, id: &str, on: &str) {
        if let Some(at) = self.graph.position(id) {
            self.node_mut(at).dependencies.push(on.into());
            self.added.entry(on.into()).or_default().push(at);
        }
    }

    /// Takes a node out, and its ID out of all dependencies.
    pub(super) fn remove(&mut self, id: &str) {
        let Some(at) = self.graph.position(id) else {
            return;
        };
        for waiting in self.waiting(at, id) {
            let dependencies = &mut self.node_mut(waiting).dependencies;
            dependencies.retain(|of| **of != *id);
        }
        Arc::make_mut(&mut self.graph.places).remove(&self.graph.nodes, id);
        self.graph.renamed.remove(id);
        self.added.remove(id);
        self.gone.insert(at);
        if let Some(row) = &mut self.row {
            row.take_out(at);
        }
    }

    /// Gives a node another ID, in all dependencies, too.
    pub(super) fn rename(&mut self, id: &str, new: &str) {
        let Some(at) = self.graph.position(id) else {
            return;
        };
        let renamed = &mut self.graph.renamed;
        let was = renamed.remove(id).unwrap_or_else(|| id.into());
        renamed.insert(new.into(), was);
        for waiting in self.waiting(at, id) {
            let of = self.node_mut(waiting).dependencies.iter_mut();
            of.filter(|of| ***of == *id).for_each(|of| *of = new.into());
        }
        let places = Arc::make_mut(&mut self.graph.places);
        places.remove(&self.graph.nodes, id);
        self.node_mut(at).id = new.into();
        Arc::make_mut(&mut self.graph.places).insert(&self.graph.nodes, at);
        let mut moved = self.added.remove(id).unwrap_or_default();
        self.added.entry(new.into()).or_default().append(&mut moved);
    }

    /// Puts a node before another one, or at the end. Both are there.
    pub(super) fn put_before(&mut self, id: &str, before: Option<&str>) {
        let Some(at) = self.graph.position(id) else {
            return;
        };
        let before = before.and_then(|id| self.graph.position(id));
        if before == Some(at) {
            return;
        }
        let (count, gone) = (self.graph.nodes.len(), &self.gone);
        let row = self.row.get_or_insert_with(|| Row::of(count, gone));
        row.take_out(at);
        row.put(at, before);
    }

    /// The numbers of the nodes that depend on one.
    fn waiting(&self, at: usize, id: &str) -> Vec<usize> {
        let known = self.before.map_or(&[][..], |plan| plan.waiting_for(at));
        let known = known.iter().map(|at| *at as usize);
        let added = self.added.get(id).into_iter().flatten().copied();
        let depends = |at: &usize| {
            count_visited(1);
            let node = &self.graph.nodes[*at];
            !self.gone.contains(at) && node.dependencies.iter().any(|of| **of == *id)
        };
        let mut waiting: Vec<usize> = known.chain(added).filter(depends).collect();
        waiting.sort_unstable();
        waiting.dedup();
        waiting
    }

    /// The graph as the operations leave it.
    pub(super) fn graph(self) -> Graph {
        let Self {
            mut graph,
            gone,
            row,
            ..
        } = self;
        let order: Vec<usize> = match row {
            None if gone.is_empty() => return graph,
            None => (0..graph.nodes.len())
                .filter(|at| !gone.contains(at))
                .collect(),
            Some(row) => row.numbers().collect(),
        };
        let mut places = vec![0; graph.nodes.len()];
        for (place, at) in order.iter().enumerate() {
            places[*at] = place;
        }
        let nodes = order.iter().map(|at| Arc::clone(&graph.nodes[*at]));
        let nodes = nodes.collect();
        Arc::make_mut(&mut graph.places).moved(|at| places[at]);
        graph.nodes = nodes;
        graph
    }
}

/// Numbers in a row from which one can be taken and put elsewhere without a look at the others.
struct Row {
    first: usize,
    last: usize,
    next: Vec<usize>,
    previous: Vec<usize>,
}

/// Stands where no number follows.
const NONE: usize = usize::MAX;

impl Row {
    /// The numbers up to `count` in their order, without those that are gone.
    fn of(count: usize, gone: &HashSet<usize>) -> Self {
        let mut row = Self {
            first: NONE,
            last: NONE,
            next: vec![NONE; count],
            previous: vec![NONE; count],
        };
        for at in (0..count).filter(|at| !gone.contains(at)) {
            row.put(at, None);
        }
        row
    }

    /// Adds a new number at the end.
    fn push(&mut self, at: usize) {
        self.next.resize(at + 1, NONE);
        self.previous.resize(at + 1, NONE);
        self.put(at, None);
    }

    fn take_out(&mut self, at: usize) {
        let (previous, next) = (self.previous[at], self.next[at]);
        *self.behind(previous) = next;
        *self.before(next) = previous;
    }

    /// Puts a number before another one, or at the end.
    fn put(&mut self, at: usize, before: Option<usize>) {
        let next = before.unwrap_or(NONE);
        let previous = std::mem::replace(self.before(next), at);
        *self.behind(previous) = at;
        (self.previous[at], self.next[at]) = (previous, next);
    }

    /// Returns the entry that says which number follows one; which is the first, for none.
    fn behind(&mut self, at: usize) -> &mut usize {
        match at {
            NONE => &mut self.first,
            at => &mut self.next[at],
        }
    }

    /// Returns the entry that says which number precedes one; which is the last, for none.
    fn before(&mut self, at: usize) -> &mut usize {
        match at {
            NONE => &mut self.last,
            at => &mut self.previous[at],
        }
    }

    fn numbers(&self) -> impl Iterator<Item = usize> {
        let there = |at: usize| Some(at).filter(|at| *at != NONE);
        std::iter::successors(there(self.first), move |at| there(self.next[*at]))
    }
}
