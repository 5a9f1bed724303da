//! Takes over what changed in a source since its items were imported.

use std::collections::HashSet;
use std::sync::Arc;

use super::ImportCandidate;
use super::records::ImportRecords;
use super::three_way::{self, ImportConflict};
use super::write::{ImportPlan, ImportSource};
use crate::error::ChantError;
use crate::model::Spec;
use crate::parse;
use crate::project::{Project, ProjectSnapshot};
use chant_base::error::Error;
use chant_store::index::FileSource;
use chant_store::journal::ChangeStep;

/// A spec that was imported before and is another by now in its source.
#[derive(Debug)]
pub struct ImportUpdate {
    /// Its ID.
    pub id: String,
    /// Its origin.
    pub from: String,
    /// The keys that are taken over, and `body`.
    pub changed: Vec<String>,
    /// The places that stay as they are here.
    pub conflicts: Vec<ImportConflict>,
}

impl ImportPlan<'_> {
    /// Merges the changes of the source into the specs that were imported before, and records its texts.
    ///
    /// # Errors
    /// `Refused` for a text that would not be a spec, or an `EditError`.
    pub(super) fn update(
        &mut self,
        project: &Project,
        snapshot: &ProjectSnapshot,
        source: ImportSource<'_>,
        records: &mut ImportRecords,
    ) -> Result<Vec<ChangeStep>, Error> {
        let mut steps = Vec::new();
        let mut met: HashSet<&str> = HashSet::new();
        let ids = self.ids.values().filter_map(|id| id.rsplit_once('.'));
        let drivers: HashSet<String> = ids.map(|(driver, _)| driver.to_owned()).collect();
        for (candidate, id) in self.present.clone() {
            met.insert(&candidate.origin);
            let Some(theirs) = self.text_there(snapshot, candidate, &drivers)? else {
                continue;
            };
            let base = records.find(&candidate.origin).map(str::to_owned);
            if base.as_deref() == Some(&theirs) {
                continue;
            }
            let mut update = ImportUpdate {
                id: id.clone(),
                from: candidate.origin.clone(),
                changed: Vec::new(),
                conflicts: Vec::new(),
            };
            match updatable(project, snapshot, &id, base.as_deref()) {
                Ok((spec, base)) => {
                    let merged = three_way::merge(base, &spec.text, &theirs)?;
                    check(&spec, &merged.text)?;
                    update.changed = merged.changed;
                    update.conflicts = merged.conflicts;
                    records.put(&candidate.origin, theirs);
                    if !update.changed.is_empty() {
                        let path = spec.path.to_string();
                        let text = merged.text;
                        steps.push(ChangeStep::Replace { path, text });
                    }
                }
                Err(why) => {
                    if base.is_none() {
                        // From now on changes are known.
                        records.put(&candidate.origin, theirs);
                    }
                    update.conflicts.push(ImportConflict {
                        key: "spec".to_owned(),
                        here: why,
                        there: String::new(),
                    });
                }
            }
            self.updates.push(update);
        }
        let all = records.of_source(source.format, source.name);
        self.gone = all
            .filter(|origin| !met.contains(origin) && !self.is_fresh(origin))
            .map(str::to_owned)
            .collect();
        Ok(steps)
    }

    /// The text that an import of today would write for a spec that was imported before.
    fn text_there(
        &mut self,
        snapshot: &ProjectSnapshot,
        candidate: &ImportCandidate,
        drivers: &HashSet<String>,
    ) -> Result<Option<String>, Error> {
        let Some(own) = self.id(candidate) else {
            return Ok(None);
        };
        let names = self.names(snapshot, candidate, &own);
        self.edges.0 += names.len();
        let has_members = drivers.contains(own.as_str());
        self.text(candidate, &own, names, has_members).map(Some)
    }
}

/// The spec into which changes may be merged, and what was imported; else why not.
fn updatable<'a>(
    project: &Project,
    snapshot: &ProjectSnapshot,
    id: &str,
    base: Option<&'a str>,
) -> Result<(Arc<Spec>, &'a str), String> {
    let spec = snapshot.specs.find(id).cloned();
    let spec = spec.ok_or("archived or unreadable; nothing was changed")?;
    if project.run_lookup.refuse_running(project, &spec).is_err() {
        return Err("a run is working on it; import again after the run".to_owned());
    }
    let unknown =
        "the imported text is not recorded; nothing was changed, and the next update will work";
    let base = base.ok_or(unknown)?;
    Ok((spec, base))
}

/// Refuses a merged text that is no spec.
fn check(spec: &Spec, text: &str) -> Result<(), Error> {
    match parse::document(&spec.path, FileSource::Text(text.to_owned())) {
        Ok(_) => Ok(()),
        Err(broken) => {
            let why = format!(
                "{} would become an unreadable spec: {}. Nothing was imported.",
                spec.id, broken.problem.message
            );
            Err(ChantError::Refused(why).into())
        }
    }
}
