//! Writes the files of a commit into a folder that has no link to the repository.

use std::path::Path;

use super::branches::oid;
use super::commits::OwnIndex;
use super::{GitError, Repo};

impl Repo {
    /// Writes the files of a commit into a folder that does not exist yet or is empty. Submodules
    /// stay empty. The folder is no checkout of git.
    ///
    /// # Errors
    /// `NoCommit`, or a failure of git.
    pub fn export(&self, revision: &str, folder: &Path) -> Result<(), GitError> {
        let _act = self.begin_act();
        let commit = self.known_commit(revision)?;
        self.read(
            "copy the files of a commit",
            |repo| {
                let found = repo.find_commit(oid(&commit)?)?;
                let mut how = git2::build::CheckoutBuilder::new();
                how.target_dir(folder)
                    .force()
                    .recreate_missing(true)
                    .update_index(false)
                    .refresh(false);
                repo.checkout_tree(found.as_object(), Some(&mut how))
            },
            || {
                let index = OwnIndex::new(&self.common_dir);
                let git = |words: [&str; 4]| {
                    let call = self.acting(words).env("GIT_DIR", &self.common_dir);
                    call.env("GIT_WORK_TREE", folder)
                        .env("GIT_INDEX_FILE", &index.0)
                };
                let everything = ["-c", "core.sparseCheckout=false"];
                git([everything[0], everything[1], "read-tree", &commit]).output()?;
                git([everything[0], everything[1], "checkout-index", "--all"]).output()?;
                Ok(())
            },
        )
    }
}
