//! The programs that this process runs with a time limit, each the leader of a process group of its own. They belong
//! to this process, also while it ends what an agent left behind.

use std::sync::{Mutex, PoisonError};

static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Starts a program and notes its number; there is no moment at which it runs without that.
///
/// # Errors
/// The failure of `start`.
pub fn start_noted<T, E>(
    start: impl FnOnce() -> Result<T, E>,
    number: impl FnOnce(&T) -> u32,
) -> Result<T, E> {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let started = start()?;
    running.push(number(&started));
    Ok(started)
}

/// Forgets a program whose exit status was collected.
pub fn forget(process: u32) {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    running.retain(|call| *call != process);
}

/// Returns the numbers of the programs that run.
pub fn running() -> Vec<u32> {
    RUNNING
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
}
