//! Tasks as a graph: what waits for what, what can be done at once, what keeps one from being ticked.
//!
//! A task waits for its parts, for what it says it depends on, and its turn: one without `[P]` comes
//! after all before it in its phase, one with `[P]` after the last one without. Phases come in order,
//! but those of user stories only after the ones that belong to no story.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::task::{Task, TaskList, TaskMark};
use chant_base::external_items::{self, ExternalStatus};
use chant_graph::{DepGraph, Edge, EdgeKind, ItemProgress, Node};

/// A task list and its graph.
pub struct TaskPlan<'a> {
    /// The tasks.
    pub list: &'a TaskList,
    /// The graph of dependencies: tasks by their IDs in capitals, phases by `phase` and their place.
    pub graph: DepGraph,
    /// By node, the task it stands for.
    tasks: HashMap<Node, usize>,
    /// The facts about each phase.
    phases: Vec<PhaseFacts>,
    /// By task, those of the same phase and depth that it comes after.
    turns: Vec<Vec<usize>>,
    /// By task, its parts.
    parts: Vec<Vec<usize>>,
    /// The states of the items of other documents that are depended on, by their keys.
    standings: BTreeMap<String, ExternalStatus>,
}

/// The thing that a node of the graph stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanNode<'a> {
    /// A task, by its place.
    Task(usize),
    /// A phase, by its place.
    Phase(usize),
    /// An item of other documents, by its key.
    Elsewhere(&'a str),
    /// A task that the list does not have, by its ID in capitals.
    Missing(&'a str),
}

/// The properties of a phase that others depend on.
#[derive(Debug, Clone, Copy, Default)]
struct PhaseFacts {
    has_tasks: bool,
    is_open: bool,
    is_of_story: bool,
}

/// Why a task should not be ticked yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskBlockers {
    /// Parts of it that are open.
    pub parts: Vec<String>,
    /// The IDs that it depends on and that are open.
    pub dependencies: Vec<String>,
    /// Items of other documents that it depends on and are not done, with what is known of them.
    pub needs: Vec<String>,
    /// Phases before its own that have open tasks.
    pub phases: Vec<String>,
}

fn key_of(task: &Task) -> String {
    task.id.to_ascii_uppercase()
}

impl<'a> TaskPlan<'a> {
    /// Draws the graph of a list, when the items of other documents that its tasks depend on are that
    /// far, in the order of [`TaskList::needs`]. An ID that stands there twice is one node, open while one
    /// of them is.
    pub fn with_statuses(list: &'a TaskList, standings: &[ExternalStatus]) -> Self {
        let mut plan = Self {
            list,
            graph: DepGraph::default(),
            tasks: HashMap::new(),
            phases: facts(list),
            turns: turns(list),
            parts: parts(list),
            standings: list
                .needs()
                .into_iter()
                .zip(standings.iter().cloned())
                .collect(),
        };
        for (key, standing) in &plan.standings {
            let node = plan.graph.intern(key);
            if standing.is_done() {
                plan.graph.set_progress(node, ItemProgress::Done);
            }
        }
        for (at, task) in list.tasks.iter().enumerate() {
            let node = plan.graph.intern(&key_of(task));
            let is_open = !task.mark.is_settled();
            let is_first = !plan.tasks.contains_key(&node);
            plan.tasks.entry(node).or_insert(at);
            if is_first || is_open {
                let progress = if is_open {
                    ItemProgress::Open
                } else {
                    ItemProgress::Done
                };
                plan.graph.set_progress(node, progress);
            }
        }
        let phases: Vec<Node> = (0..list.phases.len())
            .map(|phase| plan.phase_node(phase))
            .collect();
        for (at, task) in list.tasks.iter().enumerate() {
            let edges = plan.edges(at, task, &phases);
            if let Some(node) = plan.graph.find(&key_of(task))
                && plan.tasks.get(&node) == Some(&at)
            {
                plan.graph.set_edges(node, edges);
            }
        }
        plan
    }

    fn phase_node(&mut self, phase: usize) -> Node {
        let node = self.graph.intern(&format!("phase {phase}"));
        let is_open = self.phases[phase].is_open;
        let progress = if is_open {
            ItemProgress::Open
        } else {
            ItemProgress::Done
        };
        self.graph.set_progress(node, progress);
        node
    }

