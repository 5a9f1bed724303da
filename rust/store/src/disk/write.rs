//! Files that appear whole or not at all.

use chant_base::diagnostics::LogFailure;
use std::fs::{File, Metadata};
use std::io;

use super::expected::ExpectedFile;
use super::held_files::{FileAttempt, HeldFile};
use super::lock::is_refusal;
use super::place::{FilePlace, OpenFolder};
use super::sweep::temporary_beside;
use super::weak_guarantees::{WeakGuarantee, record_weak_guarantee};
use super::{Disk, FileStamp, LARGEST};
use crate::{StoreError, WRITE};

/// Renames onto a free name; an existing target is never replaced.
///
/// # Errors
/// `Exists`, `Missing` or `NotWritten`.
pub fn rename_new(from: impl Into<FilePlace>, to: impl Into<FilePlace>) -> Result<(), StoreError> {
    let (from, to) = (from.into(), to.into());
    let failed = |e: io::Error| match e.kind() {
        io::ErrorKind::AlreadyExists => StoreError::Exists {
            path: to.path().display().to_string(),
        },
        _ => StoreError::io(WRITE, to.path(), e),
    };
    // Elsewhere a second name and the removal of the first come to the same.
    if let Some(renamed) = from.rename_to_free(&to) {
        return renamed.map_err(failed);
    }
    match from.link(&to) {
        Ok(()) => from.unlink().map_err(failed),
        Err(error) if has_no_links(&error) => take_free(&from, &to).map_err(failed),
        Err(error) => Err(failed(error)),
    }
}

/// Returns true if a file system gives no second names, as FAT and many network ones; folders have none
/// anywhere.
fn has_no_links(error: &io::Error) -> bool {
    is_refusal(error)
        || matches!(
            error.kind(),
            io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported
        )
}

/// Renames onto a free name in two steps: the name is taken by something empty, which is then replaced.
fn take_free(from: &FilePlace, to: &FilePlace) -> io::Result<()> {
    if from.is_folder()? {
        // No folder has two names anywhere, and an empty one that a crash leaves is no document.
        to.make_empty_folder()?;
        return from.rename(to).inspect_err(|_| to.remove_folder());
    }
    record_weak_guarantee(WeakGuarantee::Names, to.folder().path());
    to.create()?;
    from.rename(to).inspect_err(|_| drop(to.unlink()))
}

/// A file beside its target that no one can see there yet; gone when it was not renamed.
pub struct TemporaryFile(FilePlace);

impl TemporaryFile {
    /// Writes and flushes a text where it waits for its place; with the owner and rights of the file that it
    /// will replace.
    ///
    /// # Errors
    /// `NotWritten`, `ReadOnly` or `TooLarge`, naming the target.
    pub fn write(
        disk: &Disk,
        target: impl Into<FilePlace>,
        text: &str,
        replaces: bool,
    ) -> Result<Self, StoreError> {
        let target = target.into();
        let place = disk.staging_place(&target, !replaces);
        Self::write_at(disk, place, &target, text, replaces)
    }

    /// [`TemporaryFile::write`] beside the target, for files of our own state.
    ///
    /// # Errors
    /// As there.
    pub fn write_beside(
        disk: &Disk,
        target: impl Into<FilePlace>,
        text: &str,
        replaces: bool,
    ) -> Result<Self, StoreError> {
        let target = target.into();
        Self::write_at(disk, temporary_beside(&target), &target, text, replaces)
    }

    /// [`TemporaryFile::write`] at a place that the caller chose.
    ///
    /// # Errors
    /// As there.
    pub fn write_at(
        disk: &Disk,
        place: FilePlace,
        target: &FilePlace,
        text: &str,
        replaces: bool,
    ) -> Result<Self, StoreError> {
        let (temporary, file) = Self::write_unflushed_at(disk, place, target, text, replaces)?;
        file.sync_all()
            .map_err(|error| StoreError::io(WRITE, target.path(), error))?;
        Ok(temporary)
    }

    /// [`TemporaryFile::write_at`] for a file that the caller flushes.
    ///
    /// # Errors
    /// As there.
    pub fn write_unflushed_at(
        disk: &Disk,
        place: FilePlace,
        target: &FilePlace,
        text: &str,
        replaces: bool,
    ) -> Result<(Self, File), StoreError> {
        let shown = || target.path().display().to_string();
        let failed = |source: io::Error| StoreError::NotWritten {
            path: shown(),
            source,
        };
        if text.len() as u64 > LARGEST {
            return Err(StoreError::TooLarge {
                path: shown(),
                most: LARGEST / 1024 / 1024,
            });
        }
        let open = || {
            let file = target.open()?;
            file.metadata().map(|facts| (file, facts))
        };
        let like = replaces.then(open).transpose().map_err(failed)?;
        if like
            .as_ref()
            .is_some_and(|(_, facts)| facts.permissions().readonly())
        {
            return Err(StoreError::ReadOnly { path: shown() });
        }
        let mut file = place.create().map_err(failed)?;
        let temporary = Self(place);
        if let Some((like, facts)) = like {
            keep_owner(&file, &facts);
            keep_attributes(&file, &like);
            file.set_permissions(facts.permissions()).map_err(failed)?;
        }
        (disk.write)(&mut file, text.as_bytes()).map_err(failed)?;
        Ok((temporary, file))
    }

