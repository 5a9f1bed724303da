//! The folders that runs are given: each is derived again from its spec's ID when something is done with it, and
//! only such a folder, with our mark beside it, is ever removed.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::folders::{
    self, BESIDE, CHECKING, CONNECT, KEPT, MARKER, PRIVATE, RECIPE_CACHES, SERVICES, VIEWS,
    sibling_file,
};
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_config::Config;
use chant_git::Repo;
use chant_specs::error::ChantError;
use chant_specs::project::Project;
use chant_store::disk;
use chant_store::state::{StateFolder, escape_name};

/// So many folders are tried for a run whose usual one holds something else.
const FOLDERS: usize = 100;
/// Bytes of a mark that are read.
const MAX_SIZE: u64 = 4096;

/// Says for which run and spec a folder was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RunMark {
    run: String,
    spec: String,
    /// The state folder of the project; a project that was made again at the same place has another one.
    #[serde(default)]
    state: Option<String>,
}

/// The folder that holds the worktrees of a repository's runs; its path is real where it is there.
#[derive(Debug, Clone)]
pub(crate) struct WorktreeFolder {
    folder: PathBuf,
    state: Option<StateFolder>,
}

impl WorktreeFolder {
    /// The folder as the configuration says now.
    ///
    /// # Errors
    /// As [`folders::worktrees_folder`].
    pub(crate) fn of(project: &Project, config: &Config, repo: &Repo) -> Result<Self, Error> {
        Ok(Self {
            state: project.state().ok(),
            ..Self::at(folders::worktrees_folder(project, config, repo)?)
        })
    }

    /// A folder that holds such folders.
    pub(crate) fn at(folder: PathBuf) -> Self {
        let folder = disk::real(&folder).unwrap_or(folder);
        Self {
            folder,
            state: None,
        }
    }

    /// Returns true if a folder was made for this project, and not for one that was at its place before.
    fn is_of_project(&self, mark: &RunMark) -> bool {
        match (&self.state, &mark.state) {
            (Some(state), Some(made_for)) => state.id().is_none_or(|id| id == *made_for),
            _ => true,
        }
    }

    /// The folders of runs of a project that was at this place before; nothing here removes them.
    pub(crate) fn strange_folders(&self) -> Vec<PathBuf> {
        let names = disk::names(&self.folder).unwrap_or_default().into_iter();
        let paths = names.map(|one| self.folder.join(&one.name));
        let is_strange =
            |path: &PathBuf| mark_of(path).is_some_and(|mark| !self.is_of_project(&mark));
        paths.filter(is_strange).collect()
    }

