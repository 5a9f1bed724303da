//! Submodules in the folder of a run: each is a repository of its own there, as the run's is, that borrows the objects
//! of the user's copy. What an agent commits in one comes back as a branch of that copy.

use std::path::{Component, Path};

use chant_base::diagnostics::LogFailure;

use super::made::{NESTED, remove_tree};
use super::{LONGEST_WALK, RunRepository};
use crate::submodules::Submodule;
use crate::{GitError, Repo};

impl RunRepository<'_> {
    /// Creates the submodules of a commit in a new folder, those inside them as well. One that the user does not have
    /// stays an empty folder, as in a fresh clone.
    pub(super) fn make_submodules(
        &self,
        commit: &str,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(), GitError> {
        for submodule in self.repo.submodules(commit)? {
            if !submodule.repo.has_object(&submodule.commit)? || !self.is_own_folder(&submodule) {
                continue;
            }
            let inside = self.inside(&submodule);
            if inside.top.join(".git").symlink_metadata().is_err() {
                inside.make_repository(&submodule.commit)?;
                inside.check_out(&submodule.commit, progress)?;
            }
            inside.make_submodules(&submodule.commit, progress)?;
        }
        Ok(())
    }

    /// Gives the submodules of a commit their repositories again, after those of the agent were set aside. Files stay
    /// as they are.
    pub(super) fn make_submodules_again(&self, commit: &str) -> Result<(), GitError> {
        for submodule in self.repo.submodules(commit)? {
            let inside = self.inside(&submodule);
            if !submodule.repo.has_object(&submodule.commit)?
                || !self.is_own_folder(&submodule)
                || inside.top.join(".git").symlink_metadata().is_ok()
            {
                continue;
            }
            inside.make_repository(&submodule.commit)?;
            let words = [
                "read-tree", "--reset", "--end-of-options", &submodule.commit,
            ];
            inside.git(words, LONGEST_WALK).output()?;
            inside.make_submodules_again(&submodule.commit)?;
        }
        Ok(())
    }

    /// Removes the repositories of submodules that hold nothing which the user's copies lack, so that they need not be
    /// kept. Their files stay.
    pub(super) fn remove_spent_submodules(&self, commit: &str) -> Result<(), GitError> {
        for submodule in self.repo.submodules(commit)? {
            let inside = self.inside(&submodule);
            if self.is_own_folder(&submodule) && inside.has_no_commits_of_its_own()? {
                inside.remove_spent_submodules(&submodule.commit)?;
                remove_tree(&inside.top.join(".git"))?;
            }
        }
        Ok(())
    }

    /// Brings the commits of submodules that the run's newest commit names to branches of the user's copies, which are
    /// called as the run's own. What does not come back keeps the work from landing.
    pub(super) fn bring_submodules(&self, tip: &str) -> Result<(), GitError> {
        for submodule in self.repo.submodules(tip)? {
            if !submodule.repo.has_object(&submodule.commit)? && self.is_own_folder(&submodule) {
                self.bring_submodule(&submodule)
                    .log_failure("bring back commits of a submodule");
            }
        }
        Ok(())
    }

    fn bring_submodule(&self, submodule: &Submodule) -> Result<(), GitError> {
        let inside = self.inside(submodule);
        let name = self.full_name()?;
        let repo = &submodule.repo;
        if let Some(path) = repo.holder_of(&self.branch)? {
            let branch = self.branch.clone();
            return Err(GitError::InUse { branch, path });
        }
        let shared = repo.shared_refs()?;
        let known: Vec<&str> = shared.iter().map(|(_, commit)| &**commit).collect();
        inside.bring_with_retries(&submodule.commit, &known)?;
        inside.bring_submodules_of(repo, &submodule.commit)?;
        let now = repo.tip_of_ref(&name)?;
        let why = "commits of a run";
        repo.move_ref(&name, &submodule.commit, now.as_deref(), why)
    }

    fn bring_submodules_of(&self, repo: &Repo, commit: &str) -> Result<(), GitError> {
        for submodule in repo.submodules(commit)? {
            if !submodule.repo.has_object(&submodule.commit)? && self.is_own_folder(&submodule) {
                self.bring_submodule(&submodule)?;
            }
        }
        Ok(())
    }

    /// Returns the paths of the submodules of a commit in which nothing would be lost.
    pub(super) fn clean_submodules(&self, commit: &str) -> Result<Vec<String>, GitError> {
        let mut clean = Vec::new();
        for submodule in self.repo.submodules(commit)? {
            if !self.is_own_folder(&submodule) {
                continue;
            }
            let inside = self.inside(&submodule);
            if !inside.has_no_commits_of_its_own()? || inside.holds_parts_set_aside() {
                continue;
            }
            let left = inside.leftovers(None)?;
            if left.uncommitted.is_empty()
                && left.repositories.is_empty()
                && left.ignored.is_empty()
            {
                clean.push(submodule.path);
            }
        }
        Ok(clean)
    }

    /// Returns true for a submodule whose commits are all in the user's copy.
    fn has_no_commits_of_its_own(&self) -> Result<bool, GitError> {
        if !self.top.join(".git").is_dir() {
            return Ok(false);
        }
        let mut commits: Vec<String> = self
            .strays()?
            .into_iter()
            .map(|(_, commit)| commit)
            .collect();
        commits.extend(self.tip(&self.full_name()?).ok());
        for commit in commits {
            if !self.repo.has_object(&commit)? || !self.repo.is_reachable(&commit)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns true if a repository of the agent's was set aside at its top.
    fn holds_parts_set_aside(&self) -> bool {
        let mut entries = self.top.read_dir().into_iter().flatten().flatten();
        entries.any(|entry| entry.file_name().to_string_lossy().starts_with(NESTED))
    }

    /// Returns the repository of a submodule in the folder.
    fn inside<'b>(&self, submodule: &'b Submodule) -> RunRepository<'b> {
        RunRepository {
            repo: &submodule.repo,
            top: self.top.join(&submodule.path),
            branch: self.branch.clone(),
            confinement: self.confinement.clone(),
            longest: self.longest,
            largest: self.largest,
            installed: Vec::new(),
        }
    }

    /// Returns true if a submodule's folder is one inside the run's: an agent may have made a link of it.
    fn is_own_folder(&self, submodule: &Submodule) -> bool {
        let mut place = self.top.clone();
        Path::new(&submodule.path).components().all(|part| {
            place.push(part);
            matches!(part, Component::Normal(_))
                && place.symlink_metadata().is_ok_and(|found| found.is_dir())
        })
    }
}
