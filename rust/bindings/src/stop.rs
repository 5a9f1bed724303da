//! A crash on demand: tests prove with it that no moment is a bad one to die at.

use std::sync::Arc;

use chant_core::store::disk::Disk;

/// The disk; with a moment named, the process ends there like in a crash.
pub(crate) fn disk(stop_at: Option<String>) -> Disk {
    let mut disk = Disk::default();
    if let Some(moment) = stop_at {
        disk.reached = Arc::new(move |now| {
            if now == moment {
                std::process::abort()
            } else {
                Ok(())
            }
        });
    }
    disk
}
