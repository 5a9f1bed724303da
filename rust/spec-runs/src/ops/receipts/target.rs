//! Which history completed work has to be in, and what the target's own configuration asks for. Never what the
//! branch under test says: that could ask for less.

use std::collections::{BTreeMap, HashMap};

use crate::project::run_tree::RunTreeContext;
use crate::receipt::judgement::ReceiptLocation;
use chant_base::error::Error;
use chant_base::next_step::{NextStep, hint};
use chant_config::Config;
use chant_config::receipts::ReceiptPolicy;
use chant_git::Repo;
use chant_git::history::WalkedCommit;
use chant_specs::error::ChantError;
use chant_specs::project::{CONFIG, Project, ProjectSnapshot};

/// Some commits with all their ancestors.
#[derive(Debug, Clone, Default)]
struct CommitHistory {
    trees: HashMap<String, String>,
    commits: HashMap<String, String>,
}

impl CommitHistory {
    fn of(walked: Vec<WalkedCommit>) -> Self {
        let mut history = Self::default();
        for WalkedCommit { id, tree, .. } in walked {
            // The walk starts with the newest commit, so the newest of several with the same tree
            // is kept.
            history
                .commits
                .entry(tree.clone())
                .or_insert_with(|| id.clone());
            history.trees.insert(id, tree);
        }
        history
    }

    /// Returns the tree of a commit; `None` when it is not in this history.
    fn tree_of(&self, commit: &str) -> Option<&str> {
        self.trees.get(commit).map(String::as_str)
    }

    /// Returns a commit of this history that has a tree; the newest if there are several.
    fn commit_with(&self, tree: &str) -> Option<&str> {
        self.commits.get(tree).map(String::as_str)
    }
}

/// The target with all that is asked of it.
pub(super) struct ReceiptTarget {
    /// The name of the branch or commit.
    pub(super) name: String,
    /// The receipts that it asks for: the most of what its commits say.
    pub(super) policy: ReceiptPolicy,
    /// The checks that it, or the checkout, configures.
    pub(super) checks: BTreeMap<String, Vec<String>>,
    histories: Vec<(String, CommitHistory)>,
    /// The commit whose lists of signers count.
    tip: String,
    is_shallow: bool,
}

impl ReceiptTarget {
    /// The target that is named; else the branch that the remote `origin` begins at, as it is here and as it was
    /// fetched last; in a repository without remotes the configured main branch.
    ///
    /// # Errors
    /// When it is not known, or its configuration cannot be read: that is no leave to ask for nothing.
    pub(super) fn of(
        project: &Project,
        snapshot: &ProjectSnapshot,
        repo: &Repo,
        named: Option<&str>,
    ) -> Result<Self, Error> {
        let (name, tips) = target_tips(project, snapshot, repo, named)?;
        let mut policy = ReceiptPolicy::default();
        let mut checks = BTreeMap::new();
        for tip in &tips {
            if let Some(config) = config_at(project, repo, tip)? {
                policy = policy.and(config.receipts);
                checks.extend(config.runs.checks);
            }
        }
        if let Ok(config) = &snapshot.config {
            let own = config.runs.checks.iter();
            checks.extend(own.map(|(name, argv)| (name.clone(), argv.clone())));
        }
        let mut histories = vec![(name.clone(), CommitHistory::of(repo.walk(&tips)?))];
        // What is checked out is on its way there, such as a branch that asks to be merged.
        if let Some(head) = repo.head()?.commit()
            && histories[0].1.tree_of(head).is_none()
        {
            let label = "what is checked out".to_owned();
            histories.push((label, CommitHistory::of(repo.walk(&[head.to_owned()])?)));
        }
        Ok(Self {
            name,
            policy,
            checks,
            histories,
            tip: deciding_tip(repo, &tips)?,
            is_shallow: repo.is_shallow(),
        })
    }

