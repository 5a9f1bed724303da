//! Refs on a remote that several clones write: reading them, small values in them, and pushes of
//! several refs at once, each only if the remote still has the value that is expected.
//!
//! A push is one transaction on the remote. Its outcome may stay unknown; then the refs say what
//! became of it, because every value written is an object of its own.

use std::time::Duration;

use super::branches::oid;
use super::commits::{CommitAuthor, NewCommit};
use super::program::first_line;
use super::program_output::GitOutput;
use super::{GitError, Repo, flushing};

/// The folder of the copies of what remotes have, one folder for each remote.
pub const LOOKED: &str = "refs/chant/looked/";

/// The name of the copy of a remote's target branch in that remote's folder.
pub const LOOKED_TARGET: &str = "target";

/// The line behind which a report of git about a push is whole.
const REPORT_END: &str = "Done";

/// The most characters of what a remote prints that are passed on.
const MAX_WORDS: usize = 500;

/// The complaint of a git that cannot push several refs in one transaction to this remote.
const NO_ATOMIC: &str = "does not support --atomic";

/// A ref of a remote, or a pattern of such with one `*`, and its name here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefCopy {
    /// The name there.
    pub from: String,
    /// The name here.
    pub to: String,
}

/// A change of one ref in a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefUpdate {
    /// The full name of the ref.
    pub name: String,
    /// The object that the remote must have there; `None`: there must be no such ref.
    pub old: Option<String>,
    /// The object that it is to have; `None` removes the ref.
    pub new: Option<String>,
}

/// Whether programs of the user's run before a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushHooks {
    /// The user's `pre-push` hook runs, as for their own pushes.
    Run,
    /// No hook runs: only refs of ours are pushed.
    Skip,
}

/// A ref that a remote did not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefRefusal {
    /// The full name of the ref.
    pub name: String,
    /// The remote's reason, in its words.
    pub why: String,
}

/// The outcome of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushOutcome {
    /// The remote has all of it.
    Applied,
    /// The remote has none of it: refs have other values by now, or could not be locked; the reason.
    Moved(String),
    /// The remote has none of it: a rule or a hook there forbids it.
    Forbidden(Vec<RefRefusal>),
    /// The remote has none of it: it takes no pushes of several refs in one transaction.
    NotAtomic,
    /// Nothing says whether the remote has it; the reason. It may still arrive.
    Unknown(String),
}

impl PushOutcome {
    /// Returns the reason why the remote does not have it for certain, in a few words.
    pub fn complaint(&self) -> String {
        match self {
            Self::Applied => "it has it".into(),
            Self::Moved(why) | Self::Unknown(why) => why.clone(),
            Self::Forbidden(refused) => {
                let whys: Vec<&str> = refused.iter().map(|one| &*one.why).collect();
                whys.join(", ")
            }
            Self::NotAtomic => NO_ATOMIC.into(),
        }
    }
}

impl Repo {
    /// Copies refs of a remote to names of ours, in one connection: what is gone there goes here, too. This
    /// is an act: the way to a remote may be a program that the repository names.
    ///
    /// # Errors
    /// The complaint of git, also when a single ref is missing there, or that it took longer than `limit`.
    pub fn copy_remote_refs(
        &self,
        remote: &str,
        copies: &[RefCopy],
        limit: Duration,
    ) -> Result<(), GitError> {
        self.fetch_copies(remote, copies, &[], limit)
    }

    /// Works as [`Repo::copy_remote_refs`], and in a shallow clone takes only the newest commits and their
    /// parents.
    ///
    /// # Errors
    /// As [`Repo::copy_remote_refs`].
    pub fn copy_remote_tips(
        &self,
        remote: &str,
        copies: &[RefCopy],
        limit: Duration,
    ) -> Result<(), GitError> {
        let depth: &[&str] = if self.is_shallow() {
            &["--depth=2"]
        } else {
            &[]
        };
        self.fetch_copies(remote, copies, depth, limit)
    }

