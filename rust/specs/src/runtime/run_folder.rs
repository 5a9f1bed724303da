//! The place of work on one spec: its branch, its worktree, and the copy of the spec in there
//! (reference chant 6.3, as the runtime's design settles it).
//!
//! A branch starts with a commit of the runtime's own that carries the spec as it was. Specs that
//! git does not track are copied into the worktree, where the agent's git ignores them, and read
//! back.

use chant_base::diagnostics::LogFailure;
use std::path::{Path, PathBuf};

use super::super::error::ChantError;
use super::super::merge;
use super::super::model::Spec;
use super::super::ops::edit::SpecDraft;
use super::super::project::folders::{self, BASE, CHECKED};
use super::super::project::run_tree::{RunTree, RunTreeContext};
use super::super::project::worktree_folder::{self, WorktreeFolder, remove_beside};
use super::super::project::{Project, SPECS};
use super::{pool, refuse_without_commit};
use chant_base::error::Error;
use chant_config::Config;
use chant_confine::Confinement;
use chant_git::Repo;
use chant_git::bookkeeping::NewBranch;
use chant_git::run_repository::LOGS;
use chant_store::StoreError;
use chant_store::disk::{self, FileStamp, TemporaryFile};
use chant_store::files::{self, RootFolder};
use chant_store::state::escape_name;
use chant_work::run_record::RunRecord;
use chant_work::run_store::RunStore;
use chant_work::runner::ActiveRun;

/// The place of work on one spec.
#[derive(Debug, Clone)]
pub(in super::super) struct RunFolder {
    /// The branch of the work.
    pub branch: String,
    /// The branch on which the work lands.
    pub target: String,
    /// The branch's first commit.
    pub base: String,
    /// The top of the worktree.
    pub worktree: PathBuf,
    /// The project's root in it.
    pub root: PathBuf,
    /// True if the worktree is a linked one, which a release before this one made.
    is_linked: bool,
    /// The spec's ID.
    pub spec_id: String,
    /// The spec's file, from the project's root.
    pub spec: String,
    /// The same path from the top of the checkout, as git names it.
    pub spec_in_git: String,
    /// True if git tracks it.
    pub is_tracked: bool,
    /// The confinement of processes here, if it is known already: computing it reads many folders.
    confinement: Option<Confinement>,
}

impl RunFolder {
    /// Returns the place of a run's work, by its spec's id, the configuration and git at this
    /// moment; `None` if it was never complete. The record can prevent an act, but never redirect
    /// it to another place.
    ///
    /// # Errors
    /// `Refused` when the record names another branch, target or worktree, or a failure of git.
    pub(in super::super) fn of(
        project: &Project,
        repo: &Repo,
        record: &RunRecord,
    ) -> Result<Option<Self>, Error> {
        let (Some(branch), Some(target), Some(base), Some(worktree)) = (
            &record.branch,
            &record.target,
            &record.base,
            &record.worktree,
        ) else {
            return Ok(None);
        };
        let snapshot = project.snapshot()?;
        let config = snapshot.config.clone()?;
        let scenery = RunTreeContext {
            project,
            config: &config,
            repo,
        };
        let agreed = |what: &str, told: &str, derived: String| {
            if derived == told {
                return Ok(derived);
            }
            let message = format!(
                "Run '{}' tells of {what} {told}, and that of its spec is {derived}; nothing is done about it",
                record.process_id
            );
            Err(Error::from(ChantError::Refused(message)))
        };
        let branch = agreed("branch", branch, snapshot.own_branch_of(&record.spec_id))?;
        let target = agreed("target", target, scenery.target()?)?;
        let site = WorktreeFolder::of(project, &config, repo)?;
        let told = Path::new(worktree);
        let trees = repo.worktrees()?;
        let listed = trees
            .iter()
            .find(|tree| tree.branch.as_deref() == Some(&*branch) && !tree.is_main);
        let is_derived = match listed {
            Some(tree) => site.holds(&tree.path) && is_same(&tree.path, told),
            None => site.may_be_of(told, &record.spec_id),
        };
        if !is_derived {
            let own = "one in the folder that runs are given".to_owned();
            agreed("worktree", worktree, own)?;
        }
        let spec = spec_path(project, &record.spec_id)?;
        let spec_in_git = in_git(project, repo, &spec)?;
        let is_tracked = repo.file_at(base, &spec_in_git)?.is_some();
        let is_linked = listed.is_some();
        Ok(Some(Self::at(
            (told, is_linked, None),
            (&branch, &target, base),
            (record.spec_id.clone(), spec, spec_in_git, is_tracked),
        )))
    }

