//! The tools that run agents, on systems where that is not supported yet (decisions 3, "Windows").

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::clone_options::{LeaseQuery, TakeoverOptions};
use super::confined_command::ConfinedCommand;
use crate::split::{SplitQuestion, SplitRequest};
use crate::start::StartOptions;
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_specs::approval::ApprovalDecision;
use chant_specs::error::ChantError;
use chant_specs::model::Spec;
use chant_specs::project::Project;
use chant_work::run_store::RunStore;
use chant_work::state::StopReason;

fn refused<T>() -> Result<T, Error> {
    let why = "Running agents is not supported on this system yet; everything else works.";
    Err(ChantError::Refused(why.into()).into())
}

/// Refuses to show how runs can be held.
///
/// # Errors
/// Always.
pub fn confine_check(_: &Project) -> Result<Answer, Error> {
    refused()
}

/// Finds no cluster.
///
/// # Errors
/// Always.
pub fn cluster_target(_: &Project, _: &str) -> Result<(String, PathBuf), Error> {
    refused()
}

/// Confines the calling thread.
///
/// # Errors
/// Always.
pub fn confine_engine(_: &Project, _: [PathBuf; 2], _: &Path) -> Result<(), Error> {
    refused()
}

/// Holds the calling thread.
///
/// # Errors
/// Always.
pub fn confine_command(_: &Project, _: &Path, _: &[String]) -> Result<ConfinedCommand, Error> {
    refused()
}

/// `chant_work_start`.
///
/// # Errors
/// Always.
pub fn work_start(
    _: &Arc<Project>,
    _: &str,
    _: &StartOptions,
    _: &mut dyn FnMut(&str),
) -> Result<Answer, Error> {
    refused()
}

/// `chant_work_start`.
///
/// # Errors
/// Always.
pub fn work_start_item(
    _: &Arc<Project>,
    _: &str,
    _: &StartOptions,
    _: &mut dyn FnMut(&str),
) -> Result<Answer, Error> {
    refused()
}

/// Refuses to forecast the time and the cost of a start.
///
/// # Errors
/// Always.
pub fn work_forecast(_: &Project, _: &str, _: &StartOptions) -> Result<Answer, Error> {
    refused()
}

/// Refuses to forecast the time and the cost of a start.
///
/// # Errors
/// Always.
pub fn work_forecast_item(_: &Project, _: &str, _: &StartOptions) -> Result<Answer, Error> {
    refused()
}

/// `chant_split`.
///
/// # Errors
/// Always.
pub fn split(
    _: &Arc<Project>,
    _: &str,
    _: SplitRequest<'_>,
    _: &mut dyn FnMut(&str),
) -> Result<Answer, Error> {
    refused()
}

/// Returns the question for a person before a proposal is written: none.
///
/// # Errors
/// Never.
pub fn split_question(
    _: &Project,
    _: &str,
    _: SplitRequest<'_>,
) -> Result<Option<SplitQuestion>, Error> {
    Ok(None)
}

/// `chant_pause`.
///
/// # Errors
/// Always.
pub fn pause(_: &Project, _: &str) -> Result<Answer, Error> {
    refused()
}

/// `chant_takeover`.
///
/// # Errors
/// Always.
pub fn takeover(_: &Project, _: &str, _: TakeoverOptions) -> Result<Answer, Error> {
    refused()
}

/// The command `leases`.
///
/// # Errors
/// Always.
pub fn leases(_: &Project, _: LeaseQuery) -> Result<Answer, Error> {
    refused()
}

/// The command `leases --free`.
///
/// # Errors
/// Always.
pub fn free_lease(_: &Project, _: &str) -> Result<Answer, Error> {
    refused()
}

/// Returns false: without runs nothing is shared.
pub fn may_look_at_leases(_: &Project) -> bool {
    false
}

/// A look at the remote.
///
/// # Errors
/// Always.
pub fn look_at_leases(_: &Project) -> Result<(), Error> {
    refused()
}

/// A checkout that follows the remote.
///
/// # Errors
/// Always.
pub fn follow_remote(_: &Project) -> Result<Answer, Error> {
    refused()
}

/// What is told to the remote.
///
/// # Errors
/// Always.
pub fn settle_leases(_: &Project) -> Result<(), Error> {
    refused()
}

/// Tells no remote: without runs nothing is shared.
pub(super) fn settle_aside(_: &Project) {}

/// The command `merge`.
///
/// # Errors
/// Always.
pub fn merge(_: &Project, _: Option<&str>, _: Option<&str>) -> Result<Answer, Error> {
    refused()
}

