//! The attempts of the specs of an orchestrator, and what those that did not complete a spec mean for it.

use std::time::Instant;

use crate::schedule::AttemptCount;
use chant_work::run_record::RunRecord;
use chant_work::state::{self, RunEvent, RunState, StopReason};

/// The attempts of a spec, and the time of its next one.
#[derive(Default)]
pub(super) struct AttemptHistory {
    pub(super) tried: AttemptCount,
    pub(super) not_before: Option<Instant>,
    /// The result of its last run, if that did not complete it.
    pub(super) shortfall: Option<AttemptFailure>,
    /// The reason why it was not started, if it was not asked for.
    pub(super) left_out: Option<String>,
    /// The worker that its last attempt was lost on.
    pub(super) avoid: Option<String>,
}

impl AttemptHistory {
    /// Returns its attempts; before the time of the next one it counts as tried often enough.
    pub(super) fn now(&self) -> AttemptCount {
        match self.not_before {
            Some(moment) if moment > Instant::now() => AttemptCount {
                retries: 0,
                ..self.tried
            },
            _ => self.tried,
        }
    }
}

/// The result of a run that did not complete its spec.
pub(super) struct AttemptFailure {
    /// Its effect on the run above.
    pub(super) event: RunEvent,
    pub(super) why: String,
}

impl AttemptFailure {
    pub(super) fn failed(why: String) -> Self {
        Self {
            event: RunEvent::Fail,
            why,
        }
    }

    /// Returns the effect of a run that did not complete its spec on the run above it: only a
    /// failure makes that fail, and a spec that a person gave up is not missed.
    pub(super) fn of(record: &RunRecord) -> Self {
        let now = record.state();
        // The process that stops the run records its end, perhaps later than this check.
        let stop = record.stop_requested.filter(|_| now == RunState::Running);
        let stopped = stop.and_then(|why| state::next_state(now, RunEvent::Stop(why)).ok());
        let state = stopped.unwrap_or(now);
        let event = match state {
            // Requests are merged by people, as configured: nothing is missed here.
            RunState::AwaitingMerge if record.is_proposed() => RunEvent::Merge,
            RunState::NeedsAttention | RunState::AwaitingMerge | RunState::AwaitingApproval => {
                RunEvent::Doubt
            }
            RunState::Paused | RunState::TakenOver => RunEvent::Stop(StopReason::Pause),
            RunState::Cancelled | RunState::Completed => RunEvent::Merge,
            RunState::Failed | RunState::Lost | RunState::Running => RunEvent::Fail,
        };
        let reason = record.reason.as_ref().filter(|reason| !reason.is_empty());
        let reason = reason.map(|reason| format!(" ({reason})"));
        Self {
            event,
            why: format!("{state}{}", reason.unwrap_or_default()),
        }
    }

    /// Returns its weight among others.
    pub(super) fn weight(&self) -> u8 {
        match self.event {
            RunEvent::Merge => 0,
            RunEvent::Stop(_) => 1,
            RunEvent::Doubt => 2,
            _ => 3,
        }
    }
}