    fn at(
        (worktree, is_linked, confinement): (&Path, bool, Option<Confinement>),
        (branch, target, base): (&str, &str, &str),
        (spec_id, spec, spec_in_git, is_tracked): (String, String, String, bool),
    ) -> Self {
        let inside = spec_in_git.strip_suffix(&spec).unwrap_or_default();
        Self {
            branch: branch.to_owned(),
            target: target.to_owned(),
            base: base.to_owned(),
            // Without the slash that joining an empty path leaves at the end.
            root: worktree.join(inside).components().collect(),
            worktree: worktree.to_owned(),
            is_linked,
            spec_id,
            spec,
            spec_in_git,
            is_tracked,
            confinement,
        }
    }

    /// Returns a folder with the files of a commit and no repository, for checks of landed work.
    pub(in super::super) fn of_files(
        project: &Project,
        repo: &Repo,
        spec: &Spec,
        files: &Path,
    ) -> Result<Self, Error> {
        let path = spec.path.to_string();
        let spec_in_git = in_git(project, repo, &path)?;
        let own = (spec.id.to_string(), path, spec_in_git, true);
        Ok(Self::at((files, false, None), ("", "", ""), own))
    }

    /// Returns the spec as it was when the work started.
    pub(in super::super) fn base_text(
        &self,
        project: &Project,
        repo: &Repo,
    ) -> Result<Option<String>, Error> {
        if self.is_tracked {
            return Ok(text(repo.file_at(&self.base, &self.spec_in_git)?));
        }
        read(project, &folders::sibling_file(&self.worktree, BASE))
    }

    /// Returns the spec as the work leaves it: that of the branch's newest commit, or that of the
    /// worktree if git does not track it.
    pub(in super::super) fn branch_text(
        &self,
        project: &Project,
        repo: &Repo,
    ) -> Result<Option<String>, Error> {
        if !self.is_tracked {
            return self.copy_text(project);
        }
        if repo.branch_tip(&self.branch)?.is_none() {
            return Ok(None);
        }
        Ok(text(repo.file_at(&self.branch, &self.spec_in_git)?))
    }

    /// Returns the copy of the spec in the worktree.
    pub(in super::super) fn copy_text(&self, project: &Project) -> Result<Option<String>, Error> {
        let Ok(root) = RootFolder::open(&self.root) else {
            return Ok(None);
        };
        found(files::read(&project.disk, &root, &self.spec))
    }

