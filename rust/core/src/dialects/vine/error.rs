//! What the vine dialect refuses, in the words of the seed and of reference vine 1.10, 3 and 8.4.

use serde_json::{Value, json};

use super::validate::Violation;

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
    /// The values in the sentence, by name, for programs.
    pub fn details(&self) -> Value {
        match self {
            Self::Parse { line, column, .. } => json!({"line": line, "column": column}),
            Self::Unwritable { .. } | Self::Expansion { .. } => Value::Null,
            Self::Shape { at, .. } | Self::Refused { at, .. } => json!({"operation": at}),
            Self::Invalid { violations } => {
                violations.first().map_or(Value::Null, Violation::details)
            }
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
