//! The place of work on one spec: its branch, its worktree, and the copy of the spec in there
//! (reference chant 6.3, as the runtime's design settles it).
//!
//! A branch starts with a commit of the runtime's own that carries the spec as it was. Specs that
//! git does not track are copied into the worktree, where the agent's git ignores them, and read
//! back.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::login_copy::{self, LoginCopy};
use crate::item_order::refuse_foreign_item;
use crate::project::ProjectRuns;
use crate::project::folders::{self, BASE, CHECKED};
use crate::project::run_tree::{RunTree, RunTreeContext};
use crate::project::worktree_folder::{WorktreeFolder, remove_beside, remove_private};
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_confine::Confinement;
use chant_git::run_repository::LOGS;
use chant_git::{GitError, Repo};
use chant_specs::error::ChantError;
use chant_specs::model::Spec;
use chant_specs::project::{Project, SPECS};
use chant_store::StoreError;
use chant_store::disk::{self, FileStamp};
use chant_store::files::{self, RootFolder};
use chant_work::end_orphans;
use chant_work::folder_observer::FolderObserver;
use chant_work::run_record::RunRecord;

/// The place of work on one spec.
#[derive(Debug, Clone)]
pub(crate) struct RunFolder {
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
    /// The spec's ID.
    pub spec_id: String,
    /// The spec's file, from the project's root.
    pub spec: String,
    /// The same path from the top of the checkout, as git names it.
    pub spec_in_git: String,
    /// True if git tracks it.
    pub is_tracked: bool,
    /// The confinement of processes here, if it is known already: computing it reads many folders.
    pub(super) confinement: Option<Confinement>,
    /// An upper bound for all time limits of git here.
    longest: Option<Duration>,
}

/// The branch of a run, the branch that it lands on, and its first commit.
#[derive(Clone, Copy, Default)]
pub(super) struct RunBranches<'a> {
    pub branch: &'a str,
    pub target: &'a str,
    pub base: &'a str,
}

/// The file of the spec that a run works on.
pub(super) struct RunSpecFile {
    /// The spec's ID.
    pub id: String,
    /// Its path from the project's root.
    pub path: String,
    /// The same path from the top of the checkout.
    pub path_in_git: String,
    /// True if git tracks it.
    pub is_tracked: bool,
}

impl RunFolder {
    /// Limits the time of every call of git in the folder: its content may be made to take git minutes.
    #[must_use]
    pub(super) fn limited(self, longest: Duration) -> Self {
        Self {
            longest: Some(longest),
            ..self
        }
    }

    /// Returns the branch's newest commit.
    pub(crate) fn branch_tip(&self, repo: &Repo) -> Result<String, Error> {
        repo.branch_tip(&self.branch)?.ok_or_else(|| {
            let message = format!("there is no branch {} any more", self.branch);
            ChantError::Refused(message).into()
        })
    }

