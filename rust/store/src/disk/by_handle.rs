//! Operations by names in folders that are kept open.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(target_os = "linux")]
use rustix::fd::OwnedFd;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{AtFlags, CWD, Mode, OFlags};

use super::FileStamp;
use super::opened_place::place_of;
use super::place::{FilePlace, FolderWay, OpenFolder};

/// The rights that `mkdir` and `open` ask for; the user's mask takes away from them.
const ALL: u32 = 0o777;
const READ_AND_WRITE: u32 = 0o666;

/// Opens a real folder below a real root without following a link; `None` where one lies on the way.
pub(super) fn open_folder(root: &Path, folder: &Path) -> io::Result<Option<FolderWay>> {
    match open_beneath(root, folder)? {
        #[cfg(target_os = "linux")]
        FolderOutcome::Open(opened) => Ok(Some(FolderWay::Handle(Arc::new(opened)))),
        #[cfg(target_os = "linux")]
        FolderOutcome::Link => Ok(None),
        FolderOutcome::Unsupported => open_checked(folder),
    }
}

/// The outcome of opening a folder in one step.
enum FolderOutcome {
    #[cfg(target_os = "linux")]
    Open(OwnedFd),
    /// A link lies on the way.
    #[cfg(target_os = "linux")]
    Link,
    /// The system cannot do that.
    Unsupported,
}

#[cfg(target_os = "linux")]
fn open_beneath(root: &Path, folder: &Path) -> io::Result<FolderOutcome> {
    use rustix::fs::{ResolveFlags, openat, openat2};
    use rustix::io::Errno;
    let inside = folder.strip_prefix(root).map_err(io::Error::other)?;
    let inside = if inside.as_os_str().is_empty() {
        Path::new(".")
    } else {
        inside
    };
    let way = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let top = openat(CWD, root, way, Mode::empty())?;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(top, inside, way, Mode::empty(), resolve) {
        Ok(opened) => Ok(FolderOutcome::Open(opened)),
        Err(Errno::LOOP) => Ok(FolderOutcome::Link),
        // Kernels before 5.6, and sandboxes that know no such call.
        Err(Errno::NOSYS | Errno::PERM) => Ok(FolderOutcome::Unsupported),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn open_beneath(_root: &Path, _folder: &Path) -> io::Result<FolderOutcome> {
    Ok(FolderOutcome::Unsupported)
}

/// Opens a folder and then looks where it lies itself.
fn open_checked(folder: &Path) -> io::Result<Option<FolderWay>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = match rustix::fs::openat(CWD, folder, flags, Mode::empty()) {
        Ok(opened) => File::from(opened),
        Err(_) if super::is_link(folder) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    Ok(match place_of(&opened) {
        Some(place) if place == folder => Some(FolderWay::Handle(Arc::new(opened.into()))),
        Some(_) => None,
        // The system does not say.
        None => Some(FolderWay::Path),
    })
}

/// Where a place is reached from, and how it is called there.
fn at(place: &FilePlace) -> io::Result<(BorrowedFd<'_>, &Path)> {
    match &place.folder.way {
        FolderWay::Path => Ok((CWD, place.path())),
        FolderWay::Handle(folder) => Ok((folder.as_fd(), place.name()?)),
        FolderWay::Missing => Err(io::ErrorKind::NotFound.into()),
    }
}

pub(super) fn stamp(place: &FilePlace) -> io::Result<FileStamp> {
    let (folder, name) = at(place)?;
    let found = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(FileStamp::of_stat(&found))
}

pub(super) fn is_folder(place: &FilePlace) -> io::Result<bool> {
    let (folder, name) = at(place)?;
    let found = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(rustix::fs::FileType::from_raw_mode(found.st_mode).is_dir())
}

pub(super) fn read_link(place: &FilePlace) -> io::Result<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let (folder, name) = at(place)?;
    let says = rustix::fs::readlinkat(folder, name, Vec::new())?;
    Ok(std::ffi::OsString::from_vec(says.into_bytes()).into())
}

pub(super) fn make_link(says: &Path, place: &FilePlace) -> io::Result<()> {
    let (folder, name) = at(place)?;
    Ok(rustix::fs::symlinkat(says, folder, name)?)
}

pub(super) fn make_folder(place: &FilePlace) -> io::Result<()> {
    let (folder, name) = at(place)?;
    Ok(rustix::fs::mkdirat(
        folder,
        name,
        Mode::from_bits_retain(ALL as _),
    )?)
}

pub(super) fn create(place: &FilePlace, is_private: bool) -> io::Result<File> {
    let (folder, name) = at(place)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = if is_private {
        Mode::RUSR | Mode::WUSR
    } else {
        Mode::from_bits_retain(READ_AND_WRITE as _)
    };
    Ok(rustix::fs::openat(folder, name, flags, mode)?.into())
}

pub(super) fn open(place: &FilePlace) -> io::Result<File> {
    let (folder, name) = at(place)?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(folder, name, flags, Mode::empty())?.into())
}

