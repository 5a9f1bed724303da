//! The tasks and phases of a spec-kit feature as items of the workspace.
//!
//! A phase is an item that only holds others: tasks of later phases wait for it, it waits for its own.

use std::sync::Arc;

use super::key;
use chant_base::external_items::ExternalStatus;
use chant_graph::EdgeKind;
use chant_speckit::files::FeatureDocument;
use chant_speckit::plan::{PlanNode, TaskPlan};
use chant_speckit::task::{Task, TaskMark, TaskPhase};

/// The task list of a feature below the root.
#[derive(Debug, Clone)]
pub struct FeatureTaskList {
    /// The name of its directory.
    pub label: Arc<str>,
    /// The file of its tasks, relative to the root, with `/`.
    pub path: Arc<str>,
    /// The document that it holds.
    pub document: Arc<FeatureDocument>,
    /// The statuses of the items that its tasks depend on, in the order of their keys.
    pub standings: Vec<ExternalStatus>,
}

/// A task or a phase, by its place in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeaturePart {
    /// A task.
    Task(usize),
    /// A phase.
    Phase(usize),
}

/// A feature with what is worked out from its list.
#[derive(Debug)]
pub struct FeatureTasks {
    /// The feature.
    pub feature: FeatureTaskList,
    /// By phase its name; none for one without tasks.
    names: Vec<Option<String>>,
    /// By task whether it can be done now, and whether nothing waits for it any more.
    states: Vec<(bool, bool)>,
    /// By task its stories and labels.
    labels: Vec<Vec<Box<str>>>,
}

/// The items that an item of a feature waits for, by their keys.
pub(super) type ItemWaits = Vec<(String, EdgeKind)>;

impl FeatureTaskList {
    /// Returns true if this is the same as before.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.path == other.path
            && Arc::ptr_eq(&self.document, &other.document)
            && self.standings == other.standings
    }

    /// The items in the order of lists, each with what it waits for.
    pub(super) fn drawn(self) -> (Arc<FeatureTasks>, Vec<(FeaturePart, ItemWaits)>) {
        let document = Arc::clone(&self.document);
        let list = &document.list;
        let plan = TaskPlan::with_statuses(list, &self.standings);
        let mut states: Vec<(bool, bool)> = vec![(false, false); list.tasks.len()];
        for (at, state) in states.iter_mut().enumerate() {
            state.1 = plan.is_settled(at);
        }
        for at in plan.ready_places() {
            states[at].0 = true;
        }
        let labels = |task: &Task| {
            let words = task.stories.iter().chain(&task.labels);
            words.map(|word| word.as_str().into()).collect()
        };
        let tasks = FeatureTasks {
            names: list.phase_names(),
            labels: list.tasks.iter().map(labels).collect(),
            states,
            feature: self,
        };
        let mut parts: Vec<(FeaturePart, ItemWaits)> = Vec::new();
        let mut last = None;
        for (at, task) in list.tasks.iter().enumerate() {
            if task.phase != last {
                last = task.phase;
                parts.extend(last.map(|phase| (FeaturePart::Phase(phase), tasks.members(phase))));
            }
            if plan.is_first(at) {
                let edges = plan.edges_of(at).iter();
                let waits = edges.map(|edge| (tasks.key_of(plan.stands(edge.to)), edge.kind));
                parts.push((FeaturePart::Task(at), waits.collect()));
            }
        }
        (Arc::new(tasks), parts)
    }
}

impl FeatureTasks {
    /// The task at a place.
    pub fn task(&self, at: usize) -> &Task {
        &self.feature.document.list.tasks[at]
    }

    /// The phase at a place.
    pub(super) fn phase(&self, at: usize) -> &TaskPhase {
        &self.feature.document.list.phases[at]
    }

    /// The name of an item in its feature: the ID of a task, that of a phase.
    pub(super) fn name(&self, part: FeaturePart) -> &str {
        match part {
            FeaturePart::Task(at) => &self.task(at).id,
            FeaturePart::Phase(at) => self.names[at].as_deref().unwrap_or_default(),
        }
    }

    /// The key of an item.
    pub(super) fn key(&self, part: FeaturePart) -> String {
        key::of_feature(&self.feature.label, self.name(part))
    }

    fn key_of(&self, stands: PlanNode<'_>) -> String {
        match stands {
            PlanNode::Task(at) => self.key(FeaturePart::Task(at)),
            PlanNode::Phase(at) => self.key(FeaturePart::Phase(at)),
            PlanNode::Elsewhere(key) => key::normal(key),
            PlanNode::Missing(id) => key::of_feature(&self.feature.label, id),
        }
    }

    fn members(&self, phase: usize) -> ItemWaits {
        let tasks = self.feature.document.list.of_phase(phase);
        let key = |task: &Task| key::of_feature(&self.feature.label, &task.id);
        tasks.map(|task| (key(task), EdgeKind::Member)).collect()
    }

    /// The state of an item: that of a task's box, of a phase whether all of its tasks are settled.
    pub(super) fn status(&self, part: FeaturePart) -> TaskMark {
        match part {
            FeaturePart::Task(at) => self.task(at).mark,
            FeaturePart::Phase(_) if self.is_done(part) => TaskMark::Done,
            FeaturePart::Phase(_) => TaskMark::Open,
        }
    }

    /// Returns true if nothing waits for an item any more.
    pub(super) fn is_done(&self, part: FeaturePart) -> bool {
        match part {
            FeaturePart::Task(at) => self.states[at].1,
            FeaturePart::Phase(phase) => {
                let mut tasks = self.feature.document.list.of_phase(phase);
                tasks.all(|task| task.mark.is_settled())
            }
        }
    }

    /// Returns true if an item can be done now; a phase never is.
    pub(super) fn is_ready(&self, part: FeaturePart) -> bool {
        matches!(part, FeaturePart::Task(at) if self.states[at].0)
    }

    /// The stories and labels of an item.
    pub(super) fn labels(&self, part: FeaturePart) -> &[Box<str>] {
        match part {
            FeaturePart::Task(at) => &self.labels[at],
            FeaturePart::Phase(_) => &[],
        }
    }

    /// The item that one is a part of: of a task the task or the phase around it.
    pub(super) fn parent(&self, part: FeaturePart) -> Option<FeaturePart> {
        let FeaturePart::Task(at) = part else {
            return None;
        };
        let task = self.task(at);
        let of_task = task.parent.map(FeaturePart::Task);
        of_task.or(task.phase.map(FeaturePart::Phase))
    }

    /// The phase that an item belongs to or is.
    pub(super) fn phase_of(&self, part: FeaturePart) -> Option<&TaskPhase> {
        match part {
            FeaturePart::Task(at) => self.task(at).phase.map(|at| self.phase(at)),
            FeaturePart::Phase(at) => Some(self.phase(at)),
        }
    }
}
