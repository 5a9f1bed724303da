//! The states of a run and the changes between them that are legal: one table, which every write goes
//! through.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Its runner works, or is about to.
    Running,
    /// Its work is proven and merged.
    Completed,
    /// Its work is proven; something has to change before it can be merged.
    AwaitingMerge,
    /// Its work is proven; somebody has to approve of it.
    AwaitingApproval,
    /// Its work is not proven, or its criteria are not those it began with.
    NeedsAttention,
    /// Its agent failed or broke a limit, or it could not begin.
    Failed,
    /// Stopped, to be gone on with.
    Paused,
    /// Stopped, to be gone on with by somebody else.
    TakenOver,
    /// Stopped for good.
    Cancelled,
    /// Its runner died without a word.
    Lost,
}

/// Why a run is stopped from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The work goes on later.
    Pause,
    /// Somebody else goes on.
    TakeOver,
    /// The spec is given up.
    Cancel,
    /// The spec begins anew.
    Reset,
}

/// What happens to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Event {
    /// The spec is to be worked on again.
    Start,
    /// The work is proven and merged.
    Merge,
    /// The work is proven and its merge has to wait.
    Wait,
    /// The work is proven and needs approval.
    AskApproval,
    /// Evidence is missing, or the criteria changed.
    Doubt,
    /// The agent failed, broke a limit, or the run could not begin.
    Fail,
    /// Somebody stopped the run; written by them, after its processes ended.
    Stop(Stop),
    /// The runner was found dead.
    FindDead,
}

/// Every legal change.
const LEGAL: &[(State, Event, State)] = &[
    (State::Running, Event::Merge, State::Completed),
    (State::Running, Event::Wait, State::AwaitingMerge),
    (State::Running, Event::AskApproval, State::AwaitingApproval),
    (State::Running, Event::Doubt, State::NeedsAttention),
    (State::Running, Event::Fail, State::Failed),
    (State::Running, Event::Stop(Stop::Pause), State::Paused),
    (
        State::Running,
        Event::Stop(Stop::TakeOver),
        State::TakenOver,
    ),
    (State::Running, Event::Stop(Stop::Cancel), State::Cancelled),
    (State::Running, Event::Stop(Stop::Reset), State::Cancelled),
    (State::Running, Event::FindDead, State::Lost),
    // Recovery goes on where the runner stopped.
    (State::Lost, Event::Merge, State::Completed),
    (State::Lost, Event::Wait, State::AwaitingMerge),
    (State::Lost, Event::AskApproval, State::AwaitingApproval),
    (State::Lost, Event::Doubt, State::NeedsAttention),
    (State::Lost, Event::Fail, State::Failed),
    // What waited can be merged now, turns out to conflict, or is not wanted any more.
    (State::AwaitingMerge, Event::Merge, State::Completed),
    (State::AwaitingMerge, Event::Doubt, State::NeedsAttention),
    (
        State::AwaitingMerge,
        Event::Stop(Stop::Cancel),
        State::Cancelled,
    ),
    (
        State::AwaitingMerge,
        Event::Stop(Stop::Reset),
        State::Cancelled,
    ),
    (State::AwaitingApproval, Event::Merge, State::Completed),
    (State::AwaitingApproval, Event::Wait, State::AwaitingMerge),
    (State::AwaitingApproval, Event::Doubt, State::NeedsAttention),
    (
        State::AwaitingApproval,
        Event::Stop(Stop::Cancel),
        State::Cancelled,
    ),
    (
        State::AwaitingApproval,
        Event::Stop(Stop::Reset),
        State::Cancelled,
    ),
    // A new run goes on in the branch of an earlier one; that one's record stays as it is.
    (State::Paused, Event::Start, State::Running),
    (State::TakenOver, Event::Start, State::Running),
    (State::Lost, Event::Start, State::Running),
    (State::Failed, Event::Start, State::Running),
    (State::NeedsAttention, Event::Start, State::Running),
];

/// A change that the table does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("A run that is {from} cannot be {event}; nothing was changed")]
pub struct Illegal {
    /// Where the run stands.
    pub from: State,
    /// What was to happen.
    pub event: Event,
}

/// The state that an event leads to.
///
/// # Errors
/// [`Illegal`] when the event may not happen in that state.
pub fn change(from: State, event: Event) -> Result<State, Illegal> {
    LEGAL
        .iter()
        .find(|(state, happens, _)| *state == from && *happens == event)
        .map(|(_, _, to)| *to)
        .ok_or(Illegal { from, event })
}

impl State {
    /// As records and answers spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::AwaitingMerge => "awaiting_merge",
            Self::AwaitingApproval => "awaiting_approval",
            Self::NeedsAttention => "needs_attention",
            Self::Failed => "failed",
            Self::Paused => "paused",
            Self::TakenOver => "taken_over",
            Self::Cancelled => "cancelled",
            Self::Lost => "lost",
        }
    }

    /// Whether nothing of the run is to be gone on with: a start after it begins anew.
    pub fn is_closed(self) -> bool {
        matches!(self, Self::Completed | Self::Cancelled)
    }

    /// Whether the run waits for somebody to do something with its work.
    pub fn waits(self) -> bool {
        matches!(
            self,
            Self::AwaitingMerge
                | Self::AwaitingApproval
                | Self::NeedsAttention
                | Self::Paused
                | Self::TakenOver
        )
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Start => "started again",
            Self::Merge => "merged",
            Self::Wait => "kept for a later merge",
            Self::AskApproval => "kept for approval",
            Self::Doubt => "put up for attention",
            Self::Fail => "failed",
            Self::Stop(Stop::Pause) => "paused",
            Self::Stop(Stop::TakeOver) => "taken over",
            Self::Stop(Stop::Cancel) => "cancelled",
            Self::Stop(Stop::Reset) => "reset",
            Self::FindDead => "found dead",
        })
    }
}
