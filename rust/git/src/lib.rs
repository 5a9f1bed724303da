//! Git repositories: branches, commits, changes and worktrees; the only crate that names git2.
//!
//! Invariants:
//! - Nothing here knows a dialect: ids, branches and tags are plain texts, files are paths.
//! - Every call reads the repository again, so it sees the changes of all processes. Only what commits
//!   hold is kept (`tags.rs`), and a commit never changes.
//! - git2 reads. The `git` program does what git2 cannot: repositories that git2 refuses (reftable,
//!   SHA-256, unknown extensions), missing objects (partial clones), and calls that need filters,
//!   hooks or the user's whole configuration (status, worktrees, the user's name). If git is not
//!   installed, git2 does these, too, as well as it can; only landing refuses then.
//! - No deletion or move leaves a commit or a change without a name.

use chant_base::error::{CoreError, ErrorKind};
use chant_base::plural::counted;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

mod abbreviation;
pub mod acting;
mod backend;
pub mod bookkeeping;
mod branches;
pub mod changed_files;
pub mod checkouts;
pub mod commit_bundle;
mod commits;
pub mod damage;
mod damaged_copies;
pub mod data_repository;
pub mod exchange;
pub mod exchanged_files;
mod export;
mod files;
mod flushing;
pub mod growing_refs;
pub mod history;
pub mod hooks;
mod ignored_files;
mod index;
pub mod kept_texts;
pub mod land;
pub mod landed_branches;
pub mod listed_clone;
pub mod merge;
mod names;
mod pipe;
mod program;
mod program_environment;
mod program_output;
pub mod pushed_commits;
pub mod registration;
pub mod remote_refs;
pub mod repository_mirror;
mod rewriting;
pub mod run_repository;
mod stat_cache;
pub mod submodules;
pub mod tags;
pub mod worktree;

pub use branches::is_branch_name;
pub use program::{end_limited_calls, mark_calls};
pub use stat_cache::StagedFile;

use backend::{GitBackend, RepoHandle};
use tags::HistoryCache;

/// Returns the id of the blob that holds a text, as `git hash-object` prints it.
pub fn blob(text: &str) -> String {
    let name = git2::Oid::hash_object(git2::ObjectType::Blob, text.as_bytes());
    name.map_or_else(|error| error.to_string(), |name| name.to_string())
}

