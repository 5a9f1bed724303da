//! Files of a repository that say how its others are checked out.

use std::collections::BTreeMap;

use git2::{ObjectType, Oid, Repository, Tree};

use super::super::branches::oid;
use super::super::program::fields;
use super::super::{GitError, Repo};

/// What each of them is called, in whatever folder.
const ATTRIBUTES: &str = ".gitattributes";

/// Whether a path is that of such a file.
pub(super) fn is_attributes(path: &str) -> bool {
    path.rsplit('/').next() == Some(ATTRIBUTES)
}

impl Repo {
    /// Whether two commits have the same of these files. Costs what is different between them: git2's own
    /// comparison goes through all files.
    ///
    /// # Errors
    /// A failure to read the repository, as when one of them is gone.
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

/// Whether two folders, or one that is there in one commit only, have the same of these files.
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
        let folder = |entries: &Entries| match entries.get(name) {
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

/// What a folder holds, by name.
type Entries = BTreeMap<Vec<u8>, (Oid, Option<ObjectType>)>;

fn entries(tree: Option<&Tree<'_>>) -> Entries {
    let entries = tree.into_iter().flat_map(Tree::iter);
    entries
        .map(|entry| (entry.name_bytes().to_owned(), (entry.id(), entry.kind())))
        .collect()
}
