//! The files that a run works on: a folder with a repository of its own.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::worktree_folder::{self, WorktreeFolder};
use chant_base::error::Error;
use chant_base::next_step::{NextStep, hint};
use chant_base::visible::visible_char;
use chant_config::Config;
use chant_confine::Confinement;
use chant_git::run_repository::pool::FolderPool;
use chant_git::run_repository::{FolderLeftovers, KeptCommit, RunRepository, StrayCommits};
use chant_git::{CheckoutHead, GitError, Repo};
use chant_specs::error::ChantError;
use chant_specs::project::{Project, SPECS};
use chant_store::disk;
use chant_store::state::escape_name;
use chant_work::end_orphans;

/// The branch that is taken for the target where there is none of the usual name.
const OLD_MAIN: &str = "master";
/// The number of digits of a commit's ID in a sentence.
const SHORT_ID: usize = 7;
/// The number of changed paths that an error names.
const MAX_SHOWN: usize = 5;

/// Where the files of one run are.
pub(crate) struct RunTree<'a> {
    repo: &'a Repo,
    site: Option<WorktreeFolder>,
    /// The spec that the run is about.
    pub spec_id: String,
    /// The branch that the work belongs on.
    pub branch: String,
    folder: RunRepository<'a>,
}

/// The parts that a run tree is made from.
#[derive(Clone, Copy)]
pub(crate) struct RunTreeContext<'a, 'r> {
    pub project: &'a Project,
    pub config: &'a Config,
    pub repo: &'r Repo,
}

