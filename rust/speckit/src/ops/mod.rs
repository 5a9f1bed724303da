//! One function a tool, and those that commands ask (seed speckit, reference rstn 2).

mod documents;
mod questions;

pub use documents::{document, read};
pub use questions::{StatusReport, answer, ask, questions, report_status, wait};

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::Value;

use super::complete::CompletionTarget;
use super::error::to_tool_error;
use super::feature::count_clarifications;
use super::files::{CallerIdentity, FeatureDocument, FeatureStore};
use super::resolve::{FeatureDirectory, ResolvedProject, in_specs};
use super::task::TaskProgress;
use super::view::{
    self, AddedTaskView, CompletedView, DecisionRulesView, FeatureContextView, FeatureView,
    FullContextView, NextTasksView, ReopenedView, TasksView,
};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_base::next_step::DoorKind;

/// The documents that `rstn_read_spec` knows.
const ARTIFACTS: [&str; 5] = ["spec", "plan", "tasks", "checklist", "analysis"];
/// IDs of tasks that can be done now, in an answer.
const READY_SHOWN: usize = 20;

/// `rstn_get_context`: which feature is current, and why.
///
/// # Errors
/// `Ambiguous`, or what the disk says.
pub fn context(features: &FeatureStore, asked: Option<&str>) -> Result<Answer, Error> {
    let answer = || -> Result<Answer, Error> {
        let found = features.find(asked)?;
        let feature = found.feature.as_ref();
        let stage = feature.map(|one| features.stage(one)).transpose()?;
        let view = whole_context(features, &found, stage)?;
        let whole = Answer::data(&view);
        Ok(Answer {
            text: serde_json::to_string(&view.context).unwrap_or_default(),
            json: whole.json,
            note: (!view.warnings.is_empty())
                .then(|| format!("Warning: {}", view.warnings.join("\nWarning: "))),
        })
    };
    answer().map_err(to_tool_error)
}

fn whole_context<'a>(
    features: &FeatureStore,
    found: &'a ResolvedProject,
    stage: Option<super::feature::FeatureStage>,
) -> Result<FullContextView<'a>, Error> {
    let mut artifacts = Vec::new();
    let mut warnings = found.warnings.clone();
    let (mut progress, mut needs, mut checklists) = (None, 0, None);
    if let Some(feature) = &found.feature {
        for artifact in ARTIFACTS {
            if features
                .document(feature, &format!("{artifact}.md"))?
                .is_some()
            {
                artifacts.push(artifact);
            }
        }
        if let Some(tasks) = features.document(feature, "tasks.md")? {
            let counted = TaskProgress::of(&tasks.list.tasks);
            progress = (!tasks.list.tasks.is_empty()).then(|| counted.into());
            warnings.extend(clashing("tasks.md", &tasks));
            warnings.extend(view::problems(&tasks.list));
        }
        if let Some(spec) = features.document(feature, "spec.md")? {
            warnings.extend(clashing("spec.md", &spec));
            if spec.clash.is_none() {
                needs = count_clarifications(&spec.text);
            }
        }
        checklists = documents::boxes(features, feature)?;
        if checklists.is_some() && !artifacts.contains(&"checklist") {
            artifacts.push("checklist");
        }
    }
    Ok(FullContextView {
        context: FeatureContextView::of(found, stage),
        root: found.root.path().display().to_string(),
        why: DecisionRulesView {
            root: found.root_rule,
            feature: found.feature.as_ref().map(|feature| feature.rule),
            tried: &found.tried,
        },
        warnings,
        artifacts,
        progress,
        needs_clarification: needs,
        checklists,
    })
}

/// Returns the message on a document of which a merge left two versions; `None` for any other.
fn clashing(name: &str, document: &FeatureDocument) -> Option<String> {
    document.clash.map(|clash| format!("{name}: {clash}"))
}

/// The parameters with which a task is ticked.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CompletionOptions {
    /// True if validation is skipped, checks included.
    pub skip_validation: bool,
    /// The client's name.
    pub agent: Option<String>,
}

