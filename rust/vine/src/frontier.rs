//! The nodes that can be acted on now, and questions about dependencies (reference vine 5).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::error::VineError;
use super::model::{Graph, NodeContent, TaskStatus, VineNode};
use super::moves::NodeMoves;
use super::network::DependencyIndex;
use super::validate::validate;
use chant_base::counted::count_visited;
use chant_base::external_items::ExternalStatus;

/// A valid graph with what depends on what worked out, and what can be acted on.
#[derive(Debug, Clone)]
pub struct GraphPlan {
    /// The graph.
    pub graph: Graph,
    /// The nodes that can be acted on now.
    pub frontier: Frontier,
    /// The progress of the graph.
    pub progress: GraphProgress,
    /// Of each node by its place, kept together: every change looks at all of them.
    statuses: Vec<Option<TaskStatus>>,
    /// Of each node by its place, what can be done about it.
    turns: Vec<Option<NodeAction>>,
    network: Arc<DependencyIndex>,
    /// The needs that nodes have of other dialects, by the places of the nodes.
    needs: Arc<[(usize, Box<str>)]>,
    /// Those of these needs that are not done, by the places of the nodes that have them.
    held: BTreeMap<usize, Vec<Box<str>>>,
}

/// The action that a node is open to: the list of the frontier that it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NodeAction {
    Start,
    Complete,
    Expand,
    Unblock,
    Wait,
}

/// Nodes that can be acted on, by their places in the graph, each list in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frontier {
    /// Tasks to pick up.
    pub ready_to_start: Vec<usize>,
    /// Tasks under review that another task builds on already.
    pub ready_to_complete: Vec<usize>,
    /// References to put the other graph in place of.
    pub needs_expansion: Vec<usize>,
    /// Blocked tasks that nothing else holds up.
    pub blocked: Vec<usize>,
    /// Tasks that are being worked on.
    pub in_progress: Vec<usize>,
}

impl GraphPlan {
    /// Validates a graph and works out what depends on what.
    ///
    /// # Errors
    /// `VineError::Invalid`.
    ///
    /// ```
    /// use chant_vine::{frontier::GraphPlan, parse};
    ///
    /// let text = "vine 1.1.0\n---\n[ship] Ship (notstarted)\n-> build\n---\n[build] Build (notstarted)\n";
    /// let plan = GraphPlan::of(parse::graph(text)?)?;
    /// let ready = plan.frontier.ready_to_start.iter().map(|at| &*plan.graph.nodes[*at].id);
    /// assert_eq!(ready.collect::<Vec<_>>(), ["build"]);
    /// # Ok::<(), chant_vine::error::VineError>(())
    /// ```
    pub fn of(graph: Graph) -> Result<Self, VineError> {
        validate(&graph)?;
        let network = Arc::new(DependencyIndex::of(&graph));
        let statuses: Vec<_> = graph.nodes.iter().map(|node| node.status()).collect();
        let mut plan = Self {
            frontier: Frontier::default(),
            progress: GraphProgress::of(&statuses, network.leaves()),
            turns: Vec::new(),
            needs: needs_of(&graph),
            held: BTreeMap::new(),
            graph,
            statuses,
            network,
        };
        plan.turns = (0..plan.statuses.len()).map(|at| plan.turn(at)).collect();
        plan.frontier = plan.found_frontier();
        Ok(plan)
    }

    /// The plan of a graph that was this one's and may have changed.
    ///
    /// # Errors
    /// `VineError::Invalid`.
    pub fn renewed(&self, graph: Graph) -> Result<Self, VineError> {
        let moves = NodeMoves::between(&self.graph, &graph);
        let is_like = |at: &usize| {
            let (old, new) = (&self.graph.nodes[*at], &graph.nodes[*at]);
            old.id == new.id
                && old.dependencies == new.dependencies
                && !matches!(&new.work, NodeContent::Ref { vine } if vine.is_empty())
        };
        let network = if moves.are_in_place() && moves.fresh.iter().all(is_like) {
            Arc::clone(&self.network)
        } else {
            match self.network.renewed(&graph, &moves) {
                Some(network) => Arc::new(network),
                // What is wrong with it is for the whole to say.
                None => return Self::of(graph),
            }
        };
        Ok(self.after(graph, network, &moves))
    }

