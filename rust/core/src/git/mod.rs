//! Git repositories: branches, commits, changes, worktrees; the only folder naming git2.
//!
//! Invariants:
//! - Nothing here knows a dialect: ids, branches and tags are plain texts, files are paths.
//! - Every call reads the repository anew, so what any process did before the call is seen. The one
//!   thing kept is what commits say (`tags.rs`), and a commit never changes.
//! - git2 reads. The `git` program does what git2 cannot: repositories that git2 refuses (reftable,
//!   SHA-256, unknown extensions), objects that are not there yet (partial clones), and whatever needs
//!   filters, hooks or the user's whole configuration (status, worktrees, the user's name). Where git is
//!   not installed, git2 does these, too, as well as it can; landing alone refuses then.
//! - Nothing is deleted or moved that would leave a commit or a change without a name.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

mod abbreviation;
pub mod acting;
mod backend;
pub mod bookkeeping;
mod branches;
pub mod checkouts;
mod commits;
pub mod exchange;
mod export;
mod files;
pub mod history;
mod hooks;
mod index;
pub mod kept_texts;
pub mod land;
pub mod merge;
mod names;
mod pipe;
mod program;
pub mod registered;
pub mod run_folder;
pub mod tags;
pub mod worktree;

pub use program::{end_limited_calls, mark_calls};

use backend::{Backend, Handle};
use tags::History;

/// What git calls a text: the name of the blob that holds it, as `git hash-object` prints it.
pub fn blob(text: &str) -> String {
    let name = git2::Oid::hash_object(git2::ObjectType::Blob, text.as_bytes());
    name.map_or_else(|error| error.to_string(), |name| name.to_string())
}