    /// Returns the files of the work.
    ///
    /// # Errors
    /// A failure of git.
    pub(in super::super) fn tree<'r>(
        &self,
        project: &Project,
        repo: &'r Repo,
    ) -> Result<RunTree<'r>, Error> {
        let config = project.snapshot()?.config?;
        let scenery = RunTreeContext {
            project,
            config: &config,
            repo,
        };
        let (spec_id, branch) = (self.spec_id.as_str(), self.branch.as_str());
        match self.confinement.clone() {
            _ if self.is_linked => Ok(scenery.linked(&self.worktree, spec_id, branch)),
            Some(held) => Ok(scenery.held(&self.worktree, (spec_id, branch), held)),
            None => scenery.own(&self.worktree, spec_id, branch),
        }
    }

    /// Creates a second folder with the files of the branch as it is in the project, for checks of
    /// the work.
    ///
    /// # Errors
    /// The obstacle.
    pub(in super::super) fn for_checks(
        &self,
        project: &Project,
        repo: &Repo,
    ) -> Result<Self, Error> {
        let config = project.snapshot()?.config?;
        let scenery = RunTreeContext {
            project,
            config: &config,
            repo,
        };
        let path = folders::sibling_file(&self.worktree, CHECKED);
        let inside = self.root.strip_prefix(&self.worktree).unwrap_or(&self.root);
        let checked = Self {
            root: path.join(inside).components().collect(),
            confinement: Some(scenery.confinement(&path)?),
            worktree: path,
            is_linked: false,
            ..self.clone()
        };
        // A killed run may have left one.
        checked.remove_checked(project, repo);
        checked.tree(project, repo)?.make(&mut |_| ())?;
        if let Some(text) = self
            .branch_text(project, repo)?
            .filter(|_| !self.is_tracked)
        {
            write_new(project, &checked, &text)?;
        }
        Ok(checked)
    }

    /// Removes a folder that was created for checks.
    pub(in super::super) fn remove_checked(&self, project: &Project, repo: &Repo) {
        // A folder that stays is removed before the next checks.
        let removed = self.tree(project, repo).map(|tree| tree.remove_made());
        if matches!(removed, Ok(Ok(()))) {
            remove_beside(&self.worktree);
        }
    }

    /// Returns the folder in which something changes with each commit of the agent.
    pub(in super::super) fn commits_folder(&self) -> PathBuf {
        self.worktree.join(LOGS)
    }

    /// Brings the commits of the run into the project.
    ///
    /// # Errors
    /// The faults that git found in them.
    pub(in super::super) fn fetch(&self, project: &Project, repo: &Repo) -> Result<(), Error> {
        let fetched = self.tree(project, repo)?.fetch();
        fetched.map(drop).map_err(|error| {
            let message = format!(
                "the commits of the run could not be brought back from {}: {error}",
                self.worktree.display()
            );
            ChantError::Refused(message).into()
        })
    }

    /// Gives the folder to the user, so that nothing runs there that the agent prepared. If that
    /// fails, its files are there all the same.
    pub(in super::super) fn hand_over(&self, project: &Project, repo: &Repo) {
        if let Ok(tree) = self.tree(project, repo)
            && (self.is_linked || project.is_trusted() || tree.is_held())
        {
            tree.hand_over()
                .log_failure("hand the folder of the run over");
        }
    }

    /// Removes the worktree with the files beside it, and the branch, whose commits are on the
    /// target, if nothing is lost with them. Returns the parts that were left in place, with the
    /// reasons.
    pub(in super::super) fn clear(&self, project: &Project, repo: &Repo) -> Vec<String> {
        let mut left = Vec::new();
        let told = |what: &str, error: &dyn std::fmt::Display| format!("{what} was kept: {error}");
        if disk::exists(&self.worktree)
            && let Err(error) = self.remove_worktree(project, repo)
        {
            self.hand_over(project, repo);
            return vec![told("its worktree", &error)];
        }
        remove_beside(&self.worktree);
        if let Err(error) = repo.delete_backed_up_branch(&self.branch) {
            left.push(told("its branch", &error));
        }
        left
    }

    fn remove_worktree(&self, project: &Project, repo: &Repo) -> Result<(), Error> {
        let tree = self.tree(project, repo)?;
        // A copy that git does not track would count as a user's file; its content is merged.
        if !self.is_tracked
            && let Ok(path) = RootFolder::open(&self.root).and_then(|root| root.locate(&self.spec))
        {
            let changed = tree.uncommitted()?;
            if changed.iter().all(|path| *path == self.spec_in_git) {
                disk::remove(&path)?;
            }
        }
        tree.remove()
    }
}

/// Returns the file of a spec, from the project's root.
pub(super) fn spec_path(project: &Project, spec_id: &str) -> Result<String, Error> {
    let snapshot = project.snapshot()?;
    let spec = snapshot.specs.find(spec_id);
    Ok(spec.map_or_else(
        || format!("{SPECS}/{spec_id}.md"),
        |spec| spec.path.to_string(),
    ))
}

