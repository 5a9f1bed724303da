//! Texts that an editor holds and no file says yet, for a process that only reads.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Disk, FileContent, FileStamp, stamp};

/// Texts that are read in place of files. A copy shares them.
#[derive(Debug, Clone, Default)]
pub struct UnsavedTexts(Arc<Mutex<HeldTexts>>);

#[derive(Debug, Default)]
struct HeldTexts {
    /// By path the text, which is none where the file counts again, and the number of its last change.
    texts: BTreeMap<PathBuf, (Option<Arc<str>>, u64)>,
    changes: u64,
}

impl UnsavedTexts {
    /// Has a text read in place of a file, which need not be there; without a text the file counts again.
    pub fn set(&self, path: &Path, text: Option<Arc<str>>) {
        let mut held = self.held();
        held.changes += 1;
        let change = held.changes;
        held.texts.insert(path.to_owned(), (text, change));
    }

    /// The paths below a folder, with `/`, whose texts changed after a number, which is the latest one then.
    pub fn changed_below(&self, folder: &Path, since: &mut u64) -> Vec<String> {
        let held = self.held();
        let before = std::mem::replace(since, held.changes);
        if before == held.changes {
            return Vec::new();
        }
        let changed = held
            .texts
            .iter()
            .filter(|(_, (_, change))| *change > before);
        let below = changed.filter_map(|(path, _)| path.strip_prefix(folder).ok());
        let below = below.filter_map(Path::to_str);
        below.map(|path| path.replace('\\', "/")).collect()
    }

    /// The stamps that the files have below the texts that are read in place of them.
    pub fn files_below(&self) -> Vec<(PathBuf, Option<FileStamp>)> {
        let held = self.held();
        let texts = held.texts.iter().filter(|(_, (text, _))| text.is_some());
        texts.map(|(path, _)| (path.clone(), stamp(path))).collect()
    }

    /// The text that is read in place of a file, with its stamp: one that no file has, and that later looks believe.
    fn get(&self, path: &Path) -> Option<(Arc<str>, FileStamp)> {
        let held = self.held();
        let (text, change) = held.texts.get(path)?;
        let text = text.as_ref()?;
        let stamp = FileStamp {
            size: text.len() as u64,
            modified: (*change).into(),
            changed: (*change).into(),
            identity: (u64::MAX, *change),
            names: 1,
        };
        Some((Arc::clone(text), stamp))
    }

    fn held(&self) -> MutexGuard<'_, HeldTexts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Disk {
    /// The same disk, on which these texts are read in place of files, and nothing is written: what nobody saved
    /// must reach no file by us.
    #[must_use]
    pub fn with_unsaved(self, texts: &UnsavedTexts) -> Self {
        let Self {
            read, holds, stamp, ..
        } = self.clone();
        let (of_read, of_holds, of_stamp) = (texts.clone(), texts.clone(), texts.clone());
        Self {
            read: Arc::new(move |bounds, path| match of_read.get(path) {
                Some((text, stamp)) => Ok(FileContent {
                    bytes: text.as_bytes().to_vec(),
                    stamp,
                }),
                None => read(bounds, path),
            }),
            holds: Arc::new(move |bounds, path, bytes| match of_holds.get(path) {
                Some((text, stamp)) => Ok((text.as_bytes() == bytes).then_some(stamp)),
                None => holds(bounds, path, bytes),
            }),
            stamp: Arc::new(move |path| match of_stamp.get(path) {
                Some((_, stamp)) => Some(stamp),
                None => stamp(path),
            }),
            write: Arc::new(|_, _| Err(io::ErrorKind::ReadOnlyFilesystem.into())),
            unsaved: texts.clone(),
            ..self
        }
    }
}