    /// The plan of a valid graph that was this one's, of which the nodes moved like that.
    fn after(&self, graph: Graph, network: Arc<DependencyIndex>, moves: &NodeMoves) -> Self {
        let taken_over = |at: usize| moves.was(at);
        let status = |at: usize| taken_over(at).and_then(|was| self.statuses[was]);
        let turn = |at: usize| taken_over(at).and_then(|was| self.turns[was]);
        let mut statuses: Vec<_> = (0..graph.nodes.len()).map(status).collect();
        for at in &moves.fresh {
            count_visited(1);
            statuses[*at] = graph.nodes[*at].status();
        }
        let mut plan = Self {
            frontier: Frontier::default(),
            progress: GraphProgress::of(&statuses, network.leaves()),
            turns: (0..statuses.len()).map(turn).collect(),
            needs: self.needs_after(&graph, moves),
            held: BTreeMap::new(),
            graph,
            statuses,
            network,
        };
        for at in plan.concerned(self, moves) {
            count_visited(1);
            plan.turns[at] = plan.turn(at);
        }
        plan.frontier = plan.found_frontier();
        plan
    }

    /// The places of the nodes for which it may be another's turn after a change: those that changed, their
    /// neighbours before and after, and those of which has to be asked again how far others are.
    fn concerned(&self, before: &Self, moves: &NodeMoves) -> Vec<usize> {
        let around = |plan: &Self, at: usize| {
            let (needs, needed_by) = (plan.network.needs(at), plan.network.needed_by(at));
            let both = needs.iter().chain(needed_by).map(|at| *at as usize);
            both.collect::<Vec<usize>>()
        };
        let mut places = moves.fresh.clone();
        places.extend(moves.fresh.iter().flat_map(|at| around(self, *at)));
        let changed = moves.fresh.iter().filter_map(|at| moves.was(*at));
        let old = moves.gone().chain(changed);
        let old = old
            .flat_map(|was| around(before, was))
            .chain(before.held.keys().copied());
        places.extend(old.filter_map(|was| moves.now(was)));
        places
    }

    /// Returns the needs that nodes have of other dialects after a change.
    fn needs_after(&self, graph: &Graph, moves: &NodeMoves) -> Arc<[(usize, Box<str>)]> {
        let names = |at: &usize| graph.nodes[*at].needs().next().is_some();
        if self.needs.is_empty() && !moves.fresh.iter().any(names) {
            return Arc::clone(&self.needs);
        }
        let is_fresh = |at: &usize| moves.fresh.binary_search(at).is_ok();
        let kept = self.needs.iter().filter_map(|(was, key)| {
            let at = moves.now(*was).filter(|at| !is_fresh(at))?;
            Some((at, key.clone()))
        });
        let fresh = moves.fresh.iter().flat_map(|at| {
            let keys = graph.nodes[*at].needs();
            keys.map(|key| (*at, Box::from(key)))
        });
        let mut needs: Vec<(usize, Box<str>)> = kept.chain(fresh).collect();
        needs.sort_by_key(|(at, _)| *at);
        needs.into()
    }

    /// The keys of the items of other dialects that nodes need, in the order of the file.
    pub fn needs(&self) -> Vec<String> {
        self.needs.iter().map(|(_, key)| key.to_string()).collect()
    }

    /// Returns the needs that nodes have of other dialects, in the order of [`GraphPlan::needs`], each with
    /// whether it is done.
    pub fn needs_met(&self) -> impl Iterator<Item = (&str, bool)> {
        let needs = self.needs.iter();
        needs.map(|(at, key)| (&**key, self.held_by(*at).all(|held| held != &**key)))
    }

    /// Returns the needs that a node has of other dialects that are not done.
    pub fn held_by(&self, at: usize) -> impl Iterator<Item = &str> {
        let keys = self.held.get(&at).into_iter().flatten();
        keys.map(|key| &**key)
    }

