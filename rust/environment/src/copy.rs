//! Copies what a layer has: by shared blocks where the file system has them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::layer::{SealedLayer, open, remove};
use super::{EnvironmentError, failed};

/// The end of the name of a copy that is not complete.
const UNFINISHED: &str = ".chant-new";

/// Copies an output of a layer to a path; returns false where something is there already. The folder above is there.
pub(super) fn copy_output(
    layer: &SealedLayer,
    path: &str,
    target: &Path,
    moved: &MovedPaths,
) -> Result<bool, EnvironmentError> {
    if target.symlink_metadata().is_ok() {
        return Ok(false);
    }
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(UNFINISHED);
    let new = target.with_file_name(name);
    // What a process left that was killed.
    remove(&new).or_else(|error| fs::remove_file(&new).map_err(|_| error))?;
    copy_tree(layer, path, &new, moved)?;
    fs::rename(&new, target).map_err(failed("name", &new))?;
    Ok(true)
}

/// The paths that stand in files of a layer, with those that take their place: the more special ones first.
#[derive(Debug, Default)]
pub(super) struct MovedPaths(pub Vec<(String, String)>);

impl MovedPaths {
    /// Returns a text with the new paths, if it holds an old one.
    fn in_text(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        let mut at = 0;
        let mut is_changed = false;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let pair = self
                .0
                .iter()
                .find(|(old, _)| rest.starts_with(old.as_bytes()));
            if let Some((old, new)) = pair {
                text.extend_from_slice(new.as_bytes());
                at += old.len();
                is_changed = true;
            } else {
                text.push(bytes[at]);
                at += 1;
            }
        }
        is_changed.then_some(text)
    }

    /// Returns the new target of a link.
    fn of_link(&self, target: PathBuf) -> PathBuf {
        let moved = self.0.iter().find_map(|(old, new)| {
            let rest = target.strip_prefix(old).ok()?;
            Some(Path::new(new).join(rest))
        });
        moved.unwrap_or(target)
    }
}

/// Makes the folders above a path; returns false if something else is there.
pub(super) fn make_way(folder: &Path, path: &str) -> Result<bool, EnvironmentError> {
    let mut place = folder.to_owned();
    let Some(above) = Path::new(path).parent() else {
        return Ok(true);
    };
    for part in above.components() {
        place.push(part);
        match place.symlink_metadata() {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Ok(false),
            Err(_) => fs::create_dir(&place).map_err(failed("make", &place))?,
        }
    }
    Ok(true)
}

fn copy_tree(
    layer: &SealedLayer,
    path: &str,
    new: &Path,
    moved: &MovedPaths,
) -> Result<(), EnvironmentError> {
    let from = layer.files().join(path);
    let found = from.symlink_metadata().map_err(failed("look at", &from))?;
    if !found.is_dir() {
        return copy_file(&from, new, moved);
    }
    let mut files: Vec<(PathBuf, PathBuf)> = Vec::new();
    let mut waiting = vec![(from, new.to_owned())];
    while let Some((from, to)) = waiting.pop() {
        fs::create_dir(&to).map_err(failed("make", &to))?;
        open(&to);
        for entry in fs::read_dir(&from)
            .map_err(failed("list", &from))?
            .flatten()
        {
            let pair = (entry.path(), to.join(entry.file_name()));
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(pair);
            } else {
                files.push(pair);
            }
        }
    }
    files
        .par_iter()
        .try_for_each(|(from, to)| copy_file(from, to, moved))?;
    let texts = &layer.facts.texts_with_path;
    let inside = texts
        .iter()
        .filter_map(|text| Path::new(text).strip_prefix(path).ok());
    for text in inside {
        let place = new.join(text);
        rewrite(&place, moved).map_err(failed("write", &place))?;
    }
    Ok(())
}

/// Copies the files of an output that hold the path of the folder that the layer was built in, with that of another
/// folder in its place, to where an overlay shows them over those of the layer.
pub(super) fn copy_files_with_path(
    layer: &SealedLayer,
    path: &str,
    upper: &Path,
    moved: &MovedPaths,
) -> Result<(), EnvironmentError> {
    let facts = &layer.facts;
    for file in facts.texts_with_path.iter().chain(&facts.links_with_path) {
        let Ok(inside) = Path::new(file).strip_prefix(path) else {
            continue;
        };
        let place = upper.join(inside);
        let above = place.parent().unwrap_or(upper);
        fs::create_dir_all(above).map_err(failed("make", above))?;
        copy_file(&layer.files().join(file), &place, moved)?;
        let is_text = place.symlink_metadata().is_ok_and(|found| found.is_file());
        if is_text {
            rewrite(&place, moved).map_err(failed("write", &place))?;
        }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path, moved: &MovedPaths) -> Result<(), EnvironmentError> {
    let copied = || -> io::Result<()> {
        let found = from.symlink_metadata()?;
        if found.is_symlink() {
            return link(&moved.of_link(fs::read_link(from)?), to);
        }
        let file = clone_or_copy(from, to)?;
        let mut rights = found.permissions();
        make_writable(&mut rights);
        file.set_permissions(rights)?;
        file.set_modified(found.modified()?)
    };
    copied().map_err(failed("copy", from))
}

/// Copies a file, by sharing its blocks where that is possible; returns it open.
fn clone_or_copy(from: &Path, to: &Path) -> io::Result<fs::File> {
    let mut source = fs::File::open(from)?;
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(to)?;
    #[cfg(target_os = "linux")]
    if rustix::fs::ioctl_ficlone(&file, &source).is_ok() {
        return Ok(file);
    }
    io::copy(&mut source, &mut file)?;
    Ok(file)
}

#[cfg(unix)]
fn link(target: &Path, place: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, place)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(unix)]
fn make_writable(rights: &mut fs::Permissions) {
    use std::os::unix::fs::PermissionsExt;
    rights.set_mode(rights.mode() | 0o200);
}

#[cfg(not(unix))]
fn make_writable(rights: &mut fs::Permissions) {
    rights.set_readonly(false);
}

/// Replaces paths in a text by others; the time of the file stays.
fn rewrite(place: &Path, moved: &MovedPaths) -> io::Result<()> {
    let Some(text) = moved.in_text(&fs::read(place)?) else {
        return Ok(());
    };
    let time = fs::metadata(place)?.modified()?;
    fs::write(place, text)?;
    fs::OpenOptions::new()
        .append(true)
        .open(place)?
        .set_modified(time)
}
