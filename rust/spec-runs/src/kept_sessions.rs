//! The kept sessions of agents: which are needed still.

use chant_agents::session_store::SessionStore;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_specs::model::SpecStatus;
use chant_specs::project::Project;
use chant_specs::work_items::is_run_id;

/// Removes the kept session of a spec. What cannot be removed now is removed when it is too old.
pub(crate) fn remove_session(project: &Project, spec_id: &str) {
    let remove = || -> Result<(), Error> {
        SessionStore::of(&project.state()?).remove(spec_id)?;
        Ok(())
    };
    remove().log_failure("remove the kept session of a spec");
}

/// Removes the sessions of specs that are done or gone, and those that are older than sessions are kept.
///
/// # Errors
/// A failure to read the project, or of the disk.
pub(crate) fn sweep_sessions(project: &Project) -> Result<(), Error> {
    let state = project.state()?;
    let sessions = SessionStore::of(&state);
    let all = sessions.all();
    if all.is_empty() || project.holds_orders() {
        return Ok(());
    }
    let snapshot = project.snapshot()?;
    let config = snapshot.config.clone()?;
    let now = seconds_now(project);
    for kept in all {
        let spec = snapshot.specs.find(&kept.spec);
        let is_open = spec.is_some_and(|spec| {
            !matches!(spec.status, SpecStatus::Completed | SpecStatus::Cancelled)
        });
        // Orders of items are no specs of the project; their landing removes what is kept of them.
        let is_needed = is_open || is_run_id(&kept.spec);
        if !is_needed || kept.is_over(now, config.runs.sessions_kept) {
            sessions.remove(&kept.spec)?;
        }
    }
    Ok(())
}

/// Returns the seconds since 1970.
pub(crate) fn seconds_now(project: &Project) -> u64 {
    u64::try_from((project.clock.now)().as_second()).unwrap_or_default()
}
