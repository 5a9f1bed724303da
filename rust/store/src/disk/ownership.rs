//! Files and folders of our own state: made so that no other user can write them, and read only when that is so.

use chant_base::diagnostics::LogFailure;
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Component, Path};

use super::place::FilePlace;
use super::sweep::temporary_beside;
use super::{StoreError, WRITE, is_absent, regular, rename_new};
use chant_base::counted::{count_opened, count_read};

/// The rights to a file or folder, links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about the rights"
)]
pub struct FileOwnership {
    /// True if it is a folder.
    pub is_folder: bool,
    /// True if it is a regular file.
    pub is_file: bool,
    /// True if it belongs to the user that this process acts for.
    pub is_own: bool,
    /// True if other users may write it.
    pub is_shared: bool,
    /// True if others have no rights to it at all.
    pub is_private: bool,
}

impl FileOwnership {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            is_folder: metadata.is_dir(),
            is_file: metadata.is_file(),
            is_own: metadata.uid() == rustix::process::geteuid().as_raw(),
            is_shared: metadata.mode() & 0o022 != 0,
            is_private: (metadata.mode() & 0o077).count_ones() == 0,
        }
    }

    /// Elsewhere the user's own folders are the user's by their place.
    #[cfg(not(unix))]
    fn of(metadata: &Metadata) -> Self {
        Self {
            is_folder: metadata.is_dir(),
            is_file: metadata.is_file(),
            is_own: true,
            is_shared: false,
            is_private: true,
        }
    }

    /// Returns true if it is a folder that only this user can have filled.
    pub fn is_own_folder(&self) -> bool {
        self.is_folder && self.is_own && !self.is_shared
    }
}

/// Returns the rights to something; `None` when it is not there.
pub fn owned(path: &Path) -> Option<FileOwnership> {
    fs::symlink_metadata(path)
        .ok()
        .map(|m| FileOwnership::of(&m))
}

/// Returns true if anything in a folder is a link.
pub fn holds_links(folder: &Path) -> bool {
    let is_link = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()))
    };
    fs::read_dir(folder).is_ok_and(|mut entries| entries.any(is_link))
}

/// Reads a regular file that belongs to this user and that no other user may write, links not followed.
///
/// # Errors
/// `Missing`, or `Unreadable` with what is wrong.
pub fn read_owned(path: &Path, most: u64) -> Result<String, StoreError> {
    let refused = |why: String| StoreError::Unreadable {
        path: path.display().to_string(),
        why,
    };
    let mut options = OpenOptions::new();
    options.read(true);
    no_link(&mut options);
    let opened = options
        .open(path)
        .and_then(|file| file.metadata().map(|metadata| (file, metadata)));
    let (file, metadata) = match opened {
        Ok(opened) => opened,
        Err(error) if is_absent(&error) => {
            let path = path.display().to_string();
            return Err(StoreError::Missing { path });
        }
        Err(_) if super::is_link(path) => return Err(refused("it is a link".into())),
        Err(error) => return Err(refused(error.to_string())),
    };
    let facts = FileOwnership::of(&metadata);
    if !facts.is_file {
        return Err(refused("it is not a file".into()));
    }
    if !facts.is_own {
        return Err(refused("it belongs to another user".into()));
    }
    if facts.is_shared {
        return Err(refused("other users may write it".into()));
    }
    if metadata.len() > most {
        return Err(refused("it is too large".into()));
    }
    let mut text = String::new();
    let read = file.take(most).read_to_string(&mut text);
    count_opened();
    count_read(text.len());
    read.map(|_| text).map_err(|e| refused(e.to_string()))
}

/// Makes a file that only its owner can read or write, durably; its place must be free.
///
/// # Errors
/// `Exists`, or `NotWritten`.
pub fn create_owned(path: &Path, text: &str) -> Result<(), StoreError> {
    let temporary = temporary_beside(&path.into());
    let written = write_new(temporary.path(), text.as_bytes())
        .map_err(|e| StoreError::io(WRITE, path, e))
        .and_then(|()| rename_new(&temporary, path));
    if written.is_err() {
        // The first error is reported.
        temporary.unlink().log_failure("remove a temporary file");
    }
    written?;
    super::flush_folder_of(path)
}

