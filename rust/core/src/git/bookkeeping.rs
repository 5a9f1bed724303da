//! A branch for work: its first commit, which is the runtime's own, and what was done on it since.

use std::collections::BTreeSet;
use std::path::Path;

use super::branches::{branch_ref, oid};
use super::commits::{By, NewCommit, RUNTIME};
use super::program::{self, fields, first_line};
use super::{GitError, Repo};

/// The trailer of commits with which the runtime keeps books; they are nobody's work.
const TRAILER: (&str, &str) = ("Chant-Bookkeeping", "true");

/// A file's path from the top of the checkout, with `/`, and its bytes.
pub type NewFile = (String, Vec<u8>);

/// A branch for work that is to begin.
#[derive(Debug, Clone, Copy)]
pub struct Beginning<'a> {
    /// The new branch.
    pub branch: &'a str,
    /// The branch that it begins at and that the work is for.
    pub target: &'a str,
    /// The message of the first commit, without the trailer.
    pub message: &'a str,
    /// Files that the first commit puts in place.
    pub files: &'a [NewFile],
}

/// Where work on a branch began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// Where the target stood.
    pub target: String,
    /// The branch's first commit, on top of that.
    pub commit: String,
}

/// Which work on a branch is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Since<'a> {
    /// The branch.
    pub branch: &'a str,
    /// The branch's first commit.
    pub base: &'a str,
    /// Where the target stands, or stood before the branch was merged; what was merged from there is
    /// not the branch's work.
    pub target: Option<&'a str>,
    /// Files whose change alone is no evidence of work.
    pub besides: &'a [String],
}

/// What was done on a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The commits that are not the runtime's, parents before children.
    pub commits: Vec<Contribution>,
    /// Whether one of them changes a file that evidence needs.
    pub is_work: bool,
}

/// A commit of somebody's work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contribution {
    /// The full id.
    pub id: String,
    /// The first paragraph of the message on one line.
    pub subject: String,
    /// The whole message.
    pub message: String,
    /// The paths that differ from the commit's parents, from all of them in a merge; sorted.
    pub paths: Vec<String>,
}

