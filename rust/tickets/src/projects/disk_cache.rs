//! Files, folders and paths that were looked at on disk, each with its stamp; they are looked at again
//! only when that changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::fault::ProjectFault;
use super::table::{self, TableReading};
use chant_store::StoreError;
use chant_store::disk::{self, Disk, FileStamp, FolderEntry};
use chant_store::stamped::StampedContent;

/// The target of a path.
#[derive(Debug, Clone)]
pub(super) struct ResolvedPath {
    /// Where that is, links resolved.
    pub(super) real: PathBuf,
    /// Its state.
    pub(super) stamp: FileStamp,
}

/// Files, folders and places as they were last seen.
#[derive(Default)]
pub(super) struct DiskCache {
    disk: Disk,
    tables: AnswerCache<Arc<TableReading>>,
    folders: AnswerCache<Arc<[FolderEntry]>>,
    places: AnswerCache<Option<ResolvedPath>>,
}

impl DiskCache {
    /// Returns true if everything is as it was.
    pub(super) fn is_current(&self) -> bool {
        self.tables.is_current() && self.folders.is_current() && self.places.is_current()
    }

    /// Lets `look` look around; what it asks for no more is forgotten.
    pub(super) fn around<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        self.tables.begin();
        self.folders.begin();
        self.places.begin();
        let found = look(self);
        self.tables.end();
        self.folders.end();
        self.places.end();
        found
    }

    /// The table that a configuration file holds.
    pub(super) fn table(&mut self, path: &Path) -> Arc<TableReading> {
        let disk = &self.disk;
        self.tables.get(path, |path, _| {
            Arc::new(match disk.read_text(path, &path.display().to_string()) {
                Ok((text, _)) => table::parse(&text).map(Some),
                Err(StoreError::Missing { .. }) => Ok(None),
                Err(StoreError::Unreadable { why, .. }) => Err(ProjectFault::Unreadable(why)),
                Err(error) => Err(ProjectFault::Unreadable(error.to_string())),
            })
        })
    }

    /// Returns the entries of a folder, by name; none for one that cannot be listed.
    pub(super) fn folder(&mut self, path: &Path) -> Arc<[FolderEntry]> {
        self.folders.get(path, |path, stamp| {
            stamp
                .and_then(|_| disk::names(path).ok())
                .unwrap_or_default()
                .into()
        })
    }

    /// Returns the target of a path; `None` when there is nothing.
    pub(super) fn place(&mut self, path: &Path) -> Option<ResolvedPath> {
        self.places.get(path, |path, stamp| {
            let real = disk::real(path).ok()?;
            stamp.map(|stamp| ResolvedPath { real, stamp })
        })
    }
}

/// Answers about paths, each kept as long as the path's stamp stays.
struct AnswerCache<T> {
    known: BTreeMap<PathBuf, StampedContent<T>>,
    /// The answers of the round before, as long as one is under way.
    before: BTreeMap<PathBuf, StampedContent<T>>,
}

impl<T> Default for AnswerCache<T> {
    fn default() -> Self {
        Self {
            known: BTreeMap::new(),
            before: BTreeMap::new(),
        }
    }
}

impl<T: Clone> AnswerCache<T> {
    fn is_current(&self) -> bool {
        self.known
            .iter()
            .all(|(path, known)| known.is_current(disk::stamp(path)))
    }

    fn begin(&mut self) {
        self.before = std::mem::take(&mut self.known);
    }

    fn end(&mut self) {
        self.before.clear();
    }

    fn get(&mut self, path: &Path, look: impl FnOnce(&Path, Option<FileStamp>) -> T) -> T {
        if let Some(known) = self.known.get(path) {
            return known.content.clone();
        }
        let stamp = disk::stamp(path);
        let same = self
            .before
            .remove(path)
            .filter(|known| known.is_current(stamp));
        let known = same.unwrap_or_else(|| {
            let answer = look(path, stamp);
            StampedContent::new(answer, stamp, Some(SystemTime::now()))
        });
        let answer = known.content.clone();
        self.known.insert(path.to_owned(), known);
        answer
    }
}
