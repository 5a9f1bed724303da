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
        user_state: state_home
            .map(|folder| UserState::at(folder.join("chant-mcp")))
            .or_else(own_state),
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

/// The state of the user that this process acts for: scripts that open a handle need not say where it lies.
#[expect(
    clippy::disallowed_methods,
    reason = "a handle that is told nothing is the own user's"
)]
fn own_state() -> Option<UserState> {
    let variable = |name: &str| Some((name.to_owned(), std::env::var(name).ok()?));
    let named = ["XDG_STATE_HOME", "HOME", "USERPROFILE"];
    UserState::of(&named.into_iter().filter_map(variable).collect())
}
