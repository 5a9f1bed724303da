//! The index as a cache of file stats: a file that git is to take for unchanged although its text is another one.
//!
//! Git compares a file with what the index noted about it (times, inode, length) and reads its text only when these
//! differ. An entry that notes them of a changed file makes git leave the change alone: it is not shown, not committed
//! and in nobody's way, until somebody writes the file again. Unlike `--assume-unchanged`, it hides no later change.

#![cfg_attr(
    unix,
    expect(
        clippy::disallowed_methods,
        reason = "git's index is no document of the store"
    )
)]

use std::path::Path;
#[cfg(unix)]
use std::{
    fs::{self, File, FileTimes},
    io::{self, Read as _},
    os::unix::fs::MetadataExt as _,
    time::{Duration, SystemTime},
};

#[cfg(unix)]
use sha1::{Digest as _, Sha1};

use super::backend;
#[cfg(unix)]
use super::backend::GitBackend;
use super::branches::oid;
#[cfg(unix)]
use super::index::{IndexLock, failed};
use super::{GitError, Repo};

/// The lock timeout: a state that git sees is better than a person who waits.
#[cfg(unix)]
const LOCK_TIMEOUT: Duration = Duration::from_millis(300);

/// The age that a file needs so that git trusts its stamp: git compares whole seconds.
#[cfg(unix)]
const OLDER_THAN_INDEX: Duration = Duration::from_secs(2);

/// The bytes of an object's id; repositories with longer ones are read by the git program alone.
const ID_BYTES: usize = 20;
/// The bytes before an entry's path: ten numbers, the id and the flags.
const FIXED_BYTES: usize = 10 * 4 + ID_BYTES + 2;

/// A file as the index has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedFile {
    /// The id of its blob.
    pub id: String,
    /// Its content, as it is stored.
    pub content: Vec<u8>,
}

impl Repo {
    /// Returns a file as the index has it; `None` for a file that git does not track or that has flags or conflicts
    /// of its own, and for an index that is not understood.
    ///
    /// # Errors
    /// `Bare`, `Outside`, or a failure to read.
    pub fn staged_file(&self, path: &Path) -> Result<Option<StagedFile>, GitError> {
        let path = self.path_in_checkout(path)?;
        let Some(index) = self.plain_index() else {
            return Ok(None);
        };
        let Some(entry) = find_entry(&index, path.as_bytes()) else {
            return Ok(None);
        };
        let id = hex(entry.id);
        let content = self.library("read a staged file", |repo| {
            Ok(repo.find_blob(oid(&id)?)?.content().to_vec())
        })?;
        Ok(Some(StagedFile { id, content }))
    }

    /// Has git take a file for unchanged as long as it has this text; returns false where that is not possible:
    /// somebody changed the file or its entry meanwhile, or holds the lock of the index.
    ///
    /// The file's time of change becomes older than the index, else git would compare the texts all the same.
    ///
    /// # Errors
    /// `Bare`, `Outside`, or a failure to write; git then shows the change.
    #[cfg(unix)]
    pub fn take_for_unchanged(
        &self,
        path: &Path,
        staged: &StagedFile,
        text: &[u8],
    ) -> Result<bool, GitError> {
        let inside = self.path_in_checkout(path)?;
        let Some(file) = self.index_file() else {
            return Ok(false);
        };
        let lock = match IndexLock::take(&file, LOCK_TIMEOUT) {
            Err(GitError::IndexLocked { .. }) => return Ok(false),
            lock => lock?,
        };
        let Some(mut index) = self.plain_index() else {
            return Ok(false);
        };
        let Some(entry) = find_entry(&index, inside.as_bytes()) else {
            return Ok(false);
        };
        if staged.id != hex(entry.id) {
            return Ok(false);
        }
        let at = entry.start;
        let noted = note_stat(path, &file, text)
            .map_err(|error| failed("read the stamp of", path, &error))?;
        let Some(stat) = noted else {
            return Ok(false);
        };
        for (offset, number) in stat {
            index[at + offset..at + offset + 4].copy_from_slice(&number.to_be_bytes());
        }
        let end = index.len() - ID_BYTES;
        // An index without a checksum (`index.skipHash`) stays one.
        if index[end..].iter().any(|byte| *byte != 0) {
            let sum = Sha1::digest(&index[..end]);
            index[end..].copy_from_slice(&sum);
        }
        lock.write(&index)?;
        lock.put_into_place()?;
        Ok(true)
    }

