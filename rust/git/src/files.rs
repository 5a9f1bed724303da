//! Files: their content in commits, their changes in a checkout, and whether git tracks them.

use std::path::{Component, Path};

use chant_base::document_size::MAX_DOCUMENT_BYTES;
use rayon::prelude::*;

use super::branches::oid;
use super::changed_files::CommittedFile;
use super::{GitError, Repo, is_missing, program, real};

/// The number of files in one request: their ids fit into a pipe, which git reads while it writes.
const AT_ONCE: usize = 200;

impl Repo {
    /// Returns the content of a file in a commit, byte for byte as it was stored; `None` when the
    /// commit has no such file. The path starts at the top of the checkout and uses `/`.
    ///
    /// # Errors
    /// `InvalidName` for a revision or path that cannot be one, `NoCommit` when the revision names none,
    /// `TooLarge`, or a failure to read the repository.
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
        let read = self.read(
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
                        let (bytes, _) = repo.odb()?.read_header(entry.id())?;
                        let bytes = bytes as u64;
                        if bytes > MAX_DOCUMENT_BYTES {
                            return Ok(Some(Err(bytes)));
                        }
                        Ok(Some(Ok(repo.find_blob(entry.id())?.content().to_vec())))
                    }
                    _ => Ok(None),
                }
            },
            || {
                let asked = self.reading([
                    "--literal-pathspecs", "ls-tree", "-z", "--full-tree", &commit, "--", path,
                ]);
                let listed = asked.output()?;
                let entry = String::from_utf8_lossy(&listed).into_owned();
                let mut words = entry.split(['\t', ' ']);
                match (words.nth(1), words.next()) {
                    (Some("blob"), Some(id)) => {
                        let size = self.reading(["cat-file", "-s", id]).output()?;
                        let bytes = program::first_line(&size).parse().unwrap_or(u64::MAX);
                        if bytes > MAX_DOCUMENT_BYTES {
                            return Ok(Some(Err(bytes)));
                        }
                        let text = self.reading(["cat-file", "blob", id]).output();
                        text.map(|text| Some(Ok(text)))
                    }
                    _ => Ok(None),
                }
            },
        )?;
        read.transpose().map_err(|bytes| GitError::TooLarge {
            path: path.to_owned(),
            bytes,
            most: MAX_DOCUMENT_BYTES,
        })
    }

    /// Returns the bytes of a file that a commit holds.
    ///
    /// # Errors
    /// A failure to read the repository.
    pub fn size_of(&self, file: &CommittedFile) -> Result<u64, GitError> {
        self.read(
            "read the size of a file of a commit",
            |repo| Ok(repo.odb()?.read_header(oid(&file.id)?)?.0 as u64),
            || {
                let out = self.reading(["cat-file", "-s", &file.id]).output()?;
                Ok(program::first_line(&out).parse().unwrap_or(u64::MAX))
            },
        )
    }

    /// Returns the files that a commit holds below a folder, including links but not submodules;
    /// sorted, from the top of the checkout, with `/`. Empty if the commit has no such folder.
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
                let asked = self.reading(words).arg(&commit).arg("--").arg(&below);
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

    /// Returns the wanted files below a folder of a commit with their content, in the order of
    /// their paths, which start in that folder and use `/`. Links and submodules are left out; an
    /// empty folder is the top. `enters` returns false for folders in which nothing is wanted.
    ///
    /// # Errors
    /// As `file_at`.
    pub fn files_at(
        &self,
        revision: &str,
        folder: &str,
        enters: &dyn Fn(&str) -> bool,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        if !folder.is_empty() && !is_inside(Path::new(folder)) {
            return Err(GitError::InvalidName {
                what: "folder in a commit",
                name: folder.to_owned(),
                why: "the path must begin at the top of the checkout and stay inside it",
            });
        }
        let commit = self.known_commit(revision)?;
        let mut files = self.read(
            "read files of a commit",
            |repo| {
                let mut tree = repo.find_commit(oid(&commit)?)?.tree()?;
                if !folder.is_empty() {
                    tree = match tree.get_path(Path::new(folder)) {
                        Ok(entry) if entry.kind() == Some(git2::ObjectType::Tree) => {
                            repo.find_tree(entry.id())?
                        }
                        Ok(_) => return Ok(Vec::new()),
                        Err(error) if is_missing(&error) => return Ok(Vec::new()),
                        Err(error) => return Err(error),
                    };
                }
                contents(repo.path(), wanted_in(&tree, enters, wanted)?)
            },
            || self.files_at_by_program(&commit, folder, wanted),
        )?;
        files.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Ok(files)
    }

    fn files_at_by_program(
        &self,
        commit: &str,
        folder: &str,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        let below = if folder.is_empty() {
            String::new()
        } else {
            format!("{folder}/")
        };
        let words = ["--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree"];
        let asked = self.reading(words).arg(commit);
        let asked = if folder.is_empty() {
            asked
        } else {
            asked.arg("--").arg(&below)
        };
        let out = asked.output()?;
        let listed = program::fields(&out).map(String::from_utf8_lossy);
        let listed: Vec<(String, String)> = listed
            .filter_map(|entry| {
                let (head, path) = entry.split_once('\t')?;
                let mut head = head.split(' ');
                let is_file = head.next()?.starts_with("100") && head.next()? == "blob";
                let path = path.strip_prefix(&below)?;
                (is_file && wanted(path))
                    .then(|| Some((path.to_owned(), head.next()?.to_owned())))?
            })
            .collect();
        let mut files = Vec::with_capacity(listed.len());
        for some in listed.chunks(AT_ONCE) {
            let ids: String = some.iter().map(|(_, id)| format!("{id}\n")).collect();
            let asked = self.reading(["cat-file", "--batch"]);
            let out = asked.answer_to(ids.as_bytes())?.success()?;
            let mut rest = out.as_slice();
            for (path, _) in some {
                // Each answer is a line that ends with the size, then the content, then a line
                // break.
                let end = rest
                    .iter()
                    .position(|byte| *byte == b'\n')
                    .unwrap_or(rest.len());
                let head = String::from_utf8_lossy(&rest[..end]);
                let size = head.rsplit(' ').next().and_then(|size| size.parse().ok());
                let content = size.and_then(|size: usize| rest.get(end + 1..end + 1 + size));
                let content = content.ok_or_else(|| GitError::Program {
                    command: "git cat-file".into(),
                    why: format!("it gave no content for `{path}`: {head}"),
                })?;
                files.push((path.clone(), content.to_vec()));
                rest = rest.get(end + 2 + content.len()..).unwrap_or_default();
            }
        }
        Ok(files)
    }

    /// Returns the full id of the commit that a revision names: a branch, a tag, `HEAD~2`, an id or
    /// the start of one.
    ///
    /// # Errors
    /// `NoCommit` when it names none, `InvalidName`, or a failure to read the repository.
    pub fn commit(&self, revision: &str) -> Result<String, GitError> {
        self.known_commit(revision)
    }

    /// Returns the paths of a checkout of this repository that differ from its HEAD: changed,
    /// staged, in conflict, or untracked and not ignored; sorted, from the top of the checkout,
    /// with `/`. This is an act: git runs the filters that its configuration names.
    ///
    /// # Errors
    /// `Bare`, `Gone` when `checkout` is not the top of a checkout, or a failure of git.
    pub fn uncommitted(&self, checkout: &Path) -> Result<Vec<String>, GitError> {
        // The git program first: git2 knows neither all filters nor all index formats.
        let words = [
            "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames",
        ];
        let checkout = &real(checkout);
        let mut paths: Vec<String> = match self.acting_in(checkout, words).output() {
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

    /// Works as [`Repo::uncommitted`] but runs nothing: a file whose filter is a program may be
    /// reported although it does not differ.
    ///
    /// # Errors
    /// `Bare`, `Gone` when `checkout` is not the top of a checkout, or a failure of git2.
    pub fn uncommitted_unfiltered(&self, checkout: &Path) -> Result<Vec<String>, GitError> {
        let mut paths = self.uncommitted_by_library(&real(checkout))?;
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }

    /// Returns true if the checkout's index holds a file, also one that was only announced
    /// (`git add -N`) or is in conflict. The path is absolute or starts at the top of the checkout.
    ///
    /// # Errors
    /// `Bare`, `Outside`, or a failure to read the repository.
    pub fn is_tracked(&self, path: &Path) -> Result<bool, GitError> {
        let path = self.path_in_checkout(path)?;
        self.read(
            "read the index",
            |repo| {
                let index = current_index(repo)?;
                Ok((0..=3).any(|stage| index.get_path(Path::new(&path), stage).is_some()))
            },
            || {
                let out = self
                    .reading(["--literal-pathspecs", "ls-files", "-z", "--", &path])
                    .output()?;
                Ok(program::fields(&out).any(|listed| listed == path.as_bytes()))
            },
        )
    }

    /// Returns a path from the top of the checkout, with `/`, as git's index names it.
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
        // Links on the way are resolved; the file itself may be a link that git tracks.
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

    /// Lists changes with git2, whose only filters are line ends and `ident`, which are no
    /// programs.
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

/// Returns the index as its file is now: other processes may have changed it since the repository was opened.
pub(super) fn current_index(repo: &git2::Repository) -> Result<git2::Index, git2::Error> {
    let mut index = repo.index()?;
    index.read(false)?;
    Ok(index)
}

/// Returns the regular files in a tree that are wanted, with their IDs.
fn wanted_in(
    tree: &git2::Tree<'_>,
    enters: &dyn Fn(&str) -> bool,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<(String, git2::Oid)>, git2::Error> {
    let mut found = Vec::new();
    tree.walk(git2::TreeWalkMode::PreOrder, |above, entry| {
        let path = format!("{above}{}", String::from_utf8_lossy(entry.name_bytes()));
        let is_file = entry.filemode() & 0o170_000 == 0o100_000;
        match entry.kind() {
            Some(git2::ObjectType::Tree) if !enters(&path) => return git2::TreeWalkResult::Skip,
            Some(git2::ObjectType::Blob) if is_file && wanted(&path) => {
                found.push((path, entry.id()));
            }
            _ => {}
        }
        git2::TreeWalkResult::Ok
    })?;
    Ok(found)
}

/// Reads the content of files by their ids. Many files are read by several threads, each of which
/// opens the repository itself.
fn contents(
    repo: &Path,
    files: Vec<(String, git2::Oid)>,
) -> Result<Vec<(String, Vec<u8>)>, git2::Error> {
    let read = |some: &[(String, git2::Oid)]| {
        let repo = git2::Repository::open(repo)?;
        let content = |(path, id): &(String, git2::Oid)| {
            Ok((path.clone(), repo.find_blob(*id)?.content().to_vec()))
        };
        some.iter().map(content).collect()
    };
    let read: Result<Vec<Vec<_>>, git2::Error> = files.par_chunks(AT_ONCE).map(read).collect();
    Ok(read?.into_iter().flatten().collect())
}

/// Returns the files below a tree, by their paths from the top of the checkout.
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

/// Returns true if a relative path is not empty, stays in its folder, and names nothing in `.git`.
fn is_inside(path: &Path) -> bool {
    let is_plain =
        |part| matches!(part, Component::Normal(name) if !name.eq_ignore_ascii_case(".git"));
    !path.as_os_str().is_empty() && path.components().all(is_plain)
}
