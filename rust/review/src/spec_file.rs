//! Small files of the user's own state, one for each spec: drafts, and what a person has seen.

use std::path::PathBuf;

use chant_store::StoreError;
use chant_store::disk;
use chant_store::state::{StateFolder, escape_name};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::ReviewError;
use crate::journal::OwnJournal;

/// The files of one kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpecFiles {
    /// Their folder.
    pub folder: &'static str,
    /// The greatest size of one, in bytes.
    pub max_size: u64,
}

impl SpecFiles {
    /// Reads the file of a spec; `None` without one.
    ///
    /// # Errors
    /// `Unreadable`.
    pub(crate) fn read<T: DeserializeOwned>(
        self,
        state: &StateFolder,
        spec: &str,
    ) -> Result<Option<T>, ReviewError> {
        let Some(folder) = state.read(&OwnJournal::part(state, self.folder)) else {
            return Ok(None);
        };
        let path = folder.join(file_name(spec));
        match disk::read_owned(&path, self.max_size) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| {
                let path = path.display().to_string();
                let why = format!("it holds no {}: {error}", self.folder);
                StoreError::Unreadable { path, why }.into()
            }),
            Err(StoreError::Missing { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Replaces the file of a spec, in one step.
    ///
    /// # Errors
    /// `Invalid` for more than such a file may hold; `NotWritten`.
    pub(crate) fn write(
        self,
        state: &StateFolder,
        spec: &str,
        content: &impl Serialize,
    ) -> Result<(), ReviewError> {
        let text = serde_json::to_string(content).unwrap_or_default() + "\n";
        if text.len() as u64 > self.max_size {
            let why = format!(
                "the {} of a spec may have {} bytes together",
                self.folder, self.max_size
            );
            return Err(ReviewError::Invalid { name: "text", why });
        }
        disk::write_private(&self.path(state, spec)?, text)?;
        Ok(())
    }

    /// Removes the file of a spec, if it is there.
    ///
    /// # Errors
    /// `NotWritten`.
    pub(crate) fn remove(self, state: &StateFolder, spec: &str) -> Result<(), ReviewError> {
        disk::remove(&self.path(state, spec)?)?;
        Ok(())
    }

    fn path(self, state: &StateFolder, spec: &str) -> Result<PathBuf, ReviewError> {
        let folder = state.ensure(&OwnJournal::part(state, self.folder))?;
        Ok(folder.join(file_name(spec)))
    }
}

fn file_name(spec: &str) -> String {
    format!("{}.json", escape_name(spec))
}
