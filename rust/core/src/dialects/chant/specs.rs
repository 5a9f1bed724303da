//! All active specs of a project with the graph between them, kept up to date change by change.
//!
//! One predicate decides what is blocked, what waits and what is ready: [`Specs::waits`]. Lists,
//! status, diagnosis, lint and the start of work all ask it.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::id::SpecId;
use super::model::{Broken, Problem, Spec, Status};
use super::parse::Document;
use crate::graph::cycles::Cycle;
use crate::graph::{DepGraph, Edge, Kind, Node, Progress};
use crate::ident::Resolved;
use crate::store::index::Change;

/// So many changes at once are sorted in together instead of one by one.
const MANY: usize = 64;

/// The specs below `.chant/specs`, by ID, and what waits for what.
#[derive(Clone, Default)]
pub struct Specs {
    graph: DepGraph,
    /// Specs by the index of their node.
    by_node: Vec<Option<Arc<Spec>>>,
    /// The same specs in the order of their IDs.
    order: Vec<Arc<Spec>>,
    /// Files that are no specs, by path.
    broken: BTreeMap<Box<str>, Arc<Broken>>,
    /// Further files of an ID that is taken, by ID and path.
    spare: BTreeMap<(Box<str>, Box<str>), Arc<Spec>>,
    /// Named dependencies that are no active specs, with what is known of them.
    elsewhere: BTreeMap<Node, Elsewhere>,
    overview: OnceLock<Overview>,
    names: OnceLock<String>,
}

/// A dependency that is not among the active specs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elsewhere {
    /// Nothing of that ID is known.
    Unknown,
    /// It lies outside the active specs and is in this state.
    Found {
        /// Its state.
        status: Status,
        /// Where it lies, as a person would say it.
        place: String,
    },
    /// It could not be looked up; the text says why.
    Unreachable(String),
}

/// Counts and lists over all specs, computed once after a change.
#[derive(Debug, Clone)]
pub struct Overview {
    /// State of each spec as others see it, in the order of IDs.
    pub statuses: Vec<Status>,
    /// How many specs are in each state, in the order of [`Status::ALL`].
    pub counts: [usize; 9],
    /// Positions of the specs that can be worked on now, ascending.
    pub ready: Vec<usize>,
}

/// What a spec waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wait {
    /// Somebody has to agree first.
    Approval,
    /// Another item has to be done first.
    Item {
        /// Its ID or key as named.
        id: String,
        /// Why the spec waits for it.
        kind: Kind,
        /// The containing spec that names it, for [`Kind::Inherited`].
        via: Option<String>,
        /// Its state where one is known.
        status: Option<Status>,
        /// What else is to be said of it: that it is unknown, unreadable, elsewhere.
        note: Option<String>,
    },
}

impl Wait {
    /// Whether the spec counts as blocked by this; it merely waits its turn otherwise.
    pub fn blocks(&self) -> bool {
        match self {
            Self::Approval => true,
            Self::Item { kind, .. } => kind.blocks(),
        }
    }
}

// Keeping up with the disk.
impl Specs {
    /// Takes in what changed on disk.
    pub fn apply(&mut self, changes: Vec<Change<Document>>) {
        self.overview = OnceLock::new();
        let mut families: Vec<Box<str>> = Vec::with_capacity(changes.len());
        let mut fresh: Vec<Arc<Spec>> = Vec::new();
        for Change { path, document } in changes {
            self.broken.remove(&path);
            match document {
                Some(Ok(spec)) => {
                    families.push(spec.id.root().into());
                    self.put(Arc::new(spec), &mut fresh);
                }
                gone_or_broken => {
                    families.extend(self.take(&path, &mut fresh));
                    if let Some(Err(broken)) = gone_or_broken {
                        self.broken.insert(path, Arc::new(broken));
                    }
                }
            }
        }
        self.sort_in(fresh);
        families.sort_unstable();
        families.dedup();
        let order = if families.len() > self.order.len() / 4 {
            self.order.clone()
        } else {
            Vec::new()
        };
        if order.is_empty() {
            for root in families {
                let family: Vec<Arc<Spec>> = self.family(&root).cloned().collect();
                self.connect(&family);
            }
        } else {
            for family in order.chunk_by(|a, b| a.id.root() == b.id.root()) {
                self.connect(family);
            }
        }
    }

    /// Puts a spec in; of several files of one ID the one nearest to the specs folder counts.
    fn put(&mut self, spec: Arc<Spec>, fresh: &mut Vec<Arc<Spec>>) {
        let key = |spec: &Spec| (spec.id.as_str().into(), spec.path.clone());
        match self.find(spec.id.as_str()).cloned() {
            Some(held) if held.path != spec.path && rank(&held.path) < rank(&spec.path) => {
                self.spare.insert(key(&spec), spec);
            }
            held => {
                if let Some(held) = held.filter(|held| held.path != spec.path) {
                    self.spare.insert(key(&held), held);
                }
                self.spare.remove(&key(&spec));
                self.set(spec, fresh);
            }
        }
    }

