//! Temporary files that a crash of ours left, removed by whoever opens or writes their folder.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::write::writer_of;
use super::{ABANDONED, is_process};

/// A folder is looked through again when so many times that has passed which it took.
const REST: u32 = 100;
/// Folders that are remembered.
const MOST: usize = 1024;

/// When each folder may be looked through again.
static NEXT: LazyLock<Mutex<HashMap<PathBuf, Instant>>> = LazyLock::new(Mutex::default);

/// Removes what dead processes of ours left in a folder; a large one is not looked through at each call.
pub fn sweep_folder(folder: &Path) {
    let begin = Instant::now();
    let mut next = NEXT.lock().unwrap_or_else(PoisonError::into_inner);
    if next.get(folder).is_some_and(|next| *next > begin) {
        return;
    }
    if next.len() >= MOST {
        next.clear();
    }
    next.insert(folder.to_owned(), begin + Duration::from_secs(1));
    drop(next);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if let Some(name) = entry.file_name().to_str() {
            sweep(&entry.path(), name);
        }
    }
    let mut next = NEXT.lock().unwrap_or_else(PoisonError::into_inner);
    next.insert(folder.to_owned(), Instant::now() + begin.elapsed() * REST);
}

/// Removes a temporary file of ours that is too old to be in use, and whose writer is gone.
pub(super) fn sweep(path: &Path, name: &str) {
    let age = || {
        fs::symlink_metadata(path)
            .ok()?
            .modified()
            .ok()?
            .elapsed()
            .ok()
    };
    let is_left = |writer: u32| !is_process(writer) && age().is_some_and(|age| age > ABANDONED);
    if writer_of(name).is_some_and(is_left) {
        // Whoever comes first removes it; for the others it is gone, which is what they want.
        let _ = fs::remove_file(path);
    }
}
