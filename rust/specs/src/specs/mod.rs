//! All active specs of a project with the graph between them, kept up to date change by change. A copy costs nothing:
//! it shares with the other all that neither changes.
//!
//! One predicate decides what is blocked, what waits and what is ready: [`SpecGraph::waits`]. Lists,
//! status, diagnosis, lint and the start of work all ask it.

mod changes;
mod edges;
mod resolve;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use imbl::{OrdMap, Vector};
use rayon::prelude::*;

use super::id::SpecId;
use super::model::{BrokenSpec, Spec, SpecStatus};
use chant_base::counted::count_visited;
use chant_base::document_problem::DocumentProblem;
use chant_base::external_items::ExternalStatus;
use chant_base::recent::RecentChanges;
use chant_graph::cycles::Cycle;
use chant_graph::{DepGraph, Edge, EdgeKind, Node};
use chant_text::signature::TextSignature;

/// The specs below `.chant/specs`, by ID, and what waits for what.
#[derive(Clone, Default)]
pub struct SpecGraph {
    /// Families that changed lately.
    recent: RecentChanges<Box<str>>,
    graph: DepGraph,
    /// Specs by the index of their node.
    by_node: Vector<Option<Arc<Spec>>>,
    /// The facts that decide about each spec by the index of its node: dense, so that counting all is quick.
    states: Vector<SpecState>,
    /// The signatures of what their bodies may hold, by the index of their node, worked out at the first
    /// search; in a row, because a search looks at all.
    signatures: Vector<OnceLock<TextSignature>>,
    /// The same specs in the order of their IDs.
    order: Vector<Arc<Spec>>,
    /// Their nodes, in the same order.
    nodes: Vector<Node>,
    /// Files that are no specs, by path.
    broken: OrdMap<Box<str>, Arc<BrokenSpec>>,
    /// Further files of an ID that is taken, by ID and path.
    spare: OrdMap<(Box<str>, Box<str>), Arc<Spec>>,
    /// Specs with keys that could not be used.
    flawed: OrdMap<Node, Arc<Spec>>,
    /// How often it changed which IDs there are: as specs, as files that are none, and elsewhere.
    arrivals: u64,
    /// Named dependencies that are no active specs, with what is known of them.
    elsewhere: OrdMap<Node, ExternalDependency>,
    overview: OnceLock<Arc<SpecOverview>>,
    names: OnceLock<Arc<str>>,
}

/// The facts of a spec itself that decide whether it can be worked on.
#[derive(Debug, Clone, Copy, Default)]
struct SpecState {
    status: SpecStatus,
    is_approved: bool,
    is_container: bool,
}

/// A dependency that is not among the active specs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExternalDependency {
    /// Nothing of that ID is known.
    Unknown,
    /// It lies outside the active specs and is in this state.
    Found {
        /// Its state, in the word of its documents.
        status: String,
        /// True if nothing waits for it any more.
        is_done: bool,
        /// Where it lies, as a person would say it.
        place: String,
    },
    /// It could not be looked up; the text says why.
    Unreachable(String),
}

impl From<ExternalStatus> for ExternalDependency {
    fn from(standing: ExternalStatus) -> Self {
        match standing {
            ExternalStatus::Found {
                status,
                is_done,
                place,
            } => Self::Found {
                status,
                is_done,
                place,
            },
            ExternalStatus::Unknown(why) => Self::Unreachable(why),
        }
    }
}

/// Counts and lists over all specs, computed once after a change.
#[derive(Debug, Clone)]
pub struct SpecOverview {
    /// State of each spec as others see it, in the order of IDs.
    pub statuses: Vec<SpecStatus>,
    /// The number of specs in each state, in the order of [`SpecStatus::ALL`].
    pub counts: [usize; 9],
    /// Positions of the specs that can be worked on now, ascending.
    pub ready: Vec<usize>,
    /// The number of completed specs by the word for how well they are proven; those without a word are left out.
    pub proofs: BTreeMap<Box<str>, usize>,
}

