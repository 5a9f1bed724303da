//! Files in a folder that another program writes in at the same time: opened without following links, so that
//! what changes places meanwhile leads nowhere else.

use chant_base::diagnostics::LogFailure;
use std::fs::File;
use std::io;
use std::path::Path;

use chant_base::counted::{count_opened, count_read};

/// The outcome of opening a file in one step, without following links.
pub(super) enum OpenOutcome {
    /// The file.
    File(File),
    /// A link lies on the way, or is what was named.
    Link,
    /// The system cannot do that.
    Unsupported,
}

/// A folder that stays open while many files below it are read, so that the way to it is gone once.
#[derive(Debug)]
pub(super) struct OpenedWay {
    #[cfg(target_os = "linux")]
    folder: std::os::fd::OwnedFd,
}

impl OpenedWay {
    /// Opens the way to a real folder.
    ///
    /// # Errors
    /// As the system says.
    #[cfg(target_os = "linux")]
    pub(super) fn to(folder: &Path) -> io::Result<Self> {
        use rustix::fs::{CWD, Mode, OFlags, openat};
        let way = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat(CWD, folder, way, Mode::empty())?;
        Ok(Self { folder })
    }

    /// Says that it cannot be done.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn to(_folder: &Path) -> io::Result<Self> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }
}

/// Opens what lies below a real folder for reading, in one step and without following links below it; never waits
/// on a pipe. `way` is the way to that folder where it is open already.
///
/// # Errors
/// As the system says.
#[cfg(target_os = "linux")]
pub(super) fn open_plain(
    folder: &Path,
    way: Option<&OpenedWay>,
    path: &Path,
) -> io::Result<OpenOutcome> {
    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;
    let inside = path.strip_prefix(folder).map_err(io::Error::other)?;
    let inside = if inside.as_os_str().is_empty() {
        Path::new(".")
    } else {
        inside
    };
    let fresh;
    let way = if let Some(way) = way {
        way
    } else {
        fresh = OpenedWay::to(folder)?;
        &fresh
    };
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(&way.folder, inside, flags, Mode::empty(), resolve) {
        Ok(file) => Ok(OpenOutcome::File(file.into())),
        Err(Errno::LOOP) => Ok(OpenOutcome::Link),
        // Kernels before 5.6, and sandboxes that know no such call.
        Err(Errno::NOSYS | Errno::PERM) => Ok(OpenOutcome::Unsupported),
        Err(error) => Err(error.into()),
    }
}

/// Says that it cannot be done.
///
/// # Errors
/// None.
#[cfg(not(target_os = "linux"))]
pub(super) fn open_plain(
    _folder: &Path,
    _way: Option<&OpenedWay>,
    _path: &Path,
) -> io::Result<OpenOutcome> {
    Ok(OpenOutcome::Unsupported)
}

/// Opens a file for reading; one that lies in `folder`, which is real, without following links below it.
///
/// # Errors
/// Also for a link below the folder.
pub(super) fn open_beneath(folder: &Path, path: &Path) -> io::Result<File> {
    if !path.starts_with(folder) {
        return super::open_without_waiting(path);
    }
    match open_plain(folder, None, path)? {
        OpenOutcome::File(file) => Ok(file),
        OpenOutcome::Link => Err(io::Error::other("a link leads there")),
        // A kernel without it holds no run either.
        OpenOutcome::Unsupported => super::open_without_waiting(path),
    }
}

/// Opens a regular file in `folder` that has no other name, links below it not followed; returns its size, too.
///
/// # Errors
/// As the system says; for what is no regular file, or has other names: one may lie where the writer of the folder
/// cannot read.
pub fn open_regular_beneath(folder: &Path, name: &str) -> io::Result<(File, u64)> {
    let path = folder.join(name);
    let is_plain = path
        .parent()
        .is_some_and(|above| above == folder || super::is_plain_below(folder, above));
    if !is_plain {
        return Err(io::Error::other("a link leads there"));
    }
    let file = open_beneath(folder, &path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if found.nlink() != 1 {
            return Err(io::Error::other("it has other names"));
        }
    }
    count_opened();
    Ok((file, found.len()))
}

/// Reads a small regular file in `folder`, links below it not followed.
///
/// # Errors
/// As the system says; for what is no regular file, has more bytes than `most`, or is no text.
pub fn read_beneath(folder: &Path, name: &str, most: u64) -> io::Result<String> {
    use std::io::Read;
    let file = open_beneath(folder, &folder.join(name))?;
    let found = file.metadata()?;
    if !found.is_file() || found.len() > most {
        return Err(io::Error::other("it is not a small file"));
    }
    let mut text = String::new();
    file.take(most).read_to_string(&mut text)?;
    count_opened();
    count_read(text.len());
    Ok(text)
}

/// Puts a file that only its owner can read into the place of another in `folder`, links below it not followed.
///
/// # Errors
/// As the system says, and where a link leads to its place.
#[cfg(target_os = "linux")]
pub fn replace_beneath(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    use super::place::OpenFolder;
    use std::io::Write;
    let path = folder.join(name);
    let (Some(parent), Some(last)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::other("it has no name"));
    };
    let place = OpenFolder::below(folder, parent)?
        .ok_or_else(|| io::Error::other("a link leads there"))?
        .place(last);
    // Below the folder somebody else may have put a link.
    super::sweep_folder(folder);
    let temporary = place.beside(super::temporary_names::temporary_name());
    let mut file = temporary.create_private()?;
    let done = file
        .write_all(text.as_bytes())
        .and_then(|()| temporary.rename(&place));
    if done.is_err() {
        // What is reported is what came first.
        temporary.unlink().log_failure("remove a temporary file");
    }
    done
}

/// Not done where nothing keeps links from being followed.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn replace_beneath(_folder: &Path, _name: &str, _text: &str) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use crate::disk::Disk;

    #[test]
    fn a_link_in_the_folder_is_not_read_and_one_on_the_way_there_is() {
        let around = tempfile::tempdir().unwrap();
        let (folder, way) = (around.path().join("run"), around.path().join("way"));
        std::fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink(&folder, &way).unwrap();
        std::fs::write(around.path().join("secret"), "secret").unwrap();
        std::fs::write(folder.join("plain"), "plain").unwrap();
        std::os::unix::fs::symlink("../secret", folder.join("link")).unwrap();
        let disk = Disk::default().without_links_in(&way);
        let real = crate::disk::real(&folder).unwrap();
        let read = |name: &str| disk.read_text(&real.join(name), name).map(|(text, _)| text);
        assert_eq!(read("plain").unwrap(), "plain");
        assert!(
            read("link")
                .unwrap_err()
                .to_string()
                .contains("a link leads there")
        );
        assert!(disk.holds_bytes(&real.join("link"), b"secret").is_err());
        assert_eq!(
            disk.read_text(&around.path().join("secret"), "secret")
                .unwrap()
                .0,
            "secret"
        );
    }
}
