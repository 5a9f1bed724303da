//! Names that a folder has in any branch, independent of the files in the checkout.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::files::current_index;
use super::{GitError, Repo, is_missing, program, real};

/// The refs of branches: local ones, and those of remotes as of the last fetch.
const BRANCHES: [&str; 2] = ["refs/heads/", "refs/remotes/"];

/// The greatest number of branches that are read where git has to be started for each.
const MAX_STARTED: usize = 100;

impl Repo {
    /// Returns the names that should lie directly in a folder according to the checkout's index,
    /// without those that a sparse checkout leaves out. Empty for a folder outside of the checkout.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn names_checked_out(&self, folder: &Path) -> Result<BTreeSet<String>, GitError> {
        let Some(inside) = self.inside_checkout(folder) else {
            return Ok(BTreeSet::new());
        };
        let below = below(&inside);
        self.read(
            "list names of a folder in the index",
            |repo| Ok(names_in_index(&current_index(repo)?, &below)),
            || self.names_in_index_by_program(&below),
        )
    }

    /// Returns the names directly in a folder of the checkout that begin with a text, in the newest
    /// commits of all branches, in HEAD and in the index. Empty for a folder outside of the checkout.
    ///
    /// Names of a folder in a commit are read once in a process; those of the index again when its file changed.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn names_in_branches(
        &self,
        folder: &Path,
        beginning: &str,
    ) -> Result<BTreeSet<String>, GitError> {
        let Some(inside) = self.inside_checkout(folder) else {
            return Ok(BTreeSet::new());
        };
        let mut tips: Vec<String> = vec!["HEAD".into()];
        for prefix in BRANCHES {
            let refs = self.refs_under(prefix)?;
            tips.extend(refs.into_iter().map(|(_, commit)| commit));
        }
        self.read(
            "list names of a folder in all branches",
            |repo| names_by_library(repo, &tips, &inside, beginning),
            || {
                let mut names = self.names_by_program(&tips, &inside)?;
                names.retain(|name| name.starts_with(beginning));
                Ok(names)
            },
        )
    }

    /// Returns a folder from the top of the checkout, with `/`; `None` for one outside.
    fn inside_checkout(&self, folder: &Path) -> Option<String> {
        let top = self.checkout().map(real)?;
        let inside = folder.strip_prefix(top).ok()?;
        Some(inside.to_string_lossy().replace('\\', "/"))
    }

    fn names_in_index_by_program(&self, below: &str) -> Result<BTreeSet<String>, GitError> {
        let words = ["ls-files", "-z", "-t", "--full-name"];
        let out = self.reading(words).output()?;
        let listed = program::fields(&out).map(String::from_utf8_lossy);
        // `H path` is checked out, `S path` is left out of the checkout.
        let paths = listed.filter_map(|line| {
            let (sign, path) = line.split_once(' ')?;
            first_name(path, below).filter(|_| sign != "S")
        });
        Ok(paths.collect())
    }

    fn names_by_program(
        &self,
        tips: &[String],
        folder: &str,
    ) -> Result<BTreeSet<String>, GitError> {
        let below = below(folder);
        let mut names = BTreeSet::new();
        let mut seen = HashSet::new();
        let words = [
            "--literal-pathspecs", "ls-tree", "--name-only", "-z", "--full-tree",
        ];
        for tip in tips
            .iter()
            .filter(|tip| seen.insert(*tip))
            .take(MAX_STARTED)
        {
            let asked = self.reading(words).arg(tip);
            let asked = if below.is_empty() {
                asked
            } else {
                asked.arg("--").arg(&below)
            };
            // A repository without a commit has no HEAD to list.
            let answer = asked.answer()?;
            if answer.ended_with(0) {
                let out = answer.success()?;
                let paths = program::fields(&out).map(String::from_utf8_lossy);
                names.extend(paths.filter_map(|path| first_name(&path, &below)));
            }
        }
        names.extend(self.names_in_index_by_program(&below)?);
        Ok(names)
    }
}

