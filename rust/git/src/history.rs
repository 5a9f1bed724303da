//! The history of some commits: every commit with its tree, found by one walk.

use std::collections::HashMap;

use super::branches::{branch_ref, oid};
use super::program_output::first_line;
use super::{GitError, Repo};

/// Some commits with all their ancestors.
#[derive(Debug, Clone, Default)]
pub struct CommitHistory {
    trees: HashMap<String, String>,
    commits: HashMap<String, String>,
}

impl CommitHistory {
    fn of(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut history = Self::default();
        for (commit, tree) in pairs {
            // The walk starts with the newest commit, so the newest of several with the same tree
            // is kept.
            history
                .commits
                .entry(tree.clone())
                .or_insert_with(|| commit.clone());
            history.trees.insert(commit, tree);
        }
        history
    }

    /// Returns the tree of a commit; `None` when it is not in this history.
    pub fn tree_of(&self, commit: &str) -> Option<&str> {
        self.trees.get(commit).map(String::as_str)
    }

    /// Returns a commit of this history that has a tree; the newest if there are several.
    pub fn commit_with(&self, tree: &str) -> Option<&str> {
        self.commits.get(tree).map(String::as_str)
    }
}

/// The commits that the remote's branch has and its local branch lacks, as last fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamLead {
    /// The branch of the remote, such as `origin/main`.
    pub upstream: String,
    /// The number of commits, at least 1.
    pub commits: usize,
}

/// A commit with the time and the first line that it names itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatedCommit {
    /// Its full ID.
    pub id: String,
    /// The seconds since 1970 at which it was committed.
    pub seconds: i64,
    /// The first line of its message.
    pub subject: String,
}

impl DatedCommit {
    /// Reads `<id> <seconds> <subject>`.
    fn of_line(line: &str) -> Option<Self> {
        let mut words = line.trim().splitn(3, ' ');
        Some(Self {
            id: words.next()?.to_owned(),
            seconds: words.next()?.parse().ok()?,
            subject: words.next().unwrap_or_default().to_owned(),
        })
    }
}

impl Repo {
    /// Returns how far a local branch is behind the branch of a remote that it follows, as last fetched; `None`
    /// when it follows none or has all of its commits.
    ///
    /// # Errors
    /// `InvalidName`, `Gone`, or a failure to read the repository.
    pub fn upstream_lead(&self, branch: &str) -> Result<Option<UpstreamLead>, GitError> {
        let name = branch_ref(branch)?;
        let format = "--format=%(upstream:short)%00%(upstream:track,nobracket)";
        let answer = self.reading(["for-each-ref", format, &name]).answer()?;
        let line = first_line(&answer.success()?);
        let (upstream, track) = line.split_once('\0').unwrap_or_default();
        let behind = track
            .split(", ")
            .find_map(|part| part.strip_prefix("behind "));
        let commits = behind.and_then(|number| number.parse().ok());
        Ok(commits.map(|commits| UpstreamLead {
            upstream: upstream.to_owned(),
            commits,
        }))
    }

    /// Returns a commit and those before it, along first parents, the newest first; at most `most`.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn recent_commits(&self, tip: &str, most: usize) -> Result<Vec<DatedCommit>, GitError> {
        self.read(
            "read the last commits",
            |repo| {
                let mut found = Vec::new();
                let mut next = Some(repo.find_commit(oid(tip)?)?);
                while let Some(commit) = next.filter(|_| found.len() < most) {
                    let message = String::from_utf8_lossy(commit.message_bytes());
                    found.push(DatedCommit {
                        id: commit.id().to_string(),
                        seconds: commit.time().seconds(),
                        subject: message.lines().next().unwrap_or_default().trim().to_owned(),
                    });
                    // The history of a shallow clone ends at a commit whose parent is not there.
                    next = commit.parent(0).ok();
                }
                Ok(found)
            },
            || {
                let words = [
                    "log", "-z", "--no-decorate", "--first-parent", "--format=%H %ct %s",
                ];
                let call = self
                    .reading(words)
                    .arg(format!("--max-count={most}"))
                    .arg(tip)
                    .arg("--");
                let mut found = Vec::new();
                call.each_field(|field| {
                    let line = String::from_utf8_lossy(field);
                    found.extend(DatedCommit::of_line(&line));
                })?;
                Ok(found)
            },
        )
    }

    /// Returns the history of some commits, by their full ids.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn history_of(&self, tips: &[String]) -> Result<CommitHistory, GitError> {
        let pairs: Vec<(String, String)> = self.read(
            "walk through history",
            |repo| {
                let mut walk = repo.revwalk()?;
                walk.set_sorting(git2::Sort::TIME)?;
                for tip in tips {
                    walk.push(oid(tip)?)?;
                }
                walk.map(|id| {
                    let id = id?;
                    let tree = repo.find_commit(id)?.tree_id();
                    Ok((id.to_string(), tree.to_string()))
                })
                .collect()
            },
            || {
                let words = ["log", "-z", "--no-decorate", "--format=%H %T"];
                let call = tips
                    .iter()
                    .fold(self.reading(words), super::program::GitCall::arg);
                let mut pairs = Vec::new();
                call.arg("--").each_field(|field| {
                    let field = String::from_utf8_lossy(field);
                    let pair = field.trim().split_once(' ');
                    pairs.extend(pair.map(|(id, tree)| (id.to_owned(), tree.to_owned())));
                })?;
                Ok(pairs)
            },
        )?;
        Ok(CommitHistory::of(pairs))
    }

    /// Returns true if the repository is a shallow clone, so that history ends early.
    pub fn is_shallow(&self) -> bool {
        self.common_dir().join("shallow").exists()
    }

    /// Returns the default branch of the remote `origin`, without the remote's name; `None` if it
    /// is not known here.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn usual_remote_branch(&self) -> Result<Option<String>, GitError> {
        const HEAD: &str = "refs/remotes/origin/HEAD";
        let named = self.read(
            "read where a remote begins",
            |repo| match repo.find_reference(HEAD) {
                Ok(found) => Ok(found
                    .symbolic_target_bytes()
                    .map(|name| String::from_utf8_lossy(name).into_owned())),
                Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
                Err(error) => Err(error),
            },
            || {
                let answer = self.reading(["symbolic-ref", "--quiet", HEAD]).answer()?;
                if answer.ended_with(1) {
                    return Ok(None);
                }
                Ok(Some(super::program::first_line(&answer.success()?)))
            },
        )?;
        let branch = |name: String| name.strip_prefix("refs/remotes/origin/").map(str::to_owned);
        Ok(named.and_then(branch))
    }

    /// Returns true if branches of any remote are known here.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn has_remote_branches(&self) -> Result<bool, GitError> {
        Ok(!self.refs_under("refs/remotes/")?.is_empty())
    }

    /// Returns the newest commit of a branch of the remote `origin`, as of the last fetch.
    ///
    /// # Errors
    /// `InvalidName`, or a failure to read the repository.
    pub fn remote_tip(&self, branch: &str) -> Result<Option<String>, GitError> {
        super::branches::branch_ref(branch)?;
        self.tip_of_ref(&format!("refs/remotes/origin/{branch}"))
    }
}