    /// Writes and flushes a text in pieces, for a file that need not be there yet.
    ///
    /// # Errors
    /// `NotWritten`, naming the target.
    pub fn stream(
        disk: &Disk,
        target: impl Into<FilePlace>,
        pieces: impl Iterator<Item = String>,
    ) -> Result<Self, StoreError> {
        let target = target.into();
        let failed = |source: io::Error| StoreError::NotWritten {
            path: target.path().display().to_string(),
            source,
        };
        let place = temporary_beside(&target);
        let mut file = place.create().map_err(failed)?;
        let temporary = Self(place);
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
    pub fn take_over(self, target: impl Into<FilePlace>) -> Result<(), StoreError> {
        let target = target.into();
        let renamed = self.0.rename(&target);
        renamed.map_err(|e| StoreError::io(WRITE, target.path(), e))?;
        flush_folder_of(&target)
    }

    /// Takes the place of the target, durably; false, with the target as it was, when that is another file
    /// than expected or holds something else.
    ///
    /// The two files change places first: a file that an editor without our lock put there or wrote into at the
    /// last moment is then in our hands, and goes back.
    ///
    /// # Errors
    /// `NotWritten`, with the target as it was wherever two files can change places.
    pub fn replace(
        mut self,
        target: impl Into<FilePlace>,
        expected: &ExpectedFile<'_>,
    ) -> Result<bool, StoreError> {
        let target = target.into();
        let failed = |e| StoreError::io(WRITE, target.path(), e);
        let undecided = |e: io::Error| StoreError::undecided(target.path(), &e);
        if !expected.is_at(&target) {
            return Ok(false);
        }
        let mut ours = self.0.stamp();
        let mut held = lock_new(&self.0);
        let mut exchanged = self.0.exchange(&target);
        if let Some(Err(error)) = &exchanged
            && error.kind() == io::ErrorKind::CrossesDevices
        {
            self.come_near(&target).map_err(failed)?;
            (ours, held) = (self.0.stamp(), lock_new(&self.0));
            exchanged = self.0.exchange(&target);
        }
        // Until all is decided no other writer of ours changes the new file.
        let _held = held;
        match exchanged {
            None => {
                self.0
                    .rename(&target)
                    .or_else(|error| {
                        self.near_after(error, &target)?;
                        self.0.rename(&target)
                    })
                    .map_err(failed)?;
            }
            Some(exchanged) => {
                exchanged.map_err(failed)?;
                if !expected.is_at(&self.0) {
                    give_back(&self.0, &target, ours).map_err(undecided)?;
                    return Ok(false);
                }
                // What is not certain to last has not happened.
                let flushed = flush_around(&target);
                // An editor that had the file open before may have written into it since.
                let is_same = flushed.is_ok() && expected.is_at(&self.0);
                if !is_same {
                    give_back(&self.0, &target, ours).map_err(undecided)?;
                }
                return flushed.map(|()| is_same).map_err(failed);
            }
        }
        flush_folder_of(&target)?;
        Ok(true)
    }

    /// Keeps the file where it is, for a caller that knows of it.
    pub fn stay(self) {
        std::mem::forget(self);
    }

    /// [`TemporaryFile::come_near`] when that is what an error asks for.
    fn near_after(&mut self, error: io::Error, target: &FilePlace) -> io::Result<()> {
        match error.kind() {
            io::ErrorKind::CrossesDevices => self.come_near(target),
            _ => Err(error),
        }
    }

    /// Brings the file beside its target: only trying shows that two folders of one file system lie apart.
    fn come_near(&mut self, target: &FilePlace) -> io::Result<()> {
        let near = Self(temporary_beside(target));
        let mut from = self.0.open()?;
        let mut file = near.0.create()?;
        let facts = from.metadata()?;
        keep_owner(&file, &facts);
        keep_attributes(&file, &from);
        file.set_permissions(facts.permissions())?;
        io::copy(&mut from, &mut file)?;
        file.sync_all()?;
        *self = near;
        Ok(())
    }

    /// Takes a place that must be free, durably.
    ///
    /// # Errors
    /// `Exists` or `NotWritten`; the place is then as free as it was. `Undecided` when it could not be made
    /// free again.
    pub fn appear(mut self, target: impl Into<FilePlace>) -> Result<(), StoreError> {
        let target = target.into();
        let mut ours = self.0.stamp();
        match rename_new(&self.0, &target) {
            Err(StoreError::NotWritten { source, .. }) => {
                self.near_after(source, &target)
                    .map_err(|e| StoreError::io(WRITE, target.path(), e))?;
                ours = self.0.stamp();
                rename_new(&self.0, &target)?;
            }
            renamed => renamed?,
        }
        flush_around(&target).map_err(|unflushed| {
            if self.withdraw(&target, ours) {
                StoreError::io(WRITE, target.path(), unflushed)
            } else {
                StoreError::undecided(target.path(), &unflushed)
            }
        })
    }

    /// Takes the file from the place that it took, unless another writer's lies there by now; false when that
    /// cannot be done. Even then the file stays whole.
    fn withdraw(&self, target: &FilePlace, ours: Option<FileStamp>) -> bool {
        let identity = |stamp: Option<FileStamp>| stamp.map(|stamp| stamp.identity);
        if rename_new(target, &self.0).is_err() {
            return false;
        }
        identity(self.0.stamp()) == identity(ours) || rename_new(&self.0, target).is_ok()
    }
}

/// Puts the file that is in our hands back to its place, where `placed` should lie. When another writer
/// replaced that too, or wrote into it, theirs is the newest and goes back in turn.
pub(super) fn give_back(
    in_hand: &FilePlace,
    target: &FilePlace,
    mut placed: Option<FileStamp>,
) -> io::Result<()> {
    loop {
        let given = in_hand.stamp();
        in_hand
            .exchange(target)
            .unwrap_or_else(|| in_hand.rename(target))?;
        let taken = in_hand.stamp();
        let is_placed = |taken: FileStamp| placed.is_some_and(|ours| taken.is_same_content(&ours));
        if taken.is_none_or(is_placed) {
            return Ok(());
        }
        placed = given;
    }
}

/// Locks a file that is about to take its place, where locks go with files; no one else can hold it yet.
#[cfg(unix)]
fn lock_new(place: &FilePlace) -> Option<HeldFile> {
    // Without it only what is done without a lock at the same moment can come between.
    match HeldFile::try_lock(|| place.open()) {
        Ok(FileAttempt::Held(held)) => Some(held),
        _ => None,
    }
}

#[cfg(not(unix))]
fn lock_new(_place: &FilePlace) -> Option<HeldFile> {
    None
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // After a rename there is nothing left to remove.
        self.0.unlink().log_failure("remove a temporary file");
    }
}

