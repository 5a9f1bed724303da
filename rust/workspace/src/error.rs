//! Errors of the workspace.

use serde_json::{Value, json};

use chant_base::error::{CoreError, ErrorKind};
use chant_base::next_step::{HintText, NextStep, hint};

/// A refusal; its `Display` is the sentence a client sees.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkspaceError {
    /// Nothing of that name in any dialect.
    #[error("Nothing is called '{text}' here.")]
    NotFound {
        /// The text that was asked for.
        text: String,
        /// A hint to what may have been meant.
        hint: HintText,
    },
    /// Several items are called so.
    #[error("'{text}' matches several items: {}. Give one of these keys.", keys.join(", "))]
    Ambiguous {
        /// The text that was asked for.
        text: String,
        /// Their keys, in the order of lists.
        keys: Vec<String>,
    },
    /// An argument has a value it may not have.
    #[error("Invalid {name} '{given}': expected {expected}.")]
    Invalid {
        /// The subject of the argument.
        name: &'static str,
        /// The value that was given.
        given: String,
        /// The value that was expected.
        expected: String,
    },
    /// A file that is not to be overwritten stands where one was to be written.
    #[error("{path} exists already and was left as it is.")]
    Taken {
        /// The file.
        path: String,
    },
    /// A text was taken already that is made only once.
    #[error("This export was used already: it was written or taken. Export again.")]
    Spent,
    /// Something is asked about the past of a folder that has none.
    #[error(
        "'{revision}' cannot be read: {folder} is not in a git checkout. Create a repository (`git init`) and commit, or ask without a revision."
    )]
    NoHistory {
        /// The folder.
        folder: String,
        /// The revision that was asked for.
        revision: String,
    },
    /// A file or folder to be imported cannot be read.
    #[error("{path} cannot be imported: {why}")]
    Source {
        /// The file or folder.
        path: String,
        /// The fault in it and what was expected.
        why: String,
    },
}

impl CoreError for WorkspaceError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotFound { .. } => ErrorKind::NotFound,
            Self::Ambiguous { .. } => ErrorKind::AmbiguousId,
            Self::Invalid { .. } => ErrorKind::InvalidArgument,
            Self::Taken { .. } => ErrorKind::Conflict,
            Self::Spent => ErrorKind::Refused,
            Self::NoHistory { .. } => ErrorKind::Git,
            Self::Source { .. } => ErrorKind::InvalidDocument,
        }
    }

    fn hint(&self) -> HintText {
        match self {
            Self::NotFound { hint, .. } => hint.clone(),
            Self::Taken { .. } => hint![
                " Give another name, or ",
                NextStep::Force,
                " to replace it.",
            ],
            _ => HintText::default(),
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::NotFound { text, .. } => json!({"key": text}),
            Self::Ambiguous { text, keys } => json!({"key": text, "matches": keys}),
            Self::Invalid {
                name,
                given,
                expected,
            } => json!({"name": name, "given": given, "expected": expected}),
            Self::Taken { path } => json!({"path": path}),
            Self::Spent => json!({}),
            Self::NoHistory { folder, revision } => json!({"folder": folder, "revision": revision}),
            Self::Source { path, why } => json!({"path": path, "why": why}),
        }
    }
}
