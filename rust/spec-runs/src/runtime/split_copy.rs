//! The copy of a project that the agent of a split reads: found again by the run's record, and removed.

use std::path::{Path, PathBuf};

use crate::project::folders;
use crate::project::worktree_folder::{WorktreeFolder, remove_beside};
use chant_specs::project::Project;
use chant_store::disk;
use chant_work::run_record::{RunRecord, SPLIT};

/// Removes the copy of a split that ended, as far as possible: the result is in its record.
pub(crate) fn remove_copy(project: &Project, record: &RunRecord) {
    let Some(folder) = copy_of(project, record) else {
        return;
    };
    // A copy that cannot be removed does no harm.
    if disk::remove_tree(&folder).is_ok() {
        remove_beside(&folder);
    }
    if let Some(all) = folder.parent() {
        disk::remove_folder(all);
    }
}

/// Returns the folder of a split's copy according to the present configuration; `None` if the
/// record names another one, or if it is not certainly ours.
fn copy_of(project: &Project, record: &RunRecord) -> Option<PathBuf> {
    let recorded = Path::new(
        record
            .worktree
            .as_deref()
            .filter(|_| record.mode == SPLIT)?,
    );
    let config = project.snapshot().ok()?.config.ok()?;
    let folder = folders::of_split(project, &config, &record.process_id).ok()?;
    let folder = disk::real(&folder).ok()?;
    let site = WorktreeFolder::at(folder.parent()?.to_owned());
    let is_ours = site.refuse_unmarked(&folder, &record.spec_id).is_ok();
    let is_inside = disk::real(recorded).ok()?.starts_with(&folder);
    (is_ours && is_inside).then_some(folder)
}
