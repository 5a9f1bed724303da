//! The state of a run in its spec's file, while git takes the file for unchanged.

use serde::{Deserialize, Serialize};

/// The state that a run wrote into the file of its spec and git does not see, so that it can be written again when git puts its
/// own version there: a rebase does so with each file that its commits change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UncommittedState {
    /// The status of the spec.
    pub status: String,
    /// The branch that the spec names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// True if it asks for a person's approval and git's version does not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks_approval: bool,
    /// The status in git's version.
    pub committed_status: String,
    /// How far HEAD had moved then; a file that becomes git's version without a move was put there by a person.
    pub head_moves: u64,
}
