//! Commits of other repositories that a commit names as folders: those of submodules that the user has.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use super::program::{self, fields};
use super::{GitError, Repo};

/// A submodule that the user has.
#[derive(Debug)]
pub(super) struct Submodule {
    /// Its folder, from the top of the checkout.
    pub(super) path: String,
    /// The commit that a commit of the project names.
    pub(super) commit: String,
    /// The user's own copy.
    pub(super) repo: Repo,
}

impl Repo {
    /// Returns true if a folder that a revision names as a commit of another repository is one of its submodules,
    /// and the user's own copy of that submodule has the commit.
    ///
    /// # Errors
    /// A failure of git.
    pub fn has_submodule_commit(
        &self,
        revision: &str,
        path: &str,
        commit: &str,
    ) -> Result<bool, GitError> {
        let folders = self.submodule_folders(revision)?;
        let Some(folder) = folders.get(path) else {
            return Ok(false);
        };
        let commit = format!("{commit}^{{commit}}");
        let asked = program::reading(folder, ["cat-file", "-e", &commit]);
        Ok(asked.answer()?.ended_with(0))
    }

    /// Returns the submodules of a revision that the user has, with the commits that the revision names.
    pub(super) fn submodules(&self, revision: &str) -> Result<Vec<Submodule>, GitError> {
        let folders = self.submodule_folders(revision)?;
        if folders.is_empty() {
            return Ok(Vec::new());
        }
        let mut named = Vec::new();
        let words = ["ls-tree", "-r", "-z", "--full-tree", revision];
        self.reading(words).each_field(|field| {
            let field = String::from_utf8_lossy(field);
            let (facts, path) = field.split_once('\t').unwrap_or_default();
            if let Some(commit) = facts.strip_prefix("160000 commit ") {
                named.push((path.to_owned(), commit.to_owned()));
            }
        })?;
        let mut found = Vec::new();
        for (path, commit) in named {
            let Some(folder) = folders.get(&path) else {
                continue;
            };
            // One that was emptied (`git submodule deinit`) is none that the user has.
            if let Ok(Some(repo)) = Self::open(folder)
                && repo.folder().is_dir()
            {
                found.push(Submodule { path, commit, repo });
            }
        }
        Ok(found)
    }

    /// Returns the git folders of the submodules that `.gitmodules` of a revision names and the user has, by path.
    fn submodule_folders(&self, revision: &str) -> Result<HashMap<String, PathBuf>, GitError> {
        let mut found = HashMap::new();
        if self.file_at(revision, ".gitmodules")?.is_none() {
            return Ok(found);
        }
        let blob = format!("{revision}:.gitmodules");
        let words = [
            "config",
            "--blob",
            &blob,
            "-z",
            "--get-regexp",
            r"^submodule\..*\.path$",
        ];
        let listed = self.reading(words).answer()?;
        if !listed.ended_with(0) {
            return Ok(found);
        }
        let modules = self.common_dir().join("modules");
        for field in fields(&listed.success()?) {
            let field = String::from_utf8_lossy(field);
            let Some((key, path)) = field.split_once('\n') else {
                continue;
            };
            let name = key.strip_prefix("submodule.");
            let Some(name) = name.and_then(|name| name.strip_suffix(".path")) else {
                continue;
            };
            let folder = modules.join(name);
            if is_plain_name(name) && folder.join("HEAD").is_file() {
                found.insert(path.trim_end_matches('/').to_owned(), folder);
            }
        }
        Ok(found)
    }
}

/// Returns true if a submodule's name leads nowhere else.
fn is_plain_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    !name.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
}
