//! What a look at the project's checkouts may have git run.

use std::path::Path;

use super::Project;
use crate::git::{GitError, Repo};

impl Project {
    /// The paths of a checkout that differ from its HEAD, for an answer. Nothing is run for it but in a trusted
    /// folder where only the git program can read the repository: then git runs the filters that are
    /// configured there.
    ///
    /// # Errors
    /// As [`Repo::uncommitted`].
    pub(in super::super) fn uncommitted(
        &self,
        repo: &Repo,
        checkout: &Path,
    ) -> Result<Vec<String>, GitError> {
        match repo.uncommitted_unfiltered(checkout) {
            Err(_) if self.is_trusted() => repo.uncommitted(checkout),
            found => found,
        }
    }
}