    /// Returns true if a path is one that a run of the spec may have been given.
    pub(crate) fn may_be_of(&self, path: &Path, spec_id: &str) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let rest = name.strip_prefix(&*escape_name(spec_id));
        let is_number = |rest: &str| {
            let number = rest.strip_prefix('-');
            rest.is_empty() || number.is_some_and(|number| number.parse::<u32>().is_ok())
        };
        let real = disk::real(path).unwrap_or_else(|_| path.to_owned());
        // Nowhere deeper.
        real.parent() == Some(&self.folder) && rest.is_some_and(is_number)
    }

    /// The folder that a run of the spec was given and that is there, with our mark beside it.
    pub(crate) fn folder_of(&self, spec_id: &str) -> Option<PathBuf> {
        let is_its = |path: &PathBuf| {
            disk::is_plain_below(&self.folder, path)
                && mark_of(path)
                    .is_some_and(|mark| mark.spec == spec_id && self.is_of_project(&mark))
        };
        self.names_of(spec_id).find(is_its)
    }

    /// Refuses when the folder that a run of the spec is usually given is there, and nothing says that it is its.
    ///
    /// # Errors
    /// `Refused`.
    pub(crate) fn refuse_unmarked_folder(&self, spec_id: &str) -> Result<(), Error> {
        let usual = self.folder.join(escape_name(spec_id));
        let is_strange = || mark_of(&usual).is_some_and(|mark| !self.is_of_project(&mark));
        if disk::exists(&usual) && !is_strange() {
            return self.refuse_unmarked(&usual, spec_id);
        }
        Ok(())
    }

    /// The first folder for the spec that is not there.
    pub(crate) fn free_folder(&self, spec_id: &str) -> PathBuf {
        let free = self.names_of(spec_id).find(|path| !disk::exists(path));
        free.unwrap_or_else(|| self.folder.join(&*escape_name(spec_id)))
    }

    fn names_of(&self, spec_id: &str) -> impl Iterator<Item = PathBuf> {
        let name = escape_name(spec_id);
        let numbered = (2..FOLDERS).map({
            let name = name.clone();
            move |number| format!("{name}-{number}")
        });
        let folder = self.folder.clone();
        std::iter::once(name)
            .chain(numbered)
            .map(move |name| folder.join(name))
    }

    /// The folders of runs that are there, each with the ID of its spec.
    pub(crate) fn folders(&self) -> Vec<(PathBuf, String)> {
        let names = disk::names(&self.folder).unwrap_or_default().into_iter();
        let marked = names.filter_map(|one| {
            let path = self.folder.join(&one.name);
            let mark = mark_of(&path).filter(|mark| self.is_of_project(mark))?;
            disk::is_plain_below(&self.folder, &path).then_some((path, mark.spec))
        });
        marked.collect()
    }

    /// Refuses to remove a folder that lies elsewhere, or that no mark of ours names.
    ///
    /// # Errors
    /// `Refused`.
    pub(crate) fn refuse_unmarked(&self, path: &Path, spec_id: &str) -> Result<(), Error> {
        if path.parent() != Some(&self.folder) || !disk::is_plain_below(&self.folder, path) {
            let why = format!("it is no folder of yours in {}", self.folder.display());
            return Err(strange(path, &why));
        }
        match mark_of(path) {
            Some(mark) if !self.is_of_project(&mark) => Err(strange(
                path,
                "it was made for a project that was at this place before",
            )),
            Some(mark) if mark.spec == spec_id => Ok(()),
            Some(mark) => {
                let why = format!("it was made for run {} of spec '{}'", mark.run, mark.spec);
                Err(strange(path, &why))
            }
            None => Err(strange(
                path,
                "nothing of ours says for which run it was made",
            )),
        }
    }
}

fn mark_of(path: &Path) -> Option<RunMark> {
    let text = disk::read_owned(&sibling_file(path, MARKER), MAX_SIZE).ok()?;
    serde_json::from_str(&text).ok()
}

/// Says beside a folder for which run and spec it is.
///
/// # Errors
/// `NotWritten`.
pub(crate) fn write_run_mark(
    project: &Project,
    path: &Path,
    run: &str,
    spec_id: &str,
) -> Result<(), Error> {
    let mark = RunMark {
        run: run.to_owned(),
        spec: spec_id.to_owned(),
        state: project.state()?.id(),
    };
    let place = sibling_file(path, MARKER);
    disk::remove(&place)?;
    let text = serde_json::to_string(&mark).unwrap_or_default() + "\n";
    Ok(disk::create_owned(&place, &text)?)
}

/// Makes the folder for what is kept of a folder that is removed: beside it, so that things are moved there.
///
/// # Errors
/// `NotWritten`.
pub(crate) fn make_kept_folder(path: &Path) -> Result<PathBuf, Error> {
    let all = sibling_file(path, KEPT);
    disk::make_folders(&all)?;
    let mut numbered = (1..=FOLDERS).map(|number| all.join(number.to_string()));
    let Some(free) = numbered.find(|place| !disk::exists(place)) else {
        let message = format!("{} is full; look through it first", all.display());
        return Err(ChantError::Refused(message).into());
    };
    disk::make_folders(&free)?;
    Ok(free)
}

/// Removes what lies beside a removed folder; files that cannot be removed do no harm.
pub(crate) fn remove_beside(path: &Path) {
    for ending in BESIDE {
        disk::remove(&sibling_file(path, ending))
            .log_failure("remove a file beside the folder of a run");
    }
    for ending in [CONNECT, VIEWS, RECIPE_CACHES, SERVICES] {
        disk::remove_tree(&sibling_file(path, ending))
            .log_failure("remove a folder beside the folder of a run");
    }
    remove_private(path);
}

/// Removes the private folders of an agent and of a check; one that stays is removed before the next run.
pub(crate) fn remove_private(path: &Path) {
    for ending in [PRIVATE, CHECKING] {
        disk::remove_tree(&sibling_file(path, ending)).log_failure("remove a private folder");
    }
}

fn strange(path: &Path, why: &str) -> Error {
    let message = format!(
        "{} is not removed: {why}. Look at it, and remove it yourself",
        path.display()
    );
    ChantError::Refused(message).into()
}