    /// The plan as it is when the items that nodes need are that far, in the order of
    /// [`GraphPlan::needs`]; `None` when that is how it was taken already.
    #[must_use]
    pub fn with_statuses(&self, standings: &[ExternalStatus]) -> Option<Self> {
        let mut held: BTreeMap<usize, Vec<Box<str>>> = BTreeMap::new();
        for ((at, key), standing) in self.needs.iter().zip(standings) {
            if !standing.is_done() {
                held.entry(*at).or_default().push(key.clone());
            }
        }
        if held == self.held {
            return None;
        }
        let mut plan = self.clone();
        plan.held = held;
        for (at, _) in self.needs.iter() {
            plan.turns[*at] = plan.turn(*at);
        }
        plan.frontier = plan.found_frontier();
        Some(plan)
    }

    /// The root: everything else is there for it.
    pub fn root(&self) -> &VineNode {
        &self.graph.nodes[0]
    }

    /// The nodes that depend on one directly, in the order of the file.
    pub fn dependants(&self, id: &str) -> impl Iterator<Item = &VineNode> {
        let at = self.graph.position(id);
        let list = at.map_or(&[][..], |at| self.network.needed_by(at));
        list.iter().map(|at| &*self.graph.nodes[*at as usize])
    }

    /// All nodes that depend on one, directly or not, without itself, in the order of the file.
    pub fn descendants(&self, id: &str) -> Vec<&VineNode> {
        self.reached(id, |at| self.waiting_for(at))
    }

    /// All nodes that one depends on, directly or not, without itself, in the order of the file.
    pub fn needed(&self, id: &str) -> Vec<&VineNode> {
        self.reached(id, |at| self.network.needs(at))
    }

    /// The places of the nodes that depend on the one at a place, in the order of the file.
    pub(super) fn waiting_for(&self, at: usize) -> &[u32] {
        self.network.needed_by(at)
    }

    fn reached<'a>(&'a self, id: &str, next: impl Fn(usize) -> &'a [u32]) -> Vec<&'a VineNode> {
        let Some(start) = self.graph.position(id) else {
            return Vec::new();
        };
        let mut reached = BTreeSet::new();
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            count_visited(1);
            if reached.insert(at) {
                open.extend(next(at).iter().map(|at| *at as usize));
            }
        }
        reached.remove(&start);
        let nodes = reached.into_iter();
        nodes.map(|at| &*self.graph.nodes[at]).collect()
    }

    fn dependencies(&self, at: usize) -> impl Iterator<Item = usize> {
        self.network.needs(at).iter().map(|at| *at as usize)
    }

    /// Returns true if a task can be picked up now.
    pub fn is_ready(&self, at: usize) -> bool {
        self.turns[at] == Some(NodeAction::Start)
    }

    /// Returns the nodes that a node still waits for, by their places.
    pub fn unmet(&self, at: usize) -> impl Iterator<Item = usize> {
        let is_unmet = |at: &usize| !self.statuses[*at].is_some_and(TaskStatus::is_satisfied);
        self.dependencies(at).filter(is_unmet)
    }

    /// Returns the action that a node is open to.
    fn turn(&self, at: usize) -> Option<NodeAction> {
        match self.statuses[at] {
            Some(TaskStatus::Complete) => None,
            Some(TaskStatus::Started) => Some(NodeAction::Wait),
            _ if self.unmet(at).next().is_some() || self.held.contains_key(&at) => None,
            None => Some(NodeAction::Expand),
            Some(TaskStatus::NotStarted | TaskStatus::Planning) => Some(NodeAction::Start),
            Some(TaskStatus::Blocked) => Some(NodeAction::Unblock),
            Some(TaskStatus::Reviewing) => self.is_consumed(at).then_some(NodeAction::Complete),
        }
    }

    fn found_frontier(&self) -> Frontier {
        let mut frontier = Frontier::default();
        for (at, turn) in self.turns.iter().enumerate() {
            let list = match turn {
                None => continue,
                Some(NodeAction::Start) => &mut frontier.ready_to_start,
                Some(NodeAction::Complete) => &mut frontier.ready_to_complete,
                Some(NodeAction::Expand) => &mut frontier.needs_expansion,
                Some(NodeAction::Unblock) => &mut frontier.blocked,
                Some(NodeAction::Wait) => &mut frontier.in_progress,
            };
            list.push(at);
        }
        // No node depends on the root: it is done with the last of the others.
        let by_status = &self.progress.by_status;
        let done =
            by_status[TaskStatus::Complete as usize] + by_status[TaskStatus::Reviewing as usize];
        if self.root().status() == Some(TaskStatus::Reviewing)
            && done == self.graph.nodes.len()
            && !self.held.contains_key(&0)
            && !frontier.ready_to_complete.contains(&0)
        {
            frontier.ready_to_complete.push(0);
        }
        frontier
    }

    /// Returns true if a task that depends on this one has started.
    fn is_consumed(&self, at: usize) -> bool {
        let has_begun = |status| {
            matches!(
                status,
                TaskStatus::Started | TaskStatus::Reviewing | TaskStatus::Complete
            )
        };
        let nodes = self.waiting_for(at).iter();
        nodes
            .filter_map(|at| self.statuses[*at as usize])
            .any(has_begun)
    }

    /// Returns true if there is nothing to be acted on, though work may be in progress.
    pub fn is_stuck(&self) -> bool {
        let Frontier {
            ready_to_start,
            ready_to_complete,
            needs_expansion,
            blocked,
            ..
        } = &self.frontier;
        let lists = [ready_to_start, ready_to_complete, needs_expansion, blocked];
        lists.iter().all(|list| list.is_empty()) && self.progress.complete() < self.progress.total
    }

    /// The unfinished nodes that wait for others, with what they wait for, in the order of the file: IDs
    /// of nodes, then keys of other dialects.
    pub fn waiting(&self) -> impl Iterator<Item = (&VineNode, Vec<&str>)> {
        let node = |at: usize| &*self.graph.nodes[at];
        let unfinished = (0..self.graph.nodes.len()).filter(move |at| {
            !matches!(
                node(*at).status(),
                Some(TaskStatus::Complete | TaskStatus::Started)
            )
        });
        unfinished
            .map(move |at| {
                let inside = self.unmet(at).map(|at| &*node(at).id);
                (node(at), inside.chain(self.held_by(at)).collect::<Vec<_>>())
            })
            .filter(|(_, unmet)| !unmet.is_empty())
    }
}

