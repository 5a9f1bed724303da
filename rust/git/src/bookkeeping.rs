//! Branches for work: the runtime's own first commit, and the commits that were made on top of it.

use std::collections::BTreeSet;

use super::branches::{branch_ref, oid};
use super::commits::{CommitAuthor, NewCommit, RUNTIME};
use super::program::{self, fields, first_line};
use super::{GitError, Repo};

/// The trailer of the runtime's own commits, which do not count as work.
pub(super) const TRAILER: (&str, &str) = ("Chant-Bookkeeping", "true");

/// A file's path from the top of the checkout, with `/`, and its bytes.
pub type NewFile = (String, Vec<u8>);

/// A branch for work that is to be created.
#[derive(Debug, Clone, Copy)]
pub struct NewBranch<'a> {
    /// The new branch.
    pub branch: &'a str,
    /// The branch on which it starts and for which the work is done.
    pub target: &'a str,
    /// The commit on which it starts; `None` for the target's newest.
    pub start: Option<&'a str>,
    /// The message of the first commit, without the trailer.
    pub message: &'a str,
    /// Files that the first commit puts in place.
    pub files: &'a [NewFile],
}

/// The commits at which work on a branch started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchStart {
    /// The commit that the target pointed to.
    pub target: String,
    /// The branch's first commit, whose parent is `target`.
    pub commit: String,
}

/// The range of commits to search for work on a branch.
#[derive(Debug, Clone, Copy)]
pub struct WorkQuery<'a> {
    /// The branch.
    pub branch: &'a str,
    /// The branch's first commit.
    pub base: &'a str,
    /// The target's commit now, or before the branch was merged. Commits merged from there are not
    /// the branch's work.
    pub target: Option<&'a str>,
    /// Files that are no evidence of work if only they change.
    pub besides: &'a [String],
}

/// The commits of work on a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchWork {
    /// The commits that are not the runtime's, parents before children.
    pub commits: Vec<WorkCommit>,
    /// True if one of them changes a file other than those in `besides`.
    pub is_work: bool,
}

/// A commit that is not the runtime's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkCommit {
    /// The full id.
    pub id: String,
    /// The first paragraph of the message on one line.
    pub subject: String,
    /// The whole message.
    pub message: String,
    /// The paths that differ from the commit's parents (in a merge, from all of them); sorted.
    pub paths: Vec<String>,
}

/// The size of the difference between two commits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DiffStat {
    /// Files that differ.
    pub files: usize,
    /// Lines that only the second has.
    pub insertions: usize,
    /// Lines that only the first has.
    pub deletions: usize,
}

impl Repo {
    /// Returns the newest commit of the branch on which work is to start or to land.
    ///
    /// # Errors
    /// `Unborn` when the branch, or the repository, has no commit yet; `NoBranch`, `InvalidName`, or a
    /// failure to read the repository.
    pub fn tip_for_work(&self, target: &str) -> Result<String, GitError> {
        if let Some(tip) = self.branch_tip(target)? {
            return Ok(tip);
        }
        let branch = target.to_owned();
        match self.head()? {
            super::CheckoutHead::Unborn { .. } => Err(GitError::Unborn { branch }),
            _ => Err(GitError::NoBranch { branch }),
        }
    }

    /// Creates a branch with one commit of the runtime's own on top of the target's newest, or of `start`. No
    /// checkout and no index is touched.
    ///
    /// # Errors
    /// `BranchExists`, `Unborn`, `NoBranch` for the target, `InvalidName`, or a failure of git; there is
    /// no new branch then.
    pub fn begin_branch(&self, beginning: &NewBranch<'_>) -> Result<BranchStart, GitError> {
        let _act = self.begin_act();
        let name = branch_ref(beginning.branch)?;
        let exists = || GitError::BranchExists {
            branch: beginning.branch.to_owned(),
        };
        if self.tip_of_ref(&name)?.is_some() {
            return Err(exists());
        }
        let target = match beginning.start {
            Some(start) => start.to_owned(),
            None => self.tip_for_work(beginning.target)?,
        };
        let tree = self.tree_with(&self.tree_of(&target)?, beginning.files)?;
        let message = beginning.message.trim_end();
        let commit = self.write_commit(&NewCommit {
            tree: &tree,
            parents: &[&target],
            message: &format!("{message}\n\n{}: {}\n", TRAILER.0, TRAILER.1),
            by: CommitAuthor::Runtime,
            author: None,
        })?;
        let why = format!("chant-mcp: work begins at {}", beginning.target);
        match self.create_ref(&name, &commit, &why) {
            Ok(()) => Ok(BranchStart { target, commit }),
            Err(_) if self.tip_of_ref(&name)?.is_some() => Err(exists()),
            Err(error) => Err(error),
        }
    }

