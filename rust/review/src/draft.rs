//! Drafts: comments that a person has not sent yet. They lie in the user's own state and in nothing that is shared.

use chant_store::state::StateFolder;
use serde::{Deserialize, Serialize};

use crate::error::ReviewError;
use crate::spec_file::SpecFiles;

const DRAFTS: SpecFiles = SpecFiles {
    folder: "drafts",
    max_size: 1024 * 1024,
};

/// A comment that is being written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommentDraft {
    /// Its subject, in the words of the command: `PATH:LINE`, `criterion N`, or nothing for the whole.
    pub about: String,
    /// Its words.
    pub text: String,
    /// Its weight.
    pub weight: String,
}

/// Reads the drafts on a spec.
///
/// # Errors
/// `Unreadable`.
pub fn read_drafts(state: &StateFolder, spec: &str) -> Result<Vec<CommentDraft>, ReviewError> {
    Ok(DRAFTS.read(state, spec)?.unwrap_or_default())
}

/// Replaces the drafts on a spec, in one step; none removes their file.
///
/// # Errors
/// `NotWritten`.
pub fn write_drafts(
    state: &StateFolder,
    spec: &str,
    drafts: &[CommentDraft],
) -> Result<(), ReviewError> {
    if drafts.is_empty() {
        return DRAFTS.remove(state, spec);
    }
    DRAFTS.write(state, spec, &drafts)
}
