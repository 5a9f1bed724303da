//! Errors of the vine dialect, in the words of the seed and of reference vine 1.10, 3 and 8.4.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::graph_violation::GraphViolation;
use super::model::{Graph, InvalidTaskStatus};
use super::source_span::SourceSpan;
use chant_base::error::{CoreError, ErrorKind};
use chant_base::ident::{close_names, meant};
use chant_base::next_step::{HintText, NextStep, hint};

/// A refusal; its `Display` is what a client sees, [`VineError::hint`] what may help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VineError {
    /// The text is no graph.
    #[error("Parse error (line {}): {message}\nAt line {}, column {}.", at.line, at.line, at.column)]
    Parse {
        /// Where.
        at: SourceSpan,
        /// The fault.
        message: String,
    },
    /// There is no such file.
    #[error("File not found: {given}{}{}{}", resolution(resolved.as_ref()), of_folder(*is_folder), loss(*was_there))]
    NoFile {
        /// The name as given.
        given: String,
        /// True if there is a folder of that name.
        is_folder: bool,
        /// True if this process read it before.
        was_there: bool,
        /// The path that it was taken for, when that is another.
        resolved: Option<PathBuf>,
    },
    /// The system does not let us read or replace the file.
    #[error("Permission denied: {given}{}", resolution(resolved.as_ref()))]
    Denied {
        /// The name as given.
        given: String,
        /// The path that it was taken for, when that is another.
        resolved: Option<PathBuf>,
    },
    /// A file lies where it may not.
    #[error("`{given}` lies outside of {} and the other roots; name a file inside one of them", folder.display())]
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
        /// The fault.
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
        /// IDs that are like it, or whose tasks are called like it.
        nearest: Vec<String>,
    },
    /// A word is no status.
    #[error(transparent)]
    Status(#[from] InvalidTaskStatus),
    /// A word is neither a status nor `ref`.
    #[error("{status}, ref")]
    Standing {
        /// Why it is no status, with those that are.
        status: InvalidTaskStatus,
    },
    /// Entries of lists have no such key.
    #[error("Invalid field \"{field}\". Valid values: {}", keys.join(", "))]
    Field {
        /// The word.
        field: String,
        /// The keys there are.
        keys: &'static [&'static str],
    },
    /// There is no such way to draw a graph.
    #[error("Invalid format \"{format}\". Valid values: tree, mermaid, dot")]
    Format {
        /// The word.
        format: String,
    },
    /// An operation is none; nothing was touched.
    #[error("Operation {at}: {message}")]
    Shape {
        /// Its number, counted from 0.
        at: usize,
        /// The fault in it.
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
        /// A hint that may help.
        hint: HintText,
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
        /// The part that would be otherwise.
        why: String,
    },
    /// The file says something else than the caller has in mind.
    #[error(
        "The file changed since it was read: expected {expected}, found {is}. Nothing was written; read it again and repeat the edit."
    )]
    Changed {
        /// The name that git gives to the text that was expected.
        expected: String,
        /// The name that git gives to the text that is there.
        is: String,
    },
    /// The task's description is another one than the caller has in mind.
    #[error(
        "The description of \"{id}\" changed since it was read; nothing was changed by this edit. Read it again and repeat the edit."
    )]
    DescriptionChanged {
        /// The task.
        id: String,
    },
    /// The graph breaks rules; never empty, in the order in which they are checked.
    #[error("{}", describe_violations(violations))]
    Invalid {
        /// The broken rules, each with its place where that stands in a text.
        violations: Vec<(GraphViolation, Option<SourceSpan>)>,
    },
}

impl VineError {
    /// The refusal of an ID that no node has.
    pub(super) fn no_task(graph: &Graph, id: &str) -> Self {
        let there = graph
            .nodes
            .iter()
            .filter(|node| graph.find(&node.id).is_some());
        let named = there.map(|node| (&*node.id, &*node.name));
        let nearest = close_names(id, named).into_iter().map(str::to_owned);
        Self::NoTask {
            id: id.to_owned(),
            nearest: nearest.collect(),
        }
    }
}