    /// Where a commit is found, or another one with its tree; with the commit that was found.
    pub(super) fn place_of(&self, commit: &str, tree: &str) -> (ReceiptLocation, Option<String>) {
        for (of, history) in &self.histories {
            if let Some(own) = history.tree_of(commit) {
                let place = ReceiptLocation::Commit {
                    of: of.clone(),
                    tree: own.to_owned(),
                };
                return (place, Some(commit.to_owned()));
            }
        }
        for (of, history) in &self.histories {
            if let Some(same) = history.commit_with(tree) {
                let place = ReceiptLocation::SameTree {
                    of: of.clone(),
                    commit: same.to_owned(),
                };
                return (place, Some(same.to_owned()));
            }
        }
        let names: Vec<&str> = self.histories.iter().map(|(name, _)| &**name).collect();
        let place = ReceiptLocation::Absent {
            of: names.join(" or "),
            is_shallow: self.is_shallow,
        };
        (place, None)
    }

    /// Returns the commit whose lists of signers count.
    pub(super) fn tip(&self) -> &str {
        &self.tip
    }

    /// Returns true if a commit of the histories has a tree.
    pub(super) fn knows_tree(&self, tree: &str) -> bool {
        let mut histories = self.histories.iter();
        histories.any(|(_, history)| history.commit_with(tree).is_some())
    }
}

/// The target's name with its newest commits, here and at the remote.
///
/// # Errors
/// As [`ReceiptTarget::of`].
pub(super) fn target_tips(
    project: &Project,
    snapshot: &ProjectSnapshot,
    repo: &Repo,
    named: Option<&str>,
) -> Result<(String, Vec<String>), Error> {
    match named {
        Some(named) => Ok((named.to_owned(), vec![repo.commit(named)?])),
        None => usual(project, snapshot, repo),
    }
}

/// The commit of a branch whose lists of signers count: that of the remote, unless what is here goes beyond it. Where
/// both went on, what the remote revoked is not to be missed.
fn deciding_tip(repo: &Repo, tips: &[String]) -> Result<String, Error> {
    let (Some(own), Some(remote)) = (tips.first(), tips.last()) else {
        return Ok(String::new());
    };
    let is_ahead = repo.reaches(own, remote)?;
    Ok(if is_ahead { own } else { remote }.clone())
}

/// The branch that is meant when none is named, with its newest commits here and at the remote.
fn usual(
    project: &Project,
    snapshot: &ProjectSnapshot,
    repo: &Repo,
) -> Result<(String, Vec<String>), Error> {
    let name = match repo.usual_remote_branch()? {
        Some(branch) => branch,
        None if repo.has_remote_branches()? => {
            let message = "Which branch is the target? The branch under test may say something else, and nothing here says at which branch the remote begins (`git remote set-head origin --auto` finds out).";
            let target = NextStep::NameTarget("origin/main".into());
            let hint = hint![" Name it with ", target, "."];
            return Err(ChantError::Refused(message.into()).advise(hint).into());
        }
        None => {
            let config = snapshot.config.as_ref().map_err(Clone::clone)?;
            let context = RunTreeContext {
                project,
                config,
                repo,
            };
            context.main_branch()?
        }
    };
    let tips = [repo.branch_tip(&name)?, repo.remote_tip(&name)?];
    let tips: Vec<String> = tips.into_iter().flatten().collect();
    if tips.is_empty() {
        let message = format!("The target branch `{name}` does not exist.");
        let target = NextStep::NameTarget("BRANCH".into());
        let hint = hint![" Name the target with ", target, "."];
        return Err(ChantError::Refused(message).advise(hint).into());
    }
    Ok((name, tips))
}

/// The configuration that a commit holds; `None` where it holds none.
pub(in crate::ops) fn config_at(
    project: &Project,
    repo: &Repo,
    commit: &str,
) -> Result<Option<Config>, Error> {
    let Some(path) = project.path_in_repository(repo, CONFIG) else {
        return Ok(None);
    };
    let Some(bytes) = repo.file_at(commit, &path)? else {
        return Ok(None);
    };
    let text = String::from_utf8_lossy(&bytes);
    let name = format!("{CONFIG} of commit {commit}");
    Ok(Some(Config::read(None, Some((&name, &text)), None)?))
}
