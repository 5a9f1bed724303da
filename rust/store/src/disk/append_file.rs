//! Files that only grow.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::ownership::private;
use super::place::FilePlace;
use super::regular;
use crate::{StoreError, WRITE};

/// A file of ours that is written at its end only.
pub struct AppendFile {
    file: File,
    length: u64,
    last: Option<u8>,
}

impl AppendFile {
    /// Opens a file, made where it is missing; never through a link.
    ///
    /// # Errors
    /// `Missing` folder, or `NotWritten`, also when something else has that name.
    pub fn open(place: &FilePlace) -> Result<Self, StoreError> {
        let failed = |e| StoreError::io(WRITE, place.path(), e);
        let file = place.append().map_err(failed)?;
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(failed(io::Error::other("it is not a file")));
        }
        Self::at_end_of(file).map_err(failed)
    }

    /// Opens a file of our state, made where it is missing and for its owner alone; never through a link.
    ///
    /// # Errors
    /// `Missing` folder, `Unreadable` when something else has that name, or `NotWritten`.
    pub fn open_owned(path: &Path) -> Result<Self, StoreError> {
        let mut options = OpenOptions::new();
        private(&mut options);
        Self::open_with(path, &mut options)
    }

    fn open_with(path: &Path, options: &mut OpenOptions) -> Result<Self, StoreError> {
        let failed = |e| StoreError::io("open", path, e);
        options.append(true).read(true).create(true);
        let file = regular(path, options)?;
        Self::at_end_of(file).map_err(failed)
    }

    fn at_end_of(mut file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let mut last = [0];
        if length > 0 {
            file.seek(SeekFrom::Start(length - 1))?;
            file.read_exact(&mut last)?;
        }
        Ok(Self {
            file,
            length,
            last: Some(last[0]).filter(|_| length > 0),
        })
    }

    /// Returns true if there was nothing in it when it was opened.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns true if its last line had no end when it was opened.
    pub fn is_torn(&self) -> bool {
        self.last.is_some_and(|last| last != b'\n')
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// What the system says.
    pub fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        super::write_all(&mut self.file, bytes)
    }

    /// Makes what was added durable.
    ///
    /// # Errors
    /// What the system says.
    pub fn flush(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}