/// Why something could not be done with a git repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// The git program is needed and not there.
    #[error(
        "the `git` program was not found and is needed {why}; install git, make sure it is on PATH, and try again"
    )]
    NoGit {
        /// What it is needed for.
        why: String,
    },
    /// Git refuses a repository that belongs to another user.
    #[error(
        "the repository at `{path}` belongs to another user, so git does not read it; if you trust it, add its folder to `safe.directory` in your git configuration"
    )]
    Owner {
        /// Where the repository lies.
        path: PathBuf,
    },
    /// The repository, or the checkout, is no longer there.
    #[error(
        "there is no git repository at `{path}` any more; if it was moved, open the project at its new place"
    )]
    Gone {
        /// Where it was.
        path: PathBuf,
    },
    /// A name that git does not allow.
    #[error("`{name}` cannot be the name of a {what}: {why}")]
    InvalidName {
        /// What it was to name.
        what: &'static str,
        /// The name.
        name: String,
        /// What is expected of such a name.
        why: &'static str,
    },
    /// The branch does not exist.
    #[error("there is no branch `{branch}`; `git branch --list` shows those there are")]
    NoBranch {
        /// The branch.
        branch: String,
    },
    /// A revision names no commit.
    #[error("`{revision}` names no commit here; give a branch with a commit, a tag or a commit id")]
    NoCommit {
        /// The revision.
        revision: String,
    },
    /// The branch has no commit yet.
    #[error(
        "branch `{branch}` has no commit yet, so no work can begin there; make a first commit (`git commit --allow-empty -m \"First commit\"`) and try again"
    )]
    Unborn {
        /// The branch.
        branch: String,
    },
    /// A branch that was to be new is there.
    #[error(
        "branch `{branch}` exists already and was left as it is; go on with it, or back it up and delete it first"
    )]
    BranchExists {
        /// The branch.
        branch: String,
    },
    /// A commit would take history away from a branch.
    #[error(
        "commit {commit} does not contain {old}, where `{branch}` stands, so the branch was left there; merge the two first"
    )]
    NotAhead {
        /// The branch.
        branch: String,
        /// Where it stands.
        old: String,
        /// Where it was to go.
        commit: String,
    },
    /// The branch is checked out.
    #[error(
        "branch `{branch}` is in use in the checkout `{path}`; switch that checkout to another branch first"
    )]
    InUse {
        /// The branch.
        branch: String,
        /// The checkout that holds it.
        path: PathBuf,
    },
    /// Commits would be left without a name.
    #[error(
        "commit {commit} of `{of}` is on no other branch, tag or backup; merge it or back it up first"
    )]
    Unmerged {
        /// The branch or checkout.
        of: String,
        /// Its newest commit.
        commit: String,
    },
    /// A ref moved between the check and the change.
    #[error(
        "`{name}` was changed by another process meanwhile, so it was left alone; look at it and try again"
    )]
    Moved {
        /// The branch or ref.
        name: String,
    },
    /// Something is where the folder of a run was to be made.
    #[error("`{path}` is there already, so no run can get its folder there; move it away")]
    PathTaken {
        /// What is there.
        path: PathBuf,
    },
    /// There is no worktree at that path.
    #[error(
        "`{path}` is not a worktree of this repository; `git worktree list` shows those there are"
    )]
    NoWorktree {
        /// The path.
        path: PathBuf,
    },
    /// The main checkout cannot be removed.
    #[error(
        "`{path}` is the repository's main checkout, which is never removed; name a worktree beside it"
    )]
    MainCheckout {
        /// The main checkout.
        path: PathBuf,
    },
    /// The worktree is locked.
    #[error("the worktree `{path}` is locked; run `git worktree unlock` on it if nothing uses it")]
    Locked {
        /// The worktree.
        path: PathBuf,
    },
    /// The worktree holds changes that are not committed.
    #[error("the worktree `{path}` has {count} uncommitted change(s) ({}); commit them first", .shown.join(", "))]
    Dirty {
        /// The worktree.
        path: PathBuf,
        /// How many paths have changes.
        count: usize,
        /// Up to five of them.
        shown: Vec<String>,
    },
    /// There are no files to look at: the repository is bare.
    #[error(
        "the repository `{path}` is bare, so it has no checked-out files; name a checkout instead"
    )]
    Bare {
        /// The repository.
        path: PathBuf,
    },
    /// A path lies outside the checkout.
    #[error("`{path}` is not a file inside the checkout `{checkout}`; give a path inside it")]
    Outside {
        /// The path.
        path: PathBuf,
        /// The checkout.
        checkout: PathBuf,
    },
    /// Git does not track the file.
    #[error(
        "git does not track `{path}`, so there is nothing to stage; add it with `git add` if it should"
    )]
    NotTracked {
        /// The file, from the top of the checkout.
        path: String,
    },
    /// Something is staged where a file was to go.
    #[error(
        "git already tracks `{path}`, so nothing was staged over it; commit or unstage it first"
    )]
    AlreadyTracked {
        /// The path, from the top of the checkout.
        path: String,
    },
    /// Another process holds the index.
    #[error("another git process holds the lock `{path}`; wait until it has ended and try again")]
    IndexLocked {
        /// The lock file.
        path: PathBuf,
    },
    /// A change of several steps was stopped between two of them.
    #[error("stopped at `{moment}`: {why}; the next attempt goes on from there")]
    Stopped {
        /// The moment, by its name.
        moment: &'static str,
        /// What stopped it.
        why: String,
    },
    /// A hook of the user's refused a merge.
    #[error(
        "your hook `{hook}` refused the merge: {why}; put that right, or merge the branch by hand"
    )]
    Hook {
        /// The hook.
        hook: &'static str,
        /// The first of what it said.
        why: String,
    },
    /// The git program is older than what is needed.
    #[error("git {needed} or later is needed {why}; install it and try again")]
    OldGit {
        /// The version.
        needed: &'static str,
        /// What for.
        why: &'static str,
    },
    /// A file of git's own could not be read or written.
    #[error("cannot {doing} `{path}`: {why}; check that the folder can be written")]
    File {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// git2 failed, and there is no git program to ask instead.
    #[error(
        "cannot {doing} in `{path}`: {why}; try again, and if it stays so let `git fsck` look at the repository"
    )]
    Library {
        /// What was being done.
        doing: &'static str,
        /// Where the repository lies.
        path: PathBuf,
        /// What git2 said.
        why: String,
    },
    /// The git program failed.
    #[error("`{command}` failed: {why}; put that right and try again")]
    Program {
        /// The command.
        command: String,
        /// What it complained of.
        why: String,
    },
}

/// Where a walk through history begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tip<'a> {
    /// What the checkout stands on.
    Head,
    /// A local branch.
    Branch(&'a str),
}

/// What a checkout stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// A branch and its newest commit.
    Branch {
        /// The branch, without `refs/heads/`.
        name: String,
        /// The commit's full id.
        commit: String,
    },
    /// A branch that has no commit yet.
    Unborn {
        /// The branch, without `refs/heads/`.
        name: String,
    },
    /// A commit, on no branch.
    Detached {
        /// The commit's full id.
        commit: String,
    },
}

impl Head {
    /// The branch, if the checkout is on one.
    pub fn branch(&self) -> Option<&str> {
        match self {
            Self::Branch { name, .. } | Self::Unborn { name } => Some(name),
            Self::Detached { .. } => None,
        }
    }

    /// The commit's full id, if there is one.
    pub fn commit(&self) -> Option<&str> {
        match self {
            Self::Branch { commit, .. } | Self::Detached { commit } => Some(commit),
            Self::Unborn { .. } => None,
        }
    }
}

/// A git repository as seen from one of its checkouts.
///
/// Opening it finds its places; every question reads it anew, so a handle may be kept for as long as
/// the project is open and be shared by threads.
#[derive(Debug)]
pub struct Repo {
    backend: Backend,
    common_dir: PathBuf,
    checkout: Option<PathBuf>,
    history: Mutex<History>,
    /// The repository as the last question left it open.
    handle: Mutex<Option<Handle>>,
    /// How many acts are under way here.
    acts: AtomicUsize,
}

