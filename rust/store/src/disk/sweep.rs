//! Temporary files that a crash of ours left, removed by the next process that opens or writes their folder.

use chant_base::diagnostics::LogFailure;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::place::{FilePlace, OpenFolder};
use super::temporary_names::{temporary_name, writer_of};
use super::{ABANDONED, is_process};

/// A folder is looked through again when so many times that has passed which it took.
const REST: u32 = 100;
/// Folders that are remembered.
const MAX_COUNT: usize = 1024;

/// When each folder may be looked through again.
static NEXT: LazyLock<Mutex<HashMap<PathBuf, Instant>>> = LazyLock::new(Mutex::default);

/// Removes what dead processes of ours left in a folder; a large one is not looked through at each call. The path is
/// real: where a link lies on the way by now, nothing is done.
pub fn sweep_folder(folder: &Path) {
    if let Ok(Some(folder)) = OpenFolder::below(top_of(folder), folder) {
        sweep_when_due(&folder);
    }
}

/// The same in a folder that was opened.
pub(super) fn sweep_when_due(folder: &OpenFolder) {
    let start = Instant::now();
    let mut next = NEXT.lock().unwrap_or_else(PoisonError::into_inner);
    if next.get(folder.path()).is_some_and(|next| *next > start) {
        return;
    }
    if next.len() >= MAX_COUNT {
        next.clear();
    }
    next.insert(folder.path().to_owned(), start + Duration::from_secs(1));
    drop(next);
    sweep(folder);
    let mut next = NEXT.lock().unwrap_or_else(PoisonError::into_inner);
    let due = Instant::now() + start.elapsed() * REST;
    next.insert(folder.path().to_owned(), due);
}

/// Removes at once what dead processes of ours left in a real folder, after some of it was seen there.
pub(super) fn sweep_now(folder: &Path) {
    if let Ok(Some(folder)) = OpenFolder::below(top_of(folder), folder) {
        sweep(&folder);
    }
}

/// A free place beside a file, in a folder that others of ours left nothing in.
pub(super) fn temporary_beside(target: &FilePlace) -> FilePlace {
    sweep_when_due(target.folder());
    target.beside(temporary_name())
}

fn top_of(folder: &Path) -> &Path {
    folder.ancestors().last().unwrap_or(folder)
}

/// Removes temporary files of ours that are too old to be in use, and whose writers are gone.
fn sweep(folder: &OpenFolder) {
    let now = SystemTime::now();
    for name in folder.names().unwrap_or_default() {
        let Some(writer) = writer_of(&name) else {
            continue;
        };
        let place = folder.place(&name);
        let is_old = || {
            place
                .stamp()
                .is_some_and(|it| it.is_older_than(ABANDONED, now))
        };
        if !is_process(writer) && is_old() {
            // Who comes first removes it; for the others it is gone, which is what they want.
            place
                .unlink()
                .log_failure("remove a file that a dead process left");
        }
    }
}
