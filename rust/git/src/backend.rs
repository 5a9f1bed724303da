//! Chooses the backend for each question: git2, or the git program where git2 cannot answer.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, MutexGuard};
use std::time::SystemTime;

use super::{
    GitError, Repo, complained_of, flushing, is_missing, path_from_bytes, program, trimmed,
};

/// The text of a git2 failure that has no message, such as half a write.
const SILENT: &str = "no error";

/// The backends that answer questions about a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GitBackend {
    /// git2; the program where git2 fails.
    Library,
    /// The git program, because git2 refuses the repository.
    Program,
}

/// Inode, modification time and kind (true for a folder) of the files that an open repository
/// depends on.
type RepoMarks = [Option<(u64, Option<SystemTime>, bool)>; 6];

/// A repository that the last question left open.
pub(super) struct RepoHandle {
    marks: RepoMarks,
    repo: git2::Repository,
}

impl fmt::Debug for RepoHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.repo.path()).finish()
    }
}

impl Repo {
    /// Opens the repository that holds `folder`; `None` when no repository does.
    ///
    /// The folder may be a sub-folder, a linked worktree, a submodule or a bare repository.
    ///
    /// # Errors
    /// `Owner` when the repository belongs to a user whom git's configuration does not trust,
    /// `NoGit` when only the git program could read it, `Program` when git cannot read it either.
    pub fn open(folder: &Path) -> Result<Option<Self>, GitError> {
        let none: [&Path; 0] = [];
        // We keep the objects that we read ourselves, in a tenth of the memory.
        git2::opts::enable_caching(false);
        match git2::Repository::open_ext(folder, git2::RepositoryOpenFlags::empty(), none) {
            Ok(repo) => Ok(Some(Self::new(
                GitBackend::Library,
                trimmed(repo.commondir()),
                repo.workdir().map(trimmed),
            ))),
            Err(error) if is_missing(&error) && !has_git_above(folder) => Ok(None),
            Err(error) => match Self::open_with_program(folder) {
                Err(GitError::NoGit { .. }) if is_missing(&error) => Ok(None),
                Err(GitError::NoGit { .. }) => Err(match error.code() {
                    git2::ErrorCode::Owner => GitError::Owner {
                        path: complained_of(error.message(), folder),
                    },
                    _ => GitError::NoGit {
                        why: format!("to read this repository ({})", error.message()),
                    },
                }),
                answer => answer,
            },
        }
    }

    /// Returns the folder in which calls look for the repository.
    pub(super) fn folder(&self) -> &Path {
        self.checkout.as_deref().unwrap_or(&self.common_dir)
    }

    /// Opens the repository with git2 and runs `ask` on it.
    pub(super) fn library<T>(
        &self,
        doing: &'static str,
        ask: impl FnOnce(&git2::Repository) -> Result<T, git2::Error>,
    ) -> Result<T, GitError> {
        ask(&self.opened(doing)?).map_err(|error| self.refused(doing, &error))
    }

    /// Runs `ask` in the repository that the last question left open: opening takes longer than
    /// most questions. The repository is opened again if its configuration or its folder has
    /// changed.
    fn library_kept<T>(
        &self,
        doing: &'static str,
        ask: impl FnOnce(&git2::Repository) -> Result<T, git2::Error>,
    ) -> Result<T, GitError> {
        let marks = self.marks();
        let kept = self.handle().take().filter(|kept| kept.marks == marks);
        let repo = match kept {
            Some(kept) => kept.repo,
            None => self.opened(doing)?,
        };
        let answer = ask(&repo).map_err(|error| self.refused(doing, &error));
        *self.handle() = Some(RepoHandle { marks, repo });
        answer
    }

    /// Closes the repository that the last question left open and frees its mapped packs.
    pub(super) fn let_go(&self) {
        *self.handle() = None;
    }

    fn handle(&self) -> MutexGuard<'_, Option<RepoHandle>> {
        self.handle
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Reads the state of the files that an open repository depends on.
    fn marks(&self) -> RepoMarks {
        let common = |name: &str| self.common_dir.join(name);
        let places = [
            self.common_dir.clone(),
            self.folder().join(".git"),
            common("config"),
            common("shallow"),
            common("info/grafts"),
            flushing::settings_file(&self.common_dir),
        ];
        places.map(|path| {
            let metadata = path.symlink_metadata().ok()?;
            // A folder's time changes with every file in it, but it stays the same folder.
            let modified = metadata.is_file().then(|| metadata.modified().ok());
            Some((inode(&metadata), modified.flatten(), metadata.is_dir()))
        })
    }

