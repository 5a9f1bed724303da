//! Keeps work from landing that people want to have changed.

use super::on_remote::waits;
use super::{RunLanding, RunLandingOutcome};
use crate::review::gate::landing_stop;
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

    fn stopped_by_review(&self) -> Result<Option<RunLandingOutcome>, Error> {
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