/// Copies a regular file, links not followed, into a file that only its owner can read or write; its place must
/// be free.
///
/// # Errors
/// `Missing`, `Exists`, `Unreadable` for what is no regular file, or `NotWritten`.
pub fn copy_owned(from: &Path, to: &Path) -> Result<(), StoreError> {
    let mut source = regular(from, OpenOptions::new().read(true))?;
    let mut new = OpenOptions::new();
    new.write(true).create_new(true);
    private(&mut new);
    let copied = new
        .open(to)
        .and_then(|mut target| io::copy(&mut source, &mut target));
    copied.map(drop).map_err(|e| StoreError::io(WRITE, to, e))
}

/// Writes a copy for other programs, not durably, whatever is at its place; a link there is replaced.
///
/// # Errors
/// `NotWritten`.
pub fn copy_out(place: impl Into<FilePlace>, text: &str) -> Result<(), StoreError> {
    let place = place.into();
    let temporary = temporary_beside(&place);
    let written = temporary
        .create()
        .and_then(|mut file| super::write_all(&mut file, text.as_bytes()))
        .and_then(|()| temporary.rename(&place));
    if written.is_err() {
        // The error that is reported is the one that came first.
        temporary.unlink().log_failure("remove a temporary file");
    }
    written.map_err(|e| StoreError::io(WRITE, place.path(), e))
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut new = OpenOptions::new();
    new.write(true).create_new(true);
    private(&mut new);
    let mut file = new.open(path)?;
    super::write_all(&mut file, bytes)?;
    file.sync_all()
}

/// Makes a folder of our state, whose owner alone can look into it; the one above is there. One that exists has
/// to be such a folder.
///
/// # Errors
/// `Unreadable` for something else, or `NotWritten`.
pub fn make_owned_folder(path: &Path) -> Result<(), StoreError> {
    match private_folder().create(path) {
        Ok(()) => return super::flush_folder_of(path),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
        Err(e) => return Err(StoreError::io(WRITE, path, e)),
    }
    if owned(path).is_some_and(|facts| facts.is_own_folder()) {
        return Ok(());
    }
    Err(StoreError::Unreadable {
        path: path.display().to_string(),
        why: "other users may write in it; move it away, or remove their rights".into(),
    })
}

/// Takes the rights of others to a folder and all in it away; links are left alone, and so is what other processes
/// remove meanwhile.
///
/// # Errors
/// `Io`.
pub fn keep_private(path: &Path) -> Result<(), StoreError> {
    let failed = |e| StoreError::io("change the rights of", path, e);
    let metadata = fs::symlink_metadata(path).map_err(failed)?;
    if metadata.is_symlink() {
        return Ok(());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let rights = metadata.permissions().mode() & 0o700;
        fs::set_permissions(path, fs::Permissions::from_mode(rights)).map_err(failed)?;
    }
    if metadata.is_dir() {
        for entry in fs::read_dir(path).map_err(failed)? {
            match keep_private(&entry.map_err(failed)?.path()) {
                Err(StoreError::Missing { .. }) => {}
                kept => kept?,
            }
        }
    }
    Ok(())
}

/// Returns true if each folder on the way from a real one down to a path is a folder of this user and no link.
pub fn is_plain_below(root: &Path, path: &Path) -> bool {
    let Ok(inside) = path.strip_prefix(root) else {
        return false;
    };
    let mut at = root.to_owned();
    let is_folder = |at: &Path| owned(at).is_some_and(|facts| facts.is_folder && facts.is_own);
    let mut parts = inside.components().peekable();
    parts.peek().is_some()
        && parts.all(|part| {
            at.push(part);
            matches!(part, Component::Normal(_)) && is_folder(&at)
        })
}

/// Lets nothing be opened through a link, and never waits.
fn no_link(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
        options.custom_flags(flags.bits().cast_signed());
    }
    #[cfg(not(unix))]
    let _ = options;
}

/// Makes folders that their owner alone can look into.
pub(super) fn private_folder() -> fs::DirBuilder {
    #[cfg_attr(
        not(unix),
        expect(unused_mut, reason = "other systems have no such rights")
    )]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder
}

/// Gives a new file to its owner alone.
pub(super) fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = options;
}
