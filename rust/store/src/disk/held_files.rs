//! Files on which this process holds a lock of the system.
//!
//! Such a lock belongs to the opened file, of which a forked process has a copy: closing ours would leave the lock
//! with a child that only sleeps. So a lock is released by name, and a child lets go of the copies that it got.

use chant_base::diagnostics::LogFailure;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Locked only by who has [`HELD`] locked, so never while the process forks.
type OpenedFile = Arc<Mutex<Option<File>>>;

/// The held files and the next number; locked while a lock is taken or released, and while the process forks.
static HELD: Mutex<HeldFiles> = Mutex::new(HeldFiles {
    files: BTreeMap::new(),
    next: 0,
});

thread_local! {
    /// Kept from before a fork until after it, by the thread that forks.
    static FORKING: RefCell<Option<MutexGuard<'static, HeldFiles>>> = const { RefCell::new(None) };
}

struct HeldFiles {
    files: BTreeMap<u64, OpenedFile>,
    next: u64,
}

/// An opened file with a lock of this process; the lock is released when this is dropped.
#[derive(Debug)]
pub(super) struct HeldFile {
    number: u64,
    file: OpenedFile,
}

/// The result of a try to lock a file.
pub(super) enum FileAttempt {
    /// It is locked.
    Held(HeldFile),
    /// It is not, for this reason.
    Refused(File, TryLockError),
}

impl HeldFile {
    /// Opens a file and tries to lock it; the file comes back with the reason where that is not possible.
    ///
    /// No fork comes between: a lock that is taken later would be that of the child's copy, too.
    ///
    /// # Errors
    /// What `open` fails with.
    pub(super) fn try_lock<E>(open: impl FnOnce() -> Result<File, E>) -> Result<FileAttempt, E> {
        let mut held = held();
        let file = open()?;
        if let Err(error) = file.try_lock() {
            return Ok(FileAttempt::Refused(file, error));
        }
        held.next += 1;
        let number = held.next;
        let file = Arc::new(Mutex::new(Some(file)));
        held.files.insert(number, Arc::clone(&file));
        Ok(FileAttempt::Held(Self { number, file }))
    }

    /// Runs `ask` on the file; `None` in a child that let go of it.
    pub(super) fn with<T>(&self, ask: impl FnOnce(&File) -> T) -> Option<T> {
        let _held = held();
        opened(&self.file).as_ref().map(ask)
    }

    /// Returns true unless this is the copy of a child.
    pub(super) fn is_ours(&self) -> bool {
        self.with(|_| ()).is_some()
    }
}

impl Drop for HeldFile {
    fn drop(&mut self) {
        let mut held = held();
        held.files.remove(&self.number);
        if let Some(file) = opened(&self.file).take() {
            file.unlock().log_failure("release a lock");
        }
    }
}

fn held() -> MutexGuard<'static, HeldFiles> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

fn opened(file: &OpenedFile) -> MutexGuard<'_, Option<File>> {
    file.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps other threads from taking and releasing locks until [`after_fork`].
pub fn before_fork() {
    FORKING.with_borrow_mut(|forking| {
        if forking.is_none() {
            *forking = Some(held());
        }
    });
}

/// Ends what [`before_fork`] began; a child closes its copies, which leaves the locks to its parent.
pub fn after_fork(is_child: bool) {
    let forking = FORKING.with_borrow_mut(Option::take);
    if let Some(mut held) = forking.filter(|_| is_child) {
        for file in std::mem::take(&mut held.files).into_values() {
            drop(opened(&file).take());
        }
    }
}
