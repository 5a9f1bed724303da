//! Finds the secrets of the system, for users who may read more than others, such as the superuser.

use std::path::{Path, PathBuf};

use crate::places::{MIXED, NEEDED, SECRET_NAMES, SECRETS_OF_SYSTEM};
use chant_store::disk;

/// Returns paths of the system that are never read: those that are known, and in folders that hold
/// more than the system's own what not everybody may read.
pub(super) fn secrets_of_system() -> Vec<PathBuf> {
    let known = SECRETS_OF_SYSTEM.iter().map(PathBuf::from);
    let mut found: Vec<PathBuf> = known.filter(|path| is_readable(path)).collect();
    for (folder, depth) in MIXED {
        look_into(Path::new(folder), depth, &mut found);
    }
    found
}

fn look_into(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for one in disk::names(folder).unwrap_or_default() {
        let path = folder.join(&one.name);
        if one.is_link || NEEDED.iter().any(|needed| path.starts_with(needed)) {
            continue;
        }
        let is_secret = SECRET_NAMES.contains(&&*one.name);
        if is_secret || !is_everybodys(&path, one.is_folder) {
            if is_readable(&path) {
                found.push(path);
            }
        } else if one.is_folder && depth > 1 {
            look_into(&path, depth - 1, found);
        }
    }
}

/// Returns true if every user of the machine may read a file, or look into a folder.
#[cfg(unix)]
fn is_everybodys(path: &Path, is_folder: bool) -> bool {
    use rustix::fs::Mode;
    let needed = if is_folder { Mode::XOTH } else { Mode::ROTH };
    let found = rustix::fs::lstat(path);
    found.is_ok_and(|found| Mode::from_raw_mode(found.st_mode).contains(needed))
}

#[cfg(not(unix))]
fn is_everybodys(_path: &Path, _is_folder: bool) -> bool {
    true
}

#[cfg(unix)]
fn is_readable(path: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(path, Access::READ_OK).is_ok()
}

#[cfg(not(unix))]
fn is_readable(path: &Path) -> bool {
    disk::exists(path)
}
