//! Where one spec is worked on: its branch, its worktree, and the copy of the spec in there (reference
//! chant 6.3, as the runtime's design settles it).
//!
//! A branch begins with a commit of the runtime's own that carries the spec as it was. Specs that git
//! does not track are copied into the worktree, where the agent's git does not see them, and read back.

use std::path::{Path, PathBuf};

use super::super::error::ChantError;
use super::super::merge;
use super::super::model::Spec;
use super::super::ops::edit::Draft;
use super::super::project::place::{self, BASE};
use super::super::project::site::{self, Site, remove_beside};
use super::super::project::{Project, SPECS};
use super::{refuse_without_commit, target_of};
use crate::config::Config;
use crate::confine::Confinement;
use crate::error::Error;
use crate::git::Repo;
use crate::git::bookkeeping::Beginning;
use crate::git::worktree::Worktree;
use crate::store::StoreError;
use crate::store::disk::{self, Temporary};
use crate::store::files::{self, Root};
use crate::store::state::escaped;
use crate::work::record::Record;
use crate::work::records::Runs;
use crate::work::runner::Run;

/// So many folders are tried for a worktree whose usual one holds something else.
const FOLDERS: usize = 100;

/// Where a spec is worked on.
#[derive(Debug, Clone)]
pub(in super::super) struct Workplace {
    /// The branch of the work.
    pub branch: String,
    /// The branch that the work ends on.
    pub target: String,
    /// The branch's first commit.
    pub base: String,
    /// The top of the worktree.
    pub worktree: PathBuf,
    /// The project's root in it.
    pub root: PathBuf,
    /// The folder of all worktrees of runs.
    site: Site,
    /// The spec's ID.
    pub spec_id: String,
    /// The spec's file, from the project's root.
    pub spec: String,
    /// The same from the top of the checkout, as git names it.
    pub spec_in_git: String,
    /// Whether git tracks it.
    pub is_tracked: bool,
    /// How what works here is held.
    pub confinement: Confinement,
}

impl Workplace {
    /// The place of a run's work, as its spec's ID, the configuration and git say now; `None` when it was never
    /// made whole. What the record says can keep something from being done, and never have it done elsewhere.
    ///
    /// # Errors
    /// `Refused` when the record tells of another branch, target or worktree, or a failure of git.
    pub(in super::super) fn of(
        project: &Project,
        repo: &Repo,
        record: &Record,
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
        let target = agreed("target", target, target_of(repo, &config)?)?;
        let site = Site::of(project, &config, repo)?;
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
        Ok(Some(Self::at(
            (told, site),
            (&branch, &target, base),
            (record.spec_id.clone(), spec, spec_in_git, is_tracked),
        )))
    }

    fn at(
        (worktree, site): (&Path, Site),
        (branch, target, base): (&str, &str, &str),
        (spec_id, spec, spec_in_git, is_tracked): (String, String, String, bool),
    ) -> Self {
        let inside = spec_in_git.strip_suffix(&spec).unwrap_or_default();
        Self {
            branch: branch.to_owned(),
            target: target.to_owned(),
            base: base.to_owned(),
            // Without the slash that joining nothing leaves at the end.
            root: worktree.join(inside).components().collect(),
            worktree: worktree.to_owned(),
            site,
            spec_id,
            spec,
            spec_in_git,
            is_tracked,
            confinement: Confinement::Off,
        }
    }

    /// The spec as it was when the work began.
    pub(in super::super) fn base_text(
        &self,
        project: &Project,
        repo: &Repo,
    ) -> Result<Option<String>, Error> {
        if self.is_tracked {
            return Ok(text(repo.file_at(&self.base, &self.spec_in_git)?));
        }
        read(project, &place::beside(&self.worktree, BASE))
    }

    /// The spec as the work leaves it: that of the branch's newest commit, or where git does not track
    /// it that of the worktree.
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

