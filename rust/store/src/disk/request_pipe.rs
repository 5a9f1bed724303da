//! A folder in which another process asks for something: private, with one named pipe that its maker reads.

use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, mkfifoat, open};

use super::StoreError;

/// The name of the pipe in its folder.
pub const REQUESTS: &str = "requests";

/// Makes the folder, in place of what is there, and the pipe in it; gives the end that is read, which never waits
/// and has no end while it is open.
///
/// # Errors
/// `NotWritten`, or the blocker.
pub fn make_request_pipe(folder: &Path) -> Result<OwnedFd, StoreError> {
    super::remove_tree(folder)?;
    super::make_private_folder(folder)?;
    let path = folder.join(REQUESTS);
    let failed = |error: rustix::io::Errno| StoreError::io(super::WRITE, &path, error.into());
    mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).map_err(failed)?;
    // Open for writing, too: else it would be at its end whenever no process asks.
    let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    open(&path, flags, Mode::empty()).map_err(failed)
}
