//! The report of what an import did, or would do.

use super::write::{ImportMode, ImportPlan, ImportSource};
use crate::view::import::{
    ConflictView, ImportReport, ImportedSpecView, PresentSpecView, UnmappedView, UpdatedSpecView,
};
use chant_base::answer::Answer;

impl ImportPlan<'_> {
    /// Reports what was planned.
    pub(super) fn report(&self, source: ImportSource<'_>, mode: ImportMode) -> Answer {
        let created = self.fresh.iter().map(|candidate| ImportedSpecView {
            // The ids of a dry run might be given to other specs.
            id: self
                .ids
                .get(&candidate.origin)
                .filter(|_| !mode.dry_run)
                .cloned(),
            from: &candidate.origin,
            title: &candidate.title,
            status: candidate.status.as_str(),
        });
        let present = self.present.iter();
        Answer::whole(&ImportReport {
            format: source.format,
            source: source.path,
            dry_run: mode.dry_run,
            created: created.collect(),
            present: present
                .map(|(candidate, id)| PresentSpecView {
                    id,
                    from: &candidate.origin,
                })
                .collect(),
            updated: self
                .updates
                .iter()
                .filter_map(UpdatedSpecView::of)
                .collect(),
            conflicts: self.updates.iter().flat_map(ConflictView::of).collect(),
            gone: &self.gone,
            unmapped: self.unmapped.iter().map(UnmappedView::from).collect(),
            records: self.fresh.len() + self.present.len(),
            edges: self.edges.0,
            edges_lost: self.edges.1,
        })
    }
}
