//! The origins of earlier imports: the ids of specs by the origins in their files.

use std::collections::HashMap;

use super::ORIGIN;
use crate::error::ChantError;
use crate::project::{ARCHIVE, Project, ProjectSnapshot};
use chant_base::error::Error;
use chant_store::StoreError;
use chant_store::disk::{self, FolderListing};
use chant_text::front_matter;

/// Returns the imported specs of a project, archived ones included; every archived file is read.
///
/// # Errors
/// A `StoreError`, or `Refused` for an archived spec whose front matter cannot be read, because its
/// origin could be imported twice.
pub(super) fn find_imported(
    project: &Project,
    snapshot: &ProjectSnapshot,
) -> Result<HashMap<String, String>, Error> {
    let mut found = archived(project)?;
    found.extend(active_imports(snapshot));
    Ok(found)
}

/// Returns the active specs that were imported.
pub(super) fn active_imports(snapshot: &ProjectSnapshot) -> impl Iterator<Item = (String, String)> {
    snapshot.specs.all().iter().filter_map(|spec| {
        let origin = of(&spec.text).ok().flatten()?;
        Some((origin, spec.id.to_string()))
    })
}

fn archived(project: &Project) -> Result<HashMap<String, String>, Error> {
    let mut found = HashMap::new();
    let archive = match project.root.locate(ARCHIVE) {
        Err(StoreError::Missing { .. }) => return Ok(found),
        archive => archive?,
    };
    for (day, _) in listed(disk::list(&archive))?.folders {
        let folder = archive.join(&day);
        for file in listed(disk::list(&folder))?.files {
            let Some(id) = file.name.strip_suffix(".md") else {
                continue;
            };
            let name = format!("{ARCHIVE}/{day}/{}", file.name);
            let text = match project.disk.read_text(&folder.join(&file.name), &name) {
                Err(StoreError::Missing { .. }) => continue,
                text => text?.0,
            };
            let origin = of(&text).map_err(|why| ChantError::Refused(format!(
                "`{name}` cannot be read, so its origin is unknown: {why}. Nothing was imported. Fix the file or move it away, then import again."
            )))?;
            found.extend(origin.map(|origin| (origin, id.to_owned())));
        }
    }
    Ok(found)
}

/// Returns a listing; a folder that is gone has an empty one.
fn listed(listing: Result<FolderListing, StoreError>) -> Result<FolderListing, StoreError> {
    match listing {
        Err(StoreError::Missing { .. }) => Ok(FolderListing::default()),
        listing => listing,
    }
}

/// Returns the origin in a spec's file.
fn of(text: &str) -> Result<Option<String>, String> {
    // Reading YAML is slow, and most specs were not imported.
    if !text.contains(ORIGIN) {
        return Ok(None);
    }
    let yaml = front_matter::yaml_of(text).map_err(|error| error.to_string())?;
    if yaml.trim().is_empty() {
        return Ok(None);
    }
    front_matter::read_key(yaml, ORIGIN).map_err(|error| error.to_string())
}
