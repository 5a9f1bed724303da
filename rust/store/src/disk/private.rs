//! Files that only their owner may read or write: what is believed of them no other user can have written.

use chant_base::diagnostics::LogFailure;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use super::ownership::private_folder;
use super::sweep::temporary_beside;
use super::{StoreError, WRITE};
use chant_base::counted::{count_opened, count_read};

/// Rights that a private file or folder gives to no one else.
#[cfg(unix)]
const OF_OTHERS: u32 = 0o077;

/// Makes a folder that only its owner can look into, and those above it.
///
/// # Errors
/// `NotWritten`, or `Unreadable` for what is no private folder of this user.
pub fn make_private_folder(path: &Path) -> Result<(), StoreError> {
    if let Some(above) = path.parent() {
        super::make_folders(above)?;
    }
    match private_folder().create(path) {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => {
            return Err(StoreError::io(WRITE, path, e));
        }
        _ => {}
    }
    let metadata = fs::symlink_metadata(path).map_err(|e| StoreError::io("find", path, e))?;
    refuse_shared(path, &metadata, metadata.is_dir())
}

/// Reads a private file in a private folder, links not followed; `None` when it is not there.
///
/// # Errors
/// `Unreadable` with what is wrong: a link, another owner, rights of others, no UTF-8, more than `most` bytes.
pub fn read_private(path: &Path, most: u64) -> Result<Option<String>, StoreError> {
    let failed = |e: io::Error| StoreError::Unreadable {
        path: path.display().to_string(),
        why: e.to_string(),
    };
    let Some(folder) = path.parent() else {
        return Ok(None);
    };
    match fs::symlink_metadata(folder) {
        Ok(metadata) => refuse_shared(folder, &metadata, metadata.is_dir())?,
        Err(e) if super::is_absent(&e) => return Ok(None),
        Err(e) => return Err(failed(e)),
    }
    let mut file = match open_itself(path) {
        Ok(file) => file,
        Err(e) if super::is_absent(&e) => return Ok(None),
        Err(e) => return Err(failed(e)),
    };
    let metadata = file.metadata().map_err(failed)?;
    refuse_shared(
        path,
        &metadata,
        metadata.is_file() && metadata.len() <= most,
    )?;
    count_opened();
    let mut text = String::new();
    (&mut file)
        .take(most)
        .read_to_string(&mut text)
        .map_err(failed)?;
    count_read(text.len());
    Ok(Some(text))
}

/// Writes a private file, durably and at once, whatever is there; its folder is private already.
///
/// # Errors
/// `NotWritten`.
pub fn write_private(path: &Path, content: impl AsRef<[u8]>) -> Result<(), StoreError> {
    let failed = |source: io::Error| StoreError::NotWritten {
        path: path.display().to_string(),
        source,
    };
    let temporary = temporary_beside(&path.into());
    let mut new = OpenOptions::new();
    new.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        new.mode(0o600);
    }
    let written = new
        .open(temporary.path())
        .and_then(|mut file| {
            super::write_all(&mut file, content.as_ref())?;
            file.sync_all()
        })
        .and_then(|()| temporary.rename(&path.into()));
    if written.is_err() {
        // It has no owner any more; the first error is reported.
        temporary.unlink().log_failure("remove a temporary file");
    }
    written.map_err(failed)?;
    super::flush_folder_of(path)
}

fn open_itself(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
        options.custom_flags(flags.bits().cast_signed());
    }
    options.open(path)
}

/// Refuses what others could have written, and what is not of the kind that is wanted.
fn refuse_shared(path: &Path, metadata: &fs::Metadata, is_kind: bool) -> Result<(), StoreError> {
    let refused = |why: &str| {
        Err(StoreError::Unreadable {
            path: path.display().to_string(),
            why: why.to_owned(),
        })
    };
    if !is_kind {
        return refused("expected a regular file of bounded size");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return refused("it belongs to another user");
        }
        if metadata.mode() & OF_OTHERS != 0 {
            return refused("other users have rights to it; remove them (chmod go-rwx)");
        }
    }
    #[cfg(not(unix))]
    let _ = metadata;
    Ok(())
}
