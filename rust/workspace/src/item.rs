//! An item of any dialect, seen alike.

use std::borrow::Cow;

use super::feature::FeaturePart;
use super::item_statuses::found;
use super::key;
use super::plan_item::PlanEntry;
use super::workspace_graph::{ItemSource, WorkspaceGraph};
use chant_base::external_items::ExternalStatus;
use chant_graph::picture::StatusColor;
use chant_graph::{EdgeKind, Node};
use chant_plan_format::snapshot::PlanMeaning;
use chant_speckit::task::TaskMark;
use chant_specs::model::{Spec, SpecStatus};
use chant_specs::view::text_by_others::TextByOthers;
use chant_text::front_matter::read_key;
use chant_tickets::model::TicketStatus;
use chant_vine::model::{NodeContent, TaskStatus, VineNode as Task};
use chant_work::learned_amounts::WorkTrait;

/// The annotation of a task that says who has it.
const OWNER: &str = "owner";

/// An item.
#[derive(Clone, Copy)]
pub struct Item<'a> {
    pub(super) joined: &'a WorkspaceGraph,
    /// Where it comes from, as its format reads it.
    pub source: &'a ItemSource,
    /// Its node in the graph.
    pub node: Node,
}

impl WorkspaceGraph {
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
            ItemSource::Spec(_) => "chant",
            ItemSource::Task { .. } => "vine",
            ItemSource::Feature(..) => "speckit",
            ItemSource::Ticket(..) => "tickets",
            ItemSource::Plan(entry) => entry.scope.word,
        }
    }

    pub(super) fn is_phase(&self) -> bool {
        matches!(self.source, ItemSource::Feature(_, FeaturePart::Phase(_)))
    }

    /// Returns the ID that its dialect gives it.
    pub fn id(&self) -> Cow<'a, str> {
        match self.source {
            ItemSource::Spec(spec) => Cow::Borrowed(spec.id.as_str()),
            ItemSource::Task { task, .. } => Cow::Borrowed(&*task.id),
            ItemSource::Feature(tasks, part) => Cow::Borrowed(tasks.name(*part)),
            ItemSource::Ticket(code, _) => Cow::Owned(code.to_string()),
            ItemSource::Plan(entry) => {
                let word = entry.scope.word.len() + 1;
                Cow::Borrowed(self.key().get(word..).unwrap_or_default())
            }
        }
    }

    /// The ID of the spec that it is, if it is one.
    pub(super) fn spec_id(&self) -> Option<&'a str> {
        match self.source {
            ItemSource::Spec(spec) => Some(spec.id.as_str()),
            _ => None,
        }
    }

    /// What is known of the work on it, by which durations may differ, when this agent does it; nothing for what
    /// is no spec.
    pub(super) fn work_traits(&self, agent: Option<&str>) -> Vec<WorkTrait> {
        match self.source {
            ItemSource::Spec(spec) => {
                let labels = spec.labels.iter().flatten().map(|label| &**label);
                WorkTrait::all_of(agent, spec.criteria.len(), labels)
            }
            _ => Vec::new(),
        }
    }

    /// Its title; empty for a spec that has none.
    pub fn title(&self) -> &'a str {
        match self.source {
            ItemSource::Spec(spec) => spec.title.as_deref().unwrap_or_default(),
            ItemSource::Task { .. } => self.task().map_or("", |task| &task.name),
            ItemSource::Feature(tasks, FeaturePart::Task(at)) => tasks.task(*at).title(),
            ItemSource::Feature(tasks, FeaturePart::Phase(at)) => &tasks.phase(*at).title,
            ItemSource::Ticket(_, ticket) => &ticket.title,
            ItemSource::Plan(entry) => &entry.item().title,
        }
    }

    /// The node of its task graph.
    pub(super) fn task(&self) -> Option<&'a Task> {
        match self.source {
            ItemSource::Task { task, .. } => Some(task),
            _ => None,
        }
    }

    /// Its state, in the word of its dialect.
    pub fn status(&self) -> &'a str {
        match self.source {
            ItemSource::Spec(spec) => self.joined.specs.status(spec).as_str(),
            ItemSource::Task { .. } => self.task().map_or("", Task::standing),
            ItemSource::Feature(tasks, part) => tasks.status(*part).as_str(),
            ItemSource::Ticket(_, ticket) => ticket.status(),
            ItemSource::Plan(entry) => &entry.status,
        }
    }

    /// Returns true if nothing waits for it any more.
    pub fn is_done(&self) -> bool {
        match self.source {
            ItemSource::Spec(spec) => spec.status.is_done(),
            ItemSource::Task { .. } => {
                self.task().and_then(Task::status) == Some(TaskStatus::Complete)
            }
            ItemSource::Feature(tasks, part) => tasks.is_done(*part),
            ItemSource::Ticket(_, ticket) => ticket.meant.status.is_some_and(TicketStatus::is_done),
            ItemSource::Plan(entry) => entry.is_done,
        }
    }

    /// Returns how far it is, for items of other dialects that name it.
    pub(super) fn standing(&self) -> ExternalStatus {
        let (what, status) = match self.source {
            ItemSource::Spec(spec) => ("spec", spec.status.as_str()),
            ItemSource::Task { .. } => ("task", self.status()),
            ItemSource::Feature(..) => (self.kind(), self.status()),
            ItemSource::Ticket(..) => ("ticket", self.status()),
            ItemSource::Plan(entry) => (entry.scope.noun, self.status()),
        };
        found(what, status, self.is_done(), self.path())
    }

    /// Returns true if work on it can begin now.
    pub fn is_ready(&self) -> bool {
        if self.is_at_work() {
            return false;
        }
        match self.source {
            ItemSource::Spec(spec) => self.joined.specs.is_ready(spec),
            ItemSource::Task { path, task } => {
                let plan = self.joined.plan(path);
                let at = plan.and_then(|plan| Some((plan, plan.graph.position(&task.id)?)));
                at.is_some_and(|(plan, at)| plan.is_ready(at))
            }
            ItemSource::Feature(tasks, part) => tasks.is_ready(*part),
            ItemSource::Ticket(code, ticket) => self
                .joined
                .tickets
                .as_ref()
                .is_some_and(|tickets| tickets.waits().is_ready(code, ticket.meant.status)),
            ItemSource::Plan(entry) => entry.is_ready,
        }
    }

    /// Returns true if a run has it, a part of it or what holds it, which its document does not say.
    pub fn is_at_work(&self) -> bool {
        self.joined.at_work.contains(self.key())
    }

    /// Its file, relative to the root, with `/`.
    pub fn path(&self) -> &'a str {
        match self.source {
            ItemSource::Spec(spec) => &spec.path,
            ItemSource::Task { path, .. } => path,
            ItemSource::Feature(tasks, _) => &tasks.feature.path,
            ItemSource::Ticket(_, ticket) => &ticket.path,
            ItemSource::Plan(entry) => entry.path(),
        }
    }

    /// Returns the kind of work that it is, in the word of its dialect; `task` or `ref` in task graphs, `task`
    /// or `phase` in features.
    pub fn kind(&self) -> &'a str {
        match self.source {
            ItemSource::Spec(spec) => spec.kind.as_str(),
            ItemSource::Task { .. } => match self.task().map(|task| &task.work) {
                Some(NodeContent::Ref { .. }) => "ref",
                _ => "task",
            },
            ItemSource::Feature(_, FeaturePart::Task(_)) => "task",
            ItemSource::Feature(_, FeaturePart::Phase(_)) => "phase",
            ItemSource::Ticket(_, ticket) => ticket.kind(),
            ItemSource::Plan(entry) => entry.item().kind,
        }
    }

    /// Its labels; a task's of a feature are its stories, too.
    pub fn labels(&self) -> &'a [Box<str>] {
        match self.source {
            ItemSource::Spec(spec) => spec.labels.as_deref().unwrap_or_default(),
            ItemSource::Feature(tasks, part) => tasks.labels(*part),
            ItemSource::Plan(entry) => &entry.item().labels,
            _ => &[],
        }
    }

    /// Returns the person or agent that is on it, where its document says so.
    pub fn assignee(&self) -> Option<Cow<'a, str>> {
        match self.source {
            ItemSource::Spec(spec) => own_key(spec, "assignee"),
            ItemSource::Task { .. } => {
                let annotations = &self.task()?.annotations;
                let (_, values) = annotations.iter().rfind(|(key, _)| **key == *OWNER)?;
                values.first().map(|value| Cow::Borrowed(&**value))
            }
            ItemSource::Feature(..) => None,
            ItemSource::Ticket(_, ticket) => ticket.assignee.as_deref().map(Cow::Borrowed),
            ItemSource::Plan(entry) => {
                let first = entry.item().assignees.first()?;
                Some(Cow::Borrowed(&**first))
            }
        }
    }

    /// Returns its priority, in the word of its document.
    pub fn priority(&self) -> Option<Cow<'a, str>> {
        match self.source {
            ItemSource::Spec(spec) => own_key(spec, "priority"),
            ItemSource::Task { .. } => None,
            ItemSource::Feature(tasks, part) => {
                let phase = tasks.phase_of(*part)?;
                phase.priority.as_deref().map(Cow::Borrowed)
            }
            ItemSource::Ticket(_, ticket) => Some(Cow::Borrowed(ticket.priority())),
            ItemSource::Plan(entry) => entry.item().priority.as_deref().map(Cow::Borrowed),
        }
    }

    /// Returns the amount of work it counts as: 1, or 0 for a spec or a phase that only holds others.
    pub fn weight(&self) -> f64 {
        match self.source {
            ItemSource::Spec(spec) if spec.kind.is_container() => 0.0,
            ItemSource::Feature(_, FeaturePart::Phase(_)) => 0.0,
            ItemSource::Plan(entry) if entry.item().is_group => 0.0,
            _ => 1.0,
        }
    }

    /// The keys of what it names itself, met or not, in the order of its document.
    pub fn depends_on(&self) -> Vec<&'a str> {
        let graph = self.joined.graph();
        let edges = graph.edges(self.node).iter();
        let named = edges.filter(|edge| edge.kind == EdgeKind::Explicit);
        named.map(|edge| graph.key(edge.to)).collect()
    }

    /// Returns the keys of what it still waits for, wherever that is said; none for what is done.
    pub fn waits_for(&self) -> Vec<&'a str> {
        if self.is_done() {
            return Vec::new();
        }
        let unmet = self.joined.unmet(self.node);
        unmet.map(|edge| self.joined.graph().key(edge.to)).collect()
    }

    /// Returns what it waits for where that is no other item.
    pub fn idle(&self) -> Option<&'static str> {
        match self.source {
            ItemSource::Spec(spec) => self.joined.specs.idle(spec),
            _ => None,
        }
    }

    /// Its text: the body of a spec or a ticket, the description of a task.
    pub fn body(&self) -> &'a str {
        match self.source {
            ItemSource::Spec(spec) => spec.body(),
            ItemSource::Task { .. } => self.task().map_or("", |task| &task.description),
            ItemSource::Feature(tasks, FeaturePart::Task(at)) => &tasks.task(*at).description,
            ItemSource::Feature(tasks, FeaturePart::Phase(at)) => {
                tasks.phase(*at).checkpoint.as_deref().unwrap_or_default()
            }
            ItemSource::Ticket(_, ticket) => ticket.body(),
            ItemSource::Plan(entry) => entry.body(),
        }
    }

    /// Its words where they are an issue's that no person approved.
    pub(super) fn text_by_others(&self) -> Option<TextByOthers> {
        match self.source {
            ItemSource::Spec(spec) => TextByOthers::of(spec),
            _ => None,
        }
    }

    /// Returns the whole text of its document.
    pub fn document(&self) -> &'a str {
        match self.source {
            ItemSource::Spec(spec) => &spec.text,
            ItemSource::Task { path, .. } => self.joined.plan_text(path),
            ItemSource::Feature(tasks, _) => &tasks.feature.document.text,
            ItemSource::Ticket(_, ticket) => &ticket.text,
            ItemSource::Plan(entry) => entry.document(),
        }
    }

    /// Returns the key of the item that it is a part of: a driver, the root of its task graph, a task or a phase.
    pub fn parent(&self) -> Option<String> {
        match self.source {
            ItemSource::Spec(spec) => {
                let parent = self.joined.specs.find(spec.id.parent()?)?;
                Some(key::of_spec(parent.id.as_str()))
            }
            ItemSource::Task { path, task } => {
                let root = self.joined.plan(path)?.root();
                (root.id != task.id).then(|| key::of_task(path, &root.id))
            }
            ItemSource::Feature(tasks, part) => tasks.parent(*part).map(|part| tasks.key(part)),
            ItemSource::Ticket(..) => None,
            ItemSource::Plan(entry) => entry.parent.as_deref().map(str::to_owned),
        }
    }

    /// The format and state of an item that comes through the interface.
    pub(super) fn plan_entry(&self) -> Option<&'a PlanEntry> {
        match self.source {
            ItemSource::Plan(entry) => Some(entry),
            _ => None,
        }
    }

    /// Returns its acceptance criteria: how many are met, and how many there are.
    pub fn criteria_counts(&self) -> (usize, usize) {
        match self.source {
            ItemSource::Spec(spec) => {
                let total = spec.criteria.len();
                (total - spec.unchecked(), total)
            }
            ItemSource::Feature(tasks, FeaturePart::Task(at)) => {
                let criteria = &tasks.task(*at).criteria;
                let met = criteria.iter().filter(|one| one.mark.is_settled());
                (met.count(), criteria.len())
            }
            ItemSource::Plan(entry) => entry.criteria_counts(),
            ItemSource::Task { .. }
            | ItemSource::Feature(_, FeaturePart::Phase(_))
            | ItemSource::Ticket(..) => (0, 0),
        }
    }

    /// Returns how it is drawn in a graph: as [`Item::tone`], and what failed, was cancelled or can be started
    /// apart.
    pub fn drawn(&self) -> StatusColor {
        let fate = match self.source {
            ItemSource::Spec(spec) => fate_of_spec(self.joined.specs.status(spec)),
            _ => None,
        };
        match (fate, self.tone()) {
            (Some(fate), _) => fate,
            (None, StatusColor::Open) if self.is_ready() => StatusColor::Ready,
            (None, tone) => tone,
        }
    }

    /// Returns how far it is, as pictures show it.
    pub fn tone(&self) -> StatusColor {
        match self.source {
            ItemSource::Spec(spec) => tone_of_spec(self.joined.specs.status(spec)),
            ItemSource::Task { .. } => match self.task().and_then(Task::status) {
                None => StatusColor::Elsewhere,
                Some(TaskStatus::Complete) => StatusColor::Done,
                Some(TaskStatus::Reviewing) => StatusColor::Reviewed,
                Some(TaskStatus::Started) => StatusColor::Active,
                Some(TaskStatus::Planning) => StatusColor::Planned,
                Some(TaskStatus::NotStarted) => StatusColor::Open,
                Some(TaskStatus::Blocked) => StatusColor::Blocked,
            },
            ItemSource::Feature(tasks, part) => match tasks.status(*part) {
                TaskMark::Done | TaskMark::Skipped => StatusColor::Done,
                TaskMark::Partial => StatusColor::Active,
                TaskMark::Open => StatusColor::Open,
            },
            ItemSource::Ticket(_, ticket) => match ticket.meant.status {
                Some(TicketStatus::Implemented | TicketStatus::Rejected) => StatusColor::Done,
                Some(TicketStatus::InProgress | TicketStatus::PartiallyImplemented) => {
                    StatusColor::Active
                }
                Some(TicketStatus::Approved) => StatusColor::Open,
                Some(TicketStatus::Proposed) => StatusColor::Planned,
                Some(TicketStatus::OnHold) | None => StatusColor::Blocked,
            },
            ItemSource::Plan(entry) => match entry.meaning {
                PlanMeaning::Done => StatusColor::Done,
                PlanMeaning::BeingWorkedOn => StatusColor::Active,
                PlanMeaning::WaitsForYou(_) => StatusColor::Planned,
                PlanMeaning::CanBegin | PlanMeaning::Waits => StatusColor::Open,
            },
        }
    }
}