fn names_by_library(
    repo: &git2::Repository,
    tips: &[String],
    folder: &str,
    beginning: &str,
) -> Result<BTreeSet<String>, git2::Error> {
    let (mut names, mut seen) = (BTreeSet::new(), HashSet::new());
    let mut take = |known: &BTreeSet<String>| {
        let from = known.range::<str, _>((Bound::Included(beginning), Bound::Unbounded));
        names.extend(from.take_while(|name| name.starts_with(beginning)).cloned());
    };
    for tip in tips {
        let commit = match repo
            .revparse_single(tip)
            .and_then(|tip| tip.peel_to_commit())
        {
            Ok(commit) => commit,
            Err(error) if is_missing(&error) => continue,
            Err(error) => return Err(error),
        };
        if !seen.insert(commit.tree_id()) {
            continue;
        }
        let mut id = commit.tree_id();
        if !folder.is_empty() {
            id = match commit.tree()?.get_path(Path::new(folder)) {
                Ok(entry) if entry.kind() == Some(git2::ObjectType::Tree) => entry.id(),
                Ok(_) => continue,
                Err(error) if is_missing(&error) => continue,
                Err(error) => return Err(error),
            };
        }
        if seen.insert(id) || folder.is_empty() {
            take(&*names_in_tree(repo, id)?);
        }
    }
    // An index that cannot be read is skipped; the commits still count.
    if let Ok(known) = known_names_in_index(repo, &below(folder)) {
        take(&known);
    }
    Ok(names)
}

/// The most trees, and the most indexes, whose names are kept.
const MAX_KEPT: usize = 32;

/// The time of the last change of an index, its length, the index and the prefix of its names.
type IndexStamp = (PathBuf, String, SystemTime, u64);

/// Names that were read before: those of trees, which never change, and of indexes by their stamps.
#[derive(Default)]
struct KnownNames {
    trees: HashMap<git2::Oid, Arc<BTreeSet<String>>>,
    indexes: HashMap<IndexStamp, Arc<BTreeSet<String>>>,
}

static KNOWN: Mutex<Option<KnownNames>> = Mutex::new(None);

/// Returns the names in a tree, which is read once.
fn names_in_tree(
    repo: &git2::Repository,
    id: git2::Oid,
) -> Result<Arc<BTreeSet<String>>, git2::Error> {
    let kept = with_known(|known| known.trees.get(&id).cloned());
    if let Some(kept) = kept {
        return Ok(kept);
    }
    let tree = repo.find_tree(id)?;
    let entries = tree.iter();
    let names: BTreeSet<String> = entries
        .map(|entry| String::from_utf8_lossy(entry.name_bytes()).into_owned())
        .collect();
    let names = Arc::new(names);
    with_known(|known| {
        if known.trees.len() >= MAX_KEPT {
            known.trees.clear();
        }
        known.trees.insert(id, Arc::clone(&names));
    });
    Ok(names)
}

/// Returns the names in a folder of the index, which is read again when its file changed.
fn known_names_in_index(
    repo: &git2::Repository,
    below: &str,
) -> Result<Arc<BTreeSet<String>>, git2::Error> {
    let stamp = index_stamp(repo, below);
    let kept = stamp
        .as_ref()
        .and_then(|stamp| with_known(|known| known.indexes.get(stamp).cloned()));
    if let Some(kept) = kept {
        return Ok(kept);
    }
    let names = Arc::new(names_in_index(&current_index(repo)?, below));
    if let Some(stamp) = stamp {
        with_known(|known| {
            if known.indexes.len() >= MAX_KEPT {
                known.indexes.clear();
            }
            known.indexes.insert(stamp, Arc::clone(&names));
        });
    }
    Ok(names)
}

/// Returns the stamp of the index's file; none while it is so young that a further change may have the same.
fn index_stamp(repo: &git2::Repository, below: &str) -> Option<IndexStamp> {
    const YOUNG: std::time::Duration = std::time::Duration::from_secs(2);
    let path = repo.path().join("index");
    let metadata = path.symlink_metadata().ok()?;
    let changed = metadata.modified().ok()?;
    let age = SystemTime::now().duration_since(changed).ok()?;
    (age > YOUNG).then(|| (path, below.to_owned(), changed, metadata.len()))
}

fn with_known<T>(look: impl FnOnce(&mut KnownNames) -> T) -> T {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    look(known.get_or_insert_default())
}

fn names_in_index(index: &git2::Index, below: &str) -> BTreeSet<String> {
    let left_out = git2::IndexEntryExtendedFlag::SKIP_WORKTREE.bits();
    let entries = index
        .iter()
        .filter(|entry| entry.flags_extended & left_out == 0);
    let paths =
        entries.filter_map(|entry| first_name(&String::from_utf8_lossy(&entry.path), below));
    paths.collect()
}

/// Returns the prefix of paths in a folder.
fn below(folder: &str) -> String {
    if folder.is_empty() {
        String::new()
    } else {
        format!("{folder}/")
    }
}

/// Returns the first part of a path behind a folder's prefix.
fn first_name(path: &str, below: &str) -> Option<String> {
    let inside = path.strip_prefix(below)?;
    let name = inside.split('/').next().filter(|name| !name.is_empty())?;
    Some(name.to_owned())
}
