//! Files of which it is not decided whether they changed: the disk failed, and failed again when the change was
//! to be taken back. This process remembers them, so that each answer about them says so until that is settled.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::StoreError;

/// Real paths, and why.
static FILES: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());
/// True if there are any, which is asked at each reading.
static ARE_ANY: AtomicBool = AtomicBool::new(false);

fn files() -> MutexGuard<'static, BTreeMap<PathBuf, String>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns true if there are such files.
pub fn are_any() -> bool {
    ARE_ANY.load(Ordering::Acquire)
}

/// Remembers a file.
pub(super) fn remember(path: &Path, why: &str) {
    files().insert(path.to_owned(), why.to_owned());
    ARE_ANY.store(true, Ordering::Release);
}

/// Forgets a file that is settled.
pub(super) fn forget(path: &Path) {
    let mut files = files();
    files.remove(path);
    ARE_ANY.store(!files.is_empty(), Ordering::Release);
}

/// Refuses a file that is one of them.
///
/// # Errors
/// `Undecided`.
pub fn refuse(path: &Path) -> Result<(), StoreError> {
    if !are_any() {
        return Ok(());
    }
    match files().get(path) {
        Some(why) => Err(StoreError::Undecided {
            paths: path.display().to_string(),
            why: why.clone(),
        }),
        None => Ok(()),
    }
}

/// Returns those in a folder and below it, each with the sentence that describes it.
pub fn below(folder: &Path) -> Vec<(PathBuf, String)> {
    if !are_any() {
        return Vec::new();
    }
    let files = files();
    let found = files.iter().filter(|(path, _)| path.starts_with(folder));
    let messages = found.map(|(path, why)| {
        let (paths, why) = (path.display().to_string(), why.clone());
        (
            path.clone(),
            StoreError::Undecided { paths, why }.to_string(),
        )
    });
    messages.collect()
}
