//! The names of temporary files, by which a later process knows whose they were.

use std::sync::atomic::{AtomicU64, Ordering};

/// A name that no folder holds yet and no listing shows.
pub(super) fn temporary_name() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    format!(".chant-{}-{number}.tmp", std::process::id())
}

/// The process that gave a file its name, if it is one that [`temporary_name`] gives.
pub(super) fn writer_of(name: &str) -> Option<u32> {
    let name = name.strip_prefix(".chant-")?.strip_suffix(".tmp")?;
    let (process, number) = name.split_once('-')?;
    number.parse::<u64>().ok()?;
    process.parse().ok()
}
