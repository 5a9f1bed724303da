//! What was brought in before: the IDs of specs by where their files say that they came from.

use std::collections::HashMap;

use super::super::error::ChantError;
use super::super::project::{ARCHIVE, Project, Snapshot};
use super::ORIGIN;
use crate::error::Error;
use crate::store::StoreError;
use crate::store::disk::{self, Listing};
use crate::text::front_matter;

/// The specs of a project that came from somewhere, archived ones included; every archived file is read.
///
/// # Errors
/// A `StoreError`, or `Refused` for an archived spec whose front matter cannot be read: what it stands for
/// would come in twice.
pub(super) fn known(
    project: &Project,
    snapshot: &Snapshot,
) -> Result<HashMap<String, String>, Error> {
    let mut found = archived(project)?;
    found.extend(active(snapshot));
    Ok(found)
}

/// The active specs that came from somewhere.
pub(super) fn active(snapshot: &Snapshot) -> impl Iterator<Item = (String, String)> {
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
                "`{name}` cannot be read, so that nobody knows what it was imported from: {why}. Mend it or move it away; nothing was imported."
            )))?;
            found.extend(origin.map(|origin| (origin, id.to_owned())));
        }
    }
    Ok(found)
}

/// A folder that is gone holds nothing.
fn listed(listing: Result<Listing, StoreError>) -> Result<Listing, StoreError> {
    match listing {
        Err(StoreError::Missing { .. }) => Ok(Listing::default()),
        listing => listing,
    }
}

/// Where a spec's file says that it came from.
fn of(text: &str) -> Result<Option<String>, String> {
    // Reading YAML is slow, and most specs came from nowhere.
    if !text.contains(ORIGIN) {
        return Ok(None);
    }
    let yaml = front_matter::yaml_of(text).map_err(|error| error.to_string())?;
    if yaml.trim().is_empty() {
        return Ok(None);
    }
    front_matter::read_key(yaml, ORIGIN).map_err(|error| error.to_string())
}