    /// The phases that come before that of a task.
    fn before(&self, task: &Task) -> Vec<usize> {
        let Some(own) = task.phase else {
            return Vec::new();
        };
        let is_story = self.phases[own].is_of_story;
        let counts = |phase: &usize| {
            let facts = self.phases[*phase];
            facts.has_tasks && !(is_story && facts.is_of_story)
        };
        (0..own).filter(counts).collect()
    }

    fn edges(&mut self, at: usize, task: &Task, phases: &[Node]) -> Vec<Edge> {
        let via = self.graph.intern(&key_of(task));
        let list = self.list;
        let mut edges = Vec::new();
        let mut seen = HashSet::from([via]);
        let mut add = |to: Node, kind: EdgeKind| {
            if seen.insert(to) {
                edges.push(Edge { to, kind, via });
            }
        };
        for part in &self.parts[at] {
            add(
                self.graph.intern(&key_of(&list.tasks[*part])),
                EdgeKind::Member,
            );
        }
        for id in &task.depends_on {
            add(
                self.graph.intern(&id.to_ascii_uppercase()),
                EdgeKind::Explicit,
            );
        }
        for key in &task.needs {
            add(self.graph.intern(key), EdgeKind::Explicit);
        }
        for before in &self.turns[at] {
            add(
                self.graph.intern(&key_of(&list.tasks[*before])),
                EdgeKind::Sibling,
            );
        }
        let mut above = task.parent;
        while let Some(at) = above {
            let whole = &list.tasks[at];
            for id in &whole.depends_on {
                add(
                    self.graph.intern(&id.to_ascii_uppercase()),
                    EdgeKind::Inherited,
                );
            }
            for key in &whole.needs {
                add(self.graph.intern(key), EdgeKind::Inherited);
            }
            for before in &self.turns[at] {
                add(
                    self.graph.intern(&key_of(&list.tasks[*before])),
                    EdgeKind::Sibling,
                );
            }
            above = whole.parent;
        }
        for phase in self.before(task) {
            add(phases[phase], EdgeKind::Sibling);
        }
        edges
    }

    fn node(&self, at: usize) -> Option<Node> {
        self.graph.find(&key_of(&self.list.tasks[at]))
    }

