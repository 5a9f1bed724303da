//! The shapes of answers.

use serde::Serialize;

use super::events::CheckEvidence;
use super::feature::FeatureStage;
use super::plan::TaskPlan;
use super::questions::AgentQuestion;
use super::resolve::ResolvedProject;
use super::task::{Task, TaskList, TaskPhase, TaskProgress};
use super::unread::UnreadLine;

/// The seed's five keys, all null outside of a feature.
#[derive(Debug, Clone, Serialize)]
pub struct FeatureContextView<'a> {
    feature_number: Option<&'a str>,
    feature_name: Option<&'a str>,
    branch: Option<&'a str>,
    phase: Option<String>,
    spec_dir: Option<&'a str>,
}

impl<'a> FeatureContextView<'a> {
    /// Of what was found.
    pub fn of(found: &'a ResolvedProject, stage: Option<FeatureStage>) -> Self {
        let feature = found.feature.as_ref();
        Self {
            feature_number: feature.and_then(|feature| feature.name.number.as_deref()),
            feature_name: feature.and_then(|feature| feature.name.slug.as_deref()),
            branch: feature.and(found.branch.as_deref()),
            phase: stage.map(|stage| stage.to_string()),
            spec_dir: feature.map(|feature| feature.directory.as_str()),
        }
    }
}

/// The context, and everything beside the seed's keys.
#[derive(Debug, Serialize)]
pub struct FullContextView<'a> {
    /// The seed's keys.
    #[serde(flatten)]
    pub context: FeatureContextView<'a>,
    /// The project's folder.
    pub root: String,
    /// The rules by which it was found.
    pub why: DecisionRulesView<'a>,
    /// Warnings for people.
    pub warnings: Vec<String>,
    /// The documents there are.
    pub artifacts: Vec<&'a str>,
    /// The progress of the tasks.
    pub progress: Option<TaskProgressView>,
    /// The number of clarifications that the spec asks for.
    pub needs_clarification: usize,
    /// Open and all boxes of the checklists.
    pub checklists: Option<BoxesView>,
}

/// Which rules decided.
#[derive(Debug, Serialize)]
pub struct DecisionRulesView<'a> {
    /// The rule that decided on the project's folder.
    pub root: &'a str,
    /// The rule that decided on the current feature.
    pub feature: Option<&'a str>,
    /// The rules that were tried.
    pub tried: &'a [String],
}

/// Boxes of checklists.
#[derive(Debug, Serialize)]
pub struct BoxesView {
    /// Those without a tick.
    pub open: usize,
    /// All of them.
    pub total: usize,
}

/// The progress of a list.
#[derive(Debug, Clone, Serialize)]
pub struct TaskProgressView {
    /// Such as `3/10`.
    pub progress: String,
    done: usize,
    open: usize,
    partial: usize,
    skipped: usize,
}

impl From<TaskProgress> for TaskProgressView {
    fn from(progress: TaskProgress) -> Self {
        Self {
            progress: progress.to_string(),
            done: progress.done,
            open: progress.open,
            partial: progress.partial,
            skipped: progress.skipped,
        }
    }
}

/// A task in a few words.
#[derive(Debug, Serialize)]
pub struct TaskBriefView<'a> {
    id: &'a str,
    description: &'a str,
}

impl<'a> From<&'a Task> for TaskBriefView<'a> {
    fn from(task: &'a Task) -> Self {
        Self {
            id: &task.id,
            description: task.title(),
        }
    }
}

/// A task that was added.
#[derive(Debug, Serialize)]
pub struct AddedTaskView<'a> {
    /// Its ID.
    pub task_id: &'a str,
    /// The feature's directory.
    pub feature: &'a str,
    /// Its line in the list, counted from 1.
    pub line: usize,
}

