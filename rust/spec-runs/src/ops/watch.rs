//! The daemon that watches over runs, as tools start, stop and show it (reference chant 5.21 to 5.23).

use std::sync::Arc;

use crate::project::ProjectRuns;
use crate::runtime::launch_runner;
use crate::runtime::watch as daemon;
use crate::runtime::worktrees::entries;
use crate::view::work::{WatchStatus, WatchedWorktree};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_specs::error::ChantError;
use chant_specs::project::Project;
use chant_work::handshake::START_TIMEOUT;
use chant_work::launch;
use chant_work::run_record::RunRecord;
use chant_work::state::RunState;
use chant_work::watch as engine;

/// Watches in this process until it is asked to end, or idle; with `once` it looks a single time. A process that
/// was started for it says over the hand-shake that it watches.
///
/// # Errors
/// If another process watches already, or a `StoreError`.
pub fn watch(
    project: &Arc<Project>,
    once: bool,
    is_started: bool,
    tell: &mut dyn FnMut(&str),
) -> Result<(), Error> {
    project.refuse_untrusted("watch")?;
    let handshake = is_started.then(launch::take_up).transpose()?;
    daemon::watch(
        project,
        once,
        handshake.map(|(_, handshake)| handshake),
        tell,
    )
}

/// `chant_watch_status`: returns whether a process watches, and the worktrees of runs.
///
/// # Errors
/// If there is no project, or a failure of git.
pub fn watch_status(project: &Project) -> Result<Answer, Error> {
    project.snapshot()?;
    let runs = project.runs()?;
    let watch_running = engine::find_watcher(&runs)?.is_some();
    let (records, _) = runs.all()?;
    let mut worktrees = Vec::new();
    if project.repo()?.is_some() {
        for entry in entries(project)? {
            let record = records
                .iter()
                .find(|record| Some(&record.process_id) == entry.run.as_ref());
            worktrees.push(WatchedWorktree {
                spec_id: entry.spec_id,
                path: entry.path,
                status: record.map_or("unknown", word),
                updated_at: record.map(|record| record.updated_at.clone()),
                error: record.and_then(trouble),
                commits: record
                    .map(|record| record.commits.clone())
                    .unwrap_or_default(),
            });
        }
    }
    Ok(Answer::data(&WatchStatus {
        watch_running,
        worktree_count: worktrees.len(),
        worktrees,
    }))
}

/// Where a run stands, in the four words of the seed.
fn word(record: &RunRecord) -> &'static str {
    match record.state() {
        RunState::Running => "working",
        RunState::Completed | RunState::AwaitingMerge | RunState::AwaitingApproval => "done",
        RunState::Failed | RunState::Lost | RunState::NeedsAttention => "failed",
        RunState::Paused | RunState::TakenOver | RunState::Cancelled => "unknown",
    }
}

fn trouble(record: &RunRecord) -> Option<String> {
    match record.state() {
        RunState::Running | RunState::Completed => None,
        state => Some(match &record.reason {
            Some(reason) => format!("{state}: {reason}"),
            None => state.to_string(),
        }),
    }
}

/// `chant_watch_start`: starts the daemon; the answer comes when it watches.
///
/// # Errors
/// That one is running, or why it could not begin.
pub fn watch_start(project: &Project) -> Result<Answer, Error> {
    project.snapshot()?;
    project.refuse_untrusted("chant_watch_start")?;
    let runs = project.runs()?;
    let running = || ChantError::Refused("Watch is already running".into());
    if engine::find_watcher(&runs)?.is_some() {
        return Err(running().into());
    }
    let mut started = launch_runner(project, &runs, ["watch", "--runner", "--quiet"])?;
    let pid = started.identity().pid;
    let outcome = started.run("watch", START_TIMEOUT, &mut |_| {});
    started.detach(|| ());
    outcome.map_err(|why| ChantError::Refused(format!("Failed to start watch: {why}")))?;
    Ok(Answer::prose(format!("Started watch process (PID: {pid})")))
}

/// `chant_watch_stop`: asks the daemon to end; the answer comes when it has.
///
/// # Errors
/// That none is running, or that it does not end.
pub fn watch_stop(project: &Project) -> Result<Answer, Error> {
    project.snapshot()?;
    match engine::stop(&project.runs()?)? {
        Some(pid) => Ok(Answer::prose(format!(
            "Sent stop signal to watch process (PID: {pid})"
        ))),
        None => Err(ChantError::Refused("Watch is not running".into()).into()),
    }
}
