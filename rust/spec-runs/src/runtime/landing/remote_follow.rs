//! Brings the checkout up to the target on the remote that clones share, at the wish of a person and without a run.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::{ATTEMPTS, LOCK_TIMEOUT, describe_wait};
use crate::leases::SpecLeases;
use crate::merge::driver_merged;
use crate::project::ProjectRuns;
use crate::runtime::run_folder::in_git;
use crate::runtime::uncommitted_state;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_git::Repo;
use chant_git::land::{ExemptFile, LandingOutcome, LandingRequest, LandingWait};
use chant_specs::error::ChantError;
use chant_specs::parse;
use chant_specs::project::{Project, SPECS};
use chant_store::files;
use chant_work::lock::MergeLock;
use chant_work::run_store::RunStore;

/// The name that git's locks have while a checkout follows.
const ACT: &str = "checkout-follow";

/// The outcomes of bringing the checkout up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FollowOutcome {
    /// It had everything already.
    UpToDate,
    /// It is at the remote's commit now.
    Brought(String),
    /// Something is in its way, as this sentence says; nothing was touched.
    Waits(String),
}

/// Brings the local target and its checkout to the remote's target as the last look found it. Changes of the user's
/// are never overwritten: they make it wait.
///
/// # Errors
/// A lock that others keep, or a failure to read or write the repository.
pub(crate) fn follow_remote(
    project: &Project,
    leases: &SpecLeases<'_>,
    branch: &str,
) -> Result<FollowOutcome, Error> {
    let Some(view) = leases.last_look()? else {
        return Ok(FollowOutcome::Waits("the remote was not looked at".into()));
    };
    let (repo, runs) = (project.repository()?, project.runs()?);
    let follower = CheckoutFollower {
        project,
        runs: &runs,
        repo: &repo,
        branch,
        target: &view.target,
    };
    for _ in 0..ATTEMPTS {
        let _merge = MergeLock::acquire_for_checkout(&runs, LOCK_TIMEOUT)?;
        follower.free_own_locks()?;
        let local = repo.tip_for_work(branch)?;
        if repo.reaches(&local, &view.target)? {
            return Ok(FollowOutcome::UpToDate);
        }
        if !repo.reaches(&view.target, &local)? {
            let remote = leases.remote();
            return Ok(FollowOutcome::Waits(format!(
                "{branch} has commits that {remote} lacks: `git pull {remote} {branch}` unites them, then push"
            )));
        }
        if let Some(outcome) = follower.land(&local)? {
            return Ok(outcome);
        }
    }
    let message = format!("branch {branch} kept moving; try again");
    Err(ChantError::Refused(message).into())
}

struct CheckoutFollower<'a> {
    project: &'a Project,
    runs: &'a RunStore,
    repo: &'a Repo,
    branch: &'a str,
    target: &'a str,
}

impl CheckoutFollower<'_> {
    /// Releases the locks of one that was killed; who holds the lock of merges is the only one that follows.
    fn free_own_locks(&self) -> Result<(), Error> {
        for (lock, run) in self.repo.landing_locks()? {
            if run == ACT {
                self.repo.free_landing_lock(&lock, &run)?;
            }
        }
        Ok(())
    }

    /// Makes one attempt, with the specs in its way whose copies only have the state of a run; `None` if the branch
    /// moved meanwhile.
    fn land(&self, local: &str) -> Result<Option<FollowOutcome>, Error> {
        let mut exempt: Vec<ExemptFile> = Vec::new();
        loop {
            let waits = match self.try_land(local, &exempt)? {
                LandingOutcome::Done { .. } => {
                    self.hide_states(&exempt);
                    return Ok(Some(FollowOutcome::Brought(self.target.to_owned())));
                }
                LandingOutcome::Moved { .. } => return Ok(None),
                LandingOutcome::Waits(waits) => waits,
            };
            let more = self.copies_in_the_way(local, &waits)?;
            if more.is_empty() || !exempt.is_empty() {
                return Ok(Some(FollowOutcome::Waits(describe_wait(&waits).0)));
            }
            exempt = more;
        }
    }

    fn try_land(&self, local: &str, exempt: &[ExemptFile]) -> Result<LandingOutcome, Error> {
        let reached = |moment: &'static str| -> io::Result<()> { (self.runs.disk.reached)(moment) };
        let interrupted = [(local.to_owned(), self.target.to_owned())];
        Ok(self.repo.land(
            &LandingRequest {
                branch: self.branch,
                old: local,
                new: self.target,
                run: ACT,
                reason: "chant-mcp: follow the remote",
                exempt,
                interrupted: &interrupted,
                lock_timeout: LOCK_TIMEOUT.min(Duration::from_secs(5)),
            },
            &reached,
        )?)
    }

    /// Returns the files in the way if all of them are specs that only runs have changed here; none if anything else
    /// is among them.
    fn copies_in_the_way(
        &self,
        local: &str,
        waits: &LandingWait,
    ) -> Result<Vec<ExemptFile>, Error> {
        let LandingWait::Changes { blocked_by, .. } = waits else {
            return Ok(Vec::new());
        };
        let copies = blocked_by.iter().map(|path| self.copy_of(local, path));
        let copies: Option<Vec<ExemptFile>> = copies.collect::<Result<_, Error>>()?;
        Ok(copies.unwrap_or_default())
    }

    fn copy_of(&self, local: &str, path: &str) -> Result<Option<ExemptFile>, Error> {
        let inside = in_git(self.project, self.repo, SPECS)?;
        let top = inside.strip_suffix(SPECS).unwrap_or_default();
        let shown = path.strip_prefix(top);
        let Some(shown) = shown.filter(|shown| Path::new(shown).starts_with(SPECS)) else {
            return Ok(None);
        };
        let text = |commit: &str| -> Result<Option<String>, Error> {
            let bytes = self.repo.file_at(commit, path)?;
            Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
        };
        let (Some(before), Some(there)) = (text(local)?, text(self.target)?) else {
            return Ok(None);
        };
        let Ok((copy, _)) = files::read(&self.project.disk, self.project.documents(), shown) else {
            return Ok(None);
        };
        let Ok(merged) = driver_merged(&before, &copy, &there) else {
            return Ok(None);
        };
        // Words of the user's are not taken along in silence.
        if merged != there && !uncommitted_state::differ_in_state_alone(shown, &before, &copy) {
            return Ok(None);
        }
        Ok(Some(ExemptFile {
            path: path.to_owned(),
            was: Some(copy.into_bytes()),
            bytes: (merged != there).then(|| merged.into_bytes()),
        }))
    }

    fn hide_states(&self, exempt: &[ExemptFile]) {
        for file in exempt.iter().filter(|file| file.bytes.is_some()) {
            // The snapshot has to know the new text.
            self.project
                .snapshot()
                .log_failure("read the specs that followed the remote");
            uncommitted_state::hide(self.project, parse::stem(&file.path));
        }
    }
}
