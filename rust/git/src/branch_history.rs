//! The history of a branch, walked once: its commits along first parents, what each of these changed, and with which of
//! them every other commit arrived.

use std::collections::{HashMap, HashSet, VecDeque};

use super::branches::oid;
use super::changed_files::{ChangedFile, between, changes_of};
use super::{GitError, Repo};

/// The commits among which an earlier one is looked for.
const MAX_LOOKED_AT: usize = 5_000;

/// A commit as the walk found it.
struct WalkedCommit {
    id: String,
    tree: String,
    parents: Vec<String>,
}

/// A branch with all commits that it has.
#[derive(Debug, Default)]
pub struct BranchHistory {
    /// The commits along first parents, the oldest first.
    line: Vec<String>,
    /// The parents of each commit.
    parents: HashMap<String, Vec<String>>,
    /// The place in `line` at which each commit arrived.
    arrivals: HashMap<String, usize>,
    /// The newest commit of each tree.
    by_tree: HashMap<String, String>,
}

impl BranchHistory {
    /// Takes commits, the newest first.
    fn of(tip: &str, walked: Vec<WalkedCommit>) -> Self {
        let mut history = Self::default();
        for commit in walked {
            let same = history.by_tree.entry(commit.tree);
            same.or_insert_with(|| commit.id.clone());
            history.parents.insert(commit.id, commit.parents);
        }
        let mut next = Some(tip.to_owned());
        while let Some(id) = next.filter(|id| history.parents.contains_key(id)) {
            next = history.first_parent(&id).map(str::to_owned);
            history.line.push(id);
        }
        history.line.reverse();
        for (at, id) in history.line.iter().enumerate() {
            let mut arriving = vec![id.clone()];
            while let Some(id) = arriving.pop() {
                let is_new = !history.arrivals.contains_key(&id);
                if let Some(parents) = history.parents.get(&id).filter(|_| is_new) {
                    arriving.extend(parents.iter().cloned());
                    history.arrivals.insert(id, at);
                }
            }
        }
        history
    }

    /// Returns the commits along first parents, the oldest first.
    pub fn line(&self) -> &[String] {
        &self.line
    }

    /// Returns the place in the line of the commit with which another one arrived; its own, if it is part of the line.
    pub fn arrival(&self, commit: &str) -> Option<usize> {
        self.arrivals.get(commit).copied()
    }

    /// Returns a commit with a tree, the newest if there are several.
    pub fn commit_with(&self, tree: &str) -> Option<&str> {
        self.by_tree.get(tree).map(String::as_str)
    }

    /// Returns the first parent of a commit.
    pub fn first_parent(&self, commit: &str) -> Option<&str> {
        let parents = self.parents.get(commit)?;
        parents.first().map(String::as_str)
    }

    /// Returns true for a commit with several parents.
    pub fn is_merge(&self, commit: &str) -> bool {
        self.parents_of(commit).nth(1).is_some()
    }

    /// Returns true if a commit has an earlier one among those before it, which are looked at up to a limit.
    pub fn is_before(&self, earlier: &str, commit: &str) -> bool {
        let mut seen: HashSet<&str> = HashSet::new();
        let mut waiting: VecDeque<&str> = self.parents_of(commit).collect();
        while let Some(id) = waiting.pop_front() {
            if id == earlier {
                return true;
            }
            if seen.len() < MAX_LOOKED_AT && seen.insert(id) {
                waiting.extend(self.parents_of(id));
            }
        }
        false
    }

    fn parents_of(&self, commit: &str) -> impl Iterator<Item = &str> {
        let parents = self.parents.get(commit).into_iter().flatten();
        parents.map(String::as_str)
    }
}

impl Repo {
    /// Returns the history of a branch, by the full id of its newest commit.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn branch_history(&self, tip: &str) -> Result<BranchHistory, GitError> {
        let walked = self.read(
            "walk through the history of a branch",
            |repo| {
                let mut walk = repo.revwalk()?;
                walk.set_sorting(git2::Sort::TIME)?;
                walk.push(oid(tip)?)?;
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
                let words = [
                    "--no-replace-objects", "log", "-z", "--no-decorate", "--no-show-signature",
                    "--format=%H %T %P", tip, "--",
                ];
                let mut walked = Vec::new();
                self.reading(words).each_field(|field| {
                    let field = String::from_utf8_lossy(field);
                    let mut ids = field.split_whitespace().map(str::to_owned);
                    if let (Some(id), Some(tree)) = (ids.next(), ids.next()) {
                        let parents = ids.collect();
                        walked.push(WalkedCommit { id, tree, parents });
                    }
                })?;
                Ok(walked)
            },
        )?;
        Ok(BranchHistory::of(tip, walked))
    }

    /// Returns the changes of each commit of a branch's line since its first parent, from a place in the line on.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn changes_along(
        &self,
        history: &BranchHistory,
        from: usize,
    ) -> Result<Vec<Vec<ChangedFile>>, GitError> {
        let line = history.line.get(from..).unwrap_or_default();
        let (Some(first), Some(last)) = (line.first(), line.last()) else {
            return Ok(Vec::new());
        };
        self.read(
            "list the changes of commits",
            |repo| {
                let mut before = match history.first_parent(first) {
                    Some(parent) => Some(repo.find_commit(oid(parent)?)?.tree()?),
                    None => None,
                };
                let mut changes = Vec::with_capacity(line.len());
                for id in line {
                    let tree = repo.find_commit(oid(id)?)?.tree()?;
                    changes.push(between(repo, before.as_ref(), &tree)?);
                    before = Some(tree);
                }
                Ok(changes)
            },
            || {
                let words = [
                    "--no-replace-objects",
                    "log",
                    "-z",
                    "--raw",
                    "--no-renames",
                    "--no-abbrev",
                    "--root",
                    "--first-parent",
                    "--diff-merges=first-parent",
                    "--no-decorate",
                    "--no-show-signature",
                    "--no-ext-diff",
                    "--format=%H",
                ];
                let mut call = self.reading(words).arg(last);
                if let Some(parent) = history.first_parent(first) {
                    call = call.arg(format!("^{parent}"));
                }
                let mut by_commit = changes_in(&call.arg("--").output()?);
                let of = |id: &String| by_commit.remove(id).unwrap_or_default();
                Ok(line.iter().map(of).collect())
            },
        )
    }
}

/// Reads what `git log -z --raw --format=%H` printed: ids of commits, each with its changes.
fn changes_in(out: &[u8]) -> HashMap<String, Vec<ChangedFile>> {
    let mut found: HashMap<String, Vec<ChangedFile>> = HashMap::new();
    let mut commit = String::new();
    let mut fields = out.split(|byte| *byte == 0);
    while let Some(field) = fields.next() {
        let start = field.iter().position(|byte| !byte.is_ascii_whitespace());
        let field = &field[start.unwrap_or(field.len())..];
        if field.first() != Some(&b':') {
            if !field.is_empty() {
                commit = String::from_utf8_lossy(field).trim().to_owned();
                found.entry(commit.clone()).or_default();
            }
            continue;
        }
        let pair = [field, fields.next().unwrap_or_default()].join(&0);
        found
            .entry(commit.clone())
            .or_default()
            .extend(changes_of(&pair));
    }
    found
}
