//! The entries of folders.

use std::fs;
use std::path::Path;

use super::{sweep, temporary_names};
use crate::StoreError;
use chant_base::counted::count_listed;

/// The entries of a folder.
#[derive(Debug, Default)]
pub struct FolderListing {
    /// Names of files, links to files and everything else that is not a folder; with its kind.
    pub files: Vec<FolderFile>,
    /// Names of folders, and whether each is a link to one.
    pub folders: Vec<(String, bool)>,
}

/// One entry of a folder that is not a folder itself.
#[derive(Debug)]
pub struct FolderFile {
    /// Its name; a name that is not UTF-8 is shown with replacement characters.
    pub name: String,
    /// True if it is a link.
    pub is_link: bool,
    /// True if `name` is the real name.
    pub is_named: bool,
}

/// Lists a folder, hidden entries left out; temporary files that a crash of ours left are removed.
///
/// # Errors
/// `StoreError::Io` or `Missing` when the folder cannot be listed.
pub fn list(folder: &Path) -> Result<FolderListing, StoreError> {
    let mut listing = FolderListing::default();
    let failed = |e| StoreError::io("list", folder, e);
    let mut has_debris = false;
    for entry in fs::read_dir(folder).map_err(failed)? {
        count_listed();
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let shown = name.to_string_lossy().into_owned();
        if shown.starts_with('.') {
            has_debris |= temporary_names::writer_of(&shown).is_some();
            continue;
        }
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() || (kind.is_symlink() && entry.path().is_dir()) {
            listing.folders.push((shown, kind.is_symlink()));
        } else {
            listing.files.push(FolderFile {
                is_named: name.to_str().is_some(),
                is_link: kind.is_symlink(),
                name: shown,
            });
        }
    }
    if has_debris {
        sweep::sweep_now(folder);
    }
    Ok(listing)
}

/// Something in a folder, hidden things included.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FolderEntry {
    /// Its name; a name that is not UTF-8 is shown with replacement characters.
    pub name: String,
    /// True if it is itself a folder; a link to one is not.
    pub is_folder: bool,
    /// True for a link, whatever it leads to.
    pub is_link: bool,
}

/// Returns the entries of a folder, by name; unlike [`list`] it leaves everything as it is, so that it is fit
/// for folders that are not ours.
///
/// # Errors
/// `StoreError::Io` or `Missing` when the folder cannot be listed.
pub fn names(folder: &Path) -> Result<Vec<FolderEntry>, StoreError> {
    let failed = |e| StoreError::io("list", folder, e);
    let named = |entry: fs::DirEntry| FolderEntry {
        name: entry.file_name().to_string_lossy().into_owned(),
        is_folder: entry.file_type().is_ok_and(|kind| kind.is_dir()),
        is_link: entry.file_type().is_ok_and(|kind| kind.is_symlink()),
    };
    let entries = fs::read_dir(folder).map_err(failed)?;
    let mut names = entries
        .inspect(|_| count_listed())
        .map(|entry| entry.map(named).map_err(failed))
        .collect::<Result<Vec<_>, _>>()?;
    names.sort();
    Ok(names)
}
