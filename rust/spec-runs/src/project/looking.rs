//! The programs that git may run for a look at the project's checkouts.

use std::path::Path;

use chant_git::{GitError, Repo};
use chant_specs::project::Project;

/// Returns true if git may run what a repository's configuration names though no act was asked for: where a
/// person trusts the folder.
fn may_run_filters(project: &Project) -> bool {
    project.is_trusted()
}

/// The paths of a checkout that differ from its HEAD, for an answer. Nothing is run for it but where only
/// the git program can read the repository: then git runs the filters that are configured there.
///
/// # Errors
/// As [`Repo::uncommitted`].
pub(crate) fn uncommitted_unless_filtered(
    project: &Project,
    repo: &Repo,
    checkout: &Path,
) -> Result<Vec<String>, GitError> {
    match repo.uncommitted_unfiltered(checkout) {
        Err(_) if may_run_filters(project) => repo.uncommitted(checkout),
        found => found,
    }
}
