//! Files that appear whole or not at all.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::{StoreError, WRITE};
use super::lock::is_refusal;
use super::sweep::sweep_folder;
use super::weaker::{WeakPromise, note};
use super::{Disk, LARGEST, Stamp, stamp};

/// Renames onto a free name; an existing target is never replaced.
///
/// # Errors
/// `Exists`, `Missing` or `NotWritten`.
pub fn rename_new(from: &Path, to: &Path) -> Result<(), StoreError> {
    let failed = |e: io::Error| match e.kind() {
        io::ErrorKind::AlreadyExists => StoreError::Exists {
            path: to.display().to_string(),
        },
        _ => StoreError::io(WRITE, to, e),
    };
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // A second name and the removal of the first come to the same.
            Err(error) if is_unknown(error) => {}
            answer => return answer.map_err(|e| failed(e.into())),
        }
    }
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from).map_err(failed),
        Err(error) if has_no_links(&error) => take_free(from, to).map_err(failed),
        Err(error) => Err(failed(error)),
    }
}

/// Whether a file system gives no second names, as FAT and many network ones; folders have none anywhere.
fn has_no_links(error: &io::Error) -> bool {
    is_refusal(error)
        || matches!(
            error.kind(),
            io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported
        )
}

/// Renames onto a free name in two steps: the name is taken by something empty, which is then replaced.
fn take_free(from: &Path, to: &Path) -> io::Result<()> {
    note(WeakPromise::Names);
    if fs::symlink_metadata(from)?.is_dir() {
        fs::create_dir(to)?;
        return fs::rename(from, to).inspect_err(|_| drop(fs::remove_dir(to)));
    }
    OpenOptions::new().write(true).create_new(true).open(to)?;
    fs::rename(from, to).inspect_err(|_| drop(fs::remove_file(to)))
}

/// Whether a file system does not know a kind of rename.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn is_unknown(error: rustix::io::Errno) -> bool {
    use rustix::io::Errno;
    matches!(error, Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)
}

/// Lets two files change places at once; `None` where that cannot be done.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(super) fn exchange(one: &Path, other: &Path) -> Option<io::Result<()>> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Err(error) if is_unknown(error) => None,
        answer => Some(answer.map_err(Into::into)),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(super) fn exchange(_one: &Path, _other: &Path) -> Option<io::Result<()>> {
    None
}

/// A file beside its target that is not there yet for anybody; gone when it was not renamed.
pub struct Temporary(PathBuf);

impl Temporary {
    /// Writes and flushes a text where it waits for its place; with the owner and rights of the file that it
    /// will replace.
    ///
    /// # Errors
    /// `NotWritten`, `ReadOnly` or `TooLarge`, naming the target.
    pub fn write(
        disk: &Disk,
        target: &Path,
        text: &str,
        replaces: bool,
    ) -> Result<Self, StoreError> {
        let place = disk.staging_place(target, !replaces);
        Self::write_at(disk, place, target, text, replaces)
    }

    /// [`Temporary::write`] beside the target, for files of our own state.
    ///
    /// # Errors
    /// As there.
    pub fn write_beside(
        disk: &Disk,
        target: &Path,
        text: &str,
        replaces: bool,
    ) -> Result<Self, StoreError> {
        Self::write_at(disk, temporary_beside(target), target, text, replaces)
    }

    /// [`Temporary::write`] at a place that the caller chose.
    ///
    /// # Errors
    /// As there.
    pub fn write_at(
        disk: &Disk,
        path: PathBuf,
        target: &Path,
        text: &str,
        replaces: bool,
    ) -> Result<Self, StoreError> {
        let failed = |source: io::Error| StoreError::NotWritten {
            path: target.display().to_string(),
            source,
        };
        if text.len() as u64 > LARGEST {
            return Err(StoreError::TooLarge {
                path: target.display().to_string(),
                most: LARGEST / 1024 / 1024,
            });
        }
        let like = replaces
            .then(|| fs::metadata(target))
            .transpose()
            .map_err(failed)?;
        if like.as_ref().is_some_and(|m| m.permissions().readonly()) {
            return Err(StoreError::ReadOnly {
                path: target.display().to_string(),
            });
        }
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .map_err(failed)?;
        let temporary = Self(path);
        if let Some(like) = like {
            keep_owner(&file, &like);
            keep_attributes(&file, target);
            file.set_permissions(like.permissions()).map_err(failed)?;
        }
        (disk.write)(&mut file, text.as_bytes()).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        Ok(temporary)
    }

