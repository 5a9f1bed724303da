//! The store's calls of the operating system; the only folder that calls `std::fs`.

#![expect(
    clippy::disallowed_methods,
    reason = "this is the one place that touches the disk"
)]

mod append_file;
mod beneath;
mod bounds;
#[cfg(unix)]
mod by_handle;
#[cfg(not(unix))]
mod by_path;
mod expected;
mod file_system;
mod file_system_flush;
mod folder_lock;
mod held_files;
mod listing;
mod lock;
mod lock_files;
mod opened_place;
mod ownership;
mod place;
mod private;
#[cfg(target_os = "linux")]
mod request_pipe;
mod sizes;
mod slot;
mod staging;
mod stamps;
mod sweep;
mod temporary_names;
mod tree_removal;
mod unsaved;
mod weak_guarantees;
mod write;

use std::borrow::Cow;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::state::{StateFolder, UserState};
use super::{StoreError, WRITE, undecided};
pub use append_file::AppendFile;
pub use beneath::{open_regular_beneath, read_beneath, replace_beneath};
pub use bounds::OpenBounds;
use chant_base::counted::{count_opened, count_read, count_resolved, count_written};
use chant_base::document_size::MAX_DOCUMENT_BYTES;
pub use expected::{ExpectedContent, ExpectedFile};
pub use file_system::{FileNumbers, FileSystemFeature, FileSystemProbe, file_numbers};
pub use file_system_flush::FileSystemFlush;
pub use folder_lock::{FolderLock, FolderLockRequest};
pub use held_files::{after_fork, before_fork};
pub use listing::{FolderEntry, FolderFile, FolderListing, list, names};
pub use lock::Lock;
pub use lock::busy;
pub use lock_files::keep_lock_files_in;
pub use ownership::{
    FileOwnership, copy_out, copy_owned, create_owned, holds_links, is_plain_below, keep_private,
    make_owned_folder, owned, read_owned,
};
pub use place::{FilePlace, OpenFolder};
pub use private::{make_private_folder, read_private, write_private};
#[cfg(target_os = "linux")]
pub use request_pipe::{REQUESTS, make_request_pipe};
pub use sizes::ReadSizes;
pub use slot::{is_kept_apart, is_still_replaced, kept_beside, swap, swap_back};
pub use staging::{can_stage, move_file};
pub use stamps::{FileStamp, TICK, created_at, stamp, stamp_of_itself};
pub use sweep::sweep_folder;
pub use tree_removal::remove_tree;
pub use unsaved::UnsavedTexts;
pub use weak_guarantees::{WeakGuarantee, take_weak_promises, weak_promises};
pub use write::{TemporaryFile, flush_folder, flush_folder_of, rename_new};

/// The largest document that is read, in bytes.
pub const LARGEST: u64 = MAX_DOCUMENT_BYTES;

/// The longest wait for a lock or for a file that others keep changing.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Age at which a temporary file of ours can only be what a crash left.
pub const ABANDONED: Duration = Duration::from_secs(60);

/// Returns true if a path leads to a file, links followed.
pub fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| m.is_file())
}

/// Returns true if a path is itself a link.
pub fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|m| m.file_type().is_symlink())
}

/// Returns true if a path leads to a file that may be run as a program.
pub fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    {
        is_file(path)
    }
}

/// Returns true if a path leads to a folder, links followed.
pub fn is_folder(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| m.is_dir())
}

/// Returns true if there is anything at a path, a link that leads nowhere included; true also when that cannot
/// be found out.
pub fn exists(path: &Path) -> bool {
    !matches!(fs::symlink_metadata(path), Err(e) if is_absent(&e))
}

/// Returns true if nothing is at a path: there is nothing below a file, either.
fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// The bytes of a file and the stamp they had.
pub struct FileContent {
    /// All bytes.
    pub bytes: Vec<u8>,
    /// The file's state at the reading.
    pub stamp: FileStamp,
}

type ReadFunction = dyn Fn(&OpenBounds, &Path) -> io::Result<FileContent> + Send + Sync;
type CompareFunction =
    dyn Fn(&OpenBounds, &Path, &[u8]) -> io::Result<Option<FileStamp>> + Send + Sync;