impl<'r> RunTreeContext<'_, 'r> {
    /// The files of the run of a spec, where there are any.
    ///
    /// # Errors
    /// A failure of git.
    pub(crate) fn tree_of(self, spec_id: &str, branch: &str) -> Result<Option<RunTree<'r>>, Error> {
        // Where nothing says where such folders lie, there is none.
        let Ok(site) = WorktreeFolder::of(self.project, self.config, self.repo) else {
            return Ok(None);
        };
        let folder = site.folder_of(spec_id);
        folder
            .map(|path| self.own(&path, spec_id, branch))
            .transpose()
    }

    /// The linked worktree in which the user works on a branch.
    ///
    /// # Errors
    /// A failure of git.
    pub(crate) fn worktree_of_user(self, branch: &str) -> Result<Option<PathBuf>, GitError> {
        // Folders of runs are no worktrees of the project's repository, so that these can only be the user's.
        let mut trees = self.repo.worktrees()?.into_iter();
        let of_branch = trees
            .find(|tree| tree.branch.as_deref() == Some(branch) && !tree.is_main && !tree.prunable);
        Ok(of_branch.map(|tree| tree.path))
    }

    /// The paths of a user's worktree that differ from its HEAD, for an answer. Nothing is run for it but where
    /// only the git program can read the repository and a person trusts the folder: then git runs the filters that
    /// are configured there.
    ///
    /// # Errors
    /// As [`Repo::uncommitted`].
    pub(crate) fn uncommitted_of_user(self, worktree: &Path) -> Result<Vec<String>, GitError> {
        match self.repo.uncommitted_unfiltered(worktree) {
            Err(_) if self.project.is_trusted() => self.repo.uncommitted(worktree),
            found => found,
        }
    }

    /// Returns the project's main branch: the configured one, `main`, or `master` where only that exists.
    ///
    /// # Errors
    /// A failure of git.
    pub(crate) fn main_branch(self) -> Result<String, Error> {
        let main = self.config.main_branch();
        if self.config.main_branch.is_none()
            && self.repo.branch_tip(main)?.is_none()
            && self.repo.branch_tip(OLD_MAIN)?.is_some()
        {
            return Ok(OLD_MAIN.to_owned());
        }
        Ok(main.to_owned())
    }

    /// Returns the branch that a new run starts from and lands on: the one that the caller names, else the
    /// configured one, else the one that is checked out. Clones that share specs agreed on one: the main branch.
    ///
    /// # Errors
    /// `Refused` where the checkout is on no branch, or a failure of git.
    pub(crate) fn base_branch(self, named: Option<&str>) -> Result<String, Error> {
        if self.config.leases.is_some() {
            let main = self.main_branch()?;
            if let Some(named) = named.filter(|named| *named != main) {
                let message = format!(
                    "Work cannot start from `{named}`: clones share the specs of this project, and their work lands on `{main}` (`leases` and `defaults.main_branch` in .chant/config.md)."
                );
                return Err(ChantError::Refused(message).into());
            }
            return Ok(main);
        }
        let branch = match (named, self.repo.head()?) {
            (Some(named), _) => named.to_owned(),
            (None, _) if self.config.main_branch.is_some() => return self.main_branch(),
            (None, CheckoutHead::Branch { name, .. } | CheckoutHead::Unborn { name }) => name,
            (None, CheckoutHead::Detached { commit }) => {
                let reason = format!(
                    "HEAD is detached at {}: there is no branch that work could land on.",
                    commit.get(..SHORT_ID).unwrap_or(&commit)
                );
                return Err(self.refuse_base(&reason)?);
            }
        };
        if self.project.snapshot()?.is_run_branch(&branch) {
            let reason = format!(
                "Work cannot start from `{branch}`: it is the branch of a run, which is removed when its work has landed."
            );
            return Err(self.refuse_base(&reason)?);
        }
        Ok(branch)
    }

    /// Refuses a start for a reason, and offers the main branch if there is one.
    fn refuse_base(self, reason: &str) -> Result<Error, Error> {
        let main = self.main_branch()?;
        let exists = self.repo.branch_tip(&main)?.is_some();
        let refused = ChantError::Refused(format!(
            "{reason} Check out another branch and start again."
        ));
        if !exists {
            return Ok(refused.into());
        }
        let base = NextStep::NameBase(main);
        let hint = hint![
            " Or name the branch to start from and land on with ",
            base,
            "."
        ];
        Ok(refused.advise(hint).into())
    }

    /// The files of all runs.
    ///
    /// # Errors
    /// A failure of git.
    pub(crate) fn all_trees(
        self,
        branch_of: impl Fn(&str) -> String,
    ) -> Result<Vec<RunTree<'r>>, Error> {
        let site = WorktreeFolder::of(self.project, self.config, self.repo)?;
        let folders = site.folders().into_iter();
        folders
            .map(|(path, spec_id)| self.own(&path, &spec_id, &branch_of(&spec_id)))
            .collect()
    }

    /// Returns the confinement of everything that works in a folder.
    ///
    /// # Errors
    /// The reason that it cannot be held.
    #[cfg(unix)]
    pub(crate) fn confinement(self, folder: &Path) -> Result<Confinement, Error> {
        crate::runtime::run_confinement::of_folder(self.project, self.config, self.repo, folder)
    }

    /// Returns the confinement of everything that works in a folder.
    #[cfg(not(unix))]
    pub(crate) fn confinement(self, _folder: &Path) -> Result<Confinement, Error> {
        Ok(Confinement::Off)
    }

    /// The folder at a path, whether it is there or not.
    ///
    /// # Errors
    /// A failure of git.
    pub(crate) fn own(
        self,
        path: &Path,
        spec_id: &str,
        branch: &str,
    ) -> Result<RunTree<'r>, Error> {
        let confinement = self.confinement(path)?;
        Ok(self.held(path, spec_id, branch, confinement))
    }

    /// As [`RunTreeContext::own`], where it is known how everything is held that works there.
    pub(crate) fn held(
        self,
        path: &Path,
        spec_id: &str,
        branch: &str,
        confinement: Confinement,
    ) -> RunTree<'r> {
        let folder = self.repo.run_folder(path, branch, confinement);
        let folder = folder.with_largest_file(self.config.runs.limits.file());
        let root = self.project.path_in_repository(self.repo, "");
        let environment = &self.config.runs.environment;
        let folder =
            folder.with_installed(environment.installed_patterns(&root.unwrap_or_default()));
        RunTree {
            repo: self.repo,
            site: WorktreeFolder::of(self.project, self.config, self.repo).ok(),
            spec_id: spec_id.to_owned(),
            branch: branch.to_owned(),
            folder,
        }
    }
}

impl<'r> RunTree<'r> {
    /// Limits the time of every call of git in a folder of its own.
    #[must_use]
    pub(crate) fn limited(self, longest: Duration) -> Self {
        Self {
            folder: self.folder.limited(longest),
            ..self
        }
    }

    /// The top of the files.
    pub(crate) fn path(&self) -> &Path {
        self.folder.top()
    }

    /// Returns true if it is there.
    pub(crate) fn is_there(&self) -> bool {
        disk::exists(self.path())
    }

