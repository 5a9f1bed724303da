//! Says in CI whether a request, or a group of them, may land: each spec that it completes must be the work of the
//! newest lease.
//!
//! Nothing of the commit under test is asked what to compare with: the remote's own target names the leases.
//! This reads, and fetches refs; it runs nothing of the project and needs no trust in its folder.

use std::collections::BTreeSet;
use std::time::Duration;

use super::receipts::{chosen_remote, config_at};
use crate::leases::SpecRunLedger;
use crate::project::ProjectRuns;
use crate::runtime::run_folder::in_git;
use crate::view::fence::{FenceReport, FencedSpec};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_config::Config;
use chant_git::remote_refs::RefCopy;
use chant_git::{GitError, Repo};
use chant_leases::client::RunLedger;
use chant_leases::record::{LeaseRecord, LeaseState, MAX_BYTES, RefValue, UnreadableValue};
use chant_specs::error::ChantError;
use chant_specs::project::{ARCHIVE, Project, SPECS};
use chant_store::state::escape_name;

/// How long a fetch may take.
const LIMIT: Duration = Duration::from_secs(300);

/// What is to be held against the remote.
#[derive(Debug, Clone, Copy)]
pub struct FenceQuery<'a> {
    /// The revision: the newest commit of a request, or that of a merge group.
    pub reference: &'a str,
    /// The name of the remote; else the only one, or `origin`.
    pub remote: Option<&'a str>,
    /// The branch on the remote that is protected; else the one that its configuration names.
    pub target: Option<&'a str>,
    /// True if the commit is of a merge group, where the request's own commits need not be found again.
    pub is_merge_group: bool,
}

/// `fence`: says of each spec that a commit completes whether it is the work of the newest lease.
///
/// # Errors
/// That there is no repository, remote or commit, that the target's configuration has no leases, or what git
/// complained of.
pub fn fence(project: &Project, query: FenceQuery<'_>) -> Result<Answer, Error> {
    let repo = project.repository()?;
    let remote = chosen_remote(&repo, query.remote)?;
    let head = repo.commit(query.reference)?;
    let target = FenceTarget::fetch(project, &repo, &remote, query.target)?;
    let fence = LandingFence {
        repo: &repo,
        ledger: SpecRunLedger::of(project, repo.clone()),
        target: &target,
        head: &head,
        is_merge_group: query.is_merge_group,
    };
    let mut specs = Vec::new();
    for id in changed_specs(project, &repo, &target.commit, &head)? {
        specs.extend(fence.judge(&id)?);
    }
    Ok(Answer::whole(&FenceReport {
        reference: query.reference.to_owned(),
        commit: head.clone(),
        passes: specs.iter().all(|spec| spec.passes),
        target: format!("{remote}/{}", target.branch),
        remote,
        specs,
    }))
}

/// Returns the specs whose files differ between two commits.
fn changed_specs(
    project: &Project,
    repo: &Repo,
    from: &str,
    to: &str,
) -> Result<BTreeSet<String>, Error> {
    let folders = [
        in_git(project, repo, SPECS)? + "/",
        in_git(project, repo, ARCHIVE)? + "/",
    ];
    let paths = repo.differing(from, to)?;
    let below = paths
        .iter()
        .filter(|path| folders.iter().any(|folder| path.starts_with(folder)));
    let ids = below.filter_map(|path| path.rsplit('/').next()?.strip_suffix(".md"));
    Ok(ids.map(str::to_owned).collect())
}

/// The protected branch on the remote, and where the leases are.
struct FenceTarget {
    branch: String,
    commit: String,
    /// The folder of the leases' copies here.
    leases: String,
}

impl FenceTarget {
    fn fetch(
        project: &Project,
        repo: &Repo,
        remote: &str,
        named: Option<&str>,
    ) -> Result<Self, Error> {
        let copies = format!("refs/chant/fenced/{}", escape_name(remote));
        let first = match named {
            Some(named) => named.to_owned(),
            None => repo.remote_default_branch(remote, LIMIT)?.ok_or_else(|| {
                let message = format!("{remote} does not say at which branch it begins. Name the protected branch with --target.");
                ChantError::Refused(message)
            })?,
        };
        let mut target = fetch_branch(repo, remote, &first, &copies)?;
        let mut config = target_config(project, repo, remote, &target.0, &target.1)?;
        if named.is_none() && config.main_branch() != first {
            target = fetch_branch(repo, remote, config.main_branch(), &copies)?;
            config = target_config(project, repo, remote, &target.0, &target.1)?;
        }
        let (branch, commit) = target;
        let settings = config.leases.ok_or_else(|| {
            let message = format!("The configuration on {remote}/{branch} has no `leases`, so nothing there says which work is the newest. Set `leases` there first.");
            ChantError::Refused(message)
        })?;
        let leases = format!("{copies}/leases/");
        let all = RefCopy {
            from: format!("{}/leases/*", settings.namespace),
            to: format!("{leases}*"),
        };
        repo.copy_remote_tips(remote, &[all], LIMIT)?;
        Ok(Self {
            branch,
            commit,
            leases,
        })
    }
}

