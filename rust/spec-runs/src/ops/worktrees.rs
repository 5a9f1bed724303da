//! The worktrees that runs were given: shown, made in advance, and removed.

use crate::project::ProjectRuns;
use crate::runtime::worktrees::WorktreeContext;
use crate::runtime::{pool, recovery};
use crate::view::work::{FolderPoolView, WorktreeList};
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_specs::project::Project;
use chant_work::lock::SpecLock;

/// The worktrees of runs, by their folders: whose they are, what they hold, whether they can go.
///
/// # Errors
/// That there is no project or no repository, or a failure of git.
pub fn worktrees(project: &Project) -> Result<Answer, Error> {
    recovery::recover_runs(project)?;
    let site = WorktreeContext::of(project)?;
    // What cannot be looked at is no worktree of a run.
    let pool = pool::open_pool(site.context()).ok().flatten();
    let made = pool.map(|pool| pool.folders()).unwrap_or_default();
    Ok(Answer::data(&WorktreeList {
        worktrees: site.entries()?,
        made_in_advance: FolderPoolView {
            folders: made.len(),
            bytes: made.iter().map(|one| one.bytes).sum(),
        },
    }))
}

/// Makes folders for runs to come, in this process, which comes last on the machine and does nothing else.
///
/// # Errors
/// As [`worktrees`], or what keeps folders from being made.
pub fn prepare_worktrees(project: &Project) -> Result<usize, Error> {
    pool::fill_pool(project)
}

/// Removes the worktrees of runs that ended whose work is merged and that hold nothing else; everything
/// else stays. Gives what went and what stayed, with the reason.
///
/// # Errors
/// As [`worktrees`].
pub fn prune_worktrees(project: &Project) -> Result<Answer, Error> {
    project.refuse_untrusted("worktree prune")?;
    recovery::recover_runs(project)?;
    let (site, runs) = (WorktreeContext::of(project)?, project.runs()?);
    let mut lines = Vec::new();
    for entry in site.entries()? {
        let mut kept = entry.kept.clone();
        if kept.is_none() {
            let lock = entry
                .spec_id
                .as_ref()
                .map(|id| SpecLock::acquire(&runs, id));
            let removed = match lock {
                Some(Err(error)) => Err(error.into()),
                _ => site.remove(&entry),
            };
            match removed {
                Ok(sentences) => {
                    let about = std::iter::once(format!("Removed {}", entry.path)).chain(sentences);
                    lines.push(about.collect::<Vec<_>>().join("; "));
                }
                Err(error) => kept = Some(error.to_string()),
            }
        }
        lines.extend(kept.map(|why| format!("Kept {}: {why}", entry.path)));
    }
    for path in site.strange_folders()? {
        let path = path.display();
        lines.push(format!(
            "Kept {path}: it was made for a project that was at this place before. Look at it, and remove it yourself"
        ));
    }
    // What stays of them is in the way of nothing, and the next look may remove it.
    let (removed, left) = pool::prune_pool(site.context()).unwrap_or_default();
    for path in removed {
        lines.push(format!("Removed {}, made in advance", path.display()));
    }
    if left > 0 {
        lines.push(format!(
            "Kept {left} made in advance for the next runs; `runs.pool.folders: 0` in your own configuration ends that"
        ));
    }
    if lines.is_empty() {
        lines.push("There are no worktrees of runs.".into());
    }
    Ok(Answer::prose(lines.join("\n")))
}