    /// The tasks that can be worked on now, all of them at once.
    pub fn ready(&self) -> Vec<&'a Task> {
        let places = self.ready_places();
        places.map(|at| &self.list.tasks[at]).collect()
    }

    /// The places of the tasks that can be worked on now.
    pub fn ready_places(&self) -> impl Iterator<Item = usize> {
        let is_free = |node: Node| self.graph.unmet(node).next().is_none();
        let places = 0..self.list.tasks.len();
        let open =
            places.filter(|at| !self.list.tasks[*at].mark.is_settled() && self.is_first(*at));
        open.filter(move |at| self.node(*at).is_some_and(is_free))
    }

    /// Returns true if no task before this one has its ID.
    pub fn is_first(&self, at: usize) -> bool {
        let node = self.node(at);
        node.is_some_and(|node| self.tasks.get(&node) == Some(&at))
    }

    /// IDs of the tasks, and titles of the phases, that a task still waits for.
    pub fn unmet(&self, at: usize) -> Vec<String> {
        let node = self.node(at);
        let edges = node.into_iter().flat_map(|node| self.graph.unmet(node));
        edges.map(|edge| self.name(edge.to)).collect()
    }

    fn name(&self, node: Node) -> String {
        match self.stands(node) {
            PlanNode::Task(at) => self.list.tasks[at].id.to_string(),
            PlanNode::Phase(at) => self.list.phases[at].title.clone(),
            PlanNode::Elsewhere(key) | PlanNode::Missing(key) => key.to_owned(),
        }
    }

    /// Returns the thing that a node of the graph stands for.
    pub fn stands(&self, node: Node) -> PlanNode<'_> {
        if let Some(at) = self.tasks.get(&node) {
            return PlanNode::Task(*at);
        }
        let key = self.graph.key(node);
        let phase = key.strip_prefix("phase ").and_then(|at| at.parse().ok());
        match phase {
            Some(at) => PlanNode::Phase(at),
            None if external_items::is_key(key) => PlanNode::Elsewhere(key),
            None => PlanNode::Missing(key),
        }
    }

    /// Returns the edges to everything that the task of an ID waits for, met or not.
    pub fn edges_of(&self, at: usize) -> &[Edge] {
        let own = self.node(at);
        own.map_or(&[], |node| self.graph.edges(node))
    }

    /// Returns true if nothing waits for a task any more: all of its ID are settled.
    pub fn is_settled(&self, at: usize) -> bool {
        let node = self.node(at);
        node.is_some_and(|node| self.graph.progress(node) == ItemProgress::Done)
    }

    /// Returns the reasons against ticking a task.
    pub fn blockers(&self, at: usize) -> TaskBlockers {
        let task = &self.list.tasks[at];
        let parts = self.parts[at].iter().map(|part| &self.list.tasks[*part]);
        let parts = parts.filter(|part| !part.mark.is_settled());
        let criteria = task.criteria.iter();
        let criteria = criteria.filter(|one| one.is_nested && !one.mark.is_settled());
        // The last open box below a task without a box of its own is what ticking it ticks.
        let is_last = task.box_at.is_none() && criteria.clone().count() == 1;
        let criteria = criteria.filter(|_| !is_last);
        let is_open = |id: &&String| {
            let node = self.graph.find(&id.to_ascii_uppercase());
            node.is_none_or(|node| self.graph.progress(node) != ItemProgress::Done)
        };
        let before = self.before(task).into_iter();
        let phases = before.filter(|phase| self.phases[*phase].is_open);
        TaskBlockers {
            parts: parts
                .map(|part| part.id.to_string())
                .chain(criteria.map(|one| format!("`{}`", one.text)))
                .collect(),
            dependencies: task.depends_on.iter().filter(is_open).cloned().collect(),
            needs: task.needs.iter().filter_map(|key| self.need(key)).collect(),
            phases: phases
                .map(|phase| self.list.phases[phase].title.clone())
                .collect(),
        }
    }

    /// An item of other documents with what is known of it; `None` for one that is done.
    fn need(&self, key: &str) -> Option<String> {
        match self.standings.get(key) {
            Some(ExternalStatus::Found { is_done: true, .. }) => None,
            Some(ExternalStatus::Found { status, .. }) => Some(format!("{key} ({status})")),
            Some(ExternalStatus::Unknown(why)) => Some(format!("{key} ({why})")),
            None => Some(key.to_owned()),
        }
    }

    /// Returns true if a task of this ID exists.
    pub fn knows(&self, id: &str) -> bool {
        !self.list.named(id).is_empty()
    }

    /// The next task in the order of the file that is to be done: one that is ready, else the first.
    pub fn next(&self) -> Option<&'a Task> {
        let ready = self.ready().into_iter().next();
        let open = |task: &&Task| task.mark == TaskMark::Open || task.mark == TaskMark::Partial;
        ready.or_else(|| self.list.tasks.iter().find(open))
    }
}

/// By task, those of the same phase and depth that it comes after: one without `[P]` after all since the
/// last one without, one with `[P]` after that one.
fn turns(list: &TaskList) -> Vec<Vec<usize>> {
    let mut places: HashMap<(Option<usize>, Option<usize>), Vec<usize>> = HashMap::new();
    let turn = |(at, task): (usize, &Task)| {
        let since = places.entry((task.phase, task.parent)).or_default();
        let is_single = |before: &usize| !list.tasks[*before].is_parallel;
        let last = since.first().copied().filter(is_single);
        let turn = if task.is_parallel {
            last.into_iter().collect()
        } else {
            since.iter().rev().copied().collect()
        };
        if !task.is_parallel {
            since.clear();
        }
        since.push(at);
        turn
    };
    list.tasks.iter().enumerate().map(turn).collect()
}

/// By task, its parts, without those inside these.
fn parts(list: &TaskList) -> Vec<Vec<usize>> {
    let mut parts = vec![Vec::new(); list.tasks.len()];
    for (at, task) in list.tasks.iter().enumerate() {
        if let Some(whole) = task.parent {
            parts[whole].push(at);
        }
    }
    parts
}

fn facts(list: &TaskList) -> Vec<PhaseFacts> {
    let of_heading = |phase: &super::task::TaskPhase| PhaseFacts {
        is_of_story: phase.story.is_some(),
        ..PhaseFacts::default()
    };
    let mut facts: Vec<PhaseFacts> = list.phases.iter().map(of_heading).collect();
    for task in &list.tasks {
        if let Some(phase) = task.phase.and_then(|phase| facts.get_mut(phase)) {
            phase.has_tasks = true;
            phase.is_open |= !task.mark.is_settled();
            phase.is_of_story |= !task.stories.is_empty();
        }
    }
    facts
}
