//! The locks that Backlog.md takes: one for new numbers, one for each task and draft.

use std::time::Duration;

use chant_plan_format::document::RootSettings;
use chant_plan_format::program_lock::{LockBase, LockTarget, ProgramLock};

use super::config::backlog_folder;
use super::format::DRAFT;

/// The age at which its program takes a lock for one that was left behind.
const STALE_AFTER: Duration = Duration::from_secs(10);

/// The lock for new numbers, below each folder of locks.
const CREATE: &str = "create";

/// Its locks for new tasks lie in the git folder, or, without one, beside those of tasks.
const GIT_FOLDER: &str = "backlog.md/locks";

/// The locks for an edit.
pub(super) fn program_locks(settings: &RootSettings, target: LockTarget<'_>) -> Vec<ProgramLock> {
    let Some(folder) = backlog_folder(settings) else {
        return Vec::new();
    };
    let lock = |base, folder: String, name: String| ProgramLock {
        base,
        folder,
        name,
        stale_after: STALE_AFTER,
    };
    let own = format!("{folder}/.locks");
    match target {
        LockTarget::NewItem => vec![
            lock(LockBase::GitFolder, GIT_FOLDER.into(), CREATE.into()),
            lock(LockBase::Root, own, CREATE.into()),
        ],
        LockTarget::Unit(unit) => {
            let kind = if unit.source.kind == DRAFT {
                "draft"
            } else {
                "task"
            };
            let name = format!("{kind}-{}", lock_name(&unit.source.name));
            vec![lock(LockBase::Root, own, name)]
        }
    }
}

/// The ID in the name of a task's file, as the program writes it into names of locks.
fn lock_name(unit: &str) -> String {
    let id = unit.split_once(" - ").map_or(unit, |(id, _)| id);
    let mut name = String::new();
    for c in id.trim().to_lowercase().chars() {
        let is_plain = c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        match c {
            c if is_plain => name.push(c),
            _ if name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    name.trim_start_matches('.').to_owned()
}
