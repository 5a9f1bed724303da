//! The folder for our own state, which git must not see.

use std::path::{Path, PathBuf};

use super::StoreError;
use super::disk::{self, Disk, Temporary};
use super::files::Root;

/// `<git common dir>/chant-mcp/`, shared by all worktrees of a repository; without git
/// `.chant-mcp/` in the root, with an ignore file of its own. Made when first written to.
#[derive(Debug, Clone)]
pub struct StateFolder {
    path: PathBuf,
    hides_itself: bool,
}

impl StateFolder {
    /// The folder of a project, inside its repository's common folder where there is one.
    pub fn of(root: &Root, git_common: Option<&Path>) -> Self {
        match git_common {
            Some(common) => Self {
                path: common.join("chant-mcp"),
                hides_itself: false,
            },
            None => Self {
                path: root.path().join(".chant-mcp"),
                hides_itself: true,
            },
        }
    }

    /// Where a part of the state lies; nothing is made.
    pub fn path(&self, part: &str) -> PathBuf {
        self.path.join(part)
    }

    /// Makes the folder for a part of the state and returns it.
    ///
    /// # Errors
    /// `NotWritten`, or `Missing` when the repository is gone.
    pub fn ensure(&self, disk: &Disk, part: &str) -> Result<PathBuf, StoreError> {
        disk::make_folder(&self.path)?;
        let ignore = self.path.join(".gitignore");
        if self.hides_itself && !disk::exists(&ignore) {
            match Temporary::write(disk, &ignore, "*\n", false)?.appear(&ignore) {
                // Another process came first.
                Err(StoreError::Exists { .. }) => {}
                made => made?,
            }
        }
        let path = self.path(part);
        disk::make_folder(&path)?;
        Ok(path)
    }
}
