//! Small records of a folder, one a file, read again only where they changed: for what is asked often.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::StoreError;
use super::disk::Disk;
use super::files::RootFolder;
use super::index::{DocumentIndex, FileSource};

/// The records of a folder of JSON files.
pub struct RecordIndex<T> {
    read: fn(&str, FileSource) -> Option<T>,
    folder: Option<PathBuf>,
    index: Option<DocumentIndex<Option<T>>>,
    records: BTreeMap<Box<str>, T>,
}

impl<T: Send> RecordIndex<T> {
    /// Returns an index without a folder.
    ///
    /// `read` makes a record of a file's path and content; `None` leaves the file out.
    pub fn new(read: fn(&str, FileSource) -> Option<T>) -> Self {
        Self {
            read,
            folder: None,
            index: None,
            records: BTreeMap::new(),
        }
    }

    /// Takes in what changed in a folder, or all of it if it is another one; `None` for no folder. Returns true if a
    /// record that was there is not any more.
    ///
    /// # Errors
    /// A `StoreError` when the folder exists and cannot be listed.
    pub fn refresh(&mut self, disk: &Disk, folder: Option<&Path>) -> Result<bool, StoreError> {
        let mut is_less = false;
        if self.folder.as_deref() != folder {
            is_less = !self.records.is_empty();
            *self = Self::new(self.read);
            self.folder = folder.map(Path::to_owned);
        }
        let Some(folder) = folder else {
            return Ok(is_less);
        };
        if self.index.is_none() {
            // The folder above is made with the first record.
            self.index = self.open(disk, folder).ok();
        }
        let Some(index) = &mut self.index else {
            return Ok(is_less);
        };
        let changes = match index.refresh() {
            Err(StoreError::Missing { .. }) => index.clear(),
            changes => changes?,
        };
        for change in changes {
            if let Some(record) = change.document.flatten() {
                self.records.insert(change.path, record);
            } else {
                is_less |= self.records.remove(&change.path).is_some();
            }
        }
        Ok(is_less)
    }

    /// The records, in the order of the names of their files.
    pub fn records(&self) -> impl Iterator<Item = &T> + Clone {
        self.records.values()
    }

    fn open(&self, disk: &Disk, folder: &Path) -> Result<DocumentIndex<Option<T>>, StoreError> {
        let root = RootFolder::open(folder.parent().unwrap_or(folder))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        Ok(DocumentIndex::new(disk.clone(), root, &name, ".json", self.read).flat())
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test writes records")]
mod tests {
    use std::fs;

    use super::*;

    fn text(_: &str, source: FileSource) -> Option<String> {
        match source {
            FileSource::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    #[test]
    fn records_are_those_of_the_folder_that_is_asked_for() {
        let top = tempfile::tempdir().unwrap();
        let (one, other) = (top.path().join("one/records"), top.path().join("other"));
        let disk = Disk::default();
        let mut index = RecordIndex::new(text);
        let mut found = |folder: Option<&Path>| {
            index.refresh(&disk, folder).unwrap();
            index.records().cloned().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(found(Some(&one)), "", "the folder above is not there yet");
        fs::create_dir_all(&one).unwrap();
        fs::write(one.join("a.json"), "A").unwrap();
        fs::write(one.join("b.json"), "").unwrap();
        fs::write(one.join("c.txt"), "C").unwrap();
        assert_eq!(found(Some(&one)), "A");
        fs::write(one.join("b.json"), "B").unwrap();
        assert_eq!(found(Some(&one)), "A B");
        fs::remove_file(one.join("a.json")).unwrap();
        assert_eq!(found(Some(&one)), "B");
        assert_eq!(found(Some(&other)), "");
        assert_eq!(found(Some(&one)), "B");
        assert_eq!(found(None), "");
    }
}