/// A task that is open again.
#[derive(Debug, Serialize)]
pub struct ReopenedView<'a> {
    /// Its ID.
    pub task_id: &'a str,
    /// True if it was open before.
    pub was_open: bool,
    /// The progress of the list.
    pub progress: String,
    /// The feature's directory.
    pub feature: &'a str,
    /// What was not right and refused nothing.
    pub warnings: &'a [String],
}

/// A completed task.
#[derive(Debug, Serialize)]
pub struct CompletedView<'a> {
    /// Always true: what is refused is an error.
    pub completed: bool,
    /// Its ID.
    pub task_id: &'a str,
    /// True if it was so before, and nothing was written.
    pub already_complete: bool,
    /// Such as `3/10`.
    pub progress: String,
    /// The next one to be done.
    pub next_task: Option<TaskBriefView<'a>>,
    /// IDs of those that can be done now, all at once.
    pub ready: Vec<&'a str>,
    /// True if validation was skipped.
    pub skipped_validation: bool,
    /// A note that there are no checks, where it was ticked without any being configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks_note: Option<&'static str>,
    /// The outcomes of the checks.
    pub checks: &'a [CheckEvidence],
    /// Problems that did not refuse it.
    pub warnings: &'a [String],
    /// The feature's directory.
    pub feature: &'a str,
}

/// A task in full.
#[derive(Debug, Serialize)]
pub struct TaskView<'a> {
    id: &'a str,
    status: &'static str,
    description: &'a str,
    line: usize,
    parallel: bool,
    stories: &'a [String],
    labels: &'a [String],
    paths: &'a [String],
    depends_on: &'a [String],
    part_of: Option<&'a str>,
    phase: Option<&'a str>,
    group: Option<&'a str>,
    criteria: Vec<CriterionView<'a>>,
    /// True if it can be done now.
    ready: bool,
    /// The things it waits for.
    waits_for: Vec<String>,
}

/// Something a task has to meet.
#[derive(Debug, Serialize)]
struct CriterionView<'a> {
    text: &'a str,
    status: &'static str,
}

/// All tasks of a list, or those of some places in it.
pub fn tasks<'a>(plan: &TaskPlan<'a>) -> Vec<TaskView<'a>> {
    let list: &'a TaskList = plan.list;
    let ready: Vec<usize> = plan.ready().iter().map(|task| task.line).collect();
    let view = |(at, task): (usize, &'a Task)| {
        let title = |phase: usize| list.phases[phase].title.as_str();
        let is_settled = task.mark.is_settled();
        TaskView {
            id: &task.id,
            status: task.mark.as_str(),
            description: &task.description,
            line: task.line,
            parallel: task.is_parallel,
            stories: &task.stories,
            labels: &task.labels,
            paths: &task.paths,
            depends_on: &task.depends_on,
            part_of: task.parent.map(|parent| &*list.tasks[parent].id),
            phase: task.phase.map(title),
            group: task.group.as_deref(),
            criteria: task
                .criteria
                .iter()
                .map(|one| CriterionView {
                    text: &one.text,
                    status: one.mark.as_str(),
                })
                .collect(),
            ready: ready.contains(&task.line),
            waits_for: if is_settled {
                Vec::new()
            } else {
                plan.unmet(at)
            },
        }
    };
    list.tasks.iter().enumerate().map(view).collect()
}

impl TaskView<'_> {
    /// Returns true if it can be done now.
    pub fn is_ready(&self) -> bool {
        self.ready
    }
}

/// A phase, and how far it is.
#[derive(Debug, Serialize)]
pub struct PhaseView<'a> {
    title: &'a str,
    number: Option<u32>,
    story: Option<&'a str>,
    priority: Option<&'a str>,
    mvp: bool,
    checkpoint: Option<&'a str>,
    #[serde(flatten)]
    progress: TaskProgressView,
}

