//! Stamps of files, and when one can be believed.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// As long as a stamp is younger than this when its file is read, a write that follows may leave the same one: clocks
/// of file systems tick in steps of up to two seconds.
pub const TICK: Duration = Duration::from_secs(2);

/// The properties that distinguish one state of a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    /// Length in bytes.
    pub size: u64,
    /// Last change of the content, nanoseconds since the epoch.
    pub modified: i128,
    /// Last change of the content or of its owner, rights or links; the same on systems without it.
    pub changed: i128,
    /// Device and inode; zero on systems without them.
    pub identity: (u64, u64),
    /// Number of names the file has.
    pub names: u64,
}

impl FileStamp {
    #[cfg(unix)]
    pub(super) fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let nanos =
            |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        Self {
            size: metadata.len(),
            modified: nanos(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanos(metadata.ctime(), metadata.ctime_nsec()),
            identity: (metadata.dev(), metadata.ino()),
            names: metadata.nlink(),
        }
    }

    /// The stamp of what was asked for by a name in an open folder.
    #[cfg(unix)]
    pub(super) fn of_stat(found: &rustix::fs::Stat) -> Self {
        // The widths and signs of these numbers differ between systems.
        let wide = |number: i128| u64::try_from(number.rem_euclid(1 << 64)).unwrap_or(0);
        let nanos = |seconds: i128, nanos: i128| seconds * 1_000_000_000 + nanos;
        Self {
            size: wide(found.st_size.into()),
            modified: nanos(found.st_mtime.into(), found.st_mtime_nsec.into()),
            changed: nanos(found.st_ctime.into(), found.st_ctime_nsec.into()),
            identity: (wide(found.st_dev.into()), wide(found.st_ino.into())),
            names: wide(found.st_nlink.into()),
        }
    }

    #[cfg(not(unix))]
    pub(super) fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().map_or(0, since_epoch);
        Self {
            size: metadata.len(),
            modified,
            changed: modified,
            identity: (0, 0),
            names: 1,
        }
    }

    /// Returns true if it is the same file with the same content; a rename or another owner plays no part.
    pub fn is_same_content(&self, other: &Self) -> bool {
        let facts = |stamp: &Self| (stamp.size, stamp.modified, stamp.identity);
        facts(self) == facts(other)
    }

    /// Returns true if the last change lies further back than `age`.
    pub fn is_older_than(&self, age: Duration, now: SystemTime) -> bool {
        since_epoch(now) - self.modified > i128::try_from(age.as_nanos()).unwrap_or(i128::MAX)
    }

    /// Returns true if a write that follows could leave the same stamp: then it says nothing about later looks.
    /// A time of the content that was set by hand does not make it older.
    pub fn is_young(&self, now: SystemTime) -> bool {
        let newest = Self {
            modified: self.modified.max(self.changed),
            ..*self
        };
        !newest.is_older_than(TICK, now)
    }
}

fn since_epoch(time: SystemTime) -> i128 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => i128::try_from(after.as_nanos()).unwrap_or(i128::MAX),
        Err(before) => -i128::try_from(before.duration().as_nanos()).unwrap_or(i128::MAX),
    }
}

/// Returns the time of the clock by which a folder's file system makes stamps; `None` where that is another
/// machine's, which may go wrong by any time.
pub(super) fn clock_of(folder: &Path) -> Option<SystemTime> {
    (!is_remote(folder)).then(SystemTime::now)
}

/// Returns true if a folder's file system may lie on another machine: NFS, SMB, CIFS, FUSE, 9P, Ceph, AFS,
/// Coda, Lustre, GPFS, NCP, and the shared folders of virtual machines.
#[cfg(target_os = "linux")]
fn is_remote(folder: &Path) -> bool {
    const REMOTE: [u32; 13] = [
        0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x0102_1997, 0x00C3_6400,
        0x5346_414F, 0x7375_7245, 0x0BD0_0BD0, 0x4750_4653, 0x564C, 0x786F_4256,
    ];
    let kind = rustix::fs::statfs(folder).map(|found| found.f_type);
    kind.is_ok_and(|kind| u32::try_from(kind).is_ok_and(|kind| REMOTE.contains(&kind)))
}

#[cfg(not(target_os = "linux"))]
fn is_remote(_folder: &Path) -> bool {
    false
}

/// The stamp of what a path leads to, links followed; `None` when there is nothing.
pub fn stamp(path: &Path) -> Option<FileStamp> {
    fs::metadata(path).ok().map(|m| FileStamp::of(&m))
}

/// The stamp of what lies at a path, links not followed; `None` when there is nothing.
pub fn stamp_of_itself(path: &Path) -> Option<FileStamp> {
    fs::symlink_metadata(path).ok().map(|m| FileStamp::of(&m))
}

/// When what a path leads to was made, nanoseconds since the epoch; `None` where the file system does
/// not say.
pub fn created_at(path: &Path) -> Option<i128> {
    fs::metadata(path).ok()?.created().ok().map(since_epoch)
}