    /// Returns the branch that a remote begins at; `None` if it names none. This is an act.
    ///
    /// # Errors
    /// The complaint of git, or that it took longer than `limit`.
    pub fn remote_default_branch(
        &self,
        remote: &str,
        limit: Duration,
    ) -> Result<Option<String>, GitError> {
        let _act = self.begin_act();
        let words = ["ls-remote", "--quiet", "--symref", "--end-of-options"];
        let call = self.acting(words).limited(limit).arg(remote).arg("HEAD");
        let said = String::from_utf8_lossy(&call.output()?).into_owned();
        let mut named = said.lines().filter_map(|line| {
            let branch = line.strip_prefix("ref: refs/heads/")?;
            branch.strip_suffix("\tHEAD")
        });
        Ok(named.next().map(str::to_owned))
    }

    fn fetch_copies(
        &self,
        remote: &str,
        copies: &[RefCopy],
        depth: &[&str],
        limit: Duration,
    ) -> Result<(), GitError> {
        let _act = self.begin_act();
        let words = [
            "fetch",
            "--quiet",
            "--prune",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--no-auto-maintenance",
            "--refmap=",
        ];
        let words = words.iter().chain(depth).chain(&["--end-of-options"]);
        let call = self.acting(words.copied()).limited(limit).arg(remote);
        let call = copies.iter().fold(call, |call, copy| {
            call.arg(format!("+{}:{}", copy.from, copy.to))
        });
        call.output()?;
        flushing::flush_new_objects(self.common_dir())?;
        let mut folders = copies
            .iter()
            .map(|copy| flushing::flush_ref(self.common_dir(), &copy.to));
        folders.try_for_each(|flushed| flushed)
    }