/// Returns how a spec's state is shown where all the states of a picture are kept apart.
fn fate_of_spec(status: SpecStatus) -> Option<StatusColor> {
    match status {
        SpecStatus::Cancelled => Some(StatusColor::Cancelled),
        SpecStatus::Failed | SpecStatus::NeedsAttention => Some(StatusColor::Failed),
        _ => None,
    }
}

fn tone_of_spec(status: SpecStatus) -> StatusColor {
    match status {
        SpecStatus::Completed | SpecStatus::Cancelled => StatusColor::Done,
        SpecStatus::InProgress => StatusColor::Active,
        SpecStatus::Paused => StatusColor::Planned,
        SpecStatus::Failed | SpecStatus::NeedsAttention => StatusColor::Blocked,
        SpecStatus::Pending | SpecStatus::Ready | SpecStatus::Blocked => StatusColor::Open,
    }
}

/// Returns the value of a spec under a key that is none of the documented ones.
fn own_key<'a>(spec: &'a Spec, key: &str) -> Option<Cow<'a, str>> {
    let yaml = spec.yaml();
    // Nearly all specs have no such key, and reading YAML is slow.
    if !yaml.contains(key) {
        return None;
    }
    let value: Option<String> = read_key(yaml, key).ok()?;
    value.map(Cow::Owned)
}
