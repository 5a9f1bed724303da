//! Locks of other programs that are folders: who makes the folder holds the lock, and one that was not touched for a
//! while was left by a process that died.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use super::StoreError;
use super::lock::busy;
use super::place::{FilePlace, OpenFolder};
use super::stamps::FileStamp;

/// The time between two attempts.
const RETRY_DELAY: Duration = Duration::from_millis(10);

/// The place of such a lock, and the rules of its program.
#[derive(Debug, Clone, Copy)]
pub struct FolderLockRequest<'a> {
    /// The folder below which the lock lies, real.
    pub root: &'a Path,
    /// The folder of locks, below it.
    pub folder: &'a Path,
    /// The name of the lock.
    pub name: &'a str,
    /// The age from which on it counts as left behind.
    pub stale_after: Duration,
    /// The program, for people.
    pub program: &'static str,
}

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub struct FolderLock {
    place: FilePlace,
    stamp: Option<FileStamp>,
}

impl FolderLock {
    /// Takes a lock; `None` where the folder of locks is not there, as its program never wrote here, or is a link.
    ///
    /// # Errors
    /// `Busy` when it was not free before `deadline`, or `Io`.
    pub fn take(
        request: &FolderLockRequest<'_>,
        deadline: Instant,
    ) -> Result<Option<Self>, StoreError> {
        let path = request.root.join(request.folder);
        let failed = |error| StoreError::io("lock", &path.join(request.name), error);
        let folder = match OpenFolder::below(request.root, &path) {
            Ok(Some(folder)) => folder,
            Ok(None) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let place = folder.place(request.name);
        loop {
            match place.make_empty_folder() {
                Ok(()) => {
                    let stamp = place.stamp();
                    return Ok(Some(Self { place, stamp }));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(failed(error));
                }
                Err(_) => {}
            }
            let stamp = place.stamp();
            if stamp
                .is_some_and(|stamp| stamp.is_older_than(request.stale_after, SystemTime::now()))
            {
                // A folder that is not empty is no such lock, and stays.
                place.remove_folder();
            }
            if Instant::now() > deadline {
                let why = format!("is being edited by {}", request.program);
                return Err(busy(place.path(), why));
            }
            std::thread::sleep(RETRY_DELAY);
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Where it was held for too long it may be another program's by now.
        if self.place.stamp() == self.stamp {
            self.place.remove_folder();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn request(root: &Path, stale_after: Duration) -> FolderLockRequest<'_> {
        FolderLockRequest {
            root,
            folder: Path::new(".locks"),
            name: "task-1",
            stale_after,
            program: "Another program",
        }
    }

    #[test]
    fn a_lock_is_a_folder_while_it_is_held() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let long = Duration::from_secs(60);
        assert!(
            FolderLock::take(&request(&root, long), Instant::now())
                .unwrap()
                .is_none()
        );
        let lock = root.join(".locks/task-1");
        fs::create_dir(root.join(".locks")).unwrap();
        let held = FolderLock::take(&request(&root, long), Instant::now()).unwrap();
        assert!(held.is_some() && lock.is_dir());
        let refused = FolderLock::take(&request(&root, long), Instant::now());
        assert!(refused.unwrap_err().to_string().contains("Another program"));
        drop(held);
        assert!(!lock.exists());
    }

    #[test]
    fn one_that_was_left_behind_is_taken_over_unless_it_holds_something() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let lock = root.join(".locks/task-1");
        fs::create_dir_all(&lock).unwrap();
        let soon = Instant::now() + Duration::from_secs(5);
        let held = FolderLock::take(&request(&root, Duration::ZERO), soon).unwrap();
        assert!(held.is_some());
        fs::write(lock.join("file"), "kept").unwrap();
        drop(held);
        assert!(FolderLock::take(&request(&root, Duration::ZERO), Instant::now()).is_err());
        assert!(lock.join("file").is_file());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_leads_nowhere() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let other = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(other.path(), root.join(".locks")).unwrap();
        let taken = FolderLock::take(&request(&root, Duration::ZERO), Instant::now());
        assert!(!matches!(taken, Ok(Some(_))));
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
    }
}
