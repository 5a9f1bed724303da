//! The plans of formats that come through the interface, as a commit has them.

use std::path::Path;
use std::sync::Arc;

use super::formats;
use super::revision_folder::RevisionFolder;
use chant_base::error::Error;
use chant_base::external_items::{ExternalItems, StatusLookup};
use chant_git::GitError;
use chant_plan_format::PlanFormat;
use chant_plan_format::document::{PlanDocument, RootSettings};
use chant_plan_format::scope::RootLayout;
use chant_plan_format::unit::read_all;
use chant_plan_store::PlanRoot;

/// Returns the plans of one format in a folder as a commit has them; `None` where it has none.
///
/// # Errors
/// A `GitError` for a commit that cannot be read.
pub(super) fn plans_at_commit(
    root: &Path,
    format: &'static dyn PlanFormat,
    commit: &str,
) -> Result<Option<Arc<PlanRoot>>, Error> {
    let Some(place) = RevisionFolder::of_commit(root, commit)? else {
        return Ok(None);
    };
    let layout = PlanLayout::of(&place, format)?;
    let documents = place.texts(&|folder| layout.enters(folder), &|file| {
        layout.is_document(file)
    })?;
    let unknown = |keys: &[String]| ExternalItems::default().standings(keys);
    Ok(layout.read(&documents, &unknown))
}

/// The places of a format in a commit.
pub(super) struct PlanLayout {
    pub(super) format: &'static dyn PlanFormat,
    settings: RootSettings,
    pub(super) layout: RootLayout,
}

impl PlanLayout {
    /// Those of all formats that come through the interface.
    pub(super) fn all_in(place: &RevisionFolder) -> Result<Vec<Self>, GitError> {
        let formats = formats::all().into_iter();
        formats.map(|format| Self::of(place, format)).collect()
    }

    fn of(place: &RevisionFolder, format: &'static dyn PlanFormat) -> Result<Self, GitError> {
        let mut settings = Vec::new();
        for path in format.scope().settings {
            let text = place.text(path)?;
            settings.extend(text.map(|text| Arc::new(PlanDocument::new(*path, text))));
        }
        Ok(Self::with_settings(format, RootSettings(settings)))
    }

    pub(super) fn with_settings(format: &'static dyn PlanFormat, settings: RootSettings) -> Self {
        let layout = format.layout(&settings);
        Self {
            format,
            settings,
            layout,
        }
    }

    /// Returns true if documents may lie below a folder.
    pub(super) fn enters(&self, folder: &str) -> bool {
        let inside = format!("{folder}/");
        self.layout.units.iter().any(|pattern| {
            let place = format!("{}/", pattern.folder);
            let below = inside
                .strip_prefix(&place)
                .map(|below| below.trim_end_matches('/'));
            let is_accepted =
                |below: &str| below.split('/').count() > pattern.depth || (pattern.accepts)(below);
            place.starts_with(&inside) || below.is_some_and(is_accepted)
        })
    }

    pub(super) fn is_document(&self, path: &str) -> bool {
        self.unit_of(path).is_some()
    }

    /// The unit that has a path as a document.
    pub(super) fn unit_of(&self, path: &str) -> Option<String> {
        let units = self.layout.units.iter();
        let mut found = units.filter_map(|pattern| pattern.unit_at(path));
        found.find(|unit| unit.is_document).map(|unit| unit.path)
    }

    /// The plans that documents say; none without a document of the format.
    pub(super) fn read(
        &self,
        documents: &[(String, String)],
        others: StatusLookup<'_>,
    ) -> Option<Arc<PlanRoot>> {
        let own = documents.iter().filter(|(path, _)| self.is_document(path));
        let own: Vec<PlanDocument> = own
            .map(|(path, text)| PlanDocument::new(path.as_str(), text.as_str()))
            .collect();
        if own.is_empty() {
            return None;
        }
        let settings = self
            .settings
            .0
            .iter()
            .map(|document| PlanDocument::clone(document));
        let (settings, units) = read_all(self.format, settings.chain(own));
        Some(Arc::new(PlanRoot::of_units(
            self.format, units, settings, others,
        )))
    }
}
