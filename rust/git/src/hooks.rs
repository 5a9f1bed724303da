//! Runs the user's hooks on a merge, in a worktree of their own.

#![expect(
    clippy::disallowed_methods,
    reason = "what git itself keeps in a git folder during a merge is no document of the store"
)]

use chant_base::diagnostics::LogFailure;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{MutexGuard, PoisonError};

use super::backend::git_dir_of;
use super::index::failed;
use super::program::{GitCall, first_line};
use super::{GitError, Repo};

/// The hooks that `git merge` runs before a commit, with their arguments.
const HOOKS: [(&str, &[&str]); 3] = [
    ("pre-merge-commit", &[]),
    ("prepare-commit-msg", &[MESSAGE, "merge"]),
    ("commit-msg", &[MESSAGE]),
];

/// A placeholder for the file that holds the message.
const MESSAGE: &str = "<message>";

/// The first version of git with `git hook run`.
const GIT_WITH_HOOKS: &str = "2.36";

/// A merge that is ready to be committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MergeDraft {
    pub(super) tree: String,
    pub(super) ours: String,
    pub(super) theirs: String,
    pub(super) message: String,
}

impl Repo {
    /// Runs the user's hooks on a merge and returns the merge as they leave it. Without such hooks
    /// nothing is checked out.
    pub(super) fn pass_hooks(&self, draft: MergeDraft) -> Result<MergeDraft, GitError> {
        if !self.has_merge_hooks()? {
            return Ok(draft);
        }
        let scratch = ScratchWorktree::new(self, &draft.ours)?;
        scratch
            .git(&["read-tree", "-u", "--reset"])
            .arg(&draft.tree)
            .output()?;
        scratch.write("MERGE_HEAD", &format!("{}\n", draft.theirs))?;
        let message = scratch.write("MERGE_MSG", &draft.message)?;
        for (hook, arguments) in HOOKS {
            let call = scratch.git(&["hook", "run", "--ignore-missing", hook, "--"]);
            let call = arguments.iter().fold(call, |call, word| match *word {
                MESSAGE => call.arg(&message),
                word => call.arg(word),
            });
            // There is no user to edit a message.
            let answer = call.env("GIT_EDITOR", ":").answer()?;
            if answer.ended_with(0) {
                continue;
            }
            let why = answer.complaint();
            if why.contains("is not a git command") {
                return Err(GitError::OldGit {
                    needed: GIT_WITH_HOOKS,
                    why: "to run your hooks on a merge",
                });
            }
            return Err(GitError::Hook { hook, why });
        }
        let message = fs::read(&message).map_err(|error| failed("read", &message, &error))?;
        let message = scratch
            .git(&["stripspace"])
            .answer_to(&message)?
            .success()?;
        Ok(MergeDraft {
            tree: first_line(&scratch.git(&["write-tree"]).output()?),
            message: String::from_utf8_lossy(&message).into_owned(),
            ..draft
        })
    }

    /// Has every later call that acts run the hooks of this folder and no others; `None` where no
    /// configuration names a folder of hooks, so that git finds the same one everywhere.
    pub(super) fn pin_hooks(&self, folder: Option<PathBuf>) {
        *self.pinned_hooks() = folder;
    }

    /// Returns the folder of hooks that calls are held to.
    pub(super) fn hooks_in_use(&self) -> Option<PathBuf> {
        self.pinned_hooks().clone()
    }

    fn pinned_hooks(&self) -> MutexGuard<'_, Option<PathBuf>> {
        self.hooks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_merge_hooks(&self) -> Result<bool, GitError> {
        let hooks = match self.hooks_in_use() {
            Some(hooks) => hooks,
            None => match self.ask_hooks_folder() {
                Err(GitError::NoGit { .. }) => return Ok(false),
                asked => asked?,
            },
        };
        Ok(HOOKS.iter().any(|(hook, _)| hooks.join(hook).is_file()))
    }
}

/// Returns the names of the hooks in a folder that git would run, in order.
pub fn hooks_that_run(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|one| can_run(&one.path()))
        .filter_map(|one| one.file_name().into_string().ok())
        .filter(|name| !name.ends_with(".sample"))
        .collect();
    names.sort();
    names
}

/// Returns true if git runs a hook: git silently skips one that is not executable.
#[cfg(unix)]
fn can_run(hook: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(hook).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn can_run(hook: &Path) -> bool {
    hook.is_file()
}

/// A temporary worktree for one merge; removed when dropped.
struct ScratchWorktree<'a> {
    repo: &'a Repo,
    top: PathBuf,
    git_dir: PathBuf,
}

impl<'a> ScratchWorktree<'a> {
    /// Creates the worktree without files. It first removes what a crashed merge left: only one run
    /// of a repository merges at a time.
    fn new(repo: &'a Repo, commit: &str) -> Result<Self, GitError> {
        let top = repo.common_dir.join("chant-mcp/merge");
        let mut scratch = Self {
            repo,
            top,
            git_dir: PathBuf::new(),
        };
        scratch.remove();
        let words = [
            "worktree",
            "add",
            "--quiet",
            "--detach",
            "--no-checkout",
            "--",
        ];
        repo.acting(words).arg(&scratch.top).arg(commit).output()?;
        scratch.git_dir = git_dir_of(&scratch.top)?;
        Ok(scratch)
    }

    fn git(&self, words: &[&str]) -> GitCall {
        self.repo.acting_in(&self.top, words.iter().copied())
    }

    /// Writes a file of the merge into the worktree's git folder.
    fn write(&self, name: &str, text: &str) -> Result<PathBuf, GitError> {
        let path = self.git_dir.join(name);
        fs::write(&path, text).map_err(|error| failed("write", &path, &error))?;
        Ok(path)
    }

    fn remove(&self) {
        let is_gone = |path: &Path| matches!(path.symlink_metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound);
        if !is_gone(&self.top) {
            let words = ["worktree", "remove", "--force", "--force", "--"];
            // If this fails, the next merge finds the worktree and reports the failure.
            self.repo
                .acting_in(&self.repo.common_dir, words)
                .arg(&self.top)
                .output()
                .log_failure("remove the worktree of the hooks");
        }
    }
}

impl Drop for ScratchWorktree<'_> {
    fn drop(&mut self) {
        self.remove();
    }
}
