//! The disk as handles use it: whose state is kept where, and a crash on demand, with which tests prove that no
//! moment is a bad one to die at.

use std::path::PathBuf;
use std::sync::Arc;

use chant_core::store::disk::Disk;
use chant_core::store::state::UserState;

/// The disk; with a moment named, the process ends there like in a crash. The user's own state lies in a folder
/// of `state_home`, where the states of all programs lie.
pub(crate) fn disk(stop_at: Option<String>, state_home: Option<PathBuf>) -> Disk {
    let mut disk = Disk {
        user_state: state_home.map(|folder| UserState::at(folder.join("chant-mcp"))),
        ..Disk::default()
    };
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