    /// Returns the refs below a folder of names, which ends with a slash, by the rest of their names.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn refs_below(&self, folder: &str) -> Result<Vec<(String, String)>, GitError> {
        let kept = self.kept_texts(folder)?.into_iter();
        Ok(kept.map(|kept| (kept.name, kept.object)).collect())
    }

    /// Writes a text as the message of a commit with an empty tree, which no ref names yet; returns
    /// the commit.
    ///
    /// # Errors
    /// A failure to write the object.
    pub fn write_ref_value(&self, text: &str, parents: &[&str]) -> Result<String, GitError> {
        let tree = self.write(
            "write an empty tree",
            |repo| Ok(repo.treebuilder(None)?.write()?.to_string()),
            || {
                Ok(first_line(
                    &self.acting(["mktree"]).answer_to(b"")?.success()?,
                ))
            },
        )?;
        self.write_commit(&NewCommit {
            tree: &tree,
            parents,
            message: text,
            by: CommitAuthor::Runtime,
            author: None,
        })
    }

    /// Reads a text that [`Repo::write_ref_value`] wrote, with the parents of its commit; `None` if the
    /// object is not here, is no commit, or its text is longer than `most_bytes`.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn ref_value(
        &self,
        object: &str,
        most_bytes: usize,
    ) -> Result<Option<(String, Vec<String>)>, GitError> {
        let fit = |text: &str| (text.len() <= most_bytes).then(|| text.to_owned());
        self.read(
            "read the value of a ref",
            |repo| {
                let commit = match repo.find_commit(oid(object)?) {
                    Ok(commit) => commit,
                    Err(error) if super::is_missing(&error) => return Ok(None),
                    Err(_) => return Ok(None),
                };
                let parents = commit.parent_ids().map(|id| id.to_string()).collect();
                let text = commit.message().unwrap_or_default();
                Ok(fit(text.trim_end()).map(|text| (text, parents)))
            },
            || {
                let call = self.reading(["cat-file", "commit", object]);
                let answer = call.answer()?;
                if !answer.status.success() {
                    return Ok(None);
                }
                let raw = String::from_utf8_lossy(&answer.out).into_owned();
                let (head, text) = raw.split_once("\n\n").unwrap_or((&raw, ""));
                let parents = head.lines().filter_map(|line| line.strip_prefix("parent "));
                let parents = parents.map(str::to_owned).collect();
                Ok(fit(text.trim_end()).map(|text| (text, parents)))
            },
        )
    }

    /// Returns true if the object is in the repository.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn has_object(&self, object: &str) -> Result<bool, GitError> {
        self.read(
            "look for an object",
            |repo| Ok(repo.odb()?.exists(oid(object)?)),
            || {
                Ok(self
                    .reading(["cat-file", "-e", object])
                    .answer()?
                    .status
                    .success())
            },
        )
    }

    /// Returns the object that a remote has under a full name; `None` if it has no such ref. This is an act.
    ///
    /// # Errors
    /// The complaint of git, or that it took longer than `limit`.
    pub fn remote_ref(
        &self,
        remote: &str,
        name: &str,
        limit: Duration,
    ) -> Result<Option<String>, GitError> {
        let _act = self.begin_act();
        let words = ["ls-remote", "--quiet", "--refs", "--end-of-options"];
        let call = self.acting(words).limited(limit).arg(remote).arg(name);
        let said = String::from_utf8_lossy(&call.output()?).into_owned();
        // Git takes the name for the end of one.
        let mut listed = said.lines().filter_map(|line| line.split_once('\t'));
        let found = listed.find(|(_, listed)| *listed == name);
        Ok(found.map(|(object, _)| object.to_owned()))
    }

    /// Pushes changes of refs in one transaction: all of them or none. This is an act.
    ///
    /// # Errors
    /// A failure of the git program here, before anything was sent.
    pub fn push_updates(
        &self,
        remote: &str,
        updates: &[RefUpdate],
        hooks: PushHooks,
        limit: Duration,
    ) -> Result<PushOutcome, GitError> {
        self.push(&["--atomic"], remote, updates, hooks, limit)
    }

    /// Pushes the change of one ref of ours; a remote need not know transactions, and no hook runs. This is an act.
    ///
    /// # Errors
    /// As [`Repo::push_updates`].
    pub fn push_update(
        &self,
        remote: &str,
        update: RefUpdate,
        limit: Duration,
    ) -> Result<PushOutcome, GitError> {
        self.push(&[], remote, &[update], PushHooks::Skip, limit)
    }

    fn push(
        &self,
        options: &[&str],
        remote: &str,
        updates: &[RefUpdate],
        hooks: PushHooks,
        limit: Duration,
    ) -> Result<PushOutcome, GitError> {
        let _act = self.begin_act();
        let words = [
            "push",
            "--porcelain",
            "--no-follow-tags",
            "--no-signed",
            "--recurse-submodules=no",
        ];
        let words = words.iter().chain(options).copied();
        let mut call = self.acting(words).limited(limit);
        if hooks == PushHooks::Skip {
            call = call.arg("--no-verify");
        }
        for update in updates {
            let old = update.old.as_deref().unwrap_or_default();
            call = call.arg(format!("--force-with-lease={}:{old}", update.name));
        }
        call = call.arg("--end-of-options").arg(remote);
        for update in updates {
            let new = update.new.as_deref().unwrap_or_default();
            call = call.arg(format!("{new}:{}", update.name));
        }
        match call.answer() {
            Ok(answer) => Ok(outcome_of(&answer)),
            // It was ended because it took too long; the remote may have it all the same.
            Err(GitError::Program { why, .. }) => Ok(PushOutcome::Unknown(why)),
            Err(error) => Err(error),
        }
    }
}

