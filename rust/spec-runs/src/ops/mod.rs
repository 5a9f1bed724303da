//! One function for each tool about runs: asked with plain values, answered with an [`chant_base::answer::Answer`].

mod agents;
mod approve;
mod clone_options;
#[cfg(unix)]
mod clusters;
mod confine;
mod confined_command;
mod deep_look;
mod diagnose;
mod diagnosis_facts;
mod doctor;
#[cfg(unix)]
mod environment;
mod fence;
mod finalize;
mod flaky;
#[cfg(unix)]
mod forecast;
#[cfg(unix)]
mod hello;
#[cfg(unix)]
mod leases;
mod log;
#[cfg(unix)]
mod merge;
#[cfg(unix)]
mod pause;
mod receipts;
mod review;
mod sessions;
#[cfg(unix)]
mod shared_remote;
#[cfg(unix)]
#[cfg(unix)]
mod split;
mod start;
mod state;
#[cfg(not(unix))]
mod unsupported;
#[cfg(unix)]
mod watch;
mod work;
pub(super) mod work_load;
#[cfg(unix)]
mod worktrees;

#[cfg(unix)]
use super::leases::other_clone::settle_aside;
#[cfg(unix)]
pub use super::runtime::run_network::RunNetwork;
pub use super::start::StartOptions;
pub use agents::{agent_show, agents_list};
pub use approve::{ApprovalInput, approve, reject};
pub use clone_options::{LeaseQuery, TakeoverOptions};
pub use clusters::clusters;
#[cfg(unix)]
pub use clusters::{cluster_target, confine_engine};
#[cfg(unix)]
pub use confine::{confine_check, confine_command};
pub use confined_command::ConfinedCommand;
pub use deep_look::deep_look;
pub use diagnose::diagnose;
pub use doctor::doctor;
#[cfg(unix)]
pub use environment::{
    environment_build, environment_enter, environment_log, environment_network, environment_ports,
    environment_prune, environment_show, environment_verify,
};
pub use fence::{FenceQuery, fence};
pub use finalize::{FinalizeOptions, finalize};
pub use flaky::{flaky, forget_flaky};
#[cfg(unix)]
pub use forecast::work_forecast;
#[cfg(unix)]
pub use leases::{
    follow_remote, free_lease, leases, look_at_leases, may_look_at_leases, settle_leases,
};
pub use log::{LogRange, log};
#[cfg(unix)]
pub use merge::merge;
#[cfg(unix)]
pub use pause::{pause, takeover};
pub use receipts::{
    DriftQuery, ReceiptQuery, receipt_drift, receipt_fetch, receipt_push, receipt_show,
    receipt_sign, receipt_verify,
};
pub use review::{
    CommentInput, ReviewAct, ReviewScope, comment, review_act, review_exchange, review_queue,
    review_show,
};
pub use sessions::{archive, clear_sessions, sessions};
#[cfg(unix)]
pub use split::{split, split_question};
#[cfg(unix)]
pub use start::{recover, run_work, work_forecast_item, work_start, work_start_item};
pub use state::{cancel, reset};
#[cfg(not(unix))]
use unsupported::settle_aside;
#[cfg(not(unix))]
pub use unsupported::{
    RunNetwork, cluster_target, confine_check, confine_command, confine_engine, environment_build,
    environment_enter, environment_log, environment_network, environment_ports, environment_prune,
    environment_show, environment_verify, follow_remote, free_lease, leases, look_at_leases,
    may_look_at_leases, merge, pause, prepare_worktrees, prune_worktrees, recover, run_work,
    settle_leases, split, split_question, takeover, watch, watch_start, watch_status, watch_stop,
    work_forecast, work_forecast_item, work_start, work_start_item, worktrees,
};
#[cfg(unix)]
pub use watch::{watch, watch_start, watch_status, watch_stop};
pub use work::{RunFilter, work_list};
#[cfg(unix)]
pub use worktrees::{prepare_worktrees, prune_worktrees, worktrees};
