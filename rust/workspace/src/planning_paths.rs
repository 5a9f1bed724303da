//! The paths in a commit at which plans of all formats lie.

use std::path::Path;

use chant_base::error::Error;
use chant_plan_format::document::RootSettings;
use chant_speckit::files::TASKS;
use chant_speckit::resolve::SPECS as FEATURES;
use chant_tickets::projects::{OWN_FILE, TICKETS, parse_own_file};

use super::formats;
use super::revision_folder::RevisionFolder;
use super::revision_plans::PlanLayout;
use super::revision_view::has_ending;

/// Where the plans of a commit lie: at the usual places, and at those that its settings name.
pub(super) struct PlanningPaths {
    tickets: [String; 2],
    pub(super) layouts: Vec<PlanLayout>,
}

impl PlanningPaths {
    /// Reads the settings of a commit, whose folder is the root of a project.
    ///
    /// # Errors
    /// A failure of git.
    pub(super) fn in_commit(root: &Path, commit: &str) -> Result<Self, Error> {
        let formats = formats::all().into_iter();
        let usual = |format| PlanLayout::with_settings(format, RootSettings::default());
        let mut layouts: Vec<PlanLayout> = formats.map(usual).collect();
        let mut tickets = None;
        if let Some(place) = RevisionFolder::of_commit(root, commit)? {
            layouts.extend(PlanLayout::all_in(&place)?);
            let own = place.text(OWN_FILE)?;
            let own = own.and_then(|text| parse_own_file(&text).ok());
            tickets = own.and_then(|own| own.tickets);
        }
        let usual = TICKETS.to_owned();
        let tickets = [tickets.unwrap_or_else(|| usual.clone()), usual];
        Ok(Self { tickets, layouts })
    }

    /// Returns true for a path that belongs to the plans of some format; files in the folder of a run's own unit that
    /// are none of its documents are free.
    pub(super) fn holds(&self, path: &str, own_unit: Option<&str>) -> bool {
        self.is_of_tools(path)
            || self.layouts.iter().any(|of_format| {
                let mut units = of_format.layout.units.iter();
                if let Some(unit) = units.find_map(|pattern| pattern.unit_at(path)) {
                    return unit.is_document || Some(&*unit.path) != own_unit;
                }
                let scope = of_format.format.scope();
                let folders = of_format.layout.units.iter().map(|unit| &*unit.folder);
                let tops = folders.chain(scope.markers.iter().copied()).map(top_of);
                let archives = of_format.layout.archives.iter();
                scope.settings.contains(&path)
                    || tops
                        .chain(archives.map(|folder| &**folder))
                        .any(|folder| is_below(path, folder))
            })
    }

    /// Returns true for a document that an agent may be told of and that no tool of runs writes. Of a run on an item only
    /// those count that it may write beside its boxes.
    pub(super) fn is_told(&self, path: &str, by_item_run: bool) -> bool {
        let name = path.rsplit('/').next().unwrap_or_default();
        self.layouts.iter().any(|of_format| {
            let format = of_format.format;
            if by_item_run && !format.free_documents().contains(&name) {
                return false;
            }
            of_format.is_document(path) || format.scope().settings.contains(&path)
        })
    }

    /// Returns true for an item of a format with tools of its own.
    pub(super) fn is_of_tools(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        has_ending(path, "vine")
            || matches!(parts.as_slice(), [FEATURES, _, TASKS])
            || self.tickets.iter().any(|folder| is_below(path, folder))
    }
}

fn top_of(path: &str) -> &str {
    path.split('/').next().unwrap_or_default()
}

fn is_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder).filter(|_| !folder.is_empty());
    rest.is_some_and(|rest| rest.starts_with('/'))
}
