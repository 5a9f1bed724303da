//! The worktrees that runs were given: found, looked at, and removed when they are not needed any more.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::project::ProjectRuns;
use crate::project::run_tree::{RunTree, RunTreeContext};
use crate::project::worktree_folder::WorktreeFolder;
use crate::view::work::WorktreeEntry;
use chant_base::error::Error;
use chant_config::Config;
use chant_git::Repo;
use chant_git::bookkeeping::WorkQuery;
use chant_specs::error::ChantError;
use chant_specs::project::{Project, SPECS};
use chant_store::state::escape_name;
use chant_work::lock::SpecLock;
use chant_work::run_record::RunRecord;
use chant_work::state::RunState;

/// Removes the worktrees that are not needed any more of runs whose state is one of those meant; gives their
/// folders, with what was kept of each. Each is looked at again with its spec's lock in our hands, so that no run begins there meanwhile.
pub(crate) fn remove_unneeded(
    project: &Project,
    is_meant: impl Fn(Option<&'static str>) -> bool,
) -> Result<Vec<String>, Error> {
    if project.repo()?.is_none() {
        return Ok(Vec::new());
    }
    let (site, runs) = (WorktreeContext::of(project)?, project.runs()?);
    let may_go = |entry: &WorktreeEntry| entry.kept.is_none() && is_meant(entry.state);
    let mut gone = Vec::new();
    let entries = site.entries()?.into_iter();
    for seen in entries.filter(|seen| may_go(seen)) {
        let lock = seen.spec_id.as_ref().map(|id| SpecLock::acquire(&runs, id));
        let Some(Ok(_lock)) = lock else { continue };
        let now = site.entry_now(Path::new(&seen.path))?;
        let removed = now.filter(may_go).map(|now| site.remove(&now));
        if let Some(Ok(kept)) = removed {
            let about = std::iter::once(seen.path).chain(kept);
            gone.push(about.collect::<Vec<_>>().join("; "));
        }
    }
    Ok(gone)
}

/// Returns the worktrees of runs.
///
/// # Errors
/// As [`WorktreeContext::of`].
pub(crate) fn entries(project: &Project) -> Result<Vec<WorktreeEntry>, Error> {
    WorktreeContext::of(project)?.entries()
}

/// Where the worktrees of runs lie, and what their work is measured against.
pub(crate) struct WorktreeContext<'a> {
    project: &'a Project,
    config: Arc<Config>,
    repo: Arc<Repo>,
    /// The branch of work whose record names no other.
    main: String,
}

impl<'a> WorktreeContext<'a> {
    /// Opens the context of a project.
    ///
    /// # Errors
    /// That there is no project or no repository, or a failure of git.
    pub(crate) fn of(project: &'a Project) -> Result<Self, Error> {
        let config = project.snapshot()?.config?;
        let repo = project.repository()?;
        let main = RunTreeContext {
            project,
            config: &config,
            repo: &repo,
        }
        .main_branch()?;
        Ok(Self {
            project,
            config,
            repo,
            main,
        })
    }

    /// Removes a worktree and its branch, whose commits are elsewhere or the runtime's own: if it certainly is
    /// that of a run of the spec.
    /// Returns what was kept of it, as sentences.
    pub(crate) fn remove(&self, entry: &WorktreeEntry) -> Result<Vec<String>, Error> {
        let path = Path::new(&entry.path);
        let (Some(branch), Some(spec_id)) = (&entry.branch, &entry.spec_id) else {
            let message = format!("{} stands on no branch of a run", entry.path);
            return Err(ChantError::Refused(message).into());
        };
        let tree = self.context().tree_of(spec_id, branch)?;
        let Some(tree) = tree.filter(|tree| tree.path() == path) else {
            let message = format!(
                "{} is not certainly that of a run of spec '{spec_id}'. Look at it, and remove it yourself",
                entry.path
            );
            return Err(ChantError::Refused(message).into());
        };
        self.repo.back_up(branch, &escape_name(spec_id))?;
        let kept = tree.remove(self.project)?;
        self.repo.delete_backed_up_branch(branch)?;
        Ok(kept)
    }

    /// All of them, by their folders.
    pub(crate) fn entries(&self) -> Result<Vec<WorktreeEntry>, Error> {
        let mut entries = self.entries_of(|_| true)?;
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(entries)
    }