fn in_git(project: &Project, repo: &Repo, path: &str) -> Result<String, Error> {
    project.path_in_repository(repo, path).ok_or_else(|| {
        let message = format!(
            "{} lies outside the checkout of its repository; work is done in checkouts",
            project.root().display()
        );
        ChantError::Refused(message).into()
    })
}

fn text(bytes: Option<Vec<u8>>) -> Option<String> {
    bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn read(project: &Project, path: &Path) -> Result<Option<String>, Error> {
    found(project.disk.read_text(path, &path.display().to_string()))
}

fn found(read: Result<(String, FileStamp), StoreError>) -> Result<Option<String>, Error> {
    match read {
        Ok((text, _)) => Ok(Some(text)),
        Err(StoreError::Missing { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
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
    pub(in super::super) fn make(&self, run: &mut ActiveRun<'_>) -> Result<RunFolder, Error> {
        let target = refuse_without_commit(self.scenery())?;
        let spec = self.spec.path.to_string();
        let spec_in_git = in_git(self.project, self.repo, &spec)?;
        let earlier = self.earlier(run)?;
        let branch = self.branch.as_str();
        run.update(|record| {
            record.branch = Some(branch.to_owned());
            record.target = Some(target.clone());
            Ok(())
        })?;
        let (base, is_tracked) = if let Some(base) = &earlier {
            run.step("Going on in the branch of an earlier run");
            let is_tracked = self.repo.file_at(base, &spec_in_git)?.is_some();
            (base.clone(), is_tracked)
        } else {
            run.step("Making a branch");
            self.set_aside()?;
            let is_tracked = self.is_tracked(&target, &spec_in_git)?;
            let base =
                self.begin_branch(&run.record().process_id, &target, &spec_in_git, is_tracked)?;
            (base, is_tracked)
        };
        run.update(|record| {
            record.base = Some(base.clone());
            Ok(())
        })?;
        self.repo.keep_base(branch, Some(&base))?;
        run.reached("after-branch")?;
        run.step("Making a worktree");
        let (worktree, is_linked) = self.worktree(run)?;
        let id = self.spec.id.to_string();
        let confinement = self.scenery().confinement(&worktree)?;
        let place = RunFolder::at(
            (&worktree, is_linked, Some(confinement)),
            (branch, &target, &base),
            (id, spec, spec_in_git, is_tracked),
        );
        self.place_copy(&place, earlier.is_some())?;
        run.reached("after-worktree")?;
        Ok(place)
    }

    /// Returns the branch's first commit, if an earlier run created it and its work is to be
    /// continued.
    fn earlier(&self, run: &ActiveRun<'_>) -> Result<Option<String>, Error> {
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
        Ok(open.find_map(|record| record.base.clone()))
    }

    /// Returns true if git tracks the spec, in the target or in this checkout.
    fn is_tracked(&self, target: &str, spec_in_git: &str) -> Result<bool, Error> {
        let in_target = self.repo.file_at(target, spec_in_git)?.is_some();
        let path = self.project.root().join(&*self.spec.path);
        Ok(in_target || self.repo.is_tracked(&path)?)
    }

    fn begin_branch(
        &self,
        process_id: &str,
        target: &str,
        spec_in_git: &str,
        is_tracked: bool,
    ) -> Result<String, Error> {
        let file = (spec_in_git.to_owned(), self.spec.text.as_bytes().to_vec());
        let files = if is_tracked { vec![file] } else { Vec::new() };
        let begun = self.repo.begin_branch(&NewBranch {
            branch: &self.branch,
            target,
            message: &format!("Work on {} begins\n\nBy run {process_id}.", self.spec.id),
            files: &files,
        })?;
        Ok(begun.commit)
    }

    /// Sets a branch of that name aside: its commits stay under a backup, together with uncommitted
    /// changes of its worktree.
    fn set_aside(&self) -> Result<(), Error> {
        let branch = self.branch.as_str();
        if self.repo.branch_tip(branch)?.is_none() {
            return Ok(());
        }
        if let Some(tree) = self.scenery().tree_of(self.spec.id.as_str(), branch)? {
            tree.hand_over_with_commits()?;
            tree.commit_everything("Uncommitted work, kept by a fresh start")?;
            tree.remove()?;
        }
        self.repo
            .back_up(branch, &escape_name(self.spec.id.as_str()))?;
        Ok(self.repo.delete_backed_up_branch(branch)?)
    }

    fn scenery(&self) -> RunTreeContext<'_, '_> {
        RunTreeContext {
            project: self.project,
            config: self.config,
            repo: self.repo,
        }
    }

    /// Returns the folder of the run, and true if it is a linked worktree: the existing one, or a
    /// new one.
    fn worktree(&self, run: &mut ActiveRun<'_>) -> Result<(PathBuf, bool), Error> {
        let (id, branch) = (self.spec.id.as_str(), self.branch.as_str());
        let earlier = self.scenery().tree_of(id, branch)?;
        if earlier.as_ref().is_none_or(|tree| !tree.is_linked())
            && let Some(holder) = self.repo.holder_of(branch)?
        {
            let message = format!(
                "branch {branch} is checked out in {}; check out another one there first",
                holder.display()
            );
            return Err(ChantError::Refused(message).into());
        }
        if let Some(tree) = earlier {
            told(run, tree.path())?;
            worktree_folder::write_run_mark(tree.path(), &run.record().process_id, id)?;
            tree.catch_up(&mut |step| run.step(step))?;
            return Ok((tree.path().to_owned(), tree.is_linked()));
        }
        let folder = folders::worktrees_folder(self.project, self.config, self.repo)?;
        self.refuse_inside_checkout(&folder)?;
        disk::make_folders(&folder)?;
        let path = WorktreeFolder::of(self.project, self.config, self.repo)?.free_folder(id);
        told(run, &path)?;
        worktree_folder::write_run_mark(&path, &run.record().process_id, id)?;
        let tree = self.scenery().own(&path, id, branch)?;
        if !pool::claim_folder(self.scenery(), run, &tree)? {
            tree.make(&mut |step| run.step(step))?;
        }
        Ok((path, false))
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
            let written = TemporaryFile::write(&self.project.disk, &beside, now, false)?;
            written.appear(&beside)?;
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
        let told: Vec<String> = conflicts
            .iter()
            .map(|conflict| conflict.describe("the project", "the worktree"))
            .collect();
        let message = format!(
            "Spec '{}' was changed in the project and in its worktree {}: {}. Make them agree, or start afresh.",
            self.spec.id,
            place.worktree.display(),
            told.join("; ")
        );
        ChantError::Refused(message).into()
    }
}

/// Writes the copy of a spec where git wrote none.
fn write_new(project: &Project, place: &RunFolder, text: &str) -> Result<(), Error> {
    let root = RootFolder::open(&place.root)?;
    if let Some((folder, _)) = place.spec.rsplit_once('/') {
        files::make_folder(&root, folder)?;
    }
    Ok(files::create(&project.disk, &root, &place.spec, text)?)
}

/// Returns a spec without what the runtime writes into it; unchanged if it cannot be read.
fn task_of(path: &str, text: &str) -> String {
    let stripped = || -> Result<String, Error> {
        let mut draft = SpecDraft::of(path, text)?;
        for key in [
            "status",
            "branch",
            "commits",
            "completed_at",
            "model",
            "approval",
        ] {
            draft.set(key, None)?;
        }
        Ok(draft.finish())
    };
    stripped().unwrap_or_else(|_| text.to_owned())
}

/// Returns true if two paths lead to the same file or folder.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| disk::real(path).unwrap_or_else(|_| path.to_owned());
    one == other || real(one) == real(other)
}

fn told(run: &mut ActiveRun<'_>, worktree: &Path) -> Result<(), Error> {
    let worktree = worktree.display().to_string();
    run.update(|record| {
        record.worktree = Some(worktree.clone());
        Ok(())
    })?;
    Ok(())
}