/// The phases that have tasks.
pub fn phases(list: &TaskList) -> Vec<PhaseView<'_>> {
    let has_tasks = |(at, _): &(usize, &TaskPhase)| list.of_phase(*at).next().is_some();
    let phases = list.phases.iter().enumerate().filter(has_tasks);
    phases
        .map(|(at, phase)| PhaseView {
            title: &phase.title,
            number: phase.number,
            story: phase.story.as_deref(),
            priority: phase.priority.as_deref(),
            mvp: phase.is_mvp,
            checkpoint: phase.checkpoint.as_deref(),
            progress: TaskProgress::of(list.of_phase(at)).into(),
        })
        .collect()
}

/// A line that looks like a task and is not read as one.
#[derive(Debug, Serialize)]
pub struct UnreadView {
    line: usize,
    why: String,
}

/// All such lines of a list.
pub fn unread(list: &TaskList) -> Vec<UnreadView> {
    let lines = list.unread.iter();
    let view = |one: &UnreadLine| UnreadView {
        line: one.line,
        why: one.why.said(),
    };
    lines.map(view).collect()
}

/// Returns the problems of a list, in sentences.
pub fn problems(list: &TaskList) -> Vec<String> {
    let problems = list.problems().into_iter();
    problems.map(|(_, said)| said).collect()
}

/// A feature's tasks.
#[derive(Debug, Serialize)]
pub struct TasksView<'a> {
    /// The feature's directory.
    pub feature: &'a str,
    /// The progress of all tasks.
    #[serde(flatten)]
    pub progress: TaskProgressView,
    /// The phases.
    pub phases: Vec<PhaseView<'a>>,
    /// The tasks.
    pub tasks: Vec<TaskView<'a>>,
    /// Lines that look like tasks and are not read as such.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadView>,
    /// The problems of the list, a sentence for all lines of one reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// The tasks that can be done now, and those that wait.
#[derive(Debug, Serialize)]
pub struct NextTasksView<'a> {
    /// The feature's directory.
    pub feature: &'a str,
    /// The progress of all tasks.
    #[serde(flatten)]
    pub progress: TaskProgressView,
    /// The tasks that can be done, all at once.
    pub ready: Vec<TaskView<'a>>,
    /// The tasks that wait.
    pub waiting: Vec<TaskView<'a>>,
    /// The problems of the list, a sentence for all lines of one reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A feature among others.
#[derive(Debug, Serialize)]
pub struct FeatureView {
    /// Its directory.
    pub spec_dir: String,
    /// Its number.
    pub feature_number: Option<String>,
    /// Its name.
    pub feature_name: Option<String>,
    /// Its stage.
    pub phase: String,
    /// The progress of its tasks.
    pub progress: Option<TaskProgressView>,
    /// Why its tasks are not counted, where there are some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The number of lines that look like tasks and are not read.
    #[serde(skip_serializing_if = "is_zero")]
    pub unread: usize,
    /// True if it is the current one.
    pub current: bool,
}

/// A question, without what was answered.
#[derive(Debug, Serialize)]
pub struct QuestionView<'a> {
    id: &'a str,
    state: &'static str,
    prompt: &'a str,
    session: &'a str,
    agent: Option<&'a str>,
    run: Option<&'a str>,
    feature: Option<&'a str>,
    worktree: &'a str,
    asked_at: String,
    expires_at: String,
    closed_at: Option<String>,
    closed_by: Option<&'a str>,
}

impl<'a> From<&'a AgentQuestion> for QuestionView<'a> {
    fn from(question: &'a AgentQuestion) -> Self {
        Self {
            id: &question.id,
            state: question.state.as_str(),
            prompt: &question.prompt,
            session: &question.session,
            agent: question.agent.as_deref(),
            run: question.run.as_deref(),
            feature: question.feature.as_deref(),
            worktree: &question.worktree,
            asked_at: question.asked_at.to_string(),
            expires_at: question.expires_at.to_string(),
            closed_at: question.closed_at.map(|at| at.to_string()),
            closed_by: question.closed_by.as_deref(),
        }
    }
}
