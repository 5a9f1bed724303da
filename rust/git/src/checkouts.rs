//! Which checkouts a repository has, at the cost of what changed, and whether one is what git says it is.

use std::path::Path;

use super::worktree::{Worktree, text_of};
use super::{GitError, Repo, real};

/// The content of the file of a checkout whose branches are kept in another way than as files.
const ELSEWHERE: &str = ".invalid";

/// The checkouts of a repository as of the last look.
#[derive(Debug, Default)]
pub struct KnownCheckouts {
    /// The content of the small files that name checkouts and their branches; `None` where they do not say all.
    said: Option<Vec<String>>,
    /// The checkouts.
    pub all: Vec<Worktree>,
}

impl KnownCheckouts {
    /// Brings the checkouts up to date; returns true if they were listed again. Costs reading a small file for
    /// each, and nothing but a look for a folder where there is one checkout only.
    ///
    /// # Errors
    /// As [`Repo::worktrees`].
    pub fn refresh(&mut self, repo: &Repo) -> Result<bool, GitError> {
        let said = repo.said_of_checkouts();
        if said.is_some() && said == self.said {
            return Ok(false);
        }
        let is_alone = said.as_ref().is_some_and(Vec::is_empty);
        self.said = None;
        self.all = if is_alone {
            Vec::new()
        } else {
            repo.worktrees()?
        };
        self.said = said;
        Ok(true)
    }
}

impl Repo {
    /// Returns the content of the files that name linked checkouts and the branches of all; empty without
    /// linked ones, and `None` where they do not say all.
    fn said_of_checkouts(&self) -> Option<Vec<String>> {
        let Ok(entries) = self.common_dir().join("worktrees").read_dir() else {
            return Some(Vec::new());
        };
        let mut said = Vec::new();
        for entry in entries.flatten() {
            let folder = entry.path();
            let file = |name: &str| text_of(&folder.join(name)).unwrap_or_default();
            let (head, place) = (file("HEAD"), file("gitdir"));
            if head.contains(ELSEWHERE) {
                return None;
            }
            said.push(format!("{} {head} {place}", folder.display()));
        }
        if said.is_empty() {
            return Some(said);
        }
        said.sort();
        let main = text_of(&self.common_dir().join("HEAD")).unwrap_or_default();
        said.push(main);
        Some(said)
    }

    /// Returns true if the folder of a linked checkout says of itself that it belongs to this repository, as
    /// this says of it.
    pub fn is_linked(&self, tree: &Worktree) -> bool {
        if tree.is_main || tree.prunable {
            return false;
        }
        let link = text_of(&tree.path.join(".git")).unwrap_or_default();
        let Some(own) = link.trim_end().strip_prefix("gitdir:") else {
            return false;
        };
        let own = real(&tree.path.join(own.trim_start()));
        let back = text_of(&own.join("gitdir")).unwrap_or_default();
        let back = own.join(Path::new(back.trim_end()));
        own.parent() == Some(&*real(&self.common_dir().join("worktrees")))
            && real(&back) == real(&tree.path).join(".git")
    }
}
