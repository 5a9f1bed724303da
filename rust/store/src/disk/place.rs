//! Names in folders that are kept open: what is done by them is done in that folder, whatever lies at its path by now.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::FileStamp;
#[cfg(unix)]
use super::by_handle as system;
#[cfg(not(unix))]
use super::by_path as system;
use crate::{StoreError, WRITE};

/// A folder in which files are made, renamed and removed.
#[derive(Debug, Clone)]
pub struct OpenFolder {
    path: PathBuf,
    pub(super) way: FolderWay,
}

/// The way to reach what lies in a folder.
#[derive(Debug, Clone)]
pub(super) enum FolderWay {
    /// By its path: our own state, and systems on which no folder can be kept open.
    Path,
    /// Through the folder itself.
    #[cfg(unix)]
    Handle(std::sync::Arc<rustix::fd::OwnedFd>),
    /// Not at all: it was not there when it was looked for.
    Missing,
}

impl OpenFolder {
    /// Opens a real folder below a real root; `None` when a link lies on the way by now.
    ///
    /// # Errors
    /// As the system says.
    pub fn below(root: &Path, path: &Path) -> io::Result<Option<Self>> {
        Ok(system::open_folder(root, path)?.map(|way| Self {
            path: path.to_owned(),
            way,
        }))
    }

    /// A folder of our own, reached by its path.
    pub fn of_ours(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            way: FolderWay::Path,
        }
    }

    /// A folder that is not there: nothing is done in it, also when something comes to its path.
    pub fn missing(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            way: FolderWay::Missing,
        }
    }

    /// Where it lay when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if it is reached by itself, and not by its path.
    pub fn is_kept_open(&self) -> bool {
        #[cfg(unix)]
        let is_kept = matches!(self.way, FolderWay::Handle(_));
        #[cfg(not(unix))]
        let is_kept = false;
        is_kept
    }

    /// A name in it.
    pub fn place(&self, name: impl AsRef<OsStr>) -> FilePlace {
        FilePlace {
            path: self.path.join(name.as_ref()),
            folder: self.clone(),
        }
    }

    /// The names in it, but for those that are no text.
    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        system::names(self)
    }

    /// Opens it as a file, to be flushed.
    #[cfg(unix)]
    pub(super) fn open(&self) -> io::Result<File> {
        system::open_itself(self)
    }
}

/// A name in a folder, and what lies there; a link there is never followed.
#[derive(Debug, Clone)]
pub struct FilePlace {
    pub(super) folder: OpenFolder,
    path: PathBuf,
}

impl From<&Path> for FilePlace {
    /// A place of our own, reached by its path.
    fn from(path: &Path) -> Self {
        Self {
            folder: OpenFolder::of_ours(path.parent().unwrap_or(path)),
            path: path.to_owned(),
        }
    }
}

impl From<&PathBuf> for FilePlace {
    fn from(path: &PathBuf) -> Self {
        path.as_path().into()
    }
}

impl From<PathBuf> for FilePlace {
    fn from(path: PathBuf) -> Self {
        path.as_path().into()
    }
}

impl From<&FilePlace> for FilePlace {
    fn from(place: &FilePlace) -> Self {
        place.clone()
    }
}

impl FilePlace {
    /// Where it lay when its folder was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its name in its folder.
    #[cfg(unix)]
    pub(super) fn name(&self) -> io::Result<&Path> {
        let name = self.path.file_name().map(Path::new);
        name.ok_or_else(|| io::Error::other("it has no name"))
    }

    /// The folder that it lies in.
    pub fn folder(&self) -> &OpenFolder {
        &self.folder
    }

    /// Another name in the same folder.
    #[must_use]
    pub fn beside(&self, name: impl AsRef<OsStr>) -> Self {
        self.folder.place(name)
    }

    /// The stamp of what lies there; `None` when there is nothing.
    pub fn stamp(&self) -> Option<FileStamp> {
        system::stamp(self).ok()
    }

    /// Returns true if anything lies there; true also when that cannot be found out.
    pub fn exists(&self) -> bool {
        !matches!(system::stamp(self), Err(e) if super::is_absent(&e))
    }

    /// Returns the target of a link there; `None` for what is no link.
    pub fn read_link(&self) -> Option<PathBuf> {
        system::read_link(self).ok()
    }

    /// Opens the file that lies there for reading; never waits on a pipe.
    ///
    /// # Errors
    /// As the system says, and for a link.
    pub fn open(&self) -> io::Result<File> {
        system::open(self)
    }

    /// Makes a file, whose place must be free, for writing.
    pub(super) fn create(&self) -> io::Result<File> {
        system::create(self, false)
    }

    /// The same for a file that only its owner can read or write.
    #[cfg(target_os = "linux")]
    pub(super) fn create_private(&self) -> io::Result<File> {
        system::create(self, true)
    }

    /// Opens a file to add to its end, made where it is missing; never waits on a pipe.
    pub(super) fn append(&self) -> io::Result<File> {
        system::append(self)
    }

    /// Makes a link; its place must be free.
    ///
    /// # Errors
    /// `Exists` or `NotWritten`.
    pub fn make_link(&self, says: &Path) -> Result<(), StoreError> {
        system::make_link(says, self).map_err(|e| StoreError::io(WRITE, &self.path, e))
    }

    /// Makes a folder, durably; false when there is one already.
    ///
    /// # Errors
    /// `Missing` when the folder above is not there, or `NotWritten`.
    pub fn make_folder(&self) -> Result<bool, StoreError> {
        match self.make_empty_folder() {
            Ok(()) => super::flush_folder_of(self)
                .map(|()| true)
                .inspect_err(|_| self.remove_folder()),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(e) => Err(StoreError::io(WRITE, &self.path, e)),
        }
    }

    /// Removes a file; one that is gone already is fine.
    ///
    /// # Errors
    /// `Io`.
    pub fn remove(&self) -> Result<(), StoreError> {
        match self.unlink() {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::io("remove", &self.path, e))
            }
            _ => Ok(()),
        }
    }

    /// Removes an empty folder; one that is gone or in use is left.
    pub fn remove_folder(&self) {
        // Somebody else may just have put something there: then it stays.
        let _ = system::remove_folder(self);
    }

    /// Removes a file.
    pub(super) fn unlink(&self) -> io::Result<()> {
        system::remove(self)
    }

    /// Makes a folder, not durably.
    pub(super) fn make_empty_folder(&self) -> io::Result<()> {
        system::make_folder(self)
    }

    /// Returns true if a folder lies there.
    pub(super) fn is_folder(&self) -> io::Result<bool> {
        system::is_folder(self)
    }

    /// Gives what lies there another place, whatever is there.
    pub(super) fn rename(&self, to: &Self) -> io::Result<()> {
        system::rename(self, to)
    }

    /// The same where the other place is free; `None` where that cannot be done in one step.
    pub(super) fn rename_to_free(&self, to: &Self) -> Option<io::Result<()>> {
        system::rename_to_free(self, to)
    }

    /// Lets two files change places at once; `None` where that cannot be done.
    pub(super) fn exchange(&self, other: &Self) -> Option<io::Result<()>> {
        system::exchange(self, other)
    }

    /// Gives a file a second name.
    pub(super) fn link(&self, to: &Self) -> io::Result<()> {
        system::link(self, to)
    }
}