/// The reasons why a git operation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// The git program is needed and not installed.
    #[error(
        "the `git` program was not found and is needed {why}; install git, make sure it is on PATH, and try again"
    )]
    NoGit {
        /// The purpose it is needed for.
        why: String,
    },
    /// Git refuses a repository that belongs to another user.
    #[error(
        "the repository at `{path}` belongs to another user, so git does not read it; if you trust that user, add its folder to `safe.directory` in your git configuration"
    )]
    Owner {
        /// The folder of the repository.
        path: PathBuf,
    },
    /// The repository or the checkout no longer exists.
    #[error(
        "there is no git repository at `{path}` any more; if it was moved, open the project at its new place"
    )]
    Gone {
        /// Its former path.
        path: PathBuf,
    },
    /// A name that git does not allow.
    #[error("`{name}` cannot be the name of a {what}: {why}")]
    InvalidName {
        /// The kind of thing to be named.
        what: &'static str,
        /// The name.
        name: String,
        /// The rule for such a name.
        why: &'static str,
    },
    /// The branch does not exist.
    #[error("there is no branch `{branch}`; `git branch --list` lists the branches")]
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
    /// A branch that should be new exists.
    #[error(
        "branch `{branch}` exists already and was left as it is; go on with it, or back it up and delete it first"
    )]
    BranchExists {
        /// The branch.
        branch: String,
    },
    /// A commit would remove history from a branch.
    #[error(
        "commit {commit} does not contain {old}, where `{branch}` stands, so the branch was left there; merge the two first"
    )]
    NotAhead {
        /// The branch.
        branch: String,
        /// The branch's commit.
        old: String,
        /// The commit it was to move to.
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
    /// Commits would lose their last name.
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
        "another process changed `{name}` meanwhile, so it was left as it is; look at it and try again"
    )]
    Moved {
        /// The branch or ref.
        name: String,
    },
    /// A path where the folder of a run is to be created is taken.
    #[error("`{path}` is there already, so no run can get its folder there; move it away")]
    PathTaken {
        /// The path.
        path: PathBuf,
    },
    /// The worktree holds changes that are not committed.
    #[error("the worktree `{path}` has {} ({}); commit them first", counted(*count, "uncommitted change"), .shown.join(", "))]
    Dirty {
        /// The worktree.
        path: PathBuf,
        /// The number of paths with changes.
        count: usize,
        /// Up to five of them.
        shown: Vec<String>,
    },
    /// The repository is bare and has no files.
    #[error(
        "the repository `{path}` is bare, so it has no checked-out files; name a checkout instead"
    )]
    Bare {
        /// The repository.
        path: PathBuf,
    },
    /// A repository that is not read as mere data.
    #[error("`{path}` was not read among others: {why}; look at it there with git")]
    Unfit {
        /// The repository.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
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
    /// Something is staged at the new path of a file.
    #[error(
        "git already tracks `{path}`, so nothing was staged over it; commit or unstage it first"
    )]
    AlreadyTracked {
        /// The path, from the top of the checkout.
        path: String,
    },
    /// Another process holds the lock of the index.
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
        /// The reason why it stopped.
        why: String,
    },
    /// A hook of the user's refused a commit that was to land.
    #[error("your hook `{hook}` refused what was to land: {why}")]
    Hook {
        /// The hook.
        hook: &'static str,
        /// The start of its output.
        why: String,
    },
    /// Hooks could not be run on what was to land.
    #[error("your hooks could not be run on what was to land: {why}")]
    HooksNotRun {
        /// The obstacle.
        why: String,
    },
    /// A commit that was to land could not be signed.
    #[error("git could not sign what was to land, as `commit.gpgsign` asks: {why}")]
    Signing {
        /// Git's complaint.
        why: String,
    },
    /// A commit cannot be made again on top of the target, although the whole branch can be merged.
    #[error(
        "commit {commit} (\"{subject}\") cannot be rewritten onto the target: it is in conflict in {}, although the branch as a whole is not", .paths.join(", ")
    )]
    NotRewritten {
        /// The commit.
        commit: String,
        /// The first line of its message.
        subject: String,
        /// The files in conflict.
        paths: Vec<String>,
    },
    /// The git program is too old.
    #[error("git {needed} or later is needed {why}; install it and try again")]
    OldGit {
        /// The oldest version that is enough.
        needed: &'static str,
        /// The purpose it is needed for.
        why: &'static str,
    },
    /// A file of git's own could not be read or written.
    #[error("cannot {doing} `{path}`: {why}; check that the folder can be written")]
    File {
        /// The operation, as a verb phrase.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        why: String,
    },
    /// git2 failed, and the git program is not installed.
    #[error(
        "cannot {doing} in `{path}`: {why}; try again; if it fails again, check the repository with `git fsck`"
    )]
    Library {
        /// The operation, as a verb phrase.
        doing: &'static str,
        /// The folder of the repository.
        path: PathBuf,
        /// The message of git2.
        why: String,
    },
    /// A file is larger than what is read or taken.
    #[error("`{path}` has {bytes} bytes; expected at most {most}")]
    TooLarge {
        /// The file, from the top of the checkout.
        path: String,
        /// Its bytes.
        bytes: u64,
        /// The bytes that it may have.
        most: u64,
    },
    /// What another machine pushed has a fault.
    #[error("{why}")]
    NotTaken {
        /// The fault.
        why: String,
    },
    /// The git program failed.
    #[error("`{command}` failed: {why}; fix that and try again")]
    Program {
        /// The command.
        command: String,
        /// Its complaint.
        why: String,
    },
}

