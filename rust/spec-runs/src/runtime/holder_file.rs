//! The file that names the process which holds the namespaces of a folder.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::agents::environment::EnvironmentMap;
use crate::project::folders::{self, VIEWS};
use chant_base::error::Error;
use chant_store::disk;
use chant_work::process::ProcessIdentity;

/// The name of the file.
const HOLDER: &str = "holder";
/// The greatest number of its bytes.
const MAX_SIZE: u64 = 64 * 1024;

/// The process that holds the namespaces of a folder, and what its network gives to processes.
#[derive(Debug, Serialize, Deserialize)]
struct HolderFile {
    pid: u32,
    pid_start: Option<String>,
    boot_id: Option<String>,
    variables: EnvironmentMap,
}

/// Names the process that holds the namespaces of a folder; returns the file.
///
/// # Errors
/// A failure of the disk.
pub(super) fn write_holder(
    worktree: &Path,
    process: u32,
    variables: EnvironmentMap,
) -> Result<PathBuf, Error> {
    let process = ProcessIdentity::of(process);
    let named = HolderFile {
        pid: process.pid,
        pid_start: process.pid_start,
        boot_id: process.boot_id,
        variables,
    };
    let views = folders::sibling_file(worktree, VIEWS);
    disk::make_folders(&views)?;
    let file = views.join(HOLDER);
    disk::remove(&file)?;
    disk::create_owned(&file, &serde_json::to_string(&named).unwrap_or_default())?;
    Ok(file)
}

/// Returns the process that holds the namespaces of a folder, if it lives, with the variables of its network.
pub(super) fn holder_of(worktree: &Path) -> Option<(u32, EnvironmentMap)> {
    let file = folders::sibling_file(worktree, VIEWS).join(HOLDER);
    let named: HolderFile = serde_json::from_str(&disk::read_owned(&file, MAX_SIZE).ok()?).ok()?;
    let process = ProcessIdentity {
        pid: named.pid,
        pid_start: named.pid_start,
        boot_id: named.boot_id,
    };
    process
        .is_proven()
        .then_some((process.pid, named.variables))
}
