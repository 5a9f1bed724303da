//! Runs the user's hooks on commits that are to land, in a worktree of their own.

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
use super::merge::MergeStyle;
use super::program::{GitCall, first_line};
use super::{GitError, Repo};

/// Hooks with their arguments; the first looks at the files, the others at the message.
type LandingHooks = [(&'static str, &'static [&'static str]); 3];

/// The hooks that `git merge` runs before its commit.
const OF_MERGE: LandingHooks = [
    ("pre-merge-commit", &[]),
    ("prepare-commit-msg", &[MESSAGE, "merge"]),
    ("commit-msg", &[MESSAGE]),
];

/// The hooks that `git commit` runs before any other commit whose message is given.
const OF_COMMIT: LandingHooks = [
    ("pre-commit", &[]),
    ("prepare-commit-msg", &[MESSAGE, "message"]),
    ("commit-msg", &[MESSAGE]),
];

/// A placeholder for the file that holds the message.
const MESSAGE: &str = "<message>";

/// The first version of git with `git hook run`.
const GIT_WITH_HOOKS: &str = "2.36";

/// A commit that is ready to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommitDraft {
    pub(super) tree: String,
    /// The target's commit.
    pub(super) ours: String,
    /// The branch's commit, if this is a merge.
    pub(super) theirs: Option<String>,
    pub(super) message: String,
    /// The tree with which no commit is made: then nothing is left to say in its message.
    pub(super) unless: Option<String>,
}

impl Repo {
    /// Runs the user's hooks on a commit and returns it as they leave it. Without such hooks
    /// nothing is checked out.
    pub(super) fn pass_hooks(&self, mut draft: CommitDraft) -> Result<CommitDraft, GitError> {
        let hooks = if draft.theirs.is_some() {
            OF_MERGE
        } else {
            OF_COMMIT
        };
        if !self.has_hook(&hooks.map(|(hook, _)| hook))? {
            return Ok(draft);
        }
        let scratch = ScratchWorktree::new(self, &draft.ours)?;
        scratch.fill(&draft.tree)?;
        let file = if let Some(theirs) = &draft.theirs {
            scratch.write("MERGE_HEAD", &format!("{theirs}\n"))?;
            "MERGE_MSG"
        } else {
            "COMMIT_EDITMSG"
        };
        let message = scratch.write(file, &draft.message)?;
        let [(of_files, _), of_message @ ..] = hooks;
        scratch.run_hook(of_files, &[], &message)?;
        draft.tree = first_line(&scratch.git(&["write-tree"]).output()?);
        if draft.unless.as_ref() != Some(&draft.tree) {
            for (hook, arguments) in of_message {
                scratch.run_hook(hook, arguments, &message)?;
            }
            draft.message = scratch.read_message(&message)?;
            draft.tree = first_line(&scratch.git(&["write-tree"]).output()?);
        }
        Ok(draft)
    }

    /// Has the user's hook look at the messages of commits that are made again, among the files of a tree; returns the
    /// messages as it leaves them.
    pub(super) fn pass_messages(
        &self,
        (ours, tree): (&str, &str),
        messages: Vec<String>,
    ) -> Result<Vec<String>, GitError> {
        let [.., (hook, arguments)] = OF_COMMIT;
        if messages.is_empty() || !self.has_hook(&[hook])? {
            return Ok(messages);
        }
        let scratch = ScratchWorktree::new(self, ours)?;
        scratch.fill(tree)?;
        let messages = messages.iter().map(|text| {
            let message = scratch.write("COMMIT_EDITMSG", text)?;
            scratch.run_hook(hook, arguments, &message)?;
            scratch.read_message(&message)
        });
        messages.collect()
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

    fn has_hook(&self, names: &[&str]) -> Result<bool, GitError> {
        let hooks = match self.hooks_in_use() {
            Some(hooks) => hooks,
            None => match self.ask_hooks_folder() {
                Err(GitError::NoGit { .. }) => return Ok(false),
                asked => asked?,
            },
        };
        Ok(names.iter().any(|hook| hooks.join(hook).is_file()))
    }
}

/// Returns the names of the hooks that look at what lands in a style.
pub fn hooks_at_landing(style: MergeStyle) -> [&'static str; 3] {
    let hooks = match style {
        MergeStyle::Merge => OF_MERGE,
        MergeStyle::Squash | MergeStyle::Rebase => OF_COMMIT,
    };
    hooks.map(|(hook, _)| hook)
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

/// A temporary worktree for one landing; removed when dropped.
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

    /// Checks a tree out.
    fn fill(&self, tree: &str) -> Result<(), GitError> {
        let call = self.git(&["read-tree", "-u", "--reset"]).arg(tree);
        call.output().map(drop)
    }

    /// Runs a hook; where its arguments say so it gets the file of the message.
    fn run_hook(
        &self,
        hook: &'static str,
        arguments: &[&str],
        message: &Path,
    ) -> Result<(), GitError> {
        let call = self.git(&["hook", "run", "--ignore-missing", hook, "--"]);
        let call = arguments.iter().fold(call, |call, word| match *word {
            MESSAGE => call.arg(message),
            word => call.arg(word),
        });
        // There is no user to edit a message.
        let answer = call.env("GIT_EDITOR", ":").answer()?;
        if answer.ended_with(0) {
            return Ok(());
        }
        let why = answer.words();
        if why.contains("is not a git command") {
            return Err(GitError::OldGit {
                needed: GIT_WITH_HOOKS,
                why: "to run your hooks on what lands",
            });
        }
        Err(GitError::Hook { hook, why })
    }

    /// Returns a message as hooks left it, without comments and needless lines.
    fn read_message(&self, message: &Path) -> Result<String, GitError> {
        let text = fs::read(message).map_err(|error| failed("read", message, &error))?;
        let text = self.git(&["stripspace"]).answer_to(&text)?.success()?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Writes a file of the commit into the worktree's git folder.
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
