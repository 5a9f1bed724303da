//! The pool of folders that are created before runs need them: who takes one, and when they are
//! created.
//!
//! A runner whose agent has just started has them created by a process of its own, which has the
//! lowest priority and ends when the pool is full. At that time an agent mostly waits for its
//! model, so the machine is idle for minutes; the next start of a chain comes when this run ends,
//! which is too late. It is done only if another spec is open, and never by a server, which would
//! fill disks for projects that are only read.
//!
//! There is no pool where runs are not confined: an agent could then change the folder of the next
//! one.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::launch_aside;
use super::run_confinement;
use crate::project::ProjectRuns;
use crate::project::folders;
use crate::project::run_tree::{RunTree, RunTreeContext};
use chant_base::error::Error;
use chant_confine::ConfinementStatus;
use chant_git::run_repository::pool::{FolderPool, PoolBounds, PoolSurroundings};
use chant_git::{self, Repo};
use chant_specs::error::ChantError;
use chant_specs::model::SpecStatus;
use chant_specs::project::{Project, ProjectSnapshot};
use chant_store::disk;
use chant_work::cancel_token::CancelToken;
use chant_work::launch::step_back;
use chant_work::process::boot_id;
use chant_work::runner::ActiveRun;
use chant_work::{WorkError, run_store::RunStore};

/// The command that creates folders.
const COMMAND: [&str; 2] = ["worktree", "prepare"];
/// The bytes of a megabyte as a unit of disk space.
const MEGABYTE: u64 = 1_000_000;
/// The age from which on folders are removed.
const OLDEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Files that decide for all repositories of a machine how files are checked out.
const OF_SYSTEM: [&str; 3] = [
    "/etc/gitattributes",
    "/usr/local/etc/gitattributes",
    "/opt/homebrew/etc/gitattributes",
];

/// Returns the folders of a project that were created in advance; `None` if runs use none.
///
/// # Errors
/// The reason why a run cannot be confined, or that there is no place for such folders.
pub(crate) fn open_pool<'r>(
    context: RunTreeContext<'_, 'r>,
) -> Result<Option<FolderPool<'r>>, Error> {
    let RunTreeContext {
        project,
        config,
        repo,
    } = context;
    let settings = config.runs.pool;
    let standing = run_confinement::confinement_status(project, config)?;
    let bounds = PoolBounds {
        folders: match standing {
            ConfinementStatus::Unconfined(_) => 0,
            _ => settings.folders,
        },
        bytes: settings.megabytes.saturating_mul(MEGABYTE),
        least_files: settings.files,
    };
    let folder = folders::pool_folder(project, config, repo)?;
    // Without it nothing was created, and nothing will be.
    if bounds.folders == 0 && !disk::exists(&folder) {
        return Ok(None);
    }
    let surroundings = PoolSurroundings {
        attributes: attributes(project),
        boot: boot_id().unwrap_or_default(),
    };
    let folder = disk::real(&folder).unwrap_or(folder);
    Ok(Some(repo.folder_pool(&folder, bounds, surroundings)))
}

/// Returns the attributes files of the user and the machine, which decide how git checks files out.
fn attributes(project: &Project) -> String {
    let variable = |name: &str| project.environment.get(name).map(PathBuf::from);
    let settings = variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")));
    let own = settings.map(|folder| folder.join("git/attributes"));
    let files = own.into_iter().chain(OF_SYSTEM.map(PathBuf::from));
    let disk = project.disk.clone().anywhere();
    let texts = files.filter_map(|path| disk.read_text(&path, "attributes").ok());
    texts.map(|(text, _)| text + "\n").collect()
}

/// Returns true if a folder that was created in advance became the run's, which is recorded. A
/// failure here does not prevent the run's start.
///
/// # Errors
/// `Stopped` when the run is to end, or a failure of the disk.
pub(super) fn claim_folder(
    context: RunTreeContext<'_, '_>,
    run: &mut ActiveRun<'_>,
    tree: &RunTree<'_>,
) -> Result<bool, Error> {
    let Ok(Some(pool)) = open_pool(context) else {
        return Ok(false);
    };
    let taken = tree.make_from(&pool, &mut |step| run.step(step));
    if run.is_asked_to_stop()? {
        let process_id = run.record().process_id.clone();
        return Err(WorkError::Stopped { process_id }.into());
    }
    if taken.is_err() {
        tree.remove_made()?;
    }
    let is_taken = taken.unwrap_or_default();
    if is_taken {
        run.update(|record| {
            record.made_in_advance = true;
            Ok(())
        })?;
    }
    Ok(is_taken)
}

/// Has a process of its own create folders for future runs, if there is room and another spec to
/// work on.
///
/// # Errors
/// The reason why that process cannot be started.
pub(super) fn fill_for_next(project: &Project, run: &ActiveRun<'_>) -> Result<(), Error> {
    let snapshot = project.snapshot()?;
    let config = snapshot.config.clone()?;
    let repo = project.repository()?;
    let context = RunTreeContext {
        project,
        config: &config,
        repo: &repo,
    };
    let has_room = open_pool(context)?.is_some_and(|pool| pool.has_room());
    if has_room && has_other_work(&snapshot, &run.record().spec_id) {
        let runs: &RunStore = run.runs();
        launch_aside(project, runs, &COMMAND)?;
    }
    Ok(())
}

/// Returns true if there is a spec that may be worked on next, now or when another one is done.
fn has_other_work(snapshot: &ProjectSnapshot, spec_id: &str) -> bool {
    let open = [SpecStatus::Pending, SpecStatus::Ready, SpecStatus::Blocked];
    let mut specs = snapshot.specs.all().iter();
    specs.any(|spec| spec.id.as_str() != spec_id && open.contains(&spec.status))
}

/// Creates folders for future runs in this process, which does nothing else.
///
/// # Errors
/// The refusal for an untrusted folder, or the reason why folders cannot be created.
pub(crate) fn fill_pool(project: &Project) -> Result<usize, Error> {
    step_back();
    let interruption = CancelToken::listening()?;
    interruption.on_cancel(chant_git::end_limited_calls)?;
    let snapshot = project.snapshot()?;
    project.refuse_untrusted_snapshot(&snapshot)?;
    let config = snapshot.config.clone()?;
    let repo = project.repository()?;
    let _act = Repo::begin_act(&repo);
    let context = RunTreeContext {
        project,
        config: &config,
        repo: &repo,
    };
    let target = context.base_branch(None)?;
    let tip = repo.tip_for_work(&target)?;
    let Some(pool) = open_pool(context)? else {
        return Ok(0);
    };
    disk::make_folders(&folders::worktrees_folder(project, &config, &repo)?)?;
    let hold = |folder: &Path| {
        if interruption.is_cancelled() {
            return Err(ChantError::Refused("It was asked to end".into()).into());
        }
        context.confinement(folder)
    };
    pool.fill(&tip, &hold)
}

/// Removes the folders that no run will take, that are old, and that are above the limit; returns
/// them, and the number of those that stay.
///
/// # Errors
/// A failure of git or of the disk.
pub(crate) fn prune_pool(context: RunTreeContext<'_, '_>) -> Result<(Vec<PathBuf>, usize), Error> {
    match open_pool(context)? {
        Some(pool) => Ok((pool.clear_old(OLDEST)?, pool.folders().len())),
        None => Ok((Vec::new(), 0)),
    }
}
