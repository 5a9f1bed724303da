//! An item of any dialect, seen alike.

use std::borrow::Cow;

use super::feature::Part;
use super::joined::{Joined, Source};
use crate::dialects::chant::model::{Spec, Status as SpecStatus};
use crate::dialects::speckit::task::Mark;
use crate::dialects::tickets::model::Status as TicketStatus;
use crate::dialects::vine::model::{Node as Task, Status as TaskStatus, Work};
use crate::graph::picture::Tone;
use crate::graph::{Kind, Node};
use crate::outside::Standing;
use crate::text::front_matter::read_key;

/// The names of the dialects, in the order of lists.
pub const DIALECTS: [&str; 4] = crate::outside::PREFIXES;

/// The annotation of a task that says who has it.
const OWNER: &str = "owner";

/// An item.
#[derive(Clone, Copy)]
pub struct Item<'a> {
    pub(super) joined: &'a Joined,
    pub(super) source: &'a Source,
    /// Its node in the graph.
    pub node: Node,
}

impl Joined {
    /// The item of a node; `None` for one that is only named.
    pub fn item(&self, node: Node) -> Option<Item<'_>> {
        let source = self.sources.get(node.index())?.as_ref()?;
        Some(Item {
            joined: self,
            source,
            node,
        })
    }

    /// All items that are listed, dialect by dialect; phases of features only stand in pictures of what
    /// waits for what.
    pub fn items(&self) -> impl Iterator<Item = Item<'_>> {
        let items = self.nodes().filter_map(|node| self.item(node));
        items.filter(|item| !item.is_phase())
    }
}

