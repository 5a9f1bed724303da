//! A folder of a run in which hooks look at a commit that is to land.

#![expect(
    clippy::disallowed_methods,
    reason = "what git keeps in a git folder is no document of the store"
)]

use std::fs;
use std::path::{Path, PathBuf};

use super::leftovers::is_folder;
use super::made::make_folders;
use super::{LONGEST_WALK, RunRepository};
use crate::GitError;
use crate::index::failed;
use crate::program::{GitCall, first_line};

/// The author of the commit that carries the changes of hooks into the project; no ref ever names it.
const CARRIER: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "chant-mcp"),
    ("GIT_AUTHOR_EMAIL", "chant-mcp@localhost"),
    ("GIT_COMMITTER_NAME", "chant-mcp"),
    ("GIT_COMMITTER_EMAIL", "chant-mcp@localhost"),
];

/// The folder inside the git folder with hooks that call programs which a recipe installs.
const OWN_HOOKS: &str = "hooks-of-user";
/// The greatest size of a hook that is looked at, in bytes.
const LARGEST_HOOK: u64 = 1024 * 1024;

/// The repository of such a folder.
pub(crate) struct HookRepository<'a>(RunRepository<'a>);

impl<'a> HookRepository<'a> {
    /// Takes a folder that was just made.
    pub(crate) fn of(folder: RunRepository<'a>) -> Self {
        Self(folder)
    }

    /// Returns its git folder, unless what a hook ran put something else there: we write and read files in it.
    ///
    /// # Errors
    /// `HooksNotRun`.
    pub(crate) fn git_dir(&self) -> Result<PathBuf, GitError> {
        let folder = self.0.top.join(".git");
        if is_folder(&folder) {
            return Ok(folder);
        }
        let why = "its `.git` is no folder any more".into();
        Err(GitError::HooksNotRun { why })
    }

    /// Returns the folder of hooks for this repository: the user's, or a copy where hooks name programs of the user's
    /// checkout that a recipe installs here.
    ///
    /// # Errors
    /// `File`.
    pub(crate) fn hooks(&self, users: &Path) -> Result<PathBuf, GitError> {
        let listed = users
            .read_dir()
            .map_err(|error| failed("read", users, &error))?;
        let mut texts = Vec::new();
        for entry in listed.flatten() {
            let place = entry.path();
            let is_small = |facts: fs::Metadata| facts.is_file() && facts.len() <= LARGEST_HOOK;
            if let Ok(text) = fs::read_to_string(&place)
                && place.metadata().is_ok_and(is_small)
            {
                let own = self.0.with_own_programs(&text);
                texts.push((place, own != text, own));
            }
        }
        if !texts.iter().any(|(_, is_changed, _)| *is_changed) {
            return Ok(users.to_owned());
        }
        let folder = self.git_dir()?.join(OWN_HOOKS);
        make_folders(&folder)?;
        for (place, _, own) in texts {
            let copy = folder.join(place.file_name().unwrap_or_default());
            // Its rights go with it.
            fs::copy(&place, &copy)
                .and_then(|_| fs::write(&copy, own))
                .map_err(|error| failed("copy", &copy, &error))?;
        }
        Ok(folder)
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
