//! Compares the files of a repository that decide how its other files are checked out.

use std::collections::BTreeMap;

use git2::{ObjectType, Oid, Repository, Tree};

use crate::branches::oid;
use crate::program::fields;
use crate::{GitError, Repo};

/// The name of these files, in any folder.
const ATTRIBUTES: &str = ".gitattributes";

/// Returns true if a path is that of a file of attributes.
pub(super) fn is_attributes(path: &str) -> bool {
    path.rsplit('/').next() == Some(ATTRIBUTES)
}

impl Repo {
    /// Returns true if two commits have the same files of attributes. The cost depends on the
    /// differences between them: git2's own comparison reads all files.
    ///
    /// # Errors
    /// A failure to read the repository, as when one of the commits is gone.
    pub(super) fn has_same_attributes(&self, one: &str, other: &str) -> Result<bool, GitError> {
        self.read(
            "compare commits",
            |repo| {
                let tree = |id: &str| repo.find_commit(oid(id)?)?.tree();
                are_alike(repo, Some(&tree(one)?), Some(&tree(other)?))
            },
            || {
                let words = ["diff-tree", "-r", "-z", "--name-only", "--no-renames"];
                let out = self.reading(words).arg(one).arg(other).output()?;
                let mut paths = fields(&out).map(String::from_utf8_lossy);
                Ok(!paths.any(|path| is_attributes(&path)))
            },
        )
    }
}

/// Returns true if two folders have the same files of attributes; `None` is a folder that one
/// commit lacks.
fn are_alike(
    repo: &Repository,
    one: Option<&Tree<'_>>,
    other: Option<&Tree<'_>>,
) -> Result<bool, git2::Error> {
    let (left, right) = (entries(one), entries(other));
    let names = left.keys().chain(right.keys());
    for name in names.filter(|name| left.get(*name) != right.get(*name)) {
        if **name == *ATTRIBUTES.as_bytes() {
            return Ok(false);
        }
        let folder = |entries: &TreeEntries| match entries.get(name) {
            Some((id, Some(ObjectType::Tree))) => repo.find_tree(*id).map(Some),
            _ => Ok(None),
        };
        let (one, other) = (folder(&left)?, folder(&right)?);
        let is_folder = one.is_some() || other.is_some();
        if is_folder && !are_alike(repo, one.as_ref(), other.as_ref())? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The entries of a folder, by name.
type TreeEntries = BTreeMap<Vec<u8>, (Oid, Option<ObjectType>)>;

fn entries(tree: Option<&Tree<'_>>) -> TreeEntries {
    let entries = tree.into_iter().flat_map(Tree::iter);
    entries
        .map(|entry| (entry.name_bytes().to_owned(), (entry.id(), entry.kind())))
        .collect()
}