/// The commit at which a walk through history starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryStart<'a> {
    /// The commit in HEAD.
    Head,
    /// A local branch.
    Branch(&'a str),
}

/// The states of HEAD in a checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckoutHead {
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

impl CheckoutHead {
    /// Returns the branch, if the checkout is on one.
    pub fn branch(&self) -> Option<&str> {
        match self {
            Self::Branch { name, .. } | Self::Unborn { name } => Some(name),
            Self::Detached { .. } => None,
        }
    }

    /// Returns the commit's full id, if there is one.
    pub fn commit(&self) -> Option<&str> {
        match self {
            Self::Branch { commit, .. } | Self::Detached { commit } => Some(commit),
            Self::Unborn { .. } => None,
        }
    }
}

/// A git repository as seen from one of its checkouts.
///
/// Opening it finds its folders; every question reads it again, so a handle may be kept while the
/// project is open and be shared by threads.
#[derive(Debug)]
pub struct Repo {
    backend: GitBackend,
    common_dir: PathBuf,
    checkout: Option<PathBuf>,
    history: Mutex<HistoryCache>,
    /// The repository that the last question left open.
    handle: Mutex<Option<RepoHandle>>,
    /// The number of acts that are running.
    acts: AtomicUsize,
    /// The folder of hooks that was found when the settings were read, where any names one.
    hooks: Mutex<Option<PathBuf>>,
}

/// An act in a repository, until this is dropped. The user allowed the act, so reads during it may
/// fetch objects that a partial clone lacks.
#[derive(Debug)]
pub struct RepoAction<'a>(&'a Repo);

impl Drop for RepoAction<'_> {
    fn drop(&mut self) {
        self.0.acts.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Repo {
    /// Starts an act: something that changes the repository, or has git run programs that it names.
    /// Only for a folder that the user trusts.
    pub fn begin_act(&self) -> RepoAction<'_> {
        self.acts.fetch_add(1, Ordering::Relaxed);
        RepoAction(self)
    }

    fn is_acting(&self) -> bool {
        self.acts.load(Ordering::Relaxed) > 0
    }

    /// Returns the git folder that all worktrees share; absolute.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Returns the file of the checkout's index, which need not be there; `None` in a bare repository.
    pub fn index_file(&self) -> Option<PathBuf> {
        let git_dir = backend::git_dir_of(self.checkout()?).ok()?;
        Some(git_dir.join("index"))
    }

    /// Returns the top of the checkout that the repository was opened in; `None` when it is bare.
    pub fn checkout(&self) -> Option<&Path> {
        self.checkout.as_deref()
    }

    /// Returns the list of ignored files that git's configuration names for all checkouts of the user.
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

    /// Returns true if some commit has an author or committer of this name or e-mail address;
    /// history is read until one is found.
    ///
    /// # Errors
    /// `Gone`, or a failure of git; without git the result is false.
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

    /// Returns the user's name and e-mail address from git's configuration; `None` unless it has
    /// both.
    ///
    /// # Errors
    /// `Gone`, or a failure to read the configuration.
    pub fn user(&self) -> Result<Option<(String, String)>, GitError> {
        // The git program first: only it reads every place of the configuration.
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

/// Returns the path in quotes in an error text of git or git2, else the path of the call.
fn complained_of(text: &str, asked: &Path) -> PathBuf {
    text.split('\'')
        .nth(1)
        .map_or_else(|| asked.to_owned(), PathBuf::from)
}

/// Returns true if git2 means by this error that something does not exist.
fn is_missing(error: &git2::Error) -> bool {
    error.code() == git2::ErrorCode::NotFound
}

/// Returns a path with all links resolved, as far as it exists.
fn real(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(path), ..) => path,
        (Err(_), Some(parent), Some(name)) => real(parent).join(name),
        _ => path.to_owned(),
    }
}

/// Returns a path without the slash that git2 puts at its end.
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

impl CoreError for GitError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Git
    }
}
