//! Completes the specs whose work has landed, in the checkout too, and leaves receipts.

use std::cell::RefCell;

use super::{RunLanding, spec_id_of};
use crate::kept_sessions::remove_session;
use crate::receipt_signing::sign_landed;
use crate::receipt_store::{LandedRun, leave_of_run};
use crate::runtime::completion_details::{CompletionDetails, short_commit};
use crate::runtime::item_work::mark_untracked;
use crate::runtime::pushed_work::clear_landed;
use crate::runtime::run_folder::RunFolder;
use crate::runtime::spec_state::spec_of;
use chant_base::error::Error;
use chant_specs::model::SpecStatus;
use chant_specs::ops::edit;
use chant_store::journal::ChangeStep;
use chant_work::run_record::{MergeEntry, RunRecord};

impl RunLanding<'_> {
    /// Does the remaining steps after the merge: marks the spec as completed in its working copy,
    /// completes the specs around it that waited only for that, and removes worktree and branch.
    /// May be repeated.
    ///
    /// # Errors
    /// A failure to write the spec. Returns the parts that were left in place.
    pub(crate) fn complete(&self) -> Result<Vec<String>, Error> {
        let record = self.runs.get(self.process_id)?;
        let mut left = self.notes.take();
        let merge = &record.merge;
        left.extend(self.complete_one(self.place, &self.finish, merge)?);
        left.extend(mark_untracked(
            self.project, self.repo, &record, self.place,
        )?);
        left.extend(self.leave_receipt(&record, merge));
        if let Some(original) = self.original {
            let kept = merge.commit.as_deref();
            let kept = kept.map(|commit| self.kept_branch(&original.place, commit));
            let kept = kept.transpose()?.flatten();
            left.extend(self.complete_one(&original.place, &original.finish, merge)?);
            left.extend(self.leave_receipt(&original.record, merge));
            original.end(self.runs, merge, kept.as_deref())?;
        }
        Ok(left)
    }

    /// Writes the receipt of a run that a merge brought to the target, and signs it where the user asks for that;
    /// returns the reason if that is not possible.
    fn leave_receipt(&self, record: &RunRecord, merge: &MergeEntry) -> Option<String> {
        let run = LandedRun {
            record,
            commit: merge.commit.as_deref()?,
            merge,
        };
        match leave_of_run(self.project, self.repo, run) {
            Ok(receipt) => sign_landed(self.project, self.repo, &receipt),
            Err(error) => {
                let next = "finalizing the spec leaves it";
                Some(format!("its receipt could not be left: {error}; {next}"))
            }
        }
    }

    fn complete_one(
        &self,
        place: &RunFolder,
        finish: &CompletionDetails,
        merge: &MergeEntry,
    ) -> Result<Vec<String>, Error> {
        let commits = merge.landed.iter().map(|id| short_commit(id)).collect();
        let commits = if merge.landed.is_empty() {
            finish.commits.clone()
        } else {
            commits
        };
        let snapshot = self.project.snapshot()?;
        let spec = spec_of(&snapshot, &spec_id_of(place))?;
        if spec.status != SpecStatus::Completed {
            let refused = RefCell::new(None);
            self.project.change(&[&spec.path], |_, texts| {
                let text = match self.united(place, texts[0])? {
                    Ok(text) => self.completed(&spec.path, &text, finish, &commits)?,
                    Err(why) => {
                        *refused.borrow_mut() = Some(why);
                        self.completed(&spec.path, texts[0], finish, &commits)?
                    }
                };
                Ok(Some(vec![ChangeStep::Replace {
                    path: spec.path.to_string(),
                    text,
                }]))
            })?;
            if let Some(why) = refused.into_inner() {
                return Ok(vec![format!(
                    "the words of the spec's working copy were kept: {why}"
                )]);
            }
        }
        let snapshot = self.project.snapshot()?;
        edit::change(self.project, snapshot, &spec, |_| true, |_, _| Ok(()))?;
        remove_session(self.project, spec.id.as_str());
        Ok(clear_landed(self.project, self.repo, place))
    }
}
