//! The refusals of the chant dialect, in the words of the seed and of reference chant 3 and 5.

use serde_json::{Value, json};

use super::model::{BrokenSpec, InvalidSpecStatus, SpecStatus};
use super::view::list::MESSAGE_SHOWN;
use chant_base::answer::cut;
use chant_base::error::{CoreError, ErrorKind};
use chant_base::next_step::{HintText, NextStep, hint};

/// A refusal; its `Display` is the sentence a client sees, [`ChantError::hint`] what may help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChantError {
    /// There is no `.chant/specs`.
    #[error("Chant not initialized.")]
    NotInitialized {
        /// The folders that were searched.
        searched: Vec<String>,
    },
    /// `.chant/specs` was there and is gone.
    #[error("{0}")]
    SpecsGone(String),
    /// No active spec has that ID.
    #[error("Spec not found: {text}")]
    NotFound {
        /// The text that was asked for.
        text: String,
        /// The hint at what may have been meant.
        hint: HintText,
    },
    /// Several active specs match.
    #[error("Ambiguous spec ID '{text}'. Matches: {}{}", matches.join(", "), more(*.further))]
    Ambiguous {
        /// The text that was asked for.
        text: String,
        /// The first matching IDs, in order.
        matches: Vec<String>,
        /// The number of further matches.
        further: usize,
    },
    /// The spec's file cannot be read as one.
    #[error(
        "Spec '{id}' cannot be read: {place}: {message}\nFix the file and call again; other specs are not affected."
    )]
    Unreadable {
        /// The ID.
        id: String,
        /// File and line.
        place: String,
        /// The problem with it.
        message: String,
    },
    /// The ID stands in several files.
    #[error("Several files have the spec ID '{id}': {}. Nothing was changed; rename or remove all but one.", paths.join(", "))]
    Duplicate {
        /// The ID.
        id: String,
        /// The files.
        paths: Vec<String>,
    },
    /// The body is another one than the caller read.
    #[error(
        "The body of spec '{id}' changed since it was read; nothing was changed by this edit. Read it again and repeat the edit."
    )]
    BodyChanged {
        /// The ID.
        id: String,
    },
    /// The ID that was given out beforehand is another spec's by now.
    #[error(
        "Another process took the ID {id} meanwhile; nothing was changed. Repeat the whole transaction."
    )]
    IdTaken {
        /// The ID.
        id: String,
    },
    /// An argument has a value it may not have.
    #[error("Invalid parameter '{name}': {why}")]
    InvalidArgument {
        /// The argument.
        name: &'static str,
        /// The problem, and the value that was expected.
        why: String,
    },
    /// An argument names no state.
    #[error(transparent)]
    InvalidStatus(#[from] InvalidSpecStatus),
    /// Nothing to do.
    #[error("No updates specified")]
    NoUpdates,
    /// The state may not change like that.
    #[error("Invalid transition from {} to {}", from.name(), to.name())]
    Transition {
        /// State as it is.
        from: SpecStatus,
        /// State that was wanted.
        to: SpecStatus,
    },
    /// A state that the operation cannot begin from; the sentence says which it can.
    #[error("{message}")]
    WrongState {
        /// The sentence.
        message: String,
        /// State as it is.
        status: SpecStatus,
    },
    /// Criteria are open.
    #[error("{message}")]
    Unchecked {
        /// The sentence.
        message: String,
        /// The open criteria.
        criteria: Vec<String>,
    },
    /// Members are open.
    #[error("{message}")]
    OpenMembers {
        /// The sentence.
        message: String,
        /// Their IDs.
        members: Vec<String>,
    },
    /// A dependency would close a cycle.
    #[error("Circular dependency detected: {}", path.join(" -> "))]
    Cycle {
        /// The cycle, starting at the spec; implied steps say why.
        path: Vec<String>,
    },
    /// No criterion reads like that.
    #[error("No acceptance criterion reads '{text}'.\n{}", listed(criteria))]
    NoSuchCriterion {
        /// The text that was asked for.
        text: String,
        /// The criteria there are.
        criteria: Vec<String>,
    },
    /// There is no log.
    #[error("No log file found for spec '{id}'.")]
    NoLog {
        /// The ID.
        id: String,
    },
    /// Something else that has to be true first is not.
    #[error("{0}")]
    Refused(String),
    /// A refusal with what may help.
    #[error("{refusal}")]
    Advised {
        /// The refusal.
        refusal: Box<ChantError>,
        /// The hint.
        hint: HintText,
    },
}

