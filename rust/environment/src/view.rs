//! Gives folders what layers have: as copies, or as mounts, in which processes see the files of the layer and write
//! elsewhere.
//!
//! Nothing is mounted here. The mounts of a folder stand in a file next to it, and each confined process that starts
//! there mounts them in a namespace of its own.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::copy::{MovedPaths, copy_files_with_path, copy_output, make_way};
use super::layer::{LayerOutput, SealedLayer};
use super::recipe::CACHES;
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
    /// The path of the output in the layer.
    pub path: String,
    /// The folder that it is mounted on.
    pub target: PathBuf,
    /// The folder of the recipe.
    pub folder: PathBuf,
    /// The files of the layer.
    pub lower: PathBuf,
    /// The files that processes wrote over them.
    pub upper: PathBuf,
    /// The folder that the file system needs for itself.
    pub work: PathBuf,
}

/// A cache that a recipe filled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheFolder {
    /// The recipe.
    pub recipe: String,
    /// The name of the cache in the recipe.
    pub name: String,
    /// The folder in which processes find it.
    pub path: PathBuf,
}

/// What the processes of a folder have of layers, beside the copies in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderMounts {
    /// The mounts.
    pub mounts: Vec<LayerMount>,
    /// The caches.
    pub caches: Vec<CacheFolder>,
}

/// The folders that get what a layer has.
#[derive(Debug, Clone, Copy)]
pub struct LayerTarget<'a> {
    /// The folder of the recipe.
    pub folder: &'a Path,
    /// The folder that keeps the list of mounts, and what processes write.
    pub views: &'a Path,
    /// The folder of caches that are copied.
    pub copied_caches: &'a Path,
    /// The folder in which caches are mounted: the same for all folders of a repository, since builds remember it.
    pub mounted_caches: &'a Path,
    /// True if large outputs are mounted.
    pub mounts: bool,
}

/// The way in which an output comes into a folder.
struct PlacedOutput<'a> {
    output: &'a LayerOutput,
    target: PathBuf,
    is_mounted: bool,
}

impl FolderMounts {
    /// Reads the file in a folder; there is nothing where that is not there.
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

    /// Copies what is mounted into the folder, for processes that mount nothing; caches are for runs alone. What runs
    /// wrote over it stays next to the folder, where no tool reads it. `find` returns the layer of a key.
    ///
    /// # Errors
    /// `File`.
    pub fn replace_by_copies(
        views: &Path,
        find: &dyn Fn(&str) -> Option<SealedLayer>,
    ) -> Result<(), EnvironmentError> {
        let mut all = Self::read(views)?;
        while let Some(mount) = all.mounts.pop() {
            let is_cache = cache_of(&mount.path).is_some();
            // Only an empty folder is removed: something else there was put there.
            let is_free = !is_cache && fs::remove_dir(&mount.target).is_ok();
            if let Some(layer) = find(&mount.key).filter(|_| is_free) {
                let _pin = layer.pin()?;
                let moved = MovedPaths(vec![moved_folder(&layer, &mount.folder)]);
                copy_output(&layer, &mount.path, &mount.target, &moved)?;
            }
            all.write(views)?;
        }
        Ok(())
    }
}

/// Gives a folder what a layer has. What is there already stays: copies of an earlier run, and what earlier processes
/// wrote over the same layer. Texts that hold the path of the folder that the layer was built in get the present one.
///
/// The way to a path leads through folders alone: a run may have put links there.
///
/// # Errors
/// `File`.
pub fn place_layer(
    layer: &SealedLayer,
    recipe: &str,
    target: &LayerTarget<'_>,
) -> Result<(), EnvironmentError> {
    layer
        .note_use()
        .map_err(failed("note the use of", &layer.files()))?;
    let mut all = FolderMounts::read(target.views)?;
    let placed: Vec<PlacedOutput<'_>> = layer
        .facts
        .outputs
        .iter()
        .map(|output| target.place(layer, output))
        .collect();
    let mut moved = MovedPaths::default();
    all.caches.retain(|cache| cache.recipe != recipe);
    for one in &placed {
        if let Some(name) = cache_of(&one.output.path) {
            let built = Path::new(&layer.facts.built_in).join(&one.output.path);
            let pair = [&built, &one.target].map(|path| path.display().to_string());
            moved.0.push(pair.into());
            all.caches.push(CacheFolder {
                recipe: recipe.to_owned(),
                name: name.to_owned(),
                path: one.target.clone(),
            });
        }
    }
    moved.0.push(moved_folder(layer, target.folder));
    for one in &placed {
        let is_there = match cache_of(&one.output.path) {
            Some(_) => {
                let above = one.target.parent().unwrap_or(&one.target);
                fs::create_dir_all(above).map_err(failed("make", above))?;
                true
            }
            None => make_way(target.folder, &one.output.path)?,
        };
        if is_there {
            one.make(layer, target, &moved, &mut all)?;
        }
    }
    if all == FolderMounts::default() {
        return Ok(());
    }
    fs::create_dir_all(target.views).map_err(failed("make", target.views))?;
    all.write(target.views)
}

impl LayerTarget<'_> {
    fn place<'o>(&self, layer: &SealedLayer, output: &'o LayerOutput) -> PlacedOutput<'o> {
        if let Some(name) = cache_of(&output.path) {
            let caches = if self.mounts {
                self.mounted_caches
            } else {
                self.copied_caches
            };
            return PlacedOutput {
                is_mounted: self.mounts,
                output,
                target: caches.join(name),
            };
        }
        let is_small = output.files < MAX_COPIED_FILES && output.bytes < MAX_COPIED_BYTES;
        let is_folder = layer.files().join(&output.path).is_dir();
        let target = self.folder.join(&output.path);
        PlacedOutput {
            is_mounted: self.mounts && !is_small && is_folder && is_free(&target),
            output,
            target,
        }
    }
}

impl PlacedOutput<'_> {
    fn make(
        &self,
        layer: &SealedLayer,
        to: &LayerTarget<'_>,
        moved: &MovedPaths,
        all: &mut FolderMounts,
    ) -> Result<(), EnvironmentError> {
        let path = &self.output.path;
        if !self.is_mounted {
            copy_output(layer, path, &self.target, moved)?;
            return Ok(());
        }
        let known = all
            .mounts
            .iter()
            .position(|mount| mount.target == self.target);
        if let Some(known) = known {
            if all.mounts[known].key == layer.facts.key {
                return Ok(());
            }
            // It was written over another layer.
            all.mounts.remove(known);
        }
        if self.target.symlink_metadata().is_err() {
            fs::create_dir(&self.target).map_err(failed("make", &self.target))?;
        }
        let own = free_folder(to.views)?;
        let (upper, work) = (own.join(UPPER), own.join(WORK));
        for folder in [&upper, &work] {
            fs::create_dir_all(folder).map_err(failed("make", folder))?;
        }
        copy_files_with_path(layer, path, &upper, moved)?;
        all.mounts.push(LayerMount {
            key: layer.facts.key.clone(),
            path: path.clone(),
            target: self.target.clone(),
            folder: to.folder.to_owned(),
            lower: layer.files().join(path),
            upper,
            work,
        });
        Ok(())
    }
}

/// Returns the name of the cache whose path an output has.
fn cache_of(path: &str) -> Option<&str> {
    path.strip_prefix(CACHES)?.strip_prefix('/')
}

fn moved_folder(layer: &SealedLayer, folder: &Path) -> (String, String) {
    (layer.facts.built_in.clone(), folder.display().to_string())
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
