//! Lands the work of a run on the remote that clones share: the target and the lease move in one push,
//! or neither does. The checkout follows as far as it can; it is a view of what landed.

use std::cell::Cell;

use super::train::{CheckTerms, TrainChecker};
use super::{
    ATTEMPTS, LOCK_TIMEOUT, MergeInputs, RunLanding, RunLandingOutcome, open_criteria, own_conflict,
};
use crate::leases::{MergedWork, RemoteTarget, SpecLeases, lost_sentence};
use crate::merge::merge_specs;
use crate::receipt_store::{LandedRun, prepare_of_run};
use chant_base::error::Error;
use chant_config::leases::LandingWay;
use chant_git::merge::MergeOutcome;
use chant_leases::answer::{LeaseAnswer, LeaseRefusal};
use chant_leases::record::LeaseState;
use chant_specs::error::ChantError;
use chant_work::lock::MergeLock;
use chant_work::run_record::{MergeTry, RunRecord};

/// The number of attempts at a landing that waits for checks.
const CHECKED_ATTEMPTS: usize = 100;
/// Why work waits where no checks are run, as in a look at what dead runs left.
const NO_CHECKS_HERE: &str =
    "the checks have to run on the merged work first; `chant-mcp merge ID` runs them and lands it";

/// A merge that may be pushed, or what a landing comes to without one.
pub(super) enum PreparedLanding {
    Merged {
        old: String,
        new: String,
    },
    Settled(RunLandingOutcome),
    /// The target has the work, with this commit.
    Landed(String),
}

