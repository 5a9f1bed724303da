//! Commits of other repositories that a commit names as folders: those of submodules that the user has.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use super::changed_files::{ChangedFile, CommittedFile, FileKind};
use super::program::{self, fields};
use super::{GitError, Repo};

/// A submodule that the user has.
#[derive(Debug)]
pub struct Submodule {
    /// Its folder, from the top of the checkout.
    pub path: String,
    /// The commit that a commit of the project names.
    pub commit: String,
    /// The user's own copy.
    pub repo: Repo,
}

/// The files in which two commits of a submodule differ.
#[derive(Debug)]
pub struct SubmoduleChange {
    /// Its folder, from the top of the project's checkout; one inside another submodule counts from there, too.
    pub path: String,
    /// The user's own copy.
    pub repo: Repo,
    /// The commit that was named before, if the copy has it.
    pub old: Option<String>,
    /// The commit that is named now, if the copy has it.
    pub new: Option<String>,
    /// The files, with paths inside the submodule.
    pub files: Vec<ChangedFile>,
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
    ///
    /// # Errors
    /// A failure of git.
    pub fn submodules(&self, revision: &str) -> Result<Vec<Submodule>, GitError> {
        let folders = self.submodule_folders(revision)?;
        if folders.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for file in self.committed_files(revision)? {
            let path = file.path;
            let Some(named) = file.new.filter(|new| new.kind == FileKind::Submodule) else {
                continue;
            };
            if let Some(repo) = folders.get(&path).and_then(|folder| own_copy(folder)) {
                let commit = named.id;
                found.push(Submodule { path, commit, repo });
            }
        }
        Ok(found)
    }

    /// Returns what changes inside of submodules by the given changes between two revisions, also in the submodules of
    /// submodules. What the user's copies do not have is left out.
    ///
    /// # Errors
    /// A failure of git.
    pub fn submodule_changes(
        &self,
        from: &str,
        to: &str,
        changed: &[ChangedFile],
    ) -> Result<Vec<SubmoduleChange>, GitError> {
        let is_submodule = |file: &&CommittedFile| file.kind == FileKind::Submodule;
        let mut found = Vec::new();
        for file in changed {
            let old = file.old.as_ref().filter(is_submodule);
            let new = file.new.as_ref().filter(is_submodule);
            let revision = match (old, new) {
                (_, Some(_)) => to,
                (Some(_), None) => from,
                (None, None) => continue,
            };
            let folders = self.submodule_folders(revision)?;
            let Some(repo) = folders.get(&file.path).and_then(|folder| own_copy(folder)) else {
                continue;
            };
            let known = |file: Option<&CommittedFile>| -> Result<Option<String>, GitError> {
                let Some(file) = file else { return Ok(None) };
                Ok(repo.has_object(&file.id)?.then(|| file.id.clone()))
            };
            let (old, new) = (known(old)?, known(new)?);
            let files = match (&old, &new) {
                (Some(old), Some(new)) => repo.changed_files(old, new)?,
                (None, Some(new)) => repo.committed_files(new)?,
                (Some(old), None) => repo
                    .committed_files(old)?
                    .into_iter()
                    .map(removed)
                    .collect(),
                (None, None) => continue,
            };
            if let (Some(first), Some(last)) =
                (old.as_ref().or(new.as_ref()), new.as_ref().or(old.as_ref()))
            {
                for mut inside in repo.submodule_changes(first, last, &files)? {
                    inside.path = format!("{}/{}", file.path, inside.path);
                    found.push(inside);
                }
            }
            let path = file.path.clone();
            found.push(SubmoduleChange {
                path,
                repo,
                old,
                new,
                files,
            });
        }
        Ok(found)
    }

    /// Returns all files of a revision, as ones that are new.
    fn committed_files(&self, revision: &str) -> Result<Vec<ChangedFile>, GitError> {
        let mut files = Vec::new();
        let words = ["ls-tree", "-r", "-z", "--full-tree", revision];
        self.reading(words).each_field(|field| {
            let field = String::from_utf8_lossy(field);
            let (facts, path) = field.split_once('\t').unwrap_or_default();
            let facts: Vec<&str> = facts.split(' ').collect();
            if let [mode, _, id] = facts[..]
                && let Ok(mode) = u32::from_str_radix(mode, 8)
            {
                files.push(ChangedFile {
                    path: path.to_owned(),
                    old: None,
                    new: CommittedFile::of(mode, id.to_owned()),
                });
            }
        })?;
        Ok(files)
    }

    /// Returns the git folders of the submodules that `.gitmodules` of a revision names and the user has, by path.
    fn submodule_folders(&self, revision: &str) -> Result<HashMap<String, PathBuf>, GitError> {
        let mut found = HashMap::new();
        if self.file_at(revision, ".gitmodules")?.is_none() {
            return Ok(found);
        }
        let blob = format!("{revision}:.gitmodules");
        let words = [
            "config", "--blob", &blob, "-z", "--get-regexp", r"^submodule\..*\.path$",
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

/// Returns the user's copy of a submodule by its git folder. One that was emptied (`git submodule deinit`) is none that
/// the user has.
fn own_copy(folder: &Path) -> Option<Repo> {
    let repo = Repo::open(folder).ok()??;
    repo.folder().is_dir().then_some(repo)
}

/// Returns a file that is new as one that is gone.
fn removed(file: ChangedFile) -> ChangedFile {
    ChangedFile {
        path: file.path,
        old: file.new,
        new: None,
    }
}

/// Returns true if a submodule's name leads nowhere else.
fn is_plain_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    !name.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
}