    /// The spec as it lies in the worktree.
    pub(in super::super) fn copy_text(&self, project: &Project) -> Result<Option<String>, Error> {
        let Ok(root) = Root::open(&self.root) else {
            return Ok(None);
        };
        match root.locate(&self.spec) {
            Ok(path) => read(project, &path),
            Err(StoreError::Missing { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Lets go what a git that was killed with its agent holds in the worktree.
    pub(in super::super) fn free(&self, repo: &Repo) {
        // A worktree that is gone holds nothing.
        let _ = repo.free_worktree(&self.worktree);
    }

    /// Removes the worktree with what lies beside it, and the branch, whose commits are on the target:
    /// as far as nothing is lost with them. Gives what was left in place, and why.
    pub(in super::super) fn clear(&self, repo: &Repo) -> Vec<String> {
        let mut left = Vec::new();
        let told = |what: &str, error: &dyn std::fmt::Display| format!("{what} was kept: {error}");
        if disk::exists(&self.worktree)
            && let Err(error) = self.remove_worktree(repo)
        {
            return vec![told("its worktree", &error)];
        }
        remove_beside(&self.worktree);
        if let Err(error) = repo.delete_backed_up_branch(&self.branch) {
            left.push(told("its branch", &error));
        }
        left
    }

    fn remove_worktree(&self, repo: &Repo) -> Result<(), Error> {
        self.site
            .refuse_strange(repo, &self.worktree, &self.branch, &self.spec_id)?;
        // A copy that git does not track would count as a file of somebody's; what it says is merged.
        if !self.is_tracked
            && let Ok(path) = Root::open(&self.root).and_then(|root| root.locate(&self.spec))
        {
            let changed = repo.uncommitted(&self.worktree)?;
            if changed.iter().all(|path| *path == self.spec_in_git) {
                disk::remove(&path)?;
            }
        }
        Ok(repo.remove_worktree(&self.worktree)?)
    }
}

/// The file of a spec, from the project's root.
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
    match project.disk.read_text(path, &path.display().to_string()) {
        Ok((text, _)) => Ok(Some(text)),
        Err(StoreError::Missing { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What a workplace is made from.
pub(super) struct Making<'a> {
    pub project: &'a Project,
    pub repo: &'a Repo,
    pub config: &'a Config,
    /// The spec as it is in the user's checkout.
    pub spec: &'a Spec,
    /// The branch of its work.
    pub branch: String,
}

impl Making<'_> {
    /// Makes branch, worktree and copy of the spec ready, or goes on with those of an earlier run; the
    /// record tells each step before it is taken.
    ///
    /// # Errors
    /// What is in the way; nothing of earlier work is lost then.
    pub(in super::super) fn make(&self, run: &mut Run<'_>) -> Result<Workplace, Error> {
        let target = refuse_without_commit(self.repo, self.config)?;
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
        run.reached("after-branch")?;
        run.step("Making a worktree");
        let worktree = self.worktree(run, &base)?;
        let id = self.spec.id.to_string();
        let place = Workplace::at(
            (&worktree.path, self.site()?),
            (branch, &target, &base),
            (id, spec, spec_in_git, is_tracked),
        );
        self.place_copy(&place, earlier.is_some())?;
        run.reached("after-worktree")?;
        Ok(place)
    }

    /// The branch's first commit, where an earlier run made it and its work is to be gone on with.
    fn earlier(&self, run: &Run<'_>) -> Result<Option<String>, Error> {
        if run.record().asked.fresh || self.repo.branch_tip(&self.branch)?.is_none() {
            return Ok(None);
        }
        let runs: &Runs = run.runs();
        let (records, _) = runs.all()?;
        let own = run.record();
        let is_earlier = |record: &&Record| {
            record.spec_id == own.spec_id
                && record.token < own.token
                && record.branch.as_deref() == Some(&*self.branch)
        };
        let mut earlier: Vec<&Record> = records.iter().filter(is_earlier).collect();
        earlier.sort_by_key(|record| std::cmp::Reverse(record.token));
        // A start that was refused told no commit; the one before it may have.
        let mut open = earlier
            .iter()
            .take_while(|record| !record.state().is_closed());
        Ok(open.find_map(|record| record.base.clone()))
    }

    /// Whether the spec is one of the files that git looks after, in the target or in this checkout.
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
        let begun = self.repo.begin_branch(&Beginning {
            branch: &self.branch,
            target,
            message: &format!("Work on {} begins\n\nBy run {process_id}.", self.spec.id),
            files: &files,
        })?;
        Ok(begun.commit)
    }

    /// Takes a branch of that name out of the way: its commits stay under a backup, and with them what
    /// was not committed in its worktree.
    fn set_aside(&self) -> Result<(), Error> {
        let branch = self.branch.as_str();
        if self.repo.branch_tip(branch)?.is_none() {
            return Ok(());
        }
        let worktrees = self.repo.worktrees()?;
        let on_it = worktrees
            .iter()
            .find(|tree| tree.branch.as_deref() == Some(branch));
        if let Some(tree) = on_it.filter(|tree| self.is_ours(tree) && !tree.prunable) {
            let id = self.spec.id.as_str();
            self.site()?
                .refuse_strange(self.repo, &tree.path, branch, id)?;
            self.repo
                .commit_everything(&tree.path, "Uncommitted work, kept by a fresh start")?;
            self.repo.remove_worktree(&tree.path)?;
        }
        self.repo.back_up(branch, &escaped(self.spec.id.as_str()))?;
        Ok(self.repo.delete_backed_up_branch(branch)?)
    }

    fn site(&self) -> Result<Site, Error> {
        Site::of(self.project, self.config, self.repo)
    }

    /// Whether a worktree is one that runs are given.
    fn is_ours(&self, tree: &Worktree) -> bool {
        self.site().is_ok_and(|site| site.holds(&tree.path))
    }

    /// The worktree on the branch: the one there is, or a new one.
    fn worktree(&self, run: &mut Run<'_>, base: &str) -> Result<Worktree, Error> {
        let branch = self.branch.as_str();
        let worktrees = self.repo.worktrees()?;
        let on_it = worktrees
            .into_iter()
            .find(|tree| tree.branch.as_deref() == Some(branch));
        if let Some(tree) = on_it.filter(|tree| !tree.prunable && !tree.is_main) {
            if !self.is_ours(&tree) {
                let message = format!(
                    "branch {branch} is checked out in {}; check out another one there first",
                    tree.path.display()
                );
                return Err(ChantError::Refused(message).into());
            }
            told(run, &tree.path)?;
            let id = self.spec.id.as_str();
            site::mark(&tree.path, &run.record().process_id, id)?;
            return Ok(tree);
        }
        let folder = place::worktrees(self.project, self.config, self.repo)?;
        disk::make_folders(&folder)?;
        let path = self.free_path(&disk::real(&folder)?);
        told(run, &path)?;
        let id = self.spec.id.as_str();
        site::mark(&path, &run.record().process_id, id)?;
        Ok(self.repo.add_worktree(&path, branch, base)?)
    }

    fn free_path(&self, folder: &Path) -> PathBuf {
        let name = escaped(self.spec.id.as_str());
        let numbered = (2..FOLDERS).map(|number| folder.join(format!("{name}-{number}")));
        let mut paths = std::iter::once(folder.join(&name)).chain(numbered);
        paths
            .find(|path| !disk::exists(path))
            .unwrap_or_else(|| folder.join(&name))
    }

    /// Puts the spec into the worktree where git did not, and takes over what was changed in the
    /// checkout since the work began.
    fn place_copy(&self, place: &Workplace, goes_on: bool) -> Result<(), Error> {
        let now: &str = &self.spec.text;
        let copy = place.copy_text(self.project)?;
        let base = place.base_text(self.project, self.repo)?;
        let text = match (&base, &copy) {
            (Some(base), Some(copy)) if goes_on => merge::merged(Some(base), Some(now), Some(copy))
                .map_err(|conflicts| self.disagreement(place, &conflicts))?,
            (_, Some(copy)) => copy.clone(),
            _ => now.to_owned(),
        };
        if !(place.is_tracked || goes_on && base.is_some()) {
            let beside = place::beside(&place.worktree, BASE);
            disk::remove(&beside)?;
            let written = Temporary::write(&self.project.disk, &beside, now, false)?;
            written.appear(&beside)?;
        }
        match copy {
            // States and the like are the checkout's business; the agent needs the rest.
            Some(copy) if task_of(&place.spec, &copy) == task_of(&place.spec, &text) => Ok(()),
            copy => self.write_copy(place, &text, copy.is_some()),
        }
    }

    fn write_copy(&self, place: &Workplace, text: &str, is_there: bool) -> Result<(), Error> {
        let root = Root::open(&place.root)?;
        let disk = &self.project.disk;
        if is_there {
            let changed = |_: &str| Ok::<_, StoreError>(text.to_owned());
            files::edit(disk, &root, &place.spec, changed)?;
            return Ok(());
        }
        if let Some((folder, _)) = place.spec.rsplit_once('/') {
            files::make_folder(&root, folder)?;
        }
        Ok(files::create(disk, &root, &place.spec, text)?)
    }

    fn disagreement(&self, place: &Workplace, conflicts: &[merge::Conflict]) -> Error {
        let told: Vec<String> = conflicts
            .iter()
            .map(|conflict| conflict.told("the project", "the worktree"))
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

/// A spec without what the runtime writes into it; as it is when it cannot be read.
fn task_of(path: &str, text: &str) -> String {
    let stripped = || -> Result<String, Error> {
        let mut draft = Draft::of(path, text)?;
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

/// Whether two paths lead to the same place.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| disk::real(path).unwrap_or_else(|_| path.to_owned());
    one == other || real(one) == real(other)
}

fn told(run: &mut Run<'_>, worktree: &Path) -> Result<(), Error> {
    let worktree = worktree.display().to_string();
    run.update(|record| {
        record.worktree = Some(worktree.clone());
        Ok(())
    })?;
    Ok(())
}
