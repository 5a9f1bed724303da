//! Keeps work from landing that people want to have changed, or have not agreed to.

use super::on_remote::waits;
use super::{RunLanding, RunLandingOutcome};
use crate::review::gate::landing_stop;
use crate::runtime::acting_change::acting_change;
use crate::runtime::judged_change::note_judged;
use chant_base::error::Error;

impl RunLanding<'_> {
    /// Returns the outcome of work that is not merged: hooks changed meanwhile, or it has open comments and waits until
    /// a person says otherwise.
    ///
    /// # Errors
    /// A failure to read the hooks or the review.
    pub(super) fn stopped_before_merge(&self) -> Result<Option<RunLandingOutcome>, Error> {
        if let Some(why) = self.changed_hooks()? {
            return Ok(Some(RunLandingOutcome::Doubtful(why)));
        }
        self.stopped_by_review()
    }

    /// Returns the outcome of work that a person has to look at: it changes what acts or what judges it, and nobody
    /// agreed to that. Its record says what it changes of the tests.
    ///
    /// # Errors
    /// A failure of git, or to write the record.
    pub(super) fn stopped_by_its_change(
        &self,
        old: &str,
        new: &str,
    ) -> Result<Option<RunLandingOutcome>, Error> {
        let change = acting_change(self.project, self.repo, self.place, old, new)?;
        note_judged(self.runs, self.process_id, change.judged(self.agreed))?;
        let is_agreed = change.is_empty() || self.agreed == Some(&*change.agreement());
        Ok((!is_agreed).then_some(RunLandingOutcome::ActsAnew(change)))
    }

    pub(super) fn stopped_by_review(&self) -> Result<Option<RunLandingOutcome>, Error> {
        let settled = self
            .original
            .map(|original| original.place.spec_id.as_str());
        for spec_id in [self.place.spec_id.as_str()].into_iter().chain(settled) {
            if let Some(why) = landing_stop(self.project, spec_id)? {
                return Ok(Some(waits(why)));
            }
        }
        Ok(None)
    }
}
