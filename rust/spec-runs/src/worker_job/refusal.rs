//! Why a machine does not take a job.

use chant_base::error::Error;
use chant_git::GitError;
use strum::IntoStaticStr;

/// What a refusal is about; the other machine decides by it what to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum RefusalCause {
    /// The job itself is wrong.
    Invalid,
    /// The bundle begins at a commit that is not here.
    BaseMissing,
    /// The owner of this machine did not accept what acts in the project.
    Untrusted,
    /// The agent is not offered here.
    NoAgent,
    /// The account is not here.
    NoAccount,
    /// A text of the job looks like a key.
    Secret,
    /// The disk of this machine is nearly full.
    DiskFull,
    /// The place of the work cannot be made on this machine.
    Workplace,
}

impl RefusalCause {
    /// Returns its spelling in results.
    pub(super) fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A job that is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JobRefusal {
    pub(super) cause: RefusalCause,
    pub(super) why: String,
    /// Commits that are here, the newest first: what is sent may begin behind one of them.
    pub(super) known: Vec<String>,
}

impl JobRefusal {
    pub(super) fn new(cause: RefusalCause, why: impl Into<String>) -> Self {
        Self {
            cause,
            why: why.into(),
            known: Vec::new(),
        }
    }
}

// Whatever fails before the agent works gives the job back: another machine may do it.

impl From<Error> for JobRefusal {
    fn from(error: Error) -> Self {
        Self::new(RefusalCause::Workplace, error.to_string())
    }
}

impl From<GitError> for JobRefusal {
    fn from(error: GitError) -> Self {
        Self::new(RefusalCause::Workplace, error.to_string())
    }
}

impl From<chant_store::StoreError> for JobRefusal {
    fn from(error: chant_store::StoreError) -> Self {
        Self::new(RefusalCause::Workplace, error.to_string())
    }
}
