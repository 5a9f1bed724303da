//! Names that a folder has in any branch, independent of the files in the checkout.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use super::{GitError, Repo, is_missing, program, real};

/// The refs of branches: local ones, and those of remotes as of the last fetch.
const BRANCHES: [&str; 2] = ["refs/heads/", "refs/remotes/"];

/// The greatest number of branches that are read where git has to be started for each.
const MOST_STARTED: usize = 100;

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
            |repo| Ok(names_in_index(&repo.index()?, &below)),
            || self.names_in_index_by_program(&below),
        )
    }

    /// Returns the names directly in a folder of the checkout, in the newest commits of all
    /// branches, in HEAD and in the index. Empty for a folder outside of the checkout.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn names_in_branches(&self, folder: &Path) -> Result<BTreeSet<String>, GitError> {
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
            |repo| names_by_library(repo, &tips, &inside),
            || self.names_by_program(&tips, &inside),
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
            "--literal-pathspecs",
            "ls-tree",
            "--name-only",
            "-z",
            "--full-tree",
        ];
        for tip in tips
            .iter()
            .filter(|tip| seen.insert(*tip))
            .take(MOST_STARTED)
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
) -> Result<BTreeSet<String>, git2::Error> {
    let (mut names, mut seen) = (BTreeSet::new(), HashSet::new());
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
        let mut tree = commit.tree()?;
        if !folder.is_empty() {
            tree = match tree.get_path(Path::new(folder)) {
                Ok(entry) if entry.kind() == Some(git2::ObjectType::Tree) => {
                    repo.find_tree(entry.id())?
                }
                Ok(_) => continue,
                Err(error) if is_missing(&error) => continue,
                Err(error) => return Err(error),
            };
        }
        if seen.insert(tree.id()) || folder.is_empty() {
            let found = tree.iter();
            names.extend(
                found.map(|entry| String::from_utf8_lossy(entry.name_bytes()).into_owned()),
            );
        }
    }
    // An index that cannot be read is skipped; the commits still count.
    if let Ok(index) = repo.index() {
        names.extend(names_in_index(&index, &below(folder)));
    }
    Ok(names)
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
