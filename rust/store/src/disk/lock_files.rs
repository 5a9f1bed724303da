//! Locks where a file system has none: a lock of the kernel on a file in the user's own state folder; where that has
//! none either, the file itself, which says whose it is.

use chant_base::diagnostics::LogFailure;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::weak_guarantees::{WeakGuarantee, record_weak_guarantee};
use super::{
    busy, create_owned, is_process, make_folders, make_owned_folder, read_made_up, read_owned,
    remove, rename_new,
};
use crate::StoreError;
use crate::digest::hex;

/// The folder of lock files in the user's own state.
const FOLDER_NAME: &str = "locks";
/// Bytes of what a lock file says.
const MAX_SIZE: u64 = 4096;
/// Bytes of a path's digest in a name.
const DIGEST: usize = 16;

/// Where lock files lie: one place for all handles of a process, or they would not exclude each other.
static PLACE: OnceLock<PathBuf> = OnceLock::new();

/// Names the user's own state folder, in which lock files may be made. The first one that is named counts.
pub fn keep_lock_files_in(user_state: &Path) {
    PLACE.get_or_init(|| user_state.join(FOLDER_NAME));
}

/// The lock file that stands for a document or folder.
///
/// # Errors
/// `NoState` where no place was named, or `NotWritten`.
pub(super) fn lock_file_of(path: &Path) -> Result<PathBuf, StoreError> {
    let Some(folder) = PLACE.get() else {
        return Err(StoreError::NoState {
            why: format!(
                "The file system of {} has no locks, and no variable says where the state of programs may lie; set HOME or XDG_STATE_HOME",
                path.display()
            ),
        });
    };
    if let Some(above) = folder.parent() {
        make_folders(above)?;
    }
    make_owned_folder(folder)?;
    record_weak_guarantee(WeakGuarantee::Locks, path.parent().unwrap_or(path));
    let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
    let name = hex(&digest[..DIGEST]);
    Ok(folder.join(name + ".lock"))
}

/// The owner of a lock file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct LockOwner {
    schema: u32,
    host: String,
    pid: u32,
    /// When the process began, in ticks since the machine did.
    start: Option<u64>,
    /// The machine's start.
    boot: Option<String>,
}

impl LockOwner {
    fn this_process() -> Self {
        let pid = std::process::id();
        Self {
            schema: 1,
            host: host(),
            pid,
            start: start_of(pid),
            boot: boot(),
        }
    }

    /// Returns true if it is certain that the owner is no more; of another machine nothing is.
    fn is_dead(&self) -> bool {
        let is_here = self.host == host();
        let is_before = self.boot.is_some() && self.boot != boot();
        let is_other = || self.start.is_some() && self.start != start_of(self.pid);
        is_here && (is_before || !is_process(self.pid) || is_other())
    }
}

/// A lock file of this process; it goes when this is dropped.
#[derive(Debug)]
pub(super) struct OwnedLock {
    path: PathBuf,
    text: String,
    pid: u32,
}

impl OwnedLock {
    /// Returns true unless this is the copy of a forked process.
    pub(super) fn is_ours(&self) -> bool {
        self.pid == std::process::id()
    }

    /// Waits until the file is ours, which locks `locked`.
    ///
    /// # Errors
    /// `Busy` with its owner when the deadline passes; or another `StoreError` where no file can be made.
    pub(super) fn take(file: &Path, locked: &Path, deadline: Instant) -> Result<Self, StoreError> {
        let path = file.with_extension("owned");
        let text = serde_json::to_string(&LockOwner::this_process()).unwrap_or_default();
        let mut pause = Duration::from_micros(500);
        loop {
            match create_owned(&path, &text) {
                Ok(()) => {
                    let pid = std::process::id();
                    return Ok(Self { path, text, pid });
                }
                Err(StoreError::Exists { .. }) => {}
                Err(error) => return Err(error),
            }
            let said = match read_owned(&path, MAX_SIZE) {
                Err(StoreError::Missing { .. }) => continue,
                said => said?,
            };
            let owner: Option<LockOwner> = serde_json::from_str(&said).ok();
            if owner.as_ref().is_some_and(LockOwner::is_dead) {
                take_away(&path, &said)?;
                continue;
            }
            if Instant::now() >= deadline {
                let who = owner.map(|owner| format!("process {} on {}", owner.pid, owner.host));
                let who = who.unwrap_or_else(|| "another process".into());
                return Err(busy(locked, format!("stayed locked by {who}")));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

impl Drop for OwnedLock {
    fn drop(&mut self) {
        if self.is_ours() && read_owned(&self.path, MAX_SIZE).is_ok_and(|said| said == self.text) {
            // One that stays is taken over when this process has ended.
            remove(&self.path).log_failure("remove a lock file");
        }
    }
}

/// Removes the file of a dead owner: moved aside first, since another process may do so and make its own meanwhile,
/// which goes back.
fn take_away(path: &Path, said: &str) -> Result<(), StoreError> {
    let aside = path.with_extension(format!("dead-{}", std::process::id()));
    remove(&aside)?;
    match rename_new(path, &aside) {
        Ok(()) => {}
        Err(StoreError::Missing { .. }) => return Ok(()),
        Err(error) => return Err(error),
    }
    if read_owned(&aside, MAX_SIZE).is_ok_and(|now| now == said) {
        return remove(&aside);
    }
    rename_new(&aside, path)
}

fn host() -> String {
    let name = read_made_up("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}

fn boot() -> Option<String> {
    let id = read_made_up("/proc/sys/kernel/random/boot_id")?;
    Some(id.trim().to_owned())
}

/// The 22nd word of what the kernel says of a process; the second is its name, which may hold anything.
fn start_of(pid: u32) -> Option<u64> {
    let said = read_made_up(&format!("/proc/{pid}/stat"))?;
    let behind_name = said.rsplit_once(')')?.1;
    behind_name.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lock file of somebody else, and whether it is taken over.
    #[track_caller]
    fn check(change: impl FnOnce(&mut LockOwner), is_taken: bool) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let mut owner = LockOwner::this_process();
        change(&mut owner);
        create_owned(
            &path.with_extension("owned"),
            &serde_json::to_string(&owner).unwrap(),
        )
        .unwrap();
        let taken = OwnedLock::take(&path, &path, Instant::now());
        assert_eq!(taken.is_ok(), is_taken, "{taken:?}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_lock_file_of_a_dead_owner_is_taken_over_and_no_other() {
        check(|_| (), false);
        check(|owner| owner.pid = 4_194_305, true);
        check(|owner| owner.start = Some(1), true);
        check(|owner| owner.boot = Some("another".into()), true);
        check(|owner| owner.host = "elsewhere".into(), false);
        check(
            |owner| (owner.host, owner.pid) = ("elsewhere".into(), 4_194_305),
            false,
        );
    }

    #[test]
    fn a_lock_file_goes_with_its_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let take = || OwnedLock::take(&path, &path, Instant::now());
        let held = take().unwrap();
        assert!(take().unwrap_err().to_string().contains("process"));
        drop(held);
        drop(take().unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