/// `rstn_complete_task`: ticks a task of the current feature.
///
/// # Errors
/// `NoFeature`, `NoTaskList`, `NoTask`, `Duplicate`, `Unready`, `CheckFailed`, or what the disk says.
pub fn complete(
    features: &FeatureStore,
    who: &CallerIdentity,
    asked: Option<&str>,
    id: &str,
    skip_validation: bool,
) -> Result<Answer, Error> {
    let answer = || -> Result<Answer, Error> {
        let found = features.find(asked)?;
        let feature = current(&found)?;
        let target = CompletionTarget {
            id,
            skips: skip_validation,
        };
        let mut done = features.complete(&found, feature, who, target)?;
        done.warnings.extend(view::problems(&done.list));
        let warnings = found.warnings.iter().cloned();
        done.warnings.splice(0..0, warnings);
        let plan = features.plan(&found.root, &done.list);
        let next = plan.next();
        let ready = plan.ready();
        let view = CompletedView {
            completed: true,
            task_id: &done.list.tasks[done.at].id,
            already_complete: done.was_complete,
            progress: done.list.progress().to_string(),
            next_task: next.map(Into::into),
            ready: ready
                .iter()
                .take(READY_SHOWN)
                .map(|task| &*task.id)
                .collect(),
            skipped_validation: skip_validation && !done.was_complete,
            checks_note: (!done.checks_configured && !done.was_complete)
                .then_some("No checks are configured."),
            checks: &done.checks,
            warnings: &done.warnings,
            feature: &feature.directory,
        };
        let data = Answer::data(&view);
        Ok(Answer {
            text: completed_text(
                features.door,
                &view,
                next.map(|task| (&*task.id, task.title())),
            ),
            ..data
        })
    };
    answer().map_err(to_tool_error)
}

/// Takes the tick of a task of a feature back.
///
/// # Errors
/// `NoFeature`, `NoTaskList`, `NoTask`, `Duplicate`, `Unready`, or what the disk says.
pub fn reopen(
    features: &FeatureStore,
    who: &CallerIdentity,
    asked: Option<&str>,
    id: &str,
) -> Result<Answer, Error> {
    let answer = || -> Result<Answer, Error> {
        let found = features.find(asked)?;
        let feature = current(&found)?;
        let done = features.reopen(&found, feature, who, id)?;
        let view = ReopenedView {
            task_id: &done.list.tasks[done.at].id,
            was_open: done.was_open,
            progress: done.list.progress().to_string(),
            feature: &feature.directory,
            warnings: &done.warnings,
        };
        let state = if view.was_open {
            "is open already; nothing was written."
        } else {
            "is open again."
        };
        let mut text = format!(
            "Task {} {state}\n{} tasks complete",
            view.task_id, view.progress
        );
        for warning in view.warnings {
            let _ = write!(text, "\nWarning: {warning}");
        }
        Ok(Answer::text_with_data(text, &view))
    };
    answer().map_err(to_tool_error)
}

/// Adds a task to a feature, behind the last one of the phase in which `beside` stands, or of the list.
///
/// # Errors
/// `NoFeature`, `NoTaskList`, `NoTask`, `Duplicate`, `NewTask`, or what the disk says.
pub fn add_task(
    features: &FeatureStore,
    asked: Option<&str>,
    title: &str,
    beside: Option<&str>,
) -> Result<Answer, Error> {
    let answer = || -> Result<Answer, Error> {
        let found = features.find(asked)?;
        let feature = current(&found)?;
        let added = features.add_task(&found, feature, title, beside)?;
        let directory = &feature.directory;
        let text = format!("Added task {} to {directory}.", added.id);
        let view = AddedTaskView {
            task_id: &added.id,
            feature: directory,
            line: added.line,
        };
        Ok(Answer::text_with_data(text, &view))
    };
    answer().map_err(to_tool_error)
}

fn completed_text(door: DoorKind, view: &CompletedView<'_>, next: Option<(&str, &str)>) -> String {
    let done = match door {
        // The seed's sentence, which its clients know.
        DoorKind::Agents => "marked for completion. Processing...",
        DoorKind::People | DoorKind::Scripts => "is complete.",
    };
    let mut text = format!(
        "Task {} {done}\n{} tasks complete",
        view.task_id, view.progress
    );
    if view.already_complete {
        text.push_str("\nIt was complete already; nothing was written.");
    }
    if let Some(note) = view.checks_note {
        let _ = write!(text, "\n{note}");
    }
    for check in view.checks {
        let _ = write!(
            text,
            "\nCheck '{}' {} ({} s)",
            check.name, check.how, check.seconds
        );
    }
    if view.skipped_validation {
        text.push_str("\nValidation was skipped, which is recorded.");
    }
    for warning in view.warnings {
        let _ = write!(text, "\nWarning: {warning}");
    }
    if let Some((id, title)) = next {
        let _ = write!(text, "\nNext: {id} {title}");
    }
    if view.ready.len() > 1 {
        let _ = write!(text, "\nCan be done at once: {}", view.ready.join(", "));
    }
    text
}

