//! Runs of agents: their records and logs, the processes behind them, and how runs are stopped and
//! recovered.
//!
//! A run is one record (`processes/…/<process_id>.json` in the state folder), which alone decides
//! the run's state; a runner, a process of its own session; an agent, the runner's child in a
//! process group of its own; and the lock of its spec, which the runner holds as long as it lives.
//! Other modules decide what a run means for a spec, a branch or a merge.
//!
//! Locks are taken in this order: that of starts, a spec's, the merge lock, a document's. No
//! process waits for a spec's lock; the waits for the others are bounded. Agents run on Unix only;
//! on macOS descendants that leave the agent's process group are not found.

#[cfg(unix)]
pub mod agent;
#[cfg(unix)]
mod agent_job;
#[cfg(unix)]
pub mod agent_outcome;
#[cfg(unix)]
mod agent_pipes;
#[cfg(unix)]
pub mod cancel_token;
#[cfg(unix)]
pub mod command;
#[cfg(unix)]
pub mod connections;
pub mod durations;
pub mod event_program;
#[cfg(unix)]
pub mod folder_observer;
#[cfg(unix)]
pub mod handshake;
#[cfg(unix)]
pub mod launch;
pub mod learned_amounts;
#[cfg(unix)]
pub mod lifeline;
pub mod lock;
pub mod log;
pub mod log_retention;
pub mod mirror;
pub mod process;
#[cfg(unix)]
pub mod process_limit;
mod process_tree;
mod record_entries;
#[cfg(unix)]
pub mod recovery;
#[cfg(unix)]
mod run_cgroup;
pub mod run_index;
pub mod run_log;
pub mod run_record;
pub mod run_store;
pub mod run_view;
#[cfg(unix)]
pub mod runner;
#[cfg(unix)]
pub mod service;
pub mod spending;
pub mod start_allowance;
pub mod state;
#[cfg(unix)]
pub mod stop;
mod uncommitted_state;
pub mod usage;
#[cfg(unix)]
pub mod watch;

use chant_base::error::{CoreError, ErrorKind};
use chant_store::StoreError;
use lock::LockHolder;
pub use process_tree::end_orphans;
use state::{IllegalRunEvent, RunState};

/// The reasons why a run cannot be started, continued or stopped.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// A file could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A record exists and is not one of ours.
    #[error("`{path}` is not the record of a run: {why}; fix it or move it away")]
    Broken {
        /// Its file.
        path: String,
        /// The fault in it.
        why: String,
    },
    /// The run's state does not allow this change.
    #[error(transparent)]
    Illegal(#[from] IllegalRunEvent),
    /// Another process wrote the record since it was read.
    #[error(
        "The record of run '{process_id}' changed meanwhile; nothing was written. Look at the run and try again"
    )]
    Changed {
        /// The run.
        process_id: String,
    },
    /// A name that cannot be that of a file.
    #[error("'{name}' is not a valid name of a run or a spec: it has a `/` or begins with a dot")]
    Name {
        /// The name.
        name: String,
    },
    /// A run of that spec is active.
    #[error("Run '{process_id}' (PID {pid}) is working on spec '{spec_id}'; stop that run first")]
    Running {
        /// The spec.
        spec_id: String,
        /// The run.
        process_id: String,
        /// Its process.
        pid: u32,
    },
    /// The spec's last run died and was not recovered yet.
    #[error(
        "Run '{process_id}' died and is not recovered yet; nothing was started. Recover it first"
    )]
    Unrecovered {
        /// The run.
        process_id: String,
    },
    /// The spec's last run has work that waits for something.
    #[error(
        "Run '{process_id}' of spec '{spec_id}' is {state}; nothing was started. Finish that run first"
    )]
    Waiting {
        /// The spec.
        spec_id: String,
        /// The run.
        process_id: String,
        /// The state of the run.
        state: RunState,
    },
    /// Another process holds the spec's lock.
    #[error("Spec '{spec_id}' is locked by {holder}; wait until it ends, or stop it")]
    Held {
        /// The spec.
        spec_id: String,
        /// The holder, as far as the lock names it.
        holder: LockHolder,
    },
    /// Another process kept the merge lock.
    #[error(
        "Another merge, by {holder}, has not ended after {seconds} s; nothing was changed. Try again"
    )]
    Merging {
        /// The holder, as far as the lock names it.
        holder: LockHolder,
        /// The time that this process waited.
        seconds: u64,
    },
    /// There is nothing to stop.
    #[error("Run '{process_id}' is not running but {state}; nothing was changed")]
    NotRunning {
        /// The run.
        process_id: String,
        /// The state of the run.
        state: RunState,
    },
    /// A stop of the run was requested, so it does not go on.
    #[error("Run '{process_id}' was stopped before it began")]
    Stopped {
        /// The run.
        process_id: String,
    },
    /// The processes of a run did not end.
    #[error(
        "Process {pid} of run '{process_id}' did not end, even after it was killed; nothing else was changed. End it by hand and try again"
    )]
    Unending {
        /// The run.
        process_id: String,
        /// The process.
        pid: u32,
    },
    /// The agent's program could not be started.
    #[error("Cannot start `{program}`: {why}; check the agent's configuration")]
    NoAgent {
        /// The program.
        program: String,
        /// The system's error text.
        why: String,
    },
    /// A step of the caller's in the run failed.
    #[error("{0}")]
    Step(String),
    /// The system refused something else.
    #[error("Cannot {action}: {source}")]
    System {
        /// The action, such as `watch a process`.
        action: &'static str,
        /// The system's error.
        source: std::io::Error,
    },
}

impl CoreError for WorkError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Broken { .. } => ErrorKind::InvalidDocument,
            Self::Name { .. } => ErrorKind::InvalidArgument,
            Self::Illegal(_) | Self::NotRunning { .. } => ErrorKind::IllegalTransition,
            Self::Changed { .. }
            | Self::Running { .. }
            | Self::Held { .. }
            | Self::Merging { .. } => ErrorKind::Conflict,
            Self::Unrecovered { .. }
            | Self::Waiting { .. }
            | Self::Stopped { .. }
            | Self::NoAgent { .. }
            | Self::Step(_) => ErrorKind::Refused,
            Self::Unending { .. } | Self::System { .. } => ErrorKind::Storage,
        }
    }
}