    /// The folders of runs of a project that was at this place before.
    ///
    /// # Errors
    /// That nothing says where such folders lie.
    pub(crate) fn strange_folders(&self) -> Result<Vec<PathBuf>, Error> {
        Ok(WorktreeFolder::of(self.project, &self.config, &self.repo)?.strange_folders())
    }

    /// One of them as it is now, if it still is there.
    fn entry_now(&self, path: &Path) -> Result<Option<WorktreeEntry>, Error> {
        Ok(self.entries_of(|tree| tree.path() == path)?.pop())
    }

    /// Returns the parts that a run tree is made from.
    pub(crate) fn context(&self) -> RunTreeContext<'_, '_> {
        RunTreeContext {
            project: self.project,
            config: &self.config,
            repo: &self.repo,
        }
    }

    fn entries_of(
        &self,
        is_meant: impl Fn(&RunTree<'_>) -> bool,
    ) -> Result<Vec<WorktreeEntry>, Error> {
        let snapshot = self.project.snapshot()?;
        // A run is recorded before it has a worktree.
        let trees = self
            .context()
            .all_trees(|spec_id| snapshot.own_branch_of(spec_id))?;
        let (records, _) = self.project.runs()?.all()?;
        let own = trees.into_iter().filter(is_meant);
        own.map(|tree| self.entry(&tree, &records)).collect()
    }

    fn entry(&self, tree: &RunTree<'_>, records: &[RunRecord]) -> Result<WorktreeEntry, Error> {
        entry(self.project, &self.repo, self.main.as_str(), tree, records)
    }
}

fn entry(
    project: &Project,
    repo: &Repo,
    main: &str,
    tree: &RunTree<'_>,
    records: &[RunRecord],
) -> Result<WorktreeEntry, Error> {
    let branch = Some(tree.branch.as_str()).filter(|branch| !branch.is_empty());
    let id = Some(tree.spec_id.clone()).filter(|id| !id.is_empty());
    let of_spec = records
        .iter()
        .filter(|record| record.works_on_spec() && Some(&record.spec_id) == id.as_ref());
    let newest = of_spec.max_by_key(|record| record.token);
    let target = newest.and_then(|record| record.target.as_deref());
    let target = target.unwrap_or(main);
    let spec_of = |id: &String| project.path_in_repository(repo, &format!("{SPECS}/{id}.md"));
    let spec = id.as_ref().and_then(spec_of);
    let fetched = match newest.map(RunRecord::state) {
        Some(RunState::Running) => Ok(false),
        _ if !project.is_trusted() => Ok(false),
        _ => tree.fetch(),
    };
    let uncommitted = match tree.uncommitted_shown(project) {
        Ok(paths) => paths.len(),
        // It may be removed just now.
        Err(_) if !tree.is_there() => 0,
        Err(error) => return Err(error.into()),
    };
    let is_merged = match (branch, newest.and_then(|record| record.base.as_deref())) {
        (Some(branch), Some(base)) if repo.branch_tip(branch)?.is_some() => {
            // Commits of the runtime's own count as no work.
            let since = WorkQuery {
                branch,
                base,
                target: Some(target),
                besides: &[],
            };
            repo.evidence(&since)?.commits.is_empty() || repo.is_merged(branch, target)?
        }
        (Some(branch), _) => {
            repo.is_merged(branch, target)?
                || match &spec {
                    Some(spec) => repo.is_only_begun(branch, target, spec)?,
                    None => false,
                }
        }
        (None, _) => false,
    };
    let kept = match newest.map(RunRecord::state) {
        Some(RunState::Running) => Some("a run is under way".to_owned()),
        Some(state) if state.waits() => Some(format!("its run is {state}")),
        _ if newest.is_some_and(|record| {
            record.branch.is_some() && record.branch.as_deref() != branch
        }) =>
        {
            Some("the record of its run names another branch".to_owned())
        }
        _ if fetched.is_err() => fetched.as_ref().err().map(ToString::to_string),
        _ if uncommitted == 1 => Some("1 file is not committed".to_owned()),
        _ if uncommitted > 0 => Some(format!("{uncommitted} files are not committed")),
        _ if !is_merged => Some(format!("its commits are not on {target}")),
        _ => None,
    };
    Ok(WorktreeEntry {
        path: tree.path().display().to_string(),
        spec_id: id,
        branch: branch.map(str::to_owned),
        run: newest.map(|record| record.process_id.clone()),
        state: newest.map(|record| record.state().as_str()),
        uncommitted,
        merged: is_merged,
        kept,
    })
}
