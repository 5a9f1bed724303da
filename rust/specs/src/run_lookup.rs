//! The questions about runs that this crate asks its caller: it knows no runs itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;

use super::model::Spec;
use super::project::Project;
use super::view::held_specs::HeldSpecs;
use super::view::work_load::WorkLoad;
use chant_base::completed_run::CompletedRun;
use chant_base::error::Error;
use chant_config::Config;

/// Answers questions about the runs on a project's specs.
pub trait RunLookup: Send + Sync {
    /// Refuses another state of a spec while a run is under way, which would overwrite it.
    ///
    /// # Errors
    /// `Refused`, naming the run; a `StoreError` when its records cannot be read.
    fn refuse_running(&self, project: &Project, spec: &Spec) -> Result<(), Error>;

    /// Leaves the receipt of a spec that was completed by hand; gives a line that says why there is none, where it
    /// could not be written. `before` is the spec before that.
    fn leave_receipt(&self, project: &Project, before: &Spec) -> String;

    /// Returns the time at which the log of a spec was last written; `None` when it has none.
    fn log_modified(&self, project: &Project, spec_id: &str) -> Option<Timestamp>;

    /// Returns the reason that the output in a spec's log does not fit a schema, given as its path and its text;
    /// `None` when it fits or there is no log.
    fn find_wrong_output(
        &self,
        project: &Project,
        spec_id: &str,
        schema_path: &str,
        schema: &str,
    ) -> Option<String>;

    /// Returns the specs that other clones hold, by the last look at the remote that they share; nothing is asked
    /// of it. Without leases in the configuration there are none, and nothing is read.
    fn held_elsewhere(&self, project: &Project, config: &Config) -> Arc<HeldSpecs>;

    /// Returns how busy accounts and machines are; nothing, and nothing is read, where a project has neither.
    fn work_load(&self, project: &Project, config: &Config) -> WorkLoad;

    /// Returns a sentence for each lease on the remote that clones share which somebody has to look at, by the last
    /// look; nothing without leases in the configuration.
    fn doubtful_leases(&self, project: &Project, config: &Config) -> Vec<String>;

    /// Returns the folder of the records of the project's runs, if they may be believed; it may not be there yet.
    fn records_folder(&self, project: &Project) -> Option<PathBuf>;

    /// Returns the runs of which receipts are left, as far as these can be read; their records may be gone.
    fn receipted_runs(&self, project: &Project) -> Vec<CompletedRun>;

    /// Returns true if a project's own folder shows runs; that proves nothing.
    fn shows_runs(&self, root: &Path) -> bool;

    /// Returns the agent that works where the configuration names none.
    fn find_agent(
        &self,
        environment: &BTreeMap<String, String>,
        root: &Path,
    ) -> Option<&'static str>;
}
