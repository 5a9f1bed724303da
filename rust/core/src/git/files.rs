//! Files: as commits hold them, as a checkout holds them, and whether git tracks them.

use std::path::{Component, Path};

use super::branches::oid;
use super::{GitError, Repo, is_missing, program, real};

impl Repo {
    /// What a file held in a commit, byte for byte as it was stored; `None` when the commit has no file
    /// of that path. The path begins at the top of the checkout and uses `/`.
    ///
    /// # Errors
    /// `InvalidName` for a revision or path that cannot be one, `NoCommit` when the revision names none,
    /// or a failure to read the repository.
    pub fn file_at(&self, revision: &str, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        if !is_inside(Path::new(path)) {
            return Err(GitError::InvalidName {
                what: "file in a commit",
                name: path.to_owned(),
                why: "the path must begin at the top of the checkout and stay inside it",
            });
        }
        let commit = self
            .commit_of(revision)?
            .ok_or_else(|| GitError::NoCommit {
                revision: revision.to_owned(),
            })?;
        self.read(
            "read a file of a commit",
            |repo| {
                let tree = repo.find_commit(oid(&commit)?)?.tree()?;
                let entry = match tree.get_path(Path::new(path)) {
                    Ok(entry) => entry,
                    Err(error) if is_missing(&error) => return Ok(None),
                    Err(error) => return Err(error),
                };
                match entry.kind() {
                    Some(git2::ObjectType::Blob) => {
                        Ok(Some(repo.find_blob(entry.id())?.content().to_vec()))
                    }
                    _ => Ok(None),
                }
            },
            || {
                let asked = self.git([
                    "--literal-pathspecs",
                    "ls-tree",
                    "-z",
                    "--full-tree",
                    &commit,
                    "--",
                    path,
                ]);
                let listed = asked.output()?;
                let entry = String::from_utf8_lossy(&listed).into_owned();
                let mut words = entry.split(['\t', ' ']);
                match (words.nth(1), words.next()) {
                    (Some("blob"), Some(id)) => {
                        self.git(["cat-file", "blob", id]).output().map(Some)
                    }
                    _ => Ok(None),
                }
            },
        )
    }

    /// The files that a commit holds below a folder, links included, submodules not; sorted, from the top
    /// of the checkout, with `/`. None where the commit has no such folder.
    ///
    /// # Errors
    /// As `file_at`.
    pub fn files_below(&self, revision: &str, folder: &str) -> Result<Vec<String>, GitError> {
        if !is_inside(Path::new(folder)) {
            return Err(GitError::InvalidName {
                what: "folder in a commit",
                name: folder.to_owned(),
                why: "the path must begin at the top of the checkout and stay inside it",
            });
        }
        let commit = self.known_commit(revision)?;
        let mut paths = self.read(
            "list files of a commit",
            |repo| {
                let tree = repo.find_commit(oid(&commit)?)?.tree()?;
                match tree.get_path(Path::new(folder)) {
                    Ok(entry) if entry.kind() == Some(git2::ObjectType::Tree) => {
                        files_in(&repo.find_tree(entry.id())?, folder)
                    }
                    Ok(_) => Ok(Vec::new()),
                    Err(error) if is_missing(&error) => Ok(Vec::new()),
                    Err(error) => Err(error),
                }
            },
            || {
                let words = ["--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree"];
                let below = format!("{folder}/");
                let asked = self.git(words).arg(&commit).arg("--").arg(&below);
                let out = asked.output()?;
                let listed = program::fields(&out).map(String::from_utf8_lossy);
                let listed = listed.filter_map(|entry| {
                    let (head, path) = entry.split_once('\t')?;
                    let is_file = head.contains(" blob ") && path.starts_with(&below);
                    is_file.then(|| path.to_owned())
                });
                Ok(listed.collect())
            },
        )?;
        paths.sort_unstable();
        Ok(paths)
    }

