//! Results of reading files, kept as long as stamps show that another reading would give the same.
//!
//! A stamp counts only where it was old enough at the reading: a write that follows a young one may leave the same.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::disk::{self, Disk, FileStamp};

/// Returns true if a stamp shows all later writes: nothing is there, or what is there is old enough. A clock that is
/// not known shows nothing.
fn is_settled(stamp: Option<FileStamp>, now: Option<SystemTime>) -> bool {
    stamp.is_none_or(|stamp| now.is_some_and(|now| !stamp.is_young(now)))
}

/// Something that was read from a path, with the stamp that the path had before.
#[derive(Debug, Clone)]
pub struct StampedContent<T> {
    /// The result of the reading.
    pub content: T,
    /// `None` where nothing was there.
    stamp: Option<FileStamp>,
    is_settled: bool,
}

impl<T> StampedContent<T> {
    /// Something that was read at a time of the clock by which the stamp was made.
    pub fn new(content: T, stamp: Option<FileStamp>, now: Option<SystemTime>) -> Self {
        Self {
            content,
            stamp,
            is_settled: is_settled(stamp, now),
        }
    }

    /// Something of which only another reading shows that it still is so.
    pub fn unsettled(content: T) -> Self {
        Self {
            content,
            stamp: None,
            is_settled: false,
        }
    }

    /// Returns true if a path with this stamp now would be read as it was.
    pub fn is_current(&self, stamp: Option<FileStamp>) -> bool {
        self.is_settled && self.stamp == stamp
    }

    /// Something else that follows from the same reading.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> StampedContent<U> {
        StampedContent {
            content: change(self.content),
            stamp: self.stamp,
            is_settled: self.is_settled,
        }
    }
}

/// The last results of reading files, by their real paths. With too many, all are forgotten and read again when asked for.
#[derive(Debug)]
pub struct StampedCache<T> {
    files: Mutex<HashMap<PathBuf, StampedContent<T>>>,
    most: usize,
}

impl<T: Clone> StampedCache<T> {
    /// A cache of so many files at most.
    pub fn new(most: usize) -> Self {
        Self {
            files: Mutex::default(),
            most,
        }
    }

    /// The content of a file, where its stamp shows that it would be read as it was.
    pub fn current(&self, disk: &Disk, real: &Path) -> Option<StampedContent<T>> {
        let stamp = (disk.stamp)(real);
        let files = self.locked();
        let known = files.get(real);
        known.filter(|known| known.is_current(stamp)).cloned()
    }

    /// The content of a file when it was read last, whatever became of it.
    pub fn last(&self, real: &Path) -> Option<T> {
        Some(self.locked().get(real)?.content.clone())
    }

    /// Returns true if a file was read before.
    pub fn contains(&self, real: &Path) -> bool {
        self.locked().contains_key(real)
    }

    /// Keeps what was read from a file.
    pub fn keep(&self, real: PathBuf, read: StampedContent<T>) {
        let mut files = self.locked();
        if files.len() >= self.most && !files.contains_key(&real) {
            files.clear();
        }
        files.insert(real, read);
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<PathBuf, StampedContent<T>>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The paths that something was read from, each with the stamp that it had before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathStamps(Vec<(PathBuf, Option<FileStamp>)>);

impl PathStamps {
    /// Adds a path with the stamp that it has now.
    pub fn add(&mut self, path: PathBuf) {
        let stamp = disk::stamp(&path);
        self.0.push((path, stamp));
    }

    /// Returns true if all stamps show all later writes.
    pub fn are_settled(&self, now: Option<SystemTime>) -> bool {
        self.0.iter().all(|(_, stamp)| is_settled(*stamp, now))
    }

    /// Returns true if no path has another stamp by now.
    pub fn are_current(&self) -> bool {
        let mut stamps = self.0.iter();
        stamps.all(|(path, stamp)| disk::stamp(path) == *stamp)
    }

    /// The paths at which something was.
    pub fn existing(&self) -> impl Iterator<Item = &Path> {
        let existing = self.0.iter().filter(|(_, stamp)| stamp.is_some());
        existing.map(|(path, _)| path.as_path())
    }
}

impl FromIterator<(PathBuf, Option<FileStamp>)> for PathStamps {
    fn from_iter<I: IntoIterator<Item = (PathBuf, Option<FileStamp>)>>(stamps: I) -> Self {
        Self(stamps.into_iter().collect())
    }
}

impl Extend<PathBuf> for PathStamps {
    /// Adds paths with the stamps that they have now.
    fn extend<I: IntoIterator<Item = PathBuf>>(&mut self, paths: I) {
        paths.into_iter().for_each(|path| self.add(path));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn stamp(size: u64, modified: Duration) -> FileStamp {
        FileStamp {
            size,
            modified: i128::try_from(modified.as_nanos()).unwrap(),
            changed: 0,
            identity: (0, 0),
            names: 1,
        }
    }

    #[test]
    fn a_stamp_counts_where_it_was_old_enough_at_the_reading() {
        let written = Duration::from_secs(100);
        let at = |seconds| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        let (same, other) = (stamp(1, written), stamp(2, written));
        for (stamp, now, later, is_current) in [
            (Some(same), at(103), Some(same), true),
            (Some(same), at(103), Some(other), false),
            (Some(same), at(103), None, false),
            (Some(same), at(101), Some(same), false),
            (Some(same), None, Some(same), false),
            (None, at(101), None, true),
            (None, None, None, true),
            (None, at(101), Some(same), false),
        ] {
            let read = StampedContent::new((), stamp, now);
            assert_eq!(read.is_current(later), is_current, "{stamp:?} {now:?}");
            let paths: PathStamps = [(PathBuf::from("x"), stamp)].into_iter().collect();
            let is_settled = read.map(|()| 1).is_current(stamp);
            assert_eq!(paths.are_settled(now), is_settled, "{stamp:?} {now:?}");
        }
        assert!(!StampedContent::unsettled(()).is_current(None));
    }

    #[test]
    fn a_file_is_read_again_when_its_stamp_is_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        disk::copy_out(&file, "one").unwrap();
        let mut paths = PathStamps::default();
        paths.extend([file.clone(), folder.path().join("none")]);
        let (disk, cache) = (Disk::default(), StampedCache::new(1));
        let later = Some(SystemTime::now() + Duration::from_secs(10));
        cache.keep(
            file.clone(),
            StampedContent::new("one", disk::stamp(&file), later),
        );
        let current = || cache.current(&disk, &file).map(|known| known.content);
        assert_eq!(current(), Some("one"));
        assert!(paths.are_current() && paths.existing().eq([file.as_path()]));
        disk::copy_out(&file, "two!").unwrap();
        assert_eq!((current(), cache.last(&file)), (None, Some("one")));
        assert!(!paths.are_current());
        cache.keep(
            folder.path().join("other"),
            StampedContent::unsettled("other"),
        );
        assert!(!cache.contains(&file));
    }
}
