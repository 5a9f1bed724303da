//! Layers that the processes of a folder mount: they see the files of the layer, and what they write goes elsewhere.
//!
//! Nothing is mounted here. The mounts of a folder stand in a file next to it, and each confined process that starts
//! there mounts them in a namespace of its own.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::copy::{copy_files_with_path, copy_output, make_way};
use super::layer::{LayerOutput, SealedLayer};
use super::{EnvironmentError, failed};

/// The file with the mounts of a folder.
const MOUNTS: &str = "mounts.json";
/// The folder with what processes wrote.
const UPPER: &str = "upper";
/// The folder that the file system needs for itself.
const WORK: &str = "work";
/// The number of files up to which an output is copied.
const MAX_COPIED_FILES: u64 = 2_000;
/// The number of bytes up to which an output is copied.
const MAX_COPIED_BYTES: u64 = 20_000_000;

/// An output of a layer that is mounted in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerMount {
    /// The key of the layer.
    pub key: String,
    /// The folder of the recipe.
    pub folder: PathBuf,
    /// The path of the output from there.
    pub path: String,
    /// The files of the layer.
    pub lower: PathBuf,
    /// The files that processes wrote over them.
    pub upper: PathBuf,
    /// The folder that the file system needs for itself.
    pub work: PathBuf,
}

impl LayerMount {
    /// Returns the folder that is mounted on.
    pub fn target(&self) -> PathBuf {
        self.folder.join(&self.path)
    }
}

/// The mounts of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderMounts {
    /// The mounts.
    pub mounts: Vec<LayerMount>,
}

impl FolderMounts {
    /// Reads the mounts whose file lies in a folder; there are none where that is not there.
    ///
    /// # Errors
    /// `File`.
    pub fn read(views: &Path) -> Result<Self, EnvironmentError> {
        let path = views.join(MOUNTS);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => return Err(failed("read", &path)(error)),
        };
        serde_json::from_slice(&text).map_err(|error| failed("read", &path)(error.into()))
    }

    fn write(&self, views: &Path) -> Result<(), EnvironmentError> {
        let path = views.join(MOUNTS);
        let new = views.join(format!("{MOUNTS}.new"));
        let text = serde_json::to_vec_pretty(self).unwrap_or_default();
        fs::write(&new, text).map_err(failed("write", &new))?;
        fs::rename(&new, &path).map_err(failed("name", &new))
    }

    /// Copies what is mounted into the folder, for processes that mount nothing. What runs wrote over it stays next to
    /// the folder, where no tool reads it. `find` returns the layer of a key.
    ///
    /// # Errors
    /// `File`.
    pub fn replace_by_copies(
        views: &Path,
        find: &dyn Fn(&str) -> Option<SealedLayer>,
    ) -> Result<(), EnvironmentError> {
        let mut all = Self::read(views)?;
        while let Some(mount) = all.mounts.pop() {
            // Only an empty folder is removed: something else there was put there.
            let is_empty = fs::remove_dir(mount.target()).is_ok();
            if let Some(layer) = find(&mount.key).filter(|_| is_empty) {
                let _pin = layer.pin()?;
                copy_output(&layer, &mount.path, &mount.folder)?;
            }
            all.write(views)?;
        }
        Ok(())
    }
}

/// Prepares the mounts of a layer in a folder, the one of the recipe; copies its small outputs. What is there already
/// stays: copies of an earlier run, and what earlier processes wrote over the same layer. The mounts are kept in `views`.
///
/// # Errors
/// `File`.
pub fn mount_layer(
    layer: &SealedLayer,
    folder: &Path,
    views: &Path,
) -> Result<(), EnvironmentError> {
    layer
        .note_use()
        .map_err(failed("note the use of", &layer.files()))?;
    let mut all = FolderMounts::read(views)?;
    for LayerOutput { path, files, bytes } in &layer.facts.outputs {
        let target = folder.join(path);
        let lower = layer.files().join(path);
        let is_small = *files < MAX_COPIED_FILES && *bytes < MAX_COPIED_BYTES;
        let known = all.mounts.iter().position(|mount| mount.target() == target);
        if let Some(known) = known {
            if all.mounts[known].key == layer.facts.key {
                continue;
            }
            // It was written over another layer.
            all.mounts.remove(known);
        }
        if is_small || !lower.is_dir() || !is_free(&target) {
            copy_output(layer, path, folder)?;
            continue;
        }
        if !make_way(folder, path)? {
            continue;
        }
        if target.symlink_metadata().is_err() {
            fs::create_dir(&target).map_err(failed("make", &target))?;
        }
        let own = free_folder(views)?;
        let (upper, work) = (own.join(UPPER), own.join(WORK));
        for folder in [&upper, &work] {
            fs::create_dir_all(folder).map_err(failed("make", folder))?;
        }
        copy_files_with_path(layer, path, &upper, folder)?;
        all.mounts.push(LayerMount {
            key: layer.facts.key.clone(),
            folder: folder.to_owned(),
            path: path.clone(),
            lower,
            upper,
            work,
        });
        all.write(views)?;
    }
    Ok(())
}

/// Returns true if nothing, or an empty folder, is at a path.
fn is_free(path: &Path) -> bool {
    match path.symlink_metadata() {
        Ok(found) => found.is_dir() && fs::read_dir(path).is_ok_and(|mut all| all.next().is_none()),
        Err(_) => true,
    }
}

/// Makes the first folder of a number that is not there.
fn free_folder(views: &Path) -> Result<PathBuf, EnvironmentError> {
    fs::create_dir_all(views).map_err(failed("make", views))?;
    let mut number = 0;
    loop {
        let folder = views.join(number.to_string());
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(failed("make", &folder)(error)),
        }
    }
}
