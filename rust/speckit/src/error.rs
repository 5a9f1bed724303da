//! The refusals of the speckit dialect: the sentences of the seed, and beside each the next step.

use serde_json::{Value, json};

use chant_base::error::{CoreError, Error, ErrorKind};
use chant_base::next_step::{DoorKind, HintText, NextStep, hint};
use chant_text::clash::LeftClash;

/// So many features an error lists.
const FEATURES_SHOWN: usize = 20;

/// A refusal; its `Display` is the seed's sentence, [`SpeckitError::hint`] the next step.
#[derive(Debug, thiserror::Error)]
pub enum SpeckitError {
    /// No feature is current.
    #[error("No feature context")]
    NoFeature {
        /// The attempts to find one.
        tried: Vec<String>,
        /// The features there are.
        features: Vec<String>,
    },
    /// A document of the feature is not there.
    #[error("Artifact '{artifact}' not found. Feature context: {}", feature.as_deref().unwrap_or("None"))]
    NoArtifact {
        /// Which one.
        artifact: &'static str,
        /// The feature's name.
        feature: Option<String>,
        /// The way to create it.
        hint: HintText,
    },
    /// There is no such document.
    #[error("Error: Invalid artifact: {given}. Expected spec, plan, tasks, checklist or analysis")]
    Artifact {
        /// The document that was asked for.
        given: String,
    },
    /// The feature has no tasks.
    #[error("No task list loaded")]
    NoTaskList {
        /// The way to get some.
        hint: HintText,
    },
    /// There is no such task.
    #[error("Task {id} not found")]
    NoTask {
        /// The ID that was asked for.
        id: String,
        /// IDs like it.
        nearest: Vec<String>,
    },
    /// Several tasks have the ID.
    #[error(
        "Several lines have task {id}: lines {}; nothing was changed",
        all(lines)
    )]
    Duplicate {
        /// The ID.
        id: String,
        /// Where it stands.
        lines: Vec<usize>,
    },
    /// Something speaks against ticking the task.
    #[error("Task {id} was not completed: {}", reasons.join("; "))]
    Unready {
        /// The ID.
        id: String,
        /// The reasons.
        reasons: Vec<String>,
    },
    /// A configured check did not pass.
    #[error("Task {id} was not completed: check '{check}' {how}{}", quoted(tail))]
    CheckFailed {
        /// The ID.
        id: String,
        /// The check's name.
        check: String,
        /// The way it ended.
        how: String,
        /// The last of what it wrote.
        tail: String,
    },
    /// The task cannot be added.
    #[error("Error: No task was added: {why}")]
    NewTask {
        /// What is wrong, or what was expected.
        why: String,
    },
    /// The status is none.
    #[error("Error: status must be 'needs_input', 'completed', or 'error', got '{given}'")]
    Status {
        /// The status that was reported.
        given: String,
    },
    /// The question was cancelled.
    #[error("Input request was cancelled")]
    Cancelled {
        /// Its ID.
        id: String,
    },
    /// The question was not answered in time.
    #[error("Input request expired without an answer")]
    Expired {
        /// Its ID.
        id: String,
    },
    /// There is no such question.
    #[error("Question '{id}' not found")]
    NoQuestion {
        /// The ID that was asked for.
        id: String,
        /// Those that wait.
        open: Vec<String>,
    },
    /// The question waits for nothing any more.
    #[error("Question '{id}' is {state} already; nothing was changed")]
    Closed {
        /// Its ID.
        id: String,
        /// `answered`, `cancelled` or `expired`.
        state: &'static str,
    },
    /// Too many questions wait.
    #[error("{count} questions wait for an answer already")]
    TooMany {
        /// So many.
        count: usize,
    },
    /// Too many questions of one run wait.
    #[error("{} questions of this run wait for an answer already", open.len())]
    TooManyOfRun {
        /// Their IDs.
        open: Vec<String>,
    },
    /// A question is too long.
    #[error("The question has {bytes} bytes; expected at most {most}")]
    LongPrompt {
        /// Its bytes.
        bytes: usize,
        /// The bytes that it may have.
        most: usize,
    },
    /// A run reported more than one may.
    #[error(
        "This run has reported {count} times; with this report it would be {bytes} bytes, more than one run may report"
    )]
    TooManyReports {
        /// The number of its reports.
        count: usize,
        /// The bytes that they would have together.
        bytes: usize,
    },
    /// Several directories could be meant.
    #[error("{what} matches several features: {}", candidates.join(", "))]
    Ambiguous {
        /// The source that named them.
        what: String,
        /// Their directories.
        candidates: Vec<String>,
    },
    /// No directory is meant.
    #[error("Feature '{given}' not found")]
    UnknownFeature {
        /// The feature that was asked for.
        given: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// The folder that the environment names is no project.
    #[error("Error: SPECIFY_INIT_DIR names `{given}`, which has no `.specify` folder")]
    InitDir {
        /// The folder.
        given: String,
    },
    /// A merge left two versions of a document.
    #[error("Error: `{path}`: {clash}")]
    Clashing {
        /// The document.
        path: String,
        /// Where they stand.
        clash: LeftClash,
    },
    /// A record of ours cannot be read.
    #[error("Error: `{path}` is no record of ours: {why}")]
    Broken {
        /// Its file.
        path: String,
        /// The fault.
        why: String,
    },
    /// The configuration cannot be read.
    #[error("Error: `{file}`: {why}")]
    Config {
        /// The file.
        file: &'static str,
        /// The fault.
        why: String,
    },
    /// The disk, git or the system refused.
    #[error("Error: {0}")]
    Internal(Error),
}

