//! Reads files of a checkout and replaces exactly the state that was read.
//!
//! A file is replaced by an exchange with the new one: if the file that comes out is not the one
//! that was read, the two are exchanged back. So an edit made at the last moment is never
//! overwritten.

#![expect(
    clippy::disallowed_methods,
    reason = "files that git checks out are no documents of the store"
)]

use chant_base::diagnostics::LogFailure;
use std::fs::{self, FileTimes, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::changes::{GitPath, folders_of};
use crate::path_from_bytes;

/// The number of copies made beside files of a checkout.
static COUNTER: AtomicU64 = AtomicU64::new(0);

/// The metadata that distinguish two states of a file without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileMark {
    identity: (u64, u64),
    size: u64,
    modified: Option<std::time::SystemTime>,
    mode: u32,
}

impl FileMark {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self {
            identity: (metadata.dev(), metadata.ino()),
            size: metadata.len(),
            modified: metadata.modified().ok(),
            mode: metadata.mode(),
        }
    }

    #[cfg(not(unix))]
    fn of(metadata: &Metadata) -> Self {
        Self {
            identity: (0, 0),
            size: metadata.len(),
            modified: metadata.modified().ok(),
            mode: u32::from(metadata.is_file()),
        }
    }
}

/// The kinds of entries at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathContent {
    Nothing,
    File {
        runs: bool,
    },
    /// A link with its target.
    Link(Vec<u8>),
    Folder,
    /// A device, a pipe, or an entry that cannot be read.
    Other,
}

/// The state of a path when it was read.
#[derive(Debug, Clone)]
pub(super) struct PathState {
    pub(super) lies: PathContent,
    pub(super) mark: Option<FileMark>,
    /// The first part of the path that should be a folder and is none.
    pub(super) in_the_way: Option<GitPath>,
}

/// Reads the state of a path below a folder; no link is followed.
pub(super) fn inspect_path(top: &Path, path: &[u8]) -> PathState {
    for folder in folders_of(path) {
        let place = top.join(path_from_bytes(folder));
        match place.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            _ => {
                return PathState {
                    lies: PathContent::Nothing,
                    mark: None,
                    in_the_way: Some(folder.to_owned()),
                };
            }
        }
    }
    let place = top.join(path_from_bytes(path));
    let (lies, mark) = match place.symlink_metadata() {
        Ok(metadata) => (lies_at(&place, &metadata), Some(FileMark::of(&metadata))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => (PathContent::Nothing, None),
        Err(_) => (PathContent::Other, None),
    };
    PathState {
        lies,
        mark,
        in_the_way: None,
    }
}

fn lies_at(place: &Path, metadata: &Metadata) -> PathContent {
    let kind = metadata.file_type();
    if kind.is_dir() {
        PathContent::Folder
    } else if kind.is_file() {
        PathContent::File {
            runs: runs(metadata),
        }
    } else if kind.is_symlink() {
        fs::read_link(place).map_or(PathContent::Other, |says| {
            PathContent::Link(bytes_of(&says))
        })
    } else {
        PathContent::Other
    }
}

/// Returns the bytes of a file.
pub(super) fn read(place: &Path) -> Option<Vec<u8>> {
    fs::read(place).ok()
}

