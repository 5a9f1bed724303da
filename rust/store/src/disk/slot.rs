//! Two files that change places: the one that is replaced is kept until it is known that it is not wanted back,
//! so that going back needs no room.

use std::io;

use super::expected::ExpectedFile;
use super::place::FilePlace;
use super::write::give_back;
use crate::{StoreError, WRITE};

/// Where the replaced file is kept where two files cannot change places at once.
pub fn kept_beside(slot: &FilePlace) -> FilePlace {
    let mut name = slot.path().file_name().unwrap_or_default().to_owned();
    name.push(".kept");
    slot.beside(name)
}

/// Lets the file in a slot and its target change places, not durably; false, with both as they were, when the
/// target is another file than expected or holds something else.
///
/// # Errors
/// `NotWritten`, with both as they were; `Undecided` when they could not be given back.
pub fn swap(
    slot: &FilePlace,
    target: &FilePlace,
    expected: &ExpectedFile<'_>,
) -> Result<bool, StoreError> {
    let failed = |e| StoreError::io(WRITE, target.path(), e);
    if !expected.is_at(target) {
        return Ok(false);
    }
    let ours = slot.stamp();
    match slot.exchange(target) {
        None => {
            keep(target, &kept_beside(slot)).map_err(failed)?;
            slot.rename(target).map_err(failed)?;
        }
        Some(exchanged) => {
            exchanged.map_err(failed)?;
            if !expected.is_at(slot) {
                let given_back = give_back(slot, target, ours);
                given_back.map_err(|e| StoreError::undecided(target.path(), &e))?;
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Returns true if [`swap`] left the replaced file under a name of its own.
pub fn is_kept_apart(slot: &FilePlace) -> bool {
    !slot.exists() && kept_beside(slot).exists()
}

/// Returns true if the file that a [`swap`] replaced still is as it was expected: no process that had it open
/// wrote into it since.
pub fn is_still_replaced(slot: &FilePlace, expected: &ExpectedFile<'_>) -> bool {
    if is_kept_apart(slot) {
        return expected.is_content_at(&kept_beside(slot));
    }
    expected.is_at(slot)
}

/// Takes a [`swap`] back, not durably; false, with both as they were, when the target is another file than
/// expected or holds something else.
///
/// # Errors
/// As [`swap`].
pub fn swap_back(
    slot: &FilePlace,
    target: &FilePlace,
    expected: &ExpectedFile<'_>,
) -> Result<bool, StoreError> {
    if !is_kept_apart(slot) {
        return swap(slot, target, expected);
    }
    if !expected.is_at(target) {
        return Ok(false);
    }
    let renamed = kept_beside(slot).rename(target);
    renamed
        .map(|()| true)
        .map_err(|e| StoreError::io(WRITE, target.path(), e))
}

/// Gives a file a second name, or where that cannot be, a copy.
fn keep(target: &FilePlace, kept: &FilePlace) -> io::Result<()> {
    // What an attempt before this one left.
    let _ = kept.unlink();
    if target.link(kept).is_ok() {
        return Ok(());
    }
    let mut copy = kept.create()?;
    io::copy(&mut target.open()?, &mut copy)?;
    copy.sync_all()
}
