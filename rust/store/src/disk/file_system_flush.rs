//! Many files that reach the disk by one flush of their file system.

use std::io;
use std::path::Path;

/// A file system that is flushed once for all that is written from now on.
#[derive(Debug)]
pub struct FileSystemFlush {
    /// Opened before the first write: an error of the disk is told to who had something open by then.
    #[cfg(target_os = "linux")]
    opened: std::fs::File,
}

impl FileSystemFlush {
    /// Begins with a folder of the file system; `None` where its flush is not sure to reach the disk, as with those of
    /// programs, for which the call does nothing.
    #[cfg(target_os = "linux")]
    pub fn begin(folder: &Path) -> Option<Self> {
        const FUSE: u32 = 0x6573_5546;
        let kind = rustix::fs::statfs(folder).ok()?.f_type;
        let is_known = u32::try_from(kind).is_ok_and(|kind| kind != FUSE);
        let opened = std::fs::File::open(folder).ok().filter(|_| is_known)?;
        Some(Self { opened })
    }

    #[cfg(not(target_os = "linux"))]
    pub fn begin(_folder: &Path) -> Option<Self> {
        None
    }

    /// Flushes it.
    ///
    /// # Errors
    /// As the system says, also for what was written by others since it was begun.
    #[cfg(target_os = "linux")]
    pub fn finish(self) -> io::Result<()> {
        Ok(rustix::fs::syncfs(&self.opened)?)
    }

    #[cfg(not(target_os = "linux"))]
    pub fn finish(self) -> io::Result<()> {
        Ok(())
    }
}
