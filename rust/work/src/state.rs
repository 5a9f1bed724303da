//! The states of a run and the legal changes between them: one table, which every write goes
//! through.

use std::fmt;

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// The states of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RunState {
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
pub enum StopReason {
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
pub enum RunEvent {
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
    Stop(StopReason),
    /// The runner was found dead.
    FindDead,
}

/// A change that is not legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("A run that is {from} cannot be {event}; nothing was changed")]
pub struct IllegalRunEvent {
    /// The state of the run.
    pub from: RunState,
    /// The event that was refused.
    pub event: RunEvent,
}

/// Returns the state that an event leads to.
///
/// # Errors
/// [`IllegalRunEvent`] when the event may not happen in that state.
pub fn next_state(from: RunState, event: RunEvent) -> Result<RunState, IllegalRunEvent> {
    use RunEvent::{AskApproval, Doubt, Fail, FindDead, Merge, Start, Stop, Wait};
    use RunState::{
        AwaitingApproval, AwaitingMerge, Cancelled, Completed, Failed, Lost, NeedsAttention,
        Paused, Running, TakenOver,
    };
    use StopReason::{Cancel, Pause, Reset, TakeOver};
    Ok(match (from, event) {
        // Recovery continues where the runner stopped; work that waited can be merged now, conflicts, or is not
        // wanted any more.
        (Running | Lost | AwaitingMerge | AwaitingApproval, Merge) => Completed,
        (Running | Lost | AwaitingApproval, Wait) => AwaitingMerge,
        (Running | Lost, AskApproval) => AwaitingApproval,
        (Running | Lost | AwaitingMerge | AwaitingApproval, Doubt) => NeedsAttention,
        (Running | Lost, Fail) => Failed,
        (Running, Stop(Pause)) => Paused,
        (Running, Stop(TakeOver)) => TakenOver,
        (Running | AwaitingMerge | AwaitingApproval, Stop(Cancel | Reset)) => Cancelled,
        (Running, FindDead) => Lost,
        // A new run continues in the branch of an earlier one, whose record stays as it is.
        (Paused | TakenOver | Lost | Failed | NeedsAttention, Start) => Running,
        _ => return Err(IllegalRunEvent { from, event }),
    })
}

impl RunState {
    /// Returns its spelling in records and answers.
    pub fn as_str(self) -> &'static str {
        self.into()
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

impl fmt::Display for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for RunEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Start => "started again",
            Self::Merge => "merged",
            Self::Wait => "kept for a later merge",
            Self::AskApproval => "kept for approval",
            Self::Doubt => "put up for attention",
            Self::Fail => "failed",
            Self::Stop(StopReason::Pause) => "paused",
            Self::Stop(StopReason::TakeOver) => "taken over",
            Self::Stop(StopReason::Cancel) => "cancelled",
            Self::Stop(StopReason::Reset) => "reset",
            Self::FindDead => "found dead",
        })
    }
}