    /// Changes nothing: without inodes git compares more than is noted here.
    ///
    /// # Errors
    /// None.
    #[cfg(not(unix))]
    pub fn take_for_unchanged(&self, _: &Path, _: &StagedFile, _: &[u8]) -> Result<bool, GitError> {
        Ok(false)
    }

    /// Returns a number that grows whenever HEAD moves: by a commit, a switch, a rebase or a pull. `None` where git
    /// keeps no such log.
    pub fn head_moves(&self) -> Option<u64> {
        let git_dir = backend::git_dir_of(self.checkout()?).ok()?;
        let log = git_dir.join("logs").join("HEAD");
        log.metadata().ok().map(|metadata| metadata.len())
    }

    /// Returns the index of the checkout, if it is one that is understood here.
    #[cfg(unix)]
    fn plain_index(&self) -> Option<Vec<u8>> {
        if self.backend == GitBackend::Program {
            return None;
        }
        fs::read(self.index_file()?).ok()
    }

    #[cfg(not(unix))]
    fn plain_index(&self) -> Option<Vec<u8>> {
        None
    }
}

/// Makes a file older than the index, and returns the numbers of its stamp with their places in an entry; `None`
/// if it has another text.
#[cfg(unix)]
fn note_stat(path: &Path, index: &Path, text: &[u8]) -> io::Result<Option<[(usize, u32); 8]>> {
    let mut file = File::open(path)?;
    let metadata = fs::symlink_metadata(path)?;
    let opened = file.metadata()?;
    if !metadata.is_file() || (opened.ino(), opened.dev()) != (metadata.ino(), metadata.dev()) {
        return Ok(None);
    }
    let found = opened.modified()?;
    let wanted = fs::metadata(index)?.modified()? - OLDER_THAN_INDEX;
    if found > wanted {
        file.set_times(FileTimes::new().set_modified(wanted))?;
    }
    let noted = file.metadata()?;
    // What is written from here on changes the stamp; what was written before is seen here.
    let mut now = Vec::new();
    file.read_to_end(&mut now)?;
    if now != text {
        file.set_times(FileTimes::new().set_modified(SystemTime::now()))?;
        return Ok(None);
    }
    // Git keeps the lower half of each number.
    let low = |number: u64| u32::try_from(number & u64::from(u32::MAX)).unwrap_or_default();
    let low_signed = |number: i64| low(number.cast_unsigned());
    Ok(Some([
        (0, low_signed(noted.ctime())),
        (4, low_signed(noted.ctime_nsec())),
        (8, low_signed(noted.mtime())),
        (12, low_signed(noted.mtime_nsec())),
        (16, low(noted.dev())),
        (20, low(noted.ino())),
        (28, noted.uid()),
        (36, low(noted.size())),
    ]))
}

/// Writes an id as git prints it.
fn hex(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An entry in the bytes of an index.
struct FoundEntry<'a> {
    start: usize,
    id: &'a [u8],
}

/// Finds the entry of a path that has no flags and no conflict, in the formats 2 to 4 of an index.
fn find_entry<'a>(index: &'a [u8], path: &[u8]) -> Option<FoundEntry<'a>> {
    let number = |at: usize| {
        let bytes = index.get(at..at + 4)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    };
    if index.get(..4)? != b"DIRC" {
        return None;
    }
    let version = number(4)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let mut at = 12;
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..number(8)? {
        let start = at;
        let flags = u16::from_be_bytes(
            index
                .get(at + FIXED_BYTES - 2..at + FIXED_BYTES)?
                .try_into()
                .ok()?,
        );
        let is_extended = version >= 3 && flags & 0x4000 != 0;
        at += FIXED_BYTES + if is_extended { 2 } else { 0 };
        if version == 4 {
            let removed;
            (removed, at) = read_offset(index, at)?;
            name.truncate(name.len().checked_sub(removed)?);
        } else {
            name.clear();
        }
        let length = index.get(at..)?.iter().position(|byte| *byte == 0)?;
        name.extend(&index[at..at + length]);
        at += length + 1;
        if version < 4 {
            at = start + (at - start).next_multiple_of(8);
        }
        if name.as_slice() == path {
            // Assumed unchanged, in conflict, or with further flags.
            let is_plain = flags & 0xF000 == 0;
            let id = &index[start + 40..start + 40 + ID_BYTES];
            return is_plain.then_some(FoundEntry { start, id });
        }
    }
    None
}

/// Reads a number of git's own coding: seven bits a byte, one more for each byte that follows.
fn read_offset(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut value = usize::from(byte & 0x7F);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        value = (value.checked_add(1)? << 7) | usize::from(byte & 0x7F);
    }
    Some((value, at + 1))
}
