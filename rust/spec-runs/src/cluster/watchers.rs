//! Tells a job client that somebody reads its log: the log crosses the network only then.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::project::ProjectRuns;
use crate::project::folders::{WATCHED, sibling_file};
use chant_base::diagnostics::LogFailure;
use chant_specs::project::Project;
use chant_store::StoreError;
use chant_store::disk;
use chant_work::state::RunState;

/// Makes the file by which readers of a run's log are noticed: as old as if it had never been read.
///
/// # Errors
/// `NotWritten`.
pub(crate) fn make_mark(worktree: &Path) -> Result<PathBuf, StoreError> {
    let mark = sibling_file(worktree, WATCHED);
    disk::remove(&mark)?;
    disk::create_owned(&mark, "")?;
    disk::set_modified(&mark, SystemTime::UNIX_EPOCH)?;
    Ok(mark)
}

/// Notes that somebody reads the log of a spec, if its agent works elsewhere now.
pub(crate) fn note_reader(project: &Project, spec_id: &str) {
    let Ok(runs) = project.runs() else { return };
    let Ok(Some(record)) = runs.newest_of(spec_id) else {
        return;
    };
    if record.asked.on.is_none() || record.state() != RunState::Running {
        return;
    }
    let Some(worktree) = record.worktree.as_deref() else {
        return;
    };
    let mark = sibling_file(Path::new(worktree), WATCHED);
    if disk::is_file(&mark) {
        disk::set_modified(&mark, SystemTime::now()).log_failure("note a reader of a log");
    }
}
