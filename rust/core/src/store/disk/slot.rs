//! Two files that change places: the one that is replaced is kept until it is known that it is not wanted back,
//! so that going back needs no room.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::super::{StoreError, WRITE};
use super::write::{exchange, give_back};
use super::{Stamp, exists, stamp};

/// Where the replaced file is kept where two files cannot change places at once.
pub fn kept_beside(slot: &Path) -> PathBuf {
    let mut name = slot.file_name().unwrap_or_default().to_owned();
    name.push(".kept");
    slot.with_file_name(name)
}

/// Lets the file in a slot and its target change places, not durably; false, with both as they were, when the
/// target has another stamp than expected.
///
/// # Errors
/// `NotWritten`, with both as they were; `Undecided` when they could not be given back.
pub fn swap(slot: &Path, target: &Path, expected: &Stamp) -> Result<bool, StoreError> {
    let failed = |e| StoreError::io(WRITE, target, e);
    let is_expected = |path| stamp(path).is_some_and(|now| now.is_same_content(expected));
    if !is_expected(target) {
        return Ok(false);
    }
    let ours = stamp(slot);
    match exchange(slot, target) {
        None => {
            keep(target, &kept_beside(slot)).map_err(failed)?;
            fs::rename(slot, target).map_err(failed)?;
        }
        Some(exchanged) => {
            exchanged.map_err(failed)?;
            if !is_expected(slot) {
                give_back(slot, target, ours).map_err(|e| StoreError::undecided(target, &e))?;
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Whether [`swap`] left the replaced file under a name of its own.
pub fn is_kept_apart(slot: &Path) -> bool {
    !exists(slot) && exists(&kept_beside(slot))
}

/// Takes a [`swap`] back, not durably; false, with both as they were, when the target has another stamp than
/// expected.
///
/// # Errors
/// As [`swap`].
pub fn swap_back(slot: &Path, target: &Path, expected: &Stamp) -> Result<bool, StoreError> {
    if !is_kept_apart(slot) {
        return swap(slot, target, expected);
    }
    if !stamp(target).is_some_and(|now| now.is_same_content(expected)) {
        return Ok(false);
    }
    let renamed = fs::rename(kept_beside(slot), target);
    renamed
        .map(|()| true)
        .map_err(|e| StoreError::io(WRITE, target, e))
}

/// Gives a file a second name, or where that cannot be, a copy.
fn keep(target: &Path, kept: &Path) -> io::Result<()> {
    // What an attempt before this one left.
    let _ = fs::remove_file(kept);
    if fs::hard_link(target, kept).is_ok() {
        return Ok(());
    }
    fs::copy(target, kept)?;
    fs::File::open(kept)?.sync_all()
}