    /// The paths of a checkout of this repository that differ from its HEAD: changed, staged, in
    /// conflict, or untracked and not ignored; sorted, from the top of the checkout, with `/`.
    ///
    /// # Errors
    /// `Bare`, `Gone` when `checkout` is not the top of a checkout, or a failure of git.
    pub fn uncommitted(&self, checkout: &Path) -> Result<Vec<String>, GitError> {
        // Git itself first: git2 knows neither the filters that a checkout may need nor all index formats.
        let words = [
            "status",
            "--porcelain",
            "-z",
            "--untracked-files=all",
            "--no-renames",
        ];
        let checkout = &real(checkout);
        let mut paths: Vec<String> = match program::git(checkout, words).output() {
            Ok(out) => program::fields(&out)
                .filter_map(|field| field.get(3..))
                .map(|path| String::from_utf8_lossy(path).into_owned())
                .collect(),
            Err(GitError::NoGit { .. }) => self.uncommitted_by_library(checkout)?,
            Err(GitError::Program { .. })
                if self.checkout.is_none() && *checkout == self.common_dir =>
            {
                return Err(GitError::Bare {
                    path: checkout.to_owned(),
                });
            }
            Err(error) => return Err(error),
        };
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }

    /// Whether the checkout's index holds a file; a file that was only announced (`git add -N`) or is in
    /// conflict counts. The path is absolute or begins at the top of the checkout.
    ///
    /// # Errors
    /// `Bare`, `Outside`, or a failure to read the repository.
    pub fn is_tracked(&self, path: &Path) -> Result<bool, GitError> {
        let path = self.path_in_checkout(path)?;
        self.read(
            "read the index",
            |repo| {
                let mut index = repo.index()?;
                // The repository may have been open since others changed it.
                index.read(false)?;
                Ok((0..=3).any(|stage| index.get_path(Path::new(&path), stage).is_some()))
            },
            || {
                let out = self
                    .git(["--literal-pathspecs", "ls-files", "-z", "--", &path])
                    .output()?;
                Ok(program::fields(&out).any(|listed| listed == path.as_bytes()))
            },
        )
    }

    /// A path from the top of the checkout, with `/`, as git's index names it.
    pub(super) fn path_in_checkout(&self, path: &Path) -> Result<String, GitError> {
        let Some(checkout) = self.checkout() else {
            return Err(GitError::Bare {
                path: self.common_dir.clone(),
            });
        };
        let outside = || GitError::Outside {
            path: path.to_owned(),
            checkout: checkout.to_owned(),
        };
        let absolute = checkout.join(path);
        // Links on the way count as what they lead to; the file itself may be one that git tracks.
        let (Some(folder), Some(name)) = (absolute.parent(), absolute.file_name()) else {
            return Err(outside());
        };
        let place = real(folder).join(name);
        let inside = place.strip_prefix(real(checkout)).map_err(|_| outside())?;
        if !is_inside(inside) {
            return Err(outside());
        }
        let parts: Option<Vec<&str>> = inside.iter().map(|part| part.to_str()).collect();
        parts
            .map(|parts| parts.join("/"))
            .ok_or_else(|| GitError::InvalidName {
                what: "file to look up in git",
                name: inside.to_string_lossy().into_owned(),
                why: "it must be UTF-8",
            })
    }

    fn uncommitted_by_library(&self, checkout: &Path) -> Result<Vec<String>, GitError> {
        let path = || checkout.to_owned();
        let repo = git2::Repository::open(checkout).map_err(|_| GitError::Gone { path: path() })?;
        if repo.is_bare() {
            return Err(GitError::Bare { path: path() });
        }
        let mut options = git2::StatusOptions::new();
        options.include_untracked(true).recurse_untracked_dirs(true);
        let statuses = repo.statuses(Some(&mut options));
        let statuses = statuses.map_err(|error| self.refused("look for changes", &error))?;
        let names = statuses
            .iter()
            .map(|entry| String::from_utf8_lossy(entry.path_bytes()).into_owned());
        Ok(names.collect())
    }
}

/// The files below a tree, by their paths from the top of the checkout.
fn files_in(tree: &git2::Tree<'_>, folder: &str) -> Result<Vec<String>, git2::Error> {
    let mut paths = Vec::new();
    tree.walk(git2::TreeWalkMode::PreOrder, |above, entry| {
        if entry.kind() == Some(git2::ObjectType::Blob) {
            let name = String::from_utf8_lossy(entry.name_bytes());
            paths.push(format!("{folder}/{above}{name}"));
        }
        git2::TreeWalkResult::Ok
    })?;
    Ok(paths)
}

/// Whether a relative path names something, never leaves the folder it begins in, and spares git's own.
fn is_inside(path: &Path) -> bool {
    let is_plain =
        |part| matches!(part, Component::Normal(name) if !name.eq_ignore_ascii_case(".git"));
    !path.as_os_str().is_empty() && path.components().all(is_plain)
}
