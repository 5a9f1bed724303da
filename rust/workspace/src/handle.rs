//! Items with all that their documents say, for scripts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde_json::Value;

use super::Workspace;
use super::feature::{FeaturePart, FeatureTasks};
use super::filter::ItemFilter;
use super::item::Item;
use super::ops::resolve_item;
use super::plan_item::PlanEntry;
use super::view::problem_rows;
use super::workspace_graph::{ItemSource, WorkspaceGraph};
use chant_base::document_problem::ProblemRow;
use chant_base::error::Error;
use chant_graph::{EdgeKind, Node};
use chant_specs::model::{ApprovalState, Spec};
use chant_text::sections::names;
use chant_tickets::model::Ticket;
use chant_tickets::sections;
use chant_vine::frontier::GraphPlan;
use chant_vine::model::{NodeContent, VineNode as Task};

/// The number of places at which an item is looked for without the rest of its list.
const FIRST: usize = 16;

/// Items that fit a filter, as of one moment; which they are, and what is said of each, is worked out when it is asked
/// for.
pub struct ItemSelection {
    joined: Arc<WorkspaceGraph>,
    filter: ItemFilter,
    path: Option<String>,
    nodes: OnceLock<Vec<Node>>,
}

/// The items that fit a filter, those of one file where it is given; cancelled specs only when asked for.
///
/// # Errors
/// As [`ItemFilter::checked`] and [`Workspace::snapshot`].
pub fn select(
    workspace: &Workspace,
    filter: ItemFilter,
    path: Option<&str>,
) -> Result<ItemSelection, Error> {
    let joined = workspace.snapshot()?;
    Ok(ItemSelection {
        joined,
        filter: filter.checked(workspace)?,
        path: path.map(str::to_owned),
        nodes: OnceLock::new(),
    })
}

/// All that is known of the item that a name means.
///
/// # Errors
/// As [`super::ops::find`].
pub fn one(workspace: &Workspace, name: &str) -> Result<Value, Error> {
    let joined = workspace.snapshot()?;
    Ok(whole(&resolve_item(workspace, &joined, name)?))
}

/// Everything that is wrong with files.
///
/// # Errors
/// As [`Workspace::snapshot`].
pub fn problems(workspace: &Workspace) -> Result<Value, Error> {
    let joined = workspace.snapshot()?;
    let rows = problem_rows(&joined, |_| true);
    Ok(serde_json::to_value(rows).unwrap_or_default())
}

/// The sections of a body, in its order: level, title, the name that means each alone, text.
pub fn sections(body: &str) -> Vec<(u8, String, String, String)> {
    let found = sections::parse_sections(body);
    let named = found.iter().zip(names(&found));
    named
        .map(|(section, name)| {
            let text = sections::content(body, section).to_owned();
            (section.level, section.title.clone(), name, text)
        })
        .collect()
}

impl ItemSelection {
    /// Those that fit, in the order of lists, one after the other.
    fn found(&self) -> impl Iterator<Item = Node> {
        let path = self.path.as_deref();
        let is_there = move |item: &Item<'_>| path.is_none_or(|path| path == item.path());
        let candidates = self.filter.candidates(&self.joined);
        let found = candidates.filter(move |item| is_there(item) && self.filter.shows(item));
        found.map(|item| item.node)
    }

    fn nodes(&self) -> &[Node] {
        self.nodes.get_or_init(|| self.found().collect())
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.nodes().len()
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.found().next().is_none()
    }

    /// Their keys.
    pub fn keys(&self) -> Vec<&str> {
        let graph = self.joined.graph();
        self.nodes().iter().map(|node| graph.key(*node)).collect()
    }

    /// All that is known of the one at a place.
    pub fn at(&self, place: usize) -> Option<Value> {
        let node = match self.nodes.get() {
            None if place < FIRST => self.found().nth(place)?,
            _ => *self.nodes().get(place)?,
        };
        Some(whole(&self.joined.item(node)?))
    }
}

/// All that is known of an item.
pub(super) fn whole(item: &Item<'_>) -> Value {
    let handle = ItemHandle {
        key: item.key(),
        dialect: item.dialect(),
        id: item.id().into_owned(),
        title: item.title(),
        status: item.status(),
        done: item.is_done(),
        ready: item.is_ready(),
        r#type: item.kind(),
        labels: item.labels(),
        assignee: item.assignee().map(Cow::into_owned),
        priority: item.priority().map(Cow::into_owned),
        depends_on: item.depends_on(),
        waits_for: item.waits_for(),
        path: item.path(),
        body: item.body(),
        problems: problem_rows(item.joined, |path| path == item.path()),
        own: DialectFields::of(item),
    };
    serde_json::to_value(handle).unwrap_or_default()
}

