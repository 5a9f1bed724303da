//! The failures of this machine; what a remote refuses is an answer.

use chant_base::error::{CoreError, ErrorKind};
use chant_git::GitError;
use chant_store::StoreError;

/// Why leases could not be asked for or kept, for a cause on this machine.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// A file of our own state.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The repository or the git program.
    #[error(transparent)]
    Git(#[from] GitError),
    /// What is asked of runs and specs.
    #[error("{0}")]
    Ledger(chant_base::error::Error),
    /// A file of our own that does not say what was written.
    #[error("`{path}` does not hold what was written there: {why}; remove it and try again")]
    Broken {
        /// The file.
        path: String,
        /// What is wrong.
        why: String,
    },
}

impl CoreError for LeaseError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Git(error) => error.kind(),
            Self::Ledger(error) => error.kind(),
            Self::Store(_) | Self::Broken { .. } => ErrorKind::Storage,
        }
    }
}
