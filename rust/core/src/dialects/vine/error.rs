//! What the vine dialect refuses, in the words of the seed and of reference vine 1.10, 3 and 8.4.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::model::InvalidStatus;
use super::parse;
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
    #[error("File not found: {given}{}{}", resolution(resolved.as_ref()), hint(*is_folder))]
    NoFile {
        /// The name as given.
        given: String,
        /// Whether there is a folder of that name.
        is_folder: bool,
        /// What it was taken for, when that is another.
        resolved: Option<PathBuf>,
    },
    /// The system does not let us read or replace the file.
    #[error("Permission denied: {given}{}", resolution(resolved.as_ref()))]
    Denied {
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
        "Invalid action \"{action}\". Valid values: summary, list, task, context, descendants, search, refs, validate, dependencies, meta"
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
    /// The file says something else than the caller has in mind.
    #[error(
        "The file was changed meanwhile: expected {expected}, it is {is}. Nothing was written; read it again first."
    )]
    Changed {
        /// What git calls the text that was expected.
        expected: String,
        /// What it calls the one that is there.
        is: String,
    },
    /// The graph breaks rules; never empty, in the order in which they are checked.
    #[error("{}", told(violations))]
    Invalid {
        /// What is broken, each with the line of the node it is about where that stands in a text.
        violations: Vec<(Violation, Option<usize>)>,
    },
}

impl VineError {
    /// Says in which lines of a text the nodes stand that violations are about.
    pub(super) fn with_lines(self, text: &str) -> Self {
        let Self::Invalid { violations } = self else {
            return self;
        };
        let Ok((graph, places)) = parse::parsed(text) else {
            return Self::Invalid { violations };
        };
        let line = |violation: &Violation| {
            let place = &places[graph.position(violation.subject()?)?];
            Some(text[..place.header.start].matches('\n').count() + 1)
        };
        let lined = violations.into_iter().map(|(violation, _)| {
            let line = line(&violation);
            (violation, line)
        });
        Self::Invalid {
            violations: lined.collect(),
        }
    }

    /// What kind of refusal it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoFile { .. } | Self::NoTask { .. } => ErrorKind::NotFound,
            Self::Taken { .. } | Self::Changed { .. } => ErrorKind::Conflict,
            Self::Missing { .. }
            | Self::Action { .. }
            | Self::NoOperations
            | Self::Status(_)
            | Self::Shape { .. } => ErrorKind::InvalidArgument,
            Self::Parse { .. } | Self::Invalid { .. } | Self::InChild { .. } => {
                ErrorKind::InvalidDocument
            }
            Self::Denied { .. } => ErrorKind::Storage,
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
            Self::NoFile { given, .. }
            | Self::Denied { given, .. }
            | Self::Elsewhere { given, .. } => {
                json!({"file": given})
            }
            Self::Taken { path } => json!({"file": path}),
            Self::InChild { file, .. } => json!({"file": file}),
            Self::Invalid { violations } => {
                let first = violations.first();
                first.map_or(Value::Null, |(violation, _)| violation.details())
            }
            _ => Value::Null,
        }
    }
}

fn resolution(resolved: Option<&PathBuf>) -> String {
    resolved.map_or(String::new(), |path| {
        format!(" (resolved to {})", path.display())
    })
}

fn hint(is_folder: bool) -> &'static str {
    if is_folder {
        "\nThat is a folder; name a .vine file in it."
    } else {
        ""
    }
}

/// The first violation as the seed words it, its details, then the others.
fn told(violations: &[(Violation, Option<usize>)]) -> String {
    let mut told = String::new();
    for (at, (violation, line)) in violations.iter().enumerate() {
        let constraint = violation.constraint();
        let line = line.map_or(String::new(), |line| format!(" (line {line})"));
        if at == 0 {
            told = format!(
                "Validation error [{constraint}]: {violation}\nDetails: {}",
                violation.details()
            );
            if !line.is_empty() {
                told.push_str(&format!("\nAt{}.", line.replace(['(', ')'], "")));
            }
        } else {
            told.push_str(&format!("\nAlso [{constraint}]: {violation}{line}"));
        }
    }
    told
}