/// Something that a spec waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpecWait {
    /// A person has to agree first.
    Approval,
    /// Another item has to be done first.
    Item {
        /// Its ID or key as named.
        id: String,
        /// Why the spec waits for it.
        kind: EdgeKind,
        /// The containing spec that names it, for [`EdgeKind::Inherited`].
        via: Option<String>,
        /// Its state where one is known, in the word of its documents.
        status: Option<String>,
        /// A remark about it: that it is unknown, unreadable, elsewhere.
        note: Option<String>,
    },
}

impl SpecWait {
    /// Returns true if the spec counts as blocked by this; it merely waits its turn otherwise.
    pub fn blocks(&self) -> bool {
        match self {
            Self::Approval => true,
            Self::Item { kind, .. } => kind.blocks(),
        }
    }
}

impl SpecGraph {
    /// A number that no other state of any specs has in this process.
    pub fn version(&self) -> u64 {
        self.recent.version()
    }

    /// The roots of the families that changed after a version; `None` where that is not known.
    pub fn changed_since(&self, version: u64) -> Option<BTreeSet<&str>> {
        Some(self.recent.since(version)?.map(|root| &**root).collect())
    }

    /// A number that stays the same as long as every name means what it meant.
    pub(crate) fn arrivals(&self) -> u64 {
        self.arrivals
    }

    /// All specs in the order of their IDs, to go through: they count as visited.
    pub fn all(&self) -> &Vector<Arc<Spec>> {
        count_visited(self.order.len());
        &self.order
    }

    /// Returns the number of specs.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The spec at a position in the order of IDs.
    pub fn at(&self, position: usize) -> &Arc<Spec> {
        &self.order[position]
    }

    /// Where a spec stands in the order of IDs.
    pub fn place_of(&self, id: &SpecId) -> Option<usize> {
        self.position(id).ok()
    }

    /// Returns the signature of what the body of the spec at a position may hold.
    pub fn signature(&self, at: usize) -> &TextSignature {
        let spec = &self.order[at];
        self.signatures[self.nodes[at].index()].get_or_init(|| TextSignature::of(spec.body()))
    }

    /// The spec of exactly this ID.
    pub fn find(&self, id: &str) -> Option<&Arc<Spec>> {
        self.by_node.get(self.graph.find(id)?.index())?.as_ref()
    }

    /// The labels of the spec of exactly this ID.
    pub fn labels(&self, id: &str) -> Vec<&str> {
        let labels = self.find(id).into_iter().flat_map(|spec| &spec.labels);
        labels.flatten().map(|label| &**label).collect()
    }

    /// The graph the specs form; dependencies that are no active specs are nodes too.
    pub fn graph(&self) -> &DepGraph {
        &self.graph
    }

    fn position(&self, id: &SpecId) -> Result<usize, usize> {
        self.order.binary_search_by(|spec| spec.id.cmp(id))
    }

    /// The specs whose IDs begin with a date, in order.
    pub fn of_date<'a>(&'a self, date: &'a str) -> impl Iterator<Item = &'a Arc<Spec>> {
        // None is equal, so that the answer is where the first of the date stands or would stand.
        let behind = |spec: &Arc<Spec>| spec.id.head().cmp(date).then(Ordering::Greater);
        let start = self.order.binary_search_by(behind);
        self.from(start.unwrap_or_else(|at| at))
            .take_while(move |spec| spec.id.head() == date)
    }

    /// The specs from a position in the order of IDs on.
    fn from(&self, start: usize) -> impl Iterator<Item = &Arc<Spec>> {
        (start..self.order.len()).map(|at| &self.order[at])
    }

