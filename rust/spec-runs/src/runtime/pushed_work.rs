//! Commits that a worker pushed to the remote, because they were too large to come back in a bundle: taken over from
//! there, and removed there once they have landed. What the worker says chooses neither the remote nor the ref.

use std::sync::Arc;
use std::time::Duration;

use super::run_folder::RunFolder;
use crate::cluster::job::remote_of;
use crate::leases::SpecRunLedger;
use crate::project::ProjectRuns;
use chant_base::error::Error;
use chant_config::leases::NAMESPACE;
use chant_git::commit_bundle::BundleLimits;
use chant_git::pushed_commits::PushedCommit;
use chant_git::remote_refs::{PushOutcome, RefUpdate};
use chant_git::{GitError, Repo};
use chant_leases::ref_names::run_ref;
use chant_specs::project::Project;
use chant_work::run_record::RunRecord;

/// The limits of what is taken over.
const LIMITS: BundleLimits = BundleLimits {
    bytes: 2 * 1024 * 1024 * 1024,
    unpacked: 4 * 1024 * 1024 * 1024,
    object: 256 * 1024 * 1024,
};
/// The time limit for fetching them.
const LONGEST_FETCH: Duration = Duration::from_secs(1800);
/// The same for a run that was asked to end: who asked waits.
const LONGEST_OF_STOPPED: Duration = Duration::from_secs(10);
/// The time limit for removing a ref.
const LONGEST_REMOVAL: Duration = Duration::from_secs(30);

/// The ref to which the worker of a run may push.
pub(super) struct PushedRef {
    repo: Arc<Repo>,
    remote: String,
    name: String,
}

impl PushedRef {
    /// Returns the ref of a run, by its own spec and token.
    ///
    /// # Errors
    /// `NotTaken` without a remote, or a failure to read the configuration.
    pub(super) fn of_run(project: &Project, record: &RunRecord) -> Result<Self, Error> {
        let config = project.snapshot()?.config.clone()?;
        let repo = project.repository()?;
        let remote = remote_of(&config).to_owned();
        if !repo.remotes()?.contains(&remote) {
            let why = format!("this repository has no remote {remote}");
            return Err(GitError::NotTaken { why }.into());
        }
        let key = SpecRunLedger::of(project, Arc::clone(&repo)).key(&record.spec_id);
        Ok(Self {
            repo,
            remote,
            name: run_ref(NAMESPACE, &key, record.token),
        })
    }

    /// Takes a commit over: the run's branch goes forward to it, and the folder of the run with its files.
    ///
    /// # Errors
    /// The fault of the commit, with the ref where the worker says that it is; nothing is taken over then.
    pub(super) fn take_over(
        &self,
        project: &Project,
        place: &RunFolder,
        commit: &str,
        is_stopped: bool,
    ) -> Result<(), Error> {
        let pushed = PushedCommit {
            remote: &self.remote,
            name: &self.name,
            commit,
        };
        let longest = if is_stopped {
            LONGEST_OF_STOPPED
        } else {
            LONGEST_FETCH
        };
        // What the folder held beside its commits was committed before it was sent.
        place.fetch(project, &self.repo)?;
        let start = place.branch_tip(&self.repo)?;
        let tree = place.tree(project, &self.repo)?;
        let taken = self
            .repo
            .take_in_pushed(&pushed, &start, &LIMITS, longest)
            .and_then(|()| tree.move_forward(commit));
        taken.map_err(|error| {
            let why = format!(
                "its worker says that it pushed {commit} to {} of {}: {error}",
                self.name, self.remote
            );
            GitError::NotTaken { why }.into()
        })
    }

    /// Removes the ref, if it still has the commit; returns the reason if that is not possible.
    fn remove(&self, commit: &str) -> Option<String> {
        let update = RefUpdate {
            name: self.name.clone(),
            old: Some(commit.to_owned()),
            new: None,
        };
        let removed = self.repo.push_update(&self.remote, update, LONGEST_REMOVAL);
        let why = match removed {
            Ok(PushOutcome::Applied) => return None,
            Ok(outcome) => outcome.complaint(),
            Err(error) => error.to_string(),
        };
        // The answer may have been lost, or a person was faster.
        let found = self
            .repo
            .remote_ref(&self.remote, &self.name, LONGEST_REMOVAL);
        (!matches!(found, Ok(None))).then_some(why)
    }
}

/// Removes what a landed run needs no more: what workers pushed for its spec, its folder, and its branch. Returns the
/// parts that were left in place, with the reasons.
pub(super) fn clear_landed(project: &Project, repo: &Repo, place: &RunFolder) -> Vec<String> {
    // Without its branch nothing says any more that it has those commits.
    let removed = remove_landed(project, repo, place);
    let mut left =
        removed.unwrap_or_else(|error| vec![format!("what was pushed was kept: {error}")]);
    left.extend(place.clear(project, repo));
    left
}

/// Removes the refs of a spec's runs from the remote, as far as the branch that landed has their commits. Returns those
/// that were left, with the reasons.
fn remove_landed(project: &Project, repo: &Repo, place: &RunFolder) -> Result<Vec<String>, Error> {
    let runs = project.runs()?;
    let Some(tip) = repo.branch_tip(&place.branch)? else {
        return Ok(Vec::new());
    };
    let mut left = Vec::new();
    for record in runs.of_spec(&place.spec_id)? {
        let placed = record.placed.as_ref();
        let Some(commit) = placed.and_then(|placed| placed.pushed.as_ref()) else {
            continue;
        };
        if !(repo.has_object(commit)? && repo.reaches(&tip, commit)?) {
            continue;
        }
        let kept = PushedRef::of_run(project, &record)?;
        if let Some(why) = kept.remove(commit) {
            left.push(format!("{} on {} was kept: {why}", kept.name, kept.remote));
            continue;
        }
        runs.update(&record.process_id, |record| {
            if let Some(placed) = &mut record.placed {
                placed.pushed = None;
            }
            Ok(())
        })?;
    }
    Ok(left)
}
