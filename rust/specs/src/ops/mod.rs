//! One function for each tool: asked with plain values, answered with an [`chant_base::answer::Answer`].
//!
//! Reading functions never change a file. Writing functions read afresh under the document's lock,
//! decide on that text, check what they are about to write, and write only then.

pub(super) mod add;
mod agents;
mod approve;
mod archive;
#[cfg(unix)]
mod confine;
mod diagnose;
mod doctor;
pub(super) mod edit;
pub(super) mod finalize;
#[cfg(unix)]
mod forecast;
#[cfg(unix)]
mod hello;
mod lint;
mod linter;
#[cfg(unix)]
mod merge;
#[cfg(unix)]
mod pause;
mod read;
pub(super) mod receipts;
mod search;
#[cfg(unix)]
pub(super) mod split;
mod staged;
#[cfg(unix)]
pub(super) mod start;
mod state;
#[cfg(not(unix))]
mod unsupported;
mod update;
#[cfg(unix)]
mod watch;
mod work;
#[cfg(unix)]
pub(super) mod worktrees;

pub use add::{NewSpec, add};
pub use agents::{agent_show, agents_list};
pub use approve::{ApprovalInput, approve, reject};
pub use archive::archive;
#[cfg(unix)]
pub use confine::{ConfinedCommand, confine_check, confine_command};
pub use diagnose::diagnose;
pub use doctor::doctor;
pub use finalize::{FinalizeOptions, finalize};
#[cfg(unix)]
pub use forecast::work_forecast;
pub use lint::lint;
pub use linter::LintMemory;
#[cfg(unix)]
pub use merge::merge;
#[cfg(unix)]
pub use pause::{pause, takeover};
pub use read::{BodyRange, get, list, log, ready, status, verify};
pub use receipts::{ReceiptQuery, receipt_fetch, receipt_push, receipt_show, receipt_verify};
pub use search::search;
#[cfg(unix)]
pub use split::{split, split_question};
pub use staged::{SpecOperation, StagedSpecs};
#[cfg(unix)]
pub use start::{StartOptions, recover, run_work, work_start};
pub use state::{cancel, reset};
#[cfg(not(unix))]
pub use unsupported::{
    HeldCommand, Wish, confine_check, confine_command, merge, pause, prepare_worktrees,
    prune_worktrees, recover, run_work, split, split_question, takeover, watch, watch_start,
    watch_status, watch_stop, work_forecast, work_start, worktrees,
};
pub use update::{SpecUpdate, update, update_from_run};
#[cfg(unix)]
pub use watch::{watch, watch_start, watch_status, watch_stop};
pub use work::work_list;
#[cfg(unix)]
pub use worktrees::{prepare_worktrees, prune_worktrees, worktrees};