    /// A driver and everything inside it, in order; only what exists.
    pub fn family<'a>(&'a self, root: &'a str) -> impl Iterator<Item = &'a Arc<Spec>> {
        let start = root
            .parse()
            .map_or(0, |id: SpecId| self.position(&id).unwrap_or_else(|at| at));
        self.from(start)
            .take_while(move |spec| spec.id.root() == root)
    }

    /// The members of a spec, nested ones included, in order.
    pub fn members<'a>(&'a self, id: &'a SpecId) -> impl Iterator<Item = &'a Arc<Spec>> {
        let start = self.position(id).map_or_else(|at| at, |at| at + 1);
        self.from(start)
            .take_while(move |spec| contains(id, &spec.id))
    }

    /// The IDs of the members of a spec that are not done, in order.
    pub fn open_members(&self, id: &SpecId) -> Vec<String> {
        let open = self.members(id).filter(|member| !member.status.is_done());
        open.map(|member| member.id.to_string()).collect()
    }

    /// Files that are no specs, in the order of their paths.
    pub fn broken(&self) -> impl ExactSizeIterator<Item = &Arc<BrokenSpec>> {
        self.broken.values()
    }

    /// The file of this ID that cannot be read, when there is no readable one.
    pub fn broken_of(&self, id: &str) -> Option<&Arc<BrokenSpec>> {
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
    pub fn problems(&self) -> Vec<DocumentProblem> {
        let mut problems: Vec<DocumentProblem> = self
            .broken
            .values()
            .map(|broken| broken.problem.clone())
            .collect();
        problems.extend(
            self.flawed
                .values()
                .flat_map(|spec| spec.problems.iter().cloned()),
        );
        for (id, path) in self.spare.keys() {
            let first = self.find(id).map_or("", |spec| &spec.path);
            let message = format!(
                "the ID `{id}` is taken by `{first}`; rename or remove one of the two files"
            );
            problems.push(DocumentProblem::new(path.clone(), message));
        }
        problems.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        problems
    }

    /// Returns a spec's state as others see it: `pending` and `blocked` are distinguished by what it waits for
    /// now, whatever is stored.
    pub fn status(&self, spec: &Spec) -> SpecStatus {
        let node = self.graph.find(spec.id.as_str());
        node.map_or(spec.status, |node| self.status_at(node))
    }

    fn status_at(&self, node: Node) -> SpecStatus {
        let state = self.states[node.index()];
        let is_blocked = || !state.is_approved || self.graph.is_blocked(node);
        match state.status {
            SpecStatus::Pending | SpecStatus::Blocked if is_blocked() => SpecStatus::Blocked,
            SpecStatus::Blocked => SpecStatus::Pending,
            stored => stored,
        }
    }

    /// Returns true if work on a spec can begin now: pending, or failed and worth another try, no container,
    /// and waiting for nothing (reference chant 4.2).
    pub fn is_ready(&self, spec: &Spec) -> bool {
        let node = self.graph.find(spec.id.as_str());
        node.is_some_and(|node| self.is_ready_at(node))
    }

    fn is_ready_at(&self, node: Node) -> bool {
        let SpecState {
            status,
            is_approved,
            is_container,
        } = self.states[node.index()];
        let is_free = is_approved && self.graph.unmet(node).next().is_none();
        status.is_to_do() && !is_container && is_free
    }

    /// Everything a spec still waits for, in the order: approval, what it names, what the specs
    /// that contain it name, earlier siblings, members.
    pub fn waits(&self, spec: &Spec) -> Vec<SpecWait> {
        let mut waits = Vec::new();
        if !spec.is_approved() {
            waits.push(SpecWait::Approval);
        }
        let Some(node) = self.graph.find(spec.id.as_str()) else {
            return waits;
        };
        waits.extend(self.graph.unmet(node).map(|edge| self.wait(node, edge)));
        waits
    }

    /// Returns the wait of a container that waits for no other item: it is not worked on itself.
    pub fn idle(&self, spec: &Spec) -> Option<&'static str> {
        let is_open = self.status(spec).is_to_do();
        if !is_open || !spec.kind.is_container() || !self.waits(spec).is_empty() {
            return None;
        }
        Some(match self.members(&spec.id).next() {
            None => "it has no members yet; its work is theirs",
            Some(_) => "all its members are done; it waits to be finalized",
        })
    }