/// Reads git's report of a push.
fn outcome_of(answer: &GitOutput) -> PushOutcome {
    if answer.status.success() {
        return PushOutcome::Applied;
    }
    if String::from_utf8_lossy(&answer.err).contains(NO_ATOMIC) {
        return PushOutcome::NotAtomic;
    }
    let said = String::from_utf8_lossy(&answer.out);
    let refused: Vec<RefRefusal> = said.lines().filter_map(refusal_in).collect();
    let is_whole = said.lines().any(|line| line == REPORT_END);
    let complaint = match answer.complaint() {
        complaint if complaint.is_empty() => answer.status.to_string(),
        complaint => complaint,
    };
    // A remote that died behind the change leaves a report without an end.
    if !is_whole || refused.is_empty() {
        return PushOutcome::Unknown(complaint);
    }
    let (others, own): (Vec<_>, Vec<_>) =
        refused.into_iter().partition(|one| is_follow_up(&one.why));
    let mut forbidden: Vec<RefRefusal> = own.into_iter().filter(|one| !is_move(&one.why)).collect();
    if !forbidden.is_empty() {
        if let Some(words) = host_words(&answer.err) {
            for one in &mut forbidden {
                one.why = format!("{}: {words}", one.why);
            }
        }
        return PushOutcome::Forbidden(forbidden);
    }
    // Which ref could not be changed is in the remote's words only: another value, or a lock.
    let hint = remote_words(&answer.err);
    PushOutcome::Moved(hint.unwrap_or_else(|| {
        let first = others.first().map(|one| one.why.clone());
        first.unwrap_or(complaint)
    }))
}

/// Returns all that the remote printed, in one line: hosts say there which rule forbids a push, and where it is set.
fn host_words(err: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(err);
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix("remote:"))
        .map(|line| {
            let line = line.trim();
            line.strip_prefix("error:").unwrap_or(line).trim()
        });
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let letters = lines.join("; ");
    let letters = letters.chars().filter(|letter| !letter.is_control());
    let words: String = letters.take(MAX_WORDS).collect();
    (!words.is_empty()).then(|| words.trim_end_matches('.').to_owned())
}

/// Returns the remote's own complaint.
fn remote_words(err: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(err);
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("remote: error: "))?;
    Some(line.trim_end().to_owned())
}

/// Reads a refused ref: `!`, source and target, and the reason in parentheses.
fn refusal_in(line: &str) -> Option<RefRefusal> {
    let mut columns = line.strip_prefix("!\t")?.split('\t');
    let name = columns.next()?.rsplit(':').next()?.to_owned();
    let summary = columns.next().unwrap_or_default();
    let inner = summary
        .split_once('(')
        .and_then(|(_, rest)| rest.rsplit_once(')'));
    let why = inner.map_or(summary, |(inner, _)| inner).to_owned();
    Some(RefRefusal { name, why })
}

/// Returns true for a ref that was refused only because another one of the push was.
fn is_follow_up(why: &str) -> bool {
    why.starts_with("atomic push fail") || why == "atomic transaction failed"
}

/// Returns true for a refusal because a ref has another value by now, or is about to get one.
fn is_move(why: &str) -> bool {
    const MOVES: [&str; 6] = [
        "stale info", "fetch first", "needs force", "already exists", "failed to update ref",
        "cannot lock ref",
    ];
    MOVES.contains(&why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_ref_is_read_with_its_reason() {
        let line = "!\t1f:refs/chant/leases/a\t[rejected] (stale info)";
        let found = refusal_in(line).unwrap();
        assert_eq!(
            (&*found.name, &*found.why),
            ("refs/chant/leases/a", "stale info")
        );
        assert!(is_move(&found.why) && !is_follow_up(&found.why));
    }

    #[test]
    fn the_words_of_a_host_are_one_line() {
        let err = b"remote: error: GH006: Protected branch update failed for refs/heads/main.        \nremote: \nremote: - Changes must be made through a pull request.\nTo https://example.org\n";
        assert_eq!(
            host_words(err).unwrap(),
            "GH006: Protected branch update failed for refs/heads/main.; - Changes must be made through a pull request"
        );
        assert_eq!(host_words(b"To https://example.org\n"), None);
    }

    #[test]
    fn a_hook_forbids_and_a_lock_moves() {
        assert!(!is_move("pre-receive hook declined"));
        assert!(is_move("failed to update ref"));
        assert!(is_follow_up("atomic push failed"));
    }
}
