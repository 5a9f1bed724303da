//! The meaning of an item for a person: the one place that says in which column of a board it stands.

use super::feature::{FeaturePart, FeatureTasks};
use super::item::Item;
use super::run_situations::{RunSituation, RunSituations};
use super::workspace_graph::ItemSource;
use chant_plan_format::snapshot::{PersonAct, PlanMeaning};
use chant_speckit::task::TaskMark;
use chant_specs::model::{Spec, SpecStatus};
use chant_specs::specs::SpecWait;
use chant_tickets::model::TicketStatus;
use chant_vine::model::{TaskStatus, VineNode};

/// The word of a stored approval that was refused.
const REJECTED: &str = "rejected";

/// The meaning of an item for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkMeaning {
    /// Work on it can begin now.
    CanBegin,
    /// Somebody works on it.
    BeingWorkedOn,
    /// A person has to act before anything goes on.
    WaitsForYou(PersonTask),
    /// It waits for other items, or for nothing that a person does on a board.
    Waits,
    /// Nothing waits for it any more.
    Done,
}

/// The act that an item waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonTask {
    /// It has to be approved or rejected.
    Approve,
    /// It was rejected, and has to be changed or given up.
    Rejected,
    /// Its work is not proven, and has to be looked at.
    Attention,
    /// Its work failed.
    Failed,
    /// Its work has to be merged.
    Merge,
    /// Its work is in conflict with that of others.
    Conflict,
    /// Its work was stopped, and goes on when somebody says so.
    Paused,
    /// Its agent asks something.
    Question,
    /// It is done, and has to be put into the archive.
    Archive,
    /// It is a draft, of which a task has to be made.
    Promote,
}

impl WorkMeaning {
    /// The words of all meanings, in the order of columns.
    pub const WORDS: [&'static str; 5] = [
        "can_begin", "being_worked_on", "waits_for_you", "waits", "done",
    ];

    /// Where its column stands among all.
    pub fn column(self) -> usize {
        match self {
            Self::CanBegin => 0,
            Self::BeingWorkedOn => 1,
            Self::WaitsForYou(_) => 2,
            Self::Waits => 3,
            Self::Done => 4,
        }
    }

    /// Its word in answers.
    pub fn as_str(self) -> &'static str {
        Self::WORDS[self.column()]
    }

    /// The act that it waits for, where it waits for one.
    pub fn person_task(self) -> Option<PersonTask> {
        match self {
            Self::WaitsForYou(task) => Some(task),
            Self::CanBegin | Self::BeingWorkedOn | Self::Waits | Self::Done => None,
        }
    }

    /// Returns the meaning of an item; `None` for a cancelled one, which is not shown.
    pub(super) fn of(item: &Item<'_>, situations: &RunSituations) -> Option<Self> {
        let written = match item.source {
            ItemSource::Spec(spec) => return of_spec(item, spec, situations.of_spec(item.key())),
            ItemSource::Task { task, .. } => of_task(item, task),
            ItemSource::Feature(tasks, part) => of_feature(item, tasks, *part),
            ItemSource::Ticket(_, ticket) => of_ticket(item, ticket.meant.status),
            ItemSource::Plan(entry) => of_plan(entry.meaning),
        };
        let work = situations.of_item(item.key()).and_then(|work| work.meaning);
        Some(match work {
            // A person did what a run could not.
            Some(Self::WaitsForYou(PersonTask::Failed | PersonTask::Attention))
                if written == Self::Done =>
            {
                written
            }
            Some(work) => work,
            None if written == Self::CanBegin && item.is_at_work() => Self::Waits,
            None => written,
        })
    }

    /// Returns what the work on a spec, or on an order for an item of another format, means; `None` where there is
    /// none, or none any more.
    pub(super) fn of_begun(
        spec: &Spec,
        status: SpecStatus,
        run: Option<RunSituation>,
    ) -> Option<Self> {
        if matches!(status, SpecStatus::Completed | SpecStatus::Cancelled) {
            return None;
        }
        let task = match run {
            Some(RunSituation::Asks) => Some(PersonTask::Question),
            Some(RunSituation::Live) => return Some(Self::BeingWorkedOn),
            Some(RunSituation::CompletedThere) => return Some(Self::Done),
            Some(RunSituation::Doubtful) => Some(PersonTask::Attention),
            Some(RunSituation::InConflict) => Some(PersonTask::Conflict),
            Some(RunSituation::AwaitsMerge) => Some(PersonTask::Merge),
            Some(RunSituation::AwaitsApproval) if spec.is_approved() => Some(PersonTask::Merge),
            Some(RunSituation::AwaitsApproval) => Some(approval_of(spec)),
            Some(RunSituation::Paused) | None => None,
        };
        if let Some(task) = task {
            return Some(Self::WaitsForYou(task));
        }
        let paused = Self::WaitsForYou(PersonTask::Paused);
        Some(match status {
            SpecStatus::NeedsAttention => Self::WaitsForYou(PersonTask::Attention),
            SpecStatus::Failed => Self::WaitsForYou(PersonTask::Failed),
            SpecStatus::Paused => paused,
            SpecStatus::InProgress if run == Some(RunSituation::Paused) => paused,
            SpecStatus::InProgress => Self::BeingWorkedOn,
            SpecStatus::Pending
            | SpecStatus::Ready
            | SpecStatus::Blocked
            | SpecStatus::Completed
            | SpecStatus::Cancelled => return None,
        })
    }
}