    /// Writes and flushes a text in pieces, for a file that need not be there yet.
    ///
    /// # Errors
    /// `NotWritten`, naming the target.
    pub fn stream(
        disk: &Disk,
        target: &Path,
        pieces: impl Iterator<Item = String>,
    ) -> Result<Self, StoreError> {
        let failed = |source: io::Error| StoreError::NotWritten {
            path: target.display().to_string(),
            source,
        };
        let path = temporary_beside(target);
        let mut new = OpenOptions::new();
        let mut file = new
            .write(true)
            .create_new(true)
            .open(&path)
            .map_err(failed)?;
        let temporary = Self(path);
        for piece in pieces {
            (disk.write)(&mut file, piece.as_bytes()).map_err(failed)?;
        }
        file.sync_all().map_err(failed)?;
        Ok(temporary)
    }

    /// Takes a place, durably, whatever file is there.
    ///
    /// # Errors
    /// `NotWritten`.
    pub fn take_over(self, target: &Path) -> Result<(), StoreError> {
        fs::rename(&self.0, target).map_err(|e| StoreError::io(WRITE, target, e))?;
        flush_folder_of(target)
    }

    /// Takes the place of the target, durably; false, with the target as it was, when that has
    /// another stamp than expected.
    ///
    /// The two files change places first: a file that an editor without our lock put there at the
    /// last moment is then in our hands, and goes back.
    ///
    /// # Errors
    /// `NotWritten`, with the target as it was wherever two files can change places.
    pub fn replace(mut self, target: &Path, expected: &Stamp) -> Result<bool, StoreError> {
        let failed = |e| StoreError::io(WRITE, target, e);
        let undecided = |e: io::Error| StoreError::undecided(target, &e);
        let is_expected = |path| stamp(path).is_some_and(|now| now.is_same_content(expected));
        if !is_expected(target) {
            return Ok(false);
        }
        let mut ours = stamp(&self.0);
        let mut exchanged = exchange(&self.0, target);
        if let Some(Err(error)) = &exchanged
            && error.kind() == io::ErrorKind::CrossesDevices
        {
            self.come_near(target).map_err(failed)?;
            ours = stamp(&self.0);
            exchanged = exchange(&self.0, target);
        }
        match exchanged {
            None => {
                fs::rename(&self.0, target)
                    .or_else(|error| {
                        self.near_after(error, target)?;
                        fs::rename(&self.0, target)
                    })
                    .map_err(failed)?;
            }
            Some(exchanged) => {
                exchanged.map_err(failed)?;
                if !is_expected(&self.0) {
                    give_back(&self.0, target, ours).map_err(undecided)?;
                    return Ok(false);
                }
                // What is not certain to last has not happened.
                if let Err(unflushed) = flush_around(target) {
                    give_back(&self.0, target, ours).map_err(undecided)?;
                    return Err(failed(unflushed));
                }
                return Ok(true);
            }
        }
        flush_folder_of(target)?;
        Ok(true)
    }

    /// Keeps the file where it is, for a caller that knows of it.
    pub fn stay(self) {
        std::mem::forget(self);
    }

    /// [`Temporary::come_near`] when that is what an error asks for.
    fn near_after(&mut self, error: io::Error, target: &Path) -> io::Result<()> {
        match error.kind() {
            io::ErrorKind::CrossesDevices => self.come_near(target),
            _ => Err(error),
        }
    }

    /// Brings the file beside its target: only trying tells that two folders of one file system lie apart.
    fn come_near(&mut self, target: &Path) -> io::Result<()> {
        let near = Self(temporary_beside(target));
        fs::copy(&self.0, &near.0)?;
        let file = OpenOptions::new().write(true).open(&near.0)?;
        keep_owner(&file, &fs::metadata(&self.0)?);
        keep_attributes(&file, &self.0);
        file.sync_all()?;
        *self = near;
        Ok(())
    }

