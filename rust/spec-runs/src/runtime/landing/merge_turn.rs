//! The order in which runs that are ready merge onto the target of the remote: what most waits for first.

use std::thread;
use std::time::{Duration, Instant};

use super::{LOCK_TIMEOUT, RunLanding};
use crate::leases::SpecLeases;
use chant_base::error::Error;
use chant_leases::train::ReadyPlace;
use chant_work::cancel_token::CancelToken;
use chant_work::run_record::RunRecord;

/// How long before the next push runs begin to merge: what gets ready until then is put in order with them.
const MERGING: Duration = Duration::from_secs(2);
/// The time between two looks of a run whether it is its turn.
const LOCK_WAIT: Duration = Duration::from_millis(20);

impl RunLanding<'_> {
    /// Waits until this run is the next to merge: of those that are ready the one comes first for which most specs
    /// wait in a row, so that a spec comes before those that depend on it, then the first by ID. Where checks do not
    /// come first, that is decided shortly before this clone may push again.
    pub(super) fn take_turn(
        &self,
        leases: &SpecLeases<'_>,
        record: &RunRecord,
        needs_checks: bool,
    ) -> Result<ReadyPlace, Error> {
        let client = leases.client()?;
        let place = client.take_place(self.rank(&record.spec_id)?, &record.process_id)?;
        let is_stopped = || {
            let terms = self.checks.as_ref();
            terms.is_some_and(|terms| CancelToken::is_cancelled(terms.interruption))
        };
        while !needs_checks && !is_stopped() && client.push_wait()? > MERGING {
            wait_a_turn();
        }
        // A process that hangs holds up the others no longer than the lock of merges would.
        let latest = Instant::now() + LOCK_TIMEOUT;
        while !is_stopped() && Instant::now() < latest && !place.is_first()? {
            wait_a_turn();
        }
        Ok(place)
    }

    /// Returns how many open specs the longest row has that begins with a spec.
    fn rank(&self, spec_id: &str) -> Result<u32, Error> {
        let snapshot = self.project.snapshot()?;
        let graph = snapshot.specs.graph();
        let height = graph
            .find(spec_id)
            .map(|node| graph.heights()[node.index()]);
        Ok(u32::try_from(height.unwrap_or_default()).unwrap_or(u32::MAX))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a bounded wait for other processes, which merge in turn"
)]
fn wait_a_turn() {
    thread::sleep(LOCK_WAIT);
}
