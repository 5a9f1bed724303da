//! Copies a layer into a folder: by shared blocks where the file system has them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::layer::{LayerOutput, SealedLayer, open, remove};
use super::seal::holds;
use super::{EnvironmentError, failed};

/// The end of the name of a copy that is not complete.
const UNFINISHED: &str = ".chant-new";

/// Copies what a layer has into a folder, the one of the recipe. What is there already stays, so that what an earlier
/// run installed is kept. Texts that hold the path of the folder that the layer was built in get the path of this one.
/// Returns the paths that were copied.
///
/// The way to a path leads through folders alone: a run may have put links there.
///
/// # Errors
/// `File`.
pub fn copy_layer(layer: &SealedLayer, folder: &Path) -> Result<Vec<String>, EnvironmentError> {
    layer
        .note_use()
        .map_err(failed("note the use of", &layer.files()))?;
    let mut copied = Vec::new();
    for LayerOutput { path, .. } in &layer.facts.outputs {
        if copy_output(layer, path, folder)? {
            copied.push(path.clone());
        }
    }
    Ok(copied)
}

/// Copies an output into a folder; returns false where something is there already.
pub(super) fn copy_output(
    layer: &SealedLayer,
    path: &str,
    folder: &Path,
) -> Result<bool, EnvironmentError> {
    let place = folder.join(path);
    if place.symlink_metadata().is_ok() || !make_way(folder, path)? {
        return Ok(false);
    }
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(UNFINISHED);
    let new = place.with_file_name(name);
    // What a process left that was killed.
    remove(&new).or_else(|error| fs::remove_file(&new).map_err(|_| error))?;
    copy_tree(layer, path, &new, folder)?;
    fs::rename(&new, &place).map_err(failed("name", &new))?;
    Ok(true)
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
    folder: &Path,
) -> Result<(), EnvironmentError> {
    let from = layer.files().join(path);
    let (old, now) = (&*layer.facts.built_in, folder.display().to_string());
    let found = from.symlink_metadata().map_err(failed("look at", &from))?;
    if !found.is_dir() {
        return copy_file(&from, new, (old, &now));
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
        .try_for_each(|(from, to)| copy_file(from, to, (old, &now)))?;
    let texts = &layer.facts.texts_with_path;
    let inside = texts
        .iter()
        .filter_map(|text| Path::new(text).strip_prefix(path).ok());
    for text in inside {
        let place = new.join(text);
        rewrite(&place, old.as_bytes(), now.as_bytes()).map_err(failed("write", &place))?;
    }
    Ok(())
}

/// Copies the files of an output that hold the path of the folder that the layer was built in, with that of another
/// folder in its place, to where an overlay shows them over those of the layer.
pub(super) fn copy_files_with_path(
    layer: &SealedLayer,
    path: &str,
    upper: &Path,
    folder: &Path,
) -> Result<(), EnvironmentError> {
    let (old, now) = (&*layer.facts.built_in, folder.display().to_string());
    let facts = &layer.facts;
    for file in facts.texts_with_path.iter().chain(&facts.links_with_path) {
        let Ok(inside) = Path::new(file).strip_prefix(path) else {
            continue;
        };
        let place = upper.join(inside);
        let above = place.parent().unwrap_or(upper);
        fs::create_dir_all(above).map_err(failed("make", above))?;
        copy_file(&layer.files().join(file), &place, (old, &now))?;
        let is_text = place.symlink_metadata().is_ok_and(|found| found.is_file());
        if is_text {
            rewrite(&place, old.as_bytes(), now.as_bytes()).map_err(failed("write", &place))?;
        }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path, (old, now): (&str, &str)) -> Result<(), EnvironmentError> {
    let copied = || -> io::Result<()> {
        let found = from.symlink_metadata()?;
        if found.is_symlink() {
            let target = fs::read_link(from)?;
            let moved = target
                .strip_prefix(old)
                .map(|rest| Path::new(now).join(rest));
            return link(&moved.unwrap_or(target), to);
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

/// Replaces a path in a text by another one; the time of the file stays.
fn rewrite(place: &Path, old: &[u8], now: &[u8]) -> io::Result<()> {
    let bytes = fs::read(place)?;
    if !holds(&bytes, old) {
        return Ok(());
    }
    let time = fs::metadata(place)?.modified()?;
    let mut text = Vec::with_capacity(bytes.len());
    let mut rest = &*bytes;
    while let Some(at) = rest.windows(old.len()).position(|part| part == old) {
        text.extend_from_slice(&rest[..at]);
        text.extend_from_slice(now);
        rest = &rest[at + old.len()..];
    }
    text.extend_from_slice(rest);
    fs::write(place, text)?;
    fs::OpenOptions::new()
        .append(true)
        .open(place)?
        .set_modified(time)
}
