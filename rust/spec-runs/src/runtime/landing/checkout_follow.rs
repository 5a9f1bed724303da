//! Brings the checkout up to what landed, as far as nothing of the user's is in its way.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::{LOCK_TIMEOUT, MergeInputs, RunLanding, RunLandingOutcome, by_meaning, describe_wait};
use crate::leases::SpecLeases;
use crate::merge::{DRIVER, driver_merged};
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_git::hooks::ConfinedHooks;
use chant_git::land::{ExemptFile, LandingOutcome, LandingRequest, LandingWait};
use chant_git::merge::{FileSides, MergeOutcome, MergeRequest, MergeStyle};
use chant_specs::project::SPECS;
use chant_work::lock::MergeLock;
use chant_work::run_record::RunRecord;
use chant_work::state::RunState;

/// How often a checkout is brought up to a landing, and the time between, where landings before it have to come first.
const FOLLOW_ATTEMPTS: usize = 40;
const FOLLOW_PAUSE: Duration = Duration::from_millis(250);

impl RunLanding<'_> {
    /// Lands a commit on the target, where the working copy of the spec went into it.
    /// `beside` are other files that it may replace.
    pub(super) fn bring(
        &self,
        sight: &MergeInputs,
        new: &str,
        beside: &[ExemptFile],
    ) -> Result<LandingOutcome, Error> {
        let place = self.place;
        let interrupted = self.note_try(&sight.old, new)?;
        let is_here = matches!(self.repo.head()?.branch(), Some(branch) if branch == place.target);
        let exempt = ExemptFile {
            path: place.spec_in_git.clone(),
            was: Some(sight.copy.clone().into_bytes()),
            bytes: None,
        };
        let mut exempt: Vec<ExemptFile> = place.is_tracked.then_some(exempt).into_iter().collect();
        exempt.extend(self.settled(sight).map(|(path, version)| ExemptFile {
            path: path.to_owned(),
            was: Some(version.copy.clone().into_bytes()),
            bytes: None,
        }));
        exempt.extend(sight.marks.exempt(self.project));
        exempt.extend_from_slice(beside);
        exempt.retain(|_| is_here);
        let reached = |moment: &'static str| -> io::Result<()> { (self.runs.disk.reached)(moment) };
        let landed = self.repo.land(
            &LandingRequest {
                branch: &place.target,
                old: &sight.old,
                new,
                run: self.process_id,
                reason: &format!("chant-mcp: merge {}", place.branch),
                exempt: &exempt,
                interrupted: &interrupted,
                lock_timeout: LOCK_TIMEOUT,
            },
            &reached,
        )?;
        Ok(landed)
    }

    /// Records a landing and brings the checkout up to it, as far as nothing of the user's is in its way.
    pub(super) fn finish_on_remote(
        &self,
        leases: &SpecLeases<'_>,
        commit: &str,
    ) -> Result<RunLandingOutcome, Error> {
        self.note_merged(commit)?;
        if !self
            .repo
            .reaches(commit, &self.place.branch_tip(self.repo)?)?
        {
            // Others squashed or rebased the commits of the branch, which goes when it is landed.
            self.repo.back_up(&self.place.branch, &self.place.spec_id)?;
        }
        let mut why = None;
        for _ in 0..FOLLOW_ATTEMPTS {
            let merge_lock = MergeLock::acquire(self.runs, self.lock, LOCK_TIMEOUT)?;
            match self.follow(commit)? {
                FollowStep::Done => return Ok(RunLandingOutcome::Merged),
                FollowStep::Again => {}
                FollowStep::Waits(reason) => {
                    why = Some(reason);
                    if !self.has_others_under_way()? {
                        break;
                    }
                    // Landings of one push stand on each other: those before this one follow first.
                    drop(merge_lock);
                    wait_for_others();
                }
            }
        }
        let why = why.unwrap_or_else(|| format!("branch {} kept moving", self.place.target));
        // With the remote's target at hand, the branch of the work need not stay here.
        leases.look().log_failure("look at what landed");
        self.notes.borrow_mut().push(format!(
            "it landed on {}; this checkout was not brought up to it: {why}",
            leases.remote()
        ));
        Ok(RunLandingOutcome::Merged)
    }

    /// Returns true if another run of this clone may be about to bring the checkout up to its own landing.
    fn has_others_under_way(&self) -> Result<bool, Error> {
        let (records, _) = self.runs.all()?;
        let is_other = |record: &RunRecord| {
            record.process_id != self.process_id
                && record.lease.is_some()
                && record.state() == RunState::Running
                && record.runner().is_alive()
        };
        Ok(records.iter().any(is_other))
    }

    /// Brings the local target to a commit of the remote.
    fn follow(&self, commit: &str) -> Result<FollowStep, Error> {
        let local = self.repo.tip_for_work(&self.place.target)?;
        if self.repo.reaches(&local, commit)? {
            return Ok(FollowStep::Done);
        }
        let record = self.runs.get(self.process_id)?;
        let sight = match self.look(&record.spec_id, local.clone())? {
            Ok(sight) => sight,
            Err(why) => return Ok(FollowStep::Waits(why)),
        };
        let new = if self.repo.reaches(commit, &local)? {
            commit.to_owned()
        } else {
            // Commits of the user's that the remote does not have yet.
            match self.united_with(&local, commit)? {
                Ok(merged) => merged,
                Err(why) => return Ok(FollowStep::Waits(why)),
            }
        };
        self.bring_to(&sight, &new)
    }

    /// Brings the checkout to a commit, with the specs of other runs that landed before.
    fn bring_to(&self, sight: &MergeInputs, new: &str) -> Result<FollowStep, Error> {
        let mut landed = Vec::new();
        loop {
            let waits = match self.bring(sight, new, &landed)? {
                LandingOutcome::Done { .. } => return Ok(FollowStep::Done),
                LandingOutcome::Moved { .. } => return Ok(FollowStep::Again),
                LandingOutcome::Waits(waits) => waits,
            };
            let more = self.landed_copies(&sight.old, new, &waits)?;
            if more.is_empty() || !landed.is_empty() {
                return Ok(FollowStep::Waits(describe_wait(&waits).0));
            }
            landed = more;
        }
    }

    /// Returns the files in the way of a commit that hold nothing which it lacks: copies of specs whose runs
    /// landed in it. Returns none if anything else is in its way.
    fn landed_copies(
        &self,
        old: &str,
        new: &str,
        waits: &LandingWait,
    ) -> Result<Vec<ExemptFile>, Error> {
        let LandingWait::Changes { blocked_by, .. } = waits else {
            return Ok(Vec::new());
        };
        let copies = blocked_by.iter();
        let copies = copies.map(|path| self.landed_copy(old, new, path));
        let copies: Option<Vec<ExemptFile>> = copies.collect::<Result<_, Error>>()?;
        Ok(copies.unwrap_or_default())
    }

    fn landed_copy(&self, old: &str, new: &str, path: &str) -> Result<Option<ExemptFile>, Error> {
        let own = &self.place.spec;
        let top = self.place.spec_in_git.strip_suffix(own);
        let shown = top.and_then(|top| path.strip_prefix(top));
        let Some(shown) = shown.filter(|shown| Path::new(shown).starts_with(SPECS)) else {
            return Ok(None);
        };
        let text = |commit: &str| -> Result<Option<String>, Error> {
            let bytes = self.repo.file_at(commit, path)?;
            Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
        };
        let (Some(before), Some(landed)) = (text(old)?, text(new)?) else {
            return Ok(None);
        };
        let Ok(copy) = self.working_copy(shown) else {
            return Ok(None);
        };
        let merged = driver_merged(&before, &copy, &landed);
        let holds_no_more = merged.is_ok_and(|merged| merged == landed);
        Ok(holds_no_more.then(|| ExemptFile {
            path: path.to_owned(),
            was: Some(copy.into_bytes()),
            bytes: None,
        }))
    }

    /// Merges what landed into local commits; the inner error says why that is a person's.
    fn united_with(&self, local: &str, commit: &str) -> Result<Result<String, String>, Error> {
        let own = &self.place.spec_in_git;
        let landed = self.repo.file_at(commit, own)?;
        let asked = [own.clone()];
        let resolve = |path: &str, sides: FileSides<'_>| match &landed {
            Some(bytes) if path == *own => chant_git::merge::FileResolution::Bytes(bytes.clone()),
            _ => by_meaning(path, sides),
        };
        let hooks = self.confined_hooks()?;
        let merged = self.repo.merge(
            &MergeRequest {
                ours: local,
                theirs: commit,
                asked: if self.place.is_tracked { &asked } else { &[] },
                message: &format!("Merge what landed with {}", self.place.branch),
                fast_forward: true,
                replaced: &[DRIVER],
                style: MergeStyle::Merge,
                hooks: hooks.as_ref().map(|hooks| hooks as &dyn ConfinedHooks),
            },
            &resolve,
        )?;
        Ok(match merged {
            MergeOutcome::FastForward { commit } | MergeOutcome::Commit { commit, .. } => {
                Ok(commit)
            }
            MergeOutcome::Nothing => Ok(local.to_owned()),
            MergeOutcome::Conflicts(_) => Err(format!(
                "its branch {} has other commits that conflict; merge them by hand",
                self.place.target
            )),
        })
    }
}

/// Waits a short time for other runs of this clone.
#[expect(
    clippy::disallowed_methods,
    reason = "a bounded wait for other processes, which hold the lock of merges in turn"
)]
fn wait_for_others() {
    std::thread::sleep(FOLLOW_PAUSE);
}

/// A step of bringing the checkout up to what landed.
enum FollowStep {
    Done,
    Again,
    Waits(String),
}
