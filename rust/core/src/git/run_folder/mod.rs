//! The folder that one run works in: a repository of its own, which borrows the objects of the project's and
//! shares nothing else with it.
//!
//! What lies in such a folder is the agent's: its configuration, hooks, refs and index are never read by a
//! git of ours outside the run's confinement. Only commits come back ([`fetch`]): as the bytes of a pack,
//! which the project's git checks.

mod attributes;
mod content;
mod fetch;
mod large_files;
mod made;
pub mod pool;
mod settings;

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::branches::branch_ref;
use super::{GitError, Repo, program};
use crate::confine::Confinement;

pub use fetch::Elsewhere;

/// The folder, from the top, in which a run's git writes a line for each commit.
pub const LOGS: &str = ".git/logs";
/// Under this prefix the project keeps where the work of each run began.
const BASES: &str = "refs/chant/base/";
/// How long a git of ours may take that looks into the folder of a run: what lies there may be made to keep it
/// waiting for ever.
const LONGEST_LOOK: Duration = Duration::from_secs(30);
/// How long one may take that goes through all files of such a folder.
const LONGEST_WALK: Duration = Duration::from_secs(600);

/// The folder of one run.
#[derive(Debug, Clone)]
pub struct RunFolder<'a> {
    repo: &'a Repo,
    /// Its top.
    top: PathBuf,
    /// The branch that its work is on, in it and in the project.
    branch: String,
    /// How everything is held that runs in it.
    confinement: Confinement,
    /// How long any call of git in it may take, where that is shorter than what it does needs at most.
    longest: Option<Duration>,
}

impl Repo {
    /// The folder of a run at `top`, whose work is on `branch`; whether it is there or not.
    pub fn run_folder(&self, top: &Path, branch: &str, confinement: Confinement) -> RunFolder<'_> {
        RunFolder {
            repo: self,
            top: top.to_owned(),
            branch: branch.to_owned(),
            confinement,
            longest: None,
        }
    }

    /// Keeps the commit that the work on a branch begins at, whatever the branch comes to; `None` lets it go.
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

impl RunFolder<'_> {
    /// Its top.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Lets no call of git in the folder take longer than this.
    #[must_use]
    pub fn limited(mut self, longest: Duration) -> Self {
        self.longest = Some(longest);
        self
    }

    /// Whether what git may be made to run in it is held.
    pub fn is_held(&self) -> bool {
        !matches!(self.confinement, Confinement::Off)
    }

    /// A call of git in the folder, held as the run is. What the agent wrote into the configuration there may
    /// have git run anything, which is held, too.
    fn git<'a>(
        &self,
        words: impl IntoIterator<Item = &'a str>,
        longest: Duration,
    ) -> program::Call {
        program::acting(&self.top, words)
            .confined(&self.confinement)
            .limited(self.longest.map_or(longest, |most| most.min(longest)))
    }

    /// The full name of its branch.
    fn full_name(&self) -> Result<String, GitError> {
        branch_ref(&self.branch)
    }

    /// The branch's newest commit in the project.
    fn known_tip(&self) -> Result<String, GitError> {
        let tip = self.repo.tip_of_ref(&self.full_name()?)?;
        tip.ok_or_else(|| GitError::NoBranch {
            branch: self.branch.clone(),
        })
    }
}