    /// Returns true if what git may be made to run there is held.
    pub(crate) fn is_held(&self) -> bool {
        self.folder.is_held()
    }

    /// Returns the repository that is its own.
    pub(crate) fn into_repository(self) -> RunRepository<'r> {
        self.folder
    }

    /// Makes a new folder with the files of the branch's newest commit.
    ///
    /// # Errors
    /// A failure of git.
    pub(crate) fn make(&self, progress: &mut dyn FnMut(&str)) -> Result<(), Error> {
        Ok(self.folder.make(progress)?)
    }

    /// As [`RunTree::make`], from a folder that was made in advance; false when there is none that will do.
    ///
    /// # Errors
    /// A failure of git or of the disk; what was made is left for [`RunTree::remove_made`].
    pub(crate) fn make_from(
        &self,
        pool: &FolderPool<'_>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<bool, Error> {
        Ok(self.folder.make_from(pool, progress)?)
    }

    /// Makes what an earlier run left ready for the next.
    ///
    /// # Errors
    /// A failure of git.
    pub(crate) fn catch_up(&self, progress: &mut dyn FnMut(&str)) -> Result<(), Error> {
        Ok(self.folder.catch_up(progress)?)
    }

    /// Brings the commits of the branch into the project. A folder or a branch that is gone has nothing to
    /// bring: what came back before is what there is.
    ///
    /// Says whether there were any.
    ///
    /// # Errors
    /// A failure of git.
    pub(crate) fn fetch(&self) -> Result<bool, GitError> {
        if !self.folder.is_there() {
            return Ok(false);
        }
        match self.folder.fetch() {
            Err(GitError::Gone { .. } | GitError::NoBranch { .. }) => Ok(false),
            done => done,
        }
    }

    /// Moves the branch, and the folder with its files, forward to a commit that the project has.
    ///
    /// # Errors
    /// As [`RunRepository::move_forward`].
    pub(crate) fn move_forward(&self, commit: &str) -> Result<(), GitError> {
        self.folder.move_forward(commit)
    }

    /// Makes the folder a person's: nothing that the agent planned runs there. Returns what was kept of it
    /// elsewhere, as sentences.
    ///
    /// # Errors
    /// A failure of git.
    pub(crate) fn hand_over(&self) -> Result<Vec<String>, GitError> {
        if !self.folder.is_there() {
            return Ok(Vec::new());
        }
        let kept = self.keep_strays();
        // Git ran there by settings of the agent.
        end_orphans();
        self.folder.make_repository_again()?;
        Ok(kept.unwrap_or_else(|error| {
            vec![format!(
                "commits that are not on {} stay in the folder alone: {error}",
                self.branch
            )]
        }))
    }

    /// Keeps the commits of a folder that are on no branch of the project; returns sentences about them.
    fn keep_strays(&self) -> Result<Vec<String>, GitError> {
        let kept = self
            .folder
            .keep_strays(&escape_name(&self.spec_id))?
            .into_iter();
        let sentence = |one: KeptCommit| {
            format!(
                "`{}` of its folder is kept as {}",
                shown(&one.was),
                one.name
            )
        };
        Ok(kept.map(sentence).collect())
    }

    /// Moves what only the folder has beside it; returns sentences about it.
    fn keep_leftovers(&self, left: &FolderLeftovers) -> Result<Vec<String>, Error> {
        let folder = &self.folder;
        let modules = folder.modules_aside();
        if left.repositories.is_empty() && left.ignored.is_empty() && modules.is_empty() {
            return Ok(Vec::new());
        }
        let to = worktree_folder::make_kept_folder(self.path())?;
        folder.move_leftovers(&left.repositories, &to)?;
        folder.move_leftovers(&left.ignored, &to)?;
        for git in &modules {
            disk::move_folder(git, &to.join(git.file_name().unwrap_or_default()))?;
        }
        let what = [
            ("repositories inside its folder", &left.repositories),
            ("files that git ignores", &left.ignored),
        ];
        let mut kept: Vec<String> = what
            .into_iter()
            .filter(|(_, paths)| !paths.is_empty())
            .map(|(what, paths)| format!("{what} are kept in {}: {}", to.display(), named(paths)))
            .collect();
        if !modules.is_empty() {
            kept.push(format!(
                "repositories of submodules are kept in {}",
                to.display()
            ));
        }
        Ok(kept)
    }

    /// Brings the commits back and makes the folder's repository again, so that git works there whatever the
    /// agent did to it.
    ///
    /// # Errors
    /// A failure of git.
    pub(crate) fn hand_over_with_commits(&self) -> Result<Vec<String>, GitError> {
        self.fetch()?;
        self.hand_over()
    }

    /// Where work lies that is not on the branch.
    pub(crate) fn elsewhere(&self, base: &str) -> Vec<StrayCommits> {
        if !self.folder.is_there() {
            return Vec::new();
        }
        self.folder.elsewhere(base)
    }

    /// The paths that differ from HEAD there.
    ///
    /// # Errors
    /// A failure of git.
    pub(crate) fn uncommitted(&self) -> Result<Vec<String>, GitError> {
        self.folder.uncommitted()
    }

    /// As [`RunTree::uncommitted`], for an answer: where nothing holds what git may run, only a person's trust
    /// lets it.
    ///
    /// # Errors
    /// A failure of git.
    pub(crate) fn uncommitted_shown(&self, project: &Project) -> Result<Vec<String>, GitError> {
        // Git could run what the agent wrote into the settings of this folder.
        if !(self.folder.is_held() || project.is_trusted()) {
            return Ok(Vec::new());
        }
        self.folder.uncommitted()
    }

    /// Returns true if the files are those of the branch.
    pub(crate) fn stands_on_branch(&self) -> bool {
        self.folder.stands_on_branch()
    }

    /// Commits everything that is there, and brings it into the project.
    ///
    /// # Errors
    /// A failure of git.
    pub(crate) fn commit_everything(&self, message: &str) -> Result<(), GitError> {
        self.fetch()?;
        self.folder.commit_everything(message)?;
        self.fetch().map(drop)
    }

    /// Removes a folder in which no agent worked, whatever is there.
    ///
    /// # Errors
    /// A failure of the disk.
    pub(crate) fn remove_made(&self) -> Result<(), GitError> {
        self.folder.remove()
    }

    /// Removes the files with what lies beside them, unless something there is in no commit of the project, or it
    /// is not certainly the run's. What git does not see as a change and would be lost is kept before, as the
    /// returned sentences say.
    ///
    /// # Errors
    /// `Refused`, `Dirty`, or a failure of git.
    pub(crate) fn remove(&self, project: &Project) -> Result<Vec<String>, Error> {
        let mut kept = Vec::new();
        let path = self.path();
        let Some(site) = &self.site else {
            let message = format!(
                "nothing says whether {} is a folder of runs",
                path.display()
            );
            return Err(ChantError::Refused(message).into());
        };
        let folder = &self.folder;
        site.refuse_unmarked(path, &self.spec_id)?;
        if folder.is_unfinished() {
            // Its removal began after all of this was looked at, or no agent ever worked in it.
            folder.remove()?;
            worktree_folder::remove_beside(path);
            return Ok(kept);
        }
        if self.fetch()? {
            let message = format!("{} had commits that came only now", path.display());
            return Err(ChantError::Refused(message).into());
        }
        // The copy of a spec that git ignores is ours.
        let spec = format!("{SPECS}/{}.md", self.spec_id);
        let own = project.path_in_repository(self.repo, &spec);
        let mut left = folder.leftovers(own.as_deref())?;
        let mut shown = std::mem::take(&mut left.uncommitted);
        // A repository inside is kept whole, also where git shows it as one change.
        shown.retain(|path| {
            let path = path.trim_end_matches('/');
            !left.repositories.iter().any(|inside| inside == path)
        });
        if !shown.is_empty() {
            let count = shown.len();
            shown.truncate(MAX_SHOWN);
            let path = path.to_owned();
            return Err(GitError::Dirty { path, count, shown }.into());
        }
        kept.extend(self.keep_strays()?);
        kept.extend(self.keep_leftovers(&left)?);
        folder.remove()?;
        worktree_folder::remove_beside(path);
        Ok(kept)
    }
}

/// Returns a name that an agent chose as people may see it.
fn shown(name: &str) -> String {
    name.chars().map(visible_char).collect()
}

/// Returns the first of some paths as words.
fn named(paths: &[String]) -> String {
    let mut words: Vec<String> = paths
        .iter()
        .take(MAX_SHOWN)
        .map(|path| shown(path))
        .collect();
    if let Some(more) = paths.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
        words.push(format!("and {more} more"));
    }
    words.join(", ")
}
