//! Operations by names in folders, where no folder can be kept open: by their paths, as they were checked.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::FileStamp;
use super::place::{FilePlace, FolderWay, OpenFolder};

#[expect(
    clippy::unnecessary_wraps,
    reason = "other systems find something out here"
)]
pub(super) fn open_folder(_root: &Path, _folder: &Path) -> io::Result<Option<FolderWay>> {
    Ok(Some(FolderWay::Path))
}

/// The path of a place whose folder was there.
fn at(place: &FilePlace) -> io::Result<&Path> {
    folder_of(&place.folder).map(|_| place.path())
}

fn folder_of(folder: &OpenFolder) -> io::Result<&Path> {
    match folder.way {
        FolderWay::Path => Ok(folder.path()),
        FolderWay::Missing => Err(io::ErrorKind::NotFound.into()),
    }
}

pub(super) fn stamp(place: &FilePlace) -> io::Result<FileStamp> {
    fs::symlink_metadata(at(place)?).map(|m| FileStamp::of(&m))
}

pub(super) fn is_folder(place: &FilePlace) -> io::Result<bool> {
    fs::symlink_metadata(at(place)?).map(|m| m.is_dir())
}

pub(super) fn read_link(place: &FilePlace) -> io::Result<PathBuf> {
    fs::read_link(at(place)?)
}

#[cfg(windows)]
pub(super) fn make_link(says: &Path, place: &FilePlace) -> io::Result<()> {
    std::os::windows::fs::symlink_file(says, at(place)?)
}

#[cfg(not(windows))]
pub(super) fn make_link(_says: &Path, _place: &FilePlace) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn make_folder(place: &FilePlace) -> io::Result<()> {
    fs::create_dir(at(place)?)
}

pub(super) fn create(place: &FilePlace, _is_private: bool) -> io::Result<File> {
    let mut new = OpenOptions::new();
    new.write(true).create_new(true).open(at(place)?)
}

pub(super) fn open(place: &FilePlace) -> io::Result<File> {
    File::open(at(place)?)
}

pub(super) fn append(place: &FilePlace) -> io::Result<File> {
    let mut grown = OpenOptions::new();
    grown.append(true).read(true).create(true).open(at(place)?)
}

pub(super) fn names(folder: &OpenFolder) -> io::Result<Vec<String>> {
    let entries = fs::read_dir(folder_of(folder)?)?;
    let names = entries.flatten().map(|entry| entry.file_name());
    Ok(names.filter_map(|name| name.into_string().ok()).collect())
}

pub(super) fn remove(place: &FilePlace) -> io::Result<()> {
    fs::remove_file(at(place)?)
}

pub(super) fn remove_folder(place: &FilePlace) -> io::Result<()> {
    fs::remove_dir(at(place)?)
}

pub(super) fn rename(from: &FilePlace, to: &FilePlace) -> io::Result<()> {
    fs::rename(at(from)?, at(to)?)
}

pub(super) fn link(from: &FilePlace, to: &FilePlace) -> io::Result<()> {
    fs::hard_link(at(from)?, at(to)?)
}

pub(super) fn rename_to_free(_from: &FilePlace, _to: &FilePlace) -> Option<io::Result<()>> {
    None
}

pub(super) fn exchange(_one: &FilePlace, _other: &FilePlace) -> Option<io::Result<()>> {
    None
}