impl<'a> Item<'a> {
    /// Its key in the workspace.
    pub fn key(&self) -> &'a str {
        self.joined.graph().key(self.node)
    }

    /// Its dialect.
    pub fn dialect(&self) -> &'static str {
        match self.source {
            Source::Spec(_) => "chant",
            Source::Task { .. } => "vine",
            Source::Feature(..) => "speckit",
            Source::Ticket(..) => "tickets",
        }
    }

    pub(super) fn is_phase(&self) -> bool {
        matches!(self.source, Source::Feature(_, Part::Phase(_)))
    }

    /// What its dialect calls it.
    pub fn id(&self) -> Cow<'a, str> {
        match self.source {
            Source::Spec(spec) => Cow::Borrowed(spec.id.as_str()),
            Source::Task { task, .. } => Cow::Borrowed(&*task.id),
            Source::Feature(tasks, part) => Cow::Borrowed(tasks.name(*part)),
            Source::Ticket(code, _) => Cow::Owned(code.to_string()),
        }
    }

    /// The ID of the spec that it is, if it is one.
    pub(super) fn spec_id(&self) -> Option<&'a str> {
        match self.source {
            Source::Spec(spec) => Some(spec.id.as_str()),
            _ => None,
        }
    }

    /// Its title; empty for a spec that has none.
    pub fn title(&self) -> &'a str {
        match self.source {
            Source::Spec(spec) => spec.title.as_deref().unwrap_or_default(),
            Source::Task { .. } => self.task().map_or("", |task| &task.name),
            Source::Feature(tasks, Part::Task(at)) => tasks.task(*at).title(),
            Source::Feature(tasks, Part::Phase(at)) => &tasks.phase(*at).title,
            Source::Ticket(_, ticket) => &ticket.title,
        }
    }

    /// The node of its task graph.
    pub(super) fn task(&self) -> Option<&'a Task> {
        match self.source {
            Source::Task { task, .. } => Some(task),
            _ => None,
        }
    }

    /// Its state, in the word of its dialect.
    pub fn status(&self) -> &'a str {
        match self.source {
            Source::Spec(spec) => self.joined.specs.status(spec).as_str(),
            Source::Task { .. } => self.task().map_or("", Task::standing),
            Source::Feature(tasks, part) => tasks.status(*part).as_str(),
            Source::Ticket(_, ticket) => ticket.status(),
        }
    }

    /// Whether nobody waits for it any more.
    pub fn is_done(&self) -> bool {
        match self.source {
            Source::Spec(spec) => spec.status.is_done(),
            Source::Task { .. } => self.task().and_then(Task::status) == Some(TaskStatus::Complete),
            Source::Feature(tasks, part) => tasks.is_done(*part),
            Source::Ticket(_, ticket) => ticket.meant.status.is_some_and(TicketStatus::is_done),
        }
    }

    /// How far it is, for items of other dialects that name it.
    pub(super) fn standing(&self) -> Standing {
        let (what, status) = match self.source {
            Source::Spec(spec) => ("spec", spec.status.as_str()),
            Source::Task { .. } => ("task", self.status()),
            Source::Feature(..) => (self.kind(), self.status()),
            Source::Ticket(..) => ("ticket", self.status()),
        };
        Standing::Found {
            status: status.to_owned(),
            is_done: self.is_done(),
            place: format!("{what} in {}", self.path()),
        }
    }

    /// Whether work on it can begin now.
    pub fn is_ready(&self) -> bool {
        match self.source {
            Source::Spec(spec) => self.joined.specs.is_ready(spec),
            Source::Task { path, task } => {
                let plan = self.joined.plan(path);
                let at = plan.and_then(|plan| Some((plan, plan.graph.position(&task.id)?)));
                at.is_some_and(|(plan, at)| plan.is_ready(at))
            }
            Source::Feature(tasks, part) => tasks.is_ready(*part),
            Source::Ticket(code, ticket) => self
                .joined
                .tickets
                .as_ref()
                .is_some_and(|tickets| tickets.waits().is_ready(code, ticket.meant.status)),
        }
    }

    /// Its file, relative to the root, with `/`.
    pub fn path(&self) -> &'a str {
        match self.source {
            Source::Spec(spec) => &spec.path,
            Source::Task { path, .. } => path,
            Source::Feature(tasks, _) => &tasks.feature.path,
            Source::Ticket(_, ticket) => &ticket.path,
        }
    }

    /// What kind of work it is, in the word of its dialect; `task` or `ref` in task graphs, `task` or
    /// `phase` in features.
    pub fn kind(&self) -> &'a str {
        match self.source {
            Source::Spec(spec) => spec.kind.as_str(),
            Source::Task { .. } => match self.task().map(|task| &task.work) {
                Some(Work::Ref { .. }) => "ref",
                _ => "task",
            },
            Source::Feature(_, Part::Task(_)) => "task",
            Source::Feature(_, Part::Phase(_)) => "phase",
            Source::Ticket(_, ticket) => ticket.kind(),
        }
    }

    /// Its labels; a task's of a feature are its stories, too.
    pub fn labels(&self) -> &'a [Box<str>] {
        match self.source {
            Source::Spec(spec) => spec.labels.as_deref().unwrap_or_default(),
            Source::Feature(tasks, part) => tasks.labels(*part),
            _ => &[],
        }
    }

    /// Who is on it, where its document says so.
    pub fn assignee(&self) -> Option<Cow<'a, str>> {
        match self.source {
            Source::Spec(spec) => own_key(spec, "assignee"),
            Source::Task { .. } => {
                let annotations = &self.task()?.annotations;
                let (_, values) = annotations.iter().rfind(|(key, _)| **key == *OWNER)?;
                values.first().map(|value| Cow::Borrowed(&**value))
            }
            Source::Feature(..) => None,
            Source::Ticket(_, ticket) => ticket.assignee.as_deref().map(Cow::Borrowed),
        }
    }

    /// How pressing it is, in the word of its document.
    pub fn priority(&self) -> Option<Cow<'a, str>> {
        match self.source {
            Source::Spec(spec) => own_key(spec, "priority"),
            Source::Task { .. } => None,
            Source::Feature(tasks, part) => {
                let phase = tasks.phase_of(*part)?;
                phase.priority.as_deref().map(Cow::Borrowed)
            }
            Source::Ticket(_, ticket) => Some(Cow::Borrowed(ticket.priority())),
        }
    }

    /// How much work it counts as: 1, or 0 for a spec or a phase that only holds others.
    pub fn weight(&self) -> f64 {
        match self.source {
            Source::Spec(spec) if spec.kind.is_container() => 0.0,
            Source::Feature(_, Part::Phase(_)) => 0.0,
            _ => 1.0,
        }
    }

    /// The keys of what it names itself, met or not, in the order of its document.
    pub fn depends_on(&self) -> Vec<&'a str> {
        let graph = self.joined.graph();
        let edges = graph.edges(self.node).iter();
        let named = edges.filter(|edge| edge.kind == Kind::Explicit);
        named.map(|edge| graph.key(edge.to)).collect()
    }

    /// The keys of what it still waits for, whoever says so; none for what is done.
    pub fn waits_for(&self) -> Vec<&'a str> {
        if self.is_done() {
            return Vec::new();
        }
        let unmet = self.joined.unmet(self.node);
        unmet.map(|edge| self.joined.graph().key(edge.to)).collect()
    }

    /// What it waits for where that is no other item.
    pub fn idle(&self) -> Option<&'static str> {
        match self.source {
            Source::Spec(spec) => self.joined.specs.idle(spec),
            _ => None,
        }
    }

    /// Its text: the body of a spec or a ticket, the description of a task.
    pub fn body(&self) -> &'a str {
        match self.source {
            Source::Spec(spec) => spec.body(),
            Source::Task { .. } => self.task().map_or("", |task| &task.description),
            Source::Feature(tasks, Part::Task(at)) => &tasks.task(*at).description,
            Source::Feature(tasks, Part::Phase(at)) => {
                tasks.phase(*at).checkpoint.as_deref().unwrap_or_default()
            }
            Source::Ticket(_, ticket) => ticket.body(),
        }
    }

    /// How it is drawn in a graph: as [`Item::tone`], and what failed, was cancelled or can be begun apart.
    pub fn drawn(&self) -> Tone {
        let fate = match self.source {
            Source::Spec(spec) => fate_of_spec(self.joined.specs.status(spec)),
            _ => None,
        };
        match (fate, self.tone()) {
            (Some(fate), _) => fate,
            (None, Tone::Open) if self.is_ready() => Tone::Ready,
            (None, tone) => tone,
        }
    }

    /// How far it is, as pictures show it.
    pub fn tone(&self) -> Tone {
        match self.source {
            Source::Spec(spec) => tone_of_spec(self.joined.specs.status(spec)),
            Source::Task { .. } => match self.task().and_then(Task::status) {
                None => Tone::Elsewhere,
                Some(TaskStatus::Complete) => Tone::Done,
                Some(TaskStatus::Reviewing) => Tone::Reviewed,
                Some(TaskStatus::Started) => Tone::Active,
                Some(TaskStatus::Planning) => Tone::Planned,
                Some(TaskStatus::NotStarted) => Tone::Open,
                Some(TaskStatus::Blocked) => Tone::Blocked,
            },
            Source::Feature(tasks, part) => match tasks.status(*part) {
                Mark::Done | Mark::Skipped => Tone::Done,
                Mark::Partial => Tone::Active,
                Mark::Open => Tone::Open,
            },
            Source::Ticket(_, ticket) => match ticket.meant.status {
                Some(TicketStatus::Implemented | TicketStatus::Rejected) => Tone::Done,
                Some(TicketStatus::InProgress | TicketStatus::PartiallyImplemented) => Tone::Active,
                Some(TicketStatus::Approved) => Tone::Open,
                Some(TicketStatus::Proposed) => Tone::Planned,
                Some(TicketStatus::OnHold) | None => Tone::Blocked,
            },
        }
    }
}

/// How a spec's state is seen where all the states of a picture are told apart.
fn fate_of_spec(status: SpecStatus) -> Option<Tone> {
    match status {
        SpecStatus::Cancelled => Some(Tone::Cancelled),
        SpecStatus::Failed | SpecStatus::NeedsAttention => Some(Tone::Failed),
        _ => None,
    }
}

fn tone_of_spec(status: SpecStatus) -> Tone {
    match status {
        SpecStatus::Completed | SpecStatus::Cancelled => Tone::Done,
        SpecStatus::InProgress => Tone::Active,
        SpecStatus::Paused => Tone::Planned,
        SpecStatus::Failed | SpecStatus::NeedsAttention => Tone::Blocked,
        SpecStatus::Pending | SpecStatus::Ready | SpecStatus::Blocked => Tone::Open,
    }
}

/// What a spec says under a key that is none of the documented ones.
fn own_key<'a>(spec: &'a Spec, key: &str) -> Option<Cow<'a, str>> {
    let yaml = spec.yaml();
    // Nearly all specs have no such key, and reading YAML is slow.
    if !yaml.contains(key) {
        return None;
    }
    let value: Option<String> = read_key(yaml, key).ok()?;
    value.map(Cow::Owned)
}
