//! Makes what git keeps last a power loss: objects before the refs and indexes that lead to them, files before their
//! folders. This file alone says how.
//!
//! - git2 flushes what it writes, and its folder, because of [`SETTINGS`], which every repository opened here reads.
//! - The git program flushes what it writes because of [`FLUSH_ALL`], in each call that acts in the user's repository.
//!   It flushes no folders: [`flush_ref`] and [`flush_new_objects`] do.
//! - Files of a checkout, which git never flushes, go through [`flush_files`] and [`flush_folders`], in one batch a
//!   landing.
//!
//! The repository of a run is not flushed: what comes back from there is written again here.

#![expect(
    clippy::disallowed_methods,
    reason = "what git itself keeps is no document of the store"
)]

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::GitError;
use super::index::failed;

/// The settings that have a call of the git program flush all that it writes.
pub(super) const FLUSH_ALL: [(&str, &str); 2] =
    [("core.fsync", "all"), ("core.fsyncMethod", "fsync")];

/// The setting for a call that writes nothing but an index, which is flushed later.
pub(super) const FLUSH_NOTHING: (&str, &str) = ("core.fsync", "none");

/// The file in the git folder with the setting by which git2 flushes what it writes; git does not read it.
const SETTINGS: &str = "chant-mcp-flush.config";

/// The setting, which git2 knows by the name that git gave up.
const FLUSHES: &str = "[core]\n\tfsyncObjectFiles = true\n";

/// The number of files from which on their whole file system is flushed once instead of each of them.
const MANY: usize = 32;

/// The age from which on a system has written a name without being asked.
const RECENT: Duration = Duration::from_secs(600);

/// Writes the settings that have git2 flush what it writes, unless they are there.
///
/// # Errors
/// `File`.
pub(super) fn prepare(common_dir: &Path) -> Result<(), GitError> {
    let path = settings_file(common_dir);
    if is_ours(&path) {
        return Ok(());
    }
    let beside = common_dir.join(format!("{SETTINGS}-{}", std::process::id()));
    let written = fs::write(&beside, FLUSHES).and_then(|()| fs::rename(&beside, &path));
    written.map_err(|error| failed("write", &path, &error))
}

/// Has an opened repository read the settings; without the file nothing was written here yet. One that says anything
/// else is not ours.
pub(super) fn apply(repo: &git2::Repository) -> Result<(), git2::Error> {
    let path = settings_file(repo.commondir());
    if !is_ours(&path) {
        return Ok(());
    }
    let level = git2::ConfigLevel::App;
    repo.config()?.add_file(&path, level, false)
}

fn is_ours(path: &Path) -> bool {
    fs::read(path).is_ok_and(|found| found == FLUSHES.as_bytes())
}

/// Returns the file with the settings for git2.
pub(super) fn settings_file(common_dir: &Path) -> PathBuf {
    common_dir.join(SETTINGS)
}

/// Returns the setting by which a call of the git program flushes many objects at once, where that is as sure as to
/// flush each of them.
pub(super) fn batch_setting(common_dir: &Path) -> (&'static str, &'static str) {
    if has_one_journal(common_dir) {
        ("core.fsyncMethod", "batch")
    } else {
        FLUSH_ALL[1]
    }
}

/// Makes a ref last that the git program has moved.
///
/// # Errors
/// `File`.
pub(super) fn flush_ref(common_dir: &Path, name: &str) -> Result<(), GitError> {
    let tables = common_dir.join("reftable");
    let folder = match common_dir.join(name).parent() {
        _ if tables.is_dir() => tables,
        Some(folder) if folder.is_dir() => folder.to_owned(),
        _ => common_dir.to_owned(),
    };
    flush_folders(&BTreeSet::from([folder]))
}

/// Makes the names of new objects last, before a ref leads to them: the git program flushed the objects alone.
///
/// # Errors
/// `File`.
pub(super) fn flush_new_objects(common_dir: &Path) -> Result<(), GitError> {
    let objects = common_dir.join("objects");
    if has_one_journal(&objects) {
        return Ok(());
    }
    let since = SystemTime::now().checked_sub(RECENT);
    let is_new = |folder: &PathBuf| {
        let changed = fs::metadata(folder).and_then(|facts| facts.modified());
        changed.is_ok_and(|changed| since.is_none_or(|since| changed >= since))
    };
    let listed = objects.read_dir();
    let listed = listed.map_err(|error| failed("read", &objects, &error))?;
    let mut folders: BTreeSet<PathBuf> = listed
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .filter(is_new)
        .collect();
    folders.insert(objects);
    flush_folders(&folders)
}

/// Makes the contents of files last that were just written; links have none.
///
/// # Errors
/// `File`.
pub(super) fn flush_files(paths: &[PathBuf]) -> Result<(), GitError> {
    if paths.len() > MANY
        && let Some(folder) = paths[0].parent()
        && flush_file_system(folder)
    {
        return Ok(());
    }
    for path in paths {
        let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
        if is_file {
            // Some systems flush only what may be written; git gives each file its rights, which may be none.
            let opened = File::options().write(true).open(path);
            let opened = opened.or_else(|_| File::open(path));
            let flushed = opened.and_then(|file| file.sync_all());
            flushed.map_err(|error| failed("flush", path, &error))?;
        }
    }
    Ok(())
}

/// Makes the names in folders last.
///
/// # Errors
/// `File`.
pub(super) fn flush_folders(folders: &BTreeSet<PathBuf>) -> Result<(), GitError> {
    if folders.len() > MANY
        && let Some(first) = folders.first()
        && flush_file_system(first)
    {
        return Ok(());
    }
    for folder in folders {
        match flush_folder(folder) {
            // It went again, or something else lies there now.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            flushed => flushed.map_err(|error| failed("flush", folder, &error))?,
        }
    }
    Ok(())
}

#[cfg(unix)]
fn flush_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        // SMB and many FUSE systems have no such call for folders.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        flushed => flushed,
    }
}

#[cfg(not(unix))]
fn flush_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns true for a file system that writes all names in the order in which they were made, so that to flush a ref,
/// which comes later, flushes those of its objects; also for one in memory, where nothing lasts.
#[cfg(target_os = "linux")]
fn has_one_journal(folder: &Path) -> bool {
    const EXT: u32 = 0xEF53;
    const XFS: u32 = 0x5846_5342;
    const MEMORY: u32 = 0x0102_1994;
    matches!(kind_of_system(folder), Some(EXT | XFS | MEMORY))
}

#[cfg(not(target_os = "linux"))]
fn has_one_journal(_folder: &Path) -> bool {
    false
}

#[cfg(target_os = "linux")]
fn kind_of_system(folder: &Path) -> Option<u32> {
    let facts = rustix::fs::statfs(folder).ok()?;
    u32::try_from(facts.f_type).ok()
}

/// Flushes a whole file system once; returns false where that is not sure to reach the disk.
#[cfg(target_os = "linux")]
fn flush_file_system(folder: &Path) -> bool {
    /// File systems of programs, for which the call does nothing.
    const FUSE: u32 = 0x6573_5546;
    let is_known = kind_of_system(folder).is_some_and(|kind| kind != FUSE);
    is_known && File::open(folder).is_ok_and(|opened| rustix::fs::syncfs(&opened).is_ok())
}

#[cfg(not(target_os = "linux"))]
fn flush_file_system(_folder: &Path) -> bool {
    false
}