/// The command `env show`.
///
/// # Errors
/// Always.
pub fn environment_show(_: &Project) -> Result<Answer, Error> {
    refused()
}

/// The command `env build`.
///
/// # Errors
/// Always.
pub fn environment_build(
    _: &Project,
    _: Option<&str>,
    _: &mut dyn FnMut(&str),
) -> Result<Answer, Error> {
    refused()
}

/// The command `env run`.
///
/// # Errors
/// Always.
pub fn environment_enter(
    _: &Project,
    _: &[String],
    _: &mut dyn FnMut(&str),
    _: &mut dyn FnMut(ConfinedCommand) -> Result<i32, Error>,
) -> Result<i32, Error> {
    refused()
}

/// Refuses to show the ports of a run.
///
/// # Errors
/// Always.
pub fn environment_ports(_: &Project, _: &str) -> Result<Answer, Error> {
    refused()
}

/// The loopback of a run: there are none here.
#[derive(Debug)]
pub struct NoRunNetwork(());

impl NoRunNetwork {
    /// Connects to a port.
    ///
    /// # Errors
    /// Always.
    pub fn connect(&self, _: u16) -> std::io::Result<std::net::TcpStream> {
        Err(std::io::Error::from(std::io::ErrorKind::Unsupported))
    }
}

/// The loopback that the processes of a run see.
///
/// # Errors
/// Always.
pub fn environment_network(_: &Project, _: &str) -> Result<NoRunNetwork, Error> {
    refused()
}

/// The command `env verify`.
///
/// # Errors
/// Always.
pub fn environment_verify(_: &Project) -> Result<Answer, Error> {
    refused()
}

/// Refuses to show the log of recipes.
///
/// # Errors
/// Always.
pub fn environment_log(_: &Project) -> Result<Answer, Error> {
    refused()
}

/// The command `env prune`.
///
/// # Errors
/// Always.
pub fn environment_prune(_: &Project, _: bool) -> Result<Answer, Error> {
    refused()
}

/// The command `worktree list`.
///
/// # Errors
/// Always.
pub fn worktrees(_: &Project) -> Result<Answer, Error> {
    refused()
}

/// The command `worktree prepare`.
///
/// # Errors
/// Always.
pub fn prepare_worktrees(_: &Project) -> Result<usize, Error> {
    refused()
}

/// The command `worktree prune`.
///
/// # Errors
/// Always.
pub fn prune_worktrees(_: &Project) -> Result<Answer, Error> {
    refused()
}

/// The runner.
///
/// # Errors
/// Always.
pub fn run_work(_: &Project) -> Result<&'static str, Error> {
    refused()
}

/// `chant_watch_status`.
///
/// # Errors
/// Always.
pub fn watch_status(_: &Project) -> Result<Answer, Error> {
    refused()
}

/// `chant_watch_start`.
///
/// # Errors
/// Always.
pub fn watch_start(_: &Project) -> Result<Answer, Error> {
    refused()
}

/// `chant_watch_stop`.
///
/// # Errors
/// Always.
pub fn watch_stop(_: &Project) -> Result<Answer, Error> {
    refused()
}

/// The daemon.
///
/// # Errors
/// Always.
pub fn watch(_: &Arc<Project>, _: bool, _: bool, _: &mut dyn FnMut(&str)) -> Result<(), Error> {
    refused()
}

/// There are no runs to look after.
///
/// # Errors
/// Never.
pub fn recover(_: &Project) -> Result<Vec<String>, Error> {
    Ok(Vec::new())
}

/// Work that waits for a decision; there is none.
pub(super) struct PendingApproval;

impl PendingApproval {
    pub(super) fn of(_: &Project, _: &Spec) -> Result<Self, Error> {
        Ok(Self)
    }

    pub(super) fn is_work(&self) -> bool {
        false
    }

    pub(super) fn land(self, _: &Project) -> Result<String, Error> {
        Ok(String::new())
    }

    pub(super) fn send_back(self, _: &Project, _: &ApprovalDecision) -> Result<String, Error> {
        Ok(String::new())
    }
}

/// A run that was stopped; there are none.
pub(super) enum EndedRun {}

impl EndedRun {
    pub(super) fn is_completed(&self) -> bool {
        match *self {}
    }

    pub(super) fn write(&mut self, _: &RunStore) -> Result<(), Error> {
        match *self {}
    }
}

pub(super) fn close_settled(_: &Project, _: &RunStore) -> Result<(), Error> {
    Ok(())
}

pub(super) fn halt_all(
    _: &Project,
    _: &RunStore,
    _: &Spec,
    _: StopReason,
) -> Result<Vec<EndedRun>, Error> {
    Ok(Vec::new())
}