impl PersonTask {
    /// Its word in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Rejected => REJECTED,
            Self::Attention => "attention",
            Self::Failed => "failed",
            Self::Merge => "merge",
            Self::Conflict => "conflict",
            Self::Paused => "paused",
            Self::Question => "question",
            Self::Archive => PersonAct::Archive.as_str(),
            Self::Promote => PersonAct::Promote.as_str(),
        }
    }
}

fn of_spec(item: &Item<'_>, spec: &Spec, run: Option<RunSituation>) -> Option<WorkMeaning> {
    match item.joined.specs.status(spec) {
        SpecStatus::Cancelled => None,
        SpecStatus::Completed => Some(WorkMeaning::Done),
        status => {
            let begun = WorkMeaning::of_begun(spec, status, run);
            Some(begun.unwrap_or_else(|| of_open_spec(item, spec)))
        }
    }
}

/// The meaning of a spec whose work has not started.
fn of_open_spec(item: &Item<'_>, spec: &Spec) -> WorkMeaning {
    if item.is_ready() {
        return WorkMeaning::CanBegin;
    }
    let could_begin = || item.joined.specs.waits(spec) == [SpecWait::Approval];
    if !spec.is_approved() && !spec.kind.is_container() && could_begin() {
        return WorkMeaning::WaitsForYou(approval_of(spec));
    }
    WorkMeaning::Waits
}

/// The act that an approval which is not given asks for.
fn approval_of(spec: &Spec) -> PersonTask {
    let status = spec.approval.as_ref();
    let status = status.and_then(|approval| approval.status.as_deref());
    if status == Some(REJECTED) {
        PersonTask::Rejected
    } else {
        PersonTask::Approve
    }
}

/// A reference to another graph has no state of its own, and waits for what is there.
fn of_task(item: &Item<'_>, task: &VineNode) -> WorkMeaning {
    match task.status() {
        Some(TaskStatus::Complete) => WorkMeaning::Done,
        Some(TaskStatus::Started | TaskStatus::Reviewing) => WorkMeaning::BeingWorkedOn,
        Some(TaskStatus::NotStarted | TaskStatus::Planning) => begins_or_waits(item),
        Some(TaskStatus::Blocked) | None => WorkMeaning::Waits,
    }
}

/// A box alone is not enough for a task to be done: its parts have to be, too.
fn of_feature(item: &Item<'_>, tasks: &FeatureTasks, part: FeaturePart) -> WorkMeaning {
    if tasks.is_done(part) {
        return WorkMeaning::Done;
    }
    match tasks.status(part) {
        TaskMark::Partial => WorkMeaning::BeingWorkedOn,
        TaskMark::Open | TaskMark::Done | TaskMark::Skipped => begins_or_waits(item),
    }
}

/// A proposal waits for a person to agree; one that is on hold was put there by a person.
fn of_ticket(item: &Item<'_>, status: Option<TicketStatus>) -> WorkMeaning {
    match status {
        Some(TicketStatus::Implemented | TicketStatus::Rejected) => WorkMeaning::Done,
        Some(TicketStatus::InProgress | TicketStatus::PartiallyImplemented) => {
            WorkMeaning::BeingWorkedOn
        }
        Some(TicketStatus::Proposed) if item.waits_for().is_empty() => {
            WorkMeaning::WaitsForYou(PersonTask::Approve)
        }
        Some(TicketStatus::Approved) => begins_or_waits(item),
        Some(TicketStatus::Proposed | TicketStatus::OnHold) | None => WorkMeaning::Waits,
    }
}

/// The meaning that a format gives.
fn of_plan(meaning: PlanMeaning) -> WorkMeaning {
    match meaning {
        PlanMeaning::CanBegin => WorkMeaning::CanBegin,
        PlanMeaning::BeingWorkedOn => WorkMeaning::BeingWorkedOn,
        PlanMeaning::WaitsForYou(act) => WorkMeaning::WaitsForYou(match act {
            PersonAct::Approve => PersonTask::Approve,
            PersonAct::Archive => PersonTask::Archive,
            PersonAct::Promote => PersonTask::Promote,
        }),
        PlanMeaning::Waits => WorkMeaning::Waits,
        PlanMeaning::Done => WorkMeaning::Done,
    }
}

fn begins_or_waits(item: &Item<'_>) -> WorkMeaning {
    if item.is_ready() {
        WorkMeaning::CanBegin
    } else {
        WorkMeaning::Waits
    }
}
