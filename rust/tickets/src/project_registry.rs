//! All projects with their tickets: which one a call means.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::error::{NO_PROJECT, TicketError};
use super::projects::project_lookup::ProjectLookupError;
use super::projects::{DiscoveryInputs, ProjectCatalog, ProjectProblem, TicketProject};
use super::ticket_store::{ProjectLocation, TicketClock, TicketStore};
use chant_base::error::Error;
use chant_base::external_items::ExternalItemsFactory;
use chant_base::number_claims::NumberClaimsFactory;
use chant_config::check::CheckedFile;
use chant_store::disk::Disk;

/// The projects that were found, and the tickets of those that were asked for.
pub struct ProjectRegistry {
    projects: Mutex<ProjectCatalog>,
    /// By the code of the project.
    stores: Mutex<HashMap<String, Arc<TicketStore>>>,
    pub(super) disk: Disk,
    clock: TicketClock,
    /// Makes the source of items of other dialects below a project's folder.
    around: Option<ExternalItemsFactory>,
    /// Makes what gives numbers in a project's folder.
    numbers: Option<NumberClaimsFactory>,
}

impl ProjectRegistry {
    /// Finds the projects; their tickets are read when they are first asked for.
    pub fn open(surroundings: DiscoveryInputs, disk: Disk, clock: TicketClock) -> Self {
        Self {
            projects: Mutex::new(ProjectCatalog::find(surroundings)),
            stores: Mutex::default(),
            disk,
            clock,
            around: None,
            numbers: None,
        }
    }

    /// The same projects, whose tickets may wait for items of other dialects.
    #[must_use]
    pub fn with_external(self, around: ExternalItemsFactory) -> Self {
        Self {
            around: Some(around),
            ..self
        }
    }

    /// The same projects, whose new tickets get numbers that no other clone gives.
    #[must_use]
    pub fn with_numbers(self, numbers: NumberClaimsFactory) -> Self {
        Self {
            numbers: Some(numbers),
            ..self
        }
    }

    /// The projects as of now.
    pub(super) fn projects(&self) -> MutexGuard<'_, ProjectCatalog> {
        let mut projects = locked(&self.projects);
        projects.refresh();
        projects
    }

    /// The project that a call means, by its name or by a ticket's key.
    ///
    /// # Errors
    /// `ProjectNotFound`, or `Validation` where nothing says which it is.
    pub(super) fn project(
        &self,
        project: Option<&str>,
        key: Option<&str>,
    ) -> Result<TicketProject, TicketError> {
        let projects = self.projects();
        let found = projects.which(project, key);
        found.cloned().map_err(|unclear| match unclear {
            ProjectLookupError::NotFound { given, available }
            | ProjectLookupError::Malformed { given, available } => TicketError::ProjectNotFound {
                project: given,
                available,
            },
            ProjectLookupError::Needed { available } => {
                TicketError::invalid("project", needed(&available, &projects.problems))
            }
        })
    }

    /// The tickets of the project that a call means.
    ///
    /// # Errors
    /// As `ProjectRegistry::project`, or a `StoreError`.
    pub fn open_store(
        &self,
        project: Option<&str>,
        key: Option<&str>,
    ) -> Result<Arc<TicketStore>, Error> {
        self.board_of(&self.project(project, key)?)
    }

    /// The tickets of the project whose folder this is; `None` when it is no project's.
    ///
    /// # Errors
    /// A `StoreError`.
    pub fn open_store_at(&self, root: &Path) -> Result<Option<Arc<TicketStore>>, Error> {
        let found = self.project_at(root);
        found.map(|project| self.board_of(&project)).transpose()
    }

    /// The project whose folder this is, if it is one's.
    pub(super) fn project_at(&self, root: &Path) -> Option<TicketProject> {
        let projects = self.projects();
        let found = projects.all.iter().find(|project| project.root == root);
        found.cloned()
    }

    /// The configuration files that were read, with what is to be said about their keys.
    pub fn configuration_files(&self) -> Vec<CheckedFile> {
        self.projects().files.clone()
    }

    /// The folder of the user's own configuration.
    pub fn config_folder(&self) -> Option<PathBuf> {
        locked(&self.projects).surroundings().config_folder()
    }

    /// Returns the problems of the configuration that lies in a folder: the name of its file, and why.
    pub fn problems_at(&self, root: &Path) -> Vec<(String, String)> {
        let projects = self.projects();
        let problems = projects.problems.iter().filter_map(|problem| {
            let name = Path::new(&problem.path).strip_prefix(root).ok()?.to_str()?;
            (!name.is_empty() && !name.contains('/'))
                .then(|| (name.to_owned(), problem.why.clone()))
        });
        problems.collect()
    }

    /// The tickets of a project.
    pub(super) fn board_of(&self, project: &TicketProject) -> Result<Arc<TicketStore>, Error> {
        let place = ProjectLocation {
            id: project.id.clone(),
            name: project.name.clone(),
            code: project.code.clone(),
            root: project.root.clone(),
            tickets: project.tickets.clone(),
            start_number: project.start_number,
            counter_file: project.counter_file.clone(),
            uses_worktrees: project.uses_worktrees,
        };
        let mut stores = locked(&self.stores);
        if let Some(store) = stores.get(&place.code).filter(|b| *b.place() == place) {
            return Ok(Arc::clone(store));
        }
        let code = place.code.clone();
        let root = place.root.clone();
        let mut store = TicketStore::open(place, self.disk.clone(), self.clock)?;
        if let Some(around) = self.around {
            store = store.with_external(around(&root));
        }
        if let Some(numbers) = &self.numbers {
            store = store.with_numbers(numbers(&root));
        }
        let store = Arc::new(store);
        stores.insert(code, Arc::clone(&store));
        // What a crash left may have to be waited for, which must not hold up other callers.
        drop(stores);
        store.recover()?;
        Ok(store)
    }
}

fn needed(available: &[String], problems: &[ProjectProblem]) -> String {
    if let ([], [first, ..]) = (available, problems) {
        let ProjectProblem { path, why } = first;
        return format!("Project is required, and none can be used. `{path}`: {why}");
    }
    if available.is_empty() {
        return NO_PROJECT.into();
    }
    format!(
        "Project is required where nothing else says which is meant. Available projects: {}",
        available.join(", ")
    )
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