    /// Returns the commits on a branch since its first one, without the runtime's own.
    ///
    /// # Errors
    /// `NoBranch`, `NoCommit` for base or target, `InvalidName`, or a failure to read the repository.
    pub fn evidence(&self, since: &WorkQuery<'_>) -> Result<BranchWork, GitError> {
        let tip = self
            .branch_tip(since.branch)?
            .ok_or_else(|| GitError::NoBranch {
                branch: since.branch.to_owned(),
            })?;
        let mut hidden = vec![self.known_commit(since.base)?];
        if let Some(target) = since.target {
            hidden.push(self.known_commit(target)?);
        }
        let commits = self.read(
            "look for work on a branch",
            |repo| contributions_by_library(repo, &tip, &hidden),
            || self.contributions_by_program(&tip, &hidden),
        )?;
        let counts = |path: &String| !since.besides.contains(path);
        let is_work = commits.iter().any(|commit| commit.paths.iter().any(counts));
        Ok(BranchWork { commits, is_work })
    }

    /// Returns true if a branch holds nothing but the runtime's first commit: one commit of its own
    /// on top of the target, which adds nothing but `file`, and that file exists.
    ///
    /// # Errors
    /// `NoBranch`, `InvalidName`, or a failure to read the repository.
    pub fn is_only_begun(&self, branch: &str, target: &str, file: &str) -> Result<bool, GitError> {
        let tip = self.known_commit(branch)?;
        let Some(parent) = self.commit_of(&format!("{tip}^"))? else {
            return Ok(false);
        };
        let since = WorkQuery {
            branch,
            base: target,
            target: None,
            besides: &[],
        };
        let is_own = self.reaches(&self.known_commit(target)?, &parent)?
            && self.evidence(&since)?.commits.is_empty();
        Ok(is_own
            && self.file_at(&tip, file)?.is_some()
            && self
                .differing(&parent, &tip)?
                .iter()
                .all(|path| path == file))
    }

    /// Counts the differences between two revisions; a rename counts as one deleted and one new
    /// file.
    ///
    /// # Errors
    /// `NoCommit`, `InvalidName`, or a failure to read the repository.
    pub fn diff_stat(&self, from: &str, to: &str) -> Result<DiffStat, GitError> {
        let (from, to) = (self.known_commit(from)?, self.known_commit(to)?);
        self.read(
            "compare commits",
            |repo| {
                let tree = |id: &str| repo.find_commit(oid(id)?)?.tree();
                let diff = repo.diff_tree_to_tree(Some(&tree(&from)?), Some(&tree(&to)?), None)?;
                let stats = diff.stats()?;
                Ok(DiffStat {
                    files: stats.files_changed(),
                    insertions: stats.insertions(),
                    deletions: stats.deletions(),
                })
            },
            || {
                let words = ["diff-tree", "-r", "-z", "--numstat", "--no-renames"];
                let out = self.reading(words).arg(&from).arg(&to).output()?;
                Ok(fields(&out).fold(DiffStat::default(), |stat, line| {
                    let line = String::from_utf8_lossy(line);
                    // Git prints a dash where a file is not text.
                    let mut numbers = line.split('\t').map(|text| text.parse().unwrap_or(0));
                    DiffStat {
                        files: stat.files + 1,
                        insertions: stat.insertions + numbers.next().unwrap_or(0),
                        deletions: stat.deletions + numbers.next().unwrap_or(0),
                    }
                }))
            },
        )
    }

    /// Returns the paths in which two revisions differ, from the top of the checkout; sorted.
    ///
    /// # Errors
    /// `NoCommit`, `InvalidName`, or a failure to read the repository.
    pub fn differing(&self, from: &str, to: &str) -> Result<Vec<String>, GitError> {
        let changed = self.changed_files(from, to)?.into_iter();
        let paths: BTreeSet<String> = changed.map(|file| file.path).collect();
        Ok(paths.into_iter().collect())
    }

    /// Returns the paths that a commit changed since its first parent, from the top of the checkout; sorted.
    ///
    /// # Errors
    /// `NoCommit`, `InvalidName`, or a failure to read the repository.
    pub fn touched_by(&self, revision: &str) -> Result<Vec<String>, GitError> {
        let commit = self.known_commit(revision)?;
        let paths: BTreeSet<String> = self.read(
            "list the paths of a commit",
            |repo| {
                let commit = repo.find_commit(oid(&commit)?)?;
                let before = commit.parents().next().map(|parent| parent.tree());
                let before = before.transpose()?;
                let diff = repo.diff_tree_to_tree(before.as_ref(), Some(&commit.tree()?), None)?;
                Ok(paths_of(&diff).collect())
            },
            || {
                let words = ["show", "-z", "--format=", "--name-only", "--no-renames"];
                let first = "--diff-merges=first-parent";
                let out = self.reading(words).arg(first).arg(&commit).output()?;
                let paths = fields(&out).map(|path| String::from_utf8_lossy(path).into_owned());
                Ok(paths.filter(|path| !path.is_empty()).collect())
            },
        )?;
        Ok(paths.into_iter().collect())
    }

