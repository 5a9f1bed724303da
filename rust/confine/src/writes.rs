//! Keeps a thread of ours, which writes where other processes write at the same time, to the
//! folders that are meant, whatever a link there leads to at that moment.

use std::io;
use std::path::PathBuf;

/// Keeps the calling thread, for the rest of its life, from writing outside of some folders;
/// reading stays allowed. Returns true if the kernel enforces it: without Landlock it does not, and
/// confines no run either.
///
/// # Errors
/// A failure when a kernel with that feature refuses.
#[cfg(target_os = "linux")]
pub fn write_only_in(folders: &[PathBuf]) -> io::Result<bool> {
    use landlock::{
        ABI, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, path_beneath_rules,
    };
    let writes = AccessFs::from_write(ABI::V3);
    let ruleset = Ruleset::default()
        .handle_access(writes)
        .and_then(Ruleset::create)
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(folders, writes)))
        .map_err(io::Error::other)?;
    let status = ruleset.restrict_self().map_err(io::Error::other)?;
    Ok(status.ruleset != RulesetStatus::NotEnforced)
}

/// Does nothing: there is no such feature on this system.
///
/// # Errors
/// None.
#[cfg(not(target_os = "linux"))]
pub fn write_only_in(_folders: &[PathBuf]) -> io::Result<bool> {
    Ok(false)
}
