//! How what works for a run is held.

use std::path::Path;

use super::super::project::Project;
use crate::config::Config;
use crate::confine::Confinement;
use crate::error::Error;
use crate::git::Repo;

/// How everything is held that works in the folder of a run.
///
/// # Errors
/// What keeps it from being held.
pub(in super::super) fn of_folder(
    _project: &Project,
    _config: &Config,
    _repo: &Repo,
    _folder: &Path,
) -> Result<Confinement, Error> {
    Ok(Confinement::Off)
}
