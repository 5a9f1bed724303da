//! Removes folders with all that others wrote in them.

use std::fs;
use std::io;
use std::path::Path;

use super::StoreError;

/// Removes a folder of our own with everything in it; links are removed, not followed. Folders that
/// may not be changed, such as those of Go's module cache, are opened first.
///
/// # Errors
/// `Io`.
pub fn remove_tree(path: &Path) -> Result<(), StoreError> {
    let mut removed = fs::remove_dir_all(path);
    if is_denied(&removed) {
        removed = open_folders(path).and_then(|()| fs::remove_dir_all(path));
    }
    match removed {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(StoreError::io("remove", path, e)),
        _ => Ok(()),
    }
}

fn is_denied(removed: &io::Result<()>) -> bool {
    let error = removed.as_ref().err();
    error.is_some_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}

/// Gives the owner all rights to a folder and to those below it.
#[cfg(unix)]
fn open_folders(path: &Path) -> io::Result<()> {
    use rustix::fs::CWD;
    open_at(CWD, path)
}

#[cfg(not(unix))]
fn open_folders(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Opens the folder `name` in `parent`. Each one is changed by its handle: a process that still runs
/// there could put a link into its place meanwhile, and the rights of what it leads to would change.
#[cfg(unix)]
fn open_at(parent: std::os::fd::BorrowedFd<'_>, name: &Path) -> io::Result<()> {
    use rustix::fs::{Dir, FileType, Mode, OFlags, openat};
    use std::os::unix::ffi::OsStrExt;

    give_rights(parent, name)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = openat(parent, name, flags, Mode::empty())?;
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_folder = matches!(entry.file_type(), FileType::Directory | FileType::Unknown);
        if is_folder && name != c"." && name != c".." {
            let name = Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()));
            match open_at(std::os::fd::AsFd::as_fd(&folder), name) {
                Err(error) if error.kind() != io::ErrorKind::NotADirectory => return Err(error),
                _ => {}
            }
        }
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn give_rights(parent: std::os::fd::BorrowedFd<'_>, name: &Path) -> io::Result<()> {
    use rustix::fs::{Mode, OFlags, chmod, openat};
    use std::os::fd::AsRawFd;

    // Its owner may lack the right to read it, and then can open it in this way alone.
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = openat(parent, name, flags, Mode::empty())?;
    let handle = format!("/proc/self/fd/{}", folder.as_raw_fd());
    Ok(chmod(handle, Mode::RWXU)?)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn give_rights(parent: std::os::fd::BorrowedFd<'_>, name: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, Mode, chmodat};
    Ok(chmodat(
        parent,
        name,
        Mode::RWXU,
        AtFlags::SYMLINK_NOFOLLOW,
    )?)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn folders_without_rights_are_removed_and_targets_of_links_keep_theirs() {
        let around = tempfile::tempdir().unwrap();
        let (tree, outside) = (around.path().join("tree"), around.path().join("outside"));
        fs::create_dir_all(tree.join("a/b/c")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(tree.join("a/b/c/file"), "text").unwrap();
        symlink(&outside, tree.join("a/b/link")).unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode));
        set(&outside, 0o500).unwrap();
        for (name, mode) in [("a/b/c", 0o000), ("a/b", 0o500), ("a", 0o500)] {
            set(&tree.join(name), mode).unwrap();
        }
        // Called by itself, since the user `root` can remove everything without it.
        open_folders(&tree).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(
            ["a", "a/b", "a/b/c"].map(|name| mode(&tree.join(name))),
            [0o700; 3]
        );
        set(&tree.join("a/b/c"), 0o000).unwrap();
        remove_tree(&tree).unwrap();
        assert!(!tree.exists());
        assert_eq!(mode(&outside), 0o500);
        remove_tree(&tree).unwrap();
    }
}