impl RunLanding<'_> {
    /// Returns the leases under which a run lands; `None` for work that only this clone knows of.
    pub(super) fn leases(&self, record: &RunRecord) -> Result<Option<SpecLeases<'_>>, Error> {
        if record.asked.offline {
            return Ok(None);
        }
        let config = self.project.snapshot()?.config.clone()?;
        SpecLeases::of(self.project, &config)
    }

    /// Merges onto the target of the remote and pushes it there.
    ///
    /// # Errors
    /// The step that failed.
    pub(in crate::runtime) fn land_on_remote(
        &self,
        leases: &SpecLeases<'_>,
        record: &RunRecord,
    ) -> Result<RunLandingOutcome, Error> {
        if leases.landing() == LandingWay::Pr {
            return self.land_by_request(leases, record);
        }
        self.push_to_remote(leases, record)
    }

    /// Merges onto the target of the remote, and pushes that to it, or to the branch of a request.
    ///
    /// # Errors
    /// The step that failed.
    pub(super) fn push_to_remote(
        &self,
        leases: &SpecLeases<'_>,
        record: &RunRecord,
    ) -> Result<RunLandingOutcome, Error> {
        let is_proposed = leases.landing() == LandingWay::Pr;
        let needs_checks = self.needs_checks()?;
        let terms = self.checks.filter(|_| needs_checks);
        let checker = terms.map(|terms| self.checker(leases, terms)).transpose()?;
        // Each landing that is refused for its checks has those behind it merge again.
        let attempts = if needs_checks {
            CHECKED_ATTEMPTS
        } else {
            ATTEMPTS
        };
        for _ in 0..attempts {
            let turn = self.take_turn(leases, record, needs_checks)?;
            let merge_lock = MergeLock::acquire(self.runs, self.lock, LOCK_TIMEOUT)?;
            if let Some(outcome) = self.refuse_stale(record)? {
                return Ok(outcome);
            }
            self.free_own_locks()?;
            let (old, new) = match self.prepare(leases, record)? {
                PreparedLanding::Settled(outcome) => return Ok(outcome),
                PreparedLanding::Landed(commit) => {
                    drop((merge_lock, turn));
                    return self.finish_on_remote(leases, &commit);
                }
                PreparedLanding::Merged { old, new } => (old, new),
            };
            if needs_checks && checker.is_none() {
                return Ok(waits(NO_CHECKS_HERE.into()));
            }
            self.note_try(&old, &new)?;
            self.runs.reached("before-land-push").map_err(Error::from)?;
            let release = || drop((merge_lock, turn));
            let answer = if is_proposed {
                leases.propose(record, &new, release)?
            } else {
                // The next landing of this clone stands on this one while it is on its way.
                let merged = MergedWork {
                    old: &old,
                    new: &new,
                    along: self.receipts_of(&new)?,
                    needs_checks,
                    settled: self
                        .original
                        .map(|original| original.record.process_id.clone()),
                };
                leases.land(record, merged, release, &mut || {
                    checker.as_ref().map_or(Ok(()), TrainChecker::step)
                })?
            };
            self.runs.reached("after-land-push").map_err(Error::from)?;
            match answer {
                LeaseAnswer::Claimed { .. } | LeaseAnswer::Numbered { .. } | LeaseAnswer::Done => {
                    return if is_proposed {
                        self.open_request(leases, record, &new)
                    } else {
                        self.finish_on_remote(leases, &new)
                    };
                }
                // The next attempt merges again, or finds whose work the target has.
                LeaseAnswer::Refused {
                    refusal: LeaseRefusal::Moved | LeaseRefusal::Completed { .. },
                } => {}
                // A try that a dead process left was taken along meanwhile.
                LeaseAnswer::Refused {
                    refusal: LeaseRefusal::Overtaken { lease: Some(lease) },
                } if lease.state == LeaseState::Landed && lease.token == record.token => {}
                LeaseAnswer::Refused {
                    refusal: refusal @ LeaseRefusal::Overtaken { .. },
                } => return Ok(RunLandingOutcome::Overtaken(refusal.to_string())),
                LeaseAnswer::Refused {
                    refusal: LeaseRefusal::Unchecked { why },
                }
                | LeaseAnswer::Unreachable { why } => return Ok(waits(why)),
                LeaseAnswer::Refused { refusal } => {
                    return Ok(RunLandingOutcome::Doubtful(refusal.to_string()));
                }
            }
        }
        let message = format!(
            "{} of {} kept moving; try again",
            self.place.target,
            leases.remote()
        );
        Err(ChantError::Refused(message).into())
    }

    /// Returns true if work lands only where the configured checks pass on what it comes to.
    fn needs_checks(&self) -> Result<bool, Error> {
        let config = self.project.snapshot()?.config.clone()?;
        Ok(config.checks_merged_work() && !config.runs.checks.is_empty())
    }

    fn checker<'a>(
        &'a self,
        leases: &'a SpecLeases<'_>,
        terms: CheckTerms<'a>,
    ) -> Result<TrainChecker<'a>, Error> {
        Ok(TrainChecker {
            project: self.project,
            runs: self.runs,
            repo: self.repo,
            client: leases.client()?,
            process_id: self.process_id,
            target: &self.place.target,
            terms,
            gathering: Cell::default(),
        })
    }

    /// Returns the receipts that belong to a landing with this commit: they reach the remote in its push.
    fn receipts_of(&self, commit: &str) -> Result<Vec<(String, String)>, Error> {
        let record = self.runs.get(self.process_id)?;
        let settled = self.original.map(|original| &original.record);
        let mut prepared = Vec::new();
        for landed in [Some(&record), settled].into_iter().flatten() {
            let run = LandedRun {
                record: landed,
                commit,
                merge: &record.merge,
            };
            match prepare_of_run(self.project, self.repo, run) {
                Ok(receipt) => prepared.push(receipt),
                // Work lands without its receipt rather than not at all.
                Err(error) => {
                    let note = format!("its receipt did not go along to the remote: {error}");
                    self.notes.borrow_mut().push(note);
                }
            }
        }
        Ok(prepared)
    }

    /// Merges onto the target as the remote has it, and judges the result.
    pub(super) fn prepare(
        &self,
        leases: &SpecLeases<'_>,
        record: &RunRecord,
    ) -> Result<PreparedLanding, Error> {
        use PreparedLanding::Settled;
        let target = match leases.target_now(record)? {
            RemoteTarget::Commit(target) => target,
            RemoteTarget::Unknown(why) => return Ok(Settled(waits(why))),
        };
        if let Some(landed) = self.landed_before(leases, record, &target)? {
            return Ok(landed);
        }
        let config = self.project.snapshot()?.config.clone()?;
        if let Some(why) = lost_sentence(self.project, &config)? {
            // Landed on top of it, this work would make the loss harder to mend.
            return Ok(Settled(waits(why)));
        }
        if let Some(why) = self.rewritten_target(leases, record, &target)? {
            return Ok(Settled(RunLandingOutcome::Doubtful(why)));
        }
        let mut sight = match self.look(&record.spec_id, target)? {
            Ok(sight) => sight,
            Err(why) => return Ok(Settled(RunLandingOutcome::Doubtful(why))),
        };
        if let Some(why) = self.unite_with_remote(&mut sight)? {
            return Ok(Settled(RunLandingOutcome::Doubtful(why)));
        }
        if let Some(stopped) = self.stopped_before_merge()? {
            return Ok(Settled(stopped));
        }
        let tried = MergeTry {
            old: sight.old.clone(),
            new: sight.tip.clone(),
        };
        let new = match self.merge(&sight)? {
            MergeOutcome::FastForward { commit } | MergeOutcome::Commit { commit, .. } => commit,
            MergeOutcome::Nothing => sight.old.clone(),
            MergeOutcome::Conflicts(conflicts) => {
                return Ok(Settled(
                    match own_conflict(&conflicts, &self.place.spec_in_git) {
                        Some(why) => RunLandingOutcome::Doubtful(why),
                        None => RunLandingOutcome::Conflicts { conflicts, tried },
                    },
                ));
            }
        };
        if let Some(why) = self.damage(&sight, &new)? {
            return Ok(Settled(RunLandingOutcome::Doubtful(why)));
        }
        if let Some(stopped) = self.stopped_by_its_change(&sight.old, &new)? {
            return Ok(Settled(stopped));
        }
        let new = match leases.landing() {
            LandingWay::Push => new,
            LandingWay::Pr => self.completing_commit(&mut sight, &new)?,
        };
        Ok(PreparedLanding::Merged {
            old: sight.old,
            new,
        })
    }

    /// Returns the reason not to land where the remote's target lost the commits on which the work stands: a merge
    /// would bring them back.
    fn rewritten_target(
        &self,
        leases: &SpecLeases<'_>,
        record: &RunRecord,
        target: &str,
    ) -> Result<Option<String>, Error> {
        let Some(lease) = &record.lease else {
            return Ok(None);
        };
        let has_base = |target: &str| -> Result<bool, Error> {
            Ok(self.repo.has_object(&lease.base)? && self.repo.reaches(target, &lease.base)?)
        };
        // A landing of this clone that is on its way may stand on an older target than this claim.
        let looked = leases.last_look()?.map(|view| view.target);
        if has_base(target)? || looked.is_some_and(|looked| has_base(&looked).unwrap_or(false)) {
            return Ok(None);
        }
        Ok(Some(format!(
            "{target} of {remote} was moved back or rewritten since this work began: it has not {base} any more, and to merge {branch} would bring that back. Rebase {branch} onto {remote}/{target} if the work is still wanted, then have the spec worked on again",
            target = self.place.target,
            remote = leases.remote(),
            base = lease.base,
            branch = self.place.branch,
        )))
    }

    /// Takes what others changed in the spec on the remote into its new text; returns why that is a person's.
    fn unite_with_remote(&self, sight: &mut MergeInputs) -> Result<Option<String>, Error> {
        let path = &self.place.spec_in_git;
        let read = |commit: &str| -> Result<Option<String>, Error> {
            let bytes = self.repo.file_at(commit, path)?;
            Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
        };
        let local = self.repo.tip_for_work(&self.place.target)?;
        let base = match self.repo.merge_base(&local, &sight.old)? {
            Some(base) => read(&base)?,
            None => None,
        };
        // The state is this work's: it completes the spec.
        let remote = read(&sight.old)?;
        if remote == base {
            return Ok(None);
        }
        if remote.is_none() {
            return Ok(Some(format!(
                "the spec is gone from {} on the remote; somebody removed or archived it",
                self.place.target
            )));
        }
        match merge_specs(base.as_deref(), Some(&sight.text), remote.as_deref()) {
            Ok(text) => {
                let open = open_criteria(&self.place.spec, &text);
                sight.text = text;
                Ok(open)
            }
            Err(conflicts) => {
                let described = conflicts
                    .iter()
                    .map(|conflict| conflict.describe("this work", "the remote"));
                Ok(Some(described.collect::<Vec<_>>().join("; ")))
            }
        }
    }

    /// Returns the landing that the target has already: ours, whose answer was lost or which others merged from
    /// a request, or that of another run.
    pub(super) fn landed_before(
        &self,
        leases: &SpecLeases<'_>,
        record: &RunRecord,
        target: &str,
    ) -> Result<Option<PreparedLanding>, Error> {
        let completed = leases.completed_in(target, &record.spec_id)?;
        // The documents of items name no run, and work without a check leaves some of them open.
        let Some(token) = completed.or(record.item.is_some().then_some(0)) else {
            return Ok(None);
        };
        if leases.landing() == LandingWay::Pr && self.has_proposed(&record.spec_id, token)? {
            // A host may squash or rebase: the tree alone says whose work it is.
            return Ok(Some(PreparedLanding::Landed(target.to_owned())));
        }
        // The tries of this very landing are among them: the answer to one may have been lost.
        let now = self.runs.get(&record.process_id)?;
        for tried in now.merge.begun.iter().rev() {
            if self.repo.has_object(&tried.new)? && self.repo.reaches(target, &tried.new)? {
                return Ok(Some(PreparedLanding::Landed(tried.new.clone())));
            }
        }
        if record.item.is_some() {
            // Who ticked it meanwhile is no matter of the leases; the marks of the landing say so.
            return Ok(None);
        }
        let why = format!(
            "the spec is completed on {} already (token {token}); this work was not merged and stays on {}",
            leases.remote(),
            self.place.branch
        );
        let overtaken = RunLandingOutcome::Overtaken(why);
        Ok(Some(PreparedLanding::Settled(overtaken)))
    }

    /// Returns true if a run of this clone with a token began to propose its work on a spec.
    fn has_proposed(&self, spec_id: &str, token: u64) -> Result<bool, Error> {
        let records = self.runs.of_spec(spec_id)?;
        let is_it = |record: &RunRecord| record.token == token && !record.merge.begun.is_empty();
        Ok(records.iter().any(is_it))
    }
}

/// A landing that waits for the remote.
pub(super) fn waits(why: String) -> RunLandingOutcome {
    RunLandingOutcome::Waits {
        why,
        blocked_by: Vec::new(),
    }
}