#[derive(Serialize)]
struct ItemHandle<'a> {
    key: &'a str,
    dialect: &'static str,
    id: String,
    title: &'a str,
    status: &'a str,
    done: bool,
    ready: bool,
    r#type: &'a str,
    labels: &'a [Box<str>],
    assignee: Option<String>,
    priority: Option<String>,
    depends_on: Vec<&'a str>,
    waits_for: Vec<&'a str>,
    path: &'a str,
    body: &'a str,
    problems: Vec<ProblemRow>,
    #[serde(flatten)]
    own: Option<DialectFields<'a>>,
}

/// The fields that only items of one dialect have.
#[derive(Serialize)]
#[serde(untagged)]
enum DialectFields<'a> {
    Spec(SpecFields<'a>),
    Task(TaskFields<'a>),
    FeatureTask(FeatureTaskFields<'a>),
    Ticket(TicketFields<'a>),
    Plan(PlanFields<'a>),
}

impl<'a> DialectFields<'a> {
    /// `None` for a phase of a feature.
    fn of(item: &Item<'a>) -> Option<Self> {
        Some(match item.source {
            ItemSource::Spec(spec) => Self::Spec(SpecFields::of(spec, item.joined)),
            ItemSource::Task { path, task } => {
                let root = item.joined.plan(path).map(GraphPlan::root);
                Self::Task(TaskFields::of(
                    task,
                    root.is_some_and(|root| root.id == task.id),
                ))
            }
            ItemSource::Feature(tasks, FeaturePart::Task(at)) => {
                Self::FeatureTask(FeatureTaskFields::of(tasks, *at))
            }
            ItemSource::Feature(_, FeaturePart::Phase(_)) => return None,
            ItemSource::Ticket(_, ticket) => Self::Ticket(TicketFields::of(ticket)),
            ItemSource::Plan(entry) => Self::Plan(PlanFields::of(item, entry)),
        })
    }
}

#[derive(Serialize)]
struct SpecFields<'a> {
    target_files: &'a [Box<str>],
    context: &'a [Box<str>],
    prompt: Option<&'a str>,
    branch: Option<&'a str>,
    commits: &'a [Box<str>],
    completed_at: Option<&'a str>,
    model: Option<&'a str>,
    /// Texts, and whether they are ticked.
    criteria: Vec<(String, bool)>,
    /// IDs of what is inside it.
    members: Vec<&'a str>,
    approval: Option<ApprovalRow<'a>>,
}

#[derive(Serialize)]
struct ApprovalRow<'a> {
    required: bool,
    status: &'a str,
    by: Option<&'a str>,
    at: Option<&'a str>,
}

impl<'a> From<&'a ApprovalState> for ApprovalRow<'a> {
    fn from(approval: &'a ApprovalState) -> Self {
        Self {
            required: approval.required,
            status: approval.status.as_deref().unwrap_or("pending"),
            by: approval.by.as_deref(),
            at: approval.at.as_deref(),
        }
    }
}

impl<'a> SpecFields<'a> {
    fn of(spec: &'a Spec, joined: &'a WorkspaceGraph) -> Self {
        let criteria = spec.criteria.iter();
        let members = joined.specs.members(&spec.id);
        Self {
            target_files: spec.target_files.as_deref().unwrap_or_default(),
            context: spec.context.as_deref().unwrap_or_default(),
            prompt: spec.prompt.as_deref(),
            branch: spec.branch.as_deref(),
            commits: spec.commits.as_deref().unwrap_or_default(),
            completed_at: spec.completed_at.as_deref(),
            model: spec.model.as_deref(),
            criteria: criteria
                .map(|one| (spec.criterion_text(one), one.checked))
                .collect(),
            members: members.map(|member| member.id.as_str()).collect(),
            approval: spec.approval.as_ref().map(ApprovalRow::from),
        }
    }
}

#[derive(Serialize)]
struct TaskFields<'a> {
    is_root: bool,
    decisions: &'a [Box<str>],
    annotations: BTreeMap<&'a str, &'a [Box<str>]>,
    attachments: Vec<AttachmentRow<'a>>,
    /// The file that a reference stands for.
    vine: Option<&'a str>,
}

#[derive(Serialize)]
struct AttachmentRow<'a> {
    class: &'static str,
    mime: &'a str,
    uri: &'a str,
}