/// Gives a replacement the owner of the file it replaces, where the system lets us.
#[cfg(unix)]
fn keep_owner(file: &File, like: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    fchown(file, Some(like.uid()), Some(like.gid())).log_failure("keep the owner of a file");
}

#[cfg(not(unix))]
fn keep_owner(_file: &File, _like: &Metadata) {}

/// Gives a replacement the extended attributes of the file it replaces, where the system lets us.
#[cfg(unix)]
fn keep_attributes(file: &File, like: &File) {
    use xattr::FileExt;
    for name in like.list_xattr().into_iter().flatten() {
        if let Ok(Some(value)) = like.get_xattr(&name) {
            file.set_xattr(&name, &value)
                .log_failure("keep an attribute of a file");
        }
    }
}

#[cfg(not(unix))]
fn keep_attributes(_file: &File, _like: &File) {}

/// Makes a rename durable.
///
/// # Errors
/// `StoreError::Io`.
pub fn flush_folder_of(place: impl Into<FilePlace>) -> Result<(), StoreError> {
    flush_folder(place.into().folder())
}

fn flush_around(place: &FilePlace) -> io::Result<()> {
    flush(place.folder())
}

#[cfg(unix)]
fn flush(folder: &OpenFolder) -> io::Result<()> {
    match folder.open()?.sync_all() {
        // SMB and many FUSE systems have no such call for folders.
        Err(error) if is_refusal(&error) => {
            record_weak_guarantee(WeakGuarantee::Flushes, folder.path());
            Ok(())
        }
        flushed => flushed,
    }
}

#[cfg(not(unix))]
fn flush(_folder: &OpenFolder) -> io::Result<()> {
    Ok(())
}

/// Makes what is in a folder durable.
///
/// # Errors
/// `StoreError::Io`.
pub fn flush_folder(folder: &OpenFolder) -> Result<(), StoreError> {
    flush(folder).map_err(|e| StoreError::io("flush", folder.path(), e))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that is to go back to its place, what is written into ours there meanwhile, and what lies there then.
    #[track_caller]
    fn check(written: Option<&str>, expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            FilePlace::from(path)
        };
        let in_hand = place("in-hand", "first save");
        let target = place("target", "ours");
        let placed = target.stamp();
        if let Some(text) = written {
            std::fs::write(target.path(), text).unwrap();
        }
        give_back(&in_hand, &target, placed).unwrap();
        assert_eq!(std::fs::read_to_string(target.path()).unwrap(), expected);
    }

    #[test]
    fn what_is_given_back_gives_way_to_a_save_into_our_own_file() {
        check(None, "first save");
        check(Some("second save"), "second save");
    }
}
