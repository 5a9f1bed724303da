//! Commits made without a checkout: trees with some files replaced, and the authors of commits.

#![expect(
    clippy::disallowed_methods,
    reason = "an index of our own beside git's is no document of the store"
)]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::bookkeeping::NewFile;
use super::branches::oid;
use super::program::first_line;
use super::{GitError, Repo};

/// The name and address in the runtime's own commits, and in commits for a user whom git's
/// configuration does not name.
pub(super) const RUNTIME: (&str, &str) = ("chant-mcp", "chant-mcp@localhost");

/// The mode of an executable file.
const EXECUTABLE: i32 = 0o100_755;

/// The authors of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommitAuthor {
    /// The runtime, for its bookkeeping.
    Runtime,
    /// The user, as far as git's configuration names one.
    User,
}

/// A commit to be made.
pub(super) struct NewCommit<'a> {
    pub(super) tree: &'a str,
    pub(super) parents: &'a [&'a str],
    pub(super) message: &'a str,
    pub(super) by: CommitAuthor,
    /// The author, if that is not who commits.
    pub(super) author: Option<&'a CommitIdentity>,
}

/// The author of a commit, and when that was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommitIdentity {
    pub(super) name: String,
    pub(super) email: String,
    /// Seconds since 1970, UTC.
    pub(super) seconds: i64,
    /// How far its clock was ahead of UTC, in minutes.
    pub(super) offset: i32,
}

impl CommitIdentity {
    /// Returns the time as git reads it from a variable.
    fn date(&self) -> String {
        let sign = if self.offset < 0 { '-' } else { '+' };
        let minutes = self.offset.abs();
        let (hours, minutes) = (minutes / 60, minutes % 60);
        format!("@{} {sign}{hours:02}{minutes:02}", self.seconds)
    }
}

impl Repo {
    /// Returns the id of the tree that a commit holds.
    ///
    /// # Errors
    /// A failure to read the repository, or no such commit.
    pub fn tree_of(&self, commit: &str) -> Result<String, GitError> {
        self.read(
            "read a commit",
            |repo| Ok(repo.find_commit(oid(commit)?)?.tree_id().to_string()),
            || {
                let tree = format!("{commit}^{{tree}}");
                let words = ["rev-parse", "--verify", "--end-of-options", &tree];
                Ok(first_line(&self.reading(words).output()?))
            },
        )
    }

    /// Writes a tree that differs from another one in some files, and returns its id.
    ///
    /// The bytes are stored as `git add` would store them, with line ends converted where git does
    /// that. An existing file keeps its executable bit.
    pub(super) fn tree_with(&self, tree: &str, files: &[NewFile]) -> Result<String, GitError> {
        if files.is_empty() {
            return Ok(tree.to_owned());
        }
        self.write(
            "write a tree",
            |repo| tree_by_library(repo, tree, files),
            || self.tree_by_program(tree, files),
        )
    }

    /// Writes a commit of the user's with the tree of another one, which no ref names yet; returns
    /// its id.
    ///
    /// # Errors
    /// A failure to write the object, or to sign it.
    pub fn write_commit_like(
        &self,
        commit: &str,
        parent: &str,
        message: &str,
    ) -> Result<String, GitError> {
        self.write_commit(&NewCommit {
            tree: &self.tree_of(commit)?,
            parents: &[parent],
            message,
            by: CommitAuthor::User,
            author: None,
        })
    }

