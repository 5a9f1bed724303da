//! A job on a worker machine: one run that another machine placed here.
//!
//! `job_file` reads what is wanted and `workplace` makes its place, if the owner of this machine
//! accepts it; the run itself is `runtime::placed_run`. `job_folder` keeps
//! everything of a job, with its result, and `branch_return` brings its commits on their way back; `mirrors` keeps the repositories that jobs begin at. `leftovers` looks after jobs whose process died, and
//! lists work that could not be returned; `offer` says what this machine has.

mod branch_return;
mod job_file;
mod job_folder;
mod leftovers;
mod mirrors;
mod offer;
mod refusal;
mod workplace;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::project::ProjectRuns;
use super::runtime::placed_launch::LARGEST_ORDER;
use super::runtime::placed_run::{PlacedEnd, PlacedRun, run_placed};
use branch_return::BranchReturn;
use chant_base::error::Error;
use chant_specs::error::ChantError;
use chant_work::cancel_token::CancelToken;
use chant_work::handshake::StartHandshake;
use chant_work::lifeline::{LifelineEnd, listen_to_lifeline};
use chant_work::run_record::{RunOptions, RunRecord};
use job_file::JobFile;
use job_folder::JobFolder;
use refusal::{JobRefusal, RefusalCause};
use workplace::{JobPreparation, JobWorkplace};

pub use branch_return::LARGEST_BUNDLE;
pub use leftovers::{kept_work, sweep};
pub use offer::worker_offer;
pub use workplace::WorkerOptions;

/// Receives the news of a job, each an object with the key `is`.
pub type JobListener = Arc<dyn Fn(&Value) + Send + Sync>;

/// Does the job of a folder in this process, until its agent has ended or standard input, its
/// lifeline, asks for its end. The last file that is written is `result.json`.
///
/// Returns the state in that file: `done`, `failed`, `paused` or `refused`.
///
/// # Errors
/// A folder that is that of no job, a job that another process does, or a failure to write.
pub fn run_job(
    options: &WorkerOptions,
    folder: &Path,
    tell: &JobListener,
) -> Result<String, Error> {
    let folder = JobFolder::open(folder)?;
    let Some(_lock) = folder.lock()? else {
        let why = format!(
            "another process does the job in {}",
            folder.path().display()
        );
        return Err(ChantError::Refused(why).into());
    };
    if let Some(result) = folder.result() {
        return Ok(state_of(&result));
    }
    let interruption = Arc::new(CancelToken::listening()?);
    interruption.on_cancel(chant_git::end_limited_calls)?;
    let lifeline = Lifeline::listen(&interruption);
    let active = ActiveJob {
        options,
        folder: &folder,
        interruption: &interruption,
        tell,
        started_at: options.clock.stamp(),
    };
    let (mut result, place) = active.work();
    if result["state"] == json!("paused") {
        result["reason"] = json!(lifeline.reason());
    }
    let result = active.hand_back(result, place.as_ref())?;
    let (state, has_tip) = (state_of(&result), !result["tip"].is_null());
    drop(place);
    let kept = if lifeline.is_closed() && has_tip {
        Some(folder.keep()?)
    } else {
        None
    };
    let kept = kept.map(|kept| kept.path().display().to_string());
    tell(&json!({"is": "ended", "state": state, "kept": kept}));
    Ok(state)
}

fn state_of(result: &Value) -> String {
    result["state"].as_str().unwrap_or("failed").to_owned()
}

/// What the lifeline said, once it has.
struct Lifeline(Arc<Mutex<Option<LifelineEnd>>>);

impl Lifeline {
    /// Cancels the job when its lifeline ends.
    fn listen(interruption: &Arc<CancelToken>) -> Self {
        let said = Arc::new(Mutex::new(None));
        let (cancels, says) = (Arc::clone(interruption), Arc::clone(&said));
        listen_to_lifeline(move |end| {
            *says.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
            cancels.cancel();
        });
        Self(said)
    }

    /// Returns why the job ended, in a sentence.
    fn reason(&self) -> String {
        let said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*said {
            Some(LifelineEnd::Asked(why)) => format!("It was asked to stop ({why})."),
            Some(LifelineEnd::Closed) => {
                "The worker that answered for it is gone or stands still.".into()
            }
            None => "Its process was asked to end.".into(),
        }
    }

    /// Returns true if there is no one to hand the work back to.
    fn is_closed(&self) -> bool {
        let said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *said == Some(LifelineEnd::Closed)
    }
}

/// A job that is being done.
struct ActiveJob<'a> {
    options: &'a WorkerOptions,
    folder: &'a JobFolder,
    interruption: &'a CancelToken,
    tell: &'a JobListener,
    started_at: String,
}