impl ChantError {
    /// Returns true if there is no project.
    pub fn is_not_initialized(&self) -> bool {
        matches!(self, Self::NotInitialized { .. })
    }

    /// The refusal of a file that is no spec.
    pub fn unreadable(broken: &BrokenSpec) -> Self {
        let line = broken.problem.line;
        let line = line.map(|line| format!(":{line}")).unwrap_or_default();
        Self::Unreadable {
            id: broken.id.to_string(),
            place: format!("{}{line}", broken.problem.path),
            message: cut(&broken.problem.message, MESSAGE_SHOWN),
        }
    }

    /// This refusal with what may help.
    #[must_use]
    pub fn advise(self, hint: HintText) -> Self {
        Self::Advised {
            refusal: Box::new(self),
            hint,
        }
    }
}

impl CoreError for ChantError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotInitialized { .. } => ErrorKind::NotInitialized,
            Self::SpecsGone(_) => ErrorKind::Storage,
            Self::NotFound { .. } | Self::NoLog { .. } | Self::NoSuchCriterion { .. } => {
                ErrorKind::NotFound
            }
            Self::Ambiguous { .. } => ErrorKind::AmbiguousId,
            Self::Unreadable { .. } => ErrorKind::InvalidDocument,
            Self::Duplicate { .. } | Self::BodyChanged { .. } | Self::IdTaken { .. } => {
                ErrorKind::Conflict
            }
            Self::InvalidArgument { .. } | Self::InvalidStatus(_) | Self::NoUpdates => {
                ErrorKind::InvalidArgument
            }
            Self::Transition { .. } | Self::WrongState { .. } => ErrorKind::IllegalTransition,
            Self::Advised { refusal, .. } => refusal.kind(),
            Self::Unchecked { .. }
            | Self::OpenMembers { .. }
            | Self::Cycle { .. }
            | Self::Refused(_) => ErrorKind::Refused,
        }
    }

    fn hint(&self) -> HintText {
        match self {
            Self::NotInitialized { searched } => hint![
                " Run ",
                NextStep::InitSpecs,
                format!(
                    " first.\nLooked for .chant/specs in: {}",
                    searched.join(", ")
                ),
            ],
            Self::NotFound { hint, .. } | Self::Advised { hint, .. } => hint.clone(),
            Self::NoLog { id } => hint![
                " Logs are created when a spec is executed with ",
                NextStep::MakeLog(id.clone()),
                ".",
            ],
            _ => HintText::default(),
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::NotInitialized { searched } => json!({"searched": searched}),
            Self::NotFound { text, .. } => json!({"id": text}),
            Self::Ambiguous {
                text,
                matches,
                further,
            } => {
                json!({"id": text, "matches": matches, "further": further})
            }
            Self::Unreadable { id, place, message } => {
                json!({"id": id, "place": place, "problem": message})
            }
            Self::Duplicate { id, paths } => json!({"id": id, "paths": paths}),
            Self::InvalidArgument { name, .. } => json!({"parameter": name}),
            Self::InvalidStatus(status) => json!({"status": status.0}),
            Self::Transition { from, to } => json!({"from": from.as_str(), "to": to.as_str()}),
            Self::WrongState { status, .. } => json!({"status": status.as_str()}),
            Self::Unchecked { criteria, .. } => json!({"criteria": criteria}),
            Self::OpenMembers { members, .. } => json!({"members": members}),
            Self::Cycle { path } => json!({"path": path}),
            Self::NoSuchCriterion { text, criteria } => {
                json!({"criterion": text, "criteria": criteria})
            }
            Self::NoLog { id } | Self::BodyChanged { id } | Self::IdTaken { id } => {
                json!({"id": id})
            }
            Self::Advised { refusal, .. } => refusal.details(),
            Self::SpecsGone(_) | Self::NoUpdates | Self::Refused(_) => Value::Null,
        }
    }
}

fn more(further: usize) -> String {
    match further {
        0 => String::new(),
        further => format!(" and {further} more"),
    }
}

fn listed(criteria: &[String]) -> String {
    match criteria {
        [] => "The spec has no acceptance criteria.".into(),
        criteria => format!("Criteria are: {}", criteria.join("; ")),
    }
}
