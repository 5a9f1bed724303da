//! Archived specs, read when they are asked for.

use std::sync::Arc;

use super::{Project, ProjectSnapshot};
use crate::model::Spec;
use crate::parse;
use chant_base::error::Error;
use chant_base::next_step::DoorKind;
use chant_store::files;
use chant_store::index::FileSource;

impl Project {
    /// The archived specs that can be read, by their IDs; of several files of one ID the one that counts.
    ///
    /// # Errors
    /// A `StoreError` about a file that was there a moment ago.
    pub fn archived_specs(&self) -> Result<Vec<Arc<Spec>>, Error> {
        let mut paths: Vec<String> = {
            let mut known = self.known();
            known.refresh_archive();
            let ids: Vec<String> = known.archived_ids().map(str::to_owned).collect();
            let path = |id: &String| known.archived_as(id).map(|(path, _)| path.to_owned());
            ids.iter().filter_map(path).collect()
        };
        paths.sort_unstable_by(|a, b| parse::stem(a).cmp(parse::stem(b)));
        let mut specs = Vec::with_capacity(paths.len());
        for path in paths {
            let (text, _) = files::read(&self.disk, &self.root, &path)?;
            specs.extend(parse::document(&path, FileSource::Text(text)).ok());
        }
        Ok(specs)
    }

    /// The spec that a text means for a person: an active one as [`Project::resolve`] finds it, else the archived one
    /// of this ID, or the only one whose ID ends so.
    ///
    /// # Errors
    /// As [`Project::resolve`].
    pub fn resolve_with_archive(
        &self,
        snapshot: &ProjectSnapshot,
        text: &str,
    ) -> Result<Arc<Spec>, Error> {
        let refusal = match self.resolve(snapshot, text) {
            Ok(spec) => return Ok(spec),
            Err(refusal) if self.door == DoorKind::Agents || text.trim().is_empty() => {
                return Err(refusal);
            }
            Err(refusal) => refusal,
        };
        let name = text.trim();
        let name = name.strip_prefix("chant:").unwrap_or(name);
        let mut archived = self.archived_specs()?;
        if let Some(at) = archived.iter().position(|spec| spec.id.as_str() == name) {
            return Ok(archived.swap_remove(at));
        }
        archived.retain(|spec| spec.id.as_str().ends_with(name));
        match archived.as_slice() {
            [one] => Ok(Arc::clone(one)),
            _ => Err(refusal),
        }
    }

    /// The spec of exactly this ID, active or archived.
    ///
    /// # Errors
    /// As [`Project::resolve`].
    #[cfg(unix)]
    pub fn spec_or_archived(
        &self,
        snapshot: &ProjectSnapshot,
        id: &str,
    ) -> Result<Arc<Spec>, Error> {
        if let Some(spec) = snapshot.specs.find(id) {
            return Ok(spec.clone());
        }
        let mut archived = self.archived_specs()?.into_iter();
        match archived.find(|spec| spec.id.as_str() == id) {
            Some(spec) => Ok(spec),
            None => self.resolve(snapshot, id),
        }
    }
}
