//! Why a machine does not take a job.

use std::fmt;

use chant_base::error::Error;
use chant_git::GitError;

/// What a refusal is about; the other machine decides by it what to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
}

impl RefusalCause {
    /// Returns its spelling in results.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::BaseMissing => "base_missing",
            Self::Untrusted => "untrusted",
            Self::NoAgent => "no_agent",
            Self::NoAccount => "no_account",
            Self::Secret => "secret",
            Self::DiskFull => "disk_full",
        }
    }
}

/// A job that is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JobRefusal {
    pub(super) cause: RefusalCause,
    pub(super) why: String,
}

impl JobRefusal {
    pub(super) fn new(cause: RefusalCause, why: impl Into<String>) -> Self {
        Self {
            cause,
            why: why.into(),
        }
    }
}

/// Why a job ended before its agent worked.
#[derive(Debug)]
pub(super) enum JobFault {
    /// It is not taken.
    Refused(JobRefusal),
    /// It failed.
    Failed(Error),
}

impl fmt::Display for JobFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => f.write_str(&refusal.why),
            Self::Failed(error) => write!(f, "{error}"),
        }
    }
}

impl From<JobRefusal> for JobFault {
    fn from(refusal: JobRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Error> for JobFault {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<GitError> for JobFault {
    fn from(error: GitError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<chant_store::StoreError> for JobFault {
    fn from(error: chant_store::StoreError) -> Self {
        Self::Failed(error.into())
    }
}
