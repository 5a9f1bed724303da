//! Mounts layers for the processes of a folder, each in namespaces of its own, or in those that they share.

use std::path::Path;

use super::confine_means::{ConfineMeans, means, refused};
use super::sandbox_support;
use crate::agents::environment::EnvironmentMap;
use crate::project::folders::{self, VIEWS};
use chant_base::error::Error;
use chant_base::next_step::NextStep;
use chant_config::Config;
use chant_confine::{ConfineBackend, ConfinePolicy, OverlayMount};
use chant_environment::{FolderMounts, with_caches};
use chant_git::Repo;
use chant_specs::project::Project;

/// Adds the mounts of a run's folder to a policy, covers what they show the files of, and opens its caches. Returns the
/// variables that name these.
pub(super) fn mount_layers(
    policy: &mut ConfinePolicy,
    project: &Project,
    config: &Config,
    repo: Option<&Repo>,
    worktree: &Path,
) -> Result<EnvironmentMap, Error> {
    let views = folders::sibling_file(worktree, VIEWS);
    let (all, Some(repo)) = (FolderMounts::read(&views)?, repo) else {
        return Ok(EnvironmentMap::new());
    };
    let recipes = &config.runs.environment.recipes;
    if policy.has_namespaces() && !recipes.is_empty() {
        // The rights of files can be changed also where the files cannot be opened.
        policy.covered = vec![
            folders::layers_folder(project, config, repo)?,
            views.clone(),
        ];
    }
    if !all.mounts.is_empty() {
        if !policy.has_namespaces() {
            let fresh = NextStep::Fresh.words(project.door);
            return Err(refused(&format!(
                "its dependencies are mounted, which needs namespaces of its own; start it again with {fresh}"
            )));
        }
        let overlays = all.mounts.into_iter().map(|mount| OverlayMount {
            target: mount.target,
            lower: mount.lower,
            upper: mount.upper,
            work: mount.work,
        });
        policy.overlays = overlays.collect();
    }
    let mut variables = EnvironmentMap::new();
    for (name, recipe) in recipes {
        let path = |cache: &str| {
            let mut caches = all.caches.iter();
            let found = caches.find(|one| one.recipe == *name && one.name == cache)?;
            Some(found.path.clone())
        };
        let named = recipe
            .variables
            .iter()
            .filter(|(_, value)| value.contains("{cache."));
        variables.extend(
            named.filter_map(|(variable, value)| {
                Some((variable.clone(), with_caches(value, &path)?))
            }),
        );
    }
    policy
        .write
        .extend(all.caches.into_iter().map(|cache| cache.path));
    Ok(variables)
}

/// Returns true if large layers can be mounted in folders next to one of the runtime's: tries it once.
pub(crate) fn can_mount(project: &Project, config: &Config, folder: &Path) -> Result<bool, Error> {
    let ConfineMeans::By(backend @ ConfineBackend::Landlock, ability) =
        means(project, &config.confine)?
    else {
        return Ok(false);
    };
    let (Some(launcher), None) = sandbox_support::launcher(project, ability) else {
        return Ok(false);
    };
    sandbox_support::can_mount(launcher, backend, ability, folder)
}
