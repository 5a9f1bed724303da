//! Where a text waits until it takes its place: in our own state where files can be renamed from there, else beside
//! its document.

use std::fs;
use std::io;
use std::path::Path;

use super::place::{FilePlace, OpenFolder};
use super::sweep::{sweep_when_due, temporary_beside};
use super::temporary_names::temporary_name;
use super::{Disk, stamp};
use crate::{StoreError, WRITE};

/// Returns true if a file that waits in one folder can take its place in another, as it would be made there.
pub fn can_stage(waiting: &Path, folder: &Path, is_new: bool) -> bool {
    // A folder that is still to be made will lie on the file system of the one above it.
    let mut there = folder
        .ancestors()
        .filter_map(|folder| Some((folder, stamp(folder)?)));
    let Some((folder, place)) = there.next() else {
        return false;
    };
    let device = |stamp: super::FileStamp| stamp.identity.0;
    let is_near = stamp(waiting).is_some_and(|waiting| device(waiting) == device(place));
    is_near && !(is_new && gives_rights(folder))
}

/// Returns true if a folder gives its group or its list of rights to files that are made in it.
#[cfg(unix)]
fn gives_rights(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    const SET_GROUP: u32 = 0o2000;
    let gives_group = fs::metadata(folder).is_ok_and(|facts| facts.mode() & SET_GROUP != 0);
    gives_group || matches!(xattr::get(folder, "system.posix_acl_default"), Ok(Some(_)))
}

#[cfg(not(unix))]
fn gives_rights(_folder: &Path) -> bool {
    false
}

/// Moves a file of ours to a free place, also to another file system.
///
/// # Errors
/// `NotWritten`; the file is then where it was.
pub fn move_file(from: &FilePlace, to: &FilePlace) -> Result<(), StoreError> {
    let moved = from.rename(to).or_else(|error| match error.kind() {
        io::ErrorKind::CrossesDevices => {
            let mut copy = to.create()?;
            io::copy(&mut from.open()?, &mut copy)?;
            copy.sync_all()?;
            from.unlink()
        }
        _ => Err(error),
    });
    moved.map_err(|e| StoreError::io(WRITE, to.path(), e))
}

impl Disk {
    /// A free place where the text of a target can wait.
    pub(super) fn staging_place(&self, target: &FilePlace, is_new: bool) -> FilePlace {
        let folder = target.folder();
        let state = self.staging.as_ref();
        match state.and_then(|state| state.staging_for(folder.path(), is_new)) {
            Some(staged) => {
                sweep_when_due(folder);
                let staged = OpenFolder::of_ours(&staged);
                sweep_when_due(&staged);
                staged.place(temporary_name())
            }
            None => temporary_beside(target),
        }
    }
}