impl<'a> TaskFields<'a> {
    fn of(task: &'a Task, is_root: bool) -> Self {
        let (attachments, vine) = match &task.work {
            NodeContent::Task { attachments, .. } => (attachments.as_slice(), None),
            NodeContent::Ref { vine } => (&[][..], Some(&**vine)),
        };
        let row = |attachment: &'a chant_vine::model::Attachment| AttachmentRow {
            class: attachment.class.as_str(),
            mime: &attachment.mime,
            uri: &attachment.uri,
        };
        let annotations = task.annotations.iter();
        Self {
            is_root,
            decisions: &task.decisions,
            annotations: annotations
                .map(|(key, values)| (&**key, values.as_slice()))
                .collect(),
            attachments: attachments.iter().map(row).collect(),
            vine,
        }
    }
}

#[derive(Serialize)]
struct FeatureTaskFields<'a> {
    feature: &'a str,
    line: usize,
    phase: Option<&'a str>,
    group: Option<&'a str>,
    /// The ID of the task it is a part of.
    part_of: Option<&'a str>,
    is_parallel: bool,
    stories: &'a [String],
    files: &'a [String],
    /// Texts, and whether they are met.
    criteria: Vec<(&'a str, bool)>,
}

impl<'a> FeatureTaskFields<'a> {
    fn of(tasks: &'a FeatureTasks, at: usize) -> Self {
        let task = tasks.task(at);
        let criteria = task.criteria.iter();
        Self {
            feature: &tasks.feature.label,
            line: task.line,
            phase: task.phase.map(|phase| &*tasks.phase(phase).title),
            group: task.group.as_deref(),
            part_of: task.parent.map(|parent| &*tasks.task(parent).id),
            is_parallel: task.is_parallel,
            stories: &task.stories,
            files: &task.paths,
            criteria: criteria
                .map(|one| (&*one.text, one.mark.is_settled()))
                .collect(),
        }
    }
}

#[derive(Serialize)]
struct PlanFields<'a> {
    /// The format's name, as people write it.
    format: &'static str,
    noun: &'static str,
    line: usize,
    parent: Option<String>,
    parts: Vec<&'a str>,
    optional: bool,
    group: bool,
    of_people: bool,
    /// Names for edits, texts, and whether they are ticked.
    criteria: Vec<(String, &'a str, bool)>,
    /// Sentences that have to become true, by their numbers.
    statements: Vec<&'a str>,
    attributes: BTreeMap<&'a str, &'a [Box<str>]>,
    edits: Vec<&'static str>,
    statuses: Vec<&'a str>,
    documents: Vec<&'a str>,
}

impl<'a> PlanFields<'a> {
    fn of(item: &Item<'a>, entry: &'a PlanEntry) -> Self {
        let (plan, unit) = (entry.item(), entry.unit());
        let graph = item.joined.graph();
        let members = graph
            .edges(item.node)
            .iter()
            .filter(|edge| edge.kind == EdgeKind::Member);
        let attributes = plan.attributes.iter();
        Self {
            format: entry.scope.title,
            noun: entry.scope.noun,
            line: plan.line,
            parent: item.parent(),
            parts: members.map(|edge| graph.key(edge.to)).collect(),
            optional: plan.is_optional,
            group: plan.is_group,
            of_people: plan.is_of_people,
            criteria: plan
                .criteria
                .iter()
                .map(|one| (entry.criterion_name(one), &*one.text, one.is_ticked))
                .collect(),
            statements: plan.statements.iter().map(|number| &**number).collect(),
            attributes: attributes
                .map(|one| (&*one.name, one.values.as_slice()))
                .collect(),
            edits: entry
                .scope
                .intents
                .iter()
                .map(|intent| intent.as_str())
                .collect(),
            statuses: item.joined.statuses_of(entry.scope.word),
            documents: unit
                .source
                .documents
                .iter()
                .map(|document| &*document.path)
                .collect(),
        }
    }
}

#[derive(Serialize)]
struct TicketFields<'a> {
    phase_epic: Option<&'a str>,
    related_tickets: &'a [Box<str>],
    blocks: &'a [Box<str>],
    date_created: Option<&'a str>,
    last_modified: Option<&'a str>,
}

impl<'a> TicketFields<'a> {
    fn of(ticket: &'a Ticket) -> Self {
        Self {
            phase_epic: ticket.phase_epic.as_deref(),
            related_tickets: &ticket.related_tickets,
            blocks: &ticket.blocks,
            date_created: ticket.date_created.as_deref(),
            last_modified: ticket.last_modified.as_deref(),
        }
    }
}
