//! Makes the commits of a branch again on top of its target, as a rebase does, without a checkout.

use super::bookkeeping::{NewFile, is_bookkeeping};
use super::branches::oid;
use super::commits::{CommitAuthor, CommitIdentity, NewCommit};
use super::merge::MergeRequest;
use super::{GitError, Repo};

/// The length of a commit's name in an error.
const SHORT: usize = 10;

/// A commit of a branch as it is read.
struct BranchCommit {
    id: String,
    parent: String,
    author: CommitIdentity,
    message: String,
}

/// A commit that is to be made again, with its files on top of the target.
struct PickedCommit {
    tree: String,
    author: CommitIdentity,
    message: String,
}

impl Repo {
    /// Makes the commits of a branch again on top of the target, in their order; returns the new ones, which no ref
    /// names yet.
    ///
    /// Authors and messages are kept, the user commits and signs, and the user's hook looks at the messages. The line of first parents is
    /// followed: a merge becomes one commit with all that it brought. The runtime's own commits are left out; what they
    /// hold goes into the next one. `settled` files stay as the target has them, and commits that change nothing else
    /// are left out.
    ///
    /// # Errors
    /// `NotRewritten`, `Hook`, `Signing`, `OldGit`, or a failure of git.
    pub(super) fn rewrite(
        &self,
        [ours, theirs]: [&str; 2],
        settled: &[&str],
        merge: &MergeRequest<'_>,
    ) -> Result<Vec<String>, GitError> {
        let mut kept: Vec<NewFile> = Vec::new();
        for path in settled {
            if let Some(bytes) = self.file_at(ours, path)? {
                kept.push(((*path).to_owned(), bytes));
            }
        }
        let mut picked = Vec::new();
        let (mut onto, mut last_tree) = (ours.to_owned(), self.tree_of(ours)?);
        for commit in self.line_of(ours, theirs)? {
            let merged = self.draft(
                Some(&commit.parent),
                [&onto, &commit.id],
                settled,
                merge.replaced,
            )?;
            if !merged.conflicts.is_empty() {
                return Err(GitError::NotRewritten {
                    subject: commit.message.lines().next().unwrap_or_default().into(),
                    commit: commit.id.chars().take(SHORT).collect(),
                    paths: merged.conflicts.into_keys().collect(),
                });
            }
            let tree = self.tree_with(&merged.tree, &kept)?;
            // The next one is picked onto it; no ref will ever name it.
            onto = self.write_commit(&NewCommit {
                tree: &tree,
                parents: &[&onto],
                message: &commit.message,
                by: CommitAuthor::Runtime,
                author: None,
            })?;
            if is_bookkeeping(&commit.message) || tree == last_tree {
                continue;
            }
            last_tree.clone_from(&tree);
            picked.push(PickedCommit {
                tree,
                author: commit.author,
                message: commit.message,
            });
        }
        let messages = picked.iter().map(|commit| commit.message.clone()).collect();
        let messages = self.pass_messages(ours, &last_tree, messages, merge.hooks)?;
        let mut made: Vec<String> = Vec::new();
        for (commit, message) in picked.iter().zip(messages) {
            let parent = made.last().map_or(ours, String::as_str);
            let new = self.write_commit(&NewCommit {
                tree: &commit.tree,
                parents: &[parent],
                message: &message,
                by: CommitAuthor::User,
                author: Some(&commit.author),
            })?;
            made.push(new);
        }
        Ok(made)
    }

    /// Returns the commits on a branch's line of first parents that the target lacks, parents first.
    fn line_of(&self, ours: &str, theirs: &str) -> Result<Vec<BranchCommit>, GitError> {
        let mut line = Vec::new();
        let mut next = Some(theirs.to_owned());
        while let Some(id) = next.take() {
            if self.reaches(ours, &id)? {
                break;
            }
            // A branch that shares no history with its target begins with files that are all new.
            let Some(commit) = self.branch_commit(&id)? else {
                break;
            };
            next = Some(commit.parent.clone());
            line.push(commit);
        }
        line.reverse();
        Ok(line)
    }

    /// Reads a commit; `None` if it has no parent.
    fn branch_commit(&self, id: &str) -> Result<Option<BranchCommit>, GitError> {
        self.read(
            "read a commit",
            |repo| {
                let commit = repo.find_commit(oid(id)?)?;
                let Ok(parent) = commit.parent_id(0) else {
                    return Ok(None);
                };
                let (author, text) = (commit.author(), String::from_utf8_lossy);
                Ok(Some(BranchCommit {
                    id: id.to_owned(),
                    parent: parent.to_string(),
                    author: CommitIdentity {
                        name: text(author.name_bytes()).into_owned(),
                        email: text(author.email_bytes()).into_owned(),
                        seconds: author.when().seconds(),
                        offset: author.when().offset_minutes(),
                    },
                    message: text(commit.message_bytes()).into_owned(),
                }))
            },
            || {
                let words = [
                    "show",
                    "--no-patch",
                    "--no-show-signature",
                    "--date=raw",
                    "--format=%P%x00%an%x00%ae%x00%ad%x00%B",
                ];
                let out = self.reading(words).arg(id).output()?;
                let said = String::from_utf8_lossy(&out).into_owned();
                let mut parts = said.splitn(5, '\0');
                let mut part = || parts.next().unwrap_or_default();
                let [parents, name, email, date, message] =
                    [part(), part(), part(), part(), part()];
                let Some(parent) = parents.split(' ').next().filter(|id| !id.is_empty()) else {
                    return Ok(None);
                };
                let (seconds, zone) = date.split_once(' ').unwrap_or((date, "+0000"));
                Ok(Some(BranchCommit {
                    id: id.to_owned(),
                    parent: parent.to_owned(),
                    author: CommitIdentity {
                        name: name.to_owned(),
                        email: email.to_owned(),
                        seconds: seconds.parse().unwrap_or_default(),
                        offset: minutes_of(zone),
                    },
                    message: format!("{}\n", message.trim_end()),
                }))
            },
        )
    }
}

/// Returns the minutes of a time zone such as `+0230`.
fn minutes_of(zone: &str) -> i32 {
    let number: i32 = zone.parse().unwrap_or_default();
    number / 100 * 60 + number % 100
}

#[cfg(test)]
mod tests {
    use super::minutes_of;

    #[test]
    fn a_time_zone_is_read_in_minutes() {
        let zones = ["+0230", "-0330", "+0000", "x"];
        assert_eq!(zones.map(minutes_of), [150, -210, 0, 0]);
    }
}
