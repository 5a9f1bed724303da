//! Mounts layers for the processes of a folder, each in namespaces of its own. While services work there, all share the
//! mounts of one holder: an overlay is not to be mounted twice.

use std::path::{Path, PathBuf};

use super::confine_means::{ConfineMeans, means, refused};
use super::sandbox_support;
use crate::agents::environment::EnvironmentMap;
use crate::project::folders::{self, VIEWS};
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_base::next_step::NextStep;
use chant_base::run_variables::MARK;
use chant_config::Config;
use chant_confine::mount_holder::MountHolder;
use chant_confine::{ConfineBackend, ConfinePolicy, Confinement, OverlayMount};
use chant_environment::{FolderMounts, with_caches};
use chant_git::Repo;
use chant_specs::error::ChantError;
use chant_specs::project::Project;
use chant_store::disk;
use chant_work::process::ProcessIdentity;

/// The file that names the process which holds the mounts of a folder.
const HOLDER: &str = "holder";
/// The greatest number of bytes of that file.
const MAX_SIZE: u64 = 4096;

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
        policy.shares_mounts_of = holder_of(&views);
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

/// The mounts that the processes of a folder share, for as long as this is held.
pub(super) struct SharedMounts {
    file: PathBuf,
    _holder: MountHolder,
}

impl SharedMounts {
    /// Mounts the layers of a folder once, for all processes that are started there from now on; `None` where nothing is
    /// mounted. `mark` is that of the run.
    ///
    /// # Errors
    /// The reason why that is not possible.
    pub(super) fn hold(
        confinement: &Confinement,
        worktree: &Path,
        mark: &str,
    ) -> Result<Option<Self>, Error> {
        let Confinement::Kernel(policy) = confinement else {
            return Ok(None);
        };
        if policy.overlays.is_empty() {
            return Ok(None);
        }
        let holder = MountHolder::start(confinement, (MARK, mark))
            .map_err(|error| ChantError::Refused(error.to_string()))?;
        let Some(holder) = holder else {
            return Ok(None);
        };
        let process = ProcessIdentity::of(holder.process());
        let words = [
            process.pid.to_string(),
            process.pid_start.unwrap_or_default(),
            process.boot_id.unwrap_or_default(),
        ];
        let file = folders::sibling_file(worktree, VIEWS).join(HOLDER);
        disk::remove(&file)?;
        disk::create_owned(&file, &words.join(" "))?;
        Ok(Some(Self {
            file,
            _holder: holder,
        }))
    }
}

impl Drop for SharedMounts {
    fn drop(&mut self) {
        disk::remove(&self.file).log_failure("remove the name of a holder of mounts");
    }
}

/// Returns the process that holds the mounts of a folder, if it lives.
fn holder_of(views: &Path) -> Option<u32> {
    let text = disk::read_owned(&views.join(HOLDER), MAX_SIZE).ok()?;
    let mut words = text.split(' ');
    let process = ProcessIdentity {
        pid: words.next()?.parse().ok()?,
        pid_start: words.next().map(str::to_owned),
        boot_id: words.next().map(str::to_owned),
    };
    process.is_proven().then_some(process.pid)
}
