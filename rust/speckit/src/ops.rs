//! One function a tool, and those that commands ask (seed speckit, reference rstn 2).

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use super::error::{SpeckitError, to_tool_error};
use super::events::FeatureEvent;
use super::feature::count_clarifications;
use super::files::{CallerIdentity, FeatureDocument, FeatureStore};
use super::questions::{AgentQuestion, QuestionListener, QuestionState};
use super::resolve::{FeatureDirectory, ResolvedProject, in_specs};
use super::task::TaskProgress;
use super::view::{
    self, BoxesView, CompletedView, DecisionRulesView, FeatureContextView, FeatureView,
    FullContextView, NextTasksView, QuestionView, TasksView,
};
use chant_base::answer::{Answer, piece};
use chant_base::error::{CoreError, Error};
use chant_base::next_step::{DoorKind, NextStep, hint};
use chant_store::StoreError;
use chant_store::disk;
use chant_text::clash;

/// The documents that `rstn_read_spec` knows.
const ARTIFACTS: [&str; 5] = ["spec", "plan", "tasks", "checklist", "analysis"];
/// The folder of checklists, beside the documents.
const CHECKLISTS: &str = "checklists";
/// IDs of tasks that can be done now, in an answer.
const READY_SHOWN: usize = 20;

/// Which part of a document is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentRange {
    /// Characters to pass over.
    pub offset: usize,
    /// Most characters.
    pub max_chars: usize,
}

/// A report of an agent.
#[derive(Debug, Clone, Copy)]
pub struct StatusReport<'a> {
    /// `needs_input`, `completed` or `error`.
    pub status: &'a str,
    /// The text of its question.
    pub prompt: Option<&'a str>,
    /// The message about an error.
    pub message: Option<&'a str>,
    /// The question it comes back to.
    pub question: Option<&'a str>,
}

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
        checklists = boxes(features, feature)?;
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

/// The boxes of all checklists of a feature; `None` without any. Of one with two versions none counts.
fn boxes(features: &FeatureStore, feature: &FeatureDirectory) -> Result<Option<BoxesView>, Error> {
    let texts = checklists(features, feature)?;
    let boxes: Vec<bool> = texts
        .iter()
        .filter(|(_, text)| clash::in_document(text).is_none())
        .flat_map(|(_, text)| chant_text::markdown::outline(text).tasks)
        .map(|task| task.checked)
        .collect();
    Ok((!texts.is_empty()).then(|| BoxesView {
        open: boxes.iter().filter(|checked| !**checked).count(),
        total: boxes.len(),
    }))
}

/// `rstn_read_spec`: the text of one of the feature's documents.
///
/// # Errors
/// `Artifact`, `NoArtifact`, or what the disk says.
pub fn read(
    features: &FeatureStore,
    asked: Option<&str>,
    artifact: &str,
    wanted: DocumentRange,
) -> Result<Answer, Error> {
    let answer = || -> Result<Answer, Error> {
        let known = ARTIFACTS.into_iter().find(|known| *known == artifact);
        let artifact = known.ok_or_else(|| SpeckitError::Artifact {
            given: artifact.to_owned(),
        })?;
        let found = features.find(asked)?;
        let Some(feature) = &found.feature else {
            return Err(SpeckitError::NoArtifact {
                artifact,
                feature: None,
                hint: found.without_feature().hint(),
            }
            .into());
        };
        let mut text = raw(features, feature, &format!("{artifact}.md"))?;
        if text.is_none() && artifact == "checklist" {
            text = joined(&checklists(features, feature)?);
        }
        let text = text.ok_or_else(|| missing(features, &found, feature, artifact))?;
        Ok(told_in_pieces(&text, wanted))
    };
    answer().map_err(to_tool_error)
}

fn missing(
    features: &FeatureStore,
    found: &ResolvedProject,
    feature: &FeatureDirectory,
    artifact: &'static str,
) -> Error {
    let command = |name: &str| features.command(found, name);
    let directory = &feature.directory;
    let hint = match artifact {
        "spec" => format!("{} writes {directory}/spec.md.", command("specify")),
        "analysis" => format!(
            "{} only reports: today's spec-kit writes no analysis.md.",
            command("analyze")
        ),
        "checklist" => format!("{} writes {directory}/checklists/.", command("checklist")),
        name => format!("{} writes {directory}/{name}.md.", command(name)),
    };
    SpeckitError::NoArtifact {
        artifact,
        feature: Some(feature.label.clone()),
        hint: hint!["\n", hint],
    }
    .into()
}