/// How much two commits differ.
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
    /// The newest commit of the branch that work is to begin at or to land on.
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
            super::Head::Unborn { .. } => Err(GitError::Unborn { branch }),
            _ => Err(GitError::NoBranch { branch }),
        }
    }

    /// Makes a branch with one commit of the runtime's own on top of the target's newest. No checkout
    /// and no index is touched.
    ///
    /// # Errors
    /// `BranchExists`, `Unborn`, `NoBranch` for the target, `InvalidName`, or a failure of git; there is
    /// no new branch then.
    pub fn begin_branch(&self, beginning: &Beginning<'_>) -> Result<Begun, GitError> {
        let _act = self.begin_act();
        let name = branch_ref(beginning.branch)?;
        let exists = || GitError::BranchExists {
            branch: beginning.branch.to_owned(),
        };
        if self.tip_of_ref(&name)?.is_some() {
            return Err(exists());
        }
        let target = self.tip_for_work(beginning.target)?;
        let tree = self.tree_with(&self.tree_of(&target)?, beginning.files)?;
        let message = beginning.message.trim_end();
        let commit = self.write_commit(&NewCommit {
            tree: &tree,
            parents: &[&target],
            message: &format!("{message}\n\n{}: {}\n", TRAILER.0, TRAILER.1),
            by: By::Runtime,
        })?;
        let why = format!("chant-mcp: work begins at {}", beginning.target);
        match self.create_ref(&name, &commit, &why) {
            Ok(()) => Ok(Begun { target, commit }),
            Err(_) if self.tip_of_ref(&name)?.is_some() => Err(exists()),
            Err(error) => Err(error),
        }
    }

    /// The commits on a branch since its first one that are somebody's work.
    ///
    /// # Errors
    /// `NoBranch`, `NoCommit` for base or target, `InvalidName`, or a failure to read the repository.
    pub fn evidence(&self, since: &Since<'_>) -> Result<Evidence, GitError> {
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
        Ok(Evidence { commits, is_work })
    }

    /// Whether a branch holds nothing but the commit with which the runtime began it: one of its own on
    /// top of what the target has, that brings nothing but `file`, which is there.
    ///
    /// # Errors
    /// `NoBranch`, `InvalidName`, or a failure to read the repository.
    pub fn is_only_begun(&self, branch: &str, target: &str, file: &str) -> Result<bool, GitError> {
        let tip = self.known_commit(branch)?;
        let Some(parent) = self.commit_of(&format!("{tip}^"))? else {
            return Ok(false);
        };
        let since = Since {
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

    /// How much two revisions differ; renames count as one file gone and one come.
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
                    // A dash stands where a file is not text.
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

    /// Commits everything that a checkout holds and git does not ignore, as the runtime's own, without
    /// hooks; nothing happens where there is nothing to commit.
    ///
    /// # Errors
    /// A failure of git.
    pub fn commit_everything(&self, checkout: &Path, message: &str) -> Result<(), GitError> {
        let _act = self.begin_act();
        if self.uncommitted(checkout)?.is_empty() {
            return Ok(());
        }
        program::acting(checkout, ["add", "--all"]).output()?;
        own_commit(message, |words| program::acting(checkout, words))
            .output()
            .map(drop)
    }

    /// The paths in which two revisions differ, from the top of the checkout; sorted.
    ///
    /// # Errors
    /// `NoCommit`, `InvalidName`, or a failure to read the repository.
    pub fn differing(&self, from: &str, to: &str) -> Result<Vec<String>, GitError> {
        let (from, to) = (self.known_commit(from)?, self.known_commit(to)?);
        let paths: BTreeSet<String> = self.read(
            "compare commits",
            |repo| {
                let tree = |id: &str| repo.find_commit(oid(id)?)?.tree();
                let diff = repo.diff_tree_to_tree(Some(&tree(&from)?), Some(&tree(&to)?), None)?;
                Ok(paths_of(&diff).collect())
            },
            || {
                let words = ["diff-tree", "-r", "-z", "--name-only", "--no-renames"];
                let out = self.reading(words).arg(&from).arg(&to).output()?;
                let paths = fields(&out).map(|path| String::from_utf8_lossy(path).into_owned());
                Ok(paths.collect())
            },
        )?;
        Ok(paths.into_iter().collect())
    }

    /// The commit that a revision names.
    pub(super) fn known_commit(&self, revision: &str) -> Result<String, GitError> {
        self.commit_of(revision)?.ok_or_else(|| GitError::NoCommit {
            revision: revision.to_owned(),
        })
    }

    fn contributions_by_program(
        &self,
        tip: &str,
        hidden: &[String],
    ) -> Result<Vec<Contribution>, GitError> {
        let asked = self.reading(["rev-list", "--topo-order", "--reverse", tip]);
        let asked = hidden
            .iter()
            .fold(asked, |call, commit| call.arg(format!("^{commit}")));
        let mut found = Vec::new();
        for id in String::from_utf8_lossy(&asked.output()?).lines() {
            let words = [
                "show",
                "--no-patch",
                "--no-show-signature",
                "--format=%s%x00%B",
            ];
            let said = self.reading(words).arg(id).output()?;
            let said = String::from_utf8_lossy(&said).into_owned();
            let (subject, message) = said.split_once('\0').unwrap_or_default();
            if is_bookkeeping(message) {
                continue;
            }
            let words = [
                "diff-tree",
                "-r",
                "-c",
                "-z",
                "--root",
                "--no-renames",
                "--no-commit-id",
                "--name-only",
            ];
            let out = self.reading(words).arg(id).output()?;
            let paths = fields(&out).map(|path| String::from_utf8_lossy(path).into_owned());
            found.push(Contribution {
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
) -> Result<Vec<Contribution>, git2::Error> {
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
        found.push(Contribution {
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
        // Of a file that is gone only the old side has a path in some versions of git2.
        let file = delta.new_file().path_bytes();
        file.or_else(|| delta.old_file().path_bytes())
            .map(|path| String::from_utf8_lossy(path).into_owned())
    })
}

/// The paths of a commit that differ from every parent.
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

/// Whether a message has the trailer of the runtime's own commits.
fn is_bookkeeping(message: &str) -> bool {
    git2::message_trailers_strs(message).is_ok_and(|trailers| {
        let mut pairs = trailers.iter();
        pairs.any(|pair| pair == TRAILER)
    })
}

/// A commit of what is staged, as the runtime's own, without hooks; `git` prepares a call where that is done.
pub(super) fn own_commit(
    message: &str,
    git: impl FnOnce([&str; 7]) -> program::Call,
) -> program::Call {
    let (name, address) = RUNTIME;
    let message = format!("{message}\n\n{}: {}\n", TRAILER.0, TRAILER.1);
    let (name, address) = (format!("user.name={name}"), format!("user.email={address}"));
    let words = [
        "-c",
        &name,
        "-c",
        &address,
        "commit",
        "--quiet",
        "--no-verify",
    ];
    git(words).arg("--no-gpg-sign").arg("-m").arg(message)
}