type WriteFunction = dyn Fn(&mut File, &[u8]) -> io::Result<()> + Send + Sync;
type ClockFunction = dyn Fn(&Path) -> Option<SystemTime> + Send + Sync;
type StampFunction = dyn Fn(&Path) -> Option<FileStamp> + Send + Sync;
type WriteObserver = dyn Fn(&'static str) -> io::Result<()> + Send + Sync;

/// The disk as the store uses it; tests put failing functions in place of the real ones.
#[derive(Clone)]
pub struct Disk {
    /// The way links are followed where files are read.
    pub bounds: OpenBounds,
    /// The lengths of documents when they were read last.
    pub sizes: ReadSizes,
    /// Reads a whole regular file.
    pub read: Arc<ReadFunction>,
    /// Compares a whole regular file with bytes; its stamp when it holds these and no others.
    pub holds: Arc<CompareFunction>,
    /// The stamp of what a path leads to; a file that is read has the stamp that its reader gives.
    pub stamp: Arc<StampFunction>,
    /// The time of the clock by which stamps below a folder are made; `None` where that is not known here.
    pub clock: Arc<ClockFunction>,
    /// Writes all bytes to a temporary file.
    pub write: Arc<WriteFunction>,
    /// Called at named moments of a change of several files; an error stops there.
    pub reached: Arc<WriteObserver>,
    /// True if the system's announcements of changes are used where they can be trusted.
    pub listens: bool,
    /// The user's own state, which no project can write; none where no place for it is set.
    pub user_state: Option<UserState>,
    /// The state in which texts wait until they take their place; none where they wait beside their documents.
    pub staging: Option<Arc<StateFolder>>,
    /// Texts that are read in place of files.
    pub unsaved: UnsavedTexts,
}

impl Default for Disk {
    fn default() -> Self {
        Self {
            bounds: OpenBounds::default(),
            sizes: ReadSizes::default(),
            read: Arc::new(read_regular),
            holds: Arc::new(holds),
            stamp: Arc::new(stamp),
            clock: Arc::new(stamps::clock_of),
            write: Arc::new(write_all),
            reached: Arc::new(|_| Ok(())),
            listens: true,
            user_state: None,
            staging: None,
            unsaved: UnsavedTexts::default(),
        }
    }
}

impl Disk {
    /// The same disk for many reads below the root at one moment, which costs less for each.
    #[must_use]
    pub(crate) fn for_many_reads(&self) -> Self {
        Self {
            bounds: self.bounds.for_many_reads(),
            ..self.clone()
        }
    }

    /// The same disk, on which texts of documents wait in a state folder until they take their place.
    #[must_use]
    pub fn staging_in(self, state: &StateFolder) -> Self {
        Self {
            staging: Some(Arc::new(state.clone())),
            ..self
        }
    }

    /// The same disk, on which what lies in a folder is read without following links: what changes places there
    /// while it is opened leads nowhere else. Links on the way to the folder are fine.
    #[must_use]
    pub fn without_links_in(self, folder: &Path) -> Self {
        let folder = real(folder).unwrap_or_else(|_| folder.to_owned());
        Self {
            bounds: self.bounds.without_links_in(&folder),
            ..self
        }
    }

    /// The same disk, on which what lies below a real folder is read from below it only: a link is followed as long
    /// as it stays there, also when it appears while it is opened. Everything that reads documents of a root does so
    /// through this.
    #[must_use]
    pub fn within(self, root: &Path) -> Self {
        Self {
            bounds: self.bounds.within(root),
            ..self
        }
    }

    /// The same disk for files that are no documents of a root, wherever they lie: the user's own and those that come
    /// with the program.
    #[must_use]
    pub fn anywhere(self) -> Self {
        Self {
            bounds: self.bounds.anywhere(),
            ..self
        }
    }

    /// Reads a whole regular file; never waits on a pipe.
    ///
    /// # Errors
    /// As the system says, and for a link that leads out.
    pub fn read_content(&self, path: &Path) -> io::Result<FileContent> {
        (self.read)(&self.bounds, path)
    }

    /// Compares a whole regular file with bytes; its stamp when it holds these and no others.
    ///
    /// # Errors
    /// As [`Disk::read_content`].
    pub fn holds_bytes(&self, path: &Path, bytes: &[u8]) -> io::Result<Option<FileStamp>> {
        (self.holds)(&self.bounds, path, bytes)
    }

    /// Opens a file for reading from any place in it, with its length.
    ///
    /// # Errors
    /// `Missing`, or `Unreadable` when it is no regular file.
    pub fn open(&self, path: &Path, name: &str) -> Result<(File, u64), StoreError> {
        let opened = self.bounds.open(path);
        regular_of(opened, name)
    }

    /// Returns true if the stamp that a file below a folder had when it was read shows later writes: it was too
    /// old for one to leave the same.
    pub fn is_settled(&self, folder: &Path, stamp: &FileStamp) -> bool {
        let now = (self.clock)(folder);
        now.is_some_and(|now| !stamp.is_young(now))
    }

    /// Returns how a text that was just read looks half saved, if it does: so documents look between the two
    /// steps of an editor that saves in place.
    pub fn half_saved(&self, path: &Path, text: &str, stamp: &FileStamp) -> Option<&'static str> {
        let why = self.sizes.note(path, text.as_bytes(), stamp)?;
        let folder = path.parent().unwrap_or(path);
        (!self.is_settled(folder, stamp)).then_some(why)
    }

    /// Reads a document of which some text is known: where it still is the same, that one is given back
    /// and nothing is copied.
    ///
    /// # Errors
    /// As [`Disk::read_text`].
    pub fn read_text_like<'a>(
        &self,
        path: &Path,
        name: &str,
        known: Option<&'a str>,
    ) -> Result<(Cow<'a, str>, FileStamp), StoreError> {
        if let Some(known) = known
            && undecided::refuse(path).is_ok()
            && let Ok(Some(stamp)) = self.holds_bytes(path, known.as_bytes())
        {
            self.sizes.note(path, known.as_bytes(), &stamp);
            return Ok((Cow::Borrowed(known), stamp));
        }
        let (text, stamp) = self.read_text(path, name)?;
        Ok((Cow::Owned(text), stamp))
    }

    /// Reads a document as text.
    ///
    /// # Errors
    /// `Missing`, or `Unreadable` with what is wrong (no file, too large, not UTF-8, no rights); `Undecided` for
    /// a file of a change that could be neither made nor taken back.
    pub fn read_text(&self, path: &Path, name: &str) -> Result<(String, FileStamp), StoreError> {
        undecided::refuse(path)?;
        let unreadable = |why: String| StoreError::Unreadable {
            path: name.into(),
            why,
        };
        let content = self.read_content(path).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => StoreError::Missing { path: name.into() },
            io::ErrorKind::PermissionDenied => StoreError::Denied {
                path: name.into(),
                why: e.to_string(),
            },
            _ => unreadable(e.to_string()),
        })?;
        match String::from_utf8(content.bytes) {
            Ok(text) => {
                self.sizes.note(path, text.as_bytes(), &content.stamp);
                Ok((text, content.stamp))
            }
            Err(e) => Err(unreadable(format!(
                "it is not UTF-8 text (first at byte {}); save it as UTF-8",
                e.utf8_error().valid_up_to()
            ))),
        }
    }
}