/// Returns everything below a folder except folders, by its path from the top; a repository inside
/// counts as one entry.
pub(super) fn contents(top: &Path, folder: &[u8]) -> io::Result<Vec<GitPath>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(top.join(path_from_bytes(folder)))? {
        let entry = entry?;
        let name = bytes_of(Path::new(&entry.file_name()));
        let path = [folder, b"/", &name].concat();
        if entry.file_type()?.is_dir() && name != b".git" {
            found.extend(contents(top, &path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

/// Removes a folder that has nothing but folders in it.
pub(super) fn remove_empty(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_empty(&entry.path())?;
        }
    }
    fs::remove_dir(folder)
}

/// Creates the missing folders above a path and returns them, the outermost first.
pub(super) fn make_folders_above(place: &Path) -> io::Result<Vec<PathBuf>> {
    let missing: Vec<&Path> = place
        .ancestors()
        .skip(1)
        .take_while(|folder| folder.symlink_metadata().is_err())
        .collect();
    let mut made = Vec::new();
    for folder in missing.into_iter().rev() {
        fs::create_dir(folder)?;
        made.push(folder.to_owned());
    }
    Ok(made)
}

/// Removes the empty folders above a path, up to `top`.
pub(super) fn remove_folders_above(place: &Path, top: &Path) {
    let above = place.ancestors().skip(1);
    for folder in above.take_while(|folder| *folder != top && folder.starts_with(top)) {
        // This fails for a folder that is not empty, so the user's own files stay.
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
}

/// A step that was done in the checkout, with what is needed to undo it.
#[derive(Debug)]
pub(super) enum PlacedFile {
    /// A new file lies at `place`; `held` is the old one.
    Replaced {
        place: PathBuf,
        held: PathBuf,
        now: Option<FileMark>,
    },
    /// A new file lies at `place`, where nothing was; it came from `held`.
    Appeared {
        place: PathBuf,
        held: PathBuf,
        now: Option<FileMark>,
    },
    /// Nothing lies at `place`; `held` is the old file.
    Removed { place: PathBuf, held: PathBuf },
    /// A folder was made.
    Made(PathBuf),
    /// An empty folder was removed.
    Unmade(PathBuf),
}

/// Puts the file `held` where `found` was seen; `None` if something else lies there by now.
pub(super) fn place_file(
    held: &Path,
    place: &Path,
    found: Option<&FileMark>,
) -> io::Result<Option<PlacedFile>> {
    let now = mark(held);
    let (place, held) = (place.to_owned(), held.to_owned());
    let Some(found) = found else {
        return Ok(rename_new(&held, &place)?.then_some(PlacedFile::Appeared { place, held, now }));
    };
    match exchange(&held, &place) {
        None => {
            let old = with_suffix(&held, ".old");
            if !take(&place, &old, found)? {
                return Ok(None);
            }
            if rename_new(&held, &place)? {
                fs::rename(&old, &held)?;
                return Ok(Some(PlacedFile::Replaced { place, held, now }));
            }
            // Another process created a file there meanwhile; git has the removed content.
            Ok(None)
        }
        Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Some(exchanged) => {
            exchanged?;
            if mark(&held).as_ref() == Some(found) {
                return Ok(Some(PlacedFile::Replaced { place, held, now }));
            }
            exchange(&held, &place).transpose()?;
            Ok(None)
        }
    }
}

/// Removes the file `found` from its place; `None` if something else lies there by now.
pub(super) fn remove(
    place: &Path,
    held: &Path,
    found: &FileMark,
) -> io::Result<Option<PlacedFile>> {
    let is_taken = take(place, held, found)?;
    let (place, held) = (place.to_owned(), held.to_owned());
    Ok(is_taken.then_some(PlacedFile::Removed { place, held }))
}

/// Undoes a step, unless the file was changed since.
pub(super) fn take_back(done: &PlacedFile) -> io::Result<()> {
    match done {
        PlacedFile::Replaced { place, held, now } => {
            place_file(held, place, now.as_ref()).map(drop)
        }
        PlacedFile::Appeared { place, held, now } => match now {
            Some(now) => remove(place, held, now).map(drop),
            None => Ok(()),
        },
        PlacedFile::Removed { place, held } => {
            make_folders_above(place)?;
            rename_new(held, place).map(drop)
        }
        PlacedFile::Made(folder) => {
            // The folder stays if something lies in it by now.
            fs::remove_dir(folder).log_failure("remove a folder that was made");
            Ok(())
        }
        PlacedFile::Unmade(folder) => make_folder(folder).map(drop),
    }
}

/// Returns a file that can be renamed to `place`: the staged file itself, or a copy beside `place`
/// if that lies on another file system.
pub(super) fn staging_path(staged: &Path, place: &Path) -> io::Result<PathBuf> {
    let folder = |path: &Path| path.parent().map(Path::to_owned).unwrap_or_default();
    if device(&folder(staged)) == device(&folder(place)) {
        return Ok(staged.to_owned());
    }
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let beside = place.with_file_name(format!(".chant-{}-{number}.tmp", std::process::id()));
    match fs::read_link(staged) {
        Ok(says) => make_link(&says, &beside)?,
        Err(_) if staged.exists() => {
            fs::copy(staged, &beside)?;
            OpenOptions::new().read(true).open(&beside)?.sync_all()?;
        }
        Err(_) => {}
    }
    Ok(beside)
}

/// Removes a file of our own; a missing file is no error.
pub(super) fn remove_own(path: &Path) {
    let _ = fs::remove_file(path);
}

/// Creates an empty folder of our own and removes what was there.
pub(super) fn make_own_folder(folder: &Path) -> io::Result<()> {
    remove_own_folder(folder)?;
    fs::create_dir(folder)
}

/// Removes a folder of our own with all that is in it.
pub(super) fn remove_own_folder(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Creates a folder of the checkout; returns false if it exists.
pub(super) fn make_folder(folder: &Path) -> io::Result<bool> {
    match fs::create_dir(folder) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Writes a staged file's bytes; an existing file keeps its rights.
pub(super) fn write_staged(place: &Path, bytes: &[u8]) -> io::Result<()> {
    make_folders_above(place)?;
    fs::write(place, bytes)
}

/// Copies an index with its time: git takes a file for unchanged when its stamp equals that of the
/// entry and is older than the index, so a younger copy would hide changes.
pub(super) fn copy_index(index: &Path, copy: &Path, second_name: &Path) -> io::Result<()> {
    let old = match fs::metadata(index) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        old => old?,
    };
    fs::copy(index, copy)?;
    let file = OpenOptions::new().write(true).open(copy)?;
    file.set_times(FileTimes::new().set_modified(old.modified()?))?;
    // Git replaces an index and never writes to it, so a second name keeps the old content.
    fs::hard_link(index, second_name).or_else(|_| fs::copy(index, second_name).map(drop))
}

/// Puts an index into place, durably and with the rights of the old one.
pub(super) fn put_index(new: &Path, index: &Path) -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(new)?;
    if let Ok(old) = fs::metadata(index) {
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()?;
    fs::rename(new, index)
}

fn mark(path: &Path) -> Option<FileMark> {
    path.symlink_metadata()
        .ok()
        .map(|metadata| FileMark::of(&metadata))
}

/// Moves the file `found` to a free place. Returns false, with everything as it was, if another
/// file lies there.
fn take(place: &Path, held: &Path, found: &FileMark) -> io::Result<bool> {
    match fs::rename(place, held) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        renamed => renamed?,
    }
    if mark(held).as_ref() == Some(found) {
        return Ok(true);
    }
    rename_new(held, place)?;
    Ok(false)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Renames a file to a free name; returns false if the name is taken.
fn rename_new(from: &Path, to: &Path) -> io::Result<bool> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(true),
            Err(rustix::io::Errno::EXIST) => return Ok(false),
            Err(error) if is_unknown(error) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if to.symlink_metadata().is_ok() {
        return Ok(false);
    }
    fs::rename(from, to).map(|()| true)
}

/// Exchanges two files in one step; `None` if the system cannot do that.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(one: &Path, other: &Path) -> Option<io::Result<()>> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Err(error) if is_unknown(error) => None,
        answer => Some(answer.map_err(Into::into)),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_one: &Path, _other: &Path) -> Option<io::Result<()>> {
    None
}

/// Returns true if the file system does not support a kind of rename.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn is_unknown(error: rustix::io::Errno) -> bool {
    use rustix::io::Errno;
    matches!(error, Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)
}

#[cfg(unix)]
fn make_link(says: &Path, place: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(says, place)
}

#[cfg(windows)]
fn make_link(says: &Path, place: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(says, place)
}

/// Returns the device of a folder, or of the nearest existing folder above it.
#[cfg(unix)]
fn device(folder: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    let mut there = folder.ancestors();
    there.find_map(|folder| folder.metadata().ok().map(|metadata| metadata.dev()))
}

#[cfg(not(unix))]
fn device(_folder: &Path) -> Option<u64> {
    None
}

#[cfg(unix)]
fn runs(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn runs(_metadata: &Metadata) -> bool {
    false
}

#[cfg(unix)]
pub(super) fn bytes_of(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;
    path.as_os_str().as_bytes().to_vec()
}

#[cfg(not(unix))]
pub(super) fn bytes_of(path: &Path) -> Vec<u8> {
    path.to_string_lossy().replace('\\', "/").into_bytes()
}
