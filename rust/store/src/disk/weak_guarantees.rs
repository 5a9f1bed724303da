//! Promises that a file system does not let us keep, noted once each and shown where people look for problems.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Folders that are remembered for a promise.
const MAX_COUNT: usize = 64;

/// The weak guarantees noted in this process: where, and whether each was reported.
static NOTED: Mutex<BTreeMap<(WeakGuarantee, PathBuf), bool>> = Mutex::new(BTreeMap::new());

/// True if something was noted that was not taken for a log, which is asked after each call.
static ARE_NEW: AtomicBool = AtomicBool::new(false);

/// A promise that is kept in part only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WeakGuarantee {
    /// Locks are files of ours in place of the kernel's.
    Locks,
    /// Folders cannot be flushed.
    Flushes,
    /// A new name cannot be given at once.
    Names,
}

impl WeakGuarantee {
    /// Returns what holds all the same, and what does not, in a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Locks => {
                "the file system of some documents has no locks: programs of this user take turns by files in the user's own state folder, those of other users and machines do not take part"
            }
            Self::Flushes => {
                "the file system of some documents does not flush folders: after a loss of power a change of the last seconds may be missing, as a whole"
            }
            Self::Names => {
                "the file system of some documents can neither rename without replacing nor give second names: a new document takes its name in two steps, and a crash between them leaves an empty file"
            }
        }
    }
}

fn noted() -> MutexGuard<'static, BTreeMap<(WeakGuarantee, PathBuf), bool>> {
    NOTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes that a promise is kept in part only in a folder.
pub(super) fn record_weak_guarantee(promise: WeakGuarantee, folder: &Path) {
    let mut noted = noted();
    let of_promise = noted.keys().filter(|(one, _)| *one == promise).count();
    if of_promise < MAX_COUNT {
        noted
            .entry((promise, folder.to_owned()))
            .or_insert_with(|| {
                ARE_NEW.store(true, Ordering::Release);
                false
            });
    }
}

/// The promises that were found to be kept in part only since this process began.
pub fn weak_promises() -> Vec<WeakGuarantee> {
    let mut promises: Vec<WeakGuarantee> = noted().keys().map(|(promise, _)| *promise).collect();
    promises.dedup();
    promises
}

/// A line for each promise and folder that was not reported yet, for a log.
pub fn take_weak_promises() -> Vec<String> {
    if !ARE_NEW.swap(false, Ordering::AcqRel) {
        return Vec::new();
    }
    let mut noted = noted();
    let new = noted.iter_mut().filter(|(_, is_reported)| !**is_reported);
    new.map(|((promise, folder), is_reported)| {
        *is_reported = true;
        format!("{}: {}", folder.display(), promise.sentence())
    })
    .collect()
}
