//! Work that waits for a person's decision about its spec.

use super::recovery;
use super::spec_state::spec_of;
use crate::project::ProjectRuns;
use chant_base::error::Error;
use chant_base::next_step::NextStep;
use chant_specs::approval::ApprovalDecision;
use chant_specs::model::Spec;
use chant_specs::project::Project;
use chant_store::StoreError;
use chant_work::WorkError;
use chant_work::cancel_token::CancelToken;
use chant_work::lock::SpecLock;
use chant_work::run_record::RunRecord;
use chant_work::run_store::RunStore;
use chant_work::state::{RunEvent, RunState};

/// The newest run of a spec, whose lock is held meanwhile: no other run starts on the spec.
pub(crate) struct PendingApproval {
    runs: RunStore,
    /// `None` where no run can exist: there is no place for our own state, or it belongs to another
    /// user.
    lock: Option<SpecLock>,
    record: Option<RunRecord>,
}

impl PendingApproval {
    /// Takes the lock of a spec.
    ///
    /// # Errors
    /// `Held` while a run works on it, or a `StoreError`.
    pub(crate) fn of(project: &Project, spec: &Spec) -> Result<Self, Error> {
        let runs = project.runs()?;
        let lock = match SpecLock::acquire(&runs, spec.id.as_str()) {
            Err(WorkError::Store(StoreError::NoState { .. })) => None,
            lock => Some(lock?),
        };
        let record = runs.newest_of(spec.id.as_str())?;
        Ok(Self { runs, lock, record })
    }

    /// Returns true if there is proven work that waits for the decision, or for its merge.
    pub(crate) fn is_work(&self) -> bool {
        let waits = |state| matches!(state, RunState::AwaitingApproval | RunState::AwaitingMerge);
        self.record
            .as_ref()
            .is_some_and(|record| waits(record.state()))
    }

    /// Merges the work that waited for approval; returns a report of the outcome.
    ///
    /// # Errors
    /// The step that failed; the next recovery of the project tries again.
    pub(crate) fn land(self, project: &Project) -> Result<String, Error> {
        let (Some(record), Some(lock)) = (self.record, &self.lock) else {
            return Ok(String::new());
        };
        let id = &record.spec_id;
        if record.state() == RunState::NeedsAttention {
            return Ok(match &record.branch {
                Some(branch) => {
                    let merge = NextStep::Merge(id.clone()).words(project.door);
                    format!(
                        "\nThe work of its last run is on branch {branch}; a person judges and merges it with {merge}."
                    )
                }
                None => String::new(),
            });
        }
        if record.state() != RunState::AwaitingApproval {
            return Ok(String::new());
        }
        if let Err(error) = project.refuse_untrusted("approve") {
            return Ok(format!("\nIts work is not merged yet. {error}"));
        }
        let state = recovery::merge_waiting(
            project,
            &self.runs,
            &record,
            lock,
            Some(&CancelToken::new()?),
        )?;
        let reason = self
            .runs
            .get(&record.process_id)?
            .reason
            .unwrap_or_default();
        let more = if reason.is_empty() {
            reason
        } else {
            format!(": {reason}")
        };
        Ok(match state {
            RunState::Completed => format!("\nMerged its work: '{id}' is completed{more}"),
            state => format!("\nIts work is not merged yet ({state}){more}"),
        })
    }

    /// Sends waiting work back: the next start continues it.
    ///
    /// # Errors
    /// A `StoreError`.
    pub(crate) fn send_back(
        self,
        project: &Project,
        decision: &ApprovalDecision,
    ) -> Result<String, Error> {
        let is_work = self.is_work();
        let Some(record) = self.record.filter(|_| is_work) else {
            return Ok(String::new());
        };
        let reason = decision.reason.as_deref().unwrap_or_default();
        let why = format!("rejected by {}: {reason}", decision.by);
        let record = self.runs.update(&record.process_id, |record| {
            record.is_rejected = true;
            Ok(record.change(RunEvent::Doubt, Some(why.clone()), (self.runs.clock)())?)
        })?;
        let branch = record.branch.as_deref().unwrap_or("its branch");
        let work = NextStep::Work(record.spec_id.clone()).words(project.door);
        Ok(format!(
            "\nIts work stays on {branch}; {work} goes on with it there, and the agent is given the discussion."
        ))
    }
}

/// Returns true if a run waits for an approval that was given meanwhile.
pub(super) fn is_approved(project: &Project, record: &RunRecord) -> Result<bool, Error> {
    if record.state() != RunState::AwaitingApproval {
        return Ok(false);
    }
    let spec = spec_of(&project.snapshot()?, &record.spec_id)?;
    let approval = spec.approval.as_ref();
    Ok(approval.is_some_and(|approval| approval.required && approval.is_given()))
}
