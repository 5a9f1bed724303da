//! Shares work that was done without the remote: its spec is claimed there first, then the work lands as any other.

use std::cell::RefCell;

use super::completion_details::CompletionDetails;
use super::landing::{CheckTerms, RunLanding, RunLandingOutcome};
use super::run_folder::RunFolder;
use crate::error::SpecRunError;
use crate::leases::SpecLeases;
use crate::project::ProjectRuns;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_base::plural::first_of;
use chant_config::Config;
use chant_config::leases::LandingWay;
use chant_git::Repo;
use chant_leases::answer::LeaseRefusal;
use chant_proof::completion::MAX_NAMED;
use chant_specs::error::ChantError;
use chant_specs::project::Project;
use chant_work::cancel_token::CancelToken;
use chant_work::lock::SpecLock;
use chant_work::run_record::RunRecord;
use chant_work::run_store::RunStore;
use chant_work::state::RunState;

/// Returns true for a run whose work landed in this clone only, where clones share specs.
pub(crate) fn is_unshared(config: &Config, record: &RunRecord) -> bool {
    config.leases.is_some()
        && record.asked.offline
        && record.works_on_spec()
        && record.state() == RunState::Completed
}

/// Work that landed in this clone only.
struct OfflineWork<'a> {
    project: &'a Project,
    runs: &'a RunStore,
    repo: &'a Repo,
    leases: &'a SpecLeases<'a>,
    config: &'a Config,
    place: RunFolder,
    lock: SpecLock,
    /// The commit with which it landed here.
    landed: String,
}

/// Claims the spec of a run that landed in this clone only, and lands its work on the remote. Returns the
/// reason where it did not; the work is then on its branch again.
///
/// # Errors
/// That another clone holds the spec, that the remote does not answer, or a failure on this machine.
pub(crate) fn share_offline_work(
    project: &Project,
    runs: &RunStore,
    record: &RunRecord,
) -> Result<Option<String>, Error> {
    let config = project.snapshot()?.config.clone()?;
    let repo = project.repository()?;
    let Some(leases) = SpecLeases::of(project, &config)? else {
        return Ok(None);
    };
    let place = RunFolder::of(project, &repo, record)?;
    let lock = SpecLock::acquire_free(runs, &record.spec_id)?;
    let (Some(place), Some(lock), Some(landed)) = (place, lock, record.merge.commit.clone()) else {
        let why = "another process works on the spec, or nothing says what was merged";
        return Ok(Some(why.into()));
    };
    let work = OfflineWork {
        project,
        runs,
        repo: &repo,
        leases: &leases,
        config: &config,
        place,
        lock,
        landed,
    };
    work.share(record)
}

