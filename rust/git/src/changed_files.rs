//! Files in which two commits differ, with their kinds: a link, a submodule and a program are other things than a
//! plain file with the same bytes.

use std::iter;

use super::branches::oid;
use super::program::fields;
use super::{GitError, Repo};

/// The kind of a file in a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A file that is no program.
    Plain,
    /// A file that may be run.
    Program,
    /// A link.
    Link,
    /// A commit of another repository.
    Submodule,
}

/// A file as a commit holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedFile {
    /// Its kind.
    pub kind: FileKind,
    /// The id of its content, or of the other repository's commit.
    pub id: String,
}

/// A path in which two commits differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// The path, from the top of the checkout, with `/`.
    pub path: String,
    /// What was there.
    pub old: Option<CommittedFile>,
    /// What is there now.
    pub new: Option<CommittedFile>,
}

/// The call of git that lists the paths in which two commits differ, for [`raw_changes`].
pub(super) const RAW_CHANGES: [&str; 6] = [
    "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev",
];

/// Returns the paths that git printed, each with the mode and the id of the old and of the new version.
pub(super) fn raw_changes(out: &[u8]) -> impl Iterator<Item = (&[u8], [(&str, &str); 2])> {
    let mut parts = fields(out);
    let pairs = iter::from_fn(move || Some((parts.next()?, parts.next()?)));
    pairs.filter_map(|(head, path)| {
        let head = str::from_utf8(head).ok()?;
        let words: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
        let [old_mode, new_mode, old, new, ..] = words[..] else {
            return None;
        };
        Some((path, [(old_mode, old), (new_mode, new)]))
    })
}

/// Returns the changes that git printed.
pub(super) fn changes_of(out: &[u8]) -> Vec<ChangedFile> {
    let version = |(mode, id): (&str, &str)| {
        CommittedFile::of(u32::from_str_radix(mode, 8).unwrap_or(0), id.to_owned())
    };
    let changed = raw_changes(out).map(|(path, [old, new])| ChangedFile {
        path: String::from_utf8_lossy(path).into_owned(),
        old: version(old),
        new: version(new),
    });
    changed.collect()
}

impl CommittedFile {
    pub(super) fn of(mode: u32, id: String) -> Option<Self> {
        let kind = match mode {
            0 => return None,
            0o120_000 => FileKind::Link,
            0o160_000 => FileKind::Submodule,
            mode if mode & 0o111 != 0 => FileKind::Program,
            _ => FileKind::Plain,
        };
        Some(Self { kind, id })
    }
}

impl Repo {
    /// Returns the files in which two revisions differ; a file that moved counts as one that is missing and one
    /// that is new.
    ///
    /// # Errors
    /// `NoCommit`, `InvalidName`, or a failure to read the repository.
    pub fn changed_files(&self, from: &str, to: &str) -> Result<Vec<ChangedFile>, GitError> {
        let (from, to) = (self.known_commit(from)?, self.known_commit(to)?);
        self.read(
            "compare commits",
            |repo| {
                let tree = |id: &str| repo.find_commit(oid(id)?)?.tree();
                let mut options = git2::DiffOptions::new();
                options.include_typechange(true);
                let (old, new) = (tree(&from)?, tree(&to)?);
                let diff = repo.diff_tree_to_tree(Some(&old), Some(&new), Some(&mut options))?;
                let version = |file: &git2::DiffFile<'_>| {
                    CommittedFile::of(file.mode().into(), file.id().to_string())
                };
                let changed = diff.deltas().filter_map(|delta| {
                    let (old, new) = (delta.old_file(), delta.new_file());
                    let path = new.path_bytes().or_else(|| old.path_bytes())?;
                    Some(ChangedFile {
                        path: String::from_utf8_lossy(path).into_owned(),
                        old: version(&old),
                        new: version(&new),
                    })
                });
                Ok(changed.collect())
            },
            || {
                let out = self.reading(RAW_CHANGES).arg(&from).arg(&to).output()?;
                Ok(changes_of(&out))
            },
        )
    }

    /// Returns the content of a file that a commit holds.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn content_of(&self, file: &CommittedFile) -> Result<Vec<u8>, GitError> {
        if file.kind == FileKind::Submodule {
            return Ok(file.id.clone().into_bytes());
        }
        self.read(
            "read a file of a commit",
            |repo| Ok(repo.find_blob(oid(&file.id)?)?.content().to_vec()),
            || self.reading(["cat-file", "blob", &file.id]).output(),
        )
    }
}