/// An act in a repository, from its beginning until this is dropped. Who acts was allowed to; what is read
/// meanwhile may be fetched where a partial clone lacks it.
#[derive(Debug)]
pub struct Act<'a>(&'a Repo);

impl Drop for Act<'_> {
    fn drop(&mut self) {
        self.0.acts.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Repo {
    /// Begins an act: something that changes the repository, or has git run what it names. Only where a
    /// person trusts the folder.
    pub fn begin_act(&self) -> Act<'_> {
        self.acts.fetch_add(1, Ordering::Relaxed);
        Act(self)
    }

    fn is_acting(&self) -> bool {
        self.acts.load(Ordering::Relaxed) > 0
    }

    /// The git folder that all worktrees share; absolute.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// The top of the checkout that the repository was opened in; `None` when it is bare.
    pub fn checkout(&self) -> Option<&Path> {
        self.checkout.as_deref()
    }

    /// The list of ignored files that git's configuration names for all checkouts of the user.
    ///
    /// # Errors
    /// A failure to read the configuration.
    pub fn excludes_file(&self) -> Result<Option<PathBuf>, GitError> {
        let words = ["config", "--type=path", "-z", "--get", "core.excludesFile"];
        let answer = program::reading(self.folder(), words).answer()?;
        if answer.ended_with(1) {
            return Ok(None);
        }
        let out = answer.success()?;
        let mut paths = program::fields(&out);
        let path = paths
            .next()
            .map(|path| String::from_utf8_lossy(path).into_owned());
        Ok(path.filter(|path| !path.is_empty()).map(PathBuf::from))
    }

    /// Whether some commit was made by a person of this name or e-mail address; history is read until one is
    /// found.
    ///
    /// # Errors
    /// `Gone`, or a failure of git; without git no history is read and nobody is known.
    pub fn knows(&self, person: &str) -> Result<bool, GitError> {
        let format = "--format=%an%x00%ae%x00%cn%x00%ce%x00";
        let call = program::reading(self.folder(), ["log", "--all", format]);
        let found = call.find_field(|field| {
            let field = String::from_utf8_lossy(field);
            field.trim_start_matches('\n') == person
        });
        match found {
            Err(GitError::NoGit { .. }) => Ok(false),
            found => found,
        }
    }

    /// The name and the e-mail address that git's configuration gives the user here; `None` unless it
    /// gives both.
    ///
    /// # Errors
    /// `Gone`, or a failure to read the configuration.
    pub fn user(&self) -> Result<Option<(String, String)>, GitError> {
        // Git itself first: only it honours every place that configuration may come from.
        let asked = program::reading(
            self.folder(),
            ["config", "-z", "--get-regexp", r"^user\.(name|email)$"],
        );
        let (mut name, mut email) = (String::new(), String::new());
        match asked.answer() {
            Ok(answer) if answer.ended_with(1) => {}
            Ok(answer) => {
                for field in program::fields(&answer.success()?) {
                    let field = String::from_utf8_lossy(field);
                    match field.split_once('\n') {
                        Some(("user.name", value)) => value.clone_into(&mut name),
                        Some(("user.email", value)) => value.clone_into(&mut email),
                        _ => {}
                    }
                }
            }
            Err(GitError::NoGit { .. }) => {
                let config =
                    self.library("read the configuration", |repo| repo.config()?.snapshot())?;
                config
                    .get_str("user.name")
                    .unwrap_or_default()
                    .clone_into(&mut name);
                config
                    .get_str("user.email")
                    .unwrap_or_default()
                    .clone_into(&mut email);
            }
            Err(error) => return Err(error),
        }
        Ok((!name.is_empty() && !email.is_empty()).then_some((name, email)))
    }
}

/// The path that git or git2 complains of, between quotes, or the one that was asked about.
fn complained_of(text: &str, asked: &Path) -> PathBuf {
    text.split('\'')
        .nth(1)
        .map_or_else(|| asked.to_owned(), PathBuf::from)
}

/// Whether git2 means by this error that what was asked for does not exist.
fn is_missing(error: &git2::Error) -> bool {
    error.code() == git2::ErrorCode::NotFound
}

/// A path with all links resolved, as far as it exists.
fn real(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(path), ..) => path,
        (Err(_), Some(parent), Some(name)) => real(parent).join(name),
        _ => path.to_owned(),
    }
}

/// A path without the slash that git2 puts at its end.
fn trimmed(path: &Path) -> PathBuf {
    path.components().collect()
}

#[cfg(unix)]
fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    std::ffi::OsStr::from_bytes(bytes).into()
}

#[cfg(not(unix))]
fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}