pub(super) fn append(place: &FilePlace) -> io::Result<File> {
    let (folder, name) = at(place)?;
    let how = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::NONBLOCK;
    let flags = how | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = Mode::from_bits_retain(READ_AND_WRITE as _);
    Ok(rustix::fs::openat(folder, name, flags, mode)?.into())
}

pub(super) fn open_itself(folder: &OpenFolder) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let opened = match &folder.way {
        FolderWay::Path => rustix::fs::openat(CWD, folder.path(), flags, Mode::empty())?,
        FolderWay::Handle(handle) => rustix::fs::openat(handle, ".", flags, Mode::empty())?,
        FolderWay::Missing => return Err(io::ErrorKind::NotFound.into()),
    };
    Ok(opened.into())
}

pub(super) fn names(folder: &OpenFolder) -> io::Result<Vec<String>> {
    let opened = open_itself(folder)?;
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::read_from(&opened)? {
        names.extend(entry?.file_name().to_str().ok().map(ToOwned::to_owned));
    }
    Ok(names)
}

pub(super) fn remove(place: &FilePlace) -> io::Result<()> {
    let (folder, name) = at(place)?;
    Ok(rustix::fs::unlinkat(folder, name, AtFlags::empty())?)
}

pub(super) fn remove_folder(place: &FilePlace) -> io::Result<()> {
    let (folder, name) = at(place)?;
    Ok(rustix::fs::unlinkat(folder, name, AtFlags::REMOVEDIR)?)
}

pub(super) fn rename(from: &FilePlace, to: &FilePlace) -> io::Result<()> {
    let ((folder, name), (there, new)) = (at(from)?, at(to)?);
    Ok(rustix::fs::renameat(folder, name, there, new)?)
}

pub(super) fn link(from: &FilePlace, to: &FilePlace) -> io::Result<()> {
    let ((folder, name), (there, new)) = (at(from)?, at(to)?);
    Ok(rustix::fs::linkat(
        folder,
        name,
        there,
        new,
        AtFlags::empty(),
    )?)
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(super) fn rename_to_free(from: &FilePlace, to: &FilePlace) -> Option<io::Result<()>> {
    rename_with(from, to, rustix::fs::RenameFlags::NOREPLACE)
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(super) fn exchange(one: &FilePlace, other: &FilePlace) -> Option<io::Result<()>> {
    rename_with(one, other, rustix::fs::RenameFlags::EXCHANGE)
}

/// One kind of rename; `None` where the file system does not know it.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn rename_with(
    from: &FilePlace,
    to: &FilePlace,
    how: rustix::fs::RenameFlags,
) -> Option<io::Result<()>> {
    use rustix::io::Errno;
    let renamed = at(from).and_then(|(folder, name)| {
        let (there, new) = at(to)?;
        Ok(rustix::fs::renameat_with(folder, name, there, new, how))
    });
    match renamed {
        Ok(Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)) => None,
        Ok(renamed) => Some(renamed.map_err(Into::into)),
        Err(error) => Some(Err(error)),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(super) fn rename_to_free(_from: &FilePlace, _to: &FilePlace) -> Option<io::Result<()>> {
    None
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(super) fn exchange(_one: &FilePlace, _other: &FilePlace) -> Option<io::Result<()>> {
    None
}
