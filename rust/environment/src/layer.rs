//! Sealed layers, by their keys.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use chant_base::diagnostics::LogFailure;
use chant_store::digest::sha256;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{EnvironmentError, failed};

/// The file of a layer with its facts.
pub(super) const FACTS: &str = "layer.json";
/// The file of a layer with a line for each of its files.
pub(super) const MANIFEST: &str = "manifest.jsonl";
/// The folder of a layer with what the steps made.
pub(super) const FILES: &str = "files";
/// The start of the name of a layer that is not sealed yet.
pub(super) const UNSEALED: &str = ".new-";
/// The start of the key of a layer that serves one judgement alone.
const CANDIDATE: &str = ".candidate-";
/// The age at which a candidate was left by a process that is gone.
const CANDIDATE_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// The time between two attempts to take a lock.
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// The facts about a layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerFacts {
    /// The recipe, by its name when it was built.
    pub recipe: String,
    /// Its key.
    pub key: String,
    /// The hash over the manifest: paths, rights and contents of its files.
    pub hash: String,
    /// The commit whose inputs it was built from.
    pub commit: String,
    /// The time at which it was built, RFC 3339, UTC.
    pub built_at: String,
    /// The duration of that, in milliseconds.
    pub took_ms: u64,
    /// The files and folders that the steps made.
    pub outputs: Vec<LayerOutput>,
    /// The number of files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The folder that it was built in.
    pub built_in: String,
    /// Texts that hold that folder's path, and get the path of the folder that they are copied into.
    pub texts_with_path: Vec<String>,
    /// Links that lead into that folder, and lead into the one that they are copied into.
    pub links_with_path: Vec<String>,
    /// Other files that hold it: what they do with it in another folder is not known.
    pub programs_with_path: Vec<String>,
}

/// A file or folder that the steps of a recipe made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerOutput {
    /// Its path from the recipe's folder.
    pub path: String,
    /// The number of files in it.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A file of a layer, as the manifest has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LayerFile {
    pub path: String,
    /// The rights, or 0 for a link.
    pub mode: u32,
    /// The hash of the content, or the target of a link.
    pub content: String,
}

/// The layers of a repository.
#[derive(Debug, Clone)]
pub struct LayerStore {
    folder: PathBuf,
}

/// A layer.
#[derive(Debug, Clone)]
pub struct SealedLayer {
    /// The facts about it.
    pub facts: LayerFacts,
    folder: PathBuf,
}

impl LayerStore {
    /// Returns the layers in a folder, which need not be there.
    pub fn at(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
        }
    }

    /// Returns the folder of all layers.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the key of the layer of one run's judgement: no other one finds it.
    pub fn candidate_key(run: &str, key: &str) -> String {
        format!("{CANDIDATE}{run}-{key}")
    }

    /// Finds a layer by its key.
    pub fn find(&self, key: &str) -> Option<SealedLayer> {
        SealedLayer::read(&self.folder.join(key)).filter(|layer| layer.facts.key == key)
    }

    /// Returns all layers but candidates, those that were used last first.
    pub fn all(&self) -> Vec<SealedLayer> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut found: Vec<(SystemTime, SealedLayer)> = entries
            .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
            .filter_map(|entry| {
                let layer = SealedLayer::read(&entry.path())?;
                Some((layer.used_at(), layer))
            })
            .collect();
        found.sort_by_key(|(used, _)| std::cmp::Reverse(*used));
        found.into_iter().map(|(_, layer)| layer).collect()
    }

    /// Takes the lock of builds, which one process has at a time; waits for it for a while, and returns `None` if
    /// another process has it then.
    ///
    /// # Errors
    /// `File`.
    pub fn lock_within(&self, wait: Duration) -> Result<Option<OwnLock>, EnvironmentError> {
        let end = Instant::now() + wait;
        loop {
            let lock = OwnLock::try_take(&self.folder, "lock")?;
            if lock.is_some() || Instant::now() >= end {
                return Ok(lock);
            }
            std::thread::sleep(LOCK_PAUSE);
        }
    }

    /// Removes the layers that a process which is gone did not seal, or did not remove after their judgement. The caller
    /// holds the lock of builds.
    ///
    /// # Errors
    /// `File`.
    pub fn sweep(&self) -> Result<(), EnvironmentError> {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_old = || {
                let used = SealedLayer::read(&entry.path()).map(|layer| layer.used_at());
                let age = used.and_then(|used| used.elapsed().ok());
                age.is_none_or(|age| age > CANDIDATE_AGE)
            };
            if name.starts_with(UNSEALED) || name.starts_with(CANDIDATE) && is_old() {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }
}

impl SealedLayer {
    pub(super) fn read(folder: &Path) -> Option<Self> {
        let text = fs::read(folder.join(FACTS)).ok()?;
        Some(Self {
            facts: serde_json::from_slice(&text).ok()?,
            folder: folder.to_owned(),
        })
    }

    /// Returns the start of its key, as people see it.
    pub fn short_key(&self) -> &str {
        &self.facts.key[..12.min(self.facts.key.len())]
    }

    /// Returns the folder with what the steps made.
    pub(super) fn files(&self) -> PathBuf {
        self.folder.join(FILES)
    }

