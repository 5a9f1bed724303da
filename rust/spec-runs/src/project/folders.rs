//! Where worktrees lie: outside the user's checkout, in a folder proper to the repository.

use std::path::{Path, PathBuf};

use chant_base::error::Error;
use chant_config::Config;
use chant_git::{self, Repo};
use chant_specs::error::ChantError;
use chant_specs::project::Project;

/// The folder of this repository's worktrees (decisions 3, "Files we write"); it may not be there yet.
///
/// # Errors
/// `Refused` when nothing says where the user's own files lie.
pub(crate) fn worktrees_folder(
    project: &Project,
    config: &Config,
    repo: &Repo,
) -> Result<PathBuf, Error> {
    folder_of(project, config, repo.common_dir())
}

/// The folder of those that are made before a run asks for one: beside them, so that one is taken by a rename.
///
/// # Errors
/// As [`worktrees_folder`].
pub(crate) fn pool_folder(
    project: &Project,
    config: &Config,
    repo: &Repo,
) -> Result<PathBuf, Error> {
    // No spec's ID begins with a dot, so this is no spec's worktree.
    Ok(worktrees_folder(project, config, repo)?.join(".pool"))
}

/// The folder that a split is looked into in: made for one run, and gone with it.
///
/// # Errors
/// As [`worktrees_folder`].
pub(crate) fn of_split(
    project: &Project,
    config: &Config,
    process_id: &str,
) -> Result<PathBuf, Error> {
    let repo = project.repo()?;
    let common = repo
        .as_ref()
        .map_or(project.root(), |repo| repo.common_dir());
    // No spec's ID begins with a dot, so this is no spec's worktree.
    let folder = folder_of(project, config, common)?.join(".split");
    Ok(folder.join(process_id))
}

/// The folder in which checks are run again on what landed; one below it for each such act.
///
/// # Errors
/// As [`worktrees_folder`].
pub(crate) fn of_reruns(project: &Project, config: &Config, repo: &Repo) -> Result<PathBuf, Error> {
    // No spec's ID begins with a dot, so this is no spec's worktree.
    Ok(worktrees_folder(project, config, repo)?.join(".rerun"))
}

/// The folder with the layers of this repository's recipes: on the disk of the worktrees, which get copies.
///
/// # Errors
/// As [`worktrees_folder`].
pub(crate) fn layers_folder(
    project: &Project,
    config: &Config,
    repo: &Repo,
) -> Result<PathBuf, Error> {
    // No spec's ID begins with a dot, so this is no spec's worktree.
    Ok(worktrees_folder(project, config, repo)?.join(".layers"))
}

/// The folder in which runs of this repository see the caches of its recipes: each has its own there.
///
/// # Errors
/// As [`worktrees_folder`].
pub(crate) fn mounted_caches_folder(
    project: &Project,
    config: &Config,
    repo: &Repo,
) -> Result<PathBuf, Error> {
    // No spec's ID begins with a dot, so this is no spec's worktree.
    Ok(worktrees_folder(project, config, repo)?.join(".caches"))
}

/// The folder with the locks of ports: those of all projects of the user.
///
/// # Errors
/// As [`user_state_folder`].
pub(crate) fn ports_folder(project: &Project) -> Result<PathBuf, Error> {
    Ok(user_state_folder(project)?.join("ports"))
}

/// The folder that belongs to a repository, or to a project without one.
fn folder_of(project: &Project, config: &Config, common: &Path) -> Result<PathBuf, Error> {
    Ok(folder_of_all(project, config)?.join(named(project, config, common)))
}

/// Returns the name of a folder that belongs to a repository alone.
fn named(project: &Project, config: &Config, common: &Path) -> String {
    let hash = chant_git::blob(&common.display().to_string());
    format!("{}-{}", name_of(project, config), &hash[..12])
}

