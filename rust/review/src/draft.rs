//! Drafts: comments that a person has not sent yet. They lie in the user's own state and in nothing that is shared.

use chant_store::StoreError;
use chant_store::disk;
use chant_store::state::{StateFolder, escape_name};
use serde::{Deserialize, Serialize};

use crate::error::ReviewError;
use crate::journal::OwnJournal;

/// The folder of drafts.
const DRAFTS: &str = "drafts";
/// The greatest size of the drafts on a spec, in bytes.
const MAX_SIZE: u64 = 1024 * 1024;

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
    let Some(folder) = state.read(&OwnJournal::part(state, DRAFTS)) else {
        return Ok(Vec::new());
    };
    let path = folder.join(format!("{}.json", escape_name(spec)));
    match disk::read_owned(&path, MAX_SIZE) {
        Ok(text) => serde_json::from_str(&text).map_err(|error| {
            let path = path.display().to_string();
            let why = format!("it holds no drafts: {error}");
            StoreError::Unreadable { path, why }.into()
        }),
        Err(StoreError::Missing { .. }) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
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
    let folder = state.ensure(&OwnJournal::part(state, DRAFTS))?;
    let path = folder.join(format!("{}.json", escape_name(spec)));
    if drafts.is_empty() {
        disk::remove(&path)?;
        return Ok(());
    }
    let text = serde_json::to_string_pretty(drafts).unwrap_or_default() + "\n";
    if text.len() as u64 > MAX_SIZE {
        let why = format!("the drafts on a spec may have {MAX_SIZE} bytes together");
        return Err(ReviewError::Invalid { name: "text", why });
    }
    disk::write_private(&path, text)?;
    Ok(())
}