/// Returns the hint on choosing a feature, or on making one where there is none.
fn without_feature(features: &[String]) -> HintText {
    let choose = |name: &String| {
        hint![
            "Choose it with ",
            NextStep::ChooseFeature(name.clone()),
            ", check out its branch, or set SPECIFY_FEATURE_DIRECTORY.",
        ]
    };
    match features {
        [] => hint![
            "\nThere is no feature yet; ",
            NextStep::AddFeature,
            " makes one in specs/NNN-name.",
        ],
        [only] => hint![format!("\nThere is one feature: {only}. ")].and(choose(only)),
        [first, ..] => {
            let shown = features.iter().take(FEATURES_SHOWN).cloned();
            let shown = shown.collect::<Vec<_>>().join(", ");
            let count = features.len();
            hint![format!(
                "\nThere are {count} features: {shown}. One of them, say {first}: "
            )]
            .and(choose(first))
        }
    }
}

fn all(lines: &[usize]) -> String {
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    match lines.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => lines.concat(),
    }
}

fn quoted(tail: &str) -> String {
    if tail.is_empty() {
        String::new()
    } else {
        format!("; its last words:\n{tail}")
    }
}

/// Returns an error as the tools of this dialect report it.
pub fn to_tool_error(error: Error) -> Error {
    if error.is::<SpeckitError>() {
        return error;
    }
    SpeckitError::Internal(error).into()
}

