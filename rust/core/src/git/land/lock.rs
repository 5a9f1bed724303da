//! Git's lock of an index, taken for a landing, with the run that took it written inside.

#![expect(
    clippy::disallowed_methods,
    reason = "the lock of git's index is no document of the store"
)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::super::GitError;
use super::super::index::{failed, pause};

/// What stands before the run in a lock of ours.
const BEGINS: &str = "chant-mcp run ";

/// A held lock; freed when dropped.
pub(super) struct LandingLock {
    path: PathBuf,
    is_held: bool,
}

/// Who has the lock.
pub(super) enum Taken {
    /// We.
    Held(LandingLock),
    /// Somebody else: another program, or another run.
    By {
        /// The lock file.
        lock: PathBuf,
        /// The run.
        run: Option<String>,
    },
}

impl LandingLock {
    /// Takes the lock of the index in a git folder; what an earlier attempt of the same run left is ours.
    pub(super) fn take(git_dir: &Path, run: &str, deadline: Instant) -> Result<Taken, GitError> {
        let path = path_in(git_dir);
        loop {
            match appear(&path, &format!("{BEGINS}{run}\n")) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed("lock the index with", &path, &error)),
                Ok(()) => {
                    let is_held = true;
                    return Ok(Taken::Held(Self { path, is_held }));
                }
            }
            match run_of(&path) {
                Some(holder) if holder == run => {
                    let is_held = true;
                    return Ok(Taken::Held(Self { path, is_held }));
                }
                run if Instant::now() >= deadline => return Ok(Taken::By { lock: path, run }),
                _ => pause(),
            }
        }
    }

    /// Leaves the lock behind, as a crash would.
    pub(super) fn leave(mut self) {
        self.is_held = false;
    }
}

impl Drop for LandingLock {
    fn drop(&mut self) {
        if self.is_held {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The lock of the index in a git folder.
pub(super) fn path_in(git_dir: &Path) -> PathBuf {
    git_dir.join("index.lock")
}

/// The run that a lock names; `None` for a lock of git's own, or none.
pub(super) fn run_of(lock: &Path) -> Option<String> {
    let text = fs::read(lock).ok()?;
    let text = String::from_utf8(text).ok()?;
    let run = text.strip_prefix(BEGINS)?.strip_suffix('\n')?;
    Some(run.to_owned())
}

/// Removes a lock of a run; false when it is not that run's.
pub(super) fn free(lock: &Path, run: &str) -> Result<bool, GitError> {
    if run_of(lock).as_deref() != Some(run) {
        return Ok(false);
    }
    remove(lock).map(|_| true)
}

/// Removes a lock, whoever made it; false when there is none.
pub(super) fn remove(lock: &Path) -> Result<bool, GitError> {
    match fs::remove_file(lock) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failed("free the lock", lock, &error)),
    }
}

/// Makes a file that must not be there, with its text already in it.
fn appear(path: &Path, text: &str) -> io::Result<()> {
    let beside = path.with_file_name(format!("chant-mcp-{}.lock", std::process::id()));
    fs::write(&beside, text)?;
    let made = match fs::hard_link(&beside, path) {
        // A file system without second names.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            let mut options = fs::OpenOptions::new();
            let file = options.write(true).create_new(true).open(path);
            file.and_then(|mut file| io::Write::write_all(&mut file, text.as_bytes()))
        }
        made => made,
    };
    let _ = fs::remove_file(&beside);
    made
}