/// A document's text whatever its bytes are, without the mark at its beginning; `None` when there is none.
fn raw(
    features: &FeatureStore,
    feature: &FeatureDirectory,
    name: &str,
) -> Result<Option<String>, Error> {
    let Some(root) = &feature.root else {
        return Ok(None);
    };
    let path = feature.within(name);
    let real = match root.locate(&path) {
        Err(StoreError::Missing { .. }) => return Ok(None),
        real => real?,
    };
    let disk = features.disk.clone().within(root.path());
    let text = match disk.read_text(&real, &path) {
        Ok((text, _)) => text,
        // Not UTF-8: what can be shown is; anything else fails again.
        Err(StoreError::Unreadable { why, .. }) => match disk.read_content(&real) {
            Ok(content) => String::from_utf8_lossy(&content.bytes).into_owned(),
            Err(_) => return Err(StoreError::Unreadable { path, why }.into()),
        },
        Err(error) => return Err(error.into()),
    };
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    Ok(Some(text))
}

/// The checklists of a feature, by name.
fn checklists(
    features: &FeatureStore,
    feature: &FeatureDirectory,
) -> Result<Vec<(String, String)>, Error> {
    let Some(root) = &feature.root else {
        return Ok(Vec::new());
    };
    if let Some(text) = raw(features, feature, "checklist.md")? {
        return Ok(vec![("checklist.md".into(), text)]);
    }
    let names = match root.locate(&feature.within(CHECKLISTS)) {
        Ok(folder) => disk::names(&folder)?,
        Err(StoreError::Missing { .. }) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let mut texts = Vec::new();
    for named in names.iter().filter(|named| !named.is_folder) {
        let is_markdown = Path::new(&named.name)
            .extension()
            .is_some_and(|ending| ending == "md");
        if is_markdown && !named.name.starts_with('.') {
            let name = format!("{CHECKLISTS}/{}", named.name);
            let text = raw(features, feature, &name)?;
            texts.extend(text.map(|text| (name, text)));
        }
    }
    Ok(texts)
}

/// Several texts as one, each under its name; one alone as it is.
fn joined(texts: &[(String, String)]) -> Option<String> {
    match texts {
        [] => None,
        [(_, text)] => Some(text.clone()),
        texts => {
            let named = |(name, text): &(String, String)| format!("<!-- {name} -->\n{text}");
            Some(texts.iter().map(named).collect::<Vec<_>>().join("\n"))
        }
    }
}

fn told_in_pieces(text: &str, wanted: DocumentRange) -> Answer {
    let piece = piece(text, wanted.offset, wanted.max_chars, 0);
    let total = text.chars().count();
    let end = wanted.offset + piece.text.chars().count();
    let note = piece.next.map(|next| {
        format!(
            "Characters {} to {end} of {total}; offset={next} gives the next ones.",
            wanted.offset
        )
    });
    Answer {
        note: note.or_else(|| {
            (wanted.offset > 0).then(|| {
                let from = wanted.offset.min(total);
                format!("Characters {from} to {total} of {total}.")
            })
        }),
        ..Answer::prose(piece.text)
    }
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
        let mut done = features.complete(&found, feature, who, (id, skip_validation))?;
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

/// `rstn_report_status`: records a status; with `needs_input` it asks and waits for the answer.
///
/// # Errors
/// `Status`, `Cancelled`, `Expired`, `NoQuestion`, `TooMany`, or what the disk says.
pub fn report_status(
    features: &FeatureStore,
    who: &CallerIdentity,
    report: &StatusReport<'_>,
    listener: &mut QuestionListener<'_>,
) -> Result<Answer, Error> {
    let mut answer = || -> Result<Answer, Error> {
        let is_known = ["needs_input", "completed", "error"].contains(&report.status);
        if !is_known {
            let given = report.status.to_owned();
            return Err(SpeckitError::Status { given }.into());
        }
        let found = features.find(None)?;
        let accepted = format!("Status '{}' reported successfully", report.status);
        let what = FeatureEvent::Status {
            status: report.status,
            message: report.message.filter(|_| report.status == "error"),
        };
        if report.status != "needs_input" {
            features.log(&found, who, what)?;
            return Ok(Answer::prose(accepted));
        }
        let asked = features.ask(&found, who, report.prompt, report.question)?;
        let most = features.config(&found)?.questions.wait();
        let question = features.wait(&found, &asked.question.id, most, listener)?;
        let answer = ending(&question, accepted)?;
        let notes: Vec<String> = asked.warning.into_iter().chain(answer.note).collect();
        Ok(Answer {
            note: (!notes.is_empty()).then(|| notes.join("\n")),
            ..answer
        })
    };
    answer().map_err(to_tool_error)
}

/// Returns the answer to the agent about its question.
fn ending(question: &AgentQuestion, accepted: String) -> Result<Answer, Error> {
    let id = question.id.clone();
    match question.state {
        QuestionState::Answered => {
            let answer = question.answer.as_deref().unwrap_or_default();
            Ok(Answer::prose(format!("User response: {answer}")))
        }
        QuestionState::Cancelled => Err(SpeckitError::Cancelled { id }.into()),
        QuestionState::Expired => Err(SpeckitError::Expired { id }.into()),
        QuestionState::Open => Ok(Answer {
            note: Some(format!(
                "No answer yet. The question is {id}: call again with question=\"{id}\" to get the answer; a person gives it with {}.",
                NextStep::Answer(id.clone()).words(DoorKind::Agents)
            )),
            ..Answer::prose(accepted)
        }),
    }
}

/// Asks a question, or comes back to one, without waiting.
///
/// # Errors
/// `NoQuestion`, `TooMany`, or what the disk says.
pub fn ask(
    features: &FeatureStore,
    who: &CallerIdentity,
    prompt: Option<&str>,
    question: Option<&str>,
) -> Result<Answer, Error> {
    let answer = || -> Result<Answer, Error> {
        let found = features.find(None)?;
        let asked = features.ask(&found, who, prompt, question)?;
        Ok(Answer {
            note: asked.warning,
            ..Answer::whole(&QuestionView::from(&asked.question))
        })
    };
    answer().map_err(to_tool_error)
}

/// Waits until a question is answered, cancelled or expired; says how it stands.
///
/// # Errors
/// `NoQuestion`, or what the disk says.
pub fn wait(
    features: &FeatureStore,
    id: &str,
    most: std::time::Duration,
    listener: &mut QuestionListener<'_>,
) -> Result<Answer, Error> {
    let mut answer = || -> Result<Answer, Error> {
        let found = features.find(None)?;
        let question = features.watch_question(&found, id, most, listener)?;
        Ok(Answer::whole(&QuestionView::from(&question)))
    };
    answer().map_err(to_tool_error)
}

/// Answers a question, or with no answer cancels it.
///
/// # Errors
/// `NoQuestion`, `Closed`, or what the disk says.
pub fn answer(
    features: &FeatureStore,
    who: &CallerIdentity,
    id: &str,
    text: Option<&str>,
) -> Result<Answer, Error> {
    let answer = || -> Result<Answer, Error> {
        let found = features.find(None)?;
        let closed = features.close(&found, who, id, text)?;
        let did = if text.is_some() {
            "Answered"
        } else {
            "Cancelled"
        };
        Ok(Answer {
            note: closed.warning,
            ..Answer::prose(format!("{did} question {}", closed.question.id))
        })
    };
    answer().map_err(to_tool_error)
}

/// The questions that wait, or all that are kept; the oldest first, without answers.
///
/// # Errors
/// What the disk says.
pub fn questions(features: &FeatureStore, all: bool) -> Result<Answer, Error> {
    let answer = || -> Result<Answer, Error> {
        let found = features.find(None)?;
        let questions = features.questions(&found)?;
        let wanted = questions
            .iter()
            .filter(|one| all || one.state == QuestionState::Open);
        let views: Vec<QuestionView<'_>> = wanted.map(Into::into).collect();
        Ok(Answer::whole(&views))
    };
    answer().map_err(to_tool_error)
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
