//! Worktrees: the checkouts of one repository.

use std::path::{Path, PathBuf};

use super::branches::{branch_of, head_of};
use super::{GitError, Repo, path_from_bytes, program, real, trimmed};

/// Files of a git folder that name the branch of a running rebase or bisection.
const AT_WORK: [&str; 4] = [
    "rebase-merge/head-name",
    "rebase-merge/update-refs",
    "rebase-apply/head-name",
    "BISECT_START",
];

/// One checkout of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// Its top folder.
    pub path: PathBuf,
    /// The branch it is on, without `refs/heads/`; `None` when HEAD is detached.
    pub branch: Option<String>,
    /// The full id of the commit it stands on; `None` while there is none.
    pub head: Option<String>,
    /// True for the main checkout, which holds the repository itself.
    pub is_main: bool,
    /// True if the user locked it.
    pub locked: bool,
    /// True if its folder is gone, so that only the entry in the repository is left.
    pub prunable: bool,
}

impl Repo {
    /// Returns all checkouts: the main one first (a bare repository has none), then the others by
    /// path.
    ///
    /// # Errors
    /// `Gone`, or a failure to read the repository.
    pub fn worktrees(&self) -> Result<Vec<Worktree>, GitError> {
        let mut found = self.read("list worktrees", listed_by_library, || {
            let out = self
                .reading(["worktree", "list", "--porcelain", "-z"])
                .output()?;
            Ok(listed_by_program(&out))
        })?;
        found.sort_by(|one, other| (!one.is_main, &one.path).cmp(&(!other.is_main, &other.path)));
        Ok(found)
    }

    /// Returns the checkout that blocks deleting or checking out a branch: it stands on it, or
    /// rebases or bisects it.
    ///
    /// # Errors
    /// `Gone`, or a failure to read the repository.
    pub fn holder_of(&self, branch: &str) -> Result<Option<PathBuf>, GitError> {
        let found = self.worktrees()?;
        if let Some(tree) = found
            .iter()
            .find(|tree| tree.branch.as_deref() == Some(branch))
        {
            return Ok(Some(tree.path.clone()));
        }
        self.holder_at_work(branch)
    }

    /// Returns the checkout with a detached HEAD that rebases or bisects this branch.
    pub(super) fn holder_at_work(&self, branch: &str) -> Result<Option<PathBuf>, GitError> {
        let name = format!("refs/heads/{branch}");
        let is_at_work = |folder: &&PathBuf| {
            let texts = AT_WORK
                .iter()
                .filter_map(|file| text_of(&folder.join(file)));
            let mut texts = texts.collect::<Vec<_>>().into_iter();
            texts.any(|text| text.lines().any(|line| line == name || line == branch))
        };
        let entries = self.common_dir.join("worktrees").read_dir();
        let entries = entries.into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        folders.sort();
        folders.insert(0, self.common_dir.clone());
        let Some(folder) = folders.iter().find(is_at_work) else {
            return Ok(None);
        };
        if let Some(link) = text_of(&folder.join("gitdir")) {
            let link = real(&folder.join(link.trim_end()));
            return Ok(Some(link.parent().unwrap_or(folder).to_owned()));
        }
        let main = self.worktrees()?.into_iter().find(|tree| tree.is_main);
        Ok(Some(main.map_or_else(|| folder.clone(), |tree| tree.path)))
    }
}

impl Worktree {
    /// Creates a checkout of which only the path is known.
    fn at(path: PathBuf) -> Self {
        Self {
            path,
            branch: None,
            head: None,
            is_main: false,
            locked: false,
            prunable: false,
        }
    }
}

fn listed_by_library(repo: &git2::Repository) -> Result<Vec<Worktree>, git2::Error> {
    let common = repo.commondir().to_owned();
    let mut found = Vec::new();
    let add = |found: &mut Vec<Worktree>, repo: &git2::Repository, tree: Worktree| {
        let head = head_of(repo)?;
        let (branch, head) = (
            head.branch().map(str::to_owned),
            head.commit().map(str::to_owned),
        );
        found.push(Worktree {
            branch,
            head,
            ..tree
        });
        Ok::<(), git2::Error>(())
    };
    let main = if repo.is_worktree() {
        &git2::Repository::open(&common)?
    } else {
        repo
    };
    if let Some(path) = main.workdir() {
        add(
            &mut found,
            main,
            Worktree {
                is_main: true,
                ..Worktree::at(trimmed(path))
            },
        )?;
    }
    for name in &repo.worktrees()? {
        let Some(name) = name? else { continue };
        let tree = repo.find_worktree(name)?;
        let locked = !matches!(tree.is_locked()?, git2::WorktreeLockStatus::Unlocked);
        let listed = Worktree {
            locked,
            prunable: !locked && tree.validate().is_err(),
            ..Worktree::at(trimmed(tree.path()))
        };
        add(
            &mut found,
            &git2::Repository::open(common.join("worktrees").join(name))?,
            listed,
        )?;
    }
    Ok(found)
}

fn listed_by_program(out: &[u8]) -> Vec<Worktree> {
    let mut found: Vec<Worktree> = Vec::new();
    let mut is_bare = false;
    for field in program::fields(out) {
        if let Some(path) = field.strip_prefix(b"worktree ") {
            let is_main = found.is_empty();
            found.push(Worktree {
                is_main,
                ..Worktree::at(path_from_bytes(path))
            });
            continue;
        }
        let text = String::from_utf8_lossy(field);
        let (key, value) = text.split_once(' ').unwrap_or((&text, ""));
        let Some(tree) = found.last_mut() else {
            continue;
        };
        match key {
            // An unborn branch has a commit id of zeros.
            "HEAD" if value.contains(|digit| digit != '0') => tree.head = Some(value.to_owned()),
            "branch" => tree.branch = Some(branch_of(value)),
            "bare" => is_bare = true,
            "locked" => tree.locked = true,
            "prunable" => tree.prunable = true,
            _ => {}
        }
    }
    found.retain(|tree| !(is_bare && tree.is_main));
    found
}

/// Returns the text of a file of git's own, if it exists.
#[expect(
    clippy::disallowed_methods,
    reason = "a file of git's own, not a document of the store"
)]
pub(super) fn text_of(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}