    /// Makes a spec the one of its ID; a new ID waits in `fresh` to be sorted in.
    fn set(&mut self, spec: Arc<Spec>, fresh: &mut Vec<Arc<Spec>>) {
        let node = self.intern(spec.id.as_str());
        let progress = if spec.status.is_done() {
            Progress::Done
        } else {
            Progress::Open
        };
        self.graph.set_progress(node, progress);
        self.elsewhere.remove(&node);
        if self.by_node[node.index()].replace(spec.clone()).is_none() {
            fresh.push(spec);
        } else if let Ok(at) = self.position(&spec.id) {
            self.order[at] = spec;
        } else if let Some(waiting) = fresh.iter_mut().find(|waiting| waiting.id == spec.id) {
            *waiting = spec;
        }
    }

    /// Takes out what a path held; returns the family that has to be drawn anew.
    fn take(&mut self, path: &str, fresh: &mut Vec<Arc<Spec>>) -> Option<Box<str>> {
        let stem = path.rsplit('/').next()?.strip_suffix(".md")?;
        self.spare.remove(&(stem.into(), path.into()));
        let held = self.find(stem).filter(|spec| &*spec.path == path)?.clone();
        let of_id = |(id, _): &&(Box<str>, Box<str>)| **id == *stem;
        let heir = self
            .spare
            .keys()
            .filter(of_id)
            .min_by_key(|(_, path)| rank(path))
            .cloned();
        if let Some(heir) = heir.and_then(|key| self.spare.remove(&key)) {
            self.set(heir, fresh);
        } else if let Some(node) = self.graph.find(stem) {
            self.by_node[node.index()] = None;
            self.graph.set_progress(node, Progress::Absent);
            self.graph.set_edges(node, Vec::new());
            self.elsewhere.insert(node, Elsewhere::Unknown);
            self.names = OnceLock::new();
            if let Ok(at) = self.position(&held.id) {
                self.order.remove(at);
            }
        }
        Some(held.id.root().into())
    }

    fn sort_in(&mut self, fresh: Vec<Arc<Spec>>) {
        if !fresh.is_empty() {
            self.names = OnceLock::new();
        }
        if fresh.len() > MANY {
            self.order.extend(fresh);
            self.order.par_sort_by(|a, b| a.id.cmp(&b.id));
        } else {
            for spec in fresh {
                let at = self.position(&spec.id).unwrap_or_else(|at| at);
                self.order.insert(at, spec);
            }
        }
    }

    fn intern(&mut self, key: &str) -> Node {
        let node = self.graph.intern(key);
        if self.by_node.len() <= node.index() {
            self.by_node.resize(node.index() + 1, None);
        }
        node
    }

