//! Specs that are not in the checkout: why there are none, and which ones git knows.

use super::super::error::ChantError;
use super::super::id::SpecId;
use super::{Project, SPECS};
use crate::vanished;

impl Project {
    /// Why there are no specs: the project has none yet, or their folder is gone.
    pub(super) fn without_specs(&self, was_there: bool) -> ChantError {
        // A repository that git refuses says nothing.
        let repo = self.repo().ok().flatten();
        let is_spec = |name: &str| name.strip_suffix(".md").is_some();
        match vanished::evidence(repo.as_deref(), &self.root, SPECS, was_there, is_spec) {
            Some(evidence) => ChantError::SpecsGone(vanished::problem("specs", SPECS, &evidence)),
            None => ChantError::NotInitialized {
                searched: self.searched(),
            },
        }
    }

    /// The IDs of active specs that git knows: in the newest commit of any branch, or in the index.
    pub(in super::super) fn ids_in_git(&self) -> Vec<SpecId> {
        let repo = self.repo().ok().flatten();
        let names =
            repo.and_then(|repo| repo.names_in_branches(&self.root.path().join(SPECS)).ok());
        let names = names.unwrap_or_default().into_iter();
        names
            .filter_map(|name| name.strip_suffix(".md")?.parse().ok())
            .collect()
    }
}
