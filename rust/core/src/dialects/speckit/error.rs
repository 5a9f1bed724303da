//! What the speckit dialect refuses: the sentences of the seed, and beside each what to do next.

use serde_json::{Value, json};

use crate::error::{Error, ErrorKind};
use crate::text::clash::LeftClash;

/// A refusal; its `Display` is the seed's sentence, [`SpeckitError::hint`] the next step.
#[derive(Debug, thiserror::Error)]
pub enum SpeckitError {
    /// No feature is current.
    #[error("No feature context")]
    NoFeature {
        /// What was tried to find one.
        tried: Vec<String>,
    },
    /// A document of the feature is not there.
    #[error("Artifact '{artifact}' not found. Feature context: {}", feature.as_deref().unwrap_or("None"))]
    NoArtifact {
        /// Which one.
        artifact: &'static str,
        /// The feature's name.
        feature: Option<String>,
        /// How it comes into being.
        hint: String,
    },
    /// There is no such document.
    #[error("Error: Invalid artifact: {given}. Expected spec, plan, tasks, checklist or analysis")]
    Artifact {
        /// What was asked for.
        given: String,
    },
    /// The feature has no tasks.
    #[error("No task list loaded")]
    NoTaskList {
        /// How it gets some.
        hint: String,
    },
    /// There is no such task.
    #[error("Task {id} not found")]
    NoTask {
        /// What was asked for.
        id: String,
        /// IDs like it.
        nearest: Vec<String>,
    },
    /// Several tasks have the ID.
    #[error("Task {id} stands on lines {}; nothing was changed", all(lines))]
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
        /// What.
        reasons: Vec<String>,
    },
    /// A configured check did not pass.
    #[error("Task {id} was not completed: check '{check}' {how}{}", quoted(tail))]
    CheckFailed {
        /// The ID.
        id: String,
        /// The check's name.
        check: String,
        /// How it ended.
        how: String,
        /// The last of what it wrote.
        tail: String,
    },
    /// The status is none.
    #[error("Error: status must be 'needs_input', 'completed', or 'error', got '{given}'")]
    Status {
        /// What was reported.
        given: String,
    },
    /// The question was cancelled.
    #[error("Input request was cancelled")]
    Cancelled {
        /// Its ID.
        id: String,
    },
    /// Nobody answered the question in time.
    #[error("Input request expired without an answer")]
    Expired {
        /// Its ID.
        id: String,
    },
    /// There is no such question.
    #[error("Question '{id}' not found")]
    NoQuestion {
        /// What was asked for.
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
    /// Several directories could be meant.
    #[error("{what} means several features: {}", candidates.join(", "))]
    Ambiguous {
        /// What named them.
        what: String,
        /// Their directories.
        candidates: Vec<String>,
    },
    /// No directory is meant.
    #[error("Feature '{given}' not found")]
    UnknownFeature {
        /// What was asked for.
        given: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// The folder that the environment names is no project.
    #[error("Error: SPECIFY_INIT_DIR names `{given}`, which holds no `.specify` folder")]
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
        /// What is wrong with it.
        why: String,
    },
    /// The configuration cannot be read.
    #[error("Error: `{file}`: {why}")]
    Config {
        /// The file.
        file: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// The disk, git or the system refused.
    #[error("Error: {0}")]
    Internal(Box<Error>),
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

/// An error as the tools of this dialect tell it.
pub fn told(error: Error) -> Error {
    match error {
        own @ Error::Speckit(_) => own,
        other => SpeckitError::Internal(Box::new(other)).into(),
    }
}

impl SpeckitError {
    /// What kind of refusal it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoFeature { .. } => ErrorKind::NotInitialized,
            Self::NoArtifact { .. }
            | Self::NoTaskList { .. }
            | Self::NoTask { .. }
            | Self::NoQuestion { .. }
            | Self::UnknownFeature { .. } => ErrorKind::NotFound,
            Self::Artifact { .. } | Self::Status { .. } => ErrorKind::InvalidArgument,
            Self::Duplicate { .. } | Self::Ambiguous { .. } => ErrorKind::AmbiguousId,
            Self::Unready { .. }
            | Self::CheckFailed { .. }
            | Self::Cancelled { .. }
            | Self::Expired { .. }
            | Self::TooMany { .. } => ErrorKind::Refused,
            Self::Closed { .. } => ErrorKind::IllegalTransition,
            Self::InitDir { .. } | Self::Config { .. } => ErrorKind::Config,
            Self::Broken { .. } | Self::Clashing { .. } => ErrorKind::InvalidDocument,
            Self::Internal(error) => error.kind(),
        }
    }

    /// One safe next step.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoFeature { tried } => format!(
                "Check out the feature's branch, name it in .specify/feature.json, or set SPECIFY_FEATURE_DIRECTORY. Tried: {}",
                tried.join("; ")
            ),
            Self::NoArtifact { hint, .. } | Self::NoTaskList { hint } => hint.clone(),
            Self::NoTask { nearest, .. } if nearest.is_empty() => {
                "rstn_read_spec with artifact \"tasks\" shows all tasks.".into()
            }
            Self::NoTask { nearest, .. } => format!("Nearest: {}", nearest.join(", ")),
            Self::Duplicate { .. } => "Give each of them an ID of its own in tasks.md.".into(),
            Self::Unready { .. } => {
                "Complete these first; skip_validation completes it all the same, and that is recorded.".into()
            }
            Self::CheckFailed { .. } => {
                "Put right what the check found and complete the task again; skip_validation completes it without checks, and that is recorded.".into()
            }
            Self::Ambiguous { .. } => {
                "Name one of them in .specify/feature.json or SPECIFY_FEATURE_DIRECTORY.".into()
            }
            Self::UnknownFeature { known, .. } if known.is_empty() => {
                "There is no specs/NNN-name directory here; spec-kit's `specify` command makes one.".into()
            }
            Self::UnknownFeature { known, .. } => format!("There are: {}", known.join(", ")),
            Self::Expired { .. } => "Ask again without `question`.".into(),
            Self::NoQuestion { open, .. } if open.is_empty() => {
                "No question waits; `chant-mcp speckit questions --all` lists those that did.".into()
            },
            Self::NoQuestion { open, .. } => format!("These wait: {}", open.join(", ")),
            Self::TooMany { .. } => {
                "Answer or cancel some: `chant-mcp speckit questions` lists them.".into()
            }
            Self::InitDir { .. } => "Unset it, or name the folder that holds `.specify`.".into(),
            Self::Broken { .. } => "Mend it or move it away.".into(),
            Self::Cancelled { .. } => "Go on without an answer, or ask something else.".into(),
            Self::Closed { .. } => {
                "The first answer counts; `chant-mcp speckit questions --all` shows how it ended.".into()
            }
            Self::Config { file, .. } => format!("Mend {file}; nothing was changed."),
            Self::Clashing { .. } => "Its tasks are neither counted nor changed until then.".into(),
            Self::Artifact { .. } | Self::Status { .. } | Self::Internal(_) => return None,
        })
    }

    /// The values in the sentence, by name, and the hint.
    pub fn details(&self) -> Value {
        let mut details = match self {
            Self::NoFeature { tried } => json!({"tried": tried}),
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
        if let Some(hint) = self.hint() {
            details["hint"] = hint.into();
        }
        details
    }
}