impl CoreError for VineError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoFile { .. } | Self::NoTask { .. } => ErrorKind::NotFound,
            Self::Taken { .. } | Self::Changed { .. } | Self::DescriptionChanged { .. } => {
                ErrorKind::Conflict
            }
            Self::Missing { .. }
            | Self::Action { .. }
            | Self::NoOperations
            | Self::Status(_)
            | Self::Standing { .. }
            | Self::Format { .. }
            | Self::Field { .. }
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

    fn hint(&self) -> HintText {
        match self {
            Self::Refused { hint, .. } => hint.clone(),
            Self::NoTask { nearest, .. } => {
                let nearest: Vec<&str> = nearest.iter().map(String::as_str).collect();
                match nearest.as_slice() {
                    [first, rest @ ..] => hint![meant(first, rest)],
                    [] => HintText::default(),
                }
            }
            Self::NoFile {
                given,
                is_folder: false,
                was_there: false,
                ..
            } => hint!["\n", NextStep::NewVine(given.clone()), " makes it.",],
            _ => HintText::default(),
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::Parse { at, message } => json!({
                "line": at.line, "column": at.column,
                "problems": [problem("parse", message, Some(at))],
            }),
            Self::Shape { at, .. } | Self::Refused { at, .. } => json!({"operation": at}),
            Self::NoTask { id, .. } | Self::DescriptionChanged { id } => json!({"id": id}),
            Self::NoFile { given, .. }
            | Self::Denied { given, .. }
            | Self::Elsewhere { given, .. } => {
                json!({"file": given})
            }
            Self::Taken { path } => json!({"file": path}),
            Self::Changed { expected, is } => json!({"expected": expected, "is": is}),
            Self::InChild { file, .. } => json!({"file": file}),
            Self::Invalid { violations } => {
                let first = violations.first();
                let mut details = first.map_or(Value::Null, |(violation, _)| violation.details());
                let problem = |(violation, at): &(GraphViolation, Option<SourceSpan>)| {
                    problem(violation.constraint(), &violation.to_string(), at.as_ref())
                };
                details["problems"] = violations.iter().map(problem).collect();
                details
            }
            _ => Value::Null,
        }
    }
}

/// One thing that is wrong with a text; the place is null where the text does not say it.
fn problem(constraint: &str, message: &str, at: Option<&SourceSpan>) -> Value {
    json!({
        "constraint": constraint,
        "message": message,
        "line": at.map(|at| at.line),
        "column": at.map(|at| at.column),
        "length": at.map(|at| at.length),
        "source": at.map(|at| &at.source),
    })
}

fn resolution(resolved: Option<&PathBuf>) -> String {
    resolved.map_or(String::new(), |path| {
        format!(" (resolved to {})", path.display())
    })
}

fn loss(was_there: bool) -> &'static str {
    if was_there {
        "; it was there when it was read before: bring it back, such as by `git checkout`"
    } else {
        ""
    }
}

fn of_folder(is_folder: bool) -> &'static str {
    if is_folder {
        "\nThat is a folder; name a .vine file in it."
    } else {
        ""
    }
}

/// The first violation as the seed words it, its details, then the others.
fn describe_violations(violations: &[(GraphViolation, Option<SourceSpan>)]) -> String {
    let mut message = String::new();
    for (number, (violation, at)) in violations.iter().enumerate() {
        let constraint = violation.constraint();
        let line = at.as_ref().map(|at| at.line);
        if number == 0 {
            message = format!(
                "Validation error [{constraint}]: {violation}\nDetails: {}",
                violation.details()
            );
            message.extend(line.map(|line| format!("\nAt line {line}.")));
        } else {
            let line = line.map_or(String::new(), |line| format!(" (line {line})"));
            message.push_str(&format!("\nAlso [{constraint}]: {violation}{line}"));
        }
    }
    message
}