fn needs_of(graph: &Graph) -> Arc<[(usize, Box<str>)]> {
    let nodes = graph.nodes.iter().enumerate();
    let needs = nodes.flat_map(|(at, node)| node.needs().map(move |key| (at, key.into())));
    needs.collect()
}

/// The number of nodes, in all and by status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphProgress {
    /// All nodes, references included.
    pub total: usize,
    /// Tasks by status, in the order of [`TaskStatus::ALL`].
    pub by_status: [usize; 6],
    /// Nodes that depend on nothing.
    pub leaves: usize,
}

impl GraphProgress {
    /// Counts nodes by their statuses.
    fn of(statuses: &[Option<TaskStatus>], leaves: usize) -> Self {
        let mut by_status = [0; 6];
        for status in statuses.iter().flatten() {
            by_status[*status as usize] += 1;
        }
        Self {
            total: statuses.len(),
            by_status,
            leaves,
        }
    }

    /// Tasks that are complete.
    pub fn complete(&self) -> usize {
        self.by_status[TaskStatus::Complete as usize]
    }

    /// Returns the share that is complete, in per cent, rounded half up; 100 only when all is (reference vine
    /// W17).
    pub fn percentage(&self) -> usize {
        let rounded = (self.complete() * 200 + self.total) / (self.total * 2).max(1);
        let is_whole = self.complete() == self.total;
        rounded.min(if is_whole { 100 } else { 99 })
    }
}

/// The nodes whose ID, name or description holds a text, in any case; in the order of the file.
pub fn search<'a>(graph: &'a Graph, query: &str) -> Vec<&'a VineNode> {
    count_visited(graph.nodes.len());
    let query = query.to_lowercase();
    let holds = |text: &str| text.to_lowercase().contains(&query);
    let nodes = graph.nodes.iter().map(|node| &**node);
    nodes
        .filter(|node| holds(&node.id) || holds(&node.name) || holds(&node.description))
        .collect()
}

/// The nodes that stand for other files, in the order of the file.
pub fn refs(graph: &Graph) -> Vec<&VineNode> {
    count_visited(graph.nodes.len());
    let is_ref = |node: &&VineNode| matches!(node.work, NodeContent::Ref { .. });
    let nodes = graph.nodes.iter().map(|node| &**node);
    nodes.filter(is_ref).collect()
}
