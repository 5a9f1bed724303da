//! Why something cannot be said of work, or what was said cannot be read.

use chant_base::error::{CoreError, ErrorKind};
use chant_git::GitError;
use chant_store::StoreError;
use serde_json::{Value, json};

/// The reasons.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// A file of our own state.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The repository or the git program.
    #[error(transparent)]
    Git(#[from] GitError),
    /// An argument that is not what it should be.
    #[error("Invalid parameter '{name}': {why}")]
    Invalid {
        /// Its name.
        name: &'static str,
        /// The fault, and the expected value.
        why: String,
    },
    /// No thread of that name on the spec.
    #[error("No comment '{id}' on spec '{spec}'. {}", known_threads(known))]
    NoThread {
        /// The name.
        id: String,
        /// The spec.
        spec: String,
        /// The threads that there are.
        known: Vec<String>,
    },
    /// Something that has to be true first is not.
    #[error("{0}")]
    Refused(String),
}

fn known_threads(known: &[String]) -> String {
    match known {
        [] => "There are no comments on it.".to_owned(),
        known => format!("Expected one of {}.", known.join(", ")),
    }
}

impl CoreError for ReviewError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Git(error) => error.kind(),
            Self::Invalid { .. } => ErrorKind::InvalidArgument,
            Self::NoThread { .. } => ErrorKind::NotFound,
            Self::Refused(_) => ErrorKind::Refused,
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::Invalid { name, .. } => json!({"parameter": name}),
            Self::NoThread { id, spec, .. } => json!({"thread": id, "spec": spec}),
            Self::Store(_) | Self::Git(_) | Self::Refused(_) => Value::Null,
        }
    }
}