    fn opened(&self, doing: &'static str) -> Result<git2::Repository, GitError> {
        let opened = git2::Repository::open(self.folder())
            .and_then(|repo| flushing::apply(&repo).map(|()| repo));
        opened.map_err(|error| match error.code() {
            git2::ErrorCode::Owner => GitError::Owner {
                path: complained_of(error.message(), self.folder()),
            },
            git2::ErrorCode::NotFound => GitError::Gone {
                path: self.folder().to_owned(),
            },
            _ => self.refused(doing, &error),
        })
    }

    /// Reads with git2, and with the git program where git2 fails.
    pub(super) fn read<T>(
        &self,
        doing: &'static str,
        library: impl FnOnce(&git2::Repository) -> Result<T, git2::Error>,
        program: impl FnOnce() -> Result<T, GitError>,
    ) -> Result<T, GitError> {
        if self.backend == GitBackend::Program {
            return program();
        }
        match self.library_kept(doing, library) {
            Ok(answer) => Ok(answer),
            Err(refused) => match program() {
                Err(GitError::NoGit { .. }) => Err(refused),
                answer => answer,
            },
        }
    }

    /// Makes a change with git2, or with the git program where git2 refuses the repository. A
    /// change that git2 started and failed is not tried in another way: its refusal may be a check
    /// that held.
    pub(super) fn write<T>(
        &self,
        doing: &'static str,
        library: impl FnOnce(&git2::Repository) -> Result<T, git2::Error>,
        program: impl FnOnce() -> Result<T, GitError>,
    ) -> Result<T, GitError> {
        match self.backend {
            GitBackend::Library => {
                flushing::prepare(&self.common_dir)?;
                self.library_kept(doing, library)
            }
            GitBackend::Program => program(),
        }
    }

    pub(super) fn refused(&self, doing: &'static str, error: &git2::Error) -> GitError {
        GitError::Library {
            doing,
            path: self.folder().to_owned(),
            why: match error.message() {
                SILENT => "git gave no reason, as when the disk is full".to_owned(),
                why => why.to_owned(),
            },
        }
    }

    fn new(backend: GitBackend, common_dir: PathBuf, checkout: Option<PathBuf>) -> Self {
        Self {
            backend,
            common_dir,
            checkout,
            history: Mutex::default(),
            handle: Mutex::default(),
            acts: AtomicUsize::new(0),
            hooks: Mutex::default(),
        }
    }

    fn open_with_program(folder: &Path) -> Result<Option<Self>, GitError> {
        let ask =
            |question: &str| program::reading_within(folder, ["rev-parse", question]).output();
        let common_dir = match ask("--git-common-dir") {
            Ok(path) => folder.join(path_of(&path)),
            Err(GitError::Gone { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        // Where there is no checkout, git says so by failing.
        let checkout = match ask("--show-toplevel") {
            Ok(path) => Some(path_of(&path)),
            Err(GitError::Program { .. }) => None,
            Err(error) => return Err(error),
        };
        let common_dir = common_dir.canonicalize().unwrap_or(common_dir);
        Ok(Some(Self::new(GitBackend::Program, common_dir, checkout)))
    }
}

/// Finds where the index and HEAD of a checkout lie; absolute.
///
/// # Errors
/// `Gone` when `top` is not the top of a checkout, `Owner`, `NoGit`, `Program`.
pub(super) fn git_dir_of(top: &Path) -> Result<PathBuf, GitError> {
    let none: [&Path; 0] = [];
    let flags = git2::RepositoryOpenFlags::NO_SEARCH;
    if let Ok(repo) = git2::Repository::open_ext(top, flags, none) {
        return Ok(trimmed(repo.path()));
    }
    let asked = program::reading(top, ["rev-parse", "--absolute-git-dir"]);
    asked.output().map(|out| path_of(&out))
}

/// Returns true if a folder or one above it has an entry `.git`.
fn has_git_above(folder: &Path) -> bool {
    folder
        .ancestors()
        .any(|folder| folder.join(".git").exists())
}

/// Returns a path that git wrote on a line of its own.
fn path_of(out: &[u8]) -> PathBuf {
    path_from_bytes(out.strip_suffix(b"\n").unwrap_or(out))
}

#[cfg(unix)]
pub(super) fn inode(file: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(file)
}

#[cfg(not(unix))]
pub(super) fn inode(_: &std::fs::Metadata) -> u64 {
    0
}
