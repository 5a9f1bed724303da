//! The history of some commits, found by one walk, and what each of them changed.

use std::collections::HashMap;

use super::branches::{branch_ref, oid};
use super::changed_files::{ChangedFile, changes_of};
use super::program_output::first_line;
use super::{GitError, Repo};

/// A commit as a walk finds it.
#[derive(Debug)]
pub struct WalkedCommit {
    /// Its full ID.
    pub id: String,
    /// The ID of its tree.
    pub tree: String,
    /// The IDs of its parents.
    pub parents: Vec<String>,
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

    /// Walks from some commits, by their full ids, to the first ones: newer ones come earlier.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn walk(&self, tips: &[String]) -> Result<Vec<WalkedCommit>, GitError> {
        self.read(
            "walk through history",
            |repo| {
                let mut walk = repo.revwalk()?;
                walk.set_sorting(git2::Sort::TIME)?;
                for tip in tips {
                    walk.push(oid(tip)?)?;
                }
                walk.map(|id| {
                    let commit = repo.find_commit(id?)?;
                    Ok(WalkedCommit {
                        id: commit.id().to_string(),
                        tree: commit.tree_id().to_string(),
                        parents: commit.parent_ids().map(|id| id.to_string()).collect(),
                    })
                })
                .collect()
            },
            || {
                let words = ["log", "-z", "--no-decorate", "--format=%H %T %P"];
                let words = words.into_iter().chain(tips.iter().map(String::as_str));
                let mut walked = Vec::new();
                self.reading(words).arg("--").each_field(|field| {
                    let field = String::from_utf8_lossy(field);
                    let mut ids = field.split_whitespace().map(str::to_owned);
                    if let (Some(id), Some(tree)) = (ids.next(), ids.next()) {
                        let parents = ids.collect();
                        walked.push(WalkedCommit { id, tree, parents });
                    }
                })?;
                Ok(walked)
            },
        )
    }

    /// Returns what each commit changed since its first parent, along first parents from a commit back to another one,
    /// whose own changes are left out; both by their full ids.
    ///
    /// # Errors
    /// `NoGit`, or a failure to read the repository.
    pub fn changes_along(
        &self,
        since: Option<&str>,
        tip: &str,
    ) -> Result<HashMap<String, Vec<ChangedFile>>, GitError> {
        let words = [
            "--no-replace-objects", "log", "-z", "--raw", "--no-renames", "--no-abbrev", "--root",
            "--first-parent", "-m", "--no-decorate", "--no-ext-diff", "--no-show-signature",
            "--format=%H", tip,
        ];
        let since = since.map(|since| format!("^{since}"));
        let words = words.into_iter().chain(since.as_deref());
        let mut found: HashMap<String, Vec<ChangedFile>> = HashMap::new();
        let (mut commit, mut head) = (String::new(), None::<Vec<u8>>);
        self.reading(words).arg("--").each_field(|field| {
            if let Some(head) = head.take() {
                let changed = changes_of(&[&head, field].join(&0));
                found.entry(commit.clone()).or_default().extend(changed);
            } else if field.trim_ascii().starts_with(b":") {
                head = Some(field.trim_ascii().to_owned());
            } else if !field.trim_ascii().is_empty() {
                commit = String::from_utf8_lossy(field.trim_ascii()).into_owned();
            }
        })?;
        Ok(found)
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
