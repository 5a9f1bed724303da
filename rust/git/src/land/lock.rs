//! Git's lock of an index, taken for a landing; the lock file names the run.

#![expect(
    clippy::disallowed_methods,
    reason = "the lock of git's index is no document of the store"
)]

use chant_base::diagnostics::LogFailure;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::GitError;
use crate::index::{failed, wait_for_lock};

/// The text before the run's id in a lock of ours.
const BEGINS: &str = "chant-mcp run ";

/// A held lock; released when dropped.
pub(super) struct LandingLock {
    path: PathBuf,
    is_held: bool,
}

/// The outcomes of taking the lock.
pub(super) enum LandingLockOutcome {
    /// This landing holds the lock.
    Held(LandingLock),
    /// Another program or another run holds the lock.
    By {
        /// The lock file.
        lock: PathBuf,
        /// The run, if the lock names one.
        run: Option<String>,
    },
}

impl LandingLock {
    /// Takes the lock of the index in a git folder. A lock of an earlier attempt of the same run is
    /// taken over.
    pub(super) fn take(
        git_dir: &Path,
        run: &str,
        deadline: Instant,
    ) -> Result<LandingLockOutcome, GitError> {
        let path = path_in(git_dir);
        loop {
            match appear(&path, &format!("{BEGINS}{run}\n")) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed("lock the index with", &path, &error)),
                Ok(()) => {
                    let is_held = true;
                    return Ok(LandingLockOutcome::Held(Self { path, is_held }));
                }
            }
            match run_of(&path) {
                Some(holder) if holder == run => {
                    let is_held = true;
                    return Ok(LandingLockOutcome::Held(Self { path, is_held }));
                }
                run if Instant::now() >= deadline => {
                    return Ok(LandingLockOutcome::By { lock: path, run });
                }
                _ => wait_for_lock(),
            }
        }
    }

    /// Leaves the lock file behind, as a crash would.
    pub(super) fn leave(mut self) {
        self.is_held = false;
    }
}

impl Drop for LandingLock {
    fn drop(&mut self) {
        if self.is_held {
            fs::remove_file(&self.path).log_failure("remove the lock of the landing");
        }
    }
}

/// Returns the path of the index lock in a git folder.
pub(super) fn path_in(git_dir: &Path) -> PathBuf {
    git_dir.join("index.lock")
}

/// Returns the run that a lock names; `None` for a lock of git's own, or none.
pub(super) fn run_of(lock: &Path) -> Option<String> {
    let text = fs::read(lock).ok()?;
    let text = String::from_utf8(text).ok()?;
    let run = text.strip_prefix(BEGINS)?.strip_suffix('\n')?;
    Some(run.to_owned())
}

/// Removes a lock of a run; returns false if it is not that run's.
pub(super) fn free(lock: &Path, run: &str) -> Result<bool, GitError> {
    if run_of(lock).as_deref() != Some(run) {
        return Ok(false);
    }
    remove(lock).map(|_| true)
}

/// Removes a lock of any owner; returns false if there is none.
pub(super) fn remove(lock: &Path) -> Result<bool, GitError> {
    match fs::remove_file(lock) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failed("free the lock", lock, &error)),
    }
}

/// Creates a new file that has its text from the start.
fn appear(path: &Path, text: &str) -> io::Result<()> {
    let beside = path.with_file_name(format!("chant-mcp-{}.lock", std::process::id()));
    let made = fs::write(&beside, text).and_then(|()| match fs::hard_link(&beside, path) {
        // The file system has no hard links.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            let mut options = fs::OpenOptions::new();
            let mut file = options.write(true).create_new(true).open(path)?;
            let written = io::Write::write_all(&mut file, text.as_bytes());
            // A part of it would name nobody, and keep everybody out.
            written.inspect_err(|_| {
                fs::remove_file(path).log_failure("remove a lock that could not be written");
            })
        }
        made => made,
    });
    fs::remove_file(&beside).log_failure("remove the file beside the lock");
    made
}