    /// Draws the edges of a driver and all its members, or of a single spec (reference chant 4.1–4.3).
    fn connect(&mut self, family: &[Arc<Spec>]) {
        for spec in family {
            let node = self.intern(spec.id.as_str());
            let mut edges: Vec<Edge> = Vec::new();
            for name in spec.depends_on.iter().flatten() {
                edges.push(Edge {
                    to: self.named(name),
                    kind: Kind::Explicit,
                    via: node,
                });
            }
            self.connect_to_what_containers_name(spec, family, node, &mut edges);
            for sibling in earlier_siblings(spec, family) {
                edges.push(Edge {
                    to: self.intern(sibling.id.as_str()),
                    kind: Kind::Sibling,
                    via: node,
                });
            }
            for member in family.iter().filter(|other| contains(&spec.id, &other.id)) {
                edges.push(Edge {
                    to: self.intern(member.id.as_str()),
                    kind: Kind::Member,
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
                        kind: Kind::Inherited,
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
            self.elsewhere.entry(node).or_insert(Elsewhere::Unknown);
        }
        node
    }

    /// Whether every dependency is an active spec.
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

    /// What is known of a dependency that is no active spec.
    pub fn elsewhere(&self, id: &str) -> Option<&Elsewhere> {
        self.elsewhere.get(&self.graph.find(id)?)
    }

    /// Says what was found out about a dependency that is no active spec.
    pub fn found_elsewhere(&mut self, node: Node, found: Elsewhere) {
        let is_done = matches!(&found, Elsewhere::Found { status, .. } if status.is_done());
        self.graph.set_progress(
            node,
            if is_done {
                Progress::Done
            } else {
                Progress::Absent
            },
        );
        if self.elsewhere.insert(node, found.clone()).as_ref() != Some(&found) {
            self.overview = OnceLock::new();
        }
    }
}

// Answers.
impl Specs {
    /// All specs in the order of their IDs.
    pub fn all(&self) -> &[Arc<Spec>] {
        &self.order
    }

    /// The spec of exactly this ID.
    pub fn find(&self, id: &str) -> Option<&Arc<Spec>> {
        self.by_node.get(self.graph.find(id)?.index())?.as_ref()
    }

    /// The graph the specs form; dependencies that are no active specs are nodes too.
    pub fn graph(&self) -> &DepGraph {
        &self.graph
    }

    fn position(&self, id: &SpecId) -> Result<usize, usize> {
        self.order.binary_search_by(|spec| spec.id.cmp(id))
    }

    /// A driver and everything inside it, in order; only what exists.
    fn family<'a>(&'a self, root: &'a str) -> impl Iterator<Item = &'a Arc<Spec>> {
        let start = root
            .parse()
            .map_or(0, |id: SpecId| self.position(&id).unwrap_or_else(|at| at));
        self.order[start..]
            .iter()
            .take_while(move |spec| spec.id.root() == root)
    }

    /// The members of a spec, nested ones included, in order.
    pub fn members<'a>(&'a self, id: &'a SpecId) -> impl Iterator<Item = &'a Arc<Spec>> {
        let start = self.position(id).map_or_else(|at| at, |at| at + 1);
        self.order[start..]
            .iter()
            .take_while(move |spec| contains(id, &spec.id))
    }

    /// Files that are no specs, in the order of their paths.
    pub fn broken(&self) -> impl ExactSizeIterator<Item = &Arc<Broken>> {
        self.broken.values()
    }

    /// The file of this ID that cannot be read, when there is no readable one.
    pub fn broken_of(&self, id: &str) -> Option<&Arc<Broken>> {
        self.broken.values().find(|broken| &*broken.id == id)
    }

    /// The further files of an ID, when it stands in more than one.
    pub fn spare_files(&self, id: &str) -> Vec<&str> {
        self.spare
            .keys()
            .filter(|(of, _)| &**of == id)
            .map(|(_, path)| &**path)
            .collect()
    }

    /// Everything that is wrong with files, in the order of their paths.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems: Vec<Problem> = self
            .broken
            .values()
            .map(|broken| broken.problem.clone())
            .collect();
        problems.extend(
            self.order
                .iter()
                .flat_map(|spec| spec.problems.iter().cloned()),
        );
        for (id, path) in self.spare.keys() {
            let first = self.find(id).map_or("", |spec| &spec.path);
            let message = format!(
                "the ID `{id}` is taken by `{first}`; rename or remove one of the two files"
            );
            problems.push(Problem {
                path: path.clone(),
                line: None,
                message,
            });
        }
        problems.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        problems
    }

    /// A spec's state as others see it: `pending` and `blocked` are told apart by what it waits for
    /// now, whatever is stored.
    pub fn status(&self, spec: &Spec) -> Status {
        match spec.status {
            Status::Pending | Status::Blocked if self.is_blocked(spec) => Status::Blocked,
            Status::Blocked => Status::Pending,
            stored => stored,
        }
    }

    fn is_blocked(&self, spec: &Spec) -> bool {
        !spec.is_approved()
            || self
                .graph
                .find(spec.id.as_str())
                .is_some_and(|node| self.graph.is_blocked(node))
    }

    /// Whether work on a spec can begin now: pending, or failed and worth another try, no container,
    /// and waiting for nothing (reference chant 4.2).
    pub fn is_ready(&self, spec: &Spec) -> bool {
        let may_start = matches!(
            spec.status,
            Status::Pending | Status::Blocked | Status::Failed
        );
        let is_free = |node| self.graph.unmet(node).next().is_none();
        may_start
            && !spec.kind.is_container()
            && spec.is_approved()
            && self.graph.find(spec.id.as_str()).is_some_and(is_free)
    }

    /// Everything a spec still waits for, in the order: approval, what it names, what the specs
    /// that contain it name, earlier siblings, members.
    pub fn waits(&self, spec: &Spec) -> Vec<Wait> {
        let mut waits = Vec::new();
        if !spec.is_approved() {
            waits.push(Wait::Approval);
        }
        let Some(node) = self.graph.find(spec.id.as_str()) else {
            return waits;
        };
        waits.extend(self.graph.unmet(node).map(|edge| self.wait(node, edge)));
        waits
    }

    fn wait(&self, node: Node, edge: &Edge) -> Wait {
        let id = self.graph.key(edge.to).to_owned();
        let found = self.by_node[edge.to.index()]
            .as_ref()
            .map(|spec| self.status(spec));
        let (status, note) = match (found, self.elsewhere.get(&edge.to)) {
            (Some(status), _) => (Some(status), None),
            (None, Some(Elsewhere::Found { status, place })) => {
                (Some(*status), Some(place.clone()))
            }
            (None, Some(Elsewhere::Unreachable(why))) => (None, Some(why.clone())),
            (None, _) => (None, Some(self.why_unknown(&id))),
        };
        let via = (edge.via != node).then(|| self.graph.key(edge.via).to_owned());
        Wait::Item {
            id,
            kind: edge.kind,
            via,
            status,
            note,
        }
    }

    fn why_unknown(&self, id: &str) -> String {
        match self.broken_of(id) {
            Some(broken) => format!("its file {} cannot be read", broken.problem.path),
            None => "no such spec".into(),
        }
    }

    /// Counts and lists over all specs.
    pub fn overview(&self) -> &Overview {
        self.overview.get_or_init(|| {
            let statuses: Vec<Status> = self.order.iter().map(|spec| self.status(spec)).collect();
            let mut counts = [0; 9];
            for status in &statuses {
                counts[*status as usize] += 1;
            }
            let ready = (0..self.order.len())
                .filter(|at| self.is_ready(&self.order[*at]))
                .collect();
            Overview {
                statuses,
                counts,
                ready,
            }
        })
    }

    /// What a full or partial ID stands for (reference chant 2.6): an ID, the end of exactly one, the
    /// sequence of one made `today`, a piece of exactly one.
    pub fn resolve(&self, text: &str, today: &str) -> Resolved<&Arc<Spec>> {
        if let Some(spec) = self.find(text) {
            return Resolved::One(spec);
        }
        let names = self.names.get_or_init(|| {
            let mut names = String::from("\n");
            for spec in &self.order {
                names.push_str(spec.id.as_str());
                names.push('\n');
            }
            names
        });
        if text.is_empty() || text.contains('\n') {
            return Resolved::None;
        }
        let mut hits: Vec<&str> = Vec::new();
        for at in memchr::memmem::find_iter(names.as_bytes(), text.as_bytes()) {
            let start = names[..at].rfind('\n').map_or(0, |line| line + 1);
            let end = names[at..].find('\n').map_or(names.len(), |line| at + line);
            if hits.last() != Some(&&names[start..end]) {
                hits.push(&names[start..end]);
            }
        }
        let only =
            |mut found: Box<dyn Iterator<Item = &str> + '_>| match (found.next(), found.next()) {
                (Some(one), None) => self.find(one),
                _ => None,
            };
        let todays = format!("{today}-{text}-");
        let is_sequence = text.chars().count() == 3;
        let by_end = only(Box::new(
            hits.iter().copied().filter(|id| id.ends_with(text)),
        ));
        let by_sequence = || {
            only(Box::new(
                hits.iter()
                    .copied()
                    .filter(|id| is_sequence && id.starts_with(&todays)),
            ))
        };
        match by_end.or_else(by_sequence) {
            Some(spec) => Resolved::One(spec),
            None => match hits.as_slice() {
                [] => Resolved::None,
                [one] => self.find(one).map_or(Resolved::None, Resolved::One),
                many => Resolved::Many(many.iter().filter_map(|id| self.find(id)).collect()),
            },
        }
    }
}

/// A loop as a person reads it: its items in order, implied steps with their reason, the first item
/// again at the end only when the step back to it is implied.
pub fn steps(graph: &DepGraph, cycle: &Cycle) -> Vec<String> {
    let mut steps: Vec<String> = cycle
        .first()
        .map(|(node, _)| graph.key(*node).to_owned())
        .into_iter()
        .collect();
    for (node, edge) in cycle {
        let (from, to) = (graph.key(*node), graph.key(edge.to));
        let reason = match edge.kind {
            Kind::Explicit if cycle.first().is_some_and(|(first, _)| *first == edge.to) => continue,
            Kind::Explicit => String::new(),
            Kind::Inherited => format!(" (named by its driver {})", graph.key(edge.via)),
            Kind::Sibling => format!(" (earlier sibling of {from})"),
            Kind::Member => format!(" (member of {from})"),
        };
        steps.push(format!("{to}{reason}"));
    }
    steps
}

/// Of several files of one ID the one least deep below the specs folder counts, then by path.
fn rank(path: &str) -> (usize, &str) {
    (path.matches('/').count(), path)
}

/// A dependency's name without the prefix that says it is of this dialect.
fn local(name: &str) -> &str {
    name.strip_prefix("chant:").unwrap_or(name)
}

/// Whether `inner` is a member of `outer`, nested ones included.
fn contains(outer: &SpecId, inner: &SpecId) -> bool {
    inner.is_member()
        && inner
            .as_str()
            .strip_prefix(outer.as_str())
            .is_some_and(|rest| rest.starts_with('.'))
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
