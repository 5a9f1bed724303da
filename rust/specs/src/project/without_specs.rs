//! Specs that are not in the checkout: why there are none, which ones git knows, and whether archived ones are gone.

use super::{ARCHIVE, CONFIG, Project, SPECS};
use crate::error::ChantError;
use crate::id::SpecId;
use chant_base::document_problem::DocumentProblem;
use chant_places::missing_folders;
use chant_store::{StoreError, disk};
use std::path::PathBuf;

impl Project {
    /// Why there are no specs: the project has none yet, or their folder is gone.
    pub(super) fn without_specs(&self, was_there: bool) -> ChantError {
        // A repository that git refuses says nothing.
        let repo = self.repo().ok().flatten();
        let is_spec = |name: &str| name.strip_suffix(".md").is_some();
        match missing_folders::evidence_of_loss(
            repo.as_deref(),
            &self.root,
            SPECS,
            was_there,
            is_spec,
        ) {
            Some(evidence) => {
                ChantError::SpecsGone(missing_folders::loss_message("specs", SPECS, &evidence))
            }
            None => ChantError::NotInitialized {
                searched: self.searched(),
            },
        }
    }

    /// The folder of specs, whose lock every change of specs holds while it is decided and written. A project whose
    /// clone lacks it, because no spec is active, gets it here.
    ///
    /// # Errors
    /// `StoreError` when it is not there, although it should be.
    pub fn folder_lock(&self) -> Result<PathBuf, StoreError> {
        match self.documents.locate(SPECS) {
            Err(StoreError::Missing { .. })
                if self.is_set_up() && self.without_specs(false).is_not_initialized() =>
            {
                disk::make_folders(&self.root.path().join(SPECS))?;
                self.root.locate(SPECS)
            }
            located => located,
        }
    }

    /// Returns true if the folder is a project of specs: it has some, or had.
    pub fn is_initialized(&self) -> bool {
        disk::exists(&self.documents.path().join(SPECS))
            || self.is_set_up()
            || !self.without_specs(false).is_not_initialized()
    }

    /// Returns true if the folder is a project all the same: git keeps no empty folder, so that a clone of a project
    /// whose specs are all archived has none for the active ones.
    pub(super) fn is_set_up(&self) -> bool {
        let is_there = |name| disk::exists(&self.root.path().join(name));
        is_there(CONFIG) || is_there(ARCHIVE)
    }

    /// Returns the problems where the archive, or a day of it, is not there: it was, as this process or git knows.
    pub(super) fn archive_gone(&self) -> Vec<DocumentProblem> {
        let repo = || self.repo().ok().flatten();
        let mut missing = self.missing.find(&self.disk, &self.root, ARCHIVE, repo);
        let is_there = disk::exists(&self.root.path().join(ARCHIVE));
        if self.known().has_lost_archive(is_there) && missing.is_empty() {
            missing.push(ARCHIVE.to_owned());
        }
        let problem = |folder: String| {
            let message = if folder == ARCHIVE {
                let repo = self.repo().ok().flatten();
                let evidence = missing_folders::evidence_of_loss(
                    repo.as_deref(),
                    &self.root,
                    ARCHIVE,
                    true,
                    |_| true,
                )?;
                missing_folders::loss_message("archived specs", ARCHIVE, &evidence)
            } else {
                missing_folders::missing_problem("archived specs", &folder)
            };
            Some(DocumentProblem::new(folder, message))
        };
        missing.into_iter().filter_map(problem).collect()
    }

    /// The IDs of active specs that begin with a text and that git knows: in the newest commit of any branch, or in the index.
    pub(crate) fn ids_in_git(&self, beginning: &str) -> Vec<SpecId> {
        let repo = self.repo().ok().flatten();
        let folder = self.root.path().join(SPECS);
        let names = repo.and_then(|repo| repo.names_in_branches(&folder, beginning).ok());
        let names = names.unwrap_or_default().into_iter();
        names
            .filter_map(|name| name.strip_suffix(".md")?.parse().ok())
            .collect()
    }
}
