//! Errors of questions, and the way a long one is watched.

use chant_base::error::{CoreError, ErrorKind};
use serde_json::{Value, json};

/// Called now and then with how much of how much is done; `false` stops the work.
pub type ProgressWatch<'a> = &'a (dyn Fn(usize, usize) -> bool + Sync);

/// Why a question about a network has no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NetworkError {
    /// No item has that key.
    #[error("No item `{key}` in the graph.{}", similar_sentence(.similar))]
    Unknown {
        /// The key that was asked for.
        key: String,
        /// Keys that may have been meant.
        similar: Vec<String>,
    },
    /// Something named an item by a number that no item has.
    #[error("No item has the number {index}")]
    NoSuchItem {
        /// The number.
        index: i64,
    },
    /// Items wait for one another.
    #[error(
        "Items wait for one another: {}. Remove one of these dependencies; `cycles` lists all cycles.",
        .keys.join(" -> ")
    )]
    Cycle {
        /// A cycle, from an item over those that wait for it back to the same.
        keys: Vec<String>,
    },
    /// A weight that is no time and no size.
    #[error("The weight of `{key}` is {weight}, expected a finite number that is not negative")]
    Weight {
        /// The item.
        key: String,
        /// Its weight.
        weight: f64,
    },
    /// Another number of weights than of items.
    #[error("{given} weights were given for {items} items")]
    WeightCount {
        /// Weights.
        given: usize,
        /// Items.
        items: usize,
    },
    /// An argument outside of its bounds.
    #[error("`{name}` is {given}, expected {expected}")]
    Argument {
        /// Its name.
        name: &'static str,
        /// The value that was given.
        given: String,
        /// The values that it could have.
        expected: &'static str,
    },
    /// A table has no column of that name.
    #[error("There is no column `{name}`, expected one of {expected}")]
    Column {
        /// The name that was asked for.
        name: String,
        /// The names of all columns.
        expected: String,
    },
    /// A value that no column of a table can hold.
    #[error("Column `{column}` holds {given}, expected texts, numbers, flags or times with a zone")]
    Value {
        /// The name of the column.
        column: String,
        /// The value that was given.
        given: String,
    },
    /// A change that does not fit the graph.
    #[error("`{key}` {why}")]
    Change {
        /// The item.
        key: String,
        /// `exists already`, …
        why: &'static str,
    },
    /// More items or edges than can be numbered.
    #[error("A graph has at most 4,294,967,295 items and as many edges")]
    TooLarge,
    /// The caller does not want the answer any more.
    #[error("Stopped before the answer was complete")]
    Stopped,
}

impl NetworkError {
    /// No item has this number.
    pub fn no_such_number(number: usize) -> Self {
        let index = i64::try_from(number).unwrap_or(i64::MAX);
        Self::NoSuchItem { index }
    }

    /// No item has that key; up to three of `keys` that are like it are named.
    pub(super) fn unknown<'a>(key: &str, keys: impl Iterator<Item = &'a str>) -> Self {
        let mut near: Vec<(usize, &str)> = keys
            .filter(|other| other.len().abs_diff(key.len()) <= 2)
            .map(|other| (strsim::levenshtein(key, other), other))
            .filter(|(distance, _)| *distance <= 2)
            .collect();
        near.sort_unstable();
        Self::Unknown {
            key: key.to_owned(),
            similar: near
                .into_iter()
                .take(3)
                .map(|(_, other)| other.to_owned())
                .collect(),
        }
    }
}

fn similar_sentence(similar: &[String]) -> String {
    match similar {
        [] => " `nodes` lists all there are.".to_owned(),
        [only] => format!(" Did you mean `{only}`?"),
        several => format!(" Did you mean one of `{}`?", several.join("`, `")),
    }
}

impl CoreError for NetworkError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Unknown { .. } | Self::Column { .. } => ErrorKind::NotFound,
            Self::Cycle { .. } => ErrorKind::Cycle,
            Self::Stopped => ErrorKind::Refused,
            Self::NoSuchItem { .. }
            | Self::Weight { .. }
            | Self::WeightCount { .. }
            | Self::Argument { .. }
            | Self::Value { .. }
            | Self::Change { .. }
            | Self::TooLarge => ErrorKind::InvalidArgument,
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::Unknown { key, similar } => json!({"key": key, "similar": similar}),
            Self::Cycle { keys } => json!({"cycle": keys}),
            Self::Weight { key, weight } => json!({"key": key, "weight": weight.to_string()}),
            Self::Argument { name, given, .. } => json!({"argument": name, "given": given}),
            Self::Column { name: column, .. } | Self::Value { column, .. } => {
                json!({"column": column})
            }
            Self::Change { key, .. } => json!({"key": key}),
            Self::NoSuchItem { .. } | Self::WeightCount { .. } | Self::TooLarge | Self::Stopped => {
                Value::Null
            }
        }
    }
}
