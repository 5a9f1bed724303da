//! Locks of the operating system, on the very file or folder they protect.

use std::borrow::Cow;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use super::held_files::{FileAttempt, HeldFile};
use super::lock_files::{OwnedLock, lock_file_of};
use super::{FileStamp, LOCK_TIMEOUT, open_without_waiting, stamp};
use crate::StoreError;

/// A held lock on a file or folder; freed when dropped, and by the kernel when its holder dies.
#[derive(Debug)]
pub struct Lock {
    /// Open as long as the lock is held; none where a file of ours stands for it.
    file: Option<HeldFile>,
    /// The file of ours that stands for the lock where the file system has none at all.
    owned: Option<OwnedLock>,
}

impl From<HeldFile> for Lock {
    fn from(file: HeldFile) -> Self {
        Self {
            file: Some(file),
            owned: None,
        }
    }
}

/// The outcome of one attempt to lock a file.
pub(super) enum LockAttempt {
    /// It is locked.
    Held(HeldFile),
    /// Another holder has it.
    Other(File),
    /// The file system has no locks.
    Refused,
}

/// Tries to lock what stands at a path, once more through a handle that may be written where the file system asks for
/// one.
pub(super) fn attempt(path: &Path) -> io::Result<LockAttempt> {
    match HeldFile::try_lock(|| lockable(path))? {
        FileAttempt::Held(held) => return Ok(LockAttempt::Held(held)),
        FileAttempt::Refused(file, TryLockError::WouldBlock) => {
            return Ok(LockAttempt::Other(file));
        }
        FileAttempt::Refused(_, TryLockError::Error(error)) if !is_refusal(&error) => {
            return Err(error);
        }
        FileAttempt::Refused(_, TryLockError::Error(_)) => {}
    }
    let writable = || OpenOptions::new().read(true).write(true).open(path);
    let Ok(tried) = HeldFile::try_lock(writable) else {
        return Ok(LockAttempt::Refused);
    };
    match tried {
        FileAttempt::Held(held) => Ok(LockAttempt::Held(held)),
        FileAttempt::Refused(writable, TryLockError::WouldBlock) => {
            Ok(LockAttempt::Other(writable))
        }
        FileAttempt::Refused(_, TryLockError::Error(error)) if !is_refusal(&error) => Err(error),
        FileAttempt::Refused(_, TryLockError::Error(_)) => Ok(LockAttempt::Refused),
    }
}

/// Returns true if a file system says that it has no locks, or none for such a handle.
#[cfg(unix)]
pub(super) fn is_refusal(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let refusals = [
        Errno::BADF,
        Errno::NOLCK,
        Errno::NOSYS,
        Errno::OPNOTSUPP,
        Errno::NOTSUP,
        Errno::INVAL,
        Errno::ISDIR,
    ];
    Errno::from_io_error(error).is_some_and(|error| refusals.contains(&error))
}

#[cfg(not(unix))]
pub(super) fn is_refusal(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported
}

