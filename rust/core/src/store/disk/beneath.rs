//! Files in a folder that somebody else writes in at the same time: opened without following links, so that what
//! changes places meanwhile leads nowhere else.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a file for reading; one that lies in `folder`, which is real, without following links below it.
///
/// # Errors
/// Also for a link below the folder.
#[cfg(target_os = "linux")]
pub(super) fn open_beneath(folder: &Path, path: &Path) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
    use rustix::io::Errno;
    let Ok(inside) = path.strip_prefix(folder) else {
        return super::open_without_waiting(path);
    };
    let way = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = openat(CWD, folder, way, Mode::empty())?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(folder, inside, flags, Mode::empty(), resolve) {
        Ok(file) => Ok(file.into()),
        // A kernel without it holds no run either.
        Err(Errno::NOSYS) => super::open_without_waiting(path),
        Err(Errno::LOOP) => Err(io::Error::other("a link leads there")),
        Err(error) => Err(error.into()),
    }
}

/// Opens a file for reading.
///
/// # Errors
/// As the system says.
#[cfg(not(target_os = "linux"))]
pub(super) fn open_beneath(_folder: &Path, path: &Path) -> io::Result<File> {
    super::open_without_waiting(path)
}