    /// Writes a commit that no ref names yet, and returns its id. Commits for the user are signed
    /// if their configuration asks for it; `Signing` if that fails.
    pub(super) fn write_commit(&self, new: &NewCommit<'_>) -> Result<String, GitError> {
        let user = if new.by == CommitAuthor::User {
            self.user()?
        } else {
            None
        };
        let (name, email) = user.unwrap_or_else(|| (RUNTIME.0.into(), RUNTIME.1.into()));
        let is_signed = new.by == CommitAuthor::User && self.signs_commits()?;
        let by_program = || {
            let call = self.acting(["commit-tree"]);
            let call = if is_signed { call.arg("-S") } else { call };
            let parents = new.parents.iter();
            let call = parents.fold(call, |call, parent| call.arg("-p").arg(parent));
            let call = ["AUTHOR", "COMMITTER"].iter().fold(call, |call, role| {
                call.env(&format!("GIT_{role}_NAME"), &name)
                    .env(&format!("GIT_{role}_EMAIL"), &email)
            });
            let call = match new.author {
                Some(author) => call
                    .env("GIT_AUTHOR_NAME", &author.name)
                    .env("GIT_AUTHOR_EMAIL", &author.email)
                    .env("GIT_AUTHOR_DATE", author.date()),
                None => call,
            };
            let answer = call.arg(new.tree).answer_to(new.message.as_bytes())?;
            if is_signed && !answer.status.success() {
                let why = answer.words();
                return Err(GitError::Signing { why });
            }
            Ok(first_line(&answer.success()?))
        };
        if is_signed {
            return by_program();
        }
        self.write(
            "write a commit",
            |repo| {
                let by = git2::Signature::now(&name, &email)?;
                let author = match new.author {
                    Some(author) => {
                        let when = git2::Time::new(author.seconds, author.offset);
                        git2::Signature::new(&author.name, &author.email, &when)?
                    }
                    None => by.clone(),
                };
                let tree = repo.find_tree(oid(new.tree)?)?;
                let parents = new.parents.iter();
                let parents: Vec<git2::Commit<'_>> = parents
                    .map(|parent| repo.find_commit(oid(parent)?))
                    .collect::<Result<_, _>>()?;
                let parents: Vec<&git2::Commit<'_>> = parents.iter().collect();
                let id = repo.commit(None, &author, &by, new.message, &tree, &parents)?;
                Ok(id.to_string())
            },
            by_program,
        )
    }

    /// Returns true if git's configuration asks for a signature by the user's key on each commit.
    ///
    /// # Errors
    /// A failure of git.
    pub fn signs_commits(&self) -> Result<bool, GitError> {
        let asked = self.reading(["config", "--type=bool", "--get", "commit.gpgSign"]);
        match asked.answer() {
            Ok(answer) if answer.ended_with(1) => Ok(false),
            Ok(answer) => Ok(first_line(&answer.success()?) == "true"),
            Err(GitError::NoGit { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn tree_by_program(&self, tree: &str, files: &[NewFile]) -> Result<String, GitError> {
        let index = OwnIndex::new(&self.common_dir);
        let git = |words: &[&str]| {
            let call = self.acting(words.iter().copied());
            call.env("GIT_INDEX_FILE", &index.0)
        };
        git(&["read-tree", tree]).output()?;
        let mut orders = Vec::new();
        for (path, bytes) in files {
            let name = format!("--path={path}");
            let stored = self.acting(["hash-object", "-w", "--stdin", &name]);
            let id = first_line(&stored.answer_to(bytes)?.success()?);
            let listed = git(&[
                "--literal-pathspecs", "ls-files", "-z", "--stage", "--", path,
            ]);
            let runs = listed.output()?.starts_with(b"100755 ");
            let mode = if runs { "100755" } else { "100644" };
            orders.extend(format!("{mode} {id} 0\t{path}\0").into_bytes());
        }
        let update = git(&["update-index", "-z", "--index-info"]);
        update.answer_to(&orders)?.success()?;
        Ok(first_line(&git(&["write-tree"]).output()?))
    }
}

fn tree_by_library(
    repo: &git2::Repository,
    tree: &str,
    files: &[NewFile],
) -> Result<String, git2::Error> {
    let tree = repo.find_tree(oid(tree)?)?;
    let mut update = git2::build::TreeUpdateBuilder::new();
    for (path, bytes) in files {
        let path = Path::new(path);
        let mut writer = repo.blob_writer(Some(path))?;
        writer
            .write_all(bytes)
            .map_err(|error| git2::Error::from_str(&error.to_string()))?;
        let blob = writer.commit()?;
        let runs = tree
            .get_path(path)
            .is_ok_and(|old| old.filemode() == EXECUTABLE);
        let mode = if runs {
            git2::FileMode::BlobExecutable
        } else {
            git2::FileMode::Blob
        };
        update.upsert(path, blob, mode);
    }
    Ok(update.create_updated(repo, &tree)?.to_string())
}

/// An index file of our own; removed when dropped.
pub(super) struct OwnIndex(pub(super) PathBuf);

impl OwnIndex {
    /// Chooses a path in a git folder that no other call uses.
    pub(super) fn new(folder: &Path) -> Self {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        Self(folder.join(format!("chant-mcp-{}-{number}.index", std::process::id())))
    }
}

impl Drop for OwnIndex {
    fn drop(&mut self) {
        // If git did not write the file, there is nothing to remove.
        let _ = fs::remove_file(&self.0);
    }
}