/// Fetches a branch; returns its name and its commit.
fn fetch_branch(
    repo: &Repo,
    remote: &str,
    branch: &str,
    copies: &str,
) -> Result<(String, String), Error> {
    let copy = RefCopy {
        from: format!("refs/heads/{branch}"),
        to: format!("{copies}/target"),
    };
    let name = copy.to.clone();
    repo.copy_remote_tips(remote, &[copy], LIMIT)?;
    Ok((branch.to_owned(), repo.commit(&name)?))
}

fn target_config(
    project: &Project,
    repo: &Repo,
    remote: &str,
    branch: &str,
    commit: &str,
) -> Result<Config, Error> {
    let config = config_at(project, repo, commit)?;
    let missing = || {
        let message = format!(
            "{remote}/{branch} has no configuration of this project, so nothing there says which work is the newest."
        );
        ChantError::Refused(message).into()
    };
    config.ok_or_else(missing)
}

/// The cause that a spec has no lease that counts.
#[derive(Debug, thiserror::Error)]
enum NoLease {
    #[error("no clone claimed it: it has no lease")]
    Unclaimed,
    #[error("its lease cannot be read: it is no value of ours")]
    Foreign,
    #[error("its lease cannot be read: {0}")]
    Unreadable(#[from] UnreadableValue),
    #[error("its lease is that of '{0}'")]
    OfOther(String),
    #[error(transparent)]
    Git(#[from] GitError),
}

struct LandingFence<'a> {
    repo: &'a Repo,
    ledger: SpecRunLedger<'a>,
    target: &'a FenceTarget,
    head: &'a str,
    is_merge_group: bool,
}

impl LandingFence<'_> {
    /// Judges a spec; `None` for one that the commit does not complete, or that is completed already.
    fn judge(&self, id: &str) -> Result<Option<FencedSpec>, Error> {
        let key = self.ledger.key(id);
        let Some(token) = self.ledger.completed_in(self.head, &key)? else {
            return Ok(None);
        };
        if self
            .ledger
            .completed_in(&self.target.commit, &key)?
            .is_some()
        {
            return Ok(None);
        }
        let fault = match self.lease(&key) {
            Ok(lease) => self.fault(id, token, &lease)?,
            Err(NoLease::Git(error)) => return Err(error.into()),
            Err(missing) => Some(missing.to_string()),
        };
        Ok(Some(FencedSpec {
            spec_id: id.to_owned(),
            token,
            passes: fault.is_none(),
            why: fault.unwrap_or_else(|| format!("the work of token {token}, which is the newest")),
        }))
    }

    /// Returns the newest lease of a spec.
    fn lease(&self, key: &str) -> Result<LeaseRecord, NoLease> {
        let name = escape_name(key);
        let all = self.repo.refs_below(&self.target.leases)?;
        let found = all.into_iter().find(|(own, _)| *own == name);
        let (_, object) = found.ok_or(NoLease::Unclaimed)?;
        let value = self.repo.ref_value(&object, MAX_BYTES)?;
        // Anybody with rights to push can have written it.
        let (text, _) = value.ok_or(NoLease::Foreign)?;
        let lease = LeaseRecord::read(&text)?;
        if lease.spec != key {
            return Err(NoLease::OfOther(lease.spec));
        }
        Ok(lease)
    }

    /// Returns why work of a token must not land.
    fn fault(&self, id: &str, token: u64, lease: &LeaseRecord) -> Result<Option<String>, Error> {
        if lease.token != token {
            return Ok(Some(format!(
                "this is the work of token {token}, and the newest is token {} of {} on {}",
                lease.token, lease.orchestrator, lease.host
            )));
        }
        if lease.state != LeaseState::Proposed {
            return Ok(Some(format!(
                "its lease is {}, and only proposed work lands",
                lease.state.as_str()
            )));
        }
        let proposed = lease.commit.as_deref().unwrap_or_default();
        if !self.is_merge_group {
            let is_it = proposed == self.head;
            return Ok((!is_it).then(|| {
                format!(
                    "the request ends with commit {}, and what was proposed is {proposed}",
                    self.head
                )
            }));
        }
        if proposed.is_empty() || !self.repo.has_object(proposed)? {
            return Ok(Some(format!(
                "the proposed commit {proposed} is not in this clone; fetch more of the history"
            )));
        }
        let is_same = self.ledger.spec_at(proposed, id)? == self.ledger.spec_at(self.head, id)?;
        Ok((!is_same).then(|| format!("its file is not that of the proposed commit {proposed}")))
    }
}