/// Compares a regular file with bytes, piece by piece; its stamp is that of the moment before, as with
/// [`read_regular`].
fn holds(bounds: &OpenBounds, path: &Path, bytes: &[u8]) -> io::Result<Option<FileStamp>> {
    const PIECE: usize = 64 * 1024;
    count_opened();
    let mut file = bounds.open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || usize::try_from(metadata.len()) != Ok(bytes.len()) {
        return Ok(None);
    }
    let (mut piece, mut rest) = (vec![0; PIECE], bytes);
    loop {
        let length = file.read(&mut piece)?;
        count_read(length);
        if length == 0 {
            return Ok(rest.is_empty().then(|| FileStamp::of(&metadata)));
        }
        match rest.strip_prefix(&piece[..length]) {
            Some(others) => rest = others,
            None => return Ok(None),
        }
    }
}

/// Reads a regular file whole; never waits on a pipe.
///
/// The stamp is that of the moment before the reading: a write in the meantime changes it, so that a later look
/// or the check before a replacement notices.
fn read_regular(bounds: &OpenBounds, path: &Path) -> io::Result<FileContent> {
    for _ in 0..5 {
        count_opened();
        let mut file = bounds.open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            let kind = if metadata.is_dir() {
                "a folder"
            } else {
                "a device or pipe"
            };
            return Err(io::Error::other(format!("it is {kind}, not a file")));
        }
        if metadata.len() > LARGEST {
            let most = LARGEST / 1024 / 1024;
            return Err(io::Error::other(format!("it is larger than {most} MiB")));
        }
        let length = usize::try_from(metadata.len()).unwrap_or(0);
        let mut bytes = Vec::with_capacity(length);
        (&mut file).take(metadata.len()).read_to_end(&mut bytes)?;
        count_read(bytes.len());
        // A file that became shorter is read again; one that became longer has another stamp by now.
        if bytes.len() == length {
            return Ok(FileContent {
                bytes,
                stamp: FileStamp::of(&metadata),
            });
        }
    }
    Err(io::Error::other("it kept changing while it was read"))
}

