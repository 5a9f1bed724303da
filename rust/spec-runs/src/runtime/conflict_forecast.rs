//! The conflicts that an orchestrator foresees between the specs that it has at work at once.

use crate::expected_files::ExpectedFiles;
use crate::project::ProjectRuns;
use chant_specs::project::Project;
use chant_specs::specs::SpecGraph;
use chant_work::WorkError;
use chant_work::runner::ActiveRun;

/// The files that specs are expected to touch, and the pairs of specs that were foreseen to conflict.
#[derive(Default)]
pub(super) struct ConflictForecast {
    /// Nothing is known where one spec is worked on at a time.
    pub files: ExpectedFiles,
    pairs: usize,
}

impl ConflictForecast {
    /// Learns from the commits of completed specs which files others will touch. A commit that cannot be read says
    /// nothing, and keeps no spec from its start.
    pub(super) fn look(&mut self, project: &Project, specs: &SpecGraph) {
        if let Ok(repo) = project.repository() {
            let touched = |commit: &str| repo.touched_by(commit).unwrap_or_default();
            self.files.look(specs, &touched);
        }
    }

    /// Counts the pairs of a spec that was started beside others.
    pub(super) fn add(&mut self, pairs: usize) {
        self.pairs += pairs;
    }

    /// Records how many there are, so that lists of runs show it while the run goes on.
    pub(super) fn record(&self, run: &mut ActiveRun<'_>) -> Result<(), WorkError> {
        let foreseen = Some(self.pairs).filter(|pairs| *pairs > 0);
        if run.record().foreseen_conflicts != foreseen {
            run.update(|record| {
                record.foreseen_conflicts = foreseen;
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Returns how many there were, for the report at the end; nothing if there was none.
    pub(super) fn sentence(&self) -> Option<String> {
        let pairs = match self.pairs {
            0 => return None,
            1 => "1 conflict was foreseen: a pair of specs".to_owned(),
            many => format!("{many} conflicts were foreseen: pairs of specs"),
        };
        Some(format!(
            "{pairs} at work at once that were expected to share files"
        ))
    }
}
