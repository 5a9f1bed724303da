//! Promises that a file system does not let us keep, noted once each and shown where people look for problems.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// What was noted in this process.
static NOTED: Mutex<BTreeSet<WeakPromise>> = Mutex::new(BTreeSet::new());

/// A promise that is kept in part only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WeakPromise {
    /// Locks are files of ours in place of the kernel's.
    Locks,
    /// Folders cannot be flushed.
    Flushes,
    /// A new name cannot be given at once.
    Names,
}

impl WeakPromise {
    /// What holds all the same, and what does not, in a sentence.
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

/// Notes that a promise is kept in part only.
pub(super) fn note(promise: WeakPromise) {
    let mut noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
    noted.insert(promise);
}

/// The promises that were found to be kept in part only since this process began.
pub fn weak_promises() -> Vec<WeakPromise> {
    let noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
    noted.iter().copied().collect()
}