    /// Returns when it was used last.
    pub fn used_at(&self) -> SystemTime {
        let facts = fs::metadata(self.folder.join(FACTS));
        facts
            .and_then(|facts| facts.modified())
            .unwrap_or(SystemTime::UNIX_EPOCH)
    }

    /// Notes that it is used now.
    pub(super) fn note_use(&self) -> std::io::Result<()> {
        let file = fs::OpenOptions::new()
            .append(true)
            .open(self.folder.join(FACTS))?;
        file.set_modified(SystemTime::now())
    }

    /// Compares all files with the manifest; returns the paths that differ, at most 20.
    ///
    /// # Errors
    /// `File` when the manifest is gone.
    pub fn differences(&self) -> Result<Vec<String>, EnvironmentError> {
        let place = self.folder.join(MANIFEST);
        let text = fs::read(&place).map_err(failed("read", &place))?;
        if sha256(&text) != self.facts.hash {
            return Ok(vec![MANIFEST.to_owned()]);
        }
        let text = String::from_utf8_lossy(&text);
        let files: Vec<LayerFile> = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        let folder = self.files();
        let mut differ: Vec<String> = files
            .par_iter()
            .filter(|file| LayerFile::of(&folder, &file.path).as_ref() != Some(*file))
            .map(|file| file.path.clone())
            .collect();
        differ.truncate(20);
        Ok(differ)
    }

    /// Keeps it from being removed as long as the result is held: a mounted layer must not change.
    ///
    /// # Errors
    /// `File`, also when it was removed.
    pub fn pin(&self) -> Result<LayerPin, EnvironmentError> {
        let path = self.folder.join(FACTS);
        let file = fs::File::open(&path).map_err(failed("open", &path))?;
        file.lock_shared().map_err(failed("lock", &path))?;
        let pin = LayerPin { file };
        // Another process may have removed it while this one waited for the lock.
        path.symlink_metadata().map_err(failed("keep", &path))?;
        Ok(pin)
    }

    /// Removes it unless it is pinned; returns whether it did. Folders that have a copy keep it.
    ///
    /// # Errors
    /// `File`.
    pub fn remove(&self) -> Result<bool, EnvironmentError> {
        let facts = self.folder.join(FACTS);
        let file = fs::File::open(&facts).map_err(failed("open", &facts))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Ok(false),
            Err(fs::TryLockError::Error(error)) => return Err(failed("lock", &facts)(error)),
        }
        // Without its facts it is no layer any more, however far the removal gets.
        fs::remove_file(&facts).map_err(failed("remove", &facts))?;
        remove(&self.folder)?;
        Ok(true)
    }
}

/// Keeps a layer from being removed.
#[derive(Debug)]
pub struct LayerPin {
    file: fs::File,
}

impl Drop for LayerPin {
    fn drop(&mut self) {
        // A process that was forked meanwhile has a copy of the file, which would keep the lock.
        self.file.unlock().log_failure("release a layer");
    }
}

impl LayerFile {
    /// Reads the facts of a file; `None` if it is none.
    pub(super) fn of(folder: &Path, path: &str) -> Option<Self> {
        let place = folder.join(path);
        let found = place.symlink_metadata().ok()?;
        let (mode, content) = if found.is_symlink() {
            let target = fs::read_link(&place).ok()?;
            (0, target.to_string_lossy().into_owned())
        } else if found.is_file() {
            (rights(&found), sha256(&fs::read(&place).ok()?))
        } else {
            return None;
        };
        Some(Self {
            path: path.to_owned(),
            mode,
            content,
        })
    }
}

#[cfg(unix)]
fn rights(found: &fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    found.permissions().mode() & 0o777
}

#[cfg(not(unix))]
fn rights(_: &fs::Metadata) -> u32 {
    0o644
}

/// Removes a folder, whose folders may be closed.
pub(super) fn remove(folder: &Path) -> Result<(), EnvironmentError> {
    if fs::remove_dir_all(folder).is_ok() || folder.symlink_metadata().is_err() {
        return Ok(());
    }
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        open(&next);
        let entries = fs::read_dir(&next).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        waiting.extend(folders.map(|entry| entry.path()));
    }
    fs::remove_dir_all(folder).map_err(failed("remove", folder))
}

/// Gives the owner all rights to a folder, as far as possible.
pub(super) fn open(folder: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let opened = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
        // The next step reports what cannot be done.
        drop(opened);
    }
    #[cfg(not(unix))]
    drop(folder);
}

/// A lock that the system frees when its process ends.
#[derive(Debug)]
pub struct OwnLock {
    file: fs::File,
}

impl Drop for OwnLock {
    fn drop(&mut self) {
        // A process that was forked meanwhile has a copy of the file, which would keep the lock.
        self.file.unlock().log_failure("release a lock");
    }
}

impl OwnLock {
    /// Takes the lock of a name in a folder, which is made; `None` while another process has it.
    pub(super) fn try_take(folder: &Path, name: &str) -> Result<Option<Self>, EnvironmentError> {
        fs::create_dir_all(folder).map_err(failed("make", folder))?;
        let place = folder.join(format!(".{name}"));
        let file = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&place)
            .map_err(failed("open", &place))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { file })),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(failed("lock", &place)(error)),
        }
    }
}
