//! Where an opened file lies, as the system says.

use std::fs::File;
use std::path::PathBuf;

/// Where an opened file lies; `None` where the system does not say.
#[cfg(target_os = "linux")]
pub(super) fn place_of(file: &File) -> Option<PathBuf> {
    use std::os::fd::AsRawFd;
    std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}

#[cfg(target_os = "macos")]
pub(super) fn place_of(file: &File) -> Option<PathBuf> {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    let place = rustix::fs::getpath(file).ok()?;
    Some(OsString::from_vec(place.into_bytes()).into())
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(super) fn place_of(_file: &File) -> Option<PathBuf> {
    None
}