/// The folder that holds those of all repositories.
fn folder_of_all(project: &Project, config: &Config) -> Result<PathBuf, Error> {
    if let Some(given) = config.worktree_root.as_deref() {
        return Ok(project.root.path().join(at_home(project, given)));
    }
    Ok(user_state_folder(project)?.join("worktrees"))
}

/// The folder for the user's own state of ours.
///
/// # Errors
/// `Refused` when nothing says where that may be.
pub(crate) fn user_state_folder(project: &Project) -> Result<PathBuf, Error> {
    let home = || variable(project, "HOME").map(|home| home.join(".local/state"));
    let state = variable(project, "XDG_STATE_HOME").or_else(home);
    let state = state.ok_or_else(|| {
        let why = "Neither XDG_STATE_HOME nor HOME says where worktrees may lie. Set `defaults.worktree_root` in .chant/config.md.";
        ChantError::Refused(why.into())
    })?;
    Ok(state.join("chant-mcp"))
}

/// Returns a path of the configuration, where `~` stands for the user's home folder.
pub(crate) fn at_home(project: &Project, path: &str) -> PathBuf {
    let inside = path.strip_prefix("~/");
    let inside = inside.and_then(|rest| Some(variable(project, "HOME")?.join(rest)));
    inside.unwrap_or_else(|| PathBuf::from(path))
}

fn variable(project: &Project, name: &str) -> Option<PathBuf> {
    let value = project.environment.get(name).map(PathBuf::from);
    value.filter(|path| path.is_absolute())
}

/// The project's name as part of a folder's.
fn name_of(project: &Project, config: &Config) -> String {
    let folder = project.root.path().file_name().unwrap_or_default();
    let given = match config.project_name.as_str() {
        "" => folder.to_string_lossy().into_owned(),
        name => name.to_owned(),
    };
    let plain = |c: char| {
        if c.is_alphanumeric() || c == '-' {
            c
        } else {
            '-'
        }
    };
    let name: String = given.chars().take(40).map(plain).collect();
    name.trim_matches('-').to_owned()
}

/// A file that belongs to a worktree and lies beside it.
pub(crate) fn sibling_file(worktree: &Path, ending: &str) -> PathBuf {
    let mut name = worktree.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    worktree.with_file_name(name)
}

/// The ending of the folder that an agent writes to beside its own: temporary files, and settings of tools.
pub(crate) const PRIVATE: &str = ".private";
/// The ending of the same folder of a check.
pub(crate) const CHECKING: &str = ".checking";
/// The ending of the folder with the mounts of layers, and what processes wrote over them.
pub(crate) const VIEWS: &str = ".views";
/// The ending of the folder with caches of recipes that are copied.
pub(crate) const RECIPE_CACHES: &str = ".caches";
/// The ending of the folder with the data and logs of services.
pub(crate) const SERVICES: &str = ".services";
/// The ending of the prompt's file.
pub(crate) const PROMPT: &str = ".prompt.md";
/// The ending of the file about our server.
pub(crate) const SERVER: &str = ".mcp.json";
/// The ending of the copy of a spec that git does not track, as it was at the start.
pub(crate) const BASE: &str = ".spec.md";
/// The ending of the list of files that git is not to see in the worktree.
pub(crate) const IGNORED: &str = ".ignore";
/// The end of the name of the folder with what was kept of folders that are gone; nothing of ours removes it.
pub(crate) const KEPT: &str = ".kept";
/// The ending of the folder that checks of the work look at.
pub(crate) const CHECKED: &str = ".checks";
/// The ending of the file that says for which run and spec a folder was made.
pub(crate) const MARKER: &str = ".run.json";
/// The ending of the folder in which the run asks for its own server.
pub(crate) const CONNECT: &str = ".connect";
/// The ending of the file by which readers of the log of an agent elsewhere are noticed.
pub(crate) const WATCHED: &str = ".watched";
/// The endings of the files that lie beside a worktree.
pub(crate) const BESIDE: [&str; 6] = [PROMPT, SERVER, BASE, IGNORED, MARKER, WATCHED];
