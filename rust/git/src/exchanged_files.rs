//! Commits made of another one's files with some of them exchanged: in the object store alone, under no ref.

use std::path::Path;

use super::branches::oid;
use super::changed_files::{CommittedFile, FileKind};
use super::commits::OwnIndex;
use super::program::first_line;
use super::{GitError, Repo};

/// A file that takes the place of another version of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangedFile {
    /// The path, from the top of the checkout, with `/`.
    pub path: String,
    /// The version that is to be there; `None` for no file.
    pub version: Option<ExchangedVersion>,
}

/// A version of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExchangedVersion {
    /// One that a commit holds.
    Committed(CommittedFile),
    /// One that is written.
    Written {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Its kind.
        kind: FileKind,
    },
}

/// The author of these commits: the same files make the same commit.
const MAKER_NAME: &str = "chant-mcp";

fn mode(kind: FileKind) -> i32 {
    match kind {
        FileKind::Plain => 0o100_644,
        FileKind::Program => 0o100_755,
        FileKind::Link => 0o120_000,
        FileKind::Submodule => 0o160_000,
    }
}

fn file_mode(kind: FileKind) -> git2::FileMode {
    match kind {
        FileKind::Plain => git2::FileMode::Blob,
        FileKind::Program => git2::FileMode::BlobExecutable,
        FileKind::Link => git2::FileMode::Link,
        FileKind::Submodule => git2::FileMode::Commit,
    }
}

impl Repo {
    /// Returns a commit without parents that holds the files of another one, but for these. No ref names it.
    ///
    /// # Errors
    /// `NoCommit`, or a failure of git.
    pub fn commit_with(&self, revision: &str, files: &[ExchangedFile]) -> Result<String, GitError> {
        let _act = self.begin_act();
        let commit = self.known_commit(revision)?;
        self.write(
            "exchange files of a commit",
            |repo| {
                let base = repo.find_commit(oid(&commit)?)?.tree()?;
                let mut update = git2::build::TreeUpdateBuilder::new();
                for file in files {
                    let path = Path::new(&file.path);
                    match &file.version {
                        Some(ExchangedVersion::Committed(version)) => {
                            update.upsert(path, oid(&version.id)?, file_mode(version.kind));
                        }
                        Some(ExchangedVersion::Written { bytes, kind }) => {
                            update.upsert(path, repo.blob(bytes)?, file_mode(*kind));
                        }
                        None if base.get_path(path).is_ok() => {
                            update.remove(path);
                        }
                        None => {}
                    }
                }
                let tree = repo.find_tree(update.create_updated(repo, &base)?)?;
                let when = git2::Time::new(0, 0);
                let maker = git2::Signature::new(MAKER_NAME, MAKER_NAME, &when)?;
                let made = repo.commit(None, &maker, &maker, MAKER_NAME, &tree, &[])?;
                Ok(made.to_string())
            },
            || {
                let index = OwnIndex::new(&self.common_dir);
                let git = |words: &[&str]| {
                    let call = self.acting(words.iter().copied());
                    call.env("GIT_INDEX_FILE", &index.0)
                };
                git(&["read-tree", &commit]).output()?;
                let mut orders = Vec::new();
                for file in files {
                    let (mode, id) = match &file.version {
                        Some(ExchangedVersion::Committed(version)) => {
                            (mode(version.kind), version.id.clone())
                        }
                        Some(ExchangedVersion::Written { bytes, kind }) => {
                            let stored = self.acting(["hash-object", "-w", "--stdin"]);
                            let id = first_line(&stored.answer_to(bytes)?.success()?);
                            (mode(*kind), id)
                        }
                        None => (0, "0".repeat(commit.len())),
                    };
                    orders.extend(format!("{mode:06o} {id} 0\t{}\0", file.path).into_bytes());
                }
                let update = git(&["update-index", "-z", "--index-info"]);
                update.answer_to(&orders)?.success()?;
                let tree = first_line(&git(&["write-tree"]).output()?);
                let call = self.acting(["commit-tree", "--no-gpg-sign", &tree]);
                let call = ["AUTHOR", "COMMITTER"].iter().fold(call, |call, role| {
                    call.env(&format!("GIT_{role}_NAME"), MAKER_NAME)
                        .env(&format!("GIT_{role}_EMAIL"), MAKER_NAME)
                        .env(&format!("GIT_{role}_DATE"), "@0 +0000")
                });
                Ok(first_line(
                    &call.answer_to(MAKER_NAME.as_bytes())?.success()?,
                ))
            },
        )
    }
}