impl OfflineWork<'_> {
    fn share(&self, record: &RunRecord) -> Result<Option<String>, Error> {
        let id = &*record.spec_id;
        if self.leases.landing() == LandingWay::Pr {
            self.restore_branch()?;
            return Ok(Some(format!(
                "work lands by requests here, and this has none. It is on branch {}; push that and open a request by hand",
                self.place.branch
            )));
        }
        let above = self.runs.token(id)?.unwrap_or(0);
        let claim = self.leases.claim_all(&[(id, above)])?.pop();
        let claimed = match claim.transpose() {
            Ok(claimed) => claimed,
            Err(error) => return self.refused(record, error),
        };
        let Some((token, lease)) = claimed else {
            return Ok(Some("the remote was not asked".into()));
        };
        let target = lease.base.clone();
        // The token is this work's; the next run gets a higher one.
        self.runs.raise_token(id, token + 1)?;
        let record = self.runs.update(&record.process_id, |record| {
            record.token = token;
            record.lease = Some(lease.clone());
            Ok(())
        })?;
        let refused = match self.unpublished(&target)? {
            Some(why) => Some(why),
            None => self.land(&record)?,
        };
        // A lease that was claimed for nothing would keep the spec from other clones.
        if refused.is_some() {
            self.runs.update(&record.process_id, |record| {
                record.lease = None;
                Ok(())
            })?;
            self.leases.free(id, 0).log_failure("give a lease back");
        }
        Ok(refused)
    }

    /// The answer where the spec may not be claimed.
    fn refused(&self, record: &RunRecord, error: Error) -> Result<Option<String>, Error> {
        let Some(SpecRunError::Lease {
            refusal: LeaseRefusal::Completed { .. },
            ..
        }) = error.downcast_ref()
        else {
            return Err(error);
        };
        let target = self.leases.last_look()?.map(|view| view.target);
        if let Some(target) = target
            && self.repo.reaches(&target, &self.landed)?
        {
            // Somebody pushed it by hand.
            self.note_shared(record)?;
            return Ok(None);
        }
        self.restore_branch()?;
        Ok(Some(format!(
            "it was landed on {} by another clone meanwhile. This work was not pushed: it stays on branch {}, and in {} of this clone until you bring that up to date",
            self.leases.remote(),
            self.place.branch,
            self.place.target
        )))
    }

    /// Returns the reason not to push where the work stands on commits of the user's that the remote does not have.
    fn unpublished(&self, target: &str) -> Result<Option<String>, Error> {
        let parents = self.repo.ref_value(&self.place.base, usize::MAX)?;
        let mut below = parents.map(|(_, parents)| parents).unwrap_or_default();
        below.retain(|commit| !self.repo.reaches(target, commit).unwrap_or(false));
        let Some(commit) = below.first() else {
            return Ok(None);
        };
        Ok(Some(format!(
            "the work began at {commit}, which {} of {} does not have. Push that first",
            self.place.target,
            self.leases.remote()
        )))
    }

    /// Makes the branch of the work again, which went when it landed here.
    fn restore_branch(&self) -> Result<(), Error> {
        let merged = self.repo.ref_value(&self.landed, usize::MAX)?;
        let tip = merged.and_then(|(_, parents)| parents.get(1).cloned());
        let tip = tip.unwrap_or_else(|| self.landed.clone());
        Ok(self.repo.restore_branch(&self.place.branch, &tip)?)
    }

    fn land(&self, record: &RunRecord) -> Result<Option<String>, Error> {
        self.restore_branch()?;
        let interruption = CancelToken::new()?;
        let landing = RunLanding {
            project: self.project,
            runs: self.runs,
            repo: self.repo,
            process_id: &record.process_id,
            place: &self.place,
            lock: &self.lock,
            finish: CompletionDetails::of(&record.commits, record),
            original: None,
            agreed: None,
            checks: Some(CheckTerms {
                config: self.config,
                interruption: &interruption,
            }),
            notes: RefCell::default(),
        };
        let why = match landing.land_on_remote(self.leases, record)? {
            RunLandingOutcome::Merged => {
                for left in landing.complete()? {
                    tracing::warn!(run = %record.process_id, %left, "work that was shared left something");
                }
                self.note_shared(record)?;
                return Ok(None);
            }
            RunLandingOutcome::Waits { why, .. }
            | RunLandingOutcome::Doubtful(why)
            | RunLandingOutcome::Overtaken(why) => why,
            RunLandingOutcome::Stale => "a newer run of the spec was started".into(),
            RunLandingOutcome::ActsAnew(change) => format!(
                "it {}: {}. Push it by hand",
                change.reason(),
                first_of(&change.lines, MAX_NAMED, "; ")
            ),
            RunLandingOutcome::Conflicts { conflicts, .. } => {
                let paths = conflicts.iter().map(|conflict| &*conflict.path);
                let paths: Vec<&str> = paths.collect();
                format!(
                    "it conflicts with {} of {} in {}; it stays on branch {}",
                    self.place.target,
                    self.leases.remote(),
                    first_of(&paths, MAX_NAMED, ", "),
                    self.place.branch
                )
            }
        };
        Ok(Some(why))
    }

    fn note_shared(&self, record: &RunRecord) -> Result<(), Error> {
        self.runs.update(&record.process_id, |record| {
            record.asked.offline = false;
            Ok(())
        })?;
        Ok(())
    }
}

/// Returns the words with which work that was not shared is refused.
pub(crate) fn not_shared(spec_id: &str, why: &str) -> Error {
    let message = format!("The work on spec '{spec_id}', done offline, was not shared: {why}.");
    ChantError::Refused(message).into()
}