    /// Takes a place that must be free, durably.
    ///
    /// # Errors
    /// `Exists` or `NotWritten`; the place is then as free as it was. `Undecided` when it could not be made
    /// free again.
    pub fn appear(mut self, target: &Path) -> Result<(), StoreError> {
        let mut ours = stamp(&self.0);
        match rename_new(&self.0, target) {
            Err(StoreError::NotWritten { source, .. }) => {
                self.near_after(source, target)
                    .map_err(|e| StoreError::io(WRITE, target, e))?;
                ours = stamp(&self.0);
                rename_new(&self.0, target)?;
            }
            renamed => renamed?,
        }
        flush_around(target).map_err(|unflushed| {
            if self.withdraw(target, ours) {
                StoreError::io(WRITE, target, unflushed)
            } else {
                StoreError::undecided(target, &unflushed)
            }
        })
    }

    /// Takes the file from the place that it took, unless somebody else's lies there by now; false when that
    /// cannot be done. Even then the file stays whole.
    fn withdraw(&self, target: &Path, ours: Option<Stamp>) -> bool {
        let identity = |stamp: Option<Stamp>| stamp.map(|stamp| stamp.identity);
        if rename_new(target, &self.0).is_err() {
            return false;
        }
        identity(stamp(&self.0)) == identity(ours) || rename_new(&self.0, target).is_ok()
    }
}

/// Puts the file that is in our hands back to its place, where `placed` should lie. When somebody replaced that
/// too, theirs is the newest and goes back in turn.
pub(super) fn give_back(
    in_hand: &Path,
    target: &Path,
    mut placed: Option<Stamp>,
) -> io::Result<()> {
    let identity = |stamp: Option<Stamp>| stamp.map(|stamp| stamp.identity);
    loop {
        let given = stamp(in_hand);
        exchange(in_hand, target).unwrap_or_else(|| fs::rename(in_hand, target))?;
        let taken = stamp(in_hand);
        if taken.is_none() || identity(taken) == identity(placed) {
            return Ok(());
        }
        placed = given;
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // After a rename there is nothing left to remove.
        let _ = fs::remove_file(&self.0);
    }
}

/// Gives a replacement the owner of the file it replaces, where the system lets us.
#[cfg(unix)]
fn keep_owner(file: &File, like: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(like.uid()), Some(like.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_file: &File, _like: &Metadata) {}

/// Gives a replacement the extended attributes of the file it replaces, where the system lets us.
#[cfg(unix)]
fn keep_attributes(file: &File, target: &Path) {
    use xattr::FileExt;
    for name in xattr::list(target).into_iter().flatten() {
        if let Ok(Some(value)) = xattr::get(target, &name) {
            let _ = file.set_xattr(&name, &value);
        }
    }
}

#[cfg(not(unix))]
fn keep_attributes(_file: &File, _target: &Path) {}

/// Makes a rename durable.
///
/// # Errors
/// `StoreError::Io`.
pub fn flush_folder_of(path: &Path) -> Result<(), StoreError> {
    flush_around(path).map_err(|e| StoreError::io("flush", path.parent().unwrap_or(path), e))
}

fn flush_around(path: &Path) -> io::Result<()> {
    flush(path.parent().unwrap_or(path))
}

#[cfg(unix)]
fn flush(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        // SMB and many FUSE systems have no such call for folders.
        Err(error) if is_refusal(&error) => {
            note(WeakPromise::Flushes);
            Ok(())
        }
        flushed => flushed,
    }
}

#[cfg(not(unix))]
fn flush(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes what is in a folder durable.
///
/// # Errors
/// `StoreError::Io`.
pub fn flush_folder(folder: &Path) -> Result<(), StoreError> {
    flush(folder).map_err(|e| StoreError::io("flush", folder, e))
}

/// A free place beside a file, in a folder that others of ours left nothing in.
pub(super) fn temporary_beside(target: &Path) -> PathBuf {
    if let Some(folder) = target.parent() {
        sweep_folder(folder);
    }
    target.with_file_name(temporary_name())
}

/// A name that no folder holds yet and no listing shows.
pub(super) fn temporary_name() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    format!(".chant-{}-{number}.tmp", std::process::id())
}

/// The process that gave a file its name, if it is one that [`temporary_name`] gives.
pub(super) fn writer_of(name: &str) -> Option<u32> {
    let name = name.strip_prefix(".chant-")?.strip_suffix(".tmp")?;
    let (process, number) = name.split_once('-')?;
    number.parse::<u64>().ok()?;
    process.parse().ok()
}
