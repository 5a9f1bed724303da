//! Answers the questions of specs about their runs, by the records of runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;

use super::agents::discovery::AgentSearch;
#[cfg(unix)]
use super::leases::last_look;
use super::ops::work_load::work_load;
use super::output;
use super::project::ProjectRuns;
use super::receipt_store::{left_after, receipted_runs};
use chant_base::completed_run::CompletedRun;
use chant_base::error::Error;
use chant_base::next_step::{NextStep, hint};
use chant_config::Config;
use chant_specs::error::ChantError;
use chant_specs::model::Spec;
use chant_specs::project::Project;
use chant_specs::run_lookup::RunLookup;
use chant_specs::view::held_specs::HeldSpecs;
use chant_specs::view::work_load::WorkLoad;
use chant_store::disk;
use chant_work::mirror::RECORDS;
use chant_work::run_record::RunRecord;
use chant_work::state::RunState;

/// The runs on a project's specs, as their records say.
#[derive(Debug, Clone, Copy)]
pub struct RecordedRuns;

impl RunLookup for RecordedRuns {
    fn refuse_running(&self, project: &Project, spec: &Spec) -> Result<(), Error> {
        refuse_running(project, spec)
    }

    fn leave_receipt(&self, project: &Project, before: &Spec) -> String {
        left_after(project, before, &[], false)
    }

    fn log_modified(&self, project: &Project, spec_id: &str) -> Option<Timestamp> {
        let stamp = project.shown_log_stamp(spec_id)?;
        Timestamp::from_nanosecond(stamp.modified).ok()
    }

    fn find_wrong_output(
        &self,
        project: &Project,
        spec_id: &str,
        path: &str,
        schema: &str,
    ) -> Option<String> {
        let (place, name) = project.shown_log(spec_id).ok()?;
        let (log, _) = project.disk.read_text(&place, &name).ok()?;
        output::find_mismatch(path, schema, &log)
    }

    fn held_elsewhere(&self, project: &Project, config: &Config) -> Arc<HeldSpecs> {
        held_elsewhere(project, config)
    }

    fn work_load(&self, project: &Project, config: &Config) -> WorkLoad {
        work_load(project, config)
    }

    fn doubtful_leases(&self, project: &Project, config: &Config) -> Vec<String> {
        doubtful_leases(project, config)
    }

    fn records_folder(&self, project: &Project) -> Option<PathBuf> {
        project.runs().ok()?.folder()
    }

    fn receipted_runs(&self, project: &Project) -> Vec<CompletedRun> {
        let repo = project.repo().ok().flatten();
        // A repository that cannot be read teaches nothing, and blocks no answer.
        let runs = repo.and_then(|repo| receipted_runs(&repo).ok());
        runs.unwrap_or_default()
    }

    fn shows_runs(&self, root: &Path) -> bool {
        disk::exists(&root.join(RECORDS))
    }

    fn find_agent(
        &self,
        environment: &BTreeMap<String, String>,
        root: &Path,
    ) -> Option<&'static str> {
        AgentSearch { environment, root }.chosen()
    }
}

#[cfg(unix)]
fn held_elsewhere(project: &Project, config: &Config) -> Arc<HeldSpecs> {
    last_look::held_elsewhere(project, config)
}

/// Without runs there is nothing that clones could share.
#[cfg(not(unix))]
fn held_elsewhere(_: &Project, _: &Config) -> Arc<HeldSpecs> {
    Arc::default()
}

#[cfg(unix)]
fn doubtful_leases(project: &Project, config: &Config) -> Vec<String> {
    last_look::doubtful_leases(project, config)
}

/// Without runs there is nothing that clones could share.
#[cfg(not(unix))]
fn doubtful_leases(_: &Project, _: &Config) -> Vec<String> {
    Vec::new()
}

/// Refuses another state while a run is under way, which would overwrite it.
pub(super) fn refuse_running(project: &Project, spec: &Spec) -> Result<(), Error> {
    let records = project.runs()?.of_spec(spec.id.as_str())?;
    let is_under_way =
        |record: &&RunRecord| record.state() == RunState::Running && record.runner().is_alive();
    let running = records.iter().find(is_under_way);
    match running {
        None => Ok(()),
        Some(run) => {
            let message = format!(
                "run {} works on it and decides about its status",
                run.process_id
            );
            let id = || spec.id.to_string();
            let hint = hint![
                "; ",
                NextStep::Pause(id()),
                ", ",
                NextStep::TakeOver(id()),
                " or ",
                NextStep::Cancel(id()),
                " stops that",
            ];
            Err(ChantError::Refused(message).advise(hint).into())
        }
    }
}
