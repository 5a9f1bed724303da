//! Commits of other repositories that a commit names as folders: those of submodules that the user has.

use std::path::{Component, Path, PathBuf};

use super::program::{self, fields};
use super::{GitError, Repo};

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
        let Some(folder) = self.submodule_folder(revision, path)? else {
            return Ok(false);
        };
        let commit = format!("{commit}^{{commit}}");
        let asked = program::reading(&folder, ["cat-file", "-e", &commit]);
        Ok(asked.answer()?.ended_with(0))
    }

    /// Returns the git folder of the submodule at a path, if `.gitmodules` of a revision names one and the user has it.
    fn submodule_folder(&self, revision: &str, path: &str) -> Result<Option<PathBuf>, GitError> {
        if self.file_at(revision, ".gitmodules")?.is_none() {
            return Ok(None);
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
            return Ok(None);
        }
        let name = fields(&listed.success()?).find_map(|field| {
            let field = String::from_utf8_lossy(field).into_owned();
            let (key, value) = field.split_once('\n')?;
            let name = key.strip_prefix("submodule.")?.strip_suffix(".path")?;
            (value.trim_end_matches('/') == path).then(|| name.to_owned())
        });
        let modules = self.common_dir().join("modules");
        Ok(name
            .filter(|name| is_plain_name(name))
            .map(|name| modules.join(name))
            .filter(|folder| folder.join("HEAD").is_file()))
    }
}

/// Returns true if a submodule's name leads nowhere else.
fn is_plain_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    !name.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
}
