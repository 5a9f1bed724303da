//! Branches whose commits landed as others, squashed or rewritten: a ref of ours keeps their own commits, and says with
//! which commit they landed.
//!
//! The ref leads to a commit with two parents: the one that landed, and the branch's newest. Ancestry shows no more
//! that such a branch is merged; this does, in any process and without a record.

use super::bookkeeping::TRAILER;
use super::commits::{CommitAuthor, NewCommit};
use super::{GitError, Repo};

/// The folder of these refs: `<branch>/<n>` below it.
pub(super) const LANDED: &str = "refs/chant/landed/";

/// A branch whose commits landed as others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandedBranch {
    /// The ref that keeps its commits.
    pub name: String,
    /// The commit with which they landed.
    pub commit: String,
    /// The branch's newest commit then.
    pub tip: String,
}

impl Repo {
    /// Keeps a branch's commits under `refs/chant/landed/<branch>/<n>` before they land as others, and returns that
    /// ref's name; `None` if the landing has them all.
    ///
    /// The ref of a landing that did not come about is used again.
    ///
    /// # Errors
    /// `NoBranch`, `NoCommit`, `InvalidName`, or the reason why git did not create the ref.
    pub fn keep_landed_branch(
        &self,
        branch: &str,
        target: &str,
        commit: &str,
    ) -> Result<Option<String>, GitError> {
        let (tip, target) = (self.tip_for_work(branch)?, self.tip_for_work(target)?);
        if self.reaches(commit, &tip)? {
            return Ok(None);
        }
        let folder = format!("{LANDED}{branch}/");
        let newest = match self.newest_of(&folder)?.0 {
            Some((name, kept)) => self.landed_branch(name, &kept)?.map(|found| (found, kept)),
            None => None,
        };
        if let Some((newest, _)) = &newest
            && (&newest.commit, &newest.tip) == (&commit.to_owned(), &tip)
        {
            return Ok(Some(newest.name.clone()));
        }
        let message = format!(
            "Commits of {branch}, which landed as {commit}\n\n{}: {}\n",
            TRAILER.0, TRAILER.1
        );
        let kept = self.write_commit(&NewCommit {
            tree: &self.tree_of(commit)?,
            parents: &[commit, &tip],
            message: &message,
            by: CommitAuthor::Runtime,
            author: None,
        })?;
        let why = format!("{branch} lands as {commit}");
        if let Some((newest, before)) = newest
            && self.reaches(&tip, &newest.tip)?
            && !self.reaches(&target, &newest.commit)?
        {
            let why = format!("chant-mcp: {why}");
            self.move_ref(&newest.name, &kept, Some(&before), &why)?;
            return Ok(Some(newest.name));
        }
        self.keep_commit(&folder, &kept, &why).map(Some)
    }

    /// Returns what says that a branch's newest commit landed as others in a history; both are full ids.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn landed_as(
        &self,
        branch: &str,
        tip: &str,
        history: &str,
    ) -> Result<Option<LandedBranch>, GitError> {
        for (name, kept) in self.refs_under(&format!("{LANDED}{branch}/"))? {
            if let Some(landed) = self.landed_branch(name, &kept)?
                && self.reaches(&landed.tip, tip)?
                && self.reaches(history, &landed.commit)?
            {
                return Ok(Some(landed));
            }
        }
        Ok(None)
    }

    /// Returns the trees of the newest commits of branches that landed as others, with the refs that keep them.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn trees_of_landed_branches(&self) -> Result<Vec<(String, String)>, GitError> {
        let mut trees = Vec::new();
        for (name, kept) in self.refs_under(LANDED)? {
            if let Some(landed) = self.landed_branch(name, &kept)? {
                trees.push((self.tree_of(&landed.tip)?, landed.name));
            }
        }
        Ok(trees)
    }

    /// Returns the commits by which a commit goes beyond an earlier one, along first parents, the earliest first.
    ///
    /// # Errors
    /// A failure to read the repository, or a commit that is not in it.
    pub fn commits_beyond(&self, earlier: &str, commit: &str) -> Result<Vec<String>, GitError> {
        let (mut found, mut next) = (Vec::new(), Some(commit.to_owned()));
        while let Some(id) = next.take().filter(|id| id != earlier) {
            next = match self.ref_value(&id, usize::MAX)? {
                Some((_, parents)) => parents.into_iter().next(),
                None => None,
            };
            found.push(id);
        }
        found.reverse();
        Ok(found)
    }

    /// Reads what a ref of ours keeps; `None` if it is something else.
    fn landed_branch(&self, name: String, kept: &str) -> Result<Option<LandedBranch>, GitError> {
        let parents = self.ref_value(kept, usize::MAX)?;
        let parents = parents.map(|(_, parents)| parents).unwrap_or_default();
        let Ok([commit, tip]) = <[String; 2]>::try_from(parents) else {
            return Ok(None);
        };
        Ok(Some(LandedBranch { name, commit, tip }))
    }
}
