//! Counts work: what was asked of the disk, and how many items were looked at.
//!
//! The counters are those of the whole process and only ever grow, so that work in several threads adds up; the
//! difference between two readings is what lay between them. Each is one addition without order, so they are always
//! on.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static OPENED: AtomicU64 = AtomicU64::new(0);
static READ: AtomicU64 = AtomicU64::new(0);
static WRITTEN: AtomicU64 = AtomicU64::new(0);
static LISTED: AtomicU64 = AtomicU64::new(0);
static VISITED: AtomicU64 = AtomicU64::new(0);
static RESOLVED: AtomicU64 = AtomicU64::new(0);

/// The work that this process has done since it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountedWork {
    /// Files that were opened, to read them or to write them.
    pub opened: u64,
    /// Bytes of files that were read.
    pub read: u64,
    /// Bytes that were written to files.
    pub written: u64,
    /// Entries of folders that were listed.
    pub listed: u64,
    /// Documents, blocks and lines that were parsed, and items, nodes and edges that a scan looked at.
    pub visited: u64,
    /// Paths whose links were resolved, which asks the system about each folder on the way.
    pub resolved: u64,
}

impl CountedWork {
    /// Returns the work done until now.
    pub fn now() -> Self {
        Self {
            opened: OPENED.load(Relaxed),
            read: READ.load(Relaxed),
            written: WRITTEN.load(Relaxed),
            listed: LISTED.load(Relaxed),
            visited: VISITED.load(Relaxed),
            resolved: RESOLVED.load(Relaxed),
        }
    }
}

/// Counts a file that is opened.
pub fn count_opened() {
    OPENED.fetch_add(1, Relaxed);
}

/// Counts bytes that are read.
pub fn count_read(bytes: usize) {
    READ.fetch_add(bytes as u64, Relaxed);
}

/// Counts bytes that are written.
pub fn count_written(bytes: usize) {
    WRITTEN.fetch_add(bytes as u64, Relaxed);
}

/// Counts an entry of a folder that is listed.
pub fn count_listed() {
    LISTED.fetch_add(1, Relaxed);
}

/// Counts items that are parsed or looked at. A scan counts all of its items at once.
pub fn count_visited(items: usize) {
    VISITED.fetch_add(items as u64, Relaxed);
}

/// Counts a path whose links are resolved.
pub fn count_resolved() {
    RESOLVED.fetch_add(1, Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_adds_up() {
        let before = CountedWork::now();
        count_visited(3);
        count_visited(4);
        // Other tests count in the same process.
        assert!(CountedWork::now().visited >= before.visited + 7);
    }
}
