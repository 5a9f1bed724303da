//! The history of a branch: its commits along first parents, and with which of them every other commit arrived.

use std::collections::{HashMap, HashSet, VecDeque};

use chant_git::history::WalkedCommit;

/// The commits among which an earlier one is looked for.
const MAX_LOOKED_AT: usize = 5_000;

/// A branch with all commits that it has.
#[derive(Debug, Default)]
pub(crate) struct BranchHistory {
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
    pub(crate) fn of(tip: &str, walked: Vec<WalkedCommit>) -> Self {
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
    pub(crate) fn line(&self) -> &[String] {
        &self.line
    }

    /// Returns the place in the line of the commit with which another one arrived; its own, if it is part of the line.
    pub(crate) fn arrival(&self, commit: &str) -> Option<usize> {
        self.arrivals.get(commit).copied()
    }

    /// Returns a commit with a tree, the newest if there are several.
    pub(crate) fn commit_with(&self, tree: &str) -> Option<&str> {
        self.by_tree.get(tree).map(String::as_str)
    }

    /// Returns the first parent of a commit.
    pub(crate) fn first_parent(&self, commit: &str) -> Option<&str> {
        let parents = self.parents.get(commit)?;
        parents.first().map(String::as_str)
    }

    /// Returns true for a commit with several parents.
    pub(crate) fn is_merge(&self, commit: &str) -> bool {
        self.parents_of(commit).nth(1).is_some()
    }

    /// Returns true if a commit has an earlier one among those before it, which are looked at up to a limit.
    pub(crate) fn is_before(&self, earlier: &str, commit: &str) -> bool {
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
