//! Files in a folder that somebody else writes in at the same time: opened without following links, so that what
//! changes places meanwhile leads nowhere else.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a file for reading; one that lies in `folder`, which is real, without following links below it.
///
/// # Errors
/// Also for a link below the folder.
#[cfg(target_os = "linux")]
pub(super) fn open_beneath(folder: &Path, path: &Path) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
    use rustix::io::Errno;
    let Ok(inside) = path.strip_prefix(folder) else {
        return super::open_without_waiting(path);
    };
    let way = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = openat(CWD, folder, way, Mode::empty())?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(folder, inside, flags, Mode::empty(), resolve) {
        Ok(file) => Ok(file.into()),
        // A kernel without it holds no run either.
        Err(Errno::NOSYS) => super::open_without_waiting(path),
        Err(Errno::LOOP) => Err(io::Error::other("a link leads there")),
        Err(error) => Err(error.into()),
    }
}

/// Opens a file for reading.
///
/// # Errors
/// As the system says.
#[cfg(not(target_os = "linux"))]
pub(super) fn open_beneath(_folder: &Path, path: &Path) -> io::Result<File> {
    super::open_without_waiting(path)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::super::Disk;

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
        let real = super::super::real(&folder).unwrap();
        let read = |name: &str| disk.read_text(&real.join(name), name).map(|(text, _)| text);
        assert_eq!(read("plain").unwrap(), "plain");
        assert!(
            read("link")
                .unwrap_err()
                .to_string()
                .contains("a link leads there")
        );
        assert!((disk.holds)(&real.join("link"), b"secret").is_err());
        assert_eq!(
            disk.read_text(&around.path().join("secret"), "secret")
                .unwrap()
                .0,
            "secret"
        );
    }
}
