//! The rules that a graph can break, in words and as data.

use std::fmt;

use serde_json::{Value, json};

/// A rule that a graph breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphViolation {
    /// There is no task.
    NoTask,
    /// A node depends on nothing that exists.
    UnknownDependency {
        /// The node.
        task: Box<str>,
        /// The ID that it names.
        missing: Box<str>,
    },
    /// Nodes wait for one another.
    Cycle(Vec<Box<str>>),
    /// The root does not depend on these, directly or not.
    Islands(Vec<Box<str>>),
    /// A reference names no file.
    NoUri(Box<str>),
}

impl GraphViolation {
    /// Its identifier in answers.
    pub fn constraint(&self) -> &'static str {
        match self {
            Self::NoTask => "at-least-one-task",
            Self::UnknownDependency { .. } => "valid-dependency-refs",
            Self::Cycle(_) => "no-cycles",
            Self::Islands(_) => "no-islands",
            Self::NoUri(_) => "ref-uri-required",
        }
    }

    /// The node it is about, or the first of them.
    pub fn subject(&self) -> Option<&str> {
        match self {
            Self::NoTask => None,
            Self::UnknownDependency { task: id, .. } | Self::NoUri(id) => Some(id),
            Self::Cycle(ids) | Self::Islands(ids) => ids.first().map(|id| &**id),
        }
    }

    /// The dependency of its subject that it is about.
    pub(super) fn dependency(&self) -> Option<&str> {
        match self {
            Self::UnknownDependency { missing, .. } => Some(missing),
            Self::Cycle(ids) => ids.get(1).or(ids.first()).map(|id| &**id),
            Self::NoTask | Self::Islands(_) | Self::NoUri(_) => None,
        }
    }

    /// Its values, by name.
    pub fn details(&self) -> Value {
        let constraint = self.constraint();
        match self {
            Self::NoTask => json!({ "constraint": constraint }),
            Self::UnknownDependency { task, missing, .. } => {
                json!({"constraint": constraint, "taskId": task, "missingDep": missing})
            }
            Self::Cycle(cycle) => json!({"constraint": constraint, "cycle": cycle}),
            Self::Islands(ids) => json!({"constraint": constraint, "islandTaskIds": ids}),
            Self::NoUri(id) => json!({"constraint": constraint, "taskId": id}),
        }
    }
}

impl fmt::Display for GraphViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTask => f.write_str("Graph must contain at least one task."),
            Self::UnknownDependency { task, missing, .. } => {
                write!(
                    f,
                    "Task \"{task}\" references unknown dependency \"{missing}\"."
                )
            }
            Self::Cycle(cycle) => {
                let first = cycle.first().into_iter();
                let path: Vec<&str> = cycle.iter().chain(first).map(|id| &**id).collect();
                write!(f, "Cycle detected: {}.", path.join(" → "))
            }
            Self::Islands(ids) => write!(
                f,
                "Found {} island task(s) not reachable from root: {}.",
                ids.len(),
                ids.join(", ")
            ),
            Self::NoUri(id) => {
                write!(f, "Reference node \"{id}\" must have a non-empty vine URI.")
            }
        }
    }
}