/// The feature that was found.
///
/// # Errors
/// `NoFeature`.
pub(super) fn current(found: &ResolvedProject) -> Result<&FeatureDirectory, Error> {
    let feature = found.feature.as_ref();
    feature.ok_or_else(|| found.without_feature().into())
}

/// The last events, the newest last.
///
/// # Errors
/// What the disk says.
pub fn events(features: &FeatureStore, most: usize) -> Result<Answer, Error> {
    let answer = || -> Result<Answer, Error> {
        let found = features.find(None)?;
        let events: Vec<Value> = features.events(&found, most)?;
        Ok(Answer::whole(&events))
    };
    answer().map_err(to_tool_error)
}

/// The tasks of a feature.
///
/// # Errors
/// `NoFeature`, `NoTaskList`, or what the disk says.
pub fn tasks(features: &FeatureStore, asked: Option<&str>) -> Result<Answer, Error> {
    let answer = || -> Result<Answer, Error> {
        let found = features.find(asked)?;
        let feature = current(&found)?;
        let document = features.tasks(&found, feature)?;
        let plan = features.plan(&found.root, &document.list);
        Ok(Answer::whole(&TasksView {
            feature: &feature.directory,
            progress: document.list.progress().into(),
            phases: view::phases(&document.list),
            tasks: view::tasks(&plan),
            unread: view::unread(&document.list),
            problems: view::problems(&document.list),
        }))
    };
    answer().map_err(to_tool_error)
}

/// The tasks of a feature that can be done now, all at once, and what the others wait for.
///
/// # Errors
/// `NoFeature`, `NoTaskList`, or what the disk says.
pub fn next(features: &FeatureStore, asked: Option<&str>) -> Result<Answer, Error> {
    let answer = || -> Result<Answer, Error> {
        let found = features.find(asked)?;
        let feature = current(&found)?;
        let document = features.tasks(&found, feature)?;
        let list = &document.list;
        let plan = features.plan(&found.root, list);
        let is_open = list.tasks.iter().map(|task| !task.mark.is_settled());
        let open = view::tasks(&plan).into_iter().zip(is_open);
        let open = open.filter(|(_, is_open)| *is_open).map(|(task, _)| task);
        let (ready, waiting) = open.partition(view::TaskView::is_ready);
        Ok(Answer::whole(&NextTasksView {
            feature: &feature.directory,
            progress: list.progress().into(),
            ready,
            waiting,
            problems: view::problems(list),
        }))
    };
    answer().map_err(to_tool_error)
}

/// All features of the project, by the names of their directories.
///
/// # Errors
/// What the disk says.
pub fn all(features: &FeatureStore) -> Result<Answer, Error> {
    let answer = || -> Result<Answer, Error> {
        let found = features.find(None)?;
        let current = found.feature.as_ref().map(|feature| &feature.directory);
        let mut views = Vec::new();
        for feature in in_specs(&found.root) {
            let tasks = features.document(&feature, "tasks.md")?;
            let problem = tasks.as_ref().and_then(|tasks| clashing("tasks.md", tasks));
            let unread = tasks.as_ref().map_or(0, |tasks| tasks.list.lost());
            let tasks = tasks.filter(|tasks| !tasks.list.tasks.is_empty());
            views.push(FeatureView {
                unread,
                phase: features.stage(&feature)?.to_string(),
                progress: tasks.map(|tasks| tasks.list.progress().into()),
                problem,
                current: current == Some(&feature.directory),
                spec_dir: feature.directory,
                feature_number: feature.name.number,
                feature_name: feature.name.slug,
            });
        }
        Ok(Answer::whole(&views))
    };
    answer().map_err(to_tool_error)
}