/// Writes all bytes to a file.
fn write_all(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    count_opened();
    count_written(bytes.len());
    file.write_all(bytes)
}

fn open_without_waiting(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    options.open(path)
}

/// Returns the target of a link, not followed; `None` for what is no link.
pub fn read_link(path: &Path) -> Option<PathBuf> {
    fs::read_link(path).ok()
}

/// Makes a link to a file in a place that must be free.
///
/// # Errors
/// `Exists` or `NotWritten`.
pub fn make_link(says: &Path, place: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    let made = std::os::unix::fs::symlink(says, place);
    #[cfg(windows)]
    let made = std::os::windows::fs::symlink_file(says, place);
    made.map_err(|e| StoreError::io(WRITE, place, e))
}

/// Returns true if a process of this number lives here; false where that cannot be asked.
///
/// Age alone does not show that something is abandoned: clocks are set.
pub fn is_process(pid: u32) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        use rustix::process::{Pid, test_kill_process};
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
        pid.is_some_and(|pid| !matches!(test_kill_process(pid), Err(Errno::SRCH)))
    }
    #[cfg(not(unix))]
    {
        let _ = pid;
        false
    }
}

/// The real place of what a path leads to, links resolved.
///
/// # Errors
/// `Missing` or `Io`.
pub fn real(path: &Path) -> Result<PathBuf, StoreError> {
    count_resolved();
    fs::canonicalize(path).map_err(|e| {
        if is_absent(&e) {
            let path = path.display().to_string();
            return StoreError::Missing { path };
        }
        StoreError::io("find", path, e)
    })
}

/// Makes one folder; false when it exists already.
///
/// # Errors
/// `Missing` when the folder above is not there, or `NotWritten`.
pub fn make_folder(path: &Path) -> Result<bool, StoreError> {
    FilePlace::from(path).make_folder()
}

/// Makes a folder of our own and those above it, which only their owner can look into; one that exists is fine.
///
/// # Errors
/// `NotWritten`.
pub fn make_folders(path: &Path) -> Result<(), StoreError> {
    let made = ownership::private_folder().recursive(true).create(path);
    made.map_err(|e| StoreError::io(WRITE, path, e))
}

/// Sets the time at which a file of our own was changed last; never through a link.
///
/// # Errors
/// `Unreadable` for what is no file of ours, or `NotWritten`.
pub fn set_modified(path: &Path, time: SystemTime) -> Result<(), StoreError> {
    let file = regular(path, OpenOptions::new().append(true))?;
    file.set_modified(time)
        .map_err(|e| StoreError::io(WRITE, path, e))
}

