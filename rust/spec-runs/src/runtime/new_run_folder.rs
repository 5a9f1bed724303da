//! Creates the place of work on a spec: branch, worktree and the copy of the spec in there, or those of an earlier run.

use std::path::{Path, PathBuf};

use super::run_folder::{RunBranches, RunFolder, RunSpecFile, in_git, write_new};
use super::{pool, refuse_without_commit};
use crate::merge;
use crate::project::folders::{self, BASE};
use crate::project::run_tree::RunTreeContext;
use crate::project::worktree_folder::{self, WorktreeFolder};
use chant_base::error::Error;
use chant_config::Config;
use chant_git::bookkeeping::NewBranch;
use chant_git::{GitError, Repo};
use chant_specs::error::ChantError;
use chant_specs::model::Spec;
use chant_specs::ops::edit::SpecDraft;
use chant_specs::project::Project;
use chant_store::StoreError;
use chant_store::disk;
use chant_store::files::{self, RootFolder};
use chant_store::state::escape_name;
use chant_work::run_record::RunRecord;
use chant_work::run_store::RunStore;
use chant_work::runner::ActiveRun;

/// The work of an earlier run that a run continues.
struct EarlierWork {
    /// The first commit of its branch.
    base: String,
    /// The branch that it lands on.
    target: Option<String>,
}

/// The facts from which a workplace is created.
pub(super) struct RunFolderInputs<'a> {
    pub project: &'a Project,
    pub repo: &'a Repo,
    pub config: &'a Config,
    /// The spec as it is in the user's checkout.
    pub spec: &'a Spec,
    /// The branch of its work.
    pub branch: String,
}

