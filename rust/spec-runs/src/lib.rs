//! Runs of agents on chant specs: how one is prepared, started, judged, merged, stopped and recovered, and the tools
//! for that (reference chant 5 and 6).
//!
//! It owns what a run means for its spec. It knows no other format, no Python and no MCP. The crates below know
//! processes, records, branches and merges; `chant-specs` knows specs and asks [`recorded_runs`] about their runs.

pub mod agents;
#[cfg(unix)]
mod cluster;
pub mod error;
pub mod expected_files;
#[cfg(unix)]
pub mod item_names;
mod item_order;
mod kept_sessions;
#[cfg(unix)]
mod leases;
pub mod merge;
pub mod ops;
pub mod output;
mod project;
pub mod prompt;
pub mod receipt;
mod receipt_signing;
mod receipt_store;
pub mod recorded_runs;
mod review;
#[cfg(unix)]
mod runtime;
pub mod schedule;
mod spec_commits;
pub mod split;
pub mod start;
pub mod start_request;
pub mod view;
#[cfg(unix)]
pub mod worker_job;

/// Numbers of documents that the clones of a repository share.
#[cfg(unix)]
pub use leases::RemoteNumbers;