/// Removes a file of our own; one that is gone already is fine.
///
/// # Errors
/// `Io`.
pub fn remove(path: &Path) -> Result<(), StoreError> {
    FilePlace::from(path).remove()
}

/// Moves a folder of our own to a free place on the same disk.
///
/// # Errors
/// `Io`.
pub fn move_folder(from: &Path, to: &Path) -> Result<(), StoreError> {
    fs::rename(from, to).map_err(|e| StoreError::io("move", from, e))
}

/// Returns the bytes that this user may still write on the disk of a folder.
#[cfg(unix)]
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Removes an empty folder of our own; one that is gone or in use is left.
pub fn remove_folder(path: &Path) {
    // Somebody else may just have put something there: then it stays.
    let _ = fs::remove_dir(path);
}

/// Reads a file that the kernel makes up at the reading, such as those of `/proc`; bytes that are no
/// UTF-8 as replacement characters.
pub fn read_made_up(path: &str) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes into a file that the kernel makes up and that exists: an order to the kernel.
///
/// # Errors
/// The answer of the kernel.
pub fn write_made_up(path: &Path, text: &str) -> io::Result<()> {
    OpenOptions::new()
        .write(true)
        .open(path)?
        .write_all(text.as_bytes())
}

/// Opens a regular file of ours; never through a link, which could lead anywhere.
fn regular(path: &Path, options: &mut OpenOptions) -> Result<File, StoreError> {
    let strange = || StoreError::Unreadable {
        path: path.display().to_string(),
        why: "it is not a file of ours; move it away".into(),
    };
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = match options.open(path) {
        Err(_) if is_link(path) => return Err(strange()),
        opened => opened.map_err(|e| StoreError::io(WRITE, path, e))?,
    };
    match file.metadata() {
        Ok(metadata) if metadata.is_file() => Ok(file),
        _ => Err(strange()),
    }
}

/// Opens a file that swallows everything that is written, and holds nothing to read.
///
/// # Errors
/// `Io` when the system has no such thing.
#[cfg(unix)]
pub fn nothing() -> Result<File, StoreError> {
    let path = Path::new("/dev/null");
    let opened = OpenOptions::new().read(true).write(true).open(path);
    opened.map_err(|e| StoreError::io("open", path, e))
}

/// A new file of our state, for a process to write into.
///
/// # Errors
/// `Exists`, or `NotWritten`.
pub fn new_file(path: &Path) -> Result<File, StoreError> {
    let mut new = OpenOptions::new();
    new.append(true).create_new(true);
    ownership::private(&mut new);
    let opened = new.open(path);
    opened.map_err(|e| StoreError::io("create", path, e))
}

/// The bytes of a file from a place in it to its end, however many lie before.
///
/// # Errors
/// As [`open`].
pub fn read_from(path: &Path, name: &str, offset: u64) -> Result<Vec<u8>, StoreError> {
    let (mut file, _) = open(path, name)?;
    let mut bytes = Vec::new();
    let read = file
        .seek(SeekFrom::Start(offset))
        .and_then(|_| file.read_to_end(&mut bytes));
    count_read(bytes.len());
    read.map(|_| bytes).map_err(|e| StoreError::Unreadable {
        path: name.into(),
        why: e.to_string(),
    })
}

/// Opens a file for reading from any place in it, wherever it lies.
///
/// # Errors
/// `Missing`, or `Unreadable` when it is no regular file.
pub fn open(path: &Path, name: &str) -> Result<(File, u64), StoreError> {
    regular_of(open_without_waiting(path), name)
}

fn regular_of(opened: io::Result<File>, name: &str) -> Result<(File, u64), StoreError> {
    let unreadable = |why: String| StoreError::Unreadable {
        path: name.into(),
        why,
    };
    count_opened();
    match opened.and_then(|file| file.metadata().map(|m| (file, m))) {
        Ok((file, metadata)) if metadata.is_file() => Ok((file, metadata.len())),
        Ok(_) => Err(unreadable("it is not a file".into())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            Err(StoreError::Missing { path: name.into() })
        }
        Err(e) => Err(unreadable(e.to_string())),
    }
}
