//! Jobs whose process died, jobs that are over, and work that could not be returned.

use std::path::Path;
use std::time::SystemTime;

use serde_json::{Value, json};

use super::branch_return::BranchReturn;
use super::job_file::JobFile;
use super::job_folder::{JobFolder, WorkerFolder};
use super::mirrors::prune_mirrors;
use super::state_of;
use super::workplace::{WorkerOptions, is_inside};
use crate::project::ProjectRuns;
use crate::project::run_tree::RunTreeContext;
use chant_base::answer::Answer;
use chant_base::diagnostics::LogFailure;
use chant_base::error::Error;
use chant_specs::project::Project;
use chant_store::disk;
use chant_work::recovery;

/// Why a job that died has no better result.
const DIED: &str = "the process of the job died";
/// The cause by which another machine may try again.
const LOST: &str = "worker_lost";

/// Looks after the jobs of a worker: ends what is left of those whose process died and hands their
/// commits back, removes those whose result arrived, and keeps work that was not taken. A worker does
/// this when it starts, for all jobs, and then removes mirrors that were not used for long; and for `only` one when its process ended without a result, or
/// when its result arrived.
///
/// The answer has the keys of jobs: `recovered`, `removed`, `kept`, the names of removed `mirrors`, and `problems` in sentences.
///
/// # Errors
/// None at present: what cannot be put right is among the problems.
pub fn sweep(options: &WorkerOptions, worker: &Path, only: Option<&str>) -> Result<Answer, Error> {
    let worker = WorkerFolder::at(worker);
    let mut swept = SweepReport::default();
    let folders = WorkerFolder::folders(&worker.jobs()).into_iter();
    for folder in folders.filter(|folder| only.is_none_or(|only| only == folder.name())) {
        let name = folder.name();
        // At the start no result of an earlier job is on its way any more.
        let is_start = only.is_none();
        if let Err(error) = swept.look_at(options, &folder, is_start) {
            swept.problems.push(format!("Job '{name}': {error}"));
        }
    }
    if only.is_none() {
        match prune_mirrors(&worker, SystemTime::now()) {
            Ok(names) => swept.mirrors = names,
            Err(error) => swept.problems.push(format!("Mirrors: {error}")),
        }
    }
    Ok(Answer::whole(&json!({
        "recovered": swept.recovered, "removed": swept.removed,
        "kept": swept.kept, "mirrors": swept.mirrors, "problems": swept.problems,
    })))
}

#[derive(Default)]
struct SweepReport {
    recovered: Vec<String>,
    removed: Vec<String>,
    kept: Vec<String>,
    mirrors: Vec<String>,
    problems: Vec<String>,
}

impl SweepReport {
    fn look_at(
        &mut self,
        options: &WorkerOptions,
        folder: &JobFolder,
        is_start: bool,
    ) -> Result<(), Error> {
        let name = folder.name();
        let Some(_lock) = folder.lock()? else {
            return Ok(());
        };
        let is_known = folder.result().is_some();
        if !is_known {
            recover(options, folder)?;
            self.recovered.push(name.clone());
        }
        let result = folder.result().unwrap_or_default();
        let has_work = !result["tip"].is_null();
        let must_stay = result["kept"] == json!(true);
        if folder.is_acknowledged() && !must_stay || is_start && !has_work {
            disk::remove_tree(folder.path())?;
            self.removed.push(name);
        } else if is_start || folder.is_acknowledged() {
            self.kept.push(folder.keep()?.name());
        }
        Ok(())
    }
}

/// Ends what a job left whose process died, and writes its result.
fn recover(options: &WorkerOptions, folder: &JobFolder) -> Result<(), Error> {
    let mut result = json!({
        "schema": 1, "key": folder.name(), "state": "failed", "reason": DIED, "cause": LOST,
        "tip": null, "ended_at": options.clock.stamp(),
    });
    let text = folder.job().unwrap_or_default();
    if let Ok(job) = JobFile::parse(&text, &folder.name())
        && disk::exists(&folder.checkout())
        && is_inside(folder, &job.inside)
    {
        let project = options.open(folder, &job.inside, options.environment.clone())?;
        let runs = project.runs()?;
        recovery::recover(&runs)?;
        bring_back(&project, &job).log_failure("bring commits of a job back");
        let back = BranchReturn {
            options,
            folder,
            project: &project,
            job: &job,
        };
        back.write(&mut result)?;
        folder.write_log(runs.log(&job.spec).as_deref())?;
    }
    Ok(folder.write_result(&result)?)
}

/// Brings the commits of a run back from its folder.
fn bring_back(project: &Project, job: &JobFile) -> Result<(), Error> {
    let repo = project.repository()?;
    let mut config = (*project.snapshot()?.config?).clone();
    config.worktree_root = None;
    let context = RunTreeContext {
        project,
        config: &config,
        repo: &repo,
    };
    if let Some(tree) = context.tree_of(&job.spec, &job.branch)? {
        tree.hand_over_with_commits()?;
    }
    Ok(())
}

/// Lists the work that could not be returned: `{"kept": […], "folder": …}`, each with its spec,
/// branch, newest commit, that which was pushed, state and folder.
///
/// # Errors
/// None at present.
pub fn kept_work(worker: &Path) -> Result<Answer, Error> {
    let kept = WorkerFolder::at(worker).kept();
    let listed: Vec<Value> = WorkerFolder::folders(&kept)
        .iter()
        .map(|folder| {
            let job = folder.job().unwrap_or_default();
            let job: Value = serde_json::from_str(&job).unwrap_or_default();
            let result = folder.result().unwrap_or_default();
            json!({
                "key": job["key"], "spec": job["spec"], "token": job["token"],
                "branch": job["branch"], "remote": job["remote"], "tip": result["tip"],
                "pushed": result["pushed"], "state": state_of(&result), "reason": result["reason"],
                "ended_at": result["ended_at"], "folder": folder.path().display().to_string(),
            })
        })
        .collect();
    Ok(Answer::whole(&json!({
        "kept": listed, "folder": kept.display().to_string(),
    })))
}