    /// Returns the commit that a revision names, or `NoCommit`.
    pub(super) fn known_commit(&self, revision: &str) -> Result<String, GitError> {
        self.commit_of(revision)?.ok_or_else(|| GitError::NoCommit {
            revision: revision.to_owned(),
        })
    }

    fn contributions_by_program(
        &self,
        tip: &str,
        hidden: &[String],
    ) -> Result<Vec<WorkCommit>, GitError> {
        let asked = self.reading(["rev-list", "--topo-order", "--reverse", tip]);
        let asked = hidden
            .iter()
            .fold(asked, |call, commit| call.arg(format!("^{commit}")));
        let mut found = Vec::new();
        for id in String::from_utf8_lossy(&asked.output()?).lines() {
            let words = [
                "show", "--no-patch", "--no-show-signature", "--format=%s%x00%B",
            ];
            let said = self.reading(words).arg(id).output()?;
            let said = String::from_utf8_lossy(&said).into_owned();
            let (subject, message) = said.split_once('\0').unwrap_or_default();
            if is_bookkeeping(message) {
                continue;
            }
            let words = [
                "diff-tree", "-r", "-c", "-z", "--root", "--no-renames", "--no-commit-id",
                "--name-only",
            ];
            let out = self.reading(words).arg(id).output()?;
            let paths = fields(&out).map(|path| String::from_utf8_lossy(path).into_owned());
            found.push(WorkCommit {
                id: id.to_owned(),
                subject: first_line(subject.as_bytes()),
                message: message.trim_end().to_owned(),
                paths: paths.collect::<BTreeSet<_>>().into_iter().collect(),
            });
        }
        Ok(found)
    }
}

fn contributions_by_library(
    repo: &git2::Repository,
    tip: &str,
    hidden: &[String],
) -> Result<Vec<WorkCommit>, git2::Error> {
    let mut walk = repo.revwalk()?;
    walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::REVERSE)?;
    walk.push(oid(tip)?)?;
    for commit in hidden {
        walk.hide(oid(commit)?)?;
    }
    let mut found = Vec::new();
    for id in walk {
        let commit = repo.find_commit(id?)?;
        let message = String::from_utf8_lossy(commit.message_bytes());
        if is_bookkeeping(&message) {
            continue;
        }
        let subject = commit.summary_bytes().unwrap_or_default();
        found.push(WorkCommit {
            id: commit.id().to_string(),
            subject: String::from_utf8_lossy(subject).into_owned(),
            message: message.trim_end().to_owned(),
            paths: changed_paths(repo, &commit)?,
        });
    }
    Ok(found)
}

fn paths_of<'a>(diff: &'a git2::Diff<'_>) -> impl Iterator<Item = String> + 'a {
    diff.deltas().filter_map(|delta| {
        // For a deleted file, some versions of git2 give only the old path.
        let file = delta.new_file().path_bytes();
        file.or_else(|| delta.old_file().path_bytes())
            .map(|path| String::from_utf8_lossy(path).into_owned())
    })
}

/// Returns the paths of a commit that differ from every parent.
fn changed_paths(
    repo: &git2::Repository,
    commit: &git2::Commit<'_>,
) -> Result<Vec<String>, git2::Error> {
    let tree = commit.tree()?;
    let against = |parent: Option<&git2::Tree<'_>>| {
        let diff = repo.diff_tree_to_tree(parent, Some(&tree), None)?;
        Ok::<BTreeSet<String>, git2::Error>(paths_of(&diff).collect())
    };
    let mut common: Option<BTreeSet<String>> = None;
    for parent in commit.parents() {
        let paths = against(Some(&parent.tree()?))?;
        common = Some(match common {
            None => paths,
            Some(common) => common.intersection(&paths).cloned().collect(),
        });
    }
    let paths = match common {
        Some(paths) => paths,
        None => against(None)?,
    };
    Ok(paths.into_iter().collect())
}

/// Returns true if a message has the trailer of the runtime's own commits.
pub(super) fn is_bookkeeping(message: &str) -> bool {
    git2::message_trailers_strs(message).is_ok_and(|trailers| {
        let mut pairs = trailers.iter();
        pairs.any(|pair| pair == TRAILER)
    })
}

/// Commits the staged files as the runtime's own, without hooks; `git` prepares a call in that
/// repository.
pub(super) fn own_commit(
    message: &str,
    git: impl FnOnce([&str; 7]) -> program::GitCall,
) -> program::GitCall {
    let (name, address) = RUNTIME;
    let message = format!("{message}\n\n{}: {}\n", TRAILER.0, TRAILER.1);
    let (name, address) = (format!("user.name={name}"), format!("user.email={address}"));
    let words = [
        "-c", &name, "-c", &address, "commit", "--quiet", "--no-verify",
    ];
    git(words).arg("--no-gpg-sign").arg("-m").arg(message)
}
