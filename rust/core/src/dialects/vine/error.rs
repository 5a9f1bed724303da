//! What the vine dialect refuses, in the words of the seed and of reference vine 1.10, 3 and 8.4.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::model::InvalidStatus;
use super::validate::Violation;
use crate::error::ErrorKind;

/// A refusal; its `Display` is what a client sees, further help on the lines after the first.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VineError {
    /// The text is no graph.
    #[error("Parse error (line {line}): {message}\nAt line {line}, column {column}.")]
    Parse {
        /// Line, counted from 1.
        line: usize,
        /// Character in the line, counted from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// There is no such file.
    #[error("File not found: {given}{}", resolved.as_ref().map(|path| format!(" (resolved to {})", path.display())).unwrap_or_default())]
    NoFile {
        /// The name as given.
        given: String,
        /// What it was taken for, when that is another.
        resolved: Option<PathBuf>,
    },
    /// A file lies where it may not.
    #[error("`{given}` lies outside of {} and the other roots; only files in them are used", folder.display())]
    Elsewhere {
        /// The name as given.
        given: String,
        /// The working folder.
        folder: PathBuf,
    },
    /// A new file's place is taken.
    #[error("File already exists: {}", path.display())]
    Taken {
        /// The place.
        path: PathBuf,
    },
    /// The other graph of an expansion cannot be used.
    #[error("In {file}: {why}")]
    InChild {
        /// The file.
        file: String,
        /// What is wrong.
        why: String,
    },
    /// An action needs an argument.
    #[error("{name} is required for action \"{action}\".")]
    Missing {
        /// The argument.
        name: &'static str,
        /// The action.
        action: String,
    },
    /// There is no such action.
    #[error(
        "Invalid action \"{action}\". Valid values: summary, list, task, context, descendants, search, refs, validate"
    )]
    Action {
        /// The word.
        action: String,
    },
    /// No operation was given.
    #[error("operations must be a list of at least one operation.")]
    NoOperations,
    /// There is no such node.
    #[error("Task not found: {id}")]
    NoTask {
        /// Its ID.
        id: String,
    },
    /// A word is no status.
    #[error(transparent)]
    Status(#[from] InvalidStatus),
    /// An operation is none; nothing was touched.
    #[error("Operation {at}: {message}")]
    Shape {
        /// Its number, counted from 0.
        at: usize,
        /// What is wrong with it.
        message: String,
    },
    /// An operation cannot be applied; nothing was changed.
    #[error("{message}\nOperation {at} ({op}); nothing was changed.")]
    Refused {
        /// Its number, counted from 0.
        at: usize,
        /// Its name.
        op: &'static str,
        /// Why.
        message: String,
    },
    /// A reference cannot be expanded.
    #[error("{message}")]
    Expansion {
        /// Why.
        message: String,
    },
    /// The file would not say what was meant.
    #[error("The file was not written: {why}.")]
    Unwritable {
        /// What would be otherwise.
        why: String,
    },
    /// The graph breaks rules; never empty, in the order in which they are checked.
    #[error("{}", told(violations))]
    Invalid {
        /// What is broken.
        violations: Vec<Violation>,
    },
}

impl VineError {
    /// What kind of refusal it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoFile { .. } | Self::NoTask { .. } => ErrorKind::NotFound,
            Self::Taken { .. } => ErrorKind::Conflict,
            Self::Missing { .. }
            | Self::Action { .. }
            | Self::NoOperations
            | Self::Status(_)
            | Self::Shape { .. } => ErrorKind::InvalidArgument,
            Self::Parse { .. } | Self::Invalid { .. } | Self::InChild { .. } => {
                ErrorKind::InvalidDocument
            }
            Self::Elsewhere { .. }
            | Self::Refused { .. }
            | Self::Expansion { .. }
            | Self::Unwritable { .. } => ErrorKind::Refused,
        }
    }

    /// The values in the sentence, by name, for programs.
    pub fn details(&self) -> Value {
        match self {
            Self::Parse { line, column, .. } => json!({"line": line, "column": column}),
            Self::Shape { at, .. } | Self::Refused { at, .. } => json!({"operation": at}),
            Self::NoTask { id } => json!({"id": id}),
            Self::NoFile { given, .. } | Self::Elsewhere { given, .. } => json!({"file": given}),
            Self::Taken { path } => json!({"file": path}),
            Self::InChild { file, .. } => json!({"file": file}),
            Self::Invalid { violations } => {
                violations.first().map_or(Value::Null, Violation::details)
            }
            _ => Value::Null,
        }
    }
}

/// The first violation as the seed words it, its details, then the others.
fn told(violations: &[Violation]) -> String {
    let mut told = String::new();
    for (at, violation) in violations.iter().enumerate() {
        let constraint = violation.constraint();
        if at == 0 {
            told = format!(
                "Validation error [{constraint}]: {violation}\nDetails: {}",
                violation.details()
            );
        } else {
            told.push_str(&format!("\nAlso [{constraint}]: {violation}"));
        }
    }
    told
}
