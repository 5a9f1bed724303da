//! The author of the commits of a run.

use crate::agents::environment::EnvironmentMap;
use chant_base::error::Error;
use chant_git::Repo;
use chant_specs::error::ChantError;
use chant_specs::project::Project;

/// The variables that name the committer for git, and true for those that hold an address.
const IDENTITY: [(&str, bool); 4] = [
    ("GIT_AUTHOR_NAME", false),
    ("GIT_AUTHOR_EMAIL", true),
    ("GIT_COMMITTER_NAME", false),
    ("GIT_COMMITTER_EMAIL", true),
];

/// Returns the author of a run's commits: the one in our own environment, else the person in git's
/// configuration.
///
/// # Errors
/// `Refused` when there is none, or a failure of git.
pub(crate) fn committer_variables(project: &Project, repo: &Repo) -> Result<EnvironmentMap, Error> {
    let mut known = None;
    let mut identity = EnvironmentMap::new();
    for (name, is_email) in IDENTITY {
        let own = project.environment.get(name).filter(|own| !own.is_empty());
        let value = if let Some(own) = own {
            own.clone()
        } else {
            if known.is_none() {
                known = repo.user()?;
            }
            let (name, email) = known.clone().ok_or_else(no_author)?;
            if is_email { email } else { name }
        };
        identity.insert(name.to_owned(), value);
    }
    Ok(identity)
}

fn no_author() -> ChantError {
    ChantError::Refused(
        "Work cannot begin: git has no author for the commits. Set one with `git config --global user.name \"Your Name\"` and `git config --global user.email you@example.org`, or without --global for this repository alone.".into(),
    )
}