impl RunFolderInputs<'_> {
    /// Prepares branch, worktree and copy of the spec, or continues with those of an earlier run;
    /// each step is recorded before it is taken.
    ///
    /// # Errors
    /// The obstacle; no earlier work is lost then.
    pub(crate) fn make(&self, run: &mut ActiveRun<'_>) -> Result<RunFolder, Error> {
        let spec_in_git = in_git(self.project, self.repo, &self.spec.path)?;
        let earlier = self.earlier(run)?;
        let target = self.target(run.record(), earlier.as_ref())?;
        refuse_without_commit(self.repo, &target)?;
        let branch = self.branch.as_str();
        run.update(|record| {
            record.branch = Some(branch.to_owned());
            record.target = Some(target.clone());
            Ok(())
        })?;
        let (base, is_tracked) = if let Some(EarlierWork { base, .. }) = &earlier {
            run.step("Going on in the branch of an earlier run");
            let is_tracked =
                !self.project.holds_orders() && self.repo.file_at(base, &spec_in_git)?.is_some();
            (base.clone(), is_tracked)
        } else {
            run.step("Making a branch");
            self.set_aside()?;
            let is_tracked = self.is_tracked(&target, &spec_in_git)?;
            let base = self.begin_branch(run.record(), &target, &spec_in_git, is_tracked)?;
            (base, is_tracked)
        };
        let spec = self.spec_file(spec_in_git, is_tracked);
        self.make_on_branch(run, &target, &base, spec, earlier.is_some())
    }

    /// As [`RunFolderInputs::make`], on the branch as another machine began it: `base` is its first
    /// commit, and carries the spec.
    ///
    /// # Errors
    /// The obstacle.
    pub(super) fn make_on_begun_branch(
        &self,
        run: &mut ActiveRun<'_>,
        target: &str,
        base: &str,
    ) -> Result<RunFolder, Error> {
        let spec_in_git = in_git(self.project, self.repo, &self.spec.path)?;
        run.update(|record| {
            record.branch = Some(self.branch.clone());
            record.target = Some(target.to_owned());
            Ok(())
        })?;
        let spec = self.spec_file(spec_in_git, !self.project.holds_orders());
        self.make_on_branch(run, target, base, spec, false)
    }

    fn spec_file(&self, path_in_git: String, is_tracked: bool) -> RunSpecFile {
        RunSpecFile {
            id: self.spec.id.to_string(),
            path: self.spec.path.to_string(),
            path_in_git,
            is_tracked,
        }
    }

    fn make_on_branch(
        &self,
        run: &mut ActiveRun<'_>,
        target: &str,
        base: &str,
        spec: RunSpecFile,
        goes_on: bool,
    ) -> Result<RunFolder, Error> {
        let branch = self.branch.as_str();
        run.update(|record| {
            record.base = Some(base.to_owned());
            Ok(())
        })?;
        self.repo.keep_base(branch, Some(base))?;
        run.reached("after-branch")?;
        run.step("Making a worktree");
        let worktree = self.worktree(run)?;
        let branches = RunBranches {
            branch,
            target,
            base,
        };
        let mut place = RunFolder::at(&worktree, branches, spec);
        place.confinement = Some(self.context().confinement(&worktree)?);
        self.place_copy(&place, goes_on)?;
        run.reached("after-worktree")?;
        Ok(place)
    }

    /// Returns the branch that the work lands on: that of the work which is continued, else the one that the
    /// start decided on.
    fn target(&self, record: &RunRecord, earlier: Option<&EarlierWork>) -> Result<String, Error> {
        let named = record.asked.base.as_deref();
        let target = match earlier.and_then(|earlier| earlier.target.as_deref()) {
            Some(target) => {
                if let Some(named) = named.filter(|named| *named != target) {
                    let message = format!(
                        "The work on spec '{}' that is continued started from `{target}` and lands there, not on `{named}`. Leave `--base` out to go on with it, or add `--fresh` to start again.",
                        self.spec.id
                    );
                    return Err(ChantError::Refused(message).into());
                }
                target.to_owned()
            }
            None => match &record.target {
                Some(target) => target.clone(),
                None => self.context().base_branch(named)?,
            },
        };
        if target == self.branch {
            let message = format!(
                "The branch `{target}` is the one for the work on spec '{}' itself. Check out the branch that the work has to land on, and start again.",
                self.spec.id
            );
            return Err(ChantError::Refused(message).into());
        }
        Ok(target)
    }

    /// Returns the work of an earlier run, if that created the branch and its work is to be continued.
    fn earlier(&self, run: &ActiveRun<'_>) -> Result<Option<EarlierWork>, Error> {
        if run.record().asked.fresh || self.repo.branch_tip(&self.branch)?.is_none() {
            return Ok(None);
        }
        let runs: &RunStore = run.runs();
        let own = run.record();
        let records = runs.of_spec(&own.spec_id)?;
        let is_earlier = |record: &&RunRecord| {
            record.token < own.token && record.branch.as_deref() == Some(&*self.branch)
        };
        let mut earlier: Vec<&RunRecord> = records.iter().filter(is_earlier).collect();
        earlier.sort_by_key(|record| std::cmp::Reverse(record.token));
        // A start that was refused recorded no commit; the one before it may have.
        let mut open = earlier
            .iter()
            .take_while(|record| !record.state().is_closed());
        Ok(open.find_map(|record| {
            Some(EarlierWork {
                base: record.base.clone()?,
                target: record.target.clone(),
            })
        }))
    }

    /// Returns true if git tracks the spec, in the target or in this checkout.
    fn is_tracked(&self, target: &str, spec_in_git: &str) -> Result<bool, Error> {
        let in_target = self.repo.file_at(target, spec_in_git)?.is_some();
        if self.project.holds_orders() {
            if in_target {
                let message = format!(
                    "`{target}` holds {spec_in_git}, which is the path of the run's own order. Rename that file, then start again."
                );
                return Err(ChantError::Refused(message).into());
            }
            return Ok(false);
        }
        let path = self.project.root().join(&*self.spec.path);
        Ok(in_target || self.repo.is_tracked(&path)?)
    }

    fn begin_branch(
        &self,
        record: &RunRecord,
        target: &str,
        spec_in_git: &str,
        is_tracked: bool,
    ) -> Result<String, Error> {
        let file = (spec_in_git.to_owned(), self.spec.text.as_bytes().to_vec());
        let files = if is_tracked { vec![file] } else { Vec::new() };
        let branch = self.repo.begin_branch(&NewBranch {
            branch: &self.branch,
            target,
            start: record.lease.as_ref().map(|lease| &*lease.base),
            message: &format!(
                "Work on {} begins\n\nBy run {}.",
                record
                    .item
                    .as_ref()
                    .map_or(self.spec.id.as_str(), |item| &item.key),
                record.process_id
            ),
            files: &files,
        })?;
        Ok(branch.commit)
    }

    /// Sets a branch of that name aside: its commits stay under a backup, together with uncommitted
    /// changes of its worktree.
    fn set_aside(&self) -> Result<(), Error> {
        let branch = self.branch.as_str();
        if self.repo.branch_tip(branch)?.is_none() {
            return Ok(());
        }
        if let Some(tree) = self.context().tree_of(self.spec.id.as_str(), branch)? {
            tree.hand_over_with_commits()?;
            tree.commit_everything("Uncommitted work, kept by a fresh start")?;
            tree.remove(self.project)?;
        }
        self.repo
            .back_up(branch, &escape_name(self.spec.id.as_str()))?;
        Ok(self.repo.delete_backed_up_branch(branch)?)
    }

    fn context(&self) -> RunTreeContext<'_, '_> {
        RunTreeContext {
            project: self.project,
            config: self.config,
            repo: self.repo,
        }
    }

    /// Returns the folder of the run: the existing one, or a new one.
    fn worktree(&self, run: &mut ActiveRun<'_>) -> Result<PathBuf, Error> {
        let (id, branch) = (self.spec.id.as_str(), self.branch.as_str());
        // The commits of the run must move the branch, which would leave that checkout behind.
        if let Some(holder) = self.repo.holder_of(branch)? {
            let message = format!(
                "branch {branch} is checked out in {}; check out another one there first",
                holder.display()
            );
            return Err(ChantError::Refused(message).into());
        }
        if let Some(tree) = self.context().tree_of(id, branch)? {
            record_worktree(run, tree.path())?;
            worktree_folder::write_run_mark(
                self.project,
                tree.path(),
                &run.record().process_id,
                id,
            )?;
            tree.catch_up(&mut |step| run.step(step))?;
            return Ok(tree.path().to_owned());
        }
        let folder = folders::worktrees_folder(self.project, self.config, self.repo)?;
        self.refuse_inside_checkout(&folder)?;
        disk::make_folders(&folder)?;
        let site = WorktreeFolder::of(self.project, self.config, self.repo)?;
        let path = site.free_folder(id);
        for left in site.strange_folders() {
            let left = left.display();
            run.step(&format!(
                "{left} is of a project that was here before; it is kept"
            ));
        }
        record_worktree(run, &path)?;
        worktree_folder::write_run_mark(self.project, &path, &run.record().process_id, id)?;
        let tree = self.context().own(&path, id, branch)?;
        if !pool::claim_folder(self.context(), run, &tree)? {
            tree.make(&mut |step| run.step(step))
                .map_err(with_filter_advice)?;
        }
        Ok(path)
    }

    /// Refuses a place for runs that lies in the user's checkout: files that an agent creates there
    /// would be the user's.
    fn refuse_inside_checkout(&self, folder: &Path) -> Result<(), Error> {
        let above = folder.ancestors().find_map(|above| disk::real(above).ok());
        let tops = [self.repo.checkout(), Some(self.project.root())];
        let mut tops = tops.into_iter().flatten().map(disk::real);
        let is_inside = tops.any(|top| {
            let top = top.unwrap_or_default();
            above.as_ref().is_some_and(|above| above.starts_with(&top))
        });
        if !is_inside {
            return Ok(());
        }
        let message = format!(
            "Work cannot begin: `defaults.worktree_root` names {}, which lies in the checkout that people work in. Name a folder outside of it.",
            folder.display()
        );
        Err(ChantError::Refused(message).into())
    }

    /// Writes the spec into the worktree if git did not, and copies the changes in the checkout
    /// since the work started.
    fn place_copy(&self, place: &RunFolder, goes_on: bool) -> Result<(), Error> {
        let now: &str = &self.spec.text;
        let copy = place
            .copy_text(self.project)
            .map_err(|error| self.unusable(place, &error))?;
        let base = place.base_text(self.project, self.repo)?;
        let text = match (&base, &copy) {
            (Some(base), Some(copy)) if goes_on => {
                merge::merge_specs(Some(base), Some(now), Some(copy))
                    .map_err(|conflicts| self.disagreement(place, &conflicts))?
            }
            (_, Some(copy)) => copy.clone(),
            _ => now.to_owned(),
        };
        if !(place.is_tracked || goes_on && base.is_some()) {
            let beside = folders::sibling_file(&place.worktree, BASE);
            disk::remove(&beside)?;
            disk::create_owned(&beside, now)?;
        }
        match copy {
            // The checkout owns states and the like; the agent needs the rest.
            Some(copy) if task_of(&place.spec, &copy) == task_of(&place.spec, &text) => Ok(()),
            copy => self.write_copy(place, &text, copy.is_some()),
        }
    }

    fn write_copy(&self, place: &RunFolder, text: &str, is_there: bool) -> Result<(), Error> {
        let root = RootFolder::open(&place.root)?;
        let disk = &self.project.disk;
        if is_there {
            let changed = |_: &str| Ok::<_, StoreError>(text.to_owned());
            files::edit(disk, &root, &place.spec, changed)?;
            return Ok(());
        }
        write_new(self.project, place, text)
    }

    /// Returns the error for an earlier run that left something other than a text in place of the
    /// spec's copy.
    fn unusable(&self, place: &RunFolder, error: &Error) -> Error {
        let id = &self.spec.id;
        let message = format!(
            "An earlier run of '{id}' left something else in {} than a copy of its spec: {error}. A person's `chant-mcp work {id} --fresh` begins from the start, and keeps what was done as a backup.",
            place.worktree.display()
        );
        ChantError::Refused(message).into()
    }

    fn disagreement(&self, place: &RunFolder, conflicts: &[merge::SpecConflict]) -> Error {
        let described: Vec<String> = conflicts
            .iter()
            .map(|conflict| conflict.describe("the project", "the worktree"))
            .collect();
        let message = format!(
            "Spec '{}' was changed in the project and in its worktree {}: {}. Make them agree, or start afresh.",
            self.spec.id,
            place.worktree.display(),
            described.join("; ")
        );
        ChantError::Refused(message).into()
    }
}

/// Returns a spec without what the runtime writes into it; unchanged if it cannot be read.
fn task_of(path: &str, text: &str) -> String {
    let stripped = || -> Result<String, Error> {
        let mut draft = SpecDraft::of(path, text)?;
        for key in [
            "status", "branch", "commits", "completed_at", "model", "approval",
        ] {
            draft.set(key, None)?;
        }
        Ok(draft.finish())
    };
    stripped().unwrap_or_else(|_| text.to_owned())
}

fn record_worktree(run: &mut ActiveRun<'_>, worktree: &Path) -> Result<(), Error> {
    let worktree = worktree.display().to_string();
    run.update(|record| {
        record.worktree = Some(worktree.clone());
        Ok(())
    })?;
    Ok(())
}

/// Adds the way out to the failure of a filter by which git writes files; recipes come after that.
fn with_filter_advice(error: Error) -> Error {
    match error.downcast_ref::<GitError>() {
        Some(GitError::Program { why, .. }) if why.contains("smudge filter") => {
            ChantError::Refused(format!(
                "{error}\nSet the filter's `smudge`, and have its program lie where runs may read it (`confine.read` in your own configuration)."
            ))
            .into()
        }
        _ => error,
    }
}