impl CoreError for SpeckitError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoFeature { .. } => ErrorKind::NotInitialized,
            Self::NoArtifact { .. }
            | Self::NoTaskList { .. }
            | Self::NoTask { .. }
            | Self::NoQuestion { .. }
            | Self::UnknownFeature { .. } => ErrorKind::NotFound,
            Self::Artifact { .. }
            | Self::Status { .. }
            | Self::NewTask { .. }
            | Self::LongPrompt { .. } => ErrorKind::InvalidArgument,
            Self::Duplicate { .. } | Self::Ambiguous { .. } => ErrorKind::AmbiguousId,
            Self::Unready { .. }
            | Self::CheckFailed { .. }
            | Self::Cancelled { .. }
            | Self::Expired { .. }
            | Self::TooMany { .. }
            | Self::TooManyOfRun { .. }
            | Self::TooManyReports { .. } => ErrorKind::Refused,
            Self::Closed { .. } => ErrorKind::IllegalTransition,
            Self::InitDir { .. } | Self::Config { .. } => ErrorKind::Config,
            Self::Broken { .. } | Self::Clashing { .. } => ErrorKind::InvalidDocument,
            Self::Internal(error) => error.kind(),
        }
    }

    fn hint(&self) -> HintText {
        match self {
            Self::NoFeature { tried, features } => {
                without_feature(features).and(hint![format!(" Tried: {}", tried.join("; "))])
            }
            Self::NoArtifact { hint, .. } | Self::NoTaskList { hint } => hint.clone(),
            Self::NoTask { nearest, .. } if nearest.is_empty() => {
                hint!["\n", NextStep::ListTasks, " shows all tasks."]
            }
            Self::NoTask { nearest, .. } => hint![format!("\nNearest: {}", nearest.join(", "))],
            Self::Duplicate { .. } => hint!["\nGive each of them an ID of its own in tasks.md."],
            Self::Unready { .. } => hint![
                "\nComplete these first; ",
                NextStep::SkipValidation,
                " completes it anyway, and that is recorded.",
            ],
            Self::CheckFailed { .. } => hint![
                "\nFix what the check found and complete the task again; ",
                NextStep::SkipValidation,
                " completes it without checks, and that is recorded.",
            ],
            Self::Ambiguous { .. } => {
                hint!["\nName one of them in .specify/feature.json or SPECIFY_FEATURE_DIRECTORY."]
            }
            Self::UnknownFeature { known, .. } if known.is_empty() => hint![
                "\nThere is no specs/NNN-name directory here; ",
                NextStep::AddFeature,
                " makes one.",
            ],
            Self::UnknownFeature { known, .. } => {
                hint![format!("\nThere are: {}", known.join(", "))]
            }
            Self::Expired { .. } => hint!["\nAsk again without `question`."],
            Self::NoQuestion { open, .. } if open.is_empty() => hint![
                "\nNo question is open; a person lists earlier ones with ",
                NextStep::ListQuestions { all: true },
                ".",
            ],
            Self::NoQuestion { open, .. } => {
                hint![format!("\nOpen questions: {}", open.join(", "))]
            }
            Self::TooMany { .. } => hint![
                "\nA person answers or cancels some: ",
                NextStep::ListQuestions { all: false },
                " lists them.",
            ],
            Self::TooManyOfRun { open } => hint![format!(
                "\nCome back to one of them with question=\"\u{2026}\": {}.",
                open.join(", ")
            )],
            Self::LongPrompt { .. } => {
                hint!["\nAsk in a few sentences; put the details into a file and name it."]
            }
            Self::TooManyReports { .. } => {
                hint!["\nGo on with the work; what is to be known goes into the spec's output."]
            }
            Self::InitDir { .. } => hint!["\nUnset it, or name the folder that holds `.specify`."],
            Self::Broken { .. } => hint!["\nRepair it or move it away."],
            Self::Cancelled { .. } => hint!["\nGo on without an answer, or ask something else."],
            Self::Closed { .. } => hint![
                "\nThe first answer counts; a person sees how it ended with ",
                NextStep::ListQuestions { all: true },
                ".",
            ],
            Self::Config { file, .. } => hint![format!("\nCorrect {file}; nothing was changed.")],
            Self::Clashing { .. } => {
                hint!["\nIts tasks are neither counted nor changed until then."]
            }
            Self::Internal(error) => error.hint(),
            Self::Artifact { .. } | Self::Status { .. } | Self::NewTask { .. } => {
                HintText::default()
            }
        }
    }

    fn details(&self) -> Value {
        let mut details = match self {
            Self::NoFeature { tried, features } => json!({"tried": tried, "features": features}),
            Self::NoArtifact {
                artifact, feature, ..
            } => {
                json!({"artifact": artifact, "feature": feature})
            }
            Self::NoTask { id, nearest } => json!({"task_id": id, "nearest": nearest}),
            Self::Duplicate { id, lines } => json!({"task_id": id, "lines": lines}),
            Self::Unready { id, reasons } => json!({"task_id": id, "reasons": reasons}),
            Self::CheckFailed { id, check, .. } => json!({"task_id": id, "check": check}),
            Self::Cancelled { id } | Self::Expired { id } | Self::NoQuestion { id, .. } => {
                json!({"question": id})
            }
            Self::Closed { id, state } => json!({"question": id, "state": state}),
            Self::Ambiguous { candidates, .. } => json!({"matches": candidates}),
            Self::Clashing { path, clash } => {
                json!({"path": path, "lines": [clash.begins, clash.parts, clash.ends]})
            }
            Self::UnknownFeature { given, .. } => json!({"feature": given}),
            Self::Internal(error) => Value::Object(error.details()),
            _ => json!({}),
        };
        let hint = self.hint().at(DoorKind::Scripts);
        if !hint.is_empty() {
            details["hint"] = hint.trim_start().into();
        }
        details
    }
}
