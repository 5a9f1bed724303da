//! The differences between the old and the new commit of a branch that lands.

use std::collections::BTreeMap;

use super::{ExemptFile, LandingRequest};
use crate::changed_files::{RAW_CHANGES, raw_changes};
use crate::{GitError, Repo};

/// A path from the top of a checkout, as git writes it.
pub(super) type GitPath = Vec<u8>;

/// A file as a commit holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileVersion {
    /// `100644`, `100755`, `120000` for a link, `160000` for a submodule.
    pub(super) mode: String,
    /// The id of its content.
    pub(super) id: String,
}

impl FileVersion {
    pub(super) fn is_link(&self) -> bool {
        self.mode == "120000"
    }

    pub(super) fn is_submodule(&self) -> bool {
        self.mode == "160000"
    }
}

/// A path that has to come to its new version.
#[derive(Debug, Clone)]
pub(super) struct PathChange {
    pub(super) old: Option<FileVersion>,
    pub(super) new: Option<FileVersion>,
    /// The versions that interrupted attempts of the same run may have written.
    pub(super) written: Vec<Option<FileVersion>>,
    /// True if it only matters where an interrupted attempt left something.
    pub(super) is_leftover: bool,
    pub(super) exempt: Option<ExemptFile>,
}

/// A path and what two commits hold there.
type DifferingPath = (GitPath, [Option<FileVersion>; 2]);

/// All changes of a landing, by path.
pub(super) struct PathChanges(pub(super) BTreeMap<GitPath, PathChange>);

impl PathChange {
    fn between(old: Option<FileVersion>, new: Option<FileVersion>) -> Self {
        Self {
            old,
            new,
            written: Vec::new(),
            is_leftover: false,
            exempt: None,
        }
    }

    /// Returns every version that may be replaced.
    pub(super) fn known(&self) -> impl Iterator<Item = Option<&FileVersion>> {
        let ours = [self.old.as_ref(), self.new.as_ref()].into_iter();
        ours.chain(self.written.iter().map(Option::as_ref))
    }
}

impl PathChanges {
    pub(super) fn of(
        repo: &Repo,
        landing: &LandingRequest<'_>,
        old: &str,
        new: &str,
    ) -> Result<Self, GitError> {
        let mut changes: BTreeMap<GitPath, PathChange> = differing(repo, old, new)?
            .into_iter()
            .map(|(path, [old, new])| (path, PathChange::between(old, new)))
            .collect();
        for (before, attempt) in landing.interrupted {
            let is_kept = |id: &str| Ok::<bool, GitError>(repo.commit_of(id)?.is_some());
            if !is_kept(before)? || !is_kept(attempt)? {
                continue;
            }
            for (path, [_, written]) in differing(repo, before, attempt)? {
                if !changes.contains_key(&path) {
                    let mut change = PathChange::between(entry(repo, new, &path)?, None);
                    change.new.clone_from(&change.old);
                    change.is_leftover = true;
                    changes.insert(path.clone(), change);
                }
                if let Some(change) = changes.get_mut(&path) {
                    change.written.push(written);
                }
            }
        }
        for exempt in landing.exempt {
            let path = exempt.path.clone().into_bytes();
            let known = changes.remove(&path);
            let mut change = match known {
                Some(change) => change,
                None => PathChange::between(entry(repo, old, &path)?, entry(repo, new, &path)?),
            };
            change.is_leftover = false;
            change.exempt = Some(exempt.clone());
            changes.insert(path, change);
        }
        Ok(Self(changes))
    }

    /// Returns true if the new version has something below a path.
    pub(super) fn fills(&self, folder: &[u8]) -> bool {
        let prefix = folder_prefix(folder);
        let paths = self.0.range(prefix.clone()..);
        let mut paths = paths.take_while(|(path, _)| path.starts_with(&prefix));
        paths.any(|(_, change)| change.new.is_some())
    }

    /// Returns true if the new version removes a path.
    pub(super) fn removes(&self, path: &[u8]) -> bool {
        let change = self.0.get(path);
        change.is_some_and(|change| change.new.is_none())
    }
}

/// Returns the prefix of all paths in a folder.
pub(super) fn folder_prefix(folder: &[u8]) -> GitPath {
    [folder, b"/"].concat()
}

/// Returns the folders that a path lies in, the outermost first.
pub(super) fn folders_of(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    slashes.map(|(at, _)| &path[..at])
}

/// Returns the paths that differ between two commits, and both versions of each.
fn differing(repo: &Repo, from: &str, to: &str) -> Result<Vec<DifferingPath>, GitError> {
    let words = RAW_CHANGES.into_iter().chain(["--ignore-submodules=none"]);
    let out = repo.acting(words).arg(from).arg(to).output()?;
    let found = raw_changes(&out).map(|(path, [old, new])| {
        let versions = [version(old.0, old.1), version(new.0, new.1)];
        (path.to_owned(), versions)
    });
    Ok(found.collect())
}

/// Returns a file as a commit holds it.
fn entry(repo: &Repo, commit: &str, path: &[u8]) -> Result<Option<FileVersion>, GitError> {
    let words = ["--literal-pathspecs", "ls-tree", "-z", "--full-tree"];
    let call = repo.acting(words).arg(commit).arg("--");
    let out = call.arg(crate::path_from_bytes(path)).output()?;
    let text = String::from_utf8_lossy(&out);
    let head = text.split('\t').next().unwrap_or_default();
    match head.split(' ').collect::<Vec<_>>()[..] {
        [mode, kind, id] if kind != "tree" => Ok(version(mode, id)),
        _ => Ok(None),
    }
}

/// Returns a version from the mode and id that git printed; `None` for zeros.
fn version(mode: &str, id: &str) -> Option<FileVersion> {
    let is_there = mode.bytes().any(|digit| digit != b'0');
    is_there.then(|| FileVersion {
        mode: mode.to_owned(),
        id: id.to_owned(),
    })
}