    fn wait(&self, node: Node, edge: &Edge) -> SpecWait {
        let id = self.graph.key(edge.to).to_owned();
        let found = self.by_node[edge.to.index()]
            .as_ref()
            .map(|spec| self.status(spec).to_string());
        let (status, note) = match (found, self.elsewhere.get(&edge.to)) {
            (Some(status), _) => (Some(status), None),
            (None, Some(ExternalDependency::Found { status, place, .. })) => {
                (Some(status.clone()), Some(place.clone()))
            }
            (None, Some(ExternalDependency::Unreachable(why))) => (None, Some(why.clone())),
            (None, _) => (None, Some(self.why_unknown(&id))),
        };
        let via = (edge.via != node).then(|| self.graph.key(edge.via).to_owned());
        SpecWait::Item {
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
    pub fn overview(&self) -> &SpecOverview {
        self.overview.get_or_init(|| {
            count_visited(self.nodes.len());
            let status_at = |node: &Node| self.status_at(*node);
            let statuses: Vec<SpecStatus> = self.nodes.par_iter().map(status_at).collect();
            let mut counts = [0; 9];
            for status in &statuses {
                counts[*status as usize] += 1;
            }
            let ready = self.nodes.par_iter().enumerate();
            let ready = ready
                .filter(|(_, node)| self.is_ready_at(**node))
                .map(|(at, _)| at)
                .collect();
            let completed = self.order.iter().zip(&statuses);
            let completed = completed.filter(|(_, status)| **status == SpecStatus::Completed);
            let mut proofs: BTreeMap<&str, usize> = BTreeMap::new();
            for word in completed.filter_map(|(spec, _)| spec.proof.as_deref()) {
                *proofs.entry(word).or_default() += 1;
            }
            let proofs = proofs.into_iter().map(|(word, count)| (word.into(), count));
            Arc::new(SpecOverview {
                proofs: proofs.collect(),
                statuses,
                counts,
                ready,
            })
        })
    }
}

/// The largest number of steps of a cycle that are shown.
const STEPS_SHOWN: usize = 20;

/// Describes a cycle as a person reads it: its items in order, implied steps with their reason, the first
/// item again at the end only when the step back to it is implied. Of a long cycle the middle is left out.
pub fn describe_cycle(graph: &DepGraph, cycle: &Cycle) -> Vec<String> {
    let mut steps: Vec<String> = cycle
        .first()
        .map(|(node, _)| graph.key(*node).to_owned())
        .into_iter()
        .collect();
    for (node, edge) in cycle {
        let (from, to) = (graph.key(*node), graph.key(edge.to));
        let reason = match edge.kind {
            EdgeKind::Explicit if cycle.first().is_some_and(|(first, _)| *first == edge.to) => {
                continue;
            }
            EdgeKind::Explicit => String::new(),
            EdgeKind::Inherited => format!(" (named by its driver {})", graph.key(edge.via)),
            EdgeKind::Sibling => format!(" (earlier sibling of {from})"),
            EdgeKind::Member => format!(" (member of {from})"),
        };
        steps.push(format!("{to}{reason}"));
    }
    let more = steps.len().saturating_sub(STEPS_SHOWN);
    if more > 1 {
        let from = STEPS_SHOWN / 2;
        steps.splice(from..from + more, [format!("… {more} more …")]);
    }
    steps
}

/// Returns true if `inner` is a member of `outer`, nested ones included.
fn contains(outer: &SpecId, inner: &SpecId) -> bool {
    inner.is_member()
        && inner
            .as_str()
            .strip_prefix(outer.as_str())
            .is_some_and(|rest| rest.starts_with('.'))
}
