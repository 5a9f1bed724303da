//! A folder of a run in which hooks look at a commit that is to land.

use std::path::PathBuf;

use super::super::GitError;
use super::super::program::{GitCall, first_line};
use super::{LONGEST_WALK, RunRepository};

/// The author of the commit that carries the changes of hooks into the project; no ref ever names it.
const CARRIER: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "chant-mcp"),
    ("GIT_AUTHOR_EMAIL", "chant-mcp@localhost"),
    ("GIT_COMMITTER_NAME", "chant-mcp"),
    ("GIT_COMMITTER_EMAIL", "chant-mcp@localhost"),
];

/// The repository of such a folder.
pub(crate) struct HookRepository<'a>(RunRepository<'a>);

impl<'a> HookRepository<'a> {
    /// Takes a folder that was just made.
    pub(crate) fn of(folder: RunRepository<'a>) -> Self {
        Self(folder)
    }

    /// Returns its git folder.
    pub(crate) fn git_dir(&self) -> PathBuf {
        self.0.top.join(".git")
    }

    /// Prepares a confined call of git in the folder.
    pub(crate) fn git(&self, words: &[&str]) -> GitCall {
        self.0.git(words.iter().copied(), LONGEST_WALK)
    }

    /// Returns the tree of its index and brings it into the project, unless it is the known one.
    ///
    /// # Errors
    /// As [`RunRepository::fetch`].
    pub(crate) fn tree(&self, known: &str) -> Result<String, GitError> {
        let tree = first_line(&self.git(&["write-tree"]).output()?);
        if tree == known {
            return Ok(tree);
        }
        let call = self.git(&["commit-tree", "-m", "What hooks changed", &tree]);
        let call = CARRIER
            .into_iter()
            .fold(call, |call, (name, value)| call.env(name, value));
        let commit = first_line(&call.output()?);
        let is_id = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_id {
            let why = "its answer is not a commit".into();
            let command = "git commit-tree".into();
            return Err(GitError::Program { command, why });
        }
        self.0.bring_commit(&commit)?;
        self.0.repo.tree_of(&commit)
    }
}
