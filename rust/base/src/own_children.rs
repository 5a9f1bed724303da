//! The programs that this process starts for itself. A runner ends all of its descendants with a run, but not these
//! and what they started: an agent cannot choose its parent, while group, session and environment are its own choice.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

static RUNNING: Mutex<Vec<OwnChild>> = Mutex::new(Vec::new());
/// Held for reading while a program is started, until its number is noted.
static STARTS: RwLock<()> = RwLock::new(());

/// A program that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OwnChild {
    process: u32,
    /// True if it has a time limit, and leads a process group.
    has_limit: bool,
}

/// Starts a program and notes its number; [`running`] never misses one that was started.
///
/// # Errors
/// The failure of `start`.
pub fn start_noted<T, E>(
    has_limit: bool,
    start: impl FnOnce() -> Result<T, E>,
    number: impl FnOnce(&T) -> u32,
) -> Result<T, E> {
    let _starts = STARTS.read().unwrap_or_else(PoisonError::into_inner);
    let started = start()?;
    let process = number(&started);
    children().push(OwnChild { process, has_limit });
    Ok(started)
}

/// Forgets a program whose exit status was collected.
pub fn forget(process: u32) {
    children().retain(|child| child.process != process);
}

/// Returns the numbers of the programs that run.
pub fn running() -> Vec<u32> {
    let _starts = STARTS.write().unwrap_or_else(PoisonError::into_inner);
    children().iter().map(|child| child.process).collect()
}

/// Returns the numbers of the running programs that have a time limit; each leads a process group.
pub fn limited() -> Vec<u32> {
    let children = children();
    let limited = children.iter().filter(|child| child.has_limit);
    limited.map(|child| child.process).collect()
}

fn children() -> MutexGuard<'static, Vec<OwnChild>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}
