//! Runs the user's hooks on commits that are to land, in a folder of their own: as git itself would, or confined.

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
use super::run_repository::{HookRepository, RunRepository};
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

/// The greatest size of a message that a hook leaves, in bytes.
const LARGEST_MESSAGE: u64 = 1024 * 1024;

/// The first version of git with `git hook run`.
const GIT_WITH_HOOKS: &str = "2.36";

/// The means to run hooks confined. They may run what lands, as a hook that runs the tests does.
pub trait ConfinedHooks {
    /// Makes the folder in which they run, with a repository of its own.
    ///
    /// # Errors
    /// `HooksNotRun`.
    fn open(&self) -> Result<RunRepository<'_>, GitError>;

    /// Runs a command in that folder, with a folder of hooks to be read; returns the last words of one that failed.
    ///
    /// # Errors
    /// `HooksNotRun`.
    fn run(&self, argv: &[String], hooks: &Path) -> Result<Option<String>, GitError>;
}

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
    pub(super) fn pass_hooks(
        &self,
        mut draft: CommitDraft,
        confined: Option<&dyn ConfinedHooks>,
    ) -> Result<CommitDraft, GitError> {
        let hooks = if draft.theirs.is_some() {
            OF_MERGE
        } else {
            OF_COMMIT
        };
        let Some(found) = self.hooks_among(&hooks.map(|(hook, _)| hook))? else {
            return Ok(draft);
        };
        let folder = self.hook_folder(&draft.ours, &found, confined)?;
        folder.fill(&draft.ours, &draft.tree)?;
        let [(of_files, _), of_message @ ..] = hooks;
        folder.run_hook(of_files, &[], Path::new(""))?;
        draft.tree = folder.tree(&draft.tree)?;
        if draft.unless.as_ref() != Some(&draft.tree) {
            // Git writes both after the first hook: one that finds them takes the merge for one with conflicts.
            let file = if let Some(theirs) = &draft.theirs {
                folder.write("MERGE_HEAD", &format!("{theirs}\n"))?;
                "MERGE_MSG"
            } else {
                "COMMIT_EDITMSG"
            };
            let message = folder.write(file, &draft.message)?;
            for (hook, arguments) in of_message {
                folder.run_hook(hook, arguments, &message)?;
            }
            draft.message = folder.read_message(&message)?;
            draft.tree = folder.tree(&draft.tree)?;
        }
        Ok(draft)
    }

    /// Has the user's hook look at the messages of commits that are made again, among the files of a tree; returns the
    /// messages as it leaves them.
    pub(super) fn pass_messages(
        &self,
        ours: &str,
        tree: &str,
        messages: Vec<String>,
        confined: Option<&dyn ConfinedHooks>,
    ) -> Result<Vec<String>, GitError> {
        let [.., (hook, arguments)] = OF_COMMIT;
        let found = self.hooks_among(&[hook])?;
        let Some(found) = found.filter(|_| !messages.is_empty()) else {
            return Ok(messages);
        };
        let folder = self.hook_folder(ours, &found, confined)?;
        folder.fill(ours, tree)?;
        let messages = messages.iter().map(|text| {
            let message = folder.write("COMMIT_EDITMSG", text)?;
            folder.run_hook(hook, arguments, &message)?;
            folder.read_message(&message)
        });
        messages.collect()
    }

    fn hook_folder<'a>(
        &'a self,
        ours: &str,
        hooks: &Path,
        confined: Option<&'a dyn ConfinedHooks>,
    ) -> Result<HookFolder<'a>, GitError> {
        let Some(means) = confined else {
            return Ok(HookFolder::Users(ScratchWorktree::new(self, ours)?));
        };
        let repository = HookRepository::of(means.open()?);
        Ok(HookFolder::Confined {
            hooks: repository.hooks(hooks)?,
            repository,
            means,
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

    /// Returns the folder of hooks if it has one of these.
    fn hooks_among(&self, names: &[&str]) -> Result<Option<PathBuf>, GitError> {
        let hooks = match self.hooks_in_use() {
            Some(hooks) => hooks,
            None => match self.ask_hooks_folder() {
                Err(GitError::NoGit { .. }) => return Ok(None),
                asked => asked?,
            },
        };
        let has_one = names.iter().any(|hook| hooks.join(hook).is_file());
        Ok(has_one.then_some(hooks))
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

/// The folder in which hooks look at one commit.
enum HookFolder<'a> {
    /// A worktree of the user's repository; they have the rights of the user.
    Users(ScratchWorktree<'a>),
    /// A repository of its own.
    Confined {
        repository: HookRepository<'a>,
        means: &'a dyn ConfinedHooks,
        hooks: PathBuf,
    },
}

impl HookFolder<'_> {
    fn git(&self, words: &[&str]) -> GitCall {
        match self {
            Self::Users(scratch) => scratch.git(words),
            Self::Confined { repository, .. } => repository.git(words),
        }
    }

    /// Checks a tree out on top of a commit.
    fn fill(&self, commit: &str, tree: &str) -> Result<(), GitError> {
        if let Self::Confined { .. } = self {
            let words = ["update-ref", "--no-deref", "HEAD"];
            self.git(&words).arg(commit).output()?;
        }
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
        let words = ["hook", "run", "--ignore-missing", hook, "--"];
        let message = message.as_os_str();
        let arguments = arguments.iter().map(|word| match *word {
            MESSAGE => message,
            word => word.as_ref(),
        });
        let why = match self {
            Self::Users(scratch) => {
                let call = arguments.fold(scratch.git(&words), GitCall::arg);
                // There is no user to edit a message.
                let answer = call.env("GIT_EDITOR", ":").answer()?;
                (!answer.ended_with(0)).then(|| answer.words())
            }
            Self::Confined { means, hooks, .. } => {
                let setting = format!("core.hooksPath={}", hooks.display());
                let arguments = arguments.map(|word| word.to_string_lossy().into_owned());
                let argv = ["env", "GIT_EDITOR=:", "git", "-c", &setting].into_iter();
                let argv = argv.chain(words).map(str::to_owned).chain(arguments);
                means.run(&argv.collect::<Vec<String>>(), hooks)?
            }
        };
        match why {
            None => Ok(()),
            Some(why) if why.contains("is not a git command") => Err(GitError::OldGit {
                needed: GIT_WITH_HOOKS,
                why: "to run your hooks on what lands",
            }),
            Some(why) => Err(GitError::Hook { hook, why }),
        }
    }

    /// Returns the tree of the index, which the user's repository has then.
    fn tree(&self, known: &str) -> Result<String, GitError> {
        match self {
            Self::Users(scratch) => Ok(first_line(&scratch.git(&["write-tree"]).output()?)),
            Self::Confined { repository, .. } => repository.tree(known),
        }
    }

    /// Returns the git folder in which the files of the commit lie.
    fn git_dir(&self) -> Result<PathBuf, GitError> {
        match self {
            Self::Users(scratch) => Ok(scratch.git_dir.clone()),
            Self::Confined { repository, .. } => repository.git_dir(),
        }
    }

    /// Returns a message as hooks left it, without comments and needless lines.
    fn read_message(&self, message: &Path) -> Result<String, GitError> {
        self.git_dir()?;
        // A hook may have put anything there.
        let is_file = message
            .symlink_metadata()
            .is_ok_and(|found| found.is_file() && found.len() <= LARGEST_MESSAGE);
        if !is_file {
            let why = io::Error::other("it is no regular file, or too large");
            return Err(failed("read", message, &why));
        }
        let text = fs::read(message).map_err(|error| failed("read", message, &error))?;
        let text = self.git(&["stripspace"]).answer_to(&text)?.success()?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Writes a file of the commit into the git folder.
    fn write(&self, name: &str, text: &str) -> Result<PathBuf, GitError> {
        let path = self.git_dir()?.join(name);
        // A link that a hook left there is replaced, not followed.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed("write", &path, &error));
            }
            _ => {}
        }
        fs::write(&path, text).map_err(|error| failed("write", &path, &error))?;
        Ok(path)
    }
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
            "worktree", "add", "--quiet", "--detach", "--no-checkout", "--",
        ];
        repo.acting(words).arg(&scratch.top).arg(commit).output()?;
        scratch.git_dir = git_dir_of(&scratch.top)?;
        Ok(scratch)
    }

    fn git(&self, words: &[&str]) -> GitCall {
        self.repo.acting_in(&self.top, words.iter().copied())
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
