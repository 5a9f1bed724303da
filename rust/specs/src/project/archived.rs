//! Archived specs, read when they are asked for.

use std::sync::Arc;

use super::super::model::Spec;
use super::super::parse;
use super::{Project, ProjectSnapshot};
use chant_base::error::Error;
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
