//! The folder in which one run works: a repository of its own that borrows the project's objects
//! and shares nothing else with it.
//!
//! Everything in such a folder is the agent's: no git of ours outside the run's confinement reads
//! its configuration, hooks, refs or index. Only commits come back (`fetch`): as the bytes of a
//! pack, which the project's git checks.

mod attributes;
mod content;
mod fetch;
mod filters;
mod forward;
mod hooks;
mod large_files;
mod leftovers;
mod made;
pub mod pool;
mod settings;
mod size_limit;
mod submodules;

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::branches::branch_ref;
use super::{GitError, Repo, program};
use chant_confine::Confinement;

pub use fetch::StrayCommits;
pub use filters::BrokenFilter;
pub(crate) use hooks::HookRepository;
pub use leftovers::{FolderLeftovers, KeptCommit};
pub use size_limit::MAX_FILE_BYTES;

/// The path from the folder's top of the logs in which a run's git writes a line for each commit.
pub const LOGS: &str = ".git/logs";
/// The prefix of the refs that keep the first commit of each run's work.
const BASES: &str = "refs/chant/base/";
/// The time limit for a git of ours that reads in the folder of a run: its content may be made to
/// block git for ever.
const LONGEST_LOOK: Duration = Duration::from_secs(30);
/// The time limit for a git that reads all files of such a folder.
const LONGEST_WALK: Duration = Duration::from_secs(600);
/// The time after which such a git is asked again without the files that are too large for it.
const QUICK_WALK: Duration = Duration::from_secs(2);

/// The folder of one run.
#[derive(Debug, Clone)]
pub struct RunRepository<'a> {
    repo: &'a Repo,
    /// Its top.
    top: PathBuf,
    /// The branch with its work, in the folder and in the project.
    branch: String,
    /// The confinement of every process in the folder.
    confinement: Confinement,
    /// An upper bound for all time limits of git in the folder.
    longest: Option<Duration>,
    /// The bytes that a file of the run may have.
    largest: u64,
    /// Files and folders that were installed before the work began and git does not track, as patterns of git.
    installed: Vec<String>,
}

impl Repo {
    /// Returns the handle of a run's folder at `top` with its work on `branch`; the folder need not
    /// exist.
    pub fn run_folder(
        &self,
        top: &Path,
        branch: &str,
        confinement: Confinement,
    ) -> RunRepository<'_> {
        RunRepository {
            repo: self,
            top: top.to_owned(),
            branch: branch.to_owned(),
            confinement,
            longest: None,
            largest: MAX_FILE_BYTES,
            installed: Vec::new(),
        }
    }

    /// Keeps the first commit of the work on a branch, whatever happens to the branch; `None`
    /// releases it.
    ///
    /// # Errors
    /// `InvalidName`, or a failure of git.
    pub fn keep_base(&self, branch: &str, base: Option<&str>) -> Result<(), GitError> {
        branch_ref(branch)?;
        let name = format!("{BASES}{branch}");
        match (base, self.tip_of_ref(&name)?) {
            (Some(base), Some(now)) if now == base => Ok(()),
            (Some(base), now) => self.move_ref(&name, base, now.as_deref(), "work begins"),
            (None, Some(now)) => self.remove_ref(&name, &now),
            (None, None) => Ok(()),
        }
    }
}

impl RunRepository<'_> {
    /// Its top.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Limits the time of every call of git in the folder.
    #[must_use]
    pub fn limited(mut self, longest: Duration) -> Self {
        self.longest = Some(longest);
        self
    }

    /// Says by patterns of git what was installed in the folder, which is no part of the work.
    #[must_use]
    pub fn with_installed(mut self, patterns: Vec<String>) -> Self {
        self.installed = patterns;
        self
    }

    /// Returns true if git in the folder is confined.
    pub fn is_held(&self) -> bool {
        !matches!(self.confinement, Confinement::Off)
    }

    /// Prepares a call of git in the folder, in the run's confinement. The agent's configuration
    /// there may have git run anything, which is confined, too.
    fn git<'a>(
        &self,
        words: impl IntoIterator<Item = &'a str>,
        longest: Duration,
    ) -> program::GitCall {
        program::acting_unflushed(&self.top, words)
            .confined(&self.confinement)
            .limited(self.longest.map_or(longest, |most| most.min(longest)))
    }

    /// Returns the full name of its branch.
    fn full_name(&self) -> Result<String, GitError> {
        branch_ref(&self.branch)
    }

    /// Returns the branch's newest commit in the project.
    fn known_tip(&self) -> Result<String, GitError> {
        let tip = self.repo.tip_of_ref(&self.full_name()?)?;
        tip.ok_or_else(|| GitError::NoBranch {
            branch: self.branch.clone(),
        })
    }
}