    /// Watches the work while its agent is at it: brings commits back as they are made, and
    /// the login up to date.
    pub(super) fn observed<'a>(
        &'a self,
        project: &'a Project,
        login: Option<&'a LoginCopy>,
    ) -> FolderObserver<'a> {
        let bring = move || {
            if let Ok(repo) = project.repository() {
                // A failure to bring commits back now is reported when the work is judged.
                self.fetch(project, &repo)
                    .log_failure("bring commits of the run back");
            }
        };
        let observer = FolderObserver::at(&self.commits_folder(), bring);
        match login {
            Some(login) => observer.beside(login_copy::POLL_INTERVAL, || login.follow_user()),
            None => observer,
        }
    }

    /// Returns the place of a run's work, by its spec's id, the configuration and git at this
    /// moment; `None` if it was never complete. The record can prevent an act, but never redirect
    /// it to another place.
    ///
    /// # Errors
    /// `Refused` when the record names another branch, target or worktree, or a failure of git.
    pub(crate) fn of(
        project: &Project,
        repo: &Repo,
        record: &RunRecord,
    ) -> Result<Option<Self>, Error> {
        refuse_foreign_item(record)?;
        let (Some(branch), Some(target), Some(base), Some(worktree)) = (
            &record.branch, &record.target, &record.base, &record.worktree,
        ) else {
            return Ok(None);
        };
        let snapshot = project.snapshot()?;
        let config = snapshot.config.clone()?;
        let agreed = |what: &str, recorded: &str, derived: String| {
            if derived == recorded {
                return Ok(derived);
            }
            let message = format!(
                "The record of run '{}' names {what} {recorded}, but its spec has {derived}; nothing was changed",
                record.process_id
            );
            Err(Error::from(ChantError::Refused(message)))
        };
        let branch = agreed("branch", branch, snapshot.own_branch_of(&record.spec_id))?;
        let is_of_run = *target == branch || snapshot.is_run_branch(target);
        let target = refuse_unlandable(record, target, is_of_run)?;
        let site = WorktreeFolder::of(project, &config, repo)?;
        let recorded = Path::new(worktree);
        let trees = repo.worktrees()?;
        let listed = trees
            .iter()
            .find(|tree| tree.branch.as_deref() == Some(&*branch) && !tree.is_main);
        // A worktree of the user's on that branch would not follow when the run's commits move it.
        if listed.is_some() || !site.may_be_of(recorded, &record.spec_id) {
            let own = "one in the folder that runs are given".to_owned();
            agreed("worktree", worktree, own)?;
        }
        let spec = spec_path(project, &record.spec_id)?;
        let spec_in_git = in_git(project, repo, &spec)?;
        let is_tracked = !project.holds_orders() && repo.file_at(base, &spec_in_git)?.is_some();
        let branches = RunBranches {
            branch: &branch,
            target: &target,
            base,
        };
        let spec = RunSpecFile {
            id: record.spec_id.clone(),
            path: spec,
            path_in_git: spec_in_git,
            is_tracked,
        };
        Ok(Some(Self::at(recorded, branches, spec)))
    }

    /// Puts its parts together: the folder, the branches, and the file of the spec.
    pub(super) fn at(worktree: &Path, branches: RunBranches<'_>, spec: RunSpecFile) -> Self {
        let inside = spec.path_in_git.strip_suffix(&spec.path);
        let inside = inside.unwrap_or_default();
        Self {
            branch: branches.branch.to_owned(),
            target: branches.target.to_owned(),
            base: branches.base.to_owned(),
            // Without the slash that joining an empty path leaves at the end.
            root: worktree.join(inside).components().collect(),
            worktree: worktree.to_owned(),
            spec_id: spec.id,
            spec: spec.path,
            spec_in_git: spec.path_in_git,
            is_tracked: spec.is_tracked,
            confinement: None,
            longest: None,
        }
    }

    /// Returns a folder with the files of a commit and no repository, for checks of landed work.
    pub(crate) fn of_files(
        project: &Project,
        repo: &Repo,
        spec: &Spec,
        files: &Path,
    ) -> Result<Self, Error> {
        let path = spec.path.to_string();
        let spec_in_git = in_git(project, repo, &path)?;
        let own = RunSpecFile {
            id: spec.id.to_string(),
            path,
            path_in_git: spec_in_git,
            is_tracked: true,
        };
        Ok(Self::at(files, RunBranches::default(), own))
    }

    /// The project's folder from the top of the checkout, with a slash at its end; empty for the top.
    pub(crate) fn inside(&self) -> &str {
        self.spec_in_git
            .strip_suffix(&*self.spec)
            .unwrap_or_default()
    }

    /// Returns the spec as it was when the work started.
    pub(crate) fn base_text(
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
    pub(crate) fn branch_text(
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
    pub(crate) fn copy_text(&self, project: &Project) -> Result<Option<String>, Error> {
        let Ok(root) = RootFolder::open(&self.root) else {
            return Ok(None);
        };
        found(files::read(&project.disk, &root, &self.spec))
    }

    /// Returns the files of the work.
    ///
    /// # Errors
    /// A failure of git.
    pub(crate) fn tree<'r>(&self, project: &Project, repo: &'r Repo) -> Result<RunTree<'r>, Error> {
        let config = project.snapshot()?.config?;
        let context = RunTreeContext {
            project,
            config: &config,
            repo,
        };
        let (spec_id, branch) = (self.spec_id.as_str(), self.branch.as_str());
        let tree = match self.confinement.clone() {
            Some(held) => context.held(&self.worktree, spec_id, branch, held),
            None => context.own(&self.worktree, spec_id, branch)?,
        };
        Ok(match self.longest {
            Some(longest) => tree.limited(longest),
            None => tree,
        })
    }

    /// Refuses work in which the agent could not commit, since a filter of the project's files fails in its folder.
    ///
    /// # Errors
    /// `Refused`, with the filter and what it says, or a failure of git.
    pub(super) fn refuse_broken_filters(
        &self,
        project: &Project,
        repo: &Repo,
    ) -> Result<(), Error> {
        let folder = self.tree(project, repo)?.into_repository();
        let broken = folder.broken_filters()?;
        let Some(first) = broken.first() else {
            return Ok(());
        };
        let message = format!(
            "The agent could not commit `{}`: git's filter `{}` (`{}`) fails in its folder: {}\nInstall the filter's program by a recipe (`environment.recipes`), or where runs may read it (`confine.read` in your own configuration), then start again.",
            first.path, first.name, first.command, first.why
        );
        Err(ChantError::Refused(message).into())
    }

    /// Creates a second folder with the files of the branch as it is in the project, for checks of
    /// the work.
    ///
    /// # Errors
    /// The obstacle.
    pub(crate) fn for_checks(&self, project: &Project, repo: &Repo) -> Result<Self, Error> {
        let config = project.snapshot()?.config?;
        let context = RunTreeContext {
            project,
            config: &config,
            repo,
        };
        let path = folders::sibling_file(&self.worktree, CHECKED);
        let inside = self.root.strip_prefix(&self.worktree).unwrap_or(&self.root);
        let checked = Self {
            root: path.join(inside).components().collect(),
            confinement: Some(context.confinement(&path)?),
            worktree: path,
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
    pub(crate) fn remove_checked(&self, project: &Project, repo: &Repo) {
        // A folder that stays is removed before the next checks.
        let removed = self.tree(project, repo).map(|tree| tree.remove_made());
        if matches!(removed, Ok(Ok(()))) {
            remove_beside(&self.worktree);
        }
    }

    /// Returns the folder in which something changes with each commit of the agent.
    pub(crate) fn commits_folder(&self) -> PathBuf {
        self.worktree.join(LOGS)
    }

    /// Brings the commits of the run into the project.
    ///
    /// # Errors
    /// The faults that git found in them.
    pub(crate) fn fetch(&self, project: &Project, repo: &Repo) -> Result<(), Error> {
        let fetched = self.tree(project, repo)?.fetch();
        fetched.map(drop).map_err(|error| {
            let next = match error {
                GitError::TooLarge { .. } => {
                    ". Take the file out of the branch's commits, or raise `limits.file_megabytes`"
                }
                _ => "",
            };
            let message = format!(
                "the commits of the run could not be brought back from {}: {error}{next}",
                self.worktree.display()
            );
            ChantError::Refused(message).into()
        })
    }

    /// Brings the commits of a run whose runner is gone into the project, by none of the settings of its agent.
    ///
    /// # Errors
    /// As [`RunFolder::fetch`].
    pub(crate) fn fetch_left(&self, project: &Project, repo: &Repo) -> Result<(), Error> {
        let folder = self.tree(project, repo)?.into_repository();
        folder
            .restore_settings()
            .log_failure("put the settings of a run's git back");
        self.fetch(project, repo)
    }

    /// Gives the folder to the user, so that nothing runs there that the agent prepared, and removes
    /// what only the run used: its caches, and its copy of a login. If the first fails, its files are
    /// there all the same. Returns what was kept elsewhere, as sentences.
    pub(crate) fn hand_over(&self, project: &Project, repo: &Repo) -> Vec<String> {
        let mut kept = Vec::new();
        if let Ok(tree) = self.tree(project, repo)
            && (project.is_trusted() || tree.is_held())
        {
            match tree.hand_over() {
                Ok(sentences) => kept = sentences,
                error => error.log_failure("hand the folder of the run over"),
            }
        }
        remove_private(&self.worktree);
        kept
    }

    /// Removes the worktree with the files beside it, and the branch, whose commits are on the
    /// target, if nothing is lost with them. Returns the parts that were left in place or kept elsewhere, with
    /// the reasons.
    pub(crate) fn clear(&self, project: &Project, repo: &Repo) -> Vec<String> {
        let mut left = Vec::new();
        let kept = |what: &str, error: &dyn std::fmt::Display| format!("{what} was kept: {error}");
        if disk::exists(&self.worktree) {
            match self.remove_worktree(project, repo) {
                Ok(sentences) => left.extend(sentences),
                Err(error) => {
                    left.push(kept("its worktree", &error));
                    left.extend(self.hand_over(project, repo));
                    return left;
                }
            }
        }
        end_orphans();
        remove_beside(&self.worktree);
        if let Err(error) = repo.delete_backed_up_branch(&self.branch) {
            left.push(kept("its branch", &error));
        }
        left
    }

    fn remove_worktree(&self, project: &Project, repo: &Repo) -> Result<Vec<String>, Error> {
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
        tree.remove(project)
    }
}

/// Returns the branch that the record of a run names as its target, if it can be one: records are our own
/// state, and say on which branch the user was when the run started.
fn refuse_unlandable(record: &RunRecord, target: &str, is_of_run: bool) -> Result<String, Error> {
    if chant_git::is_branch_name(target) && !is_of_run {
        return Ok(target.to_owned());
    }
    let message = format!(
        "The record of run '{}' names `{target}` as the branch that its work lands on, which cannot be one; nothing was changed",
        record.process_id
    );
    Err(ChantError::Refused(message).into())
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

/// Returns a path of the project as git names it.
///
/// # Errors
/// `Refused` where it lies outside of the checkout.
pub(crate) fn in_git(project: &Project, repo: &Repo, path: &str) -> Result<String, Error> {
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

/// Writes the copy of a spec where git wrote none.
pub(super) fn write_new(project: &Project, place: &RunFolder, text: &str) -> Result<(), Error> {
    let root = RootFolder::open(&place.root)?;
    if let Some((folder, _)) = place.spec.rsplit_once('/') {
        files::make_folder(&root, folder)?;
    }
    Ok(files::create(&project.disk, &root, &place.spec, text)?)
}