/// A job with the place of its work.
struct PlacedJob {
    job: JobFile,
    place: JobWorkplace,
}

impl ActiveJob<'_> {
    /// Does the work. Returns the result, and the place of the work if there is one.
    fn work(&self) -> (Value, Option<PlacedJob>) {
        let job = match self.read() {
            Ok(job) => job,
            Err(refusal) => return (self.refused(&refusal), None),
        };
        let preparation = JobPreparation {
            options: self.options,
            folder: self.folder,
            job: &job,
        };
        let step = |what: &str| (self.tell)(&json!({"is": "step", "step": what}));
        let place = match preparation.make(&step) {
            Ok(place) => place,
            Err(refusal) => return (self.refused(&refusal), None),
        };
        let placed = PlacedJob { job, place };
        let result = match self.run(&placed) {
            Ok((end, record, order)) => {
                let mut result = ended(end, &record);
                if let Some(order) = order.filter(|order| order.len() <= LARGEST_ORDER) {
                    result["order"] = json!(order);
                }
                result
            }
            Err(error) => json!({"state": "failed", "reason": error.to_string()}),
        };
        (result, Some(placed))
    }

    fn read(&self) -> Result<JobFile, JobRefusal> {
        let text = self.folder.job().map_err(|error| {
            JobRefusal::new(RefusalCause::Invalid, format!("job.json: {error}"))
        })?;
        JobFile::parse(&text, &self.folder.name())
    }

    fn run(&self, placed: &PlacedJob) -> Result<(PlacedEnd, RunRecord, Option<String>), Error> {
        let PlacedJob { job, place } = placed;
        let project = &place.project;
        let log = project.runs()?.ensure_log(&job.spec)?;
        self.folder.show_log(&log)?;
        let wanted = PlacedRun {
            spec_id: job.spec.clone(),
            branch: job.branch.clone(),
            target: job.target.clone(),
            start: job.start.clone(),
            asked: RunOptions {
                skip_criteria: job.skip_criteria,
                agent: Some(job.agent.clone()),
                prompt: job.prompt.clone(),
                ..RunOptions::default()
            },
            variables: place.variables.clone(),
        };
        let tell = Arc::clone(self.tell);
        let handshake = StartHandshake::heard_here(move |step| {
            tell(&json!({"is": "step", "step": step}));
        })?;
        let started = |confinement: &str| {
            (self.tell)(&json!({"is": "started", "confinement": confinement}));
        };
        run_placed(project, &wanted, handshake, self.interruption, &started)
    }

    /// Returns the result of a job that no agent worked on.
    fn refused(&self, refusal: &JobRefusal) -> Value {
        if self.interruption.is_cancelled() {
            return json!({"state": "paused", "reason": null});
        }
        let mut refused =
            json!({"state": "refused", "reason": refusal.why, "cause": refusal.cause.as_str()});
        if !refusal.known.is_empty() {
            refused["known"] = json!(refusal.known);
        }
        refused
    }

    /// Writes what is handed back: the log, the bundle with the commits, and the result, which is
    /// completed here.
    fn hand_back(&self, result: Value, placed: Option<&PlacedJob>) -> Result<Value, Error> {
        let mut result = result;
        result["schema"] = json!(1);
        result["key"] = json!(self.folder.name());
        result["started_at"] = json!(self.started_at);
        result["tip"] = Value::Null;
        let mut log = None;
        if let Some(PlacedJob { job, place }) = placed {
            log = place.project.runs()?.log(&job.spec);
            let back = BranchReturn {
                options: self.options,
                folder: self.folder,
                project: &place.project,
                job,
            };
            if let Err(error) = back.write(&mut result) {
                result["state"] = json!("failed");
                result["reason"] = json!(error.to_string());
            }
        }
        self.folder.write_log(log.as_deref())?;
        result["ended_at"] = json!(self.options.clock.stamp());
        self.folder.write_result(&result)?;
        Ok(result)
    }
}

/// Returns what the record of a run says about its end.
fn ended(end: PlacedEnd, record: &RunRecord) -> Value {
    let (state, reason) = match end {
        PlacedEnd::Done => ("done", None),
        PlacedEnd::Failed => ("failed", record.reason.clone()),
        PlacedEnd::Stopped => ("paused", None),
    };
    let agent = record.agent.as_ref().map(|agent| {
        json!({
            "name": agent.name, "model": agent.model,
            "reported_model": agent.reported_model, "session": agent.session,
        })
    });
    json!({
        "state": state, "reason": reason, "exit_code": record.exit_code,
        "cause": record.cause, "usage": record.usage, "denials": record.denials,
        "agent": agent, "confinement": record.confinement,
    })
}
