//! Brings the folder of a run forward to commits that came another way than from there.

use super::{LONGEST_WALK, RunRepository};
use crate::GitError;

impl RunRepository<'_> {
    /// Moves the run's branch forward to a commit that the project has, first in the project and then in the folder,
    /// with its files. No hook of the folder runs.
    ///
    /// # Errors
    /// `InUse` when a checkout of the user's stands on the branch, or the complaint of git, as when the folder has
    /// changes in the way; the project's branch may have moved then.
    pub fn move_forward(&self, commit: &str) -> Result<(), GitError> {
        let name = self.full_name()?;
        if let Some(path) = self.repo.holder_of(&self.branch)? {
            let branch = self.branch.clone();
            return Err(GitError::InUse { branch, path });
        }
        let known = self.known_tip()?;
        let why = "commits that a worker pushed";
        self.repo.move_ref(&name, commit, Some(&known), why)?;
        if !self.stands_on_branch() {
            let why = format!("the folder of the run is not on {}", self.branch);
            return Err(GitError::NotTaken { why });
        }
        let words = ["merge", "--ff-only", "--quiet", "--no-verify", commit];
        let call = self.git(words, LONGEST_WALK);
        call.setting("core.hooksPath", "/dev/null")
            .setting("gc.auto", "0")
            .output()
            .map(drop)
    }
}
