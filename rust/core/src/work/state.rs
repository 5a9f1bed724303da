//! The states of a run and the legal changes between them: one table, which every write goes
//! through.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The states of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Its runner works, or is about to.
    Running,
    /// Its work is proven and merged.
    Completed,
    /// Its work is proven; something has to change before it can be merged.
    AwaitingMerge,
    /// Its work is proven; a person has to approve it.
    AwaitingApproval,
    /// Its work is not proven, or its criteria are not those at its start.
    NeedsAttention,
    /// Its agent failed or broke a limit, or it could not start.
    Failed,
    /// It was stopped, and its work can be continued.
    Paused,
    /// It was stopped, and another user continues its work.
    TakenOver,
    /// It was stopped for good.
    Cancelled,
    /// Its runner died without a report.
    Lost,
}

/// The purposes of a stop from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The work continues later.
    Pause,
    /// Another user continues the work.
    TakeOver,
    /// The spec is given up.
    Cancel,
    /// The spec starts from scratch.
    Reset,
}

/// The events that change a run's state.
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
    /// The agent failed or broke a limit, or the run could not start.
    Fail,
    /// The run was stopped; written by the process that stopped it, after the run's processes
    /// ended.
    Stop(Stop),
    /// The runner was found dead.
    FindDead,
}

/// All legal changes.
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
    // Recovery continues where the runner stopped.
    (State::Lost, Event::Merge, State::Completed),
    (State::Lost, Event::Wait, State::AwaitingMerge),
    (State::Lost, Event::AskApproval, State::AwaitingApproval),
    (State::Lost, Event::Doubt, State::NeedsAttention),
    (State::Lost, Event::Fail, State::Failed),
    // Work that waited can be merged now, conflicts, or is not wanted any more.
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
    // A new run continues in the branch of an earlier one, whose record stays as it is.
    (State::Paused, Event::Start, State::Running),
    (State::TakenOver, Event::Start, State::Running),
    (State::Lost, Event::Start, State::Running),
    (State::Failed, Event::Start, State::Running),
    (State::NeedsAttention, Event::Start, State::Running),
];

/// A change that the table does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("A run that is {from} cannot be {event}; nothing was changed")]
pub struct Illegal {
    /// The state of the run.
    pub from: State,
    /// The event that was refused.
    pub event: Event,
}

/// Returns the state that an event leads to.
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
    /// Returns its spelling in records and answers.
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

    /// Returns true if the run's work is not continued: the next run starts from scratch.
    pub fn is_closed(self) -> bool {
        matches!(self, Self::Completed | Self::Cancelled)
    }

    /// Returns true if a person has to act on the run's work.
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