impl Lock {
    /// Waits until no one else holds the lock of what stands at `path`.
    ///
    /// # Errors
    /// `Missing`, or `Busy` after the deadline.
    pub fn acquire(path: &Path, deadline: Instant) -> Result<Self, StoreError> {
        let mut pause = Duration::from_micros(100);
        let failed = |e| StoreError::io("lock", path, e);
        loop {
            let file = match attempt(path) {
                // The file may have been replaced while we waited: then the lock is on the old one.
                Ok(LockAttempt::Held(file)) if is_still(path, &file) => return Ok(file.into()),
                Ok(LockAttempt::Held(_)) => continue,
                Ok(LockAttempt::Other(file)) => file,
                Ok(LockAttempt::Refused) => return Self::take_instead(path, deadline),
                Err(error) => return Err(failed(error)),
            };
            if Instant::now() > deadline {
                let who = holder(&file).unwrap_or_else(|| "another process".to_owned());
                return Err(busy(path, format!("stayed locked by {who}")));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
    }

    /// Takes the lock if it is free; `None` when another holder has it.
    ///
    /// # Errors
    /// `Missing`, or `Io` where locks do not work.
    pub fn try_take(path: &Path) -> Result<Option<Self>, StoreError> {
        let failed = |e| StoreError::io("lock", path, e);
        match attempt(path) {
            Ok(LockAttempt::Held(file)) => Ok(is_still(path, &file).then(|| file.into())),
            Ok(LockAttempt::Other(_)) => Ok(None),
            Ok(LockAttempt::Refused) => match Self::take_instead(path, Instant::now()) {
                Err(StoreError::Busy { .. }) => Ok(None),
                taken => taken.map(Some),
            },
            Err(error) => Err(failed(error)),
        }
    }

    /// Takes the lock of something whose file system has none: the kernel's on a file of ours, or else that file.
    fn take_instead(path: &Path, deadline: Instant) -> Result<Self, StoreError> {
        let lock_file = lock_file_of(path)?;
        let mut pause = Duration::from_micros(100);
        loop {
            let failed = |e| StoreError::io("lock", path, e);
            let kept = match HeldFile::try_lock(|| open_own(&lock_file))? {
                FileAttempt::Held(held) => return Ok(held.into()),
                FileAttempt::Refused(kept, TryLockError::WouldBlock) => kept,
                FileAttempt::Refused(_, TryLockError::Error(error)) if !is_refusal(&error) => {
                    return Err(failed(error));
                }
                FileAttempt::Refused(_, TryLockError::Error(_)) => {
                    let owned = OwnedLock::take(&lock_file, path, deadline)?;
                    return Ok(Self {
                        file: None,
                        owned: Some(owned),
                    });
                }
            };
            if Instant::now() > deadline {
                let who = holder(&kept).unwrap_or_else(|| "another process".to_owned());
                return Err(busy(path, format!("stayed locked by {who}")));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
    }
}

impl Lock {
    /// Returns true unless this is the copy of a lock that a forked process got from its parent.
    pub fn is_ours(&self) -> bool {
        let file = self.file.as_ref();
        file.is_none_or(HeldFile::is_ours) && self.owned.as_ref().is_none_or(OwnedLock::is_ours)
    }

    /// Takes the lock of a file that is there for nothing else: made where it is missing, with `text` for
    /// people to read. Waits until the deadline; `None` when another holder has it all that time.
    ///
    /// # Errors
    /// `Missing` folder, `Unreadable` when something else has that name, or `Io`.
    pub fn claim(path: &Path, text: &str, deadline: Instant) -> Result<Option<Self>, StoreError> {
        let failed = |e| StoreError::io("lock", path, e);
        let tell = |mut file: &File| {
            file.set_len(0)
                .and_then(|()| file.write_all(text.as_bytes()))
        };
        let mut pause = Duration::from_micros(500);
        loop {
            match HeldFile::try_lock(|| open_own(path))? {
                // The holder before us may have removed the file: then this is not the one any more.
                FileAttempt::Held(held) if is_still(path, &held) => {
                    held.with(tell).transpose().map_err(failed)?;
                    return Ok(Some(held.into()));
                }
                FileAttempt::Held(_) => continue,
                FileAttempt::Refused(_, TryLockError::Error(error)) if is_refusal(&error) => {
                    let own = open_own(path)?;
                    let lock = match Self::take_instead(path, deadline) {
                        Err(StoreError::Busy { .. }) => return Ok(None),
                        lock => lock?,
                    };
                    tell(&own).map_err(failed)?;
                    return Ok(Some(lock));
                }
                FileAttempt::Refused(_, TryLockError::Error(error)) => return Err(failed(error)),
                FileAttempt::Refused(_, TryLockError::WouldBlock) => {}
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

/// Opens a file of ours for writing, made where it is missing; never a link, whose target is not ours.
fn open_own(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    super::ownership::private(&mut options);
    super::regular(path, &mut options)
}

/// Opens what a lock is taken on.
#[cfg(unix)]
pub(super) fn lockable(path: &Path) -> io::Result<File> {
    open_without_waiting(path)
}

/// Elsewhere a lock on a file keeps others from reading it, so a file beside it is locked.
#[cfg(not(unix))]
fn lockable(path: &Path) -> io::Result<File> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.lock"));
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(beside)
}

#[cfg(unix)]
fn is_still(path: &Path, file: &HeldFile) -> bool {
    let held = file.with(|file| file.metadata().ok());
    let held = held.flatten().map(|m| FileStamp::of(&m).identity);
    held.is_some() && held == stamp(path).map(|s| s.identity)
}

#[cfg(not(unix))]
fn is_still(_path: &Path, _file: &HeldFile) -> bool {
    true
}

/// How often the locks of the system are listed to find one.
#[cfg(target_os = "linux")]
const LISTINGS: usize = 5;

/// Returns the holder of a file's lock, as far as the system reports it: anyone who may read the file can lock
/// it, without a word in it.
#[cfg(target_os = "linux")]
fn holder(file: &File) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let of_file = file.metadata().ok()?;
    let device = of_file.dev();
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let place = format!("{major:02x}:{minor:02x}:{}", of_file.ino());
    let find_in = |locks: String| {
        locks.lines().find_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            // `1: FLOCK ADVISORY WRITE <pid> <place> 0 EOF`; who waits has `->` behind the number.
            match words.as_slice() {
                [_, "FLOCK", _, _, pid, there, ..] if *there == place => pid.parse::<u32>().ok(),
                _ => None,
            }
        })
    };
    // A listing may miss a lock while others come and go.
    let mut listings = (0..LISTINGS).filter_map(|_| super::read_made_up("/proc/locks"));
    let pid = listings.find_map(find_in)?;
    let name = super::read_made_up(&format!("/proc/{pid}/comm"));
    Some(match name.as_deref().map(str::trim) {
        Some(name) => format!("process {pid} ({name})"),
        None => format!("process {pid}"),
    })
}

#[cfg(not(target_os = "linux"))]
fn holder(_file: &File) -> Option<String> {
    None
}

/// The error of a wait that was too long.
pub fn busy(path: &Path, why: impl Into<Cow<'static, str>>) -> StoreError {
    StoreError::Busy {
        path: path.display().to_string(),
        why: why.into(),
        seconds: LOCK_TIMEOUT.as_secs(),
    }
}
